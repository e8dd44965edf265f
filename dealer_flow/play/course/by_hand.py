"""Cards out of the dealer's hand, which no device sees: they are out once the dealer confirms, or turns them up.

Burned cards go out with the cards that follow them. Whatever is out is counted, so that the deck adds up at the end.
"""

from dealer_flow.play.course.cards_by_step import reached_step
from dealer_flow.play.course.face_up import up_by_hand
from dealer_flow.table.round import Round
from devices.events import HandRevealed
from protocol.places import Place


def confirm(round_: Round) -> None:
    """Count the cards that were due by hand, since they are dealt."""
    for due in round_.by_hand:
        reached_step(round_, due.step)
        round_.ledger.by_hand(due)
    if round_.plan.from_hand:
        round_.dues += round_.by_hand
        round_.given = len(round_.dues)
    round_.by_hand = []


def goes_with_next(round_: Round) -> bool:
    """Return True if cards that are burned go out with those of the next step: one CONFIRM is for both."""
    if not round_.plan.from_hand or round_.doing != "burn-card":
        return False
    return round_.plan.steps[round_.at + 1].deals


def turned_up(round_: Round, body: HandRevealed) -> bool:
    """Return True if these cards can lie there only if those that are due by hand, face up, are dealt."""
    place = body.place
    if not any(due.place == place and up_by_hand(round_, due) for due in round_.by_hand):
        return False
    return len(body.cards) > _out(round_, place)


def _out(round_: Round, place: Place) -> int:
    """Return the number of cards that lie face up at a place."""
    hand = round_.ledger.hands.get(place)
    down = sum(due.cards for due in round_.dues[: round_.given] if due.place == place and not up_by_hand(round_, due))
    return (hand.counted or 0) - down if hand is not None else 0


def shown_early(round_: Round, place: Place, cards: int) -> bool:
    """Return True if cards of the house lie there before their time, and the procedure has a rule for that."""
    kind = round_.plan.kind(place)
    if not round_.plan.from_hand or round_.doing not in ("bet", "decide") or not round_.plan.house(kind):
        return False
    step = round_.ledger.hands[place].step if place in round_.ledger.hands else None
    return cards > _out(round_, place) and round_.plan.wrong(kind, "early", step) is not None
