"""What holds of everything a device ever says: rules that look on while the checks are made.

A rule sees each frame and each stretch of time, and keeps the first few breaches. It says nothing of a check; a plan
lists the rules it wants judged, and each is a line of the report of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from dealwire.bench.record import HeardFrame
from protocol.message import message_name
from protocol.tdp import messages as m
from protocol.tdp.codec import Unknown
from protocol.tdp.derive import Envelope
from protocol.tdp.device_link import WINDOW
from protocol.tdp.messages import Capability, Kind, Lamp
from protocol.tdp.outputs import SESSION_EXTENSION, DeviceStatus
from protocol.tdp.packets import VERSION

BREACHES_MAX: Final = 5
"""Breaches told in full; the rest is counted."""

_FROM_DEVICE: Final = (Kind.REPLY, Kind.PROGRESS, Kind.EVENT, Kind.NAK, Kind.LINK)


@dataclass(slots=True)
class Known:
    """What the bench knows of the device while it listens; shared by the rules."""

    hello: m.HelloReplyMessage | None = None
    session: int = 0
    acked: int = 0
    """The bench has acknowledged every event up to this one."""
    read_from: int = 0
    """The event the bench asked last to have again."""
    allowance_ms: int = 0


@dataclass(slots=True)
class Rule:
    """Base of the rules. `seen` counts what it could judge; `breaches` says what was wrong."""

    seen: int = 0
    broken: int = 0
    breaches: list[str] = field(default_factory=list)

    def hear(self, heard: HeardFrame, known: Known) -> None:
        """A whole frame arrived."""
        self._hear(heard, known)

    def noise(self, at_ns: int, reason: str, data: bytes) -> None:
        """Bytes arrived that are no frame."""
        self._noise(at_ns, reason, data)

    def over(self) -> None:
        """The device was switched off and on, or the line was opened anew."""
        self._over()

    # what the rules have of their own

    def _hear(self, heard: HeardFrame, known: Known) -> None:
        pass

    def _noise(self, at_ns: int, reason: str, data: bytes) -> None:
        pass

    def _over(self) -> None:
        pass

    def _judge(self, holds: bool, say: Callable[[], str]) -> None:
        self.seen += 1
        if not holds:
            self.broken += 1
            if len(self.breaches) < BREACHES_MAX:
                self.breaches.append(say())


@dataclass(slots=True)
class Clean(Rule):
    """Every byte belongs to a whole frame."""

    def _hear(self, heard: HeardFrame, known: Known) -> None:
        self._judge(True, str)

    def _noise(self, at_ns: int, reason: str, data: bytes) -> None:
        self._judge(False, lambda: f"{len(data)} bytes that are no frame ({reason}): {data[:16].hex(' ')}")


@dataclass(slots=True)
class Headers(Rule):
    """Version 1, no flag, a kind that a device may send."""

    def _hear(self, heard: HeardFrame, known: Known) -> None:
        envelope = heard.envelope
        fine = envelope.version == VERSION and envelope.flags == 0 and envelope.kind in _FROM_DEVICE
        self._judge(
            fine,
            lambda: f"{_name(envelope)}: version {envelope.version}, flags {envelope.flags:02X}h, kind {envelope.kind}",
        )


@dataclass(slots=True)
class LinkSequence(Rule):
    """The link sequence counts every frame."""

    last: int | None = None

    def _hear(self, heard: HeardFrame, known: Known) -> None:
        sequence, last = heard.envelope.link_sequence, self.last
        self.last = sequence
        if last is not None:
            wanted = last + 1 & 0xFF
            self._judge(sequence == wanted, lambda: f"{_name(heard.envelope)} has {sequence}, {wanted} is next")

    def _over(self) -> None:
        self.last = None


@dataclass(slots=True)
class Layouts(Rule):
    """Every message has the layout of its number, and nothing is said that version 1.0 does not know."""

    def _hear(self, heard: HeardFrame, known: Known) -> None:
        message = heard.envelope.message
        makers = isinstance(message, Unknown) and message.message_id >= 0x8000
        self._judge(not isinstance(message, Unknown) or makers, lambda: f"{_name(heard.envelope)} cannot be read")


@dataclass(slots=True)
class OpeningDelimiter(Rule):
    """After 50 ms of silence a delimiter goes first. On a wire whose times are not exact the silence is taken from the
    device's own clock, between two statuses with nothing between them."""

    silence_ms: int = 50
    last_ns: int | None = None
    last_status: m.Message | None = None
    next_sequence: int | None = None

    def _hear(self, heard: HeardFrame, known: Known) -> None:
        message, sequence = heard.envelope.message, heard.envelope.link_sequence
        last_ns, self.last_ns = self.last_ns, heard.at_ns
        last_status, self.last_status = self.last_status, message
        # after a frame that was lost nobody knows how long the device was silent
        whole = self.next_sequence in (None, sequence)
        self.next_sequence = sequence + 1 & 0xFF
        silent = last_ns is None or heard.at_ns - last_ns >= self.silence_ms * 1_000_000
        if known.allowance_ms:
            silent = isinstance(message, DeviceStatus) and isinstance(last_status, DeviceStatus)
            silent = silent and _uptime_ms(message) - _uptime_ms(last_status) >= self.silence_ms
        if whole and silent:
            self._judge(heard.opened, lambda: f"{_name(heard.envelope)} after silence has none")

    def _noise(self, at_ns: int, reason: str, data: bytes) -> None:
        self.last_ns, self.last_status = at_ns, None

    def _over(self) -> None:
        self.last_ns = self.last_status = self.next_sequence = None


