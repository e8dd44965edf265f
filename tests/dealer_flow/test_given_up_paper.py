"""A second reader's hands of chips that were given up (`paper/given_up.toml`, from the text alone), each played.

`best` has the hands from best to worst, and cards are dealt that come to that; the button is at the highest seat.
"""

import tomllib
from pathlib import Path
from typing import Any, Final

import pytest

from rules import Settlement, load_game, settle
from tests.support.dealing.hand_table import HandTable
from tests.support.dealing.plays import play

HANDS: Final[dict[str, dict[str, Any]]] = {
    hand["name"]: hand
    for hand in tomllib.loads((Path(__file__).parent / "paper" / "given_up.toml").read_text(encoding="utf-8"))["hand"]
}
BOARD: Final = ("2C 7D 9H", "JS", "QD")
BURNS: Final = ("8C", "8D", "8H")
PAIRS: Final = ("AC AD/AH AS", "KC KD/KH KS", "6C 6D/6H 6S", "5C 5D/5H 5S")
"""Pockets that are better than the next; two that are equal."""

HELD: Final = {"22": "no report says whether the hand was dead before the other one was mucked"}
"""Cases in which the reader decides, and the pot is held."""


def dealt(hand: dict[str, Any]) -> dict[int, str]:
    """Seat -> its cards."""
    held = {
        seat: cards
        for group, pair in zip(hand["best"], PAIRS, strict=False)
        for seat, cards in zip(group, pair.split("/"), strict=False)
    }
    others = iter(("3C 4D", "3D 4H", "3H 4S", "3S 4C"))
    return {int(seat): held.get(int(seat)) or next(others) for seat in hand["stakes"]}


def lines(hand: dict[str, Any]) -> str:
    cards = dealt(hand)
    seats = sorted(cards)
    said = [
        "stakes " + ", ".join(f"{seat}: {hand['stakes'][str(seat)]}" for seat in seats),
        f"start at {seats[-1]}",
        "draw " + " | ".join(f"seat {seat} {cards[seat]}" for seat in seats),
    ]
    live, streets = {*seats}, ("preflop", "flop", "turn", "river")
    for street, burn, board in zip(streets, (None, *BURNS), (None, *BOARD), strict=True):
        if len(live) == 1:
            break
        if board is not None:
            said += [f"burn-card {burn}", f"draw community {board}"]
        for action in hand[street]:
            seat, what, *cents = action.split()
            said.append(f"acts {seat}: {' '.join([what, *cents])}")
            live -= {int(seat)} if what == "fold" else set()
    if len(live) > 1:
        said.append(f"show community: {' '.join(BOARD)}")
    said += [f"mishap seat {seat}: fouled-by-player" for seat in hand["dead"]]
    for event in hand["showdown"]:
        seat, what = event.split()
        said.append(f"acts {seat}: fold" if what == "mucks" else f"show seat {seat}: {cards[int(seat)]}")
    return " / ".join(said)


def played(hand: dict[str, Any]) -> tuple[HandTable, Settlement]:
    table = play("holdem.co", lines(hand))
    table.end()
    return table, settle(table.results[-1], load_game("holdem.co"), token_cents=1)


@pytest.mark.parametrize("name", HANDS)
def test_everybody_has_what_the_reader_says(name: str) -> None:
    hand = HANDS[name]
    table, done = played(hand)
    assert {*table.codes} <= {"acted-out-of-turn", "hand-fouled"}, table.codes
    net = {seat.seat: seat.net for seat in done.seats}
    has = {int(seat): stake + net.get(int(seat), 0) for seat, stake in hand["stakes"].items()}
    if hand["silent"] or name.partition(" ")[0] in HELD:
        assert any(pot.held for pot in done.pots)
        return
    assert done.status == "settled", [line.why for line in done.lines if line.result == "held"]
    assert has == {int(seat): cents for seat, cents in hand["has"].items()}


def test_a_house_may_have_a_person_decide_whose_a_side_pot_is_that_was_given_up() -> None:
    """Nothing in the text says `each pot`: the reader's hands of a side pot that was given up rest on a reading."""
    hand = next(hand for name, hand in HANDS.items() if name.startswith("02"))
    table = play("holdem.co", lines(hand))
    table.end()
    game = load_game("holdem.co")
    done = settle(table.results[-1], game, token_cents=1, readings={"given-up-side-pot": "held"})
    assert [(pot.name, bool(pot.held)) for pot in done.pots] == [("pot", False), ("side-pot-1", True)]
