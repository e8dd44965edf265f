"""What shows that a device started anew although its session id is the one we know.

A session id is drawn at random at every power-up, and a weak source of randomness gives the same one again: the
commonest fault of a new device. What it then reports looks like what was heard already, so each of these is watched:
the count of its power-ups, its clock, its newest event, and what stands in an event that has a number we know.
"""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from protocol.tdp.messages import HelloReplyMessage

KEPT: Final = 256
"""Events whose content is remembered: as many as a device must keep, so more are not sent again."""
LATE_MS: Final = 3000
"""A frame that was overtaken on its way is not older than this."""
_WRAP: Final = 1 << 32
_NS_A_MS: Final = 1_000_000


def goes_back(before_ms: int, after_ms: int) -> bool:
    """A device's clock of 32 bits ran backwards, and did not wrap around."""
    return 0 < (before_ms - after_ms) % _WRAP < _WRAP // 2


class Digests:
    """What stood in the last events: their check sums, none of them 0, by number."""

    __slots__ = ("_kept", "end")

    def __init__(self, packed: tuple[int, bytes] = (0, b"")) -> None:
        self.end, sums = packed
        """The number after the newest."""
        first = self.end - len(sums) // 4
        found = {first + at: int.from_bytes(sums[4 * at : 4 * at + 4], "little") for at in range(len(sums) // 4)}
        self._kept = {number: value for number, value in found.items() if value}

    def __bool__(self) -> bool:
        return bool(self._kept)

    @property
    def oldest(self) -> int:
        """What was before this number is not remembered."""
        return self.end - KEPT

    def of(self, number: int) -> int | None:
        """The check sum of an event, None when it is not remembered."""
        return self._kept.get(number) if number >= self.oldest else None

    def add(self, number: int, value: int) -> None:
        """The next event."""
        self.end = number + 1
        kept = self._kept
        kept[number] = value
        kept.pop(number - KEPT, None)
        if len(kept) > 2 * KEPT:  # numbers that were lost left some behind
            self._kept = {known: kept[known] for known in kept if known >= self.oldest}

    def packed(self) -> tuple[int, bytes]:
        """`end`, and four bytes a number up to it from the oldest remembered; zeros for one that is not."""
        known = [number for number in self._kept if number >= self.oldest]
        numbers = range(min(known, default=self.end), self.end)
        return self.end, b"".join([self._kept.get(number, 0).to_bytes(4, "little") for number in numbers])


class Life(Struct, gc=False):
    """One life of a device, from its power-up on, as far as its HELLO-REPLY and STATUS tell of it."""

    boots: int | None = None
    """Its count of power-ups."""
    uptime_ms: int | None = None
    """The newest of its clock."""
    uptime_ns: int = 0
    """When that was heard."""

    def is_denied_by_hello(self, hello: HelloReplyMessage) -> bool:
        """It counts another power-up."""
        return self.boots is not None and hello.boot_count != self.boots

    def is_denied_by_status(self, uptime_ms: int, *, knows_all: bool, now_ns: int) -> bool:
        """Its clock went back further than a frame can be late, and did not wrap around; or a later report does not
        know all events that were heard."""
        known_ms = self.uptime_ms
        if known_ms is None:
            return False
        if uptime_ms > known_ms:
            return not knows_all
        return known_ms - uptime_ms > LATE_MS and not self._wraps_to(uptime_ms, now_ns)

    def learn_uptime(self, uptime_ms: int, now_ns: int) -> None:
        """A status gave the time."""
        known_ms = self.uptime_ms
        if known_ms is None or uptime_ms >= known_ms or self._wraps_to(uptime_ms, now_ns):
            self.uptime_ms, self.uptime_ns = uptime_ms, now_ns

    def _wraps_to(self, uptime_ms: int, now_ns: int) -> bool:
        """The clock, which lasts 49 days, came to its end in the time that passed; two clocks differ a little."""
        assert self.uptime_ms is not None
        passed_ms = (now_ns - self.uptime_ns) // _NS_A_MS
        return 0 <= (uptime_ms - self.uptime_ms) % _WRAP <= passed_ms + passed_ms // 100 + LATE_MS
