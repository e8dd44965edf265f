"""A seat that never chooses: play continues without it, and its money alone waits for a person (47.1-1024)."""

from typing import Any

import pytest

from dealer_flow.record.result import RoundResult
from tests.support.dealing.hand_table import HandTable

CLAUSE = "47.1-1024"


def played(game: str, lines: str, **options: str) -> tuple[HandTable, RoundResult]:
    """The round of these lines, parted by ` / `."""
    table = HandTable(game, **options).play(lines.split(" / "))
    return table, table.end()


def held(result: RoundResult) -> dict[int, dict[str, str]]:
    """Seat -> what is held there, with its clause."""
    return {seat.seat: seat.held for seat in result.seats if seat.held}


ULTIMATE = (
    "bets 1: ante 500, blind 500 / bets 2: ante 500, blind 500, trips 100 / start / packet seat 1: AH AD"
    " / packet seat 2: QC JC / packet dealer: KS QD / choose 1: play-4x, play 2000"
)
"""Seat 1 has played its hand; seat 2 has a choice in three steps."""
OF_SEAT_2 = {"ante": CLAUSE, "blind": CLAUSE, "trips": CLAUSE}
BOARD = "packet community: AC 9S 4D / show community: AC 9S 4D"
RIVER = "packet community: 9H 2C / show community: AC 9S 4D 9H 2C"
HANDS = "dump / show dealer: KS QD / show seat 1: AH AD"
CASES = {
    "at the last choice, before the dealer shows": (
        "ultimate-texas-holdem.co",
        f"{ULTIMATE} / choose 2: check-1 / {BOARD} / choose 2: check-2 / {RIVER} / {HANDS}",
    ),
    "at the last choice, and the round ends": (
        "ultimate-texas-holdem.co",
        f"{ULTIMATE} / choose 2: check-1 / {BOARD} / choose 2: check-2 / {RIVER} / dump",
    ),
    "before a packet for all": (
        "ultimate-texas-holdem.co",
        f"{ULTIMATE} / choose 2: check-1 / {BOARD} / {RIVER} / {HANDS}",
    ),
    "before the first packet for all, which nobody calls premature": (
        "ultimate-texas-holdem.co",
        f"{ULTIMATE} / {BOARD} / {RIVER} / {HANDS}",
    ),
    "before the first card for all out of a shoe": (
        "ultimate-texas-holdem.co-single",
        ULTIMATE.replace("packet seat 1: AH AD / packet seat 2: QC JC / packet dealer: KS QD", "draw AH QC KS AD JC QD")
        + f" / {BOARD} / {RIVER} / {HANDS}".replace("packet community:", "draw").replace(" / dump", ""),
    ),
    "at every choice, and every other player has folded": (
        "ultimate-texas-holdem.co",
        ULTIMATE.replace("choose 1: play-4x, play 2000", "choose 1: check-1 / choose 2: check-1")
        + f" / {BOARD} / choose 1: check-2 / choose 2: check-2 / {RIVER} / choose 1: fold / dump",
    ),
    "before the first cards of a packet are turned up": (
        "texas-holdem-bonus.co",
        "bets 1: ante 500 / bets 2: ante 500, bonus 100 / start / packet seat 1: AS KS / packet seat 2: 3D 7C"
        " / packet dealer: QD QC / packet community: JH TD 4C QS 2H / dump / choose 1: flop-bet, flop 1000"
        " / show community: JH TD 4C / choose 1: turn-check / show community: JH TD 4C QS / choose 1: river-check"
        " / show community: JH TD 4C QS 2H / show dealer: QD QC / show seat 1: AS KS",
    ),
}
BETS = {"texas-holdem-bonus.co": {"ante": CLAUSE, "bonus": CLAUSE}}


@pytest.mark.parametrize(("game", "lines"), CASES.values(), ids=CASES)
def test_what_the_seat_bets_is_held_and_nobody_elses(game: str, lines: str) -> None:
    table, result = played(game, lines)
    assert (result.outcome, held(result)) == ("complete", {2: BETS.get(game, OF_SEAT_2)}), table.incidents
    missing = [found for found in table.incidents if found.code == "choice-missing"]
    assert [(found.seat, found.clause, found.unreliable) for found in missing] == [(2, CLAUSE, False)]
    cards: dict[str, Any] = {"ultimate-texas-holdem.co-single": ("AC", "9S", "4D", "9H", "2C")}
    assert result.community[-5:] == cards.get(game, result.community)


DRAW = (
    "bets 1: ante 500 / bets 2: ante 500, progressive 100 / start / draw AC 2D 8C AD 6D 8D 8H 9D 3H 5S JD 4C KC QD TS"
    " / choose 1: call, bet 1000"
)
REST = "show dealer: 8C 8D 3H 4C TS / draw 8S JH / show dealer: 8C 8D TS 8S JH / show seat 1: AC AD 8H 5S KC"


def test_who_has_chosen_may_choose_on_while_another_is_waited_for() -> None:
    table, result = played("caribbean-draw.co", f"{DRAW} / choose 1: stand / {REST}")
    assert (result.outcome, held(result)) == ("complete", {2: {"ante": CLAUSE, "progressive": CLAUSE}})
    assert result.seats[0].decisions == ("call", "stand")
    assert [(found.reason, found.unreliable) for found in table.incidents if found.code == "out-of-turn"] == [
        ("step_offers_choice", False)
    ]


def test_a_choice_that_comes_too_late_is_recorded_only() -> None:
    table, result = played("caribbean-draw.co", f"{DRAW} / choose 1: stand / {REST} / choose 2: fold")
    assert (result.outcome, held(result)) == ("complete", {2: {"ante": CLAUSE, "progressive": CLAUSE}})
    assert table.incidents[-1].reason == "choice_is_offered"
    assert result.seats[1].decision is None


def test_a_bet_of_such_a_seat_is_held_with_the_others() -> None:
    lines = f"{DRAW} / bets 2: bet 1000 / choose 1: stand / {REST}"
    table, result = played("caribbean-draw.co", lines)
    assert held(result) == {2: dict.fromkeys(("ante", "progressive", "bet"), CLAUSE)}, table.incidents


def test_a_round_broken_off_before_anybody_acts_is_unreliable() -> None:
    start = ULTIMATE.removesuffix(" / choose 1: play-4x, play 2000")
    table, result = played("ultimate-texas-holdem.co", start)
    assert (result.outcome, table.codes) == ("unreliable", ["out-of-turn"])


def test_cards_that_are_not_there_make_it_unreliable_still() -> None:
    table, result = played("ultimate-texas-holdem.co", ULTIMATE)
    assert (result.outcome, table.codes) == ("unreliable", ["out-of-turn"])


def test_a_second_choice_changes_nothing() -> None:
    lines = f"{ULTIMATE} / choose 2: check-1 / choose 2: play-3x / choose 1: fold / choose 7: fold / {BOARD}"
    lines += f" / choose 2: check-2 / {RIVER} / choose 2: fold / {HANDS}"
    table, result = played("ultimate-texas-holdem.co", lines)
    assert (result.outcome, held(result)) == ("complete", {})
    assert [seat.status for seat in result.seats] == ["live", "folded"]
    assert table.codes == ["out-of-turn", "out-of-turn", "unknown-seat"]
