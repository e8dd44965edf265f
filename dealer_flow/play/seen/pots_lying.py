"""Pots as they are cut in the play, for an observer at the table and for the record of the round."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from dealer_flow.procedure.plan import Plan
from dealer_flow.record.details import CutPot
from dealer_flow.record.result import Outcome, Seat
from dealer_flow.table.pots import GivenUp, Layer, Pot, Uncalled, cut, filled, goes_back, on_record, with_dead
from dealer_flow.table.round import Round


class Lying(NamedTuple):
    """The pots, with the seats that are in each, and the uncalled bet, which is in none."""

    pots: list[Pot]
    over: Uncalled | None
    given_up: GivenUp


def in_pot(plan: Plan, bets: Mapping[str, int]) -> int:
    """Return the cents of these bets that others have to match: all but those that are kept apart, and dead money."""
    part = plan.betting
    beside = [bets.get(name, 0) for name in (*part.apart, *part.dead)] if part is not None else ()
    return sum(bets.values()) - sum(beside)


def dead_money(plan: Plan, bets: Mapping[str, int]) -> int:
    """Return the cents of these bets that go into the main pot and that nobody has to match."""
    return sum([bets.get(name, 0) for name in plan.betting.dead]) if plan.betting is not None else 0


def lying(round_: Round, put: Mapping[int, int], back: Mapping[int, int], *, called: bool) -> Lying:
    """Return the pots of what seats have put in. `back` goes back to seats and cuts no pot in another way.

    `called`: the bets are called, so that what no one has matched goes back.
    """
    betting = round_.betting
    inside = betting.sealed.union(round_.live)
    given_up = GivenUp.by(betting.actions, [number for number in betting.behind if betting.is_all_in(number)])
    left, over = _without_uncalled(put, inside, given_up, called=called)
    layers = cut(left, inside, given_up)
    if back:
        rest = {seat: cents for seat, whole in put.items() if (cents := whole - back.get(seat, 0)) > 0}
        here = inside - (put.keys() - rest.keys())
        left, over = _without_uncalled(rest, here, given_up, called=called)
        layers = [Layer(level, seats & here) for level, seats in layers]
    return Lying(filled(layers, left), over, given_up)


def _without_uncalled(
    put: Mapping[int, int], inside: frozenset[int], given_up: GivenUp, *, called: bool
) -> tuple[dict[int, int], Uncalled | None]:
    """Return what seats have in the pots, and the uncalled bet."""
    left = dict(put)
    over = goes_back(put, inside, given_up) if called else None
    if over is not None:
        left[over.seat] -= over.cents
    return left, over


def cut_pots(round_: Round, outcome: Outcome, seats: Iterable[Seat]) -> tuple[CutPot, ...]:
    """Return the record of the pots: those of a round that was played out, or whose pots were taken in before its deck
    was found defective."""
    if outcome != "complete" and not (outcome == "defective-deck" and round_.awards):
        return ()
    inside = [seat for seat in seats if seat.status != "out"]
    put = {seat.seat: cents for seat in inside if (cents := in_pot(round_.plan, seat.wagers))}
    back = {seat.seat: in_pot(round_.plan, seat.returned) for seat in inside if seat.returned}
    found = lying(round_, put, back, called=True).pots
    if round_.plan.betting is not None and round_.plan.betting.dead:
        dead = {seat.seat: cents for seat in inside if (cents := _left_dead(round_.plan, seat))}
        found = with_dead(found, dead, round_.live) if dead else found
    return on_record(found)


def _left_dead(plan: Plan, seat: Seat) -> int:
    return dead_money(plan, seat.wagers) - dead_money(plan, seat.returned)
