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
    """The last step: hands are shown in this order and settled until END GAME; `from_`: at which side of the dealer
    the players' hands begin, or with who bet or raised last in the last betting round, where all checked with who acted
    first, and clockwise from there."""

    do: Literal["reveal"]
    order: Annotated[tuple[Recipient, ...], Field(min_length=1)]
    from_: Literal["dealer-left", "dealer-right", "last-to-bet"] = "dealer-right"

    state = "revealing"
    places_key = "order"

    @property
    def side(self) -> str:
        """`left` or `right`, of the dealer: where the first player's hand is shown."""
        return self.from_.removeprefix("dealer-")

    def in_order(self, seats: Sequence[int]) -> list[int]:
        """These seats, given from the dealer's left, as their hands are shown."""
        return [*reversed(seats)] if self.from_ == "dealer-right" else [*seats]

    def happen(self, so_far: CardsSoFar) -> None:
        """Everything lies open."""
        so_far.open |= dict.fromkeys(so_far.dealt, None)

    def mistakes(self, game: ProcedureView, so_far: CardsSoFar, key: Key) -> Iterator[Complaint]:
        """Hands without cards."""
        yield from so_far.undealt((*key, "order"), self.order)

    def words(self, game: ProcedureView) -> str:
        """In which order."""
        order = [place(to, dealer="your own hand") for to in self.order]
        if self.from_ == "last-to-bet":
            begins = "beginning with who bet or raised last, else with who acted first, and clockwise"
            return f"Show {', then '.join(order)}, {begins}. Award each pot."
        return f"Show {', then '.join(order)}; players' hands from your {self.side}. Compare and settle each."
