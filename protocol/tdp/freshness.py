"""What shows that a device started anew although its session id is the one we know.

A session id is drawn at random at every power-up, and a weak source of randomness gives the same one again: the
commonest fault of a new device. What it then reports looks like what was heard already, so each of these is watched:
the count of its power-ups, its clock, its newest event, and what stands in an event that has a number we know.
"""

from __future__ import annotations

from collections import deque
from typing import Final
from zlib import crc32

from msgspec import Struct

from protocol.tdp.messages import HelloReplyMessage
from protocol.tdp.packets import HEADER

KEPT: Final = 256
"""Events whose content is remembered: as many as a device must keep, so more are not sent again."""
LATE_MS: Final = 3000
"""A frame that was overtaken on its way is not older than this."""
_PAYLOAD: Final = slice(HEADER.sizeof(), None)
_WRAP: Final = 1 << 32
_NS_A_MS: Final = 1_000_000


def goes_back(before_ms: int, after_ms: int) -> bool:
    """A device's clock of 32 bits ran backwards, and did not wrap around."""
    return 0 < (before_ms - after_ms) % _WRAP < _WRAP // 2


Content = bytes | int
"""What stood in an event: the frame's body, or the check sum of its payload; 0 for an event that was lost."""


def check_sum(content: Content) -> int:
    """Of the payload alone: the header counts frames. Never 0 for an event that was heard."""
    return content if isinstance(content, int) else crc32(content[_PAYLOAD]) or 1


class Digests:
    """What stood in the last events up to number `end`, which is not among them. `contents` may go on growing in the
    hands of who keeps it, if it counts `end` itself: making a check sum of every event would cost more than its frame.
    """

    __slots__ = ("contents", "end")

    def __init__(self, end: int, contents: deque[Content]) -> None:
        self.end, self.contents = end, contents

    @classmethod
    def unpacked(cls, end: int, sums: bytes) -> Digests:
        """What `packed` gave."""
        found = [int.from_bytes(sums[at : at + 4], "little") for at in range(0, len(sums), 4)]
        return cls(end, deque(found, maxlen=KEPT))

    def __bool__(self) -> bool:
        return bool(self.contents)

    def of(self, number: int) -> int:
        """The check sum of an event, 0 when it is not known."""
        behind = self.end - number
        return check_sum(self.contents[-behind]) if 0 < behind <= len(self.contents) else 0

    def packed(self) -> bytes:
        """Four bytes a number up to `end`, from the oldest that is known; zeros for one that is not."""
        sums = [check_sum(content) for content in self.contents]
        known = next((at for at, value in enumerate(sums) if value), len(sums))
        return b"".join([value.to_bytes(4, "little") for value in sums[known:]])


class Life(Struct, gc=False):
    """One life of a device, from its power-up on, as far as its HELLO-REPLY and STATUS tell of it."""

    boots: int | None = None
    """Its count of power-ups."""
    uptime_ms: int = -1
    """The newest of its clock; -1 before any."""
    uptime_ns: int = 0
    """When that was heard."""
    stale_boots: int = -1
    """The count of a *Booted* that was taken for one of a life before. Said once more it is the device's own way to
    count, which its HELLO-REPLY does not share."""

    def is_denied_by_hello(self, hello: HelloReplyMessage) -> bool:
        """It counts another power-up."""
        return self.boots is not None and hello.boot_count != self.boots

    def is_denied_by_status(self, uptime_ms: int, *, knows_all: bool, now_ns: int) -> bool:
        """Its clock went back further than a frame can be late, and did not wrap around; or a later report does not
        know all events that were heard."""
        if uptime_ms >= self.uptime_ms:
            return not knows_all and -1 < self.uptime_ms < uptime_ms
        return self.uptime_ms - uptime_ms > LATE_MS and not self._wraps_to(uptime_ms, now_ns)

    def learn_uptime(self, uptime_ms: int, now_ns: int) -> None:
        """A status gave the time."""
        if uptime_ms >= self.uptime_ms or self._wraps_to(uptime_ms, now_ns):
            self.uptime_ms, self.uptime_ns = uptime_ms, now_ns

    def _wraps_to(self, uptime_ms: int, now_ns: int) -> bool:
        """The clock, which lasts 49 days, came to its end in the time that passed; two clocks differ a little."""
        passed_ms = (now_ns - self.uptime_ns) // _NS_A_MS
        return 0 <= (uptime_ms - self.uptime_ms) % _WRAP <= passed_ms + passed_ms // 100 + LATE_MS
