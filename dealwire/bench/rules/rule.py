"""Rules that hold for everything a device sends; they monitor all checks.

A rule sees each frame and each piece of noise, and keeps the first few breaches. A plan lists its rules, and each has
its own line in the report.
"""

from dataclasses import dataclass, field
from typing import ClassVar, Final

from dealwire.bench.record import HeardFrame
from protocol.message import message_name
from protocol.tdp import messages as m
from protocol.tdp.codec import Unknown
from protocol.tdp.device_link import WINDOW
from protocol.tdp.messages import Capability, Kind, Lamp
from protocol.tdp.outputs import DeviceStatus
from protocol.tdp.packets import MINOR, VERSION
from protocol.tdp.since import message_since
from protocol.tdp.vetting import common_version

BREACHES_MAX: Final = 5
"""Maximum number of breaches kept as text; further ones are counted."""
NOT_KNOWN: Final = -1
"""Value of `Known.acked` while no session is open and the device may hold events of any number."""
SILENCE_MS: Final = 50
"""Milliseconds of silence after which a frame begins with a delimiter."""

CLOCK_MS: Final = 5_000
"""Milliseconds of comparison before a device's clock is called too slow."""

_FROM_DEVICE: Final = (Kind.REPLY, Kind.PROGRESS, Kind.EVENT, Kind.NAK, Kind.LINK)


@dataclass(slots=True)
class Known:
    """Knowledge of the bench about the device, shared by the rules."""

    hello: m.HelloReplyMessage | None = None
    session: int = 0
    acked: int = 0
    """Newest event that the bench acknowledged."""
    read_from: int = 0
    """First event that the bench last asked to be repeated."""
    answered_ns: int = 0
    """Time at which the command was sent whose reply came last. Anything received after that reply was made since."""
    allowance_ms: int = 0
    exact: bool = True
    """True if times are those of the device alone, without any delay between it and the bench."""
    sealed: bool = False
    """True on a sealed line: its handshakes, which are in clear, are not among the frames."""

    @property
    def version(self) -> tuple[int, int]:
        """Version that both ends support; the bench's if there is none or it is unknown."""
        common = common_version(self.hello) if self.hello is not None else None
        return common or (VERSION, MINOR)


ALL_RULES: Final[dict[str, type["BenchRule"]]] = {}
"""Rules that a plan may list under `rule`, by name. Each rule registers itself."""


@dataclass
class BenchRule:
    """Base class of the rules. A rule overrides the method for every frame, every status, or every new event. `seen`
    counts what it judged; `breaches` holds the errors."""

    KEPT: ClassVar[tuple[str, ...]] = ("seen", "broken", "breaches")
    """Fields that survive a power cycle or a reopened line."""
    seen: int = 0
    broken: int = 0
    breaches: list[str] = field(default_factory=list)
    newest: int = 0
    """Number of the newest event received."""
    follows: bool = False
    """True if no event was missed before the newest."""

    def __init_subclass__(cls, *, name: str, kept: tuple[str, ...] = ()) -> None:
        ALL_RULES[name] = cls
        cls.KEPT = (*cls.KEPT, *kept)

    def on_frame(self, heard: HeardFrame, known: Known) -> None:
        """Handle a whole frame."""
        event = heard.event
        if isinstance(heard.message, DeviceStatus):
            self.status(heard.message, heard, known)
        elif event is not None and event.number > self.newest:
            self.follows, self.newest = event.number == self.newest + 1, event.number
            self.event(event, heard, known)

    def status(self, status: DeviceStatus, heard: HeardFrame, known: Known) -> None:
        """Handle a status."""

    def event(self, event: m.Event, heard: HeardFrame, known: Known) -> None:
        """Handle an event of this session that is newer than all before it."""

    def noise(self, at_ns: int, reason: str, data: bytes) -> None:
        """Handle bytes that are not a frame."""

    def over(self) -> None:
        """Forget what the rule compares with: the device was power-cycled, or the line reopened."""
        vars(self).update(vars(type(self)(**{name: getattr(self, name) for name in self.KEPT})))

    def judge(self, holds: bool, words: str) -> None:
        """Count one judgment; `words` is the breach if it does not hold."""
        self.seen += 1
        if not holds:
            self.broken += 1
            if len(self.breaches) < BREACHES_MAX:
                self.breaches.append(words)


class _Clean(BenchRule, name="clean"):
    """Every byte belongs to a whole frame."""

    def on_frame(self, heard: HeardFrame, known: Known) -> None:
        self.judge(True, "")

    def noise(self, at_ns: int, reason: str, data: bytes) -> None:
        self.judge(False, f"{len(data)} bytes that are no frame ({reason}): {data[:16].hex(' ')}")


