"""Shufflers that mishandle their host: what it acknowledged, what they must repeat to it, and how they answer an
unusual request. Each fault is one that a maker could introduce who had nothing but the protocol's page."""

from collections.abc import Iterable, Iterator
from random import Random
from typing import Any, Final
from zlib import crc32

from cobs import cobs

from devices.simulator.host import TableModel
from devices.simulator.unit import Unit
from protocol.faults import Fault
from protocol.places import SHUFFLER
from protocol.tdp import messages as m
from protocol.tdp.codec import Envelope, encode
from protocol.tdp.device_link import DeviceLink
from protocol.tdp.framing import encode_frame
from protocol.tdp.messages import Kind, Role
from protocol.tdp.outputs import Output
from tests.support.broken.base import MS, Broken, Caught, Rewriting, changed, resequenced
from tests.support.broken.fields import Field

HEADER: Final = 8


class Inside(Rewriting):
    """Base of devices that are wrong inside: the link's record of its host is changed."""

    @property
    def unit(self) -> Unit:
        unit: Unit = self._table.units["shuffler"]  # type: ignore[attr-defined]
        return unit

    @property
    def link(self) -> DeviceLink:
        link = self.unit._link
        assert link is not None
        return link

    def put(self, output: list[Output]) -> None:
        """Put this on the line."""
        self.unit._pass_on(output, self.now_ns)


class Unpaced(Inside):
    """Base of devices that drop frames or add some; a delimiter goes before each."""

    dropped = 0

    def say(self, data: bytes) -> Iterable[bytes]:
        return [frame if frame.startswith(b"\0") else b"\0" + frame for frame in super().say(data)]


# ------------------------------------------------------------------ received frames


class TakesEmptyCheck(Broken):
    """A check of nothing but zeros is taken for no check: the frame is read."""

    def hear(self, data: bytes) -> Iterable[bytes]:
        yield data
        for part in data.split(b"\0"):
            try:
                decoded = cobs.decode(part)
            except cobs.DecodeError:
                continue
            if len(decoded) >= 12 and not any(decoded[-4:]) and crc32(decoded[:-4]):
                yield encode_frame(decoded[:-4], after_silence=True)


class FourAtOnce(Broken):
    """It reads only four of the frames that arrive at once."""

    def hear(self, data: bytes) -> Iterable[bytes]:
        pieces = [piece + b"\0" for piece in data.split(b"\0") if piece]
        return pieces[:4] if len(pieces) > 4 else [data]


class ShortBuffer(Broken):
    """Its buffer takes 256 bytes, although a frame has up to 258."""

    def hear(self, data: bytes) -> Iterable[bytes]:
        return [data if max(map(len, data.split(b"\0"))) <= 256 else b"\0"]


class RefusesReserved(Rewriting):
    """An extension of a reserved type is answered by NAK."""

    def heard(self, envelope: Envelope) -> Iterable[bytes]:
        reserved = any(kind < 0x80 for kind, _ in envelope.extensions)
        return [envelope.body + (b"\x85" if reserved else b"")]


class WantsZero(Rewriting):
    """A text that fills its field is answered by NAK: it wants a zero after it."""

    def heard(self, envelope: Envelope) -> Iterable[bytes]:
        full = isinstance(envelope.message, m.HelloMessage) and len(envelope.message.host) == 16
        return [envelope.body[:-1] + b"\xc3" if full else envelope.body]


class ShortAcks(Rewriting):
    """An ACK that is too short is ignored silently."""

    def taken(self, body: bytes) -> Iterable[bytes]:
        return [] if body[2] == Kind.ACK and len(body) != HEADER + 8 else [body]


class ShortForeign(Rewriting):
    """A command of another class is refused without a look at it, even one that is too short."""

    def taken(self, body: bytes) -> Iterable[bytes]:
        foreign = body[2] == Kind.COMMAND and body[7] in (2, 3)
        request = int.from_bytes(body[4:6], "little")
        return [encode(m.EndRoundMessage(), request=request) if foreign else body]


class OneVersion(Rewriting):
    """HELLO is not answered if it does not name the device's own version."""

    def heard(self, envelope: Envelope) -> Iterable[bytes]:
        hello = envelope.message
        none = isinstance(hello, m.HelloMessage) and not hello.lowest_major <= 1 <= hello.highest_major
        return [] if none else [envelope.body]


