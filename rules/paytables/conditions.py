"""Conditions of pay table rows on a hand or a race, by kind of table: `CONDITIONS`.

A kind reduces a hand to a small key, so that a lookup in a flattened table is one dictionary access. The kind of a
table about hands is the vocabulary of the rankings whose keys it accepts.
"""

import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import product
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from rules.hands.code import HoleCards
from rules.hands.five_card import FIVE_CARD_HANDS, NOTHING, contains
from rules.hands.ranked import Made
from rules.paytables import hand_rows

SUITS: Final = {"C": "clubs", "D": "diamonds", "H": "hearts", "S": "spades"}
"""Column in a race by the suit of a card."""
_SUIT: Final = "|".join(SUITS.values())
_COLOURS: Final = {"red": ("diamonds", "hearts"), "black": ("clubs", "spades")}
LONGEST: Final = 9
"""Length of the longest flush that a row can name."""
LONGEST_RACE: Final = 32
_ROWS_KEPT: Final = 1 << 12
"""Maximum number of cached rows: more than all pay tables of this package have."""


class RaceEnd(NamedTuple):
    """Result of a race: `cards` drawn when `suit` won (0 and empty if no suit won), and facts about its flush under the
    readings.

    `extra` is the suit of the extra card, empty if none was drawn.
    """

    cards: int = 0
    suit: str = ""
    ace: bool = False
    straight: bool = False
    royal: bool = False
    extra: str = ""


def every_end() -> Iterator[RaceEnd]:
    """Yield every way in which a race of at most `LONGEST_RACE` cards can end."""
    for cards, suit in product(range(1, LONGEST_RACE + 1), SUITS.values()):
        for ace, straight, royal in product((False, True), repeat=3):
            yield RaceEnd(cards, suit, ace, straight, royal)
    yield from (RaceEnd(extra=suit) for suit in ("", *SUITS.values()))


@dataclass(frozen=True, slots=True, eq=False)
class Conditions:
    """One kind of pay table.

    - `allowed`: the allowed row texts, for an error message.
    - `rows`: by row pattern, a function that says how well a key satisfies the row: 0 if it does not; the row
      that is satisfied better takes precedence.
    - `keys`: every possible key, if they are few enough to enumerate.
    - `either`: a row may name two conditions joined by ` or `.
    """

    allowed: str
    keys: Iterable[Hashable]
    rows: Mapping[str, Callable[[re.Match[str], Any], int]]
    either: bool = False

    def check(self, when: str) -> Callable[[Any], int] | None:
        """Return the function that says how well a key satisfies the row `when`; None if the text is not allowed."""
        return _checking(self, when)


@lru_cache(maxsize=_ROWS_KEPT)
def _checking(kind: Conditions, when: str) -> Callable[[Any], int] | None:
    matches = ((re.fullmatch(row, when), holds) for row, holds in kind.rows.items())
    found = next((partial(holds, found) for found, holds in matches if found), None)
    if found is not None or not kind.either or " or " not in when:
        return found
    parts = [kind.check(part) for part in when.split(" or ", 1)]
    both = [part for part in parts if part is not None]
    return (lambda key: max(part(key) for part in both)) if len(both) == len(parts) else None


_LONGEST_FLUSH: Final = Conditions(
    "'N-card natural flush' or 'N-card wild flush'",
    [(natural, length) for length in range(1, LONGEST + 1) for natural in range(length + 1)],
    {
        r"([1-9])-card natural flush": lambda row, flush: int(row[1]) <= flush[0],
        r"([1-9])-card wild flush": lambda row, flush: int(row[1]) <= flush[1],
    },
)
"""Key: (longest natural flush, longest flush), in cards. A natural flush satisfies a wild row of its length."""

_MARGIN: Final = Conditions(
    "'N', 'N or M', or 'N or more' (cards)",
    range(LONGEST + 1),
    {
        r"(\d)": lambda row, margin: margin == int(row[1]),
        r"(\d) or (\d)": lambda row, margin: margin in (int(row[1]), int(row[2])),
        r"(\d) or more": lambda row, margin: margin >= int(row[1]),
    },
)
"""Key: the number of cards by which the player's flush is longer than the dealer's; 0 if it wins on the kickers."""

