"""The chips of simulated players where they bet against each other: what they buy, put up, win, and have left."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Final

from dealer_flow.procedure.plan import Plan

STAKE: Final = 20_000
"""What a player buys chips for, in cents."""
POSTS: Final = {"ante": 50, "strike-out": 200, "small-blind": 100, "big-blind": 200, "straddle": 400}
"""What is put up before the first card, where the game has it; the house names other figures in a scenario."""
STRADDLES_EVERY: Final = 6
"""Of so many hands a player straddles in one, on average: what may be put up after the blinds."""


@dataclass(slots=True)
class Chips:
    """`behind`: chips before each seat that are in no pot; `bought`: what each paid for its chips so far."""

    behind: dict[int, int] = field(default_factory=dict)
    bought: dict[int, int] = field(default_factory=dict)

    def buy_in(self, seat: int, cents: int, least: int = 1) -> None:
        """Who has fewer chips than `least` buys so many more."""
        while self.behind.get(seat, 0) < least:
            self.behind[seat] = self.behind.get(seat, 0) + cents
            self.bought[seat] = self.bought.get(seat, 0) + cents

    def put_up(self, seat: int, cents: int) -> int:
        """Chips go in; how many they are, no more than there are."""
        cents = min(cents, self.behind[seat])
        self.behind[seat] -= cents
        return cents

    def win(self, seat: int, cents: int) -> None:
        """Chips come out of a pot."""
        self.behind[seat] += cents


def in_turn(seats: Sequence[int], button: int) -> list[int]:
    """The seats clockwise from the left of the button, or of the dealer where there is none (0)."""
    order = sorted(seats)
    return [seat for seat in order if seat > button] + [seat for seat in order if seat <= button]


def due_of(
    plan: Plan, seats: Sequence[int], button: int, random: Random, house: Mapping[str, int]
) -> dict[str, list[int]]:
    """Bet -> who puts it up in this hand, in the order it is put up: what everybody does, then each blind. `house`:
    cents by bet."""
    blinds = plan.betting.blinds if plan.betting is not None else ()
    around, due = in_turn(seats, button), dict[str, list[int]]()
    offered = [bet.name for bet in plan.bets.values() if bet.placed == "before-deal" and bet.name in house]
    for name in sorted(offered, key=lambda name: (name in blinds, offered.index(name))):
        place = sum(each in due for each in blinds)
        if name not in blinds:
            due[name] = [*around]
        elif place < len(around) and (name != blinds[-1] or place < 2 or random.randrange(STRADDLES_EVERY) == 0):
            due[name] = [around[place]]
    return due


def least_of(plan: Plan, due: Mapping[str, Sequence[int]], seat: int, house: Mapping[str, int]) -> int:
    """The fewest chips that a seat can play this hand with: one, or all that it puts up where the rules of the game
    compare these bets."""
    own = [name for name, seats in due.items() if seat in seats]
    amounts = [rule for rule in plan.rules if rule.amount is not None and rule.amount.bet in own]
    compared = any(not rule.named.isdisjoint(own) for rule in amounts)
    return sum(house[name] for name in own) if compared else 1