# ------------------------------------------------------------------ its session


class SixteenBits(Broken):
    """Its session ids have 16 random bits, and 16 zeros."""

    def __init__(self, table: TableModel) -> None:
        super().__init__(table)
        unit: Any = table.units["shuffler"]  # type: ignore[attr-defined]
        unit._rng = _Sixteen(4)
        unit.power_off()
        unit._session = 0


class _Sixteen(Random):
    def randrange(self, start: int, stop: int | None = None, step: int = 1) -> int:
        return super().randrange(start, 1 << 16)


class HelloObserves(Inside):
    """HELLO makes the host an observer again."""

    def heard(self, envelope: Envelope) -> Iterable[bytes]:
        yield envelope.body
        if isinstance(envelope.message, m.HelloMessage) and self.link.role is not None:
            self.link.role = Role.OBSERVE


class ReservedBits(Field):
    """HELLO-REPLY claims capabilities 10 and 11, which are reserved."""

    message = m.HelloReplyMessage

    def instead(self, message: Any) -> dict[str, object]:
        return {"capabilities": message.capabilities | 0xC00}


class OpenForgetsAcks(Inside):
    """OPEN-SESSION makes it forget which events were acknowledged."""

    def heard(self, envelope: Envelope) -> Iterable[bytes]:
        yield envelope.body
        if isinstance(envelope.message, m.OpenSessionMessage):
            self.link.store.acknowledged = max(0, self.link.store.oldest - 1)


class KeepsUnheard(Inside):
    """The record of what was acknowledged does not survive a power cut."""

    def __init__(self, table: TableModel) -> None:
        super().__init__(table)
        unit: Any = self.unit
        switch_off = unit.power_off

        def power_off() -> None:
            store = unit._store
            while store._kept and store._kept[0].event.number <= store.acknowledged:
                store._kept.popleft()
            switch_off()

        unit.power_off = power_off


class PastTheEnd(Inside):
    """A read beyond the end of the session before gets a GAP that names the requested number."""

    asked = 0

    def heard(self, envelope: Envelope) -> Iterable[bytes]:
        if isinstance(envelope.message, m.ReadEventsMessage):
            self.asked = envelope.message.first
        return [envelope.body]

    def said(self, envelope: Envelope) -> Iterable[bytes]:
        gap = envelope.message
        beyond = isinstance(gap, m.GapMessage) and gap.session != self.link.session and self.asked > gap.last + 1
        return [changed(envelope, first_missing=self.asked, first_kept=self.asked) if beyond else envelope.body]


class AcksAcross(Inside):
    """READ-EVENTS of the session before acknowledges this session's events, too."""

    def heard(self, envelope: Envelope) -> Iterable[bytes]:
        yield envelope.body
        read = envelope.message
        if isinstance(read, m.ReadEventsMessage) and read.session == self.link.store.previous_session:
            store = self.link.store
            if store.acknowledged < read.first - 1 <= store.last:
                store.acknowledged = read.first - 1


# ------------------------------------------------------------------ its answers


class VersionFirst(Inside):
    """OPEN-SESSION: the version is checked before the session."""

    def heard(self, envelope: Envelope) -> Iterable[bytes]:
        opens = envelope.message
        both = isinstance(opens, m.OpenSessionMessage) and opens.major != 1
        return [changed(envelope, session=self.link.session) if both else envelope.body]


class ClassFirst(Inside):
    """The class of a command is checked before the role that it needs."""

    def heard(self, envelope: Envelope) -> Iterator[bytes]:
        link, role = self.link, self.link.role
        foreign = envelope.kind == Kind.COMMAND and envelope.message_id >> 8 in (2, 3)
        if foreign and role is not None:
            link.role = Role.SERVICE
        yield envelope.body
        if foreign:
            link.role = role


class StateOfNow(Inside):
    """The reply to a repeated request has the current state."""

    def __init__(self, table: TableModel) -> None:
        super().__init__(table)
        self._answered: set[int] = set()

    def said(self, envelope: Envelope) -> Iterable[bytes]:
        if not isinstance(envelope.message, m.ReplyMessage) or envelope.request not in self._answered:
            self._answered.add(envelope.request)
            return [envelope.body]
        return [changed(envelope, state=self.unit.model.state)]


