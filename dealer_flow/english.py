"""Numbers, lists and places of a procedure as English text."""

from typing import Final

_NUMBERS: Final = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def listed(items: list[str], last: str = "and") -> str:
    """Join items as in `a, b and c`."""
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} {last} {items[-1]}" if items else ""


def a(name: str) -> str:
    """Return a noun with its article, as in `an ante` or `a bet`."""
    return f"a{'n' * name.startswith(('a', 'e', 'i', 'o', 'u'))} {name}"


def cards(count: int) -> str:
    """Return a count of cards, as in `one card`, `five cards` or `12 cards`."""
    return f"{_NUMBERS[count] if count < len(_NUMBERS) else count} card{'s' * (count != 1)}"


def place(to: str, *, dealer: str = "yourself") -> str:
    """Return the English name of a recipient."""
    return {"seats": "the players", "dealer": dealer, "community": "the community"}.get(to, f"`{to}`")


def dollars(cents: int) -> str:
    """Format cents as in `$5` or `$2.50`."""
    return f"${cents // 100:,}" + (f".{cents % 100:02d}" if cents % 100 else "")
