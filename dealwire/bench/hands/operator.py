"""Operators: manual steps at a device. The bench performs them itself on a simulated device; at an attached one it asks
a person or an operator program."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, Final, Literal

from dealwire.bench.hands.actions import CABLE_OUT, KEYS_IN_VAIN, POWER_ON, hand_actions, hand_task
from dealwire.bench.hands.profiles import BADGE
from dealwire.bench.record import Failed, NotRun, NotRunCause
from dealwire.rehearsal.dealt_table import DealtTable
from dealwire.rehearsal.faults import act_named, arm
from dealwire.rehearsal.tables import RehearsedShoe, SimulatedTable
from devices.simulator.deck import Bay
from devices.simulator.shoe import ShoeModel
from devices.simulator.shoe_table import ShoeTable
from devices.simulator.shuffler import ShufflerModel
from devices.simulator.shuffler_parts import Motion, ShufflerSetting
from devices.simulator.table_controller import TableControllerModel
from protocol.cards import CARDS, Card
from protocol.faults import Fault
from protocol.places import COMMUNITY, NOWHERE, Place, parse_place
from protocol.tdp.bounds import SUITED
from protocol.tdp.messages import (
    ActionManner,
    BadgeLevel,
    Mishandling,
    PlayerAction,
    Resolution,
    RevealSource,
    SetBy,
    Spread,
)

DECKS: Final = (1, 2)
OFF_MS: Final = 1_000
"""Milliseconds that a simulated device stays without power."""
PATIENCE_MS: Final = 60_000
"""Milliseconds that a check waits for a person's action."""

Table = DealtTable | ShoeTable
HandsKind = Literal["simulated", "person", "program", "nobody"]


class Operator(ABC):
    """Operator who stands at the device and follows instructions."""

    whose: HandsKind
    patience_ms = 0
    """Milliseconds that the operator may add to the time of an event that they cause."""
    tireless = True
    """True if the operator may be asked for the same action a hundred times in a row."""

    def begin(self, check: str) -> None:
        """Begin a check: cancel pending faults."""
        return

    def ready_for(self, action: str, fields: Mapping[str, Any]) -> None:
        """Raise NotRun if the operator is known to be unable to do this, so that no check is left half done."""
        return

    @abstractmethod
    def do(self, action: str, fields: Mapping[str, Any] = {}) -> str:
        """Do one of `hand_actions`, and describe it. Raise NotRun if it cannot be done."""


class PersonOperator(Operator):
    """Person at an attached device. `ask` shows an instruction, and returns True if it was followed."""

    whose = "person"
    patience_ms = PATIENCE_MS
    tireless = False

    def __init__(self, ask: Callable[[str], bool]) -> None:
        self._ask = ask

    def do(self, action: str, fields: Mapping[str, Any] = {}) -> str:
        """Show the instruction. Raise NotRun if the person skips it."""
        say = hand_task(action, fields).say
        if not self._ask(say):
            raise NotRun(f"skipped: {say}", NotRunCause.SKIPPED)
        return say


class NoOperator(Operator):
    """No operator (`--unattended`)."""

    whose = "nobody"

    def ready_for(self, action: str, fields: Mapping[str, Any]) -> None:
        """Raise NotRun."""
        self.do(action, fields)

    def do(self, action: str, fields: Mapping[str, Any] = {}) -> str:
        """Raise NotRun."""
        raise NotRun(f"needs a person: {hand_task(action, fields).say}", NotRunCause.UNATTENDED)


