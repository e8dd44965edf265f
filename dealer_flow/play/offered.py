"""A hand dealt to a position where nobody plays, which becomes one that players may take."""

from collections.abc import Iterator

from dealer_flow.play.verdicts import judge_count
from dealer_flow.procedure.schema import AppointStep, DecideStep
from dealer_flow.table.round import Round
from devices.events import Seen
from protocol.places import Place, seat

LAST_UNPLAYED = "last-unplayed"


def appoint(now: Round, seen: Seen) -> None:
    """In a step that appoints a hand the cards of a position are that hand's from now on; their count is judged as the
    hand's."""
    step = now.step
    place = _position(now, now.plan.options[step.from_]) if isinstance(step, AppointStep) else None
    if not isinstance(step, AppointStep) or place is None:
        return
    to = now.plan.place(step.to)
    now.ledger.move(place, to)
    judge_count(now, to, seen)


def _position(now: Round, value: str) -> Place | None:
    unplayed = list(_unplayed(now))
    if value == LAST_UNPLAYED:
        return unplayed[-1] if unplayed else None
    place = seat(int(value.removeprefix("seat-")))
    return place if place in unplayed else None


def _unplayed(now: Round) -> Iterator[Place]:
    """Positions with cards where nobody plays, in the order they were dealt to."""
    for due in now.dues[: now.given]:
        if due.place.seat and due.place.seat not in now.active and due.place in now.ledger.hands:
            yield due.place


def seen_before(now: Round, bet: str) -> str:
    """The hand that a bet is about, if it was shown already; empty when it was not."""
    offers = (step for step in now.plan.steps if isinstance(step, DecideStep) and step.about is not None)
    for step in offers:
        of_bet = any(bet in now.plan.choices[name].stakes for name in step.choices)
        if step.about is not None and of_bet and now.plan.place(step.about) in now.open:
            return step.about
    return ""
