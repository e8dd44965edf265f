"""Games between players out of the dealer's hand, 47.1-1011(1): what is known when, the money, the deck that adds
up, and a shuffler that hands out the whole deck. The other errors are in `hands/*.co-hand.toml`."""

from collections.abc import Iterable
from typing import Final

import pytest

from dealer_flow.record.result import Deck, RoundResult
from devices import events as e
from protocol.faults import Fault
from protocol.places import NOWHERE
from rules import settle
from rules.game.load import load_game_of
from tests.support.dealing.hand_table import DEVICE, SESSION, HandTable
from tests.support.reading.dealt_hands import clean

OMAHA: Final = """
stakes 1: 20000, 2: 20000, 3: 20000
bets 2: small-blind 100
bets 3: big-blind 200
start at 1
deal by hand
acts 1: raise 600
acts 2: fold
acts 3: call 600
show community: 5S 6C 9S
acts 3: check
acts 1: check
show community: 5S 6C 9S TD
acts 3: check
acts 1: check
show community: 5S 6C 9S TD 3D
acts 3: check
acts 1: check
show seat 3: KS QD 4H AH
show seat 1: AC AD 8H 7C
count remainder: 32
"""
NETS: Final = {
    "holdem.co-hand": (2_800, -100, -2_700),  # a pair of aces against king high
    "omaha-hi-lo.co-hand": (50, -100, 50),  # 6-7-8-9-T is high, A-3-4-5-6 is low
    "seven-card-stud.co-hand": (2_800, -200, -2_600),  # three aces against two pair
    "draw.co-hand": (1_200, -100, -1_100),  # aces full against kings full
    "eighty-eight.co-hand": (2_000, -500, -1_500),  # a pair of aces against king high
}


def lines_of(name: str) -> list[str]:
    return OMAHA.split("\n") if name.startswith("omaha") else [*clean(name).lines]


def nets(result: RoundResult) -> tuple[int, ...]:
    """Return what each seat won or lost, in cents; a held bet is an error."""
    settlement = settle(result, load_game_of(result.procedure.id, result.options))
    assert not [line for line in settlement.lines if line.result == "held"]
    assert not [pot for pot in settlement.pots if pot.held]
    return tuple(seat.net for seat in settlement.seats)


# ------------------------------------------------------------------ a hand, and its money


@pytest.mark.parametrize("name", NETS)
def test_a_hand_is_complete_and_settled(name: str) -> None:
    table = HandTable(name).play(lines_of(name))
    result = table.end()
    assert (result.outcome, table.codes) == ("complete", [])
    assert nets(result) == NETS[name]
    assert result.remainder is not None
    assert (result.remainder.counted, result.remainder.expected) == (result.remainder.expected,) * 2


@pytest.mark.parametrize("name", NETS)
def test_the_same_hand_from_a_deck_out_of_the_shuffler(name: str) -> None:
    table = HandTable(name)
    hand_out(table, 1, loaded_first=True)
    result = table.play(lines_of(name)).end()
    assert (result.outcome, table.codes, result.packets) == ("complete", [], ())
    assert result.deck == Deck(1, 52)
    assert nets(result) == NETS[name]


def test_every_card_is_known_by_where_it_lies() -> None:
    """52 cards: six in hands, of which four are shown, five on the board, three burned, and 38 left."""
    result = HandTable("holdem.co-hand").play(lines_of("holdem.co-hand")).end()
    lying = [card for seat in result.seats for card in seat.cards]
    assert sorted(lying) == sorted(["AC", "AD", "??", "??", "KS", "QD"])
    assert result.remainder is not None
    assert len(lying) + len(result.community) + len(result.burned) + result.remainder.counted == 52
    assert result.burned == ("??",) * 3


def test_a_hand_that_was_never_shown_is_not_guessed() -> None:
    lines = [line for line in lines_of("holdem.co-hand") if not line.startswith("show seat 3")]
    result = HandTable("holdem.co-hand").play(lines).end()
    assert result.outcome == "complete"
    settlement = settle(result, load_game_of("holdem.co", result.options))
    assert {line.result for line in settlement.lines} == {"held"}


def test_the_last_hand_wins_without_its_cards() -> None:
    lines = lines_of("holdem.co-hand")
    before = lines.index("acts 1: call 900")
    result = HandTable("holdem.co-hand").play([*lines[:before], "acts 1: fold", "count remainder: 38"]).end()
    assert result.seats[2].cards == ("??", "??")
    assert nets(result) == (-1_800, -100, 1_900)


