"""A single worker thread that never delays the end of the program."""

import contextlib
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError
from typing import Any, Final, TypeVar

from protocol.errors import LocalError

JOBS_MAX: Final = 32
"""Maximum number of jobs that wait for the thread."""

Result = TypeVar("Result")


class WorkerBusy(LocalError):
    """Too many jobs wait for the thread, or it is shutting down."""

    def __init__(self, why: str) -> None:
        self.why = why
        super().__init__(why)


class Worker:
    """Runs jobs one after the other in a daemon thread, started on first use.

    The program exits without waiting for it, even if it reads a file that never ends. An executor's threads would be
    waited for.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._jobs: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._waiting: dict[Future[Any], None] = {}
        self._thread: threading.Thread | None = None
        self._closed = False

    def run(self, call: Callable[[], Result]) -> "Future[Result]":
        """Queue `call` for the thread, and return a future of its result.

        Raises WorkerBusy if `JOBS_MAX` calls wait already, or if the worker is closed.
        """
        answer: Future[Result] = Future()
        with self._lock:
            if self._closed:
                raise WorkerBusy("the console is shutting down")
            if len(self._waiting) >= JOBS_MAX:
                raise WorkerBusy("too many recordings are waiting to be replayed; try again")
            self._waiting[answer] = None
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name=self._name, daemon=True)
                self._thread.start()
        self._jobs.put(lambda: self._do(call, answer))
        return answer

    def close(self) -> None:
        """Run nothing more and wait for nothing. May be called twice."""
        with self._lock:
            self._closed = True
            waiting = list(self._waiting)
        for answer in waiting:
            with contextlib.suppress(InvalidStateError):
                answer.set_exception(WorkerBusy("the console is shutting down"))
        self._jobs.put(None)

    # ------------------------------------------------------------------ in the thread

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            job()

    def _do(self, call: Callable[[], Result], answer: "Future[Result]") -> None:
        try:
            if answer.done():
                return
            result = call()
        except BaseException as error:  # every error belongs to the caller that waits
            with contextlib.suppress(InvalidStateError):
                answer.set_exception(error)
        else:
            with contextlib.suppress(InvalidStateError):
                answer.set_result(result)
        finally:
            with self._lock:
                self._waiting.pop(answer, None)
