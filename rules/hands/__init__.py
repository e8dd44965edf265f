"""Rankings of hands by name: files of `rules/data/rankings`, code of this package, and rankings of installed packages.

A package adds one by an entry point of the group `dealwire.rankings`, named like the ranking, whose value is a
`Ranking`. It is loaded on first use.
"""

from collections.abc import Callable, Mapping
from functools import cache
from importlib.metadata import entry_points
from typing import Final

from protocol.cards import Card
from protocol.errors import LocalError
from rules.hands.code import CODE
from rules.hands.five_card import FiveCard
from rules.hands.longest_flush import LongestFlush
from rules.hands.poker import RANKINGS, PokerRanking, load_ranking, ranking_files
from rules.hands.ranked import Made, Ranked, RankedHand, Ranking

__all__ = ["Made", "Ranked", "RankedHand", "Ranking", "UnknownRanking", "ranker", "ranking", "ranking_ids"]

GROUP: Final = "dealwire.rankings"
_CODE: Final[dict[str, Ranking]] = {each.id: each for each in (LongestFlush(), FiveCard(), *CODE)}


class UnknownRanking(LocalError):
    """An unknown name of a ranking."""

    def __init__(self, name: str, allowed: tuple[str, ...]) -> None:
        self.name, self.allowed = name, allowed
        super().__init__(f"unknown ranking {name!r}; allowed: {', '.join(allowed)}")


class BadRanking(LocalError):
    """An installed package declares a ranking that cannot be used."""

    def __init__(self, name: str, value: str, why: str) -> None:
        self.name, self.value, self.why = name, value, why
        super().__init__(f"ranking {name!r} ({value}): {why}")


def ranking_ids() -> tuple[str, ...]:
    """Return the names of all rankings, those of the program first."""
    own = _own_ids()
    return (*own, *sorted({entry.name for entry in entry_points(group=GROUP)} - set(own)))


@cache
def _own_ids() -> tuple[str, ...]:
    return (*_CODE, *ranking_files())


@cache
def ranking(name: str) -> Ranking:
    """Return the ranking called `name`; raise UnknownRanking or BadRanking. An installed package cannot replace a
    ranking of the program."""
    if name in _CODE:
        return _CODE[name]
    if name in _own_ids():
        return load_ranking(RANKINGS / f"{name}.toml")
    found = [entry for entry in entry_points(group=GROUP) if entry.name == name]
    if not found:
        raise UnknownRanking(name, ranking_ids())
    # Two packages with the same name: which one wins would depend on the installation.
    if len({entry.value for entry in found}) > 1:
        raise BadRanking(name, ", ".join(entry.value for entry in found), "more than one package declares it")
    entry = found[0]
    try:
        added = entry.load()
    except Exception as error:
        raise BadRanking(name, entry.value, f"it cannot be loaded: {error}") from error
    if not isinstance(added, Ranking):
        raise BadRanking(name, entry.value, f"it must be a Ranking, not {type(added).__name__}")
    if added.id != name:
        raise BadRanking(name, entry.value, f"its id is {added.id!r}")
    return added


def ranker(ranking: Ranking, readings: Mapping[str, str]) -> Callable[[tuple[Card, ...]], Ranked]:
    """Return the function that ranks cards under these readings. Where the ranking allows it, the readings are
    evaluated only once."""
    if isinstance(ranking, PokerRanking | LongestFlush | FiveCard):
        return ranking.ranker(readings)
    return lambda cards: ranking.rank(cards, readings)
