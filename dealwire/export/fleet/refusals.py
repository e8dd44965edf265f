"""What the fleet's reader keeps aside: messages that are no line, or contradict one."""

from collections.abc import Mapping
from typing import Any, Final, Literal, NamedTuple, Self

RefusalKind = Literal["unreadable", "contradicting"]
"""`unreadable`: no line or mark, or none that the database can hold or believe. `contradicting`: another line has its
number."""

PAYLOAD_MAX: Final = 64 * 1024
"""Bytes kept of a refused message."""
TEXT_MAX: Final = 500
"""Characters kept of its topic, and of why."""
CENTS_MAX: Final = 10**12
"""Cents of one bet, and any other number: far more than any table deals in, and a year of them still adds up."""
INTEGER_MAX: Final = (1 << 31) - 1


class RefusedMessage(NamedTuple):
    """A message that is no line, or contradicts one."""

    topic: str
    payload: bytes
    why: str
    kind: RefusalKind = "unreadable"

    @classmethod
    def of(cls, topic: str, payload: bytes, error: Exception) -> Self:
        """What could not be read, and why: any error, whoever raised it."""
        first = (str(error).strip().splitlines() or [""])[0]
        why = first if isinstance(error, ValueError) and first else f"{type(error).__name__}: {first}".rstrip(": ")
        return cls(clean(topic), payload[:PAYLOAD_MAX], clean(why))


def clean(text: str) -> str:
    """Text that any database and any terminal can hold, no longer than it has to be."""
    return "".join(each if each.isprintable() else "\ufffd" for each in text[:TEXT_MAX])


# The views read these of each line. One that does not fit would spoil the day of the whole fleet.
_NUMBERS: Final[Mapping[str, Mapping[str, int]]] = {
    "round": {"round": CENTS_MAX},
    "incident": {"fault": INTEGER_MAX, "counted": CENTS_MAX, "expected": CENTS_MAX},
    "settlement": {"round": CENTS_MAX},
}
"""Type of line -> keys that hold whole numbers -> the most they may be."""
_TOTALS: Final = {"players": CENTS_MAX, "house": CENTS_MAX, "meters": CENTS_MAX}
_BET: Final = {"seat": INTEGER_MAX, **dict.fromkeys(("stake", "pay", "returned", "net"), CENTS_MAX)}
_POT: Final = dict.fromkeys(("cents", "rake", "jackpot_rake"), CENTS_MAX)
_LISTS: Final = {"round": ("incidents",), "settlement": ("lines", "pots")}
"""Type of line -> keys that hold lists."""
_ITEMS: Final = {"lines": ("bet", _BET), "pots": ("pot", _POT)}
"""Lists of a settlement -> what each item is, and its numbers."""


def check_viewed(content: Mapping[str, Any]) -> None:
    """ValueError when a line holds what the database's views cannot add up."""
    kind = str(content.get("type"))
    _check_numbers(content, _NUMBERS.get(kind, {}), kind)
    if kind == "incident" and not isinstance(content.get("unreliable", False), bool):
        raise ValueError("incident: unreliable is neither true nor false")
    for name in _LISTS.get(kind, ()):
        if not isinstance(content.get(name, []), list):
            raise ValueError(f"{kind}: {name} is no list")
    if kind == "settlement":
        totals = content.get("totals")
        _check_numbers(totals if isinstance(totals, dict) else {}, _TOTALS, "settlement.totals")
        for name, (what, numbers) in _ITEMS.items():
            for number, item in enumerate(content.get(name, ()), 1):
                if not isinstance(item, dict):
                    raise ValueError(f"settlement: {what} {number} is no object")
                _check_numbers(item, numbers, f"settlement: {what} {number}")


def _check_numbers(content: Mapping[str, Any], most: Mapping[str, int], where: str) -> None:
    for key, limit in most.items():
        value = content.get(key)
        if value is not None and (type(value) is not int or abs(value) > limit):
            raise ValueError(f"{where}: {key} is no whole number of at most {limit}")
