"""Prometheus metrics: counters from published lines, gauges from the newest view of each table.

Values are kept as integers. Label values come from the configuration, the catalogs and the game files; text from a
device or a person is never a label, nor is a card.
"""

import json
import threading
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple, Protocol

from prometheus_client import CollectorRegistry
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from dealer_flow.record.catalogue import INCIDENTS
from dealwire.export.witness import witness
from dealwire.hub.health import ExportProgress, Health, LogHealth
from dealwire.hub.hub import Hub, HubReader
from dealwire.hub.lines import Publication
from dealwire.hub.view import TROUBLE_KINDS, TableView
from dealwire.journal import Journal

NS: Final = 1_000_000_000
VALUES_MAX: Final = 200
"""Maximum number of values of a label per metric. Further values are counted as `other`."""


class MetricSpec(NamedTuple):
    """Metric: kind, labels, help text."""

    kind: Literal["counter", "gauge"]
    labels: tuple[str, ...]
    what: str
    parts: int = 1
    """Divisor from the counted number to the metric's unit."""


def counter(labels: str, what: str) -> MetricSpec:
    """Return a counter. `labels` are separated by spaces."""
    return MetricSpec("counter", tuple(labels.split()), what)


def gauge(labels: str, what: str, parts: int = 1) -> MetricSpec:
    """Return a gauge."""
    return MetricSpec("gauge", tuple(labels.split()), what, parts)


def families(
    measures: Mapping[str, MetricSpec], samples: Mapping[str, Mapping[tuple[str, ...], int]]
) -> Iterable[Metric]:
    """Yield every metric with its samples."""
    for name, measure in measures.items():
        make = CounterMetricFamily if measure.kind == "counter" else GaugeMetricFamily
        family = make(name, measure.what, labels=measure.labels)
        for values, value in samples.get(name, {}).items():
            family.add_metric(values, value if measure.parts == 1 else value / measure.parts)
        yield family


