"""A command ends within two seconds of SIGTERM, whatever its threads, its processes and its lines do.

Most commands are interrupted where they are, give back what they hold, and die of the signal as if they had never seen
it. `run` and `fleet consume` end in their own way. What has not ended soon after is cut off: nothing is lost by that,
since whatever anybody heard of was written down before.
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
"""After SIGTERM, until the process is cut off: shorter than the two seconds that are promised."""
ENDED_BY_SIGTERM: Final = 128 + signal.SIGTERM
"""Exit code of what was cut off, as shells have it."""


class Terminated(BaseException):
    """SIGTERM came. Like KeyboardInterrupt, no `except Exception` holds it up."""


class LastResort:
    """Ends the process soon after it is set going, if nothing else does. `code` is the exit code then; without one the
    process dies of the signal."""

    def __init__(self) -> None:
        self.code: int | None = None
        self.patience_s = LAST_RESORT_S
        """How long it waits: more for a command that has something to write down first."""
        self._begun = threading.Lock()

    def begin(self) -> None:
        """Count down, from the first call. May be called from any thread."""
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
    """Within it SIGTERM ends this process soon. Only the main thread may be interrupted; anywhere else, and where
    somebody listens to the signal already, nothing happens."""
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
    """`stop`, for a loop of asyncio to call at SIGTERM, with the last resort of the command set going: such a loop
    takes the signal from whoever else hears it."""
    resort = click.get_current_context().find_object(LastResort) or LastResort()

    def end() -> None:
        resort.begin()
        stop()

    return end


class _Whole:
    """What the main thread must not leave half done."""

    depth = 0
    came = False
    """SIGTERM came meanwhile."""


@contextmanager
def whole() -> Iterator[None]:
    """What is begun in here is done to its end, and SIGTERM interrupts after it: for what takes a moment, and leaves
    something behind that nobody would know of."""
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
    """A thread hears of a signal at once, also while the main thread waits for a disk and can hear nothing."""
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
