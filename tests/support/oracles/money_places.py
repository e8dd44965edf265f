"""The place of each bet of a published round. A bet is in exactly one place. It may be in none only under a clause that
names what goes back and leaves it out, or because a supervisor has it forfeited."""

from __future__ import annotations

from collections.abc import Iterator

from dealer_flow.procedure.plan import Plan
from dealer_flow.procedure.schema import Procedure
from dealer_flow.procedure.steps.decide import DecideStep
from dealer_flow.procedure.tables import Consequence
from dealer_flow.record.result import RoundResult, Seat


def places_of(plan: Plan, result: RoundResult, seat: Seat, bet: str) -> list[str]:
    """Return what the record says of a bet: `returned`, `settled`, `held`, `plays` by its cards, or `stays` by a
    clause."""
    found = [name for name in ("returned", "settled", "held") if bet in getattr(seat, name)]
    if found:
        return found
    if result.outcome == "unreliable":
        return ["held"]  # the whole round is
    in_play = seat.status in ("live", "folded")
    if in_play and (
        result.outcome == "complete" or (result.outcome == "progressive-only" and bet in plan.progressives)
    ):
        return ["plays"]
    if any(act.action == "forfeit" and act.seat == seat.seat for act in result.actions):
        return ["stays"]
    own = plan.tips.get(bet, bet)
    return ["stays"] if any(own not in back for back in _named(plan, result)) else []


def check_places(plan: Plan, result: RoundResult) -> None:
    """Check that every bet of every seat is in one place, and that a bet that goes back goes back whole."""
    for seat in result.seats:
        assert seat.returned.items() <= seat.wagers.items(), f"seat {seat.seat} gets back what it did not bet"
        assert set(seat.settled) <= seat.wagers.keys()
        for bet in {**seat.wagers, **dict.fromkeys(seat.held, 0)}:
            found = places_of(plan, result, seat, bet)
            assert len(found) == 1, (
                f"{bet} of seat {seat.seat} ({seat.status}, {result.outcome}) is in {found or 'no place'}"
            )


def _named(plan: Plan, result: RoundResult) -> Iterator[tuple[str, ...]]:
    """Yield the bets that the clauses of this round's incidents give back, for the clauses that name them."""
    clauses = {incident.clause for incident in result.incidents}
    for row in _rows(plan.procedure):
        if row.clause in clauses and (back := plan.policy(row).returns) is not None:
            yield back
    if plan.betting is not None and plan.betting.bypassed_clause in clauses:
        yield ()  # a hand that is forfeited leaves its chips
    if plan.procedure.misdeal.clause in clauses and plan.procedure.misdeal.returns is not None:
        yield plan.procedure.misdeal.returns


def _rows(procedure: Procedure) -> Iterator[Consequence]:
    face, fouled, care = procedure.face, procedure.fouled, procedure.care
    rows = [*procedure.wrong, face.duplicate, face.foreign, face.joker, face.boxed, face.by_player]
    rows += [procedure.foul_set, care.deck, care.burned]
    rows += [step.late for step in procedure.step if isinstance(step, DecideStep)]
    rows += [fouled, fouled.player, fouled.others, fouled.reconstructed] if fouled is not None else []
    yield from (row for row in rows if row is not None)
