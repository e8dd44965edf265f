"""`reveal`: the last step, in which all hands are shown and settled."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Literal

from pydantic import Field

from dealer_flow.english import place
from dealer_flow.procedure.complaints import Complaint
from dealer_flow.procedure.steps.base import Step
from dealer_flow.procedure.steps.views import CardsSoFar, ProcedureView
from dealer_flow.procedure.tables import Recipient
from protocol.tomlfile import Key


class RevealStep(Step):
    """The last step: hands are shown in this order and settled until END GAME."""

    do: Literal["reveal"]
    order: Annotated[tuple[Recipient, ...], Field(min_length=1)]
    """Recipients, in the order in which their hands are shown."""
    from_: Literal["dealer-left", "dealer-right", "last-to-bet"] = "dealer-right"
    """The side of the dealer at which the players' hands begin. `last-to-bet`: they begin with the player who bet or
    raised last in the last betting round, or if all checked the one who acted first, and go on clockwise."""

    state = "revealing"
    places_key = "order"

    @property
    def side(self) -> str:
        """Side of the dealer, `left` or `right`, at which the first player's hand is shown."""
        return self.from_.removeprefix("dealer-")

    def in_order(self, seats: Sequence[int]) -> list[int]:
        """Return `seats`, given from the dealer's left, in the order in which they show their hands."""
        return [*reversed(seats)] if self.from_ == "dealer-right" else [*seats]

    def happen(self, so_far: CardsSoFar) -> None:
        """Record that everything is visible."""
        so_far.open |= dict.fromkeys(so_far.dealt, None)

    def mistakes(self, game: ProcedureView, so_far: CardsSoFar, key: Key) -> Iterator[Complaint]:
        """Yield an error for each hand without cards."""
        yield from so_far.undealt((*key, "order"), self.order)

    def words(self, game: ProcedureView) -> str:
        """Return the instruction for the dealer."""
        order = [place(to, dealer="your own hand") for to in self.order]
        if self.from_ == "last-to-bet":
            begins = "beginning with the player who bet or raised last, or else acted first, and clockwise"
            return f"Show {', then '.join(order)}, {begins}. Award each pot."
        return f"Show {', then '.join(order)}; players' hands from your {self.side}. Compare and settle each."
