"""How a race of columns ends, reduced to what bets ask of it."""

import re
from collections.abc import Callable, Iterator
from functools import cache, partial
from itertools import product
from typing import Final, NamedTuple

SUITS: Final = {"C": "clubs", "D": "diamonds", "H": "hearts", "S": "spades"}
"""Suit of a card -> its column."""
_COLOURS: Final = {"red": ("diamonds", "hearts"), "black": ("clubs", "spades")}
_LONGEST: Final = 32


class RaceEnd(NamedTuple):
    """`cards` drawn when `suit` won, and what its cards are; 0 and empty when no suit won. `extra`: suit of the extra
    card, empty when none was drawn. `ace`, `straight`, `royal` are the flush as the readings take it."""

    cards: int = 0
    suit: str = ""
    ace: bool = False
    straight: bool = False
    royal: bool = False
    extra: str = ""


def every_end() -> Iterator[RaceEnd]:
    """Every way a race of at most 32 cards can end."""
    for cards, suit in product(range(1, _LONGEST + 1), SUITS.values()):
        for ace, straight, royal in product((False, True), repeat=3):
            yield RaceEnd(cards, suit, ace, straight, royal)
    yield RaceEnd()
    for suit in SUITS.values():
        yield RaceEnd(extra=suit)


_ROWS: Final[tuple[tuple[re.Pattern[str], Callable[[RaceEnd, re.Match[str]], bool]], ...]] = (
    (re.compile(r"(\d+) cards"), lambda end, row: end.cards == int(row[1])),
    (re.compile(r"(\d+) to (\d+) cards"), lambda end, row: int(row[1]) <= end.cards <= int(row[2])),
    (re.compile(r"odd"), lambda end, _: end.cards % 2 == 1),
    (re.compile(r"even"), lambda end, _: end.suit != "" and end.cards % 2 == 0),
    (
        re.compile(r"even but (\d+)"),
        lambda end, row: end.suit != "" and end.cards % 2 == 0 and end.cards != int(row[1]),
    ),
    (re.compile(r"red|black"), lambda end, row: end.suit in _COLOURS[row[0]]),
    (re.compile("|".join(SUITS.values())), lambda end, row: end.suit == row[0]),
    (re.compile(r"ace in the flush"), lambda end, _: end.ace),
    (re.compile(r"straight flush"), lambda end, _: end.straight),
    (re.compile(r"royal flush"), lambda end, _: end.royal),
    (re.compile(r"no flush"), lambda end, _: end.suit == ""),
    (re.compile(f"extra card of ({'|'.join(SUITS.values())})"), lambda end, row: end.extra == row[1]),
)


@cache
def _check(when: str) -> Callable[[RaceEnd], bool] | None:
    for pattern, check in _ROWS:
        if found := pattern.fullmatch(when):
            return partial(_applied, check, found)
    return None


def _applied(check: Callable[[RaceEnd, re.Match[str]], bool], found: re.Match[str], end: RaceEnd) -> bool:
    return check(end, found)


def known(when: str) -> bool:
    """True when a row may say `when`."""
    return _check(when) is not None


def holds(when: str, end: RaceEnd) -> bool:
    """True when a race that ended so satisfies the row."""
    check = _check(when)
    return check is not None and check(end)
