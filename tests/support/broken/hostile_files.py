"""Files that no program should read: those that only look like a file, and those that are too long, too deep or too
large."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Final

PATIENCE_S: Final = 300.0
"""Failure guard: a test that hangs fails here instead of never."""

KINDS: Final = {"a pipe": "pipe", "a socket": "socket", "a device": "device"}
"""Kinds of files that are no regular files: the name in the refusal -> the kind that the test creates."""


def make_hostile(kind: str, path: Path) -> Path:
    """Create something at `path` that is no regular file."""
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "socket":
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(str(path))
    elif kind == "device":
        path.symlink_to("/dev/zero")
    else:
        path.mkdir()
    return path


@contextmanager
def must_end() -> Iterator[None]:
    """Raise TimeoutError in a block that does not end."""

    def late(_number: int, _frame: FrameType | None) -> None:
        raise TimeoutError("it went on and on")

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, PATIENCE_S)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
