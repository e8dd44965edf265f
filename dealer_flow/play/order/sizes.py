"""Sizes of bets and raises as a house has posted them, at a moment of the betting."""

from dealer_flow.procedure.posted import BettingSpot, Bounds, OutOfBounds, PostedBets
from dealer_flow.table.betting import Betting
from dealer_flow.table.round import Round
from devices.events import BettingAction


def bounds_of(round_: Round, betting: Betting, seat: int) -> Bounds | None:
    """Return the amounts that a seat may bet, or raise to; None if the house has posted none."""
    posted = round_.plan.posted
    if posted is None or not betting.step:
        return None
    return posted.bounds(_spot(round_, betting, seat))


def outside(round_: Round, betting: Betting, seat: int, action: BettingAction, cents: int) -> OutOfBounds | None:
    """Return the check of posted sizes that an action fails which leaves `cents` in front of a seat; None if it is as
    posted, is no bet or raise, or nothing is posted."""
    posted = round_.plan.posted
    if posted is None or not betting.step or cents <= betting.high:
        return None
    all_in = action is BettingAction.ALL_IN or betting.most(seat) == cents
    if action is BettingAction.BRING_IN:
        return _bring_in(posted, cents, all_in=all_in)
    return posted.outside(cents, _spot(round_, betting, seat), all_in=all_in)


def _bring_in(posted: PostedBets, cents: int, *, all_in: bool) -> OutOfBounds | None:
    due = posted.bring_in
    fits = not due or cents == due or (all_in and cents < due)
    return None if fits else OutOfBounds("house_size", due)


def _spot(round_: Round, betting: Betting, seat: int) -> BettingSpot:
    plan, now = round_.plan, round_.betting
    wagers = (each for bets in round_.wagers.values() for each in bets.items())
    pot = sum(cents for name, cents in wagers if name in plan.in_pot)
    if betting is not now:  # a correction: what was put in since is not in the pot yet
        pot += sum(betting.put.values()) - sum(now.put.values())
    bet = plan.law.bet_of[betting.step]
    return BettingSpot(bet, betting.high, betting.lies(seat), pot, betting.last_raise(), betting.bring_in)
