"""`bet`: players bet, call, raise or fold in turn until every bet is called."""

from collections.abc import Iterator
from typing import Annotated, Final, Literal

from dealer_flow.procedure.complaints import Complaint
from dealer_flow.procedure.steps.base import Step
from dealer_flow.procedure.steps.views import CardsSoFar, ProcedureView
from dealer_flow.procedure.tables import Chooses, Name
from protocol.tomlfile import Key

_BRING_IN: Final = ("none", "low-card", "high-card")
"""Open card that forces its seat to open the first betting round of stud: none, the lowest or the highest."""
_TIES: Final = ("position", "suit")
_BOARDS: Final = ("high", "low")


class BetStep(Step):
    """A betting round."""

    do: Literal["bet"]
    bet: Name
    """The bet that its chips go into."""
    first: Literal["blinds", "button", "board"] = "button"
    """First seat to act. `blinds`: the seat at the left of the last blind. `button`: the first at the left of the
    button, or of the dealer in a game without one. `board`: the seat whose open cards are the highest or the lowest, as
    the option `board` says."""
    board: Annotated[Name | None, Chooses(_BOARDS)] = None
    """The option that says whether the highest or the lowest open cards act first."""
    bring_in: Annotated[Name | None, Chooses(_BRING_IN)] = None
    """The option that says whether an open card forces its seat to open."""
    bring_in_tie: Annotated[Name | None, Chooses(_TIES)] = None
    """The option that says which of several seats whose open cards are equal has to open: the first in turn, or the one
    whose card has the lower suit, or in a game for the low hand the higher."""

    state = "acting"

    def happen(self, so_far: CardsSoFar) -> None:
        """Do nothing: no card moves."""

    def mistakes(self, game: ProcedureView, so_far: CardsSoFar, key: Key) -> Iterator[Complaint]:
        """Yield errors of the bet, of missing cards to bet on, and of who acts first."""
        known = [bet.name for bet in game.bet if bet.placed == "by-action"]
        if self.bet not in known:
            yield (*key, "bet"), f"no bet {self.bet!r} placed by-action; allowed: {', '.join(known) or 'none'}"
        if game.betting is None:
            yield (*key, "do"), "no [betting] table says how players act"
        if not so_far.dealt:
            yield (*key, "do"), "no one has cards to bet on yet; a deal must come before"
        if (self.first == "board") != (self.board is not None):
            yield (*key, "board"), "goes with first = 'board': the option that says whether high or low acts first"
        if self.board is not None and not so_far.open.get("seats"):
            yield (*key, "first"), "no card of the seats lies open yet"

    def words(self, game: ProcedureView) -> str:
        """Return the instruction for the dealer."""
        blinds = game.betting.blinds if game.betting else ()
        last = "the last blind" if blinds else "the button"
        if blinds and game.betting and game.betting.blinds_at:
            last += f" or, if `{game.betting.blinds_at.option}` has the blinds before it, of the button"
        who = {
            "blinds": f"Beginning at the left of {last}",
            "button": "Beginning with the first player still in the pot at the left of the button",
            "board": f"Beginning with the seat that the open cards determine (`{self.board}`)",
        }
        acts, checks = "checks, bets, calls, raises or folds", ""
        if self.first == "blinds" and blinds:
            acts = "calls, raises or folds"
            checks = " The last blind may check; if nobody put up a blind, a player may check or bet."
        tie = f", a tie by `{self.bring_in_tie}`" if self.bring_in_tie else ""
        forced = f" An open card may force its seat to bring in (`{self.bring_in}`{tie})." if self.bring_in else ""
        return (
            f"{who[self.first]}, each player in turn clockwise {acts} until every bet is called.{checks}{forced} Report"
            " each action with all chips in front of the seat; pull the chips into the pot."
        )

    def brief(self) -> str:
        """Return `betting`."""
        return "betting"
