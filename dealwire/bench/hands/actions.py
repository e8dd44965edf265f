"""Complete list of the actions that an operator may be asked to do: acts, faults, power, cable, and the run itself."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, Literal

from dealwire.hub.actions import ActionField
from dealwire.rehearsal.faults import HandAct, acts, faults

HandActionKind = Literal["act", "cable", "fault", "power", "run"]

_WHOLE: Final = re.compile("-?[0-9]+")

HELLO: Final = "hello"
NEW_CHECK: Final = "new-check"
POWER_ON: Final = "power-on"
POWER_OFF: Final = "power-off"
CABLE_OUT: Final = "cable-out"
CABLE_IN: Final = "cable-in"
KEYS_IN_VAIN: Final = frozenset({"start-game", "end-game"})
"""Keys that a check presses to see that they have no effect. Pressing them counts as done, whatever the device does."""

_RUN: Final = (
    HandAct(HELLO, "any", "A run begins: the {device} on {line}.", {
        "device": ActionField("device", "Device", "choice", ("shuffler", "table-controller", "shoe")),
        "line": ActionField("line", "Line", "text"),
    }),
    HandAct(NEW_CHECK, "any", "The check {check} begins: cancel armed faults that did not occur.", {
        "check": ActionField("check", "Check", "text"),
    }),
)  # fmt: skip
_POWER: Final = (
    HandAct(POWER_OFF, "any", "Switch the device off, or unplug it.", {}),
    HandAct(POWER_ON, "any", "Switch the device on, or plug it in again.", {}),
)
_CABLE: Final = (
    HandAct(CABLE_OUT, "any", "Pull the cable between the device and this machine; the device stays switched on.", {}),
    HandAct(CABLE_IN, "any", "Put the cable back.", {}),
)


@dataclass(frozen=True, slots=True)
class HandAction:
    """Action with its kind. `doing` holds its name, its device (`any` for all), its instruction and its fields."""

    kind: HandActionKind
    doing: HandAct


@dataclass(frozen=True, slots=True)
class HandTask:
    """Action to do now, with a value for every field, and the instruction for a person."""

    action: str
    fields: Mapping[str, Any]
    say: str


@cache
def hand_actions() -> Mapping[str, HandAction]:
    """Return every action by name, in the order of the documentation. Names are unique."""
    parts: dict[HandActionKind, tuple[HandAct, ...]] = {
        "run": _RUN, "power": _POWER, "cable": _CABLE, "act": tuple(acts().values()), "fault": tuple(faults().values()),
    }  # fmt: skip
    return {doing.name: HandAction(kind, doing) for kind, part in parts.items() for doing in part}


def hand_task(action: str, fields: Mapping[str, object] = {}) -> HandTask:
    """Return the task for an action with these fields, and defaults for the others. Raise UnknownAct for an impossible
    value."""
    doing = hand_actions()[action].doing
    filled = {name: plain(doing.fields[name], value) for name, value in doing.filled(fields).items()}
    return HandTask(action, filled, doing.instruction(fields))


def plain(field: ActionField, value: int | str) -> int | str:
    """Return the value as JSON writes it: a choice among numbers is a number."""
    return int(value) if field.kind == "choice" and all(map(_WHOLE.fullmatch, field.choices)) else value
