"""Bytes to whole frames, each handed to whoever takes its message, and timers that fire at their own deadline."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Final

from protocol.tdp.codec import Envelope, read
from protocol.tdp.derive import HEAD, NO_WAY, Values
from protocol.tdp.framing import Framer
from protocol.tdp.messages import Message, NakMessage, Reason
from protocol.tdp.outputs import MUST_UNDERSTAND, Discarded, LinkStats, Output, Timing
from protocol.tdp.packets import VERSION
from protocol.tdp.vetting import count_noise, is_from_device, problem_with, why_unusable

NEVER: Final = 1 << 63

Handler = Callable[[Any, Envelope, Any, int, list[Output]], None]
"""A method that takes a frame: envelope, its message, time, outputs so far."""

Taker = Callable[[Any, Any, bytes, int, list[Output]], bool]
"""A method that takes the message of a usual frame: message, body, time, outputs so far. False when it is not as it
mostly is, and nothing was done yet."""

Timer = tuple[int, Callable[[int, list[Output]], None]]
"""A deadline and what is done then, with the deadline as the time."""


class FrameReader:
    """What a device sends, as far as frames go. The subclass says in `_handlers` who takes which message, in
    `_on_unknown` who takes the others, in `_timers` what it waits for, and in `_revive` what the first frame after
    silence means.

    What comes all the time stands in `_usual` besides, by its message id: its short way, and who takes it when nothing
    about it is out of the ordinary. That only saves work; the handler does the same.
    """

    _handlers: ClassVar[Mapping[type[Message], Handler]]
    _usual: ClassVar[Mapping[int, tuple[bytes, Values, type[Message], Taker]]]

    def __init__(self, timing: Timing) -> None:
        self.stats = LinkStats()
        self.alive = False
        """Something valid was heard, the last of it not `lost_ns` ago."""
        self._timing = timing
        self.framer = Framer()
        """Cuts the bytes; what it holds is given up by `due_ns`."""
        self._sequence = -1  # expected next
        self._ways = self._usual  # nearer than the class's
        self._byte_ns = self._valid_ns = 0
        self.timer_ns = NEVER
        """No timer but that of a partial frame is due before; may be early, never late."""

    def receive(self, data: bytes, now_ns: int) -> list[Output]:
        """Take the bytes that arrived at `now_ns`."""
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
            except NO_WAY:
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
        """Let every timer fire that is due."""
        out: list[Output] = []
        self._expire(now_ns, out)
        return out

    def skip(self, now_ns: int) -> list[Output]:
        """Bytes are missing here: no frame goes on over them."""
        out = self.tick(now_ns)
        self._drop_partial(now_ns, out)
        return out

    def due_ns(self) -> int:
        """The time at which `tick` has something to do, NEVER while nothing is to come; may be early, never late."""
        due_ns = self.timer_ns
        if self.framer.held:
            due_ns = min(due_ns, self._byte_ns + self._timing.partial_ns)
        return due_ns

    @property
    def idle(self) -> bool:
        """Nothing of a frame, and nothing that was too long for one, is half heard."""
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
        """Take any frame."""
        envelope = read(body)
        message = envelope.message
        take = self._handlers.get(message.__class__)
        if take is None or body[0] != VERSION or body[1] & MUST_UNDERSTAND:
            if not is_from_device(envelope):
                self._on_unusable(envelope, message, now_ns, out)
                return
            take = self._judge(envelope)
        self._count_missed(body[3])
        self.stats.frames += 1
        if message.__class__ is not NakMessage:  # which either end sends: no sign of life
            self._valid_ns = now_ns
            if not self.alive:
                self._revive(now_ns)
        take(self, envelope, message, now_ns, out)

    def _judge(self, envelope: Envelope) -> Handler:
        """Who takes a frame that is out of the ordinary."""
        problem = problem_with(envelope)
        if problem is None:
            return self._handlers.get(envelope.message.__class__, FrameReader._on_unusable)
        return type(self)._on_unknown if problem is Reason.UNKNOWN_COMMAND else FrameReader._on_unusable

    def _count_missed(self, sequence: int) -> None:
        ahead = sequence - self._sequence & 0xFF
        if self._sequence < 0 or ahead < 0x80:  # more is a frame heard again or out of order
            self.stats.missed_frames += ahead if self._sequence >= 0 else 0
            self._sequence = sequence + 1 & 0xFF

    def _on_unusable(self, envelope: Envelope, message: Any, now_ns: int, out: list[Output]) -> None:
        self.stats.unusable += 1
        out.append(Discarded(envelope.body, why_unusable(envelope)))


def _when(timer: tuple[int, object]) -> int:
    return timer[0]
