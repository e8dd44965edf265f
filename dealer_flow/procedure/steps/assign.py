"""`assign`: a number assigns the hands that were dealt in front of the tray."""

from collections.abc import Iterator
from typing import Literal

from dealer_flow.procedure.complaints import Complaint
from dealer_flow.procedure.steps.base import Step
from dealer_flow.procedure.steps.views import CardsSoFar, ProcedureView
from protocol.tomlfile import Key


class AssignStep(Step):
    """The number is drawn now and assigns the hands in front of the tray.

    The first hand goes to the place the number counts to, the others follow as in the deal before.
    """

    do: Literal["assign"]
    bets: Literal["closed", "open"] = "closed"
    """`open`: bets may change until the number is drawn. `closed`: START GAME closes them."""
    early: bool = False
    """The number may also come before the first packet; each hand then goes to its place at once."""

    state = "assigning"

    def mistakes(self, game: ProcedureView, so_far: CardsSoFar, key: Key) -> Iterator[Complaint]:
        """Yield an error unless a deal by number comes before, and nothing was done with its cards since."""
        if not so_far.by_number:
            yield (*key, "do"), "no hand waits for a number; a deal with first = 'number' must come before"
        if so_far.choices or so_far.offered or so_far.shown or so_far.burned:
            yield (*key, "do"), "hands must be assigned before anything is chosen, offered, burned or shown"

    def words(self, game: ProcedureView) -> str:
        """Return the instruction for the dealer."""
        bets = " Bets may change until then." if self.bets == "open" else ""
        return (
            "Now draw the number and count the places with yourself as one: the first hand goes to the place it"
            f" names, the next ones follow in the same direction, your own among them.{bets}"
        )

    def brief(self) -> str:
        """Return `hands to their places by the number`."""
        return "hands to their places by the number"
