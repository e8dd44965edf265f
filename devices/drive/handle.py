"""A device's line with its own thread: the basis of `open_device`.

The thread owns the line, the session and all state; callers hand it work and wait for the result. So the host keeps
talking to the device while the program is busy, and a lost line is reopened in the background.
"""

import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from devices.clock import Clock, SystemClock
from devices.dialects.translation import Driver
from devices.events import Body, LinkLost, LinkUp, RedLamp, Seen, SessionChanged, SessionReturned
from devices.line.loop import Owner
from devices.line.supervisor import LineState, Supervisor
from devices.record.recording import CaptureWriter
from devices.transport.base import Transport
from devices.transport.opening import Opener
from protocol.errors import (
    CannotWait,
    DealwireError,
    LineClosed,
    LineError,
    NoAnswer,
    NoEvent,
    NotPermitted,
    NotUp,
    Unfinished,
    naming_line,
)
from protocol.faults import fault_text
from protocol.link import Answered, Link, Output, Unanswered
from protocol.message import message_name
from protocol.tdp.commands import role_needed
from protocol.tdp.messages import Message, Reason, ReplyMessage, Role, Status
from protocol.tdp.outputs import Brought, Delivered, Timing

EVENTS_KEPT: Final = 10_000
"""Number of events kept for `events`; older ones are dropped."""

RETRY_S: Final = 2.0
"""Seconds after which a request for data is repeated. The data comes at once, or it was lost after the reply. A
measurement may take longer: the answer to the first request still counts, and a BUSY meanwhile is not a refusal."""

T = TypeVar("T")
B = TypeVar("B", bound=Body)


@dataclass(eq=False, slots=True)
class _Question:
    """A command, with every id under which it was sent."""

    name: str
    message: Message
    refused: Callable[[ReplyMessage], DealwireError]
    """Function that builds the error of a refusal."""
    until: type[Body] | None = None
    """Event that ends the command; without one, the reply ends it."""
    fetches: bool = False
    """True if the requested data ends the command, and the request is repeated until it arrives."""
    requests: set[int] = field(default_factory=set)
    accepted: bool = False
    """True if the device replied that it needs time."""
    failed: DealwireError | None = None
    """Last error that did not end the command."""
    future: "Future[Any]" = field(default_factory=Future)


