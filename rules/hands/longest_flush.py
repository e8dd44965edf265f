"""The longest flush in a hand where every deuce is wild.

CO 47.1-1017.60 (2); WA FGW, rules and dealing procedures; SD 20:18:16:15.19 (1), (12), (13).

Two questions apply to the same cards. *Which hand wins?* Every deuce joins the flush and takes a rank, so flushes
compare by length, then card by card; neither suit nor naturalness breaks a tie. *What does it pay?* A deuce of the
flush's own suit may count as itself, so each hand has a longest natural flush in addition to its longest flush, and
they may be of different suits.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache, partial
from operator import itemgetter
from typing import Final, NamedTuple

import msgspec

from protocol.cards import DECK, RANKS_UP, SUITS, Card

ACE: Final = 14
_DEUCE: Final = 2
_SUIT_NAMES: Final = {"C": "clubs", "D": "diamonds", "H": "hearts", "S": "spades"}
_NONE: Final[Mapping[str, str]] = {}


class Flush(msgspec.Struct, gc=False, eq=False):
    """The best flush of a hand. `ranks` are from high to low, with the ace as 14 and each deuce at the rank it took.

    `length` counts every deuce; `natural_length` is the longest flush, of any suit, that uses no deuce as another card.
    """

    length: int
    ranks: tuple[int, ...]
    suit: str
    natural_length: int
    text: str
    """The flush in words: `flush of 5 (hearts A K 9 7 + deuce)`."""
    held: tuple[Card, ...]
    """All the cards of the hand."""
    strength: tuple[int, tuple[int, ...]]
    """Sort key of hands, by length and ranks: the greater wins, equal ones tie."""
    key: tuple[int, int]
    """Key in a `longest-flush` pay table: longest natural flush, longest flush."""

    def __eq__(self, other: object) -> bool:
        """Compare flushes regardless of the other cards and of the order of the cards."""
        mine = self.strength, self.key, self.text
        return isinstance(other, Flush) and mine == (other.strength, other.key, other.text)

    @property
    def cards(self) -> tuple[Card, ...]:
        """Cards of the flush: those of its suit, and the deuces."""
        return tuple(card for card in self.held if card.suit == self.suit or card.rank == _DEUCE)


def longest_flush(cards: Iterable[Card], readings: Mapping[str, str] = _NONE) -> Flush:
    """Return the best flush that playing cards, in any order, can make.

    Readings, with the default first: `natural` ("own-suit", "no-deuce"), `wild-kicker` ("highest-absent", "ace",
    "lowest").
    """
    return _ranker(readings)(tuple(cards))


def _ranker(readings: Mapping[str, str]) -> Callable[[tuple[Card, ...]], Flush]:
    own = readings.get("natural", "own-suit") == "own-suit"
    return partial(_best, own, readings.get("wild-kicker", "highest-absent"), _Met({}, {}))


class _Made(msgspec.Struct, gc=False):
    """Flush that the cards of one suit make with the deuces; it lacks only the hand and its natural length."""

    ranks: tuple[int, ...]
    suit: str
    text: str
    strength: tuple[int, tuple[int, ...]]


class _Shape(msgspec.Struct, gc=False):
    """Facts that follow from the deuces of a hand and its number of cards in each suit.

    `suits`: the suits of its longest flush, first the one that names an equal flush. `deuces`: the number of deuces.
    `key`: the key of a pay table.
    """

    suits: tuple[int, ...]
    deuces: int
    key: tuple[int, int]


class _Met(NamedTuple):
    """Caches of shapes, and of flushes by the bits of a suit, its number and the deuces."""

    shapes: dict[int, _Shape]
    made: dict[int, _Made]


def _best(own: bool, kicker: str, met: _Met, cards: tuple[Card, ...]) -> Flush:
    """Find the best flush by bits: each card has a bit, with those of the deuces above those of the four suits, and a
    count above these."""
    number = len(cards)
    try:
        bits = sum(itemgetter(*cards)(_BIT)) if number > 1 else sum(map(_BIT.__getitem__, cards))
    except KeyError as unknown:
        raise ValueError(f"not one of the 52 cards: {unknown.args[0]}") from None
    if number > _MOST or (bits & _FACES).bit_count() != number:
        return _best_of_decks(own, kicker, cards)
    shapes, by_suit = met
    counted = bits >> 48 | number << 14
    shape = shapes.get(counted)
    if shape is None:
        shape = shapes[counted] = _shape(own, bits)
    best, deuces = None, shape.deuces
    for at in shape.suits:  # usually one
        held = bits >> 12 * at & 0xFFF | at << 12 | deuces << 14
        made = by_suit.get(held)
        if made is None:
            if len(by_suit) == _KEPT:
                by_suit.clear()
            made = by_suit[held] = _make(_HIGH[held >> 6 & 0x3F] + _LOW[held & 0x3F], at, deuces, kicker)
        if best is None or made.strength > best.strength:
            best = made
    assert best is not None, "a suit is the longest"
    natural, length = key = shape.key
    return Flush(length, best.ranks, best.suit, natural, best.text, cards, best.strength, key)


def _shape(own: bool, bits: int) -> _Shape:
    """Return the shape of a hand whose cards are all different."""
    wild, most = bits >> 48 & 0xF, 0
    longest: list[int] = []
    natural: list[int] = []
    for at in (3, 2, 1, 0):
        number = (bits >> 12 * at & 0xFFF).bit_count()
        if number > most:
            most, longest, natural = number, [], []
        if number == most:
            (natural if own and wild >> at & 1 else longest).append(at)
    deuces = wild.bit_count()
    return _Shape((*natural, *longest), deuces, (most + bool(natural), most + deuces))


def _make(ranks: tuple[int, ...], at: int, deuces: int, kicker: str) -> _Made:
    """Return the flush of one suit's cards with this many deuces."""
    letters, completed = (
        " ".join(map(_LETTERS.__getitem__, ranks)),
        complete(ranks, deuces, kicker) if deuces else ranks,
    )
    with_deuces = f"{' + ' if letters else ''}{_words(deuces)}" if deuces else ""
    length = len(completed)
    text = f"flush of {length} ({_SUIT_NAMES[SUITS[at]]} {letters}{with_deuces})"
    return _Made(completed, SUITS[at], text, (length, completed))


