"""Games without an opponent, from their own files, on packs so small that every deal is played: the bets, tables,
readings and rows of the odds, and their gains by the printed pays."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations
from typing import Any

import pytest

from rules.game.load import load_game
from rules.odds import Odds, Question, odds
from rules.odds.cards.placed_sets import Pack
from rules.odds.cards.table_rows import LOST
from rules.odds.question import OneDeck

Cards = Sequence[int]
WIDE = Pack((2, 7, 9, 12, 1), 2)
"""No five of these cards make a straight."""
NARROW = Pack((2, 7, 9, 12), 2)
LOW = Pack((2, 3, 4), 3)
"""Three of these cards may be a straight flush."""


def made(pack: Pack, cards: Cards) -> str:
    """Name five or three cards, a pair with its rank; written for these packs, where five make no straight."""
    times = Counter(pack.ranks[card // pack.suits] for card in cards)
    alike = sorted(times.values(), reverse=True)
    suited = len({card % pack.suits for card in cards}) == 1
    if len(cards) == 3 and sorted(times) == [2, 3, 4]:
        return "straight flush" if suited else "straight"
    if suited:
        return "flush"
    if alike[0] == 2 and alike[1:2] != [2]:
        return f"pair of {max(times, key=lambda rank: times[rank])}"
    return {(3,): "three of a kind", (3, 1): "three of a kind", (3, 2): "full house", (2, 2): "two pair"}.get(
        tuple(alike[:2]), "nothing"
    )


@cache
def best_row(pack: Pack, cards: frozenset[int], pays: tuple[tuple[str, int], ...], size: int) -> tuple[str, Fraction]:
    """Return the first row that any `size` of the cards make, and its pay; a loss if none."""
    hands = {made(pack, each) for each in combinations(sorted(cards), size)}
    return next(((row, Fraction(pay)) for row, pay in pays if row in hands), ("", LOST))


def average(amounts: Iterable[Fraction]) -> Fraction:
    found = list(amounts)
    return sum(found, Fraction(0)) / len(found)


def others(pack: Pack, cards: Iterable[int]) -> list[int]:
    held = {*cards}
    return [card for card in range(pack.size) if card not in held]


def counted(game: str, pack: Pack, **asked: Any) -> dict[tuple[Any, ...], Odds]:
    """Return the odds with these cards, by bet, table and readings."""
    spec = load_game(game).spec.odds
    assert spec is not None
    found = odds(Question(load_game(game), one=OneDeck(pack.ranks, pack.suits), **asked), of=spec.bets)
    named = [(each.bet, each.paytable, tuple(each.reading.items()), each) for each in found if isinstance(each, Odds)]
    assert len({each[:3] for each in named}) == len(named)
    return {each[:3]: each[3] for each in named if not each[0].startswith("tip")}


def gains(found: Odds) -> Fraction:
    """Return the average gain of the bets, and check that the probabilities add up to one."""
    assert sum(each.probability for each in found.outcomes) == 1
    assert found.house_edge == -sum(
        (each.probability * ((each.back or 0) - each.staked) for each in found.outcomes), Fraction(0)
    )
    return -found.house_edge


def rows(found: Odds) -> dict[str, Fraction]:
    """Return the probability of pay by row."""
    chances: dict[str, Fraction] = defaultdict(Fraction)
    for each in found.outcomes:
        chances[each.row] += each.probability
    return dict(chances)


# ------------------------------------------------------------------ bets that may be taken back

RIDE = (("flush", 10), ("two pair", 2), ("pair of 1", 1), ("pair of 12", 1))
RIDE_2 = (("flush", 9), *RIDE[1:])
"""Printed tables, restricted to the rows that these cards can make."""


@cache
def ridden(seen: frozenset[int], pays: tuple[tuple[str, int], ...]) -> Fraction:
    """Return the average gain of one unit with these cards seen."""
    if len(seen) == 5:
        return best_row(WIDE, seen, pays, 5)[1]
    return average(ridden(seen | {card}, pays) for card in others(WIDE, seen))


@pytest.mark.parametrize(("table", "pays"), [("LIR-1", RIDE), ("LIR-2", RIDE_2)])
def test_let_it_ride(table: str, pays: tuple[tuple[str, int], ...]) -> None:
    found = counted("let-it-ride.co", WIDE, paytable=table)
    assert [*found] == [(bet, table, ()) for bet in ("bet-1+bet-2+bet-dollar", "bet-1", "bet-2", "bet-dollar")]
    together, first, second, last = found.values()
    for bet, known in ((first, 3), (second, 4)):
        seen = map(frozenset, combinations(range(10), known))
        assert gains(bet) == average(max(Fraction(0), ridden(each, pays)) for each in seen)
    hands = [frozenset(each) for each in combinations(range(10), 5)]
    assert gains(last) == average(ridden(each, pays) for each in hands)
    assert gains(together) == gains(first) + gains(second) + gains(last)
    of_rows = Counter(best_row(WIDE, each, pays, 5)[0] for each in hands)
    merged = Counter[str]()
    for row, number in of_rows.items():
        merged["pair of tens or better" if row.startswith("pair") else row] += number
    assert rows(last) == {row: Fraction(number, 252) for row, number in merged.items()}
    stays = {
        bet: sum(each.probability for each in one.outcomes if each.staked) for bet, one in (("1", first), ("2", second))
    }
    assert {*together.also} == {"decisions", "first_cards"}
    for number, deals in (("1", 120), ("2", 210)):
        decided = together.also["decisions"][f"bet {number}"]
        assert [*decided] == ["stays", "taken back"]
        assert Fraction(decided["stays"], sum(decided.values())) == stays[number]
        assert sum(decided.values()) == deals
    assert {*together.also["first_cards"]} <= {"stays", "taken back"}
    assert not first.also
    assert not last.also
    assert [each.unit for each in (together, first, second, last)] == ["bet-1", "bet-1", "bet-1", "bet-dollar"]


# ------------------------------------------------------------------ a bet a street

STUD = (("flush", 6), ("two pair", 2), ("pair of 12", 1), ("pair of 7", 0), ("pair of 9", 0))


@cache
def on_the_streets(seen: frozenset[int], staked: int, raises: tuple[int, ...] = (1, 2, 3)) -> Fraction:
    """Return the gain of the best play with this stake and these cards seen."""
    if len(seen) == 5:
        return staked * best_row(NARROW, seen, STUD, 5)[1]
    bets = [
        average(on_the_streets(seen | {card}, staked + more, raises) for card in others(NARROW, seen))
        for more in raises
    ]
    return max(Fraction(-staked), *bets)


def test_mississippi_stud() -> None:
    names = ["ante", "third-street", "fourth-street", "fifth-street"]
    found = counted("mississippi-stud.co", NARROW)
    assert [*found] == [(bet, "MS-01", ()) for bet in ("+".join(names), *names)]
    together = found["+".join(names), "MS-01", ()]
    owns = map(frozenset, combinations(range(8), 2))
    assert gains(together) == average(on_the_streets(own, 1) for own in owns)
    assert sum(gains(found[name, "MS-01", ()]) for name in names) == gains(together)
    assert {*rows(found["ante", "MS-01", ()])} == {"", "two pair", "pair of jacks or better", "pair of 6s to 10s"}
    assert [*together.also["decisions"]] == ["street 1", "street 2", "street 3"]
    assert {*together.also["decisions"]["street 1"]} == {"fold", "1x", "2x", "3x"}
    assert sum(together.also["decisions"]["street 1"].values()) == 28


# ------------------------------------------------------------------ a last card for a fee

BONUS_6 = (("flush", 6), ("two pair", 2), ("pair of 7", 1), ("pair of 9", 1), ("pair of 12", 1))


@cache
def buying(seen: frozenset[int], insured: bool) -> Fraction:
    """Return the gain of the best play on the bets and the last card with these cards seen, without the insurance."""
    if len(seen) < 5:
        return max(Fraction(2 - len(seen)), average(buying(seen | {card}, insured) for card in others(NARROW, seen)))
    net = best_row(NARROW, seen, BONUS_6, 5)[1]
    if net > LOST or not insured:
        return 3 * net
    with_card = average(best_row(NARROW, seen | {card}, BONUS_6, 5)[1] for card in others(NARROW, seen))
    return max(3 * net, 3 * with_card - 1)


def test_bonus_6_with_the_insurance_and_without() -> None:
    found = counted("bonus-6.co", NARROW, paytable="B6-A")
    bets, fees = ["ante", "second", "third"], ["insurance", "bonus-card"]
    paid, unpaid = (("insurance", "paid"),), (("insurance", "not-paid"),)
    assert [*found] == [
        ("+".join([*bets, *fees]), "B6-A", paid),
        *((bet, "B6-A", paid) for bet in bets),
        *((fee, None, paid) for fee in fees),
        ("+".join(bets), "B6-A", unpaid),
        *((bet, "B6-A", unpaid) for bet in bets),
    ]
    seen = [frozenset(each) for each in combinations(range(8), 3)]
    insured, bare = found["+".join([*bets, *fees]), "B6-A", paid], found["+".join(bets), "B6-A", unpaid]
    assert gains(insured) == average(buying(each, True) for each in seen) - Fraction(1, 2)
    assert gains(bare) == average(buying(each, False) for each in seen)
    assert sum(gains(found[bet, "B6-A", unpaid]) for bet in bets) == gains(bare)
    by_themselves = [found[bet, "B6-A", paid] for bet in bets] + [found[fee, None, paid] for fee in fees]
    assert sum(map(gains, by_themselves)) == gains(insured)
    assert gains(found["insurance", None, paid]) == Fraction(-1, 2)
    assert [*insured.also["decisions"]] == ["bet 2", "bet 3", "card"]


# ------------------------------------------------------------------ community cards fill the hand

ACTION = (("flush", 4), ("two pair", 1), ("pair of 1", 0), ("pair of 12", 0))


def test_vegas_double_action() -> None:
    """Every hold of every hand, with as many of the five other cards as are discarded."""
    found = counted("vegas-double-action.co", WIDE)
    assert [*found] == [("hand", "VDA-HAND", ())]
    total = Fraction(0)
    for own in combinations(range(10), 5):
        left = others(WIDE, own)
        worth = []
        for kept in (each for size in range(6) for each in combinations(own, size)):
            drawn = [
                best_row(WIDE, frozenset((*kept, *more)), ACTION, 5)[1] for more in combinations(left, 5 - len(kept))
            ]
            worth.append(sum(drawn) / len(drawn))
        total += max(worth)
    (hand,) = found.values()
    assert gains(hand) == total / 252
    decided = hand.also["decisions"]["hand"]
    assert {*decided} == {f"keep {number}" for number in range(6)}
    assert sum(decided.values()) == 252


# ------------------------------------------------------------------ half the last bet given up

THREE = (("straight flush", 40), ("three of a kind", 30), ("straight", 6), ("flush", 4))
FIVE = {"357-3": (("full house", 15), ("three of a kind", 4), ("two pair", 3))}
FIVE["357-4"] = (("full house", 12), *FIVE["357-3"][1:])


def growing(hand: str, table: str, cards: Sequence[int]) -> tuple[str, Fraction]:
    """Return the row of three, five or seven cards of the low pack; any pair of three pays 1 to 1."""
    held = frozenset(cards)
    if hand == "three":
        kind = made(LOW, cards)
        pays = {"straight flush": 40, "three of a kind": 30 if table == "357-1" else 25, "straight": 6, "flush": 4}
        return ("pair", Fraction(1)) if kind.startswith("pair") else (kind, Fraction(pays.get(kind, -1)))
    if hand == "five":
        return best_row(LOW, held, FIVE[table], 5)
    full = 5 if table == "357-5" else 6
    return best_row(LOW, held, (("full house", full), ("three of a kind", 2)), 5)


def test_3_5_7_and_half_of_the_last_bet_given_up() -> None:
    found = counted("3-5-7.co", LOW)
    names = ("three-card", "five-card", "seven-card")
    tables = [
        (one, two, last) for last in ("357-5", "357-6") for one in ("357-1", "357-2") for two in ("357-3", "357-4")
    ]
    offered, refused = (("surrender", "offered"),), (("surrender", "not-offered"),)
    assert {*found} == {
        *(("+".join(names), "+".join(each), word) for each in tables for word in (offered, refused)),
        *(("three-card", table, ()) for table in ("357-1", "357-2")),
        *(("five-card", table, ()) for table in ("357-3", "357-4")),
        *(("seven-card", table, word) for table in ("357-5", "357-6") for word in (offered, refused)),
    }
    chances: Counter[tuple[str, str]] = Counter()
    kept, either = Fraction(0), Fraction(0)
    own_hands = list(combinations(range(9), 3))
    for own in own_hands:
        left = others(LOW, own)
        last = Fraction(0)
        for two in combinations(left, 2):
            ends = [
                growing("seven", "357-5", (*own, *two, *more))[1] for more in combinations(others(LOW, (*own, *two)), 2)
            ]
            last += sum(ends, Fraction(0)) / len(ends)
            chances["five", growing("five", "357-3", (*own, *two))[0]] += 1
        kept += last / 15
        either += max(last / 15, Fraction(-1, 2))
        chances["three", growing("three", "357-1", own)[0]] += 1
    assert gains(found["seven-card", "357-5", refused]) == kept / 84
    assert gains(found["seven-card", "357-5", offered]) == either / 84
    assert rows(found["three-card", "357-2", ()]) == {
        row: Fraction(number, 84) for (hand, row), number in chances.items() if hand == "three"
    }
    assert rows(found["five-card", "357-4", ()]) == {
        row: Fraction(number, 84 * 15) for (hand, row), number in chances.items() if hand == "five"
    }
    for table, hand, each in (
        ("357-1", "three", 30),
        ("357-2", "three", 25),
        ("357-3", "five", 15),
        ("357-4", "five", 12),
    ):
        pays = [growing(hand, table, cards)[1] for cards in combinations(range(9), 3 if hand == "three" else 5)]
        assert max(pays) >= each
        assert gains(found[f"{hand}-card", table, ()]) == sum(pays, Fraction(0)) / len(pays)
    together = found["+".join(names), "357-1+357-3+357-5", offered]
    parts = (("three-card", "357-1", ()), ("five-card", "357-3", ()), ("seven-card", "357-5", offered))
    assert gains(together) == sum(gains(found[part]) for part in parts)
    assert sum(together.also["decisions"]["hand"].values()) == 84
    assert not found["seven-card", "357-5", offered].also


# ------------------------------------------------------------------ one card laid aside

DEALT: Mapping[str, int] = {"straight flush": 5, "three of a kind": 5}
HOLDEM = (("full house", 11), ("three of a kind", 3), ("two pair", 2))
SIDE = (("full house", 50), ("three of a kind", 3), ("two pair", 1))


def laid_aside(own: tuple[int, ...], pays: tuple[tuple[str, int], ...]) -> Fraction:
    """Return the gain of one unit with the best discard."""
    flops = list(combinations(others(LOW, own), 3))
    return max(
        average(best_row(LOW, frozenset((*kept, *flop)), pays, 5)[1] for flop in flops) for kept in combinations(own, 2)
    )


def at_once(own: tuple[int, ...]) -> Fraction:
    """Return the gain of three cards that are shown, or the worst case."""
    return Fraction(DEALT.get(made(LOW, own), -9))


@pytest.mark.parametrize(
    ("game", "tables", "folds", "full"),
    [("colorado-holdem.co", ["CH-4", "CH-4A", "CH-4B"], True, 11), ("colorado-holdem.co-2", ["CH-5"], False, 10)],
)
def test_colorado_holdem(game: str, tables: list[str], folds: bool, full: int) -> None:
    found = counted(game, LOW)
    assert [*found] == [
        *((bet, table, ()) for table in tables for bet in ("ante+bet", "ante", "bet")),
        *(("bonus", table, ()) for table in ("CH-B1", "CH-B1C")),
    ]
    owns = list(combinations(range(9), 3))
    pays = (("full house", full), *HOLDEM[1:])
    together = found["ante+bet", tables[0], ()]
    worth = {own: laid_aside(own, pays) for own in owns}
    no_bet = {own: LOST if folds else worth[own] for own in owns}
    assert gains(together) == average(max(2 * worth[own], no_bet[own], at_once(own)) for own in owns)
    assert gains(found["ante", tables[0], ()]) + gains(found["bet", tables[0], ()]) == gains(together)
    assert "assumes" not in together.also
    assert {*together.also["decisions"]} == {"hand"}
    assert sum(together.also["decisions"]["hand"].values()) == 84
    bonus = found["bonus", "CH-B1", ()]
    assert gains(bonus) == average(max(laid_aside(own, SIDE), at_once(own)) for own in owns)
    assert bonus.also["assumes"] == "the hand is played for this bet alone"
    assert {*rows(bonus)} <= {"", "straight flush", "three of a kind", "full house", "two pair"}
    assert all(each.staked == 1 for each in bonus.outcomes)


def test_a_table_of_one_bet_leaves_the_other_bets_all_of_theirs() -> None:
    found = counted("colorado-holdem.co", LOW, paytable="CH-B1C")
    assert [*found] == [
        *((bet, table, ()) for table in ("CH-4", "CH-4A", "CH-4B") for bet in ("ante+bet", "ante", "bet")),
        ("bonus", "CH-B1C", ()),
    ]
    found = counted("colorado-holdem.co", LOW, paytable="CH-4A")
    assert [*found] == [
        *((bet, "CH-4A", ()) for bet in ("ante+bet", "ante", "bet")),
        *(("bonus", table, ()) for table in ("CH-B1", "CH-B1C")),
    ]
