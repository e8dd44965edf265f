"""What is wrong with printed pay tables, by computing them: nothing is settled here, a person is told."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from typing import Any, Final, Literal

from rules.game import Game
from rules.odds.compute import odds
from rules.odds.question import Question
from rules.odds.returns import Odds, percent

Fault = Literal["over-100", "printed-differs", "unreachable-row", "row-out-of-order"]

_ORDERED: Final = frozenset({"longest-flush", "margin", "five-card"})
"""Kinds of table whose rows run from the best hand down; the rows of a race are bets of their own."""


@dataclass(frozen=True, slots=True)
class PaytableFinding:
    """One fault of one table. `suspect` is the reason the table's file already gives; a fault without one is news."""

    game: str
    bet: str
    paytable: str | None
    reading: dict[str, str]
    fault: Fault
    why: str
    suspect: str = ""

    def to_dict(self) -> dict[str, Any]:
        """As printed by `--json`."""
        found: dict[str, Any] = {"schema": "dealwire.finding/1", "type": "finding"}
        found |= {name: getattr(self, name) for name in ("game", "bet", "paytable", "reading", "fault", "why")}
        return found | ({"suspect": self.suspect} if self.suspect else {})


def audit(games: Iterable[Game], *, workers: int = 1) -> Iterator[Odds | PaytableFinding]:
    """The odds of every bet of `games` and, after each, what is wrong with its table.

    Every reading is tried, but for bets decided by fold or play: those under the game's default, which takes long
    enough. A bet that is valid only together with others is judged together with them.
    """
    for game in games:
        defaults = {name: chosen for name, chosen in game.default_readings().items() if name == "wild-kicker"}
        question = Question(game, readings=defaults, workers=workers)
        for found in odds(question):
            yield found
            yield from _faults(game, found)


def _faults(game: Game, found: Odds) -> Iterator[PaytableFinding]:
    def finding(fault: Fault, why: str) -> PaytableFinding:
        return PaytableFinding(game.id, found.bet, found.paytable, dict(found.reading), fault, why, found.suspect)

    alone = game.bets.get(found.bet)
    if (alone is None or len(game.tied[found.bet]) == 1) and found.returned > 1:
        yield finding("over-100", f"returns {percent(found.returned, 4)} % of the stake")
    if found.printed is not None and not _agrees(found.house_edge, found.printed["house_edge_pct"]):
        computed = percent(found.house_edge, 6)
        yield finding("printed-differs", f"prints {found.printed['house_edge_pct']} %, computes {computed} %")
    if alone is None or found.paytable is None:
        return
    table = game.paytables[found.paytable]
    reached = {outcome.row for outcome in found.outcomes if outcome.probability}
    for row in table.rows:
        if row.when not in reached and (not alone.rows or row.when in alone.rows):
            yield finding("unreachable-row", f"no hand is paid by the row {row.when!r}")
    if table.kind in _ORDERED:
        for above, below in pairwise(table.rows):
            if below.pays.rank > above.pays.rank:
                pays = replace(below.pays, unit=table.bare or "bare") if below.pays.unit == "bare" else below.pays
                why = f"{below.when!r} pays {pays.text}, more than {above.when!r} above it"
                yield finding("row-out-of-order", why)


def _agrees(exact: Fraction, printed: str) -> bool:
    """True when the exact figure, rounded as the print is, is what it prints."""
    places = len(printed.partition(".")[2])
    return abs(exact * 100 - Fraction(printed)) * 2 <= Fraction(1, 10**places)
