"""Devices that are broken on purpose, each in one way, to show that the bench can fail.

Each is a simulated device, most of them the shuffler, with a wrapper between it and its line that spoils one behavior.
`ALL_DEVICES` has the checks that must catch each: these and no other.
"""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from dealwire.bench.hands.operator import SimulatedOperator
from dealwire.bench.plan.plan import load_plan
from dealwire.bench.record import BenchOutcome
from dealwire.bench.run.rig import SimulatedRig
from dealwire.bench.run.runner import BenchChoices, BenchRun, run_plan
from devices.simulator.host import TableModel
from protocol.tdp import messages as m
from protocol.tdp.codec import Envelope, Unknown, decode, encode
from protocol.tdp.framing import Frame, Framer, encode_frame
from protocol.tdp.messages import Kind, Reason, Status
from tests.support.broken.attesting import ATTESTING_DEVICES
from tests.support.broken.base import MS, Broken, Caught, Rewriting, changed, resequenced
from tests.support.broken.books import BOOK_DEVICES
from tests.support.broken.classes import CLASS_DEVICES
from tests.support.broken.deals import DEAL_DEVICES
from tests.support.broken.fields import FIELD_DEVICES
from tests.support.broken.hosts import HOST_DEVICES
from tests.support.broken.instruments import INSTRUMENT_DEVICES
from tests.support.broken.links import LINK_DEVICES
from tests.support.broken.motions import MOTION_DEVICES
from tests.support.broken.shoes import SHOES
from tests.support.broken.tables import TABLE_DEVICES


class Unchanged:
    """Picks the third in a row of the statuses that report no change and answer no request, out of those sent when a
    second is over.

    The choice thus depends on the check alone, not on what the plan did before it. Statuses during a lit red lamp do
    not count, because a check waits for them.
    """

    IN_A_ROW: Final = 3

    def __init__(self) -> None:
        self._row = self._last_ms = 0
        self._last: m.Message | None = None

    def hits(self, message: m.Message) -> bool:
        if not isinstance(message, m.ShufflerStatusMessage):
            return False
        plain = replace(message, uptime_ms=0, last_event=0)
        quiet = plain == self._last and message.uptime_ms - self._last_ms >= 900
        quiet = quiet and not message.lamps & m.Lamp.RED
        self._last, self._last_ms = plain, message.uptime_ms
        self._row = self._row % self.IN_A_ROW + 1 if quiet else 0
        return self._row == self.IN_A_ROW


class WrongCheck(Broken):
    """Now and then a status goes out with a wrong check."""

    def __init__(self, table: TableModel) -> None:
        super().__init__(table)
        self._unchanged = Unchanged()

    def say(self, data: bytes) -> Iterable[bytes]:
        for frame in super().say(data):
            body = _body(frame)
            spoiled = body is not None and self._unchanged.hits(decode(body).message)
            yield frame[:-2] + bytes([frame[-2] ^ 1 or 2]) + b"\0" if spoiled else frame


class DroppedFrames(Broken):
    """Now and then a status is numbered and never sent."""

    def __init__(self, table: TableModel) -> None:
        super().__init__(table)
        self._unchanged = Unchanged()

    def said(self, envelope: Envelope) -> Iterable[bytes]:
        return [] if self._unchanged.hits(envelope.message) else [envelope.body]


class NoReplyCache(Rewriting):
    """Every command is new to it: a repeated request id is carried out again."""

    def __init__(self, table: TableModel) -> None:
        super().__init__(table)
        self._inner = 0
        self._real: dict[int, int] = {}

    def heard(self, envelope: Envelope) -> Iterable[bytes]:
        if envelope.kind != Kind.COMMAND or not envelope.request:
            return [envelope.body]
        self._inner = self._inner % 0xFFFF + 1
        self._real[self._inner] = envelope.request
        return [envelope.body[:4] + self._inner.to_bytes(2, "little") + envelope.body[6:]]

    def said(self, envelope: Envelope) -> Iterable[bytes]:
        real = self._real.get(envelope.request, envelope.request)
        return [envelope.body[:4] + real.to_bytes(2, "little") + envelope.body[6:]]


