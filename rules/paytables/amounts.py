"""Limits of amounts in files, and rounding."""

from fractions import Fraction
from typing import Annotated, Final

from pydantic import Field

MOST_CENTS: Final = 10**12
"""Maximum amount: ten billion dollars. It is above any meter that ever existed, and far enough below 63 bits, the limit
of a JSON line and of the journal, that no table's sums reach it."""
MOST_TIMES: Final = 10**6
"""Maximum multiple of its wager that a bet may pay: a thousand times the highest pay in print."""

AmountField = Annotated[int, Field(ge=0, le=MOST_CENTS)]
"""Cents in a file, 0 or more."""
WagerField = Annotated[int, Field(ge=1, le=MOST_CENTS)]
"""Cents in a file, 1 or more."""
PartOfUnit = Annotated[str, Field(pattern=r"^[1-9][0-9]{0,2}(/[1-9][0-9]{0,2})?$")]
"""Multiple of another bet: `1`, `3` or `1/2`."""


def round_down(numerator: int, denominator: int, unit: int) -> tuple[int, Fraction | int]:
    """Round numerator/denominator cents down to whole units; return the cents and the exact remainder."""
    cents = numerator // (denominator * unit) * unit
    rest = numerator - cents * denominator
    return cents, Fraction(rest, denominator) if rest else 0
