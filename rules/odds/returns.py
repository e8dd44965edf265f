"""Exact returns of a bet: every outcome with its probability and the result of one unit of stake."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Context, Decimal
from fractions import Fraction
from typing import Any, Final

from rules.bets.outcome import Outcome
from rules.paytables.paytable import Pay

SCHEMA: Final = "dealwire.odds/2"
_NO_METERS: Final[Mapping[str, Fraction]] = {}
ROOT_DIGITS: Final = 30
"""Digits of a standard deviation, because the root of a fraction is rarely a fraction."""


@dataclass(frozen=True, slots=True)
class BetOutcome:
    """One outcome of a bet.

    `back` is the amount that the player gets back, in units, including a returned stake; None if it depends on an
    unknown meter. `row` is the paying row, if any. `staked` is the final stake, in units.
    """

    what: str
    probability: Fraction
    back: Fraction | None
    row: str = ""
    staked: Fraction = Fraction(1)


@dataclass(frozen=True, slots=True)
class Odds:
    """Odds of a bet, or of bets made together, under one pay table and one choice of the readings it depends on.

    All amounts are in initial units: the stake of `unit`, which is the bet itself or, for bets made together, the first
    of them. `also` holds further figures by name; `printed` and `suspect` are the pay table's.
    """

    game: str
    bet: str
    paytable: str | None
    reading: Mapping[str, str]
    outcomes: tuple[BetOutcome, ...]
    unit: str = ""
    also: Mapping[str, Any] = field(default_factory=dict)
    printed: Mapping[str, str] | None = None
    suspect: str = ""

    @property
    def average_bet(self) -> Fraction:
        """Average final stake, in initial units."""
        return sum((o.probability * o.staked for o in self.outcomes), Fraction(0))

    @property
    def house_edge(self) -> Fraction:
        """Average loss per initial unit; negative if the bet favors the player. Outcomes that depend on an unknown
        meter return nothing."""
        return self.average_bet - sum((o.probability * (o.back or 0) for o in self.outcomes), Fraction(0))

    @property
    def element_of_risk(self) -> Fraction:
        """Average loss per unit staked, raises included; 0 for a bet that is never made."""
        return self.house_edge / self.average_bet if self.average_bet else Fraction(0)

    @property
    def returned(self) -> Fraction:
        """Average return per unit staked; outcomes that depend on an unknown meter return nothing."""
        return 1 - self.element_of_risk

    @property
    def hit_frequency(self) -> Fraction:
        """Probability that the player gets back more than he staked."""
        return sum((o.probability for o in self.outcomes if o.back is None or o.back > o.staked), Fraction(0))

    @property
    def variance(self) -> Fraction | None:
        """Variance of the gain of a round, in initial units squared; None if it depends on an unknown meter."""
        square = Fraction(0)
        for outcome in self.outcomes:
            if outcome.back is None:
                return None
            square += outcome.probability * (outcome.back - outcome.staked) ** 2
        return square - self.house_edge**2

    @property
    def incomplete(self) -> bool:
        """True if an outcome depends on an unknown meter, so that the true return is higher."""
        return any(outcome.back is None for outcome in self.outcomes)

    def to_dict(self) -> dict[str, Any]:
        """Return the object that `--json` prints: fractions as `A/B`, and `_pct` in percent rounded to six places."""
        found: dict[str, Any] = {
            "schema": SCHEMA,
            "type": "odds",
            "game": self.game,
            "bet": self.bet,
            "paytable": self.paytable,
            "reading": dict(self.reading),
            "computed": True,
            "unit": self.unit or self.bet,
        }
        for name in ("house_edge", "element_of_risk", "returned", "hit_frequency"):
            value, name = getattr(self, name), "return" if name == "returned" else name
            found |= {name: str(value), f"{name}_pct": percent(value, 6)}
        found["average_bet"] = str(self.average_bet)
        if (variance := self.variance) is not None:
            found |= {"variance": str(variance), "standard_deviation": root(variance)}
        found["outcomes"] = [_plain(outcome) for outcome in self.outcomes]
        found |= {name: str(value) if isinstance(value, Fraction) else value for name, value in self.also.items()}
        if self.incomplete:
            found["incomplete"] = "pays from the meter are left out; give the meter to include them"
        if self.printed is not None:
            found["printed"] = dict(self.printed)
        if self.suspect:
            found["suspect"] = self.suspect
        return found


@dataclass(frozen=True, slots=True)
class NotComputed:
    """A bet whose odds are not computed: the number of deals, and the reason."""

    game: str
    bet: str
    deals: int
    why: str

    def to_dict(self) -> dict[str, Any]:
        """Return the object that `--json` prints."""
        found = {"schema": SCHEMA, "type": "odds", "game": self.game, "bet": self.bet, "computed": False}
        return found | {"deals": self.deals, "why": self.why}


def _plain(outcome: BetOutcome) -> dict[str, Any]:
    back = None if outcome.back is None else str(outcome.back)
    plain = {"what": outcome.what, "probability": str(outcome.probability), "staked": str(outcome.staked), "back": back}
    return plain | ({"row": outcome.row} if outcome.row and outcome.row != outcome.what else {})


def return_of_row(pay: Pay, meters: Mapping[str, Fraction], wager_cents: int = 100) -> Fraction | None:
    """Return the amount that one unit of stake becomes if a row pays it; `meters` are in units of stake, and fixed
    amounts are for a stake of `wager_cents`."""
    if pay.unit == "percent":
        meter = meters.get(pay.meter or "")
        plus = return_of_row(pay.plus, meters, wager_cents) if pay.plus else Fraction(0)
        return None if meter is None or plus is None else pay.amount * meter + plus
    if pay.unit in ("flat", "flat-to"):
        return pay.amount / wager_cents + (pay.unit == "flat-to")
    return pay.amount if pay.unit == "for" else 1 + pay.amount


def return_of_outcome(
    outcome: Outcome | None, meters: Mapping[str, Fraction] = _NO_METERS, wager_cents: int = 100
) -> Fraction | None:
    """Return the amount that one unit of stake becomes with this outcome, 0 if there is no bet. Arguments as in
    `return_of_row`."""
    if outcome is None:
        return Fraction(0)
    if outcome.row is None:
        return Fraction(1 - outcome.share if outcome.result == "lose" else 1)
    back = return_of_row(outcome.row.pay, meters, wager_cents)
    return None if back is None else back - outcome.stake_lost


def gain_of(outcome: Outcome | None, wager_cents: int = 100) -> Fraction | None:
    """Return the gain of one unit of stake with this outcome: 0 if there is no bet, None if it depends on a meter."""
    back = return_of_outcome(outcome, _NO_METERS, wager_cents)
    return Fraction(0) if outcome is None else None if back is None else back - 1


def percent(value: Fraction, places: int) -> float:
    """Return a fraction in percent, rounded to `places` for display."""
    return float(round(value * 100, places))


def root(value: Fraction, digits: int = ROOT_DIGITS) -> str:
    """Return the square root of a fraction, rounded to this many digits, in plain notation."""
    wide = Context(prec=2 * digits)
    exact = wide.sqrt(wide.divide(Decimal(value.numerator), Decimal(value.denominator)))
    return f"{Context(prec=digits).plus(exact):f}"
