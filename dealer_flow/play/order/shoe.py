"""Checks on a card drawn from a shoe, and on naming a card that was not read."""

from typing import Final

import devices.events as e
from dealer_flow.play.machine.guards import holds
from dealer_flow.play.order.rounds import SUPERVISORS, Check
from dealer_flow.table.round import Round
from devices.events import Level
from protocol.places import BURN, SHOE

BURNS: Final = frozenset({"burn", "burn count", "first card"})
"""Names that devices give the mode in which a card is taken out of play before a round."""
_LEVELS: Final = {"supervisor": SUPERVISORS, "dealer": tuple(Level)}


def is_burn(round_: Round, where: str | None) -> bool:
    """Return True if a card is burned: the device says so with the card, or announced it before."""
    return where in BURNS or (round_.shoes is not None and round_.shoes.burns_due > 0)


def _repeats(round_: Round, body: e.CardDrawn | e.CardUnread) -> bool:
    shoes = round_.shoes
    return shoes is not None and shoes.repeats(body.ordinal, body.where, shoes.face(body))


def _drawn(other: Check) -> Check:
    """Return a check that always passes for a card that is only reported again."""
    return lambda round_, body: _repeats(round_, body) or other(round_, body)


def names_card(round_: Round, body: e.HandRevealed) -> bool:
    """Return True if the report names a card of the shoe that was not read."""
    return round_.draw is not None and body.place == SHOE


def _name_is_missing(round_: Round, body: e.HandRevealed) -> bool:
    draw = round_.draw
    if draw is None or not names_card(round_, body) or draw.unread is not None:
        return True
    return not (draw.cards and body.cards[0] == draw.cards[-1])


def _badge_may_name(round_: Round, body: e.HandRevealed) -> bool:
    if round_.draw is None or not names_card(round_, body) or round_.draw.plan.unread_by == "anyone":
        return True
    return (round_.badge[1] if round_.badge else "") in _LEVELS[round_.draw.plan.unread_by]


def lies_apart(round_: Round, where: str | None) -> bool:
    """Return True if a card is burned in a game that keeps any burned card apart, whether or not a burn is due."""
    return round_.plan.extra_burn is not None and is_burn(round_, where)


def burned_ahead(round_: Round, body: e.Body) -> bool:
    """Return True if a card is burned while no card is due: it may seem so because reports of another line are late."""
    if not isinstance(body, e.CardDrawn | e.CardUnread) or not round_.in_play or round_.next_due is not None:
        return False
    return lies_apart(round_, body.where)


CHECKS_OF_SHOE: Final[dict[str, Check]] = {
    "dealt_from_shoe": lambda r, _: r.shoes is not None,
    "drawn_after_close": _drawn(lambda r, body: is_burn(r, body.where)),
    "burned_between_races": _drawn(lambda r, body: r.draw is None or not is_burn(r, body.where)),
    "card_goes_back": lambda r, _: r.plan.goes_back is not None,
    "drawn_after_name": _repeats,
    "drawn_for_somebody": _drawn(lambda r, body: holds("card_owed", r) or lies_apart(r, body.where)),
    "burned_when_due": _drawn(
        lambda r, body: r.due == BURN or not is_burn(r, body.where) or r.plan.extra_burn is not None
    ),
    "one_face_named": lambda r, body: not names_card(r, body) or (len(body.cards) == 1 and body.cards[0].is_face),
    "name_is_missing": _name_is_missing,
    "card_waits_for_name": lambda r, body: not names_card(r, body) or holds("card_unnamed", r),
    "badge_may_name": _badge_may_name,
}
"""Checks on cards from a shoe by name."""
