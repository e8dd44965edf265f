"""The longest flush in a hand where every deuce is wild.

CO 47.1-1017.60 (2); WA FGW, rules and dealing procedures; SD 20:18:16:15.19 (1), (12), (13).

Two questions are asked of the same cards. *Which hand wins?* Every deuce joins the flush and takes a rank, so a flush
compares by length, then card by card; neither suit nor naturalness breaks a tie. *What does it pay?* A deuce of the
flush's own suit may stand as itself, so each hand has a longest natural flush beside its longest flush, and they may
be of different suits.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from protocol.cards import RANKS, SUITS, Card

ACE: Final = 14
_DEUCE: Final = 2
_SUIT_NAMES: Final = {"C": "clubs", "D": "diamonds", "H": "hearts", "S": "spades"}
_RANK_NAMES: Final = {rank: RANKS[rank - 1] for rank in range(2, 14)} | {ACE: "A"}
_NONE: Final[Mapping[str, str]] = {}


@dataclass(frozen=True, slots=True)
class Flush:
    """The best flush of a hand. `ranks` run from high to low, ace 14, each deuce at the rank it took.

    `length` counts every deuce; `natural_length` is the longest flush, of any suit, that uses no deuce as another card.
    """

    length: int
    ranks: tuple[int, ...]
    suit: str
    deuces: int
    natural_length: int
    shown: tuple[int, ...]

    @property
    def strength(self) -> tuple[int, tuple[int, ...]]:
        """Orders hands: the greater wins, equal ones tie."""
        return self.length, self.ranks

    @property
    def key(self) -> tuple[int, int]:
        """What a `longest-flush` pay table looks up: longest natural flush, longest flush."""
        return self.natural_length, self.length

    @property
    def text(self) -> str:
        """`5 (hearts A K 9 7 + deuce)`."""
        deuces = ("", "deuce", "2 deuces", "3 deuces", "4 deuces")[self.deuces]
        parts = (" ".join(map(_RANK_NAMES.__getitem__, self.shown)), deuces)
        return f"{self.length} ({_SUIT_NAMES[self.suit]} {' + '.join(part for part in parts if part)})"


def longest_flush(cards: Iterable[Card], readings: Mapping[str, str] = _NONE) -> Flush:
    """The best flush that playing cards, in any order, can make.

    Readings, the default first: `natural` ("own-suit", "no-deuce"), `wild-kicker` ("highest-absent", "ace", "lowest").
    """
    suits: dict[int, list[int]] = {1: [], 2: [], 3: [], 4: []}
    deuce_suits: list[int] = []
    for card in cards:
        suit, rank = card >> 4, card & 0x0F
        if suit not in suits or not 1 <= rank <= 13:
            raise ValueError(f"not one of the 52 cards: {card}")
        if rank == _DEUCE:
            deuce_suits.append(suit)
        else:
            suits[suit].append(ACE if rank == 1 else rank)
    deuces, kicker = len(deuce_suits), readings.get("wild-kicker", "highest-absent")
    stands = deuce_suits if readings.get("natural", "own-suit") == "own-suit" else ()
    natural = {suit: len(ranks) + (suit in stands) for suit, ranks in suits.items()}
    most = max(map(len, suits.values()))
    ranks, _, suit = max(
        (complete(ranks, deuces, kicker), natural[suit], suit) for suit, ranks in suits.items() if len(ranks) == most
    )
    shown = tuple(sorted(suits[suit], reverse=True))
    return Flush(most + deuces, ranks, SUITS[suit - 1], deuces, max(natural.values()), shown)


def complete(natural_ranks: list[int], deuces: int, kicker: str) -> tuple[int, ...]:
    """Ranks from high to low after each of `deuces` took the rank the reading `wild-kicker` gives it."""
    ranks = natural_ranks.copy()
    if not deuces:
        pass
    elif kicker == "highest-absent":
        absent = (rank for rank in range(ACE, _DEUCE, -1) if rank not in natural_ranks)
        ranks.extend(next(absent) for _ in range(deuces))
    else:
        ranks.extend([ACE if kicker == "ace" else _DEUCE] * deuces)
    ranks.sort(reverse=True)
    return tuple(ranks)
