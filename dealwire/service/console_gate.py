"""The service's end of its consoles, which are processes of their own: views go out, requests come in.

One thread with a selector serves every connection. The owner's thread only notes that a view is new. A connection has
one place a table, for the newest view, and never a queue; one that takes nothing for `CUT_S` is cut.
"""

import contextlib
import logging
import os
import selectors
import socket
import struct
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from typing import Final

import msgspec

from dealwire.hub.hub import Hub, Request
from dealwire.hub.log_view import LogView
from dealwire.hub.view import TableView
from dealwire.hub.wire import (
    ALL,
    Asking,
    ConsoleAccess,
    ConsoleAsk,
    ConsoleHello,
    ConsoleLook,
    ConsoleWant,
    ServiceAnswer,
    ServiceBye,
    ServiceHello,
    ServiceLog,
    ServiceNow,
    ServiceView,
    WireRefused,
    asking,
    framed,
)
from devices.clock import Clock, SystemClock
from protocol.printable import printable

_log = logging.getLogger("dealwire")

LINES_MAX: Final = 2
"""Consoles at once: an old one that ends, and a new one."""
GREET_S: Final = 5.0
"""Time for a process that connected by itself to greet; a console greets at once."""
SILENT_MAX: Final = 8
"""Connections that have not greeted yet. They take no console's place: one more cuts the oldest of them."""
ASKS_MAX: Final = 64
"""Requests of one console without an answer; more are refused as busy."""
ACCESS_MAX: Final = 60
"""Sentences about sign-ins and refusals of one console in a minute; more are counted."""
ENOUGH: Final = 256 * 1024
"""Bytes waiting to be taken, beyond which no further view is added."""
CUT_S: Final = 10.0
"""Time without anything taken, after which a console is cut."""
SECOND_NS: Final = 1_000_000_000
BEAT_S: Final = 1.0
RECEIVED: Final = 64 * 1024
MINUTE_S: Final = 60.0


class _Line:
    """One connection."""

    def __init__(self, end: socket.socket, now_s: float) -> None:
        self.end, self.pid = end, 0
        self.user: int | None = None
        """The user of a process that connected by itself; None for our own child."""
        self.frames = asking()
        self.greeted = False
        self.wants: frozenset[str] = frozenset()
        self.out = bytearray()
        self.places: dict[str, None] = {}
        """Tables whose newest view is to be sent, in order."""
        self.sent: dict[str, TableView] = {}
        self.log: LogView | None = None
        """State of the log that was sent last."""
        self.looked = 0
        """Number of a `look` that is answered once the places are empty; 0 for none."""
        self.open: set[int] = set()
        self.answers: deque[ServiceAnswer] = deque()
        """Appended by the owner's thread."""
        self.came_s = self.taken_s = now_s
        """Times at which it connected, and took something or nothing waited."""
        self.minute_s, self.noted = now_s, 0

    def wants_view(self, table: str) -> bool:
        return table in self.wants or ALL in self.wants

    @property
    def is_silent(self) -> bool:
        """True if it has not greeted, and nobody but this gate would cut it. Our own child is watched already."""
        return not self.greeted and self.user is not None


def peer_of(end: socket.socket) -> tuple[int, int, int] | None:
    """Return process, user and group of the other end of a local socket; None where the system does not tell."""
    option = getattr(socket, "SO_PEERCRED", None)
    if option is None:
        return None
    pid, uid, gid = struct.unpack("3i", end.getsockopt(socket.SOL_SOCKET, option, 12))
    return pid, uid, gid


