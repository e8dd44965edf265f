"""Wagers into the pool of the table, which `[pool]` of the game file settles."""

from typing import ClassVar, Literal, Self

from pydantic import model_validator

from rules.bets.bet import Bet
from rules.bets.bet_terms import Clauses


class ToPoolBet(Bet):
    """A wager that its player has back for winning the pot of the table; else it goes into the pool. What becomes of it
    `[pool]` says, not a hand or a fold. `clause`: by which it is made; it has no `clauses` of its own."""

    kind: Literal["to-pool"]
    by_hand: ClassVar[bool] = False
    apart: ClassVar[bool] = True
    among_players: ClassVar[bool] = True
    clause: str
    clauses: Clauses = Clauses(win="", lose="")

    @model_validator(mode="after")
    def _is_decided_by_the_pot(self) -> Self:
        if "clauses" in self.model_fields_set:
            raise ValueError(f"bet {self.name!r} goes into the pool, whose clauses decide; give it its clause alone")
        self.__dict__["clauses"] = Clauses(win=self.clause, lose=self.clause)
        return self
