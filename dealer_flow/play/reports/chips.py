"""Handlers of reports on chips: a stake shown, an action in a betting round, a pot taken in."""

# ruff: noqa: ARG001 - every handler has the signature of the table at the end

from collections.abc import Callable, Iterable, Mapping
from typing import Final

import devices.events as e
from dealer_flow.play.course.retrieved import leave_mucked
from dealer_flow.play.course.turns import (
    all_in_without,
    corrects,
    declares,
    in_turn,
    posted_blinds,
    put_in,
    reopen,
    reopens,
    stands,
    stay_in,
    undoes,
)
from dealer_flow.play.order.actions import effect_of, may_correct_stake
from dealer_flow.play.reports.shoe import Handler
from dealer_flow.play.reports.taken_back import act_again, go_back, report_taken_back, withdraw
from dealer_flow.play.verdicts.wagers import hold
from dealer_flow.procedure.posted import PostedGame
from dealer_flow.procedure.steps.bet import BetStep
from dealer_flow.record.details import ActionRecord, TakenPot
from dealer_flow.record.incidents import Incident, at
from dealer_flow.table.betting import Betting
from dealer_flow.table.round import Round, Ruling
from devices.events import BettingAction, Manner, Seen
from protocol.places import seat

_KNOWN: Final = frozenset(BettingAction)
_PASSED_BY: Final = "hand-passed-by"


def _stake(round_: Round, seen: Seen, body: e.StakeShown) -> None:
    if not round_.plan.shows_stakes or not 1 <= body.seat <= round_.plan.most_seats:
        return
    if round_.in_play and not may_correct_stake(round_, body):
        return
    betting = round_.betting
    betting.sitting_out.discard(body.seat)
    if body.cents:
        betting.stakes[body.seat] = body.cents
        betting.left.discard(body.seat)
    else:
        betting.stakes.pop(body.seat, None)
        betting.left.add(body.seat)
    if body.seat in betting.too_much and sum(round_.wagers[body.seat].values()) <= body.cents:
        for bet in betting.too_much.pop(body.seat):
            round_.held[body.seat].pop(bet, None)
    round_.bettors.add(seen.device)


def _acted(round_: Round, seen: Seen, body: e.PlayerActed) -> None:
    part, step = round_.plan.betting, round_.step
    if part is None or body.seat not in round_.active or body.action not in _KNOWN:
        return
    if body.action in _RULED:
        _RULED[body.action](round_, seen, body)
        return
    round_.betting.chopped.clear()
    if body.manner == Manner.CORRECTED and reopens(round_, body):
        reopen(round_)
    elif not isinstance(step, BetStep):  # hands are being shown, and this one is mucked
        if body.action == BettingAction.FOLD:
            round_.betting.muck(body.seat, step.name if step is not None else "")
            leave_mucked(round_, body.seat)
        return
    undone = go_back(round_, body)
    betting = round_.betting
    high = betting.high
    action, cents = effect_of(round_, betting, body)
    if not betting.turns and body.seat in betting.waiting(round_.live):
        around = in_turn(round_)
        place = around.index(body.seat)
        betting.turns = (*around[place:], *around[:place])
    if declares(round_, body):
        betting.declare(body.seat, body.manner)
    else:
        betting.act(body.seat, action, _payable(betting, body.seat, cents), body.manner, round_.live)
    act_again(round_, undone.kept)
    betting.stood = stands(round_)
    put_in(round_, body.seat)
    _report_corrected(round_, seen, body, action, high)
    if betting.takes_back:
        report_taken_back(round_, seen, () if undoes(body) else undone.actions)
    round_.rulings = [ruling for ruling in round_.rulings if not _is_about(ruling, body.seat)]
    _judge_passed(round_, seen)


def _reported(round_: Round, seen: Seen, body: e.PlayerActed) -> None:
    """Take an action, or leave a seat out of the next hand: its stake stays known, and its bets go back."""
    if body.action != BettingAction.SIT_OUT:
        _acted(round_, seen, body)
    elif round_.plan.betting is not None and not round_.in_play and 1 <= body.seat <= round_.plan.most_seats:
        round_.betting.sitting_out.add(body.seat)
        round_.wagers.pop(body.seat, None)


def _withdrawn(round_: Round, seen: Seen, body: e.PlayerActed) -> None:
    """Take a ruling that the last action of a seat is taken back, with a ruling on a seat that it had passed by."""
    if corrects(round_, body) and reopens(round_, body):
        reopen(round_)
    elif not isinstance(round_.step, BetStep):
        return
    round_.betting.chopped.clear()
    withdraw(round_, seen, body)
    round_.betting.stood = stands(round_)
    late = round_.betting.too_late()
    round_.rulings = [ruling for ruling in round_.rulings if ruling.why.code != _PASSED_BY or ruling.place.seat in late]


