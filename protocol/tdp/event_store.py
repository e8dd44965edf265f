"""The device's memory of its events: what a host has not acknowledged, and the session before a power cut."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from itertools import islice
from typing import Final

from msgspec import Struct

from protocol.tdp.messages import Event

DEPTH_MIN: Final = 256
"""Events a device keeps at least. A round of eight players makes about eighty, so a whole round is among them."""


class Stored(Struct, frozen=True, gc=False):
    """An event and the request that caused it."""

    request: int
    event: Event


class EventStore:
    """The newest `depth` events of the current session and of the one before. It outlives a `DeviceLink`: hand the
    same store to the next one and the power was cut in between."""

    def __init__(self, depth: int = DEPTH_MIN) -> None:
        if depth < DEPTH_MIN:
            raise ValueError(f"a device keeps at least {DEPTH_MIN} events, not {depth}")
        self.depth = depth
        self.session = 0
        self.last = 0
        """Number of the newest event, 0 before the first."""
        self.acknowledged = 0
        """Every event up to this one has arrived at the host."""
        self.previous_session = 0
        """The session before, 0 for none."""
        self.previous_last = 0
        self._kept: deque[Stored] = deque(maxlen=depth)
        self._previous: deque[Stored] = deque(maxlen=depth)

    def begin(self, session: int) -> None:
        """Start `session`: what is kept becomes the previous session's. No effect when it is already this one."""
        if session == self.session:
            return
        if self.last:
            self.previous_session, self.previous_last = self.session, self.last
            self._previous = self._kept
            self._kept = deque(maxlen=self.depth)
        self.session, self.last, self.acknowledged = session, 0, 0

    def append(self, request: int, event: Event) -> None:
        """Keep the next event; the oldest goes when there is no room."""
        self._kept.append(Stored(request, event))
        self.last = event.number

    @property
    def oldest(self) -> int:
        """Number of the oldest event kept, `last + 1` when none is."""
        return self.last - len(self._kept) + 1

    @property
    def previous_oldest(self) -> int:
        """The same of the previous session."""
        return self.previous_last - len(self._previous) + 1

    def get(self, number: int) -> Stored:
        """An event still kept."""
        return self._kept[number - self.oldest]

    def previous_from(self, first: int) -> Iterator[Stored]:
        """The previous session's events from `first` on, oldest kept first."""
        return islice(self._previous, max(0, first - self.previous_oldest), None)