MEASURES: Final = {
    "dealwire_rounds": counter("table outcome", "Finished rounds."),
    "dealwire_incidents": counter("table code", "Incidents, by the code of docs/incidents.md."),
    "dealwire_settlements": counter("table status", "Settlements: settled, partly-held or held."),
    "dealwire_bets": counter("table bet result", "Bets, by result."),
    "dealwire_staked_cents": counter("table bet", "Stakes of settled bets, in cents."),
    "dealwire_returned_cents": counter("table bet", "Stakes returned to players, in cents."),
    "dealwire_paid_cents": counter("table bet", "Payouts to players without the stake, in cents."),
    "dealwire_held_cents": counter("table bet", "Held stakes, in cents."),
    "dealwire_taken_cents": counter(
        "table kind", "Money taken from pots, in cents: `rake`, `jackpot`, `pool-rake`, or `house` if everyone folded."
    ),
    "dealwire_awards": counter("table kind", "Steps of the award procedure."),
    "dealwire_meter_steps": counter("table kind", "Steps of progressive meters."),
    "dealwire_reports": counter("table device event", "Device reports."),
    "dealwire_link_losses": counter("table device", "Lost connections of a device's line."),
    "dealwire_status_changes": counter("table kind", "Lines of type status."),
    "dealwire_metrics_missed": counter("", "Times that lines came too fast to be counted; should be 0."),
    "dealwire_link_up": gauge("table device", "1 if the device answers."),
    "dealwire_device_trouble": gauge("table device", "1 if the device has a problem."),
    "dealwire_known": gauge(
        "table",
        "1 if every device of the table is connected and its reports are accepted; otherwise the state of the round"
        " is unknown.",
    ),
    "dealwire_unknown_since_timestamp_seconds": gauge("table", "Start of the unknown state; absent while it is known."),
    "dealwire_red_lamp": gauge("table", "1 if the red lamp is lit; absent if there is none or its state is unknown."),
    "dealwire_red_lamp_unknown": gauge("table", "1 if the state of the red lamp is unknown; absent if there is none."),
    "dealwire_trouble": gauge("table kind", "Current problems, by kind, as in the console's banners."),
    "dealwire_open_held_cents": gauge("table", "Held stakes that are not yet released, in cents."),
    "dealwire_safe_stop": gauge("table", "1 if the table is stopped until someone has checked it."),
    "dealwire_round_number": gauge("table", "Number of the last known round, current or finished."),
    "dealwire_meter_cents": gauge("table meter", "Value of a progressive meter, in cents."),
    "dealwire_last_line_timestamp_seconds": gauge("table", "Time of the newest line in the journal."),
    "dealwire_last_line_sequence": gauge("table", "Sequence of the newest line in the journal."),
    "dealwire_line_sealed": gauge("table device", "1 while the line is up and sealed, 0 while it is in clear or away."),
    "dealwire_line_frames": counter("table device", "Frames received on the line."),
    "dealwire_line_noise_bytes": counter("table device", "Bytes received that belong to no frame."),
    "dealwire_line_dropped_bytes": counter("table device", "Bytes dropped beyond the line's rate limit."),
    "dealwire_loop_lag_seconds": gauge("", "Longest wait of a line for the event loop in the last minute.", NS),
    "dealwire_clock_offset_seconds": gauge("", "Host's clock minus the time of the record.", NS),
    "dealwire_disk_free_bytes": gauge("", "Free space on the journal's disk."),
    "dealwire_disk_size_bytes": gauge("", "Size of the journal's disk."),
    "dealwire_archive_missing": gauge(
        "", "Finished days that are not complete in the archive; they stay in the journal."
    ),
    "dealwire_console_restarts": counter(
        "", "Times that the console's process ended and was started again; absent if the service starts none."
    ),
    "dealwire_certificate_expires_timestamp_seconds": gauge(
        "for",
        "End of the certificate of `console`, `metrics` or a line `TABLE/DEVICE`, or of what it depends on if that ends"
        " earlier.",
    ),
    "dealwire_log_size": gauge("", "Leaves of the newest published checkpoint of the journal; 0 if there is none."),
    "dealwire_log_forks": gauge("", "Forks of the journal's log that a witness has proven."),
    "dealwire_log_refused": counter("", "Messages about the journal's log that are not believed."),
    "dealwire_log_cosigned_timestamp_seconds": gauge(
        "by", "Time of each witness's newest signature on a checkpoint; 0 if there is none."
    ),
    "dealwire_log_cosigned_size": gauge("by", "Leaves of the checkpoint that each witness signed last."),
    "dealwire_log_witness_overdue": gauge(
        "by", "1 if a needed witness has not signed for 24 h, as the tables' consoles show."
    ),
    "dealwire_log_checkpoint_timestamp_seconds": gauge("", "Time of the newest checkpoint; 0 before the first."),
    "dealwire_log_stamped_timestamp_seconds": gauge(
        "", "Time of the newest time stamp; 0 before the first, absent if none is wanted."
    ),
    "dealwire_journal_failed": gauge("", "1 if the journal accepts no more records."),
    "dealwire_journal_written_timestamp_seconds": gauge("", "Time at which a record was last on the disk."),
    "dealwire_beat_timestamp_seconds": gauge("", "Time of the event loop's last check, which it does once a second."),
    "dealwire_journal_records": counter("", "Records in the journal."),
    "dealwire_reader_faults": counter("reader", "Internal errors that lost data of an export or of the metrics."),
    "dealwire_ndjson_failed": gauge("", "1 if lines can no longer be written to standard output."),
    "dealwire_ndjson_lines": counter("", "Lines written to standard output."),
    "dealwire_ndjson_lost_lines": counter(
        "", "Lines lost on standard output: the reader was too slow, or writing failed."
    ),
    "dealwire_mqtt_connected": gauge("table", "1 if the table is connected to the broker."),
    "dealwire_mqtt_sent_lines": counter("table", "Lines that the broker has acknowledged, including repetitions."),
    "dealwire_mqtt_sent_sequence": gauge("table", "Sequence of the newest acknowledged line; later ones wait."),
    "dealwire_mqtt_repeats": counter("table", "Repetitions of lines for readers that missed them."),
    "dealwire_mqtt_refused_requests": counter("table", "Invalid or retained requests on the topic `again`."),
    "dealwire_mqtt_failures": counter("table", "Internal errors that ended a table's connection to the broker."),
    "dealwire_mqtt_mark_conflict": gauge("table", "1 if the broker knows lines that the journal does not have."),
    "dealwire_journal_opening_info": gauge("epoch", "1, labeled with the opening that wrote the newest line."),
    "dealwire_journal_head_sequence": gauge("", "Sequence of the newest published line."),
    "dealwire_journal_head_witness": gauge("", "First 12 hexadecimal digits of that line's witness, as a number."),
}
"""Metrics by name. Samples of a counter end in `_total`, as the exposition format requires."""


Samples = dict[str, Counter[tuple[str, ...]]]


