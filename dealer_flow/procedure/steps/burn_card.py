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
    """Cards off the top of the deck are burned before the next are dealt. `if_drawn`: only when a seat draws by the
    choice it made last. `only`: not while all in play lack this bet."""

    do: Literal["burn-card"]
    cards: Annotated[int, Field(ge=1, le=5)] = 1
    if_drawn: bool = False

    def dues(self, view: RoundView) -> Iterator[Due]:
        """None while nobody needs the cards that follow."""
        drawn = not self.if_drawn or any(view.draws(number) for number in view.live)
        if drawn and self.for_anybody(view):
            yield from (Due(BURN, 1, self.name) for _ in range(self.cards))

    def most_cards(self, seats: int, most: int) -> int:
        """However many play."""
        return self.cards

    def words(self, game: ProcedureView) -> str:
        """How many, and when."""
        when = ", if any player draws" if self.if_drawn else ""
        when += f", if a player in play has {a(self.only)} bet" if self.only else ""
        tail = "" if self.from_device else " by hand, then press CONFIRM"
        return f"Burn {cards(self.cards)} off the top of the deck, face down{when}{tail}. Keep burned cards apart."

    def brief(self) -> str:
        """`burn 1 off the top`."""
        return f"burn {self.cards} off the top"
