"""Handlers of START and END GAME, CONFIRM and a misdeal; `HANDLERS` has every report of the controller."""

# ruff: noqa: ARG001 - every handler has the signature of the table at the end

from functools import partial
from typing import Final

import devices.events as e
from dealer_flow.play.course.by_hand import confirm
from dealer_flow.play.course.retrieved import retrieve
from dealer_flow.play.machine.guards import clause_about
from dealer_flow.play.reports.bets import HANDLERS_OF_BETS, enter
from dealer_flow.play.reports.chips import (
    HANDLERS_OF_CHIPS,
    forfeit,
    judge_antes,
    judge_blinds,
    judge_posted,
    judge_stakes,
)
from dealer_flow.play.reports.hands import HANDLERS_OF_HANDS
from dealer_flow.play.reports.shoe import Handler
from dealer_flow.play.verdicts import dealing
from dealer_flow.play.verdicts.contradictions import badge_refused
from dealer_flow.play.verdicts.verdicts import judge_button, judge_rest, judge_spares, judge_splits, judge_sum
from dealer_flow.play.verdicts.wagers import judge_end, judge_start
from dealer_flow.record.incidents import Incident, at
from dealer_flow.table.round import Round
from devices.events import Seen


def _start(round_: Round, seen: Seen, body: e.GameStarted) -> None:
    plan = round_.plan
    round_.in_play, round_.number = True, body.round
    enter(round_)
    dealing.begin(round_, seen)
    for device in sorted(round_.restarted):
        lost = Incident(code="power-lost", clause="procedure", reason="not-cleared", device=device, unreliable=True)
        round_.report(lost, seen)
    if not round_.active:
        entering = next((bet.name for bet in plan.bets.values() if bet.enters), None)
        bet = entering if len(plan.entering) == 1 else None
        round_.report(Incident(code="no-entering-bet", clause=plan.entry_clause, bet=bet, unreliable=True), seen)
    judge_start(round_, seen)
    judge_button(round_, seen)
    if plan.betting is not None:
        judge_stakes(round_, seen)
        judge_antes(round_, seen)
        judge_blinds(round_, seen)
    if plan.posted_game is not None:
        judge_posted(round_, seen, plan.posted_game)
    for number in sorted(round_.sensors.intersection(round_.active)) if round_.sensors else ():
        if plan.progressive not in round_.wagers[number]:
            unknown = Incident(code="bet-amount-unknown", clause=clause_about("progressive", plan), seat=number)
            round_.report(unknown, seen)


def end(round_: Round, seen: Seen, body: e.GameEnded) -> None:
    """Handle END GAME: judge what was left open."""
    round_.ledger.close()
    if body.round != round_.number:
        differs = Incident(
            code="round-number-differs",
            clause=round_.plan.clause,
            number=body.round,
            expected=round_.number,
            unreliable=True,
        )
        round_.report(differs, seen)
    if round_.ledger.conserved is False:
        judge_sum(round_, seen)
        round_.returns.add(round_.outcome, 0, round_.plan.deck_policy.returns)
    if round_.plan.exact_rest is not None:
        judge_rest(round_, seen, final=True)
    judge_spares(round_, seen)
    outcome = round_.outcome
    if outcome == "complete" and round_.splits:
        judge_splits(round_, seen)
        outcome = round_.outcome
    if outcome != "unreliable":
        judge_end(round_, seen, outcome)
    if outcome == "defective-deck":
        round_.decks.find_defective(round_.ledger.deck)


def _confirmed(round_: Round, seen: Seen, body: e.Confirmed) -> None:
    """Handle CONFIRM: a supervisor lets play continue, or else cards were dealt by hand."""
    if round_.rulings:
        ruling = round_.rulings.pop(0)
        forfeit(round_, ruling)
        retrieve(round_, ruling)
        goes_on = Incident(code="ruled-on", clause=ruling.clause, place=at(ruling.place), cause=ruling.why)
        round_.report(goes_on, seen)
        round_.called = None
    elif round_.by_hand:
        confirm(round_)


def _misdeal(round_: Round, seen: Seen, body: e.MisdealCalled) -> None:
    misdeal = round_.plan.procedure.misdeal
    if body.refused:  # a call needs no badge, so that it counts as one without
        badge_refused(round_, seen, body.badge, body.refused)
    badge = None if body.refused else body.badge or None
    call = partial(Incident, code="misdeal-called", badge=badge, fault=body.fault or None)
    round_.called = None
    if round_.rulings:
        ruling = round_.rulings[0]
        round_.report(call(clause=ruling.clause, reason="ruled", cause=ruling.why), seen)
        clauses = [ruling.returns, misdeal.returns]
        round_.returns.add("misdeal", 0, next((bets for bets in clauses if bets is not None), None))
        round_.rulings.clear()
        round_.misdeal = True
        return
    round_.report(call(clause=misdeal.clause, reason="called"), seen)
    # After a wrong packet of the house the call only confirms the clause: the progressive may still be played.
    if not round_.house_wrong:
        round_.misdeal = True
        round_.returns.add("misdeal", 0, misdeal.returns)


HANDLERS: Final[dict[type[e.Body], Handler]] = {
    e.GameStarted: _start,
    e.Confirmed: _confirmed,
    e.MisdealCalled: _misdeal,
    **HANDLERS_OF_BETS,
    **HANDLERS_OF_CHIPS,
    **HANDLERS_OF_HANDS,
}
