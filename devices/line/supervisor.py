"""Reconnection to one device: whenever its line is lost, the next session is created on the next line.

Reconnecting is implemented here once, above every driver and every kind of line. A session is used once, and the next
one resumes where it stopped. While the device is in the same power-up session it sends the unacknowledged events again,
and nothing is lost. If it restarted, or no longer has them, that is reported as it is after silence. After a loss the
device counts as unknown until its status arrived and every event in between was read.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from devices.clock import Clock
from devices.dialects.translation import Driver
from devices.events import BytesDropped, LinkLost, Seen
from devices.feed_state import LineStanding
from devices.line.session import Feed, Session, standing_of
from devices.listed import NotedBadges
from devices.transport.base import Transport
from devices.transport.opening import Opener, Opening
from protocol.errors import DealwireError, LineClosed, LineError, LineGarbled, NotUp
from protocol.link import Answered, Link, Output, Resumable, Unanswered
from protocol.tdp.messages import Message
from protocol.tdp.outputs import DeviceStatus

_log = logging.getLogger(__name__)

MS: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Pace:
    """Timing of a supervisor, in nanoseconds."""

    first_ns: int = 200 * MS
    """Delay between the first two failed tries; doubled after each failure."""
    most_ns: int = 10_000 * MS
    """Maximum delay between two tries."""
    garbled_ns: int = 3_000 * MS
    """Time after which an open line that sent bytes but no frame is reported as garbled."""
    stale_ns: int = 10_000 * MS
    """Time after which an open line that sent nothing valid is closed and reopened. A serial server that lost power, a
    hung adapter, and a terminal that another program took over all look like this."""

    def delay_ns(self, failures: int) -> int:
        """Return the delay after so many failures in a row."""
        return min(self.first_ns << min(failures - 1, 32), self.most_ns) if failures else 0


class LineState(StrEnum):
    """Knowledge about the device."""

    WAITING = "there is no line"
    UNKNOWN = "there is a line, but the device's state is not known"
    KNOWN = "the device's state is known"
    CLOSED = "closed"


GARBLED_BYTES: Final = 32
"""Number of noise bytes from which a line without frames counts as garbled; less may come from plugging it in."""


class Supervisor:
    """Member of the owner's loop: one device, on any line in succession.

    - `make_link`: makes the link of the first line, and of every line of a device without sessions
    - `deliver`, `trace`: as in `Session`. A loss is delivered as one `LinkLost`, however often the line fails until the
      device is up again.
    - `reconnect`: if False, it ends with the first line, as with `Opener.final`
    - `after`: feed of a line that another program lost; the first session resumes from it, and `make_link` must too
    - `why_barren`: the dialect's diagnosis of bytes without a frame
    - `called`: name in the log, if `name` alone does not distinguish it
    """

    def __init__(
        self,
        name: str,
        opener: Opener,
        make_link: Callable[[], Link],
        driver: Driver,
        clock: Clock,
        deliver: Callable[[Seen], None],
        trace: Callable[[Output], None] | None = None,
        *,
        reconnect: bool = True,
        pace: Pace = Pace(),
        after: Feed | None = None,
        why_barren: Callable[[bytes], str] = lambda _: "",
        called: str = "",
    ) -> None:
        self.name = name
        self._called, self._says = called or name, f"{called}: " if called else ""
        self.closed: DealwireError | None = None
        """Reason why no further line will be opened; None while one may be."""
        self.failures = 0
        """Number of attempts in a row that did not bring the device up."""
        self.losses = 0
        """Number of times that an open line was lost."""
        self.error: LineError | None = None
        """Reason why there is no line, or why the last one ended."""
        self._opener, self._driver, self._clock, self._trace = opener, driver, clock, trace
        self._deliver, self._make_link = deliver, make_link
        self._reconnects, self._pace = reconnect and not opener.final, pace
        self._session: Session | None = None
        self._kept: Resumable | None = None
        self._last: Session | None = None
        self._after, self._why_barren = after, why_barren
        self._opening: Opening | None = None
        self._garbled: LineGarbled | None = None
        self._wake: Callable[[], None] = lambda: None
        self._heard = 0, 0
        self._opened_ns = 0
        self._retry_ns: int | None = None
        self._ripe = self._stale = self._garbled_checked = False

    # -------------------------------------------------------------- the face

    @property
    def state(self) -> LineState:
        """Current knowledge about the device."""
        if self.closed is not None:
            return LineState.CLOSED
        if self._session is None:
            return LineState.WAITING
        known = self._session.status is not None and self._kept is not None and self._kept.complete
        return LineState.KNOWN if known else LineState.UNKNOWN

    @property
    def session(self) -> Session | None:
        """Session on the current line; None without a line."""
        return self._session

    @property
    def opening(self) -> bool:
        """True while an attempt to open the line waits for a network."""
        return self._opening is not None

    @property
    def status(self) -> DeviceStatus | None:
        """The device's last report of its whole state; None while it is unknown."""
        return self._session.status if self._session is not None else None

    @property
    def problem(self) -> DealwireError | None:
        """Problem that a person should look into: no line, wrong device, unsupported version, wrong baud rate."""
        if self._session is None:
            return self.error
        return (self._kept.problem if self._kept is not None else None) or self._garbled

    @property
    def garbled_so_far(self) -> LineGarbled | None:
        """Garbled state of a line that sent bytes but no frame, even before it is reported."""
        frames, noise = self.heard
        return self._garbled_by(noise) if not frames and noise >= GARBLED_BYTES else None

    def standing(self) -> LineStanding | None:
        """Return the state of the line, equal to that of a `Player` on the record of its lines.

        None while it is not at rest, or while a deadline is overdue.
        """
        session, last = self._session, self._last
        feed = session.feed if session is not None else last.feed if last is not None else self._after
        if feed is not None and feed.due_ns <= self._clock.now_ns():
            return None
        return standing_of(feed)

    @property
    def heard(self) -> tuple[int, int]:
        """Number of frames, and of bytes that belong to none, on all its lines so far."""
        frames, noise = self._heard
        if self._session is None:
            return frames, noise
        stats = self._session.link.stats
        return frames + stats.frames, noise + stats.noise_bytes

    @property
    def keeps_sessions(self) -> bool:
        """True while there is a line to a device that keeps sessions, and which therefore signals its presence when
        idle."""
        return self._session is not None and self._kept is not None

    def begin(self, transport: Transport) -> None:
        """Start with a line that is already open. An interactive program opens it first, so that a failure shows at
        once."""
        self._adopt(transport)

    def start(self) -> None:
        """Open the line in the owner's next turn, and keep trying."""
        self._retry_ns = self._clock.now_ns()

    def request(self, command: Message, done: Callable[[Answered | Unanswered], None] | None = None) -> int:
        """Send a command, as `Session.request` does. Raise NotUp without a line. A command of a lost line is never
        repeated."""
        if self._session is None:
            raise NotUp("waiting for its line") from self.error
        request = self._session.request(command, done)
        self._check_line(self._clock.now_ns())
        return request

    def close(self, wait_s: float = Opening.JOIN_S) -> None:
        """Release the line, or give up waiting for it. May be called twice.

        Wait at most `wait_s` for an attempt to open it.
        """
        if self.closed is None:
            self.closed = LineClosed(self.name, "closed by this program")
        opening, self._opening = self._opening, None
        if opening is not None:
            opening.cancel(wait_s)
        if self._session is not None:
            self._session.close()

    def abandon(self, why: str) -> None:
        """Treat the open line as lost and reopen it."""
        if self._session is not None and self.closed is None:
            self._session.abandon(why)
            self._check_line(self._clock.now_ns())

    # -------------------------------------------------------------- called by the owner

    @property
    def next_deadline_ns(self) -> int | None:
        """Deadline of the session, of the check for garbage or silence, or of the next try."""
        if self.closed is not None:
            return None
        if self._session is None:
            return self._retry_ns
        due_ns = self._session.next_deadline_ns
        for own_ns in (self._garbled_due_ns(), self._stale_due_ns()):
            if own_ns is not None and (due_ns is None or own_ns < due_ns):
                due_ns = own_ns
        return due_ns

    def fileno(self) -> int | None:
        """Return the line's descriptor."""
        return self._session.fileno() if self._session is not None else None

    def wants_write(self) -> bool:
        """Return True while bytes wait for room."""
        return self._session is not None and self._session.wants_write()

    def set_wake(self, wake: Callable[[], None]) -> None:
        """Keep `wake` for every future line."""
        self._wake = wake
        if self._session is not None:
            self._session.set_wake(wake)

    def on_readable(self, now_ns: int) -> None:
        """Read the line, take one that was opened, or open one."""
        if self.closed is not None:
            return
        if self._opening is not None:
            self._take_opened(now_ns)
        elif self._session is None:
            # Only after a deadline: the loop must have unregistered the old descriptor before the next line opens.
            if self._ripe:
                self._try(now_ns)
        elif self._stale:
            self._session.abandon(f"nothing valid heard for {self._pace.stale_ns / 1e9:g} s")
            self._check_line(now_ns)
        else:
            self._session.on_readable(now_ns)
            self._check_line(now_ns)

    def on_writable(self, now_ns: int) -> None:
        """Send the waiting bytes."""
        if self._session is not None:
            self._session.on_writable(now_ns)
            self._check_line(now_ns)

    def on_deadline(self, now_ns: int) -> None:
        """Handle the session's deadlines. Anything that touches a line waits until the end of the turn."""
        session = self._session
        if session is None:
            if self._retry_ns is not None and self._retry_ns <= now_ns:
                self._retry_ns, self._ripe = None, True
                self._wake()
            return
        due_ns = session.next_deadline_ns
        if due_ns is not None and due_ns <= now_ns:
            session.on_deadline(now_ns)
        garbled_ns, stale_ns = self._garbled_due_ns(), self._stale_due_ns()
        if garbled_ns is not None and garbled_ns <= now_ns:
            self._check_garbled(session)
        if stale_ns is not None and stale_ns <= now_ns:
            self._stale = True
            self._wake()

    # -------------------------------------------------------------- a line comes

    def _try(self, now_ns: int) -> None:
        self._ripe = False
        if self._opener.may_wait:
            self._opening = Opening(self._opener.open, self._wake)
            return
        try:
            transport = self._opener.open()
        except LineError as error:
            self._fail(error, now_ns)
        else:
            self._adopt(transport)

    def _take_opened(self, now_ns: int) -> None:
        assert self._opening is not None
        try:
            transport = self._opening.result()
        except LineError as error:
            self._opening = None
            self._fail(error, now_ns)
            return
        if transport is not None:
            self._opening = None
            self._adopt(transport)

    def _adopt(self, transport: Transport) -> None:
        before = self._last
        link: Link
        if before is not None and isinstance(before.link, Resumable):
            link = before.link.successor()
        else:
            link = self._make_link()
        self._session = session = Session(
            self.name,
            transport,
            link,
            self._driver,
            self._clock,
            self._pass_on,
            self._trace,
            after=before if before is not None else self._after,
        )
        # Checked once, because the isinstance check costs more than a look at the line.
        self._kept = link if isinstance(link, Resumable) else None
        self._opened_ns = self._clock.now_ns()
        self._garbled_checked = self._stale = False
        session.set_wake(self._wake)
        session.start()
        self._check_line(self._opened_ns)

    def _pass_on(self, seen: Seen) -> None:
        if type(seen.body) not in (LinkLost, BytesDropped, NotedBadges) and (self.failures or self._garbled):
            if self.failures:
                waited = f"{self.failures} {'try' if self.failures == 1 else 'tries'}"
                _log.warning("%s: back on its line after %s", self._called, waited)
            self.failures, self._garbled, self.error = 0, None, None
        self._deliver(seen)

    # -------------------------------------------------------------- a line goes

    def _check_line(self, now_ns: int) -> None:
        """Check whether the line is still there. Call this after anything that touched it."""
        session = self._session
        if session is None or session.closed is None or self.closed is not None:
            return
        self._heard = self.heard
        self._session, self._last = None, session
        self.losses += 1
        if not self._reconnects:
            self.closed = self.error = session.closed
            return
        self._fail(session.closed, now_ns)

    def _fail(self, error: LineError, now_ns: int) -> None:
        """Report the missing line once, and set the time of the next try."""
        if self.failures:
            _log.debug("%s%s (try %d)", self._says, error, self.failures + 1)
        else:
            _log.warning("%s%s; retrying until it is back", self._says, error)
        # Retry at once after the first loss: the usual cause is a loose plug or a server that restarted.
        lost_first = error is (self._last.closed if self._last is not None else None) and not self.failures
        self.failures += 1
        tries = self.failures - 1 if lost_first else self.failures
        self.error = error
        self._retry_ns = now_ns + self._pace.delay_ns(tries)

    # -------------------------------------------------------------- a line that says nothing of use

    def _garbled_due_ns(self) -> int | None:
        return None if self._garbled_checked else self._opened_ns + self._pace.garbled_ns

    def _check_garbled(self, session: Session) -> None:
        self._garbled_checked = True
        stats = session.link.stats
        if not stats.frames and stats.noise_bytes >= GARBLED_BYTES:
            found = self._garbled_by(stats.noise_bytes)
            if self._garbled is None:
                _log.warning("%s%s", self._says, found)
            self._garbled = found

    def _garbled_by(self, noise: int) -> LineGarbled:
        """Return the error for so many bytes without a frame, with a diagnosis of their start."""
        begun = bytes(self._session.barren) if self._session is not None else b""
        return LineGarbled(self.name, noise, self._why_barren(begun) if begun else "")

    def _stale_due_ns(self) -> int | None:
        session = self._session
        if not self._reconnects or self._stale or session is None:
            return None
        link = self._kept
        # A device without sessions is silent while it is idle, so silence means nothing.
        if link is None or link.alive:
            return None
        return max(self._opened_ns, link.heard_ns) + self._pace.stale_ns
