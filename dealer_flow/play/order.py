"""Whether a report may happen now. `legal.py` lists what may; both read the same round.

A breach is never silent. It says whether the report is still taken into account and whether money or hidden cards
depend on it; if they do, the round cannot be settled.
"""

# ruff: noqa: ARG001 - every check has the signature of the table at the end

from collections.abc import Callable
from typing import Any, Final

import devices.events as e
from dealer_flow.play import order_choices as choice_turns
from dealer_flow.play import order_reveal as reveal_turns
from dealer_flow.play import order_shoe as shoe_turns
from dealer_flow.play.states import LOOSE, State
from dealer_flow.play.steps import ends_by
from dealer_flow.play.violation import Breach, refuse
from dealer_flow.table.round import Round
from protocol.places import BURN, REMAINDER, SHOE, SHUFFLER


def breach(state: State, now: Round, body: e.Body) -> Breach | None:
    """None when `body` may happen now. Reports that have no turn are always in order."""
    check = _CHECKS.get(type(body))
    return check(state, now, body) if check else None


# ------------------------------------------------------------------ the round


def _start(state: State, now: Round, body: e.GameStarted) -> Breach | None:
    if state is not State.BETTING:
        return refuse(f"START GAME of round {body.round} before END GAME of round {now.number}")
    return None


def _end(state: State, now: Round, body: e.GameEnded) -> Breach | None:
    if state is State.BETTING:
        return Breach("END GAME without START GAME", False, False)
    if may_end_early(state, now):
        return None
    missing = shoe_turns.missing(state, now) if now.draw else _missing(state, now)
    if missing:
        return Breach(f"END GAME {missing}", True, True)
    return None


def may_end_early(state: State, now: Round) -> bool:
    """True when the round may end whatever is still to come: it is not played out."""
    if state in LOOSE or now.ledger.conserved is False or now.rest_wrong is not None:
        return True
    return state is State.DEALING and bool(now.red_lamp)


def _missing(state: State, now: Round) -> str:
    if now.rulings:
        return f"before a supervisor has ruled: {now.rulings[0].why}"
    if not now.idle and (state is not State.REVEALING or now.due is not None or now.by_hand):
        return _unfinished(state, now)
    return "before the remainder was counted" if rest_missing(now) else ""


def _unfinished(state: State, now: Round) -> str:
    if state is State.BURNING:
        return "before the burn"
    if state is State.DECIDING:
        return f"before seat {now.undecided[0]} has chosen"
    if now.due is not None:
        return f"before {now.due} has its {'card' if now.plan.from_shoe else 'packet'}"
    if now.by_hand:
        return "before the dealer has confirmed the cards dealt by hand"
    return "before the first seat was selected" if state is State.DEALING else f"while {state.value}"


def rest_missing(now: Round) -> bool:
    """True while what is left of the deck is still to be counted."""
    if now.plan.from_shoe:
        return now.plan.exact_rest is not None and now.rest is None
    return now.ledger.remainder is None


def _misdeal(state: State, now: Round, body: e.MisdealCalled) -> Breach | None:
    if state is State.BETTING:
        return Breach("a misdeal is called with no round under way", False, False)
    if state in LOOSE or now.rulings:
        return None
    if now.choices and now.plan.procedure.misdeal.until == "first-decision":
        return Breach("a misdeal is called after the first decision", False, False, "misdeal-refused")
    return None


def _selected(state: State, now: Round, body: e.SpotSelected) -> Breach | None:
    if not now.plan.selects_first:
        return None
    what = f"seat {body.seat} is selected for the first cards"
    if not 0 <= body.seat <= now.plan.most_seats:
        return refuse(f"{what}; seats are 1 to {now.plan.most_seats}, 0 is the dealer", "unknown-seat")
    return refuse(f"{what} after cards were dealt") if now.dues and now.first is not None else None


def _confirmed(state: State, now: Round, body: e.Confirmed) -> Breach | None:
    """CONFIRM is pressed for many things; it is missed only where cards are still to be dealt by hand."""
    if state in LOOSE or not now.in_play or now.rulings or now.by_hand or ends_by(now, body):
        return None
    by_hand = any(getattr(step, "origin", "") == "hand" for step in now.plan.steps[now.at + 1 :])
    return Breach("CONFIRM with nothing to confirm yet", False, False) if by_hand else None


def _mishandled(state: State, now: Round, body: e.CardMishandled) -> Breach | None:
    if state is State.BETTING:
        return Breach(f"a card at {body.place} is {body.how} with no round under way", False, False)
    return None


# ------------------------------------------------------------------ packets


def _dispensed(state: State, now: Round, body: e.PacketDispensed) -> Breach | None:
    what = f"packet {body.ordinal} is dispensed"
    if state is State.BETTING:
        return Breach(f"{what} before START GAME", False, True)
    if state in LOOSE:
        return None
    if body.ordinal != len(now.ledger.lifted) + 1:
        return Breach(f"{what}, packet {len(now.ledger.lifted) + 1} comes next", True, False)
    return refuse(f"{what} after the remainder") if now.ledger.remainder is not None else None


def _lifted(state: State, now: Round, body: e.PacketLifted) -> Breach | None:
    what = f"packet {body.ordinal} is lifted"
    packet = now.ledger.packets.get(body.ordinal)
    if packet is None or packet.lifted:
        return None if state in LOOSE else refuse(f"{what}, which does not lie in the tray")
    if state in LOOSE:
        return None
    if state is State.BETTING:
        return Breach(f"{what} before START GAME", True, True)
    return None if now.due is not None else Breach(f"{what} and nobody is due one", True, True)


def _dumped(state: State, now: Round, body: e.RemainderDumped) -> Breach | None:
    if state in LOOSE:
        return None
    if state is State.BETTING:
        return Breach("the remainder is dumped with no round under way", False, False)
    if now.left_to_deal and not now.idle:
        who = f"{now.due} has its packet" if now.due is not None else "every packet is out"
        return Breach(f"the remainder is dumped before {who}", not now.red_lamp, True)
    if now.ledger.remainder is not None:
        return Breach("the remainder is dumped a second time", True, False)
    return None


def _counted(state: State, now: Round, body: e.CardsCounted) -> Breach | None:
    if body.place in now.ledger.hands or body.place in (REMAINDER, BURN) or state in LOOSE:
        return None
    if now.shoes is not None and body.place == SHOE:
        return None
    if body.place == SHUFFLER and not now.in_play:
        return None
    return Breach(f"{body.counted} cards counted at {body.place}, where none were dealt", False, False)


_CHECKS: Final[dict[type[e.Body], Callable[[State, Round, Any], Breach | None]]] = {
    e.GameStarted: _start,
    e.GameEnded: _end,
    e.MisdealCalled: _misdeal,
    e.SpotSelected: _selected,
    e.CardMishandled: _mishandled,
    e.Confirmed: _confirmed,
    e.PacketDispensed: _dispensed,
    e.PacketLifted: _lifted,
    e.RemainderDumped: _dumped,
    e.CardsCounted: _counted,
    **choice_turns.CHECKS,
    **reveal_turns.CHECKS,
    **shoe_turns.CHECKS,
}
