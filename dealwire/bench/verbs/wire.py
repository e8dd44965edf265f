"""Line between the bench and the device: real and in real time, or to a simulated table on its own clock."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Final

from dealwire.service.timer import Timer
from devices.clock import Clock, SystemClock
from devices.line.loop import Member, Owner
from devices.simulator.host import TableModel
from devices.transport.base import LineClosed, Transport
from devices.transport.opening import Opener
from protocol.errors import LineError

START_NS: Final = 1_700_000_000_000_000_000
"""Time at which a simulated wire starts, in nanoseconds since 1970."""
STILL_NS: Final = 1_000
"""Nanoseconds by which time advances if a simulated device has something to do at once."""
TICK_NS: Final = 20_000_000
"""Nanoseconds between two measurements of this program's delay on a live wire."""
BITS: Final = 10
"""Bits of a byte on a line, with start and stop bit."""
TURN_S: Final = 0.2
"""Seconds between two attempts to reopen a line."""


class Wire(ABC):
    """Bytes to and from the device, and the time. Only one thread may use it."""

    name: str
    exact: bool
    """True if time stands still while this program works, so that measured times are those of the device alone."""
    sealed: bool = False
    """True if each frame needs room for a tag, so that the longest ones cannot be sent."""
    image: bytes | None = None
    """Firmware image of a simulated device."""

    @abstractmethod
    def now_ns(self) -> int:
        """Return nanoseconds since 1970; they never decrease."""

    @abstractmethod
    def send(self, data: bytes) -> None:
        """Write all of `data`. Raise LineClosed if the line is gone."""

    @abstractmethod
    def wait(self, until_ns: int) -> bytes:
        """Return the next bytes, or `b""` if none arrive until `until_ns`. Raise LineClosed if the line is gone."""

    def carried_ns(self) -> int:
        """Return the time at which the line has carried all sent bytes; the time of an answer starts then."""
        return self.now_ns()

    def own_delay_ms(self) -> float:
        """Return this program's maximum delay since the last call, in milliseconds."""
        return 0.0

    def hang_up(self) -> None:
        """Close the line; `reopen` opens it again. Bytes on their way are lost."""
        return

    def reopen(self, until_ns: int) -> bool:
        """Reopen a lost line. Return False if it is not available by `until_ns`."""
        return True

    def close(self) -> None:
        """Close the line for good. May be called twice."""
        return


class SimulatedWire(Wire):
    """Line to one device of a simulated table in this process. Time passes only in `wait`, from deadline to deadline,
    so that an hour at the table takes seconds and every run is the same."""

    exact = True

    def __init__(self, table: TableModel, device: str) -> None:
        self.name = f"simulated {device}"
        self._table, self._device = table, device
        self._now_ns = START_NS
        table.power_on(self._now_ns)

    def now_ns(self) -> int:
        """Return the table's time."""
        return self._now_ns

    def send(self, data: bytes) -> None:
        """Pass bytes to the device at once."""
        self._table.receive(self._device, data, self._now_ns)

    def wait(self, until_ns: int) -> bytes:
        """Let time pass until the device sends something."""
        while True:
            data = self._table.take_output(self._device, self._now_ns)
            if data or self._now_ns >= until_ns:
                return data
            due = self._table.next_deadline_ns
            if due is None or due > until_ns:
                self._now_ns = until_ns
            else:
                self._now_ns = max(self._now_ns + STILL_NS, due)
            self._table.tick(self._now_ns)


