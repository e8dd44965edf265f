"""Rows of `poker` and `identical` pay tables: how well a hand fits each row.

The fit is a level. `NAMES`: the row names the hand made. `NARROWER`: it names it more specifically, like `four aces`.
`NARROWEST`: it names the position of the cards. `HOLDS`: the hand makes something better and contains this as well, or
exceeds an `or better`. The highest level decides, so a royal flush takes a row of its own before that of the straight
flush that it also is. Within a level, the best pay decides.
"""

import re
from collections.abc import Callable, Container, Mapping
from functools import cache
from types import MappingProxyType
from typing import Final

from rules.hands.ranked import Made
from rules.hands.words import RANK, rank_of

HOLDS, NAMES, NARROWER, NARROWEST = 1, 2, 3, 4

Fits = Callable[[re.Match[str], Made], int]
"""Returns how well a hand with a key fits a row; 0 if it does not."""

_SEQUENCES: Final[Mapping[str, tuple[str, ...]]] = {
    "royal flush": ("royal flush", "straight flush", "flush", "straight"),
    "straight flush": ("straight flush", "flush", "straight"),
    "flush": ("flush",),
    "straight": ("straight",),
}
_GROUPS: Final[Mapping[str, tuple[str, ...]]] = {
    "six of a kind": ("five of a kind", "four of a kind", "three of a kind", "pair"),
    "five of a kind suited": ("five of a kind", "four of a kind", "three of a kind", "pair"),
    "five aces": ("five of a kind", "four of a kind", "three of a kind", "pair"),
    "five of a kind": ("four of a kind", "three of a kind", "pair"),
    "four of a kind suited": ("four of a kind", "three of a kind", "pair"),
    "four of a kind": ("three of a kind", "pair"),
    "full house": ("three of a kind", "two pair", "pair"),
    "three of a kind": ("pair",),
    "three pairs": ("two pair", "pair"),
    "two pair": ("pair",),
    "pair": (),
    "high card": (),
}
"""Other hands that a hand of a kind contains, as 47.1-1004(1) words them."""
_BETTER_THAN_A_PAIR: Final = frozenset({*_SEQUENCES, *_GROUPS} - {"pair", "high card"})
_MATCH: Final = "royal flush and"


@cache
def _parts(kind: str) -> tuple[str, ...]:
    return _GROUPS.get(kind) or _SEQUENCES.get(kind) or (_SEQUENCES["royal flush"] if kind.startswith(_MATCH) else ())


def _kind(row: re.Match[str], hand: Made) -> int:
    """Return how well a hand makes a row such as `straight flush`, `7-card straight flush`, `natural royal flush`,
    `straight flush with joker` or `mini royal`; 0 if it does not."""
    wanted = "royal flush" if row["kind"] == "mini royal" else row["kind"]
    natural, joker = bool(row["natural"]), bool(row["wild"]) or bool(row["joker"])
    if row["kind"] == "mini royal" and hand.uses != 3:
        return 0
    level = _how_well(wanted, int(row["cards"] or 0), hand)
    if level and (natural or joker):
        level = 0 if natural != hand.natural else level + (level == NAMES)
    return level


def _how_well(wanted: str, cards: int, hand: Made) -> int:
    if wanted in _SEQUENCES:
        size = cards or hand.uses
        if hand.kind == wanted and hand.size >= size:
            return NAMES if hand.size == size else HOLDS
        holds = wanted in _parts(hand.kind) and hand.size >= size
    else:
        if hand.kind == wanted:
            return NAMES
        holds = wanted in _parts(hand.kind)
    name = f"{cards}-card {wanted}" if cards else wanted
    return HOLDS if holds or name in hand.also or f"natural {name}" in hand.also else 0


def _suited_group(row: re.Match[str], hand: Made) -> int:
    return NARROWER if hand.kind == row[0] else 0


def _match(_: re.Match[str], hand: Made) -> int:
    return NAMES if hand.kind.startswith(_MATCH) else 0


def _aces_and_joker(_: re.Match[str], hand: Made) -> int:
    """Match five aces, a separate category or the best five of a kind."""
    if hand.kind == "five aces":
        return NARROWER
    return NARROWER if hand.kind.startswith("five of a kind") and hand.ranks == (14,) else 0


def _four(row: re.Match[str], hand: Made) -> int:
    """Match `four aces`, `four 2s to 4s`."""
    low, high = rank_of(row[1]), rank_of(row[2] or row[1])
    if not hand.kind.startswith("four of a kind") or not low <= hand.ranks[0] <= high:
        return HOLDS if hand.kind == "five aces" and high == 14 else 0
    return NARROWER


def _pair(row: re.Match[str], hand: Made) -> int:
    """Match `pair of 6s to 10s`, `pair of aces or kings`."""
    ends = sorted((rank_of(row[1]), rank_of(row[2])))
    return NARROWER if hand.kind == "pair" and ends[0] <= hand.ranks[0] <= ends[1] else 0


def _match_rank(kind: str) -> Fits:
    """Return a matcher of a kind by its first rank: `pair of aces`, `full house, aces full`, `ace high`."""

    def fits(row: re.Match[str], hand: Made) -> int:
        return NARROWER if hand.kind == kind and hand.ranks[0] == rank_of(row[1]) else 0

    return fits