class NeverRepeatsReply(Rewriting):
    """A repeated request is not carried out again, and not answered either."""

    def __init__(self, table: TableModel) -> None:
        super().__init__(table)
        self._seen: set[tuple[int, bytes]] = set()

    def heard(self, envelope: Envelope) -> Iterable[bytes]:
        key = envelope.request, envelope.body[6:]
        known = envelope.kind == Kind.COMMAND and not isinstance(envelope.message, Unknown)
        if known and key in self._seen:
            return []
        self._seen.add(key)
        return [envelope.body]


class SwappedEvents(Broken):
    """The later of two events that go out together comes first."""

    def say(self, data: bytes) -> Iterable[bytes]:
        frames = list(super().say(data))
        events = [index for index, frame in enumerate(frames) if _event_in(frame)]
        for first, second in zip(events[::2], events[1::2], strict=False):
            frames[first], frames[second] = (
                _renumber(frames[second], frames[first]),
                _renumber(frames[first], frames[second]),
            )
        return frames


def _event_in(frame: bytes) -> bool:
    body = _body(frame)
    return body is not None and body[2] == Kind.EVENT


def _body(frame: bytes) -> bytes | None:
    pieces = Framer().feed(frame)
    found = [piece.body for piece in pieces if isinstance(piece, Frame)]
    return found[0] if found else None


def _renumber(frame: bytes, like: bytes) -> bytes:
    """Return the frame with the link sequence and the delimiter of another, so that only the order is wrong."""
    body, other = _body(frame), _body(like)
    assert body is not None
    assert other is not None
    return encode_frame(body[:3] + other[3:4] + body[4:], after_silence=like.startswith(b"\0"))


class DarkLamp(Broken):
    """The red lamp is reported as lit and stays dark."""

    def said(self, envelope: Envelope) -> Iterable[bytes]:
        message = envelope.message
        return [
            changed(envelope, lamps=message.lamps & ~1)
            if isinstance(message, m.ShufflerStatusMessage)
            else envelope.body
        ]


class ForgetfulLamp(Broken):
    """The red lamp goes out on its own after two seconds."""

    lit_ns = 0

    def said(self, envelope: Envelope) -> Iterable[bytes]:
        message = envelope.message
        if not isinstance(message, m.ShufflerStatusMessage):
            return [envelope.body]
        self.lit_ns = (self.lit_ns or self.now_ns) if message.lamps & 1 else 0
        out = self.lit_ns and self.now_ns - self.lit_ns > 2_000 * MS
        return [changed(envelope, lamps=message.lamps & ~1) if out else envelope.body]


class LyingCounts(Broken):
    """Every packet is reported as full, no matter what was counted."""

    def said(self, envelope: Envelope) -> Iterable[bytes]:
        message = envelope.message
        lies = isinstance(message, m.PacketDispensedMessage)
        return [changed(envelope, counted=message.expected) if lies else envelope.body]  # type: ignore[attr-defined]


class LyingRemainder(Broken):
    """The remainder is reported as expected, no matter what was counted."""

    def said(self, envelope: Envelope) -> Iterable[bytes]:
        message = envelope.message
        lies = isinstance(message, m.RemainderDumpedMessage)
        return [changed(envelope, counted=message.expected) if lies else envelope.body]  # type: ignore[attr-defined]


class CarelessRecord(Broken):
    """The misdeal record forgets the last packet."""

    def said(self, envelope: Envelope) -> Iterable[bytes]:
        message = envelope.message
        return [
            changed(envelope, packets=message.packets[:-1]) if isinstance(message, m.MisdealMessage) else envelope.body
        ]


class LateStatus(Rewriting):
    """Two of three statuses without a change or a request are left out."""

    last: m.ShufflerStatusMessage | None = None
    count = dropped = asked_ns = 0

    def heard(self, envelope: Envelope) -> Iterable[bytes]:
        if isinstance(envelope.message, m.ReportStatusMessage):
            self.asked_ns = self.now_ns
        return [envelope.body]

    def say(self, data: bytes) -> Iterable[bytes]:
        return [frame if frame.startswith(b"\0") else b"\0" + frame for frame in super().say(data)]

    def said(self, envelope: Envelope) -> Iterable[bytes]:
        message = envelope.message
        if isinstance(message, m.ShufflerStatusMessage):
            plain = replace(message, uptime_ms=0)
            same, self.last = plain == self.last and self.now_ns != self.asked_ns, plain
            self.count = self.count + 1 if same else 0
            if self.count % 3:
                self.dropped += 1
                return []
        return [resequenced(envelope.body, self.dropped)]


