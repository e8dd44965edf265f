"""Stakes that a reader of the sections found forbidden or allowed, in rounds of another program."""

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from dealer_flow.record.details import ActionRecord, Split
from dealer_flow.record.result import RoundResult, Seat
from rules import Settlement, settle
from rules.game.load import load_game_of
from rules.settlement import Meter, SettlementLine
from tests.support.dealing.written_rounds import ended_round, seat_of
from tests.support.reading.each import of_each
from tests.support.reading.paper import Paper

BOOK = tomllib.loads((Path(__file__).parent / "paper" / "wagers_by_law.toml").read_text(encoding="utf-8"))
TABLE = ("options",)
"""Keys of a row that describe the table; all others, except its own words, describe the player."""
WORDS = ("game", "what", "clause", "held", "blind", "other")


def rows(kind: str) -> list[dict[str, Any]]:
    return list(BOOK[kind])


def round_of(row: dict[str, Any]) -> RoundResult:
    """Return the round as it was dealt, with the stakes of the row."""
    deal = BOOK["deal"][row["game"]]
    if "pot" in row:
        return _pot_round(row, deal)
    own = {key: value for key, value in row.items() if key not in (*TABLE, *WORDS)}
    seat = {"seat": 1, "bets": {}} | deal["seat"] | own
    seats = [seat, *({"seat": 2} | each for each in (row.get("other"),) if each)]
    house = {key: value for key, value in deal.items() if key != "seat"}
    dealt = Paper(row["game"], {**house, **{key: row[key] for key in TABLE if key in row}, "seat": seats}).round()
    blind = tuple(row.get("blind", ()))
    return replace(dealt, seats=tuple(replace(each, blind=blind) for each in dealt.seats)) if blind else dealt


def _pot_round(row: dict[str, Any], deal: dict[str, Any]) -> RoundResult:
    """Return a round of players against each other. The last seat has the button."""
    seats = [_pot_seat(row, deal, number) for number in range(1, len(row["pot"]) + 1)]
    actions = []
    for each in filter(None, row.get("actions", "").split(", ")):
        step, number, action, cents = each.split()
        actions.append(ActionRecord(step, int(number), action, int(cents)))
    more = {"actions": tuple(actions), "options": row.get("options", {})}
    return ended_round(row["game"], seats, deal.get("community", ""), **more)


def _pot_seat(row: dict[str, Any], deal: dict[str, Any], number: int) -> Seat:
    folded, cards = number in row.get("folded", ()), deal["cards"][number - 1]
    wagers = {name.replace("-", "_"): cents for name, cents in row["pot"][number - 1].items()}
    seat = seat_of(number, cards, status="folded" if folded else "live", **wagers)
    if "stakes" in row:
        seat = replace(seat, stake=row["stakes"][number - 1])
    if "wild" in deal:
        wild, rest = deal["wild"][number - 1], list(seat.cards)
        rest.remove(wild)
        seat = replace(seat, split=Split(low=(wild,), rest=tuple(rest), by="player", foul=False))
    return seat


def settled(row: dict[str, Any]) -> Settlement:
    game = load_game_of(row["game"], row.get("options", {}))
    rolls = game.spec.pot.rolls if game.spec.pot else None
    meters = {rolls.meter: Meter(0)} if rolls else {}
    return settle(round_of(row), game, token_cents=25, accept_suspect=True, meters=meters)


def named(row: dict[str, Any]) -> str:
    return f"{row['game']}: {row['what']}"


def held_lines(settlement: Settlement) -> Iterator[SettlementLine]:
    return (line for line in settlement.lines if line.result == "held")


@of_each("row", rows("forbidden"), ids=named)
def test_what_the_section_forbids_is_held_by_its_clause(row: dict[str, Any]) -> None:
    held = list(held_lines(settled(row)))
    assert {line.bet for line in held} >= set(row["held"])
    assert not {line.clause for line in held if line.bet in row["held"]}.isdisjoint(row["clause"].split("; "))
    assert not any(line.pay or line.returned for line in held)


@of_each("row", rows("allowed"), ids=named)
def test_what_the_section_allows_is_settled(row: dict[str, Any]) -> None:
    settlement = settled(row)
    assert [(line.bet, line.clause, line.why) for line in held_lines(settlement)] == []
    assert settlement.status == "settled"


@of_each("kind", ("forbidden", "allowed"))
def test_a_row_says_what_no_other_says(kind: str) -> None:
    assert len({named(row) for row in rows(kind)}) == len(rows(kind)) >= 60
    assert len({row["game"] for row in rows(kind)}) >= 16
