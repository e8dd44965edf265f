"""Readings that decided a round: another option of theirs that settles a line moves different money.

They are found by settling the round again under each option. A hold is not a result: an option that holds a line
disagrees with none, and if the option in use holds a line that another option settles, it decided that line. Options
that appear to be misprints are skipped.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from dealer_flow.record.result import RoundResult
from rules.facts.named import money
from rules.facts.terms import Terms
from rules.game.readings import READINGS
from rules.settle.rounds import settle_on
from rules.settlement import Meter, Settlement, SettlementLine

_NO_METERS: Final[Mapping[str, Meter | int]] = MappingProxyType({})


class LineKey(NamedTuple):
    """Key of a settlement line; `nth`, from 0, tells apart several lines of a seat and bet, such as envy."""

    seat: int
    bet: str
    proposition: str
    nth: int


class AlternativeOptions:
    """The other options of a game's readings, each as terms that are otherwise the same."""

    def __init__(self, terms: Terms, of: Collection[str] | None = None) -> None:
        """Prepare the terms of every other option; with `of`, only of these readings."""
        self._others = [
            (name, terms.reading(name, option))
            for name, used in terms.readings.items()
            if of is None or name in of
            for option in READINGS[name]
            if option != used and option not in terms.game.spec.readings[name].suspect
        ]

    def of(
        self, result: RoundResult, settled: Settlement, meters: Mapping[str, Meter | int] = _NO_METERS
    ) -> dict[LineKey, tuple[str, ...]]:
        """Return the readings that decided each line of a round, by line.

        `settled` is the settlement on the terms in use, `meters` the meters before the round. Lines that exist only
        under another option are included.
        """
        used, found = by_key(settled.lines), dict[LineKey, dict[str, None]]()
        for name, terms in self._others:
            on = terms.on(meters, terms.runners) if meters else terms
            other = by_key(settle_on(result, on).lines)
            for key in {**used, **other}:
                moved = money(other.get(key))
                if moved is not None and moved != money(used.get(key)):
                    found.setdefault(key, {})[name] = None
        return {key: tuple(names) for key, names in found.items()}


def by_key(lines: Iterable[SettlementLine]) -> dict[LineKey, SettlementLine]:
    """Return the lines of a settlement by their keys."""
    times = Counter[tuple[int, str, str]]()
    found = dict[LineKey, SettlementLine]()
    for line in lines:
        which = line.seat, line.bet, line.proposition
        found[LineKey(*which, times[which])] = line
        times[which] += 1
    return found
