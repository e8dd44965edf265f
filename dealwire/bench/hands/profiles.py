"""Profiles of the device classes: states, ways between them, commands that cause events."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from protocol.faults import Fault
from protocol.tdp import messages as m
from protocol.tdp.messages import DeviceClass, Message, Resolution

BADGE: Final = 7001
"""Badge number of the person who clears a fault."""


Way = str | tuple[Message, ...]
"""Way out of a state: an operator's action, or the first of these commands that the device does not refuse."""


@dataclass(frozen=True, slots=True)
class Profile:
    """One class of device.

    - `ways`: action that leaves a state; in any other state the bench waits.
    - `away`: the same for the state in which things end by themselves, if another one is wanted.
    - `poke`: commands, used in turn, that each cause an event, or the action that does.
    - `operate`: a harmless command that needs the role OPERATE.
    - `other`: a command of another class.
    """

    number: DeviceClass
    status: str
    ready: str
    ways: Mapping[str, Way]
    away: Mapping[str, Way]
    poke: tuple[Message | str, ...]
    operate: Message
    other: Message


_GAME: Final = m.SelectGameMessage(packet_size=5, cards=52, jokers=0, game="bench")

PROFILES: Final[dict[str, Profile]] = {
    "shuffler": Profile(
        DeviceClass.SHUFFLER,
        "ShufflerStatus",
        "READY",
        {
            "OPEN": "close-door",
            "SETUP": "close-setup",
            "LOCKED": (m.SetLockMessage(0),),
            "MISDEAL": (m.ClearMisdealMessage(BADGE, Resolution.REMOVE_DECK),),
            "FAULT": (m.SelfTestMessage(),),
            "EMPTY": "load",
            "PACKET_WAIT": (m.DumpMessage(),),
            "REMAINDER_WAIT": "lift",
        },
        {"READY": (m.RaiseLampMessage(Fault.MISDEAL_CALLED_BY_HOST), m.DispenseMessage())},
        (_GAME,),
        _GAME,
        m.EndRoundMessage(),
    ),
    "table-controller": Profile(
        DeviceClass.TABLE_CONTROLLER,
        "ControllerStatus",
        "BETS_OPEN",
        {"GAME": "end-game", "AWARD": "end-game", "SETUP": "table-setup open=0"},
        {"BETS_OPEN": "start-game"},
        ("confirm",),
        m.ShowTextMessage("bench"),
        m.DispenseMessage(),
    ),
    "shoe": Profile(
        DeviceClass.SHOE,
        "ShoeStatus",
        "STANDBY",
        {
            "ERROR": "clear-error",
            "LOCKED": (m.LockShoeMessage(0),),
            "SETUP": "shoe-setup open=0",
            "EMPTY": "fill",
            "LOADED": "begin",
            "BURN": "draw",
            "ROUND": (m.EndRoundMessage(),),
            "CUT_CARD_SEEN": (m.EndRoundMessage(),),
            "SHOE_END": "empty",
        },
        {"STANDBY": "empty"},
        (m.LockShoeMessage(1), m.LockShoeMessage(0)),
        m.LockShoeMessage(0),
        m.DispenseMessage(),
    ),
}
"""Profiles by the name that a plan uses."""
