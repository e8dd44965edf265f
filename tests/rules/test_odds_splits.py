"""Hands split into a low card and a high hand, compared with every pair of hands of small decks."""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from protocol.cards import Card
from rules.odds.against.low_and_high import SplitContest, splits
from rules.odds.cards.placed_sets import Pack


def rank(card: Card) -> int:
    return 14 if card.rank == 1 else card.rank or 0


def two(cards: Sequence[Card]) -> tuple[int, ...]:
    """Rank suited neighbors, a pair, neighbors, a suit, high cards; ace and deuce are the lowest neighbors."""
    high, low = sorted(map(rank, cards), reverse=True)
    next_to, suited = high - low == 1 or (high, low) == (14, 2), cards[0].suit == cards[1].suit
    if next_to:
        return (4 if suited else 2), (2 if (high, low) == (14, 2) else high)
    return (3, high) if high == low else (int(suited), high, low)


def foul(low: Card, others: Sequence[Card]) -> bool:
    return two(others)[0] == 0 and rank(low) > two(others)[1]


def middle(cards: Sequence[Card]) -> int:
    """Return the middle card by rank, then by name: an arbitrary way that uses suits and ranks."""
    return sorted(range(3), key=lambda at: (rank(cards[at]), cards[at].suit or ""))[1]


def whole(cards: Sequence[Card]) -> tuple[int, ...]:
    return tuple(sorted(map(rank, cards), reverse=True))


def outcome(mine: Sequence[Card], dealers: Sequence[Card], ranks: tuple[object, object], *, colours: bool) -> int:
    if ranks[0] > ranks[1]:  # type: ignore[operator]
        return 1
    red = {(card.suit or "") in "HD" for card in (*mine, *dealers)}
    return 0 if ranks[0] == ranks[1] and len(red) == 1 and colours else -1


def one_by_one(contest: SplitContest) -> dict[tuple[int, ...], list[Counter[tuple[int, int, int]] | None]]:
    hands = [tuple(map(int, hand)) for hand in combinations(range(contest.deck.size), 3)]
    found: dict[tuple[int, ...], list[Counter[tuple[int, int, int]] | None]] = {}
    for hand in hands:
        mine = contest.deck.cards(hand)
        found[hand] = []
        for at in range(3):
            low, high = mine[at], mine[:at] + mine[at + 1 :]
            if foul(low, high):
                found[hand].append(None)
                continue
            counted: Counter[tuple[int, int, int]] = Counter()
            for other in hands:
                if set(hand).isdisjoint(other):
                    theirs = contest.deck.cards(other)
                    place = contest.house(theirs)
                    dealt, rest = theirs[place], theirs[:place] + theirs[place + 1 :]
                    counted[
                        outcome([low], [dealt], (rank(low), rank(dealt)), colours=contest.colour_pushes),
                        outcome(high, rest, (two(high), two(rest)), colours=contest.colour_pushes),
                        1 if whole(mine) > whole(theirs) else -1,
                    ] += 1
            found[hand].append(counted)
    return found


@pytest.mark.every(2)
@pytest.mark.parametrize(("ranks", "colours"), [((10, 13, 1), True), ((2, 3, 1), False)])
def test_every_pair_of_hands(ranks: tuple[int, ...], colours: bool) -> None:
    contest = SplitContest(rank, two, whole, foul, middle, colour_pushes=colours, deck=Pack(ranks))
    expected, found = one_by_one(contest), splits(contest)
    for hand, ways in zip(found.hands.tolist(), found.deals, strict=True):
        for deals, counted in zip(ways, expected[tuple(hand)], strict=True):
            if counted is None:
                assert (deals == -1).all()
            else:
                ends = {(1 - low, 1 - high, 1 - all_cards): n for (low, high, all_cards), n in counted.items()}
                assert {at: int(n) for at, n in np.ndenumerate(deals) if n} == ends
    best = sum(max(_gain(way) for way in ways if way is not None) for ways in expected.values())
    joint = found.played(found.best)
    assert sum(sum(end.nets, Fraction(0)) * number for end, number in joint.items()) == best
    assert sum(joint.values()) == sum(way.total() for ways in expected.values() for way in _first(ways))


def _gain(way: Counter[tuple[int, int, int]]) -> int:
    return sum(sum(bets) * number for bets, number in way.items())


def _first(
    ways: Sequence[Counter[tuple[int, int, int]] | None],
) -> list[Counter[tuple[int, int, int]]]:
    return [way for way in ways if way is not None][:1]


def test_a_foul_split_is_refused() -> None:
    found = splits(SplitContest(rank, two, whole, foul, middle, deck=Pack((2, 9, 1))))
    with pytest.raises(ValueError, match="foul"):
        found.played((found.deals[:, :, 0, 0, 0] < 0).argmax(axis=1))