class DeafToAcks(Rewriting):
    """ACK is ignored."""

    def heard(self, envelope: Envelope) -> Iterable[bytes]:
        message = envelope.message
        return [encode(m.HeartbeatMessage(message.session)) if isinstance(message, m.AckMessage) else envelope.body]


class AnySession(Rewriting):
    """OPEN-SESSION is granted for any session that it names."""

    session = 0

    def heard(self, envelope: Envelope) -> Iterable[bytes]:
        if isinstance(envelope.message, m.OpenSessionMessage):
            return [changed(envelope, session=self.session)]
        return [envelope.body]

    def said(self, envelope: Envelope) -> Iterable[bytes]:
        if isinstance(envelope.message, m.HelloReplyMessage):
            self.session = envelope.message.session
        return [envelope.body]


class AcksAnySession(Rewriting):
    """An ACK for another session counts."""

    session = 0

    def heard(self, envelope: Envelope) -> Iterable[bytes]:
        return [
            changed(envelope, session=self.session) if isinstance(envelope.message, m.AckMessage) else envelope.body
        ]

    def said(self, envelope: Envelope) -> Iterable[bytes]:
        if isinstance(envelope.message, m.HelloReplyMessage):
            self.session = envelope.message.session
        return [envelope.body]


class Slow(Broken):
    """It takes 180 ms to read the host's bytes."""

    def __init__(self, table: TableModel) -> None:
        super().__init__(table)
        self._waiting: list[tuple[int, bytes]] = []

    @property
    def next_deadline_ns(self) -> int | None:
        dues = [super().next_deadline_ns, self._waiting[0][0] if self._waiting else None]
        return min((due for due in dues if due is not None), default=None)

    def receive(self, device: str, data: bytes, now_ns: int) -> None:
        self._waiting.append((now_ns + 180 * MS, data))

    def tick(self, now_ns: int) -> None:
        while self._waiting and self._waiting[0][0] <= now_ns:
            self._table.receive("shuffler", self._waiting.pop(0)[1], now_ns)
        super().tick(now_ns)


class TakesDamaged(Broken):
    """A frame with a wrong check is repaired."""

    def hear(self, data: bytes) -> Iterable[bytes]:
        from zlib import crc32

        from cobs import cobs

        for part in data.split(b"\0"):
            try:
                decoded = cobs.decode(part)
            except cobs.DecodeError:
                continue
            if len(decoded) >= 12 and crc32(decoded) != 0x2144DF1C:
                yield encode_frame(decoded[:-4], after_silence=True)
        yield data


class DeafToFlags(Rewriting):
    """A flag that must be understood is ignored."""

    def heard(self, envelope: Envelope) -> Iterable[bytes]:
        return [envelope.body[:1] + b"\0" + envelope.body[2:]]


class GrantsAll(Rewriting):
    """Any host that opens the session may give every command."""

    def heard(self, envelope: Envelope) -> Iterable[bytes]:
        message = envelope.message
        return [
            changed(envelope, role=2)
            if isinstance(message, m.OpenSessionMessage) and message.role < 3
            else envelope.body
        ]


class NeverLost(Broken):
    """It never counts its host as lost."""

    heard_ns = 0

    def receive(self, device: str, data: bytes, now_ns: int) -> None:
        self.heard_ns = now_ns
        super().receive(device, data, now_ns)

    def tick(self, now_ns: int) -> None:
        if now_ns - self.heard_ns >= 1_000 * MS and self._table.units["shuffler"].hosted:  # type: ignore[attr-defined]
            self._table.receive("shuffler", encode_frame(encode(m.HeartbeatMessage(1)), after_silence=True), now_ns)
        super().tick(now_ns)


class UncountedBoots(Broken):
    """It does not count its power-ups."""

    def said(self, envelope: Envelope) -> Iterable[bytes]:
        message = envelope.message
        if isinstance(message, m.HelloReplyMessage) and message.boot_count > 1:
            return [changed(envelope, boot_count=1)]
        return [envelope.body]


