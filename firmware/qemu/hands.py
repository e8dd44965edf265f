"""Operator program for a reference device: power, cable and keys through its control socket.

    dealwire bench --shoe LINE --operator-program 'python -m firmware.qemu.hands CONTROL'

The socket is that of `firmware.qemu.board`, or of `tdp-device --control CONTROL`; both take the same orders.
"""

from __future__ import annotations

import socket
import sys
from collections.abc import Mapping
from typing import Any, Final

from dealwire.bench.hands.actions import KEYS_IN_VAIN, hand_actions
from dealwire.bench.hands.program import ActFailed, CannotAct, Hands, serve

SWITCHES: Final = {
    "power-off": "power off", "power-on": "power on", "cable-out": "cable out", "cable-in": "cable in",
}  # fmt: skip
CALL_OFF: Final = "call-off"
"""Order to the mechanism at a new check: cancel all pending faults."""


class DeviceHands(Hands):
    """Hands that pass each act on as one line: its name, then its fields as numbers in order."""

    name = "the reference device's own hands"

    def __init__(self, control: str) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.connect(control)
        self._answers = self._socket.makefile("r", encoding="ascii")
        self._device = ""

    def hello(self, device: str, line: str) -> None:
        """Start a run."""
        self._device = device

    def can(self) -> list[str]:
        """Return all acts possible at this device, except line faults."""
        actions = hand_actions().items()
        here = [name for name, action in actions if action.doing.device in (self._device, "any")]
        return [name for name in here if not name.startswith("line-")]

    def new_check(self, check: str) -> None:
        """Cancel the faults that were armed and did not happen."""
        self._order(CALL_OFF)

    def do(self, action: str, fields: Mapping[str, Any]) -> None:
        """Send one order and return the result."""
        numbers = [str(value) for value in fields.values() if isinstance(value, int)]
        answer = self._order(SWITCHES.get(action) or " ".join((action, *numbers)))
        if answer == "what?":
            raise CannotAct(f"the device does not know {action!r}")
        if answer != "ok" and not (answer == "no" and action in KEYS_IN_VAIN):
            raise ActFailed(f"the device says: {answer}")

    def _order(self, words: str) -> str:
        self._socket.sendall(words.encode("ascii") + b"\n")
        answer = self._answers.readline().strip()
        if not answer:
            raise ActFailed("the device's control socket was closed")
        return answer


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python -m firmware.qemu.hands CONTROL")
    serve(DeviceHands(sys.argv[1]))
