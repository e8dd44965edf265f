"""The flow behind real drivers and real links, at simulated tables: each scenario ends as its clause asks for."""

import pytest

from dealer_flow.play.flow import DealerFlow
from dealer_flow.procedure.load import load_procedure
from dealer_flow.record.incidents import Incident
from dealer_flow.record.result import RoundResult
from devices.dialects.shuffler import ShufflerDriver
from devices.dialects.table_controller import TableControllerDriver
from devices.events import Seen
from protocol.tdp import Delivered
from tests.support.dealing.hand_table import FLUSHES
from tests.support.evenings.simulated_table import CONTROLLER, SHUFFLER, Evening

CASES = {
    "clean-1": [("complete", set())],
    "clean-8": [("complete", set())],
    "recognition": [("complete", set())],
    "rejected-card": [("complete", set())],
    "packet-stays": [("complete", set())],
    "two-rounds": [("complete", set()), ("complete", set())],
    "player-short": [("complete", {"seat-count-wrong"})],
    "player-short-unnoticed": [("complete", {"seat-count-wrong", "counts-differ", "cards-not-conserved"})],
    "dealer-long": [("misdeal", {"dealer-count-wrong"})],
    "community-short": [("misdeal", {"community-count-wrong"})],
    "community-long-unnoticed": [("misdeal", {"community-count-wrong", "counts-differ"})],
    "progressive-only": [("progressive-only", {"dealer-count-wrong"})],
    "remainder-short": [("defective-deck", {"cards-not-conserved"})],
    "lost-card": [("defective-deck", {"device-fault"})],
    "lifted-early": [("complete", {"seat-count-wrong"})],
    "jam": [("complete", {"jam"})],
    "door": [("misdeal", {"door-opened"})],
    "misdeal-called": [("misdeal", {"misdeal-called"})],
    "power-cycle": [("unreliable", {"session-changed", "power-lost"}), ("complete", set())],
    "reveal-before-burn": [("unreliable", {"reveal-before-burn"})],
    "wrong-burn": [("unreliable", {"wrong-burn"})],
    "demo": [("complete", set()), ("complete", {"seat-count-wrong"}), ("misdeal", {"dealer-count-wrong"})],
}


def play(scenario: str) -> list[RoundResult | Incident]:
    """Everything the flow says to the events both hosts were delivered, in their order."""
    evening = Evening(scenario)
    evening.run()
    drivers = {SHUFFLER: ShufflerDriver(), CONTROLLER: TableControllerDriver()}
    flow = DealerFlow(load_procedure(FLUSHES))
    out: list[RoundResult | Incident] = []
    sessions = dict.fromkeys(drivers, 0)
    for at_ns, (device, output) in enumerate(evening.seen):
        sessions[device] = getattr(output, "session", sessions[device])
        body = drivers[device].translate(output)
        if body is not None:
            number = output.message.number if isinstance(output, Delivered) else 0
            out += flow.handle(Seen(device, sessions[device], number, at_ns, body))
    return [*out, *flow.finish()]


@pytest.mark.parametrize("scenario", CASES)
def test_a_scenario_ends_as_its_clause_asks(scenario: str) -> None:
    results = [item for item in play(scenario) if isinstance(item, RoundResult)]
    assert [result.outcome for result in results] == [outcome for outcome, _ in CASES[scenario]]
    for result, (_, codes) in zip(results, CASES[scenario], strict=True):
        found = {incident.code for incident in result.incidents}
        assert codes <= found
        assert codes or not found
        assert "out-of-turn" not in found
