"""Hands by their rank: the longest flush with wild deuces, and plain five-card poker."""

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Final

from protocol.cards import Card
from rules.hands.longest_flush import Flush, longest_flush

Ranking = Callable[[Iterable[Card], Mapping[str, str]], Flush]

RANKINGS: Final[Mapping[str, Ranking]] = MappingProxyType({"longest-flush": longest_flush})
"""Name in a game file -> how its hands are ranked."""
