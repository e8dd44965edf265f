"""Rows of a game's pay table for engines that decide for a player: by number, with the gain of one unit."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from protocol.cards import Card
from rules.bets.bet import Bet
from rules.hands import Ranking
from rules.odds.cards.placed_sets import Pack, RowFinder
from rules.odds.question import Question
from rules.odds.returns import gain_of
from rules.paytables.paytable import PaidRow, PayTable

LOST: Final = Fraction(-1)


@dataclass(frozen=True, slots=True)
class RowPays:
    """Gain of one unit of a bet by the number of the row, -1 if it is lost."""

    nets: tuple[Fraction, ...]
    names: tuple[str, ...] = ()

    def name(self, row: int) -> str:
        """Return the name of a row, empty if no row pays."""
        return self.names[row] if self.names else ""


class TableRows:
    """The rows of `table` as `bet` is paid by it, in order, and a last one for hands that lose.

    Raises ValueError for a row that pays a share of a meter, which no decision can weigh.
    """

    def __init__(self, question: Question, bet: Bet, table: PayTable) -> None:
        game = question.game
        self.hand, self.id = bet.hand, table.id
        self._flat: Mapping[object, PaidRow | None] = game.tables[bet.name, table.id]
        self.ranking: Ranking = game.rankings[bet.hand]
        self._readings = game.default_readings() | dict(question.readings)
        names = [row.when for row in table.rows]
        self._numbers = {name: number for number, name in enumerate(names)}
        nets = []
        for paid in (*map(table.paid, table.rows), None):
            net = gain_of(bet.by_row(paid))
            if net is None and paid is not None:
                raise ValueError(f"{paid.when!r} of {table.id} pays a share of a meter")
            nets.append(LOST if net is None else net)
        self.pays = RowPays(tuple(nets), (*names, ""))

    @property
    def none(self) -> int:
        """The row of hands that lose."""
        return len(self._numbers)

    def row_of(self, cards: Sequence[Card]) -> int:
        """Return the number of the row that pays the cards."""
        paid = self._flat[self.ranking.rank(cards, self._readings).key]
        return self.none if paid is None else self._numbers[paid.when]

    def finder(self, pack: Pack) -> RowFinder:
        """Return the row finder for sets of the pack; suits matter to a ranking only when a hand's worth of cards share
        one."""
        return RowFinder(pack, self.row_of, (self.ranking.uses or self.ranking.sizes[1]) - pack.jokers)
