"""A raw TCP stream as a line, for serial servers. It has a descriptor for the owner's loop."""

import contextlib
import socket

from devices.transport.base import DescriptorLine
from protocol.errors import LineAbsent

_KEEPALIVE = (("TCP_KEEPIDLE", 5), ("TCP_KEEPINTVL", 2), ("TCP_KEEPCNT", 3))
"""Seconds of silence, seconds between probes, number of probes: a server that lost power is noticed in 11 s."""


class TcpLine(DescriptorLine):
    """One connected stream socket, which the line owns."""

    def __init__(self, connection: socket.socket, name: str) -> None:
        super().__init__(name, connection.fileno(), connection.recv, connection.send, "closed by the other end")
        self._socket = connection
        connection.setblocking(False)
        # A socket other than TCP (a socketpair in a test) has neither option.
        with contextlib.suppress(OSError):
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            for option, value in _KEEPALIVE:
                if hasattr(socket, option):
                    connection.setsockopt(socket.IPPROTO_TCP, getattr(socket, option), value)

    def close(self) -> None:
        """Close the connection."""
        super().close()
        self._socket.close()


def open_tcp(host: str, port: int, *, timeout_s: float = 5.0) -> TcpLine:
    """Connect to a serial server. Raise LineAbsent if nothing listens there."""
    name = f"tcp://{host}:{port}"
    try:
        return TcpLine(socket.create_connection((host, port), timeout=timeout_s), name)
    except OSError as cause:
        raise LineAbsent(name, cause.strerror or str(cause) or type(cause).__name__) from cause
