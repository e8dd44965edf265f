"""`assign`: a number drawn says whose the hands are that were dealt in front of the tray."""

from collections.abc import Iterator
from typing import Literal

from dealer_flow.procedure.complaints import Complaint
from dealer_flow.procedure.steps.base import Step
from dealer_flow.procedure.steps.views import CardsSoFar, ProcedureView
from protocol.tomlfile import Key


class AssignStep(Step):
    """The number is drawn now: of the hands that lie in front of the tray the first goes to the place it names, the
    others follow as the deal before has it. `bets`: whether bets may change until then, or START GAME closed them.
    `early`: the number may also come before the first packet, each hand then goes to its place at once."""

    do: Literal["assign"]
    bets: Literal["closed", "open"] = "closed"
    early: bool = False

    state = "assigning"

    def mistakes(self, game: ProcedureView, so_far: CardsSoFar, key: Key) -> Iterator[Complaint]:
        """A deal whose first place a number names comes before, and nothing else was done with its cards."""
        if not so_far.by_number:
            yield (*key, "do"), "no hand waits for a number; a deal with first = 'number' comes before"
        if so_far.choices or so_far.offered or so_far.shown or so_far.burned:
            yield (*key, "do"), "hands are assigned before anything is chosen, offered, burned or shown"

    def words(self, game: ProcedureView) -> str:
        """What is done with the number."""
        bets = " Bets may change until then." if self.bets == "open" else ""
        return (
            "Now draw the number and count the places with yourself as one: the first hand goes to the place it"
            f" names, the next ones follow in the same direction, your own among them.{bets}"
        )

    def brief(self) -> str:
        """`hands to their places`."""
        return "hands to their places by the number"
