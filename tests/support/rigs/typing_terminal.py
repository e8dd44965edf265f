"""A program at a real pseudo-terminal of 80 columns, and a person who types at it."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from tests.support.rigs.patience import PATIENCE_S

COLUMNS: Final = 80
_PATIENT: Final = (
    "from dealwire.cli import main; from devices.drive.identify import identify; "
    f"identify.__kwdefaults__['timeout_s'] = {PATIENCE_S}; main(prog_name='dealwire')"
)
_STYLE: Final = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def _at_the_terminal() -> None:
    """Take the terminal, and restore Ctrl-C: tests started in the background ignore it, and so would the program."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class TypingTerminal:
    """`dealwire ARGUMENTS` at a terminal. `answer` waits for a question and types a line. With `patient` a device has
    not 1.5 seconds to say who it is, but as long as a busy machine needs."""

    def __init__(
        self, folder: Path, *arguments: str, environment: Mapping[str, str] | None = None, patient: bool = False
    ) -> None:
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, COLUMNS, 0, 0))
        self.process = subprocess.Popen(
            [sys.executable, *(("-c", _PATIENT) if patient else ("-m", "dealwire")), *arguments],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            cwd=folder,
            env={**os.environ, "TERM": "dumb", **(environment or {})},
            start_new_session=True,
            preexec_fn=_at_the_terminal,
        )
        os.close(slave)
        self.text, self._read_to = "", 0

    def __enter__(self) -> TypingTerminal:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self._master)

    def answer(self, question: str, line: str) -> None:
        """Wait until the terminal shows `question` after the last answer, to its colon, and type a line."""
        # A question of two lines comes in two writes; what is typed between them is echoed between them.
        self._until(question, lambda: question in self._since() and self.text.endswith(": "))
        self._read_to = len(self.text)
        os.write(self._master, f"{line}\n".encode())

    def wait_for(self, text: str) -> None:
        """Read until `text` is shown; raise AssertionError with everything shown if it never is."""
        self._until(text, lambda: text in self._since())

    def _since(self) -> str:
        return self.text[self._read_to :]

    def _until(self, text: str, shown: Callable[[], bool]) -> None:
        end = time.monotonic() + PATIENCE_S
        while not shown():
            if time.monotonic() > end:
                raise AssertionError(f"{text!r} did not come:\n{self.text}")
            assert self._more(0.2) or self.process.poll() is None, f"it ended before {text!r}:\n{self.text}"

    def interrupt(self) -> None:
        """Type Ctrl-C until the program ends, as a person does.

        Python's `input` misses a signal that comes between its prompt and its read.
        """
        end = time.monotonic() + PATIENCE_S
        while self.process.poll() is None and time.monotonic() < end:
            os.write(self._master, b"\x03")
            self._more(1.0)
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(1.0)

    def end(self) -> int:
        """Read to the end; return the exit code."""
        end = time.monotonic() + PATIENCE_S
        while self.process.poll() is None or self._more(0.0):
            if time.monotonic() > end:
                raise AssertionError(self.text)
            self._more(0.1)
        return self.process.returncode

    def lines(self) -> list[str]:
        """Return every line that was shown, without styles."""
        return self.text.splitlines()

    def _more(self, timeout_s: float) -> bool:
        if not select.select([self._master], [], [], timeout_s)[0]:
            return False
        try:
            data = os.read(self._master, 65536)
        except OSError:  # the other end closed
            return False
        self.text += _STYLE.sub("", data.decode("utf-8", "replace")).replace("\r\n", "\n")
        return bool(data)


def terminated(process: subprocess.Popen[str]) -> int:
    """End a program with SIGTERM; return its exit code."""
    process.send_signal(signal.SIGTERM)
    return process.wait(PATIENCE_S)