@dataclass(slots=True)
class EventNumbering(Rule):
    """Numbers count up by one; an event heard again is the very same."""

    last: int = 0
    bodies: dict[int, bytes] = field(default_factory=dict)

    def _hear(self, heard: HeardFrame, known: Known) -> None:
        message, envelope = heard.envelope.message, heard.envelope
        if isinstance(message, m.GapMessage) and message.session == known.session:
            self.last = max(self.last, message.first_kept - 1)
        if not isinstance(message, m.Event) or is_old(envelope):
            return
        number, body = message.number, envelope.body[:3] + envelope.body[4:]
        if number in self.bodies:
            self._judge(self.bodies[number] == body, lambda: f"event {number} is another when it is heard again")
            self.last = number
            return
        last = self.last
        begins = (not last and not self.bodies) or number == known.read_from
        self._judge(begins or number == last + 1, lambda: f"event {number} follows event {last}")
        self.last = number
        self.bodies[number] = body
        self.bodies.pop(number - 1024, None)

    def _over(self) -> None:
        self.last = 0
        self.bodies.clear()


@dataclass(slots=True)
class EventClock(Rule):
    """`device_ms` never runs backwards from an event to the next."""

    last: tuple[int, int] = (0, 0)

    def _hear(self, heard: HeardFrame, known: Known) -> None:
        message = heard.envelope.message
        if isinstance(message, m.Event) and not is_old(heard.envelope) and message.number > self.last[0]:
            number, before_ms = self.last
            self.last = message.number, message.device_ms
            if number:
                self._judge(
                    message.device_ms >= before_ms,
                    lambda: f"event {message.number} at {message.device_ms} ms, event {number} at {before_ms} ms",
                )

    def _over(self) -> None:
        self.last = 0, 0


@dataclass(slots=True)
class Window(Rule):
    """At most 16 unacknowledged events are on their way. What a GAP says is gone needs no acknowledgement."""

    gone: int = 0

    def _hear(self, heard: HeardFrame, known: Known) -> None:
        message = heard.envelope.message
        if isinstance(message, m.GapMessage) and message.session == known.session:
            self.gone = message.first_kept - 1
        if isinstance(message, m.Event) and not is_old(heard.envelope) and known.acked >= 0:
            base = max(known.acked, self.gone)
            self._judge(
                message.number <= base + WINDOW,
                lambda: f"event {message.number} came while event {base} was the last acknowledged",
            )

    def _over(self) -> None:
        self.gone = 0