class NoGap(Broken):
    """Events that the device no longer keeps are skipped without a gap report."""

    gone = 0

    def said(self, envelope: Envelope) -> Iterable[bytes]:
        if isinstance(envelope.message, m.GapMessage):
            self.gone += 1
            return []
        return [resequenced(envelope.body, self.gone)]


class AnswersNaks(Rewriting):
    """A NAK is answered by a NAK."""

    answer = False

    def heard(self, envelope: Envelope) -> Iterable[bytes]:
        if isinstance(envelope.message, m.NakMessage):
            return [encode(m.ReportStatusMessage(), request=0, link_sequence=0, flags=0x80)]
        return [envelope.body]


class WrongReason(Broken):
    """Every refusal gives the same reason."""

    def said(self, envelope: Envelope) -> Iterable[bytes]:
        message = envelope.message
        lies = isinstance(message, m.ReplyMessage) and message.status == Status.REFUSED
        return [changed(envelope, reason=Reason.BUSY) if lies else envelope.body]


class ForgetsRequest(Broken):
    """Events do not carry the request of the command that caused them."""

    def said(self, envelope: Envelope) -> Iterable[bytes]:
        body = envelope.body
        return [body[:4] + b"\0\0" + body[6:] if envelope.kind == Kind.EVENT else body]


class GivesFaces(Broken):
    """It names faces although it says that it does not recognize cards."""

    def said(self, envelope: Envelope) -> Iterable[bytes]:
        message = envelope.message
        shows = isinstance(message, m.PacketDispensedMessage)
        return [changed(envelope, cards=b"\x11\x12") if shows else envelope.body]


class LateResend(Rewriting):
    """It repeats an unacknowledged event only after two seconds."""

    def __init__(self, table: TableModel) -> None:
        super().__init__(table)
        self._sent: dict[int, int] = {}
        self._dropped = 0

    def heard(self, envelope: Envelope) -> Iterable[bytes]:
        if isinstance(envelope.message, m.ReadEventsMessage):
            self._sent.clear()
        return [envelope.body]

    def say(self, data: bytes) -> Iterable[bytes]:
        return [frame if frame.startswith(b"\0") else b"\0" + frame for frame in super().say(data)]

    def said(self, envelope: Envelope) -> Iterable[bytes]:
        message = envelope.message
        if isinstance(message, m.HelloReplyMessage):
            self._sent.clear()
        if isinstance(message, m.Event) and not envelope.extensions:
            before_ns = self._sent.get(message.number)
            if before_ns is not None and self.now_ns - before_ns < 2_000 * MS:
                self._dropped += 1
                return []
            self._sent[message.number] = self.now_ns
        return [resequenced(envelope.body, self._dropped)]


class NoDelimiter(Broken):
    """It never puts a delimiter in front."""

    def say(self, data: bytes) -> Iterable[bytes]:
        return [frame.lstrip(b"\0") if len(frame) > 1 else frame for frame in super().say(data)]


# ------------------------------------------------------------------ the checks that catch each

_LAMP: Final = (
    "fault.too-few-101", "fault.too-many-102", "fault.jam-stuck-203", "fault.card-lost-204", "fault.packet-short-301",
    "fault.packet-long-302", "fault.lifted-early-303", "fault.remainder-305", "fault.door-501", "fault.power-502",
    "fault.called-505",
)  # fmt: skip
"""Checks that look at the lamp of a status."""
_PACKETS: Final = (
    "count.first-short", "count.middle-short", "count.middle-long", "count.last-short", "count.last-long",
)  # fmt: skip
"""Checks of a wrong packet."""
_REMAINDER: Final = ("fault.remainder-305", "count.unnoticed-short", "count.unnoticed-long", "count.two-missing")
"""Checks of a wrong remainder."""
_ONCE: Final = ("deal.carried-out-once", "deal.reply-cache", "deal.reply-cache-time", "deal.reply-cache-opened")
"""Checks that a request is carried out once and answered again."""
_ONCE_OF_METERS: Final = ("meters.once", "meters.refused", "verify.once")
"""The same, for requests about the device itself."""


