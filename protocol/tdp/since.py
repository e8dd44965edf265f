"""The minor version that brought a message, a value or a place: 1.0 for all that is not named here. A message says it
where it is declared.

It changes nothing that is read or written: pages, definitions in other forms and a host that looks for the oldest
device it can talk to are printed from it.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum, IntFlag
from typing import Final

from protocol.tdp import messages as m
from protocol.tdp.messages import DECLARED, Message
from protocol.tdp.messages import FIRST as FIRST

VERSIONS: Final[Mapping[str, str]] = {
    FIRST: "The first.",
    "1.1": "What a person saw happen to a card, the places of named hands, packets of different sizes.",
    "1.2": "How a hand was set, what was laid away, the number drawn, propositions, corrections; a device's meters and "
    "the measuring of its firmware.",
    "1.3": "Chips of players who bet against each other: what lies before a seat, what a player did, a pot taken.",
}
"""Each version and what it brought."""

_ENUMERATIONS: Final[Mapping[type[IntEnum] | type[IntFlag], str]] = {
    m.Mishandling: "1.1",
    m.SetBy: "1.2",
    m.DeviceMeter: "1.2",
    m.Component: "1.2",
    m.Region: "1.2",
    m.Algorithm: "1.2",
    m.PlayerAction: "1.3",
    m.ActionManner: "1.3",
}

_VALUES: Final[Mapping[tuple[type[IntEnum] | type[IntFlag], int], str]] = {
    (m.Capability, m.Capability.METERS): "1.2",
    (m.Capability, m.Capability.VERIFY): "1.2",
    **{(m.Mishandling, how): "1.2" for how in m.Mishandling if how >= m.Mishandling.FOULED_BY_PLAYER},
}
"""By enumeration and value: values of two enumerations are one key wherever their numbers are equal."""

_NAMED_HANDS: Final = range(0x50, 0x58)
_PILES: Final = range(0x58, 0x60)


def message_since(message: type[Message]) -> str:
    """The version that brought a message."""
    declared = DECLARED.get(message)
    return declared.since if declared is not None else FIRST


def value_since(value: IntEnum | IntFlag) -> str:
    """The version that brought a value of an enumeration."""
    return _VALUES.get((type(value), value)) or _ENUMERATIONS.get(type(value), FIRST)


def place_since(code: int) -> str:
    """The version that brought a place code."""
    return "1.1" if code in _NAMED_HANDS else "1.2" if code in _PILES else FIRST
