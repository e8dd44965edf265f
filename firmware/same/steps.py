"""Scripts: bytes of a host, acts of hands and passing of time at a device; and their format for `tdp-script`."""

from __future__ import annotations

import struct
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

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


Step = Wait | Arrive | Do | PowerCut


@dataclass(frozen=True, slots=True)
class Script:
    """A device, the session id it draws first, and the steps."""

    device: str
    session: int
    steps: tuple[Step, ...]


def packed(script: Script, devices: Sequence[str]) -> bytes:
    """Return the script in `tdp-script`'s format."""
    out = [struct.pack("<cBI", b"N", devices.index(script.device), script.session)]
    for step in script.steps:
        match step:
            case Wait(ms):
                out.append(struct.pack("<cH", b"W", ms))
            case Arrive(data):
                out.append(struct.pack("<cH", b"B", len(data)) + data)
            case Do(act):
                out.append(struct.pack("<cB", b"A", len(act)) + act.encode("ascii"))
            case PowerCut(session):
                out.append(struct.pack("<cI", b"P", session))
    return b"".join(out)


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
