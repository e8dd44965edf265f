"""A line on which noise comes between the device's own bytes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from devices.clock import ManualClock
from devices.transport.base import Timed, Transport

EVERY_NS: Final = 20_000_000


@dataclass(frozen=True)
class Noise:
    """Noise from one device: its bytes, and its times in nanoseconds since the clock started."""

    device: str
    piece: bytes
    begin_ns: int
    end_ns: int


class Jabbering:
    """Transport around `inner` that adds a piece of noise every 20 ms before the line's own bytes."""

    def __init__(self, inner: Transport, noise: Noise, clock: ManualClock) -> None:
        self.name = inner.name
        self._inner, self._noise, self._clock = inner, noise, clock
        self._timed = inner if isinstance(inner, Timed) else None
        start_ns = ManualClock().now_ns()
        self._next_ns, self._end_ns = max(clock.now_ns(), start_ns + noise.begin_ns), start_ns + noise.end_ns

    @property
    def next_deadline_ns(self) -> int | None:
        """Return the next deadline of the line, or of the next piece."""
        due_ns = self._timed.next_deadline_ns if self._timed is not None else None
        if self._next_ns >= self._end_ns:
            return due_ns
        return self._next_ns if due_ns is None else min(due_ns, self._next_ns)

    def fileno(self) -> int | None:
        """Return the line's descriptor."""
        return self._inner.fileno()

    def on_ready(self, wake: Callable[[], None]) -> None:
        """Pass the call on."""
        self._inner.on_ready(wake)

    def read(self) -> bytes:
        """Return the line's bytes, after the noise that is due by now."""
        data, now_ns = self._inner.read(), self._clock.now_ns()
        pieces = 0
        while self._next_ns <= now_ns and self._next_ns < self._end_ns:
            self._next_ns += EVERY_NS
            pieces += 1
        return self._noise.piece * pieces + data

    def write(self, data: bytes) -> int:
        """Pass the bytes on."""
        return self._inner.write(data)

    def close(self) -> None:
        """Pass the call on."""
        self._inner.close()
