"""Whether a report may happen now in a game drawn from a shoe: a part of `order`."""

from collections.abc import Callable
from typing import Any, Final

import devices.events as e
from dealer_flow.play.states import LOOSE, State
from dealer_flow.play.violation import Violation, refuse
from dealer_flow.procedure.schema import BetPart
from dealer_flow.table.columns import Draw
from dealer_flow.table.round import Round
from devices.events import Level
from protocol.cards import UNREAD, Card
from protocol.places import BURN, SHOE

BURNS: Final = frozenset({"burn", "burn count", "first card"})
"""What a device calls a card that is taken out of play before a round."""
_LEVELS: Final = {
    "supervisor": (Level.SUPERVISOR, Level.EXECUTIVE),
    "dealer": tuple(Level),
}


def is_burn(round_: Round, where: str | None) -> bool:
    """True when a card is burned: the device says so, or announced it."""
    return where in BURNS or (round_.shoes is not None and round_.shoes.burns_due > 0)


def _drawn(state: State, round_: Round, body: e.CardDrawn | e.CardUnread) -> Violation | None:
    if round_.shoes is None:
        return refuse("a card is drawn from a shoe; this game is dealt in packets")
    card: Card = body.card if isinstance(body, e.CardDrawn) else UNREAD
    if state in LOOSE or round_.shoes.repeats(body.ordinal, body.where, card):
        return None
    if round_.draw is None:
        return _dealt(state, round_, body)
    part = round_.draw.plan.part
    if is_burn(round_, body.where):
        if state is State.BETTING:
            return None
        return Violation("a card is burned in the middle of the race", True, True, "burned-mid-race", SHOE)
    if state is State.BETTING:
        text = f"card {card} is drawn before bets were closed"
        return Violation(text, True, True, "draw-before-close", SHOE, part.bets_closed)
    if state is State.NAMING:
        text = f"card {card} is drawn while card {round_.draw.unread} waits to be named"
        return Violation(text, False, True, "draw-before-named", SHOE, part.unread.clause)
    return None


def _dealt(state: State, round_: Round, body: e.CardDrawn | e.CardUnread) -> Violation | None:
    """A card is drawn in a game of steps; its face is nobody's business yet."""
    burned = is_burn(round_, body.where)
    if state is State.BETTING:
        text = "a card is drawn before bets were closed"
        return None if burned else Violation(text, True, True, "draw-before-close", SHOE, closing_clause(round_))
    if round_.due is None:
        return Violation("a card is drawn and nobody is due one", True, True)
    if burned and round_.due != BURN:
        return Violation(f"a card is burned and {round_.due} is due one", True, True)
    return None


def closing_clause(round_: Round) -> str:
    """The clause that closes the bets."""
    return round_.draw.plan.part.bets_closed if round_.draw else round_.plan.clause


def named(state: State, round_: Round, body: e.HandRevealed) -> Violation | None:
    """A card of the shoe is shown at the table: it names the one that was not read."""
    draw = round_.draw
    if draw is None or state in LOOSE:
        return None
    if len(body.cards) != 1 or not body.cards[0].is_face:
        return refuse(f"{len(body.cards)} cards are named at once; one, and a card of the deck, is allowed")
    (card,) = body.cards
    position = draw.unread
    if position is None:
        if draw.cards and card == draw.cards[-1]:
            return Violation(f"{card} is named, which the shoe had read", False, False)
        return refuse(f"{card} is named and no such card waits for a name", "faces-disagree")
    if draw.plan.unread_by != "anyone" and _badge(round_)[1] not in _LEVELS[draw.plan.unread_by]:
        text = f"card {position} is named {card} without a {draw.plan.unread_by}'s badge; swipe it first"
        return Violation(text, False, False, "naming-refused", SHOE, draw.plan.part.unread.clause)
    return None


def _badge(round_: Round) -> tuple[int, str]:
    return (round_.badge[1], round_.badge[2]) if round_.badge else (0, "")


def moved(state: State, round_: Round, body: e.WagerPlaced, bet: BetPart) -> Violation | None:
    """Money is moved to a bet on the extra card."""
    what = f"seat {body.seat} moves {body.cents} cents to {bet.name}"
    draw = round_.draw
    source = draw.plan.moves_from if draw else None
    if draw is None or source is None or draw.plan.extra == "never":
        return refuse(f"{what}; this table has no extra card")
    if state is not State.EXTRA:
        return refuse(f"{what} while {state.value}")
    bets = round_.wagers.get(body.seat, {})
    other = next((name for name in bets if name in draw.plan.moved and name != bet.name), None)
    if other is not None and body.cents:
        return refuse(f"{what}; it has already moved money to {other}")
    most = bets.get(source, 0) + bets.get(bet.name, 0)
    if body.cents > most:
        return refuse(f"{what}; its {source} bet leaves {most}")
    return None


def extra_due(round_: Round) -> bool:
    """True when the extra card is to be drawn: a bet rests on it, or the option says always."""
    draw = round_.draw
    if draw is None or not draw.extra_may_come:
        return False
    return draw.plan.extra == "always" or any(draw.plan.moved & bets.keys() for bets in round_.wagers.values())


def extra_open(round_: Round) -> bool:
    """True while the extra card is due, or money may be moved to a bet on it."""
    draw = round_.draw
    if draw is None or not draw.extra_may_come:
        return False
    return extra_due(round_) or any(bets.get(draw.plan.moves_from or "") for bets in round_.wagers.values())


def draw_done(state: State, round_: Round, draw: Draw) -> bool:
    """Whether the work of a stage of drawing is done."""
    if state is State.DRAWING:
        return draw.end is not None
    return state is State.EXTRA and not extra_open(round_)


def missing(state: State, round_: Round) -> str:
    """What END GAME still waits for, in words; empty when nothing."""
    if round_.draw is None:
        return ""
    if state is State.NAMING:
        return f"before card {round_.draw.unread} was named"
    if state is State.DRAWING:
        return "before the race was decided"
    return "before the extra card was drawn" if state is State.EXTRA and extra_due(round_) else ""


CHECKS: Final[dict[type[e.Body], Callable[[State, Round, Any], Violation | None]]] = {
    e.CardDrawn: _drawn,
    e.CardUnread: _drawn,
}
