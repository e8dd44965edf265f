"""Wagers into the table's pool, which `[pool]` of the game file settles."""

from typing import Literal

from rules.bets.among_players import AmongPlayersBet


class ToPoolBet(AmongPlayersBet):
    """A wager that its player gets back for winning the table's pot; otherwise it goes into the pool.

    `[pool]` decides it, not a hand or a fold. `clause`: the clause by which it is made; it has no `clauses` of its own.
    """

    kind: Literal["to-pool"]
