"""Session state of `Reception`: the current session of the device, those it left, and detected restarts."""

from __future__ import annotations

from collections import deque
from typing import Final

from msgspec.structs import replace

from protocol.tdp.attestation import Certificate
from protocol.tdp.event_order import EventOrder
from protocol.tdp.frame_reader import FrameReader
from protocol.tdp.freshness import Digests, Life
from protocol.tdp.heard import TdpHeard
from protocol.tdp.messages import HelloReplyMessage
from protocol.tdp.outputs import Lost, Output, Returned, SessionRestarted, Timing, Up
from protocol.tdp.predecessor import Predecessor
from protocol.tdp.vetting import same_device

ANONYMOUS: Final = 0
"""Session of events received before any session id. Devices never choose it."""
LEFT_MAX: Final = 64
"""Number of earlier sessions to remember."""


class SessionKeeper(FrameReader):
    """The current session with its events in order, and the previous one while its stored events are awaited."""

    def __init__(self, timing: Timing) -> None:
        super().__init__(timing)
        self.session: int | None = None
        self.hello: HelloReplyMessage | None = None
        """Identification of the device in this session; None until its HELLO-REPLY arrived."""
        self.certificate: Certificate | None = None
        """Certificate in that HELLO-REPLY, unverified."""
        self.opened = False
        """True if the device was seen to grant this session and nothing has ended it since."""
        self.refused_hello: HelloReplyMessage | None = None
        """HELLO-REPLY of a device that we cannot talk to; None while the device fits."""
        self.old: Predecessor | None = None
        """The previous session, while its stored events are awaited."""
        self.order = EventOrder(ANONYMOUS, self.stats)
        self.restarts = 0
        """Number of detected restarts under the same session id."""
        self._life = Life()
        self._left: deque[int] = deque(maxlen=LEFT_MAX)  # sessions before this one
        self._returned = False  # the current session is one of them, and this was not reported yet
        self._gate_ns = 0  # until then, events are ignored unless the session is open
        self._resumed = False
        self._echo: tuple[int, int] = (ANONYMOUS, 0)  # a session that ended, and the time until which it may echo

    @property
    def complete(self) -> bool:
        """True if every event that the device is known to have made was delivered."""
        return self.old is None and self.order.started and self.order.last < self.order.expected

    @property
    def wanted(self) -> EventOrder:
        """Session whose events come next: the old one while it is awaited."""
        return self.old.order if self.old is not None else self.order

    def heard(self) -> TdpHeard | None:
        """Return the state that decides further output; None while a frame is incomplete or an event is held back."""
        if not self.idle or self.old is not None or self.order.held:
            return None
        return replace(
            self.left(),
            last=self.order.last,
            opened=self.opened,
            alive=self.alive,
            valid_ns=self._valid_ns,
            gate_ns=self._gate_ns,
            echo=self._echo,
            refused_hello=self.refused_hello,
        )

    def left(self) -> TdpHeard:
        """Return the state that remains valid after the line is gone."""
        order, life = self.order, self._life
        return TdpHeard(
            self.session,
            order.expected,
            self.hello,
            self._resumed,
            tuple(self._left),
            life.boots,
            (life.uptime_ms, life.uptime_ns),
            order.clock_ms,
            order.digests.packed(),
            (order.before.end, order.before.packed()),
            order.boot_due,
            certificate=self.certificate,
            stale_boots=life.stale_boots,
        )

    def recall(self, heard: TdpHeard) -> None:
        """Resume from the state that another reception exported."""
        self.session, self.hello, self._resumed = heard.session, heard.hello, heard.announced
        self.certificate = heard.certificate
        self._left.extend(heard.left_sessions)
        self._life = Life(heard.boots, *heard.uptime, heard.stale_boots)
        self.order = order = EventOrder(heard.session or ANONYMOUS, self.stats, heard.expected)
        order.clock_ms, order.boot_due, order.last = heard.clock_ms, heard.boot_due, heard.last
        order.contents = Digests.unpacked(heard.expected, heard.digests).contents
        order.before = Digests.unpacked(*heard.before)
        self.opened, self.alive = heard.opened, heard.alive
        self._valid_ns, self._gate_ns, self._echo = heard.valid_ns, heard.gate_ns, heard.echo
        self.refused_hello = heard.refused_hello
        self._arm()

    def _enter(self, session: int, now_ns: int, out: list[Output]) -> None:
        """Enter a session that was unknown until now."""
        if self.session is None:
            self.session = self.order.session = session
            return
        self._finish_old(now_ns, out)
        before, self.session = self.order, session
        self._returned = session in self._left
        if self._returned:
            self._left.remove(session)
        self._left.append(before.session)
        self._life = Life()
        self.order = EventOrder(session, self.stats)
        self._echo = before.session, now_ns + self._timing.lost_ns
        self._resumed = False
        self.old = Predecessor(before, now_ns)
        self._close_gate(now_ns)
        if not before.started:
            self._finish_old(now_ns, out)
        self._arm()

    def _finish_old(self, now_ns: int, out: list[Output]) -> None:
        """End the wait for the old session and begin the new one."""
        old = self.old
        if old is None:
            return
        self.old = None
        if old.order.started:
            old.finish(now_ns, self.order.session, out)
        else:
            out.append(SessionRestarted(old.order.session, self.order.session))
        if self._returned:
            self._returned = False
            out.append(Returned(self.order.session))
        if self.opened:
            self._announce(out)
        self.order.start(1, now_ns, out)
        self._arm()

    def _begin_new_life(self, now_ns: int, out: list[Output], first: int = 1) -> None:
        """Begin a new life of the device in the known session. From its event `first` on, events are new."""
        self._finish_old(now_ns, out)
        before, known = self.order, len(out)
        if before.started:
            before.forget_held()  # unknown which life they belong to; those of the new one come again
        else:
            before.start_at_held(now_ns, out)
            before.give_up_all(now_ns, out)
        if before.started:
            before.skip_to(before.last + 1, now_ns, out)
        if not any(isinstance(output, Lost) for output in out[known:]):
            out.append(Lost(before.session, 0, 0))
        out.append(SessionRestarted(before.session, before.session))
        self.order = EventOrder(before.session, self.stats, first, before=before.digests or before.before)
        self._life = Life()
        self._resumed = False
        self.restarts += 1
        self._arm()

    def _announce(self, out: list[Output]) -> None:
        """Report Up, unless the device is unidentified because the recording begins later."""
        if self.hello is not None and self.hello.session == self.session:
            out.append(Up(self.hello, self._resumed, self.certificate))
            self._resumed = True

    def _close_gate(self, now_ns: int) -> None:
        """Ignore events until the session is open. On the very first contact they are held instead."""
        self.opened = False
        self._gate_ns = now_ns + self._timing.lost_ns if self.order.started or self.old else 0

    def _is_another(self, hello: HelloReplyMessage) -> bool:
        """Return True if another piece of equipment drew the session id that we know."""
        known = self.hello
        return known is not None and known.session == hello.session and not same_device(hello, known)

    def _is_echo(self, session: int, now_ns: int) -> bool:
        ended, until_ns = self._echo
        return session == ended and now_ns < until_ns
