"""What both ends of a TDP link hand to their caller: values, the times the protocol runs on, counters.

A link takes bytes and times and returns these. The caller writes `Send` to the line and passes the rest on.
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
from protocol.tdp.heard import TdpHeard
from protocol.tdp.messages import (
    DECLARED,
    ControllerStatusMessage,
    Event,
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
"""What a device says of its whole state."""

MESSAGE_IDS: Final[dict[type[Message], int]] = {
    cls: declared.number for cls, declared in DECLARED.items() if declared.number is not None
}
"""The header's message id of every message that has its own."""

SESSION_EXTENSION: Final = 0x01
"""Extension type of an event that belongs to the session before this one: four bytes, that session's id."""

MUST_UNDERSTAND: Final = 0xF0
"""Header flags a receiver may not ignore. None is defined yet, so a frame with one is not interpreted."""


class Timing(Struct, frozen=True, gc=False):
    """The protocol's times, nanoseconds. Both ends and a listener must use the same ones."""

    reply_ns: int = 100 * _MS
    """A device answers a command within this."""
    retry_ns: int = 250 * _MS
    """A command without an answer is sent again after this."""
    tries: int = 3
    """Times a command is sent before the host gives up."""
    hello_ns: int = 250 * _MS
    """Between two HELLOs while nobody answers."""
    resend_ns: int = 250 * _MS
    """A device sends unacknowledged events again after this."""
    status_ns: int = 1000 * _MS
    """A device reports its status at least this often."""
    heartbeat_ns: int = 1000 * _MS
    """A host sends something at least this often: a heartbeat, when there is nothing else."""
    lost_ns: int = 3000 * _MS
    """Without one valid frame for this long the other end is lost."""
    partial_ns: int = 50 * _MS
    """A frame cut off by this much silence is given up as noise; after as much, a zero goes first."""
    hole_ns: int = 5000 * _MS
    """A missing event that is not had by then is reported lost. Longer than `lost_ns`: a dead line is not a hole."""
    join_ns: int = 3000 * _MS
    """A listener that came late waits this long for a HELLO-REPLY before it starts at the first event it heard."""


class Standing(Struct, frozen=True):
    """Where a link stood when its line went: what a link on the next line goes on from."""

    heard: TdpHeard
    """What is left of it when the line is gone."""
    request: int
    """The request id last used: the device remembers it, so numbering goes on from there."""


class LinkState(StrEnum):
    """Where a host's link stands."""

    CLOSED = "closed"
    HELLO = "asking who is there"
    OPENING = "opening a session"
    UP = "up"
    LOST = "lost"


class UnknownEvent(Event, frozen=True):
    """An event whose message this version does not know or cannot read: it keeps its place in the order."""

    message_id: int
    payload: bytes


class Up(Output, frozen=True):
    """The device granted a session (a listener: was heard to). `resumed`: events go on where they stopped."""

    hello: HelloReplyMessage
    resumed: bool


class Down(Output, frozen=True, gc=True):
    """Nothing valid was heard for `lost_ns`, or (`error` set) the device is not one to talk to."""

    why: str
    error: DealwireError | None = None


class SessionRestarted(Output, frozen=True):
    """The device started anew, under another session id or, both being equal, under the same. What could be read of
    the previous session came before this. `whole`: the device has said which event was its last, and all up to that one
    were delivered or reported lost."""

    previous: int
    session: int
    whole: bool = False


class Returned(Output, frozen=True):
    """A session that was left before the present one is heard again: its bytes are played again, or the device repeats
    its numbers. Follows the SessionRestarted into it."""

    session: int


class Delivered(Output, frozen=True):
    """An event: exactly once, in order. `request` is the command that caused it, 0 for none."""

    session: int
    request: int
    message: Event


class Lost(Output, frozen=True):
    """Events `first` to `last` are gone for ever; delivery goes on after them. Both 0: how many is not known, because
    the device started anew under the same session id."""

    session: int
    first: int
    last: int


class StatusSeen(Output, frozen=True):
    """The device reported its whole visible state."""

    message: DeviceStatus


class Answered(CommonAnswered, frozen=True):
    """A command got its reply; a refusal is a reply, and so is a NAK (as status refused)."""

    request: int
    command: Message
    reply: ReplyMessage


class Progressed(Output, frozen=True):
    """An accepted command goes on."""

    request: int
    command: Message
    progress: ProgressMessage


class Brought(Output, frozen=True):
    """What a command asked for came: *Meters* or *Measured*. It may come before the reply, when that was lost."""

    request: int
    command: Message
    message: Message


class Commanded(Output, frozen=True):
    """Device side: carry out `command` and answer with `DeviceLink.reply` within `reply_ns`."""

    request: int
    command: Message


class Opened(Output, frozen=True):
    """Device side: a host opened the session with this role."""

    role: Role


class HostLost(Output, frozen=True):
    """Device side: the host fell silent for `lost_ns`. Finish the motion and start no other (SAFE)."""


class HostBack(Output, frozen=True):
    """Device side: the lost host is heard again."""


@dataclass(slots=True)
class LinkStats:
    """Counters of one link since it was made."""

    frames: int = 0
    missed_frames: int = 0
    """Breaks in the link sequence, as frames: what the line lost, as far as it shows."""
    noise_bytes: int = 0
    bad_checks: int = 0
    idle_bytes: int = 0
    unusable: int = 0
    """Whole frames with a good check that could not be used."""
    events: int = 0
    repeats: int = 0
    """Events heard again, or before the session was open, and dropped."""
    gaps: int = 0
    lost_events: int = 0
    commands: int = 0
    retries: int = 0
    late_replies: int = 0
    """Replies after `reply_ns`, or to a command no longer waiting."""
    naks: int = 0
