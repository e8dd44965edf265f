"""Files that no program should be given: what only looks like a file, and what is too long, too deep or too large."""

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
"""A failure guard: what hangs fails here instead of for ever."""

KINDS: Final = {"a pipe": "pipe", "a socket": "socket", "a device": "device"}
"""Kinds of files that are no regular files: the name in the refusal -> the kind that the test creates."""


def make_hostile(kind: str, path: Path) -> Path:
    """Something at `path` that is no file."""
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
    """TimeoutError in what does not come to an end."""

    def late(_number: int, _frame: FrameType | None) -> None:
        raise TimeoutError("it went on and on")

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, PATIENCE_S)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
