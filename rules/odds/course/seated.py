"""A seat at a game's table as its bets are counted: what lies there before the deal, on which terms it is settled."""

from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from typing import Final, NamedTuple

from rules.bets.bet import Bet
from rules.facts.terms import agree
from rules.odds.course.played_round import Settler
from rules.odds.decide.decisions import Decisions, decisions
from rules.odds.question import Question

UNIT_CENTS: Final = 2000
"""Of a bet of one unit that may be of any amount; what no token divides is counted exactly."""


class Seated(NamedTuple):
    """What may be chosen, who settles it, and the wagers before the deal, in cents."""

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
    """A seat with these bets and those that they may not lie without, each paid by one of these `tables` and as much as
    the procedure asks for, or as `stakes` says in units of the first; `without` those that are not made."""
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
        lies.add(entering[0])  # without it nobody is dealt in
    units = {**dict.fromkeys(lies, Fraction(1)), **found.stakes, **(stakes or {})}
    amounts = (rule.amount for rule in found.plan.rules if rule.kind == "exactly" and rule.bets == (bets[0].name,))
    unit = next((int(amount.times) for amount in amounts if amount is not None and not amount.bet), UNIT_CENTS)
    wagers = {name: int(unit * units[name]) for name in sorted(lies)}
    return Seated(found, Settler(found.plan, terms, bets, unit), wagers)
