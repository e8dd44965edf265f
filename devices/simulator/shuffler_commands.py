"""How the shuffler answers what a host asks. Every refusal gives its reason and the state it was refused in."""

from collections.abc import Callable
from typing import Any, Final

from devices.simulator.command_rules import SHUFFLER_RULES, states_of
from devices.simulator.deck import Bay
from devices.simulator.shuffler import ShufflerModel
from devices.simulator.shuffler_parts import Motion, ShufflerSetting
from devices.simulator.shuffler_states import ShufflerCause
from protocol.faults import Fault
from protocol.tdp import messages as m
from protocol.tdp.bounds import JOKERS_MAX, PACKET_SIZE_MAX, SUITED
from protocol.tdp.messages import Reason, Resolution, Status
from protocol.tdp.messages import ShufflerState as S

STATES: Final = states_of(SHUFFLER_RULES)
"""Where each command is done."""


Answer = tuple[Status, Reason]
DONE: Answer = (Status.DONE, Reason.NONE)
ACCEPTED: Answer = (Status.ACCEPTED, Reason.NONE)


def _refused(reason: Reason) -> Answer:
    return Status.REFUSED, reason


def _wrong_state(model: ShufflerModel) -> Answer:
    return _refused(Reason.BUSY if model.motion or model.stage else Reason.WRONG_STATE)


def _select_game(model: ShufflerModel, wanted: m.SelectGameMessage, now_ns: int, request: int) -> Answer:
    if model.state not in STATES[m.SelectGameMessage]:
        return _wrong_state(model)
    possible = wanted.jokers <= JOKERS_MAX and wanted.cards == SUITED + wanted.jokers
    if wanted.packet_size > PACKET_SIZE_MAX or not possible:
        return _refused(Reason.BAD_PARAMETER)
    game = wanted.game.partition("\0")[0]  # a text ends at its first zero, and is passed on without what stood behind
    groups = () if wanted.packet_size else model.programs.get(game, ())
    if not wanted.packet_size and not groups:
        return _refused(Reason.NOT_SUPPORTED)
    setting = ShufflerSetting(wanted.packet_size, wanted.cards, wanted.jokers, game, groups)
    model.select_game(setting, now_ns, request)
    return DONE


def _dispense(model: ShufflerModel, _: m.DispenseMessage, now_ns: int, request: int) -> Answer:
    """The first packet, or the first of the next group."""
    between_groups = model.state is S.PACKET_WAIT and model.next_group and not model.cards.count(Bay.TRAY)
    if model.state not in STATES[m.DispenseMessage] and not between_groups:
        return _wrong_state(model)
    model.green(now_ns, request)
    return ACCEPTED


def _dump(model: ShufflerModel, _: m.DumpMessage, now_ns: int, request: int) -> Answer:
    if model.state not in STATES[m.DumpMessage]:
        return _wrong_state(model)
    model.dump(now_ns, request)
    return ACCEPTED


def _raise_lamp(model: ShufflerModel, command: m.RaiseLampMessage, now_ns: int, request: int) -> Answer:
    if model.latched or model.state not in STATES[m.RaiseLampMessage]:
        return _wrong_state(model)
    if command.fault == Fault.NONE:
        return _refused(Reason.BAD_PARAMETER)
    model.alarm(command.fault, request=request)
    model.settle(ShufflerCause.ALARM, now_ns)
    return DONE


def _clear(model: ShufflerModel, command: m.ClearMisdealMessage, now_ns: int, request: int) -> Answer:
    if model.state not in STATES[m.ClearMisdealMessage]:
        return _wrong_state(model)
    known = command.resolution in (Resolution.RESUME, Resolution.REMOVE_DECK)
    if not known or not model.may_clear(command.resolution):
        return _refused(Reason.BAD_PARAMETER)
    model.clear(command.badge, Resolution(command.resolution), now_ns, request)
    return DONE


def _lock(model: ShufflerModel, command: m.SetLockMessage, now_ns: int, request: int) -> Answer:
    locked = bool(command.locked)
    if locked != model.locked:
        if locked and model.state not in STATES[m.SetLockMessage]:
            return _wrong_state(model)
        model.locked = locked
        model.settle(ShufflerCause.LOCK, now_ns, request)
    return DONE


def _test(model: ShufflerModel, _: m.SelfTestMessage, now_ns: int, request: int) -> Answer:
    if model.state not in STATES[m.SelfTestMessage]:
        return _wrong_state(model)
    model.request = request
    model.begin(Motion.TEST, now_ns)
    model.settle(ShufflerCause.TEST_REQUESTED, now_ns)
    return ACCEPTED


_ANSWERS: Final[dict[type[m.Message], Callable[[ShufflerModel, Any, int, int], Answer]]] = {
    m.SelectGameMessage: _select_game,
    m.DispenseMessage: _dispense,
    m.DumpMessage: _dump,
    m.RaiseLampMessage: _raise_lamp,
    m.ClearMisdealMessage: _clear,
    m.SetLockMessage: _lock,
    m.SelfTestMessage: _test,
}


def answer(model: ShufflerModel, request: int, command: m.Message, now_ns: int) -> m.ReplyMessage:
    """Do or refuse a command. What follows of it is in the model's outbox, to be sent after the reply."""
    act = _ANSWERS.get(type(command))
    status, reason = act(model, command, now_ns, request) if act else _refused(Reason.UNKNOWN_COMMAND)
    return m.ReplyMessage(status=status, reason=reason, state=model.state)
