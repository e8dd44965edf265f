"""What a link heard, as far as it decides what the link will deliver."""

from typing import Final

from msgspec import Struct

from protocol.tdp.messages import HelloReplyMessage

NOT_STARTED: Final = -1
"""As the number of the event delivered next: none can be named yet."""


class TdpHeard(Struct, frozen=True, tag="tdp"):
    """Of a line that is gone, what stands before `last` is left. Times are in nanoseconds."""

    session: int | None = None
    expected: int = NOT_STARTED
    """The event delivered next."""
    hello: HelloReplyMessage | None = None
    announced: bool = False
    """This session was reported up."""
    left_sessions: tuple[int, ...] = ()
    """Those that were left for others, the latest last."""
    boots: int | None = None
    """The device's count of power-ups."""
    uptime: tuple[int, int] = (-1, 0)
    """The newest of its clock in milliseconds, -1 before any, and when that was heard."""
    clock_ms: int = -1
    """Its clock at the last event delivered; -1 before any."""
    digests: bytes = b""
    """Four bytes for what stood in each of the last events before `expected`."""
    before: tuple[int, bytes] = (0, b"")
    """The same of its life before in this session, while what it sends may be of that: and the number they end at."""
    boot_due: bool = False
    """It started anew in this session, and its *Booted* is awaited."""
    last: int = 0
    """The newest event the device is known to have made."""
    opened: bool = False
    alive: bool = False
    valid_ns: int = 0
    """When the last valid frame came."""
    gate_ns: int = 0
    """Until then no event counts before the session is open."""
    echo: tuple[int, int] = (0, 0)
    """A session that ended, and until when it may echo."""
    refused_hello: HelloReplyMessage | None = None
    stale_boots: int = -1
    """The count in a *Booted* that was taken for one of a life before; -1 for none."""
