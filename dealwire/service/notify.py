"""Telling systemd how the service is: ready, what it does, that it still works, that it stops.

The protocol is a few `NAME=value` lines in one datagram to the socket that `NOTIFY_SOCKET` names; see sd_notify(3).
"""

import os
import socket
from collections.abc import Mapping
from typing import Final

SECOND_NS: Final = 1_000_000_000
PATIENCE_S: Final = 30
"""What is asked for at a time while the service opens: a disk that hangs for longer is a start that failed."""


class Notifier:
    """Says nothing when nobody listens. What cannot be delivered is lost: the service goes on without it."""

    def __init__(self, environment: Mapping[str, str] | None = None) -> None:
        found = os.environ if environment is None else environment
        self._address = found.get("NOTIFY_SOCKET", "")
        if self._address.startswith("@"):
            self._address = "\0" + self._address[1:]
        self._socket: socket.socket | None = None
        if self._address:
            self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)  # Python opens it close-on-exec
            self._socket.setblocking(False)
        usec, owner = found.get("WATCHDOG_USEC", ""), found.get("WATCHDOG_PID", str(os.getpid()))
        mine = bool(self._address) and usec.isdecimal() and owner == str(os.getpid())
        self.watchdog_ns = int(usec) * 1000 if mine else 0
        """systemd acts when it hears nothing for this long, nanoseconds; 0 when it does not watch."""
        self._extended_ns: int | None = None

    def notify(self, **values: str | int) -> None:
        """Send one datagram: `notify(READY=1, STATUS="2 tables")`. A value is one line."""
        if self._socket is None:
            return
        text = "\n".join(
            f"{name}={str(value).splitlines()[0] if value != '' else ''}" for name, value in values.items()
        )
        try:
            self._socket.sendto(text.encode(), self._address)
        except OSError:
            return

    def extend(self, seconds: float) -> None:
        """The start takes longer: systemd waits for `seconds` from now before it gives the start up. It counts only
        until READY, and only when it is sent before the time that was left is over."""
        self.notify(EXTEND_TIMEOUT_USEC=round(seconds * 1_000_000))

    def keep_waiting(self, now_ns: int) -> None:
        """Something moves and the service is not ready yet. May be called for every record: `extend` by
        `PATIENCE_S` goes out once a second of the clock that `now_ns` is from."""
        if self._extended_ns is None or not 0 <= now_ns - self._extended_ns < SECOND_NS:
            self._extended_ns = now_ns
            self.extend(PATIENCE_S)

    def close(self) -> None:
        """Say nothing more. May be called twice."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None
