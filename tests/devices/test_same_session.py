"""A device that restarts under the same session id: its next round is dealt, and its earlier events are reported lost,
by whichever sign reveals the restart."""

from __future__ import annotations

from collections import Counter
from functools import partial

import pytest

from dealer_flow.record.incidents import Incident
from dealer_flow.record.result import RoundResult
from dealwire.rehearsal.scenario_file import load_scenario
from dealwire.rehearsal.tables import SimulatedTable
from dealwire.table.table import Table, TableOutcome
from devices.clock import ManualClock
from devices.drive.replay import Player, PlayStats
from devices.events import EventsLost, Seen, SessionChanged, SessionReturned
from devices.line.loop import Owner
from devices.line.supervisor import Supervisor
from devices.record.recording import Recorded
from devices.transport.base import Transport
from devices.transport.opening import Opener
from protocol.tdp import HostLink
from protocol.tdp.messages import Role
from tests.support.evenings import faulty_rounds
from tests.support.evenings.faulty_rounds import (
    CLEAN,
    DEVICES,
    MS,
    ROUND_MOST_S,
    SECOND,
    SPEED,
    Cable,
    Far,
    Plan,
    _rules,
    plan_of,
    verdict,
)
from tests.support.evenings.handed_over import Kept, check_handed_over, tdp_line


class Evening:
    """Two rounds on clean lines with real supervisors and a real flow; every device restarts in between."""

    def __init__(self) -> None:
        self.clock = ManualClock()
        self.table = Table(*_rules())
        self.said: list[TableOutcome] = []
        self.seen: list[Seen] = []
        self.simulated = SimulatedTable(load_scenario("two-rounds"), speed=SPEED)
        self.simulated.power_on(self.clock.now_ns())
        self.cables = {device: Cable(self.clock, CLEAN[device]) for device in DEVICES}
        self.far = Far(self.simulated, self.cables, self.clock, Plan("two-rounds", (), CLEAN, ()), {})
        self.owner = Owner(self.clock)
        self.record = Kept([tdp_line(device) for device in DEVICES])
        for index, (device, cable) in enumerate(self.cables.items()):
            kind = DEVICES[device]
            link = partial(HostLink, expects=kind.device_class, role=Role.OPERATE)
            opener = Opener(partial(self._open, cable, index))
            supervisor = Supervisor(device, opener, link, kind.make(), self.clock, self._hear)
            self.owner.add(supervisor)
            supervisor.start()

    def _open(self, cable: Cable, index: int) -> Transport:
        return Recorded(cable.open(), self.record, index, self.clock)

    def _hear(self, seen: Seen) -> None:
        self.seen.append(seen)
        self.said.extend(self.table.handle(seen))

    def run(self, *, sticks: bool, unplugged_s: float | None) -> None:
        """Run to the end. `unplugged_s` is the time for which the line is gone with the power."""
        end_ns, restarted = self.clock.now_ns() + ROUND_MOST_S * SECOND, False
        units = self.simulated.units
        while not (self.simulated.dealer.done and all(unit.all_acknowledged for unit in units.values())):
            assert self.clock.now_ns() < end_ns
            self.far.turn()
            self.owner.turn()
            self.far.turn()
            if self.rounds and not restarted and all(unit.all_acknowledged for unit in units.values()):
                restarted = True
                for device, unit in units.items():
                    unit.session_sticks = sticks
                    unit.power_off()
                    unit.power_on(self.clock.now_ns())
                    if unplugged_s is not None:
                        self.cables[device].reset(self.clock.now_ns() + int(unplugged_s * SECOND))
            dues = [due for member in (self.far, *self.owner.members) if (due := member.next_deadline_ns) is not None]
            self.clock.set(max(min(dues, default=end_ns), self.clock.now_ns() + MS // 4))
        self.owner.close()
        self.said.extend(self.table.finish())

    @property
    def rounds(self) -> list[RoundResult]:
        return [item for item in self.said if isinstance(item, RoundResult)]

    @property
    def settled(self) -> list[str]:
        return [item.status for item in self.said if not isinstance(item, RoundResult | Incident)]

    def bodies(self, device: str, kind: type) -> list:
        return [seen.body for seen in self.seen if seen.device == device and isinstance(seen.body, kind)]


def cards_of(result: RoundResult) -> list[tuple[str, ...]]:
    assert result.dealer is not None
    return [*(seat.cards for seat in result.seats), result.dealer.cards]


@pytest.mark.parametrize("unplugged_s", [None, 0, 2.0, 20.0])
def test_a_round_after_a_start_under_the_same_session_is_dealt_and_the_loss_reported(
    unplugged_s: float | None,
) -> None:
    """The lost reports may have included a wager: the round is complete, and a person reviews it."""
    evening = Evening()
    evening.run(sticks=True, unplugged_s=unplugged_s)
    assert evening.settled == ["settled", "held"]
    assert evening.rounds[1].outcome == "unreliable"
    assert "events-lost" in {incident.code for incident in evening.rounds[1].incidents}
    sessions = {device: unit._session for device, unit in evening.simulated.units.items()}
    for device in DEVICES:
        assert evening.bodies(device, SessionChanged) == [SessionChanged(sessions[device], sessions[device])]
        assert evening.bodies(device, EventsLost) == [EventsLost(0, 0)]
        numbers = [seen.number for seen in evening.seen if seen.device == device and seen.number]
        again = numbers.index(1, 1)
        assert numbers == [*range(1, again + 1), *range(1, len(numbers) - again + 1)]
    assert not [seen for seen in evening.seen if isinstance(seen.body, SessionReturned)]
    if unplugged_s is None or unplugged_s < 1:
        plain = Evening()
        plain.run(sticks=False, unplugged_s=unplugged_s)
        assert plain.settled == ["settled", "settled"]
        assert cards_of(evening.rounds[1]) == cards_of(plain.rounds[1])


@pytest.mark.parametrize("unplugged_s", [None, 2.0])
def test_a_recording_of_it_replays_to_the_same_and_can_be_handed_over(unplugged_s: float | None) -> None:
    evening = Evening()
    evening.run(sticks=True, unplugged_s=unplugged_s)
    again: list[Seen] = []
    player = Player(evening.record, lambda _: again.append, PlayStats())
    for chunk in evening.record.chunks:
        player.take(chunk)
    player.finish()
    assert again == evening.seen
    assert check_handed_over(evening.record) > 10


class Sticky(SimulatedTable):
    """A table whose devices draw the session id of their first start at every later start."""

    def power_on(self, now_ns: int) -> None:
        super().power_on(now_ns)
        for unit in self.units.values():
            unit.session_sticks = True  # type: ignore[union-attr]


def test_rounds_over_failing_lines_are_right_or_not_trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same verdict as for devices that draw another id, for seeds whose plan has a reboot."""
    monkeypatch.setattr(faulty_rounds, "SimulatedTable", Sticky)
    seeds = [seed for seed in range(150) if "reboot" in plan_of(seed).kinds]
    found = Counter(verdict(seed).partition(":")[0] for seed in seeds)
    assert not found["WRONG"]
    assert found["unreliable"] > len(seeds) / 4
