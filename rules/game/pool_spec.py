"""What a game file says of a pool that goes to whoever first has enough runners: what puts money in, what brings them.

A runner stands for a hand that was won, some hands bring more than one. They lie before the seats from round to
round.
"""

from typing import Annotated, Final

from pydantic import Field

from dealer_flow.tomlfile import TomlTable
from rules.bets.bet_terms import Charge

MOST_RUNNERS: Final = 99
MOST_SEATS: Final = 32
"""As many as a round may have."""
UNSHOWN: Final = "win-unshown"
"""The reading that says whether a hand won brings a runner where everybody else folded."""


class RunnersFor(TomlTable):
    """How many runners a hand brings that wins with this or better."""

    row: str
    """What it has to be, in the words of a pay table's row."""
    runners: Annotated[int, Field(ge=1, le=MOST_RUNNERS)]
    """How many it brings."""


class PoolClauses(TomlTable):
    """What decides how a pool grows, how it is won, and what becomes of the runners."""

    back: str
    """The winner of the pot has its wager back."""
    into: str
    """All others go into the pool."""
    runner: str
    """What a hand that wins brings."""
    tie: str
    """Hands that tie bring none, and have their wagers back."""
    win: str
    """Whoever has enough runners wins the pool."""
    collected: str
    """Then the runners of all are collected."""
    leaving: str
    """Those of a player who leaves the game are."""
    closing: str
    """The pool is shared by runners when the table closes."""


class PoolSpec(TomlTable):
    """A pool: the bets of kind `to-pool` go into it but for that of whoever wins the main pot."""

    meter: str
    """The meter that the pool is, by its name; a settlement calls what is won of it so."""
    needed: Annotated[int, Field(ge=1, le=MOST_RUNNERS)]
    """How many runners win it. Nobody is given more."""
    hand: str = "player"
    """The hand that is looked at, by its name."""
    more: tuple[RunnersFor, ...] = ()
    """Hands that bring more than one runner, the best first."""
    rake: Charge | None = None
    """What the house may take of a pool that is won."""
    clauses: PoolClauses
