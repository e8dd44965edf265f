"""The console's end of its connection to the table service: a hub whose tables are in another process.

It has the reader's side of `Hub`. If the service does not respond, every table is shown as unknown since then, and
requests are refused instead of being sent again: each is carried out once or not at all.
"""

import contextlib
import os
import socket
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Final

from dealwire.hub.hub import Hub, Request
from dealwire.hub.log_view import LogView
from dealwire.hub.view import TableView, UnknownView
from dealwire.hub.wire import (
    ALL,
    VERSION,
    Asking,
    ConsoleAccess,
    ConsoleAsk,
    ConsoleHello,
    ConsoleLook,
    ConsoleWant,
    ServiceAnswer,
    ServiceAway,
    ServiceBye,
    ServiceHello,
    ServiceLog,
    ServiceNow,
    ServiceView,
    Telling,
    WireRefused,
    framed,
    telling,
)
from dealwire.version import __version__
from devices.clock import SystemClock
from protocol.errors import DealwireError

LOOK_S: Final = 0.5
"""Longest wait for views that no one watched."""
SEND_S: Final = 2.0
"""Longest wait for the service to take a message."""
MUTE_NS: Final = 10_000_000_000
"""Time without a message after which the service does not respond; it sends one a second."""
WANTED_MAX: Final = 512
AWAY: Final = "the table service does not respond"
_TEXT_MAX: Final = 300


class OwnerRefused(DealwireError):
    """The owner refused a request; the text is the owner's."""


class OtherVersion(DealwireError):
    """Console and service are of different releases."""

    def __init__(self, theirs: str) -> None:
        super().__init__(f"this console is of version {__version__}, the service of {theirs}: restart the console")


class RemoteClock:
    """The tables' time: this process's clock, corrected by the newest time that the service sent."""

    def __init__(self) -> None:
        self._host = SystemClock()
        self._offset_ns = 0

    def set(self, now_ns: int) -> None:
        """Take the tables' time."""
        self._offset_ns = now_ns - self._host.now_ns()

    def now_ns(self) -> int:
        """Return the tables' time."""
        return self._host.now_ns() + self._offset_ns

    def hold(self) -> int:
        """Return the time: nothing here is done in turns."""
        return self.now_ns()

    def release(self) -> None:
        """End what `hold` began: nothing."""


