"""Availability of an action is stated as the device itself would state it."""

from collections.abc import Callable
from copy import deepcopy
from random import Random
from typing import Any, Final

import pytest

from dealer_flow.procedure.load import load_procedure
from dealwire.config.table_parts import DevicePart
from dealwire.hub.actions import Action
from dealwire.hub.view import DeviceView, Link, TableView
from dealwire.service.actions import KINDS, command_of, faults, find, offered
from devices.simulator.deck import Cards
from devices.simulator.shoe import ShoeModel
from devices.simulator.shuffler import ShufflerModel
from protocol.faults import Fault
from protocol.tdp import messages as m
from protocol.tdp.messages import Reason, Status
from protocol.tdp.messages import ShoeState as Shoe
from protocol.tdp.messages import ShufflerState as S
from tests.support.evenings.simulated_table import Evening

COLORADO: Final = load_procedure("flushes-gone-wild.co")
FILLED_IN: Final = {
    "badge": 7,
    "resolution": "end the deal",
    "packet-size": 5,
    "cards": 52,
    "jokers": 0,
    "game": "flushes-gone-wild.co",
    "fault": int(Fault.DRAW_TOO_SLOW),
    "text": "hello",
}


def part(kind: str) -> DevicePart:
    return DevicePart.model_validate({"name": kind, "kind": kind, "address": "x", "role": "control"})


def view(device: str, state: str, *, lamp: int = 0, link: Link = "up", **more: Any) -> TableView:
    seen = DeviceView(name=device, kind=device, address="x", link=link, state=state)
    return TableView(
        sequence=1,
        at_ns=1,
        table="t",
        procedure="p",
        title="P",
        clause="1",
        round=1,
        state="dealing",
        red_lamp=lamp,
        devices=(seen,),
        **more,
    )


def actions(kind: str) -> dict[str, Action]:
    return {action.does: action for action in offered([part(kind)], COLORADO)}


def refused(name: str, model: ShufflerModel, now_ns: int) -> bool:
    """Return True if the device refuses the action; a person fills in values that are right for it."""
    kind, _ = find([part("shuffler")], name, {"device": "shuffler"}, next(k.roles[-1] for k in KINDS if k.name == name))
    command = command_of(kind, {**FILLED_IN, "device": "shuffler"})
    return deepcopy(model).answer(1, command, now_ns).status is Status.REFUSED


def shuffler_states() -> dict[S, tuple[ShufflerModel, int]]:
    """A shuffler in every state of an evening, and in those that people bring it into."""
    evening, found = Evening("demo"), dict[S, tuple[ShufflerModel, int]]()
    while not evening.table.finished:
        evening.step()
        model = evening.table.shuffler
        if model.state not in found:
            found[model.state] = deepcopy(model), evening.now_ns
        if model.motion and model.latched:  # lit while something moves
            assert refused("call-misdeal", model, evening.now_ns)
    ready, now_ns = found[S.READY]
    by_people: dict[S, Callable[[ShufflerModel], object]] = {
        S.LOCKED: lambda model: model.answer(1, m.SetLockMessage(1), now_ns),
        S.SETUP: lambda model: model.open_setup(now_ns),
        S.OPEN: lambda model: model.move_door(True, now_ns),
        S.SAFE: lambda model: model.host_gone(now_ns),
    }
    for state, act in by_people.items():
        model = deepcopy(ready)
        act(model)
        found[state] = model, now_ns
    for state, works in ((S.EMPTY, True), (S.FAULT, False)):
        model = ShufflerModel(Cards(Random(1)))
        model.sensor_works = works
        model.power_on(now_ns)
        model.tick(now_ns + 3600 * 10**9)
        found[state] = model, now_ns + 3600 * 10**9
    assert all(model.state is state for state, (model, _) in found.items())
    return found


