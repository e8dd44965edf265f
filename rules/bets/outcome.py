"""What a bet's outcome hangs on, and the outcome: what the settlement words and pays, and the odds count."""

from fractions import Fraction
from typing import Final, Literal

import msgspec

from rules.paytables.paytable import PaidRow

ONE_COLOUR: Final = "one colour"
"""Of two hands that tie: all their cards are red, or all black."""
COPY: Final = "copy"
"""Of a hand set in two: one of its parts is the same as the other hand's."""
NO_CARD: Final = "no card"
"""The card that a fee is for was not dealt."""
_NOTHING: Final[frozenset[str]] = frozenset()


class BetFacts(msgspec.Struct, frozen=True, gc=False):
    """What is known of a bet once the cards are: what its outcome hangs on, and nothing else.

    `sign`: 1 where its hand is higher than the other one, 0 where they tie, -1 where it is lower, None where they were
    not compared; of a hand set in two by its parts. `row`: of its table, by the hand or by the margin. `qualified`: so
    the other hand is. `also`: what else holds, by the words of the file: the cards of an `unless` that the hand
    reaches, the rows of a tie that the other hand holds, and the constants of this module. `on`: the one of several
    outcomes that the money is on. `parts`: how the bets end that it goes with, and by which clause each.
    """

    sign: int | None = None
    row: PaidRow | None = None
    qualified: bool = True
    folded: bool = False
    also: frozenset[str] = _NOTHING
    on: str = ""
    parts: tuple[tuple[str, str], ...] = ()


class Outcome(msgspec.Struct, frozen=True, gc=False):
    """How a bet ends. `row` pays a win, or gives the stake back; `by_table`: it is one of the bet's table, or none of
    them was reached. `stake_lost`: of "to 1" the stake goes all the same. `share`: so much of the stake wins or loses,
    the rest comes back. `held`: a person says how."""

    result: Literal["win", "lose", "push", "returned", "held"]
    clause: str
    row: PaidRow | None = None
    by_table: bool = False
    stake_lost: bool = False
    share: Fraction | int = 1


def paid(row: PaidRow, *, clause: str = "", by_table: bool = False, stake_lost: bool = False) -> Outcome:
    """The outcome that `row` pays, by its own clause unless another one has it win."""
    result: Literal["push", "win"] = "push" if row.pay.unit == "push" else "win"
    return Outcome(result, clause or row.clause, row, by_table, stake_lost)
