"""How the owner's loop, its lines and its way to a broker fare. Each is written in one thread, read from any."""

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from devices.budget import Budget
from devices.line.supervisor import Supervisor

BEATS_KEPT: Final = 60
"""Beats over which the longest wait is told: a minute."""


class Health:
    """Give `waited` how long each turn took, and `beat` once a second how late it came."""

    def __init__(self) -> None:
        self.lag_ns = 0
        """The longest that a line had to wait for the loop in the last minute, nanoseconds."""
        self.beat_ns = 0
        """When the loop last met a beat, which falls once a second."""
        self.lines: dict[tuple[str, str], tuple[int, int]] = {}
        """Frames, and bytes that belong to none, heard so far: by table and device."""
        self.dropped: dict[tuple[str, str], int] = {}
        """Bytes that exceeded the budget of their line and were not kept: by table and device."""
        self.disk_free = self.disk_size = 0
        """Bytes of the disk that holds the journal; zeros while they are not known."""
        self.archive_missing = 0
        """Days that are over and do not lie in the archive as they must."""
        self.clock_offset_ns = 0
        """By how much the host's clock is ahead of the record's time; negative when it is behind."""
        self.ndjson: NdjsonProgress | None = None
        """How the lines on standard output fare; None where none are wanted."""
        self._most_ns = 0
        self._beats: deque[int] = deque(maxlen=BEATS_KEPT)

    def waited(self, wait_ns: int) -> None:
        """In a turn that took so long nothing else was heard."""
        if wait_ns > self._most_ns:
            self._most_ns = wait_ns

    def beat(self, now_ns: int, late_ns: int) -> None:
        """A beat that fell at `now_ns` was met so much later."""
        self.beat_ns = now_ns + late_ns
        self.waited(late_ns)
        self._beats.append(self._most_ns)
        self._most_ns = 0
        self.lag_ns = max(self._beats)

    def count(self, table: str, lines: Iterable[Supervisor], budgets: Mapping[str, Budget] = {}) -> None:
        """What the lines of a table have heard so far, and what of it was not kept."""
        for line in lines:
            self.lines[table, line.name] = line.heard
        for device, budget in budgets.items():
            self.dropped[table, device] = budget.dropped


@dataclass
class NdjsonProgress:
    """How the lines on standard output stand."""

    written: int = 0
    lost: int = 0
    """Lines that were left out, because their reader was too slow or nothing could be written; the journal has them."""
    failed: str | None = None
    """Why nothing more is written; None while lines are."""


@dataclass
class ExportProgress:
    """How one table's lines stand at the broker."""

    connected: bool = False
    sent: int = 0
    """Lines acknowledged by the broker since the start, repeats included."""
    sequence: int = 0
    """The newest of them."""
    repeats: int = 0
    """How often lines had to be sent again because the broker or a reader missed them."""
    refused: int = 0
    """Requests of readers that were none, or were retained."""
    failures: int = 0
    """How often a fault of this program ended the table's way to the broker; it is tried again."""
    conflict: bool = False
    """The broker knows a line that the journal does not have: nothing is sent until a person has looked."""
    problem: str | None = None
    """Why nothing goes out; None while lines do, or would."""
