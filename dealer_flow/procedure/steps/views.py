"""Views that a step is checked against: its procedure and plan as protocols, and what earlier steps did with the cards.

The protocols avoid an import cycle: procedure and plan import the steps.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from dealer_flow.procedure.bets import BetPart
from dealer_flow.procedure.complaints import Complaint
from dealer_flow.procedure.tables import (
    DecisionPart,
    Device,
    HandPart,
    Name,
    OptionPart,
    OptionRef,
    Recipient,
    SeatsPart,
)
from protocol.places import Place
from protocol.tomlfile import Key


class NamedStep(Protocol):
    """A step of any kind."""

    @property
    def name(self) -> str:
        """Name of the step, unique in the procedure."""

    @property
    def deals(self) -> bool:
        """True if the step deals cards."""


class Betting(Protocol):
    """Rules of betting."""

    @property
    def blinds(self) -> Sequence[str]:
        """Bets that are blinds."""

    @property
    def blinds_at(self) -> OptionRef | None:
        """Option that says whether the blinds are before the button or after it."""


class ProcedureView(Protocol):
    """Procedure of a step that is checked or described."""

    device: Device
    seats: SeatsPart
    hand: tuple[HandPart, ...]
    bet: tuple[BetPart, ...]
    decision: tuple[DecisionPart, ...]
    option: tuple[OptionPart, ...]

    @property
    def step(self) -> Sequence[NamedStep]:
        """All steps, in order."""

    @property
    def betting(self) -> Betting | None:
        """Rules of betting, in a game in which players bet against each other."""


class PlanView(Protocol):
    """Plan, as far as a step needs it to place cards."""

    most_seats: int
    from_shoe: bool
    """True if a card shoe deals."""

    @property
    def button(self) -> object | None:
        """Rule by which the button moves; None if there is no button."""

    @property
    def assign(self) -> object | None:
        """Step that assigns hands by a number; None if there is none."""

    def place(self, recipient: Recipient) -> Place:
        """Return the place of a recipient that is not a seat."""

    def around(self) -> Sequence[Place]:
        """Return the dealer and every seat, clockwise."""


@dataclass(slots=True)
class CardsSoFar:
    """Cards moved by the steps so far, by recipient."""

    dealt: dict[Recipient, int] = field(default_factory=dict)
    """Number of cards of a whole hand, burned ones included."""
    burned: dict[Recipient, int] = field(default_factory=dict)
    open: dict[Recipient, int | None] = field(default_factory=dict)
    """Number of cards that may be visible, None for all. Cards dealt face up count; before the
    reveal nothing else of the house may be seen."""
    shown: dict[Recipient, int] = field(default_factory=dict)
    """Number of cards turned up by steps that show cards."""
    offered: set[Recipient] = field(default_factory=set)
    everywhere: bool = False
    """True if positions without a player got cards."""
    by_number: bool = False
    """True if a number says who got the first cards."""
    choices: set[Name] = field(default_factory=set)
    """Choices that were offered."""

    def held(self, recipient: Recipient) -> int:
        """Return the number of cards of a recipient that were not burned."""
        return self.dealt.get(recipient, 0) - self.burned.get(recipient, 0)

    def undealt(self, key: Key, recipients: tuple[Recipient, ...]) -> Iterator[Complaint]:
        """Yield an error for each recipient without cards."""
        for recipient in recipients:
            if recipient not in self.dealt:
                yield key, f"{recipient!r} has no cards at this step; allowed: {', '.join(self.dealt) or 'none'}"
