"""Recording of a line: the writer of a capture, and the transport that records everything passing through it."""

import logging
import shlex
import struct
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Final, Protocol

from devices.budget import Budget, note_text
from devices.clock import Clock
from devices.events import BytesDropped
from devices.record import pcapng
from devices.record.pcapng import BlockFile, option
from devices.transport.base import LineClosed, Timed, Transport

_log = logging.getLogger(__name__)

LINE_LOST: Final = "line lost: "
"""Prefix of the note about a failed line; the reason follows."""

CLOSED: Final = "closed by this program"
"""Note about a line that we released."""

_CHUNK_MAX: Final = 1024 * 1024


class CaptureWriter(BlockFile):
    """Writer of a capture, each record at once. An existing file needs `overwrite`, otherwise CaptureInaccessible.

    `procedure` is the id of the procedure at the table, for a replay; empty if unknown.
    """

    def __init__(self, path: str | Path, *, overwrite: bool = False, procedure: str = "") -> None:
        super().__init__(path, f"dealwire {_version()}", overwrite=overwrite)
        self.procedure = procedure
        self._interfaces = 0

    def interface(self, name: str, *, device: str, dialect: str = "tdp", line: str = "", baud: int = 115200) -> int:
        """Add a line and return its number. `device` is a kind such as `shuffler`."""
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
        """Record a note about a line, as a packet without bytes that has a comment."""
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
    """Receiver of the chunks and notes of a line: a capture, or anything else that stores them."""

    def chunk(self, interface: int, at_ns: int, sent: bool, data: bytes, /) -> None:
        """Store one read or write."""

    def note(self, interface: int, at_ns: int, text: str, /) -> None:
        """Store a note about the line itself."""


class LineKeeper(Keeper, Protocol):
    """Keeper that numbers the lines itself."""

    def interface(self, name: str, *, device: str, dialect: str = "tdp", line: str = "", baud: int = 115200) -> int:
        """Add a line and return its number."""


class Recorded:
    """Wrapper of a transport that records everything passing through it. Use the owner's clock, so that times agree.

    Bytes above the `budget` are replaced by a note and not passed on.
    """

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
        """Deadline of the wrapped transport, if it has one, or of a note."""
        due_ns = self._timed.next_deadline_ns if self._timed else None
        note_ns = self._budget.due_ns if self._budget is not None else None
        return due_ns if note_ns is None or (due_ns is not None and due_ns < note_ns) else note_ns

    def fileno(self) -> int | None:
        """Return the transport's descriptor."""
        return self._inner.fileno()

    def on_ready(self, wake: Callable[[], None]) -> None:
        """Pass `wake` on."""
        self._inner.on_ready(wake)

    def read(self) -> bytes:
        """Read, and record the result."""
        try:
            data = self._inner.read()
        except LineClosed as error:
            self._end(LINE_LOST + error.why)
            raise
        if self._budget is not None:
            data = self._keep_within_budget(self._budget, data)
        if data:
            self._record(lambda: self._writer.chunk(self._interface, self._clock.now_ns(), False, data))
        return data

    def take_dropped(self) -> list[BytesDropped]:
        """Return the notes about dropped bytes since the last call."""
        dropped, self._dropped = self._dropped, []
        return dropped

    def count_frames(self, count: int, frames: int) -> None:
        """Update the budget."""
        if self._budget is not None:
            self._budget.count_frames(count, frames, self._clock.now_ns())

    def write(self, data: bytes) -> int:
        """Write, and record what the line accepted."""
        try:
            return self._write_recorded(data)
        except LineClosed as error:
            self._end(LINE_LOST + error.why)
            raise

    def _write_recorded(self, data: bytes) -> int:
        taken = self._inner.write(data)
        if taken:
            self._record(lambda: self._writer.chunk(self._interface, self._clock.now_ns(), True, data[:taken]))
        return taken

    def close(self) -> None:
        """Close, and record the time, so that a replay runs as long."""
        self._inner.close()
        self._end(CLOSED)

    def abandon(self, why: str) -> None:
        """Close a line that is no longer trusted, and record that it was lost."""
        self._inner.close()
        self._end(LINE_LOST + why)

    def _keep_within_budget(self, budget: Budget, data: bytes) -> bytes:
        now_ns = self._clock.now_ns()
        kept = data if not data or budget.keeps(data, now_ns) else b""
        self._note_dropped(budget.take_dropped(now_ns))
        return kept

    def _note_dropped(self, dropped: BytesDropped | None) -> None:
        if dropped is not None:
            self._dropped.append(dropped)
            self._record(lambda: self._writer.note(self._interface, self._clock.now_ns(), note_text(dropped)))

    def _end(self, text: str) -> None:
        if not self._ended:
            self._ended = True
            if self._budget is not None:
                self._note_dropped(self._budget.take_dropped(self._clock.now_ns(), ended=True))
            self._record(lambda: self._writer.note(self._interface, self._clock.now_ns(), text))

    def _record(self, record: Callable[[], None]) -> None:
        # A failing recorder must not stop the line; our own writers report disk errors themselves.
        try:
            record()
        except Exception:
            _log.exception("%s: not recorded", self.name)