_FIVE_CARD: Final = Conditions(
    ", ".join(map(repr, FIVE_CARD_HANDS)),
    (*FIVE_CARD_HANDS, NOTHING),
    {"|".join(FIVE_CARD_HANDS): lambda row, hand: contains(hand.kind if isinstance(hand, Made) else hand, row[0])},
)
"""Key: the name of the five-card hand, or the key of a poker ranking."""

_POKER: Final = Conditions(hand_rows.ALLOWED, (), hand_rows.POKER, either=True)
"""Key: `rules.hands.ranked.Made`."""

_IDENTICAL: Final = Conditions(hand_rows.IDENTICAL_ALLOWED, (), hand_rows.IDENTICAL, either=True)
"""Key: `rules.hands.ranked.Made`, of a hand from several decks."""

_HOLE_CARDS: Final = Conditions(
    "'A-A', 'A-K', 'A-K suited', 'A-K unsuited', 'K-K to J-J', \"A-A and dealer's A-A\", or several with ' or '",
    (),
    {
        r"([2-9TJQKA]|10)-([2-9TJQKA]|10)( suited| unsuited)?": HoleCards.are,
        r"([2-9TJQKA]|10)-\1 to ([2-9TJQKA]|10)-\2": HoleCards.are_between,
        r"([2-9TJQKA]|10)-([2-9TJQKA]|10) and dealer's \1-\2": HoleCards.are_both,
    },
    either=True,
)
"""Key: `rules.hands.code.HoleCards`."""

_POINTS: Final = Conditions(
    "'N', 'N to M', 'N or more', 'N or less' (points)",
    (),
    {
        r"(\d{1,3})": lambda row, points: points == int(row[1]),
        r"(\d{1,3}) to (\d{1,3})": lambda row, points: int(row[1]) <= points <= int(row[2]),
        r"(\d{1,3}) or more": lambda row, points: points >= int(row[1]),
        r"(\d{1,3}) or less": lambda row, points: points <= int(row[1]),
    },
)
"""Key: the points of a hand."""

_LOW: Final = Conditions(
    "'N or better low'", (), {r"(\d|10) or better low": lambda row, low: low.is_at_best(int(row[1]))}
)
"""Key: `rules.hands.code.Low`."""

_CARD: Final = Conditions(
    "'card', 'rank', 'suit', 'over 7', 'under 7', 'split deck'",
    (),
    {"card|rank|suit|over 7|under 7|split deck": lambda *_: 1},
)
"""Bets on a single card. The bettor names the card, rank or suit, and the kind of bet checks it."""

_RACE: Final = Conditions(
    "'N cards', 'N to M cards', 'odd', 'even', 'even but N', 'red', 'black', a suit, 'ace in the flush', "
    "'straight flush', 'royal flush', 'no flush', 'extra card of SUIT'",
    [*every_end()],
    {
        r"(\d+) cards": lambda row, end: end.cards == int(row[1]),
        r"(\d+) to (\d+) cards": lambda row, end: int(row[1]) <= end.cards <= int(row[2]),
        "odd": lambda _, end: end.cards % 2 == 1,
        "even": lambda _, end: end.suit != "" and end.cards % 2 == 0,
        r"even but (\d+)": lambda row, end: end.suit != "" and end.cards % 2 == 0 and end.cards != int(row[1]),
        "red|black": lambda row, end: end.suit in _COLOURS[row[0]],
        _SUIT: lambda row, end: end.suit == row[0],
        "ace in the flush": lambda _, end: end.ace,
        "straight flush": lambda _, end: end.straight,
        "royal flush": lambda _, end: end.royal,
        "no flush": lambda _, end: end.suit == "",
        f"extra card of ({_SUIT})": lambda row, end: end.extra == row[1],
    },
)
"""Key: the result of the race."""

CONDITIONS: Final[Mapping[str, Conditions]] = MappingProxyType(
    {
        "longest-flush": _LONGEST_FLUSH,
        "margin": _MARGIN,
        "five-card": _FIVE_CARD,
        "race": _RACE,
        "poker": _POKER,
        "identical": _IDENTICAL,
        "hole-cards": _HOLE_CARDS,
        "points": _POINTS,
        "low": _LOW,
        "card": _CARD,
    }
)
"""Conditions by kind of pay table."""
