"""The packet in the tray when green is pressed: a device puts it back or leaves it a packet, and either is right.

Real devices' bytes, real links and drivers; the settlement is held against that of the device that puts it back.
"""

from collections.abc import Callable
from typing import Final

import pytest

from dealer_flow.play.flow import DealerFlow
from dealer_flow.procedure.load import load_procedure
from dealer_flow.record.result import RoundResult
from dealwire.rehearsal.scenario_file import load_scenario
from devices.dialects.shuffler import ShufflerDriver
from devices.dialects.table_controller import TableControllerDriver
from devices.events import Body, RemainderDumped, Seen
from protocol.tdp import Delivered
from protocol.tdp import messages as m
from rules import Settlement, settle
from rules.game.load import load_game_of
from tests.support.dealing.hand_table import FLUSHES
from tests.support.evenings.simulated_table import CONTROLLER, SHUFFLER, Evening

GAME: Final = load_game_of("flushes-gone-wild.co")


def evening(*, stays: bool, scenario: str = "clean-3") -> Evening:
    played = Evening(scenario)
    played.table.shuffler.packet_stays = stays
    played.run()
    return played


def rounds(played: Evening, change: Callable[[Body], Body] = lambda body: body) -> list[RoundResult]:
    """The rounds as the flow has them, with a report changed on the way."""
    drivers = {SHUFFLER: ShufflerDriver(), CONTROLLER: TableControllerDriver()}
    flow = DealerFlow(load_procedure(FLUSHES))
    out = []
    sessions = dict.fromkeys(drivers, 0)
    for at_ns, (device, output) in enumerate(played.seen):
        sessions[device] = getattr(output, "session", sessions[device])
        body = drivers[device].translate(output)
        if body is not None:
            number = output.message.number if isinstance(output, Delivered) else 0
            out += flow.handle(Seen(device, sessions[device], number, at_ns, change(body)))
    return [item for item in [*out, *flow.finish()] if isinstance(item, RoundResult)]


def settled(result: RoundResult) -> Settlement:
    return settle(result, GAME, meters=dict.fromkeys(GAME.meters(), 1_000_000))


@pytest.mark.parametrize("scenario", ["clean-1", "clean-3", "clean-8", "recognition", "two-rounds"])
def test_a_packet_that_nobody_lifted_may_stay_one_and_the_round_is_complete(scenario: str) -> None:
    stays, back = evening(stays=True, scenario=scenario), evening(stays=False, scenario=scenario)
    for other, usual in zip(rounds(stays), rounds(back), strict=True):
        assert other.outcome == usual.outcome == "complete"
        assert other.incidents == usual.incidents == ()
        assert other.remainder is not None
        assert usual.remainder is not None
        dealt = sum(packet.counted or 0 for packet in other.packets)
        waiting = 5 if other.remainder.counted and len(other.packets) < 10 else 0
        assert other.remainder.apart == waiting
        assert usual.remainder.apart == 0
        assert other.remainder.counted == usual.remainder.counted == other.remainder.expected == 52 - dealt
        assert settled(other).status == "settled"
        assert settled(other) == settled(usual)


def test_what_the_two_devices_say_is_what_the_page_says() -> None:
    for stays, left in ((False, 27), (True, 22)):
        played = evening(stays=stays)
        assert [(one.expected, one.counted) for one in played.of(m.RemainderDumpedMessage)] == [(left, left)]
        lifted = len(played.of(m.PacketLiftedMessage))
        assert lifted == len(played.of(m.PacketDispensedMessage)) - 1 == 5
        assert len(played.of(m.RemainderLiftedMessage)) == 1


@pytest.mark.parametrize(("expected", "counted"), [(22, 27), (27, 22), (27, 26), (22, 21), (32, 32), (0, 0)])
def test_numbers_that_fit_neither_do_not_add_up(expected: int, counted: int) -> None:
    def lie(body: Body) -> Body:
        return RemainderDumped(body.deck, expected, counted) if isinstance(body, RemainderDumped) else body

    (result,) = rounds(evening(stays=False), lie)
    assert result.outcome == "defective-deck"
    assert {incident.code for incident in result.incidents} >= {"cards-not-conserved"}


def test_a_short_packet_beside_the_remainder_is_judged_as_ever() -> None:
    for scenario, outcome in (("player-short", "complete"), ("remainder-short", "defective-deck")):
        (result,) = rounds(evening(stays=True, scenario=scenario))
        assert result.outcome == outcome


def test_the_scenario_stays() -> None:
    assert load_scenario("packet-stays").packet_stays
    (result,) = rounds(as_told("packet-stays"))
    assert result.outcome == "complete"
    assert result.remainder is not None
    assert result.remainder.apart == 5
    assert '"apart":5' in result.to_json()
    assert RoundResult.from_json(result.to_json()) == result


def as_told(scenario: str) -> Evening:
    played = Evening(scenario)
    played.run()
    return played
