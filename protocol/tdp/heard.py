"""Received state of a link, as far as it decides the link's further output."""

from typing import Final

from msgspec import Struct

from protocol.tdp.attestation import Certificate
from protocol.tdp.messages import HelloReplyMessage

NOT_STARTED: Final = -1
"""Number of the next event while none is known yet."""


class TdpHeard(Struct, frozen=True, tag="tdp"):
    """State of a `Reception`. For a line that is gone, only the fields before `last` are kept. Times are in
    nanoseconds."""

    session: int | None = None
    expected: int = NOT_STARTED
    """Number of the event to deliver next."""
    hello: HelloReplyMessage | None = None
    announced: bool = False
    """True if this session was reported up."""
    left_sessions: tuple[int, ...] = ()
    """Earlier sessions, the latest last."""
    boots: int | None = None
    """The device's count of power-ups."""
    uptime: tuple[int, int] = (-1, 0)
    """Newest value of its clock in milliseconds (-1 before any), and the time at which that was received."""
    clock_ms: int = -1
    """The device's clock at the last event delivered; -1 before any."""
    digests: bytes = b""
    """Four bytes for the content of each of the last events before `expected`."""
    before: tuple[int, bytes] = (0, b"")
    """End number and digests of the events from before a restart in this session, while they may still be repeated."""
    boot_due: bool = False
    """True if it restarted in this session and its *Booted* is still expected."""
    last: int = 0
    """Newest event that the device is known to have made."""
    opened: bool = False
    alive: bool = False
    valid_ns: int = 0
    """Time of the last valid frame."""
    gate_ns: int = 0
    """Time until which events are ignored if the session is not open."""
    echo: tuple[int, int] = (0, 0)
    """A session that ended, and the time until which it may echo."""
    refused_hello: HelloReplyMessage | None = None
    certificate: Certificate | None = None
    """Certificate in the HELLO-REPLY of `hello`; None if it had none."""
    stale_boots: int = -1
    """Power-up count of a *Booted* that was taken for one from before the restart; -1 for none."""
