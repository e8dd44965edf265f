"""The shuffler's state table against the model: every possible sequence of occurrences, on a deck of four cards."""

import io
import pickle
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from dealwire.rehearsal.trouble import What
from devices.simulator.deck import Bay, Cards
from devices.simulator.shuffler import ShufflerModel
from devices.simulator.shuffler_faults import REMOVE_ONLY
from devices.simulator.shuffler_parts import MachineMishap, PacketGroup, ShufflerSetting
from devices.simulator.shuffler_states import ARCS, ROWS, ShufflerCause
from devices.simulator.table_controller import ARCS as CONTROLLER_ARCS
from devices.simulator.table_controller import TableControllerModel
from protocol.faults import Fault
from protocol.places import MUCK, PLACES
from protocol.tdp import messages as m
from protocol.tdp.messages import ActionManner, PlayerAction, Resolution
from protocol.tdp.messages import ControllerState as C
from protocol.tdp.messages import ShufflerState as S

ELSEWHERE = PLACES[0xFF]
Action = Callable[[ShufflerModel], object]


def tick(model: ShufflerModel) -> None:
    if (due := model.next_deadline_ns) is not None:
        model.tick(due)


def load(model: ShufflerModel) -> None:
    free = [back for back in (1, 2) if back in model.cards.backs([MUCK])]
    if model.powered and not model.cards.count(Bay.INPUT) and free:
        model.cards.gather(free[0], Bay.INPUT)
        model.load_deck(free[0], 0)


