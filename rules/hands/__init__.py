"""Hands by their rank: the longest flush with wild deuces, and plain five-card poker."""

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Final, Protocol

from protocol.cards import Card
from rules.hands.longest_flush import longest_flush


class RankedHand(Protocol):
    """What a bet needs to know of a ranked hand."""

    @property
    def length(self) -> int:
        """What a margin is counted in."""

    @property
    def strength(self) -> tuple[int, tuple[int, ...]]:
        """Orders hands; equal strengths tie."""

    @property
    def key(self) -> tuple[int, int]:
        """What this ranking's pay tables look up."""

    @property
    def text(self) -> str:
        """The hand in words."""


Ranking = Callable[[Iterable[Card], Mapping[str, str]], RankedHand]

RANKINGS: Final[Mapping[str, Ranking]] = MappingProxyType({"longest-flush": longest_flush})
"""Name in a game file -> how its hands are ranked."""
