"""The open lines of a table: supervisors, and the one thread that owns them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from devices.clock import Clock, SystemClock
from devices.dialects.known import dialect_named
from devices.drive.address import line_at, recorder
from devices.events import Seen
from devices.line.loop import Owner
from devices.line.supervisor import Supervisor
from devices.record.recording import LineKeeper
from devices.transport.base import Transport
from devices.transport.opening import Opener
from protocol.errors import DealwireError
from protocol.tdp.messages import Role


@dataclass(frozen=True, slots=True)
class LineConfig:
    """One line of a table: name, kind of device, address, dialect; `seal` puts its transport into a sealed one."""

    name: str
    device: str
    address: str
    dialect: str = "tdp"
    seal: Callable[[Transport, Clock], Transport] | None = None

    def opener(self, clock: Clock) -> Opener:
        """Return the opener of the line. What records it stands above the seal."""
        seal, opener = self.seal, line_at(self.address, clock, baud=dialect_named(self.dialect).baud)
        return opener if seal is None else opener.wrapped(lambda inner: seal(inner, clock))


class LiveTable:
    """Opens every line, runs them in the calling thread, and closes them all. Use it as a context manager.

    `deliver` receives the reports of devices in order of arrival. `record` returns a writer that records every byte; it
    is called once every line is open. Opening raises a LineError that names the line, after closing those already open.
    A lost line is reopened until it is back; with `reconnect` False it stays closed.
    """

    def __init__(
        self,
        lines: Sequence[LineConfig],
        deliver: Callable[[Seen], None],
        *,
        role: Role = Role.OBSERVE,
        record: Callable[[], LineKeeper] | None = None,
        clock: Clock | None = None,
        reconnect: bool = True,
    ) -> None:
        self.clock = clock or SystemClock()
        self.supervisors: list[Supervisor] = []
        self._owner = Owner(self.clock)
        openers = [line.opener(self.clock) for line in lines]
        transports: list[Transport] = []
        try:
            transports.extend(
                opener.open() for opener in openers
            )  # lazily, so that those opened are closed on an error
            writer = record() if record is not None else None
            for line, opener, transport in zip(lines, openers, transports, strict=True):
                dialect, wrap = dialect_named(line.dialect), self._recording(line, writer)
                supervisor = Supervisor(
                    line.name,
                    opener.wrapped(wrap),
                    partial(dialect.make_link, line.device, role, False),
                    dialect.driver(line.device, where=line.name),
                    self.clock,
                    deliver,
                    reconnect=reconnect,
                    why_barren=dialect.why_barren,
                )
                self.supervisors.append(supervisor)
                self._owner.add(supervisor)
                supervisor.begin(wrap(transport))
        except BaseException:
            for transport in transports:
                transport.close()
            self.close()
            raise

    def _recording(self, line: LineConfig, writer: LineKeeper | None) -> Callable[[Transport], Transport]:
        """Return the wrapper that records a line's transport; all transports of a line go to one interface."""
        if writer is None:
            return lambda transport: transport
        dialect, address = dialect_named(line.dialect), line.address
        names = {"device": line.device, "dialect": dialect.name, "address": address}
        return recorder(writer, line.name, **names, baud=dialect.baud, clock=self.clock)

    @property
    def closed(self) -> bool:
        """True when no line is left."""
        return all(supervisor.closed is not None for supervisor in self.supervisors)

    @property
    def problems(self) -> dict[str, DealwireError]:
        """Problems by line, including what a line that has sent bytes but no frame would report only later."""
        found = {supervisor.name: supervisor.problem or supervisor.garbled_so_far for supervisor in self.supervisors}
        return {name: problem for name, problem in found.items() if problem is not None}

    def run(self, until: Callable[[], bool], timeout_s: float | None = None) -> bool:
        """Serve the lines until `until()` is true (True), or the time is up or every line is closed (False)."""
        self._owner.run(lambda: until() or self.closed, timeout_s)
        return until()

    def close(self) -> None:
        """Close every line; may be called twice."""
        for supervisor in self.supervisors:
            supervisor.close()
        self._owner.close()

    def __enter__(self) -> "LiveTable":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
