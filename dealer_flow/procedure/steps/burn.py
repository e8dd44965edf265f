"""`burn`: cards of a packet spread on the table do not play."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Final, Literal, NamedTuple

from pydantic import Field

from dealer_flow.english import listed, place
from dealer_flow.procedure.complaints import Complaint
from dealer_flow.procedure.steps.base import Step
from dealer_flow.procedure.steps.views import CardsSoFar, ProcedureView
from dealer_flow.procedure.tables import Chooses, Name, Recipient
from protocol.places import Place
from protocol.tomlfile import Key


class PlannedBurn(NamedTuple):
    """Cards to burn of the packet at `place`: `positions` from the dealer's left, of `size` cards in all."""

    place: Place
    positions: frozenset[int]
    size: int
    top_at_left: bool
    clause: str

    def from_left(self, positions: tuple[int, ...], spread: str) -> frozenset[int]:
        """Return positions counted from the dealer's left: position p from the right of n is n + 1 - p from the
        left."""
        if spread == "right-to-left":
            return frozenset(self.size + 1 - position for position in positions)
        return frozenset(positions)

    def from_top(self, position: int) -> int:
        """Return the index in the packet, top card 0, of the card at `position` from the dealer's left."""
        return position - 1 if self.top_at_left else self.size - position


_ENDS: Final = ("left", "right")
"""Sides on which a packet's top card may lie."""


class BurnStep(Step):
    """Cards of a spread packet are burned and do not play; the dealer confirms which."""

    do: Literal["burn"]
    of: Recipient
    """The packet, by its recipient."""
    positions: Annotated[tuple[Annotated[int, Field(ge=1, le=16)], ...], Field(min_length=1)]
    """Positions of the burned cards in the packet."""
    spread: Literal["left-to-right", "right-to-left", "from-top"]
    """The direction in which the positions are counted; `from-top` counts from the end where the top card lies."""
    top_card: Annotated[Name, Chooses(_ENDS)]
    """The option that says at which end the packet's top card lies."""

    state = "burning"
    places_key = "of"

    def burn(self, at: Place, size: int, options: Mapping[str, str]) -> PlannedBurn:
        """Return the burn of a packet of `size` cards at this place."""
        plain = PlannedBurn(at, frozenset(), size, options[self.top_card] == "left", self.clause)
        spread: str = self.spread
        if spread == "from-top":
            spread = "left-to-right" if plain.top_at_left else "right-to-left"
        return plain._replace(positions=plain.from_left(self.positions, spread))

    def happen(self, so_far: CardsSoFar) -> None:
        """Remove the burned cards from the packet."""
        if self.of in so_far.dealt:
            so_far.burned[self.of] = so_far.burned.get(self.of, 0) + len(self.positions)

    def mistakes(self, game: ProcedureView, so_far: CardsSoFar, key: Key) -> Iterator[Complaint]:
        """Yield errors: the packet is a player's, was burned before, or is burned as a whole."""
        if self.of not in so_far.dealt:
            yield from so_far.undealt((*key, "of"), (self.of,))
            return
        if self.of == "seats":
            yield (*key, "of"), "only a packet of the house or the community can be burned, not a player's"
        if self.of in so_far.burned:
            why = f"cards of {self.of!r} were burned by a step before; name all positions in one step"
            yield (*key, "of"), why
        size, last = so_far.held(self.of), max(self.positions)
        if last > size:
            yield (*key, "positions"), f"position {last} of a packet of {size}; allowed: 1 to {size}"
        if len(set(self.positions)) != len(self.positions) or len(self.positions) >= size:
            yield (
                (*key, "positions"),
                f"a position may occur only once, and fewer than the {size} cards of the packet may be burned",
            )

    def words(self, game: ProcedureView) -> str:
        """Return the instruction for the dealer."""
        side = {"left-to-right": "from your left", "right-to-left": "from your right", "from-top": "from the top card"}
        numbers = [str(position) for position in self.positions]
        what = f"card {numbers[0]}" if len(numbers) == 1 else f"cards {listed(numbers)}"
        how = f"burn {what}, counted {side[self.spread]}"
        return f"Spread the cards of {place(self.of)} and {how}. Confirm the burn before anything is shown."

    def brief(self) -> str:
        """Return the step as in `burn 1, 2 of community`."""
        return f"burn {', '.join(map(str, self.positions))} of {self.of}"