DEVICES: Final = (
    Caught(
        WrongCheck,
        ("always.clean", "always.link-sequence", "always.status-rhythm", "deal.only-lifting", "timing.status"),
        quick=("silence.*",),
    ),
    Caught(
        DroppedFrames,
        ("always.link-sequence", "always.status-rhythm", "deal.only-lifting", "timing.status"),
        quick=("silence.*",),
    ),
    Caught(
        NoReplyCache,
        (
            "session.line-closed", "silence.host-lost", "session.cable-pulled", "commands.same-id-after-opening",
            "commands.same-id-other-command", "commands.refusal-remembered", *_ONCE, *_ONCE_OF_METERS,
            "always.same-reply", "commands.remembers-32", "commands.same-id-other-parameters",
        ),
        quick=("commands.same-id-other-command",),
    ),
    Caught(NeverRepeatsReply, ("commands.same-id", *_ONCE, *_ONCE_OF_METERS)),
    Caught(
        SwappedEvents,
        (
            "session.previous-events", "session.previous-whole", "session.previous-no-window", "events.read-again",
            "events.depth",
            "fault.power-502", "always.event-order", "always.status-truth",
            "events.resend-all", "session.previous-acknowledged", "session.previous-apart", "always.book",),
        quick=("events.read-again",),
    ),
    Caught(
        DarkLamp,
        (*_LAMP, *_PACKETS, "fault.outlasts-the-power", "deal.green-in-misdeal"),
        quick=("fault.packet-short-301",),
    ),
    Caught(ForgetfulLamp, ("fault.too-few-101", "fault.outlasts-the-power", "fault.packet-short-301",
        "fault.called-505", "always.latched")),
    Caught(
        LyingCounts,
        ("fault.packet-short-301", "deal.meters-early", "fault.packet-long-302", "fault.lifted-early-303",
         "deal.meters-short",
         "always.fault-values", *_PACKETS, "always.book",),
    ),
    Caught(LyingRemainder, (*_REMAINDER, "always.fault-values", "always.book",)),
    Caught(
        CarelessRecord,
        (
            "fault.jam-stuck-203", "fault.packet-short-301", "fault.packet-long-302", "fault.lifted-early-303",
            *_PACKETS, *_REMAINDER, "always.book",),
    ),
    Caught(
        LateStatus,
        (
            "timing.status", "fault.sensor-and-lamp", "deal.bad-parameters", "safe.starts-no-motion",
            "safe.green-remembered",
            "always.status-rhythm",
        ),
    ),
    Caught(
        DeafToAcks,
        ("events.ack-ends-it", "events.ack-in-part", "events.window", "events.depth", "deal.whole"),
        spreads=True,
        quick=("events.ack-ends-it",),
    ),
    Caught(AnySession, ("session.wrong-id", "session.refused-opening", "commands.first-reason")),
    Caught(AcksAnySession, ("events.ack-of-another-session",)),
    Caught(
        Slow,
        ("commands.reply", "events.ack-ends-it", "events.ack-in-part", "timing.reply"),
        quick=("timing.reply",),
    ),
    Caught(
        TakesDamaged,
        (
            "frame.bad-check", "frame.bad-check-command", "frame.bit-flips", "frame.truncated",
            "silence.bad-frames-are-silence", "frame.check-of-zeros",
        ),
    ),
    Caught(
        DeafToFlags,
        ("header.must-understand", "header.first-of-several", "commands.id-free-after-nak", "silence.nak-is-life"),
    ),
    Caught(GrantsAll, ("roles.observe", "roles.operate", "commands.first-reason")),
    Caught(
        NeverLost,
        ("silence.host-lost", "silence.events-wait", "safe.starts-no-motion",
         "silence.back-before-the-reply", "silence.resend-goes-on", "fault.host-lost-601",
         "safe.green", "safe.remainder", "safe.green-remembered",
         "fault.host-lost-in-a-misdeal", "fault.cleared-without-a-host", "silence.ten-seconds",
         "silence.back-covers-nothing"),
    ),
    Caught(UncountedBoots, ("session.power-up", "always.boots")),
    Caught(
        NoGap,
        (
            "session.previous-events", "session.previous-whole", "session.previous-no-window",
            "session.previous-acknowledged", "events.depth",
            "fault.power-502",
            "always.window",
        ),
    ),
    Caught(AnswersNaks, ("header.nak-not-answered", "silence.naks-alone")),
    Caught(
        WrongReason,
        (
            "session.nothing-before-open", "silence.host-lost", "deal.meters-busy", "session.wrong-id",
            "session.wrong-version",
            "session.unknown-session", "roles.observe",
            "roles.operate", "roles.unknown", "commands.same-id-after-opening", "commands.same-id-other-command",
            "commands.id-zero",
            "commands.other-class", "deal.wrong-state", "deal.bad-parameters", "deal.lock", "deal.setup",
            "meters.refused", "meters.no-session", "verify.region", "session.refused-opening",
            "session.line-closed", "session.cable-pulled", "commands.refusal-remembered",
            "deal.only-lifting", "deal.busy", "deal.no-program", "fault.wrong-total-stays", "fault.called-otherwise",
            "commands.first-reason",
            "deal.state-before-parameters",
            "commands.remembers-32", "commands.same-id-other-parameters", "always.same-reply",
        ),
        quick=("session.wrong-id",),
    ),
    Caught(ForgetsRequest, ("deal.request-comes-back", "deal.game", "deal.command-latency", "fault.called-505")),
    Caught(GivesFaces, ("always.faces", "always.one-face", "always.shuffled",), quick=("deal.request-comes-back",)),
    Caught(
        LateResend,
        (
            "events.resend", "events.resend-goes-on", "events.ack-in-part", "events.ack-of-another-session",
            "events.ack-above", "silence.resend-goes-on",
            "events.resend-all",
        ),
    ),
    Caught(NoDelimiter, ("always.opening-delimiter",), quick=("frame.hello", "timing.status")),
)  # fmt: skip
"""Devices whose frames, numbers, times or counts are wrong."""
ALL_DEVICES: Final = (
    *DEVICES, *FIELD_DEVICES, *INSTRUMENT_DEVICES, *LINK_DEVICES, *CLASS_DEVICES, *MOTION_DEVICES,
    *HOST_DEVICES, *DEAL_DEVICES, *TABLE_DEVICES, *BOOK_DEVICES, *ATTESTING_DEVICES,
)  # fmt: skip
"""Every broken device."""


