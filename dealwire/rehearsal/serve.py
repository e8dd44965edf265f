"""Service of a scenario on real lines."""

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from dealwire.rehearsal.dealt_table import DealtTable
from dealwire.rehearsal.scenario import AnyScenario
from dealwire.rehearsal.tables import set_up
from devices.clock import SystemClock
from devices.line.loop import Member, Owner
from devices.simulator.host import SimulatorHost

LINGER_S: Final = 0.2
"""Seconds for the host to read the rest of the line before it is closed."""


def serve(
    scenario: AnyScenario,
    *,
    lines: Mapping[str, str],
    ready: Callable[[dict[str, str]], None],
    speed: float = 1.0,
    shoe_dialect: str = "tdp",
    forever: bool = False,
    beside: Callable[[SimulatorHost, DealtTable], Iterable[Member]] = lambda _host, _table: (),
) -> None:
    """Put the scenario's devices on lines (`pty` or `tcp:PORT`), announce their addresses, and deal the scenario.

    `shoe_dialect` is the dialect of a shoe. Dealing starts when every device whose dialect has sessions has one. The
    function returns when the scenario has ended and the hosts have every event or are gone; with `forever` it never
    returns. Members returned by `beside` run along. Raise BadLine, LineBusy or LineAbsent if a line cannot be made.
    """
    clock = SystemClock()
    table = set_up(scenario, speed=speed, shoe_dialect=shoe_dialect)
    host = SimulatorHost(table, lines)
    owner = Owner(clock)
    try:
        for member in (host, *host.lines.values(), *beside(host, table)):
            owner.add(member)
        host.start(clock.now_ns())
        ready(host.addresses)
        owner.run(lambda: host.finished and not forever)
        owner.run(timeout_s=LINGER_S)
    finally:
        owner.close()