def _match_rank_or_better(kind: str, better: Container[str] | None = None) -> Fits:
    """Return a matcher of `pair of tens or better`, `two pair, tens or better` (the higher of the two), `king high or
    better`.

    A hand of a `better` kind (any other kind if None) is better too.
    """

    def fits(row: re.Match[str], hand: Made) -> int:
        if hand.kind == kind:
            return NARROWER if hand.ranks[0] >= rank_of(row[1]) else 0
        return HOLDS if better is None or hand.kind in better or hand.kind.startswith(_MATCH) else 0

    return fits


def _suited_pair(_: re.Match[str], hand: Made) -> int:
    return NARROWER if hand.kind == "pair" and hand.same else 0


def _low(row: re.Match[str], hand: Made) -> int:
    return HOLDS if row[0] in hand.also else 0


def _in_suits(row: re.Match[str], hand: Made) -> int:
    """Match `mini royal in spades`, `royal flush in hearts, diamonds or clubs`."""
    kind = "royal flush" if row[1] == "mini royal" else row[1]
    if hand.kind != kind:
        return 0
    suits = re.findall("clubs|diamonds|hearts|spades", row[2])
    return NARROWER if any(f"{row[1]} in {suit}" in hand.also for suit in suits) else 0


def _placed(row: re.Match[str], hand: Made) -> int:
    """Match `royal flush in the first 5`, `community royal flush`."""
    if row[0] not in hand.also:
        return 0
    return NARROWEST if row[0].startswith("community ") else NARROWER


def _on_the_deal(row: re.Match[str], hand: Made) -> int:
    """Match a hand of the three cards dealt, before any other card is known."""
    kinds = ("three of a kind",) if row[1].startswith("three") else ("straight flush", "royal flush")
    return NARROWEST if hand.uses == 3 and hand.kind in kinds else 0


_KIND: Final = (
    r"(?P<natural>natural )?(?P<wild>wild )?(?:(?P<cards>[2-9])-card )?(?P<kind>royal flush|mini royal|straight flush|"
    r"flush|straight|six of a kind|five of a kind|four of a kind|full house|three of a kind|three pairs|two pair|pair|"
    r"high card)(?P<joker> with joker)?"
)

POKER: Final[Mapping[str, Fits]] = MappingProxyType(
    {
        _KIND: _kind,
        "five of a kind suited|four of a kind suited": _suited_group,
        "royal flush and (?:royal match|suited ace-king|suited king-queen)": _match,
        "five aces": _aces_and_joker,
        rf"four ({RANK})(?: to ({RANK}))?": _four,
        rf"pair of ({RANK}) (?:to|or) ({RANK})": _pair,
        rf"pair of ({RANK})": _match_rank("pair"),
        rf"pair of ({RANK}) or better": _match_rank_or_better("pair", _BETTER_THAN_A_PAIR),
        "suited pair": _suited_pair,
        rf"two pair, ({RANK}) or better": _match_rank_or_better("two pair", _BETTER_THAN_A_PAIR - {"three pairs"}),
        rf"full house, ({RANK}) full": _match_rank("full house"),
        rf"({RANK}) high": _match_rank("high card"),
        rf"({RANK}) high or better": _match_rank_or_better("high card"),
        r"(\d) or better low": _low,
        r"(mini royal|royal flush) in ((?:clubs|diamonds|hearts|spades|, | or )+)": _in_suits,
        r"[a-z -]+ in the first \d|community [a-z -]+": _placed,
        "(three of a kind|3-card straight flush) on the deal": _on_the_deal,
    }
)
"""Matchers by row pattern."""

ALLOWED: Final = (
    "'royal flush', 'straight flush', 'flush', 'straight' (also 'N-card …', 'natural …', 'wild …', '… with joker'), "
    "'mini royal', 'five aces', 'N of a kind' (six to three), 'five of a kind suited', 'four of a kind suited', "
    "'full house', 'full house, aces full', 'three pairs', 'two pair', 'two pair, RANKS or better', 'pair', "
    "'pair of RANKS', 'pair of RANKS or better', 'pair of RANKS to RANKS', 'suited pair', 'four RANKS', "
    "'four RANKS to RANKS', 'RANK high', 'RANK high or better', 'N or better low', "
    "'royal flush and suited ace-king', 'mini royal in SUITS', 'royal flush in the first N', 'community royal flush', "
    "'three of a kind on the deal', or two of these with ' or ' between them"
)


def _same(number: int, others: int = 0) -> Fits:
    """Return a matcher of this many identical cards, and of `others` identical cards in addition."""

    def fits(_: re.Match[str], hand: Made) -> int:
        same = (*hand.same, 0, 0)
        return int(same[0] >= number and same[1] >= others)

    return fits


def _once(fits: Fits) -> Fits:
    return lambda row, hand: min(HOLDS, fits(row, hand))


IDENTICAL: Final[Mapping[str, Fits]] = MappingProxyType(
    {
        "four identical": _same(4),
        "three identical": _same(3),
        "two identical": _same(2),
        "two identical pairs": _same(2, 2),
        "full house identical": _same(3, 2),
        "five of a kind with four identical": lambda _, hand: int(
            hand.kind.startswith("five of a kind") and hand.same[:1] >= (4,)
        ),
        "ace-king-queen": lambda row, hand: int(row[0] in hand.also),
        **{row: _once(fits) for row, fits in POKER.items()},
    }
)
"""Rows for a hand from several decks (47.1-1017.32): every row that applies has the same level, so the best pay
decides."""
IDENTICAL_ALLOWED: Final = f"'four identical', 'three identical', 'two identical', 'two identical pairs', \
'full house identical', 'five of a kind with four identical', 'ace-king-queen', {ALLOWED}"
