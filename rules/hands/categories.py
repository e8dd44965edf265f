"""Categories of poker hands: does a set of cards make one, and which is the best of its category.

A category is found by counting, not by trying every subset; `tests/rules/hands` tries them all.
"""

import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import Final, Literal, NamedTuple

from rules.hands.counted import ACE, CardCount

AceLow = Literal["lowest", "second", "none"]
JokerUse = Literal["none", "bug", "wild"]


class BestOfCategory(NamedTuple):
    """The best hand of a category.

    `strength` compares it with another of the same category; `ranks` define it; `wanted` are the (rank, suit) of the
    cards it takes, with suit -1 for any.
    """

    strength: tuple[int, ...]
    ranks: tuple[int, ...]
    wanted: tuple[tuple[int, int], ...]


Find = Callable[[CardCount], BestOfCategory | None]


class Category(NamedTuple):
    """A category as a file names it: its kind and its number of cards."""

    name: str
    kind: str
    size: int
    find: Find
    natural: bool = False
    """True if it is found only without jokers."""
    most: int = 0
    """Minimum number of cards of one rank, jokers included; `longest` is that of one suit. Hands with fewer are
    skipped."""
    longest: int = 0


class House(NamedTuple):
    """Settings of a ranking file that all its categories share: the cards of a hand, the joker, and the straight
    A-2-3-4-5."""

    uses: int
    jokers: JokerUse
    ace_low: AceLow


_GROUPS: Final = {
    "six of a kind": (6,),
    "five of a kind": (5,),
    "four of a kind": (4,),
    "full house": (3, 2),
    "three of a kind": (3,),
    "three pairs": (2, 2, 2),
    "two pair": (2, 2),
    "pair": (2,),
    "high card": (),
}
_RUNS: Final = ("royal flush", "straight flush", "straight")
_IDENTICAL: Final = {"five of a kind suited": 5, "four of a kind suited": 4}
_SUITS: Final = ("clubs", "diamonds", "hearts", "spades")
_NAME: Final = re.compile(
    r"(?P<natural>natural )?(?:(?P<cards>\d)-card )?(?P<kind>[a-z -]+?)(?: in (?P<suit>clubs|diamonds|hearts|spades))?"
)
_MATCHES: Final = {"ace-king": (14, 13), "king-queen": (13, 12)}

_MATCHED: Final = "royal flush and suited "

KINDS: Final = (
    *_RUNS,
    "mini royal",
    "flush",
    *_GROUPS,
    "five aces",
    *_IDENTICAL,
    *(f"{_MATCHED}{match}" for match in _MATCHES),
    "ace-king-queen",
)
_LOW: Final = re.compile(r"(\d) or better low")


def category(name: str, house: House) -> Category | None:
    """Return the category that a file calls `name`, such as `natural 7-card straight flush`; None if there is none."""
    if low := _LOW.fullmatch(name):
        return Category(name, "low", house.uses, lambda held: _low(held, int(low[1]), house.uses))
    found = _NAME.fullmatch(name)
    if found is None or found["kind"] not in KINDS:
        return None
    kind, sequence = found["kind"], found["kind"] in (*_RUNS, "flush")
    if found["cards"] and not sequence:
        return None
    size = 3 if kind == "mini royal" else int(found["cards"] or house.uses)
    kind = "royal flush" if kind == "mini royal" else kind
    suit = _SUITS.index(found["suit"]) if found["suit"] else -1
    if not sequence and kind != "royal flush" and suit >= 0:
        return None
    find = _finder(kind, size, suit, house)
    sized = sequence or kind == "royal flush"
    return Category(
        name,
        kind,
        size if sized else house.uses,
        _natural(find) if found["natural"] else find,
        bool(found["natural"]),
        most=_GROUPS.get(kind, (0,))[0] if kind != "high card" else 0,
        longest=5 if kind.startswith(_MATCHED) else size if sized and kind != "straight" else 0,
    )


