"""What a ranking makes of cards: a strength to compare, a key for a pay table, words, and the cards that count."""

from collections.abc import Hashable, Iterable, Mapping
from typing import Any, NamedTuple, Protocol, runtime_checkable

import msgspec

from protocol.cards import Card


class Ranked(Protocol):
    """A hand as one ranking sees it."""

    @property
    def strength(self) -> Any:
        """Orders the hands of one ranking: the greater wins, equal ones tie."""

    @property
    def key(self) -> Hashable:
        """What a pay table of the ranking's vocabulary looks up."""

    @property
    def text(self) -> str:
        """In words, as in `full house, kings over nines`."""

    @property
    def cards(self) -> tuple[Card, ...]:
        """The cards that make it; those without a part in it left out."""


class RankedHand(msgspec.Struct, gc=False):
    """A `Ranked` whose parts are known. A struct: many are made a round, and a dataclass takes three times as long."""

    strength: tuple[Any, ...]
    key: Hashable
    text: str
    cards: tuple[Card, ...]


class Made(NamedTuple):
    """Key of the `poker` vocabulary: what a hand makes, without its side cards.

    `made` is the category as the ranking's file calls it; `kind` and `size` are the same as any file calls it, as in
    ("straight flush", 7); `ranks` those that define it, ace 14, of a sequence its highest; `uses` the cards of a whole
    hand; `natural`: also without a joker; `same`: how often a card stands there that is there more than once, as in a
    hand of several decks; `also`: other categories of the file that the cards hold.
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
    """How hands are ranked. ValueError when cards are too few, too many, or not such as it ranks."""

    @property
    def id(self) -> str:
        """As a game file names it."""

    @property
    def vocabulary(self) -> str:
        """The kind of pay table (`PayTable.kind`) whose rows understand its keys."""

    @property
    def sizes(self) -> tuple[int, int]:
        """The least and the most cards it takes."""

    @property
    def uses(self) -> int | None:
        """How many cards make a hand; None when all do."""

    @property
    def jokers(self) -> int:
        """The most jokers it knows what to do with."""

    def rank(self, cards: Iterable[Card], readings: Mapping[str, str]) -> Ranked:
        """The best hand these cards make."""
