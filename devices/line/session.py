"""One device on one line, from the first byte to the end of the line. A session is used once; reconnecting creates
another.

`Feed` is the common part of an attached line and a recorded one; `Session` adds the line.
"""

from collections.abc import Callable
from typing import Final

from devices.clock import Clock
from devices.dialects.shuffler import round_counted
from devices.dialects.translation import Driver, Table, TableDriver
from devices.events import Body, BytesDropped, LinkLost, Seen, StatusDiffers
from devices.feed_state import FeedState, LineStanding
from devices.transport.base import Abandonable, LineClosed, Rationed, Timed, Transport
from protocol.errors import LineError, NotUp
from protocol.link import Answered, Link, Missed, Output, Recallable, Reported, Resumable, Send, Started, Unanswered
from protocol.message import Message
from protocol.tdp import state_book as books
from protocol.tdp.messages import (
    DeckRemovedMessage,
    Event,
    MisdealClearedMessage,
    PacketLiftedMessage,
    RemainderDumpedMessage,
    RemainderLiftedMessage,
    ShufflerStatusMessage,
)
from protocol.tdp.outputs import Brought, Delivered, DeviceStatus, Down, Lost, SessionRestarted, StatusSeen, Up

NEVER: Final = 1 << 63
_ANY: Final = -1
_BOOK_CLOSED: Final = frozenset(
    {PacketLiftedMessage, RemainderLiftedMessage, MisdealClearedMessage, DeckRemovedMessage}
)
"""Events after which a status may already describe another round than the one whose remainder came."""

BARREN_MAX: Final = 4096
"""Number of bytes kept from a line without any frame, for a diagnosis."""
OUTBOX: Final = 65536
"""Number of bytes that may wait for a line that accepts none. A frame beyond it is dropped whole, like one lost on the
line."""