class LiveWire(Wire):
    """Real line in real time, at `baud` bits a second. The members in `beside` run with it, such as the device's end if
    that is simulated."""

    exact = False

    def __init__(
        self,
        name: str,
        opener: Opener,
        *,
        baud: int = 115200,
        clock: Clock | None = None,
        beside: Sequence[Member] = (),
    ) -> None:
        self.name = name
        self._baud, self._carried_ns = baud, 0
        self.clock = clock or SystemClock()
        self._opener = opener
        self.owner = Owner(self.clock)
        self._beside = list(beside)
        self._tick, self._late_ns = Timer(self._look, self.clock.now_ns() + TICK_NS), 0
        for member in (*self._beside, self._tick):
            self.owner.add(member)
        try:
            self._end: _End | None = self._open()
        except BaseException:
            self.close()
            raise

    def now_ns(self) -> int:
        """Return the wall clock time."""
        return self.clock.now_ns()

    def send(self, data: bytes) -> None:
        """Write bytes as fast as the line accepts them."""
        end = self._held()
        self._carried_ns = self.carried_ns() + len(data) * BITS * 1_000_000_000 // self._baud
        end.outbox += data
        end.on_writable(0)
        while end.outbox and end.lost is None:
            self.owner.turn(TURN_S)
        self._held()

    def carried_ns(self) -> int:
        """Return the time by the line's speed, since the system accepts bytes faster than the line carries them."""
        return max(self.now_ns(), self._carried_ns)

    def wait(self, until_ns: int) -> bytes:
        """Wait for the line, and run the other members."""
        end = self._held()
        left_s = (until_ns - self.now_ns()) / 1e9
        if left_s > 0:
            self.owner.run(lambda: bool(end.arrived) or end.lost is not None, left_s)
        else:
            self.owner.turn(0.0)
        data = bytes(end.arrived)
        end.arrived.clear()
        if not data:
            self._held()
        return data

    def own_delay_ms(self) -> float:
        """Return the delay that the timer measured."""
        late_ns, self._late_ns = self._late_ns, 0
        self._tick.due_ns = self.clock.now_ns() + TICK_NS
        return late_ns / 1e6

    def hang_up(self) -> None:
        """Close our end; a simulated other end stays open."""
        if self._end is not None:
            end, self._end = self._end, None
            self.owner.remove(end)
            end.close()

    def reopen(self, until_ns: int) -> bool:
        """Try repeatedly, since a device that is plugged in needs time."""
        if self._end is not None and self._end.lost is None:
            return True
        while self.now_ns() < until_ns:
            try:
                self._end = self._open()
            except LineError:
                self.owner.run(timeout_s=TURN_S)
            else:
                return True
        return False

    def close(self) -> None:
        """Close the line and the other members."""
        self.owner.close()

    def _look(self, due_ns: int) -> None:
        """Measure the delay of this timer, which the machine's other work causes in all times."""
        now_ns = self.clock.now_ns()
        self._late_ns = max(self._late_ns, now_ns - due_ns)
        self._tick.due_ns = now_ns + TICK_NS

    def _open(self) -> _End:
        end = _End(self.name, self._opener.open())
        self.owner.add(end)
        return end

    def _held(self) -> _End:
        if self._end is None:
            raise LineClosed(self.name, "closed by this program")
        if self._end.lost is not None:
            self.owner.remove(self._end)
            raise self._end.lost
        return self._end


class _End(Member):
    """Transport as a member of the owner."""

    def __init__(self, name: str, transport: Transport) -> None:
        self.name, self._transport = name, transport
        self.arrived, self.outbox = bytearray(), bytearray()
        self.lost: LineClosed | None = None

    @property
    def next_deadline_ns(self) -> int | None:
        """Time at which a line without a descriptor wants to be read."""
        return getattr(self._transport, "next_deadline_ns", None) if self.lost is None else None

    def fileno(self) -> int | None:
        return self._transport.fileno() if self.lost is None else None

    def wants_write(self) -> bool:
        return bool(self.outbox)

    def set_wake(self, wake: Callable[[], None]) -> None:
        self._transport.on_ready(wake)

    def on_readable(self, now_ns: int) -> None:
        try:
            self.arrived += self._transport.read()
        except LineClosed as error:
            self._lose(error)

    def on_writable(self, now_ns: int) -> None:
        try:
            while self.outbox and (taken := self._transport.write(bytes(self.outbox))):
                del self.outbox[:taken]
        except LineClosed as error:
            self._lose(error)

    def on_deadline(self, now_ns: int) -> None:
        self.on_readable(now_ns)

    def close(self) -> None:
        self._transport.close()

    def _lose(self, error: LineClosed) -> None:
        self.lost = error
        self._transport.close()
