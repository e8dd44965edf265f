"""Storage of a device's events: those not yet acknowledged by the host, and those of the session before a power cut."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from itertools import islice
from typing import Final

from msgspec import Struct

from protocol.tdp.messages import Event

DEPTH_MIN: Final = 256
"""Minimum number of events that a device stores. A round of eight players makes about eighty, so a whole round fits."""


class Stored(Struct, frozen=True, gc=False):
    """An event and the request that caused it."""

    request: int
    event: Event


class EventStore:
    """The newest `depth` events of the current session and of the previous one.

    A store outlives its `DeviceLink`: to simulate a power cut, pass the same store to the next link.
    """

    def __init__(self, depth: int = DEPTH_MIN) -> None:
        if depth < DEPTH_MIN:
            raise ValueError(f"a device keeps at least {DEPTH_MIN} events, not {depth}")
        self.depth = depth
        self.session = 0
        self.last = 0
        """Number of the newest event; 0 before the first."""
        self.acknowledged = 0
        """Number up to which every event has arrived at the host."""
        self.previous_session = 0
        """Previous session; 0 for none."""
        self.previous_last = 0
        self._kept: deque[Stored] = deque(maxlen=depth)
        self._previous: deque[Stored] = deque(maxlen=depth)

    def begin(self, session: int) -> None:
        """Start `session`. The stored events become those of the previous session. No effect if `session` is
        current."""
        if session == self.session:
            return
        if self.last:
            self.previous_session, self.previous_last = self.session, self.last
            self._previous = self._kept
            self._kept = deque(maxlen=self.depth)
        self.session, self.last, self.acknowledged = session, 0, 0

    def append(self, request: int, event: Event) -> None:
        """Store the next event. The oldest is dropped if there is no room."""
        self._kept.append(Stored(request, event))
        self.last = event.number

    @property
    def oldest(self) -> int:
        """Number of the oldest stored event; `last + 1` if none is."""
        return self.last - len(self._kept) + 1

    @property
    def previous_oldest(self) -> int:
        """Number of the oldest stored event of the previous session."""
        return self.previous_last - len(self._previous) + 1

    def get(self, number: int) -> Stored:
        """Return an event that is still stored."""
        return self._kept[number - self.oldest]

    def previous_from(self, first: int) -> Iterator[Stored]:
        """Return an iterator over the stored events of the previous session from `first` on, oldest first."""
        return islice(self._previous, max(0, first - self.previous_oldest), None)