class SimulatedOperator(Operator):
    """Operator of a simulated device. `now` returns the table's time; `flush` sends the device's output to its line."""

    whose = "simulated"

    def __init__(
        self, table: Table, device: str, now: Callable[[], int], flush: Callable[[], None] = lambda: None
    ) -> None:
        self._table, self._device = table, device
        self._now, self._flush = now, flush
        self._unit: Any = table.units[device]

    def begin(self, check: str) -> None:
        """Cancel pending faults."""
        if isinstance(self._table, SimulatedTable):
            self._table.shuffler.mishaps = []
            self._table.shuffler.sensor_works = True

    def do(self, action: str, fields: Mapping[str, Any] = {}) -> str:
        """Apply the action to the simulated device or to its line. Raise Failed if the device did not accept it."""
        match hand_actions()[action].kind:
            case "fault":
                return arm(self._table, action, fields, device=self._device)
            case "power" if action == POWER_ON:
                self._unit.power_on(self._now())
            case "power":
                self._unit.power_off()
            case "cable":
                # what goes either way is lost meanwhile; a real line stays open
                table = self._table
                line = table.line if isinstance(table, ShoeTable) else table.lines[self._device]
                self._flush()
                line.cut = action == CABLE_OUT
            case _:
                self._act(action, act_named(action).filled(fields))
        self._unit.settle(self._now())
        self._flush()
        name = action if hand_actions()[action].kind == "act" else action.replace("-", " ")
        return " ".join([name, *(f"{key}={value}" for key, value in fields.items())])

    def _act(self, name: str, filled: Mapping[str, Any]) -> None:
        match act_named(name).device, self._table:
            case "shoe", ShoeTable(model=shoe) | RehearsedShoe(shoe=shoe):
                done = _AT_SHOE[name](shoe, filled)
            case "table-controller", DealtTable() as table:
                done = _AT_CONTROLLER[name](table.controller, filled)
            case "shuffler", SimulatedTable() as table:
                done = _AT_SHUFFLER[name](table.shuffler, filled, self._now())
            case device, _:
                raise NotRun(f"there is no {device} at this table")
        if done is False and name not in KEYS_IN_VAIN:
            raise Failed(f"the simulated device did not accept this action: {name}")


# ------------------------------------------------------------------ at the models

Filled = Mapping[str, Any]


