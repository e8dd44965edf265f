"""The closed list of what hands may be asked to do, whoever they are: acts, faults, plug, cable, the run itself."""

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
"""Keys that a check presses to see that nothing comes of it: pressed is done, whatever the device makes of it."""

_RUN: Final = (
    HandAct(HELLO, "any", "A run begins: the {device} on {line}.", {
        "device": ActionField("device", "Device", "choice", ("shuffler", "table-controller", "shoe")),
        "line": ActionField("line", "Line", "text"),
    }),
    HandAct(NEW_CHECK, "any", "The check {check} begins: what was made to go wrong and did not happen is called off.", {
        "check": ActionField("check", "Check", "text"),
    }),
)  # fmt: skip
_POWER: Final = (
    HandAct(POWER_OFF, "any", "Switch the device off, by its plug.", {}),
    HandAct(POWER_ON, "any", "Switch the device on.", {}),
)
_CABLE: Final = (
    HandAct(CABLE_OUT, "any", "Pull the cable between the device and this machine; the device stays switched on.", {}),
    HandAct(CABLE_IN, "any", "Put the cable back.", {}),
)


@dataclass(frozen=True, slots=True)
class HandAction:
    """One of them. `doing` has its name, the device it is for (`any`: each), its sentence and its fields."""

    kind: HandActionKind
    doing: HandAct


@dataclass(frozen=True, slots=True)
class HandTask:
    """One thing to be done now: which action, with every field of it, and the sentence for a person."""

    action: str
    fields: Mapping[str, Any]
    say: str


@cache
def hand_actions() -> Mapping[str, HandAction]:
    """Every action by name, in the order of the page; no name is there twice."""
    parts: dict[HandActionKind, tuple[HandAct, ...]] = {
        "run": _RUN, "power": _POWER, "cable": _CABLE, "act": tuple(acts().values()), "fault": tuple(faults().values()),
    }  # fmt: skip
    return {doing.name: HandAction(kind, doing) for kind, part in parts.items() for doing in part}


def hand_task(action: str, fields: Mapping[str, object] = {}) -> HandTask:
    """This action with these fields, the others as they usually are; UnknownAct when a field cannot be."""
    doing = hand_actions()[action].doing
    filled = {name: plain(doing.fields[name], value) for name, value in doing.filled(fields).items()}
    return HandTask(action, filled, doing.instruction(fields))


def plain(field: ActionField, value: int | str) -> int | str:
    """The value as it stands in a line of JSON: one of several numbers is a number."""
    return int(value) if field.kind == "choice" and all(map(_WHOLE.fullmatch, field.choices)) else value