class BareNaks(Broken):
    """A NAK does not carry the request of the frame that it answers."""

    def said(self, envelope: Envelope) -> Iterable[bytes]:
        body = envelope.body
        return [body[:4] + b"\0\0" + body[6:] if isinstance(envelope.message, m.NakMessage) else body]


# ------------------------------------------------------------------ its events


class StampsLate(Inside):
    """device_ms is the time at which the event is first sent."""

    def __init__(self, table: TableModel) -> None:
        super().__init__(table)
        self._stamps: dict[tuple[int, int], int] = {}

    def said(self, envelope: Envelope) -> Iterable[bytes]:
        event = envelope.message
        if not isinstance(event, m.Event) or envelope.extensions:
            return [envelope.body]
        now_ms = self.link._uptime_ms(self.now_ns)
        return [changed(envelope, device_ms=self._stamps.setdefault((self.link.session, event.number), now_ms))]


class ResendsBare(Inside):
    """A repeated event has no request in its header."""

    def __init__(self, table: TableModel) -> None:
        super().__init__(table)
        self._sent: set[tuple[int, int]] = set()

    def said(self, envelope: Envelope) -> Iterable[bytes]:
        event, body = envelope.message, envelope.body
        if not isinstance(event, m.Event) or envelope.extensions:
            return [body]
        key = self.link.session, event.number
        again = key in self._sent
        self._sent.add(key)
        return [body[:4] + b"\0\0" + body[6:] if again else body]


class ResendsOldest(Unpaced):
    """Only the oldest unacknowledged event is repeated."""

    def __init__(self, table: TableModel) -> None:
        super().__init__(table)
        self._sent: set[tuple[int, int]] = set()

    def heard(self, envelope: Envelope) -> Iterable[bytes]:
        if isinstance(envelope.message, m.ReadEventsMessage):
            self._sent.clear()
        return [envelope.body]

    def said(self, envelope: Envelope) -> Iterable[bytes]:
        event = envelope.message
        if isinstance(event, m.Event) and not envelope.extensions:
            key = self.link.session, event.number
            if key in self._sent and event.number != self.link.store.acknowledged + 1:
                self.dropped += 1
                return []
            self._sent.add(key)
        return [resequenced(envelope.body, self.dropped)]


class AcksBackwards(Inside):
    """An ACK of a lower number takes back the later ones."""

    def heard(self, envelope: Envelope) -> Iterable[bytes]:
        ack, link = envelope.message, self.link
        if isinstance(ack, m.AckMessage) and ack.session == link.session and ack.up_to < link.store.acknowledged:
            link.store.acknowledged = link._sent = ack.up_to
        return [envelope.body]


class ReadsWithoutAck(Inside):
    """READ-EVENTS acknowledges nothing."""

    def heard(self, envelope: Envelope) -> Iterable[bytes]:
        before = self.link.store.acknowledged
        yield envelope.body
        read, store = envelope.message, self.link.store
        if isinstance(read, m.ReadEventsMessage) and read.session == self.link.session:
            store.acknowledged = min(before, store.acknowledged)


class NeedlessGaps(Unpaced):
    """READ-EVENTS always brings a GAP, even if nothing is missing."""

    def heard(self, envelope: Envelope) -> Iterable[bytes]:
        yield envelope.body
        read, store = envelope.message, self.link.store
        if isinstance(read, m.ReadEventsMessage) and read.session == self.link.session and self.link.role is not None:
            first = min(max(read.first, 1), store.last + 1)
            out: list[Output] = []
            if first >= store.oldest:
                self.link._send(m.GapMessage(self.link.session, first, first, store.last), self.now_ns, out)
            self.put(out)


class GapEndsEarly(Inside):
    """`last` in GAP is the first event that is kept, not the newest."""

    def said(self, envelope: Envelope) -> Iterable[bytes]:
        gap = envelope.message
        own = isinstance(gap, m.GapMessage) and gap.session == self.link.session
        return [changed(envelope, last=gap.first_kept) if own else envelope.body]  # type: ignore[attr-defined]


# ------------------------------------------------------------------ its silence


class LivesByNaks(Inside):
    """A NAK of its host counts as a sign of life."""

    def heard(self, envelope: Envelope) -> Iterable[bytes]:
        if isinstance(envelope.message, m.NakMessage):
            return [encode(m.HeartbeatMessage(self.link.session), link_sequence=envelope.link_sequence)]
        return [envelope.body]


