"""Shufflers with correct frames and wrong content; each is wrong in one field, or in one habit."""

from collections.abc import Callable, Iterable
from typing import Any, ClassVar, Final

from devices.simulator.host import TableModel
from protocol.tdp import messages as m
from protocol.tdp.codec import Envelope, encode
from protocol.tdp.framing import encode_frame
from protocol.tdp.messages import Kind, Status
from tests.support.broken.base import MS, Broken, Caught, Rewriting, changed, resequenced


class Field(Broken):
    """Base of devices that send wrong fields in messages of one kind."""

    message: ClassVar[type[m.Message]]

    def said(self, envelope: Envelope) -> Iterable[bytes]:
        wrong = isinstance(envelope.message, self.message)
        return [changed(envelope, **self.instead(envelope.message)) if wrong else envelope.body]

    def instead(self, message: Any) -> dict[str, object]:
        """Return the fields that are wrong, with their values."""
        raise NotImplementedError


class EmptyTray(Field):
    """STATUS says that the tray is empty, even if it is not."""

    message = m.ShufflerStatusMessage

    def instead(self, message: Any) -> dict[str, object]:
        return {"in_tray": 0}


class NoRemainder(Field):
    """STATUS says that there is no remainder, even after one was dumped."""

    message = m.ShufflerStatusMessage

    def instead(self, message: Any) -> dict[str, object]:
        return {"remainder": 0}


class FirstDeck(Field):
    """STATUS says deck 1, no matter which one is dealt."""

    message = m.ShufflerStatusMessage

    def instead(self, message: Any) -> dict[str, object]:
        return {"deck": 1}


class ForgetsDoor(Field):
    """STATUS says that the door is closed, even if it is open."""

    message = m.ShufflerStatusMessage

    def instead(self, message: Any) -> dict[str, object]:
        return {"door_open": 0}


class ForgetsRejected(Field):
    """STATUS says that no card was rejected."""

    message = m.ShufflerStatusMessage

    def instead(self, message: Any) -> dict[str, object]:
        return {"rejected": 0}


class ForgetsDispensed(Field):
    """STATUS says that no card was dispensed."""

    message = m.ShufflerStatusMessage

    def instead(self, message: Any) -> dict[str, object]:
        return {"dispensed": 0}


class PacketsOneMore(Field):
    """STATUS counts one packet too many."""

    message = m.ShufflerStatusMessage

    def instead(self, message: Any) -> dict[str, object]:
        return {"packets": message.packets + 1}


class FrozenUptime(Field):
    """uptime_ms stands still."""

    message = m.ShufflerStatusMessage

    def instead(self, message: Any) -> dict[str, object]:
        return {"uptime_ms": 4711}


