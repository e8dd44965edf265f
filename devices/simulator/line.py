"""A simulated device inside this program, with a simulated person next to it, behind addresses such as
`sim:shuffler?seed=1`.

The device was switched on some time ago and is ready. The person does what only hands can do: lifts packets, returns
the deck, draws cards, presses keys. Everything that a host can request is left to the program.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random
from typing import Final, NamedTuple
from urllib.parse import parse_qsl, urlsplit

from devices.clock import Clock, SystemClock
from devices.simulator import shoe, table_controller
from devices.simulator.deck import Bay, Cards
from devices.simulator.gat import FAULTS, SimulatedGat, software
from devices.simulator.identity import Identity
from devices.simulator.shoe import ShoeModel
from devices.simulator.shuffler import ShufflerModel
from devices.simulator.shuffler_parts import RECOVERY_TRIES, Durations, MachineMishap, ShufflerSetting
from devices.simulator.table_controller import TableControllerModel
from devices.simulator.unit import FIRMWARE, Unit, controller_unit, shoe_unit, shuffler_unit
from devices.simulator.unit_seal import UnitSeal
from devices.transport.base import OpenLine
from protocol.errors import LineUnusable
from protocol.places import REMAINDER, SEATS_MAX, seat
from protocol.tdp.messages import ControllerState, Role, ShoeState, ShufflerState

PAUSE_NS: Final = 1_000_000_000
"""Nanoseconds between two actions of the simulated person."""
LONG_AGO_NS: Final = 60_000_000_000
"""Time since the device was switched on: longer than it takes to shuffle a deck."""
BACK: Final = 1
"""Back of the deck in a simulated shuffler."""

Act = Callable[[int], object]
"""Action of the person, at a given time."""


class Attended(NamedTuple):
    """A device, the person's next action, and whether the device is ready."""

    unit: Unit | SimulatedGat
    next_act: Callable[[], Act | None]
    ready: Callable[[], bool]


# ------------------------------------------------------------------ the three devices

Numbers = dict[str, int]
"""Settings by name."""

_ANY: Final = {"seed": (1, range(2**32)), "speed": (1, range(1, 1001))}
_SHUFFLER: Final = {
    "players": (3, range(SEATS_MAX + 1)),
    "cards": (5, range(1, 14)),
    "jokers": (0, range(5)),
    "recognition": (0, range(2)),
    "stays": (0, range(2)),
}
_SHUFFLER_FAULTS: Final = {
    "short": MachineMishap(1, by=-1),
    "long": MachineMishap(1, by=1),
    "jam": MachineMishap(1, jam_tries=RECOVERY_TRIES + 1),
    "lost": MachineMishap(1, lost=1),
    "reject": MachineMishap(1, rejected=1),
    "remainder": MachineMishap(0, slipped=1),
}


def _shuffler(numbers: Numbers, fault: str) -> Attended:
    rng = Random(numbers["seed"])
    cards = Cards(Random(rng.random()))
    durations = Durations().faster(numbers["speed"])
    model = ShufflerModel(
        cards, recognition=bool(numbers["recognition"]), packet_stays=bool(numbers["stays"]), durations=durations
    )
    model.game = ShufflerSetting(numbers["cards"], 52 + numbers["jokers"], numbers["jokers"], "sim")
    model.mishaps += [_SHUFFLER_FAULTS[fault]] if fault else []
    cards.bring(BACK, REMAINDER, numbers["jokers"])

    def load(now_ns: int) -> None:
        cards.gather(BACK, Bay.INPUT)
        model.load_deck(BACK, now_ns)

    def lift(now_ns: int) -> None:
        dealt = model.round and model.round.remainder is None
        model.lift(seat(len(model.round.packets)) if model.round and dealt else REMAINDER, now_ns)

    def next_act() -> Act | None:
        if model.state is ShufflerState.EMPTY:
            return load
        lies = model.round is not None and cards.count(Bay.TRAY)
        if model.state is ShufflerState.REMAINDER_WAIT and lies:
            return lift
        if model.state is ShufflerState.PACKET_WAIT and lies and model.round:
            return lift if len(model.round.packets) <= numbers["players"] else None
        return None

    unit = shuffler_unit(model, Random(rng.random()))
    return Attended(unit, next_act, lambda: model.state is ShufflerState.READY)


