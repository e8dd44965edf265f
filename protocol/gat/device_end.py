"""Device's end of a GAT line, without I/O. The reference device in C (`firmware/src/gat.c`) makes the same choices.

Silence of 50 ms separates frames: a frame that pauses longer is dropped. A byte that cannot begin a query, an
impossible length or a wrong CRC makes the device deaf until the next silence. It answers at once, and never unasked.
"""

from typing import Final, NamedTuple

from protocol.gat import documents, functions
from protocol.gat import messages as m
from protocol.gat.codec import decode, encode
from protocol.gat.framing import CHECK, CHUNK, HEAD, Frame, can_begin, crc16
from protocol.gat.functions import SpecialFunction

GAP_MS: Final = 50
"""Silence that ends a frame, in milliseconds. A terminal stays silent for longer after a query without an answer."""
STEP_NS: Final = 5_000_000
"""Interval of the steps of a calculation."""
PORTION: Final = 1 << 16
"""Number of bytes that one step measures."""
_MS: Final = 1_000_000


class MeasuredSoftware(NamedTuple):
    """Software of a device: its product, its maker, and the components by name."""

    game: str
    manufacturer: str
    components: tuple[tuple[str, bytes], ...]


class _Job(NamedTuple):
    """An accepted calculation: the components to measure, or the list of functions if there are none; and the key."""

    components: tuple[tuple[str, bytes], ...]
    key: bytes


class GatDevice:
    """A device that answers GAT. It takes bytes and times, and returns the bytes for its line."""

    def __init__(self, software: MeasuredSoftware, portion: int = PORTION) -> None:
        self.software, self.portion = software, portion
        self._frame, self._heard_ms, self._deaf = bytearray(), 0, False
        self._out: list[bytes] = []
        self._progress, self._level = m.Calculation.FINISHED, m.NOT_CALCULATED
        self._running = self._available = False
        self._job = _Job((), b"")
        self._sums: list[tuple[str, str]] = []
        self._at, self._step_ns = 0, 0
        self._digest = documents.Checksum()
        self._done_ms = 0
        self.results = b""

    @property
    def next_deadline_ns(self) -> int | None:
        """Time at which to call `tick`; None while nothing is calculated."""
        return self._step_ns if self._running else None

    def receive(self, data: bytes, now_ns: int) -> None:
        """Process bytes from the terminal."""
        for byte in data:
            self._take(byte, now_ns)

    def tick(self, now_ns: int) -> None:
        """Calculate one portion."""
        self._step_ns = now_ns + STEP_NS
        if not self._running:
            return
        if self._progress is m.Calculation.REQUESTED:
            self._progress = m.Calculation.CALCULATING
        elif len(self._sums) == len(self._job.components):
            self._finish(now_ns)
        else:
            self._measure(now_ns)

    def take_output(self) -> list[bytes]:
        """Return the bytes for the line, one piece a frame."""
        out, self._out = self._out, []
        return out

    # ------------------------------------------------------------------ frames

    def _take(self, byte: int, now_ns: int) -> None:
        now_ms, frame = now_ns // _MS, self._frame
        if now_ms - self._heard_ms >= GAP_MS:
            frame.clear()
            self._deaf = False
        self._heard_ms = now_ms
        if self._deaf:
            return
        frame.append(byte)
        if not can_begin(frame):
            self._deaf = True
        elif len(frame) >= HEAD and len(frame) == frame[1]:
            body = bytes(frame)
            frame.clear()
            if crc16(body[:-CHECK]) == int.from_bytes(body[-CHECK:]):
                self._answer(decode(Frame(0, len(body), body[0], body[HEAD:-CHECK])), now_ns)
            else:
                self._deaf = True

    def _answer(self, query: m.GatMessage, now_ns: int) -> None:
        answer: m.GatMessage
        match query:
            case m.StatusQueryMessage():
                answer = m.StatusResponseMessage(*m.VERSION, self._running, self._available, self._progress, m.XML_FORM)
            case m.LastStatusQueryMessage():
                age_s = (now_ns // _MS - self._done_ms) // 1000 if self._available else 0
                answer = m.LastStatusResponseMessage(self._level, age_s)
            case m.ResultsQueryMessage():
                answer = self._results(query)
            case m.CalculationQueryMessage():
                answer = self._calculate(query, now_ns)
        self._out.append(encode(answer))

    def _results(self, query: m.ResultsQueryMessage) -> m.ResultsResponseMessage:
        start = (query.number - 1) * CHUNK
        if query.form != m.ResultForm.XML or not self._available or not 0 <= start < len(self.results):
            return m.ResultsResponseMessage(True, True, query.number, b"")
        end = start + CHUNK
        return m.ResultsResponseMessage(False, end >= len(self.results), query.number, self.results[start:end])

    # ------------------------------------------------------------------ calculations

    def _calculate(self, query: m.CalculationQueryMessage, now_ns: int) -> m.CalculationResponseMessage:
        """Start a calculation in place of the last one, of which nothing is left."""
        job = self._job_of(query.parameter) if query.level == m.SPECIAL_FUNCTION else None
        self._available, self._level = False, m.NOT_CALCULATED
        self._sums, self._running = [], job is not None
        if job is None:
            self._progress = m.Calculation.FAILED
            return m.CalculationResponseMessage(False, False, query.level != m.SPECIAL_FUNCTION)
        self._job, self._progress, self._step_ns = job, m.Calculation.REQUESTED, now_ns + STEP_NS
        self._begin_component()
        return m.CalculationResponseMessage(True, True, False)

    def _job_of(self, parameter: bytes) -> _Job | None:
        function = functions.function_of(parameter)
        if function is None:
            return None
        feature, parameters = function
        if feature == functions.LIST and not parameters:
            return _Job((), b"")
        name, key = parameters[:1], functions.key_of(parameters[1] if len(parameters) > 1 else "")
        if key is None or len(parameters) not in (1, 2):
            return None
        if feature == functions.FILE and name == (functions.ALL_COMPONENTS,):
            return _Job(self.software.components, key)
        components = tuple(each for each in self.software.components if name == each[:1])
        return _Job(components, key) if feature == functions.COMPONENT and components else None

    def _begin_component(self) -> None:
        self._at, self._digest = 0, documents.Checksum(self._job.key)

    def _measure(self, now_ns: int) -> None:
        name, data = self._job.components[len(self._sums)]
        self._digest.update(data[self._at : self._at + self.portion])
        self._at += self.portion
        if self._at >= len(data):
            self._sums.append((name, self._digest.text()))
            self._begin_component()
        if len(self._sums) == len(self._job.components):
            self._finish(now_ns)

    def _finish(self, now_ns: int) -> None:
        game, manufacturer, _ = self.software
        if self._job.components:
            self.results = documents.write_components(game, manufacturer, self._sums)
        else:
            self.results = documents.write_functions(game, manufacturer, self._functions())
        self._progress, self._running, self._available = m.Calculation.FINISHED, False, True
        self._level, self._done_ms = m.SPECIAL_FUNCTION, now_ns // _MS

    def _functions(self) -> list[SpecialFunction]:
        key = functions.KEY_TEMPLATE
        every = SpecialFunction(functions.FILE, (functions.ALL_COMPONENTS, key))
        return [every, *(SpecialFunction(functions.COMPONENT, (name, key)) for name, _ in self.software.components)]
