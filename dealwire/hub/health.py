"""Health of the owner's loop, its lines and its broker connection. Each value has one writing thread; any thread may
read."""

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from devices.budget import Budget
from devices.line.supervisor import Supervisor

BEATS_KEPT: Final = 60
"""Beats over which the longest wait is reported: a minute."""


class LogHealth:
    """State of the journal's log: leaves of the newest published checkpoint, proven forks, refused messages, and the
    time of each witness's newest cosignature, in seconds since 1970, at most that at which it came; 0 if it never
    signed."""

    def __init__(self) -> None:
        self.size = self.forks = self.refusals = 0
        self.cosigned: dict[str, int] = {}
        self.sizes: dict[str, int] = {}
        """Size of the checkpoint that each witness cosigned last."""
        self.refused: dict[str, str] = {}
        """Reason for which the newest line in a witness's name was refused; without an entry it was not."""
        self.overdue: dict[str, int] = {}
        """By needed witness: 1 if it has not cosigned for too long. The owner sets this and the rest."""
        self.checkpoint_ns = 0
        """Time of the newest checkpoint; 0 before the first."""
        self.stamped_ns: int | None = None
        """Time of the newest time stamp, 0 before the first; None if none is wanted."""


class Health:
    """Collects health values. Call `waited` with the duration of each turn, and `beat` once a second with its delay."""

    def __init__(self) -> None:
        self.lag_ns = 0
        """Longest time a line waited for the loop in the last minute, nanoseconds."""
        self.beat_ns = 0
        """Time at which the loop last handled a beat; beats are due once a second."""
        self.lines: dict[tuple[str, str], tuple[int, int]] = {}
        """Frames received, and bytes outside frames, by table and device."""
        self.dropped: dict[tuple[str, str], int] = {}
        """Bytes discarded because they exceeded their line's budget, by table and device."""
        self.disk_free = self.disk_size = 0
        """Bytes of the disk that holds the journal; zero while unknown."""
        self.archive_missing = 0
        """Finished days that are not intact in the archive."""
        self.clock_offset_ns = 0
        """Lead of the host's clock over journal time; negative when it is behind."""
        self.certificates: dict[str, int] = {}
        """End of each server's certificate, in nanoseconds, by the server's name."""
        self.console_restarts: int | None = None
        """Times that the console's process ended and was started again; None without one of our own."""
        self.log = LogHealth()
        """State of the journal's log."""
        self.ndjson: NdjsonProgress | None = None
        """Progress of the lines on standard output; None if they are off."""
        self._most_ns = 0
        self._beats: deque[int] = deque(maxlen=BEATS_KEPT)

    def waited(self, wait_ns: int) -> None:
        """Record that a turn took this long, during which no line was served."""
        if wait_ns > self._most_ns:
            self._most_ns = wait_ns

    def beat(self, now_ns: int, late_ns: int) -> None:
        """Record a beat that was due at `now_ns` and came `late_ns` later."""
        self.beat_ns = now_ns + late_ns
        self.waited(late_ns)
        self._beats.append(self._most_ns)
        self._most_ns = 0
        self.lag_ns = max(self._beats)

    def count(self, table: str, lines: Iterable[Supervisor], budgets: Mapping[str, Budget] = {}) -> None:
        """Update the counts of a table's lines."""
        for line in lines:
            self.lines[table, line.name] = line.heard
        for device, budget in budgets.items():
            self.dropped[table, device] = budget.dropped


@dataclass
class NdjsonProgress:
    """Progress of the lines on standard output."""

    written: int = 0
    lost: int = 0
    """Lines skipped because the reader was too slow or output failed; the journal has them."""
    failed: str | None = None
    """Reason why output has stopped; None while it works."""


@dataclass
class ExportProgress:
    """State of one table's connection to the broker."""

    connected: bool = False
    sent: int = 0
    """Lines acknowledged by the broker since the start, repetitions included."""
    sequence: int = 0
    """Sequence number of the newest of them."""
    repeats: int = 0
    """Number of times lines were sent again because the broker or a reader missed them."""
    refused: int = 0
    """Invalid or retained requests of readers."""
    failures: int = 0
    """Number of times an internal error ended the table's connection to the broker; it is retried."""
    conflict: bool = False
    """True if the broker has a line that is not in the journal: nothing is sent until a person has checked."""
    problem: str | None = None
    """Reason why nothing is sent; None while lines are, or would be."""
