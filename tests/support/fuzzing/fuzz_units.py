"""Inputs of a fuzzer, from a seed, and the account of each byte.

A unit is some hundred thousand bytes for one part: seed, part and number name it, and the same three give the same
bytes again. A part's target takes each input; whatever comes out of it but a declared error ends the unit.
"""

from __future__ import annotations

import resource
import shutil
import signal
import weakref
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from tempfile import mkdtemp
from typing import Final, Protocol

from protocol.cutting import Noise, Piece
from protocol.errors import DealwireError

MS: Final = 1_000_000
CHUNK: Final = 1 << 15
MEMORY_KIB: Final = 64 * 1024
"""Memory that one unit may take for good."""
CPU_S: Final = 60.0
"""Processor time after which an input counts as endless."""


class Endless(Exception):
    """An input that is worked on without end."""


class Unaccounted(Exception):
    """A byte, an acceptance or memory that nothing accounts for."""


class Undeclared(Exception):
    """A unit that ended with an error which is not declared: `data` is the last input."""

    def __init__(self, part: str, seed: int, unit: int, data: bytes, why: str) -> None:
        self.part, self.seed, self.unit, self.data = part, seed, unit, data
        super().__init__(part, seed, unit, data, why)

    def __str__(self) -> str:
        return f"{self.part}, seed {self.seed}, unit {self.unit}: {self.args[-1]}"


@dataclass(slots=True)
class FuzzTally:
    """Figures of a part: bytes, how many of them are noise, frames or files, and the declared errors by their class."""

    bytes: int = 0
    noise_bytes: int = 0
    frames: int = 0
    errors: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0

    def add(self, other: FuzzTally) -> None:
        """Add the figures of another unit."""
        self.bytes += other.bytes
        self.noise_bytes += other.noise_bytes
        self.frames += other.frames
        self.errors += other.errors
        self.seconds += other.seconds


class FuzzTarget(Protocol):
    """One thing that takes bytes, in a state."""

    def inputs(self, chance: Random) -> Iterator[bytes]:
        """Yield inputs without end."""

    def take(self, data: bytes, chance: Random, tally: FuzzTally) -> None:
        """Take an input. DealwireError is declared; anything else is a finding."""


class FuzzPart:
    """One part of the run: its name, how to build its target, its share of all bytes, the bytes of one unit."""

    def __init__(self, name: str, make: Callable[[Random], FuzzTarget], share: float, unit: int = 1 << 21) -> None:
        self.name, self.make, self.share, self.unit = name, make, share, unit


def run_unit(part: FuzzPart, seed: int, unit: int, size: int) -> FuzzTally:
    """Pass `size` bytes to a part. Undeclared names the unit and has the input."""
    chance, tally = Random(f"{seed} {part.name} {unit}"), FuzzTally()
    data, before = b"", resource.getrusage(resource.RUSAGE_SELF)
    try:
        target = part.make(chance)
        for data in target.inputs(chance):
            with _limited():
                try:
                    target.take(data, chance, tally)
                except DealwireError as error:
                    tally.errors[type(error).__name__] += 1
            tally.bytes += len(data)
            if tally.bytes >= size:
                break
        after = resource.getrusage(resource.RUSAGE_SELF)
        if after.ru_maxrss - before.ru_maxrss > MEMORY_KIB + size // 256:
            raise Unaccounted(f"it took {after.ru_maxrss - before.ru_maxrss} KiB")
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # a library in Rust ends with errors that are no Exception
        raise Undeclared(part.name, seed, unit, data, f"{type(error).__name__}: {error}") from error
    tally.seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return tally


@contextmanager
def _limited() -> Iterator[None]:
    """Raise Endless after `CPU_S` of processor time. Whoever waits for a busy machine waits for nothing here."""

    def end(*_: object) -> None:
        raise Endless(f"one input takes more than {CPU_S:.0f} s of processor time")

    before = signal.signal(signal.SIGVTALRM, end)
    signal.setitimer(signal.ITIMER_VIRTUAL, CPU_S)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def folder_of(owner: object) -> Path:
    """Return a new folder, in memory if there is such a place, that goes when its owner goes."""
    shared = Path("/dev/shm")
    made = mkdtemp(dir=shared if shared.is_dir() else None)
    weakref.finalize(owner, shutil.rmtree, made)
    return Path(made)


# ------------------------------------------------------------------ inputs


def spoiled(data: bytes, chance: Random, changes: int) -> bytes:
    """Return the data with so many changes: bits, bytes, runs lost, made up or doubled."""
    found = bytearray(data or b"\0")
    for _ in range(changes):
        at, kind = int(chance.random() * len(found)), int(chance.random() * 5)
        if kind == 0:
            found[at] ^= 1 << int(chance.random() * 8)
        elif kind == 1:
            found[at] = int(chance.random() * 256)
        elif kind == 2 and len(found) > 16:
            del found[at : at + 1 + int(chance.random() * 8)]
        elif kind == 3:
            found[at:at] = chance.randbytes(1 + int(chance.random() * 8))
        else:
            start = int(chance.random() * len(found))
            found[at:at] = found[start : start + 1 + int(chance.random() * 30)]
    return bytes(found)


def line_inputs(
    sample: bytes, bodies: Sequence[bytes], frame: Callable[[bytes], bytes], chance: Random
) -> Iterator[bytes]:
    """Yield inputs of a line without end: random bytes, a valid conversation spoiled, and spoiled frames whose check is
    right again. One in ten comes in pieces of at most 300 bytes."""
    long = sample * (2 * CHUNK // len(sample) + 1)
    while True:
        kind = chance.random()
        if kind < 0.3:
            data = chance.randbytes(CHUNK)
        elif kind < 0.75:
            start = chance.randrange(len(sample))
            data = spoiled(long[start : start + CHUNK], chance, chance.choice((1, 20, 100, 400)))
        else:
            data = reframed(bodies, frame, chance, CHUNK)
        if chance.random() < 0.1:
            data = data[: CHUNK // 8]
            while data:
                size = chance.randrange(1, 300)
                yield data[:size]
                data = data[size:]
        else:
            yield data


def reframed(bodies: Sequence[bytes], frame: Callable[[bytes], bytes], chance: Random, size: int) -> bytes:
    """Return frames with right checks, made of spoiled bodies."""
    out = bytearray()
    while len(out) < size:
        body = chance.choice(bodies)
        out += frame(spoiled(body, chance, 1 + int(chance.random() * 3)))
    return bytes(out)


class TilingCheck:
    """Account of the pieces of a stream: each begins where the one before it ended."""

    def __init__(self, most_pending: int) -> None:
        self._at = self._fed = 0
        self._most = most_pending

    def book(self, pieces: Sequence[Piece], fed: int, pending: int, tally: FuzzTally) -> list[Piece]:
        """Book the pieces that `fed` bytes completed, and return the frames. Unaccounted if a byte is nobody's."""
        at, frames = self._at, list[Piece]()
        for piece in pieces:
            if piece.offset != at or piece.length <= 0:
                raise Unaccounted(f"byte {at} of the stream is in no piece")
            at += piece.length
            if isinstance(piece, Noise):
                tally.noise_bytes += piece.length
            else:
                frames.append(piece)
        self._at, self._fed = at, self._fed + fed
        if at + pending != self._fed or pending > self._most:
            raise Unaccounted(f"{self._fed} bytes came, {at} are in pieces, {pending} pending")
        tally.frames += len(frames)
        return frames