def _forfeit(round_: Round, seen: Seen, body: e.PlayerActed) -> None:
    """Take a supervisor's ruling that a player bet on a hand it knew to be fouled: the hand is dead, and nothing goes
    back."""
    betting, step, number = round_.betting, round_.step, body.seat
    stay_in(round_, number)
    betting.forfeited.add(number)
    round_.dead.add(number)
    round_.returns.add("dead-hand", number, ())
    at_step = step.name if step is not None else ""
    lies = betting.lies(number)
    betting.actions.append(ActionRecord(step=at_step, seat=number, action=BettingAction.FORFEIT.value, cents=lies))


def _chop(round_: Round, seen: Seen, body: e.PlayerActed) -> None:
    """Take the wish of a seat in the blinds to end the hand; once both wish it, each takes its blind back."""
    betting, step, number = round_.betting, round_.step, body.seat
    part = round_.plan.betting
    if not isinstance(step, BetStep) or part is None or part.chop is None:
        return
    betting.chopped.add(number)
    lies = betting.lies(number)
    betting.actions.append(ActionRecord(step=step.name, seat=number, action=BettingAction.CHOP.value, cents=lies))
    for each in sorted(betting.chopped) if len(betting.chopped) > 1 else ():
        round_.report(Incident(code="blinds-chopped", clause=part.chop.clause, seat=each), seen)


_RULED: Final[Mapping[str, Callable[[Round, Seen, e.PlayerActed], None]]] = {
    BettingAction.FORFEIT: _forfeit,
    BettingAction.CHOP: _chop,
    BettingAction.WITHDRAW: _withdrawn,
}
"""Actions that are no turn of the player."""


def _payable(betting: Betting, number: int, cents: int) -> int:
    """Limit an amount to what the seat can have in front of it, for in loose states no rule has checked it."""
    lies, most = betting.lies(number), betting.most(number)
    return max(cents if most is None else min(cents, most), lies)


def _report_corrected(round_: Round, seen: Seen, body: e.PlayerActed, action: BettingAction, high: int) -> None:
    """Report an incident for an action that the dealer had to correct."""
    part = round_.plan.betting
    assert part is not None
    if body.manner == Manner.STRING_BET and action is BettingAction.CALL:
        found = Incident(
            code="string-bet", clause=part.string_bet_clause, seat=body.seat, cents=body.cents, wanted=high
        )
    elif action is BettingAction.CALL and body.cents > high and body.cents > round_.betting.high:
        found = Incident(
            code="apparent-call", clause=part.apparent_call_clause, seat=body.seat, cents=body.cents, wanted=high
        )
    elif body.manner == Manner.TIME_LIMIT:
        reason = "dead" if action is BettingAction.FOLD else "checks"
        found = Incident(code="time-limit", clause=part.time_limit_clause, seat=body.seat, reason=reason)
    else:
        return
    round_.report(found, seen)


def _judge_passed(round_: Round, seen: Seen) -> None:
    """Ask for a ruling on a player who was passed by and did not object before substantial action took place.

    Its hand may be forfeited.
    """
    part = round_.plan.betting
    for number in round_.betting.too_late() if part is not None else ():
        if part is not None and not any(_is_about(ruling, number) for ruling in round_.rulings):
            found = Incident(
                code=_PASSED_BY, clause=part.bypassed_clause, seat=number, place=at(seat(number)), called="supervisor"
            )
            round_.rulings.append(Ruling(round_.report(found, seen), seat(number), part.bypassed_clause, None))


def _is_about(ruling: Ruling, number: int) -> bool:
    return ruling.why.code == _PASSED_BY and ruling.place == seat(number)


def forfeit(round_: Round, ruling: Ruling) -> None:
    """Take a supervisor's ruling that play continues without a player who was passed by: the hand is dead, its chips
    stay."""
    if ruling.why.code == _PASSED_BY and ruling.place.seat:
        round_.dead.add(ruling.place.seat)
        round_.returns.add("dead-hand", ruling.place.seat, ())
        round_.betting.passed.pop(ruling.place.seat, None)


