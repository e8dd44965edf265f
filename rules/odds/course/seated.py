"""The seat for which bets are counted: its wagers before the deal, and the terms of settlement."""

from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from typing import Final, NamedTuple

from rules.bets.bet import Bet
from rules.facts.terms import agree
from rules.odds.course.played_round import Settler
from rules.odds.decide.decisions import Decisions, decisions
from rules.odds.question import Question

UNIT_CENTS: Final = 2000
"""Cents of one unit for a bet of any amount; amounts that are not whole tokens are counted exactly."""


class Seated(NamedTuple):
    """The decisions, the settler, and the wagers before the deal, in cents."""

    decisions: Decisions
    settler: Settler
    wagers: Mapping[str, int]


def seated(
    question: Question,
    bets: Sequence[Bet],
    tables: Collection[str],
    *,
    options: Mapping[str, str] | None = None,
    readings: Mapping[str, str] | None = None,
    stakes: Mapping[str, Fraction] | None = None,
    without: Collection[str] = (),
) -> Seated:
    """Return a seat with these bets and the bets they require, each paid by one of these `tables`.

    Each stake is the amount that the procedure requires, or that of `stakes` in units of the first bet; bets in
    `without` are not made.
    """
    game = question.game
    found = decisions(game).under(options or {})
    given = game.default_readings() | dict(question.readings) | dict(readings or {})
    to_choose = game.default_paytables(given)
    chosen = {bet.name: each for bet in bets for each in tables if each in bet.to_choose and bet.name in to_choose}
    terms = agree(game, paytables=chosen, readings=given, token_cents=1, accept_suspect=True)
    names = {bet.name for bet in bets}
    before = found.plan.before_deal - found.plan.tips.keys() - set(without)
    lies = {name for name in before if name in names or name not in found.optional}
    entering = [row.name for row in found.plan.procedure.bet if row.enters]
    if entering and lies.isdisjoint(entering):
        lies.add(entering[0])  # required to be dealt in
    units = {**dict.fromkeys(lies, Fraction(1)), **found.stakes, **(stakes or {})}
    amounts = (rule.amount for rule in found.plan.rules if rule.kind == "exactly" and rule.bets == (bets[0].name,))
    unit = next((int(amount.times) for amount in amounts if amount is not None and not amount.bet), UNIT_CENTS)
    wagers = {name: int(unit * units[name]) for name in sorted(lies)}
    return Seated(found, Settler(found.plan, terms, bets, unit), wagers)