def test_a_button_of_the_shuffler_is_open_exactly_when_the_shuffler_would_take_it() -> None:
    states, shown = shuffler_states(), actions("shuffler")
    assert set(states) >= {*S} - {S.RECOVERING}
    for state, (model, now_ns) in states.items():
        seen = view("shuffler", state.name, lamp=model.latched[0] if model.latched else 0)
        for name in ("call-misdeal", "clear-misdeal", "lock", "select-game"):
            why = shown[name].available(seen)
            nothing_to_do = name == "lock" and model.locked
            assert bool(why) is (nothing_to_do or refused(name, model, now_ns)), f"{name} in {state.name}: {why!r}"
        assert not shown["refresh"].available(seen)
        unlock = shown["unlock"].available(seen)
        assert (unlock == "It is not locked.") is (not model.locked and state is not S.OPEN), state.name


def shoe_states() -> dict[Shoe, ShoeModel]:
    found = {}
    ways: dict[Shoe, tuple[Callable[[ShoeModel], object], ...]] = {
        Shoe.EMPTY: (),
        Shoe.LOADED: (lambda shoe: shoe.fill(1),),
        Shoe.STANDBY: (lambda shoe: shoe.fill(1), lambda shoe: shoe.begin()),
        Shoe.BURN: (lambda shoe: shoe.fill(1), lambda shoe: shoe.begin(2)),
        Shoe.ROUND: (lambda shoe: shoe.fill(1), lambda shoe: shoe.begin(), lambda shoe: shoe.draw()),
        Shoe.ERROR: (lambda shoe: shoe.trouble(Fault.DRAW_TOO_SLOW),),
        Shoe.LOCKED: (lambda shoe: shoe.lock(True),),
        Shoe.SETUP: (lambda shoe: shoe.open_setup(True),),
    }
    for state, steps in ways.items():
        shoe = ShoeModel(Random(1))
        shoe.power_on(1)
        shoe.tick(shoe.next_deadline_ns or 0)
        for step in steps:
            step(shoe)
        assert shoe.state is state
        found[state] = shoe
    return found


@pytest.mark.parametrize("name", ["lock", "unlock", "clear-error"])
def test_a_button_of_the_shoe_is_open_exactly_when_the_shoe_would_take_it(name: str) -> None:
    action = actions("shoe")[name]
    for state, shoe in shoe_states().items():
        kind, _ = find([part("shoe")], name, {"device": "shoe"}, "supervisor")
        reply = deepcopy(shoe).answer(1, command_of(kind, {**FILLED_IN, "device": "shoe"}), 1)
        why = action.available(view("shoe", state.name))
        assert bool(why) is (reply.reason is Reason.WRONG_STATE), f"{state.name}: {why!r}"


def test_why_not_is_one_sentence() -> None:
    shuffler = actions("shuffler")
    assert shuffler["clear-misdeal"].available(view("shuffler", "READY")) == "No misdeal has been called."
    assert shuffler["unlock"].available(view("shuffler", "READY")) == "It is not locked."
    assert shuffler["lock"].available(view("shuffler", "DISPENSING")) == "A deck is being dealt, shuffled or counted."
    lit = view("shuffler", "DISPENSING", lamp=302)
    assert shuffler["call-misdeal"].available(lit) == "The red lamp is already on."
    for kind in KINDS:
        assert all(not why or (why[0].isupper() and why.endswith(".")) for why in kind.hinders.values()), kind.name


def test_what_is_not_known_holds_nothing_up_but_a_line_that_is_away_does() -> None:
    shuffler = actions("shuffler")
    assert {shuffler[name].available(view("shuffler", "")) for name in ("lock", "unlock", "call-misdeal")} == {""}
    assert not shuffler["clear-misdeal"].available(view("shuffler", "", lamp=302))
    assert shuffler["clear-misdeal"].available(view("shuffler", "")) == "No misdeal has been called."
    gone = {action.available(view("shuffler", "READY", link="waiting")) for action in shuffler.values()}
    assert gone == {"shuffler is not connected."}
    nowhere = view("another", "READY")
    assert {action.available(nowhere) for action in shuffler.values()} == {"shuffler is not connected."}


def test_a_table_that_was_stopped_is_asked_for_nothing() -> None:
    stopped = view("shuffler", "READY", safe_stop="the disk is full")
    every = [*actions("shuffler").values(), *faults()]
    assert {each.available(stopped) for each in every} == {"The table is in safe stop and takes no commands."}
    assert {fault.available(view("shuffler", "READY")) for fault in faults()} == {""}
