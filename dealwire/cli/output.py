"""Standard output and standard error of every command.

A full disk or a closed output raises an error of this project, whether a result, a help page or a library that draws a
table is written. Text that cannot be written to standard error is dropped: there is no place left to report it.
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
"""File descriptor of standard output."""
NOBODY_READS: Final = "the reader of the output has closed it"
STANDARD: Final = range(3)
"""File descriptors of standard input, output and error."""


class OutputFailed(DealwireError):
    """Error: output could not be written, because a disk is full."""

    def __init__(self, error: OSError) -> None:
        super().__init__(f"cannot write the output: {error.strerror}")


class OutputClosed(OutputFailed):
    """Error: the program was started without a standard output."""

    def __init__(self) -> None:
        DealwireError.__init__(self, "standard output is closed")


class _Results(io.FileIO):
    """Standard output. A reader that left raises BrokenPipeError, as libraries expect."""

    def write(self, data: Any, /) -> int:
        try:
            return super().write(data)
        except BrokenPipeError:
            raise
        except OSError as error:
            raise OutputFailed(error) from error


class _Closed(io.RawIOBase):
    """Replacement for a missing standard output."""

    def writable(self) -> bool:
        return True

    def write(self, _: Any, /) -> int:
        raise OutputClosed


class _Remarks(io.FileIO):
    """Standard error. Failed writes are ignored."""

    def write(self, data: Any, /) -> int:
        try:
            return super().write(data)
        except OSError:
            return len(data)


def guard() -> None:
    """Replace the interpreter's standard output and error with guarded ones. Streams that were already replaced, as by
    a test, stay."""
    for number in STANDARD:
        _reserve(number)
    if sys.stdout is None:
        sys.stdout = io.TextIOWrapper(_Closed(), encoding="utf-8", write_through=True)
    else:
        sys.stdout = _guarded(sys.stdout, OUT, _Results)
    if sys.stderr is not None:
        sys.stderr = _guarded(sys.stderr, OUT + 1, _Remarks)


def is_closed() -> bool:
    """Return True if this program was started without a standard output."""
    return sys.stdout is None or isinstance(getattr(sys.stdout, "buffer", None), _Closed)


def let_go() -> None:
    """Send pending output to /dev/null, so that Python does not fail on it once more at exit."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class LiveOutput:
    """Standard output of a command that runs a table. If it fails, that is reported once with `on`, the description of
    what continues, and the command carries on."""

    def __init__(self, on: str, report: Callable[[str], None]) -> None:
        self.lost = False
        """True if something could not be written that was meant to be kept: a disk is full."""
        self._on, self._report, self._silent = on, report, False

    def say(self, write: Callable[[T], None], item: T) -> None:
        """Call `write(item)`, unless the output has failed."""
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
    """Occupy a standard descriptor that is closed. Otherwise the next file opened would get its number, and anything a
    library prints would go into that file."""
    try:
        os.fstat(number)
    except OSError as error:
        if error.errno == errno.EBADF:
            with suppress(OSError):
                os.open(os.devnull, os.O_RDWR)  # the lowest that is free: those below it are taken
