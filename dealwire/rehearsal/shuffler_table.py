"""The whole simulated table: both devices, the cards and the dealer, still without a line. Pure."""

from random import Random
from typing import Final

from dealwire.rehearsal.dealt_table import DealtTable
from dealwire.rehearsal.pace import PeoplePace
from dealwire.rehearsal.scenario import Scenario, places
from dealwire.rehearsal.shuffler_dealer import ShufflerDealer
from dealwire.rehearsal.trouble import PlannedTrouble
from devices.simulator.deck import Cards
from devices.simulator.line_faults import LineFaults
from devices.simulator.shuffler import ShufflerModel
from devices.simulator.shuffler_parts import Durations, ShufflerSetting
from devices.simulator.table_controller import BOOT_NS, TableControllerModel
from devices.simulator.unit import Unit
from devices.simulator.units import controller_unit, shuffler_unit
from protocol.errors import LocalError
from protocol.tdp.outputs import Timing

SHUFFLER: Final = "shuffler"
CONTROLLER: Final = "table-controller"


class SimulatedTable(DealtTable):
    """`speed` makes people and machines faster, never the protocol. The dealer begins when both hosts have opened their
    sessions.
    """

    units: dict[str, Unit]
    dealer: ShufflerDealer

    def __init__(self, scenario: Scenario, *, speed: float = 1.0, timing: Timing | None = None) -> None:
        seeds = Random(scenario.seed)
        self.scenario = scenario
        self.cards = Cards(Random(seeds.random()))
        durations = Durations().faster(speed)
        self.shuffler = ShufflerModel(self.cards, recognition=scenario.recognition, durations=durations)
        dealt = scenario.procedure
        plan, program = dealt.plan, tuple(part.group for part in dealt.program)
        groups = () if dealt.packet_size else program
        self.shuffler.game = ShufflerSetting(dealt.packet_size, plan.cards, plan.jokers, dealt.id, groups)
        self.shuffler.programs[dealt.id] = program
        self.controller = TableControllerModel(boot_ns=int(BOOT_NS / speed))
        self.units = {
            SHUFFLER: shuffler_unit(self.shuffler, Random(seeds.random()), timing),
            CONTROLLER: controller_unit(self.controller, Random(seeds.random()), timing),
        }
        self.lines = {name: LineFaults(Random(seeds.random())) for name in self.units}
        self.dealer = ShufflerDealer(
            scenario, self.cards, self.shuffler, self.controller, self.units, self.lines, PeoplePace().faster(speed)
        )

    @property
    def packets_of_round(self) -> int:
        """How many packets the round under way or the next one has; without a dealer, as many as the deck holds."""
        if not self.seated:
            return self.shuffler.game.cards // self.shuffler.game.group(0).cards
        return len(places(self.scenario.procedure, self.dealer.plan))

    @property
    def next_packet(self) -> int:
        """The next packet something can happen to."""
        return self.dealer.next_packet

    def add_trouble(self, trouble: PlannedTrouble) -> str:
        """One thing more goes wrong; says in which round. Without a dealer, only what happens in the shuffler."""
        if self.seated:
            return "this round" if self.dealer.add_trouble(trouble) else "the next round"
        mishap = trouble.mishap()
        if mishap is None:
            raise LocalError(f"nobody deals at this table: {trouble.what} is a matter of hands")
        self.shuffler.mishaps.append(mishap)
        return "this round"