class Metrics(HubReader, Collector):
    """Collector that counts what the hub publishes, in a thread of its own, and adds the gauges when it is read.

    `registry` contains only this collector; others may be registered there.
    """

    def __init__(
        self,
        hub: Hub,
        *,
        journal: Journal | None = None,
        mqtt: Mapping[str, ExportProgress] | None = None,
        health: Health | None = None,
    ) -> None:
        self.registry = CollectorRegistry()
        super().__init__(hub, "metrics")
        self._journal, self._mqtt, self._health = journal, mqtt or {}, health
        self._lock = threading.Lock()
        self._counted: Samples = defaultdict(Counter)
        self._last: dict[str, Publication] = {}
        self._seen: dict[tuple[str, int], set[str]] = defaultdict(set)
        self.registry.register(self)

    def collect(self) -> Iterable[Metric]:
        """Return every metric with its current samples."""
        gauges = self._gauges()
        with self._lock:
            found = {name: Counter(samples) for name, samples in self._counted.items()}
        return families(MEASURES, {name: dict(sorted(each.items())) for name, each in {**gauges, **found}.items()})

    def describe(self) -> Iterable[Metric]:
        """Return nothing, so that registration does not count."""
        return ()

    # ------------------------------------------------------------------ counting

    def take(self, items: Sequence[Publication], missed: bool) -> None:
        """Count these lines."""
        with self._lock:
            if missed:
                self._counted["dealwire_metrics_missed"][()] += 1
            for item in items:
                self._count(item)

    def _count(self, item: Publication) -> None:
        self._last[item.table] = item
        content = json.loads(item.line)
        for name, values, value in _COUNTS[item.topic](content):
            labels = tuple(self._bounded(name, place, text) for place, text in enumerate((item.table, *values)))
            self._counted[name][labels] += value

    def _bounded(self, name: str, place: int, text: str) -> str:
        """Return a label value, or `other` if there are too many different ones."""
        known = self._seen[name, place]
        if text not in known and len(known) >= VALUES_MAX:
            return "other"
        known.add(text)
        return text

    # ------------------------------------------------------------------ gauges

    def _gauges(self) -> Samples:
        out: Samples = defaultdict(Counter)
        for view in self._hub.views().values():
            _of_view(view, out)
        with self._lock:
            last = dict(self._last)
        for table, item in last.items():
            out["dealwire_last_line_timestamp_seconds"][table,] = item.at_ns // NS
            out["dealwire_last_line_sequence"][table,] = item.sequence
        head = max(last.values(), key=lambda item: item.sequence, default=None)
        if head is not None and head.hash:
            out["dealwire_journal_opening_info"][head.epoch,] = 1
            out["dealwire_journal_head_sequence"][()] = head.sequence
            # A number, because a label that is another at each reading would be a series of its own each time.
            out["dealwire_journal_head_witness"][()] = int(witness(head.hash)[:12], 16)
        if self._journal is not None:
            out["dealwire_journal_failed"][()] = int(self._journal.failed is not None)
            out["dealwire_journal_records"][()] = self._journal.head.sequence
            out["dealwire_journal_written_timestamp_seconds"][()] = self._journal.written_ns // NS
        if self._health is not None:
            _of_health(self._health, out)
        for reader, count in self._hub.faults().items():
            out["dealwire_reader_faults"][reader,] = count
        for table, progress in self._mqtt.items():
            out["dealwire_mqtt_connected"][table,] = int(progress.connected)
            out["dealwire_mqtt_sent_lines"][table,] = progress.sent
            out["dealwire_mqtt_sent_sequence"][table,] = progress.sequence
            out["dealwire_mqtt_repeats"][table,] = progress.repeats
            out["dealwire_mqtt_refused_requests"][table,] = progress.refused
            out["dealwire_mqtt_failures"][table,] = progress.failures
            out["dealwire_mqtt_mark_conflict"][table,] = int(progress.conflict)
        return out


def _of_health(health: Health, out: Samples) -> None:
    out["dealwire_beat_timestamp_seconds"][()] = health.beat_ns // NS
    out["dealwire_loop_lag_seconds"][()] = health.lag_ns
    out["dealwire_clock_offset_seconds"][()] = health.clock_offset_ns
    out["dealwire_disk_free_bytes"][()] = health.disk_free
    out["dealwire_disk_size_bytes"][()] = health.disk_size
    out["dealwire_archive_missing"][()] = health.archive_missing
    if health.console_restarts is not None:
        out["dealwire_console_restarts"][()] = health.console_restarts
    for server, ends_ns in health.certificates.copy().items():
        out["dealwire_certificate_expires_timestamp_seconds"][server,] = ends_ns // NS
    _of_log(health.log, out)
    for labels, (frames, noise) in health.lines.copy().items():
        out["dealwire_line_frames"][labels] = frames
        out["dealwire_line_noise_bytes"][labels] = noise
    for labels, dropped in health.dropped.copy().items():
        out["dealwire_line_dropped_bytes"][labels] = dropped
    if (ndjson := health.ndjson) is not None:
        out["dealwire_ndjson_failed"][()] = int(ndjson.failed is not None)
        out["dealwire_ndjson_lines"][()] = ndjson.written
        out["dealwire_ndjson_lost_lines"][()] = ndjson.lost


