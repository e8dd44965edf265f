"""`collect`: hands at positions without a player are picked up."""

from collections.abc import Iterator
from typing import Literal

from dealer_flow.procedure.complaints import Complaint
from dealer_flow.procedure.steps.base import Step
from dealer_flow.procedure.steps.views import CardsSoFar, ProcedureView
from protocol.tomlfile import Key


class CollectStep(Step):
    """Hands dealt to positions without a player are picked up unseen and discarded. No device sees it."""

    do: Literal["collect"]

    state = "dealing"

    def mistakes(self, game: ProcedureView, so_far: CardsSoFar, key: Key) -> Iterator[Complaint]:
        """Yield an error if no such hands were dealt."""
        if not so_far.everywhere:
            yield (*key, "do"), "every position has a player; a deal with seats = 'all' must come before"

    def words(self, game: ProcedureView) -> str:
        """Return the instruction for the dealer."""
        return "Pick up the hands at positions without a player, unseen, and place them in the discard rack."
