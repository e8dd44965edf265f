"""Complete simulated tables: devices, cards and dealer, without lines. Pure."""

from random import Random
from typing import Final

from dealwire.rehearsal.card_dealer import CardDealer
from dealwire.rehearsal.dealt_table import DealtTable
from dealwire.rehearsal.hand_dealer import HandDealer
from dealwire.rehearsal.race_dealer import RaceDealer
from dealwire.rehearsal.scenario import AnyScenario, RaceScenario, Scenario, packets
from dealwire.rehearsal.shuffler_dealer import ShufflerDealer
from dealwire.rehearsal.trouble import PlannedTrouble
from dealwire.rehearsal.whole_deck_dealer import WholeDeckDealer
from devices.simulator.deck import Cards
from devices.simulator.shoe import BOOT_NS, ShoeModel
from devices.simulator.shoe_table import FRONT_ENDS, SHOE
from devices.simulator.shuffler import ShufflerModel
from devices.simulator.shuffler_parts import Durations, ShufflerSetting
from devices.simulator.table_controller import BOOT_NS as CONTROLLER_BOOT_NS
from devices.simulator.table_controller import TableControllerModel
from devices.simulator.unit import TableUnit, controller_unit, shuffler_unit
from protocol.errors import LocalError
from protocol.tdp.outputs import Timing

SHUFFLER: Final = "shuffler"
CONTROLLER: Final = "table-controller"


class SimulatedTable(DealtTable):
    """Table with a packet shuffler. `speed` makes people and machines faster, never the protocol. The dealer begins
    when both hosts have opened their sessions."""

    dealer: ShufflerDealer

    def __init__(self, scenario: Scenario, *, speed: float = 1.0, timing: Timing | None = None) -> None:
        seeds = Random(scenario.seed)
        self.scenario = scenario
        self.cards = Cards(Random(seeds.random()))
        durations = Durations().faster(speed)
        self.shuffler = ShufflerModel(
            self.cards,
            recognition=scenario.recognition,
            packet_stays=scenario.packet_stays,
            durations=durations,
        )
        dealt = scenario.procedure
        plan, program = dealt.plan, tuple(part.group for part in dealt.program)
        groups = () if dealt.packet_size else program
        self.shuffler.game = ShufflerSetting(dealt.packet_size, plan.cards, plan.jokers, dealt.id, groups)
        self.shuffler.programs[dealt.id] = program
        controller = TableControllerModel(boot_ns=int(CONTROLLER_BOOT_NS / speed))
        units = {
            SHUFFLER: shuffler_unit(self.shuffler, Random(seeds.random()), timing),
            CONTROLLER: controller_unit(controller, Random(seeds.random()), timing),
        }
        super().__init__(units, controller, seeds, speed)
        self.dealer = ShufflerDealer(scenario, self, self.cards, self.shuffler)

    @property
    def packets_of_round(self) -> int:
        """Number of packets in the current or next round; without a dealer, as many as the deck holds."""
        if not self.seated:
            return self.shuffler.game.cards // self.shuffler.game.group(0).cards
        return len(packets(self.scenario.procedure, self.dealer.plan))

    def cards_of_packet(self, ordinal: int) -> int:
        """Return the planned number of cards in a packet; without a dealer, that of the first group."""
        if not self.seated:
            return self.shuffler.game.group(0).cards
        return packets(self.scenario.procedure, self.dealer.plan)[ordinal - 1].cards

    @property
    def next_packet(self) -> int:
        """Next packet that can have a fault."""
        return self.dealer.next_packet

    def add_trouble(self, trouble: PlannedTrouble) -> str:
        """Add a fault, and return the round in which it happens. Without a dealer, only faults in the shuffler are
        possible."""
        if self.seated:
            return "this round" if self.dealer.add_trouble(trouble) else "the next round"
        mishap = trouble.mishap()
        if mishap is None:
            raise LocalError(f"nobody deals at this table: {trouble.what} is a matter of hands")
        self.shuffler.mishaps.append(mishap)
        return "this round"


