"""What Prometheus reads of the fleet's reader."""

from collections.abc import Iterable, Mapping
from typing import Final, get_args

from prometheus_client import CollectorRegistry
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from dealwire.export.fleet.consumer import ConsumerCounts
from dealwire.export.fleet.refusals import RefusalKind
from dealwire.export.metrics import NS, counter, families, gauge

FLEET_MEASURES: Final = {
    "dealwire_fleet_lines": counter("", "Lines committed, those that were there already included."),
    "dealwire_fleet_refused": counter(
        "kind", "Messages kept aside: unreadable, or contradicting a line that is there."
    ),
    "dealwire_fleet_requests": counter("", "How often tables were asked for lines again."),
    "dealwire_fleet_gaps": gauge("", "Tables and journals that lines are missing of, at the last look."),
    "dealwire_fleet_disputed": gauge(
        "", "Line numbers under which several lines came, at the last look: none of them counts in money."
    ),
    "dealwire_fleet_listening": gauge("", "1 while broker and database are both there."),
    "dealwire_fleet_last_line_timestamp_seconds": gauge(
        "", "When the newest line that came was journalled; 0 when none has come."
    ),
}
"""By name; a counter's samples end in `_total`."""


class FleetMetrics(Collector):
    """The numbers of one consumer, as they are when they are read. `registry` holds it and nothing else."""

    def __init__(self, counts: ConsumerCounts) -> None:
        self.registry = CollectorRegistry()
        self._counts = counts
        self.registry.register(self)

    def start(self) -> None:
        """Nothing to begin: what is read is counted elsewhere."""

    def stop(self) -> None:
        """Nothing to end."""

    def describe(self) -> Iterable[Metric]:
        """Nothing: what is registered is known without being counted."""
        return ()

    def collect(self) -> Iterable[Metric]:
        """Every metric with its samples as they are now."""
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
