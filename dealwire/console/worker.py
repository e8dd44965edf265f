"""One thread that does one thing after the other, and keeps nobody from ending."""

import contextlib
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError
from typing import Any, Final, TypeVar

from protocol.errors import LocalError

JOBS_MAX: Final = 32
"""Things that may wait for the thread."""

Result = TypeVar("Result")


class WorkerBusy(LocalError):
    """The thread does not get to it."""

    def __init__(self, why: str) -> None:
        self.why = why
        super().__init__(why)


class Worker:
    """Starts its thread when there is something to do. The thread is a daemon: a program ends without waiting for what
    it does, be that a file that never ends. An executor's threads are waited for."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._jobs: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._waiting: dict[Future[Any], None] = {}
        self._thread: threading.Thread | None = None
        self._closed = False

    def run(self, call: Callable[[], Result]) -> "Future[Result]":
        """What `call` returns or raises, once the thread has got to it; WorkerBusy when too much waits, or it ends."""
        answer: Future[Result] = Future()
        with self._lock:
            if self._closed:
                raise WorkerBusy("the console is ending")
            if len(self._waiting) >= JOBS_MAX:
                raise WorkerBusy("too many recordings wait to be dealt; try again")
            self._waiting[answer] = None
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name=self._name, daemon=True)
                self._thread.start()
        self._jobs.put(lambda: self._do(call, answer))
        return answer

    def close(self) -> None:
        """Do nothing more, and wait for nothing. May be called twice."""
        with self._lock:
            self._closed = True
            waiting = list(self._waiting)
        for answer in waiting:
            with contextlib.suppress(InvalidStateError):
                answer.set_exception(WorkerBusy("the console is ending"))
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
        except BaseException as error:  # whatever it is belongs to whoever waits for it
            with contextlib.suppress(InvalidStateError):
                answer.set_exception(error)
        else:
            with contextlib.suppress(InvalidStateError):
                answer.set_result(result)
        finally:
            with self._lock:
                self._waiting.pop(answer, None)
