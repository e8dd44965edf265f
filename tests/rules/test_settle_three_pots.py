"""The players' pots of 3-5-7 Poker, 47.1-1017.37(8)-(9): the rake of each, and a wager of a posted amount.

Own cards and the two pairs of community cards are chosen so that seat 1 wins every pot: three sevens.
"""

from typing import Any, Final

import pytest

from dealer_flow.record.result import NamedHand, Seat
from rules import Settlement, SettlementRefused, load_game
from rules.settlement import HouseRake
from tests.support.dealing.written_rounds import nets, seat_of, settled

GAME: Final = "3-5-7.co"
BOARD: Final = tuple(
    NamedHand(name=f"community-{name}", place=place, status="live", cards=cards, counted=2, expected=2)
    for name, place, cards in (("first", "hand 1", ("2C", "9D")), ("second", "hand 2", ("4S", "JH")))
)
SEVENS, PAIR, NOTHING = "7S 7H 7D", "KS KD 3H", "QC 8D 5H"
SCHEDULE: Final = {"three_card": 100, "five_card": 100, "seven_card": 100}


def poker(*seats: Seat, **terms: Any) -> Settlement:
    found = settled(GAME, seats, hands=BOARD, terms=terms)
    assert found.totals.players + found.totals.house + found.totals.meters == 0
    return found


def three(cards: str, number: int, **pots: int) -> Seat:
    """Return a seat with a wager on each schedule, and its wagers for the pots."""
    return seat_of(number, cards, **SCHEDULE, **pots)


def pot_lines(found: Settlement, bet: str) -> dict[int, tuple[str, int]]:
    return {line.seat: (line.result, line.net) for line in found.lines if line.bet == bet}


def taken(found: Settlement) -> dict[str, tuple[int, int, dict[int, int]]]:
    return {pot.name: (pot.cents, pot.rake, {won.seat: won.cents for won in pot.winners}) for pot in found.pots}


# ------------------------------------------------------------------ the rake


@pytest.mark.parametrize(
    ("bet", "wager", "rake", "percent", "cap"),
    [
        ("pot_3", 1000, 300, "10", None),  # ten percent of $30
        ("pot_5", 1000, 300, "10", None),
        ("pot_7", 1000, 300, "10", None),
        ("pot_3", 2000, 500, "10", None),  # ten percent of $60 would be $6
        ("pot_7", 10000, 500, "10", None),  # of $300 it would be $30
        ("pot_5", 2000, 300, "5", None),
        ("pot_5", 2000, 200, "10", 200),
    ],
)
def test_ten_percent_or_five_dollars_of_each_pot_whichever_is_less(
    bet: str, wager: int, rake: int, percent: str, cap: int | None
) -> None:
    seats = [three(SEVENS, 1, **{bet: wager}), three(PAIR, 2, **{bet: wager}), three(NOTHING, 3, **{bet: wager})]
    found, free = poker(*seats, rake=HouseRake(percent, cap_cents=cap)), poker(*seats)
    name = bet.replace("_", "-")
    assert pot_lines(found, name) == {1: ("win", 2 * wager - rake), 2: ("lose", -wager), 3: ("lose", -wager)}
    assert taken(found) == {name: (3 * wager, rake, {1: 3 * wager - rake})}
    assert (found.totals.house - free.totals.house, free.pots) == (rake, ())
    assert nets(found)[1] == nets(free)[1] - rake


def test_the_cap_is_of_each_pot() -> None:
    """Each is the pot of a game of its own, and each may be raked."""
    pots = {"pot_3": 4000, "pot_5": 4000, "pot_7": 4000}
    found = poker(three(SEVENS, 1, **pots), three(PAIR, 2, **pots), rake=HouseRake("10"))
    assert [(pot.name, pot.rake) for pot in found.pots] == [("pot-3", 500), ("pot-5", 500), ("pot-7", 500)]


def test_equal_hands_share_what_the_rake_leaves() -> None:
    """$30 less $3: $13.50 to each of two pairs of kings, in chips of 50 cents; their wagers were $10."""
    kings = ("KS KD 3H", "KC KH 3D")
    seats = [three(kings[0], 1, pot_3=1000), three(kings[1], 2, pot_3=1000), three(NOTHING, 3, pot_3=1000)]
    found = poker(*seats, rake=HouseRake("10"), token_cents=50)
    assert pot_lines(found, "pot-3") == {1: ("win", 350), 2: ("win", 350), 3: ("lose", -1000)}
    two = poker(*seats[:2], rake=HouseRake("10"), token_cents=50)
    assert pot_lines(two, "pot-3") == {1: ("win", -100), 2: ("win", -100)}
    assert taken(two) == {"pot-3": (2000, 200, {1: 900, 2: 900})}


def test_a_wager_that_meets_no_other_goes_back_whole() -> None:
    """(8)(d): two or more form a pot."""
    found = poker(three(SEVENS, 1, pot_3=1000), three(PAIR, 2), rake=HouseRake("10"))
    assert (pot_lines(found, "pot-3"), found.pots) == ({1: ("returned", 0)}, ())


@pytest.mark.parametrize(
    ("rake", "what", "allowed"),
    [
        (HouseRake("10.5"), "rake", "0 to 10 percent (47.1-1017.37(8)(a), (9), 47.1-1018(1))"),
        (HouseRake("10", cap_cents=501), "rake cap", "0 to 500 cents (47.1-1017.37(8)(a), (9), 47.1-1018(1))"),
        (HouseRake("10", jackpot_cents=100), "rake for a jackpot", "0"),
    ],
)
def test_no_more_is_allowed(rake: HouseRake, what: str, allowed: str) -> None:
    with pytest.raises(SettlementRefused) as refused:
        poker(three(SEVENS, 1, pot_3=1000), three(PAIR, 2, pot_3=1000), rake=rake)
    assert (refused.value.what, refused.value.allowed) == (what, (allowed,))
    assert load_game("ultimate-texas-holdem.co").rake is None


# ------------------------------------------------------------------ a posted amount


@pytest.mark.parametrize("bet", ["pot_3", "pot_5", "pot_7"])
def test_wagers_that_differ_are_held(bet: str) -> None:
    """(8): a posted amount is one amount. The pots of the other games, and the schedules, are settled."""
    others = {name: 1000 for name in ("pot_3", "pot_5", "pot_7") if name != bet}
    seats = [three(SEVENS, 1, **others, **{bet: 4000}), three(PAIR, 2, **others, **{bet: 2000})]
    found = poker(*seats, rake=HouseRake("10"))
    name = bet.replace("_", "-")
    held = [(line.seat, line.why, line.clause) for line in found.lines if line.result == "held"]
    assert [line.bet for line in found.lines if line.result == "held"] == [name, name]
    assert {why for _, why, _ in held} == {f"{name} is $20 at seat 2 and $40 at seat 1"}
    assert {clause for _, _, clause in held} == {"47.1-1017.37(8)"}
    assert sorted(taken(found)) == sorted(other.replace("_", "-") for other in others)
    assert found.status == "partly-held"
