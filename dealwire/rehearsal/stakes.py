"""Bets of simulated players: every allowed spot, with amounts that the game's rules allow."""

from collections.abc import Iterable, Mapping
from typing import Final

from dealer_flow.procedure.bet_rules import BetRule
from dealer_flow.procedure.plan import Plan

CENTS: Final = 500
"""Bet on a spot in cents, unless a rule sets another amount."""
TIPS_EVERY: Final = 3
"""One in this many seats tips the dealer."""
_ROUNDS: Final = 6
"""Maximum number of passes to settle amounts that depend on each other."""


def stakes_of(plan: Plan, seat: int, *, progressive: bool = True) -> dict[str, int]:
    """Return one player's bets before the deal, in cents by bet. For bets that exclude each other the seats take turns.
    Games between players have none: there the blinds move around, see `chips`."""
    if plan.betting is not None:
        return {}
    placed = [bet for bet in plan.bets.values() if bet.placed == "before-deal" and (progressive or not bet.progressive)]
    placed = [bet for bet in placed if bet.tip_for is None or seat % TIPS_EVERY == 0]
    chosen: list[str] = []
    for bet in placed if seat % 2 else reversed(placed):
        if not any(_clash(rule, bet.name, chosen) for rule in plan.rules):
            chosen.append(bet.name)
    names = _with_what_they_need(plan.rules, [bet.name for bet in placed if bet.name in chosen])
    rules = [rule for rule in plan.rules if rule.choice is None]
    return _fit(rules, dict.fromkeys(names, CENTS), names)


def stake_of(plan: Plan, bet: str, wagers: Mapping[str, int], cents: int, choice: str) -> int:
    """Return the price of a bet that goes with a choice, in addition to `wagers`; `cents` if no rule sets it."""
    there = {bet, *wagers, ""}  # a bet of an earlier choice is as much as the first bet, as this one is
    rules = [
        rule for rule in plan.rules if rule.choice in (None, choice) and (not rule.amount or rule.amount.bet in there)
    ]
    return _fit(rules, {**wagers, bet: cents}, [bet])[bet]


def _clash(rule: BetRule, bet: str, chosen: Iterable[str]) -> bool:
    if rule.kind != "excludes" or bet not in rule.named:
        return False
    return any(other in rule.named and (bet in rule.bets) != (other in rule.bets) for other in chosen)


def _with_what_they_need(rules: Iterable[BetRule], names: list[str]) -> list[str]:
    """Return the bets whose required other bets are made, too."""
    lacking = {
        bet
        for rule in rules
        if rule.kind in ("needs", "needs-one-of", "tip-alone")
        for bet in rule.bets
        if bet in names and (rule.breach(dict.fromkeys(names, 1)) is not None)
    }
    return _with_what_they_need(rules, [name for name in names if name not in lacking]) if lacking else names


def _fit(rules: Iterable[BetRule], wagers: dict[str, int], free: Iterable[str]) -> dict[str, int]:
    """Adjust the amounts of the `free` bets to the rules."""
    for _ in range(_ROUNDS):
        broken = [breach for rule in rules if rule.amount is not None and (breach := rule.breach(wagers))]
        for breach in broken:
            movable = [bet for bet in breach.bets if bet in free]
            if movable:
                wagers[movable[-1]] = max(wagers[movable[-1]] + breach.wanted - breach.cents, 1)
        if not broken:
            break
    return wagers
