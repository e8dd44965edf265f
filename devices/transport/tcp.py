"""A raw TCP stream as a line, for serial servers. It has a descriptor, so the owner's loop waits on it."""

import contextlib
import socket
from collections.abc import Callable

from devices.transport.base import READ_SIZE, LineClosed
from protocol.errors import LineAbsent

_KEEPALIVE = (("TCP_KEEPIDLE", 5), ("TCP_KEEPINTVL", 2), ("TCP_KEEPCNT", 3))
"""Seconds of silence, seconds between probes, probes: a server that lost its power is noticed in 11 s."""


class TcpLine:
    """One connected stream socket; the line owns it."""

    def __init__(self, connection: socket.socket, name: str) -> None:
        self.name = name
        self._socket = connection
        self._gone: LineClosed | None = None
        connection.setblocking(False)
        # A socket that is no TCP connection (a socketpair in a test) has neither option.
        with contextlib.suppress(OSError):
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            for option, value in _KEEPALIVE:
                if hasattr(socket, option):
                    connection.setsockopt(socket.IPPROTO_TCP, getattr(socket, option), value)

    def fileno(self) -> int | None:
        """The socket's descriptor; None once closed."""
        descriptor = self._socket.fileno()
        return descriptor if descriptor >= 0 else None

    def on_ready(self, wake: Callable[[], None]) -> None:
        """Not used: the descriptor says when to read."""

    def read(self) -> bytes:
        """What has arrived, at most 64 KiB; LineClosed when the other end is gone."""
        self._check()
        try:
            data = self._socket.recv(READ_SIZE)
        except BlockingIOError:
            return b""
        except OSError as cause:
            raise self._lost(cause.strerror or str(cause)) from cause
        if not data:
            raise self._lost("closed by the other end")
        return data

    def write(self, data: bytes) -> int:
        """Bytes the kernel took now; LineClosed when the other end is gone."""
        self._check()
        try:
            return self._socket.send(data)
        except BlockingIOError:
            return 0
        except OSError as cause:
            raise self._lost(cause.strerror or str(cause)) from cause

    def close(self) -> None:
        """Close the connection."""
        if self._gone is None:
            self._gone = LineClosed(self.name, "closed by this program")
        self._socket.close()

    def _check(self) -> None:
        if self._gone is not None:
            raise LineClosed(self.name, self._gone.why) from self._gone.__cause__

    def _lost(self, why: str) -> LineClosed:
        self._gone = LineClosed(self.name, why)
        return self._gone


def open_tcp(host: str, port: int, *, timeout_s: float = 5.0) -> TcpLine:
    """Connect to a serial server; LineAbsent when nobody listens there."""
    name = f"tcp://{host}:{port}"
    try:
        return TcpLine(socket.create_connection((host, port), timeout=timeout_s), name)
    except OSError as cause:
        raise LineAbsent(name, cause.strerror or str(cause) or type(cause).__name__) from cause
