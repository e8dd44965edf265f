"""Wagers into the table's pot, which `[pot]` of the game file settles."""

from typing import Literal

from rules.bets.among_players import AmongPlayersBet


class ToPotBet(AmongPlayersBet):
    """A wager into the table's pot: `[pot]` decides it, not a hand or a fold of this bet.

    `clause`: the clause by which it is made; it has no `clauses` of its own. `dead`: it is no bet, so that nobody
    matches it; it goes to the main pot.
    """

    kind: Literal["to-pot"]
    dead: bool = False
