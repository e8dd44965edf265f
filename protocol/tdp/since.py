"""Minor version that introduced a message, a value or a place: 1.0 for everything not named here. A message declares
its own.

This does not affect decoding. Pages, definitions in other formats, and a host that looks for the oldest device it can
talk to use it.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum, IntFlag
from typing import Final

from protocol.tdp import messages as m
from protocol.tdp.messages import DECLARED, Message
from protocol.tdp.messages import FIRST as FIRST

VERSIONS: Final[Mapping[str, str]] = {
    FIRST: "First version.",
    "1.1": "Mishandled cards, places of named hands, packets of different sizes.",
    "1.2": "Set hands, discards, the number drawn, propositions, corrections; a device's meters and "
    "the measurement of its firmware.",
    "1.3": "Chips of players who bet against each other: stakes, actions, pots.",
    "1.4": "Sealed lines, and devices that sign their measurements.",
}
"""Each version and what it added."""

_ENUMERATIONS: Final[Mapping[type[IntEnum] | type[IntFlag], str]] = {
    m.Mishandling: "1.1",
    m.SetBy: "1.2",
    m.DeviceMeter: "1.2",
    m.Component: "1.2",
    m.Region: "1.2",
    m.Algorithm: "1.2",
    m.PlayerAction: "1.3",
    m.ActionManner: "1.3",
    m.FrameFlag: "1.4",
}

_VALUES: Final[Mapping[tuple[type[IntEnum] | type[IntFlag], int], str]] = {
    (m.Capability, m.Capability.METERS): "1.2",
    (m.Capability, m.Capability.VERIFY): "1.2",
    (m.Capability, m.Capability.SEALING): "1.4",
    (m.Capability, m.Capability.ATTESTATION): "1.4",
    (m.Reason, m.Reason.NOT_SEALED): "1.4",
    **{(m.Mishandling, how): "1.2" for how in m.Mishandling if how >= m.Mishandling.FOULED_BY_PLAYER},
}
"""Versions by enumeration and value. The enumeration is part of the key because members of two IntEnums with equal
numbers compare equal."""

_NAMED_HANDS: Final = range(0x50, 0x58)
_PILES: Final = range(0x58, 0x60)


def message_since(message: type[Message]) -> str:
    """Return the version that introduced a message."""
    declared = DECLARED.get(message)
    return declared.since if declared is not None else FIRST


def value_since(value: IntEnum | IntFlag) -> str:
    """Return the version that introduced a value of an enumeration."""
    return _VALUES.get((type(value), value)) or _ENUMERATIONS.get(type(value), FIRST)


def place_since(code: int) -> str:
    """Return the version that introduced a place code."""
    return "1.1" if code in _NAMED_HANDS else "1.2" if code in _PILES else FIRST
