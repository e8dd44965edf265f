"""Devices gone mad under the whole service: what they give is counted, the disk stays small, other tables deal on."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from dealwire.export.metrics import Metrics
from dealwire.service import table_session
from dealwire.service.service import Service
from devices.budget import BURST, RATE
from tests.support.broken.flooding_device import Flood
from tests.support.rigs.serving import Listener, compared, opened, run_until, simulators, write_configuration

pytestmark = pytest.mark.more

PIECES = {"zeros": bytes(65536), "noise": Random(1).randbytes(65536), "brackets": b"<" * 65536}


@pytest.mark.parametrize("piece", PIECES)
def test_a_flood_is_counted_and_told_once_and_the_other_table_deals_on(
    tmp_path: Path, piece: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table_session, "CALM_NS", 2_000_000_000)
    with Flood(PIECES[piece]) as flood, simulators() as addresses:
        mad = {"shuffler": flood.address, "table-controller": addresses[0]["table-controller"]}
        file = write_configuration(tmp_path, [addresses[0], {**mad, "table-controller": "tcp://127.0.0.1:1"}])
        service, listener = opened(file)
        metrics = Metrics(service.hub, health=service.health)
        with service:
            begins_ns = service.clock.now_ns()
            budget = service.tables["table-2"].budgets["shuffler"]
            run_until(service, lambda: "counted, not kept" in problem_of(service))
            run_until(service, lambda: budget.dropped > 20 * BURST)
            rounds = service.tables["table-1"].rounds
            run_until(service, lambda: service.tables["table-1"].rounds >= rounds + 3)
            flood.calm.set()
            now_ns = service.clock.now_ns()
            service.run(1.1)
            found = {family.name: family.samples for family in metrics.collect()}["dealwire_line_dropped_bytes"]
            run_until(service, lambda: len(warnings(listener)) == 2)
    samples = {sample.labels["table"]: sample.value for sample in found if sample.labels["device"] == "shuffler"}
    assert samples["table-1"] == 0, "no simulated table comes near its budget"
    assert samples["table-2"] > 20 * BURST
    assert warnings(listener) == [
        f"shuffler: more than {RATE:,} bytes a second arrive; the excess is counted, not kept",
        f"shuffler: the line is within its limit again; {budget.dropped:,} bytes were not kept",
    ]
    size = sum(file.stat().st_size for file in tmp_path.glob("journal.sqlite*"))
    seconds = (now_ns - begins_ns) / 1e9
    assert size < 4 * BURST + 200_000 * seconds, "with all that the other table dealt, where the flood is much more"
    found_again = compared(tmp_path)
    assert (found_again.difference, found_again.pending) == (None, [])


def problem_of(service: Service) -> str:
    """Return the problem of the shuffler in the flooded table's view."""
    (problem,) = (each.problem for each in service.hub.views()["table-2"].devices if each.name == "shuffler")
    return problem or ""


def warnings(listener: Listener) -> list[str]:
    return [line["text"] for line in listener.of("status") if line["kind"] == "warning"]
