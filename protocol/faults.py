"""Fault numbers, grouped in classes so that a number unknown to this version still has a meaning.

1xx input, 2xx card transport, 3xx dispensing, 4xx shoe reading, 5xx integrity, 6xx link.
"""

from enum import IntEnum
from typing import Final


class Fault(IntEnum):
    """Faults that this version knows by name."""

    NONE = 0
    TOO_FEW_CARDS = 101
    TOO_MANY_CARDS = 102
    FOREIGN_BACK = 103
    FLIPPED_CARD = 104
    DUPLICATE_CARD = 105
    MISSING_CARD = 106
    FEED_JAM = 201
    COMPARTMENT_JAM = 202
    EXIT_JAM = 203
    CARD_LOST = 204
    SENSOR_FAILED = 205
    PACKET_SHORT = 301
    PACKET_LONG = 302
    PACKET_LIFTED_EARLY = 303
    PACKET_NOT_LIFTED = 304
    REMAINDER_COUNT_WRONG = 305
    CARD_UNREADABLE = 401
    OVERDRAW = 402
    PUSHED_BACK = 403
    PULLED_BACK = 404
    DRAW_WHILE_LOCKED = 405
    WRONG_BUTTON = 406
    CARD_CODE_WRONG = 407
    DRAW_TOO_SLOW = 408
    DOOR_OPENED_MID_ROUND = 501
    POWER_LOST_MID_ROUND = 502
    CONFIGURATION_CHANGED = 503
    COUNTER_INVARIANT_BROKEN = 504
    MISDEAL_CALLED_BY_HOST = 505
    HOST_LOST = 601
    EVENTS_LOST = 602
    VERSION_MISMATCH = 603


CLASSES: Final = {
    1: "input",
    2: "card transport",
    3: "dispensing",
    4: "shoe reading",
    5: "integrity",
    6: "link",
}


def fault_class(number: int) -> str:
    """Return the class of any fault number, known or not; `unclassified` outside 100-699."""
    return CLASSES.get(number // 100, "unclassified")


def fault_text(number: int) -> str:
    """Return a short phrase for any fault number: `packet short (301)`, `card transport fault 299`."""
    try:
        return f"{Fault(number).name.lower().replace('_', ' ')} ({number})"
    except ValueError:
        return f"{fault_class(number)} fault {number}"
