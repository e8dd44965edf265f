"""A hand dealt to a position where nobody plays, which becomes one that players may take."""

from collections.abc import Iterator

from dealer_flow.play.verdicts import judge_count
from dealer_flow.procedure.steps import AppointStep, DecideStep
from dealer_flow.table.round import Round
from devices.events import Seen
from protocol.places import Place, seat

LAST_UNPLAYED = "last-unplayed"


def appoint(round_: Round, seen: Seen) -> None:
    """In a step that appoints a hand the cards of a position are that hand's from now on; their count is judged as the
    hand's."""
    step = round_.step
    place = _position(round_, round_.plan.options[step.from_]) if isinstance(step, AppointStep) else None
    if not isinstance(step, AppointStep) or place is None:
        return
    to = round_.plan.place(step.to)
    round_.ledger.move(place, to)
    judge_count(round_, to, seen)


def _position(round_: Round, value: str) -> Place | None:
    unplayed = list(_unplayed(round_))
    if value == LAST_UNPLAYED:
        return unplayed[-1] if unplayed else None
    place = seat(int(value.removeprefix("seat-")))
    return place if place in unplayed else None


def _unplayed(round_: Round) -> Iterator[Place]:
    """Positions with cards where nobody plays, in the order they were dealt to."""
    for due in round_.dues[: round_.given]:
        if due.place.seat and due.place.seat not in round_.active and due.place in round_.ledger.hands:
            yield due.place


def seen_before(round_: Round, bet: str) -> str:
    """The hand that a bet is about, if it was shown already; empty when it was not."""
    offers = (step for step in round_.plan.steps if isinstance(step, DecideStep) and step.about is not None)
    for step in offers:
        of_bet = any(bet in round_.plan.choices[name].stakes for name in step.choices)
        if step.about is not None and of_bet and round_.plan.place(step.about) in round_.open:
            return step.about
    return ""
