"""Comparison of two devices on one script: their first difference, and the shortest script that still shows it."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from firmware.same.in_python import play_in_python
from firmware.same.random_scripts import random_script
from firmware.same.sealed_scripts import sealed_script
from firmware.same.steps import Arrive, Look, Script, devices_of, play_in_c
from protocol.errors import BadPayload
from protocol.tdp.codec import decode
from protocol.tdp.framing import Frame, Framer

SHOWN = 5
"""Number of frames shown of each after they differ."""


@cache
def devices() -> tuple[str, ...]:
    """Return the devices in C."""
    return devices_of()


def script_of(name: str, seed: int, sealed: bool = False) -> Script:
    """Return the random script with this number, for a device without a sealed line or with one."""
    return sealed_script(name, seed) if sealed else random_script(name, seed)


def compared(job: tuple[str, int, int], sealed: bool = False) -> tuple[int | None, int]:
    """Play `count` scripts of a device from a number on. Return the number of the first that differs, or None, and the
    number of steps played."""
    name, first, count = job
    scripts = [script_of(name, seed, sealed) for seed in range(first, first + count)]
    for at, (script, said) in enumerate(zip(scripts, play_in_c(scripts, devices()), strict=True)):
        if play_in_python(script) != said:
            return first + at, at
    return None, sum(len(script.steps) for script in scripts)


def differs(script: Script) -> bool:
    """Return True if the outputs of the two differ."""
    (in_c,) = play_in_c([script], devices())
    return play_in_python(script) != in_c


def shortened(name: str, seed: int, sealed: bool = False) -> Script:
    """Return the script without every step that the difference does not need."""
    script = script_of(name, seed, sealed)
    size = len(script.steps)
    while size:
        at = 0
        while at < len(script.steps):
            shorter = replace(script, steps=script.steps[:at] + script.steps[at + size :])
            if differs(shorter):
                script = shorter
            else:
                at += size
        size //= 2
    return script


def told(script: Script) -> str:
    """Return each step with the output of both, as text."""
    (in_c,) = play_in_c([script], devices())
    sealed = "" if script.sealing is None else " with a sealed line"
    lines = [f"a new {script.device}{sealed}, session {script.session:08X}"]
    for step, from_c, from_python in zip((None, *script.steps), in_c, play_in_python(script), strict=True):
        if step is not None:
            lines.append(f"> {step.what} [{step.data.hex(' ')}]" if isinstance(step, Arrive) else f"> {step}")
        said = [[each.decode()] if isinstance(step, Look) else _frames(each) for each in (from_c, from_python)]
        lines += _side_by_side(*said)
        if from_c != from_python:
            break
    return "\n".join(lines)


def _side_by_side(in_c: list[str], in_python: list[str]) -> list[str]:
    """Return the output of both up to the difference, then the next few frames of each."""
    same = next((at for at, (one, other) in enumerate(zip(in_c, in_python, strict=False)) if one != other), None)
    if same is None:
        same = min(len(in_c), len(in_python))
    apart = [f"  C       {line}" for line in in_c[same : same + SHOWN]]
    apart += [f"  Python  {line}" for line in in_python[same : same + SHOWN]]
    return [f"  both    {line}" for line in in_c[:same]] + apart


def _frames(data: bytes) -> list[str]:
    found = []
    framer = Framer()
    for piece in (*framer.feed(data), *framer.flush()):
        if not isinstance(piece, Frame):
            found.append(f"{piece.reason.name} {piece.length}")
            continue
        try:
            envelope = decode(piece.body)
        except BadPayload as error:
            found.append(str(error))
            continue
        head = f"{piece.body[3]:02X} #{envelope.request} {envelope.message_id:04X}"
        found.append(f"{head} {envelope.message} {envelope.extensions or ''}".rstrip())
    return found
