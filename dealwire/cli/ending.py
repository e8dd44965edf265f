"""Termination: a command ends within two seconds of SIGTERM, whatever its threads, processes and lines do.

Most commands are interrupted, release what they hold, and die of the signal. `run` and `fleet consume` have their own
shutdown. A process that has not ended soon after is killed; nothing is lost by that, since every published result is
already on disk.
"""

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

import click

from devices.system import IS_POSIX

LAST_RESORT_S: Final = 1.5
"""Seconds from SIGTERM until the process is killed. It must be less than the promised two seconds."""
ENDED_BY_SIGTERM: Final = 128 + signal.SIGTERM
"""Exit code of a process that was killed, following the convention of shells."""


class Terminated(BaseException):
    """Raised on SIGTERM. Like KeyboardInterrupt it passes `except Exception`."""


class LastResort:
    """Timer that ends the process if nothing else does. It exits with `code` or, if that is None, dies of the
    signal."""

    def __init__(self) -> None:
        self.code: int | None = None
        self.patience_s = LAST_RESORT_S
        """Seconds to wait; more for a command that has a report to write first."""
        self._begun = threading.Lock()

    def begin(self) -> None:
        """Start the countdown; later calls have no effect. May be called from any thread."""
        if self._begun.acquire(blocking=False):
            threading.Thread(target=self._count_down, name="last resort", daemon=True).start()

    def _count_down(self) -> None:
        threading.Event().wait(self.patience_s)
        if "multiprocessing" in sys.modules:
            import multiprocessing

            for process in multiprocessing.active_children():
                process.kill()
        if self.code is None and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
            os.kill(os.getpid(), signal.SIGTERM)
        os._exit(ENDED_BY_SIGTERM if self.code is None else self.code)


@contextmanager
def in_time() -> Iterator[LastResort]:
    """End this process soon after SIGTERM. Only the main thread can be interrupted: in other threads, and if a handler
    is already installed, this does nothing."""
    resort = LastResort()
    listened_to = signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL
    if listened_to or not IS_POSIX or threading.current_thread() is not threading.main_thread():
        yield resort
        return
    with _first_heard(resort):
        signal.signal(signal.SIGTERM, _interrupt)
        try:
            yield resort
        except click.exceptions.Exit as ended:
            resort.code = ended.exit_code  # of a thread that goes on all the same
            raise
        except Terminated:
            sys.stdout.flush()
            os.kill(os.getpid(), signal.SIGTERM)
        finally:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)


def soon(stop: Callable[[], None]) -> Callable[[], None]:
    """Wrap `stop`, which an asyncio loop calls at SIGTERM, so that the command's last resort is started too. Such a
    loop replaces the signal's other handlers."""
    resort = click.get_current_context().find_object(LastResort) or LastResort()

    def end() -> None:
        resort.begin()
        stop()

    return end


class _Whole:
    """State of `whole()`: the main thread must not be interrupted in the middle."""

    depth = 0
    came = False
    """True if SIGTERM arrived in the meantime."""


@contextmanager
def whole() -> Iterator[None]:
    """Defer SIGTERM until the block is done. Use it for short steps that would leave something behind that no one
    cleans up."""
    if threading.current_thread() is not threading.main_thread():
        yield  # nothing interrupts it
        return
    _Whole.depth += 1
    try:
        yield
    finally:
        _Whole.depth -= 1
    if _Whole.came and not _Whole.depth:
        _Whole.came = False
        raise Terminated


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # who asks twice is impatient
    if _Whole.depth:
        _Whole.came = True
    else:
        raise Terminated


@contextmanager
def _first_heard(resort: LastResort) -> Iterator[None]:
    """Notice SIGTERM in a separate thread, because the main thread may be stuck in a system call."""
    heard, bell = os.pipe()
    os.set_blocking(bell, False)
    before = signal.set_wakeup_fd(bell, warn_on_full_buffer=False)
    threading.Thread(target=_listen, args=(heard, resort), name="signals", daemon=True).start()
    try:
        yield
    finally:
        signal.set_wakeup_fd(before)
        os.close(bell)


def _listen(heard: int, resort: LastResort) -> None:
    while numbers := os.read(heard, 64):
        if signal.SIGTERM in numbers:
            resort.begin()
    os.close(heard)
