"""Metrics as Prometheus reads them: they agree with the events, follow its conventions, and show no card."""

import json
import re
import shutil
import socket
import subprocess
import urllib.request
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families

from dealer_flow.record.catalogue import INCIDENTS
from dealwire.export.metrics import MEASURES, VALUES_MAX, Metrics
from dealwire.export.metrics_server import MetricsServer
from dealwire.hub.health import ExportProgress, Health
from dealwire.hub.hub import QUEUE_MAX, Hub
from dealwire.hub.lines import Publication, StatusLine, Topic
from dealwire.hub.view import TROUBLE_KINDS, DeviceView, HeldView, TableView, TroubleView, UnknownView
from protocol.cards import RANKS, SUITS
from protocol.errors import LineBusy
from rules.settlement import HouseRake
from tests.support.dealing.written_rounds import seat_of, settled
from tests.support.rigs.brokers import eventually
from tests.support.rigs.export_lines import TABLE, told

PROMTOOL = shutil.which("promtool")


def view(**changes: Any) -> TableView:
    fields: dict[str, Any] = {
        "sequence": 1,
        "at_ns": 1,
        "table": TABLE,
        "procedure": "flushes-gone-wild.co",
        "title": "",
        "clause": "",
        "round": 7,
        "state": "betting",
        "lamp": "dark",
    }
    return TableView(**fields | changes)


class Rig:
    """A hub, and metrics that are read over HTTP."""

    def __init__(self, server: MetricsServer, hub: Hub) -> None:
        self.server, self.hub, self.sequence = server, hub, 0

    def publish(self, topic: Topic, line: str, at_ns: int = 5_000_000_000) -> None:
        self.sequence += 1
        self.hub.publish(Publication(self.sequence, TABLE, at_ns, topic, line))

    def text(self) -> str:
        with urllib.request.urlopen(self.server.address) as answer:
            found: str = answer.read().decode()
            return found

    def values(self) -> dict[tuple[str, ...], float]:
        """Name and label values, in the order of the labels -> value, as Prometheus' own parser reads them."""
        return {
            (sample.name, *(sample.labels[label] for label in MEASURES[family.name].labels)): sample.value
            for family in text_string_to_metric_families(self.text())
            for sample in family.samples
        }

    def counted(self) -> dict[tuple[str, ...], float]:
        """The values, once everything that was published is in them."""
        at = ("dealwire_last_line_sequence", TABLE)
        eventually(lambda: self.values().get(at) == self.sequence, "not counted")
        return self.values()


@pytest.fixture
def rig() -> Any:
    hub = Hub()
    with MetricsServer(Metrics(hub), port=0) as server:
        yield Rig(server, hub)


def test_lines_are_counted_to_the_cent(rig: Rig) -> None:
    for topic, line in told():
        rig.publish(topic, line)
    values = rig.counted()
    lines = [json.loads(line) for _, line in told()]
    bets = [bet for line in lines if line["type"] == "settlement" for bet in line["lines"]]
    assert bets
    for name in {bet["bet"] for bet in bets}:
        mine = [bet for bet in bets if bet["bet"] == name and bet["result"] != "held"]
        for metric, key in (("staked", "stake"), ("returned", "returned"), ("paid", "pay")):
            assert values[f"dealwire_{metric}_cents_total", TABLE, name] == sum(bet[key] for bet in mine)
    won = Counter((bet["bet"], bet["result"]) for bet in bets)
    assert {key[2:]: count for key, count in values.items() if key[0] == "dealwire_bets_total"} == won
    reports = Counter((line["device"], line["event"]) for line in lines if line["type"] == "event")
    assert {key[2:]: count for key, count in values.items() if key[0] == "dealwire_reports_total"} == reports
    rounds = Counter(line["outcome"] for line in lines if line["type"] == "round")
    assert {key[2]: count for key, count in values.items() if key[0] == "dealwire_rounds_total"} == rounds


def test_what_is_taken_of_pots_is_counted_by_kind(rig: Rig) -> None:
    """A tenth of $9.00 and of the side pot of $4.00, and a dollar for the jackpot, twice."""
    seats = [
        seat_of(1, "AH AD", small_blind=300),
        seat_of(2, "KH KD", big_blind=500),
        seat_of(3, "QH QD", pre_flop=500),
    ]
    rake = HouseRake("10", jackpot_cents=100)
    done = settled("holdem.co", seats, "2C 7D 9H JS 3C", button=3, terms={"token_cents": 10, "rake": rake})
    assert done.status == "settled"
    for _ in range(2):
        rig.publish("settlement", done.to_json())
    values = rig.counted()
    taken = {key[2]: cents for key, cents in values.items() if key[0] == "dealwire_taken_cents_total"}
    assert taken == {"rake": 260, "jackpot": 200}


