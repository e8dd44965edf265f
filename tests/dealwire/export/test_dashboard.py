"""The dashboard and the alerts that are shipped, at a real Prometheus that reads a running table."""

import json
import re
import shutil
import subprocess
from collections.abc import Sequence
from contextlib import ExitStack
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from dealwire.cli import main
from tests.dealwire.export.test_alerts import alerts, known
from tests.support.rigs.brokers import Reader, eventually, needs_mosquitto, running_broker
from tests.support.rigs.prometheus import PROMTOOL, Prometheus, needs_prometheus, reading_metrics
from tests.support.rigs.serving import Program, simulators_here, write_configuration

FILES = resources.files("dealwire.export").joinpath("files")
RULES = FILES.joinpath("alerts.yml").read_text(encoding="utf-8")
DASHBOARD: dict[str, Any] = json.loads(FILES.joinpath("dashboard.json").read_text(encoding="utf-8"))
UNIT_TESTS = Path(__file__).with_name("alerts_test.yml")
MAY_BE_EMPTY = {
    "The house's share of what was staked, 24 hours",  # until something was staked in two readings
    "Incidents, an hour",
    "Trouble",
}


def queries() -> list[tuple[str, str]]:
    """Each panel's title and expression, as Grafana asks it for all tables."""
    return [
        (panel["title"], target["expr"].replace("$table", ".*"))
        for panel in DASHBOARD["panels"]
        for target in panel.get("targets", ())
    ]


def test_every_query_asks_for_metrics_that_there_are() -> None:
    assert len(queries()) >= 18
    for title, expression in queries():
        metrics = set(re.findall(r"dealwire_\w+", expression))
        assert metrics <= known(), title
        assert metrics or "up{" in expression, title


def test_panels_lie_beside_each_other_and_have_numbers_of_their_own() -> None:
    panels = DASHBOARD["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    places: set[tuple[int, int]] = set()
    for panel in panels:
        at = panel["gridPos"]
        cells = {(x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])}
        assert max(x for x, _ in cells) < 24, panel["title"]
        assert not cells & places, panel["title"]
        places |= cells


def test_it_is_printed() -> None:
    done = CliRunner().invoke(main, ["fleet", "dashboard"])
    assert (done.exit_code, json.loads(done.stdout)) == (0, DASHBOARD)


def test_every_alert_has_a_case_where_it_fires_and_one_where_it_does_not() -> None:
    cases = UNIT_TESTS.read_text()
    for alert in alerts():
        fires, does_not = (cases.count(f"- name: {alert['alert']} {how}") for how in ("fires\n", "does not"))
        assert (fires, does_not >= 1) == (1, True), alert["alert"]


@pytest.mark.more
@needs_prometheus
def test_they_fire_where_they_should_and_nowhere_else(tmp_path: Path) -> None:
    assert PROMTOOL is not None
    (tmp_path / "alerts.yml").write_text(RULES)
    shutil.copy(UNIT_TESTS, tmp_path)
    done = subprocess.run([PROMTOOL, "test", "rules", UNIT_TESTS.name], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.more
@needs_prometheus
@needs_mosquitto
def test_a_real_prometheus_answers_every_panel_of_a_running_table(tmp_path: Path) -> None:
    """Within seconds Prometheus shows that the state of a table without devices is unknown; so does the broker."""
    with running_broker(tmp_path / "broker") as broker, ExitStack() as devices:
        top = f'[exports.metrics]\nport = 0\n[exports.mqtt]\nurl = "{broker.url}"\nsite = "here"\n'
        more = "limit-cents = 10000\nmeters = { meter = 1000000 }"
        file = write_configuration(tmp_path, devices.enter_context(simulators_here()), top=top, more=more)
        with Program(file) as program, Reader(broker.port, "dealwire/v1/here/table-1/standing") as reader:
            program.wait_for(lambda: "metrics: http://" in program.text)
            [target] = re.findall(r"metrics: http://([^/\s]+)", program.text)
            with reading_metrics(tmp_path / "prometheus", target, RULES) as prometheus:
                for title, expression in queries():
                    if title in MAY_BE_EMPTY:
                        prometheus.query(expression)
                    else:
                        eventually(lambda each=expression: bool(prometheus.query(each)), title)  # type: ignore[misc]
                assert value(prometheus, "dealwire_known") == 1
                assert value(prometheus, "dealwire_red_lamp_unknown") == 0
                eventually(lambda: said(reader, known=True, lamp=("dark", "lit")), "the broker was not told")
                devices.close()
                eventually(lambda: value(prometheus, "dealwire_known") == 0, "still known")
                assert value(prometheus, "dealwire_red_lamp_unknown") == 1
                assert prometheus.query("dealwire_red_lamp") == []
                eventually(lambda: "DealwireUnknown" in prometheus.alerts(), "no alert is pending")
                eventually(lambda: said(reader, known=False, lamp=("unknown",)), "the broker says it is known")
                eventually(lambda: kinds(reader)[:2] == ["line", "line"], "the broker was not told of both lines")
                last = newest(reader)
                assert (last["state"], last["devices"]["shuffler"]) == (None, "waiting")


def value(prometheus: Prometheus, metric: str) -> float:
    [series] = prometheus.query(metric)
    return float(series["value"][1])


def said(reader: Reader, *, known: bool, lamp: Sequence[str]) -> bool:
    """Return True if the newest standing at the broker says so."""
    if not reader.others:
        return False
    last = newest(reader)
    return last["known"] == known and last["lamp"] in lamp


def kinds(reader: Reader) -> list[str]:
    """Return the kinds of trouble in the newest standing."""
    return [each["kind"] for each in newest(reader)["trouble"]]


def newest(reader: Reader) -> dict[str, Any]:
    """Return the newest standing at the broker."""
    standing: dict[str, Any] = json.loads(reader.others[-1][1])
    return standing
