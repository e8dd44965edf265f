"""Notifications to systemd: ready, status, watchdog, stopping.

The protocol is a few `NAME=value` lines in one datagram to the socket in `NOTIFY_SOCKET`; see sd_notify(3).
"""

import os
import socket
from collections.abc import Mapping
from typing import Final

SECOND_NS: Final = 1_000_000_000
PATIENCE_S: Final = 30
"""Seconds requested at a time while the service opens; a disk that hangs longer makes the start fail."""


class Notifier:
    """Sends notifications; does nothing without `NOTIFY_SOCKET`. A notification that cannot be delivered is lost."""

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
        """Watchdog interval in nanoseconds, after which systemd acts; 0 without a watchdog."""
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
        """Extend the start timeout: systemd waits `seconds` from now. It works only before READY, and only if sent
        within the time that was left."""
        self.notify(EXTEND_TIMEOUT_USEC=round(seconds * 1_000_000))

    def keep_waiting(self, now_ns: int) -> None:
        """Report progress of a start that is not ready. May be called for every record: it calls `extend` with
        `PATIENCE_S` once a second of the clock behind `now_ns`."""
        if self._extended_ns is None or not 0 <= now_ns - self._extended_ns < SECOND_NS:
            self._extended_ns = now_ns
            self.extend(PATIENCE_S)

    def close(self) -> None:
        """Close the socket. May be called twice."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None