class _Headers(BenchRule, name="headers"):
    """Headers have version 1, no flags, and a kind that a device may send."""

    def on_frame(self, heard: HeardFrame, known: Known) -> None:
        head = heard.envelope
        again = known.sealed and isinstance(heard.message, m.SealAnswerMessage)  # to a call that was repeated
        fine = head.version == VERSION and (head.flags == 0 or again) and head.kind in _FROM_DEVICE
        self.judge(fine, f"{name_of(heard)}: version {head.version}, flags {head.flags:02X}h, kind {head.kind}")


@dataclass
class _LinkSequence(BenchRule, name="link-sequence"):
    """The link sequence counts every frame."""

    last: int | None = None

    def on_frame(self, heard: HeardFrame, known: Known) -> None:
        sequence, last = heard.envelope.link_sequence, self.last
        self.last = sequence
        if last is not None:
            wanted = last + 1 & 0xFF
            self.judge(sequence == wanted, f"{name_of(heard)} has {sequence}, {wanted} is next")


class _Layouts(BenchRule, name="layouts"):
    """Every message has the layout of its number and exists in the protocol version that the device supports."""

    def on_frame(self, heard: HeardFrame, known: Known) -> None:
        message, version = heard.message, known.version
        makers = isinstance(message, Unknown) and message.message_id >= 0x8000
        self.judge(not isinstance(message, Unknown) or makers, f"{name_of(heard)} cannot be read")
        since = message_since(type(message))
        if version < tuple(map(int, since.split("."))):
            self.judge(False, f"{name_of(heard)} is of {since}, and the device speaks {version[0]}.{version[1]}")


@dataclass
class _OpeningDelimiter(BenchRule, name="opening-delimiter"):
    """After 50 ms of silence a frame begins with a delimiter. On a wire without exact times the silence is measured by
    the device's own clock, between two statuses with nothing between them."""

    last_ns: int | None = None
    uptime_ms: int | None = None
    """Uptime of the last status received, if any."""
    next_sequence: int | None = None

    def on_frame(self, heard: HeardFrame, known: Known) -> None:
        message, sequence = heard.message, heard.envelope.link_sequence
        last_ns, self.last_ns = self.last_ns, heard.at_ns
        now_ms = message.uptime_ms if isinstance(message, DeviceStatus) else None
        last_ms, self.uptime_ms = self.uptime_ms, now_ms
        # after a lost frame it is unknown how long the device was silent
        whole = self.next_sequence in (None, sequence)
        self.next_sequence = sequence + 1 & 0xFF
        silent = last_ns is None or heard.at_ns - last_ns >= SILENCE_MS * 1_000_000
        if not known.exact:
            silent = now_ms is not None and last_ms is not None and now_ms - last_ms >= SILENCE_MS
        shaken = known.sealed and isinstance(message, m.HelloReplyMessage)  # a handshake ended the silence
        if whole and silent and not shaken:
            self.judge(heard.opened, f"{name_of(heard)} after silence has none")

    def noise(self, at_ns: int, reason: str, data: bytes) -> None:
        self.last_ns, self.uptime_ms = at_ns, None


@dataclass
class _EventNumbering(BenchRule, name="event-order"):
    """Event numbers count up by one, and a repeated event is identical."""

    last: int = 0
    repeated: bool = False
    """True if the last event was a repetition."""
    bodies: dict[int, bytes] = field(default_factory=dict)

    def on_frame(self, heard: HeardFrame, known: Known) -> None:
        message, event, whole = heard.message, heard.event, heard.envelope.body
        if isinstance(message, m.GapMessage) and message.session == known.session:
            self.last = max(self.last, message.first_kept - 1)
        if event is None:
            return
        number, body, last = event.number, whole[:3] + whole[4:], self.last
        repeated, self.repeated = self.repeated, event.number in self.bodies
        if not number:
            self.judge(False, f"{name_of(heard)} is event 0; numbers count from 1")
            return
        if number in self.bodies:
            self.last = number
            before = self.bodies[number]
            self.judge(before == body, f"event {number} {_differs(before, body)} when it is heard again")
            return
        if known.acked == NOT_KNOWN or number <= known.acked:
            # from before the session was opened, which the device may send again for as long as it does not know better
            self.last = max(last, number)
            self.seen += 1
        else:
            self.last = number
            begins = (not last and not self.bodies) or number == known.read_from
            after = f"event {last}, which came again" if repeated else f"event {last}"
            self.judge(begins or number == last + 1, f"event {number} follows {after}")
        self.bodies[number] = body
        self.bodies.pop(number - 1024, None)