def _words(deuces: int) -> str:
    return "deuce" if deuces == 1 else f"{deuces} deuces"


def _best_of_decks(own: bool, kicker: str, cards: tuple[Card, ...]) -> Flush:
    """Find the best flush of cards that include duplicates, from several decks, by counting them one by one."""
    suits, deuces = list[tuple[tuple[int, ...], int]](), 0
    for at in range(4):
        held = [ACE if card & 0x0F == 1 else card & 0x0F for card in cards if card >> 4 == at + 1]
        ranks = tuple(sorted((rank for rank in held if rank != _DEUCE), reverse=True))
        suits.append((ranks, min(len(held), len(ranks) + 1) if own else len(ranks)))
        deuces += len(held) - len(ranks)
    most, _, _, at = max(
        (len(ranks), complete(ranks, deuces, kicker), natural, at) for at, (ranks, natural) in enumerate(suits)
    )
    made, natural = _make(suits[at][0], at, deuces, kicker), max(natural for _, natural in suits) if own else most
    length = len(made.ranks)
    return Flush(length, made.ranks, made.suit, natural, made.text, cards, made.strength, (natural, length))


_LEAST: Final = _DEUCE + 1
"""The lowest rank that is not wild."""
_MOST: Final = 9
"""The maximum number of cards, so that the number in a suit is one decimal digit."""
_COUNTED: Final = tuple(number << 52 for number in (1, 10, 100, 0))
"""Count of a card of each suit, added to its bit. The last suit's count is omitted because it follows from the others:
a sum of at most 63 bits takes half the time to add."""
_BIT: Final = {
    card: 1 << 48 + suit if rank == _DEUCE else 1 << 12 * suit + rank - _LEAST | _COUNTED[suit]
    for card in DECK
    for rank, suit in [(ACE if card & 0x0F == 1 else card & 0x0F, (card >> 4) - 1)]
}
_FACES: Final = (1 << 52) - 1
_DOWN: Final = tuple(range(ACE, _DEUCE, -1))
"""The ranks of a suit without its deuce, from high to low."""
_HIGH, _LOW = (
    tuple(tuple(rank for rank in _DOWN if half << shift >> rank - _LEAST & 1) for half in range(1 << 6))
    for shift in (6, 0)
)
"""The ranks of the upper six and the lower six bits of a suit, from high to low."""
_KEPT: Final = 1 << 15


class LongestFlush:
    """The ranking by `longest_flush`."""

    id = "longest-flush"
    vocabulary = "longest-flush"
    sizes = (1, _MOST)
    uses = None
    jokers = 0
    rank = staticmethod(longest_flush)

    def ranker(self, readings: Mapping[str, str]) -> Callable[[tuple[Card, ...]], Flush]:
        """Return the function that ranks cards under these readings."""
        return _ranker(readings)


@lru_cache(maxsize=1 << 14)
def complete(natural_ranks: tuple[int, ...], deuces: int, kicker: str) -> tuple[int, ...]:
    """Return the ranks from high to low after each of `deuces` took the rank given by the reading `wild-kicker`."""
    if kicker == "highest-absent":
        taken = [rank for rank in _DOWN if rank not in natural_ranks][:deuces]
    else:
        taken = [ACE if kicker == "ace" else _DEUCE] * deuces
    return tuple(sorted((*natural_ranks, *taken), reverse=True))


_LETTERS: Final = f"  {RANKS_UP}"
"""Letter of each rank, from 2."""
