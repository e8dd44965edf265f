"""The reference device in C with a clock of its own, asked step by step: time passes when a test lets it pass."""

from __future__ import annotations

import struct
import subprocess
from typing import Final

from firmware.same.steps import (
    PROGRAM,
    Arrive,
    Do,
    Look,
    PowerCut,
    Script,
    Sealing,
    Step,
    Wait,
    devices_of,
    packed,
    packed_step,
)

IDLE_MS: Final = 10
"""Milliseconds that pass when someone listens and the device says nothing."""


class ScriptedDevice:
    """One device under power, with the part of a serial port's interface that a small host uses."""

    def __init__(self, device: str, session: int, sealing: Sealing) -> None:
        self.now_ms = 0
        self._program = subprocess.Popen([PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._said = self._answered(packed(Script(device, session, (), sealing), devices_of()))

    def __enter__(self) -> ScriptedDevice:
        return self

    def __exit__(self, *_: object) -> None:
        self._program.communicate()

    def wait(self, ms: int) -> None:
        """Let time pass."""
        self.now_ms += ms
        while ms > 0:
            self._play(Wait(min(ms, 60_000)))
            ms -= 60_000

    def act(self, words: str) -> None:
        """Act at the device, in the words of its control socket."""
        self._play(Do(words))

    def cut_power(self, session: int) -> None:
        """Cut the power, and switch it on again."""
        self._said = b""
        self._play(PowerCut(session))

    @property
    def display(self) -> tuple[str, str]:
        """Texts that it shows: the code of pairing, and the string of the last one."""
        code, _, string = self._answered(packed_step(Look())).decode("ascii").partition("|")
        return code, string

    # ------------------------------------------------------------------ as a port

    def read(self, count: int) -> bytes:
        """Return what it said; a moment passes if that is nothing."""
        if not self._said:
            self.wait(IDLE_MS)
        said, self._said = self._said[:count], self._said[count:]
        return said

    def write(self, data: bytes) -> None:
        """Send bytes to it."""
        self._play(Arrive(data, "from the host"))

    def close(self) -> None:
        """Do nothing: the device goes on."""

    # ------------------------------------------------------------------ inside

    def _play(self, step: Step) -> None:
        self._said += self._answered(packed_step(step))

    def _answered(self, record: bytes) -> bytes:
        assert self._program.stdin is not None
        assert self._program.stdout is not None
        self._program.stdin.write(record)
        self._program.stdin.flush()
        (count,) = struct.unpack("<I", self._program.stdout.read(4))
        return self._program.stdout.read(count)
