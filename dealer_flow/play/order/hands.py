"""Checks on packets and hands: dealt, counted, burned, shown, arranged, corrected."""

from typing import Final

import devices.events as e
from dealer_flow.play.course import laying
from dealer_flow.play.course.by_hand import shown_early, too_many
from dealer_flow.play.course.steps import declaring, may_lie_open, next_to_show, open_now
from dealer_flow.play.machine.guards import holds
from dealer_flow.play.order.rounds import SUPERVISORS, Check, not_here
from dealer_flow.play.order.shoe import lies_apart, names_card
from dealer_flow.play.verdicts.dealing import lies_there, never_dealt
from dealer_flow.procedure.steps.exchange import ExchangeStep
from dealer_flow.table.round import Round
from protocol.cards import UNREAD
from protocol.places import BURN, COMMUNITY, REMAINDER, SHOE, SHUFFLER


def _packet_in_tray(round_: Round, body: e.PacketLifted) -> bool:
    packets = round_.ledger.packets
    return body.ordinal in packets and not packets[body.ordinal].lifted


def _cards_lie_there(round_: Round, body: e.CardsCounted) -> bool:
    if body.place == REMAINDER:
        dealt = round_.ledger.remainder is not None or not round_.left_to_deal or round_.idle
        return dealt or not round_.in_play or bool(round_.red_lamp)
    if body.place in round_.ledger.hands or body.place == BURN or lies_there(round_, body.place):
        return True
    if round_.shoes is not None and body.place == SHOE:
        return True
    return body.place == SHUFFLER and not round_.in_play


def _early_has_remedy(round_: Round, _: e.PacketLifted) -> bool:
    """Return True if the procedure has a remedy for cards that are dealt too early."""
    return any("early" in row.how for row in round_.plan.procedure.wrong)


def _shown_before_card(round_: Round, body: e.CardDrawn | e.CardUnread | e.PacketLifted) -> bool:
    """Return False for a card to a player's hand that must be turned up before its card comes."""
    step, due = round_.step, round_.next_due
    if not isinstance(body, e.PacketLifted) and lies_apart(round_, body.where):
        return True
    if not isinstance(step, ExchangeStep) or not step.exposes or due is None or due.step != step.name:
        return True
    return due.place.seat is None or round_.turned_up(due)


def _burned_as_written(round_: Round, body: e.BurnConfirmed) -> bool:
    burn = round_.plan.burns.get(body.place)
    if burn is None or body.place not in round_.ledger.hands:
        return True  # another rule covers it, or none does
    return burn.from_left(body.positions, body.spread) == burn.positions


def _burned_before(round_: Round, body: e.HandRevealed) -> bool:
    if len(round_.burns) == len(round_.plan.burns) or names_card(round_, body):
        return True
    place, waiting = body.place, round_.plan.burns.keys() - round_.burns.keys()
    if may_lie_open(round_, place, len(body.cards)):
        return True
    house = place not in round_.burns and round_.plan.house(round_.plan.kind(place))
    return not (place in waiting or place == BURN or house)


def _too_many_go_back(round_: Round, body: e.HandRevealed) -> bool:
    """Return True if more cards than the step deals were turned up, and the procedure puts them back into the deck."""
    policy = round_.plan.wrong(round_.plan.kind(body.place), "long", None)
    return bool(laying.spares(round_)) and policy is not None and policy.then == "reshuffle"


def _shown_in_order(round_: Round, body: e.HandRevealed) -> bool:
    order, kind = round_.plan.reveal_order, round_.plan.kinds[body.place]
    if kind not in order or kind == order[0]:
        return True
    first = next_to_show(round_)
    if first is None or first == kind or declaring(round_, body.place) is not None:
        return True
    return order.index(kind) <= order.index(first)


def _early(round_: Round, body: e.HandRevealed, *, house: bool | None = None) -> bool:
    """Return True if cards are shown before their time; with `house`, only those of the house or only those of
    players."""
    if names_card(round_, body) or body.place == BURN or may_lie_open(round_, body.place, len(body.cards)):
        return False
    if never_dealt(round_, body.place, len(body.cards)):
        return False
    if round_.plan.from_hand and _out_of_hand(round_, body):
        return False
    return house is None or house is round_.plan.house(round_.plan.kind(body.place))