def half_way(model: ShufflerModel) -> None:
    model.lift(MUCK, (model.motion_began_ns + model.motion_due_ns) // 2)


def power_cycle(model: ShufflerModel) -> None:
    model.power_off()
    model.power_on(0)


def host_gone(model: ShufflerModel) -> None:
    if not model.host_lost:
        model.host_gone(0)


def ask(command: m.Message) -> Action:
    return lambda model: None if model.host_lost else model.answer(1, command, 0)


def break_sensor(model: ShufflerModel) -> None:
    model.sensor_works = not model.sensor_works


ACTIONS: tuple[Action, ...] = (
    tick,
    load,
    half_way,
    power_cycle,
    lambda model: model.press_green(0),
    lambda model: model.hold_green(0),
    lambda model: model.lift(MUCK, 0),
    lambda model: model.move_door(True, 0),
    lambda model: model.move_door(False, 0),
    lambda model: model.turn_key(Resolution.RESUME, 0),
    lambda model: model.turn_key(Resolution.REMOVE_DECK, 0),
    ask(m.RaiseLampMessage(Fault.MISDEAL_CALLED_BY_HOST)),
)


def host_back(model: ShufflerModel) -> None:
    model.host_back(0)


OUT_OF_USE: tuple[Action, ...] = (
    lambda model: model.open_setup(0),
    lambda model: model.close_setup(0),
    ask(m.SetLockMessage(1)),
    ask(m.SetLockMessage(0)),
    ask(m.SelfTestMessage()),
)


def small_table(mishaps: list[MachineMishap], decks: int, groups: tuple[PacketGroup, ...] = ()) -> ShufflerModel:
    cards = Cards(Random(1))
    for back in range(1, decks + 1):
        cards.bring(back, MUCK)
        cards.pick(MUCK, ELSEWHERE, range(4, 52))
        cards.remove(ELSEWHERE)
    model = ShufflerModel(cards)
    model.game = ShufflerSetting(packet_size=0 if groups else 2, cards=4, groups=groups)
    model.mishaps = mishaps
    model.power_on(0)
    return model


def situation(model: ShufflerModel) -> tuple[object, ...]:
    counts = model.round
    return (
        model.state,
        model.motion,
        model.stage,
        model.owed,
        bool(model.latched),
        REMOVE_ONLY.isdisjoint(model.latched),
        model.door_open,
        model.locked,
        model.in_setup,
        model.host_lost,
        model.sensor_works,
        model.sensor_failed,
        model.verified is not None,
        counts and (counts.left, counts.remainder is None, counts.group, counts.closed),
        tuple(bool(model.cards.count(bay)) for bay in (Bay.INPUT, Bay.CHAMBER, Bay.TRAY)),
        model.jam_tries,
    )


SHARED = Random(1)
"""Random source shared by all models of a walk: the order of cards does not matter here, and copying it would double
the work."""


class Freezing(pickle.Pickler):
    def persistent_id(self, value: object) -> str | None:
        return "random" if isinstance(value, Random) else None


class Thawing(pickle.Unpickler):
    def persistent_load(self, _: str) -> Random:
        return SHARED


def frozen(model: ShufflerModel) -> bytes:
    Freezing(into := io.BytesIO()).dump(model)
    return into.getvalue()


def explore(
    mishaps: list[MachineMishap], decks: int, *more: Action, groups: tuple[PacketGroup, ...] = ()
) -> set[tuple[S, ShufflerCause, S]]:
    start = small_table(mishaps, decks, groups)
    known, todo, steps = {situation(start)}, [frozen(start)], set()
    while todo:
        state = todo.pop()
        for action in (*ACTIONS, *more):
            model = Thawing(io.BytesIO(state)).load()
            model.steps = set()
            action(model)
            model.outbox.clear()
            steps |= model.steps
            seen = situation(model)
            if seen not in known:
                known.add(seen)
                todo.append(frozen(model))
    return steps


JAMMED_ONCE, NEVER_FREE = MachineMishap(1, jam_tries=1), MachineMishap(1, jam_tries=4)


@pytest.mark.more
def test_the_table_lists_every_step_the_model_can_take_and_no_other() -> None:
    steps = explore([], 2, host_gone, host_back)
    steps |= explore([], 1, *OUT_OF_USE, host_gone, host_back)
    steps |= explore([], 1, ask(m.SelfTestMessage()), break_sensor)
    steps |= explore([], 1, ask(m.SelectGameMessage(2, 52, 0, "other")))
    steps |= explore([JAMMED_ONCE], 1) | explore([NEVER_FREE], 1)
    steps |= explore([], 1, groups=(PacketGroup(1), PacketGroup(2, 1)))
    assert steps == ARCS
    assert {state for step in steps for state in (step[0], step[2])} == set(S)


def test_every_cause_is_in_the_table_and_every_state_can_be_left() -> None:
    assert {row.cause for row in ROWS} == set(ShufflerCause)
    assert {source for row in ROWS for source in row.sources} == set(S)
    assert all(row.note for row in ROWS)


MOVING = frozenset({S.BOOT, S.SELF_TEST, S.LOADED, S.SHUFFLING, S.VERIFYING, S.DISPENSING, S.DUMPING, S.RECOVERING})
"""States that end on their own."""


def test_a_moving_state_has_a_deadline_and_a_resting_one_need_not() -> None:
    model = small_table([], 1)
    while model.state is not S.EMPTY:
        assert model.state in MOVING
        tick(model)
    assert model.next_deadline_ns is None
    load(model)
    assert model.state in MOVING
    assert model.next_deadline_ns is not None


def test_the_documentation_shows_this_table() -> None:
    docs = Path(__file__).parents[2] / "docs"
    text, page = ((docs / name).read_text(encoding="utf-8") for name in ("protocol-reference.md", "simulator.md"))
    lines = ["| from | by | to |  |", "| --- | --- | --- | --- |"]
    for row in ROWS:
        sources, targets = (", ".join(state.name for state in states) for states in (row.sources, row.targets))
        lines.append(f"| {sources} | {row.cause} | {targets} | {row.note} |")
    assert "\n".join(lines) + "\n" in text
    for kind in What:
        assert f"| `{kind}` |" in page


def test_a_person_at_the_controller_tells_of_chips() -> None:
    model = TableControllerModel()
    acts = (
        lambda: model.show_stake(3, 45_000),
        lambda: model.player_acts(3, PlayerAction.RAISE, 900),
        lambda: model.player_acts(4, PlayerAction.CALL, 900, ActionManner.STRING_BET),
        lambda: model.take_pot(1, 3, 1_800),
    )
    assert not any(act() for act in acts), "nothing without power"
    model.power_on(0)
    assert not any(act() for act in acts), "nothing before it has started"
    model.tick(10**12)
    model.outbox.clear()
    assert all(act() for act in acts)
    assert [(each.event, each.fields) for each in model.outbox] == [
        (m.StakeShownMessage, {"seat": 3, "cents": 45_000}),
        (m.PlayerActedMessage, {"seat": 3, "action": 2, "manner": 0, "cents": 900}),
        (m.PlayerActedMessage, {"seat": 4, "action": 3, "manner": 1, "cents": 900}),
        (m.PotTakenMessage, {"pot": 1, "seat": 3, "cents": 1_800}),
    ]


def press(model: TableControllerModel, name: str) -> None:
    match name:
        case "boot":
            model.tick(10**12)
        case "power":
            model.power_off()
            model.power_on(0)
        case "host gone" if not model.status(0, 0, 0).faults:
            model.host_gone(0)
        case "host back":
            model.host_back(0)
        case "set-up":
            model.set_setup(True) or model.set_setup(False)
        case "hand":
            model.press_hand(1)
        case "start":
            model.start_game()
        case "end":
            model.end_game()


def test_the_controllers_table_lists_every_step_it_can_take_and_no_other() -> None:
    start = TableControllerModel()
    start.power_on(0)
    known: set[object] = set()
    steps: set[object] = set()
    todo = [pickle.dumps(start)]
    while todo:
        frozen = todo.pop()
        for name in ("boot", "power", "host gone", "host back", "set-up", "hand", "start", "end"):
            model = pickle.loads(frozen)
            press(model, name)
            steps |= model.steps
            seen = (model.state, model.in_game, model.status(0, 0, 0).faults, model.next_deadline_ns)
            if seen not in known:
                known.add(seen)
                model.steps, model.outbox, model.round = set(), [], 0
                todo.append(pickle.dumps(model))
    assert steps == CONTROLLER_ARCS
    assert {seen[0] for seen in known} == set(C)  # type: ignore[index]