def _grab(model: ShufflerModel, filled: Filled) -> object:
    """Lift the packet two thirds through the motion, whatever its speed."""
    if model.motion is not Motion.DISPENSE:
        return False
    return bool(model.lift(parse_place(filled["to"]), (model.motion_began_ns + 2 * model.motion_due_ns) // 3))


def _load(model: ShufflerModel, filled: Filled, now_ns: int) -> object:
    """Load the deck that is outside, with some cards missing or some more of the same back."""
    cards = model.cards
    if cards.count(Bay.INPUT):
        return False
    inside = cards.backs([Bay.CHAMBER, Bay.INPUT, Bay.TRAY, Bay.STUCK, Bay.REJECT])
    deck = next((deck for deck in DECKS if deck not in inside), 0)
    if not deck:
        return False
    _complete(model, deck)
    cards.gather(deck, Bay.INPUT, leave=filled["short"])
    if filled["extra"]:
        cards.bring(deck, NOWHERE)
        cards.pick(NOWHERE, Bay.INPUT, range(filled["extra"]))
        cards.remove(NOWHERE)
    return model.load_deck(deck, now_ns)


def _complete(model: ShufflerModel, deck: int) -> None:
    """Complete the deck that is outside; if cards are missing, replace it with a new one."""
    cards = model.cards
    cards.gather(deck, NOWHERE)
    if cards.count(NOWHERE) != model.game.cards:
        cards.remove(NOWHERE)
        cards.bring(deck, NOWHERE, model.game.jokers)


def _game(filled: Filled) -> ShufflerSetting:
    return ShufflerSetting(filled["size"], SUITED + filled["jokers"], filled["jokers"])


def _sensor(model: ShufflerModel, works: bool) -> bool:
    model.sensor_works = works
    return True


_AT_SHUFFLER: Final[dict[str, Callable[[ShufflerModel, Filled, int], object]]] = {
    "green": lambda model, _, now_ns: model.press_green(now_ns) or model.powered,  # pressed, whatever comes of it
    "lift": lambda model, filled, now_ns: bool(model.lift(parse_place(filled["to"]), now_ns)),
    "grab": lambda model, filled, _: _grab(model, filled),
    "load": _load,
    "open-door": lambda model, _, now_ns: model.move_door(True, now_ns),
    "close-door": lambda model, _, now_ns: model.move_door(False, now_ns),
    "open-setup": lambda model, _, now_ns: model.open_setup(now_ns),
    "close-setup": lambda model, _, now_ns: model.close_setup(now_ns),
    "choose-game": lambda model, filled, now_ns: model.choose_game(_game(filled), now_ns),
    "clear-resume": lambda model, _, now_ns: model.turn_key(Resolution.RESUME, now_ns),
    "clear-remove": lambda model, _, now_ns: model.turn_key(Resolution.REMOVE_DECK, now_ns),
    "block-sensor": lambda model, _, __: _sensor(model, False),
    "free-sensor": lambda model, _, __: _sensor(model, True),
}

_DEALT: Final = ("first", "second", "third", "fourth")
"""Fields of an action that are cards, in order."""


def _seat(filled: Filled) -> Place:
    return parse_place(f"seat {filled['seat']}")


def _cards(filled: Filled) -> tuple[Card, ...]:
    return tuple(CARDS[filled[name]] for name in _DEALT if name in filled)


def _set_hand(model: TableControllerModel, filled: Filled) -> bool:
    cards, low = _cards(filled), filled["low"]
    return model.set_hand(_seat(filled), SetBy(filled["by"]), cards[:low], cards[low:], foul=bool(filled["foul"]))


_AT_CONTROLLER: Final[dict[str, Callable[[TableControllerModel, Filled], object]]] = {
    "start-game": lambda model, _: model.start_game(),
    "end-game": lambda model, _: model.end_game(),
    "hand-button": lambda model, filled: model.press_hand(filled["hand"]),
    "bet-on": lambda model, filled: model.sense(filled["seat"], True),
    "bet-off": lambda model, filled: model.sense(filled["seat"], False),
    "spot": lambda model, filled: model.select_spot(filled["seat"]),
    "confirm": lambda model, _: model.confirm(),
    "badge": lambda model, filled: model.swipe(filled["number"] or BADGE, BadgeLevel(filled["level"])),
    "wager": lambda model, filled: model.place_wager(filled["seat"], filled["bet"], filled["cents"]),
    "decide": lambda model, filled: model.decide(filled["seat"], filled["decision"]),
    "burn": lambda model, _: model.confirm_burn(COMMUNITY, (1, 2, 5), Spread.LEFT_TO_RIGHT),
    "count": lambda model, filled: model.count(parse_place(f"seat {filled['seat']}"), filled["counted"]),
    "reveal": lambda model, filled: model.reveal(_seat(filled), _cards(filled), RevealSource(filled["source"])),
    "set-hand": lambda model, filled: _set_hand(model, filled),
    "discard": lambda model, filled: model.discard(_seat(filled), _cards(filled)),
    "correct": lambda model, filled: model.correct(_seat(filled), _cards(filled), BADGE, BadgeLevel(filled["level"])),
    "mishandled": lambda model, filled: model.mishandle(
        _seat(filled), Mishandling(filled["how"]), CARDS[filled["card"]]
    ),
    "number": lambda model, filled: model.draw_number(filled["drawn"]),
    "wager-on": lambda model, filled: model.place_wager_on(
        filled["seat"], filled["bet"], filled["proposition"], filled["on"], filled["cents"]
    ),
    "stake": lambda model, filled: model.show_stake(filled["seat"], filled["cents"]),
    "acted": lambda model, filled: model.player_acts(
        filled["seat"], PlayerAction(filled["action"]), filled["cents"], ActionManner(filled["manner"])
    ),
    "take-pot": lambda model, filled: model.take_pot(filled["pot"], filled["seat"], filled["cents"]),
    "misdeal": lambda model, _: model.call_misdeal(BADGE, Fault.MISDEAL_CALLED_BY_HOST),
    "table-setup": lambda model, filled: model.set_setup(bool(filled["open"])),
}

_AT_SHOE: Final[dict[str, Callable[[ShoeModel, Filled], object]]] = {
    "fill": lambda model, filled: model.fill(filled["decks"], filled["cut_after"] or None),
    "begin": lambda model, filled: model.begin(filled["burn"]),
    "draw": lambda model, _: model.draw() is not None,
    "draw-unread": lambda model, _: model.draw(readable=False) is not None,
    "push-back": lambda model, _: model.push_back(),
    "pull-back": lambda model, _: model.pull_back(),
    "end-round": lambda model, _: model.end_round(),
    "lock-key": lambda model, filled: model.lock(bool(filled["locked"])),
    "clear-error": lambda model, _: model.clear(),
    "slow-draw": lambda model, _: model.trouble(Fault.DRAW_TOO_SLOW),
    "wrong-button": lambda model, _: model.trouble(Fault.WRONG_BUTTON),
    "empty": lambda model, _: model.empty() >= 0,
    "shoe-setup": lambda model, filled: model.open_setup(bool(filled["open"])),
}

SIMULATED_ACTS: Final = frozenset({*_AT_SHUFFLER, *_AT_CONTROLLER, *_AT_SHOE})
"""Names of the actions that a simulated operator can do."""
