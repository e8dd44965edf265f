"""Recording a line: the capture's writer, and the transport that writes all that passes through it."""

import logging
import shlex
import struct
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Final, Protocol

from devices.budget import Budget, note_of
from devices.clock import Clock
from devices.events import BytesDropped
from devices.record import pcapng
from devices.record.pcapng import BlockFile, option
from devices.transport.base import LineClosed, Timed, Transport

_log = logging.getLogger(__name__)

LINE_LOST: Final = "line lost: "
"""Starts the note that says a line failed, followed by why."""

CLOSED: Final = "closed by this program"
"""The note that says we gave the line back."""

_CHUNK_MAX: Final = 1024 * 1024


class CaptureWriter(BlockFile):
    """Writes a capture, each record at once. An existing file needs `overwrite`; CaptureInaccessible without.

    `procedure` is the id of the procedure the table follows, for whoever replays it; empty when that is not known.
    """

    def __init__(self, path: str | Path, *, overwrite: bool = False, procedure: str = "") -> None:
        super().__init__(path, f"dealwire {_version()}", overwrite=overwrite)
        self.procedure = procedure
        self._interfaces = 0

    def interface(self, name: str, *, device: str, dialect: str = "tdp", line: str = "", baud: int = 115200) -> int:
        """Add a line and give its number. `device` is a kind such as `shuffler`."""
        settings = {"device": device, "dialect": dialect, "line": line, "baud": str(baud), "format": "8N1"}
        settings["procedure"] = self.procedure
        text = shlex.join(f"{key}={value}" for key, value in settings.items() if value)
        options = option(pcapng.IF_NAME, name.encode()) + option(pcapng.IF_DESCRIPTION, text.encode())
        options += option(pcapng.IF_SPEED, struct.pack("<Q", baud))
        self._put(pcapng.interface(pcapng.RTAC_SERIAL, options))
        self._interfaces += 1
        return self._interfaces - 1

    def chunk(self, interface: int, at_ns: int, sent: bool, data: bytes) -> None:
        """Record the bytes of one read or one write."""
        flags = option(pcapng.FLAGS, struct.pack("<I", pcapng.OUTBOUND if sent else pcapng.INBOUND))
        for start in range(0, len(data), _CHUNK_MAX):
            piece = data[start : start + _CHUNK_MAX]
            self._packet(interface, at_ns, pcapng.SENT if sent else pcapng.RECEIVED, piece, flags)

    def note(self, interface: int, at_ns: int, text: str) -> None:
        """Record a remark about a line, as a packet without bytes that carries a comment."""
        self._packet(interface, at_ns, pcapng.STATUS_CHANGE, b"", option(pcapng.COMMENT, text.encode()))

    def _packet(self, interface: int, at_ns: int, event: int, data: bytes, options: bytes) -> None:
        if not 0 <= interface < self._interfaces:
            raise ValueError(f"no interface {interface}; this recording has {self._interfaces}")
        seconds, rest_ns = divmod(at_ns, 1_000_000_000)
        head = struct.pack(">IIBBH", seconds, rest_ns // 1000, event, 0, 0)
        self._put(pcapng.packet(interface, at_ns, head + data, options + pcapng.END_OF_OPTIONS))


def _version() -> str:
    try:
        return metadata.version("dealwire")
    except metadata.PackageNotFoundError:
        return "(not installed)"


class Keeper(Protocol):
    """What keeps what passes on a line: a capture, or whatever else takes its chunks and notes."""

    def chunk(self, interface: int, at_ns: int, sent: bool, data: bytes, /) -> None:
        """One read or write."""

    def note(self, interface: int, at_ns: int, text: str, /) -> None:
        """What happened to the line itself."""


class LineKeeper(Keeper, Protocol):
    """One that numbers the lines itself."""

    def interface(self, name: str, *, device: str, dialect: str = "tdp", line: str = "", baud: int = 115200) -> int:
        """Add a line and give its number."""


class Recorded:
    """Any transport, with all that passes written to a capture. Use the owner's clock, so that times agree. Of what
    exceeds `budget` only a note is written, and nothing goes on."""

    def __init__(
        self, inner: Transport, writer: Keeper, interface: int, clock: Clock, budget: Budget | None = None
    ) -> None:
        self.name = inner.name
        self._inner, self._writer, self._interface, self._clock = inner, writer, interface, clock
        self._timed = inner if isinstance(inner, Timed) else None
        self._ended = False
        self._budget, self._dropped = budget, list[BytesDropped]()

    @property
    def next_deadline_ns(self) -> int | None:
        """The recorded transport's own deadline, where it has one, and when a note is due."""
        due_ns = self._timed.next_deadline_ns if self._timed else None
        note_ns = self._budget.due_ns if self._budget is not None else None
        return due_ns if note_ns is None or (due_ns is not None and due_ns < note_ns) else note_ns

    def fileno(self) -> int | None:
        """The transport's descriptor."""
        return self._inner.fileno()

    def on_ready(self, wake: Callable[[], None]) -> None:
        """Passed on."""
        self._inner.on_ready(wake)

    def read(self) -> bytes:
        """Passed on, and recorded."""
        try:
            data = self._inner.read()
        except LineClosed as error:
            self._end(LINE_LOST + error.why)
            raise
        if self._budget is not None:
            data = self._within(self._budget, data)
        if data:
            self._record(lambda: self._writer.chunk(self._interface, self._clock.now_ns(), False, data))
        return data

    def take_dropped(self) -> list[BytesDropped]:
        """What was noted of bytes that were not kept, since the last call."""
        dropped, self._dropped = self._dropped, []
        return dropped

    def heard(self, count: int, frames: int) -> None:
        """Passed on to the budget."""
        if self._budget is not None:
            self._budget.heard(count, frames, self._clock.now_ns())

    def write(self, data: bytes) -> int:
        """Passed on; what the line took is recorded."""
        try:
            return self._let_out(data)
        except LineClosed as error:
            self._end(LINE_LOST + error.why)
            raise

    def _let_out(self, data: bytes) -> int:
        taken = self._inner.write(data)
        if taken:
            self._record(lambda: self._writer.chunk(self._interface, self._clock.now_ns(), True, data[:taken]))
        return taken

    def close(self) -> None:
        """Passed on; the recording says when, so that a replay's time runs as far."""
        self._inner.close()
        self._end(CLOSED)

    def abandon(self, why: str) -> None:
        """Closed because it is no longer trusted; the recording says that the line was lost."""
        self._inner.close()
        self._end(LINE_LOST + why)

    def _within(self, budget: Budget, data: bytes) -> bytes:
        now_ns = self._clock.now_ns()
        kept = data if not data or budget.keeps(data, now_ns) else b""
        self._settle(budget.settle(now_ns))
        return kept

    def _settle(self, dropped: BytesDropped | None) -> None:
        if dropped is not None:
            self._dropped.append(dropped)
            self._record(lambda: self._writer.note(self._interface, self._clock.now_ns(), note_of(dropped)))

    def _end(self, text: str) -> None:
        if not self._ended:
            self._ended = True
            if self._budget is not None:
                self._settle(self._budget.settle(self._clock.now_ns(), ended=True))
            self._record(lambda: self._writer.note(self._interface, self._clock.now_ns(), text))

    def _record(self, record: Callable[[], None]) -> None:
        # Whatever is wrong with a recorder, the line must go on; a writer of ours reports its disk itself.
        try:
            record()
        except Exception:
            _log.exception("%s: not recorded", self.name)
