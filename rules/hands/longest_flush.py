"""The longest flush in a hand where every deuce is wild.

CO 47.1-1017.60 (2); WA FGW, rules and dealing procedures; SD 20:18:16:15.19 (1), (12), (13).

Two questions are asked of the same cards. *Which hand wins?* Every deuce joins the flush and takes a rank, so a flush
compares by length, then card by card; neither suit nor naturalness breaks a tie. *What does it pay?* A deuce of the
flush's own suit may stand as itself, so each hand has a longest natural flush beside its longest flush, and they may
be of different suits.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import cache, lru_cache, partial
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
    return partial(_best, own, readings.get("wild-kicker", "highest-absent"), {})


_Made = tuple[int, tuple[int, ...], str, tuple[int, tuple[int, ...]]]
"""The length of the flush that a suit makes with the deuces, its ranks, its words, its strength."""


def _best(own: bool, kicker: str, met: dict[int, _Made], cards: tuple[Card, ...]) -> Flush:
    """Every card is a bit of its own, the deuces' above those of the four suits. `met`: what was made before, by the
    bits of the suit, the suit and the number of deuces."""
    try:
        bits = sum(map(_BIT.__getitem__, cards))
    except KeyError as unknown:
        raise ValueError(f"not one of the 52 cards: {unknown.args[0]}") from None
    if bits.bit_count() != len(cards):
        return _best_of_decks(own, kicker, cards)
    clubs, diamonds, hearts, deuces = bits & 0xFFF, bits >> 12 & 0xFFF, bits >> 24 & 0xFFF, bits >> 48
    suits = clubs, diamonds, hearts, bits >> 36 & 0xFFF
    numbers = _BITS[clubs], _BITS[diamonds], _BITS[hearts], _BITS[suits[3]]
    natural = most = max(numbers)
    at = numbers.index(most)
    if deuces:
        wild = _BITS[deuces]
        if numbers.count(most) > 1:
            longest = [each for each in range(at, 4) if numbers[each] == most]
            at = max(longest, key=lambda each: (_complete(suits[each], wild, kicker), own and deuces >> each & 1, each))
            natural += own and any(deuces >> each & 1 for each in longest)
        elif own:
            natural += deuces >> at & 1
    else:
        wild = 0
        if numbers.count(most) > 1:
            at = max((suits[each], each) for each in range(at, 4) if numbers[each] == most)[1]
    made = met.get(suits[at] | at << 12 | wild << 14)
    if made is None:
        if len(met) == _KEPT:
            met.clear()
        made = met[suits[at] | at << 12 | wild << 14] = _make(_ranks(suits[at]), at, wild, kicker)
    length, ranks, text, strength = made
    return Flush(length, ranks, SUITS[at], natural, text, cards, strength, (natural, length))


def _complete(suit: int, deuces: int, kicker: str) -> tuple[int, ...]:
    return complete(_ranks(suit), deuces, kicker)


@cache
def _ranks(suit: int) -> tuple[int, ...]:
    """The ranks of a suit from high to low without its deuces, by their bits."""
    return tuple(rank for rank in range(ACE, _DEUCE, -1) if suit >> rank - _LEAST & 1)


def _make(ranks: tuple[int, ...], at: int, deuces: int, kicker: str) -> _Made:
    """What cards of one suit make with so many deuces."""
    letters, completed = " ".join(map(_LETTERS.__getitem__, ranks)), complete(ranks, deuces, kicker)
    with_deuces = f"{' + ' if letters else ''}{_DEUCES[deuces]}" if deuces else ""
    length = len(completed)
    text = f"flush of {length} ({_SUIT_NAMES[SUITS[at]]} {letters}{with_deuces})"
    return length, completed, text, (length, completed)


def _best_of_decks(own: bool, kicker: str, cards: tuple[Card, ...]) -> Flush:
    """The same of cards of which one stands twice, as those of several decks may: they are counted one by one."""
    suits, deuces = list[tuple[tuple[int, ...], int]](), 0
    for at in range(4):
        held = [ACE if card & 0x0F == 1 else card & 0x0F for card in cards if card >> 4 == at + 1]
        ranks = tuple(sorted((rank for rank in held if rank != _DEUCE), reverse=True))
        suits.append((ranks, min(len(held), len(ranks) + 1) if own else len(ranks)))
        deuces += len(held) - len(ranks)
    most, _, _, at = max(
        (len(ranks), complete(ranks, deuces, kicker), natural, at) for at, (ranks, natural) in enumerate(suits)
    )
    length, ranks, text, strength = _make(suits[at][0], at, deuces, kicker)
    natural = max(natural for _, natural in suits) if own else most
    return Flush(length, ranks, SUITS[at], natural, text, cards, strength, (natural, length))


_LEAST: Final = _DEUCE + 1
"""The least rank that is not wild."""
_BIT: Final = {
    card: 1 << 47 + (card >> 4) if rank == _DEUCE else 1 << 12 * ((card >> 4) - 1) + rank - _LEAST
    for card in DECK
    for rank in [ACE if card & 0x0F == 1 else card & 0x0F]
}
_BITS: Final = bytes(suit.bit_count() for suit in range(1 << 12))
"""How many cards a suit has, by their bits."""
_KEPT: Final = 1 << 15


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
