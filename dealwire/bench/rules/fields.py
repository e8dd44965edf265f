"""Rules about the fields of messages: session ids, clock, texts, states, codes, and requests of manual events."""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import IntFlag
from typing import Any, Final

from dealwire.bench.record import HeardFrame
from dealwire.bench.rules.rule import NOT_KNOWN, BenchRule, Known, name_of
from protocol.cards import CARDS as CARD_CODES
from protocol.faults import Fault
from protocol.message import message_name
from protocol.places import PLACES as PLACE_CODES
from protocol.tdp import messages as m
from protocol.tdp.attestation import (
    CERTIFICATE_BYTES,
    CERTIFICATE_EXTENSION,
    MEASURED_EXTENSION,
    STATEMENT_BYTES,
)
from protocol.tdp.derive import Field, fields_of
from protocol.tdp.device_link import WINDOW
from protocol.tdp.messages import Capability, Event, Kind, Status
from protocol.tdp.outputs import MESSAGE_IDS, SESSION_EXTENSION, DeviceStatus
from protocol.tdp.packets import ANSWERS, CARDS, MINOR, PACKETS, PLACES, VERSION

NEAR: Final = 256
"""Distance between two session ids, or from 0, below which they are not considered random. Of a million power-ups with
random ids, one in ten is rejected by mistake."""
STILL_MS: Final = 900
"""Milliseconds between two arrivals after which the statuses were certainly made at different times, however late the
line was."""
MOVED_MS: Final = 10
"""Minimum milliseconds by which a millisecond clock has advanced by then; a clock of seconds has not."""
AHEAD_MS: Final = 5_000
"""Milliseconds by which a device's clock may have advanced more than the time between two statuses, for delays of the
line."""
CHANGE_MS: Final = 500
"""Maximum milliseconds until a STATUS that a change requires. The specification gives no time, so this is generous; the
regular status of the next second is as often later as not."""
MARGIN_NS: Final = 1_000_000_000
"""Nanoseconds after which an ACK has certainly arrived."""
_WRAP: Final = 1 << 32
_SHOWN: Final = (
    m.PacketDispensedMessage,
    m.PacketLiftedMessage,
    m.CardRejectedMessage,
    m.DoorMovedMessage,
    m.CardDrawnMessage,
    m.CardUnreadableMessage,
    m.CardDrawnOutsideMessage,
    m.ShoeLockMovedMessage,
    m.SensorChangedMessage,
    m.GameStartedMessage,
)
"""Events that change a field of STATUS: a count, a lock, a door."""
_FAULTS: Final = (m.FaultRaisedMessage, m.FaultClearedMessage)
_OPENS: Final = MESSAGE_IDS[m.OpenSessionMessage]
_RESERVED: Final = range(0x02, 0x80)
_SESSION_BYTES: Final = 4
_ATTESTING: Final = {
    (MEASURED_EXTENSION, m.MeasuredMessage): STATEMENT_BYTES,
    (CERTIFICATE_EXTENSION, m.HelloReplyMessage): CERTIFICATE_BYTES,
}
"""Lengths of the extensions of one message alone."""


@dataclass
class _Sessions(BenchRule, name="sessions", kept=("drawn", "now")):
    """Session ids are random, over all power-ups of the run and the session before them."""

    drawn: list[int] = field(default_factory=list)
    """Session ids in the order of the power-ups, as far as it is known."""
    now: int = 0

    def on_frame(self, heard: HeardFrame, known: Known) -> None:
        message = heard.message
        if isinstance(message, m.HelloReplyMessage) and message.session != self.now:
            self.now = message.session
            self._draw(self.now, len(self.drawn))
        elif isinstance(heard.event, m.BootedMessage):
            before = heard.event.previous_session
            if before and before not in self.drawn and self.now in self.drawn:
                self._draw(before, self.drawn.index(self.now))

    def _draw(self, session: int, place: int) -> None:
        why = f"{session:08X}h came again" if session in self.drawn else self._near(session)
        self.drawn.insert(place, session)
        why = why or _in_steps(self.drawn)
        self.judge(not why, f"{why}: not drawn by chance")

    def _near(self, session: int) -> str:
        others = [other for other in (*self.drawn, 0) if _apart(session, other) < NEAR]
        return f"{session:08X}h and {others[0]:08X}h are near" if others else ""


def _in_steps(drawn: list[int]) -> str:
    """Return a text if the last ids are in steps: three in a row at equal distance, which happens by chance once in
    four billion."""
    for one, other, third in zip(drawn, drawn[1:], drawn[2:], strict=False):
        step = (other - one) % _WRAP
        if step and step == (third - other) % _WRAP:
            return f"{one:08X}h, {other:08X}h and {third:08X}h: counted by {step:X}h"
    return ""


def _apart(one: int, other: int) -> int:
    return min((one - other) % _WRAP, (other - one) % _WRAP)