class Feed:
    """Converter of bytes and times to `Seen`. It returns the bytes to send.

    Deadlines are handled in order and on time: data that arrives at a moment comes after everything due by then, so a
    recording yields what the line yielded. `after` is the feed of the previous line: a loss that it reported is not
    reported again.
    """

    def __init__(
        self,
        name: str,
        link: Link,
        driver: Driver,
        deliver: Callable[[Seen], None],
        trace: Callable[[Output], None] | None = None,
        *,
        after: "Feed | None" = None,
    ) -> None:
        self.name = name
        self.link = link
        self.session: int = after.session if after is not None else 0
        """The device's session as far as it is known; 0 before."""
        self.lost: str | None = after.lost if after is not None else None
        """Reason why the link was last reported lost; None once it is up again."""
        self.status: DeviceStatus | None = None
        """The device's last report of its whole state; None while the state is unknown."""
        self.settle: Callable[[Answered | Unanswered], None] | None = None
        """Function called for every command that ended."""
        self.bring: Callable[[Brought], None] | None = None
        """Function called with the data that a command requested."""
        self.due_ns = NEVER
        """Next deadline of the link, as of the last output; asking the link itself costs more."""
        self.heard = False
        """True if bytes arrived on this line."""
        self.ended = self.closed = False
        """True if the line is gone. `closed` means for good, so that no other line resumes from it."""
        self.follows = after is not None
        """True if it resumes from a previous line."""
        self._driver, self._deliver, self._trace = driver, deliver, trace
        self._events: Table = driver.events if isinstance(driver, TableDriver) else {}
        self._newest = self._dumped = 0  # event numbers: the newest, and that of a remainder still without a status
        self._entries: books.Entries = driver.booked if isinstance(driver, TableDriver) else {}
        self._book: books.StateBook = after._book.copy() if after is not None else {}
        self._judge_at = 0  # the event by which the next status is checked; _ANY: the newest one at that time
        self._now_ns = 0
        self._passing = False  # True while outputs are being delivered

    def start(self, now_ns: int) -> bytes:
        """Start the link and return the bytes to send."""
        self._now_ns = now_ns
        return self.report(self.link.start(now_ns), now_ns)

    def receive(self, data: bytes, now_ns: int) -> bytes:
        """Process bytes that arrived at `now_ns` and return the bytes to send."""
        out = self.tick(now_ns) if self.due_ns <= now_ns else b""
        self._now_ns, self.heard = now_ns, True
        answer = self.report(self.link.receive(data, now_ns), now_ns)
        return out + answer if out else answer

    def tick(self, now_ns: int) -> bytes:
        """Handle every deadline up to `now_ns`, each at its own time, and return the bytes to send."""
        out = b""
        while (due_ns := self.due_ns) <= now_ns:
            self._now_ns = max(due_ns, self._now_ns)
            out += self.report(self.link.tick(self._now_ns), self._now_ns)
            if self.due_ns == due_ns:
                raise AssertionError(f"{self.name}: a deadline at {due_ns} ns does not pass")
        return out

    def drop(self, dropped: BytesDropped, now_ns: int) -> bytes:
        """Report that bytes which arrived by `now_ns` were dropped, and return the bytes to send."""
        out = self.tick(now_ns)
        self._now_ns, self.heard = now_ns, True
        self._deliver(Seen(self.name, self.session, 0, now_ns, dropped))
        return out + self.report(self.link.skip(now_ns), now_ns)

    def report_fact(self, body: Body, now_ns: int) -> bytes:
        """Deliver a fact about the line that did not arrive on it, valid from `now_ns`, and return the bytes to
        send."""
        out = self.tick(now_ns)
        self._now_ns = now_ns
        self._deliver(Seen(self.name, self.session, 0, now_ns, body))
        return out

    def state(self) -> FeedState | None:
        """Return the received state, from which a listener's feed can resume; None while the feed is not at rest.

        It is not at rest while anything is incomplete, awaited, held back or being delivered. A dialect whose links
        cannot export their state always returns None.
        """
        link = self.link
        if self._passing or self._dumped or self._judge_at == _ANY or not isinstance(link, Recallable):
            return None
        heard = link.heard()
        if heard is None:
            return None
        judge_at = self._judge_at if self._judge_at == self._newest else 0
        return FeedState(self.session, self.lost, heard, self._book.copy(), judge_at)  # type: ignore[arg-type]

    def restore(self, state: FeedState, *, heard: bool) -> None:
        """Resume from `state`. The link must be a listener that was not started.

        `heard` is True if the line on which that state was received is still there. Raise ValueError for the state of
        another dialect.
        """
        link = self.link
        if not isinstance(link, Recallable):
            raise ValueError(f"{self.name}: its dialect cannot go on from what was heard")
        if heard:
            self.start(self._now_ns)
        link.recall(state.link)
        self.session, self.lost, self.heard, self.ended = state.session, state.lost, heard, not heard
        self._book, self._judge_at = state.book.copy(), state.judge_at
        self._newest = state.judge_at
        due_ns = link.next_deadline_ns if heard else None
        self.due_ns = NEVER if due_ns is None else due_ns

    def translate(self, output: Output) -> Body | None:
        """Return the event for an output of the link, or None."""
        return self._driver.translate(output)

    def end(self, now_ns: int, lost: str | None = None) -> None:
        """End the feed: no more bytes will come. `lost` is the reason if the line failed; it is delivered last, once
        per loss."""
        self.tick(now_ns)
        link = self.link
        self.ended, self.closed = True, lost is None
        self._passing = True
        try:
            if lost is not None and isinstance(link, Resumable):
                self.report(link.suspend(now_ns), now_ns)
            else:
                self.report(link.close(now_ns), now_ns)
            if lost is not None and self.lost is None:
                self.lost = lost
                self._deliver(Seen(self.name, self.session, 0, now_ns, LinkLost(lost)))
        finally:
            self._passing = False

    def report(self, outputs: list[Output], at_ns: int) -> bytes:
        """Deliver the outputs that the link returned at `at_ns`, and return the bytes to send."""
        due_ns = self.link.next_deadline_ns
        self.due_ns = NEVER if due_ns is None else due_ns
        out = b""
        trace, deliver, events = self._trace, self._deliver, self._events
        before, self._passing = self._passing, True
        try:
            for output in outputs:
                if trace is not None:
                    trace(output)
                number = 0
                if type(output) is Delivered:
                    message, self.session = output.message, output.session
                    kind, self._newest = message.__class__, (number := message.number)
                    if kind is RemainderDumpedMessage or (self._dumped and kind in _BOOK_CLOSED):
                        self._dumped = number if kind is RemainderDumpedMessage else 0
                    if kind in self._entries:
                        self._enter(message, at_ns)
                    if kind in events:
                        deliver(Seen(self.name, output.session, number, at_ns, events[kind](message)))
                        continue
                elif type(output) is StatusSeen:
                    self.status = output.message
                    if self._dumped or self._judge_at:
                        self._check_status(output.message, at_ns)
                    if events:
                        continue  # a status yields no event of the table
                elif type(output) is Send:
                    out += output.data
                    continue
                elif type(output) is Reported:
                    self.session, number = output.session, output.number
                elif not self._note(output):
                    continue
                body = self._driver.translate(output)
                if body is not None:
                    deliver(Seen(self.name, self.session, number, at_ns, body))
        finally:
            self._passing = before
        return out

    def _check_status(self, status: DeviceStatus, at_ns: int) -> None:
        """Use the first status that includes the event in question and nothing newer than what was received.

        It provides the counts of the round whose remainder came, and is compared with what the events said.
        """
        if status.last_event != self._newest or status.session != self.session:
            return
        if self._dumped and isinstance(status, ShufflerStatusMessage):
            self._dumped = 0
            self._deliver(Seen(self.name, self.session, 0, at_ns, round_counted(status)))
        judge_at = self._judge_at
        if judge_at == _ANY and not status.state:
            return  # the device is still booting
        self._judge_at = 0
        if judge_at in (_ANY, self._newest):
            for found in books.contradictions(self._book, status):
                self._deliver(Seen(self.name, self.session, 0, at_ns, StatusDiffers(*found)))

    def _enter(self, event: Event, at_ns: int) -> None:
        """Enter an event that a status must reflect, or report that the event itself contradicts earlier ones."""
        kind = event.__class__
        if kind in books.CONTRADICTIONS:
            found = books.CONTRADICTIONS[kind](self._book, event)
            if found is not None:
                self._deliver(Seen(self.name, self.session, event.number, at_ns, StatusDiffers(*found)))
        self._judge_at = event.number if self._entries[kind](self._book, event) else 0

    def _restart(self, restarted: SessionRestarted | Lost | Started | Missed) -> None:
        """Reset the book after a change of session or a loss of events."""
        whole = isinstance(restarted, SessionRestarted) and restarted.whole
        self._book = books.after_power(self._book) if whole else {}
        self._judge_at = _ANY if self._book.get("red-lamp") else 0
        if not isinstance(restarted, Lost):
            self._newest = 0

    def _note(self, output: Output) -> bool:
        """Keep the state that `output` reports about the link. Return False for a loss that was already reported."""
        if isinstance(output, Up):
            self.session, self.lost = output.hello.session, None
        elif isinstance(output, Down):
            self.status = None
            known = self.lost is not None if output.error is None else self.lost == output.why
            self.lost = output.why
            return not known
        elif isinstance(output, SessionRestarted | Lost | Started | Missed):
            self.session, self._dumped = output.session, 0
            self._restart(output)
        elif isinstance(output, Answered | Unanswered) and self.settle is not None:
            self.settle(output)
        elif isinstance(output, Brought) and self.bring is not None:
            self.bring(output)
        return True


