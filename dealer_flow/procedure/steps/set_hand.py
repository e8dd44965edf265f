"""`set`: players arrange their hands."""

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
    """Every player arranges a hand: `low` cards of it are the low hand, or the first one, all others the high one or
    the second. Who cannot may have it set the house way. Nobody waits for a report of it: what was not reported is not
    known. `choices`: only seats that made one of these have a hand to arrange."""

    do: Literal["set"]
    of: Annotated[tuple[Recipient, ...], Field(min_length=1)] = ("seats",)
    low: Annotated[int, Field(ge=1, le=5)]
    parts: tuple[Clause, Clause] = ("low", "high")
    choices: tuple[Name, ...] = ()

    state = "setting"
    places_key = "of"

    def mistakes(self, game: ProcedureView, so_far: CardsSoFar, key: Key) -> Iterator[Complaint]:
        """Hands there are, with more cards than the low one gets; a choice that was offered."""
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
        """Who arranges what."""
        own = [place(to) for to in self.of if to not in ("seats", "dealer")]
        who = "Each player still in play" if "seats" in self.of else f"Whoever plays {listed(own)}"
        only = f" who chose {listed([*self.choices], 'or')}" if self.choices else ""
        one, other = self.parts
        return (
            f"{who}{only} sets the hand: {cards(self.low)} for the {one} hand, the others for the {other} hand."
            f"{' You set your own the house way, once it lies open.' * ('dealer' in self.of)}"
            " Key what was set, by the player or the house way; what nobody keys is not on record."
        )

    def brief(self) -> str:
        """`2 of each hand set low`."""
        return f"{self.low} of each hand set {self.parts[0]}"
