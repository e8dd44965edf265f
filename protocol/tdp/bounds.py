"""Limits on the numbers that a sender may write, where neither the type nor an enumeration sets them. A receiver
accepts every value that the type holds.

The limits are declared here and not in the layouts, because they change nothing that is decoded. The simulated devices
refuse values outside them, and the definitions for other languages are generated from them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from protocol.places import SEATS_MAX
from protocol.tdp import messages as m
from protocol.tdp.event_store import DEPTH_MIN
from protocol.tdp.messages import Message

PACKET_SIZE_MAX: Final = 13
"""Maximum number of cards in a packet. 0 selects the device's own program for the game."""
SUITED: Final = 52
"""Number of cards in a deck without jokers."""
JOKERS_MAX: Final = 4

Bounds = tuple[int, int | None]
"""Minimum and maximum. None means the maximum of the type."""

_YES_OR_NO: Final = ("door_open", "locked", "halted", "cut_card_seen", "mid_round", "open", "lit", "on", "foul")
_FROM_ONE: Final = (
    "number", "session", "boot_count", "first_missing", "first_kept", "decks", "ordinal", "shoe",
)  # fmt: skip

_NAMED: Final[Mapping[str, Bounds]] = {
    **dict.fromkeys(("percent", "confidence"), (0, 100)),
    **dict.fromkeys(_YES_OR_NO, (0, 1)),
    **dict.fromkeys(_FROM_ONE, (1, None)),
    "event_depth": (DEPTH_MIN, None),
    "deck": (1, 2),
    "packet_size": (0, PACKET_SIZE_MAX),
    "jokers": (0, JOKERS_MAX),
    "seat": (1, SEATS_MAX),
    "pot": (1, SEATS_MAX),
}
"""Limits by field name, in every message that has the field."""

_OF_MESSAGE: Final[Mapping[tuple[type[Message], str], Bounds]] = {
    (m.ShufflerStatusMessage, "deck"): (0, 2),
    (m.MisdealMessage, "deck"): (0, 2),
    (m.ShoeStatusMessage, "decks"): (0, None),
    (m.ShoeStatusMessage, "shoe"): (0, None),
    (m.BurnStartedMessage, "count"): (1, None),
    (m.OverdrawMessage, "ordinal"): (0, None),
    (m.PulledBackMessage, "ordinal"): (0, None),
    (m.SpotSelectedMessage, "seat"): (0, SEATS_MAX),
    (m.WagerOnMessage, "on"): (0, None),
    (m.RaiseLampMessage, "fault"): (1, None),
    (m.ShoeLoadedMessage, "cards"): (1, None),
    **{(message, "cards"): (SUITED, SUITED + JOKERS_MAX) for message in (m.SelectGameMessage, m.GameSelectedMessage)},
}
"""Limits of fields that differ in one message from those of their name."""


def bounds_of(message: type[Message] | None, field: str, most: int) -> tuple[int, int]:
    """Return the minimum and maximum that a sender writes in a field whose type holds up to `most`.

    The parts of a record have no limits beyond their types.
    """
    found = _OF_MESSAGE.get((message, field)) if message is not None else None
    least, named = found or _NAMED.get(field, (0, None))
    return least, most if named is None else named
