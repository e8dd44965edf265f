"""Refused messages of the fleet's consumer: invalid ones, and lines that contradict another."""

from collections.abc import Mapping
from typing import Any, Final, Literal, NamedTuple, Self

RefusalKind = Literal["unreadable", "contradicting", "unsigned", "forged"]
"""Kinds of refusal. `unreadable`: not a line or mark, or one that the database cannot store or believe.
`contradicting`: its number has a different line. `unsigned`: no key of its table vouches for it. `forged`: its
signature is wrong."""

PAYLOAD_MAX: Final = 64 * 1024
"""Maximum bytes kept of a refused message."""
TEXT_MAX: Final = 500
"""Maximum characters kept of its topic and of the reason."""
CENTS_MAX: Final = 10**12
"""Maximum of a bet in cents, and of other numbers: far more than any table needs, and a year of them still adds up."""
INTEGER_MAX: Final = (1 << 31) - 1


class RefusedMessage(NamedTuple):
    """Refused message."""

    topic: str
    payload: bytes
    why: str
    kind: RefusalKind = "unreadable"

    @classmethod
    def of(cls, topic: str, payload: bytes, error: Exception) -> Self:
        """Return a refused message with the reason, for any error."""
        first = (str(error).strip().splitlines() or [""])[0]
        why = first if isinstance(error, ValueError) and first else f"{type(error).__name__}: {first}".rstrip(": ")
        return cls(clean(topic), payload[:PAYLOAD_MAX], clean(why), getattr(error, "kind", "unreadable"))


def clean(text: str) -> str:
    """Return text that any database and terminal can handle, of limited length."""
    return "".join(each if each.isprintable() else "\ufffd" for each in text[:TEXT_MAX])


# The views read these of each line. One that does not fit would spoil the day of the whole fleet.
_NUMBERS: Final[Mapping[str, Mapping[str, int]]] = {
    "round": {"round": CENTS_MAX},
    "incident": {"fault": INTEGER_MAX, "counted": CENTS_MAX, "expected": CENTS_MAX},
    "settlement": {"round": CENTS_MAX},
}
"""Integer keys by type of line, with their maximum."""
_TOTALS: Final = {"players": CENTS_MAX, "house": CENTS_MAX, "meters": CENTS_MAX}
_BET: Final = {"seat": INTEGER_MAX, **dict.fromkeys(("stake", "pay", "returned", "net"), CENTS_MAX)}
_POT: Final = dict.fromkeys(("cents", "rake", "jackpot_rake"), CENTS_MAX)
_LISTS: Final = {"round": ("incidents",), "settlement": ("lines", "pots")}
"""List keys by type of line."""
_ITEMS: Final = {"lines": ("bet", _BET), "pots": ("pot", _POT)}
"""Lists of a settlement, with the name of an item and its integer keys."""


def check_viewed(content: Mapping[str, Any]) -> None:
    """Raise ValueError if a line holds what the database's views cannot add up."""
    kind = str(content.get("type"))
    _check_numbers(content, _NUMBERS.get(kind, {}), kind)
    if kind == "incident" and not isinstance(content.get("unreliable", False), bool):
        raise ValueError("incident: unreliable is not a boolean")
    for name in _LISTS.get(kind, ()):
        if not isinstance(content.get(name, []), list):
            raise ValueError(f"{kind}: {name} is not a list")
    if kind == "settlement":
        totals = content.get("totals")
        _check_numbers(totals if isinstance(totals, dict) else {}, _TOTALS, "settlement.totals")
        for name, (what, numbers) in _ITEMS.items():
            for number, item in enumerate(content.get(name, ()), 1):
                if not isinstance(item, dict):
                    raise ValueError(f"settlement: {what} {number} is not an object")
                _check_numbers(item, numbers, f"settlement: {what} {number}")


def _check_numbers(content: Mapping[str, Any], most: Mapping[str, int], where: str) -> None:
    for key, limit in most.items():
        value = content.get(key)
        if value is not None and (type(value) is not int or abs(value) > limit):
            raise ValueError(f"{where}: {key} is not an integer of at most {limit}")