def standing_of(feed: Feed | None) -> LineStanding | None:
    """Return the state of the line of `feed`; None while it is not at rest.

    A line on which nothing arrived yet has the state in which the previous line was lost.
    """
    if feed is None or feed.closed or not (feed.heard or feed.follows or feed.ended):
        return LineStanding(False, None)
    state = feed.state()
    return None if state is None else LineStanding(feed.heard and not feed.ended, state)


class Session:
    """Member of the owner's loop: one line, its link and its driver.

    `deliver` receives every report in order, in the owner's thread; an exception in it propagates. `trace` receives
    every output of the link. When the line closes, every waiting command ends as `Unanswered` with the line's error as
    its cause, and `LinkLost` is delivered last. `after` is the session on the previous line, or its feed, from which
    this one resumes.
    """

    def __init__(
        self,
        name: str,
        transport: Transport,
        link: Link,
        driver: Driver,
        clock: Clock,
        deliver: Callable[[Seen], None],
        trace: Callable[[Output], None] | None = None,
        *,
        after: "Session | Feed | None" = None,
    ) -> None:
        self.name = name
        self.closed: LineError | None = None
        """Reason why the session ended; None while it runs."""
        self.dropped_frames = 0
        """Number of frames not sent because the line accepted nothing for too long."""
        self._transport, self._link, self._clock = transport, link, clock
        self._timed = transport if isinstance(transport, Timed) else None
        self._rationed = transport if isinstance(transport, Rationed) else None
        self.barren = bytearray()
        """Start of the received bytes, as long as they contain no frame."""
        self._barren = True
        before = after._feed if isinstance(after, Session) else after
        self._feed: Feed = Feed(name, link, driver, deliver, trace, after=before)
        self._feed.settle = self._settle
        self._wake: Callable[[], None] = lambda: None
        self._arrived = False
        self._outbox = bytearray()
        self._waiting: dict[int, Callable[[Answered | Unanswered], None]] = {}

    @property
    def status(self) -> DeviceStatus | None:
        """The device's last report of its whole state, the first thing a late viewer shows; None while it is
        unknown."""
        return self._feed.status

    @property
    def feed(self) -> Feed:
        """The feed, for its state."""
        return self._feed

    @property
    def link(self) -> Link:
        """The link, for its state and counters."""
        return self._link

    def start(self) -> None:
        """Start the conversation."""
        now_ns = self._clock.now_ns()
        self._send(self._feed.start(now_ns), now_ns)

    def request(self, command: Message, done: Callable[[Answered | Unanswered], None] | None = None) -> int:
        """Send a command to the device and return the request id. `done` is called once with the result.

        Raise NotUp, NotPermitted or QueueFull if it cannot be sent.
        """
        if self.closed is not None:
            raise NotUp("closed") from self.closed
        now_ns = self._clock.now_ns()
        request, outputs = self._link.request(command, now_ns)
        if done is not None:
            self._waiting[request] = done
        self._send(self._feed.report(outputs, now_ns), now_ns)
        return request

    def close(self) -> None:
        """End the session and release the line. Waiting commands end as `Unanswered`. May be called twice."""
        now_ns = self._clock.hold()
        try:
            self._end(LineClosed(self._transport.name, "closed by this program"), now_ns, None)
        finally:
            self._clock.release()

    def abandon(self, why: str) -> None:
        """End the session because its line is no longer trusted. It counts as lost for everyone."""
        now_ns = self._clock.hold()  # one time for the loss and its consequences, as in a record of the line
        try:
            if isinstance(self._transport, Abandonable):
                self._transport.abandon(why)
            self._end(LineClosed(self._transport.name, why), now_ns, why)
        finally:
            self._clock.release()

    # -------------------------------------------------------------- called by the owner

    @property
    def next_deadline_ns(self) -> int | None:
        """Deadline of the link or the line, whichever comes first."""
        if self.closed is not None:
            return None
        due = self._feed.due_ns
        arrival = None if self._timed is None or self._arrived else self._timed.next_deadline_ns
        if arrival is not None and arrival < due:
            return arrival
        return None if due == NEVER else due

    def fileno(self) -> int | None:
        """Return the line's descriptor."""
        return None if self.closed is not None else self._transport.fileno()

    def wants_write(self) -> bool:
        """Return True while bytes wait for room."""
        return bool(self._outbox)

    def set_wake(self, wake: Callable[[], None]) -> None:
        """Pass `wake` on to the line."""
        self._wake = wake
        self._transport.on_ready(wake)

    def on_readable(self, now_ns: int) -> None:
        """Read once, deliver the result, and answer."""
        if self.closed is not None:
            return
        self._arrived = False
        try:
            data = self._transport.read()
        except LineError as cause:
            self._lose(cause, now_ns)
            return
        rationed, out = self._rationed, b""
        for dropped in rationed.take_dropped() if rationed is not None else ():
            out += self._feed.drop(dropped, now_ns)
        if data:
            out += self._feed.receive(data, now_ns)
            if self._barren:
                self._look_at(data)
            if rationed is not None:
                rationed.count_frames(len(data), self._link.stats.frames)
        if out:
            self._send(out, now_ns)
        if self._outbox:
            self.on_writable(now_ns)  # a line without a descriptor also wakes us when it has room again

    def report_fact(self, body: Body, now_ns: int) -> None:
        """Deliver a fact about the line that did not arrive on it. No effect after the session ended."""
        if self.closed is None and (out := self._feed.report_fact(body, now_ns)):
            self._send(out, now_ns)

    def _look_at(self, data: bytes) -> None:
        """Keep the start of the received bytes until they contain a frame."""
        if self._link.stats.frames:
            self._barren = False
            self.barren.clear()
        elif len(self.barren) < BARREN_MAX:
            self.barren += data[: BARREN_MAX - len(self.barren)]

    def on_writable(self, now_ns: int) -> None:
        """Send the waiting bytes, as far as the line accepts them."""
        try:
            while self._outbox and self.closed is None:
                taken = self._transport.write(bytes(self._outbox))
                if not taken:
                    break
                del self._outbox[:taken]
        except LineError as cause:
            self._lose(cause, now_ns)

    def on_deadline(self, now_ns: int) -> None:
        """Handle the link's deadlines. The line is read and written after the deadlines of all members, at the turn's
        time."""
        if self.closed is not None:
            return
        self._queue(self._feed.tick(now_ns))
        arrival = self._timed.next_deadline_ns if self._timed is not None and not self._arrived else None
        if arrival is not None and arrival <= now_ns:
            self._arrived = True
        if self._outbox or self._arrived:
            self._wake()

    # -------------------------------------------------------------- inside

    def _send(self, data: bytes, now_ns: int) -> None:
        self._queue(data)
        self.on_writable(now_ns)

    def _queue(self, data: bytes) -> None:
        if len(self._outbox) + len(data) > OUTBOX:
            self.dropped_frames += 1
        elif self.closed is None:
            self._outbox += data

    def _settle(self, output: Answered | Unanswered) -> None:
        if isinstance(output, Unanswered) and self.closed is not None:
            output.error.__cause__ = self.closed
        done = self._waiting.pop(output.request, None)
        if done is not None:
            done(output)

    def _lose(self, cause: LineError, now_ns: int) -> None:
        self._end(cause, now_ns, cause.why if isinstance(cause, LineClosed) else str(cause))

    def _end(self, cause: LineError, now_ns: int, lost: str | None) -> None:
        if self.closed is not None:
            return
        self.closed = cause
        self._transport.close()
        self._outbox.clear()
        for dropped in self._rationed.take_dropped() if self._rationed is not None else ():
            self._feed.drop(dropped, now_ns)  # the answer is discarded, because the line is closed
        self._feed.end(now_ns, lost)
