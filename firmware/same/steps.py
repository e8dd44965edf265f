"""Scripts: what a host sends, hands do and time does to a device; and how `tdp-script` reads them."""

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
    """So many milliseconds pass."""

    ms: int


@dataclass(frozen=True, slots=True)
class Arrive:
    """Bytes arrive at the device; `what` says for a person what they are."""

    data: bytes
    what: str


@dataclass(frozen=True, slots=True)
class Do:
    """Hands do something, in the words of the control socket."""

    act: str


@dataclass(frozen=True, slots=True)
class PowerCut:
    """The power goes and comes back; the device draws this session id."""

    session: int


Step = Wait | Arrive | Do | PowerCut


@dataclass(frozen=True, slots=True)
class Script:
    """A device, the session id it draws first, and what happens to it."""

    device: str
    session: int
    steps: tuple[Step, ...]


def packed(script: Script, devices: Sequence[str]) -> bytes:
    """As `tdp-script` reads it."""
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
    """The devices the program has, in its order."""
    done = subprocess.run([program, "--devices"], capture_output=True, text=True, check=True)
    return tuple(done.stdout.split())


def play_in_c(scripts: Sequence[Script], devices: Sequence[str], program: Path = PROGRAM) -> list[list[bytes]]:
    """For each script what the device in C sent: at the start, then in each step."""
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
