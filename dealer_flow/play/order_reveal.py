"""Whether cards may be burned or shown now: a part of `turns`."""

from collections.abc import Callable
from typing import Any, Final

import devices.events as e
from dealer_flow.play import order_shoe as shoe_turns
from dealer_flow.play.states import LOOSE, State
from dealer_flow.play.violation import Breach, refuse
from dealer_flow.table.round import Round
from protocol.places import BURN, SHOE, Place


def _burn(state: State, now: Round, body: e.BurnConfirmed) -> Breach | None:
    burn = now.plan.burns.get(body.place)
    where = f"positions {' '.join(map(str, body.positions)) or 'none'} of {body.place}"
    if burn is None:
        return None if state in LOOSE else refuse(f"{where} are burned", "wrong-burn")
    hand = now.ledger.hands.get(burn.place)
    if state is State.BETTING or hand is None:
        return refuse(f"{where} are burned before that packet was dealt") if state not in LOOSE else None
    if burn.from_left(body.positions, body.spread) != burn.positions and state is not State.VOID:
        wanted = " ".join(map(str, sorted(burn.positions)))
        counted = f" counted {body.spread}" if body.spread else ""
        why = f"{where}{counted} are burned, not {wanted} counted left-to-right"
        return Breach(why, True, burn.place not in now.burns, "wrong-burn", body.place)
    if burn.place in now.burns:
        return None if state in LOOSE else refuse(f"{where} are burned a second time")
    if state in LOOSE or (state is State.BURNING and now.step is not None and now.step.do == "burn"):
        return None
    return Breach(f"{where} are burned while {state.value}", False, True)


def _reveal(state: State, now: Round, body: e.HandRevealed) -> Breach | None:
    place = body.place
    if now.draw is not None and place == SHOE and state is not State.BETTING:
        return shoe_turns.named(state, now, body)
    what = f"{place} is shown"
    if state in LOOSE:
        return None
    if state is State.BETTING:
        return Breach(f"{what} with no round under way", False, False)
    if _before_burn(now, place, len(body.cards)):
        return Breach(f"{what} before the burn", True, True, "reveal-before-burn", place)
    if place.seat and place.seat not in now.active:
        if place in now.ledger.hands:  # dealt to a seat where nobody plays
            return Breach(f"{what}; nobody plays there", False, True)
        return refuse(f"{what}; it was not dealt in", "unknown-seat")
    if state is State.REVEALING:
        return _reveal_order(now, place)
    return _early(state, now, place, len(body.cards))


def _before_burn(now: Round, place: Place, cards: int) -> bool:
    """True when a burn that is still to come should have been before."""
    if len(now.burns) == len(now.plan.burns):
        return False
    waiting = now.plan.burns.keys() - now.burns.keys()
    if may_lie_open(now, place, cards):
        return False
    return place in waiting or place == BURN or (place not in now.burns and now.plan.house(now.plan.kind(place)))


def may_lie_open(now: Round, place: Place, cards: int) -> bool:
    """True when so many cards of a place may be seen at this step."""
    limit = now.plan.opens[now.at].get(now.plan.kind(place), 0) if now.plan.opens else 0
    return limit is None or cards <= limit


def shows_all(now: Round, place: Place) -> bool:
    """True when all cards of a place are to be seen at this step."""
    return bool(now.plan.opens) and now.plan.opens[now.at].get(now.plan.kind(place), 0) is None


def _early(state: State, now: Round, place: Place, cards: int) -> Breach | None:
    """Cards are shown before the hands are."""
    if place == BURN or may_lie_open(now, place, cards):
        return None
    kind = now.plan.kind(place)
    if now.plan.house(kind):
        limit = now.plan.opens[now.at].get(kind, 0) if now.plan.opens else 0
        if limit:
            return Breach(f"{cards} cards of {place} are shown; {limit} may lie open now", True, True)
        return Breach(f"{place} is shown before every player has chosen", True, True)
    return Breach(f"{place} is shown while {state.value}", False, True)


def _reveal_order(now: Round, place: Place) -> Breach | None:
    kind = now.plan.kind(place)
    order = now.plan.reveal_order
    if kind not in order[1:]:
        return None
    first = next_to_show(now)
    if first is None or order.index(kind) <= order.index(first):
        return None
    return Breach(f"{place} is shown before {first}", False, True)


def next_to_show(now: Round) -> str | None:
    """Whose hand is shown next; None when all were, or when no live hand is left to compare with."""
    hands = now.plan.hands
    for kind in now.plan.reveal_order:
        if kind in now.shown or kind in now.dead_hands or (kind in hands and hands[kind] not in now.ledger.hands):
            continue
        return kind if now.live else None
    return None


CHECKS: Final[dict[type[e.Body], Callable[[State, Round, Any], Breach | None]]] = {
    e.BurnConfirmed: _burn,
    e.HandRevealed: _reveal,
}