def _finder(kind: str, size: int, suit: int, house: House) -> Find:
    suits = range(4) if suit < 0 else (suit,)
    if kind in ("royal flush", "straight flush"):
        runs = _runs(size, house.ace_low)
        return lambda held: _suited_run(held, runs if kind == "straight flush" else runs[:1], suits)
    if kind == "straight":
        return lambda held: _straight(held, _runs(size, house.ace_low))
    if kind == "flush":
        return lambda held: _flush(held, size, suits)
    if kind == "five aces":
        return lambda held: _aces(held, 5)
    if kind in _IDENTICAL:
        return lambda held: _identical(held, _IDENTICAL[kind], house.uses)
    if kind == "ace-king-queen":
        return _ace_king_queen
    if kind.startswith(_MATCHED):
        match = _MATCHES[kind.rpartition(" ")[2]]
        return lambda held: _royal_match(held, match)
    return lambda held: _groups(held, _GROUPS[kind], house)


def _natural(find: Find) -> Find:
    return lambda held: find(held.natural)


# ------------------------------------------------------------------ equal ranks


def _groups(held: CardCount, sizes: Sequence[int], house: House) -> BestOfCategory | None:
    """Find ranks held this many times each, the highest first; the highest remaining cards complete the hand.

    A bug is an ace here (47.1-1005(1)); a wild joker stands for any missing card.
    """
    times, ranks, wild = held.times, held.ranks, held.jokers
    if wild and house.jokers == "bug":
        times = times.copy()
        times[ACE] += wild
        ranks = ranks if ranks and ranks[0] == ACE else [ACE, *ranks]
        wild = 0
    elif wild and (not ranks or ranks[0] != ACE):
        ranks = [ACE, *ranks]
    chosen = _choose(times, ranks, sizes, wild)
    if chosen is None:
        return None
    taken = dict(zip(chosen, sizes, strict=True))
    wild -= sum(max(0, size - times[rank]) for rank, size in taken.items())
    sides, room = [ACE] * wild, house.uses - sum(sizes)
    for rank in ranks:
        if len(sides) >= room:
            break
        sides += [rank] * max(0, times[rank] - taken.get(rank, 0))
    sides = sides[: max(0, room)]
    if not chosen and not sides:
        return None
    all_ranks = [rank for rank, size in taken.items() for _ in range(size)] + sides
    return BestOfCategory((*chosen, *sides), chosen or tuple(sides[:1]), tuple((rank, -1) for rank in all_ranks))


def _choose(times: Sequence[int], ranks: Sequence[int], sizes: Sequence[int], wild: int) -> tuple[int, ...] | None:
    """Choose a different rank for each size, the first as high as possible, then the second."""
    if not sizes:
        return ()
    for rank in ranks:
        short = max(0, sizes[0] - times[rank])
        if short <= wild:
            left = [other for other in ranks if other != rank]
            rest = _choose(times, left, sizes[1:], wild - short)
            if rest is not None:
                return (rank, *rest)
    return None


def _aces(held: CardCount, number: int) -> BestOfCategory | None:
    if held.times[ACE] + held.jokers < number:
        return None
    return BestOfCategory((ACE,), (ACE,), ((ACE, -1),) * number)


def _identical(held: CardCount, number: int, uses: int) -> BestOfCategory | None:
    """Find this many cards of one rank and one suit, from several decks."""
    if len(held.cards) == len(set(held.cards)):
        return None
    best = max(
        ((rank, suit) for suit, ranks in enumerate(held.suits) for rank in ranks if ranks.count(rank) >= number),
        default=None,
    )
    if best is None:
        return None
    sides = [rank for rank in held.ranks for _ in range(held.times[rank] - number * (rank == best[0]))]
    sides = sides[: uses - number]
    return BestOfCategory((best[0], *sides), best[:1], (*(best,) * number, *((rank, -1) for rank in sides)))


def _ace_king_queen(held: CardCount) -> BestOfCategory | None:
    return BestOfCategory((ACE,), (ACE,), ((ACE, -1), (13, -1), (12, -1))) if held.ranks[:3] == [ACE, 13, 12] else None


