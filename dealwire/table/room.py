"""Space that a table needs on the page: the cards its procedure puts at each place when nothing goes wrong."""

from dealer_flow.procedure.plan import Plan
from dealer_flow.procedure.steps.burn_card import BurnCardStep
from dealwire.hub.view import RoomView


def room_of(plan: Plan) -> RoomView:
    """Return the most cards of a seat, of each other place and of a column, and the most bets of a seat."""
    shoe = plan.shoe
    return RoomView(
        seat=plan.sizes.get("seats", 0),
        column=(shoe.column_end or 0) if shoe is not None else 0,
        burned=sum(step.cards for step in plan.steps if isinstance(step, BurnCardStep)),
        places={place: cards for place, cards in plan.sizes.items() if place != "seats"},
        bets=sum(bet.tip_for is None for bet in plan.bets.values()),
    )
