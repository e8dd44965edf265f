"""The cards that a bet is settled by: those of the end, or those that lay there when an earlier step was over."""

from msgspec.structs import replace

from dealer_flow.record.result import RoundResult, Seat
from protocol.places import Place
from protocol.places import seat as place_of
from rules.game import Bet


def at_stage(result: RoundResult, seat: Seat, bet: Bet) -> Seat:
    """The seat as its hand was when this bet was settled; one hand at all times where the game names no step."""
    place = place_of(seat.seat)
    if "own" not in bet.stage:
        return seat
    cards = lay_there(result, place, bet, seat.cards)
    return replace(seat, cards=cards, counted=len(cards) or None)


def lay_there(result: RoundResult, place: Place, bet: Bet, end: tuple[str, ...]) -> tuple[str, ...]:
    """The cards at a place by which this bet is settled. None where the game names a step of which the round knows
    nothing: what lies there in the `end` may be other cards."""
    whose = "own" if place.seat else place.text
    step = next((step for of, step in bet.stage.items() if of == whose), None)
    if step is None:
        return end
    return next((each.cards for each in result.stages if (each.step, each.place) == (step, place.text)), ())
