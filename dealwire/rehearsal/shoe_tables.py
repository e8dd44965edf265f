"""Whole simulated tables with a card shoe: the shoe in one of its dialects, the table controller, the dealer."""

from random import Random

from dealwire.rehearsal.card_dealer import CardDealer
from dealwire.rehearsal.dealt_table import DealtTable
from dealwire.rehearsal.pace import PeoplePace
from dealwire.rehearsal.race_dealer import RaceDealer
from dealwire.rehearsal.race_scenario import RaceScenario
from dealwire.rehearsal.scenario import Scenario
from dealwire.rehearsal.shuffler_table import CONTROLLER
from devices.simulator.deck import Cards
from devices.simulator.line_faults import LineFaults
from devices.simulator.shoe import BOOT_NS, ShoeModel
from devices.simulator.shoe_table import FRONT_ENDS, SHOE
from devices.simulator.table_controller import BOOT_NS as CONTROLLER_BOOT_NS
from devices.simulator.table_controller import TableControllerModel
from devices.simulator.unit import TableUnit
from devices.simulator.units import controller_unit


class ShoeSide(DealtTable):
    """The devices on it. `speed` makes people and machines faster, never the protocol. `dialect`: what the shoe speaks,
    a key of FRONT_ENDS.

    The dealer begins when the table controller's host has opened its session; a shoe that hears no host takes one to
    be there.
    """

    def __init__(self, seeds: Random, round_limit: int | None, speed: float, dialect: str) -> None:
        self.cards_by = Random(seeds.random())
        self.shoe = ShoeModel(Random(seeds.random()), round_limit=round_limit, boot_ns=int(BOOT_NS / speed))
        self.controller = TableControllerModel(boot_ns=int(CONTROLLER_BOOT_NS / speed))
        self.units: dict[str, TableUnit] = {
            SHOE: FRONT_ENDS[dialect](SHOE, self.shoe, Random(seeds.random())),
            CONTROLLER: controller_unit(self.controller, Random(seeds.random())),
        }
        self.lines = {name: LineFaults(Random(seeds.random())) for name in self.units}
        self.pace = PeoplePace().faster(speed)


class RaceTable(ShoeSide):
    """A table at which races are drawn."""

    dealer: RaceDealer

    def __init__(self, scenario: RaceScenario, *, speed: float = 1.0, dialect: str = "tdp") -> None:
        super().__init__(Random(scenario.seed), scenario.round_limit, speed, dialect)
        self.scenario = scenario
        self.dealer = RaceDealer(scenario, self.shoe, self.controller, self.units, self.lines, self.pace, self.cards_by)


class CardTable(ShoeSide):
    """A table at which a game is dealt step by step."""

    dealer: CardDealer

    def __init__(self, scenario: Scenario, *, speed: float = 1.0, dialect: str = "tdp") -> None:
        super().__init__(Random(scenario.seed), None, speed, dialect)
        self.scenario = scenario
        self.cards = Cards(self.cards_by)
        self.dealer = CardDealer(
            scenario, self.cards, self.shoe, self.controller, self.units, self.lines, self.pace, self.cards_by
        )
