"""Every scenario that the simulator's page prints is a whole file: pasted, it is read and dealt to its end."""

from pathlib import Path

import pytest

from dealwire.rehearsal.scenario_file import find_scenario
from dealwire.rehearsal.simulate import SPEED, hosted
from dealwire.rehearsal.tables import set_up
from devices.clock import ManualClock
from tests.support.reading.guides import FENCE, ROOT

PAGE = ROOT / "docs" / "simulator.md"
SCENARIOS = [found[2] for found in FENCE.finditer(PAGE.read_text(encoding="utf-8")) if found[1] == "toml"]


def test_the_page_prints_scenarios() -> None:
    assert len(SCENARIOS) >= 3


@pytest.mark.parametrize("text", SCENARIOS, ids=lambda text: text.splitlines()[0])
def test_a_printed_scenario_is_dealt(text: str, tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(text, encoding="utf-8")
    table, start_ns = set_up(find_scenario(file), speed=SPEED), ManualClock().now_ns()
    for now_ns in hosted(table, start_ns, lambda _: None):
        if table.finished:
            return
        assert now_ns < start_ns + 600 * 10**9, "it never ends"
