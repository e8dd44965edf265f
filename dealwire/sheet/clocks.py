"""The two clocks: the journal's, which never runs backward, and the host's, to which a camera's is compared.

The journal records both at each opening. From there the host's time follows from the journal's, within the tolerance
that the program does not record, until it records that the clock was set.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from typing import Final

from dealwire.journal.records import JournalRecord
from dealwire.sheet.model import SheetMoment
from devices.clock import SLOWER, STEP_NS

WITHIN_NS: Final = STEP_NS
"""Largest unrecorded drift between the clocks: a time service adjusts the host's clock by less."""


@dataclass(frozen=True, slots=True)
class ClockReading:
    """Both clocks at record `record`; `followed`: journal time follows the host's clock from there. `wall_ns` None: the
    host's clock was set, and the change was not recorded."""

    record: int
    wall_ns: int | None
    carried_ns: int
    followed: bool = False

    def wall_at(self, at_ns: int) -> int | None:
        """Return the host's time at journal time `at_ns`, after this reading; None if unknown. While the host's clock
        is behind, journal time runs a tenth slower until they meet."""
        if self.wall_ns is None:
            return None
        behind_ns = self.carried_ns - self.wall_ns
        if self.followed:
            return at_ns
        if behind_ns <= STEP_NS:
            return at_ns - behind_ns
        passed_ns = at_ns - self.carried_ns
        return min(self.wall_ns + passed_ns * SLOWER // (SLOWER - 1), at_ns)


class Times:
    """Converts records to moments: `readings` oldest first, `zone` None for this machine's zone."""

    def __init__(self, readings: Sequence[ClockReading], zone: tzinfo | None = None) -> None:
        self._readings, self._zone = readings, zone

    def reading(self, record: int) -> ClockReading | None:
        """Return the newest reading up to this record."""
        return next((each for each in reversed(self._readings) if each.record <= record), None)

    def wall_ns(self, record: int, at_ns: int) -> int | None:
        """Return the host's time at a record; None if the journal has no reading."""
        reading = self.reading(record)
        return reading.wall_at(at_ns) if reading is not None else None

    def moment(self, record: JournalRecord) -> SheetMoment:
        """Return when a record was written."""
        wall_ns = self.wall_ns(record.sequence, record.at_ns)
        wall = self.written(wall_ns) if wall_ns is not None else None
        return SheetMoment(record.sequence, record.at_ns, self.written(record.at_ns), wall_ns, wall)

    def written(self, at_ns: int) -> str:
        """Return a time with its zone, to the millisecond."""
        return self._local(at_ns).isoformat(sep=" ", timespec="milliseconds")

    def zone_at(self, at_ns: int) -> str:
        """Return the zone's name at that time with its offset from UTC: `CET (UTC+01:00)`."""
        local = self._local(at_ns)
        name, offset = local.tzname() or "", local.isoformat()[-6:]
        return f"{name} (UTC{offset})" if name != "UTC" else name

    def _local(self, at_ns: int) -> datetime:
        seconds, rest_ns = divmod(at_ns, 1_000_000_000)
        at = datetime.fromtimestamp(seconds, UTC).astimezone(self._zone)
        return at.replace(microsecond=rest_ns // 1_000_000 * 1_000)
