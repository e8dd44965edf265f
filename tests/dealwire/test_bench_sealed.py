"""The whole acceptance plans over a sealed line to simulated devices. What cannot be tested there says why."""

from __future__ import annotations

import pytest

from dealwire.bench.plan.plan import load_plan
from dealwire.bench.record import BenchOutcome
from dealwire.bench.run.reporting import report_of
from dealwire.bench.run.rig import SimulatedRig
from dealwire.bench.run.runner import BenchChoices, run_plan
from dealwire.bench.verbs.line import NO_ROOM
from devices.simulator.host import TableModel
from tests.support.rigs.sealed_bench import SealedTable

pytestmark = pytest.mark.more

NO_ROOM_FOR = {"frame.longest", "frame.both-cobs-forms", "frame.too-long"}


@pytest.mark.parametrize("device", ["shuffler", "shoe", "table-controller"])
def test_a_simulated_device_passes_its_whole_plan_over_a_sealed_line(device: str) -> None:
    layers = list[SealedTable]()

    def sealed(table: TableModel) -> TableModel:
        layers.append(SealedTable(table, device))
        return layers[0]

    rig = SimulatedRig(device, speed=50, wrap=sealed)
    rig.wire.sealed = True
    report = report_of(run_plan(load_plan(device), rig.wire, lambda _: rig.hands, BenchChoices(rounds=20)))
    bad = {each.id: each.why for each in report.checks if each.outcome is not BenchOutcome.PASSED}
    assert bad.pop("soak.rounds", "--rounds").startswith("--rounds")  # of a shuffler: fewer than the plan has
    assert bad == dict.fromkeys(NO_ROOM_FOR, NO_ROOM)
    (layer,) = layers
    assert layer.end.sealed
    assert layer.end.stats.opened > 1000
    assert layer.seal.end.closed
