"""What Prometheus reads: counters from the lines that are made known, gauges from the newest view of each table.

Numbers are kept as integers. Label values come from the configuration, the catalogues and the game files; whatever a
device or a person writes never becomes one, nor does a card.
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
from dealwire.hub.health import ExportProgress, Health
from dealwire.hub.hub import Hub, HubReader
from dealwire.hub.lines import Publication
from dealwire.hub.view import TROUBLE_KINDS, TableView
from dealwire.journal import Journal

NS: Final = 1_000_000_000
VALUES_MAX: Final = 200
"""Different values of one label of one metric; further ones are counted as `other`."""


class MetricSpec(NamedTuple):
    """One metric: whether it only rises, its labels, and what it says."""

    kind: Literal["counter", "gauge"]
    labels: tuple[str, ...]
    what: str
    parts: int = 1
    """How many of what is counted make one of the metric's unit."""


def counter(labels: str, what: str) -> MetricSpec:
    """A metric that only rises; `labels` with blanks between them."""
    return MetricSpec("counter", tuple(labels.split()), what)


def gauge(labels: str, what: str, parts: int = 1) -> MetricSpec:
    """A metric that is as it is now."""
    return MetricSpec("gauge", tuple(labels.split()), what, parts)


def families(
    measures: Mapping[str, MetricSpec], samples: Mapping[str, Mapping[tuple[str, ...], int]]
) -> Iterable[Metric]:
    """Every metric with its samples."""
    for name, measure in measures.items():
        make = CounterMetricFamily if measure.kind == "counter" else GaugeMetricFamily
        family = make(name, measure.what, labels=measure.labels)
        for values, value in samples.get(name, {}).items():
            family.add_metric(values, value if measure.parts == 1 else value / measure.parts)
        yield family


