"""Which readings decided a round: those of which another option that settles a line moves other money.

Each is found by settling the round again. A hold is no answer: an option that holds a line disagrees with none, and the
option in use decided a line that it holds where another settles it. Options that cannot be meant are left out.
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
    """Which line of a settlement: of several of a seat and bet, as envy has them, the `nth` from 0."""

    seat: int
    bet: str
    proposition: str
    nth: int


class Deciding:
    """The readings of a game beside those in use, on the same terms else."""

    def __init__(self, terms: Terms, of: Collection[str] | None = None) -> None:
        """On these terms; `of` these readings alone."""
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
        """The lines of a round that a reading decided, and by which; `settled` as it was on the terms in use, with
        `meters` as they stood before. Of a line that only another option has, too."""
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
    """The lines of a settlement by which they are."""
    times = Counter[tuple[int, str, str]]()
    found = dict[LineKey, SettlementLine]()
    for line in lines:
        which = line.seat, line.bet, line.proposition
        found[LineKey(*which, times[which])] = line
        times[which] += 1
    return found