def judge_antes(round_: Round, seen: Seen) -> None:
    """Report, at START GAME, each seat that has not put up a bet due from everyone, unless all it has is in other bets.

    This is recorded only.
    """
    part = round_.plan.betting
    for bet in round_.plan.bets.values() if part is not None else ():
        if part is None or bet.name not in part.everybody:
            continue
        for number in round_.active:
            if bet.name not in round_.wagers.get(number, {}) and not all_in_without(round_, number, (bet.name,)):
                round_.report(Incident(code="ante-missing", clause=bet.clause, seat=number, bet=bet.name), seen)


def judge_blinds(round_: Round, seen: Seen) -> None:
    """Report, at START GAME, blinds that are not at the seats that owe them, one after the other.

    This is recorded only. A player who is all-in with the ante owes none.
    """
    part, posted = round_.plan.betting, posted_blinds(round_)
    round_.betting.posted = round_.first, posted
    if part is None or round_.first is None:
        return
    for name, seats, due, _ in posted:
        for number in seats:
            if number != due:
                found = Incident(
                    code="blind-misplaced", clause=part.blind_position_clause, seat=number, bet=name, number=due
                )
                round_.report(found, seen)


def judge_stakes(round_: Round, seen: Seen) -> None:
    """Hold, at START GAME, bets before the deal that are more than lay before their seat: one of the two was keyed
    wrong, and nobody bets more than that (47.1-1023(1)).

    What fits into the stake, in the order of the bets, is not held.
    """
    part, betting = round_.plan.betting, round_.betting
    for number in round_.active if part is not None else ():
        if number not in betting.stakes and number not in betting.left:
            continue
        bets, left, put = round_.wagers[number], 0, 0
        if number in betting.stakes:
            left = betting.stakes[number]
        for name in bets:
            put += bets[name]
        if part is None or put <= left:
            continue
        over: list[str] = []
        for bet in round_.plan.bets.values():
            cents = bets.get(bet.name, 0)
            if cents > left:
                over.append(bet.name)
                found = Incident(
                    code="wager-held",
                    clause=part.stakes_clause,
                    reason="above-stake",
                    seat=number,
                    bet=bet.name,
                    cents=cents,
                    wanted=left,
                )
                round_.report(found, seen)
            left = max(left - cents, 0)
        hold(round_, number, over, part.stakes_clause)
        betting.too_much[number] = tuple(over)


def judge_posted(round_: Round, seen: Seen, game: PostedGame) -> None:
    """Report, at START GAME, bets of another amount than the house has posted: antes and blinds, unless the seat is
    all-in with less; in a game against the house, a bet below the least that enters a seat. This is recorded only."""
    for number in round_.active:
        wagers = round_.wagers.get(number, {})
        all_in = sum(wagers.values()) == round_.betting.stakes.get(number)
        for name, wanted in _posted_amounts(round_, game):
            cents = wagers.get(name, wanted)
            if (cents < wanted and not all_in) or (cents > wanted and game.bets is not None):
                found = Incident(
                    code="amount-not-posted", clause=game.clause, seat=number, bet=name, cents=cents, wanted=wanted
                )
                round_.report(found, seen)


def _posted_amounts(round_: Round, game: PostedGame) -> Iterable[tuple[str, int]]:
    """Return the posted amount, or least, of each bet before the deal that has one."""
    if game.bets is not None:
        return game.bets.forced.items()
    return [(bet.name, game.least) for bet in round_.plan.bets.values() if bet.name in round_.plan.entering]


def _taken(round_: Round, seen: Seen, body: e.PotTaken) -> None:
    if round_.plan.betting is None or body.seat not in round_.active or not 1 <= body.pot <= len(round_.active):
        return
    if body.cents:
        round_.awards.append(TakenPot(pot=body.pot, seat=body.seat, cents=body.cents))
    else:
        _claimed(round_, seen, body)


def _claimed(round_: Round, seen: Seen, body: e.PotTaken) -> None:
    """Take back what a seat took of a pot, since another player has claimed it in time."""
    part = round_.plan.betting
    cents = sum(each.cents for each in round_.awards if (each.pot, each.seat) == (body.pot, body.seat))
    if part is None or not cents:
        return
    round_.awards = [each for each in round_.awards if (each.pot, each.seat) != (body.pot, body.seat)]
    clause = part.award_clause or part.clause
    found = Incident(code="award-taken-back", clause=clause, seat=body.seat, number=body.pot, cents=cents)
    round_.report(found, seen)


HANDLERS_OF_CHIPS: Final[dict[type[e.Body], Handler]] = {
    e.StakeShown: _stake,
    e.PlayerActed: _reported,
    e.PotTaken: _taken,
}
"""Handlers of reports on chips."""
