"""The longest flush in a hand where every deuce is wild.

CO 47.1-1017.60 (2); WA FGW, rules and dealing procedures; SD 20:18:16:15.19 (1), (12), (13).

Two questions are asked of the same cards. *Which hand wins?* Every deuce joins the flush and takes a rank, so a flush
compares by length, then card by card; neither suit nor naturalness breaks a tie. *What does it pay?* A deuce of the
flush's own suit may stand as itself, so each hand has a longest natural flush beside its longest flush, and they may
be of different suits.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache, partial
from typing import Final

import msgspec

from protocol.cards import DECK, RANKS_UP, SUITS, Card

ACE: Final = 14
_DEUCE: Final = 2
_SUIT_NAMES: Final = {"C": "clubs", "D": "diamonds", "H": "hearts", "S": "spades"}
_NONE: Final[Mapping[str, str]] = {}


class Flush(msgspec.Struct, gc=False, eq=False):
    """The best flush of a hand. `ranks` run from high to low, ace 14, each deuce at the rank it took.

    `length` counts every deuce; `natural_length` is the longest flush, of any suit, that uses no deuce as another card.
    """

    length: int
    ranks: tuple[int, ...]
    suit: str
    natural_length: int
    text: str
    """`flush of 5 (hearts A K 9 7 + deuce)`."""
    held: tuple[Card, ...]
    """All the cards of the hand."""
    strength: tuple[int, tuple[int, ...]]
    """Orders hands, by length and ranks: the greater wins, equal ones tie."""
    key: tuple[int, int]
    """What a `longest-flush` pay table looks up: longest natural flush, longest flush."""

    def __eq__(self, other: object) -> bool:
        """Whichever cards have no part in it, and in whichever order they came."""
        mine = self.strength, self.key, self.text
        return isinstance(other, Flush) and mine == (other.strength, other.key, other.text)

    @property
    def cards(self) -> tuple[Card, ...]:
        """Those of the flush: of its suit, and the deuces."""
        return tuple(card for card in self.held if card.suit == self.suit or card.rank == _DEUCE)


def longest_flush(cards: Iterable[Card], readings: Mapping[str, str] = _NONE) -> Flush:
    """The best flush that playing cards, in any order, can make.

    Readings, the default first: `natural` ("own-suit", "no-deuce"), `wild-kicker` ("highest-absent", "ace", "lowest").
    """
    return _ranker(readings)(tuple(cards))


def _ranker(readings: Mapping[str, str]) -> Callable[[tuple[Card, ...]], Flush]:
    own = readings.get("natural", "own-suit") == "own-suit"
    return partial(_best, own, readings.get("wild-kicker", "highest-absent"))


def _best(own: bool, kicker: str, cards: tuple[Card, ...]) -> Flush:
    (_, clubs, c, _), (_, diamonds, d, _), (_, hearts, h, _), (_, spades, s, _) = suits = _by_suit(cards)
    most, deuces = max(clubs, diamonds, hearts, spades), len(cards) - clubs - diamonds - hearts - spades
    best = _LEAST
    for at, held in enumerate(suits):
        if held[1] == most:
            made = complete(held[0], deuces, kicker) if deuces else held[0], held[2] if own else most, at
            if made > best:
                best = made
    ranks, _, at = best
    natural = max(c, d, h, s) if own else most
    suit, shown = SUITS[at], suits[at][3]
    with_deuces = f"{' + ' if shown else ''}{_DEUCES[deuces]}" if deuces else ""
    text = f"flush of {most + deuces} ({_SUIT_NAMES[suit]} {shown}{with_deuces})"
    length = most + deuces
    return Flush(length, ranks, suit, natural, text, cards, (length, ranks), (natural, length))


_Suit = tuple[tuple[int, ...], int, int, str]
"""The ranks of a suit from high to low without its deuces, how many they are, how many with one of its deuces, and the
ranks in letters."""
_LEAST: Final[tuple[tuple[int, ...], int, int]] = (), -1, -1


def _by_suit(cards: tuple[Card, ...]) -> Sequence[_Suit]:
    """The cards of each suit. Every card is a bit of its own; where one stands twice they are counted one by one."""
    try:
        bits = sum(map(_BIT.__getitem__, cards))
    except KeyError as unknown:
        raise ValueError(f"not one of the 52 cards: {unknown.args[0]}") from None
    if bits.bit_count() == len(cards):
        return _SUITS[bits & 0x1FFF], _SUITS[bits >> 13 & 0x1FFF], _SUITS[bits >> 26 & 0x1FFF], _SUITS[bits >> 39]
    return [_of_ranks(card & 0x0F for card in cards if card >> 4 == suit) for suit in range(1, 5)]


class _Suits(dict[int, _Suit]):
    """Every suit that was met, by the bits of its cards, that of the ace first."""

    def __missing__(self, bits: int) -> _Suit:
        found = self[bits] = _of_ranks(rank for rank in range(1, 14) if bits >> rank - 1 & 1)
        return found


_SUITS: Final = _Suits()


def _of_ranks(found: Iterable[int]) -> _Suit:
    ranks = [ACE if rank == 1 else rank for rank in found]
    others = tuple(sorted((rank for rank in ranks if rank != _DEUCE), reverse=True))
    return others, len(others), min(len(ranks), len(others) + 1), " ".join(map(_LETTERS.__getitem__, others))


_BIT: Final = {card: 1 << 13 * ((card >> 4) - 1) + (card & 0x0F) - 1 for card in DECK}


class LongestFlush:
    """`longest_flush` as a ranking."""

    id = "longest-flush"
    vocabulary = "longest-flush"
    sizes = (1, 9)
    uses = None
    jokers = 0
    rank = staticmethod(longest_flush)

    def ranker(self, readings: Mapping[str, str]) -> Callable[[tuple[Card, ...]], Flush]:
        """What ranks cards under these readings."""
        return _ranker(readings)


@lru_cache(maxsize=1 << 14)
def complete(natural_ranks: tuple[int, ...], deuces: int, kicker: str) -> tuple[int, ...]:
    """Ranks from high to low after each of `deuces` took the rank the reading `wild-kicker` gives it."""
    ranks = list(natural_ranks)
    if kicker == "highest-absent":
        absent = (rank for rank in range(ACE, _DEUCE, -1) if rank not in natural_ranks)
        ranks.extend(next(absent) for _ in range(deuces))
    else:
        ranks.extend([ACE if kicker == "ace" else _DEUCE] * deuces)
    ranks.sort(reverse=True)
    return tuple(ranks)


_LETTERS: Final = f"  {RANKS_UP}"
"""Letter of each rank, from 2."""
_DEUCES: Final = ("", "deuce", "2 deuces", "3 deuces", "4 deuces")
