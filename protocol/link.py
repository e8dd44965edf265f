"""What a host's link is, in every dialect: bytes and times in, outputs out. A dialect adds outputs of its own.

A device that keeps sessions and numbers its events says so itself. For one that does not, the link does: it numbers
the reports it hears, and names a session by the time its first report came in, so that a recording gives the same name
and a line opened anew, over which nobody knows what happened meanwhile, another.
"""

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from msgspec import Struct

from protocol.errors import NoAnswer, RemoteError
from protocol.message import Message


class Output(Struct, frozen=True, gc=False):
    """Base of everything a link returns."""


class Send(Output, frozen=True):
    """Bytes for the line: one frame."""

    data: bytes


class Discarded(Output, frozen=True):
    """Bytes that carried nothing usable: noise, or a whole frame and why it is of no use."""

    data: bytes
    why: str


class Answered(Output, frozen=True):
    """A command got its reply; a refusal is a reply too."""

    request: int
    command: Message
    reply: Message


class Unanswered(Output, frozen=True, gc=True):
    """A command ended without a reply: what the device did with it is unknown."""

    request: int
    command: Message
    error: NoAnswer


class Started(Output, frozen=True):
    """A device without sessions of its own was heard first (`previous` 0), or heard to start anew."""

    session: int
    previous: int


class Reported(Output, frozen=True):
    """A device without event numbers reported something; `number` is the link's count in this session, from 1."""

    session: int
    number: int
    message: Message


class Missed(Output, frozen=True):
    """One or more reports of a device without event numbers were lost here: how many is not known."""

    session: int
    why: str


def session_at(now_ns: int) -> int:
    """The name of a session whose first report came at `now_ns`: its millisecond, as 32 bits, never 0."""
    return now_ns // 1_000_000 % (1 << 32) or 1


class Counters(Protocol):
    """What every link counts."""

    frames: int
    """Whole frames heard."""
    noise_bytes: int
    """Bytes that belong to no frame."""


@dataclass(slots=True)
class LineCounters:
    """Counters of a link whose dialect has no more to count than this."""

    frames: int = 0
    noise_bytes: int = 0
    bad_checks: int = 0
    unusable: int = 0
    """Whole frames that could not be used."""
    events: int = 0
    repeats: int = 0
    gaps: int = 0
    commands: int = 0
    retries: int = 0
    naks: int = 0


class Link(Protocol):
    """A host's end of one line, used once. It never waits; what it delivers depends on what it hears and when alone,
    so that a listener over a recording delivers the same."""

    @property
    def stats(self) -> Counters:
        """Counters since the link was made."""

    @property
    def next_deadline_ns(self) -> int | None:
        """When `tick` is due; None while nothing is."""

    def start(self, now_ns: int) -> list[Output]:
        """Begin."""

    def receive(self, data: bytes, now_ns: int) -> list[Output]:
        """Take bytes that arrived at `now_ns`."""

    def tick(self, now_ns: int) -> list[Output]:
        """Do what is due by `now_ns`."""

    def skip(self, now_ns: int) -> list[Output]:
        """Bytes that came here will never be seen: what is cut off by that is noise, and a device that does not number
        its reports may have made some that are `Missed`."""

    def request(self, command: Any, now_ns: int) -> tuple[int, list[Output]]:
        """Queue a command of the dialect; its id comes back in `Answered` or `Unanswered`. NotUp, NotPermitted,
        QueueFull or CannotEncode when it cannot be asked."""

    def close(self, now_ns: int) -> list[Output]:
        """End: give out what was held back."""


@runtime_checkable
class Recallable(Protocol):
    """A link that can say what it heard, as far as that decides what it will deliver, and go on from it."""

    def heard(self) -> Struct | None:
        """What was heard; None while something is half heard or held back. A link that talks and one that listens over
        a recording of the same bytes give equal values."""

    def recall(self, heard: Struct) -> None:
        """Go on from what a link on this line heard; call it before `start` for a line that is gone, else after.
        ValueError when that is of another dialect."""


class Resumable(Link):
    """A link to a device that keeps sessions and events: on the next line, another goes on from where it stood.

    A base to inherit from, because it is looked for while a line is lost, and what a mere protocol takes to be
    looked for is more than a frame costs.
    """

    @property
    @abstractmethod
    def alive(self) -> bool:
        """Something valid was heard not long ago."""

    @property
    @abstractmethod
    def heard_ns(self) -> int:
        """When the last valid frame came; 0 before any."""

    @property
    @abstractmethod
    def complete(self) -> bool:
        """The session is up and every event the device is known to have made was delivered."""

    @property
    @abstractmethod
    def problem(self) -> RemoteError | None:
        """Why the device that answers is not one to talk to; None while there is no reason."""

    @abstractmethod
    def suspend(self, now_ns: int) -> list[Output]:
        """End because the line is gone: what is held back is left to the successor."""

    @abstractmethod
    def successor(self, role: Any = None) -> "Resumable":
        """A link for the next line, that goes on from where this one stood. After one that only listened, `role` makes
        it speak, and is what it asks for."""
