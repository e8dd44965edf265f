"""What five cards hold, as far as a procedure must know: how many cards a hand is to draw, and which it keeps.

Ranks: ace is 14, and 1 where it is low in a straight.
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
"""`four-flush`, `four-straight`: four cards of one, one missing in its middle included; of several straights the one
open at both ends. `nothing`: whatever was not named before."""
HAND: Final = 5
_GROUPS: Final = {
    (4, 1): "four-of-a-kind",
    (3, 2): "full-house",
    (3, 1, 1): "three-of-a-kind",
    (2, 2, 1): "two-pair",
    (2, 1, 1, 1): "pair",
}


class DrawPart(TomlTable):
    """A hand that `holds` one of these draws so many cards; `least`: the pair is of this rank or a higher one. It keeps
    what it holds and the highest of its other cards. Of several rows the first that fits decides."""

    holds: Annotated[tuple[Holds, ...], Field(min_length=1)]
    """One of these makes it such a hand."""
    least: Annotated[str, Field(pattern=f"^[{RANKS}]$")] | None = None
    draws: Annotated[int, Field(ge=0, le=4)]
    """How many cards such a hand draws."""
    clause: Clause

    def words(self) -> str:
        """`draws one card with pair or four-flush`."""
        of = f" of {self.least} or higher" if self.least else ""
        held = listed([name.replace("-", " ") for name in self.holds], "or")
        return f"{f'draws {cards(self.draws)}' if self.draws else 'stands'} with {held}{of}"


class Must(NamedTuple):
    """The row that decides, and every set of cards that may be kept."""

    row: DrawPart
    keeps: tuple[frozenset[Card], ...]


def must_draw(rows: Sequence[DrawPart], hand: Collection[Card]) -> Must | None:
    """What these five cards must do; None where no row fits, or a card is no card of a plain deck."""
    if len({card for card in hand if card.is_face and card.suit}) != HAND or len(hand) != HAND:
        return None
    for row in rows:
        for held in row.holds:
            cores = [core for core in _cores(held, hand) if row.least is None or _of(core, hand) >= _value(row.least)]
            if cores:
                return Must(row, tuple(_filled(core, hand, HAND - row.draws) for core in cores))
    return None


def _cores(held: str, hand: Collection[Card]) -> Iterator[frozenset[Card]]:
    """The cards that make the hand what it is; nothing where it is not."""
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
    """What all five cards are."""
    flush, straight = len({card.suit for card in hand}) == 1, _straight(tuple(hand))
    if flush or straight:
        return {"straight-flush" if flush and straight else "flush" if flush else "straight"}
    groups = tuple(sorted(Counter(high_rank(card) for card in hand).values(), reverse=True))
    return {_GROUPS[groups]} if groups in _GROUPS else set()


def _filled(core: frozenset[Card], hand: Collection[Card], size: int) -> frozenset[Card]:
    """The core with the highest of the other cards, `size` in all."""
    others = sorted((card for card in hand if card not in core), key=high_rank, reverse=True)
    return core | {*others[: max(size - len(core), 0)]}


def _of(core: frozenset[Card], hand: Collection[Card]) -> int:
    """The rank of a pair; above all ranks where the hand is more than that."""
    return max(map(high_rank, core), default=0) if _whole(hand) == {"pair"} else ACE_HIGH + 1


def _value(rank: str) -> int:
    return ACE_HIGH if rank == "A" else RANKS.index(rank) + 1


def _lows(cards_: Sequence[Card]) -> list[list[int]]:
    """The ranks in their order, with the ace high and, where there is one, low."""
    high = sorted(map(high_rank, cards_))
    low = sorted(1 if rank == ACE_HIGH else rank for rank in high)
    return [high] if high == low else [high, low]


def _straight(cards_: Sequence[Card]) -> bool:
    distinct = len({*map(high_rank, cards_)}) == len(cards_)
    return distinct and any(ranks[-1] - ranks[0] < HAND for ranks in _lows(cards_))


def _open(four: Sequence[Card]) -> bool:
    """Four ranks in a row that a card at either end makes a straight."""
    ranks = _lows(four)[0]
    return ranks[-1] - ranks[0] == 3 and ranks[-1] < ACE_HIGH
