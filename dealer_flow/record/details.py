"""Details of a round on the way to its end: parts of a `RoundResult`."""

from typing import Annotated, Final

from msgspec import Meta
from msgspec.structs import force_setattr

from dealer_flow.record.base import Cards, Record

Cents = Annotated[int, Meta(ge=0, le=2**32 - 1)]
Currency = Annotated[str, Meta(pattern="^[A-Z]{3}$")]
"""Currency code of three letters (ISO 4217); one that is counted in hundredths."""

DOLLAR: Final = "USD"
"""Currency of a line that names none."""


class Stage(Record, frozen=True):
    """Cards known at a place when a step was over, shown or read by the device; `??` for each other card."""

    step: str
    place: str
    cards: Cards


class FirmwareRecord(Record, frozen=True):
    """Firmware that a device has proved: the SHA-256 of its image, and its version on the signed list."""

    device: str
    sha256: Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]
    version: str


class Split(Record, frozen=True):
    """The two parts of a hand: the `low` or first hand, and the `rest`; a part that was not reported is empty. `by`:
    who set it, `player`, `house-way` or `dealer`; `foul`: it was reported as set against the rules."""

    low: Cards
    rest: Cards
    by: str
    foul: bool


class DrawnNumber(Record, frozen=True):
    """The number shaken or drawn, and the place it counts to."""

    drawn: Annotated[int, Meta(ge=0, le=255)]
    place: str


class ActionRecord(Record, frozen=True, omit_defaults=True):
    """Action of a player in a betting round: the `step` it was in, an action such as `raise`, and the cents in front of
    the seat in that round afterwards. `manner`: `string-bet`, `time-limit`; absent for an ordinary action."""

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


class PotShare(Record, frozen=True):
    """Cents of a pot that a seat put into it."""

    seat: Annotated[int, Meta(ge=1, le=32)]
    cents: Cents


class CutPot(Record, frozen=True):
    """A pot as it was cut in the play: its `number`, 1 for the main pot, its cents, the shares of them that seats put
    in, and the seats that were in it when its bets were called, whatever became of their hands afterwards."""

    number: Annotated[int, Meta(ge=1, le=32)]
    cents: Cents
    shares: tuple[PotShare, ...]
    seats: tuple[Annotated[int, Meta(ge=1, le=32)], ...]


def leave_out_dollar(record: Record, currency: str) -> None:
    """Leave the `currency` of a new record out of its line if it is the dollar.

    msgspec leaves out a value that *is* the default, not one that equals it, so a dollar that was read from a line or
    came from another process has to be replaced by the constant.
    """
    if currency == DOLLAR and currency is not DOLLAR:
        force_setattr(record, "currency", DOLLAR)
