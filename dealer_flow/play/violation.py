"""A report that is out of order."""

from typing import NamedTuple

from dealer_flow.procedure.plan import Plan
from protocol.places import NOWHERE, Place


class Violation(NamedTuple):
    """Why a report is out of order. `harmful`: the round becomes unreliable. `take`: it is taken into account.

    `clause` is the clause that forbids it; None leaves it to what the procedure says of the code.
    """

    why: str
    harmful: bool
    take: bool
    code: str = "out-of-turn"
    place: Place | None = None
    clause: str | None = None


def refuse(why: str, code: str = "out-of-turn") -> Violation:
    """Harmful, and not taken into account."""
    return Violation(why, harmful=True, take=False, code=code)


def clause_of(found: Violation, plan: Plan) -> str:
    """The clause that is broken."""
    if found.code in ("reveal-before-burn", "wrong-burn") and plan.burns:
        return plan.burns.get(found.place or NOWHERE, next(iter(plan.burns.values()))).clause
    if found.code == "misdeal-refused":
        return plan.procedure.misdeal.clause
    if found.code == "unknown-seat":
        return plan.procedure.seats.clause
    return found.clause or plan.clause