@dataclass(slots=True)
class StatusRhythm(Rule):
    """A status at least every second, by the arrival of both and by the device's own clock in them: a line or a
    machine that is late for once is not the device."""

    last: tuple[int, int] | None = None

    def _hear(self, heard: HeardFrame, known: Known) -> None:
        message = heard.envelope.message
        if not isinstance(message, DeviceStatus):
            return
        last, self.last = self.last, (heard.at_ns, message.uptime_ms)
        if last is not None:
            gap_ms = min((heard.at_ns - last[0]) / 1e6, message.uptime_ms - last[1])
            self._judge(gap_ms <= 1000 + known.allowance_ms, lambda: f"{gap_ms:.0f} ms without a status")

    def _over(self) -> None:
        self.last = None


@dataclass(slots=True)
class StatusTruth(Rule):
    """A status names the session of HELLO-REPLY and knows of every event that was sent."""

    newest: int = 0

    def _hear(self, heard: HeardFrame, known: Known) -> None:
        message = heard.envelope.message
        if isinstance(message, m.Event) and not is_old(heard.envelope):
            self.newest = max(self.newest, message.number)
        if isinstance(message, DeviceStatus):
            fine = known.session in (0, message.session) and message.last_event >= self.newest
            self._judge(
                fine,
                lambda: (
                    f"session {message.session:08X}h, last event {message.last_event}; "
                    f"known are {known.session:08X}h and event {self.newest}"
                ),
            )

    def _over(self) -> None:
        self.newest = 0


@dataclass(slots=True)
class Latched(Rule):
    """The red lamp goes out only after a person cleared the misdeal."""

    lit: bool = False
    cleared: bool = False

    def _hear(self, heard: HeardFrame, known: Known) -> None:
        message = heard.envelope.message
        if isinstance(message, m.MisdealClearedMessage) and not is_old(heard.envelope):
            self.cleared = True
        if isinstance(message, m.ShufflerStatusMessage):
            lit = bool(message.lamps & Lamp.RED)
            if self.lit:
                # the status may be said before the event that explains it
                self._judge(lit or self.cleared or message.last_event > known.acked, lambda: "it went out by itself")
            if not self.lit and lit:
                self.cleared = False
            self.lit = lit


@dataclass(slots=True)
class Faces(Rule):
    """Faces only of packets that have left a device that recognises cards, one for each card counted."""

    def _hear(self, heard: HeardFrame, known: Known) -> None:
        message = heard.envelope.message
        if isinstance(message, m.PacketDispensedMessage) and known.hello is not None:
            reads = bool(known.hello.capabilities & Capability.CARD_RECOGNITION)
            wanted = message.counted if reads else 0
            self._judge(
                len(message.cards) == wanted,
                lambda: f"packet {message.ordinal} of {message.counted} names {len(message.cards)} faces, not {wanted}",
            )


RULES: Final[dict[str, Callable[[], Rule]]] = {
    "clean": Clean,
    "headers": Headers,
    "link-sequence": LinkSequence,
    "layouts": Layouts,
    "opening-delimiter": OpeningDelimiter,
    "event-order": EventNumbering,
    "event-clock": EventClock,
    "window": Window,
    "status-rhythm": StatusRhythm,
    "status-truth": StatusTruth,
    "latched": Latched,
    "faces": Faces,
}
"""What a plan may list under `rule`."""


def is_old(envelope: Envelope) -> bool:
    """Whether the frame is an event of the session before."""
    return any(kind == SESSION_EXTENSION for kind, _ in envelope.extensions)


def _name(envelope: Envelope) -> str:
    message = envelope.message
    return f"message {message.message_id:04X}h" if isinstance(message, Unknown) else message_name(message)


def _uptime_ms(message: m.Message | None) -> int:
    return message.uptime_ms if isinstance(message, DeviceStatus) else 0
