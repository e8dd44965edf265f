"""Far end of the `service` benchmark: simulated tables on pseudo-terminals, in a process of their own.

`python -m benchmarks.service_device TABLES SPEED APART [IDLE]` prints a line of addresses, then a line `table round ns`
for each END GAME, with the monotonic clock just before its last byte was written. Tables start APART seconds after one
another. With IDLE they deal one round and wait.
"""

import json
import sys
import time
from collections.abc import Callable
from typing import Final

from dealwire.rehearsal.scenario import endless
from dealwire.rehearsal.scenario_file import load_scenario
from dealwire.rehearsal.tables import CONTROLLER, SHUFFLER, SimulatedTable
from devices.clock import SystemClock
from devices.dialects.dialect import Explainer
from devices.dialects.known import dialect_named
from devices.line.loop import Member, Owner
from devices.simulator.host import DeviceLine, SimulatorHost

TERMINALS_MAX: Final = 64
"""Number of tables from which the lines are TCP: a kernel's pseudo-terminals stall under hundreds of writers."""


def stamped(line: DeviceLine, table: int) -> Callable[[bytes], None]:
    """Wrap the line's `send` so that it prints when END GAME went out."""
    explainer, send = Explainer(dialect_named("tdp")), line.send

    def say(data: bytes) -> None:
        at_ns = time.monotonic_ns()
        send(data)
        for frame in explainer.feed(data):
            if frame.get("message") == "GameEnded":
                fields = frame["fields"]
                assert isinstance(fields, dict)
                print(table, fields["round"], at_ns, flush=True)

    return say


class Begin(Member):
    """Member of the loop that switches on a table's devices at their time."""

    def __init__(self, owner: Owner, bench: SimulatorHost, due_ns: int) -> None:
        self._owner, self._bench, self._due_ns = owner, bench, due_ns

    @property
    def next_deadline_ns(self) -> int:
        """Return the time at which the devices start."""
        return self._due_ns

    def on_deadline(self, now_ns: int) -> None:
        """Start the devices."""
        self._bench.start(now_ns)
        self._owner.changed(self._bench)
        self._owner.remove(self)


def main(tables: int, speed: float, apart_s: float, idle: bool) -> None:
    clock = SystemClock()
    owner = Owner(clock)
    kind = "pty" if tables <= TERMINALS_MAX else "tcp:0"
    addresses = []
    for number in range(tables):
        scenario = load_scenario("clean-3")
        played = scenario if idle else endless(scenario, seed=number)
        bench = SimulatorHost(SimulatedTable(played, speed=speed), {SHUFFLER: kind, CONTROLLER: kind})
        bench.lines[CONTROLLER].send = stamped(bench.lines[CONTROLLER], number)  # type: ignore[method-assign]
        members: tuple[Member, ...] = (bench, *bench.lines.values())
        for member in members:
            owner.add(member)
        owner.add(Begin(owner, bench, clock.now_ns() + int(number * apart_s * 1e9)))
        addresses.append(bench.addresses)
    print(json.dumps(addresses), flush=True)
    owner.run()


if __name__ == "__main__":
    main(int(sys.argv[1]), float(sys.argv[2]), float(sys.argv[3]), len(sys.argv) > 4)
