"""`collect`: hands where nobody plays are picked up."""

from collections.abc import Iterator
from typing import Literal

from dealer_flow.procedure.complaints import Complaint
from dealer_flow.procedure.steps.base import Step
from dealer_flow.procedure.steps.views import CardsSoFar, ProcedureView
from protocol.tomlfile import Key


class CollectStep(Step):
    """Hands dealt to positions where nobody plays are picked up unseen and discarded. No device sees it."""

    do: Literal["collect"]

    state = "dealing"

    def mistakes(self, game: ProcedureView, so_far: CardsSoFar, key: Key) -> Iterator[Complaint]:
        """There are such hands."""
        if not so_far.everywhere:
            yield (*key, "do"), "every position has a player; a deal with seats = 'all' comes before"

    def words(self, game: ProcedureView) -> str:
        """Which hands."""
        return "Pick up the hands of positions where nobody plays, unseen, and place them in the discard rack."
