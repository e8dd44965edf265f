"""Rounds on simulated devices in this process, on a simulated clock: no lines, no waiting."""

from collections.abc import Callable, Iterator
from typing import Final

from dealwire.rehearsal.dealt_table import DealtTable
from dealwire.rehearsal.scenario import AnyScenario, endless
from dealwire.rehearsal.scenario_file import clean_scenario
from dealwire.rehearsal.tables import set_up
from dealwire.table.replay import usual_table
from dealwire.table.table import Table, TableOutcome
from devices.clock import ManualClock
from devices.dialects.drivers import DRIVERS
from devices.events import Seen
from devices.line.session import NEVER, Feed
from protocol.errors import LocalError
from protocol.tdp import Output
from protocol.tdp.host_link import HostLink
from protocol.tdp.messages import Role

SPEED: Final = 20.0
"""Speed of people and machines. Their actions still take longer than the protocol."""


SEED_MAX: Final = 2**32 - 1


class NotInRange(LocalError):
    """Error: an argument is not one of the allowed numbers."""

    def __init__(self, name: str, given: object, allowed: str) -> None:
        self.name, self.given, self.allowed = name, given, allowed
        super().__init__(f"{name}: {repr(given)[:40]} is no number it may be; allowed: {allowed}")


def simulate(
    procedure: str, *, rounds: int = 3, seed: int = 1, players: int = 3, faults: float = 0.0
) -> Iterator[TableOutcome]:
    """Deal rounds of a procedure (an id or a file), settle them if a game does, and yield each `Incident`,
    `RoundResult` and `Settlement` as it comes.

    The same `seed` gives the same rounds. The share `faults` (0 to 1) of them has a random fault. Raise a LocalError
    for an invalid procedure, NotInRange for another argument.
    """
    for name, given, least, most in (
        ("rounds", rounds, 0, None),
        ("seed", seed, 0, SEED_MAX),
        ("players", players, 1, None),
    ):
        if type(given) is not int or given < least or (most is not None and given > most):
            raise NotInRange(name, given, f"{least} or more" if most is None else f"{least} to {most}")
    if type(faults) not in (int, float) or not 0 <= faults <= 1:
        raise NotInRange("faults", faults, "0 to 1")
    table = usual_table(procedure, name="simulated")
    dealt = table.flow.procedure
    seats = range(1, min(players, dealt.seats.most) + 1)
    scenario = endless(clean_scenario(dealt, seats), faults=faults, seed=seed)
    return _outcomes(table, scenario, rounds)


def _outcomes(table: Table, scenario: AnyScenario, rounds: int) -> Iterator[TableOutcome]:
    for seen in reports(scenario):
        if sum(table.outcomes.values()) >= rounds:
            return
        yield from table.handle(seen)


def reports(scenario: AnyScenario) -> Iterator[Seen]:
    """Yield the reports of both devices, without an end."""
    heard: list[Seen] = []
    for _ in hosted(set_up(scenario, speed=SPEED), ManualClock().now_ns(), heard.append):
        yield from heard
        heard.clear()


def hosted(
    table: DealtTable,
    now_ns: int,
    deliver: Callable[[Seen], None],
    trace: Callable[[Output], None] | None = None,
    role: Role = Role.OBSERVE,
) -> Iterator[int]:
    """Deal at `table` with a real host link for each device, without an end. Yield the time after each turn."""
    table.power_on(now_ns)
    feeds: dict[str, Feed] = {}
    for name in table.units:
        kind = DRIVERS[name]
        feeds[name] = Feed(name, HostLink(expects=kind.device_class, role=role), kind.make(), deliver, trace)
        table.receive(name, feeds[name].start(now_ns), now_ns)
    while True:
        now_ns = max(now_ns + 1000, min(table.next_deadline_ns or NEVER, *(feed.due_ns for feed in feeds.values())))
        table.tick(now_ns)
        for name, feed in feeds.items():
            data = table.take_output(name, now_ns)
            answer = feed.receive(data, now_ns) if data else feed.tick(now_ns)
            if answer:
                table.receive(name, answer, now_ns)
        yield now_ns
