"""Cards out of the dealer's hand, which no device sees: they are out once the dealer confirms, or turns them up.

Burned cards go out with the cards that follow them. Whatever is out is counted, so that the deck adds up at the end.
"""

from dealer_flow.play.course.cards_by_step import reached_step
from dealer_flow.play.course.face_up import lying_up, up_by_hand
from dealer_flow.table.round import Round
from devices.events import Body, HandRevealed, PlayerActed
from protocol.places import BURN, Place


def confirm(round_: Round) -> None:
    """Count the cards that were due by hand, since they are dealt."""
    for due in round_.by_hand:
        reached_step(round_, due.step)
        round_.ledger.by_hand(due)
    if round_.plan.from_hand:
        round_.dues += round_.by_hand
        round_.given, round_.stub_due = len(round_.dues), False
    round_.by_hand = []


def goes_with_next(round_: Round) -> bool:
    """Return True if cards that are burned go out with those of the next step: one CONFIRM is for both."""
    if not round_.plan.from_hand or round_.doing != "burn-card":
        return False
    return round_.plan.steps[round_.at + 1].deals


def are_out(round_: Round, body: Body) -> bool:
    """Return True if this report is possible only if the cards that are due by hand are dealt.

    Cards that were dealt face up lie there, or a player acts on the cards of the hand.
    """
    if isinstance(body, PlayerActed):
        return all(due.why != "complete" and (due.place.seat or due.place == BURN) for due in round_.by_hand)
    if not isinstance(body, HandRevealed):
        return False
    place = body.place
    if not any(due.place == place and up_by_hand(round_, due) for due in round_.by_hand):
        return False
    return len(body.cards) > lying_up(round_, place)


def shown_early(round_: Round, place: Place, cards: int) -> bool:
    """Return True if cards of the house lie there before their time, and the procedure has a rule for that."""
    kind = round_.plan.kind(place)
    if not round_.plan.from_hand or round_.doing not in ("bet", "decide") or not round_.plan.house(kind):
        return False
    step = round_.ledger.hands[place].step if place in round_.ledger.hands else None
    out = lying_up(round_, place)
    return out == round_.open.get(place, 0) < cards and round_.plan.wrong(kind, "early", step) is not None


def too_many(round_: Round, place: Place, cards: int) -> bool:
    """Return True if more cards are turned up than the step under way deals, and the procedure puts them back."""
    hand = round_.ledger.hands.get(place)
    if hand is None or not round_.open.get(place, 0) < lying_up(round_, place) < cards:
        return False
    policy = round_.plan.wrong(round_.plan.kind(place), "long", hand.step)
    return policy is not None and policy.then == "reshuffle"


def keyed_at_showdown(round_: Round, place: Place, cards: int) -> bool:
    """Return True if these are the open cards of a hand, keyed only after all went all-in, and not the whole hand."""
    hand = round_.ledger.hands.get(place)
    if hand is None or round_.doing != "reveal" or not place.seat:
        return False
    return round_.open.get(place, 0) < cards == lying_up(round_, place) < (hand.counted or 0)
