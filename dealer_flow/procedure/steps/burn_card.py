"""`burn-card`: cards off the top of the deck do not play."""

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from dealer_flow.english import a, cards
from dealer_flow.procedure.steps.base import DealtStep
from dealer_flow.procedure.steps.due import Due, RoundView
from dealer_flow.procedure.steps.views import ProcedureView
from protocol.places import BURN


class BurnCardStep(DealtStep):
    """Cards off the top of the deck are burned before the next are dealt."""

    do: Literal["burn-card"]
    cards: Annotated[int, Field(ge=1, le=5)] = 1
    """Number of cards burned."""
    if_drawn: bool = False
    """True if the cards are burned only if a seat draws by its last choice."""

    def dues(self, view: RoundView) -> Iterator[Due]:
        """Yield the burn, unless no one needs the cards that follow."""
        drawn = not self.if_drawn or any(view.draws(number) for number in view.live)
        if drawn and self.for_anybody(view):
            yield from (Due(BURN, 1, self.name) for _ in range(self.cards))

    def most_cards(self, seats: int, most: int) -> int:
        """Return the same number for any number of seats."""
        return self.cards

    def words(self, game: ProcedureView) -> str:
        """Return the instruction for the dealer."""
        when = ", if any player draws" if self.if_drawn else ""
        when += f", if a player in play has {a(self.only)} bet" if self.only else ""
        tail = "" if self.from_device or self._goes_with_next(game) else " by hand, then press CONFIRM"
        return f"Burn {cards(self.cards)} off the top of the deck, face down{when}{tail}. Keep burned cards apart."

    def _goes_with_next(self, game: ProcedureView) -> bool:
        """Return True if the cards go out with those that follow, in a game without a device."""
        names = [step.name for step in game.step]
        later = game.step[names.index(self.name) + 1 :]
        return game.device == "hand" and bool(later) and later[0].deals

    def brief(self) -> str:
        """Return the step as in `burn 1 off the top`."""
        return f"burn {self.cards} off the top"
