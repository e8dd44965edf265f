"""`show`: cards are turned face up before play continues."""

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from dealer_flow.english import cards, listed, place
from dealer_flow.procedure.complaints import Complaint
from dealer_flow.procedure.steps.base import Step
from dealer_flow.procedure.steps.views import CardsSoFar, ProcedureView
from dealer_flow.procedure.tables import Name, Recipient
from protocol.tomlfile import Key


class ShowStep(Step):
    """Cards are turned face up before play continues."""

    do: Literal["show"]
    of: Annotated[tuple[Recipient, ...], Field(min_length=1)]
    """Recipients whose cards are turned up."""
    cards: Annotated[int, Field(ge=1, le=7)] | None = None
    """Number of cards that are visible at each place afterwards; absent: all of them."""
    which: Literal["any", "bottom"] = "any"
    """Any cards, or those at the bottom of the packet."""
    optional: bool = False
    """Cards may be shown from here on; play does not wait, and a player's hand that is shown is declared."""
    until: Name | None = None
    """A later step; once anything of it was reported, a hand can no longer be declared."""

    state = "showing"
    places_key = "of"

    def happen(self, so_far: CardsSoFar) -> None:
        """Record the cards that are visible."""
        for recipient in self.of:
            so_far.open[recipient] = self.cards
            so_far.shown[recipient] = so_far.held(recipient) if self.cards is None else self.cards

    def mistakes(self, game: ProcedureView, so_far: CardsSoFar, key: Key) -> Iterator[Complaint]:
        """Yield errors: cards that lay open before, or more than there are, and keys that do not fit each other."""
        yield from so_far.undealt((*key, "of"), self.of)
        for recipient in self.of:
            held, least = so_far.held(recipient), so_far.shown.get(recipient, 0) + 1
            if self.cards is not None and 0 < held < least:
                yield (*key, "cards"), f"all cards of {recipient!r} lie open since an earlier step"
            elif self.cards is not None and held and not least <= self.cards <= held:
                yield (*key, "cards"), f"{self.cards} cards of {recipient!r} lie open; allowed: {least} to {held}"
        if self.which == "bottom" and self.cards is None:
            yield (*key, "which"), "only for a number of cards: give 'cards', too"
        names = [step.name for step in game.step]
        later = names[names.index(self.name) + 1 :]
        if self.until is not None and not self.optional:
            yield (*key, "until"), "only for a hand that may be shown: optional = true"
        elif self.until is not None and self.until not in later:
            yield (*key, "until"), f"{self.until!r} is not a later step; allowed: {', '.join(later) or 'none'}"

    def words(self, game: ProcedureView) -> str:
        """Return the instruction for the dealer."""
        whose = listed([place(to, dealer="your own hand") for to in self.of])
        if self.optional:
            late = f" Once {self.until} has begun it is too late to declare." if self.until else ""
            return f"From here on cards of {whose} may be shown.{late}"
        if self.cards is None:
            return f"Turn up all cards of {whose}."
        if self.which == "bottom":
            return f"Turn up the bottom {'card' if self.cards == 1 else cards(self.cards)} of {whose}."
        return f"Turn up cards of {whose} until {cards(self.cards)} lie{'s' * (self.cards == 1)} open."