MEASURES: Final = {
    "dealwire_rounds": counter("table outcome", "Rounds that ended."),
    "dealwire_incidents": counter("table code", "Incidents, by the code of docs/incidents.md."),
    "dealwire_settlements": counter("table status", "Settlements: settled, partly-held or held."),
    "dealwire_bets": counter("table bet result", "Bets, by how they came out."),
    "dealwire_staked_cents": counter("table bet", "Stakes of bets that were settled, in cents."),
    "dealwire_returned_cents": counter("table bet", "Stakes that went back to players, in cents."),
    "dealwire_paid_cents": counter("table bet", "Pays to players without the stake, in cents."),
    "dealwire_held_cents": counter("table bet", "Stakes left for a person to decide, in cents."),
    "dealwire_taken_cents": counter(
        "table kind", "What was taken of pots, in cents: `rake`, `jackpot`, `pool-rake`, `house` when everybody folded."
    ),
    "dealwire_awards": counter("table kind", "Steps of the award procedure."),
    "dealwire_meter_steps": counter("table kind", "Steps of progressive meters."),
    "dealwire_reports": counter("table device event", "Reports of devices."),
    "dealwire_link_losses": counter("table device", "How often a line was lost."),
    "dealwire_status_changes": counter("table kind", "Lines of type status."),
    "dealwire_metrics_missed": counter("", "How often lines came too fast to be counted; 0 or look at it."),
    "dealwire_link_up": gauge("table device", "1 while the device answers."),
    "dealwire_device_trouble": gauge("table device", "1 while a person should look into the device."),
    "dealwire_known": gauge(
        "table",
        "1 while every device of the table is heard and what it reports is taken; else nobody knows"
        " where the round stands.",
    ),
    "dealwire_unknown_since_timestamp_seconds": gauge("table", "Since when that is not known; absent while it is."),
    "dealwire_red_lamp": gauge(
        "table", "1 while the red lamp is lit; absent where there is none, and while it is not known."
    ),
    "dealwire_red_lamp_unknown": gauge(
        "table", "1 while it is not known whether the red lamp is lit; absent where there is none."
    ),
    "dealwire_trouble": gauge(
        "table kind", "How many things of a kind are wrong now, as the console's banners say them."
    ),
    "dealwire_open_held_cents": gauge(
        "table", "Stakes that are held and that nobody has said to be settled by hand, in cents."
    ),
    "dealwire_safe_stop": gauge("table", "1 when the table deals no more until a person has looked."),
    "dealwire_round_number": gauge("table", "The last round that is known of, under way or over."),
    "dealwire_meter_cents": gauge("table meter", "What a progressive meter shows, in cents."),
    "dealwire_last_line_timestamp_seconds": gauge("table", "When the newest line was journalled."),
    "dealwire_last_line_sequence": gauge("table", "The newest line's number in the journal."),
    "dealwire_line_frames": counter("table device", "Frames heard on the line."),
    "dealwire_line_noise_bytes": counter("table device", "Bytes heard that belong to no frame."),
    "dealwire_line_dropped_bytes": counter("table device", "Bytes beyond the line's budget: counted, not kept."),
    "dealwire_loop_lag_seconds": gauge("", "Longest wait of a line for the loop in the last minute.", NS),
    "dealwire_clock_offset_seconds": gauge("", "By how much the host's clock is ahead of the record's time.", NS),
    "dealwire_disk_free_bytes": gauge("", "What may still be written on the journal's disk."),
    "dealwire_disk_size_bytes": gauge("", "How large the journal's disk is."),
    "dealwire_archive_missing": gauge(
        "", "Days that are over and do not lie in the archive as they must, whole: they stay in the journal."
    ),
    "dealwire_journal_failed": gauge("", "1 when the journal takes nothing more."),
    "dealwire_journal_written_timestamp_seconds": gauge("", "When a record was last on the disk."),
    "dealwire_beat_timestamp_seconds": gauge(
        "", "When the loop last looked at its lines, which it does once a second."
    ),
    "dealwire_journal_records": counter("", "Records in the journal."),
    "dealwire_reader_faults": counter(
        "reader", "How often a fault of this program cost an export or the metrics what they were given."
    ),
    "dealwire_ndjson_failed": gauge("", "1 when no more lines can be written to standard output."),
    "dealwire_ndjson_lines": counter("", "Lines written to standard output."),
    "dealwire_ndjson_lost_lines": counter(
        "", "Lines left out there: the reader was too slow, or nothing could be written."
    ),
    "dealwire_mqtt_connected": gauge("table", "1 while the table's lines go to the broker."),
    "dealwire_mqtt_sent_lines": counter("table", "Lines the broker has acknowledged, repeats included."),
    "dealwire_mqtt_sent_sequence": gauge("table", "The newest of them; what lies behind it waits."),
    "dealwire_mqtt_repeats": counter("table", "How often lines were sent again for who missed them."),
    "dealwire_mqtt_refused_requests": counter(
        "table", "Requests on the topic `again` that were none, or were retained."
    ),
    "dealwire_mqtt_failures": counter("table", "How often a fault of this program ended a table's way to the broker."),
    "dealwire_mqtt_mark_conflict": gauge("table", "1 when the broker knows lines that the journal does not have."),
    "dealwire_journal_opening_info": gauge("epoch", "1 for the opening that wrote the newest line."),
    "dealwire_journal_head_sequence": gauge("", "The newest line that was made known."),
    "dealwire_journal_head_witness": gauge("", "The first 12 hex digits of its hash, as MQTT carries it, as a number."),
}
"""By name; a counter's samples end in `_total`, as the exposition format wants it."""


Samples = dict[str, Counter[tuple[str, ...]]]


class Metrics(HubReader, Collector):
    """Counts what the hub gives, from a thread of its own, and adds the gauges when it is read.

    `registry` holds it and nothing else; more collectors may be registered there.
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
        """Every metric with its samples as they are now."""
        gauges = self._gauges()
        with self._lock:
            found = {name: Counter(samples) for name, samples in self._counted.items()}
        return families(MEASURES, {name: dict(sorted(each.items())) for name, each in {**gauges, **found}.items()})

    def describe(self) -> Iterable[Metric]:
        """Nothing: what is registered is known without being counted."""
        return ()

    # ------------------------------------------------------------------ counting

    def take(self, items: Sequence[Publication], missed: bool) -> None:
        """Count them."""
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
        """A label's value, or `other` when there are too many different ones."""
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
    for labels, (frames, noise) in health.lines.copy().items():
        out["dealwire_line_frames"][labels] = frames
        out["dealwire_line_noise_bytes"][labels] = noise
    for labels, dropped in health.dropped.copy().items():
        out["dealwire_line_dropped_bytes"][labels] = dropped
    if (ndjson := health.ndjson) is not None:
        out["dealwire_ndjson_failed"][()] = int(ndjson.failed is not None)
        out["dealwire_ndjson_lines"][()] = ndjson.written
        out["dealwire_ndjson_lost_lines"][()] = ndjson.lost


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
    """What can be read at `/metrics`: a registry, and something that fills it while it is served."""

    registry: CollectorRegistry

    def start(self) -> None:
        """It is served from now on."""

    def stop(self) -> None:
        """No more."""
