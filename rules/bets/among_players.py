"""A wager that players make among themselves."""

from typing import ClassVar, Self

from pydantic import model_validator

from rules.bets.bet import Bet
from rules.bets.bet_terms import Clauses


class AmongPlayersBet(Bet):
    """A wager decided by the table's pot or pool, not by a hand or a fold.

    `clause` is the clause by which it is made; it has no `clauses` of its own.
    """

    by_hand: ClassVar[bool] = False
    apart: ClassVar[bool] = True
    among_players: ClassVar[bool] = True
    clause: str
    clauses: Clauses = Clauses(win="", lose="")

    @model_validator(mode="after")
    def _is_decided_by_the_pot(self) -> Self:
        if "clauses" in self.model_fields_set:
            place = self.kind.removeprefix("to-")
            raise ValueError(f"bet {self.name!r} goes into the {place}, whose clauses decide; give it only its clause")
        self.__dict__["clauses"] = Clauses(win=self.clause, lose=self.clause)
        return self