class OwnedLine:
    """One device on its line, and the thread that owns both. Every method may be called from any thread.

    Events from before the device was known are not delivered. `close` releases everything.
    """

    def __init__(
        self,
        name: str,
        opener: Opener,
        transport: Transport,
        make_link: Callable[[], Link],
        driver: Driver,
        clock: Clock,
        *,
        role: Role,
        timeout_s: float,
        writer: CaptureWriter | None = None,
        address: str | None = None,
    ) -> None:
        self.name, self.timeout_s, self._address = name, timeout_s, address or name
        self.identity: LinkUp | None = None
        """Identification of the device from its last greeting."""
        self._role, self._writer = role, writer
        self._events: deque[Seen] = deque(maxlen=EVENTS_KEPT)
        self._changed = threading.Condition()  # guards _events, _calls and _ended
        self._calls: set[Future[Any]] = set()
        self._ended: Exception | None = None
        self._closing = False
        # Only the owner's thread uses the following.
        self._callbacks: list[Callable[[Seen], object]] = []
        self._raised: BaseException | None = None
        self._caused = 0  # the request that caused the current event
        self._questions: set[_Question] = set()
        self._known: Future[None] = Future()
        self._owner = Owner(clock, after_turn=self._check_known)
        self._supervisor = Supervisor(name, opener, make_link, driver, clock, self._deliver, self._trace)
        self._owner.add(self._supervisor)
        self._supervisor.begin(transport)
        self._owner.call_soon(self._check_known)
        self._thread = threading.Thread(target=self._run, name=f"line of {name}", daemon=True)
        self._thread.start()

    # -------------------------------------------------------------- the callers' side

    def wait_known(self) -> None:
        """Wait until the device's state is known, or as much of it as it ever reports."""
        with naming_line(self._address):
            try:
                self._known.result(self.timeout_s)
            except TimeoutError:
                if self.identity is not None:
                    raise NoEvent("status", self.timeout_s) from None
                tries = int(self.timeout_s * 1e9) // Timing().hello_ns + 1
                raise NoAnswer("Hello", tries, self.timeout_s) from None

    def run_in_owner(self, function: Callable[[], T]) -> T:
        """Run `function` in the owner's thread and return its result."""
        if self._in_owner():
            return function()

        def call(future: Future[Any]) -> None:
            try:
                future.set_result(function())
            except Exception as error:
                future.set_exception(error)

        result: T = self._call(call).result()
        return result

    def status(self) -> Any:
        """Return the device's last report of its whole state. Raise NotUp while it is unknown."""
        status = self.run_in_owner(lambda: self._supervisor.status)
        if status is None:
            raise NotUp("waiting for the device's status") from self.run_in_owner(lambda: self._supervisor.problem)
        return status

    def role(self) -> Role:
        """Return the role that the device granted."""
        session = self.run_in_owner(lambda: self._supervisor.session)
        return getattr(session.link, "role", self._role) if session is not None else self._role

    def command(
        self, message: Message, until: type[B] | None, refused: Callable[[ReplyMessage], DealwireError]
    ) -> B | None:
        """Send a command and wait for the answer, and with `until` for the event of that type which it causes.

        `refused` builds the error of a refusal. Raise Unfinished if the event does not come.
        """
        name, needs = message_name(message), role_needed(type(message))
        self.raise_from_callbacks()
        if needs > self._role:
            raise NotPermitted(name, needs.name.lower(), self._role.name.lower())
        with naming_line(self._address):
            result: B | None = self._wait_for(_Question(name, message, refused, until), self.timeout_s)
        return result

    def link(self) -> Link:
        """Return the link to the device. Raise NotUp while there is no line."""
        session = self.run_in_owner(lambda: self._supervisor.session)
        if session is None:
            raise NotUp("waiting for the device")
        return session.link

    def fetch(self, message: Message, refused: Callable[[ReplyMessage], DealwireError]) -> Brought:
        """Send a command that requests data, and return the data.

        Whatever is lost on the line (request, reply or data) is requested again until the handle's timeout: then raise
        Unfinished, or NoAnswer if the device was silent.
        """
        self.raise_from_callbacks()
        question = _Question(message_name(message), message, refused, fetches=True)
        with naming_line(self._address):
            data: Brought = self._wait_for(question, RETRY_S)
        return data

    def _wait_for(self, question: _Question, patience_s: float) -> Any:
        """Send a request and wait for its end. A request for data is repeated after each `patience_s`."""
        if self._in_owner():
            raise CannotWait(question.name)
        clock = SystemClock()
        end_ns = clock.now_ns() + int(self.timeout_s * 1e9)
        try:
            self._call(lambda _: self._send_question(question), question.future)
            while (left_s := (end_ns - clock.now_ns()) / 1e9) > 0:
                try:
                    return question.future.result(min(left_s, patience_s))
                except TimeoutError:
                    # a device that restarts its work at each request would never finish
                    patience_s *= 2 if question.accepted else 1
                    if question.fetches:
                        self._owner.call_soon(lambda: self._send_question(question))
        finally:
            self._owner.call_soon(lambda: self._questions.discard(question))
        raise question.failed or Unfinished(question.name, f"no result within {self.timeout_s:g} s")

    def _send_question(self, question: _Question) -> None:
        """Send a request, or repeat it.

        An error of the first try ends it at once, except for a missing reply to a request that is repeated. An error of
        a later try may be gone with the next one.
        """

        def done(output: Answered | Unanswered) -> None:
            if isinstance(output, Unanswered):
                cause = output.error.__cause__
                question.failed = output.error
                if isinstance(cause, LineError) or not question.fetches:
                    _settle(question.future, cause if isinstance(cause, LineError) else output.error)
            elif isinstance(output.reply, ReplyMessage) and output.reply.status == Status.REFUSED:
                if len(question.requests) == 1 or output.reply.reason != Reason.BUSY:
                    _settle(question.future, question.refused(output.reply))
            elif question.until is None and not question.fetches:
                _settle(question.future, None)
            else:
                question.accepted |= getattr(output.reply, "status", 0) == Status.ACCEPTED

        if question.future.done():
            return
        try:
            question.requests.add(self._supervisor.request(question.message, done))
        except DealwireError as error:
            if question not in self._questions:
                _settle(question.future, error)
        else:
            self._questions.add(question)

    def on_event(self, callback: Callable[[Seen], object]) -> None:
        """Call `callback` with every event from now on, in the owner's thread."""
        self.raise_from_callbacks()
        self.run_in_owner(lambda: self._callbacks.append(callback))

    def events(self, timeout_s: float | None) -> Iterator[Seen]:
        """Yield the events not taken yet, then new ones, until none came for `timeout_s` or the line ended."""
        while True:
            seen = self._take(timeout_s)
            if seen is not None:
                yield seen
            elif self._ended is None or isinstance(self._ended, LineError):
                return
            else:
                raise self._ended

    def wait_for(self, kind: type[B], timeout_s: float | None) -> B:
        """Return the next event of a kind. Events before it are taken too."""
        clock, patience_s = SystemClock(), self.timeout_s if timeout_s is None else timeout_s
        end_ns = clock.now_ns() + int(patience_s * 1e9)
        while (seen := self._take((end_ns - clock.now_ns()) / 1e9)) is not None:
            if isinstance(seen.body, kind):
                return seen.body
        if self._ended is not None:
            raise self._ended
        raise NoEvent(kind.__name__, patience_s)

    def raise_from_callbacks(self) -> None:
        """Raise the exception of a callback, once."""
        raised, self._raised = self._raised, None
        if raised is not None:
            raise raised

    def close(self) -> None:
        """End the thread and release the line. May be called twice."""
        self._closing = True
        self._owner.call_soon(lambda: None)
        if not self._in_owner():
            self._thread.join()

    def _in_owner(self) -> bool:
        return threading.current_thread() is self._thread

    def _take(self, timeout_s: float | None) -> Seen | None:
        if self._in_owner():
            raise CannotWait("an event")
        with self._changed:
            self._changed.wait_for(lambda: self._events or self._ended or self._raised, timeout_s)
            self.raise_from_callbacks()
            return self._events.popleft() if self._events else None

    def _call(self, function: Callable[["Future[Any]"], None], future: "Future[Any] | None" = None) -> "Future[Any]":
        """Run `function` in the owner's thread. It settles the future that this returns: the given one, or a new
        one."""
        future = Future() if future is None else future
        with self._changed:
            if self._ended is not None:
                raise self._ended
            self._calls.add(future)
        future.add_done_callback(self._calls.discard)
        self._owner.call_soon(lambda: function(future))
        return future

    # -------------------------------------------------------------- the owner's side

    def _run(self) -> None:
        broken: Exception | None = None
        try:
            self._owner.run(lambda: self._closing or self._supervisor.closed is not None)
        except Exception as error:  # raised by the next call
            broken = error
        self._owner.close()
        if self._writer is not None:
            self._writer.close()
        with self._changed:
            self._ended = broken or self._supervisor.closed or LineClosed(self.name, "closed by this program")
            left = [self._known, *self._calls]
            self._changed.notify_all()
        for future in left:
            _settle(future, self._ended)

    def _check_known(self) -> None:
        """Check at the end of a turn whether the device is known by now, or never will be."""
        supervisor = self._supervisor
        if supervisor.problem is not None:
            _settle(self._known, supervisor.problem)
        elif supervisor.state is LineState.KNOWN or not supervisor.keeps_sessions:
            _settle(self._known, None)

    def _trace(self, output: Output) -> None:
        if type(output) is Delivered:
            self._caused = output.request
        elif type(output) is Brought:
            for question in self._questions:
                if output.request in question.requests:
                    _settle(question.future, None, output)

    def _deliver(self, seen: Seen) -> None:
        body = seen.body
        if isinstance(body, LinkUp):
            self.identity = body
        if self._known.done():
            self._publish(seen)
        self._end_commands(body)

    def _publish(self, seen: Seen) -> None:
        with self._changed:
            self._events.append(seen)
            self._changed.notify_all()
        for callback in tuple(self._callbacks):
            try:
                callback(seen)
            except BaseException as error:  # the line continues; the next call raises it
                with self._changed:
                    self._raised = self._raised or error
                    self._changed.notify_all()

    def _end_commands(self, body: Body) -> None:
        """End the command that caused an event, or every command after an event that ends them all."""
        caused, self._caused = self._caused, 0
        why = _stops(body)
        session = self._supervisor.session
        lost = session.closed if session is not None and why else None
        anew = isinstance(body, SessionChanged | SessionReturned | LinkLost)
        for question in self._questions:
            if question.until is not None and caused in question.requests and isinstance(body, question.until):
                _settle(question.future, None, body)
            elif why and question.until is not None:
                _settle(question.future, lost or Unfinished(question.name, why))
            elif anew and question.fetches:
                _settle(question.future, Unfinished(question.name, why))


def _settle(future: Future[Any], error: Exception | None, result: object = None) -> None:
    """Settle a future, unless it is done."""
    if future.done():
        return
    if error is not None:
        future.set_exception(error)
    else:
        future.set_result(result)


def _stops(body: Body) -> str:
    """Return the reason why no started command finishes after this event; empty if it may."""
    match body:
        case RedLamp(lit=True, fault=fault):
            return f"the red lamp was lit: {fault_text(fault)}"
        case SessionChanged() | SessionReturned():
            return "the device restarted"
        case LinkLost(why):
            return f"the link was lost: {why}"
    return ""
