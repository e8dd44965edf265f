"""One query and its response, without I/O: when to send, how long to wait, when to send it once more.

The first four times are those that a public implementation names as rules of version 3.5. How often to repeat a query
is not known; here a query is sent three times. A response that is complete is taken at once.
"""

from typing import Final

from msgspec import Struct

from protocol.errors import BadAnswer, BadReport, NoAnswer
from protocol.gat import messages as m
from protocol.gat.codec import answer_code, decode, encode
from protocol.gat.framing import CHECK, HEAD, LENGTHS, MAX_WIRE, Code, Frame, crc16
from protocol.message import message_name

MS: Final = 1_000_000
BITS: Final = 10
"""Bits of a byte on the line, with start and stop bit."""
BAUD: Final = 9600


class GatTiming(Struct, frozen=True):
    """Times of a terminal. The allowance is what line and machine may add to every wait for a device."""

    answer_ns: int = 200 * MS
    """Limit for the first byte of a response, from the last byte of the query."""
    gap_ns: int = 5 * MS
    """Limit between two bytes of a response."""
    silent_ns: int = 225 * MS
    """Time from the last byte of an unanswered query to the next query."""
    pause_ns: int = 10 * MS
    """Time from the last byte of a response to the next query."""
    allowance_ns: int = 50 * MS
    tries: int = 3
    baud: int = BAUD


USUAL: Final = GatTiming()


class Exchange:
    """Sender of queries, one at a time. After `ask`, call `tick` and `receive` until `answer` or `failure` is set."""

    def __init__(self, timing: GatTiming = USUAL) -> None:
        self.timing = timing
        self.answer: m.GatMessage | None = None
        self.failure: NoAnswer | BadAnswer | None = None
        self.sent = 0
        """Number of queries sent so far, with repetitions."""
        self._query: m.GatMessage = m.StatusQueryMessage()
        self._wire = b""
        self._tries, self._began_ns = 0, 0
        self._waiting = False
        self._send_ns = self._free_ns = self._due_ns = self._limit_ns = 0
        self._heard, self._why = bytearray(), ""

    @property
    def done(self) -> bool:
        """True if no query is under way."""
        return not self._wire

    @property
    def next_deadline_ns(self) -> int | None:
        """Time at which to call `tick`; None if no query is under way."""
        return None if self.done else self._due_ns if self._waiting else self._send_ns

    def ask(self, query: m.GatMessage, now_ns: int) -> None:
        """Start a query. It is sent by `tick`, when the line was silent long enough."""
        self._query, self._wire = query, encode(query)
        self.answer = self.failure = None
        self._tries, self._began_ns, self._waiting, self._why = 0, now_ns, False, ""
        self._send_ns = max(now_ns, self._free_ns)

    def tick(self, now_ns: int) -> bytes:
        """Return the bytes to send now; evaluate what came if its time is over."""
        due_ns = self.next_deadline_ns
        if due_ns is None or now_ns < due_ns:
            return b""
        if self._waiting:
            self._give_up(now_ns)
            return b""
        self._heard.clear()
        self._waiting, self._tries, self.sent = True, self._tries + 1, self.sent + 1
        carried_ns = now_ns + len(self._wire) * BITS * 1_000_000_000 // self.timing.baud
        self._free_ns = carried_ns + self.timing.silent_ns
        self._due_ns = carried_ns + self.timing.answer_ns + self.timing.allowance_ns
        self._limit_ns = self._due_ns + MAX_WIRE * (self.timing.gap_ns + BITS * 1_000_000_000 // self.timing.baud)
        return self._wire

    def receive(self, data: bytes, now_ns: int) -> None:
        """Process bytes of the device. What comes while no response is awaited is ignored."""
        if not self._waiting or not data:
            return
        self._heard += data[: 2 * MAX_WIRE - len(self._heard)]
        # a device that never pauses does not hold up the terminal
        self._due_ns = min(now_ns + self.timing.gap_ns + self.timing.allowance_ns, self._limit_ns)
        self._evaluate(now_ns)

    def _evaluate(self, now_ns: int) -> None:
        """Take the response if it is complete. A complete frame of another code is a late response, and skipped."""
        heard = self._heard
        while len(heard) >= HEAD and len(heard) >= heard[1] and heard[0] in LENGTHS:
            body = bytes(heard[: heard[1]])
            if heard[1] not in LENGTHS[Code(heard[0])] or crc16(body[:-CHECK]) != int.from_bytes(body[-CHECK:]):
                return
            if body[0] == answer_code(self._query):
                self._take(body, now_ns)
                return
            del heard[: len(body)]

    def _take(self, body: bytes, now_ns: int) -> None:
        try:
            answer = decode(Frame(0, len(body), body[0], body[HEAD:-CHECK]))
        except BadReport as error:
            self._why = error.why
            return
        query = self._query
        if (
            isinstance(answer, m.ResultsResponseMessage)
            and isinstance(query, m.ResultsQueryMessage)
            and answer.number != query.number
        ):
            self._why = f"frame {answer.number} came, not {query.number}"
            return
        self.answer = answer
        self._free_ns = now_ns + (self.timing.pause_ns if self._tries == 1 else self.timing.silent_ns)
        self._end()

    def _give_up(self, now_ns: int) -> None:
        """Judge an attempt whose time is over, and prepare the next."""
        if self._heard and not self._why:
            self._why = f"{len(self._heard)} bytes that are no response, beginning {self._heard[:8].hex(' ')}"
        self._waiting = False
        self._send_ns = max(now_ns + self.timing.pause_ns, self._free_ns)
        if self._tries < self.timing.tries:
            return
        name = message_name(self._query)
        if self._why:
            self.failure = BadAnswer(name, f"{self._why}, after {self._tries} tries")
        else:
            self.failure = NoAnswer(name, self._tries, (now_ns - self._began_ns) / 1e9)
        self._free_ns = self._send_ns
        self._end()

    def _end(self) -> None:
        self._wire, self._waiting = b"", False