def _of_log(log: LogHealth, out: Samples) -> None:
    out["dealwire_log_size"][()] = log.size
    out["dealwire_log_forks"][()] = log.forks
    for by, seconds in log.cosigned.copy().items():
        out["dealwire_log_cosigned_timestamp_seconds"][by,] = seconds
    out["dealwire_log_refused"][()] = log.refusals
    for by, size in log.sizes.copy().items():
        out["dealwire_log_cosigned_size"][by,] = size
    for by, overdue in log.overdue.items():
        out["dealwire_log_witness_overdue"][by,] = overdue
    out["dealwire_log_checkpoint_timestamp_seconds"][()] = log.checkpoint_ns // NS
    if log.stamped_ns is not None:
        out["dealwire_log_stamped_timestamp_seconds"][()] = log.stamped_ns // NS


def _of_view(view: TableView, out: Samples) -> None:
    table = view.table
    out["dealwire_known"][table,] = int(view.unknown is None)
    if view.unknown is not None:
        out["dealwire_unknown_since_timestamp_seconds"][table,] = view.unknown.since_ns // NS
    if view.lamp != "none":
        out["dealwire_red_lamp_unknown"][table,] = int(view.lamp == "unknown")
    if view.lamp in ("lit", "dark"):
        out["dealwire_red_lamp"][table,] = int(view.lamp == "lit")
    for kind in TROUBLE_KINDS:
        out["dealwire_trouble"][table, kind] = sum(each.kind == kind for each in view.trouble)
    out["dealwire_open_held_cents"][table,] = sum(view.held_cents.values())
    out["dealwire_safe_stop"][table,] = int(view.safe_stop is not None)
    out["dealwire_round_number"][table,] = view.round
    for meter, cents in view.meters.items():
        out["dealwire_meter_cents"][table, meter] = cents
    for device in view.devices:
        out["dealwire_link_up"][table, device.name] = int(device.link == "up")
        out["dealwire_device_trouble"][table, device.name] = int(device.problem is not None)
        out["dealwire_line_sealed"][table, device.name] = int(device.link == "up" and device.seal == "sealed")


# ------------------------------------------------------------------ what a line counts: metric, labels after the table

Count = tuple[str, tuple[str, ...], int]


def _event(line: dict[str, Any]) -> Iterable[Count]:
    yield "dealwire_reports", (line["device"], line["event"]), 1
    if line["event"] == "LinkLost":
        yield "dealwire_link_losses", (line["device"],), 1


def _settlement(line: dict[str, Any]) -> Iterable[Count]:
    yield "dealwire_settlements", (line["status"],), 1
    for bet in line["lines"]:
        name = (bet["bet"],)
        yield "dealwire_bets", (bet["bet"], bet["result"]), 1
        if bet["result"] == "held":
            yield "dealwire_held_cents", name, bet["stake"]
            continue
        yield "dealwire_staked_cents", name, bet["stake"]
        yield "dealwire_returned_cents", name, bet["returned"]
        yield "dealwire_paid_cents", name, bet["pay"]
    for pot in line.get("pots", ()):
        for kind, key in (("rake", "rake"), ("jackpot", "jackpot_rake"), ("house", "to_house")):
            if cents := pot.get(key, 0):
                yield "dealwire_taken_cents", (kind,), cents
    if cents := (line.get("pool") or {}).get("rake", 0):
        yield "dealwire_taken_cents", ("pool-rake",), cents


_COUNTS: Final[dict[str, Callable[[dict[str, Any]], Iterable[Count]]]] = {
    "event": _event,
    "incident": lambda line: [("dealwire_incidents", (line["code"] if line["code"] in INCIDENTS else "other",), 1)],
    "round": lambda line: [("dealwire_rounds", (line["outcome"],), 1)],
    "settlement": _settlement,
    "award": lambda line: [("dealwire_awards", (line["kind"],), 1)],
    "meter": lambda line: [("dealwire_meter_steps", (line["kind"],), 1)],
    "status": lambda line: [("dealwire_status_changes", (line["kind"],), 1)],
}


class MetricSource(Protocol):
    """Source of `/metrics`: a registry, and what fills it while it is served."""

    registry: CollectorRegistry

    def start(self) -> None:
        """Start; it is served from now on."""

    def stop(self) -> None:
        """Stop."""
