"""Faces that players may see in a game in which they bet against each other: those dealt face up or shown.

A shoe reads every card, including those of hands that are folded, mucked or won unshown. Such a hand belongs to its
player alone (47.1-1033(5)), during the hand and after it, so a record of it has `??` for each card that was not shown.
"""

from collections import Counter

from dealer_flow.play.course.laying import lying
from dealer_flow.procedure.steps.deal import DealStep
from dealer_flow.procedure.steps.due import Due
from dealer_flow.table.hand import Hand
from dealer_flow.table.round import Round
from protocol.cards import UNREAD, Card
from protocol.places import COMMUNITY, Place


def lie_open(round_: Round, due: Due) -> bool:
    """Return True if cards that come for this due are dealt face up."""
    step = round_.plan.steps[round_.plan.order[due.step]] if due.step in round_.plan.order else None
    return isinstance(step, DealStep) and step.face == "up"


def up_by_hand(round_: Round, due: Due) -> bool:
    """Return True if cards out of the dealer's hand are turned up: those dealt so, and one that plays for everybody."""
    return lie_open(round_, due) or (round_.common_card and due.place == COMMUNITY)


def lying_up(round_: Round, place: Place) -> int:
    """Return the number of cards out of the dealer's hand that lie face up at a place."""
    hand = round_.ledger.hands.get(place)
    dealt = (due for due in round_.dues[: round_.given] if due.place == place and due.why == "deal")
    down = sum(due.cards for due in dealt if not up_by_hand(round_, due))
    return (hand.counted or 0) - down if hand is not None else 0


def dealt_face_up(round_: Round, place: Place) -> tuple[Card, ...]:
    """Return the cards of a place that were dealt face up, in order, with `??` for one that was not read."""
    if round_.plan.betting is None:
        return ()
    if round_.plan.from_hand:
        return _turned_up(round_, place)
    common = place == COMMUNITY and round_.common_card
    there = [(card, due) for card, due in lying(round_) if due.place == place]
    return tuple(card for card, due in there if common or lie_open(round_, due))


def _turned_up(round_: Round, place: Place) -> tuple[Card, ...]:
    """Return the cards of a place that the dealer dealt face up by hand: `??` for each until all of them are keyed."""
    up, hand = lying_up(round_, place), round_.ledger.hands.get(place)
    shown = hand.shown if hand is not None else ()
    return shown if len(shown) == up else (UNREAD,) * up


def seen(round_: Round, hand: Hand) -> tuple[Card, ...]:
    """Return the visible faces of a hand: those shown, then others that were dealt face up.

    A card that was shown and not read is taken to be one of those dealt face up, where possible.
    """
    if hand.revealed is not None:
        return hand.revealed
    more = Counter(dealt_face_up(round_, hand.place)) - Counter(hand.opened)
    more.pop(UNREAD, None)
    others = [card for card in dealt_face_up(round_, hand.place) if more[card]]
    shown = [others.pop(0) if card == UNREAD and others else card for card in hand.opened]
    return (*shown, *others)


def board_read(round_: Round) -> bool:
    """Return True if every community card was dealt face up and read: the board need not be keyed."""
    hand, cards = round_.ledger.hands.get(COMMUNITY), dealt_face_up(round_, COMMUNITY)
    return hand is not None and bool(cards) and UNREAD not in cards and len(cards) == hand.counted


def private(round_: Round, place: Place, cards: tuple[Card, ...]) -> tuple[Card, ...]:
    """Return cards of a player's hand as they may be published: `??` for each that was not shown."""
    hand = round_.ledger.hands.get(place)
    if round_.plan.betting is None or place.seat is None or hand is None:
        return cards
    open_ = Counter(seen(round_, hand)) | Counter(hand.declared)
    shown = []
    for card in cards:
        shown.append(card if open_[card] > 0 else UNREAD)
        open_[card] -= 1
    return tuple(shown)


def burned_as_seen(round_: Round) -> tuple[Card, ...]:
    """Return the burned cards of a round, `??` for each that was not shown. Those of a race left the shoe before it."""
    if round_.draw is None:
        return round_.ledger.burned_as_seen()
    return round_.ledger.burned_shown or (UNREAD,) * len(round_.draw.burned)


def burned_unseen(round_: Round) -> frozenset[Card]:
    """Return the faces of burned cards that were not shown, without those that another card of the round has, too."""
    draw = round_.draw
    if draw is None:
        return round_.ledger.burned_unseen()
    return frozenset(draw.burned).difference(burned_as_seen(round_), draw.cards, draw.overdrawn, {UNREAD})
