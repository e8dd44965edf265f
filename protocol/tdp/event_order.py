"""Puts one session's numbered events back into order: each once, none skipped without saying so."""

from __future__ import annotations

from typing import Final

from protocol.tdp.messages import Event
from protocol.tdp.outputs import Delivered, LinkStats, Lost, Output

HELD_MAX: Final = 256
"""Events kept ahead of a hole: as many as a device must keep, so more cannot be on their way at once."""

NOT_STARTED: Final = -1


class EventOrder:
    """Events of `session` from `expected` on; later ones are held until the hole before them is filled.

    Until `start` is called every event is held, and `expected` is NOT_STARTED. `since_ns` is when the oldest
    hole began or last became smaller; before the start, when the first event was held.
    """

    __slots__ = ("_stats", "expected", "held", "last", "session", "since_ns")

    def __init__(self, session: int, stats: LinkStats, first: int = NOT_STARTED) -> None:
        self.session = session
        self.expected = first
        self.held: dict[int, tuple[int, Event]] = {}
        self.last = 0
        """The newest event the device is known to have made."""
        self.since_ns = 0
        self._stats = stats

    @property
    def started(self) -> bool:
        """True once it is known which event comes first."""
        return self.expected != NOT_STARTED

    @property
    def full(self) -> bool:
        """True when no further event can be held."""
        return len(self.held) >= HELD_MAX

    def accept(self, request: int, event: Event, now_ns: int, out: list[Output]) -> None:
        """Take one event as it was heard and deliver what is now in order."""
        number = event.number
        if number < self.expected or number in self.held:
            self._stats.repeats += 1
            return
        if not self.held:
            self.since_ns = now_ns
        self.held[number] = (request, event)
        if number == self.expected:
            self._release(now_ns, out)
        elif self.started and self.full:
            self.give_up_hole(now_ns, out)

    def start(self, first: int, now_ns: int, out: list[Output]) -> None:
        """From now on deliver, beginning with event `first`; no effect when already started."""
        if not self.started:
            self.expected = first
            self._stats.repeats += sum(number < first for number in self.held)
            self.held = {number: item for number, item in self.held.items() if number >= first}
            self._release(now_ns, out)

    def start_at_held(self, now_ns: int, out: list[Output]) -> None:
        """Start with what is held: the events before it were made before anyone listened, and count as lost."""
        if not self.started and self.held:
            self.start(1, now_ns, out)
            self.give_up_hole(now_ns, out)

    def skip_to(self, first_kept: int, now_ns: int, out: list[Output]) -> None:
        """What is missing before `first_kept` is gone: say so, deliver what was held of it, go on from there."""
        while self.expected < first_kept:
            hole_end = min((number for number in self.held if number < first_kept), default=first_kept)
            if hole_end > self.expected:
                self._lose(hole_end - 1, out)
            self._release(now_ns, out)
        self._release(now_ns, out)

    def give_up_hole(self, now_ns: int, out: list[Output]) -> None:
        """The oldest hole will not be filled: report it lost and go on behind it."""
        if self.started and self.held:
            first = min(self.held)
            if first > self.expected:
                self._lose(first - 1, out)
            self._release(now_ns, out)

    def give_up_all(self, now_ns: int, out: list[Output]) -> None:
        """No hole will be filled any more: deliver everything held."""
        while self.started and self.held:
            self.give_up_hole(now_ns, out)

    def forget_held(self) -> None:
        """Drop what is held: it is not acknowledged, so the device sends it again."""
        self.held.clear()

    def _lose(self, last: int, out: list[Output]) -> None:
        out.append(Lost(self.session, self.expected, last))
        self._stats.lost_events += last - self.expected + 1
        self.expected = last + 1

    def _release(self, now_ns: int, out: list[Output]) -> None:
        while (item := self.held.pop(self.expected, None)) is not None:
            out.append(Delivered(self.session, *item))
            self._stats.events += 1
            self.expected += 1
        self.since_ns = now_ns
