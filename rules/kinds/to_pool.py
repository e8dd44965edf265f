"""Wagers into the pool of the table, which `[pool]` of the game file settles."""

from typing import Literal

from rules.bets.among_players import AmongPlayersBet


class ToPoolBet(AmongPlayersBet):
    """A wager that its player has back for winning the pot of the table; else it goes into the pool. What becomes of it
    `[pool]` says, not a hand or a fold. `clause`: by which it is made; it has no `clauses` of its own."""

    kind: Literal["to-pool"]
