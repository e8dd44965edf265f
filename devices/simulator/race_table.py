"""A whole simulated table with a card shoe: the shoe in one of its dialects, the table controller, the dealer."""

from random import Random

from devices.simulator.dealt_table import DealtTable
from devices.simulator.line_faults import LineFaults
from devices.simulator.persona import Device
from devices.simulator.shoe import BOOT_NS, ShoeModel
from devices.simulator.shoe_dealer import ShoeDealer
from devices.simulator.shoe_scenario import ShoeScenario
from devices.simulator.shoe_table import MOUTHS, SHOE
from devices.simulator.steps import Pace
from devices.simulator.table import CONTROLLER, controller_unit
from devices.simulator.table_controller import BOOT_NS as CONTROLLER_BOOT_NS
from devices.simulator.table_controller import TableControllerModel


class RaceTable(DealtTable):
    """`speed` makes people and machines faster, never the protocol. `dialect`: what the shoe speaks, a key of MOUTHS.

    The dealer begins when the table controller's host has opened its session; a shoe that hears no host takes one to
    be there.
    """

    dealer: ShoeDealer

    def __init__(self, scenario: ShoeScenario, *, speed: float = 1.0, dialect: str = "tdp") -> None:
        seeds = Random(scenario.seed)
        cards = Random(seeds.random())
        self.scenario = scenario
        self.shoe = ShoeModel(Random(seeds.random()), round_limit=scenario.round_limit, boot_ns=int(BOOT_NS / speed))
        self.controller = TableControllerModel(boot_ns=int(CONTROLLER_BOOT_NS / speed))
        self.units: dict[str, Device] = {
            SHOE: MOUTHS[dialect](SHOE, self.shoe, Random(seeds.random())),
            CONTROLLER: controller_unit(self.controller, Random(seeds.random())),
        }
        self.lines = {name: LineFaults(Random(seeds.random())) for name in self.units}
        pace = Pace().faster(speed)
        self.dealer = ShoeDealer(scenario, self.shoe, self.controller, self.units, self.lines, pace, cards)
