"""Toolkit for operator programs (`dealwire bench --operator-program`): a method for each action, and `serve`.

The protocol is described in `docs/bench-operator.md`. The module needs nothing beyond the standard library, so a jig
starts in a tenth of a second.
"""

import json
import sys
from collections.abc import Callable, Collection, Mapping
from typing import IO, Any, Final

SCHEMA: Final = "dealwire.hands/1"
"""Value of `schema` in every line of the bench."""


class CannotAct(Exception):
    """Raise this if the program has no way to do an action. The text is the reason in the report."""


class ActFailed(Exception):
    """Raise this if an action was tried and failed. The text is the reason in the report."""


class Hands:
    """Base class of an operator program. A method is named after its action, with `_` for `-`, and takes the action's
    fields by name: `def lift(self, to)`, `def power_off(self)`. Returning means done; raise CannotAct or ActFailed
    otherwise."""

    name = "operator program"
    """Name in the report."""
    patience_ms = 0
    """Extra time in milliseconds, from `done` to the device's event, that this operator needs."""

    def can(self) -> Collection[str]:
        """Return the actions that have a method."""
        names = {name for kind in type(self).__mro__ for name in vars(kind)} - {*dir(Hands)}
        return sorted(name.replace("_", "-") for name in names if name[0] != "_" and callable(getattr(self, name)))

    def do(self, action: str, fields: Mapping[str, Any]) -> None:
        """Do an action. Raise CannotAct if it has no method, ActFailed if it failed."""
        method: Callable[..., None] | None = getattr(self, action.replace("-", "_"), None)
        if action not in self.can() or method is None:
            raise CannotAct(f"{self.name} has no way to do {action!r}")
        method(**fields)

    def hello(self, device: str, line: str) -> None:
        """Start a run with this device on this line."""

    def new_check(self, check: str) -> None:
        """Start a check: cancel pending faults."""


def serve(hands: Hands, source: IO[str] | None = None, sink: IO[str] | None = None) -> None:
    """Answer each line of `source` (standard input) on `sink` (standard output), until the input ends."""
    source, sink = source or sys.stdin, sink or sys.stdout
    for line in source:
        if line.strip():
            sink.write(answer(hands, line).decode())
            sink.flush()


def answer(hands: Hands, line: str) -> bytes:
    """Return the answer to one line of the bench. Raise ValueError, KeyError or TypeError for an invalid line."""
    return json.dumps(_answer(hands, json.loads(line))).encode() + b"\n"


def _answer(hands: Hands, asks: Mapping[str, Any]) -> dict[str, Any]:
    action, fields = asks["action"], asks["with"]
    head = {"id": asks["id"]}
    try:
        if action == "hello":
            hands.hello(**fields)
            head |= {"name": hands.name, "can": sorted(hands.can()), "patience_ms": hands.patience_ms}
        elif action == "new-check":
            hands.new_check(**fields)
        else:
            hands.do(action, fields)
    except CannotAct as error:
        return head | {"result": "cannot", "why": str(error)}
    except ActFailed as error:
        return head | {"result": "failed", "why": str(error)}
    except Exception as error:  # one act that fails is no reason to leave the bench without hands
        return head | {"result": "failed", "why": f"{type(error).__name__}: {error}"}
    return head | {"result": "done"}
