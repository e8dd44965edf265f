"""What a link heard, as far as it decides what the link will deliver."""

from msgspec import Struct

from protocol.tdp.event_order import NOT_STARTED
from protocol.tdp.messages import HelloReplyMessage


class TdpHeard(Struct, frozen=True, tag="tdp"):
    """Of a line that is gone only the first four are left. Times are in nanoseconds."""

    session: int | None = None
    expected: int = NOT_STARTED
    """The event delivered next."""
    hello: HelloReplyMessage | None = None
    announced: bool = False
    """This session was reported up."""
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
