"""Facts of a report that is out of order: the check that failed, and the consequence."""

from collections.abc import Callable
from typing import Any, Final, NamedTuple

import devices.events as e
from dealer_flow.play.course.steps import next_to_show, open_now
from dealer_flow.play.course.turns import standing
from dealer_flow.play.machine.guards import CLAUSES
from dealer_flow.play.machine.states import State
from dealer_flow.play.order.actions import effect_of
from dealer_flow.play.order.sizes import outside
from dealer_flow.procedure.betting import BettingPart
from dealer_flow.procedure.plan import Plan
from dealer_flow.procedure.posted import SIZES
from dealer_flow.record.catalogue import names_state
from dealer_flow.record.incidents import Incident, at
from dealer_flow.table.round import Round
from protocol.cards import spell_cards
from protocol.places import NOWHERE, SHOE, Place

_FROM_PART: Final[dict[str, Callable[[BettingPart], str]]] = {
    "acts_in_turn": lambda part: part.order_clause,
    "may_chop": lambda part: part.chop.clause if part.chop is not None else part.clause,
    **dict.fromkeys(
        ("action_to_withdraw", "keeps_word"),
        lambda part: part.out_of_turn.clause if part.out_of_turn is not None else part.order_clause,
    ),
    "time_limit_kept": lambda part: part.time_limit_clause,
    "call_is_whole": lambda part: part.short_call_clause,
    "no_card_ahead": lambda part: part.card_ahead_clause or part.clause,
    "may_check": lambda part: part.bet_or_fold.clause,
    "raises_left": lambda part: part.raises.clause,
    "betting_reopened": lambda part: part.short_all_in.clause if part.short_all_in is not None else part.clause,
    "may_check_raise": lambda part: part.check_and_raise.clause,
    "bet_within_limit": lambda part: part.most_bet.clause if part.most_bet is not None else part.clause,
    "raise_within_limit": lambda part: part.most_raise.clause if part.most_raise is not None else part.clause,
    **dict.fromkeys(("stake_before_hand", "stake_covers", "all_of_it"), lambda part: part.stakes_clause),
    **dict.fromkeys(
        (
            *("bring_in_due", "seat_to_act", "nothing_to_call", "something_to_call", "nothing_bet_yet"),
            *("something_to_raise", "more_than_before"),
        ),
        lambda part: part.clause,
    ),
}
"""Check of an action that failed -> the clause in the `[betting]` table that it enforces."""
_FROM_PLAN: Final[dict[str, Callable[[Plan], str | None]]] = {
    **dict.fromkeys(
        (
            *("wagers_placed", "number_to_come", "hands_lie_there", "number_counts", "place_of_number"),
            *("number_of_place", "number_drawn"),
        ),
        lambda plan: None if plan.procedure.number is None else (plan.assign or plan.procedure.number).clause,
    ),
    **dict.fromkeys(("set_as_written", "hand_to_set", "set_before_house"), CLAUSES["set"]),
    "spot_is_players": lambda plan: next((step.clause for step in plan.steps if step.do == "offer-hand"), plan.clause),
    "misdeal-refused": lambda plan: plan.procedure.misdeal.until_clause or plan.procedure.misdeal.clause,
    "unknown-seat": lambda plan: plan.procedure.seats.clause,
    "draw-before-close": lambda plan: plan.goes_back.clause if plan.goes_back else CLAUSES["closing"](plan),
    **dict.fromkeys(("draw-before-named", "naming-refused"), CLAUSES["unread"]),
}
"""Check that failed, or code of the violation -> the clause that it enforces; None if the procedure has none of its
own."""


class Violation(NamedTuple):
    """Reason why a report is out of order. `reason` is the check that failed. `harmful`: the round becomes unreliable.
    `taken`: the report counts all the same."""

    reason: str
    harmful: bool
    taken: bool
    code: str = "out-of-turn"
    place: Place = NOWHERE


def clause_of(found: Violation, plan: Plan, body: e.Body) -> str:
    """Return the clause that the report breaks."""
    if found.code in ("reveal-before-burn", "wrong-burn") and plan.burns:
        return plan.burns.get(found.place, next(iter(plan.burns.values()))).clause
    if found.reason in SIZES and plan.procedure.posted is not None:
        return plan.procedure.posted.clause
    if plan.betting is not None and found.reason in _FROM_PART:
        return _FROM_PART[found.reason](plan.betting)
    if found.reason in _FROM_PLAN and (clause := _FROM_PLAN[found.reason](plan)) is not None:
        return clause
    if found.code == "wager-held":
        return _held_by(found, plan, body)
    return (found.code in _FROM_PLAN and _FROM_PLAN[found.code](plan)) or plan.clause


