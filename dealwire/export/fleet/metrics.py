"""Prometheus metrics of the fleet's consumer."""

from collections.abc import Iterable, Mapping
from typing import Final, get_args

from prometheus_client import CollectorRegistry
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from dealwire.export.fleet.consumer import ConsumerCounts
from dealwire.export.fleet.refusals import RefusalKind
from dealwire.export.metrics import NS, counter, families, gauge

FLEET_MEASURES: Final = {
    "dealwire_fleet_lines": counter("", "Committed lines, including those that already existed."),
    "dealwire_fleet_refused": counter(
        "kind", "Refused messages: unreadable, contradicting an existing line, unsigned, or forged."
    ),
    "dealwire_fleet_requests": counter("", "Requests to tables for missing lines."),
    "dealwire_fleet_gaps": gauge("", "Tables and journals with missing lines, at the last look."),
    "dealwire_fleet_disputed": gauge(
        "", "Line numbers with several different lines, at the last look; none of them counts in money."
    ),
    "dealwire_fleet_listening": gauge("", "1 if broker and database are both connected."),
    "dealwire_fleet_last_line_timestamp_seconds": gauge(
        "", "Time of the newest line in its journal; 0 if there is none."
    ),
}
"""Metrics by name. Samples of a counter end in `_total`."""


class FleetMetrics(Collector):
    """Collector of one consumer's current numbers. `registry` contains only this collector."""

    def __init__(self, counts: ConsumerCounts) -> None:
        self.registry = CollectorRegistry()
        self._counts = counts
        self.registry.register(self)

    def start(self) -> None:
        """Do nothing: the consumer counts by itself."""

    def stop(self) -> None:
        """Do nothing."""

    def describe(self) -> Iterable[Metric]:
        """Return nothing, so that registration does not count."""
        return ()

    def collect(self) -> Iterable[Metric]:
        """Return every metric with its current samples."""
        counts = self._counts
        refused: dict[tuple[str, ...], int] = {(kind,): counts.refused[kind] for kind in get_args(RefusalKind)}
        values: dict[str, Mapping[tuple[str, ...], int]] = {
            "dealwire_fleet_lines": {(): counts.lines},
            "dealwire_fleet_refused": refused,
            "dealwire_fleet_requests": {(): counts.requested},
            "dealwire_fleet_gaps": {(): counts.gaps},
            "dealwire_fleet_disputed": {(): counts.disputed},
            "dealwire_fleet_listening": {(): int(counts.listening)},
            "dealwire_fleet_last_line_timestamp_seconds": {(): counts.last_ns // NS},
        }
        return families(FLEET_MEASURES, values)