def test_views_journal_and_broker_are_gauges() -> None:
    hub = Hub()
    journal = SimpleNamespace(failed=None, written_ns=7_900_000_000, head=SimpleNamespace(sequence=12))
    progress = {
        TABLE: ExportProgress(connected=True, sent=10, sequence=11, repeats=2, refused=4, failures=5, conflict=True)
    }
    health = Health()
    health.lag_ns, health.lines = 12_500_000, {(TABLE, "shuffler"): (3, 2**40)}
    health.dropped = {(TABLE, "shuffler"): 2**41}
    health.archive_missing, health.console_restarts = 2, 3
    health.disk_free, health.disk_size, health.clock_offset_ns = 2**42, 2**43, -2_500_000_000
    health.log.checkpoint_ns, health.log.stamped_ns = 1_790_000_000_900_000_000, 1_780_000_000_100_000_000
    health.log.cosigned, health.log.sizes, health.log.overdue = {"w": 1_790_000_001}, {"w": 12}, {"w": 1}
    lost = DeviceView(name="shuffler", kind="shuffler", address="a", link="waiting", problem="unplugged")
    up = DeviceView(
        name="controller", kind="table-controller", address="b", link="up", seal="sealed", sealed_with="ab" * 8
    )
    with MetricsServer(Metrics(hub, journal=journal, mqtt=progress, health=health), port=0) as server:
        rig = Rig(server, hub)
        held = HeldView(round=6, at_ns=1, cents=2500, why="a card was not read", clause="c")
        stopped = TroubleView(kind="safe-stop", title="", cause="the disk is full")
        hub.show(
            view(
                lamp="lit",
                red_lamp=0x101,
                safe_stop="the disk is full",
                meters={"major": 2**40},
                devices=(lost, up),
                held=(held, held.model_copy(update={"round": 5})),
                held_count=90_000,
                held_cents={"USD": 5000},
                unknown=UnknownView(since_ns=3_900_000_000, why="the table is in safe stop"),
                trouble=(stopped,),
            )
        )
        values = rig.values()
        expected = {
            ("dealwire_known", TABLE): 0,
            ("dealwire_unknown_since_timestamp_seconds", TABLE): 3,
            ("dealwire_red_lamp", TABLE): 1,
            ("dealwire_red_lamp_unknown", TABLE): 0,
            **{("dealwire_trouble", TABLE, kind): int(kind == "safe-stop") for kind in TROUBLE_KINDS},
            ("dealwire_open_held_cents", TABLE): 5000,
            ("dealwire_safe_stop", TABLE): 1,
            ("dealwire_round_number", TABLE): 7,
            ("dealwire_meter_cents", TABLE, "major"): 2**40,
            ("dealwire_link_up", TABLE, "shuffler"): 0,
            ("dealwire_link_up", TABLE, "controller"): 1,
            ("dealwire_device_trouble", TABLE, "shuffler"): 1,
            ("dealwire_device_trouble", TABLE, "controller"): 0,
            ("dealwire_line_sealed", TABLE, "shuffler"): 0,
            ("dealwire_line_sealed", TABLE, "controller"): 1,
            ("dealwire_line_frames_total", TABLE, "shuffler"): 3,
            ("dealwire_line_noise_bytes_total", TABLE, "shuffler"): 2**40,
            ("dealwire_line_dropped_bytes_total", TABLE, "shuffler"): 2**41,
            ("dealwire_loop_lag_seconds",): 0.0125,
            ("dealwire_clock_offset_seconds",): -2.5,
            ("dealwire_disk_free_bytes",): 2**42,
            ("dealwire_disk_size_bytes",): 2**43,
            ("dealwire_archive_missing",): 2,
            ("dealwire_console_restarts_total",): 3,
            ("dealwire_log_forks",): 0,
            ("dealwire_log_refused_total",): 0,
            ("dealwire_log_size",): 0,
            ("dealwire_log_checkpoint_timestamp_seconds",): 1_790_000_000,
            ("dealwire_log_stamped_timestamp_seconds",): 1_780_000_000,
            ("dealwire_log_cosigned_timestamp_seconds", "w"): 1_790_000_001,
            ("dealwire_log_cosigned_size", "w"): 12,
            ("dealwire_log_witness_overdue", "w"): 1,
            ("dealwire_journal_failed",): 0,
            ("dealwire_journal_written_timestamp_seconds",): 7,
            ("dealwire_beat_timestamp_seconds",): 0,
            ("dealwire_journal_records_total",): 12,
            ("dealwire_mqtt_connected", TABLE): 1,
            ("dealwire_mqtt_sent_lines_total", TABLE): 10,
            ("dealwire_mqtt_sent_sequence", TABLE): 11,
            ("dealwire_mqtt_repeats_total", TABLE): 2,
            ("dealwire_mqtt_refused_requests_total", TABLE): 4,
            ("dealwire_mqtt_failures_total", TABLE): 5,
            ("dealwire_mqtt_mark_conflict", TABLE): 1,
        }
        assert values == expected
        hub.show(view())
        journal.failed = "the disk is full"
        values = rig.values()
        assert (values["dealwire_red_lamp", TABLE], values["dealwire_safe_stop", TABLE]) == (0, 0)
        assert values["dealwire_journal_failed",] == 1
        hub.show(view(lamp="unknown"))
        values = rig.values()
        assert ("dealwire_red_lamp", TABLE) not in values, "it is not known"
        assert values["dealwire_red_lamp_unknown", TABLE] == 1
        hub.show(view(lamp="none"))
        values = rig.values()
        assert not {key for key in values if key[0].startswith("dealwire_red_lamp")}, "no device has one"


