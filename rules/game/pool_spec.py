"""Schema of a pool that the first seat with enough runners wins: what adds money to it, and what earns runners.

A runner stands for a hand that was won; some hands earn more than one. Runners stay at the seats from round to round.
"""

from typing import Annotated, Final

from pydantic import Field

from dealer_flow.tomlfile import TomlTable
from rules.bets.bet_terms import Charge

MOST_RUNNERS: Final = 99
MOST_SEATS: Final = 32
"""Maximum number of seats of a round."""
UNSHOWN: Final = "win-unshown"
"""Name of the reading that says whether a hand won because all others folded earns a runner."""


class RunnersFor(TomlTable):
    """Number of runners that a winning hand of this rank or better earns."""

    row: str
    """Minimum hand, as a pay table's row says it."""
    runners: Annotated[int, Field(ge=1, le=MOST_RUNNERS)]
    """Number of runners that it earns."""


class PoolClauses(TomlTable):
    """Clauses by which a pool grows and is won, and by which runners are collected."""

    back: str
    """The winner of the pot gets its wager back."""
    into: str
    """All other wagers go into the pool."""
    runner: str
    """Runners that a winning hand earns."""
    tie: str
    """Hands that tie earn no runner, and get their wagers back."""
    win: str
    """The player with enough runners wins the pool."""
    collected: str
    """The runners of all players are then collected."""
    leaving: str
    """The runners of a player who leaves the game are collected."""
    closing: str
    """The pool is shared by runners when the table closes."""


class PoolSpec(TomlTable):
    """A pool that the first player with enough runners wins, as in Home Run.

    It receives all bets of kind `to-pool`, except that of the winner of the main pot.
    """

    meter: str
    """Name of the meter that holds the pool; a settlement uses it for the pool's lines."""
    needed: Annotated[int, Field(ge=1, le=MOST_RUNNERS)]
    """Number of runners that win it; also the maximum of a player."""
    hand: str = "player"
    """Name of the hand that is ranked."""
    more: tuple[RunnersFor, ...] = ()
    """Hands that earn more than one runner, the best first."""
    rake: Charge | None = None
    """The house's rake on a pool that is won."""
    clauses: PoolClauses
