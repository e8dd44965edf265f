"""A table's lines, open and running: transports, sessions and the one thread that owns them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import TracebackType

from devices.capture import CaptureWriter, Recorded
from devices.clock import Clock, SystemClock
from devices.dialects import dialect_named
from devices.events import Seen
from devices.loop import Owner
from devices.session import Session
from devices.transport.address import baud_of, open_transport, short_name
from devices.transport.base import Transport
from protocol.tdp.messages import Role


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a table: its name there, which kind of device is at its end, its address, and what is spoken."""

    name: str
    device: str
    address: str
    dialect: str = "tdp"


class LiveTable:
    """Opens every line, runs them in the calling thread, closes them all. Use it as a context manager.

    `deliver` gets what the devices report, in the order it arrived. With `record`, asked for a writer when every line
    is open, every byte is recorded. Opening raises a LineError that names the line; those already open are given back.
    """

    def __init__(
        self,
        lines: Sequence[Line],
        deliver: Callable[[Seen], None],
        *,
        role: Role = Role.OBSERVE,
        record: Callable[[], CaptureWriter] | None = None,
        clock: Clock | None = None,
    ) -> None:
        self.clock = clock or SystemClock()
        self.sessions: list[Session] = []
        self._owner = Owner(self.clock)
        transports: list[Transport] = []
        try:
            bauds = [dialect_named(line.dialect).baud for line in lines]
            for line, baud in zip(lines, bauds, strict=True):
                transports += [open_transport(line.address, baud=baud)]  # one by one: what opened is given back
            writer = record() if record is not None else None
            for line, transport in zip(lines, transports, strict=True):
                self._begin(line, transport, deliver, role, writer)
        except BaseException:
            for transport in transports:
                transport.close()
            self.close()
            raise

    def _begin(
        self,
        line: Line,
        transport: Transport,
        deliver: Callable[[Seen], None],
        role: Role,
        writer: CaptureWriter | None,
    ) -> None:
        dialect = dialect_named(line.dialect)
        driver = dialect.driver(line.device, where=line.name)
        if writer is not None:
            name, baud = short_name(line.address), baud_of(line.address, baud=dialect.baud)
            interface = writer.interface(line.name, device=line.device, dialect=dialect.name, line=name, baud=baud)
            transport = Recorded(transport, writer, interface, self.clock)
        link = dialect.make_link(line.device, role, False)
        session = Session(line.name, transport, link, driver, self.clock, deliver)
        self.sessions.append(session)
        self._owner.add(session)
        session.start()

    @property
    def closed(self) -> bool:
        """True when no line is left."""
        return all(session.closed is not None for session in self.sessions)

    def run(self, until: Callable[[], bool], timeout_s: float | None = None) -> bool:
        """Serve the lines until `until()` holds (True), the time is up or every line closed (False)."""
        self._owner.run(lambda: until() or self.closed, timeout_s)
        return until()

    def close(self) -> None:
        """Close sessions and lines; may be called twice."""
        for session in self.sessions:
            session.close()
        self._owner.close()

    def __enter__(self) -> "LiveTable":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
