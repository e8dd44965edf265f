"""Counts of the deals by key of a hand's ranking, independent of any choice."""

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping
from itertools import combinations, pairwise
from math import factorial, prod
from typing import Final

from protocol.cards import Card
from rules.hands import Ranking
from rules.hands.counted import CardCount
from rules.hands.poker import PokerRanking
from rules.odds.cards.counts import count_flush_lengths
from rules.odds.cards.dealt import CardDeck, count_dealt
from rules.odds.question import Progress
from rules.paytables.conditions import SUITS

_RUNS: Final = ("royal flush", "straight flush", "flush")
FLUSHES: Final = "longest-flush"
"""Id of the ranking whose hands are counted suit by suit."""
_FIVE_CARD: Final = "five-card"
_BY_NAME: Final = tuple(f" in {suit}" for suit in SUITS.values())
_MATCH: Final = "royal flush and "
_WITH_MATCH: Final = 5
_FEW: Final = 5
"""Number of cards up to which hands of several decks are ranked with all their suits, because identical cards may
matter."""
_KEPT: Final[dict[tuple[Hashable, ...], Counter[Hashable]]] = {}


def distribution(
    ranking: Ranking,
    places: tuple[int, ...],
    shoe: CardDeck,
    readings: Mapping[str, str],
    progress: Progress | None = None,
) -> Counter[Hashable]:
    """Count deals by key, for hands that take these numbers of cards from their places, in order."""
    ranking = under(ranking, readings)
    key = ranking.id, places, shoe, tuple(sorted(readings.items()) if ranking.id == FLUSHES else ())
    if key not in _KEPT:
        _KEPT[key] = _count(ranking, places, shoe, readings, progress)
    return _KEPT[key]


def readings_of(ranking: Ranking) -> frozenset[str]:
    """Return the readings that change a key of the ranking."""
    if isinstance(ranking, PokerRanking):
        return frozenset(reading for reading, _ in ranking.instead)
    return frozenset({"natural"} if ranking.id == FLUSHES else ())


def under(ranking: Ranking, readings: Mapping[str, str]) -> Ranking:
    """Return the ranking that replaces this one under these readings."""
    if isinstance(ranking, PokerRanking):
        return next((each for (name, option), each in ranking.instead.items() if readings.get(name) == option), ranking)
    return ranking


def _count(
    ranking: Ranking, places: tuple[int, ...], shoe: CardDeck, readings: Mapping[str, str], progress: Progress | None
) -> Counter[Hashable]:
    cards = sum(places)
    if ranking.id == FLUSHES and shoe == CardDeck():
        return Counter(dict(count_flush_lengths(readings.get("natural", "own-suit"), cards=cards)))
    suited, by_suit = suits_of(ranking)
    suited = None if shoe.decks > 1 and cards <= _FEW else suited

    def key(hand: tuple[Card, ...]) -> Hashable:
        return ranking.rank(hand, readings).key

    if not _ordered(ranking, cards):
        alone = ranking.id == _FIVE_CARD
        return count_dealt(key, cards, shoe, suited=suited, by_suit=by_suit, flush_decides=alone, progress=progress)
    parts = _parts(ranking, places)
    ways = factorial(cards) // prod(map(factorial, parts))

    def in_any_order(hand: tuple[Card, ...]) -> Hashable:
        return _Hand(hand) if _order_matters(ranking, hand) else key(hand)

    found: Counter[Hashable] = Counter()
    for each, number in count_dealt(
        in_any_order, cards, shoe, suited=suited, by_suit=by_suit, progress=progress
    ).items():
        if isinstance(each, _Hand):
            for hand in _orders(tuple(each), parts):
                found[key(hand)] += number
        else:
            found[each] += number * ways
    return found


class _Hand(tuple[Card, ...]):
    """A hand whose key depends on the order in which it was dealt; a type that no ranking uses as a key."""

    __slots__ = ()


def suits_of(ranking: Ranking) -> tuple[int | None, bool]:
    """Return the minimum number of cards of a suit for the ranking to use suits (None if it may always), and whether it
    names suits."""
    if not isinstance(ranking, PokerRanking):
        return 5 if ranking.id == _FIVE_CARD else None, False
    categories = (*ranking.order, *ranking.also)
    by_suit = any(each.name.endswith(_BY_NAME) for each in categories)
    if ranking.vocabulary != "poker":
        return None, by_suit
    sizes = [each.size for each in categories if each.kind in _RUNS or each.kind.endswith(" suited")]
    sizes += [_WITH_MATCH for each in categories if each.kind.startswith(_MATCH)]
    return min(sizes, default=ranking.sizes[1] + 1), by_suit


def _ordered(ranking: Ranking, cards: int) -> bool:
    """Return True if a key may depend on the position of a card."""
    return bool(ranking.places) if isinstance(ranking, PokerRanking) else ranking.id == "hole-cards" and cards > 2


def _order_matters(ranking: Ranking, hand: tuple[Card, ...]) -> bool:
    if not isinstance(ranking, PokerRanking):
        return True
    return any(find(CardCount(hand)) is not None for _, find, _ in ranking.places)


def _parts(ranking: Ranking, places: tuple[int, ...]) -> tuple[int, ...]:
    """Return the sizes of the parts of a hand, cut at the start of each place and of each part that its ranking
    uses."""
    cuts = {sum(places[:number]) for number in range(len(places) + 1)}
    if isinstance(ranking, PokerRanking):
        cuts |= {cut for _, _, at in ranking.places for cut in at if cut <= sum(places)}
    ordered = sorted(cuts)
    return tuple(after - before for before, after in pairwise(ordered))


def _orders(hand: tuple[Card, ...], parts: tuple[int, ...]) -> Iterator[tuple[Card, ...]]:
    """Yield every way to deal the cards to parts of these sizes; the order within a part does not count."""
    if not parts:
        yield ()
        return
    for chosen in combinations(range(len(hand)), parts[0]):
        rest = tuple(card for at, card in enumerate(hand) if at not in chosen)
        for others in _orders(rest, parts[1:]):
            yield tuple(hand[at] for at in chosen) + others
