"""Two clocks: the journal's, which never runs backwards, and the host's, which a camera's is compared with.

The journal says at each opening what both were. From there on the host's time follows from the journal's, to within
what the program takes no note of, until it notes that the clock was set.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from typing import Final

from dealwire.journal.records import JournalRecord
from dealwire.sheet.model import SheetMoment
from devices.clock import SLOWER, STEP_NS

WITHIN_NS: Final = STEP_NS
"""By so much the two may part without a word: a time service steers the host's clock by less."""


@dataclass(frozen=True, slots=True)
class ClockReading:
    """Both clocks at record `record`; `followed`: from there on the journal's goes with the host's. `wall_ns` None: the
    host's was set, and nobody wrote down how."""

    record: int
    wall_ns: int | None
    carried_ns: int
    followed: bool = False

    def wall_at(self, at_ns: int) -> int | None:
        """The host's time when the journal's was `at_ns`, later than this reading; None when it is not known. A host's
        clock that is behind is waited for: the journal's goes a tenth slower until they meet."""
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
    """Makes moments of records: `readings` oldest first, `zone` None for this machine's own."""

    def __init__(self, readings: Sequence[ClockReading], zone: tzinfo | None = None) -> None:
        self._readings, self._zone = readings, zone

    def reading(self, record: int) -> ClockReading | None:
        """The newest reading up to this record."""
        return next((each for each in reversed(self._readings) if each.record <= record), None)

    def wall_ns(self, record: int, at_ns: int) -> int | None:
        """The host's time at a record; None where the journal does not say how its clock stood."""
        reading = self.reading(record)
        return reading.wall_at(at_ns) if reading is not None else None

    def moment(self, record: JournalRecord) -> SheetMoment:
        """When a record was written."""
        wall_ns = self.wall_ns(record.sequence, record.at_ns)
        wall = self.written(wall_ns) if wall_ns is not None else None
        return SheetMoment(record.sequence, record.at_ns, self.written(record.at_ns), wall_ns, wall)

    def written(self, at_ns: int) -> str:
        """A time with its zone, to the millisecond."""
        return self._local(at_ns).isoformat(sep=" ", timespec="milliseconds")

    def zone_at(self, at_ns: int) -> str:
        """The zone's name then, with what it is ahead of UTC: `CET (UTC+01:00)`."""
        local = self._local(at_ns)
        name, offset = local.tzname() or "", local.isoformat()[-6:]
        return f"{name} (UTC{offset})" if name != "UTC" else name

    def _local(self, at_ns: int) -> datetime:
        seconds, rest_ns = divmod(at_ns, 1_000_000_000)
        at = datetime.fromtimestamp(seconds, UTC).astimezone(self._zone)
        return at.replace(microsecond=rest_ns // 1_000_000 * 1_000)