def test_open_cards_say_who_begins_once_all_are_keyed() -> None:
    table = HandTable("seven-card-stud.co-hand").play(
        "stakes 1: 20000, 2: 20000, 3: 20000\nstart\ndeal by hand\nshow seat 1: 4D\nshow seat 2: KH"
    )
    assert table.may("HandRevealed") == ["dealer: show 1 card of seat 3"]
    assert {item.split(":")[0] for item in table.may("PlayerActed")} == {f"player at seat {seat}" for seat in (1, 2, 3)}
    table.play("show seat 3: 9S")
    assert {item.split(":")[0] for item in table.may("PlayerActed")} == {"player at seat 2"}


def test_what_the_dealer_may_key() -> None:
    table = HandTable("holdem.co-hand").play(lines_of("holdem.co-hand")[:8])
    assert table.may("HandRevealed") == ["dealer: show 3 cards of community"]
    assert table.may("Confirmed") == [
        "dealer: deal by hand to burn (1), community (1), community (1), community (1), then confirm"
    ]


# ------------------------------------------------------------------ the deck runs out (47.1-1009(2))


def street(seats: Iterable[int]) -> str:
    return "confirm\n" + "".join(f"acts {number}: check\n" for number in seats)


def to_the_last(players: int, folds: Iterable[int] = ()) -> HandTable:
    """Deal stud to so many players, of whom some fold on the sixth card."""
    seats = [*range(1, players + 1)]
    table = HandTable("seven-card-stud.co-hand").play([f"stakes {number}: 20000" for number in seats])
    table.play("start\ndeal by hand\n" + street(seats) + street(seats) + street(seats) + "confirm")
    for number in seats:
        table.play(f"acts {number}: {'fold' if number in {*folds} else 'check'}")
    return table


@pytest.mark.parametrize(
    ("players", "folds", "reason", "burned"),
    [
        (7, (), "scramble-and-burn", 3),  # 6 left, 5 of them dealt; the last and 4 burned are 5: one burned, two dealt
        (8, (5, 6, 7, 8), "scramble", 0),  # none left, and each of four needs one of the four burned
        (8, (), "community", 3),  # none left for eight: one of the four is turned up for all
    ],
)
def test_the_deck_runs_out(players: int, folds: tuple[int, ...], reason: str, burned: int) -> None:
    table = to_the_last(players, folds)
    assert [(each.code, each.reason, each.clause) for each in table.incidents] == [
        ("deck-runs-out", reason, "47.1-1009(2)")
    ]
    table.play("show community: 2H" if reason == "community" else "confirm")
    result = (
        table.play([f"acts {number}: check" for number in range(1, players + 1) if number not in folds])
        .play("count remainder: 0")
        .end()
    )
    assert result.outcome == "complete"
    assert result.remainder is not None
    assert result.remainder.expected == 0
    assert len(result.burned) == burned
    assert result.community == (("2H",) if reason == "community" else ())


def test_a_burn_that_was_forgotten_is_not_in_the_count() -> None:
    """47.1-1017.30(7)-(8): harmless. Of three burns one is made: 52 less four in hands, five and one."""
    table = HandTable("home-run.co-hand").play(
        "stakes 1: 20000, 2: 20000\nbets 1: ante 100, strike-out 100\nbets 2: ante 100, strike-out 100\nstart at 1"
    )
    checks = "acts 2: check\nacts 1: check"
    table.play(f"deal by hand\nmishap burn: not-burned\nshow community: 2C 3C 4C\n{checks}")
    table.play(f"mishap burn: not-burned\nshow community: 2C 3C 4C 5D\n{checks}")
    table.play(f"show community: 2C 3C 4C 5D 6D\n{checks}")
    result = table.play("show seat 2: AC AD\nshow seat 1: KC KD\ncount remainder: 42").end()
    assert result.outcome == "complete"
    assert {each.code for each in table.incidents} == {"burn-forgotten"}
    assert len(result.burned) == 1


# ------------------------------------------------------------------ a shuffler that hands out the whole deck


def hand_out(table: HandTable, deck: int, *, verified: int = 52, out: int = 52, loaded_first: bool = False) -> None:
    """Report a deck that the shuffler shuffled, counted and dispensed as one packet, which the dealer took."""
    if loaded_first:
        table.device(e.DeckLoaded(deck, deck))
    table.device(e.DeckVerified(deck, 52, verified)).device(e.PacketDispensed(deck, 1, 52, out, ()))
    table.device(e.PacketLifted(1)).device(e.RemainderDumped(deck, 0, 0))


