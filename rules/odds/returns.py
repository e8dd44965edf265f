"""What a bet gives back, exactly: every outcome with its probability and what a unit of stake becomes."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from rules.paytable import Pay

SCHEMA = "dealwire.odds/1"


@dataclass(frozen=True, slots=True)
class BetOutcome:
    """One way a bet can end. `back` is what the player then takes back, in units, the stake included where it comes
    back; None where that hangs on a meter that was not given. `row` of the pay table pays it, if one does."""

    what: str
    probability: Fraction
    back: Fraction | None
    row: str = ""


@dataclass(frozen=True, slots=True)
class Odds:
    """A bet under one pay table and one choice of the readings it depends on.

    `staked` is the stake in an average round. Its unit is the stake of the bet itself, or, for bets made together, the
    stake of the first of them. `also` holds further figures by name; `printed` and `suspect` are the pay table's.
    """

    game: str
    bet: str
    paytable: str | None
    reading: Mapping[str, str]
    outcomes: tuple[BetOutcome, ...]
    staked: Fraction = Fraction(1)
    also: Mapping[str, Any] = field(default_factory=dict)
    printed: Mapping[str, str] | None = None
    suspect: str = ""

    @property
    def returned(self) -> Fraction:
        """What comes back of a unit staked, on average; outcomes that hang on an unknown meter left out."""
        back = sum((o.probability * o.back for o in self.outcomes if o.back is not None), Fraction(0))
        return back / self.staked

    @property
    def house_edge(self) -> Fraction:
        """What the house keeps of a unit staked, on average; negative when the bet favours the player."""
        return 1 - self.returned

    @property
    def incomplete(self) -> bool:
        """True when an outcome hangs on a meter that was not given, so that the true return is higher."""
        return any(outcome.back is None for outcome in self.outcomes)

    def to_dict(self) -> dict[str, Any]:
        """As printed by `--json`: fractions as `A/B`, the edge in percent rounded to six places."""
        found: dict[str, Any] = {
            "schema": SCHEMA,
            "type": "odds",
            "game": self.game,
            "bet": self.bet,
            "paytable": self.paytable,
            "reading": dict(self.reading),
            "return": str(self.returned),
            "house_edge": str(self.house_edge),
            "house_edge_pct": percent(self.house_edge, 6),
            "outcomes": [
                {"what": o.what, "probability": str(o.probability), "back": None if o.back is None else str(o.back)}
                for o in self.outcomes
            ],
        }
        if self.staked != 1:
            found |= {"staked": str(self.staked), "loss_per_unit": str(self.house_edge * self.staked)}
            found["loss_per_unit_pct"] = percent(self.house_edge * self.staked, 6)
        found |= {name: str(value) if isinstance(value, Fraction) else value for name, value in self.also.items()}
        if self.incomplete:
            found["incomplete"] = "what the meter pays is left out; give the meter to include it"
        if self.printed is not None:
            found["printed"] = dict(self.printed)
        if self.suspect:
            found["suspect"] = self.suspect
        return found


def back_of(pay: Pay, meters: Mapping[str, Fraction]) -> Fraction | None:
    """What a unit of stake becomes when a row pays it; `meters` stand in units of stake."""
    if pay.unit == "percent":
        meter = meters.get(pay.meter or "")
        return None if meter is None else pay.amount * meter
    return pay.amount if pay.unit == "for" else 1 + pay.amount


def percent(value: Fraction, places: int) -> float:
    """A fraction in percent, for the eye: rounded to `places`."""
    return float(round(value * 100, places))
