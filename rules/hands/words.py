"""Hands in words, and the words for ranks in the rows of a pay table."""

from collections.abc import Sequence
from typing import Final

from protocol.cards import RANKS_UP

_NAMES: Final = {
    2: ("deuce", "deuces"),
    3: ("three", "threes"),
    4: ("four", "fours"),
    5: ("five", "fives"),
    6: ("six", "sixes"),
    7: ("seven", "sevens"),
    8: ("eight", "eights"),
    9: ("nine", "nines"),
    10: ("ten", "tens"),
    11: ("jack", "jacks"),
    12: ("queen", "queens"),
    13: ("king", "kings"),
    14: ("ace", "aces"),
}
_OTHERS: Final = {"two": 2, "twos": 2, "j": 11, "q": 12, "k": 13, "a": 14} | {
    form: rank for rank in range(2, 11) for form in (str(rank), f"{rank}s")
}
_RANKS: Final = {form: rank for rank, forms in _NAMES.items() for form in forms} | _OTHERS

RANK: Final = "|".join(sorted(_RANKS, key=len, reverse=True))
"""Part of a regular expression: a rank in words or figures, singular or plural, such as `tens`, `10s`, `ace`."""


def rank_of(word: str) -> int:
    """Return the rank that a word names, ace 14."""
    return _RANKS[word]


def one(rank: int) -> str:
    """Return the singular of a rank: `jack`."""
    return _NAMES[rank][0]


def many(rank: int) -> str:
    """Return the plural of a rank: `jacks`."""
    return _NAMES[rank][1]


def spell_hand(made: str, kind: str, ranks: Sequence[int]) -> str:
    """Describe a hand: `full house, kings over nines`, `pair of jacks`, `flush, ace high`."""
    if not ranks or kind.startswith(("royal", "five aces")):
        return made
    if kind == "full house":
        return f"{made}, {many(ranks[0])} over {many(ranks[1])}"
    if kind in ("two pair", "three pairs"):
        return f"{made}, {', '.join(map(many, ranks[:-1]))} and {many(ranks[-1])}"
    if kind == "pair":
        return f"pair of {many(ranks[0])}"
    if kind == "high card":
        return f"{one(ranks[0])} high"
    if "of a kind" in kind:
        return f"{made}, {many(ranks[0])}"
    return f"{made}, {one(ranks[0])} high"


RANK_LETTERS: Final = dict(enumerate(RANKS_UP, 2))
"""Letter of each rank on a card."""
