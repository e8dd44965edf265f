"""A table's lines, open and running: supervisors and the one thread that owns them."""

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
from protocol.errors import DealwireError
from protocol.tdp.messages import Role


@dataclass(frozen=True, slots=True)
class LineConfig:
    """One line of a table: its name there, which kind of device is at its end, its address, and what is spoken."""

    name: str
    device: str
    address: str
    dialect: str = "tdp"


class LiveTable:
    """Opens every line, runs them in the calling thread, closes them all. Use it as a context manager.

    `deliver` gets what the devices report, in the order it arrived. With `record`, asked for a writer when every line
    is open, every byte is recorded. Opening raises a LineError that names the line; those already open are given back.
    A line that is lost later is opened again until it is back, or with `reconnect` False is left closed.
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
        openers = [line_at(line.address, self.clock, baud=dialect_named(line.dialect).baud) for line in lines]
        transports: list[Transport] = []
        try:
            transports.extend(opener.open() for opener in openers)  # one by one: what opened is given back
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
        """What makes a line's transport a recorded one; every transport it ever has goes to one interface."""
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
        """What a person should look into, by the line's name; also what would only be said later of a line that gave
        bytes and no frame so far."""
        found = {supervisor.name: supervisor.problem or supervisor.garbled_so_far for supervisor in self.supervisors}
        return {name: problem for name, problem in found.items() if problem is not None}

    def run(self, until: Callable[[], bool], timeout_s: float | None = None) -> bool:
        """Serve the lines until `until()` holds (True), the time is up or every line closed (False)."""
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
