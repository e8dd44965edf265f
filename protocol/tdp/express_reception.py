"""A reception that can also be told of what `protocol.tdp.express` read in bulk.

It is no second reception: it says where it stands, and goes on from what was heard.
"""

from typing import NamedTuple

from protocol.tdp.outputs import Timing
from protocol.tdp.reception import Reception


class Expected(NamedTuple):
    """The only thing that may come next on a line: `sequence` and `number` of the next frame and of the next event, the
    session of any report of the whole state, -1 when none was named yet. `valid_ns` is when the last frame came, `held`
    what is pending of the next, and `byte_ns` when the last of it came."""

    sequence: int
    number: int
    session: int
    valid_ns: int
    held: bytes
    byte_ns: int
    timing: Timing


class Heard(NamedTuple):
    """What came of it: how many frames and how many events among them, the newest event that a report of the whole
    state named; the rest as in `Expected`."""

    frames: int
    events: int
    newest: int
    valid_ns: int
    held: bytes
    byte_ns: int


class ExpressReception(Reception):
    """A reception that can also be told of what was read in bulk."""

    @property
    def expected(self) -> Expected | None:
        """What comes next; None unless there is a single thing to do with the next event."""
        order = self.order
        if (
            not self.alive
            or not order.started
            or order.held
            or self.old is not None
            or self.refused_hello is not None
            or not (self.opened or self._valid_ns >= self._gate_ns)
            or self._sequence < 0
            or self._framer.overlong
        ):
            return None
        framer, session = self._framer, -1 if self.session is None else self.session
        return Expected(
            self._sequence, order.expected, session, self._valid_ns, framer.held, self._byte_ns, self._timing
        )

    def take(self, heard: Heard) -> None:
        """Go on from what was heard, which was expected."""
        self._byte_ns = heard.byte_ns
        self._framer.resume(heard.held)
        if heard.frames:
            self._valid_ns = heard.valid_ns
            self._sequence = self._sequence + heard.frames & 0xFF
            self.stats.frames += heard.frames
        if heard.events:
            self.order.expected += heard.events
            self.stats.events += heard.events
            self.event_ns, self.ack_due = self._valid_ns, True
        self.order.last = max(self.order.last, heard.newest)
        self._arm()