class RehearsedShoe(DealtTable):
    """Table with a card shoe and a table controller, for races or games that go step by step. `speed` makes people and
    machines faster. `dialect` is the shoe's, a key of FRONT_ENDS.

    The dealer begins when the table controller's host has opened its session; a shoe whose dialect has no session
    assumes a host.
    """

    dealer: RaceDealer | CardDealer

    def __init__(self, scenario: AnyScenario, *, speed: float = 1.0, dialect: str = "tdp") -> None:
        seeds = Random(scenario.seed)
        self.scenario, cards_by = scenario, Random(seeds.random())
        limit = scenario.round_limit if isinstance(scenario, RaceScenario) else None
        self.shoe = ShoeModel(Random(seeds.random()), round_limit=limit, boot_ns=int(BOOT_NS / speed))
        controller = TableControllerModel(boot_ns=int(CONTROLLER_BOOT_NS / speed))
        units: dict[str, TableUnit] = {
            SHOE: FRONT_ENDS[dialect](SHOE, self.shoe, Random(seeds.random())),
            CONTROLLER: controller_unit(controller, Random(seeds.random())),
        }
        super().__init__(units, controller, seeds, speed)
        if isinstance(scenario, RaceScenario):
            self.dealer = RaceDealer(scenario, self, self.shoe, cards_by)
        else:
            self.dealer = CardDealer(scenario, self, Cards(cards_by), self.shoe, cards_by)


class HandTable(DealtTable):
    """Table with a table controller only; the game is dealt by hand. `speed` makes people and machines faster.

    The dealer begins when the controller's host has opened its session.
    """

    dealer: HandDealer

    def __init__(self, scenario: Scenario, *, speed: float = 1.0) -> None:
        seeds = Random(scenario.seed)
        self.scenario = scenario
        controller = TableControllerModel(boot_ns=int(CONTROLLER_BOOT_NS / speed))
        units: dict[str, TableUnit] = {CONTROLLER: controller_unit(controller, Random(seeds.random()))}
        super().__init__(units, controller, seeds, speed)
        self.dealer = HandDealer(scenario, self, Cards(Random(seeds.random())))


class WholeDeckTable(DealtTable):
    """Table with a table controller and a shuffler that hands the dealer the whole deck; the game is dealt by hand."""

    dealer: WholeDeckDealer

    def __init__(self, scenario: Scenario, *, speed: float = 1.0) -> None:
        seeds, plan = Random(scenario.seed), scenario.procedure.plan
        self.scenario, cards = scenario, Cards(Random(seeds.random()))
        self.shuffler = ShufflerModel(cards, recognition=False, durations=Durations().faster(speed))
        self.shuffler.game = ShufflerSetting(plan.cards, plan.cards, plan.jokers, scenario.procedure.id)
        controller = TableControllerModel(boot_ns=int(CONTROLLER_BOOT_NS / speed))
        units = {
            SHUFFLER: shuffler_unit(self.shuffler, Random(seeds.random())),
            CONTROLLER: controller_unit(controller, Random(seeds.random())),
        }
        super().__init__(units, controller, seeds, speed)
        self.dealer = WholeDeckDealer(scenario, self, cards, self.shuffler)


def set_up(scenario: AnyScenario, *, speed: float = 1.0, shoe_dialect: str = "tdp") -> DealtTable:
    """Return the table for a scenario."""
    if isinstance(scenario, RaceScenario) or scenario.device == "shoe":
        return RehearsedShoe(scenario, speed=speed, dialect=shoe_dialect)
    if scenario.whole_deck:
        return WholeDeckTable(scenario, speed=speed)
    if scenario.device == "hand":
        return HandTable(scenario, speed=speed)
    return SimulatedTable(scenario, speed=speed)
