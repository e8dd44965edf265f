"""Shufflers that send well-formed frames at the wrong moment, or misunderstand the host's frames; each breaks one
sentence of the page."""

from collections.abc import Iterable
from typing import Any, ClassVar, Final

from devices.simulator.host import TableModel
from protocol.tdp import messages as m
from protocol.tdp.codec import Envelope
from protocol.tdp.device_link import DeviceLink
from protocol.tdp.framing import Frame, Framer, encode_frame
from protocol.tdp.messages import Kind, Message, ReplyMessage, Status
from protocol.tdp.outputs import MESSAGE_IDS, Output
from tests.support.broken.base import Broken, Caught, Rewriting, resequenced

REPORT_STATUS: Final = MESSAGE_IDS[m.ReportStatusMessage].to_bytes(2, "little")


def unit_of(table: TableModel) -> Any:
    """Return the shuffler on its line."""
    return table.units["shuffler"]


class OtherLink(Broken):
    """Base of devices with another end of the link."""

    Link: ClassVar[type[DeviceLink]]

    def __init__(self, table: TableModel) -> None:
        super().__init__(table)
        unit = unit_of(table)
        power_on = unit.power_on

        def started(now_ns: int) -> None:
            power_on(now_ns)
            unit._link.__class__ = self.Link

        unit.power_on = started


# ------------------------------------------------------------------ sessions


class Drawing(Broken):
    """Base of devices that do not draw their session ids at random."""

    def __init__(self, table: TableModel) -> None:
        super().__init__(table)
        self.starts = 0
        unit_of(table)._rng = self

    def randrange(self, start: int, stop: int) -> int:
        """Return the next session id."""
        self.starts += 1
        return self.drawn()

    def drawn(self) -> int:
        """Return the session id of start number `starts`."""
        raise NotImplementedError


class TwoSessions(Drawing):
    """It has two session ids and uses them in turn."""

    def drawn(self) -> int:
        return (0x1A2B_3C4D, 0x9988_7766)[self.starts % 2]


class ShiftedSessions(Drawing):
    """Its session id is its number of starts, in the upper half."""

    def drawn(self) -> int:
        return self.starts << 16


class HalfDrawn(Drawing):
    """The lower half of its session id is drawn, the upper half is its serial number."""

    def drawn(self) -> int:
        return 0x4711_0000 | self.starts * self.starts * 40_503 & 0xFFFF


class EndsWithItsLine(Broken):
    """A cable that is pulled ends its session."""

    was_cut = False

    def tick(self, now_ns: int) -> None:
        cut = self._table.lines["shuffler"].cut  # type: ignore[attr-defined]
        if cut and not self.was_cut:
            unit_of(self._table).power_off()
            unit_of(self._table).power_on(now_ns)
        self.was_cut = cut
        super().tick(now_ns)


class ClosesOnRefusal(OtherLink):
    """A refused OPEN-SESSION closes the open session."""

    class Link(DeviceLink):
        def _own_reply(self, request: int, command: Message, now_ns: int, out: list[Output]) -> ReplyMessage | None:
            reply = super()._own_reply(request, command, now_ns, out)
            refused = reply is not None and reply.status == Status.REFUSED
            if refused and isinstance(command, m.OpenSessionMessage):
                self.role = None
            return reply


class SixteenOld(Broken):
    """It sends sixteen events of the session before and no more."""

    count = dropped = 0

    def said(self, envelope: Envelope) -> Iterable[bytes]:
        if isinstance(envelope.message, m.GapMessage):
            self.count = 0
        if isinstance(envelope.message, m.Event) and envelope.extensions:
            self.count += 1
            if self.count > 16:
                self.dropped += 1
                return []
        return [resequenced(envelope.body, self.dropped)]


# ------------------------------------------------------------------ commands


class ForgetsRefusals(OtherLink):
    """It remembers nothing about a refused request."""

    class Link(DeviceLink):
        def _answer(self, request: int, command: Message, answer: Message, now_ns: int, out: list[Output]) -> None:
            super()._answer(request, command, answer, now_ns, out)
            if isinstance(answer, ReplyMessage) and answer.status == Status.REFUSED:
                self._cache._entries.pop(request, None)


class RemembersNaked(OtherLink):
    """A command that it answered by a NAK keeps its request id."""

    class Link(DeviceLink):
        def _take(self, body: bytes, now_ns: int, out: list[Output]) -> None:
            unusable = self.stats.unusable
            super()._take(body, now_ns, out)
            request = int.from_bytes(body[4:6], "little")
            if self.stats.unusable > unusable and body[2] == Kind.COMMAND and request:
                self._cache.judge(request, m.SelfTestMessage(), now_ns)


class ComparesExtensions(Rewriting):
    """The same command with another extension is another command to it."""

    def __init__(self, table: TableModel) -> None:
        super().__init__(table)
        self._came: dict[int, bytes] = {}
        self._other: set[int] = set()

    def heard(self, envelope: Envelope) -> Iterable[bytes]:
        body, request = envelope.body, envelope.request
        self._other.discard(request)
        first = self._came.setdefault(request, body[6:])
        same = first[:2] == body[6:8] and first != body[6:]
        if envelope.kind != Kind.COMMAND or not (same and envelope.extensions):
            return [body]
        self._other.add(request)
        return [body[:6] + REPORT_STATUS]

    def said(self, envelope: Envelope) -> Iterable[bytes]:
        body, request = envelope.body, envelope.request
        return [body[:6] + self._came[request][:2] + body[8:] if request in self._other else body]