def _held_by(found: Violation, plan: Plan, body: e.Body) -> str:
    """Return the clause that closes the bets, if there is one, else the bet's own, which says when it is placed."""
    if found.reason == "bets_open" and plan.shoe is not None:
        return plan.shoe.part.bets_closed
    bet = plan.bets[getattr(body, "bet", 0)]
    if found.reason == "cards_to_come":
        until = next(own.until for own in plan.bets.values() if own.name == bet.plays_as)
        return next(step.clause for step in plan.steps if step.name == until)
    return bet.clause


def incident_of(found: Violation, state: State, round_: Round, body: e.Body, allowed: tuple[str, ...] = ()) -> Incident:
    """Return the incident for a violation: what happened, which check failed, and what would have been in order."""
    return Incident(
        code=found.code,
        clause=clause_of(found, round_.plan, body),
        reason=found.reason,
        place=at(found.place),
        unreliable=found.harmful,
        report=type(body).__name__,
        allowed=allowed,
        state=state.value if names_state(found.reason) else "",
        **_facts(found, round_, body),
    )


def _more(body: e.Body) -> dict[str, Any]:
    """Return the incident fields of a wager on a proposition and of a correction that other reports do not have."""
    if isinstance(body, e.WagerOn):
        return {"number": body.proposition, "how": body.on}
    if not isinstance(body, e.HandCorrected):
        return {}
    return {"badge": body.badge or None, "level": body.level, "words": body.refused}


def _posted_limit(found: Violation, round_: Round, body: e.PlayerActed) -> int | None:
    """Return the amount that the house has posted, for an action of another size."""
    if found.reason not in SIZES:
        return None
    betting = standing(round_, body)
    broken = outside(round_, betting, body.seat, *effect_of(round_, betting, body))
    return broken.allowed if broken is not None else None


def _facts(found: Violation, round_: Round, body: e.Body) -> dict[str, Any]:
    """Return the facts of the report as fields of an incident."""
    plan = round_.plan
    facts: dict[str, Any] = {
        name: getattr(body, name)
        for name in ("seat", "cents", "positions", "spread", "counted", "how")
        if hasattr(body, name)
    }
    if isinstance(body, e.WagerPlaced | e.WagerOn):
        facts["bet"] = plan.bets[body.bet].name if body.bet in plan.bets else f"number {body.bet}"
        facts |= _more(body)
    elif isinstance(body, e.PlayerActed):
        wanted = standing(round_, body).high
        facts |= {"how": body.action, "wanted": wanted, "limit": _posted_limit(found, round_, body)}
    elif isinstance(body, e.PotTaken | e.NumberDrawn):
        facts["number"] = body.pot if isinstance(body, e.PotTaken) else body.drawn
    elif isinstance(body, e.DecisionMade):
        known = plan.decisions.get(body.decision)
        facts["choices"] = (known.name if known else f"number {body.decision}",)
    elif isinstance(body, e.HandSet) and (step := plan.sets.get(plan.kind(body.place))) is not None:
        facts |= {"counted": len(body.low), "expected": step.low}
    elif isinstance(body, e.PacketDispensed):
        facts |= {"number": body.ordinal, "expected": len(round_.ledger.lifted) + 1}
    elif isinstance(body, e.PacketLifted | e.GameStarted):
        facts["number"] = body.ordinal if isinstance(body, e.PacketLifted) else body.round
    elif isinstance(body, e.BurnConfirmed) and body.place in plan.burns:
        facts["expected_positions"] = tuple(sorted(plan.burns[body.place].positions))
    elif isinstance(body, e.HandRevealed | e.CardsDiscarded | e.HandCorrected):
        facts |= {"counted": len(body.cards), **_more(body)}
        if round_.draw is not None and body.place == SHOE:
            facts["cards"] = tuple(spell_cards(body.cards))
        if found.reason == "fewer_lie_open":
            facts["limit"] = open_now(round_, body.place)
        elif found.reason == "shown_in_order":
            facts["due"] = next_to_show(round_)
    elif isinstance(body, e.CardDrawn | e.CardUnread):
        if plan.shoe is not None and isinstance(body, e.CardDrawn):  # in a game of steps the card lies face down
            facts["cards"] = (body.card.text,)
        if found.reason == "burned_when_due" and round_.due is not None:
            facts["due"] = round_.due.text
    return facts
