"""The alerts that are shipped ask for metrics that there are, and the fleet's reader serves what they ask for."""

import re
import shutil
import subprocess
import urllib.request
from collections.abc import Iterator
from hashlib import sha256
from importlib import resources
from pathlib import Path

import pytest
from click.testing import CliRunner
from prometheus_client.parser import text_string_to_metric_families

from dealwire.cli import main
from dealwire.export.fleet.metrics import FLEET_MEASURES
from dealwire.export.metrics import MEASURES, Metrics
from dealwire.hub.hub import Hub
from dealwire.journal import Journal
from devices.clock import SystemClock
from tests.dealwire.export.test_fleet import Consuming, consuming, database, say, server
from tests.dealwire.export.test_fleet_hostile import TOPIC, broker, rolled_back
from tests.support.rigs.brokers import Mosquitto, eventually, needs_mosquitto
from tests.support.rigs.export_lines import TABLE, told
from tests.support.rigs.postgres import Postgres, needs_postgres

__all__ = ["broker", "database", "server"]
RULES = resources.files("dealwire.export").joinpath("files", "alerts.yml")
PROMTOOL = shutil.which("promtool")
OF_OTHERS = {"dealwire_disk_free_bytes", "dealwire_disk_size_bytes"}
"""Measured where the disk is looked at."""


def known() -> set[str]:
    every = [*MEASURES.items(), *FLEET_MEASURES.items()]
    return {f"{name}_total" if measure.kind == "counter" else name for name, measure in every}


def alerts() -> Iterator[dict[str, str]]:
    """Read as the plain YAML that they are written in."""
    for part in RULES.read_text().split("      - alert: ")[1:]:
        name, *lines = part.splitlines()
        yield {"alert": name, **dict(line.strip().split(": ", 1) for line in lines if ": " in line)}


def test_every_alert_asks_for_metrics_that_there_are() -> None:
    found = list(alerts())
    assert len({alert["alert"] for alert in found}) == len(found) >= 10
    for alert in found:
        assert re.fullmatch(r"Dealwire[A-Za-z]+", alert["alert"])
        metrics = set(re.findall(r"dealwire_\w+", alert["expr"]))
        assert metrics or "up{" in alert["expr"]
        assert metrics <= known() | OF_OTHERS, alert
        assert alert["summary"].startswith('"')
        assert alert["summary"].endswith('"')
        assert re.fullmatch(r"\d+m", alert.get("for", "1m"))


@pytest.mark.skipif(PROMTOOL is None, reason="promtool is not installed (apt install prometheus)")
def test_promtool_reads_them(tmp_path: Path) -> None:
    assert PROMTOOL is not None
    file = tmp_path / "alerts.yml"
    file.write_text(RULES.read_text())
    done = subprocess.run([PROMTOOL, "check", "rules", str(file)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_they_are_printed() -> None:
    done = CliRunner().invoke(main, ["fleet", "alerts"])
    assert (done.exit_code, done.stdout) == (0, RULES.read_text())


def values(consumer: Consuming) -> dict[tuple[str, ...], float]:
    """Name and label values -> value, as Prometheus' own parser reads them."""
    address = re.search(r"metrics: (\S+)", consumer.log())
    assert address is not None
    with urllib.request.urlopen(address.group(1), timeout=300) as answer:
        text = answer.read().decode()
    return {
        (sample.name, *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


@pytest.mark.more
@needs_mosquitto
@needs_postgres
def test_refused_messages_of_the_fleet_are_counted_by_kind(broker: Mosquitto, database: Postgres) -> None:
    with consuming(broker, database, "--metrics", "0") as consumer:
        rolled_back(database, broker, consumer)
        say(broker, TOPIC, b"[" * 1100)
        unreadable = ("dealwire_fleet_refused_total", "unreadable")
        eventually(lambda: values(consumer)[unreadable] == 1, "not counted")
        found = values(consumer)
    assert found["dealwire_fleet_refused_total", "contradicting"] == 2
    assert found["dealwire_fleet_lines_total",] == 3
    assert found["dealwire_fleet_listening",] == 1
    assert {name for name, *_ in found} <= known()


def test_the_head_is_a_number_that_can_be_held_to_the_journal(tmp_path: Path) -> None:
    hub = Hub()
    metrics = Metrics(hub)
    metrics.start()
    with Journal(tmp_path / "journal", key=None, clock=SystemClock()) as journal:
        for topic, line in told()[:50]:
            journal.publish(TABLE, topic, 5, line)
        journal.commit()
        for item in journal.outboxes.unsent("test", 100):
            hub.publish(item)
        last = journal.outboxes.unsent("test", 100)[-1]

    def now() -> dict[str, float]:
        return {sample.name: sample.value for family in metrics.collect() for sample in family.samples}

    eventually(lambda: now().get("dealwire_journal_head_sequence") == last.sequence, "not counted")
    digest = sha256(bytes.fromhex(last.hash)).hexdigest()
    assert now()["dealwire_journal_head_witness"] == int(digest[:12], 16) < 2**53
    metrics.stop()
