"""Gaming days of a few seconds, beats of a tenth of one, and the copying of a day without starting Python anew: for a
service that is killed before a day, a second, or a start of Python is over."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from datetime import date, time
from types import SimpleNamespace
from typing import Any, Final
from unittest import mock

DAY_S: Final = 4
"""A day of a service whose days are quick."""
FIRST: Final = date(2000, 1, 1).toordinal()
DAYS: Final = 1_000_000


def gaming_day(now_ns: int, begins: time) -> str:
    """In place of the service's own."""
    return date.fromordinal(FIRST + now_ns // (DAY_S * 1_000_000_000) % DAYS).isoformat()


class Forked:
    """As much of `subprocess.Popen` as is needed to run `python -m dealwire ...` in a fork of this process."""

    def __init__(self, command: Sequence[str], main: Callable[..., Any]) -> None:
        self._out, into = os.pipe()
        self.returncode: int | None = None
        self.pid = os.fork()
        if self.pid:
            os.close(into)
            return
        code = 1
        try:
            signal.alarm(60)
            os.dup2(into, 1)
            main(list(command[3:]), standalone_mode=False)
            sys.stdout.flush()
            code = 0
        finally:
            os._exit(code)

    def poll(self) -> int | None:
        if self.returncode is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            self.returncode = os.waitstatus_to_exitcode(status) if pid else None
        return self.returncode

    def communicate(self) -> tuple[str, str]:
        parts = []
        while data := os.read(self._out, 65536):
            parts.append(data)
        os.close(self._out)
        return b"".join(parts).decode(), ""

    def terminate(self) -> None:
        os.kill(self.pid, signal.SIGKILL)

    def wait(self, timeout: float | None = None) -> int:
        _, status = os.waitpid(self.pid, 0)
        self.returncode = os.waitstatus_to_exitcode(status)
        return self.returncode


def quick_days(main: Callable[..., Any]) -> ExitStack:
    """From here on days are short, looks frequent, and copies forks; `main` is the command line."""
    where = "dealwire.service.archivist"
    popen = SimpleNamespace(
        Popen=lambda command, **_: Forked(command, main), DEVNULL=None, PIPE=None, TimeoutExpired=TimeoutError
    )
    stack = ExitStack()
    stack.enter_context(mock.patch(f"{where}.gaming_day", gaming_day))
    stack.enter_context(mock.patch(f"{where}.LOOK_NS", 200_000_000))
    stack.enter_context(mock.patch(f"{where}.subprocess", popen))
    stack.enter_context(mock.patch("dealwire.service.service.BEAT_NS", 100_000_000))
    return stack
