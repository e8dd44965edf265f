"""A simulated race table joined to the real links and drivers of its lines by clean memory, on a clock that we move."""

from dealer_flow.machine import DealerFlow
from dealer_flow.procedure import load_procedure
from dealer_flow.result import Incident, RoundResult
from devices.dialects import dialect_named
from devices.events import Body, Seen
from devices.session import Feed
from devices.simulator.catalogue import find_scenario
from devices.simulator.shoe_scenario import ShoeScenario
from devices.simulator.shoe_side import RaceTable
from protocol.link import Output
from protocol.tdp.messages import Role

START_NS = 1_700_000_000_000_000_000


class RaceEvening:
    """Plays a scenario to its end. `seen` is what the hosts were told; `rounds` and `incidents` what came of it."""

    def __init__(self, scenario: ShoeScenario | str, dialect: str, *, speed: float = 4.0) -> None:
        if isinstance(scenario, str):
            found = find_scenario(scenario)
            assert isinstance(found, ShoeScenario)
            scenario = found
        self.table = RaceTable(scenario, speed=speed, dialect=dialect)
        self.now_ns = START_NS
        self.seen: list[Seen] = []
        self.outputs: list[Output] = []
        self.feeds: dict[str, Feed] = {}
        self.table.power_on(self.now_ns)
        for name in self.table.units:
            spoken = dialect_named(dialect if name == "shoe" else "tdp")
            link = spoken.make_link(name, Role.OBSERVE, False)
            feed = Feed(name, link, spoken.driver(name, where=name), self.seen.append, self.outputs.append)
            feed.settle = lambda _: None
            self.feeds[name] = feed
            self._send(name, feed.start(self.now_ns))

    def run(self, limit_s: float = 600.0) -> "RaceEvening":
        end_ns = self.now_ns + int(limit_s * 1e9)
        while not self.table.finished:
            assert self.now_ns < end_ns, "the scenario does not end"
            self.step()
        for _ in range(20):
            self.step()
        return self

    def step(self) -> None:
        dues = [self.table.next_deadline_ns, *(feed.due_ns for feed in self.feeds.values())]
        self.now_ns = max(self.now_ns + 1_000_000, min((due for due in dues if due is not None), default=0))
        self.table.tick(self.now_ns)
        for name, feed in self.feeds.items():
            while data := self.table.take_output(name, self.now_ns):
                self._send(name, feed.receive(data, self.now_ns))
            self._send(name, feed.tick(self.now_ns))

    def bodies(self, *kinds: type[Body]) -> list[Body]:
        return [seen.body for seen in self.seen if isinstance(seen.body, kinds)]

    def dealt(self) -> list[RoundResult | Incident]:
        """What the flow says to it."""
        flow = DealerFlow(load_procedure("race-to-the-flush"))
        said: list[RoundResult | Incident] = []
        for seen in self.seen:
            said += flow.handle(seen)
        return [*said, *flow.finish()]

    def rounds(self) -> list[RoundResult]:
        return [item for item in self.dealt() if isinstance(item, RoundResult)]

    def _send(self, name: str, data: bytes) -> None:
        if data:
            self.table.receive(name, data, self.now_ns)


def unsigned(result: RoundResult) -> RoundResult:
    """Without what names the device: its power-up session, which is random, and the numbers of its events."""
    bare = tuple(item.model_copy(update={"events": ()}) for item in result.incidents)
    return result.model_copy(update={"session": "", "incidents": bare})
