"""Numbers, lists and places of a procedure as they stand in a sentence."""

from typing import Final

_NUMBERS: Final = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def listed(items: list[str], last: str = "and") -> str:
    """`a, b and c`."""
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} {last} {items[-1]}" if items else ""


def a(name: str) -> str:
    """`an ante`, `a bet`."""
    return f"a{'n' * name.startswith(('a', 'e', 'i', 'o', 'u'))} {name}"


def cards(count: int) -> str:
    """`one card`, `five cards`, `12 cards`."""
    return f"{_NUMBERS[count] if count < len(_NUMBERS) else count} card{'s' * (count != 1)}"


def place(to: str, *, dealer: str = "yourself") -> str:
    """A recipient in words."""
    return {"seats": "the players", "dealer": dealer, "community": "the community"}.get(to, f"`{to}`")


def dollars(cents: int) -> str:
    """`$5`, `$2.50`."""
    return f"${cents // 100:,}" + (f".{cents % 100:02d}" if cents % 100 else "")
