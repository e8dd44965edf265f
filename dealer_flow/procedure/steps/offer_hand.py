"""`offer-hand`: cards of a position where nobody plays become a hand of the game."""

from collections.abc import Iterator
from typing import Literal

from dealer_flow.english import place
from dealer_flow.procedure.complaints import Complaint
from dealer_flow.procedure.steps.base import Step
from dealer_flow.procedure.steps.views import CardsSoFar, ProcedureView
from dealer_flow.procedure.tables import Name
from protocol.tomlfile import Key


class OfferHandStep(Step):
    """The cards of a position where nobody plays become the hand `to`, unseen. `from_` is the option that says which
    position: `last-unplayed`, the last one dealt to, or a seat by its number such as `seat-6`. Without such a position
    there is no such hand in the round."""

    do: Literal["offer-hand"]
    to: Name
    from_: Name

    state = "dealing"
    places_key = "to"
    gives = True

    def happen(self, so_far: CardsSoFar) -> None:
        """It is as large as a seat's."""
        so_far.dealt[self.to] = so_far.held("seats")
        so_far.offered.add(self.to)

    def mistakes(self, game: ProcedureView, so_far: CardsSoFar, key: Key) -> Iterator[Complaint]:
        """A hand of the game, from a position that may have no player."""
        hands, most = [hand.name for hand in game.hand], game.seats.most
        if self.to not in hands:
            yield (*key, "to"), f"{self.to!r} is no [[hand]]; allowed: {', '.join(hands) or 'none'}"
        values = next((option.allowed for option in game.option if option.name == self.from_), None)
        positions = {"last-unplayed", *(f"seat-{number}" for number in range(1, most + 1))}
        if values is None or not set(values) <= positions:
            what = f"no option {self.from_!r} that chooses between positions"
            yield (*key, "from"), f"{what}: last-unplayed, seat-1 to seat-{most}"
        if not so_far.everywhere:
            yield (*key, "do"), "every position has a player; a deal with seats = 'all' comes before"

    def words(self, game: ProcedureView) -> str:
        """Which cards become what."""
        return f"Cards of a position where nobody plays become {place(self.to)}, unseen (`{self.from_}`)."
