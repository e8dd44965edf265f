"""Forms of poker that both a hand history and this project know: game, options and readings."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final


@dataclass(frozen=True)
class PokerForm:
    """A form of poker: the game and procedure with this id, the house's options and readings that it is played with."""

    name: str
    game: str
    options: Mapping[str, str] = field(default_factory=dict)
    readings: Mapping[str, str] = field(default_factory=dict)


_EIGHT: Final = {"low-qualifier": "eight-or-better"}
_LOW_CARD: Final = {"bring-in": "low-card", "first-on-board": "high"}
_HIGH_CARD: Final = {"bring-in": "high-card", "first-on-board": "low"}

FORMS: Final = {
    form.name: form
    for form in (
        PokerForm("hold'em", "holdem.co"),
        PokerForm("omaha", "omaha.co"),
        PokerForm("omaha hi-lo", "omaha-hi-lo.co", readings=_EIGHT),
        PokerForm("seven-card stud", "seven-card-stud.co", _LOW_CARD),
        PokerForm("seven-card stud hi-lo", "seven-card-stud-hi-lo.co", _LOW_CARD, _EIGHT),
        PokerForm("razz", "seven-card-stud-low.co", _HIGH_CARD),
        PokerForm("five-card draw", "draw.co"),
        PokerForm("2-7 single draw", "draw-low.co", readings={"low-hand": "deuce-to-seven"}),
    )
}
"""Forms by name."""

UNKNOWN: Final = PokerForm("", "")
"""Form of a hand that is no game here."""

HOUSE: Final = {
    "raises-per-round": "unlimited",
    "short-blind": "full",
    "heads-up-blinds": "button-small",
    "bring-in-tie": "suit",
}
"""Options of every form, where the procedure has them: a site posts no number of raises, a call of a short blind is the
full one, the button posts the small blind heads-up, and the suit decides who brings in among equal cards."""
