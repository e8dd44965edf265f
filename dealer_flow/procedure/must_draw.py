"""Five-card hands, as far as a procedure needs them: how many cards a hand must draw, and which it keeps.

Ranks are 1 to 14: an ace is 14, and 1 if it is low in a straight.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from itertools import combinations
from typing import Annotated, Final, Literal, NamedTuple

from pydantic import Field

from dealer_flow.english import cards, listed
from dealer_flow.procedure.tables import Clause
from dealer_flow.tomlfile import TomlTable
from protocol.cards import ACE_HIGH, RANKS, Card, high_rank

Holds = Literal[
    "straight-flush",
    "four-of-a-kind",
    "full-house",
    "flush",
    "straight",
    "three-of-a-kind",
    "two-pair",
    "pair",
    "four-flush",
    "four-straight",
    "nothing",
]
"""Hands that a row may name. `four-flush`, `four-straight`: four cards of one, even with a gap in the middle; of
several straights the one open at both ends. `nothing`: any hand that was not named before."""
HAND: Final = 5
_GROUPS: Final = {
    (4, 1): "four-of-a-kind",
    (3, 2): "full-house",
    (3, 1, 1): "three-of-a-kind",
    (2, 2, 1): "two-pair",
    (2, 1, 1, 1): "pair",
}


class DrawPart(TomlTable):
    """Number of cards that a hand must draw. It keeps what it holds and the highest of its other cards. The first row
    that fits decides."""

    holds: Annotated[tuple[Holds, ...], Field(min_length=1)]
    """Hands that the row applies to."""
    least: Annotated[str, Field(pattern=f"^[{RANKS}]$")] | None = None
    """The pair is of this rank or a higher one."""
    draws: Annotated[int, Field(ge=0, le=4)]
    """Number of cards to draw."""
    clause: Clause

    def words(self) -> str:
        """Return the row as in `draws one card with pair or four-flush`."""
        of = f" of {self.least} or higher" if self.least else ""
        held = listed([name.replace("-", " ") for name in self.holds], "or")
        return f"{f'draws {cards(self.draws)}' if self.draws else 'stands'} with {held}{of}"


class Must(NamedTuple):
    """Row that applies to a hand, and every set of cards that it may keep."""

    row: DrawPart
    keeps: tuple[frozenset[Card], ...]


def must_draw(rows: Sequence[DrawPart], hand: Collection[Card]) -> Must | None:
    """Return the draw that these five cards require; None if no row fits, or a card is not of a plain deck."""
    if len({card for card in hand if card.is_face and card.suit}) != HAND or len(hand) != HAND:
        return None
    for row in rows:
        for held in row.holds:
            cores = [core for core in _cores(held, hand) if row.least is None or _of(core, hand) >= _value(row.least)]
            if cores:
                return Must(row, tuple(_filled(core, hand, HAND - row.draws) for core in cores))
    return None


def _cores(held: str, hand: Collection[Card]) -> Iterator[frozenset[Card]]:
    """Yield the cards that form the named hand; nothing if the cards are no such hand."""
    if held == "nothing":
        yield frozenset()
    elif held == "four-flush":
        suits = Counter(card.suit for card in hand)
        yield from (frozenset(card for card in hand if card.suit == suit) for suit, n in suits.items() if n == 4)
    elif held == "four-straight":
        fours = [four for four in combinations(hand, 4) if _straight(four)]
        ended = [four for four in fours if _open(four)]
        yield from map(frozenset, ended or fours)
    elif held in _whole(hand):
        counts = Counter(high_rank(card) for card in hand)
        grouped = held in _GROUPS.values() and held != "full-house"
        yield frozenset(card for card in hand if not grouped or counts[high_rank(card)] > 1)


def _whole(hand: Collection[Card]) -> set[str]:
    """Return the names of the hand that all five cards form."""
    flush, straight = len({card.suit for card in hand}) == 1, _straight(tuple(hand))
    if flush or straight:
        return {"straight-flush" if flush and straight else "flush" if flush else "straight"}
    groups = tuple(sorted(Counter(high_rank(card) for card in hand).values(), reverse=True))
    return {_GROUPS[groups]} if groups in _GROUPS else set()


def _filled(core: frozenset[Card], hand: Collection[Card], size: int) -> frozenset[Card]:
    """Return the core with the highest of the other cards, `size` in all."""
    others = sorted((card for card in hand if card not in core), key=high_rank, reverse=True)
    return core | {*others[: max(size - len(core), 0)]}


def _of(core: frozenset[Card], hand: Collection[Card]) -> int:
    """Return the rank of a pair; higher than any rank for a better hand."""
    return max(map(high_rank, core), default=0) if _whole(hand) == {"pair"} else ACE_HIGH + 1


def _value(rank: str) -> int:
    return ACE_HIGH if rank == "A" else RANKS.index(rank) + 1


def _lows(cards_: Sequence[Card]) -> list[list[int]]:
    """Return the sorted ranks, with the ace high and, if there is one, low."""
    high = sorted(map(high_rank, cards_))
    low = sorted(1 if rank == ACE_HIGH else rank for rank in high)
    return [high] if high == low else [high, low]


def _straight(cards_: Sequence[Card]) -> bool:
    distinct = len({*map(high_rank, cards_)}) == len(cards_)
    return distinct and any(ranks[-1] - ranks[0] < HAND for ranks in _lows(cards_))


def _open(four: Sequence[Card]) -> bool:
    """Return True if four cards in sequence become a straight with a card at either end."""
    ranks = _lows(four)[0]
    return ranks[-1] - ranks[0] == 3 and ranks[-1] < ACE_HIGH
