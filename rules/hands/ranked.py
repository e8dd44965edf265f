"""Results of a ranking: a strength to compare, a key for a pay table, words, and the cards that count."""

from collections.abc import Hashable, Iterable, Mapping
from typing import Any, NamedTuple, Protocol, runtime_checkable

import msgspec

from protocol.cards import Card


class Ranked(Protocol):
    """A hand as one ranking sees it."""

    @property
    def strength(self) -> Any:
        """Sort key of the hands of one ranking: the greater wins, equal ones tie."""

    @property
    def key(self) -> Hashable:
        """Key in a pay table of the ranking's vocabulary."""

    @property
    def text(self) -> str:
        """The hand in words, such as `full house, kings over nines`."""

    @property
    def cards(self) -> tuple[Card, ...]:
        """The cards that make it, without the others."""


class RankedHand(msgspec.Struct, gc=False):
    """A `Ranked` with known parts. A struct, because a dataclass takes three times as long to create and each round
    makes many."""

    strength: tuple[Any, ...]
    key: Hashable
    text: str
    cards: tuple[Card, ...]


class Made(NamedTuple):
    """Key of the `poker` vocabulary: the hand made, without its side cards.

    - `made`: the category as the ranking's file calls it.
    - `kind` and `size`: the category in terms that all files share, such as ("straight flush", 7).
    - `ranks`: the ranks that define it, ace 14; for a sequence the highest.
    - `uses`: the number of cards of a whole hand.
    - `natural`: it is also made without a joker.
    - `same`: the number of copies of each card held more than once, in a hand of several decks.
    - `also`: other categories of the file that the cards make.
    """

    made: str
    kind: str
    size: int
    ranks: tuple[int, ...]
    uses: int
    natural: bool = True
    same: tuple[int, ...] = ()
    also: frozenset[str] = frozenset()


@runtime_checkable
class Ranking(Protocol):
    """A ranking of hands. `rank` raises ValueError for too few, too many or wrong cards."""

    @property
    def id(self) -> str:
        """Name in a game file."""

    @property
    def vocabulary(self) -> str:
        """Kind of pay table (`PayTable.kind`) whose rows apply to its keys."""

    @property
    def sizes(self) -> tuple[int, int]:
        """Minimum and maximum number of cards."""

    @property
    def uses(self) -> int | None:
        """Number of cards that make a hand; None if all do."""

    @property
    def jokers(self) -> int:
        """Maximum number of jokers."""

    def rank(self, cards: Iterable[Card], readings: Mapping[str, str]) -> Ranked:
        """Return the best hand these cards make."""
