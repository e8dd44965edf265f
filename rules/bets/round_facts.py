"""Parts of a game as a kind of bet sees them; see `rules.bets.bet.RoundFacts`."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from rules.bets.bet_terms import RaceSpec

Compared = tuple[int, str, int]
"""Two hands compared: 1, 0 or -1, in words, and by how many cards the first is longer where that counts, else 0."""


class QualifierFacts(Protocol):
    """A qualifier of the game."""

    @property
    def words(self) -> str:
        """The least hand that meets it, in words."""


class PartFacts(Protocol):
    """A hand in the game's file."""

    @property
    def part(self) -> str:
        """The part of a hand set in two that it is; empty for a whole one."""


class ReturnFacts(Protocol):
    """The clauses that give bets back."""

    @property
    def no_jackpot_hand(self) -> str:
        """Where a round is played for the progressive alone and nobody has a jackpot hand."""


class NamedFacts(Protocol):
    """A row of bets."""

    @property
    def name(self) -> str:
        """As the procedure calls the spot."""

    @property
    def kind(self) -> str:
        """Its kind."""


class SpecFacts(Protocol):
    """The game's file."""

    @property
    def qualifiers(self) -> Mapping[str, QualifierFacts]:
        """By name."""

    @property
    def hands(self) -> Mapping[str, PartFacts]:
        """By name."""

    @property
    def race(self) -> RaceSpec | None:
        """Its race of columns."""

    @property
    def readings(self) -> Mapping[str, object]:
        """Those that it leaves open."""

    @property
    def bets(self) -> Sequence[NamedFacts]:
        """Its rows of bets."""

    @property
    def returns(self) -> ReturnFacts:
        """What gives bets back."""


class HandFacts(Protocol):
    """A hand of the game, as it is made."""

    @property
    def whose(self) -> str:
        """Of whose cards, in words."""

    @property
    def of_dealer(self) -> bool:
        """Whether the dealer's are among them."""


class MeterFacts(Protocol):
    """A meter."""

    @property
    def seed_cents(self) -> int | None:
        """To what a pay of all that it shows sets it, if known."""
