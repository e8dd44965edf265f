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
POSTS_EVERY: Final = 4
"""Average number of hands per player who comes in, in a scenario that names an amount for its post."""


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
    """Return the seats that make each bet before the deal, in the order of the bets: antes of all, each blind, then
    posts of a player who comes in. `house` is cents by bet."""
    part = plan.betting
    blinds = part.blinds if part is not None else ()
    around, due = in_turn(seats, button), dict[str, list[int]]()
    offered = [bet.name for bet in plan.bets.values() if bet.placed == "before-deal" and bet.name in house]
    posts = [name for name in offered if part is not None and name not in (*blinds, *part.everybody)]
    owing = _owing(plan, around, button)
    for name in sorted(set(offered) - set(posts), key=lambda name: (name in blinds, offered.index(name))):
        place = sum(each in due for each in blinds)
        if name not in blinds:
            due[name] = [*around]
        elif place < len(owing) and (name != blinds[-1] or place < 2 or random.randrange(STRADDLES_EVERY) == 0):
            due[name] = [owing[place]]
    new = [seat for seat in around if posts and all([seat] != due.get(name) for name in blinds)]
    if new and random.randrange(POSTS_EVERY) == 0:
        comes = random.choice(new)
        due |= {name: [comes] for name in posts}
    return due


def blinds_before_button(plan: Plan) -> bool:
    """Return True if the blinds are put up before the button, so that the seat left of it begins."""
    at = plan.betting.blinds_at if plan.betting is not None else None
    return at is not None and plan.options[at.option] == BEFORE_BUTTON


def _owing(plan: Plan, around: Sequence[int], button: int) -> Sequence[int]:
    """Return the seats in the order in which they owe blinds: of two, the button first if the house says so."""
    ref = plan.betting.heads_up_blinds if plan.betting is not None else None
    if blinds_before_button(plan):
        names = plan.betting.blinds if plan.betting is not None else ()
        away = [seat for seat in around if seat != button]
        blinds = sum(bet.name in names for bet in plan.bets.values())
        return (
            [*(seat for seat in around if seat == button and len(away) < blinds), *away[-blinds:]] if blinds else around
        )
    small = ref is not None and plan.options[ref.option] == "button-small"
    return around[::-1] if small and len(around) == 2 and around[-1] == button else around


def least_of(plan: Plan, due: Mapping[str, Sequence[int]], seat: int, house: Mapping[str, int]) -> int:
    """Return the minimum chips with which a seat can play this hand: one, or all of its early bets if the game's rules
    compare these bets."""
    own = [name for name, seats in due.items() if seat in seats]
    amounts = [rule for rule in plan.rules if rule.amount is not None and rule.amount.bet in own]
    compared = any(not rule.named.isdisjoint(own) for rule in amounts)
    return sum(house[name] for name in own) if compared else 1
