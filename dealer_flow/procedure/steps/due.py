"""The cards that a step makes due, and what it looks at to know them."""

from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Literal, NamedTuple, Protocol

from dealer_flow.procedure.steps.views import PlanView
from protocol.places import Place


class Due(NamedTuple):
    """Cards that come next: so many to `place`, by this step. `why`: they are dealt, they replace discards, they
    complete a hand that was short, or came there too many. `at_most`: fewer may come, since the house decides how many
    it exchanges."""

    place: Place
    cards: int
    step: str
    why: Literal["deal", "exchange", "complete", "extra"] = "deal"
    at_most: bool = False


class RoundView(Protocol):
    """A round as far as steps ask: the flow's `Round`, or what a simulated dealer knows."""

    @property
    def plan(self) -> PlanView:
        """Where cards may lie."""

    @property
    def active(self) -> Sequence[int]:
        """Seats dealt in."""

    @property
    def live(self) -> Sequence[int]:
        """Those of them that neither folded nor are dead."""

    @property
    def drawing(self) -> Sequence[int]:
        """Those of them that get further cards: live, and not done with choosing."""

    @property
    def first(self) -> int | None:
        """The seat selected to get the first cards, 0 for the dealer."""

    @property
    def wagers(self) -> Mapping[int, Container[str]]:
        """The bets of every seat dealt in."""

    def draws(self, number: int) -> int:
        """How many cards the seat asked for in the last step that let it choose."""


def in_turn(view: RoundView, numbers: Iterable[int]) -> list[int]:
    """These seats clockwise: from the left of the button where there is one, else of the dealer."""
    button = (view.first or 0) if view.plan.button is not None else 0
    return sorted(numbers, key=lambda number: (number <= button, number))
