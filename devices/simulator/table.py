"""The whole simulated table: both devices, the cards and the dealer, still without a line. Pure."""

from random import Random
from typing import Final

from devices.simulator.dealer import Dealer
from devices.simulator.dealt_table import DealtTable
from devices.simulator.deck import Cards
from devices.simulator.line_faults import LineFaults
from devices.simulator.scenario import Scenario, places
from devices.simulator.shuffler import ShufflerModel
from devices.simulator.shuffler_parts import Durations, Game
from devices.simulator.steps import Pace
from devices.simulator.table_controller import BOOT_NS, TableControllerModel
from devices.simulator.trouble import Trouble
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
    dealer: Dealer

    def __init__(self, scenario: Scenario, *, speed: float = 1.0, timing: Timing | None = None) -> None:
        seeds = Random(scenario.seed)
        self.scenario = scenario
        self.cards = Cards(Random(seeds.random()))
        durations = Durations().faster(speed)
        self.shuffler = ShufflerModel(self.cards, recognition=scenario.recognition, durations=durations)
        game = scenario.game
        groups = () if game.packet_size else game.program
        self.shuffler.game = Game(game.packet_size, game.cards, game.jokers, game.name, groups)
        self.shuffler.programs[game.name] = game.program
        self.controller = TableControllerModel(boot_ns=int(BOOT_NS / speed))
        self.units = {
            SHUFFLER: shuffler_unit(self.shuffler, Random(seeds.random()), timing),
            CONTROLLER: controller_unit(self.controller, Random(seeds.random()), timing),
        }
        self.lines = {name: LineFaults(Random(seeds.random())) for name in self.units}
        self.dealer = Dealer(
            scenario, self.cards, self.shuffler, self.controller, self.units, self.lines, Pace().faster(speed)
        )

    @property
    def packets_of_round(self) -> int:
        """How many packets the round under way or the next one has; without a dealer, as many as the deck holds."""
        if not self.seated:
            return self.shuffler.game.cards // self.shuffler.game.group(0).cards
        return len(places(self.scenario.game, self.dealer.plan))

    @property
    def next_packet(self) -> int:
        """The next packet something can happen to."""
        return self.dealer.next_packet

    def add_trouble(self, trouble: Trouble) -> str:
        """One thing more goes wrong; says in which round. Without a dealer, only what happens in the shuffler."""
        if self.seated:
            return "this round" if self.dealer.add_trouble(trouble) else "the next round"
        mishap = trouble.mishap()
        if mishap is None:
            raise LocalError(f"nobody deals at this table: {trouble.what} is a matter of hands")
        self.shuffler.mishaps.append(mishap)
        return "this round"
