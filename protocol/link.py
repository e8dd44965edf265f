"""Interface of a host's link, common to all dialects: bytes and times in, outputs out. A dialect adds its own outputs.

Some devices keep sessions and number their events. For a device that does not, the link does it: it numbers the reports
it receives, and names a session by the time of its first report. A recording therefore yields the same session name
when it is replayed, and a reopened line yields a new one, because no one knows what happened in between.
"""

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from msgspec import Struct

from protocol.errors import NoAnswer, RemoteError
from protocol.message import Message


class Output(Struct, frozen=True, gc=False):
    """Base of all values that a link returns."""


class Send(Output, frozen=True):
    """Bytes to write to the line: one frame."""

    data: bytes


class Discarded(Output, frozen=True):
    """Unusable bytes: noise, or a complete frame with the reason it was dropped."""

    data: bytes
    why: str


class Answered(Output, frozen=True):
    """Reply to a command. A refusal is a reply too."""

    request: int
    command: Message
    reply: Message


class Unanswered(Output, frozen=True, gc=True):
    """A command that ended without a reply. Whether the device carried it out is unknown."""

    request: int
    command: Message
    error: NoAnswer


class Started(Output, frozen=True):
    """First report of a device without sessions of its own (`previous` 0), or its first after a restart."""

    session: int
    previous: int


class Reported(Output, frozen=True):
    """Report of a device without event numbers. `number` is the link's own count in this session, from 1."""

    session: int
    number: int
    message: Message


class Missed(Output, frozen=True):
    """One or more reports of a device without event numbers were lost here. Their number is unknown."""

    session: int
    why: str


def session_at(now_ns: int) -> int:
    """Return the name of a session whose first report arrived at `now_ns`: the millisecond modulo 2**32, never 0."""
    return now_ns // 1_000_000 % (1 << 32) or 1


class Counters(Protocol):
    """Counters that every link keeps."""

    frames: int
    """Complete frames received."""
    noise_bytes: int
    """Bytes that belong to no frame."""


@dataclass(slots=True)
class LineCounters:
    """Counters of a link whose dialect has nothing more to count."""

    frames: int = 0
    noise_bytes: int = 0
    bad_checks: int = 0
    unusable: int = 0
    """Complete frames that could not be used."""
    events: int = 0
    repeats: int = 0
    gaps: int = 0
    commands: int = 0
    retries: int = 0
    naks: int = 0


class Link(Protocol):
    """Host's end of one line, used once. It never blocks.

    Its output depends only on the received bytes and their times, so a listener on a recording yields the same output.
    """

    @property
    def stats(self) -> Counters:
        """Counters since the link was created."""

    @property
    def next_deadline_ns(self) -> int | None:
        """Time at which to call `tick`; None if no timer is running."""

    def start(self, now_ns: int) -> list[Output]:
        """Start the link."""

    def receive(self, data: bytes, now_ns: int) -> list[Output]:
        """Process the bytes that arrived at `now_ns`."""

    def tick(self, now_ns: int) -> list[Output]:
        """Run the timers that are due by `now_ns`."""

    def skip(self, now_ns: int) -> list[Output]:
        """Record that bytes are missing here and will never arrive.

        A frame that is cut off by the hole becomes noise. If the device does not number its reports, some of them may
        be `Missed`.
        """

    def request(self, command: Any, now_ns: int) -> tuple[int, list[Output]]:
        """Queue a command of the dialect and return its request id, which `Answered` or `Unanswered` carries.

        Raise NotUp, NotPermitted, QueueFull or CannotEncode if the command cannot be sent.
        """

    def close(self, now_ns: int) -> list[Output]:
        """Close the link and return everything that was held back."""


@runtime_checkable
class Recallable(Protocol):
    """Link that can export the received state that decides its further output, and resume from it."""

    def heard(self) -> Struct | None:
        """Return the received state; None while a frame is incomplete or an event is held back.

        A live link and a listener on a recording of the same bytes return equal values.
        """

    def recall(self, heard: Struct) -> None:
        """Resume from the state that another link on this line exported.

        Call it before `start` if that line is gone, otherwise after it. Raise ValueError for the state of another
        dialect.
        """


class Resumable(Link):
    """Link to a device that keeps sessions and events, so that a link on the next line can resume from this one.

    This is a base class and not a protocol: it is checked with isinstance while a line is lost, and a runtime check of
    a protocol's members costs more than processing a frame.
    """

    @property
    @abstractmethod
    def alive(self) -> bool:
        """True if a valid frame arrived recently."""

    @property
    @abstractmethod
    def heard_ns(self) -> int:
        """Time of the last valid frame; 0 before any."""

    @property
    @abstractmethod
    def complete(self) -> bool:
        """True if the session is up and every event that the device is known to have made was delivered."""

    @property
    @abstractmethod
    def problem(self) -> RemoteError | None:
        """Reason not to talk to the device that answers; None if there is none."""

    @abstractmethod
    def suspend(self, now_ns: int) -> list[Output]:
        """Close the link because its line is gone. Everything held back is left to the successor."""

    @abstractmethod
    def successor(self, role: Any = None) -> "Resumable":
        """Return a link for the next line that resumes from this one.

        If this link only listened, `role` makes the successor active and is the role it requests.
        """