class RemoteHub(Hub):
    """The hub of a service in another process. `serve` handles one connection; all else is for any thread."""

    def __init__(self) -> None:
        super().__init__()
        self.clock = RemoteClock()
        self.hello: ServiceHello | None = None
        """The first message of the service; None before."""
        self.farewell = ""
        """Reason that the service gave for the end of the connection; empty if none."""
        self._end: socket.socket | None = None
        self._sending, self._wanting = threading.Lock(), threading.Lock()
        self._watching: dict[Callable[[str], None], Callable[[str], bool]] = {}
        self._wanted: tuple[str, ...] = ()
        self._numbers = 0
        self._looks, self._looked = 0, 0
        self._news = threading.Condition()
        self._open: dict[int, Future[str]] = {}

    # ------------------------------------------------------------------ the connection

    def serve(self, end: socket.socket) -> None:
        """Take the service's messages until either end closes the connection. WireRefused if something else came,
        OtherVersion from a service of another release."""
        frames, host = telling(), SystemClock()
        heard_ns = host.now_ns()
        end.settimeout(SEND_S)
        with self._sending:
            self._end, self._wanted, self.farewell = end, (), ""
        self._say(ConsoleHello(VERSION, __version__, os.getpid()))
        try:
            while self._end is end:
                try:
                    data = end.recv(65_536)
                except TimeoutError:
                    if host.now_ns() - heard_ns > MUTE_NS:
                        return
                    continue
                if not data:
                    return
                heard_ns = host.now_ns()
                for message in frames.feed(data):
                    self._take(message)
                if self.farewell:
                    return
        except OSError:
            return
        finally:
            self._lose(end)

    def close(self) -> None:
        """Close the connection; `serve` returns."""
        with self._sending:
            end, self._end = self._end, None
        if end is not None:
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def await_views(self, seconds: float) -> bool:
        """Wait for at most so long; return True once there are a hello and a view of each table."""
        with self._news:
            return self._news.wait_for(
                lambda: self.hello is not None and self.hello.actions.keys() <= self.shown().keys(), seconds
            )

    def _take(self, message: Telling) -> None:
        match message:
            case ServiceHello():
                if (message.version, message.program) != (VERSION, __version__):
                    raise OtherVersion(message.program)
                self.clock.set(message.now_ns)
                self.hello, self.log = message, None  # the log follows at once, if this service has one
            case ServiceView():
                try:
                    view = TableView.model_validate_json(bytes(message.view))
                except ValueError as error:
                    raise WireRefused(f"a view: {str(error)[:100]}") from None
                self.show(view)
            case ServiceLog():
                try:
                    self.show_log(LogView.model_validate_json(bytes(message.log)))
                except ValueError as error:
                    raise WireRefused(f"a log: {str(error)[:100]}") from None
            case ServiceNow():
                self.clock.set(message.now_ns)
                self._looked = max(self._looked, message.looked)
                self._say_wanted()
            case ServiceAnswer():
                self._answer(message)
            case ServiceBye():
                self.farewell = message.why
        with self._news:
            self._news.notify_all()

    def _answer(self, message: ServiceAnswer) -> None:
        answer = self._open.pop(message.id, None)
        if answer is None:
            return
        if message.how == "busy":
            answer.cancel()
        elif not answer.set_running_or_notify_cancel():
            return
        elif message.how == "done":
            answer.set_result(message.text)
        else:
            answer.set_exception(OwnerRefused(message.text))

    def _lose(self, end: socket.socket) -> None:
        """Show every table as unknown from now on. Requests without an answer stay so: they may have been carried
        out."""
        with self._sending:
            if self._end is end:
                self._end = None
        end.close()
        now_ns = self.clock.now_ns()
        self._open.clear()
        for view in self.shown().values():
            self.show(_unknown(view, now_ns))
        if self.log is not None:
            self.show_log(self.log.model_copy(update={"away": True}))
        with self._news:
            self._news.notify_all()

    def _say(self, message: Asking) -> bool:
        """Send a message; False if the service does not take it, after which nothing more is sent."""
        data = framed(message)
        with self._sending:
            end = self._end
            if end is None:
                return False
            try:
                end.sendall(data)
            except OSError:
                self._end = None  # a part may have been sent
                with contextlib.suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)
                return False
        return True

    def _say_wanted(self) -> None:
        """Send which tables are watched, if that has changed."""
        with self._wanting:  # so that two threads do not send them in another order than they found them
            wants = list(self._watching.values())
            wanted = tuple(name for name in self.shown() if any(each(name) for each in wants))
            if wanted != self._wanted:
                self._wanted = wanted
                self._say(ConsoleWant(wanted if len(wanted) <= WANTED_MAX else (ALL,)))

    # ------------------------------------------------------------------ a reader's side of a hub

    def yield_to_owner(self) -> None:
        """Continue at once: the owner has an interpreter of its own."""

    def views(self) -> dict[str, TableView]:
        """Return the newest view of each table. Those that no one watched are made in the next turn of the owner."""
        self._say_wanted()
        with self._news:
            self._looks += 1
            number = self._looks
        if self._say(ConsoleLook(number)):
            with self._news:
                self._news.wait_for(lambda: self._looked >= number or self._end is None, LOOK_S)
        return self.shown()

    def watch(self, wake: Callable[[str], None], wants: Callable[[str], bool] = lambda _: True) -> None:
        """As in `Hub`; `wants` is called from any thread."""
        super().watch(wake, wants)
        self._watching[wake] = wants

    def unwatch(self, wake: Callable[[str], None]) -> None:
        """As in `Hub`."""
        super().unwatch(wake)
        self._watching.pop(wake, None)

    def ask(self, request: Request) -> Future[str]:
        """Send a request to the owner. If it cannot be sent, the future has ServiceAway at once."""
        with self._news:
            self._numbers += 1
            number = self._numbers
            self._open[number] = request.answer
        fields = {name: value if isinstance(value, int) else str(value) for name, value in request.fields.items()}
        message = ConsoleAsk(
            number,
            request.table,
            request.action,
            fields,
            request.who,
            request.origin[:_TEXT_MAX],
            request.user,
            request.proven_ns,
            request.proven_by,
            request.proof,
        )
        if not self._say(message) and self._open.pop(number, None) is not None:
            request.answer.set_exception(ServiceAway())
        return request.answer

    def note_access(self, table: str, text: str) -> None:
        """Send a sentence for the record."""
        self._say(ConsoleAccess(table, text[:_TEXT_MAX]))


def _unknown(view: TableView, now_ns: int) -> TableView:
    """Return a view as one whose table is out of reach since `now_ns`."""
    devices = tuple(each.model_copy(update={"link": "unknown", "since_ns": now_ns}) for each in view.devices)
    return view.model_copy(update={"unknown": UnknownView(since_ns=now_ns, why=AWAY), "devices": devices, "next": ()})
