"""Host's end of a shoe's line in another dialect. The bench listens, acknowledges if told to, and keeps what came. Card
faces are never recorded."""

from abc import abstractmethod
from functools import reduce
from operator import xor
from typing import Any, ClassVar, NamedTuple

from dealwire.bench.record import Actor
from dealwire.bench.rules.rule import BenchRule
from dealwire.bench.verbs.probe import Listener
from dealwire.bench.verbs.wire import Wire
from protocol.angel_eye import codec as angel_eye_codec
from protocol.angel_eye import framing as angel_eye_framing
from protocol.angel_eye import messages as am
from protocol.bee_tek import codec as bee_tek_codec
from protocol.bee_tek import framing as bee_tek_framing
from protocol.errors import BadReport
from protocol.message import Message, message_name


class HeardPiece(NamedTuple):
    """Frame or item of the shoe. `again` marks a repetition of the one before."""

    at_ns: int
    name: str
    message: Message | None
    again: bool = False


class DialectProbe(Listener):
    """Line of a shoe with the rules of its dialect."""

    RULES: ClassVar[tuple[str, ...]]
    heard: list[HeardPiece]

    def __init__(self, wire: Wire, framer: Any) -> None:
        super().__init__(wire, {name: BenchRule() for name in self.RULES})
        self._framer = framer

    def started_over(self, *, off: bool = True) -> None:
        """Discard a partly received frame."""
        self._framer.flush()

    def _take(self, data: bytes) -> None:
        for piece in self._framer.feed(data):
            if hasattr(piece, "reason"):
                self._noise(piece)
            else:
                self.rules["clean"].judge(True, "")
                self._read(piece)

    @abstractmethod
    def _noise(self, noise: Any) -> None: ...

    @abstractmethod
    def _read(self, frame: Any) -> None: ...

    def _keep(self, name: str, message: Message | None, *, again: bool = False, bad: bool = False) -> None:
        at_ns = self.wire.now_ns()
        self.timeline.add(at_ns, Actor.DEVICE, f"{name}{', again' if again else ''}", bad)
        self.heard.append(HeardPiece(at_ns, name, message, again))


class AngelEyeProbe(DialectProbe):
    """Probe that acknowledges reports and sends commands."""

    RULES = ("clean", "known", "sequence")

    def __init__(self, wire: Wire) -> None:
        super().__init__(wire, angel_eye_framing.Framer())
        self._last = b""

    def command(self, text: str, damage: str | None) -> None:
        """Send a command such as `LK02`; its check covers the start byte."""
        body = b"\x02OP" + text.encode() + b"\x03"
        check = reduce(xor, body) ^ (0x5A if damage == "check" else 0)
        whole = body + b"%02X" % check
        self.put(whole[:5] if damage == "cut" else whole, f"OP{text}{' damaged: ' + damage if damage else ''}",
                 bad=bool(damage))  # fmt: skip

    def started_over(self, *, off: bool = True) -> None:
        """Discard a partly received frame, and forget the last report."""
        super().started_over(off=off)
        self._last = b""

    def _noise(self, noise: angel_eye_framing.Noise) -> None:
        self.rules["clean"].judge(False, f"{len(noise.data)} bytes that are no frame ({noise.reason})")
        self.timeline.add(self.wire.now_ns(), Actor.DEVICE, f"noise, {noise.reason}", True)

    def _read(self, frame: angel_eye_framing.Frame) -> None:
        report = frame.start is angel_eye_framing.Start.REPORT
        message: Message | None
        if report and self.acks:
            self.wire.send(b"\x06")
        try:
            found = angel_eye_codec.decode(frame)
            message, name, why = found, message_name(found), ""
        except BadReport as error:
            message, name, why = None, "a report that cannot be read", error.why
        again = report and frame.body == self._last
        if report:
            unknown = isinstance(message, am.UnknownReportMessage)
            wrong = why or (f"an unknown letter {frame.body[1:2]!r}" if unknown else "")
            self.rules["known"].judge(not wrong, wrong)
            same = self._last[:1] == frame.body[:1] and not again
            self.rules["sequence"].judge(not same, f"{name} has the sequence of another report before it")
            self._last = frame.body
        self._keep(name, message, again=again, bad=bool(why))


class BeeTekProbe(DialectProbe):
    """Probe that only listens."""

    RULES = ("clean", "known", "blanks")

    def __init__(self, wire: Wire) -> None:
        super().__init__(wire, bee_tek_framing.Framer())
        self._blank = True

    def _noise(self, noise: bee_tek_framing.Noise) -> None:
        if noise.reason is bee_tek_framing.NoiseReason.BLANK:
            self._blank = True
        else:
            self.rules["clean"].judge(False, f"{len(noise.data)} bytes that are no item ({noise.reason})")

    def _read(self, frame: bee_tek_framing.Frame) -> None:
        if frame.mode:
            self.rules["blanks"].judge(self._blank, "no blank before an item")
        self._blank = False
        message: Message | None
        try:
            found = bee_tek_codec.decode(frame)
            message, name, why = found, message_name(found), ""
        except BadReport as error:
            message, name, why = None, "an item that cannot be read", error.why
        self.rules["known"].judge(not why.partition(":")[0], why.partition(":")[0])
        self._keep(name, message, bad=bool(why))
