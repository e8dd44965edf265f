"""Lines without a descriptor (rfc2217://, loop://, USB bulk, Windows): two threads that only carry bytes.

A thread puts everything, bytes or a failure, into one queue and calls `wake`; the owner interprets it.
"""

import contextlib
import threading
from collections import deque
from collections.abc import Callable
from typing import Any, Final

from devices.transport.base import READ_SIZE, OpenLine


class ThreadedLine(OpenLine):
    """Base of such lines. One write is one piece on the line. A kind implements `_receive`, `_send` and `_release`."""

    OUTBOX: Final = 65536
    """Number of bytes that may be accepted and not yet handed on."""
    JOIN_S: Final = 2.0

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self._inbox: deque[bytes | Exception] = deque()
        self._outbox: deque[bytes] = deque()
        self._owed = 0
        self._changed = threading.Condition()
        self._starved = False
        self._closing = False
        self._wake: Callable[[], None] | None = None
        self._reader, self._writer = (
            threading.Thread(target=self._run, args=(work,), name=f"{name} {label}", daemon=True)
            for label, work in (("reader", self._read_some), ("writer", self._write_some))
        )

    def _begin(self) -> None:
        """Start both threads, once the subclass is ready."""
        self._reader.start()
        self._writer.start()

    def fileno(self) -> int | None:
        """Return None: the threads call `wake`."""
        return None

    def on_ready(self, wake: Callable[[], None]) -> None:
        """Set the function to call when there is something to read, or room again after a short write."""
        self._wake = wake
        if self._inbox:
            wake()

    def read(self) -> bytes:
        """Return what has arrived. Raise LineClosed if the line failed and its bytes were read."""
        pieces: list[bytes] = []
        while self._inbox and isinstance(self._inbox[0], bytes):
            piece = self._inbox.popleft()
            assert isinstance(piece, bytes)
            pieces.append(piece)
        if pieces:
            if self._inbox:
                self._notify()
            return b"".join(pieces)
        self._check()
        if self._inbox:
            self._end_by(self._inbox[0])
        return b""

    def write(self, data: bytes) -> int:
        """Return the number of bytes for which the outbox had room. Raise LineClosed if the line failed."""
        self._check()
        for item in tuple(self._inbox):
            self._end_by(item)
        with self._changed:
            taken = min(len(data), self.OUTBOX - self._owed)
            if taken:
                self._outbox.append(data[:taken])
                self._owed += taken
            self._starved = taken < len(data)
            self._changed.notify()
        return taken

    def close(self) -> None:
        """Stop both threads and release the line. Bytes in the outbox are not sent."""
        if self._closing:
            return
        with self._changed:
            self._closing = True
            self._changed.notify()
        self._inbox.clear()
        super().close()
        self._release()

    def _run(self, work: Callable[[], None]) -> None:
        try:
            while not self._closing:
                work()
        except Exception as failure:  # a port raises any exception of the code below it; each means a lost line
            if not self._closing:
                self._inbox.append(failure)
                self._notify()

    def _read_some(self) -> None:
        data = self._receive()
        if data and not self._closing:
            self._inbox.append(data)
            self._notify()

    def _write_some(self) -> None:
        with self._changed:
            while not self._outbox and not self._closing:
                self._changed.wait()
            data = self._outbox.popleft() if self._outbox else b""
            self._owed -= len(data)
            starved, self._starved = self._starved, False
        if data and not self._closing:
            self._send(data)
        if starved:
            self._notify()

    def _notify(self) -> None:
        if self._wake is not None:
            self._wake()

    def _end_by(self, item: bytes | Exception) -> None:
        if isinstance(item, Exception):
            raise self._lost(self._explain(item)) from item

    # -------------------------------------------------------------- what a kind of line says

    def _receive(self) -> bytes:
        """Return the next bytes after a short wait, b"" for none yet. Raise if the line is gone."""
        raise NotImplementedError

    def _send(self, data: bytes) -> None:
        """Send all of it, or raise. Return early if the line is being closed."""
        raise NotImplementedError

    def _release(self) -> None:
        """Join both threads and release the line's resources, in the required order. Never raise."""
        raise NotImplementedError

    def _explain(self, cause: Exception) -> str:
        """Return the reason for the loss of the line, for a reader."""
        return str(cause)


class ThreadedPort(ThreadedLine):
    """An open pyserial port; the line owns it and its two threads."""

    READ_TIMEOUT_S: Final = 0.1
    """Timeout of the port's own read: the most that closing waits for the reader."""

    def __init__(self, port: Any, name: str) -> None:
        super().__init__(name)
        self._port = port
        self._begin()

    def _receive(self) -> bytes:
        data: bytes = self._port.read(max(1, min(self._port.in_waiting, READ_SIZE)))
        return data

    def _send(self, data: bytes) -> None:
        self._port.write(data)

    def _release(self) -> None:
        for cancel in ("cancel_read", "cancel_write"):
            with contextlib.suppress(Exception):
                getattr(self._port, cancel)()
        self._reader.join(self.JOIN_S)
        # pyserial drops its socket without closing it if the other end hung up first.
        left = getattr(self._port, "_socket", None)
        # Before the writer is joined: closing the socket ends a write that blocks in the system.
        with contextlib.suppress(Exception):
            self._port.close()
        if left is not None:
            left.close()
        self._writer.join(self.JOIN_S)
