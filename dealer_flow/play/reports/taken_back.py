"""Actions that are undone: corrected, taken back by a ruling, or made before a seat whose turn it was and that acts.

A fold stays: its cards are in the muck (47.1-1032(3)).
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from msgspec.structs import replace

import devices.events as e
from dealer_flow.play.course.turns import corrects, out_of_turn, put_in, standing
from dealer_flow.procedure.betting import BINDS
from dealer_flow.record.details import ActionRecord
from dealer_flow.record.incidents import Incident
from dealer_flow.table.betting import Betting, OutOfTurn
from dealer_flow.table.round import Round
from devices.events import BettingAction, Seen

_STAYS = (BettingAction.FOLD, BettingAction.FORFEIT, BettingAction.CHOP)


class Undone(NamedTuple):
    """Actions that no longer count, and those made after the first of them that do."""

    actions: tuple[ActionRecord, ...] = ()
    kept: tuple[ActionRecord, ...] = ()


def go_back(round_: Round, body: e.PlayerActed) -> Undone:
    """Return the betting to where it stood before this action, and return what that undoes."""
    now, before = round_.betting, standing(round_, body)
    if before is now:
        return Undone()
    since, own = now.actions[len(before.actions) :], corrects(round_, body)
    stays = [place > 0 if own else _counts(before, each) for place, each in enumerate(since)]
    found = Undone(
        tuple(each for each, stay in zip(since, stays, strict=True) if not stay),
        tuple(each for each, stay in zip(since, stays, strict=True) if stay),
    )
    round_.betting = before.copy()
    if not own and out_of_turn(round_) == BINDS:
        round_.betting.apart |= dict(_apart(now, len(before.actions), found.actions))
    for each in found.actions:
        put_in(round_, each.seat)
    return found


def _counts(before: Betting, each: ActionRecord) -> bool:
    """Return True for an action that no turn is needed for."""
    declared = each.action == BettingAction.ALL_IN and each.cents == before.lies(each.seat)
    return each.action in _STAYS or declared


def _apart(now: Betting, start: int, actions: Sequence[ActionRecord]) -> Iterator[tuple[int, OutOfTurn]]:
    """Yield the seats of these actions and what each is bound to."""
    for place, each in enumerate(now.actions[start:], start):
        faced = now.when(place)
        if each in actions and faced is not None:
            yield each.seat, OutOfTurn(BettingAction(each.action), each.cents, faced.high)


def act_again(round_: Round, kept: Sequence[ActionRecord]) -> None:
    """Take the actions again that stay although one before them was undone, each with what lies before its seat now."""
    betting = round_.betting
    for each in kept:
        lies = betting.lies(each.seat)
        if each.action == BettingAction.FOLD:
            betting.act(each.seat, BettingAction.FOLD, lies, each.manner, round_.live)
        elif each.action in _STAYS:
            betting.actions.append(replace(each, cents=lies))
        else:
            betting.declare(each.seat, each.manner)


def report_taken_back(round_: Round, seen: Seen, actions: Sequence[ActionRecord]) -> None:
    """Report actions that were undone because they were out of turn, and release a seat that they bind no longer."""
    betting = round_.betting
    for each in actions:
        _report(round_, seen, each, "apart" if each.seat in betting.apart else "free")
    for number in betting.waiting(round_.live)[:1]:
        bound = betting.apart.get(number)
        if bound is not None and bound.high != betting.high:
            del betting.apart[number]
            record = ActionRecord(step=betting.step, seat=number, action=bound.action.value, cents=bound.cents)
            _report(round_, seen, record, "changed")


def withdraw(round_: Round, seen: Seen, body: e.PlayerActed) -> None:
    """Take a ruling that a seat's last action is taken back, or that what it did out of turn does not bind it."""
    number = body.seat
    if not corrects(round_, body):
        bound = round_.betting.apart.pop(number)
        record = ActionRecord(step=round_.betting.step, seat=number, action=bound.action.value, cents=bound.cents)
        _report(round_, seen, record, "ruled")
        return
    undone = go_back(round_, body)
    act_again(round_, undone.kept)
    for each in undone.actions:
        _report(round_, seen, each, "ruled")


def _report(round_: Round, seen: Seen, each: ActionRecord, reason: str) -> None:
    part = round_.plan.betting
    assert part is not None, "players bet against each other"
    clause = part.out_of_turn.clause if part.out_of_turn is not None else part.order_clause
    found = Incident(
        code="action-taken-back",
        clause=clause,
        reason=reason,
        seat=each.seat,
        how=each.action,
        cents=each.cents,
        wanted=round_.betting.high if reason == "changed" else None,
    )
    round_.report(found, seen)
