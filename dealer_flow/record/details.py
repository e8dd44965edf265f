"""What lay where on the way to a round's end: parts of a `RoundResult`."""

from typing import Annotated, Final

from msgspec import Meta
from msgspec.structs import force_setattr

from dealer_flow.record.base import Cards, Record

Cents = Annotated[int, Meta(ge=0, le=2**32 - 1)]
Currency = Annotated[str, Meta(pattern="^[A-Z]{3}$")]
"""Its three letters (ISO 4217); one that is counted in hundredths."""

DOLLAR: Final = "USD"
"""The currency of a line that names none."""


class Stage(Record, frozen=True):
    """The cards known to lie at a place when a step was over: shown, or read by the device; `??` for each other."""

    step: str
    place: str
    cards: Cards


class Split(Record, frozen=True):
    """The two parts of a hand: the `low` or first hand, and the `rest`; a part nobody reported is empty. `by`: who set
    it, `player`, `house-way` or `dealer`; `foul`: it was reported as set against the rules."""

    low: Cards
    rest: Cards
    by: str
    foul: bool


class DrawnNumber(Record, frozen=True):
    """The number shaken or drawn, and the place it counts to."""

    drawn: Annotated[int, Meta(ge=0, le=255)]
    place: str


class ActionRecord(Record, frozen=True, omit_defaults=True):
    """What a player did in a betting round: the `step` it was in, an action such as `raise`, and all that lay before
    the seat in that round afterwards. `manner`: `string-bet`, `time-limit`; absent where it was plainly made."""

    step: str
    seat: Annotated[int, Meta(ge=1, le=32)]
    action: str
    cents: Cents
    manner: str = ""


class TakenPot(Record, frozen=True):
    """Cents of a pot, 1 for the main pot, that the dealer awarded and the seat took in."""

    pot: Annotated[int, Meta(ge=1, le=32)]
    seat: Annotated[int, Meta(ge=1, le=32)]
    cents: Cents


def leave_out_dollar(record: Record, currency: str) -> None:
    """Of a record just made: have its `currency` left out of the line when it is the dollar, also where a line that was
    read named it, or the record came from another process. msgspec leaves out what *is* the default, not its equal."""
    if currency == DOLLAR and currency is not DOLLAR:
        force_setattr(record, "currency", DOLLAR)
