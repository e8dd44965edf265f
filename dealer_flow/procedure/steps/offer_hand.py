"""`offer-hand`: cards of a position without a player become a hand of the game."""

from collections.abc import Iterator
from typing import Literal

from dealer_flow.english import place
from dealer_flow.procedure.complaints import Complaint
from dealer_flow.procedure.steps.base import Step
from dealer_flow.procedure.steps.views import CardsSoFar, ProcedureView
from dealer_flow.procedure.tables import Name
from protocol.tomlfile import Key


class OfferHandStep(Step):
    """The cards of a position without a player become a hand of the game, unseen.

    If every position has a player, the round has no such hand.
    """

    do: Literal["offer-hand"]
    to: Name
    """The hand of the game."""
    from_: Name
    """The option that says which position: `last-unplayed`, the last one dealt to, or a seat by its number such as
    `seat-6`."""

    state = "dealing"
    places_key = "to"
    gives = True

    def happen(self, so_far: CardsSoFar) -> None:
        """Record that the hand is as large as a seat's."""
        so_far.dealt[self.to] = so_far.held("seats")
        so_far.offered.add(self.to)

    def mistakes(self, game: ProcedureView, so_far: CardsSoFar, key: Key) -> Iterator[Complaint]:
        """Yield errors: not a hand of the game, or no position that may be without a player."""
        hands, most = [hand.name for hand in game.hand], game.seats.most
        if self.to not in hands:
            yield (*key, "to"), f"no [[hand]] {self.to!r}; allowed: {', '.join(hands) or 'none'}"
        values = next((option.allowed for option in game.option if option.name == self.from_), None)
        positions = {"last-unplayed", *(f"seat-{number}" for number in range(1, most + 1))}
        if values is None or not set(values) <= positions:
            what = f"no option {self.from_!r} that chooses between positions"
            yield (*key, "from"), f"{what}: last-unplayed, seat-1 to seat-{most}"
        if not so_far.everywhere:
            yield (*key, "do"), "every position has a player; a deal with seats = 'all' must come before"

    def words(self, game: ProcedureView) -> str:
        """Return the instruction for the dealer."""
        return f"Cards of a position without a player become {place(self.to)}, unseen (`{self.from_}`)."
