"""Ordering of one session's numbered events: each is delivered once, and no gap goes unreported."""

from __future__ import annotations

from collections import deque
from itertools import repeat
from typing import Final

from protocol.tdp.freshness import KEPT, Content, Digests, check_sum, goes_back
from protocol.tdp.heard import NOT_STARTED
from protocol.tdp.messages import BootedMessage, Event
from protocol.tdp.outputs import Delivered, LinkStats, Lost, Output

HELD_MAX: Final = 256
"""Maximum number of events held beyond a hole: as many as a device must store, so more cannot be in flight."""


class EventOrder:
    """Events of `session` from `expected` on. Later ones are held until the hole before them is filled.

    Before `start` is called every event is held, and `expected` is NOT_STARTED. `since_ns` is the time when the oldest
    hole opened or last shrank; before the start, the time when the first event was held.

    `before` is set if the device restarted in this same session. It has the contents of the events before the restart,
    so that events which the device sends again are recognized as repeats. The first event that differs ends the
    comparison.
    """

    __slots__ = (
        "_stats",
        "before",
        "boot_due",
        "clock_ms",
        "contents",
        "expected",
        "held",
        "last",
        "session",
        "since_ns",
    )

    def __init__(
        self, session: int, stats: LinkStats, first: int = NOT_STARTED, *, before: Digests | None = None
    ) -> None:
        self.session = session
        self.expected = first
        self.held: dict[int, tuple[int, Event, Content]] = {}
        self.contents: deque[Content] = deque(maxlen=KEPT)
        """Contents of the last events before `expected`."""
        self.before = before or Digests(0, deque())
        self.boot_due = before is not None
        """True if the device is known to have restarted, so that its *Booted*, with any number, is no news."""
        self.clock_ms = -1
        """Clock of the device at the last event delivered; -1 before any."""
        self.last = 0
        """Newest event that the device is known to have made."""
        self.since_ns = 0
        self._stats = stats

    @property
    def started(self) -> bool:
        """True once the number of the first event is known."""
        return self.expected != NOT_STARTED

    @property
    def full(self) -> bool:
        """True if no further event can be held."""
        return len(self.held) >= HELD_MAX

    @property
    def digests(self) -> Digests:
        """Contents of the last events, as of now."""
        return Digests(self.expected, self.contents)

    @property
    def newest(self) -> int:
        """Number of the newest event known: received, or named by the device."""
        return max(self.last, self.expected - 1)

    def contradicts(self, event: Event, content: Content) -> bool:
        """Return True if `event` proves a restart that kept the session id.

        It does if its number was used for another event, is older than any that is sent again, if its clock ran
        backwards, or if it is *Booted*.
        """
        number = event.number
        if number == 0:
            return False
        if number in self.held:
            return check_sum(self.held[number][2]) != check_sum(content)
        if number < self.expected:
            known = self.digests.of(number)
            return known != check_sum(content) if known else number < self.expected - KEPT
        if not self.started:
            return False
        if number > 1 and not self.boot_due and isinstance(event, BootedMessage):
            return True
        clock_ms = self.clock_ms
        for known in sorted(self.held):
            neighbour_ms = self.held[known][1].device_ms
            if known > number:
                return goes_back(event.device_ms, neighbour_ms) or _goes_back(clock_ms, event)
            clock_ms = neighbour_ms
        return _goes_back(clock_ms, event)

    def accept(self, request: int, event: Event, content: Content, now_ns: int, out: list[Output]) -> None:
        """Take one event as received and deliver everything that is now in order."""
        number = event.number
        if number < self.expected or number in self.held:
            self._stats.repeats += 1
            return
        if not self.held:
            self.since_ns = now_ns
        self.held[number] = (request, event, content)
        if number == self.expected:
            self._release(now_ns, out)
        elif self.started and self.full:
            self.give_up_hole(now_ns, out)

    def forget_before(self, boots: int) -> None:
        """Drop the held events if one of them is a *Booted* with fewer power-ups than `boots`: they predate the current
        boot."""
        booted = [event for _, event, _ in self.held.values() if isinstance(event, BootedMessage)]
        if not self.started and any(event.boot_count < boots for event in booted):
            self._stats.repeats += len(self.held)
            self.held.clear()

    def start(self, first: int, now_ns: int, out: list[Output]) -> None:
        """Start delivery at event `first`. No effect if already started."""
        if not self.started:
            self.expected = first
            self._stats.repeats += sum(number < first for number in self.held)
            self.held = {number: item for number, item in self.held.items() if number >= first}
            self._release(now_ns, out)

    def start_at_held(self, now_ns: int, out: list[Output]) -> None:
        """Start with the held events. The events before them were made before anyone listened, and count as lost."""
        if not self.started and self.held:
            self.start(1, now_ns, out)
            self.give_up_hole(now_ns, out)

    def skip_to(self, first_kept: int, now_ns: int, out: list[Output]) -> None:
        """Report the missing events before `first_kept` as lost, deliver those that were held, and continue from
        there."""
        while self.expected < first_kept:
            hole_end = min((number for number in self.held if number < first_kept), default=first_kept)
            if hole_end > self.expected:
                self._lose(hole_end - 1, out)
            self._release(now_ns, out)
        self._release(now_ns, out)

    def give_up_hole(self, now_ns: int, out: list[Output]) -> None:
        """Report the oldest hole as lost and continue after it."""
        if self.started and self.held:
            first = min(self.held)
            if first > self.expected:
                self._lose(first - 1, out)
            self._release(now_ns, out)

    def give_up_all(self, now_ns: int, out: list[Output]) -> None:
        """Report every hole as lost and deliver everything held."""
        while self.started and self.held:
            self.give_up_hole(now_ns, out)

    def forget_held(self) -> None:
        """Drop the held events. They are unacknowledged, so the device sends them again."""
        self.held.clear()

    def _lose(self, last: int, out: list[Output]) -> None:
        out.append(Lost(self.session, self.expected, last))
        self._stats.lost_events += last - self.expected + 1
        self.contents.extend(repeat(0, min(last + 1 - self.expected, KEPT)))
        self.expected = last + 1

    def _release(self, now_ns: int, out: list[Output]) -> None:
        while (item := self.held.pop(self.expected, None)) is not None:
            self.give(*item, out)
        self.since_ns = now_ns

    def give(self, request: int, event: Event, content: Content, out: list[Output]) -> None:
        """Deliver the next expected event, unless it repeats an event from before the restart byte for byte."""
        number = event.number
        self.expected = number + 1
        self.contents.append(content)
        if self.boot_due and isinstance(event, BootedMessage):
            self.boot_due = False
        if self.before and self._was_before(number, check_sum(content)):
            self._stats.repeats += 1
            return
        self.clock_ms = event.device_ms
        self._stats.events += 1
        out.append(Delivered(self.session, request, event))

    def _was_before(self, number: int, digest: int) -> bool:
        known = self.before.of(number)
        if known == digest:
            return True
        if known or number >= self.before.end:
            self.before = Digests(0, deque())
        return False


def _goes_back(before_ms: int, event: Event) -> bool:
    return event.device_ms < before_ms and goes_back(before_ms, event.device_ms)
