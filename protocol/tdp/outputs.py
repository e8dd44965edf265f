"""Outputs that both ends of a TDP link return to their caller, the protocol's times, and the counters.

A link takes bytes and times and returns these values. The caller writes `Send` to the line and passes the rest on.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from msgspec import Struct

from protocol.errors import DealwireError
from protocol.link import Answered as CommonAnswered
from protocol.link import Discarded as Discarded
from protocol.link import Output as Output
from protocol.link import Send as Send
from protocol.link import Unanswered as Unanswered
from protocol.tdp.attestation import Certificate, Statement
from protocol.tdp.heard import TdpHeard
from protocol.tdp.messages import (
    DECLARED,
    ControllerStatusMessage,
    Event,
    FrameFlag,
    HelloReplyMessage,
    Message,
    ProgressMessage,
    ReplyMessage,
    Role,
    ShoeStatusMessage,
    ShufflerStatusMessage,
)

_MS: Final = 1_000_000

DeviceStatus = ShufflerStatusMessage | ShoeStatusMessage | ControllerStatusMessage
"""Report of a device's whole state."""

MESSAGE_IDS: Final[dict[type[Message], int]] = {
    cls: declared.number for cls, declared in DECLARED.items() if declared.number is not None
}
"""Header message id of every message that has its own."""

SESSION_EXTENSION: Final = 0x01
"""Extension type of an event that belongs to the previous session: four bytes, the id of that session."""

MUST_UNDERSTAND: Final = 0xF0
"""Header flags that a receiver must not ignore. A link interprets no frame with one of them: the ends of a sealed line
open theirs before the link sees them."""

SEALED: Final = int(FrameFlag.SEALED)
"""Header flag of a frame whose payload is encrypted."""
REFUSED: Final = 0x40
"""Header flag by which the end of a sealed line marks a frame that it did not accept. It is never on the wire."""


class Timing(Struct, frozen=True, gc=False):
    """Times of the protocol, in nanoseconds. Both ends and a listener must use the same ones."""

    reply_ns: int = 100 * _MS
    """Time within which a device answers a command."""
    retry_ns: int = 250 * _MS
    """Time after which a command without an answer is sent again."""
    tries: int = 3
    """Number of times that a command is sent before the host gives up."""
    hello_ns: int = 250 * _MS
    """Time between two HELLOs while no device answers."""
    resend_ns: int = 250 * _MS
    """Time after which a device sends unacknowledged events again."""
    status_ns: int = 1000 * _MS
    """Maximum time between two status reports of a device."""
    heartbeat_ns: int = 1000 * _MS
    """Maximum time between two frames of a host. It sends a heartbeat if there is nothing else to send."""
    lost_ns: int = 3000 * _MS
    """Time without a valid frame after which the other end is lost."""
    partial_ns: int = 50 * _MS
    """Silence after which an incomplete frame becomes noise, and after which a sender puts a zero before its frame."""
    hole_ns: int = 5000 * _MS
    """Time after which a missing event is reported lost. Longer than `lost_ns`, because a dead line is not a hole."""
    join_ns: int = 3000 * _MS
    """Time that a late listener waits for a HELLO-REPLY before it starts at the first event it received."""


class Standing(Struct, frozen=True):
    """State of a link at the end of its line. A link on the next line resumes from it."""

    heard: TdpHeard
    """Received state that remains valid after the line is gone."""
    request: int
    """Request id used last. The device remembers it, so numbering continues from there."""


class LinkState(StrEnum):
    """State of a host's link."""

    CLOSED = "closed"
    HELLO = "waiting for a device"
    OPENING = "opening a session"
    UP = "up"
    LOST = "lost"


class UnknownEvent(Event, frozen=True):
    """An event whose message this version does not know or cannot read. It keeps its place in the order."""

    message_id: int
    payload: bytes


class Up(Output, frozen=True):
    """The device granted a session (for a listener: was seen to). `resumed` means that events continue where they
    stopped."""

    hello: HelloReplyMessage
    resumed: bool
    certificate: Certificate | None = None
    """The maker's certificate of the device's key, unverified; None if its HELLO-REPLY has none."""


class Down(Output, frozen=True, gc=True):
    """No valid frame arrived for `lost_ns`, or (`error` is set) the device is not one to talk to."""

    why: str
    error: DealwireError | None = None


class SessionRestarted(Output, frozen=True):
    """The device restarted, under another session id or, if both are equal, under the same one.

    Everything still readable of the previous session came before this. `whole` means that the device named its last
    event and that all events up to it were delivered or reported lost.
    """

    previous: int
    session: int
    whole: bool = False


class Returned(Output, frozen=True):
    """An earlier session is back: its bytes are replayed, or the device repeats its numbers. Follows the
    SessionRestarted into it."""

    session: int


class Delivered(Output, frozen=True):
    """An event, delivered exactly once and in order. `request` is the command that caused it, 0 for none."""

    session: int
    request: int
    message: Event


class Lost(Output, frozen=True):
    """Events `first` to `last` are lost for good; delivery continues after them.

    Both are 0 if the number is unknown, because the device restarted under the same session id.
    """

    session: int
    first: int
    last: int


class StatusSeen(Output, frozen=True):
    """Report of a device's whole visible state."""

    message: DeviceStatus


class Answered(CommonAnswered, frozen=True):
    """Reply to a command. A refusal is a reply, and so is a NAK (with status refused)."""

    request: int
    command: Message
    reply: ReplyMessage


class Progressed(Output, frozen=True):
    """Progress of an accepted command."""

    request: int
    command: Message
    progress: ProgressMessage


class Brought(Output, frozen=True):
    """Data that a command requested: *Meters* or *Measured*. It may come before the reply if the reply was lost."""

    request: int
    command: Message
    message: Message
    statement: Statement | None = None
    """The signed part of a *Measured*, unverified."""


class Commanded(Output, frozen=True):
    """Device side: carry out `command` and answer with `DeviceLink.reply` within `reply_ns`."""

    request: int
    command: Message


class Opened(Output, frozen=True):
    """Device side: a host opened the session with this role."""

    role: Role


class HostLost(Output, frozen=True):
    """Device side: the host was silent for `lost_ns`. Finish the current motion and start no other (SAFE)."""


class HostBack(Output, frozen=True):
    """Device side: the lost host is back."""


@dataclass(slots=True)
class LinkStats:
    """Counters of one link since it was created."""

    frames: int = 0
    missed_frames: int = 0
    """Frames missing from the link sequence: losses of the line, as far as they show."""
    noise_bytes: int = 0
    bad_checks: int = 0
    idle_bytes: int = 0
    unusable: int = 0
    """Complete frames with a valid check that could not be used."""
    events: int = 0
    repeats: int = 0
    """Events that were dropped because they were repeats or came before the session was open."""
    gaps: int = 0
    lost_events: int = 0
    commands: int = 0
    retries: int = 0
    late_replies: int = 0
    """Replies after `reply_ns`, or to a command no longer waiting."""
    naks: int = 0
