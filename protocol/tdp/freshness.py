"""Detection of a device that restarted under the session id we already know.

A device draws a session id at random at every power-up. A weak source of randomness repeats the same one, which is the
most common fault of a new device. Its reports then look like those already received, so these are checked: its count of
power-ups, its clock, its newest event, and the content of every event whose number is known.
"""

from __future__ import annotations

from collections import deque
from typing import Final
from zlib import crc32

from msgspec import Struct

from protocol.tdp.messages import HelloReplyMessage
from protocol.tdp.packets import HEADER

KEPT: Final = 256
"""Number of events whose content is remembered: as many as a device must store, so older ones are never sent again."""
LATE_MS: Final = 3000
"""Maximum delay, in milliseconds, of a frame that another one overtook."""
_PAYLOAD: Final = slice(HEADER.sizeof(), None)
_WRAP: Final = 1 << 32
_NS_A_MS: Final = 1_000_000


def goes_back(before_ms: int, after_ms: int) -> bool:
    """Return True if a device's 32-bit clock ran backwards and did not wrap around."""
    return 0 < (before_ms - after_ms) % _WRAP < _WRAP // 2


Content = bytes | int
"""Content of an event: the frame's body, or the checksum of its payload; 0 for an event that was lost."""


def check_sum(content: Content) -> int:
    """Return the checksum of the payload. The header is left out because it counts frames. Never 0 for a received
    event."""
    return content if isinstance(content, int) else crc32(content[_PAYLOAD]) or 1


class Digests:
    """Contents of the last events before number `end`.

    The owner may keep appending to `contents` if it advances `end` too. Checksums are computed on demand, because one
    for every event would cost more than decoding its frame.
    """

    __slots__ = ("contents", "end")

    def __init__(self, end: int, contents: deque[Content]) -> None:
        self.end, self.contents = end, contents

    @classmethod
    def unpacked(cls, end: int, sums: bytes) -> Digests:
        """Return the digests that `packed` encoded."""
        found = [int.from_bytes(sums[at : at + 4], "little") for at in range(0, len(sums), 4)]
        return cls(end, deque(found, maxlen=KEPT))

    def __bool__(self) -> bool:
        return bool(self.contents)

    def of(self, number: int) -> int:
        """Return the checksum of an event; 0 if it is unknown."""
        behind = self.end - number
        return check_sum(self.contents[-behind]) if 0 < behind <= len(self.contents) else 0

    def packed(self) -> bytes:
        """Return four bytes for each number before `end`, from the oldest known; zeros for an unknown one."""
        sums = [check_sum(content) for content in self.contents]
        known = next((at for at, value in enumerate(sums) if value), len(sums))
        return b"".join([value.to_bytes(4, "little") for value in sums[known:]])


class Life(Struct, gc=False):
    """One life of a device, from power-up on, as known from its HELLO-REPLY and STATUS."""

    boots: int | None = None
    """The device's count of power-ups; None if unknown."""
    uptime_ms: int = -1
    """Newest value of its clock; -1 before any."""
    uptime_ns: int = 0
    """Time at which that value was received."""
    stale_boots: int = -1
    """Power-up count of a *Booted* that was taken for one from before the restart. If it appears a second time, the
    device counts that way itself, and its HELLO-REPLY does not."""

    def is_denied_by_hello(self, hello: HelloReplyMessage) -> bool:
        """Return True if the HELLO-REPLY has another count of power-ups."""
        return self.boots is not None and hello.boot_count != self.boots

    def is_denied_by_status(self, uptime_ms: int, *, knows_all: bool, now_ns: int) -> bool:
        """Return True if the status cannot come from this life.

        It cannot if the clock went back further than a frame can be late and did not wrap around, or if a later report
        is unaware of events that were received.
        """
        if uptime_ms >= self.uptime_ms:
            return not knows_all and -1 < self.uptime_ms < uptime_ms
        return self.uptime_ms - uptime_ms > LATE_MS and not self._wraps_to(uptime_ms, now_ns)

    def learn_uptime(self, uptime_ms: int, now_ns: int) -> None:
        """Take the clock from a status."""
        if uptime_ms >= self.uptime_ms or self._wraps_to(uptime_ms, now_ns):
            self.uptime_ms, self.uptime_ns = uptime_ms, now_ns

    def _wraps_to(self, uptime_ms: int, now_ns: int) -> bool:
        """Return True if the clock, which lasts 49 days, wrapped in the time that passed. Allow for some drift between
        two clocks."""
        passed_ms = (now_ns - self.uptime_ns) // _NS_A_MS
        return 0 <= (uptime_ms - self.uptime_ms) % _WRAP <= passed_ms + passed_ms // 100 + LATE_MS
