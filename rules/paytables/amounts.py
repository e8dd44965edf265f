"""How large an amount that a person writes down may be, and how one is rounded."""

from fractions import Fraction
from typing import Annotated, Final

from pydantic import Field

MOST_CENTS: Final = 10**12
"""Ten thousand million dollars: above any meter there ever was, and so far below 63 bits, which is what a line of JSON
and the journal hold, that no table's sums reach them."""
MOST_TIMES: Final = 10**6
"""How many times its wager a bet may be paid: a thousand times the most that is in print."""

AmountField = Annotated[int, Field(ge=0, le=MOST_CENTS)]
"""Cents in a file."""
WagerField = Annotated[int, Field(ge=1, le=MOST_CENTS)]
"""Cents in a file, some."""
PartOfUnit = Annotated[str, Field(pattern=r"^[1-9][0-9]{0,2}(/[1-9][0-9]{0,2})?$")]
"""`1`, `3` or `1/2`: how many times another bet."""


def round_down(numerator: int, denominator: int, unit: int) -> tuple[int, Fraction | int]:
    """Whole units in numerator/denominator cents, in cents, and the exact rest."""
    cents = numerator // (denominator * unit) * unit
    rest = numerator - cents * denominator
    return cents, Fraction(rest, denominator) if rest else 0
