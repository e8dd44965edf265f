"""`set`: players set their hands."""

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from dealer_flow.english import cards, listed, place
from dealer_flow.procedure.complaints import Complaint
from dealer_flow.procedure.steps.base import Step
from dealer_flow.procedure.steps.views import CardsSoFar, ProcedureView
from dealer_flow.procedure.tables import Clause, Name, Recipient
from protocol.tomlfile import Key


class SetStep(Step):
    """Every player sets a hand in two parts.

    A player who cannot may have it set the house way. The round does not wait for a report: a setting that was not
    reported is unknown.
    """

    do: Literal["set"]
    of: Annotated[tuple[Recipient, ...], Field(min_length=1)] = ("seats",)
    """Recipients whose hands are set."""
    low: Annotated[int, Field(ge=1, le=5)]
    """Number of cards of the low, or first, hand; all others form the high, or second, one."""
    parts: tuple[Clause, Clause] = ("low", "high")
    """Names of the two parts."""
    choices: tuple[Name, ...] = ()
    """Only seats that made one of these choices have a hand to set."""

    state = "setting"
    places_key = "of"

    def mistakes(self, game: ProcedureView, so_far: CardsSoFar, key: Key) -> Iterator[Complaint]:
        """Yield errors: hands without enough cards, or a choice that was not offered."""
        yield from so_far.undealt((*key, "of"), self.of)
        for recipient in self.of:
            if recipient in so_far.dealt and so_far.held(recipient) <= self.low:
                yield (*key, "low"), f"{recipient!r} has {so_far.held(recipient)} cards; allowed: fewer in its low hand"
        for name in self.choices:
            if name not in so_far.choices:
                yield (
                    (*key, "choices"),
                    f"no choice {name!r} before; known: {', '.join(sorted(so_far.choices)) or 'none'}",
                )

    def words(self, game: ProcedureView) -> str:
        """Return the instruction for the dealer."""
        own = [place(to) for to in self.of if to not in ("seats", "dealer")]
        who = "Each player still in play" if "seats" in self.of else f"The player of {listed(own)}"
        only = f" who chose {listed([*self.choices], 'or')}" if self.choices else ""
        one, other = self.parts
        return (
            f"{who}{only} sets the hand: {cards(self.low)} for the {one} hand, the others for the {other} hand."
            f"{' You set your own the house way, once it lies open.' * ('dealer' in self.of)}"
            " Key each hand that was set, by the player or the house way; a setting that is not keyed is not on record."
        )

    def brief(self) -> str:
        """Return the step as in `2 of each hand set low`."""
        return f"{self.low} of each hand set {self.parts[0]}"
