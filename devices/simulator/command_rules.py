"""Command rules of the devices as data: the states in which each command is allowed, and what is refused. The models
run on them, and docs/protocol.md prints them."""

from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from protocol.places import SEATS_MAX
from protocol.tdp import messages as m
from protocol.tdp.bounds import JOKERS_MAX, PACKET_SIZE_MAX, SUITED
from protocol.tdp.messages import ControllerState, Message, ShoeState
from protocol.tdp.messages import ShufflerState as S


@dataclass(frozen=True, slots=True)
class CommandRule:
    """Rule of one command. The device checks the state first, then the parameters, then whether it supports the
    command.

    - `states`: states in which it is allowed; empty for any. `also` narrows or widens that in words.
    - `parameters`: parameters that are refused with BAD_PARAMETER
    - `support`: conditions that are refused with NOT_SUPPORTED
    - `accepted`: event that completes the command if it takes longer
    """

    command: type[Message]
    states: tuple[IntEnum, ...]
    also: str = ""
    parameters: str = ""
    support: str = ""
    accepted: str = ""


_DEALT_OR_PREPARED: Final = (
    S.EMPTY,
    S.LOADED,
    S.SHUFFLING,
    S.VERIFYING,
    S.READY,
    S.DISPENSING,
    S.PACKET_WAIT,
    S.DUMPING,
    S.REMAINDER_WAIT,
    S.RECOVERING,
)

SHUFFLER_RULES: Final[tuple[CommandRule, ...]] = (
    CommandRule(
        m.SelectGameMessage,
        (S.EMPTY, S.READY, S.SETUP),
        parameters=f"`packet_size` above {PACKET_SIZE_MAX}; `cards` other than {SUITED} + `jokers`; "
        f"more than {JOKERS_MAX} jokers",
        support="`packet_size` 0 for a game without a program of its own",
    ),
    CommandRule(
        m.DispenseMessage,
        (S.READY,),
        "and in PACKET_WAIT with an empty tray, if the game has another group of packets",
        accepted="*PacketDispensed*",
    ),
    CommandRule(m.DumpMessage, (S.PACKET_WAIT,), accepted="*RemainderDumped*"),
    CommandRule(
        m.RaiseLampMessage,
        _DEALT_OR_PREPARED,
        "while the lamp is dark; a current motion is finished first",
        "`fault` 0. Any other number is accepted, known or not",
    ),
    CommandRule(
        m.ClearMisdealMessage,
        (S.MISDEAL,),
        parameters="`resolution` other than RESUME or REMOVE_DECK; RESUME after a fault that does not allow it",
    ),
    CommandRule(
        m.SetLockMessage,
        (S.EMPTY, S.READY),
        "for locking; unlocking in any state. A lock already as requested is *done* in any state, without effect",
    ),
    CommandRule(
        m.SelfTestMessage,
        (S.EMPTY, S.READY, S.FAULT),
        accepted="the *StateChanged* that leaves SELF_TEST",
    ),
)

CONTROLLER_RULES: Final[tuple[CommandRule, ...]] = (
    CommandRule(
        m.SetSensorLightMessage, (), parameters=f"`seat` 0, or above {SEATS_MAX}", support="without BET_SENSORS"
    ),
    CommandRule(m.ShowMeterMessage, (), parameters="a `meter` without a number in its set-up"),
    CommandRule(m.ShowTextMessage, ()),
    CommandRule(m.SelfTestMessage, (ControllerState.BETS_OPEN,)),
)

_BUT_ERROR: Final = (
    ShoeState.EMPTY,
    ShoeState.LOADED,
    ShoeState.BURN,
    ShoeState.STANDBY,
    ShoeState.ROUND,
    ShoeState.CUT_CARD_SEEN,
    ShoeState.SHOE_END,
    ShoeState.LOCKED,
)

SHOE_RULES: Final[tuple[CommandRule, ...]] = (
    CommandRule(m.LockShoeMessage, _BUT_ERROR, "not if the lock is already as requested"),
    CommandRule(m.ClearShoeErrorMessage, (ShoeState.ERROR,), parameters="`fault` other than the one that halts it"),
    CommandRule(m.EndRoundMessage, (ShoeState.ROUND, ShoeState.CUT_CARD_SEEN)),
)


def states_of(rules: tuple[CommandRule, ...]) -> dict[type[Message], tuple[IntEnum, ...]]:
    """Return the states in which a device of a class allows each of its commands; an empty tuple means any state."""
    return {rule.command: rule.states for rule in rules}
