"""Two lines connected in memory, with a seeded fault model in each direction. Time comes from the clock; no threads."""

import heapq
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Final

from devices.clock import Clock
from devices.transport.base import LineClosed, OpenLine


@dataclass(frozen=True, slots=True)
class Faults:
    """Faults of one direction, applied to the chunks written. Probabilities are 0 to 1; the default is a clean line.

    - `reorder`: a chunk is held back until after the next one
    - `delay_ns`: minimum and maximum travel time of a chunk
    - `cut`: minimum and maximum size of the pieces in which a chunk arrives, one a read
    """

    seed: int = 0
    lose_chunk: float = 0.0
    lose_byte: float = 0.0
    flip_bit: float = 0.0
    duplicate: float = 0.0
    reorder: float = 0.0
    delay_ns: tuple[int, int] = (0, 0)
    cut: tuple[int, int] | None = None


CAPACITY: Final = 65536
"""Bytes in transit in one direction. A write beyond it is accepted in part."""


class _Direction:
    """One direction of the pair: bytes go in at the current time and come out when they are due."""

    def __init__(self, faults: Faults) -> None:
        self.faults = faults
        self.random = Random(faults.seed)
        self.pieces: list[tuple[int, int, bytes]] = []
        self.size = 0
        self.stalled_until_ns = 0
        self.wake: Callable[[], None] | None = None
        self._count = 0
        self._last_ns = 0
        self._held = b""

    def write(self, data: bytes, now_ns: int) -> int:
        taken = data[: CAPACITY - self.size]
        held, self._held = self._held, b""
        if taken:
            self._travel(taken, now_ns, hold=not held)
        if held:
            self._push(held, now_ns)
        if self.wake is not None and self.pieces:
            self.wake()
        return len(taken)

    def _travel(self, chunk: bytes, now_ns: int, *, hold: bool) -> None:
        faults, random = self.faults, self.random
        if random.random() < faults.lose_chunk:
            return
        if faults.lose_byte:
            chunk = bytes(value for value in chunk if random.random() >= faults.lose_byte)
        if faults.flip_bit:
            chunk = bytes(
                value ^ 1 << random.randrange(8) if random.random() < faults.flip_bit else value for value in chunk
            )
        if hold and random.random() < faults.reorder:
            self._held = chunk
            return
        for _ in range(2 if random.random() < faults.duplicate else 1):
            self._push(chunk, now_ns)

    def _push(self, chunk: bytes, now_ns: int) -> None:
        # A line keeps its order: a chunk never overtakes an earlier one, even with a shorter delay.
        self._last_ns = max(self._last_ns, now_ns + self.random.randint(*self.faults.delay_ns))
        start = 0
        while start < len(chunk):
            step = self.random.randint(*self.faults.cut) if self.faults.cut else len(chunk)
            heapq.heappush(self.pieces, (self._last_ns, self._count, chunk[start : start + step]))
            self._count += 1
            start += step
        self.size += len(chunk)

    def due_ns(self) -> int | None:
        return max(self.pieces[0][0], self.stalled_until_ns) if self.pieces else None

    def read(self, now_ns: int) -> bytes:
        out: list[bytes] = []
        while self.pieces and max(self.pieces[0][0], self.stalled_until_ns) <= now_ns:
            out.append(heapq.heappop(self.pieces)[2])
            if self.faults.cut is not None:
                break
        data = b"".join(out)
        self.size -= len(data)
        return data


class MemoryLine(OpenLine):
    """One end of a pair."""

    def __init__(self, name: str, clock: Clock, incoming: _Direction, outgoing: _Direction) -> None:
        super().__init__(name)
        self._clock = clock
        self._in, self._out = incoming, outgoing
        self._hung_up = False
        self._other: MemoryLine | None = None

    @property
    def next_deadline_ns(self) -> int | None:
        """Time at which the next piece arrives."""
        return None if self._gone else self._in.due_ns()

    def fileno(self) -> int | None:
        """Return None: the other end's write calls `wake`."""
        return None

    def on_ready(self, wake: Callable[[], None]) -> None:
        """Set the function to call when bytes are in transit or the line is gone."""
        self._in.wake = wake
        if self._in.pieces or self._hung_up or self._gone:
            wake()

    def read(self) -> bytes:
        """Return what has arrived by now, one piece if the line cuts.

        Raise LineClosed if the other end closed and everything was read.
        """
        self._check()
        full = self._in.size >= CAPACITY
        data = self._in.read(self._clock.now_ns())
        if data:
            if self._in.wake is not None and (self._in.pieces or self._hung_up):
                self._in.wake()
            if full and self._other is not None and self._other._in.wake is not None:
                self._other._in.wake()
        elif self._hung_up and not self._in.pieces:
            raise self._lost("the other end closed")
        return data

    def write(self, data: bytes) -> int:
        """Return the number of bytes for which the line had room. Raise LineClosed if the other end closed."""
        self._check()
        if self._hung_up:
            raise LineClosed(self.name, "the other end closed")
        return self._out.write(data, self._clock.now_ns())

    def close(self) -> None:
        """Close this end. The other end can still read the bytes in transit."""
        super().close()
        if self._other is not None:
            self._other._hang_up()

    def stall(self, until_ns: int) -> None:
        """Deliver nothing at this end before `until_ns`."""
        self._in.stalled_until_ns = until_ns

    def unplug(self) -> None:
        """Pull the plug: both ends are gone at once, and bytes in transit are lost."""
        for end in (self, self._other):
            if end is not None:
                end._in.pieces.clear()
                end._gone = end._gone or LineClosed(end.name, "unplugged")
                end._hang_up()

    def _hang_up(self) -> None:
        self._hung_up = True
        if self._in.wake is not None:
            self._in.wake()


def memory_pair(
    clock: Clock, *, to_host: Faults = Faults(), to_device: Faults = Faults(), name: str = "memory"
) -> tuple[MemoryLine, MemoryLine]:
    """Return the host's end and the device's end of one line."""
    up, down = _Direction(to_host), _Direction(to_device)
    host, device = MemoryLine(name, clock, up, down), MemoryLine(f"{name} (device)", clock, down, up)
    host._other, device._other = device, host
    return host, device