_SHOE: Final = {"decks": (8, range(1, 9)), "cards": (6, range(1, 14))}
UNREAD_CARD: Final = 3
"""Ordinal of the card in each round that `fault=unread` makes unreadable."""


def _shoe(numbers: Numbers, fault: str) -> Attended:
    rng = Random(numbers["seed"])
    model = ShoeModel(Random(rng.random()), boot_ns=shoe.BOOT_NS // numbers["speed"])
    cards = numbers["decks"] * 52
    acts: dict[ShoeState, Act] = {
        ShoeState.EMPTY: lambda _: model.fill(numbers["decks"], cut_after=cards * 3 // 4),
        ShoeState.LOADED: lambda _: model.begin(),
        ShoeState.SHOE_END: lambda _: model.empty(),
        **dict.fromkeys(
            (ShoeState.STANDBY, ShoeState.ROUND, ShoeState.CUT_CARD_SEEN),
            lambda _: model.draw(readable=not fault or model.in_round != UNREAD_CARD - 1),
        ),
    }

    def next_act() -> Act | None:
        return acts.get(model.state) if model.in_round < numbers["cards"] else None

    return Attended(shoe_unit(model, Random(rng.random())), next_act, lambda: model.state is ShoeState.STANDBY)


_CONTROLLER: Final = {"players": (3, range(1, SEATS_MAX + 1))}


def _controller(numbers: Numbers, _fault: str) -> Attended:
    rng = Random(numbers["seed"])
    model = TableControllerModel(boot_ns=table_controller.BOOT_NS // numbers["speed"])

    def next_act() -> Act | None:
        """Return the next action: all seats bet, START GAME, the bets are taken away, END GAME."""
        bets, games = model.state is ControllerState.BETS_OPEN, model.state is ControllerState.GAME
        if not bets and not games:
            return None
        left = [number for number in range(1, numbers["players"] + 1) if (number in model.sensors) is not bets]
        if left:
            return lambda _: model.sense(left[0], bets)
        return lambda _: model.start_game() if bets else model.end_game()

    unit = controller_unit(model, Random(rng.random()))
    return Attended(unit, next_act, lambda: model.state is ControllerState.BETS_OPEN)


def _gat(_numbers: Numbers, fault: str) -> Attended:
    return Attended(SimulatedGat(software("simulated device", FIRMWARE.encode()), fault), lambda: None, lambda: True)


class SimulatedKind(NamedTuple):
    """A kind of device: its factory, its numeric settings with their defaults and limits, and its possible faults."""

    make: Callable[[Numbers, str], Attended]
    numbers: Mapping[str, tuple[int, range]]
    faults: tuple[str, ...] = ()
    keyed: bool = True  # its unit can have an identity


KINDS: Final = {
    "shuffler": SimulatedKind(_shuffler, _ANY | _SHUFFLER, tuple(_SHUFFLER_FAULTS)),
    "shoe": SimulatedKind(_shoe, _ANY | _SHOE, ("unread",)),
    "table-controller": SimulatedKind(_controller, _ANY | _CONTROLLER),
    "gat": SimulatedKind(_gat, _ANY, tuple(FAULTS), keyed=False),
}
"""All simulated devices. docs/simulator.md prints the table of settings from this."""


# ------------------------------------------------------------------ the device and its lines


class SimulatedDevice:
    """The device at a `sim:` address. It keeps running when its line is closed, and is there for the next line.

    LineUnusable names the available devices, settings and values.
    """

    def __init__(self, address: str, clock: Clock | None = None) -> None:
        self.clock, self.address = clock or SystemClock(), address
        kind, numbers, fault, identity = kind_at(address)
        self._unit, self._next_act, ready = kind.make(numbers, fault)
        if identity and isinstance(self._unit, Unit):
            self._unit.identify(Identity.read(identity))
            self._unit.seal = _seal_of(address, Path(identity))
        self._pause_ns = PAUSE_NS // numbers["speed"]
        self._act_ns: int | None = None
        self._stands = False  # ready and waiting for its first host
        self._unit.power_on(self.clock.now_ns() - LONG_AGO_NS)
        while not ready():
            self.tick(self.next_deadline_ns or 0)
        self._act_ns, self._stands = None, True

    @property
    def next_deadline_ns(self) -> int | None:
        """Time of the next action that happens on its own."""
        return min((due for due in (self._unit.next_deadline_ns, self._act_ns) if due is not None), default=None)

    def tick(self, now_ns: int) -> None:
        """Do what is due: first the device, then the person, who waits for the device's first host."""
        self._unit.tick(now_ns)
        act = self._next_act()
        if act is None or (self._stands and not self._unit.hosted):
            self._act_ns = None
        elif self._act_ns is None:
            self._act_ns = now_ns + self._pause_ns
        elif self._act_ns <= now_ns:
            self._act_ns = None
            act(now_ns)
            self._unit.settle(now_ns)

    def show_code(self) -> str:
        """Open the door, have the device show a pairing code, and return that. Raise LineUnusable if it has no keys."""
        self._door().open_door()
        return self._door().allow_pairing(self.clock.now_ns(), Role.SERVICE)

    @property
    def short_string(self) -> str:
        """Short authentication string that the device shows; empty before it was paired."""
        return self._door().end.short_string

    def _door(self) -> UnitSeal:
        seal = self._unit.seal if isinstance(self._unit, Unit) else None
        if seal is None:
            raise LineUnusable(self.address, "a simulated device has keys if its address has identity=FILE")
        return seal

    def receive(self, data: bytes) -> None:
        """Process bytes from the host."""
        self._unit.receive(data, self.clock.now_ns())

    def take_output(self) -> bytes:
        """Return the device's output since the last call."""
        return b"".join(self._unit.take_output())

    def open(self) -> "SimulatedLine":
        """Open a line to the device. Output from the time without a line is lost."""
        self.take_output()
        return SimulatedLine(self)


class SimulatedLine(OpenLine):
    """The host's end of the line. The device's time advances whenever it is read."""

    def __init__(self, device: SimulatedDevice) -> None:
        super().__init__(device.address)
        self._device = device
        self._wake: Callable[[], None] = lambda: None

    @property
    def next_deadline_ns(self) -> int | None:
        """Time at which the device next has something to do; None after the line was lost."""
        return None if self._gone else self._device.next_deadline_ns

    def fileno(self) -> int | None:
        """Return None: the time determines when to read."""
        return None

    def on_ready(self, wake: Callable[[], None]) -> None:
        """Set the function to call when the device answers."""
        self._wake = wake

    def read(self) -> bytes:
        """Return the device's output up to now."""
        self._check()
        self._device.tick(self._device.clock.now_ns())
        return self._device.take_output()

    def write(self, data: bytes) -> int:
        """Accept all of `data`."""
        self._check()
        self._device.receive(data)
        self._wake()
        return len(data)


def _seal_of(address: str, identity: Path) -> UnitSeal:
    """Return the device's end of a sealed line, which is in clear until the device is paired."""
    try:
        from devices.transport.ciphers import Ciphers
    except ImportError as cause:
        from devices.extras import install_command

        raise LineUnusable(address, f"identity=FILE needs the extra 'seal': {install_command('seal')}") from cause
    return UnitSeal(Ciphers(), identity)


def kind_at(address: str) -> tuple[SimulatedKind, Numbers, str, str]:
    """Return the kind of device that a `sim:` address names, its settings, its fault and the file of its identity.

    LineUnusable names the choices.
    """
    path = urlsplit(address).path
    if path not in KINDS:
        raise LineUnusable(address, f"no such simulated device; choose from {', '.join(KINDS)}")
    return KINDS[path], *_settings(address, KINDS[path])


def _settings(address: str, kind: SimulatedKind) -> tuple[Numbers, str, str]:
    numbers, fault, identity = {name: usual for name, (usual, _) in kind.numbers.items()}, "", ""
    for name, text in parse_qsl(urlsplit(address).query, keep_blank_values=True):
        if name in numbers and text.isdecimal() and int(text) in kind.numbers[name][1]:
            numbers[name] = int(text)
        elif name == "fault" and text in kind.faults:
            fault = text
        elif name == "identity" and text and kind.keyed:
            identity = text
        else:
            allowed = [f"{key}={bounds[0]}..{bounds[-1]}" for key, (_, bounds) in kind.numbers.items()]
            allowed += [f"fault={'|'.join(kind.faults)}"] if kind.faults else []
            allowed += ["identity=FILE"] if kind.keyed else []
            raise LineUnusable(address, f"{name}={text}; allowed: {', '.join(allowed)}")
    return numbers, fault, identity