def test_two_decks_take_turns() -> None:
    """47.1-1011(2): where a mechanical shuffling device is used, the deck may be changed after each hand."""
    table = HandTable("holdem.co-hand")
    for deck in (1, 2, 1):
        hand_out(table, deck)
        assert table.play(lines_of("holdem.co-hand")).end().deck == Deck(deck, 52)
    assert {*table.codes} <= {"button-misplaced"}  # it stays at seat 1 in these lines


@pytest.mark.parametrize("order", ["before the bets", "after START GAME", "as the remainder"])
def test_the_deck_may_come_before_the_hand_or_in_it(order: str) -> None:
    table = HandTable("holdem.co-hand")
    if order == "before the bets":
        hand_out(table, 1)
    table.play(lines_of("holdem.co-hand")[:4])
    if order == "after START GAME":
        hand_out(table, 1)
    elif order == "as the remainder":  # a device without packets dumps the deck as it is
        table.device(e.DeckVerified(1, 52, 52)).device(e.RemainderDumped(1, 52, 52))
    result = table.play(lines_of("holdem.co-hand")[4:]).end()
    assert (result.outcome, result.deck, table.codes) == ("complete", Deck(1, 52), [])


@pytest.mark.parametrize(("verified", "out"), [(51, 51), (52, 51), (51, 52)])
def test_a_deck_that_the_machine_counts_wrong_is_defective(verified: int, out: int) -> None:
    table = HandTable("holdem.co-hand")
    hand_out(table, 1, verified=verified, out=out)
    result = table.play(lines_of("holdem.co-hand")[:4]).end()
    assert result.outcome == "defective-deck"
    assert [(each.code, each.clause, each.counted) for each in table.incidents] == [
        ("deck-count-wrong", "47.1-1036", 51)
    ]
    assert [seat.returned for seat in result.seats] == [{}, {"small-blind": 100}, {"big-blind": 200}]
    hand_out(table, 1)
    table.play(lines_of("holdem.co-hand")[:4])
    assert "defective-deck-again" in table.codes


def test_a_person_finds_that_51_cards_are_left_of_a_deck_that_the_machine_counted() -> None:
    """47.1-1036: the pot that was won before stands; of one that was not, every chip goes back."""
    table = HandTable("holdem.co-hand")
    hand_out(table, 1)
    lines = lines_of("holdem.co-hand")
    result = table.play([*lines[: lines.index("acts 3: bet 900")], "count remainder: 37"]).end()
    assert result.outcome == "defective-deck"
    assert [sum(seat.returned.values()) for seat in result.seats] == [1_800, 100, 1_800]
    won = HandTable("holdem.co-hand").play([*lines[:-1], "count remainder: 37"]).end()
    assert (won.outcome, [dict(seat.returned) for seat in won.seats]) == ("defective-deck", [{}, {}, {}])


def test_what_the_shuffler_does_meanwhile_concerns_the_next_deck() -> None:
    table = HandTable("holdem.co-hand")
    hand_out(table, 1)
    lines = lines_of("holdem.co-hand")
    table.play(lines[:7])
    table.device(e.FaultRaised(Fault.FEED_JAM, NOWHERE, 0)).device(e.DoorMoved(True)).device(e.DeckVerified(2, 52, 52))
    table.sessions[DEVICE] = 9
    table.device(e.SessionChanged(SESSION, 9, whole=True))
    result = table.play(lines[7:]).end()
    assert (result.outcome, nets(result)) == ("complete", NETS["holdem.co-hand"])


@pytest.mark.parametrize(
    ("name", "bets"),
    [
        ("holdem.co-hand", ["bets 2: small-blind 100", "bets 3: big-blind 200"]),
        ("home-run.co-hand", [f"bets {seat}: ante 100, strike-out 100" for seat in (1, 2, 3)]),
    ],
)
def test_a_card_exposed_where_none_lies_is_for_a_supervisor(name: str, bets: list[str]) -> None:
    """Nothing can go back into the deck from the board before its first card, and the deal is not over by that."""
    table = HandTable(name).play(["stakes 1: 20000, 2: 20000, 3: 20000", *bets])
    table.play(["start at 1", "mishap community: exposed"])
    assert "cards-put-back" not in table.codes
    assert table.end().outcome == "unreliable"
