"""The host's end of a shoe's line in another dialect, as the bench plays it: it listens, acknowledges what it is told
to, and keeps what came. It names no face of a card."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import reduce
from operator import xor
from typing import Final, NamedTuple

from dealwire.bench.record import Actor, TimeLine
from dealwire.bench.verbs.probe import MS
from dealwire.bench.verbs.wire import Wire
from protocol.angel_eye import codec as angel_eye_codec
from protocol.angel_eye import framing as angel_eye_framing
from protocol.angel_eye import messages as am
from protocol.bee_tek import codec as bee_tek_codec
from protocol.bee_tek import framing as bee_tek_framing
from protocol.bee_tek import messages as bm
from protocol.errors import BadReport
from protocol.message import Message, message_name

SILENCE_MS: Final = 500
"""A frame cut off by so much silence is noise."""


class HeardPiece(NamedTuple):
    """One frame or item of the shoe. `again`: it is the one before once more."""

    at_ns: int
    name: str
    message: Message | None
    again: bool = False


class DialectProbe(ABC):
    """One shoe's line. `wrong` says by rule what broke it, `seen` how much each has judged."""

    rules: tuple[str, ...]

    def __init__(self, wire: Wire) -> None:
        self.wire, self.timeline = wire, TimeLine()
        self.acks = True
        self.heard: list[HeardPiece] = []
        """What came since the check began."""
        self.mark = 0
        """Where what came since the last thing done begins."""
        self.wrong: dict[str, list[str]] = {rule: [] for rule in self.rules}
        self.seen = dict.fromkeys(self.rules, 0)

    def listen(self, ms: int, done: Callable[[], bool] = lambda: False) -> bool:
        """Listen until `done()` holds (True) or the time is up (False)."""
        return self.run(self.wire.now_ns() + ms * MS, done)

    def run(self, until_ns: int, done: Callable[[], bool] = lambda: False) -> bool:
        """The same up to a moment."""
        while not done():
            if self.wire.now_ns() >= until_ns:
                return False
            self._take(self.wire.wait(until_ns))
        return True

    def look_from_here(self) -> None:
        """What came so far is no answer to what follows."""
        self.mark = len(self.heard)

    def say(self, data: bytes, text: str, *, bad: bool = False) -> None:
        """Bytes onto the line."""
        self.timeline.add(self.wire.now_ns(), Actor.HOST, text, bad)
        self.wire.send(data)

    def judge(self, rule: str, wrong: str) -> None:
        """One more that a rule has looked at; `wrong` is empty when it holds."""
        self.seen[rule] += 1
        if wrong:
            self.wrong[rule].append(wrong)

    def started_over(self) -> None:
        """The shoe was switched off and on."""
        return

    def _keep(self, name: str, message: Message | None, *, again: bool = False, bad: bool = False) -> None:
        at_ns = self.wire.now_ns()
        self.timeline.add(at_ns, Actor.DEVICE, f"{name}{', again' if again else ''}", bad)
        self.heard.append(HeardPiece(at_ns, name, message, again))

    @abstractmethod
    def _take(self, data: bytes) -> None: ...


class AngelEyeProbe(DialectProbe):
    """It acknowledges reports, and asks by commands."""

    rules = ("always.clean", "always.known", "always.sequence")

    def __init__(self, wire: Wire) -> None:
        super().__init__(wire)
        self._framer = angel_eye_framing.Framer()
        self._last = b""

    def command(self, text: str, damage: str | None) -> None:
        """`LK02` as a command, its check with the start byte in it."""
        body = b"\x02OP" + text.encode() + b"\x03"
        check = reduce(xor, body) ^ (0x5A if damage == "check" else 0)
        whole = body + b"%02X" % check
        self.say(whole[:5] if damage == "cut" else whole, f"OP{text}{' damaged: ' + damage if damage else ''}",
                 bad=bool(damage))  # fmt: skip

    def started_over(self) -> None:
        """What was half heard is gone."""
        self._framer.flush()
        self._last = b""

    def _take(self, data: bytes) -> None:
        for piece in self._framer.feed(data):
            if not isinstance(piece, angel_eye_framing.Frame):
                self.judge("always.clean", f"{len(piece.data)} bytes that are no frame ({piece.reason})")
                self.timeline.add(self.wire.now_ns(), Actor.DEVICE, f"noise, {piece.reason}", True)
                continue
            self.judge("always.clean", "")
            self._read(piece)

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
        if report:
            unknown = isinstance(message, am.UnknownReportMessage)
            self.judge("always.known", why or (f"an unknown letter {frame.body[1:2]!r}" if unknown else ""))
        again = report and frame.body == self._last
        if report:
            same = self._last[:1] == frame.body[:1] and not again
            self.judge("always.sequence", f"{name} has the sequence of another report before it" if same else "")
            self._last = frame.body
        self._keep(name, message, again=again, bad=bool(why))


class BeeTekProbe(DialectProbe):
    """It listens."""

    rules = ("always.clean", "always.known", "always.blanks")

    def __init__(self, wire: Wire) -> None:
        super().__init__(wire)
        self._framer = bee_tek_framing.Framer()
        self._blank = True

    def started_over(self) -> None:
        """What was half heard is gone."""
        self._framer.flush()

    def _take(self, data: bytes) -> None:
        for piece in self._framer.feed(data):
            if not isinstance(piece, bee_tek_framing.Frame):
                blank = piece.reason is bee_tek_framing.NoiseReason.BLANK
                self._blank = self._blank or blank
                if not blank:
                    self.judge("always.clean", f"{len(piece.data)} bytes that are no item ({piece.reason})")
                continue
            self.judge("always.clean", "")
            self._read(piece)

    def _read(self, frame: bee_tek_framing.Frame) -> None:
        if frame.mode:
            self.judge("always.blanks", "" if self._blank else "no blank before an item")
        self._blank = False
        message: Message | None
        try:
            found = bee_tek_codec.decode(frame)
            message, name, why = found, message_name(found), ""
        except BadReport as error:
            message, name, why = None, "an item that cannot be read", error.why
        self.judge("always.known", why.partition(":")[0])
        self._keep(name, message, bad=bool(why))


def mode_of(message: Message | None) -> str:
    """The mode that an item stands in."""
    return str(getattr(message, "mode", "")) if isinstance(message, bm.CardDrawnMessage) else ""


PROBES: Final[dict[str, type[DialectProbe]]] = {"angel-eye": AngelEyeProbe, "bee-tek": BeeTekProbe}
"""By dialect."""
