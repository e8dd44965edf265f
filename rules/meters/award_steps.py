"""Steps of the award procedure: its stages and the transitions between them."""

from enum import Enum
from typing import Final, NamedTuple


class AwardStage(Enum):
    """Stage of the award procedure."""

    BETS = "bets-open"
    """Progressive bets go onto the sensors; START GAME takes them."""
    GAME = "game"
    """The hand is dealt and played; no award is in progress."""
    SPOT = "spot-selected"
    """The dealer selected the spot of a winner; its hand button is due."""
    HAND = "hand-on"
    """A hand button is on; the supervisor verifies and confirms, or the button is pressed again."""
    CONFIRMED = "confirmed"
    """The win is confirmed; the card of a supervisor or executive completes it."""


class AwardStep(NamedTuple):
    """A transition by `trigger` from any of `stages` to `dest`."""

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
"""Next stage by (stage, trigger); a trigger that is missing is not allowed."""


def allowed(stage: AwardStage) -> list[str]:
    """Return the triggers that are allowed next, in the order of the table."""
    return [step.trigger for step in STEPS if stage in step.stages]
