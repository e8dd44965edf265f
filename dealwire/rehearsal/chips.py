"""Chips of simulated players in games between players: bought, bet, won, and left."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Final

from dealer_flow.procedure.betting import BEFORE_BUTTON
from dealer_flow.procedure.plan import Plan

STAKE: Final = 20_000
"""Amount of a buy-in in cents."""
POSTS: Final = {"ante": 50, "strike-out": 200, "small-blind": 100, "big-blind": 200, "straddle": 400}
"""Bets before the first card in cents, if the game has them. A scenario may name other amounts."""
STRADDLES_EVERY: Final = 6
"""Average number of hands per straddle. A straddle is optional after the blinds."""


@dataclass(slots=True)
class Chips:
    """Chips of all seats: `behind` are those not in a pot; `bought` is what each has paid so far."""

    behind: dict[int, int] = field(default_factory=dict)
    bought: dict[int, int] = field(default_factory=dict)

    def buy_in(self, seat: int, cents: int, least: int = 1) -> None:
        """Buy chips for `cents` until the seat has at least `least`."""
        while self.behind.get(seat, 0) < least:
            self.behind[seat] = self.behind.get(seat, 0) + cents
            self.bought[seat] = self.bought.get(seat, 0) + cents

    def put_up(self, seat: int, cents: int) -> int:
        """Bet chips, at most those that are left. Return the amount."""
        cents = min(cents, self.behind[seat])
        self.behind[seat] -= cents
        return cents

    def win(self, seat: int, cents: int) -> None:
        """Receive chips from a pot."""
        self.behind[seat] += cents


def in_turn(seats: Sequence[int], button: int) -> list[int]:
    """Return the seats clockwise from the left of the button, or of the dealer if there is none (0)."""
    order = sorted(seats)
    return [seat for seat in order if seat > button] + [seat for seat in order if seat <= button]


def due_of(
    plan: Plan, seats: Sequence[int], button: int, random: Random, house: Mapping[str, int]
) -> dict[str, list[int]]:
    """Return the seats that make each bet before the deal, in the order of the bets: antes of all, then each blind.
    `house` is cents by bet."""
    blinds = plan.betting.blinds if plan.betting is not None else ()
    around, due = in_turn(seats, button), dict[str, list[int]]()
    offered = [bet.name for bet in plan.bets.values() if bet.placed == "before-deal" and bet.name in house]
    owe = _blinds_owed(plan, around, button, sum(name in blinds for name in offered))
    for name in sorted(offered, key=lambda name: (name in blinds, offered.index(name))):
        place = sum(each in due for each in blinds)
        if name not in blinds:
            due[name] = [*around]
        elif place < len(owe) and (name != blinds[-1] or place < 2 or random.randrange(STRADDLES_EVERY) == 0):
            due[name] = [owe[place]]
    return due


def _blinds_owed(plan: Plan, around: Sequence[int], button: int, blinds: int) -> Sequence[int]:
    """Return the seats that put up the blinds, in order: those after the button, or the last ones before it."""
    at = plan.betting.blinds_at if plan.betting is not None else None
    if at is None or plan.options[at.option] != BEFORE_BUTTON:
        return around
    backwards = [*(seat for seat in reversed(around) if seat != button), *(seat for seat in around if seat == button)]
    return backwards[:blinds][::-1]


def least_of(plan: Plan, due: Mapping[str, Sequence[int]], seat: int, house: Mapping[str, int]) -> int:
    """Return the minimum chips with which a seat can play this hand: one, or all of its early bets if the game's rules
    compare these bets."""
    own = [name for name, seats in due.items() if seat in seats]
    amounts = [rule for rule in plan.rules if rule.amount is not None and rule.amount.bet in own]
    compared = any(not rule.named.isdisjoint(own) for rule in amounts)
    return sum(house[name] for name in own) if compared else 1
