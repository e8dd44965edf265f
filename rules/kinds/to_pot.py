"""Wagers into the pot of the table, which `[pot]` of the game file settles."""

from typing import Literal

from rules.bets.among_players import AmongPlayersBet


class ToPotBet(AmongPlayersBet):
    """A wager into the pot of the table: what becomes of it `[pot]` says, not a hand or a fold of this bet. `clause`:
    by which it is made; it has no `clauses` of its own."""

    kind: Literal["to-pot"]
