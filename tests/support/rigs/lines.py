"""The device's side of a line, and ways to run both sides: real links on real lines, driven by a clock we move."""

import os
import tty
from collections.abc import Callable
from typing import Any

from devices.clock import Clock, ManualClock
from devices.line.loop import Owner
from devices.transport.base import LineClosed, Timed, Transport
from protocol.tdp import Commanded, DeviceLink, EventStore, Opened, Output, Send
from protocol.tdp import messages as m

MS = 1_000_000
SECOND = 1_000_000_000


def hello(session: int = 0xC0FFEE01, device_class: int = m.DeviceClass.SHUFFLER, **changes: Any) -> m.HelloReplyMessage:
    facts: dict[str, Any] = {
        "session": session,
        "lowest_major": 1,
        "lowest_minor": 0,
        "highest_major": 1,
        "highest_minor": 0,
        "device_class": device_class,
        "capabilities": m.Capability.CARD_RECOGNITION,
        "boot_count": 7,
        "event_depth": 256,
        "max_frame": 256,
        "maker": "Test Works",
        "model": "Rig",
        "serial": "0001",
        "firmware": "1.0",
        "digest": bytes(32),
    }
    return m.HelloReplyMessage(**{**facts, **changes})


def shuffler_status(session: int, last_event: int, uptime_ms: int) -> m.Message:
    return m.ShufflerStatusMessage(
        session=session,
        last_event=last_event,
        uptime_ms=uptime_ms,
        state=m.ShufflerState.READY,
        lamps=0,
        door_open=0,
        deck=1,
        loaded=52,
        packets=0,
        dispensed=0,
        in_tray=0,
        remainder=0,
        rejected=0,
        faults=(),
    )


def controller_status(session: int, last_event: int, uptime_ms: int) -> m.Message:
    return m.ControllerStatusMessage(session, last_event, uptime_ms, m.ControllerState.BETS_OPEN, 0, 0, ())


class DeviceEnd:
    """A device's link on its end of a line. It answers every command with `done`, and emits events on request."""

    def __init__(
        self,
        transport: Transport,
        clock: Clock,
        greeting: m.HelloReplyMessage | None = None,
        *,
        answers: bool = True,
    ) -> None:
        greeting = greeting or hello()
        report = shuffler_status if greeting.device_class == m.DeviceClass.SHUFFLER else controller_status
        self.store = EventStore()
        self.link = DeviceLink(greeting, report=report, store=self.store)
        self.commands: list[m.Message] = []
        self.opened = False
        self.gone: LineClosed | None = None
        self._transport, self._clock, self._answers = transport, clock, answers
        self._outbox = bytearray()

    def start(self) -> None:
        self._take(self.link.start(self._clock.now_ns()), self._clock.now_ns())

    def emit(self, event: type[m.Event], **fields: Any) -> None:
        now_ns = self._clock.now_ns()
        self._take(self.link.emit(event, now_ns, **fields), now_ns)

    @property
    def next_deadline_ns(self) -> int | None:
        if self.gone is not None:
            return None
        dues = [self.link.next_deadline_ns]
        if isinstance(self._transport, Timed):
            dues.append(self._transport.next_deadline_ns)
        return min((due for due in dues if due is not None), default=None)

    def fileno(self) -> int | None:
        return None if self.gone is not None else self._transport.fileno()

    def wants_write(self) -> bool:
        return bool(self._outbox)

    def set_wake(self, wake: Callable[[], None]) -> None:
        self._transport.on_ready(wake)

    def on_readable(self, now_ns: int) -> None:
        if self.gone is not None:
            return
        try:
            data = self._transport.read()
        except LineClosed as error:
            self.gone = error
            return
        if data:
            self._take(self.link.receive(data, now_ns), now_ns)
        self.on_writable(now_ns)

    def on_writable(self, now_ns: int) -> None:
        try:
            while self._outbox and (taken := self._transport.write(bytes(self._outbox))):
                del self._outbox[:taken]
        except LineClosed as error:
            self.gone = error

    def on_deadline(self, now_ns: int) -> None:
        self._take(self.link.tick(now_ns), now_ns)
        if isinstance(self._transport, Timed):
            self.on_readable(now_ns)

    def close(self) -> None:
        self.gone = self.gone or LineClosed(self._transport.name, "closed by the rig")
        self._transport.close()

    def _take(self, outputs: list[Output], now_ns: int) -> None:
        for output in outputs:
            if isinstance(output, Send):
                self._outbox += output.data
            elif isinstance(output, Opened):
                self.opened = True
            elif isinstance(output, Commanded):
                self.commands.append(output.command)
                if self._answers:
                    reply = m.ReplyMessage(m.Status.DONE, m.Reason.NONE, m.ShufflerState.READY)
                    self._take(self.link.reply(output.request, reply, now_ns), now_ns)
        if self.gone is None:
            self.on_writable(now_ns)


class PtyEnd:
    """The master side of a pty as a device's line; the host opens `path`."""

    def __init__(self) -> None:
        self._master, self._slave = os.openpty()
        tty.setraw(self._slave)
        self.path = self.name = os.ttyname(self._slave)
        os.set_blocking(self._master, False)
        self.closed = False

    def release_slave(self) -> None:
        """Close our copy of the slave, once the host has opened it: from then on the host's close is a hang-up."""
        if self._slave >= 0:
            os.close(self._slave)
            self._slave = -1

    def fileno(self) -> int | None:
        return None if self.closed else self._master

    def on_ready(self, wake: Callable[[], None]) -> None:
        pass

    def read(self) -> bytes:
        try:
            return os.read(self._master, 65536)
        except BlockingIOError:
            return b""
        except OSError as cause:
            raise LineClosed(self.name, "hung up") from cause

    def write(self, data: bytes) -> int:
        try:
            return os.write(self._master, data)
        except BlockingIOError:
            return 0
        except OSError as cause:
            raise LineClosed(self.name, "hung up") from cause

    def close(self) -> None:
        if not self.closed:
            self.closed = True
            self.release_slave()
            os.close(self._master)


def run_manual(owner: Owner, clock: ManualClock, until: Callable[[], bool], limit_ns: int = 60 * SECOND) -> bool:
    """Turn until `until()` holds, moving the clock from deadline to deadline; False at `limit_ns`."""
    end_ns = clock.now_ns() + limit_ns
    while True:
        for _ in range(4):
            owner.turn()
        if until():
            return True
        dues = [due for member in owner.members if (due := member.next_deadline_ns) is not None]
        if not dues or min(dues) > end_ns:
            clock.set(end_ns)
            owner.turn()
            return until()
        clock.set(max(min(dues), clock.now_ns() + 1))
