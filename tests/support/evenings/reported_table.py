"""Simulated tables with the report of every device, as a session would deliver it, on a clock of its own."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from dealer_flow.procedure.load import load_procedure
from dealwire.rehearsal.scenario import Scenario
from dealwire.rehearsal.scenario_file import load_scenario
from dealwire.table.redaction import PublishedTable
from dealwire.table.table import TableTerms
from devices.dialects.shuffler import ShufflerDriver
from devices.dialects.table_controller import TableControllerDriver
from devices.events import Seen
from protocol.tdp import Delivered
from rules.game.load import load_game
from tests.support.evenings.simulated_table import CONTROLLER, SHUFFLER, Evening


def reading(scenario: str, *, seed: int | None = None) -> Scenario:
    """Return a scenario dealt on a shuffler that reads faces, with cards of another seed if one is given."""
    loaded = load_scenario(scenario)
    return dataclasses.replace(loaded, recognition=True, seed=loaded.seed if seed is None else seed)


def colorado(name: str = "table-1") -> PublishedTable:
    game = "flushes-gone-wild.co"
    return PublishedTable(load_procedure(game), TableTerms(load_game(game), meters={"meter": 1_000_000}), name=name)


def reports(scenario: Scenario | str) -> Iterator[Seen]:
    """Yield all reports of both devices in a simulated evening, in order."""
    evening = Evening(scenario)
    evening.run()
    drivers = {SHUFFLER: ShufflerDriver(), CONTROLLER: TableControllerDriver()}
    sessions = dict.fromkeys(drivers, 0)
    for at_ns, (device, output) in enumerate(evening.seen):
        sessions[device] = getattr(output, "session", sessions[device])
        body = drivers[device].translate(output)
        if body is not None:
            number = output.message.number if isinstance(output, Delivered) else 0
            yield Seen(device, sessions[device], number, at_ns, body)
