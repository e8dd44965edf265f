"""`decide`: players choose."""

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from dealer_flow.english import a, listed, place
from dealer_flow.procedure.complaints import Complaint, unknown_bets
from dealer_flow.procedure.steps.base import Step
from dealer_flow.procedure.steps.deal import DealStep
from dealer_flow.procedure.steps.views import CardsSoFar, ProcedureView
from dealer_flow.procedure.tables import Consequence, Name
from protocol.tomlfile import Key


class DecideStep(Step):
    """Every live seat makes one of these choices."""

    do: Literal["decide"]
    choices: Annotated[tuple[Name, ...], Field(min_length=1)]
    """Names of `[[decision]]`s."""
    only: Name | None = None
    """The step is for live seats with this bet only."""
    order: Literal["any", "clockwise"] = "any"
    """The seats choose in any order, or clockwise from the left of the button, or of the dealer in a game without
    one."""
    blind: tuple[Name, ...] = ()
    """Bets of later steps that may be placed already now."""
    optional: bool = False
    """A seat that says nothing made the first of the choices."""
    about: Name | None = None
    """A hand that is offered. Without that hand no seat chooses, and if no seat bets on it, it is dead."""
    takers: Literal["each", "one"] = "each"
    """Every seat may take the hand, or the first one alone."""
    late: Consequence | None = None
    """The consequence for a seat that has not chosen when the cards of the next deal are out; cards may come
    meanwhile."""

    state = "deciding"

    def happen(self, so_far: CardsSoFar) -> None:
        """Note the choices; no card moves."""
        so_far.choices |= set(self.choices)

    def mistakes(self, game: ProcedureView, so_far: CardsSoFar, key: Key) -> Iterator[Complaint]:
        """Yield errors: unknown choices and bets, no cards to decide on, a hand that was not offered before."""
        known = [choice.name for choice in game.decision]
        for name in self.choices:
            if name not in known:
                yield (*key, "choices"), f"no choice {name!r}; known: {', '.join(known) or 'none'}"
        if len(set(self.choices)) != len(self.choices):
            yield (*key, "choices"), "a choice may occur only once"
        yield from unknown_bets((*key, "only"), filter(None, [self.only]), [bet.name for bet in game.bet])
        late = [bet.name for bet in game.bet if bet.placed == "by-decision"]
        yield from unknown_bets((*key, "blind"), self.blind, late)
        if not so_far.dealt:
            yield (*key, "do"), "no one has cards to decide on yet; a deal must come before"
        if self.about is not None and self.about not in so_far.offered:
            allowed = ", ".join(sorted(so_far.offered)) or "none"
            yield (*key, "about"), f"{self.about!r} is not a hand that was offered before; allowed: {allowed}"
        if self.late is not None and self.late.then != "dead-hand":
            yield (*key, "late"), "a hand that is too late is dead: then = 'dead-hand'"
        if self.takers == "one" and self.about is None:
            yield (*key, "takers"), "only for a hand that is offered: give 'about', too"

    def words(self, game: ProcedureView) -> str:
        """Return the instruction for the dealer."""
        choices = {choice.name: choice for choice in game.decision}
        who = f"Each player with {a(self.only)} bet" if self.only else "Each player still in play"
        offered = "; ".join(choices[name].words() for name in self.choices)
        silent = f" A player who says nothing has chosen {self.choices[0]}." if self.optional else ""
        if self.about:
            who = f"While {place(self.about)} is available{' and not taken' * (self.takers == 'one')}, {who.lower()}"
            silent += " The first player to take it plays it alone." if self.takers == "one" else ""
        button = any(isinstance(step, DealStep) and step.first == "button" for step in game.step)
        start = "the left of the button" if button else "your left"
        order = f", clockwise from {start}," if self.order == "clockwise" else ""
        blind = f" {listed([*self.blind]).capitalize()} may be placed now, in the blind." if self.blind else ""
        late = " A player who has not chosen when the next cards are dealt has a dead hand." if self.late else ""
        return f"{who}{order} chooses: {offered}.{silent}{blind}{late}"

    def brief(self) -> str:
        """Return `choice`."""
        return "choice"