class ConsoleGate:
    """Serves consoles. `hello` is what each gets first; `note_access` as of the service. `listener` accepts further
    ones, of users for whom `may` returns True. Call `start`, and `stop` at the end."""

    def __init__(
        self,
        hub: Hub,
        clock: Clock,
        hello: Callable[[], ServiceHello],
        note_access: Callable[[str, str], None],
        *,
        listener: socket.socket | None = None,
        may: Callable[[int, int], bool] = lambda _uid, _gid: True,
    ) -> None:
        self._hub, self._clock, self._hello, self._note_access = hub, clock, hello, note_access
        self._listener, self._may = listener, may
        self._host = SystemClock()
        self._lines: list[_Line] = []
        self._new: deque[tuple[socket.socket, int | None]] = deque()
        self._moved: deque[str] = deque()
        self._wanted: frozenset[str] = frozenset()
        """Tables that some console wants. The owner's thread reads it, so it is replaced as a whole."""
        self._bell, self._heard = socket.socketpair()
        self._rung = False
        self._ending, self._closing = "", False
        self._over = threading.Event()
        self._selector = selectors.DefaultSelector()
        self._thread = threading.Thread(target=self._run, name="console gate", daemon=True)

    # ------------------------------------------------------------------ from other threads

    def start(self) -> None:
        """Start serving."""
        for end in (self._bell, self._heard):
            end.setblocking(False)
        self._selector.register(self._heard, selectors.EVENT_READ)
        if self._listener is not None:
            self._listener.setblocking(False)
            self._selector.register(self._listener, selectors.EVENT_READ)
        self._hub.watch(self._wake, self._wants)
        self._thread.start()

    def adopt(self, end: socket.socket) -> None:
        """Serve a connection that this process made."""
        self._new.append((end, None))
        self._ring()

    def connected(self, pid: int = 0) -> bool:
        """True while a console is connected, or that of one process."""
        return any(line.greeted and pid in (0, line.pid) for line in self._lines)

    def stop(self, why: str, patience_s: float) -> None:
        """Tell every console that the service ends, wait until they have gone, and close."""
        self._hub.unwatch(self._wake)
        self._ending = why
        self._ring()
        self._over.wait(patience_s)
        self._closing = True
        self._ring()
        self._thread.join(patience_s)

    def _wants(self, table: str) -> bool:
        return table in self._wanted or ALL in self._wanted

    def _wake(self, table: str) -> None:
        """Note that a table has a new view. Called from the owner's thread."""
        self._moved.append(table)
        self._ring()

    def _ring(self) -> None:
        if self._rung:  # one byte covers all that changed since
            return
        self._rung = True
        with contextlib.suppress(OSError):  # full, or the gate is closed
            self._bell.send(b"\0")

    # ------------------------------------------------------------------ in the gate's thread

    def _run(self) -> None:
        next_s = 0.0
        announced = False
        try:
            while not self._closing:
                for key, mask in self._selector.select(BEAT_S):
                    self._on_event(key.fileobj, mask)
                now_s = self._host.now_ns() / SECOND_NS
                self._take_new(now_s)
                if self._ending and not announced:
                    announced = True
                    for line in self._lines:
                        line.out += framed(ServiceBye(self._ending)) if line.greeted else b""
                self._take_moved()
                if now_s >= next_s:
                    next_s = now_s + BEAT_S
                    self._beat(now_s)
                for line in list(self._lines):
                    self._send(line, now_s)
                if announced and not self._lines:
                    self._over.set()
        except Exception as error:  # the tables continue without a console
            self._hub.count_fault("console gate", error)
        finally:
            self._over.set()
            self._close()

    def _close(self) -> None:
        for line in list(self._lines):
            self._drop(line, "")
        while self._new:
            self._new.popleft()[0].close()
        self._selector.close()
        for end in (self._bell, self._heard, *([self._listener] if self._listener is not None else [])):
            end.close()

    def _on_event(self, what: object, mask: int) -> None:
        if what is self._heard:
            with contextlib.suppress(BlockingIOError):
                self._heard.recv(4096)
            self._rung = False  # before reading what moved: later changes must ring again
        elif what is self._listener:
            self._accept()
        elif mask & selectors.EVENT_READ:
            line = next((each for each in self._lines if each.end is what), None)
            if line is not None:
                self._receive(line)

    def _accept(self) -> None:
        assert self._listener is not None
        try:
            end, _ = self._listener.accept()
        except OSError:
            return
        peer = peer_of(end)
        if peer is None or not self._may(peer[1], peer[2]):
            _log.warning("console socket: refused user %s", peer[1] if peer is not None else "unknown")
            end.close()
        else:
            self._new.append((end, peer[1]))

    def _take_new(self, now_s: float) -> None:
        while self._new:
            end, user = self._new.popleft()
            end.setblocking(False)
            self._lines.append(line := _Line(end, now_s))
            line.user = user
            self._selector.register(end, selectors.EVENT_READ)
            silent = [each for each in self._lines if each.is_silent]
            for oldest in silent[:-SILENT_MAX]:
                self._drop(oldest, f"{SILENT_MAX} others that have not greeted came after it")

    def _take_moved(self) -> None:
        moved = set()
        while self._moved:
            moved.add(self._moved.popleft())
        for line in self._lines:
            line.places.update((table, None) for table in moved if line.wants_view(table))

    def _beat(self, now_s: float) -> None:
        for line in list(self._lines):
            if line.is_silent and now_s - line.came_s > GREET_S:
                self._drop(line, f"it did not greet within {GREET_S:g} s")
            elif line.greeted and len(line.out) < ENOUGH:
                self._add_log(line)
                line.out += framed(ServiceNow(self._clock.now_ns()))

    def _add_log(self, line: _Line) -> None:
        log = self._hub.log
        if log is not None and log is not line.log:
            line.log = log
            line.out += framed(ServiceLog(msgspec.Raw(log.model_dump_json().encode())))

    # ------------------------------------------------------------------ output

    def _send(self, line: _Line, now_s: float) -> None:
        self._fill(line)
        if not line.out:
            line.taken_s = now_s
        try:
            while line.out:
                taken = line.end.send(line.out)
                del line.out[:taken]
                line.taken_s = now_s
                self._fill(line)
        except BlockingIOError:
            if now_s - line.taken_s > CUT_S:
                self._drop(line, f"it took nothing for {CUT_S:.0f} s")
                return
        except OSError:
            self._drop(line, "")
            return
        # Nothing more is read from a console that does not take its answers, so that they need no room without an end.
        reads = selectors.EVENT_READ if len(line.out) < ENOUGH else 0
        waits = reads | (selectors.EVENT_WRITE if line.out else 0)
        self._selector.modify(line.end, waits)

    def _fill(self, line: _Line) -> None:
        """Add what waits to the output, the newest view of a table at a time, as long as little waits there."""
        while line.answers:
            answer = line.answers.popleft()
            line.open.discard(answer.id)
            line.out += framed(answer)
        views = self._hub.shown() if line.places else {}
        while line.places and len(line.out) < ENOUGH:
            table = next(iter(line.places))
            del line.places[table]
            view = views.get(table)
            if view is not None and view is not line.sent.get(table):
                self._hub.yield_to_owner()
                line.sent[table] = view
                line.out += framed(ServiceView(msgspec.Raw(view.model_dump_json().encode())))
        if line.looked and not line.places:
            line.out += framed(ServiceNow(self._clock.now_ns(), line.looked))
            line.looked = 0

    # ------------------------------------------------------------------ input

    def _receive(self, line: _Line) -> None:
        try:
            data = line.end.recv(RECEIVED)
            if not data:
                raise ConnectionError
            for message in line.frames.feed(data):
                self._take(line, message)
        except BlockingIOError:
            return
        except WireRefused as refused:
            self._drop(line, refused.why)
        except OSError:
            self._drop(line, "")

    def _take(self, line: _Line, message: Asking) -> None:
        match message:
            case ConsoleHello():
                if sum(each.greeted for each in self._lines) >= LINES_MAX:
                    raise WireRefused(f"{LINES_MAX} consoles are connected already")
                line.pid, line.greeted = message.pid, True
                if line.user is not None:
                    self._note_access("", f"console process {line.pid} of user {line.user} connected")
                line.out += framed(self._hello())
                self._add_log(line)
                line.places.update(dict.fromkeys(self._hub.shown()))
            case ConsoleWant():
                line.wants = frozenset(message.tables)
                self._note_wanted()
            case ConsoleLook():
                views = self._hub.views()
                line.places.update((name, None) for name, view in views.items() if view is not line.sent.get(name))
                line.looked = message.id
            case ConsoleAsk():
                self._ask(line, message)
            case ConsoleAccess():
                self._access(line, message)

    def _ask(self, line: _Line, message: ConsoleAsk) -> None:
        if len(line.open) >= ASKS_MAX:
            line.answers.append(ServiceAnswer(message.id, "busy", ""))
            return
        request = Request(
            message.table,
            message.action,
            message.fields,
            printable(message.who),
            printable(message.origin),
            user=printable(message.user),
            proven_ns=message.proven_ns,
            proven_by=printable(message.proven_by),
            proof=message.proof,
        )
        line.open.add(message.id)

        def answered(answer: Future[str]) -> None:  # in the owner's thread
            line.answers.append(_answer(message.id, answer))
            self._ring()

        self._hub.ask(request).add_done_callback(answered)

    def _access(self, line: _Line, message: ConsoleAccess) -> None:
        now_s = self._host.now_ns() / SECOND_NS
        if now_s - line.minute_s >= MINUTE_S:
            if (left := line.noted - ACCESS_MAX) > 0:
                self._note_access("", f"{left} more sentences about sign-ins and refusals were left out")
            line.minute_s, line.noted = now_s, 0
        line.noted += 1
        if line.noted <= ACCESS_MAX:
            self._note_access(message.table, printable(message.text, None))

    def _drop(self, line: _Line, why: str) -> None:
        """Close a connection. What it asked for is carried out and recorded, and answered to no one."""
        if why:
            user = line.user if line.user is not None else os.geteuid()  # 0 is root
            which = f"console process {line.pid}" if line.greeted else f"a process of user {user}"
            _log.warning("%s: disconnected: %s", which, printable(why))
        self._lines.remove(line)
        with contextlib.suppress(KeyError, ValueError):
            self._selector.unregister(line.end)
        line.end.close()
        self._note_wanted()

    def _note_wanted(self) -> None:
        self._wanted = frozenset().union(*(line.wants for line in self._lines))


def _answer(number: int, answer: Future[str]) -> ServiceAnswer:
    if answer.cancelled():
        return ServiceAnswer(number, "busy", "")
    error = answer.exception()
    if error is not None:
        return ServiceAnswer(number, "refused", str(error))
    return ServiceAnswer(number, "done", answer.result())