def _out_of_hand(round_: Round, body: e.HandRevealed) -> bool:
    """Return True for cards out of the dealer's hand that a rule covers: too early, too many, or one for everybody."""
    place, many = body.place, len(body.cards)
    if round_.common_card and place == COMMUNITY:
        return True
    return shown_early(round_, place, many) or too_many(round_, place, many)


def _hand_to_set(round_: Round, body: e.HandSet) -> bool:
    """Return True if the step in which this hand is set has begun."""
    step = round_.plan.sets.get(round_.plan.kind(body.place))
    steps = round_.plan.steps[: round_.at + round_.opened]
    return step is None or step in steps


def _set_as_written(round_: Round, body: e.HandSet) -> bool:
    step, hand = round_.plan.sets.get(round_.plan.kind(body.place)), round_.ledger.hands.get(body.place)
    return step is None or hand is None or not body.low or len(body.low) == step.low


def _set_before_house(round_: Round, body: e.HandSet) -> bool:
    """Return False for a player's hand that is set again after the house's hand is visible."""
    known = round_.splits.get(body.place)
    if known is None or not body.place.seat or not round_.house_shown or UNREAD in known.low:
        return True
    return sorted(known.low) == sorted(body.low)


def _faces_to_correct(round_: Round, body: e.HandCorrected) -> bool:
    hand = round_.ledger.hands.get(body.place)
    if hand is None or not body.cards:
        return False
    return bool(hand.shown) or (hand.person_count is not None and all(card == UNREAD for card in body.cards))


def _correctable(condition: str) -> Check:
    """Return a check that the correction under way satisfies this condition, which `corrections` has evaluated."""
    return lambda round_, _: round_.uncorrected != condition


CHECKS_OF_HANDS: Final[dict[str, Check]] = {
    "packet_in_order": lambda r, body: body.ordinal == len(r.ledger.lifted) + 1,
    "packet_in_tray": _packet_in_tray,
    "somebody_is_due": lambda r, _: holds("card_owed", r),
    "remainder_to_come": lambda r, _: r.ledger.remainder is None,
    "deal_complete": lambda r, _: not r.left_to_deal or holds("nobody_plays", r),
    "red_lamp": lambda r, _: holds("red_lamp_lit", r),
    "shown_before_card": _shown_before_card,
    "cards_lie_there": _cards_lie_there,
    "faces_to_correct": _faces_to_correct,
    "badge_counts": lambda _, body: not body.refused,
    "badge_may_correct": lambda _, body: body.badge != 0 and body.level in SUPERVISORS,
    "round_on_record": _correctable("round_on_record"),
    "nothing_ruled_since": _correctable("nothing_ruled_since"),
    "bets_left_alone": _correctable("bets_left_alone"),
    "cards_not_mucked": _correctable("cards_not_mucked"),
    "follows_as_played": _correctable("follows_as_played"),
    "hand_lies_there": lambda r, body: body.place in r.ledger.hands and body.place != BURN,
    "packet_is_burned": lambda r, body: body.place in r.plan.burns,
    "packet_was_dealt": lambda r, body: body.place in r.ledger.hands,
    "burned_as_written": _burned_as_written,
    "burned_once": lambda r, body: body.place not in r.burns,
    "packet_is_spread": not_here,
    "burned_before": _burned_before,
    "somebody_plays_there": lambda r, body: (
        body.place in r.active or not body.place.seat or body.place not in r.ledger.hands
    ),
    "place_dealt_in": lambda r, body: body.place in r.active or body.place in r.ledger.hands or not body.place.seat,
    "shown_in_order": _shown_in_order,
    "too_many_go_back": _too_many_go_back,
    "early_has_remedy": _early_has_remedy,
    "fewer_lie_open": lambda r, body: not (_early(r, body, house=True) and open_now(r, body.place)),
    "house_shown_last": lambda r, body: not _early(r, body, house=True),
    "hand_shown_in_time": lambda r, body: not _early(r, body),
    "hand_is_set": lambda r, body: r.plan.kind(body.place) in r.plan.sets,
    "set_as_written": _set_as_written,
    "set_before_house": _set_before_house,
    "hand_to_set": _hand_to_set,
}
"""Checks on packets and hands by name."""