class VersionBeforeFlags(Rewriting):
    """A frame with an unknown flag and another version gets a NAK about the version."""

    def heard(self, envelope: Envelope) -> Iterable[bytes]:
        body = envelope.body
        return [body[:1] + b"\0" + body[2:] if envelope.version != 1 else body]


class NamelessNak(Broken):
    """A NAK does not name the frame that it answers."""

    def said(self, envelope: Envelope) -> Iterable[bytes]:
        body = envelope.body
        return [body[:6] + b"\0\0" + body[8:] if envelope.kind == Kind.NAK else body]


# ------------------------------------------------------------------ events and STATUS


class AcksAbove(OtherLink):
    """An ACK above its newest event acknowledges all events."""

    class Link(DeviceLink):
        def _take_ack(self, ack: m.AckMessage, now_ns: int, out: list[Output]) -> None:
            super()._take_ack(m.AckMessage(ack.session, min(ack.up_to, self.store.last)), now_ns, out)


class QuietWhenLost(OtherLink):
    """It repeats nothing while its host counts as lost."""

    class Link(DeviceLink):
        @property
        def _unacknowledged(self) -> bool:
            return super()._unacknowledged and not self.host_lost


class StatusFirst(Broken):
    """STATUS comes before the events that it counts, if they go out together."""

    def say(self, data: bytes) -> Iterable[bytes]:
        frames = list(super().say(data))
        bodies = [piece.body for frame in frames for piece in Framer().feed(frame) if isinstance(piece, Frame)]
        if len(bodies) != len(frames):
            return frames
        first = [body for body in bodies if body[2] == Kind.LINK and body[6:8] == b"\x10\x01"]
        ordered = first + [body for body in bodies if body not in first]
        return [
            encode_frame(body[:3] + place[3:4] + body[4:], after_silence=frame.startswith(b"\0"))
            for body, place, frame in zip(ordered, bodies, frames, strict=True)
        ]


class StatusByState(Broken):
    """STATUS comes each second and when the state changes, for no other change."""

    def __init__(self, table: TableModel) -> None:
        super().__init__(table)
        unit = unit_of(table)
        settle = unit.settle

        def settled(now_ns: int) -> None:
            visible = unit.model.status(0, 0, 0)
            if unit._shown is not None and visible.state == unit._shown.state:
                unit._shown = visible
            settle(now_ns)

        unit.settle = settled


# ------------------------------------------------------------------ silence


class DeafToOthersBeats(Rewriting):
    """A HEARTBEAT of another session does not count as a sign of life."""

    def heard(self, envelope: Envelope) -> Iterable[bytes]:
        message, link = envelope.message, unit_of(self._table)._link
        other = isinstance(message, m.HeartbeatMessage) and link is not None and message.session != link.session
        return [] if other else [envelope.body]


class NakIsNoLife(OtherLink):
    """A frame that it answers by a NAK does not count as a sign of life."""

    class Link(DeviceLink):
        def _take(self, body: bytes, now_ns: int, out: list[Output]) -> None:
            unusable, heard_ns = self.stats.unusable, self._heard_ns
            super()._take(body, now_ns, out)
            if self.stats.unusable > unusable:
                self._heard_ns = heard_ns


class LostBeforeOpened(OtherLink):
    """A host that never opened a session counts as lost."""

    class Link(DeviceLink):
        def watch(self, now_ns: int) -> list[Output]:
            role, self.role = self.role, self.role or m.Role.OBSERVE
            lost = super().watch(now_ns)
            self.role = role
            return lost


class AnswersBeforeBack(OtherLink):
    """It answers a returning host before it reports the host's return."""

    class Link(DeviceLink):
        def _take(self, body: bytes, now_ns: int, out: list[Output]) -> None:
            was_lost, on_host_back = self.host_lost, self._on_host_back
            self._on_host_back = lambda _now_ns: None
            super()._take(body, now_ns, out)
            self._on_host_back = on_host_back
            if was_lost and not self.host_lost:
                on_host_back(now_ns)


def _caught(device: type[Broken], *by: str, quick: tuple[str, ...] = ()) -> Caught:
    return Caught(device, by, quick=quick)


LINK_DEVICES: Final = (
    _caught(TwoSessions, "always.sessions", quick=("session.*",)),
    _caught(ShiftedSessions, "always.sessions", "always.session-bits", quick=("session.*",)),
    _caught(HalfDrawn, "always.session-bits", quick=("session.*",)),
    _caught(EndsWithItsLine, "session.cable-pulled"),
    _caught(ClosesOnRefusal, "session.refused-opening"),
    _caught(SixteenOld, "session.previous-no-window", "session.previous-whole"),
    _caught(ForgetsRefusals, "commands.refusal-remembered", "meters.refused"),
    _caught(RemembersNaked, "commands.id-free-after-nak"),
    _caught(ComparesExtensions, "commands.same-id-other-extension"),
    _caught(VersionBeforeFlags, "header.first-of-several"),
    _caught(NamelessNak, "header.unknown-command"),
    _caught(AcksAbove, "events.ack-above"),
    _caught(QuietWhenLost, "silence.resend-goes-on"),
    _caught(StatusFirst, "always.events-first", quick=("silence.host-lost",)),
    _caught(StatusByState, "always.status-on-change", quick=("fault.rejected-104", "safe.*")),
    _caught(DeafToOthersBeats, "silence.heartbeat-of-another-session"),
    _caught(NakIsNoLife, "silence.nak-is-life"),
    _caught(LostBeforeOpened, "silence.before-a-session"),
    _caught(AnswersBeforeBack, "silence.back-before-the-reply"),
)
"""Devices that break a sentence of the link."""