class SaysLostAgain(Inside):
    """The device reports 601 again every three seconds of one silence."""

    said_ns = 0

    def tick(self, now_ns: int) -> None:
        super().tick(now_ns)
        link = self.unit._link
        if link is None or not link.host_lost:
            self.said_ns = now_ns
        elif now_ns - self.said_ns >= 3_000 * MS:
            self.said_ns = now_ns
            self.put(link.emit(m.FaultRaisedMessage, now_ns, fault=Fault.HOST_LOST, place=SHUFFLER, value=0))


class EndsSession(Inside):
    """After eight seconds of silence the session is closed."""

    def tick(self, now_ns: int) -> None:
        link = self.unit._link
        if link is not None and link.host_lost and now_ns - link._heard_ns >= 8_000 * MS:
            link.role = None
        super().tick(now_ns)


class CoversItsOwn(Inside):
    """The frame that ends a silence acknowledges the events that it causes."""

    def heard(self, envelope: Envelope) -> Iterable[bytes]:
        unit, link, message = self.unit, self.link, envelope.message
        if link.host_lost and isinstance(message, m.ReadEventsMessage | m.AckMessage):
            link._on_host_back = self._back
            yield envelope.body
            link._on_host_back = unit.model.host_back
        else:
            yield envelope.body

    def _back(self, now_ns: int) -> None:
        """Queue what the host's return causes before its frame is read, and send it later."""
        self.unit.model.host_back(now_ns)
        role, self.link.role = self.link.role, None
        for draft in self.unit.model.outbox:
            self.link.emit(draft.event, now_ns, request=draft.request, **draft.fields)  # type: ignore[union-attr]
        self.unit.model.outbox.clear()
        self.link.role = role


def _caught(device: type[Broken], *by: str, quick: tuple[str, ...] = ()) -> Caught:
    return Caught(device, by, quick=quick)


HOST_DEVICES: Final = (
    _caught(TakesEmptyCheck, "frame.check-of-zeros"),
    _caught(FourAtOnce, "frame.thirteen-in-one-write"),
    _caught(ShortBuffer, "frame.longest", "frame.both-cobs-forms"),
    _caught(RefusesReserved, "header.reserved-extension"),
    _caught(WantsZero, "header.full-text"),
    _caught(ShortAcks, "header.short-link-payload"),
    _caught(ShortForeign, "header.short-payload-of-any-class"),
    _caught(OneVersion, "session.hello-of-no-common-version"),
    _caught(SixteenBits, "always.session-bits", quick=("session.*",)),
    _caught(HelloObserves, "session.hello-keeps-the-role"),
    _caught(ReservedBits, "session.reserved-capabilities", "always.codes"),
    _caught(OpenForgetsAcks, "session.starts-nothing-anew"),
    _caught(
        KeepsUnheard,
        "session.previous-acknowledged",
        "fault.power-502",
        "session.previous-no-window",
        "session.previous-whole",
    ),
    _caught(PastTheEnd, "session.previous-acknowledged", "always.gaps"),
    _caught(AcksAcross, "session.previous-apart"),
    _caught(VersionFirst, "commands.first-reason"),
    _caught(ClassFirst, "commands.first-reason"),
    _caught(StateOfNow, "always.same-reply", quick=("deal.carried-out-once",)),
    _caught(BareNaks, "header.unknown-command"),
    _caught(StampsLate, "always.event-moment", quick=("session.nothing-before-open",)),
    _caught(ResendsBare, "always.event-order", quick=("events.resend",)),
    _caught(ResendsOldest, "events.resend-all", "always.event-order"),
    _caught(AcksBackwards, "events.lower-ack"),
    _caught(
        ReadsWithoutAck,
        "events.read-acknowledges",
        "events.resend-goes-on",
        "session.cable-pulled",
        "silence.heartbeat-of-another-session",
        "silence.resend-goes-on",
    ),
    _caught(NeedlessGaps, "always.gaps", quick=("events.read-again",)),
    _caught(GapEndsEarly, "always.gaps", "events.depth", quick=("events.depth",)),
    _caught(LivesByNaks, "silence.naks-alone"),
    _caught(SaysLostAgain, "silence.ten-seconds", "always.status-on-change"),
    _caught(EndsSession, "silence.ten-seconds"),
    _caught(CoversItsOwn, "silence.back-covers-nothing"),
)
"""Devices that are wrong toward their host."""
