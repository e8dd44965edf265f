"""What a pay table's row may ask of a hand, by kind of table. Kinds are registered by name in `CONDITIONS`.

A kind reduces a hand to a small key, so that a table is flattened once and a lookup is one dictionary access.
"""

import re
from collections.abc import Hashable, Iterable, Mapping
from types import MappingProxyType
from typing import Final, Protocol

from rules.hands.five_card import FIVE_CARD_HANDS, NOTHING, contains
from rules.race_end import RaceEnd, every_end, holds, known

_FLUSH: Final = re.compile(r"([1-9])-card (natural|wild) flush")
_MARGIN: Final = re.compile(r"(\d)(?: or (\d|more))?")
_LONGEST: Final = 9


class Conditions(Protocol):
    """One kind of pay table: the keys a hand can have, and which rows a key satisfies."""

    allowed: str
    """What a row may say, for an error message."""

    def known(self, when: str) -> bool:
        """True when a row may say `when`."""

    def keys(self) -> Iterable[Hashable]:
        """Every key a hand can have."""

    def holds(self, when: str, key: Hashable) -> bool:
        """True when a hand of `key` satisfies the row."""


class LongestFlush:
    """Key: (longest natural flush, longest flush), in cards. A natural flush satisfies a wild row of its length."""

    allowed = "'N-card natural flush' or 'N-card wild flush'"

    def known(self, when: str) -> bool:
        """True for `7-card natural flush` and the like."""
        return _FLUSH.fullmatch(when) is not None

    def keys(self) -> Iterable[tuple[int, int]]:
        """Every pair a hand of up to nine cards can have."""
        return ((natural, length) for length in range(1, _LONGEST + 1) for natural in range(length + 1))

    def holds(self, when: str, key: Hashable) -> bool:
        """True when the flush the row names is among the flushes the hand can make."""
        found = _FLUSH.fullmatch(when)
        if found is None or not isinstance(key, tuple):
            return False
        natural, length = key
        return bool(int(found[1]) <= (natural if found[2] == "natural" else length))


class Margin:
    """Key: by how many cards the player's flush is longer than the dealer's; 0 when it wins on the kickers."""

    allowed = "'N', 'N or M', or 'N or more' (cards)"

    def known(self, when: str) -> bool:
        """True for `3`, `0 or 1`, `5 or more`."""
        return _MARGIN.fullmatch(when) is not None

    def keys(self) -> Iterable[int]:
        """Every margin of hands of up to nine cards."""
        return range(_LONGEST + 1)

    def holds(self, when: str, key: Hashable) -> bool:
        """True when the margin is one the row names."""
        found = _MARGIN.fullmatch(when)
        if found is None or not isinstance(key, int):
            return False
        if found[2] == "more":
            return key >= int(found[1])
        return key in (int(found[1]), int(found[2] or found[1]))


class FiveCard:
    """Key: the name of the five-card hand."""

    allowed = ", ".join(map(repr, FIVE_CARD_HANDS))

    def known(self, when: str) -> bool:
        """True for the hands with a name."""
        return when in FIVE_CARD_HANDS

    def keys(self) -> Iterable[str]:
        """Every hand, the nameless one included."""
        return (*FIVE_CARD_HANDS, NOTHING)

    def holds(self, when: str, key: Hashable) -> bool:
        """True when the hand is, among others, the one the row names."""
        return isinstance(key, str) and contains(key, when)


class Race:
    """Key: how a race ended, as `rules.race_end` has it."""

    allowed = (
        "'N cards', 'N to M cards', 'odd', 'even', 'even but N', 'red', 'black', a suit, 'ace in the flush', "
        "'straight flush', 'royal flush', 'no flush', 'extra card of SUIT'"
    )

    def known(self, when: str) -> bool:
        """True for `11 cards`, `hearts`, `no flush` and the like."""
        return known(when)

    def keys(self) -> Iterable[RaceEnd]:
        """Every way a race can end."""
        return every_end()

    def holds(self, when: str, key: Hashable) -> bool:
        """True when the race ended as the row says."""
        return isinstance(key, RaceEnd) and holds(when, key)


CONDITIONS: Final[Mapping[str, Conditions]] = MappingProxyType(
    {"longest-flush": LongestFlush(), "margin": Margin(), "five-card": FiveCard(), "race": Race()}
)
"""Kind of pay table -> its conditions."""
