"""Standard output and standard error as every command of this program has them.

A disk that is full, or an output that is closed, is an error of this project whoever writes: a result, a page of help,
a library that draws a table. What cannot be said on standard error is left out: there is nowhere left to say it.
"""

import errno
import io
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final, TextIO, TypeVar

from protocol.errors import DealwireError

T = TypeVar("T")

OUT: Final = 1
"""The descriptor of standard output."""
NOBODY_READS: Final = "nobody reads the output any more"
STANDARD: Final = range(3)
"""Descriptors of standard input, output and error."""


class OutputFailed(DealwireError):
    """What was to be written could not be: a disk is full."""

    def __init__(self, error: OSError) -> None:
        super().__init__(f"the output ends here: {error.strerror}")


class OutputClosed(OutputFailed):
    """There is nothing to write to: this program was started without a standard output."""

    def __init__(self) -> None:
        DealwireError.__init__(self, "standard output is closed")


class _Results(io.FileIO):
    """Standard output. That its reader left stays a BrokenPipeError, as libraries expect it."""

    def write(self, data: Any, /) -> int:
        try:
            return super().write(data)
        except BrokenPipeError:
            raise
        except OSError as error:
            raise OutputFailed(error) from error


class _Closed(io.RawIOBase):
    """Standard output where there is none."""

    def writable(self) -> bool:
        return True

    def write(self, _: Any, /) -> int:
        raise OutputClosed


class _Remarks(io.FileIO):
    """Standard error."""

    def write(self, data: Any, /) -> int:
        try:
            return super().write(data)
        except OSError:
            return len(data)


def guard() -> None:
    """Put both in place of the interpreter's own; streams that somebody else put there stay."""
    for number in STANDARD:
        _reserve(number)
    if sys.stdout is None:
        sys.stdout = io.TextIOWrapper(_Closed(), encoding="utf-8", write_through=True)
    else:
        sys.stdout = _guarded(sys.stdout, OUT, _Results)
    if sys.stderr is not None:
        sys.stderr = _guarded(sys.stderr, OUT + 1, _Remarks)


def is_closed() -> bool:
    """True when this program was started without a standard output."""
    return sys.stdout is None or isinstance(getattr(sys.stdout, "buffer", None), _Closed)


def let_go() -> None:
    """What is still to be written to standard output goes nowhere, or Python would fail at it once more on its way
    out."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class LiveOutput:
    """Standard output of a command that deals: when it fails, that is reported once, and the command goes on without.
    `on` is what goes on, in words."""

    def __init__(self, on: str, report: Callable[[str], None]) -> None:
        self.lost = False
        """True when something could not be written that was meant to be kept: a disk is full."""
        self._on, self._report, self._silent = on, report, False

    def say(self, write: Callable[[T], None], item: T) -> None:
        """`write(item)`, if it still can be."""
        if self._silent:
            return
        try:
            write(item)
        except (BrokenPipeError, OutputFailed) as error:
            self._silent = True
            self.lost = isinstance(error, OutputFailed) and not isinstance(error, OutputClosed)
            let_go()
            self._report(f"{NOBODY_READS if isinstance(error, BrokenPipeError) else error}; {self._on}")


def _guarded(stream: TextIO, number: int, kind: type[io.FileIO]) -> TextIO:
    raw = getattr(getattr(stream, "buffer", None), "raw", getattr(stream, "buffer", None))
    if not isinstance(stream, io.TextIOWrapper) or type(raw) is not io.FileIO or raw.fileno() != number:
        return stream
    stream.flush()
    return io.TextIOWrapper(
        io.BufferedWriter(kind(number, "wb", closefd=False)),
        encoding=stream.encoding,
        errors=stream.errors,
        line_buffering=stream.line_buffering,
        write_through=stream.write_through,
    )


def _reserve(number: int) -> None:
    """No file that is opened later may get this number: what some library writes there would be in it."""
    try:
        os.fstat(number)
    except OSError as error:
        if error.errno == errno.EBADF:
            with suppress(OSError):
                os.open(os.devnull, os.O_RDWR)  # the lowest that is free: those below it are taken
