"""Chips before a hand in which players bet against each other, and the chips that each action adds."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Final

from dealer_flow.play.seen.legal import Legal
from dealer_flow.procedure.plan import Plan
from dealer_flow.table.round import Round
from devices import events as e
from devices.events import BettingAction

ACTIONS: Final = {
    "check": BettingAction.CHECK,
    "bring": BettingAction.BRING_IN,
    "bring-in": BettingAction.BRING_IN,
    "bet": BettingAction.BET,
    "call": BettingAction.CALL,
    "raise": BettingAction.RAISE,
    "all-in": BettingAction.ALL_IN,
    "fold": BettingAction.FOLD,
    "muck": BettingAction.FOLD,
    "leave": BettingAction.FOLD,
    "chop": BettingAction.CHOP,
    "take": BettingAction.WITHDRAW,
    "sit": BettingAction.SIT_OUT,
}
"""The first word of what `legal()` lists -> the action."""
STAKE: Final = 2_000
SMALL: Final = 100
MORE: Final = 200


def posted(plan: Plan, seats: tuple[int, ...], button: int) -> Iterator[e.WagerPlaced]:
    """Yield the wagers before the first card: the small and the big blind at the left of the button, and what everybody
    puts up."""
    blinds = plan.betting.blinds if plan.betting is not None else ()
    around = [*(seat for seat in seats if seat > button), *(seat for seat in seats if seat <= button)]
    early = [bet for bet in plan.bets.values() if bet.placed == "before-deal"]
    for place, bet in enumerate(bet for bet in early if bet.name in blinds[:2]):
        yield e.WagerPlaced(around[place % len(around)], bet.number, SMALL << place)
    for bet in early:
        if bet.name not in blinds and (plan.betting is None or bet.name in plan.betting.everybody):
            yield from (e.WagerPlaced(seat, bet.number, MORE) for seat in seats)


def table_set(plan: Plan, stakes: dict[int, int], button: int) -> Iterator[e.Body]:
    """Yield the reports that set the table: stakes, the button, antes and blinds."""
    yield from (e.StakeShown(seat, cents) for seat, cents in stakes.items())
    if plan.selects_first:
        yield e.SpotSelected(button)
    yield from posted(plan, tuple(stakes), button)


def action_of(item: Legal) -> BettingAction:
    """Return the listed action."""
    return ACTIONS[item.what.split()[0]]


def acting_seat(item: Legal) -> int:
    """Return the number of the seat that is to act."""
    return int(item.place.removeprefix("seat "))


NO_LIMIT: Final = 100_000
"""Largest bet or raise here, where neither the text nor the stake limits it."""


def most_of(now: Round, seat: int) -> int:
    """Return the most that may be before a seat after a bet or raise."""
    part, betting, most = now.plan.betting, now.betting, now.betting.most(seat)
    assert part is not None
    limit = part.most_raise if betting.high else part.most_bet
    bounds = [each for each in (most, betting.high + limit.cents if limit is not None else None) if each is not None]
    return min(bounds, default=betting.high + NO_LIMIT)


def acted(now: Round, item: Legal, random: Random | None = None) -> e.PlayerActed:
    """Return a report of the listed action with a legal amount: drawn at random, or else a fixed step above what is
    there."""
    seat, action, cents = acting_seat(item), action_of(item), item.value
    free = not item.what.endswith("as it did out of turn")
    if action in (BettingAction.BET, BettingAction.RAISE, BettingAction.BRING_IN) and cents and free:
        most = max(most_of(now, seat), cents)
        cents = min(now.betting.high + MORE, most) if random is None else random.randint(cents, most)
    return e.PlayerActed(seat, action, cents)
