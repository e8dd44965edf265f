"""Tests run in forks of one process that has loaded them all: each fork has its own folders and its own time."""

from __future__ import annotations

import functools
import gc
import os
import signal
import struct
import sys
import tempfile
import time
import traceback
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import FunctionType

import pytest
from _pytest.runner import runtestprotocol

PASSED, FAILED, SKIPPED = "passed", "failed", "skipped"
CRASHED, TOO_LONG, STARTS = "crashed", "too long", "starts a program"
_STARTS_EXIT = 3
_STOPPED_EXIT = 4
_BROKEN_EXIT = 70
_BESIDE = {"git", "ldconfig"}
"""Programs that report on the machine and run nothing of ours."""
_PROGRAMS = ("subprocess.Popen", "os.posix_spawn", "os.system", "os.exec", "os.fork", "os.forkpty")

FUNCTIONS: defaultdict[str, list[FunctionType]] = defaultdict(list)
"""Every function that was alive before the first fork, by its file."""
_CACHES: list[functools._lru_cache_wrapper[object]] = []


@dataclass(frozen=True)
class Limits:
    """Limits of a test before its process is ended: processor time, and time by the clock."""

    cpu_s: float
    wall_s: float


@dataclass
class Told:
    """Output of a fork, line by line, and its end: the exit code, or the signal."""

    lines: list[str] = field(default_factory=list)
    exited: int | None = None
    signal: int | None = None

    @property
    def fate(self) -> str:
        """Return the fate of a test that ended its fork."""
        if self.signal is not None:
            return TOO_LONG if self.signal in (signal.SIGPROF, signal.SIGALRM) else CRASHED
        return STARTS if self.exited == _STARTS_EXIT else CRASHED


def side_by_side(jobs: int, count: int, do: Callable[[int], None]) -> None:
    """Call `do` with every number below `count`, in `jobs` processes that take the next number when free."""
    taking, giving = os.pipe()
    workers = [os.fork() or _work(taking, giving, do) for _ in range(jobs)]
    os.close(taking)
    try:
        with os.fdopen(giving, "wb") as numbers:
            numbers.write(b"".join(struct.pack("i", number) for number in range(count)))
    except BrokenPipeError:
        pass  # all have failed, as is said below
    ends = [os.waitpid(worker, 0)[1] for worker in workers]
    if any(ends):
        raise pytest.UsageError("a process that asks tests failed")


def _work(taking: int, giving: int, do: Callable[[int], None]) -> int:
    os.close(giving)
    try:
        while number := os.read(taking, 4):
            do(struct.unpack("i", number)[0])
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(1)
    os._exit(0)


def in_fork(config: pytest.Config, work: Callable[[Callable[[str], None]], None]) -> Told:
    """Call `work` in a fork, with a function that sends a line; the fork's files are removed afterwards."""
    reading, writing = os.pipe()
    told = Told()
    with tempfile.TemporaryDirectory(prefix="dealwire-fork-", ignore_cleanup_errors=True) as folder:
        child = os.fork()
        if not child:
            os.close(reading)
            try:
                _apart(config, Path(folder))
                work(lambda line: _tell(writing, line))
            except BaseException:
                _tell(writing, traceback.format_exc().strip())
                os._exit(_BROKEN_EXIT)
            os._exit(0)
        os.close(writing)
        with os.fdopen(reading) as lines:
            told.lines = lines.read().splitlines()
        _, status = os.waitpid(child, 0)
    told.exited = os.WEXITSTATUS(status) if os.WIFEXITED(status) else None
    told.signal = os.WTERMSIG(status) if os.WIFSIGNALED(status) else None
    if told.exited == _BROKEN_EXIT:
        raise RuntimeError("\n".join(told.lines))
    return told


def _tell(writing: int, line: str) -> None:
    os.write(writing, f"{line}\n".encode())


def _apart(config: pytest.Config, folder: Path) -> None:
    """Isolate the fork: discard the tests' output, keep no cached results, and share no folder."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nowhere, descriptor)
    os.environ["TMPDIR"] = os.environ["XDG_CACHE_HOME"] = str(folder)
    tempfile.tempdir = str(folder)
    (folder / "tests").mkdir()
    config._tmp_path_factory._basetemp = folder / "tests"  # type: ignore[attr-defined]
    for cached in _CACHES:
        cached.cache_clear()


def settle() -> None:
    """Find the objects that are alive before the first fork, and exclude them from garbage collection, so that forks
    share them."""
    gc.unfreeze()  # what was put aside when the tests had been collected is not told
    gc.collect()
    for each in gc.get_objects():
        if isinstance(each, FunctionType):
            FUNCTIONS[each.__code__.co_filename].append(each)
        elif isinstance(each, functools._lru_cache_wrapper):
            _CACHES.append(each)
    gc.freeze()


def run(item: pytest.Item, following: pytest.Item | None, limits: Limits) -> tuple[str, float, float]:
    """Return a test's outcome, and its processor and clock time; the process ends at a limit."""
    signal.setitimer(signal.ITIMER_PROF, limits.cpu_s)
    signal.setitimer(signal.ITIMER_REAL, limits.wall_s)
    cpu, wall = time.process_time(), time.monotonic()
    try:
        reports = runtestprotocol(item, log=False, nextitem=following)
    except (KeyboardInterrupt, pytest.exit.Exception):
        os._exit(_STOPPED_EXIT)
    signal.setitimer(signal.ITIMER_PROF, 0)
    signal.setitimer(signal.ITIMER_REAL, 0)
    fate = (
        FAILED if any(each.failed for each in reports) else SKIPPED if any(each.skipped for each in reports) else PASSED
    )
    return fate, time.process_time() - cpu, time.monotonic() - wall


def end_at_a_program() -> None:
    """End this process as soon as it starts another, because a fault in this one does not affect the other."""

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        if event in _PROGRAMS and not (arguments and Path(str(arguments[0])).name in _BESIDE):
            os._exit(_STARTS_EXIT)

    sys.addaudithook(hook)
