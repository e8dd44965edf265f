"""Write a hands program for `dealwire bench --hands`: a method for each action, and `serve`; `docs/bench-hands.md`.

It needs nothing beyond the standard library, so a jig starts in a tenth of a second.
"""

import json
import sys
from collections.abc import Callable, Collection, Mapping
from typing import IO, Any, Final

SCHEMA: Final = "dealwire.hands/1"
"""What `schema` of every line of the bench says."""


class CannotAct(Exception):
    """These hands have no way to do it; the text is the reason in the report."""


class ActFailed(Exception):
    """It was tried and did not come off; the text is the reason in the report."""


class Hands:
    """Base of a hands program. A method is named after its action, `-` written `_`, and takes the action's fields by
    name: `def lift(self, to)`, `def power_off(self)`. What returns is done; CannotAct and ActFailed say why not."""

    name = "hands program"
    """What the report calls it."""
    patience_ms = 0
    """What the device may take longer because of these hands, from `done` to its event."""

    def can(self) -> Collection[str]:
        """The actions it can do: those that have a method of their own."""
        names = {name for kind in type(self).__mro__ for name in vars(kind)} - {*dir(Hands)}
        return sorted(name.replace("_", "-") for name in names if name[0] != "_" and callable(getattr(self, name)))

    def do(self, action: str, fields: Mapping[str, Any]) -> None:
        """Do it. CannotAct when there is no method for it, ActFailed when it did not come off."""
        method: Callable[..., None] | None = getattr(self, action.replace("-", "_"), None)
        if action not in self.can() or method is None:
            raise CannotAct(f"{self.name} has no way to do {action!r}")
        method(**fields)

    def hello(self, device: str, line: str) -> None:
        """A run begins, of this device on this line."""

    def new_check(self, check: str) -> None:
        """A check begins: whatever was made to go wrong and did not happen is called off."""


def serve(hands: Hands, source: IO[str] | None = None, sink: IO[str] | None = None) -> None:
    """Answer every line of `source` (standard input) with one on `sink` (standard output), until it ends."""
    source, sink = source or sys.stdin, sink or sys.stdout
    for line in source:
        if line.strip():
            sink.write(answer(hands, line).decode())
            sink.flush()


def answer(hands: Hands, line: str) -> bytes:
    """The line that answers one line of the bench. ValueError, KeyError or TypeError when that is none."""
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
