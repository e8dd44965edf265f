"""What a step is checked against: its procedure and plan, which need not be imported, and what the steps before it did
with the cards."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from dealer_flow.procedure.bets import BetPart
from dealer_flow.procedure.complaints import Complaint
from dealer_flow.procedure.tables import DecisionPart, Device, HandPart, Name, OptionPart, Recipient, SeatsPart
from protocol.places import Place
from protocol.tomlfile import Key


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


@dataclass(slots=True)
class CardsSoFar:
    """What the steps so far did with the cards, by recipient."""

    dealt: dict[Recipient, int] = field(default_factory=dict)
    """Cards of a whole hand, burned ones included."""
    burned: dict[Recipient, int] = field(default_factory=dict)
    open: dict[Recipient, int | None] = field(default_factory=dict)
    """How many may lie open, None for all. Cards dealt face up count; before the reveal nothing else of the house may
    be seen."""
    shown: dict[Recipient, int] = field(default_factory=dict)
    """How many were turned up by steps that show cards."""
    offered: set[Recipient] = field(default_factory=set)
    everywhere: bool = False
    """Whether positions got cards where nobody plays."""
    by_number: bool = False
    """Whether a number drawn says who got the first cards."""
    choices: set[Name] = field(default_factory=set)
    """What was offered."""

    def held(self, recipient: Recipient) -> int:
        """Cards that lie there and were not burned."""
        return self.dealt.get(recipient, 0) - self.burned.get(recipient, 0)

    def undealt(self, key: Key, recipients: tuple[Recipient, ...]) -> Iterator[Complaint]:
        """A complaint for each of them without cards."""
        for recipient in recipients:
            if recipient not in self.dealt:
                yield key, f"{recipient!r} has no cards at this step; allowed: {', '.join(self.dealt) or 'none'}"
