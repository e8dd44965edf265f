"""The award procedure at the table controller, as data: where it stands, and every way on.

CO 47.1-1017.60 progressive (7)(D)-(H); WA NC 6, 9(d)-(h), MGL 7, 10(d)-(h).
"""

from enum import Enum
from typing import Final, NamedTuple


class AwardStage(Enum):
    """Where the award procedure stands."""

    BETS = "bets-open"
    GAME = "game"
    SPOT = "spot-selected"
    HAND = "hand-on"
    CONFIRMED = "confirmed"


MEANING: Final = {
    AwardStage.BETS: "progressive bets go onto the sensors; START GAME takes them",
    AwardStage.GAME: "the hand is dealt and played; no award is under way",
    AwardStage.SPOT: "the dealer selected the spot of a winner; its hand button is due",
    AwardStage.HAND: "a hand button is on; the supervisor verifies and confirms, or the button is pressed again",
    AwardStage.CONFIRMED: "the win is confirmed; a supervisor's or executive's card completes it",
}


class AwardStep(NamedTuple):
    """One way on: in any of `stages`, by `trigger`, to `dest`."""

    trigger: str
    stages: tuple[AwardStage, ...]
    dest: AwardStage


STEPS: Final = (
    AwardStep("START GAME", (AwardStage.BETS,), AwardStage.GAME),
    AwardStep("spot", (AwardStage.GAME, AwardStage.SPOT), AwardStage.SPOT),
    AwardStep("hand button on", (AwardStage.SPOT,), AwardStage.HAND),
    AwardStep("hand button off", (AwardStage.HAND, AwardStage.CONFIRMED), AwardStage.SPOT),
    AwardStep("CONFIRM", (AwardStage.HAND,), AwardStage.CONFIRMED),
    AwardStep("card", (AwardStage.CONFIRMED,), AwardStage.GAME),
    AwardStep("END GAME", (AwardStage.GAME, AwardStage.SPOT, AwardStage.HAND, AwardStage.CONFIRMED), AwardStage.BETS),
)

NEXT: Final = {(stage, step.trigger): step.dest for step in STEPS for stage in step.stages}
"""(stage, trigger) -> the stage it leads to; what is not here may not happen."""


def allowed(stage: AwardStage) -> list[str]:
    """What may happen next, in the order of the table."""
    return [step.trigger for step in STEPS if stage in step.stages]
