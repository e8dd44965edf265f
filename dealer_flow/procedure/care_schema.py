"""What a finding means, and how the decks are looked after: the `[care]` table of a procedure file."""

from typing import Annotated, Final, Literal

from pydantic import Field

from dealer_flow.procedure.part import Clause, Name, Part

Then = Literal[
    "nothing", "dead-hand", "progressive-only", "misdeal", "complete", "person", "defective-deck", "unreliable"
]
"""What a finding means. `nothing`: recorded, play goes on. `dead-hand`: the hand at that place is dead, the table plays
on. `progressive-only`: a misdeal to the table; hands may be played for the progressive only. `misdeal`: the round is
void. `complete`: the hand gets the next card, after all others have theirs. `person`: a supervisor is called and rules:
calls the misdeal, or has play go on. `defective-deck`: every bet goes back, the deck leaves the table. `unreliable`:
nothing is settled, a person decides."""


class Consequence(Part):
    """What a finding means: `then`, or the `option` that decides between such words. `returns`: the bets that go back,
    at the seat for a dead hand, at every seat for a misdeal; absent: all of them, for progressive-only all but the
    progressive. `calls`: who must come at once."""

    then: Then | None = None
    option: Name | None = None
    returns: tuple[Name, ...] | None = None
    calls: Literal["supervisor"] | None = None
    clause: Clause


class CountEveryPart(Part):
    """The deck is counted at least every so many minutes: the flow asks for it."""

    minutes: Annotated[int, Field(ge=1, le=1440)]
    clause: Clause


class AgePart(Part):
    """A deck is changed after so many rounds, the option's value; `0` for no limit."""

    option: Name
    clause: Clause


class BurnedPart(Consequence):
    """Cards burned are kept from the discards until every card is dealt: what it means when they are not.
    `back_on_top`: who cannot deal at once may lay the card burned last back on the deck; it is burned again."""

    back_on_top: bool = False


class RunsOutPart(Part):
    """Fewer cards are left than are due. The option says what then, one of `RUNS_OUT`."""

    option: Name
    clause: Clause


RUNS_OUT: Final = ("scramble", "person", "misdeal")
"""`scramble`: the last card is not dealt but scrambled with the burned ones; one of them is burned, unless all are
needed, and the hands that lack cards get them by hand; where even these are too few, a person rules. `person`: a
supervisor rules: calls the misdeal, or has them dealt by hand."""


class CarePart(Part):
    """How the decks are looked after."""

    count_every: CountEveryPart | None = None
    age: AgePart | None = None
    burned: BurnedPart | None = None
    runs_out: RunsOutPart | None = None
    deck: Consequence
    """The whole deck's count is wrong, or cards do not add up."""
