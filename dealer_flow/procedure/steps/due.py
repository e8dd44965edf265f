"""Cards that a step makes due, and the view of a round that it needs to know them."""

from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Literal, NamedTuple, Protocol

from dealer_flow.procedure.steps.views import PlanView
from protocol.places import Place


class Due(NamedTuple):
    """Cards that come next for one place.

    `why`: they are dealt, they replace discards, they complete a short hand, or they are one too many there. `at_most`:
    fewer may come, since the house decides how many it exchanges. `last`: after every other card that completes a hand.
    """

    place: Place
    cards: int
    step: str
    why: Literal["deal", "exchange", "complete", "extra"] = "deal"
    at_most: bool = False
    last: bool = False


class RoundView(Protocol):
    """View of a round that steps need: implemented by the flow's `Round` and by the simulated dealer."""

    @property
    def plan(self) -> PlanView:
        """Plan that says where cards may be."""

    @property
    def active(self) -> Sequence[int]:
        """Seats dealt in."""

    @property
    def live(self) -> Sequence[int]:
        """Seats dealt in that neither folded nor are dead."""

    @property
    def drawing(self) -> Sequence[int]:
        """Seats that get further cards: live, and with choices left."""

    @property
    def first(self) -> int | None:
        """Seat selected to get the first cards, 0 for the dealer, None if not selected yet."""

    @property
    def wagers(self) -> Mapping[int, Container[str]]:
        """Bets of every seat dealt in."""

    def draws(self, number: int) -> int:
        """Return the number of cards that the seat asked for in the last step with a choice."""


def in_turn(view: RoundView, numbers: Iterable[int]) -> list[int]:
    """Return the seats `numbers` clockwise, from the left of the button if there is one, else from the left of the
    dealer."""
    button = (view.first or 0) if view.plan.button is not None else 0
    return sorted(numbers, key=lambda number: (number <= button, number))
