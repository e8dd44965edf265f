"""The procedure and its plan as far as steps ask of them, so that neither need be imported."""

from collections.abc import Sequence
from typing import Protocol

from dealer_flow.procedure.bets import BetPart
from dealer_flow.procedure.tables import DecisionPart, Device, HandPart, OptionPart, Recipient, SeatsPart
from protocol.places import Place


class NamedStep(Protocol):
    """A step of any kind."""

    @property
    def name(self) -> str:
        """Its name, unique in the procedure."""


class Betting(Protocol):
    """The rules of betting."""

    @property
    def blinds(self) -> Sequence[str]:
        """The bets that are blinds."""


class ProcedureView(Protocol):
    """A procedure whose steps are checked or put into words."""

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
        """The rules of betting, where players bet against each other."""


class PlanView(Protocol):
    """A plan, as steps ask where cards may lie."""

    most_seats: int
    from_shoe: bool
    """True when a card shoe deals."""

    @property
    def button(self) -> object | None:
        """How the button moves; None where there is none."""

    @property
    def assign(self) -> object | None:
        """The step that assigns hands by a number; None where there is none."""

    def place(self, recipient: Recipient) -> Place:
        """The place of a recipient that is no seat."""

    def around(self) -> Sequence[Place]:
        """The dealer and every seat, clockwise."""
