"""Terminal's end of a GAT line as the bench plays it: right or deliberately wrong, query by query."""

from typing import Final

from dealwire.bench.record import Actor
from dealwire.bench.verbs.dialect_probe import DialectProbe
from dealwire.bench.verbs.probe import MS
from dealwire.bench.verbs.wire import Wire
from protocol.errors import BadReport
from protocol.gat import messages as m
from protocol.gat.codec import decode
from protocol.gat.exchange import USUAL
from protocol.gat.framing import ANSWER, Frame, Framer, Noise
from protocol.message import message_name

LIVE_MS: Final = 50
"""Milliseconds that a real line and this machine may add to the time of a response."""
BUSY: Final = (m.Calculation.REQUESTED, m.Calculation.CALCULATING)


class GatProbe(DialectProbe):
    """Probe that sends queries, and judges every response."""

    RULES = ("clean", "silent", "in-time", "known", "status")

    def __init__(self, wire: Wire) -> None:
        super().__init__(wire, Framer())
        self.free_ns = 0
        """Earliest time of the next query."""
        self._carried_ns = 0
        self._awaited = 0
        """Code of the response that is due; 0 for none."""
        self._first_ns = 0

    def query(self, data: bytes, text: str, *, awaited: int = 0) -> None:
        """Send bytes when the line was silent long enough. `awaited` is the code of the response."""
        self.run(self.free_ns)
        self.put(data, text, bad=not awaited)
        self._carried_ns, self._first_ns, self._awaited = self.wire.carried_ns(), 0, awaited
        self.free_ns = self._carried_ns + USUAL.silent_ns

    def started_over(self, *, off: bool = True) -> None:
        """Discard a partly received frame."""
        super().started_over(off=off)
        self._awaited = 0

    def _take(self, data: bytes) -> None:
        if data and not self._first_ns:
            self._first_ns = self.wire.now_ns()
        super()._take(data)

    def _noise(self, noise: Noise) -> None:
        self.rules["clean"].judge(False, f"{noise.length} bytes that are no frame ({noise.reason})")
        self.timeline.add(self.wire.now_ns(), Actor.DEVICE, f"noise, {noise.reason}", True)

    def _read(self, frame: Frame) -> None:
        awaited, self._awaited = self._awaited, 0
        self.rules["silent"].judge(frame.code == awaited, f"{frame.code:02X}h came without a query")
        if frame.code == awaited:
            late_ms = max(0, self._first_ns - self._carried_ns) // MS
            most_ms = USUAL.answer_ns // MS + (0 if self.wire.exact else LIVE_MS)
            self.rules["in-time"].judge(late_ms < most_ms, f"{frame.code:02X}h began after {late_ms} ms")
        self.free_ns = self.wire.now_ns() + USUAL.pause_ns
        try:
            message: m.GatMessage | None = decode(frame)
            why = "" if frame.code & ANSWER else f"{frame.code:02X}h, a query, from the device"
        except BadReport as error:
            message, why = None, error.why
        self.rules["known"].judge(not why, why)
        if isinstance(message, m.StatusResponseMessage):
            fits = message.running is (message.calculation in BUSY) and not (message.running and message.available)
            state = f"{message.calculation.name.lower()}, running {message.running}, results {message.available}"
            self.rules["status"].judge(fits, f"a status that contradicts itself: {state}")
        self._keep(message_name(message) if message else "a response that cannot be read", message, bad=bool(why))