class UptimeInSeconds(Field):
    """uptime_ms counts seconds."""

    message = m.ShufflerStatusMessage

    def instead(self, message: Any) -> dict[str, object]:
        return {"uptime_ms": message.uptime_ms // 1000}


class StatusOfAnother(Field):
    """STATUS names another session."""

    message = m.ShufflerStatusMessage

    def instead(self, message: Any) -> dict[str, object]:
        return {"session": message.session ^ 0x55AA}


class ForgetsEvents(Field):
    """STATUS counts one event too few."""

    message = m.ShufflerStatusMessage

    def instead(self, message: Any) -> dict[str, object]:
        return {"last_event": max(0, message.last_event - 1)}


class StatelessReplies(Field):
    """The state in a reply is always 0."""

    message = m.ReplyMessage

    def instead(self, message: Any) -> dict[str, object]:
        return {"state": 0}


class BoastsDepth(Field):
    """It says that it keeps 60,000 events, and keeps 256."""

    message = m.HelloReplyMessage

    def instead(self, message: Any) -> dict[str, object]:
        return {"event_depth": 60_000}


class PaddedTexts(Field):
    """The texts of HELLO-REPLY are padded with blanks."""

    message = m.HelloReplyMessage

    def instead(self, message: Any) -> dict[str, object]:
        return {name: getattr(message, name).ljust(16) for name in ("maker", "model", "serial", "firmware")}


class SameBacks(Field):
    """Both decks have the same back."""

    message = m.DeckLoadedMessage

    def instead(self, message: Any) -> dict[str, object]:
        return {"back": 1}


class WrongPrevious(Field):
    """A change of state names itself as the state before."""

    message = m.StateChangedMessage

    def instead(self, message: Any) -> dict[str, object]:
        return {"previous": message.state}


class NamelessClearing(Field):
    """The report of a cleared misdeal does not say who cleared it."""

    message = m.MisdealClearedMessage

    def instead(self, message: Any) -> dict[str, object]:
        return {"badge": 0}


class SwappedRecord(Field):
    """The misdeal record swaps the expected and the counted numbers."""

    message = m.MisdealMessage

    def instead(self, message: Any) -> dict[str, object]:
        return {"packets": tuple((counted, expected) for expected, counted in message.packets)}


class ClockRunsBack(Broken):
    """Its events' clock runs backward."""

    def said(self, envelope: Envelope) -> Iterable[bytes]:
        message = envelope.message
        if not isinstance(message, m.Event):
            return [envelope.body]
        return [changed(envelope, device_ms=0x7FFF_FFFF - message.device_ms)]


class NewClock(Broken):
    """A repeated event has the current time."""

    def said(self, envelope: Envelope) -> Iterable[bytes]:
        message = envelope.message
        if not isinstance(message, m.Event) or envelope.extensions:
            return [envelope.body]
        return [changed(envelope, device_ms=self.now_ns // MS & 0xFFFF_FFFF)]


class Appending(Broken):
    """Base of devices that append bytes to a payload."""

    appended: ClassVar[bytes]

    def goes_behind(self, envelope: Envelope) -> bool:
        """Return True if the bytes are appended to this frame."""
        return isinstance(envelope.message, m.ShufflerStatusMessage)

    def said(self, envelope: Envelope) -> Iterable[bytes]:
        return [envelope.body + (self.appended if self.goes_behind(envelope) else b"")]


class ReservedExtension(Appending):
    """Its status carries an extension of a reserved type."""

    appended = bytes([0x22, 1, 0])


class TornExtension(Appending):
    """A byte that is no extension follows the payload of the door's event."""

    appended = b"\x99"

    def goes_behind(self, envelope: Envelope) -> bool:
        return isinstance(envelope.message, m.DoorMovedMessage)


class ShortSession(Broken):
    """Extension 01h has two bytes of the session."""

    def said(self, envelope: Envelope) -> Iterable[bytes]:
        old = any(kind == 1 for kind, _ in envelope.extensions)
        return [envelope.body[:-6] + b"\x01\x02" + envelope.body[-4:-2] if old else envelope.body]


class NeedlessFlag(Broken):
    """Its events carry a flag that is not defined."""

    def said(self, envelope: Envelope) -> Iterable[bytes]:
        body = envelope.body
        return [body[:1] + b"\x01" + body[2:] if envelope.kind == Kind.EVENT else body]


class LineEnds(Broken):
    """A line end follows each reply."""

    def say(self, data: bytes) -> Iterable[bytes]:
        for frame in super().say(data):
            yield frame + (b"\r\n\0" if len(frame) > 3 and self.replied else b"")
            self.replied = False

    replied = False

    def said(self, envelope: Envelope) -> Iterable[bytes]:
        self.replied = envelope.kind == Kind.REPLY
        return [envelope.body]


class GivesUp(Broken):
    """It repeats an event four times and then stops."""

    def __init__(self, table: TableModel) -> None:
        super().__init__(table)
        self._sent: dict[bytes, int] = {}
        self._session = self._dropped = 0

    def say(self, data: bytes) -> Iterable[bytes]:
        return [frame if frame.startswith(b"\0") else b"\0" + frame for frame in super().say(data)]

    def said(self, envelope: Envelope) -> Iterable[bytes]:
        message = envelope.message
        if isinstance(message, m.HelloReplyMessage) and message.session != self._session:
            self._session = message.session
            self._sent.clear()  # each start says the same at the same moment: another event for all that
        if envelope.kind == Kind.EVENT:
            key = envelope.body[4:]
            self._sent[key] = self._sent.get(key, 0) + 1
            if self._sent[key] > 5:
                self._dropped += 1
                return []
        return [resequenced(envelope.body, self._dropped)]


class Shallow(Broken):
    """It keeps 20 events; older ones are dropped silently."""

    KEPT: Final = 20

    def __init__(self, table: TableModel) -> None:
        super().__init__(table)
        self._last = self._session = self._dropped = self._gone = 0

    def say(self, data: bytes) -> Iterable[bytes]:
        frames = [frame if frame.startswith(b"\0") else b"\0" + frame for frame in super().say(data)]
        if self._gone:
            ack = encode_frame(encode(m.AckMessage(self._session, self._gone)), after_silence=True)
            self._gone = 0
            self._table.receive("shuffler", ack, self.now_ns)
        return frames

    def said(self, envelope: Envelope) -> Iterable[bytes]:
        message = envelope.message
        if isinstance(message, m.ShufflerStatusMessage):
            self._last, self._session = message.last_event, message.session
        if isinstance(message, m.Event) and not envelope.extensions and message.number <= self._last - self.KEPT:
            self._gone = max(self._gone, message.number)
            self._dropped += 1
            return []
        return [resequenced(envelope.body, self._dropped)]


class CountedSessions(Broken):
    """Its session ids are 1, 2, 3 and so on."""

    def __init__(self, table: TableModel) -> None:
        super().__init__(table)
        table.units["shuffler"]._rng = _Counting()  # type: ignore[attr-defined]
        table.units["shuffler"].power_off()  # type: ignore[attr-defined]
        table.units["shuffler"]._session = 0  # type: ignore[attr-defined]


class _Counting:
    count = 0

    def randrange(self, start: int, stop: int) -> int:
        self.count += 1
        return self.count


class ForgetsAtOpening(Rewriting):
    """OPEN-SESSION makes it forget the requests that it has carried out."""

    def __init__(self, table: TableModel) -> None:
        super().__init__(table)
        self._life = 0
        self._inner: dict[tuple[int, int], int] = {}
        self._real: dict[int, int] = {}

    def heard(self, envelope: Envelope) -> Iterable[bytes]:
        if envelope.kind != Kind.COMMAND or not envelope.request:
            return [envelope.body]
        if isinstance(envelope.message, m.OpenSessionMessage):
            self._life += 1
        inner = self._inner.setdefault((self._life, envelope.request), len(self._inner) % 0xFFFF + 1)
        self._real[inner] = envelope.request
        return [envelope.body[:4] + inner.to_bytes(2, "little") + envelope.body[6:]]

    def said(self, envelope: Envelope) -> Iterable[bytes]:
        real = self._real.get(envelope.request, envelope.request)
        return [envelope.body[:4] + real.to_bytes(2, "little") + envelope.body[6:]]


class ALittleSlow(Broken):
    """It takes 130 ms to read the host's bytes."""

    DELAY: Final = 130

    def __init__(self, table: TableModel) -> None:
        super().__init__(table)
        self._waiting: list[tuple[int, bytes]] = []

    @property
    def next_deadline_ns(self) -> int | None:
        dues = [super().next_deadline_ns, self._waiting[0][0] if self._waiting else None]
        return min((due for due in dues if due is not None), default=None)

    def receive(self, device: str, data: bytes, now_ns: int) -> None:
        self._waiting.append((now_ns + self.DELAY * MS, data))

    def tick(self, now_ns: int) -> None:
        while self._waiting and self._waiting[0][0] <= now_ns:
            self._table.receive("shuffler", self._waiting.pop(0)[1], now_ns)
        super().tick(now_ns)


class TakesAnyResolution(Rewriting):
    """An unknown decision to clear a misdeal is taken for RESUME."""

    def heard(self, envelope: Envelope) -> Iterable[bytes]:
        message = envelope.message
        if isinstance(message, m.ClearMisdealMessage) and message.resolution > 2:
            return [changed(envelope, resolution=1)]
        return [envelope.body]


class TakesIdZero(Rewriting):
    """Request id 0 is accepted like any other."""

    def heard(self, envelope: Envelope) -> Iterable[bytes]:
        if envelope.kind == Kind.COMMAND and not envelope.request:
            return [envelope.body[:4] + b"\x39\x30" + envelope.body[6:]]
        return [envelope.body]

    def said(self, envelope: Envelope) -> Iterable[bytes]:
        body = envelope.body
        return [body[:4] + b"\0\0" + body[6:] if envelope.request == 0x3039 else body]


class DoneAtOnce(Broken):
    """A command that takes time is reported as done at once."""

    def said(self, envelope: Envelope) -> Iterable[bytes]:
        message = envelope.message
        early = isinstance(message, m.ReplyMessage) and message.status == Status.ACCEPTED
        return [changed(envelope, status=Status.DONE) if early else envelope.body]


class NoWordOfLifting(Broken):
    """A lifted packet is not reported: another event takes its place."""

    def said(self, envelope: Envelope) -> Iterable[bytes]:
        message = envelope.message
        if not isinstance(message, m.PacketLiftedMessage):
            return [envelope.body]
        other = m.GreenButtonMessage(message.number, message.device_ms)
        return [
            encode(
                other,
                link_sequence=envelope.link_sequence,
                request=envelope.request,
                extensions=envelope.extensions,
            )
        ]


class GreenAlways(Field):
    """The green lamp is always lit."""

    message = m.ShufflerStatusMessage

    def instead(self, message: Any) -> dict[str, object]:
        return {"lamps": message.lamps | m.Lamp.GREEN}


class OtherDeck(Field):
    """A packet is reported as one of the other deck."""

    message = m.PacketDispensedMessage

    def instead(self, message: Any) -> dict[str, object]:
        return {"deck": 3 - message.deck}


class AnotherClock(Field):
    """uptime_ms counts from an hour before the device started, and device_ms does not."""

    message = m.ShufflerStatusMessage

    def instead(self, message: Any) -> dict[str, object]:
        return {"uptime_ms": message.uptime_ms + 3_600_000}


class HidesLamp(Field):
    """HELLO-REPLY leaves out that the host may light the lamp, although it may."""

    message = m.HelloReplyMessage

    def instead(self, message: Any) -> dict[str, object]:
        return {"capabilities": message.capabilities & ~m.Capability.HOST_LAMP}


class ForgetsPlace(Field):
    """A fault has no place."""

    message = m.FaultRaisedMessage

    def instead(self, message: Any) -> dict[str, object]:
        return {"place": 0}


class FallingMeters(Field):
    """Its meters count down."""

    message = m.MetersMessage

    def instead(self, message: Any) -> dict[str, object]:
        return {"meters": tuple((meter, part, -count % (1 << 32)) for meter, part, count in message.meters)}


class Deciding(Rewriting):
    """Base of devices that take one command for another."""

    def heard(self, envelope: Envelope) -> Iterable[bytes]:
        instead = self.taken_for(envelope.message)
        return [changed(envelope, **instead) if instead else envelope.body]

    def taken_for(self, message: Any) -> dict[str, object]:
        """Return the fields that the device reads wrongly, with their values."""
        raise NotImplementedError


class StrictMinor(Deciding):
    """OPEN-SESSION with an unknown minor version is refused."""

    def taken_for(self, message: Any) -> dict[str, object]:
        later = isinstance(message, m.OpenSessionMessage) and message.minor > 4
        return {"major": 9} if later else {}


class AnyMajor(Deciding):
    """OPEN-SESSION is granted for any major version."""

    def taken_for(self, message: Any) -> dict[str, object]:
        return {"major": 1} if isinstance(message, m.OpenSessionMessage) else {}


class AnyRole(Deciding):
    """An unknown role is taken for the highest one."""

    def taken_for(self, message: Any) -> dict[str, object]:
        return {"role": 2} if isinstance(message, m.OpenSessionMessage) and message.role > 2 else {}


class LocksByOne(Deciding):
    """SET-LOCK locks with 1, and unlocks with any other value."""

    def taken_for(self, message: Any) -> dict[str, object]:
        return {"locked": 0} if isinstance(message, m.SetLockMessage) and message.locked > 1 else {}


class LampForNothing(Deciding):
    """RAISE-LAMP with fault 0 lights the lamp."""

    def taken_for(self, message: Any) -> dict[str, object]:
        return {"fault": 505} if isinstance(message, m.RaiseLampMessage) and not message.fault else {}


class NothingFromZero(Deciding):
    """READ-EVENTS from 0 brings nothing."""

    def taken_for(self, message: Any) -> dict[str, object]:
        from_zero = isinstance(message, m.ReadEventsMessage) and not message.first
        return {"first": 0xFFFF_0000} if from_zero else {}


class SkipsToBeyond(Rewriting):
    """After READ-EVENTS from beyond the next number, events up to there count as received."""

    def __init__(self, table: TableModel) -> None:
        super().__init__(table)
        self._from = self._last = self._dropped = self._session = 0

    def say(self, data: bytes) -> Iterable[bytes]:
        return [frame if frame.startswith(b"\0") else b"\0" + frame for frame in super().say(data)]

    def heard(self, envelope: Envelope) -> Iterable[bytes]:
        message = envelope.message
        if isinstance(message, m.ReadEventsMessage) and message.session == self._session:
            self._from = message.first if message.first > self._last + 1 else 0
        return [envelope.body]

    def said(self, envelope: Envelope) -> Iterable[bytes]:
        message = envelope.message
        if isinstance(message, m.ShufflerStatusMessage):
            self._last, self._session = message.last_event, message.session
        if isinstance(message, m.Event) and not envelope.extensions and message.number < self._from:
            self._dropped += 1
            return []
        return [resequenced(envelope.body, self._dropped)]


class MovesInSafe(Broken):
    """A packet lifted in SAFE brings the next one: it takes the lifting for its host."""

    def __init__(self, table: TableModel) -> None:
        super().__init__(table)
        shuffler: Any = table.shuffler  # type: ignore[attr-defined]
        lift = shuffler.lift

        def lifted(place: int, now_ns: int) -> object:
            shuffler.host_back(now_ns)
            return lift(place, now_ns)

        shuffler.lift = lifted


ENOUGH: Final = (
    "session.*",
    "meters.*",
    "status.decks",
    "deal.host-lamp",
    "deal.whole",
    "events.read-again",
    "timing.status",
    "silence.host-lost",
    "fault.door-501",
)
"""Checks after which a rule has seen all that it tests."""


def _caught(device: Callable[[TableModel], TableModel], *by: str, spreads: bool = False) -> Caught:
    return Caught(device, by, spreads, ENOUGH if by[0].startswith("always.") else ())


FIELD_DEVICES: Final = (
    _caught(EmptyTray, "status.tray", "deal.both-decks", "always.book"),
    _caught(NoRemainder, "status.remainder", "always.book"),
    _caught(FirstDeck, "status.decks", "always.decks", "always.book"),
    _caught(ForgetsDoor, "fault.door-501"),
    _caught(ForgetsRejected, "fault.rejected-104", "always.book"),
    _caught(ForgetsDispensed, "fault.packet-short-301", "fault.packet-long-302", "always.book"),
    _caught(PacketsOneMore, "deal.carried-out-once", "always.book"),
    _caught(FrozenUptime, "always.uptime", "always.one-clock", "always.event-moment", "always.clock-pace"),
    _caught(UptimeInSeconds, "always.uptime", "always.one-clock", "always.event-moment", "always.clock-pace"),
    _caught(StatusOfAnother, "always.status-truth"),
    _caught(ForgetsEvents, "always.status-truth", "always.one-clock", "always.status-on-change"),
    _caught(StatelessReplies, "commands.reply-state", "always.reply-state"),
    _caught(BoastsDepth, "events.depth"),
    _caught(PaddedTexts, "always.texts"),
    _caught(SameBacks, "always.backs"),
    _caught(WrongPrevious, "always.state-changes"),
    _caught(NamelessClearing, "fault.called-505", "fault.too-few-101"),
    _caught(
        SwappedRecord, "fault.packet-short-301", "fault.packet-long-302", "fault.lifted-early-303",
        "count.first-short", "count.middle-short", "count.middle-long", "count.last-short",
        "count.last-long", "always.book",
    ),
    _caught(ClockRunsBack, "always.event-clock", "always.one-clock", "always.event-moment"),
    _caught(NewClock, "always.event-order", "always.one-clock", "always.session-before"),
    _caught(ReservedExtension, "always.extensions"),
    _caught(
        TornExtension, "always.layouts", "always.event-order", "fault.door-501", "fault.lifted-while-lit",
        "fault.door-in-motion",
    ),
    _caught(ShortSession, "always.extensions"),
    _caught(NeedlessFlag, "always.headers"),
    _caught(LineEnds, "always.clean"),
    _caught(GivesUp, "events.resend-goes-on", "silence.events-wait"),
    _caught(Shallow, "events.depth", "always.event-order", "always.window"),
    _caught(CountedSessions, "always.sessions", "always.session-bits"),
    _caught(
        ForgetsAtOpening, "commands.same-id-after-opening", "deal.reply-cache-opened", "session.line-closed",
        "session.cable-pulled",
    ),
    _caught(ALittleSlow, "timing.reply", "commands.reply", "events.ack-in-part"),
    _caught(TakesAnyResolution, "deal.bad-parameters"),
    _caught(TakesIdZero, "commands.id-zero"),
    _caught(GreenAlways, "always.green-lamp"),
    _caught(OtherDeck, "always.decks", "always.book"),
    _caught(AnotherClock, "always.one-clock"),
    _caught(HidesLamp, "always.capabilities"),
    _caught(ForgetsPlace, "always.fault-values"),
    _caught(
        FallingMeters, "always.instruments", "deal.meters-early", "deal.meters-power", "deal.meters-busy",
        "meters.power-cut", "meters.refused", "deal.meters", "deal.meters-short",
    ),
    _caught(StrictMinor, "session.unknown-minor"),
    _caught(
        AnyMajor, "session.wrong-version", "session.refused-opening", "commands.reply-state", "commands.first-reason",
    ),
    _caught(AnyRole, "roles.unknown", "session.refused-opening"),
    _caught(LocksByOne, "deal.lock-yes"),
    _caught(LampForNothing, "deal.bad-parameters"),
    _caught(NothingFromZero, "session.power-up"),
    _caught(SkipsToBeyond, "events.read-beyond", "silence.back-covers-nothing"),
    _caught(MovesInSafe, "safe.starts-no-motion"),
    _caught(DoneAtOnce, "deal.request-comes-back", spreads=True),
    _caught(NoWordOfLifting, "deal.whole", spreads=True),
)  # fmt: skip
"""Devices whose fields or habits are wrong."""
