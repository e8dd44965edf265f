"""The whole simulated table: both devices, the cards and the dealer, still without a line. Pure."""

from random import Random
from typing import Final

from devices.simulator.dealer import Dealer
from devices.simulator.deck import Cards
from devices.simulator.line_faults import LineFaults
from devices.simulator.scenario import Scenario
from devices.simulator.shuffler import ShufflerModel
from devices.simulator.shuffler_commands import answer
from devices.simulator.shuffler_parts import Durations, Game
from devices.simulator.steps import Pace
from devices.simulator.table_controller import BOOT_NS, TableControllerModel
from devices.simulator.unit import Unit
from protocol.tdp.messages import Capability, DeviceClass
from protocol.tdp.outputs import Timing

SHUFFLER: Final = "shuffler"
CONTROLLER: Final = "table-controller"


class SimulatedTable:
    """Feed it what hosts send and the time; take what goes onto each device's line.

    `speed` makes people and machines faster, never the protocol. The dealer begins when both hosts have opened their
    sessions.
    """

    def __init__(self, scenario: Scenario, *, speed: float = 1.0, timing: Timing | None = None) -> None:
        seeds = Random(scenario.seed)
        self.scenario = scenario
        self.cards = Cards(Random(seeds.random()))
        durations = Durations().faster(speed)
        self.shuffler = ShufflerModel(self.cards, recognition=scenario.recognition, durations=durations)
        game = scenario.game
        self.shuffler.game = Game(game.packet_size, game.cards, game.jokers, game.name)
        self.controller = TableControllerModel(boot_ns=int(BOOT_NS / speed))
        reads = Capability.CARD_RECOGNITION if scenario.recognition else Capability(0)
        self.units = {
            SHUFFLER: Unit(
                SHUFFLER,
                self.shuffler,
                lambda request, command, now_ns: answer(self.shuffler, request, command, now_ns),
                device_class=DeviceClass.SHUFFLER,
                capabilities=Capability.TWO_DECKS | Capability.COUNTS_PACKETS | Capability.HOST_LAMP | reads,
                rng=Random(seeds.random()),
                timing=timing,
            ),
            CONTROLLER: Unit(
                CONTROLLER,
                self.controller,
                self.controller.answer,
                device_class=DeviceClass.TABLE_CONTROLLER,
                capabilities=Capability.LAYOUT_READER | Capability.BET_SENSORS,
                rng=Random(seeds.random()),
                timing=timing,
            ),
        }
        self.lines = {name: LineFaults(Random(seeds.random())) for name in self.units}
        self.dealer = Dealer(
            scenario, self.cards, self.shuffler, self.controller, self.units, self.lines, Pace().faster(speed)
        )
        self._seated = False

    def power_on(self, now_ns: int) -> None:
        """Switch both devices on."""
        for unit in self.units.values():
            unit.power_on(now_ns)

    def receive(self, device: str, data: bytes, now_ns: int) -> None:
        """Bytes from a device's host."""
        self.units[device].receive(data, now_ns)
        self._go_on(now_ns)

    def tick(self, now_ns: int) -> None:
        """Do what is due."""
        for unit in self.units.values():
            unit.tick(now_ns)
        self._go_on(now_ns)

    def take_output(self, device: str, now_ns: int) -> bytes:
        """What comes out of a device's line now, spoiled where the scenario says so."""
        line = self.lines[device]
        return b"".join(
            [line.carry(frame, now_ns) for frame in self.units[device].take_output()] or [line.carry(b"", now_ns)]
        )

    @property
    def next_deadline_ns(self) -> int | None:
        """When `tick` is due next."""
        dues = [unit.next_deadline_ns for unit in self.units.values()]
        dues += [line.next_deadline_ns for line in self.lines.values()]
        dues.append(self.dealer.next_deadline_ns)
        return min((due for due in dues if due is not None), default=None)

    @property
    def finished(self) -> bool:
        """The scenario has been played, and every host has every event or is gone."""
        return self.dealer.done and all(unit.all_acknowledged or unit.host_lost for unit in self.units.values())

    def _go_on(self, now_ns: int) -> None:
        if not self._seated and all(unit.hosted for unit in self.units.values()):
            self._seated = True
            self.dealer.start(now_ns)
        self.dealer.tick(now_ns)
