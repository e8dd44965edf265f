"""A report that is out of order, as facts: which condition did not hold, and what follows."""

from typing import NamedTuple

import devices.events as e
from dealer_flow.procedure.plan import Plan
from dealer_flow.table.round import Round
from protocol.places import NOWHERE, Place


class Violation(NamedTuple):
    """Why a report is out of order. `reason` is the guard that did not hold. `harmful`: the round becomes unreliable.
    `taken`: the report is taken into account all the same."""

    reason: str
    harmful: bool
    taken: bool
    code: str = "out-of-turn"
    place: Place = NOWHERE


def clause_of(found: Violation, plan: Plan) -> str:
    """The clause that is broken."""
    if found.code in ("reveal-before-burn", "wrong-burn") and plan.burns:
        return plan.burns.get(found.place, next(iter(plan.burns.values()))).clause
    if found.code == "misdeal-refused":
        return plan.procedure.misdeal.clause
    if found.code == "unknown-seat":
        return plan.procedure.seats.clause
    if plan.shoe is not None:
        if found.code == "draw-before-close":
            return plan.shoe.part.bets_closed
        if found.code in ("draw-before-named", "naming-refused"):
            return plan.shoe.part.unread.clause
    return plan.clause


def facts_of(round_: Round, body: e.Body) -> dict[str, object]:
    """What a report says, in the fields of an incident: whose, which, how many."""
    plan = round_.plan
    found: dict[str, object] = {"report": type(body).__name__}
    for name in ("seat", "cents", "positions", "spread", "counted"):
        if hasattr(body, name):
            found[name] = getattr(body, name)
    if isinstance(body, e.WagerPlaced):
        found["bet"] = plan.bets[body.bet].name if body.bet in plan.bets else str(body.bet)
    elif isinstance(body, e.DecisionMade):
        found["choice"] = plan.decisions[body.decision].name if body.decision in plan.decisions else str(body.decision)
    elif isinstance(body, e.PacketDispensed | e.PacketLifted):
        found["number"] = body.ordinal
    elif isinstance(body, e.GameStarted):
        found["number"] = body.round
    elif isinstance(body, e.HandRevealed):
        found["counted"] = len(body.cards)
    elif isinstance(body, e.CardDrawn) and plan.shoe is not None:  # in a game of steps it lies covered
        found["cards"] = (body.card,)
    return found


def words_of(found: Violation, round_: Round, body: e.Body) -> str:
    """For a person."""
    facts = facts_of(round_, body)
    what = " ".join(f"{name} {value}" for name, value in facts.items() if name != "report")
    return f"{facts['report']} {what}: not {found.reason.replace('_', ' ')}"
