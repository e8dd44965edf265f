"""`show`: cards are turned face up before play goes on."""

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
    """Cards are turned face up before play goes on. `cards`: how many lie open at each place after it; absent: all of
    them. `which`: any, or those at the bottom of the packet. `optional`: they may be, from here on; play does not wait
    for it, and a player's hand that is shown so is declared. `until`: a later step; once something of it was reported,
    a hand is no longer declared."""

    do: Literal["show"]
    of: Annotated[tuple[Recipient, ...], Field(min_length=1)]
    cards: Annotated[int, Field(ge=1, le=7)] | None = None
    which: Literal["any", "bottom"] = "any"
    optional: bool = False
    until: Name | None = None

    state = "showing"
    places_key = "of"

    def happen(self, so_far: CardsSoFar) -> None:
        """So many lie open."""
        for recipient in self.of:
            so_far.open[recipient] = self.cards
            so_far.shown[recipient] = so_far.held(recipient) if self.cards is None else self.cards

    def mistakes(self, game: ProcedureView, so_far: CardsSoFar, key: Key) -> Iterator[Complaint]:
        """More than lay open, and not more than there are."""
        yield from so_far.undealt((*key, "of"), self.of)
        for recipient in self.of:
            held, least = so_far.held(recipient), so_far.shown.get(recipient, 0) + 1
            if self.cards is not None and 0 < held < least:
                yield (*key, "cards"), f"all cards of {recipient!r} lie open by a step before"
            elif self.cards is not None and held and not least <= self.cards <= held:
                yield (*key, "cards"), f"{self.cards} cards of {recipient!r} lie open; allowed: {least} to {held}"
        if self.which == "bottom" and self.cards is None:
            yield (*key, "which"), "the bottom of all cards is all of them; give 'cards' too"
        names = [step.name for step in game.step]
        later = names[names.index(self.name) + 1 :]
        if self.until is not None and not self.optional:
            yield (*key, "until"), "said of a hand that may be shown: optional = true"
        elif self.until is not None and self.until not in later:
            yield (*key, "until"), f"{self.until!r} is no later step; allowed: {', '.join(later) or 'none'}"

    def words(self, game: ProcedureView) -> str:
        """Whose, which and how many."""
        whose = listed([place(to, dealer="your own hand") for to in self.of])
        if self.optional:
            late = f" Once {self.until} has begun it is too late to declare." if self.until else ""
            return f"From here on cards of {whose} may be shown.{late}"
        if self.cards is None:
            return f"Turn up all cards of {whose}."
        if self.which == "bottom":
            return f"Turn up the bottom {'card' if self.cards == 1 else cards(self.cards)} of {whose}."
        return f"Turn up cards of {whose} until {cards(self.cards)} lie{'s' * (self.cards == 1)} open."