def _low(held: CardCount, highest: int, uses: int) -> BestOfCategory | None:
    """Find this many ranks no higher than `highest`, with the ace as the lowest."""
    low = [rank for rank in held.ranks if rank <= highest]
    ranks = [*low, ACE] if ACE in held.ranks else low
    if len(ranks) < uses:
        return None
    return BestOfCategory((), (), tuple((rank, -1) for rank in ranks[-uses:]))


# ------------------------------------------------------------------ suits


def _flush(held: CardCount, size: int, suits: Sequence[int]) -> BestOfCategory | None:
    """Find the highest cards of one suit; a joker is the highest card that is missing there (47.1-1005(1))."""
    best: tuple[tuple[int, ...], int] | None = None
    for suit in suits:
        ranks = held.suits[suit]
        if len(ranks) + held.jokers >= size and (ranks or held.jokers):
            if held.jokers:
                absent = (rank for rank in range(ACE, 1, -1) if rank not in ranks)
                ranks = [*ranks, *(next(absent) for _ in range(held.jokers))]
            top = tuple(sorted(ranks, reverse=True)[:size])
            best = max(best, (top, suit)) if best else (top, suit)
    if best is None:
        return None
    return BestOfCategory(best[0], best[0][:1], tuple((rank, best[1]) for rank in best[0]))


# ------------------------------------------------------------------ sequences


class _Run(NamedTuple):
    """A sequence of cards: its value among sequences, its highest rank, and its ranks as bits."""

    value: int
    top: int
    bits: int


@cache
def _runs(size: int, ace_low: AceLow) -> tuple[_Run, ...]:
    """Return every sequence of `size` cards, best first. Values are even, except for A-2-3-4-5 ranked just below the
    highest sequence."""
    bits = (1 << size) - 1
    runs = [_Run(2 * top, top, bits << (top - size + 1)) for top in range(ACE, size, -1)]
    if ace_low != "none":
        runs.append(_Run(2 * ACE - 1 if ace_low == "second" else 2 * size, size, bits << 1))
    return tuple(sorted(runs, reverse=True))


def _straight(held: CardCount, runs: Sequence[_Run]) -> BestOfCategory | None:
    if len(held.ranks) + held.jokers < runs[0].bits.bit_count():
        return None
    one, two, three, four = held.masks
    return _run(held, one | two | three | four, runs, -1)


def _run(held: CardCount, mask: int, runs: Sequence[_Run], suit: int) -> BestOfCategory | None:
    """Find the best run, with jokers for the missing cards."""
    for run in runs:
        if (run.bits & ~mask).bit_count() <= held.jokers:
            ranks = [rank for rank in range(run.top, 0, -1) if run.bits >> rank & 1]
            return BestOfCategory((run.value,), (run.top,), tuple((ACE if rank == 1 else rank, suit) for rank in ranks))
    return None


def _suited_run(held: CardCount, runs: Sequence[_Run], suits: Sequence[int]) -> BestOfCategory | None:
    least = runs[0].bits.bit_count() - held.jokers
    found = [
        run
        for suit in suits
        if len(held.suits[suit]) >= least and (run := _run(held, held.masks[suit], runs, suit)) is not None
    ]
    return max(found, default=None)


def _royal_match(held: CardCount, match: tuple[int, int]) -> BestOfCategory | None:
    """Find a royal flush, with or without the joker, and two further cards of one suit, neither of them the joker."""
    royal = _runs(5, "none")[:1]
    for suit in range(4):
        found = _run(held, held.masks[suit], royal, suit)
        if found is None:
            continue
        for other in range(4):
            ranks = held.suits[other].copy()
            if other == suit:
                for rank, _ in found.wanted:
                    if rank in ranks:
                        ranks.remove(rank)
            if all(rank in ranks for rank in match):
                return BestOfCategory((ACE,), (ACE,), (*found.wanted, *((rank, other) for rank in match)))
    return None
