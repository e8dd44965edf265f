"""Scripts: bytes of a host, acts of hands and passing of time at a device; and their format for `tdp-script`."""

from __future__ import annotations

import struct
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from devices.simulator.identity import Identity

PROGRAM: Final = Path(__file__).parent.parent.parent / "build/firmware/tdp-script"


@dataclass(frozen=True, slots=True)
class Wait:
    """Milliseconds pass."""

    ms: int


@dataclass(frozen=True, slots=True)
class Arrive:
    """Bytes arrive at the device. `what` describes them to a reader."""

    data: bytes
    what: str


@dataclass(frozen=True, slots=True)
class Do:
    """Hands act, in the words of the control socket."""

    act: str


@dataclass(frozen=True, slots=True)
class PowerCut:
    """The power fails and returns. The device draws this session id."""

    session: int


@dataclass(frozen=True, slots=True)
class Look:
    """Someone looks at the device: the code of pairing, a bar, and the string that both ends show after it."""


Step = Wait | Arrive | Do | Look | PowerCut


@dataclass(frozen=True, slots=True)
class Sealing:
    """Secrets that a device with a sealed line is given: 32 random bytes, and its maker's keys, None without any."""

    noise: bytes
    own: Identity | None = None


@dataclass(frozen=True, slots=True)
class Script:
    """A device, the session id it draws first, and the steps."""

    device: str
    session: int
    steps: tuple[Step, ...]
    sealing: Sealing | None = None
    """None: a device without a sealed line."""


def packed(script: Script, devices: Sequence[str]) -> bytes:
    """Return the script in `tdp-script`'s format."""
    device, sealing = devices.index(script.device), script.sealing
    out = [struct.pack("<cBI", b"N" if sealing is None else b"S", device, script.session)]
    out += [] if sealing is None else [_packed_sealing(sealing)]
    return b"".join([*out, *map(packed_step, script.steps)])


def packed_step(step: Step) -> bytes:
    """Return one step in that format."""
    match step:
        case Wait(ms):
            return struct.pack("<cH", b"W", ms)
        case Arrive(data):
            return struct.pack("<cH", b"B", len(data)) + data
        case Do(act):
            return struct.pack("<cB", b"A", len(act)) + act.encode("ascii")
        case Look():
            return b"D"
        case PowerCut(session):
            return struct.pack("<cI", b"P", session)


def _packed_sealing(sealing: Sealing) -> bytes:
    own = sealing.own
    if own is None:
        return struct.pack("<32sB128x", sealing.noise, 0)
    signature = own.signature or bytes(64)
    return struct.pack("<32sB32s32s64s", sealing.noise, 2 if own.signature else 1, own.secret, own.seed, signature)


def devices_of(program: Path = PROGRAM) -> tuple[str, ...]:
    """Return the devices of the program, in its order."""
    done = subprocess.run([program, "--devices"], capture_output=True, text=True, check=True)
    return tuple(done.stdout.split())


def play_in_c(scripts: Sequence[Script], devices: Sequence[str], program: Path = PROGRAM) -> list[list[bytes]]:
    """Return for each script the output of the device in C: at the start, then in each step."""
    written = b"".join(packed(script, devices) for script in scripts)
    done = subprocess.run([program], input=written, capture_output=True, check=True)
    answers = _answers(done.stdout)
    return [[next(answers) for _ in range(1 + len(script.steps))] for script in scripts]


def _answers(data: bytes) -> Iterator[bytes]:
    at = 0
    while at < len(data):
        (count,) = struct.unpack_from("<I", data, at)
        yield data[at + 4 : at + 4 + count]
        at += 4 + count
