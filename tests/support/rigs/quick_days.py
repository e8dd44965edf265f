"""Gaming days of a few seconds, beats of a tenth of one, and copying a day without restarting Python: for a service
that is killed before a day, a second, or a start of Python is over."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import socket
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from datetime import date, time
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final
from unittest import mock

from dealwire.own_program import own_program

DAY_S: Final = 4
"""Length of a gaming day, in seconds."""
FIRST: Final = date(2000, 1, 1).toordinal()
DAYS: Final = 1_000_000
LOOK_S: Final = 0.005


def gaming_day(now_ns: int, begins: time) -> str:
    """Return the gaming day; takes the place of the service's own function."""
    return date.fromordinal(FIRST + now_ns // (DAY_S * 1_000_000_000) % DAYS).isoformat()


class Copier:
    """Runs commands of the program in forks of a process that has imported everything and has no journal open. One
    whose service has died is killed, as systemd does."""

    def __init__(self, folder: Path, main: Callable[..., Any]) -> None:
        self.address = str(folder / "copier")
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(self.address)
            listener.listen()
            self.pid = os.fork()
            if self.pid == 0:
                try:
                    while True:
                        with listener.accept()[0] as connection, contextlib.suppress(OSError, ValueError):
                            _serve(connection, main)
                finally:
                    os._exit(1)

    def __enter__(self) -> Copier:
        return self

    def __exit__(self, *_: object) -> None:
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)


def _serve(connection: socket.socket, main: Callable[..., Any]) -> None:
    arguments = json.loads(connection.makefile().readline())
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            signal.alarm(60)
            os.dup2(connection.fileno(), 1)
            code = int(main(arguments, standalone_mode=False) or 0)
            sys.stdout.flush()
        except BaseException as error:
            print(repr(error), file=sys.stderr, flush=True)
        finally:
            os._exit(code)
    status = None
    while status is None:
        if select.select([connection], [], [], LOOK_S)[0]:  # it says nothing more: it is dead
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            return
        done, status = os.waitpid(pid, os.WNOHANG)
        status = status if done else None
    connection.sendall(f"\n{os.waitstatus_to_exitcode(status)}".encode())


class AskedCopier:
    """The part of `subprocess.Popen` that the archivist needs, at the copier."""

    def __init__(self, address: str, command: Sequence[str]) -> None:
        self._connection = socket.socket(socket.AF_UNIX)
        self._connection.connect(address)
        self._connection.sendall(json.dumps(command[len(own_program()) :]).encode() + b"\n")
        self._out = b""

    def poll(self) -> int | None:
        while select.select([self._connection], [], [], 0)[0]:
            data = self._connection.recv(65536)
            if not data:
                return int(self._out.rpartition(b"\n")[2] or 1)
            self._out += data
        return None

    def communicate(self) -> tuple[str, str]:
        self._connection.close()
        return self._out.rpartition(b"\n")[0].decode(), ""

    def terminate(self) -> None:
        self._connection.close()

    def wait(self, timeout: float | None = None) -> int:
        return -signal.SIGKILL


def quick_days(address: str) -> ExitStack:
    """Make days short and checks frequent, and let the copier at that address copy days."""
    where = "dealwire.service.archivist"
    popen = SimpleNamespace(
        Popen=lambda command, **_: AskedCopier(address, command), DEVNULL=None, PIPE=None, TimeoutExpired=TimeoutError
    )
    stack = ExitStack()
    stack.enter_context(mock.patch(f"{where}.gaming_day", gaming_day))
    stack.enter_context(mock.patch(f"{where}.LOOK_NS", 200_000_000))
    stack.enter_context(mock.patch(f"{where}.subprocess", popen))
    stack.enter_context(mock.patch("dealwire.service.service.BEAT_NS", 100_000_000))
    return stack
