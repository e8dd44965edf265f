"""Keys of a sealed line: sealing of frames, and opening with a counter rebuilt from the link sequence and a window
against replays."""

import struct
from typing import Final

from protocol.tdp.derive import HEADER_SIZE
from protocol.tdp.outputs import SEALED
from protocol.tdp.seal.suite import TAG_BYTES, SealSuite

WINDOW: Final = 64
"""Number of newest counters of which each opens once, in any order."""
_SEEN: Final = (1 << WINDOW) - 1
_LEAST: Final = HEADER_SIZE + TAG_BYTES

_pack = struct.Struct("<4xQ").pack  # the nonce: four zero bytes, then the counter


class KeySet:
    """Keys of both directions after one handshake, from one end: `out` seals what this end sends, `into` opens what
    it receives."""

    def __init__(self, suite: SealSuite, out: bytes, into: bytes) -> None:
        self._seal, self._open, self._failures = suite.sealer(out), suite.opener(into), suite.failures
        self._base: int | None = None  # frames of this direction before the counter's low byte was 0
        self._top: int | None = None  # the highest counter that opened
        self._seen = 0  # bit n: counter top - n opened
        self.sent = 0
        """Number of frames sealed."""

    def seal(self, body: bytes, total: int) -> bytes:
        """Return the sealed body of the frame that is number `total`, from 0, of all frames in this direction."""
        if self._base is None:
            self._base = total & ~0xFF  # so that the first counter is the bare link sequence
        self.sent += 1
        head = bytes((body[0], body[1] | SEALED, body[2], total & 0xFF)) + body[4:HEADER_SIZE]
        return head + self._seal(_pack(total - self._base), body[HEADER_SIZE:], head)

    def open(self, body: bytes) -> bytes | None:
        """Return the body in clear, without the flag; None if its tag is wrong or its counter opened before."""
        top = self._top
        if top is None:
            counter, ahead = body[3], 1
        else:
            ahead = (body[3] - top + 128 & 0xFF) - 128
            counter = top + ahead
            if counter < 0 or (ahead <= 0 and (ahead <= -WINDOW or self._seen >> -ahead & 1)):
                return None
        if len(body) < _LEAST:
            return None
        try:
            payload = self._open(_pack(counter), body[HEADER_SIZE:], body[:HEADER_SIZE])
        except self._failures:
            return None
        if top is None:
            self._top, self._seen = counter, 1
        elif ahead > 0:
            self._top, self._seen = counter, (self._seen << ahead | 1) & _SEEN
        else:
            self._seen |= 1 << -ahead
        return bytes((body[0], body[1] & ~SEALED)) + body[2:HEADER_SIZE] + payload