def judge(
    device: Callable[[TableModel], TableModel],
    only: Sequence[str] = (),
    kind: str = "shuffler",
    *,
    recognition: bool = False,
) -> BenchRun:
    """Return the run of the device's plan, without the soak, on a broken device."""
    plan = load_plan(kind)
    plan = plan.model_copy(update={"check": tuple(check for check in plan.check if check.area != "soak")})
    rig = SimulatedRig(kind, speed=10, wrap=device, recognition=recognition)
    assert isinstance(rig.hands, SimulatedOperator)
    return run_plan(plan, rig.wire, lambda _: rig.hands, BenchChoices(only))


def caught_by(run: BenchRun) -> tuple[str, ...]:
    """Return the names of the failed checks."""
    return tuple(result.id for result in run.of(BenchOutcome.FAILED))


# ------------------------------------------------------------------ the page

PAGE: Final = Path(__file__).parents[3] / "docs/bench.md"
BEGIN: Final = "<!-- generated: broken -->\n"
END: Final = "<!-- end generated -->"


def markdown() -> str:
    """Return the table of docs/bench.md."""
    rows = ["", "| a shuffler that is broken so | is caught by |", "| --- | --- |"]
    rows += [f"| {each.what} | {_checks(each)} |" for each in ALL_DEVICES if each.plan == "shuffler"]
    rows += ["", "| another device that is broken so | plan | is caught by |", "| --- | --- | --- |"]
    rows += [f"| {each.what} | {each.plan} | {_checks(each)} |" for each in ALL_DEVICES if each.plan != "shuffler"]
    rows += ["", "| a shoe of another dialect that is broken so | dialect | is caught by |", "| --- | --- | --- |"]
    rows += [f"| {each.what} | {each.dialect} | {', '.join(f'`{name}`' for name in each.by)} |" for each in SHOES]
    return "\n".join([*rows, "", ""])


def _checks(each: Caught) -> str:
    checks = ", ".join(f"`{name}`" for name in each.by)
    return f"{checks}{', and by most that need events' if each.spreads else ''}"


def published_page(page: str) -> str:
    """Return the page with its table as it must be."""
    before, _, rest = page.partition(BEGIN)
    return before + BEGIN + markdown() + END + rest.partition(END)[2]


if __name__ == "__main__":
    PAGE.write_text(published_page(PAGE.read_text()))
