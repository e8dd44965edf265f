"""Devices whose every text attacks the reader's terminal: run as a program, it serves `clean-3` on pseudo-terminals and
prints their addresses as JSON."""

from __future__ import annotations

import json
from dataclasses import replace as replaced
from typing import Any, Final
from unittest import mock

from msgspec.structs import replace

from dealwire.rehearsal.scenario import endless
from dealwire.rehearsal.scenario_file import load_scenario
from dealwire.rehearsal.serve import serve
from devices.simulator.shuffler import ShufflerModel
from devices.simulator.unit import Unit

HOSTILE: Final = "\x1b]0;P\x07\n\x1b[2J\x7f\rX"
"""Sets a terminal's title, starts a new line, clears the screen, deletes: 14 of the 16 characters, all of them ASCII,
that a device's model has room for."""


def main() -> None:
    """Serve until killed."""
    hello, switch_on = Unit._hello, ShufflerModel.power_on

    def hostile(unit: Unit) -> Any:
        return replace(hello(unit), maker=HOSTILE, model=HOSTILE, serial=HOSTILE, firmware=HOSTILE)

    def named(model: ShufflerModel, now_ns: int, *more: Any, **named: Any) -> Any:
        model.game = replaced(model.game, name=HOSTILE)
        return switch_on(model, now_ns, *more, **named)

    with mock.patch.object(Unit, "_hello", hostile), mock.patch.object(ShufflerModel, "power_on", named):
        serve(
            endless(load_scenario("clean-3")),
            lines={"shuffler": "pty", "table-controller": "pty"},
            ready=lambda addresses: print(json.dumps(addresses), flush=True),
            speed=40,
            forever=True,
        )


if __name__ == "__main__":
    main()
