"""Wagers into the pot of the table, which `[pot]` of the game file settles."""

from typing import ClassVar, Literal, Self

from pydantic import model_validator

from rules.bets.bet import Bet
from rules.bets.bet_terms import Clauses


class ToPotBet(Bet):
    """A wager into the pot of the table: what becomes of it `[pot]` says, not a hand or a fold of this bet. `clause`:
    by which it is made; it has no `clauses` of its own."""

    kind: Literal["to-pot"]
    by_hand: ClassVar[bool] = False
    apart: ClassVar[bool] = True
    among_players: ClassVar[bool] = True
    clause: str
    clauses: Clauses = Clauses(win="", lose="")

    @model_validator(mode="after")
    def _is_decided_by_the_pot(self) -> Self:
        if "clauses" in self.model_fields_set:
            raise ValueError(f"bet {self.name!r} goes into the pot, whose clauses decide; give it its clause alone")
        self.__dict__["clauses"] = Clauses(win=self.clause, lose=self.clause)
        return self
