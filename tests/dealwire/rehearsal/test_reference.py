"""People's actions at the reference devices, read from a scenario; without the programs."""

from collections import Counter
from pathlib import Path

import pytest
from click.testing import CliRunner

from dealwire.cli import main
from dealwire.rehearsal import reference
from dealwire.rehearsal.reference import acts_of
from dealwire.rehearsal.scenario import Scenario
from dealwire.rehearsal.scenario_file import find_scenario
from devices import events as e
from protocol.tdp.messages import ShufflerState


def of(name: str) -> Scenario:
    scenario = find_scenario(name)
    assert isinstance(scenario, Scenario)
    return scenario


def test_every_round_of_a_scenario_is_dealt() -> None:
    acts = acts_of(of("demo"))
    done = Counter(act.order.split()[0] for act in acts)
    assert done["start-game"] == done["end-game"] == 3
    assert done["green"] == 6, "the first packet and the remainder of each"
    assert done["clear-resume"] == 2
    assert {act.state for act in acts if act.order == "green"} == {ShufflerState.READY, ShufflerState.PACKET_WAIT}
    assert {act.device for act in acts} == {"shuffler", "table-controller"}


def test_what_goes_wrong_is_arranged_before_its_round() -> None:
    orders = [act.order for act in acts_of(of("player-short"))]
    assert orders.count("packet-count 3 -1 1") == 1
    assert orders.index("packet-count 3 -1 1") < orders.index("green")


def test_a_loss_of_power_is_one() -> None:
    orders = [act.order for act in acts_of(of("power-cycle"))]
    assert orders.index("power on") == orders.index("power off") + 1
    assert "clear-remove" in orders[orders.index("power on") :]


def test_without_the_program_one_line_says_what_is_missing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(reference, "BUILT", tmp_path / "tdp-device")
    monkeypatch.setenv("PATH", str(tmp_path))
    done = CliRunner().invoke(main, ["demo", "--no-wait", "--devices", "firmware"])
    assert done.exit_code not in (0, 1)
    assert "make firmware" in done.output
    assert "Traceback" not in done.output


@pytest.mark.parametrize(
    ("body", "order"),
    [
        (e.StakeShown(3, 45_000), "stake 3 45000"),
        (e.PlayerActed(3, e.BettingAction.RAISE, 900), "acted 3 2 0 900"),
        (e.PlayerActed(3, e.BettingAction.ALL_IN, 900, e.Manner.TIME_LIMIT), "acted 3 6 2 900"),
        (e.PotTaken(1, 3, 7_550), "take-pot 1 3 7550"),
    ],
)
def test_chips_are_keyed_at_the_controller(body: e.Body, order: str) -> None:
    assert reference.order_of(body) == order
