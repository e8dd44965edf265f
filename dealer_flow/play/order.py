"""Whether a report may happen now. `legal.py` lists what may; both read the same round.

A violation is never silent. It says whether the report is still taken into account and whether money or hidden cards
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
from dealer_flow.play.violation import Violation, refuse
from dealer_flow.table.round import Round
from protocol.places import BURN, REMAINDER, SHOE, SHUFFLER


def violation(state: State, round_: Round, body: e.Body) -> Violation | None:
    """None when `body` may happen now. Reports that have no turn are always in order."""
    check = _CHECKS.get(type(body))
    return check(state, round_, body) if check else None


# ------------------------------------------------------------------ the round


def _start(state: State, round_: Round, body: e.GameStarted) -> Violation | None:
    if state is not State.BETTING:
        return refuse(f"START GAME of round {body.round} before END GAME of round {round_.number}")
    return None


def _end(state: State, round_: Round, body: e.GameEnded) -> Violation | None:
    if state is State.BETTING:
        return Violation("END GAME without START GAME", False, False)
    if may_end_early(state, round_):
        return None
    missing = shoe_turns.missing(state, round_) if round_.draw else _missing(state, round_)
    if missing:
        return Violation(f"END GAME {missing}", True, True)
    return None


def may_end_early(state: State, round_: Round) -> bool:
    """True when the round may end whatever is still to come: it is not played out."""
    if state in LOOSE or round_.ledger.conserved is False or round_.rest_wrong is not None:
        return True
    return state is State.DEALING and bool(round_.red_lamp)


def _missing(state: State, round_: Round) -> str:
    if round_.rulings:
        return f"before a supervisor has ruled: {round_.rulings[0].why}"
    if not round_.idle and (state is not State.REVEALING or round_.due is not None or round_.by_hand):
        return _unfinished(state, round_)
    return "before the remainder was counted" if rest_missing(round_) else ""


def _unfinished(state: State, round_: Round) -> str:
    if state is State.BURNING:
        return "before the burn"
    if state is State.DECIDING:
        return f"before seat {round_.undecided[0]} has chosen"
    if round_.due is not None:
        return f"before {round_.due} has its {'card' if round_.plan.from_shoe else 'packet'}"
    if round_.by_hand:
        return "before the dealer has confirmed the cards dealt by hand"
    return "before the first seat was selected" if state is State.DEALING else f"while {state.value}"


def rest_missing(round_: Round) -> bool:
    """True while what is left of the deck is still to be counted."""
    if round_.plan.from_shoe:
        return round_.plan.exact_rest is not None and round_.rest is None
    return round_.ledger.remainder is None


def _misdeal(state: State, round_: Round, body: e.MisdealCalled) -> Violation | None:
    if state is State.BETTING:
        return Violation("a misdeal is called with no round under way", False, False)
    if state in LOOSE or round_.rulings:
        return None
    if round_.choices and round_.plan.procedure.misdeal.until == "first-decision":
        return Violation("a misdeal is called after the first decision", False, False, "misdeal-refused")
    return None


def _selected(state: State, round_: Round, body: e.SpotSelected) -> Violation | None:
    if not round_.plan.selects_first:
        return None
    what = f"seat {body.seat} is selected for the first cards"
    if not 0 <= body.seat <= round_.plan.most_seats:
        return refuse(f"{what}; seats are 1 to {round_.plan.most_seats}, 0 is the dealer", "unknown-seat")
    return refuse(f"{what} after cards were dealt") if round_.dues and round_.first is not None else None


def _confirmed(state: State, round_: Round, body: e.Confirmed) -> Violation | None:
    """CONFIRM is pressed for many things; it is missed only where cards are still to be dealt by hand."""
    if state in LOOSE or not round_.in_play or round_.rulings or round_.by_hand or ends_by(round_, body):
        return None
    by_hand = any(getattr(step, "origin", "") == "hand" for step in round_.plan.steps[round_.at + 1 :])
    return Violation("CONFIRM with nothing to confirm yet", False, False) if by_hand else None


def _mishandled(state: State, round_: Round, body: e.CardMishandled) -> Violation | None:
    if state is State.BETTING:
        return Violation(f"a card at {body.place} is {body.how} with no round under way", False, False)
    return None


# ------------------------------------------------------------------ packets


def _dispensed(state: State, round_: Round, body: e.PacketDispensed) -> Violation | None:
    what = f"packet {body.ordinal} is dispensed"
    if state is State.BETTING:
        return Violation(f"{what} before START GAME", False, True)
    if state in LOOSE:
        return None
    if body.ordinal != len(round_.ledger.lifted) + 1:
        return Violation(f"{what}, packet {len(round_.ledger.lifted) + 1} comes next", True, False)
    return refuse(f"{what} after the remainder") if round_.ledger.remainder is not None else None


def _lifted(state: State, round_: Round, body: e.PacketLifted) -> Violation | None:
    what = f"packet {body.ordinal} is lifted"
    packet = round_.ledger.packets.get(body.ordinal)
    if packet is None or packet.lifted:
        return None if state in LOOSE else refuse(f"{what}, which does not lie in the tray")
    if state in LOOSE:
        return None
    if state is State.BETTING:
        return Violation(f"{what} before START GAME", True, True)
    return None if round_.due is not None else Violation(f"{what} and nobody is due one", True, True)


def _dumped(state: State, round_: Round, body: e.RemainderDumped) -> Violation | None:
    if state in LOOSE:
        return None
    if state is State.BETTING:
        return Violation("the remainder is dumped with no round under way", False, False)
    if round_.left_to_deal and not round_.idle:
        who = f"{round_.due} has its packet" if round_.due is not None else "every packet is out"
        return Violation(f"the remainder is dumped before {who}", not round_.red_lamp, True)
    if round_.ledger.remainder is not None:
        return Violation("the remainder is dumped a second time", True, False)
    return None


def _counted(state: State, round_: Round, body: e.CardsCounted) -> Violation | None:
    if body.place in round_.ledger.hands or body.place in (REMAINDER, BURN) or state in LOOSE:
        return None
    if round_.shoes is not None and body.place == SHOE:
        return None
    if body.place == SHUFFLER and not round_.in_play:
        return None
    return Violation(f"{body.counted} cards counted at {body.place}, where none were dealt", False, False)


_CHECKS: Final[dict[type[e.Body], Callable[[State, Round, Any], Violation | None]]] = {
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
