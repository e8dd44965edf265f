"""Dispatch of frames to the method that handles their message, and timers that fire at their own deadline."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Final

from protocol.tdp.codec import Envelope, read
from protocol.tdp.derive import HEAD, NO_FAST_DECODER, Values
from protocol.tdp.framing import Framer
from protocol.tdp.messages import Message, NakMessage, Reason
from protocol.tdp.outputs import MUST_UNDERSTAND, REFUSED, SEALED, Discarded, LinkStats, Output, Timing
from protocol.tdp.packets import VERSION
from protocol.tdp.vetting import count_noise, is_from_device, problem_with, why_unusable

NEVER: Final = 1 << 63

Handler = Callable[[Any, Envelope, Any, int, list[Output]], None]
"""Method that handles a frame: envelope, its message, time, outputs so far."""

Taker = Callable[[Any, Any, bytes, int, list[Output]], bool]
"""Method that handles the message of a usual frame: message, body, time, outputs so far. It returns False, before it
changes anything, if the frame needs the full handler."""

Timer = tuple[int, Callable[[int, list[Output]], None]]
"""A deadline and the function to call then, with the deadline as the time."""


class FrameReader:
    """Reader of the frames that a device sends.

    A subclass maps messages to methods in `_handlers`, handles all others in `_on_unknown`, lists its timers in
    `_timers` and handles the first frame after silence in `_revive`.

    `_usual` maps the ids of the most frequent messages to a fast decoder and a fast handler for the usual case. This
    only saves time; the full handler does the same.
    """

    _handlers: ClassVar[Mapping[type[Message], Handler]]
    _usual: ClassVar[Mapping[int, tuple[bytes, Values, type[Message], Taker]]]

    def __init__(self, timing: Timing) -> None:
        self.stats = LinkStats()
        self.alive = False
        """True if a valid frame arrived within the last `lost_ns`."""
        self._timing = timing
        self.framer = Framer()
        """Framer of the received bytes. An incomplete frame in it is given up by `due_ns`."""
        self._sequence = -1  # next expected link sequence; -1 before the first frame
        self._ways = self._usual  # an instance attribute is faster than the class's
        self._byte_ns = self._valid_ns = 0
        self.timer_ns = NEVER
        """Time before which no timer is due, except that of an incomplete frame. May be early, never late."""

    def receive(self, data: bytes, now_ns: int) -> list[Output]:
        """Process the bytes that arrived at `now_ns`."""
        out: list[Output] = []
        framer = self.framer
        if now_ns >= self.timer_ns or (framer.held and now_ns - self._byte_ns >= self._timing.partial_ns):
            self._expire(now_ns, out)
        self._byte_ns = now_ns
        usual, stats = self._ways, self.stats
        for body in framer.bodies(data):
            if body.__class__ is not bytes:
                count_noise(body, stats, out)  # type: ignore[arg-type]
                continue
            try:
                head, values, kind, take = usual[body[6] | body[7] << 8]  # by the message id in the header
                message = kind(*values(body)) if body[HEAD] == head else None
            except NO_FAST_DECODER:
                message = None
            if message is None:
                self._take(body, now_ns, out)
                continue
            sequence = body[3]
            if sequence == self._sequence:
                self._sequence = sequence + 1 & 0xFF
            else:
                self._count_missed(sequence)
            stats.frames += 1
            self._valid_ns = now_ns
            if not self.alive:
                self._revive(now_ns)
            if not take(self, message, body, now_ns, out):
                self._handlers[kind](self, Envelope(message, (), body), message, now_ns, out)
        return out

    def tick(self, now_ns: int) -> list[Output]:
        """Fire every timer that is due."""
        out: list[Output] = []
        self._expire(now_ns, out)
        return out

    def skip(self, now_ns: int) -> list[Output]:
        """Record that bytes are missing here, so that no frame is assembled across the hole."""
        out = self.tick(now_ns)
        self._drop_partial(now_ns, out)
        return out

    def due_ns(self) -> int:
        """Return the time at which `tick` has work to do; NEVER if no timer runs. May be early, never late."""
        due_ns = self.timer_ns
        if self.framer.held:
            due_ns = min(due_ns, self._byte_ns + self._timing.partial_ns)
        return due_ns

    @property
    def idle(self) -> bool:
        """True if neither an incomplete frame nor the rest of an overlong piece is pending."""
        return self.framer.idle

    # -------------------------------------------------------------- for the subclass

    def _timers(self) -> list[Timer]:
        raise NotImplementedError

    def _revive(self, now_ns: int) -> None:
        raise NotImplementedError

    def _on_unknown(self, envelope: Envelope, message: Any, now_ns: int, out: list[Output]) -> None:
        raise NotImplementedError

    # -------------------------------------------------------------- timers

    def _expire(self, now_ns: int, out: list[Output]) -> None:
        while True:
            due_ns, action = min(self._due(), key=_when, default=(NEVER, None))
            if action is None or due_ns > now_ns:
                break
            action(due_ns, out)
        self._arm()

    def _due(self) -> list[Timer]:
        partial = [(self._byte_ns + self._timing.partial_ns, self._drop_partial)] if self.framer.held else []
        return partial + self._timers()

    def _arm(self) -> None:
        timer_ns = NEVER
        for due_ns, _ in self._timers():
            if due_ns < timer_ns:
                timer_ns = due_ns
        self.timer_ns = timer_ns

    def _drop_partial(self, now_ns: int, out: list[Output]) -> None:
        for noise in self.framer.flush():
            count_noise(noise, self.stats, out)

    # -------------------------------------------------------------- frames

    def _take(self, body: bytes, now_ns: int, out: list[Output]) -> None:
        """Handle any frame, usual or not."""
        envelope = read(body)
        message = envelope.message
        take = self._handlers.get(message.__class__)
        if take is None or body[0] != VERSION or body[1] & MUST_UNDERSTAND:
            # What a sealed line did not open is no sign of life of the device, and its link sequence proves nothing.
            if body[1] & (SEALED | REFUSED) or not is_from_device(envelope):
                self._on_unusable(envelope, message, now_ns, out)
                return
            take = self._judge(envelope)
        self._count_missed(body[3])
        self.stats.frames += 1
        if message.__class__ is not NakMessage:  # both ends send it, so it is no sign of life
            self._valid_ns = now_ns
            if not self.alive:
                self._revive(now_ns)
        take(self, envelope, message, now_ns, out)

    def _judge(self, envelope: Envelope) -> Handler:
        """Return the handler of an unusual frame."""
        problem = problem_with(envelope)
        if problem is None:
            return self._handlers.get(envelope.message.__class__, FrameReader._on_unusable)
        return type(self)._on_unknown if problem is Reason.UNKNOWN_COMMAND else FrameReader._on_unusable

    def _count_missed(self, sequence: int) -> None:
        ahead = sequence - self._sequence & 0xFF
        if self._sequence < 0 or ahead < 0x80:  # otherwise the frame is a repeat or out of order
            self.stats.missed_frames += ahead if self._sequence >= 0 else 0
            self._sequence = sequence + 1 & 0xFF

    def _on_unusable(self, envelope: Envelope, message: Any, now_ns: int, out: list[Output]) -> None:
        self.stats.unusable += 1
        out.append(Discarded(envelope.body, why_unusable(envelope)))


def _when(timer: tuple[int, object]) -> int:
    return timer[0]
