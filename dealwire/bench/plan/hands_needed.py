"""Which acts of hands a check cannot do without, read off its steps before it is made."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from dealwire.bench.hands.actions import CABLE_IN, CABLE_OUT, POWER_OFF, POWER_ON
from dealwire.bench.plan.plan import BenchPlan, Repeat
from dealwire.bench.verbs import device as d
from dealwire.bench.verbs.soak import Soak
from dealwire.bench.verbs.step import PlanStep

HandNeed = tuple[str, Mapping[str, Any]]
"""An action of `hand_actions`, and the fields that the plan gives."""


def hands_needed(steps: Iterable[PlanStep]) -> Iterator[HandNeed]:
    """Every act, fault and turn of plug or cable in these steps and in those within them. What brings a device into a
    state is not among them: that depends on the state it is in."""
    for step in steps:
        match step:
            case Repeat():
                yield from hands_needed(step.steps)
            case d.ActAtDevice():
                yield step.do, step.fields
            case d.Faulting():
                yield step.fault, step.fields
            case d.Power():
                yield from ((POWER_OFF, {}),) if step.power != "on" else ()
                yield from ((POWER_ON, {}),) if step.power != "off" else ()
            case d.Cable():
                yield from ((CABLE_OUT, {}),) if step.cable != "in" else ()
                yield from ((CABLE_IN, {}),) if step.cable != "out" else ()
            case d.DealPackets() if step.deal or step.finish:
                yield "lift", {}
            case d.WrongPacket():
                yield "lift", {}


def checks_for_hands(plan: BenchPlan) -> list[str]:
    """The checks that cannot be made without hands; others may need them to bring the device into a state."""
    return [check.id for check in plan.check if any(True for _ in hands_needed(check.steps)) or _soaks(check.steps)]


def _soaks(steps: Iterable[PlanStep]) -> bool:
    return any(isinstance(step, Soak) for step in steps)
