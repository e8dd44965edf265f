"""Whether cards may be burned or shown now: a part of `order`."""

from collections.abc import Callable
from typing import Any, Final

import devices.events as e
from dealer_flow.play import order_shoe as shoe_turns
from dealer_flow.play.states import LOOSE, State
from dealer_flow.play.violation import Violation, refuse
from dealer_flow.table.round import Round
from protocol.places import BURN, SHOE, Place


def _burn(state: State, round_: Round, body: e.BurnConfirmed) -> Violation | None:
    burn = round_.plan.burns.get(body.place)
    where = f"positions {' '.join(map(str, body.positions)) or 'none'} of {body.place}"
    if burn is None:
        return None if state in LOOSE else refuse(f"{where} are burned", "wrong-burn")
    hand = round_.ledger.hands.get(burn.place)
    if state is State.BETTING or hand is None:
        return refuse(f"{where} are burned before that packet was dealt") if state not in LOOSE else None
    if burn.from_left(body.positions, body.spread) != burn.positions and state is not State.VOID:
        wanted = " ".join(map(str, sorted(burn.positions)))
        counted = f" counted {body.spread}" if body.spread else ""
        why = f"{where}{counted} are burned, not {wanted} counted left-to-right"
        return Violation(why, True, burn.place not in round_.burns, "wrong-burn", body.place)
    if burn.place in round_.burns:
        return None if state in LOOSE else refuse(f"{where} are burned a second time")
    if state in LOOSE or (state is State.BURNING and round_.step is not None and round_.step.do == "burn"):
        return None
    return Violation(f"{where} are burned while {state.value}", False, True)


def _reveal(state: State, round_: Round, body: e.HandRevealed) -> Violation | None:
    place = body.place
    if round_.draw is not None and place == SHOE and state is not State.BETTING:
        return shoe_turns.named(state, round_, body)
    what = f"{place} is shown"
    if state in LOOSE:
        return None
    if state is State.BETTING:
        return Violation(f"{what} with no round under way", False, False)
    if _before_burn(round_, place, len(body.cards)):
        return Violation(f"{what} before the burn", True, True, "reveal-before-burn", place)
    if place.seat and place.seat not in round_.active:
        if place in round_.ledger.hands:  # dealt to a seat where nobody plays
            return Violation(f"{what}; nobody plays there", False, True)
        return refuse(f"{what}; it was not dealt in", "unknown-seat")
    if state is State.REVEALING:
        return _reveal_order(round_, place)
    return _early(state, round_, place, len(body.cards))


def _before_burn(round_: Round, place: Place, cards: int) -> bool:
    """True when a burn that is still to come should have been before."""
    if len(round_.burns) == len(round_.plan.burns):
        return False
    waiting = round_.plan.burns.keys() - round_.burns.keys()
    if may_lie_open(round_, place, cards):
        return False
    return (
        place in waiting or place == BURN or (place not in round_.burns and round_.plan.house(round_.plan.kind(place)))
    )


def may_lie_open(round_: Round, place: Place, cards: int) -> bool:
    """True when so many cards of a place may be seen at this step."""
    limit = round_.plan.opens[round_.at].get(round_.plan.kind(place), 0) if round_.plan.opens else 0
    return limit is None or cards <= limit


def shows_all(round_: Round, place: Place) -> bool:
    """True when all cards of a place are to be seen at this step."""
    return bool(round_.plan.opens) and round_.plan.opens[round_.at].get(round_.plan.kind(place), 0) is None


def _early(state: State, round_: Round, place: Place, cards: int) -> Violation | None:
    """Cards are shown before the hands are."""
    if place == BURN or may_lie_open(round_, place, cards):
        return None
    kind = round_.plan.kind(place)
    if round_.plan.house(kind):
        limit = round_.plan.opens[round_.at].get(kind, 0) if round_.plan.opens else 0
        if limit:
            return Violation(f"{cards} cards of {place} are shown; {limit} may lie open now", True, True)
        return Violation(f"{place} is shown before every player has chosen", True, True)
    return Violation(f"{place} is shown while {state.value}", False, True)


def _reveal_order(round_: Round, place: Place) -> Violation | None:
    kind = round_.plan.kind(place)
    order = round_.plan.reveal_order
    if kind not in order[1:]:
        return None
    first = next_to_show(round_)
    if first is None or order.index(kind) <= order.index(first):
        return None
    return Violation(f"{place} is shown before {first}", False, True)


def next_to_show(round_: Round) -> str | None:
    """Whose hand is shown next; None when all were, or when no live hand is left to compare with."""
    hands = round_.plan.hands
    for kind in round_.plan.reveal_order:
        if (
            kind in round_.shown
            or kind in round_.dead_hands
            or (kind in hands and hands[kind] not in round_.ledger.hands)
        ):
            continue
        return kind if round_.live else None
    return None


CHECKS: Final[dict[type[e.Body], Callable[[State, Round, Any], Violation | None]]] = {
    e.BurnConfirmed: _burn,
    e.HandRevealed: _reveal,
}
