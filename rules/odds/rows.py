"""Odds of a bet that the best row of a table pays, from the probability of every hand."""

from collections.abc import Iterable, Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import Any, Final

from rules.bets.bet import Bet
from rules.odds.question import Question
from rules.odds.returns import BetOutcome, Odds, return_of_outcome, return_of_row
from rules.paytables.paytable import USUAL_ENVY_BASE_CENTS, PaidRow, PayTable

_NOTHING: Final[Mapping[str, Any]] = MappingProxyType({})


def shares_of(counted: Mapping[Any, int]) -> dict[Any, Fraction]:
    """Convert the number of deals by key to probabilities."""
    total = sum(counted.values())
    return {key: Fraction(number, total) for key, number in counted.items()}


def paid_by_row(
    question: Question,
    bet: Bet,
    table: PayTable,
    readings: Mapping[str, str],
    shares: Mapping[Any, Fraction],
    also: Mapping[str, Any] = _NOTHING,
) -> Odds:
    """Return the odds of a bet paid by the best row, from the probability of every key of its table."""
    rows = question.game.tables[bet.name, table.id]
    chances: dict[PaidRow | None, Fraction] = {}
    for key, share in shares.items():
        row = rows[key]
        chances[row] = chances.get(row, Fraction(0)) + share
    printed = [row.when for row in table.rows if not bet.rows or row.when in bet.rows]
    paid = {row.when: row for row in chances if row}
    meters = {name: Fraction(cents, question.wager_cents) for name, cents in question.meters.items()}
    outcomes = [
        BetOutcome(when, chances[row], return_of_outcome(bet.by_row(row), meters, question.wager_cents), when)
        if (row := paid.get(when))
        else BetOutcome(when, Fraction(0), Fraction(0), when)
        for when in printed
    ]
    outcomes.append(BetOutcome("no row", chances.get(None, Fraction(0)), return_of_outcome(bet.by_row(None))))
    also = {**also, **_rounding(paid.values()), **_fixed_wager(paid.values(), question.wager_cents)}
    return Odds(
        question.game.id,
        bet.name,
        table.id,
        readings,
        tuple(outcomes),
        bet.name,
        also,
        **question.marks(table, readings),
    )


def meter_effects(question: Question, bet: Bet, table: PayTable, shares: Mapping[Any, Fraction]) -> dict[str, Any]:
    """Return the effect of the meters: the return of the fixed pays alone, the share of each meter a round takes, and
    the break-even meter.

    Meters are in wagers, so for a wager of 1 dollar they are in dollars. Envy is the amount that each other bettor at
    the table adds, in wagers of the same amount.
    """
    base = table.envy_base_cents or USUAL_ENVY_BASE_CENTS
    fixed, envy, taken = Fraction(0), Fraction(0), dict[str, Fraction]()
    for key, share in shares.items():
        row = question.game.tables[bet.name, table.id][key]
        if row is None:
            continue
        envy += share * row.envy_cents / base
        if row.pay.unit == "percent" and row.pay.meter:
            taken[row.pay.meter] = taken.get(row.pay.meter, Fraction(0)) + share * row.pay.amount
            fixed += share * (return_of_row(row.pay.plus, {}) or 0) if row.pay.plus else 0
        else:
            fixed += share * (return_of_row(row.pay, {}, question.wager_cents) or 0)
    also: dict[str, Any] = {
        "fixed_return": fixed,
        "meter_share": {name: str(part) for name, part in sorted(taken.items())},
    }
    certain = fixed + question.others * envy
    if len(taken) == 1 and certain <= 1:
        also["break_even_meter"] = (1 - certain) / next(iter(taken.values()))
    if envy:
        also["envy_from_each_other"] = envy
    return also | ({"others": question.others} if question.others else {})


def _rounding(rows: Iterable[PaidRow]) -> dict[str, str]:
    """Return a note on pays that are not a whole multiple of the stake."""
    uneven = [row.pay.text for row in rows if row.pay.unit in ("to", "for") and row.pay.amount.denominator > 1]
    if not uneven:
        return {}
    return {"rounding": f"{', '.join(uneven)} counted exactly; a table rounds each pay down to its smallest token"}


def _fixed_wager(rows: Iterable[PaidRow], wager_cents: int) -> dict[str, int]:
    """Return the wager for which fixed amounts were counted."""
    return {"wager_cents": wager_cents} if any(row.pay.unit in ("flat", "flat-to") for row in rows) else {}