def _differs(before: bytes, now: bytes) -> str:
    """Describe how a repeated event differs: in its payload, or only in the request of its header."""
    requests = [int.from_bytes(body[3:5], "little") for body in (before, now)]
    if before[:3] + before[5:] == now[:3] + now[5:]:
        return "has request {1} in its header, where it had {0},".format(*requests)
    return "is another"


@dataclass
class _EventClock(BenchRule, name="event-clock"):
    """`device_ms` never decreases from an event to the next."""

    before: m.Event | None = None

    def event(self, event: m.Event, heard: HeardFrame, known: Known) -> None:
        before, self.before = self.before, event
        if before is not None:
            now = f"event {event.number} at {event.device_ms} ms"
            words = f"{now}, event {before.number} at {before.device_ms} ms"
            self.judge(event.device_ms >= before.device_ms, words)


@dataclass
class _Window(BenchRule, name="window"):
    """At most 16 unacknowledged events are outstanding. Events that a GAP reports as lost need no acknowledgment."""

    gone: int = 0

    def on_frame(self, heard: HeardFrame, known: Known) -> None:
        message, event = heard.message, heard.event
        if isinstance(message, m.GapMessage) and message.session == known.session:
            self.gone = message.first_kept - 1
        if event is not None and known.acked >= 0:
            number, base = event.number, max(known.acked, self.gone)
            self.judge(number <= base + WINDOW, f"event {number} came while event {base} was the last acknowledged")


@dataclass
class _StatusRhythm(BenchRule, name="status-rhythm"):
    """A status comes at least every second, by arrival and by the device's own clock: a line or a machine that is late
    once does not count against the device. A clock that stands still or is far too slow is no excuse."""

    first: tuple[int, int] | None = None
    last: tuple[int, int] | None = None

    def status(self, status: DeviceStatus, heard: HeardFrame, known: Known) -> None:
        now = heard.at_ns, status.uptime_ms
        first, last = self.first or now, self.last
        self.first, self.last = first, now
        if last is not None:
            arrived_ms, own_ms = (now[0] - last[0]) / 1e6, now[1] - last[1]
            whole_ms = (now[0] - first[0]) / 1e6
            slow = whole_ms >= CLOCK_MS and (now[1] - first[1]) * 2 < whole_ms
            gap_ms = arrived_ms if slow else min(arrived_ms, own_ms)
            by = f", its own clock ran {own_ms} ms meanwhile" if slow else ""
            self.judge(gap_ms <= 1000 + known.allowance_ms, f"{gap_ms:.0f} ms without a status{by}")


class _StatusTruth(BenchRule, name="status-truth"):
    """A status names the session of HELLO-REPLY and counts every event that was sent."""

    def status(self, status: DeviceStatus, heard: HeardFrame, known: Known) -> None:
        words = f"session {status.session:08X}h, last event {status.last_event}"
        fine = known.session in (0, status.session) and status.last_event >= self.newest
        self.judge(fine, f"{words}; known are {known.session:08X}h and event {self.newest}")


@dataclass
class _Latched(BenchRule, name="latched", kept=("lit", "cleared")):
    """The red lamp goes out only after a person cleared the misdeal, which survives a power cut."""

    lit: bool = False
    cleared: bool = False

    def on_frame(self, heard: HeardFrame, known: Known) -> None:
        message = heard.message
        self.cleared = self.cleared or isinstance(heard.event, m.MisdealClearedMessage)
        if isinstance(message, m.ShufflerStatusMessage):
            lit = bool(message.lamps & Lamp.RED)
            if self.lit:
                # the status may be said before the event that explains it
                self.judge(lit or self.cleared or message.last_event > known.acked, "it went out by itself")
            if not self.lit and lit:
                self.cleared = False
            self.lit = lit


class _Faces(BenchRule, name="faces"):
    """Faces appear only for packets that have left a device that recognizes cards, one for each counted card."""

    def on_frame(self, heard: HeardFrame, known: Known) -> None:
        packet = heard.message
        reads = known.hello is not None and bool(known.hello.capabilities & Capability.CARD_RECOGNITION)
        if isinstance(packet, m.CardRejectedMessage) and known.hello is not None:
            self.judge(reads or not packet.card, "CardRejected names a face")
        if isinstance(packet, m.PacketDispensedMessage) and known.hello is not None:
            wanted, found = packet.counted if reads else 0, len(packet.cards)
            words = f"packet {packet.ordinal} of {packet.counted} names {found} faces, not {wanted}"
            self.judge(found == wanted, words)


def name_of(heard: HeardFrame) -> str:
    """Return the name of the message."""
    message = heard.message
    return f"message {message.message_id:04X}h" if isinstance(message, Unknown) else message_name(message)
