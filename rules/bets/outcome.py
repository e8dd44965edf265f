"""Facts that decide a bet, and its outcome: words and pay for a settlement, counts for the odds."""

from fractions import Fraction
from typing import Final, Literal

import msgspec

from rules.paytables.paytable import PaidRow

ONE_COLOUR: Final = "one colour"
"""Fact of two hands that tie: all their cards are red, or all black."""
COPY: Final = "copy"
"""Fact of a hand set in two: one of its parts equals the other hand's."""
NO_CARD: Final = "no card"
"""Fact of a fee: the card it is for was not dealt."""
_NOTHING: Final[frozenset[str]] = frozenset()


class BetFacts(msgspec.Struct, frozen=True, gc=False):
    """Facts known about a bet once the cards are known: all that its outcome depends on.

    - `sign`: 1 if its hand is higher than the other, 0 for a tie, -1 if lower, None if they were not compared.
      For a hand set in two, it compares the parts.
    - `row`: the row of its table, by hand or by margin.
    - `qualified`: the other hand qualifies.
    - `also`: other facts, in the words of the file: the cards of an `unless` that the hand reaches, the rows of a
      tie that the other hand makes, and the constants of this module.
    - `on`: the outcome that the money is on, for a bet with several.
    - `parts`: the results of the bets made with it, each with its clause.
    """

    sign: int | None = None
    row: PaidRow | None = None
    qualified: bool = True
    folded: bool = False
    also: frozenset[str] = _NOTHING
    on: str = ""
    parts: tuple[tuple[str, str], ...] = ()


class Outcome(msgspec.Struct, frozen=True, gc=False):
    """Result of a bet, and the row that decides it.

    - `row`: the row that pays a win or gives the stake back.
    - `by_table`: the row belongs to the bet's table, or no row of the table was reached.
    - `stake_lost`: the stake is lost although the pay is "to 1".
    - `share`: the part of the stake that wins or loses; the rest comes back.
    - `held`: a supervisor decides the result.
    """

    result: Literal["win", "lose", "push", "returned", "held"]
    clause: str
    row: PaidRow | None = None
    by_table: bool = False
    stake_lost: bool = False
    share: Fraction | int = 1


def paid(row: PaidRow, *, clause: str = "", by_table: bool = False, stake_lost: bool = False) -> Outcome:
    """Return the outcome that `row` pays, by its own clause unless another is given."""
    result: Literal["push", "win"] = "push" if row.pay.unit == "push" else "win"
    return Outcome(result, clause or row.clause, row, by_table, stake_lost)
