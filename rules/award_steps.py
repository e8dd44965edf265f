"""The award procedure at the table controller, as data: where it stands, and every way on.

CO 47.1-1017.60 progressive (7)(D)-(H); WA NC 6, 9(d)-(h), MGL 7, 10(d)-(h).
"""

from enum import Enum
from typing import Final, NamedTuple


class Stage(Enum):
    """Where the award procedure stands."""

    BETS = "bets-open"
    GAME = "game"
    SPOT = "spot-selected"
    HAND = "hand-on"
    CONFIRMED = "confirmed"


MEANING: Final = {
    Stage.BETS: "progressive bets go onto the sensors; START GAME takes them",
    Stage.GAME: "the hand is dealt and played; no award is under way",
    Stage.SPOT: "the dealer selected the spot of a winner; its hand button is due",
    Stage.HAND: "a hand button is on; the supervisor verifies and confirms, or the button is pressed again",
    Stage.CONFIRMED: "the win is confirmed; a supervisor's or executive's card completes it",
}


class Step(NamedTuple):
    """One way on: in any of `stages`, by `trigger`, to `dest`."""

    trigger: str
    stages: tuple[Stage, ...]
    dest: Stage


STEPS: Final = (
    Step("START GAME", (Stage.BETS,), Stage.GAME),
    Step("spot", (Stage.GAME, Stage.SPOT), Stage.SPOT),
    Step("hand button on", (Stage.SPOT,), Stage.HAND),
    Step("hand button off", (Stage.HAND, Stage.CONFIRMED), Stage.SPOT),
    Step("CONFIRM", (Stage.HAND,), Stage.CONFIRMED),
    Step("card", (Stage.CONFIRMED,), Stage.GAME),
    Step("END GAME", (Stage.GAME, Stage.SPOT, Stage.HAND, Stage.CONFIRMED), Stage.BETS),
)

NEXT: Final = {(stage, step.trigger): step.dest for step in STEPS for stage in step.stages}
"""(stage, trigger) -> the stage it leads to; what is not here may not happen."""


def allowed(stage: Stage) -> list[str]:
    """What may happen next, in the order of the table."""
    return [step.trigger for step in STEPS if stage in step.stages]