@dataclass
class _Uptime(BenchRule, name="uptime"):
    """`uptime_ms` counts milliseconds: it advances with time, and never goes back within a session."""

    last: tuple[int, int, int] | None = None

    def status(self, status: DeviceStatus, heard: HeardFrame, known: Known) -> None:
        last, self.last = self.last, (heard.at_ns, status.uptime_ms, status.session)
        if last is None or last[2] != status.session:
            return
        passed_ms = (heard.at_ns - last[0]) / 1e6
        moved_ms = (status.uptime_ms - last[1] + _WRAP // 2) % _WRAP - _WRAP // 2
        stands = passed_ms >= STILL_MS and moved_ms < MOVED_MS
        fine = moved_ms >= 0 and not stands and moved_ms <= passed_ms + AHEAD_MS
        self.judge(fine, f"it went on by {moved_ms} ms in {passed_ms:.0f} ms")


class _Extensions(BenchRule, name="extensions"):
    """No reserved extension is sent; 01h is the four bytes of a session, with an event; 02h and 03h are those of a
    device that attests, each in its message."""

    def on_frame(self, heard: HeardFrame, known: Known) -> None:
        wrong = [
            f"{kind:02X}h of {len(data)} bytes"
            for kind, data in heard.envelope.extensions
            if (kind in _RESERVED and _ATTESTING.get((kind, type(heard.message))) != len(data))
            or (kind == SESSION_EXTENSION and (heard.envelope.kind != Kind.EVENT or len(data) != _SESSION_BYTES))
        ]
        self.judge(not wrong, f"{name_of(heard)} carries extension {', '.join(wrong)}")


class _Texts(BenchRule, name="texts"):
    """Texts in HELLO-REPLY are padded with zeros, not with spaces."""

    def on_frame(self, heard: HeardFrame, known: Known) -> None:
        hello = heard.message
        if isinstance(hello, m.HelloReplyMessage):
            texts = {name: str(getattr(hello, name)) for name in ("maker", "model", "serial", "firmware")}
            filled = [name for name, text in texts.items() if text != text.rstrip()]
            self.judge(not filled, f"{', '.join(filled)} ends with blanks")


@dataclass
class _StateChanges(BenchRule, name="state-changes"):
    """`previous` of a StateChanged equals `state` of the one before, if all events in between were received."""

    state: int | None = None

    def event(self, event: m.Event, heard: HeardFrame, known: Known) -> None:
        state = self.state if self.follows else None
        if isinstance(event, m.StateChangedMessage):
            if state is not None:
                words = f"event {event.number} says {event.previous}; the one before it said {state}"
                self.judge(event.previous == state, words)
            state = event.state
        self.state = state


@dataclass
class _EventsFirst(BenchRule, name="events-first"):
    """An event that may be sent comes before the STATUS that counts it.

    An event may be sent if a session is open and the window has room. It is excused if it is read or sent again, or
    follows a lost frame. Events that waited for the session come when they are read or repeated, so a STATUS may
    precede them.
    """

    counted: int = 0
    """Newest event that a STATUS counted and that was due before it."""
    excused: int = 0
    """Number of the newest event that may arrive after a STATUS that counts it."""
    read_at: tuple[int, int] = (NOT_KNOWN, 0)
    acks: deque[tuple[int, int]] = field(default_factory=deque)
    sequence: int | None = None
    is_open: bool = False
    waits: bool = False
    """True after the session was opened, until a waiting event was read or sent."""

    def on_frame(self, heard: HeardFrame, known: Known) -> None:
        message, event = heard.message, heard.event
        lost = self.sequence not in (None, heard.envelope.link_sequence)
        self.sequence = heard.envelope.link_sequence + 1 & 0xFF
        acked = self._acked(heard.at_ns, known)
        if event is not None and event.number > self.newest:
            self.newest = event.number
            self.waits = False
            if event.number > self.excused:
                words = f"{message_name(event)}, event {event.number}, came after a STATUS that counts it"
                self.judge(event.number > self.counted, words)
        if isinstance(message, DeviceStatus):
            room = self.is_open and not lost and not self.waits and message.last_event <= acked + WINDOW
            if room and message.session == known.session:
                self.counted = max(self.counted, message.last_event)
            else:
                self.excused = max(self.excused, message.last_event)
        if isinstance(message, m.ReplyMessage) and heard.envelope.message_id == _OPENS:
            self.is_open = self.is_open or message.status == Status.DONE
            self.waits = self.is_open
            lost = True  # what was there before comes now
        if lost:
            self.excused = max(self.excused, self.counted)

    def _acked(self, at_ns: int, known: Known) -> int:
        """Return the newest event that the device certainly knows to be acknowledged. If events are read again, the
        existing ones are excused."""
        if known.acked < self.read_at[0] or known.read_from != self.read_at[1]:
            self.excused = max(self.excused, self.counted, self.newest, known.acked)
            self.acks.clear()
            self.waits = False
        self.read_at = known.acked, known.read_from
        self.acks.append((at_ns, max(known.acked, 0)))
        while len(self.acks) > 1 and self.acks[1][0] <= at_ns - MARGIN_NS:
            self.acks.popleft()
        return self.acks[0][1]


@dataclass
class _OnChange(BenchRule, name="status-on-change"):
    """A STATUS follows each event that changes one of its fields, in addition to the STATUS each second."""

    known_to_status: int = 0
    waiting: list[tuple[int, int, str]] = field(default_factory=list)

    def status(self, status: DeviceStatus, heard: HeardFrame, known: Known) -> None:
        self.known_to_status = max(self.known_to_status, status.last_event)
        due = [one for one in self.waiting if one[0] <= status.last_event]
        self.waiting = [one for one in self.waiting if one[0] > status.last_event]
        for number, at_ns, name in due:
            after_ms = (heard.at_ns - at_ns) / 1e6
            words = f"{after_ms:.0f} ms after {name}, event {number}, which changes it"
            self.judge(after_ms <= CHANGE_MS + known.allowance_ms, words)

    def event(self, event: m.Event, heard: HeardFrame, known: Known) -> None:
        shown = isinstance(event, _SHOWN) or (isinstance(event, _FAULTS) and event.fault == Fault.HOST_LOST)
        if shown and event.number > self.known_to_status:
            self.waiting.append((event.number, heard.at_ns, message_name(event)))


# ------------------------------------------------------------------ what the declarations know

_OWN: Final = range(0x80, 0x100)
"""Range of maker-specific meters, components, regions and algorithms."""
_OWN_BITS: Final = 0xFF00_0000
"""Bits of maker-specific capabilities."""
_WITH_OWN: Final = (m.DeviceMeter, m.Component, m.Region, m.Algorithm)
_ANY_NUMBER: Final = (Fault, m.Decision)
"""Numbers that a maker or a game's file may define."""

_PACKETS: Final = (*PACKETS.values(), *ANSWERS.values())
_FIELDS: Final[dict[type[m.Message], tuple[Field, ...]]] = {cls: fields_of(packet) for cls, packet in _PACKETS}
_BY_HANDS: Final[tuple[type[Event], ...]] = (
    m.BootedMessage,
    m.GreenButtonMessage,
    m.DeckLoadedMessage,
    m.DoorMovedMessage,
    m.ShoeLoadedMessage,
    m.BurnStartedMessage,
    m.CardDrawnMessage,
    m.CardUnreadableMessage,
    m.CutCardSeenMessage,
    m.OverdrawMessage,
    m.PushedBackMessage,
    m.PulledBackMessage,
    m.CardDrawnOutsideMessage,
    m.ShoeErrorMessage,
    m.CardReportedAgainMessage,
    *(cls for (_, number), (cls, _) in PACKETS.items() if number >> 8 == 0x03 and issubclass(cls, Event)),
)
"""Events that no command of a host causes."""


class _Codes(BenchRule, name="codes"):
    """Every card code, place code and named value is in the specification. A device with a later version of the
    protocol is not tested, since it may have more."""

    def on_frame(self, heard: HeardFrame, known: Known) -> None:
        hello = heard.message if isinstance(heard.message, m.HelloReplyMessage) else known.hello
        if hello is None or (hello.highest_major, hello.highest_minor) > (VERSION, MINOR):
            return
        for name, names, value in _coded(heard.message):
            exists = _exists(names, value)
            self.judge(exists, "" if exists else _says(heard, name, names, value))
        message = heard.message
        if isinstance(message, m.HandSetMessage):
            words = f"HandSet: the first {message.low} of {len(message.cards)} cards"
            self.judge(message.low <= len(message.cards), words)


def _coded(message: m.Message) -> Iterable[tuple[str, Any, int]]:
    """Yield each named value in a message, with its names."""
    for part in _FIELDS.get(type(message), ()):
        value = getattr(message, part.name)
        if part.parts:
            for row in value:
                yield from ((each.name, each.names, one) for each, one in zip(part.parts, row, strict=True))
        else:
            many = isinstance(value, tuple | bytes)
            yield from ((part.name, part.names, one) for one in (value if many else (value,)))


def _exists(names: Any, value: int) -> bool:
    if names is None or names in _ANY_NUMBER:
        return True
    if names == CARDS:
        return not CARD_CODES[value].text.startswith("0x")
    if names == PLACES:
        return not PLACE_CODES[value].text.startswith("0x")
    if issubclass(names, IntFlag):
        allowed = sum(names) | (_OWN_BITS if names is Capability else 0)
        return not value & ~allowed
    return value in names._value2member_map_ or (names in _WITH_OWN and value in _OWN)


def _says(heard: HeardFrame, field: str, names: Any, value: int) -> str:
    """Return the text of a wrong code. The code itself is not a face, since no card has it."""
    kinds = {CARDS: "card code", PLACES: "place code"}
    kind = kinds.get(names) if isinstance(names, str) else getattr(names, "__name__", "")
    return f"{name_of(heard)}: {field} is {value:02X}h, which is no {kind}"


class _ByHands(BenchRule, name="request-of-hands"):
    """Events caused by hand carry no request id of a command."""

    def on_frame(self, heard: HeardFrame, known: Known) -> None:
        if isinstance(heard.message, _BY_HANDS):
            request = heard.envelope.request
            self.judge(not request, f"{name_of(heard)} carries request {request}; no command causes it")