def test_names_keep_to_the_conventions(rig: Rig) -> None:
    """The conventions that `promtool check metrics` checks: prefix, unit at the end, counters in _total, help, no
    reserved label."""
    families = {family.name: family for family in text_string_to_metric_families(rig.text())}
    assert set(families) == set(MEASURES)
    for name, measure in MEASURES.items():
        assert re.fullmatch(r"dealwire_[a-z]+(_[a-z]+)*", name)
        assert families[name].type == measure.kind
        assert families[name].documentation == measure.what
        assert not name.endswith(("_total", "_count", "_sum", "_bucket", "_counter", "_gauge", "_milliseconds"))
        assert not {"le", "quantile", "instance", "job"} & set(measure.labels)
        assert measure.kind not in name.split("_")


@pytest.mark.skipif(PROMTOOL is None, reason="promtool is not installed (apt install prometheus)")
def test_promtool_finds_nothing_to_complain_of(rig: Rig) -> None:
    for topic, line in told():
        rig.publish(topic, line)
    rig.counted()
    rig.hub.show(view(meters={"major": 5}, devices=(DeviceView(name="a", kind="shoe", address="b", link="up"),)))
    assert PROMTOOL is not None
    done = subprocess.run([PROMTOOL, "check", "metrics"], input=rig.text(), capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_no_label_is_a_card_and_their_number_is_bounded(rig: Rig) -> None:
    for topic, line in told():
        rig.publish(topic, line)
    for number in range(VALUES_MAX + 50):
        status = StatusLine(table=TABLE, kind="action", text="AS KD").to_json()
        rig.publish("status", status.replace('"action"', f'"kind-{number}"'))
        rig.publish("incident", f'{{"type":"incident","code":"code-{number}","text":"AS"}}')
    values = rig.counted()
    kinds = [key for key in values if key[0] == "dealwire_status_changes_total"]
    assert len(kinds) == VALUES_MAX + 1
    assert values["dealwire_status_changes_total", TABLE, "other"] == 50
    codes = {key[2] for key in values if key[0] == "dealwire_incidents_total"}
    assert codes <= {*INCIDENTS, "other"}
    cards = {rank + suit for rank in RANKS for suit in SUITS}
    assert not cards & {word for key in values for value in key[1:] for word in value.split()}


def test_lines_that_came_too_fast_are_confessed() -> None:
    hub = Hub()
    metrics = Metrics(hub)
    rig = Rig(MetricsServer.__new__(MetricsServer), hub)
    for _ in range(QUEUE_MAX + 1):
        rig.publish("status", StatusLine(table=TABLE, kind="action", text="").to_json())
    with MetricsServer(metrics, port=0) as server:
        rig.server = server
        values = rig.counted()
    assert values["dealwire_metrics_missed_total",] == 1
    assert values["dealwire_status_changes_total", TABLE, "action"] == 1


def test_a_port_in_use_is_one_line() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(LineBusy) as caught:
            MetricsServer(Metrics(Hub()), port=port)
    assert str(caught.value) == f"metrics 127.0.0.1:{port}: in use by another program"


def test_the_guide_has_every_metric() -> None:
    page = (Path(__file__).parents[3] / "docs" / "exports.md").read_text(encoding="utf-8")
    for name, measure in MEASURES.items():
        assert f"| `{name}{'_total' if measure.kind == 'counter' else ''}` |" in page
