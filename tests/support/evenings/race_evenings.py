"""A simulated race table joined to the real links and drivers of its lines by clean memory, on a manual clock."""

from msgspec.structs import replace

from dealer_flow.play.flow import DealerFlow
from dealer_flow.procedure.load import load_procedure
from dealer_flow.record.incidents import Incident
from dealer_flow.record.result import RoundResult
from dealwire.rehearsal.scenario import RaceScenario
from dealwire.rehearsal.scenario_file import find_scenario
from dealwire.rehearsal.tables import RehearsedShoe
from tests.support.evenings.table_evenings import START_NS, TableEvening

__all__ = ["START_NS", "RaceEvening", "unsigned"]


class RaceEvening(TableEvening):
    """Plays a scenario to its end. `seen` holds the reports that the hosts received; `rounds` and `incidents` the
    results."""

    table: RehearsedShoe

    def __init__(self, scenario: RaceScenario | str, dialect: str, *, speed: float = 4.0) -> None:
        if isinstance(scenario, str):
            found = find_scenario(scenario)
            assert isinstance(found, RaceScenario)
            scenario = found
        super().__init__(RehearsedShoe(scenario, speed=speed, dialect=dialect), dialect)

    def dealt(self) -> list[RoundResult | Incident]:
        """Return the flow's answers to the reports."""
        flow = DealerFlow(load_procedure("race-to-the-flush"))
        said: list[RoundResult | Incident] = []
        for seen in self.seen:
            said += flow.handle(seen)
        return [*said, *flow.finish()]

    def rounds(self) -> list[RoundResult]:
        return [item for item in self.dealt() if isinstance(item, RoundResult)]


def unsigned(result: RoundResult) -> RoundResult:
    """Return the result without the device's identity: its power-up session, which is random, and the numbers of its
    events."""
    bare = tuple(replace(item, events=()) for item in result.incidents)
    return replace(result, session="", incidents=bare)
