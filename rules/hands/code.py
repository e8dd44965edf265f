"""Rankings that are not lists of categories: points, the best low hand, two hole cards."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Final, NamedTuple

from protocol.cards import Card
from rules.hands.counted import ACE
from rules.hands.ranked import RankedHand
from rules.hands.words import RANK_LETTERS, many, one

_NONE: Final[Mapping[str, str]] = {}
_LOW_HAND: Final = 5


@dataclass(frozen=True, slots=True)
class CodeRanking:
    """A ranking computed by a function."""

    id: str
    vocabulary: str
    sizes: tuple[int, int]
    uses: int | None
    make: Callable[[tuple[Card, ...]], RankedHand]
    jokers: int = 0

    def rank(self, cards: Iterable[Card], readings: Mapping[str, str] = _NONE) -> RankedHand:
        """Return the best hand these cards make."""
        cards = tuple(cards)
        least, most = self.sizes
        if not least <= len(cards) <= most or not all(card.is_playing for card in cards):
            takes = f"{least}" if least == most else f"{least} to {most}"
            raise ValueError(f"{self.id} ranks {takes} of the 52 cards, not {' '.join(map(str, cards))}")
        return self.make(cards)


def _points(cards: tuple[Card, ...]) -> RankedHand:
    """Rank by points: aces count 1, number cards face value, face cards 10; the highest total is best
    (47.1-1017.22(1))."""
    total = sum(min(card & 0x0F, 10) for card in cards)
    return RankedHand((total,), total, f"{total} points", cards)


class Low(NamedTuple):
    """Key of a low hand: the number of times each rank is held, most first, and the ranks in that order with the ace as
    1.

    Where straights and flushes count against the hand, the ace is 14, and `impaired` names the straight or flush it
    makes.
    """

    times: tuple[int, ...]
    ranks: tuple[int, ...]
    impaired: str = ""

    def is_at_best(self, highest: int) -> bool:
        """Return True for five different ranks, none above `highest`."""
        return len(self.ranks) == _LOW_HAND and self.ranks[0] <= highest and not self.impaired


def _low(cards: tuple[Card, ...]) -> RankedHand:
    """Return the lowest five cards: no pair beats a pair, then lower cards win.

    Straights and flushes do not impair a low hand, and the ace is below the deuce (47.1-1004, (2)).
    """
    copies: Counter[int] = Counter()
    in_order = []
    for card in cards:
        in_order.append((copies[card & 0x0F], card & 0x0F, card))
        copies[card & 0x0F] += 1
    # Each rank once, lowest first, and only then duplicates.
    hand = tuple(card for _, _, card in sorted(in_order)[:_LOW_HAND])
    key = _low_of(hand)
    return RankedHand(tuple(-part for part in (*_padded(key.times), *key.ranks)), key, _low_text(key), hand)


def _low_of(hand: Iterable[Card]) -> Low:
    times = Counter(card & 0x0F for card in hand)
    ranks = sorted(times, key=lambda rank: (times[rank], rank), reverse=True)
    return Low(tuple(times[rank] for rank in ranks), tuple(ranks))


def _padded(times: tuple[int, ...]) -> tuple[int, ...]:
    return (*times, *[0] * (_LOW_HAND - len(times)))


def _low_text(low: Low) -> str:
    ranks = [ACE if rank == 1 else rank for rank in low.ranks]
    if len(ranks) == _LOW_HAND:
        return f"{one(ranks[0])} low ({' '.join(RANK_LETTERS[rank] for rank in ranks)})"
    return f"low with {' and '.join(many(rank) for rank, n in zip(ranks, low.times, strict=True) if n > 1)}"


def _deuce_to_seven(cards: tuple[Card, ...]) -> RankedHand:
    """Return the five cards that rank lowest as a high hand, with the ace as the highest card only: 7-5-4-3-2 of
    several suits is best."""
    return max(map(_rank_by_high, combinations(cards, _LOW_HAND)), key=lambda hand: hand.strength)


def _rank_by_high(hand: tuple[Card, ...]) -> RankedHand:
    """Rank five cards; the higher they rank as a high hand, the worse."""
    times = Counter(ACE if card & 0x0F == 1 else card & 0x0F for card in hand)
    ranks = tuple(sorted(times, key=lambda rank: (times[rank], rank), reverse=True))
    counts = tuple(times[rank] for rank in ranks)
    straight = len(ranks) == _LOW_HAND and ranks[0] - ranks[-1] == _LOW_HAND - 1
    flush = len({card >> 4 for card in hand}) == 1
    impaired = "straight flush" if straight and flush else "flush" if flush else "straight" if straight else ""
    key = Low(counts, ranks, impaired)
    place = _HIGH_ORDER.index(impaired or counts)
    text = f"{impaired}, {_low_text(key)}" if impaired else _low_text(key)
    return RankedHand((-place, *(-rank for rank in ranks)), key, text, hand)


_HIGH_ORDER: Final[tuple[object, ...]] = (
    *((1, 1, 1, 1, 1), (2, 1, 1, 1), (2, 2, 1), (3, 1, 1)),
    *("straight", "flush", (3, 2), (4, 1), "straight flush"),
)
"""Hands of five cards, the best low hand first: counts of ranks, or a sequence or a flush."""


class HoleCards(NamedTuple):
    """Key of two hole cards: their ranks, higher first with the ace as 14; suited or not; the dealer's two ranks if
    given."""

    high: int
    low: int
    suited: bool
    dealer: tuple[int, int] | None = None

    @staticmethod
    def are(row: re.Match[str], held: "HoleCards") -> int:
        """Match `A-K suited`; a row without a word on suits matches both."""
        if (held.high, held.low) != _both(row):
            return 0
        return 2 if row[3] is None or held.suited == (row[3] == " suited") else 0

    @staticmethod
    def are_between(row: re.Match[str], held: "HoleCards") -> int:
        """Match `K-K to J-J`."""
        ends = sorted(_both(row))
        return 2 if held.high == held.low and ends[0] <= held.high <= ends[1] else 0

    @staticmethod
    def are_both(row: re.Match[str], held: "HoleCards") -> int:
        """Match `A-A and dealer's A-A`."""
        return 3 if (held.high, held.low) == _both(row) == held.dealer else 0


def _both(row: re.Match[str]) -> tuple[int, int]:
    ranks = {letter: rank for rank, letter in RANK_LETTERS.items()} | {"10": 10}
    high, low = sorted((ranks[row[1]], ranks[row[2]]), reverse=True)
    return high, low


def _hole_cards(cards: tuple[Card, ...]) -> RankedHand:
    """Rank hole cards: the first two are the player's, two more the dealer's. A pair beats no pair, then higher cards
    win."""
    if len(cards) == 3:
        raise ValueError("hole cards are the player's two, or those and the dealer's two")
    (high, low), own = _ranks(cards[:2]), cards[:2]
    suited = own[0] >> 4 == own[1] >> 4
    key = HoleCards(high, low, suited, _ranks(cards[2:]) if len(cards) == 4 else None)
    suits = "" if high == low else " suited" if suited else " unsuited"
    text = f"{RANK_LETTERS[high]}-{RANK_LETTERS[low]}{suits}"
    return RankedHand((high == low, high, low), key, text, own)


def _ranks(cards: Iterable[Card]) -> tuple[int, int]:
    high, low = sorted((ACE if card & 0x0F == 1 else card & 0x0F for card in cards), reverse=True)
    return high, low


def _last_card(cards: tuple[Card, ...]) -> RankedHand:
    """Return the last card, for a bet on a single card."""
    card = cards[-1]
    return RankedHand((ACE if card & 0x0F == 1 else card & 0x0F,), card, card.text, (card,))


CODE: Final = (
    CodeRanking("last-card", "card", (1, 9), 1, _last_card),
    CodeRanking("points", "points", (1, 9), None, _points),
    CodeRanking("low", "low", (5, 9), _LOW_HAND, _low),
    CodeRanking("deuce-to-seven", "low", (5, 9), _LOW_HAND, _deuce_to_seven),
    CodeRanking("hole-cards", "hole-cards", (2, 4), 2, _hole_cards),
)
"""Code rankings of this package."""
