"""Rounds dealt on simulated devices in this program, on a clock of their own: no line, no waiting."""

from collections.abc import Iterator
from typing import Final

from dealwire.rehearsal.scenario import AnyScenario, clean_round, endless, scenario_of
from dealwire.rehearsal.tables import set_up
from dealwire.table.replay import usual_table
from dealwire.table.table import Table, TableOutcome
from devices.clock import ManualClock
from devices.drivers import DRIVERS
from devices.events import Seen
from devices.session import NEVER, Feed
from protocol.tdp.host_link import HostLink

SPEED: Final = 20.0
"""Of people and machines: what they do then still takes longer than what the protocol does."""


def simulate(
    procedure: str, *, rounds: int = 3, seed: int = 1, players: int = 3, faults: float = 0.0
) -> Iterator[TableOutcome]:
    """Deal rounds of a procedure, by id or file, and settle them where a game does: each `Incident`, `RoundResult` and
    `Settlement` as it comes.

    The same `seed` gives the same rounds. In the share `faults` (0 to 1) of them something goes wrong. A LocalError
    says what is wrong with the procedure, and which cannot be dealt so.
    """
    table = usual_table(procedure, name="simulated")
    dealt = table.flow.procedure
    seats = range(1, min(players, dealt.seats.most) + 1)
    scenario = endless(scenario_of(dealt, [clean_round(dealt, seats)]), faults=faults, seed=seed)
    return _outcomes(table, scenario, rounds)


def _outcomes(table: Table, scenario: AnyScenario, rounds: int) -> Iterator[TableOutcome]:
    for seen in _reports(scenario):
        if sum(table.outcomes.values()) >= rounds:
            return
        yield from table.handle(seen)


def _reports(scenario: AnyScenario) -> Iterator[Seen]:
    """What both devices report, without an end."""
    now_ns = ManualClock().now_ns()
    dealt = set_up(scenario, speed=SPEED)
    heard: list[Seen] = []
    feeds: dict[str, Feed] = {}
    dealt.power_on(now_ns)
    for name in dealt.units:
        kind = DRIVERS[name]
        feeds[name] = feed = Feed(name, HostLink(expects=kind.device_class), kind.make(), heard.append)
        dealt.receive(name, feed.start(now_ns), now_ns)
    while True:
        now_ns = max(now_ns + 1000, min(dealt.next_deadline_ns or NEVER, *(feed.due_ns for feed in feeds.values())))
        dealt.tick(now_ns)
        for name, feed in feeds.items():
            data = dealt.take_output(name, now_ns)
            answer = feed.receive(data, now_ns) if data else feed.tick(now_ns)
            if answer:
                dealt.receive(name, answer, now_ns)
        yield from heard
        heard.clear()
