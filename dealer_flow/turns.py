"""Whether a report may happen now. `legal.py` lists what may; both read the same round.

A breach is never silent. It says whether the report is still taken into account and whether money or hidden cards
depend on it; if they do, the round cannot be settled.
"""

# ruff: noqa: ARG001 - every check has the signature of the table at the end

from collections.abc import Callable
from typing import Any, Final

import devices.events as e
from dealer_flow import shoe_turns
from dealer_flow.breach import Breach, refuse
from dealer_flow.round import Round
from dealer_flow.states import LOOSE, State
from protocol.places import BURN, COMMUNITY, DEALER, REMAINDER, SHOE, Place


def breach(state: State, now: Round, body: e.Body) -> Breach | None:
    """None when `body` may happen now. Reports that have no turn are always in order."""
    check = _CHECKS.get(type(body))
    return check(state, now, body) if check else None


# ------------------------------------------------------------------ bets and choices


def _wager(state: State, now: Round, body: e.WagerPlaced) -> Breach | None:
    bet = now.plan.bets.get(body.bet)
    if state in LOOSE:
        return None
    if bet is None:
        return refuse(f"seat {body.seat} bets {body.cents} cents on spot {body.bet}", "unknown-bet")
    if not 1 <= body.seat <= now.plan.most_seats:
        return refuse(f"seat {body.seat} bets; seats are 1 to {now.plan.most_seats}", "unknown-seat")
    what = f"seat {body.seat} changes its {bet.name} bet to {body.cents} cents"
    if bet.placed == "before-deal":
        return None if state is State.BETTING else refuse(f"{what} after bets were closed")
    if bet.placed == "before-extra":
        return shoe_turns.moved(state, now, body, bet)
    if state is State.BETTING:
        return refuse(f"{what} before the deal")
    if body.seat not in now.live:
        return refuse(f"{what}; it is not live in this round")
    if now.house_shown:
        return refuse(f"{what} after the house's cards were shown")
    return None if state in (State.DECIDING, State.REVEALING) else Breach(f"{what} while {state.value}", False, True)


def _decision(state: State, now: Round, body: e.DecisionMade) -> Breach | None:
    choice = now.plan.decisions.get(body.decision)
    if state in LOOSE:
        return None
    if choice is None:
        return refuse(f"seat {body.seat} makes choice {body.decision}", "unknown-decision")
    if body.seat not in now.active:
        return refuse(f"seat {body.seat} chooses {choice.name}; it was not dealt in", "unknown-seat")
    made = now.decisions.get(body.seat)
    if made is not None:
        again = f"seat {body.seat} chooses {choice.name} after it chose {made}"
        return Breach(again, harmful=made != choice.name, take=False)
    if body.seat in now.dead:
        return Breach(f"seat {body.seat} chooses {choice.name} with a dead hand", False, False)
    if state is State.DECIDING:
        return None
    return Breach(f"seat {body.seat} chooses {choice.name} while {state.value}", False, True)


# ------------------------------------------------------------------ the round


def _start(state: State, now: Round, body: e.GameStarted) -> Breach | None:
    if state is not State.BETTING:
        return refuse(f"START GAME of round {body.round} before END GAME of round {now.number}")
    return None


def _end(state: State, now: Round, body: e.GameEnded) -> Breach | None:
    if state is State.BETTING:
        return Breach("END GAME without START GAME", False, False)
    if state in LOOSE or now.ledger.conserved is False or (state is State.DEALING and now.red_lamp):
        return None
    missing = shoe_turns.missing(state, now) if now.draw else _missing(state, now)
    if missing:
        return Breach(f"END GAME {missing}", True, True)
    return None


def _missing(state: State, now: Round) -> str:
    if state is State.DEALING:
        return f"before {now.due} has its packet"
    if state is State.BURNING:
        return "before the burn"
    if state is State.DECIDING:
        return f"before seat {now.undecided[0]} has chosen"
    return "" if now.ledger.remainder is not None else "before the remainder was counted"


def _misdeal(state: State, now: Round, body: e.MisdealCalled) -> Breach | None:
    if state is State.BETTING:
        return Breach("a misdeal is called with no round under way", False, False)
    if state in LOOSE:
        return None
    if now.decisions and now.plan.procedure.misdeal.until == "first-decision":
        return Breach("a misdeal is called after the first decision", False, False, "misdeal-refused")
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
    if state is State.DEALING:
        return Breach(f"the remainder is dumped before {now.due} has its packet", not now.red_lamp, True)
    if now.ledger.remainder is not None:
        return Breach("the remainder is dumped a second time", True, False)
    return None


# ------------------------------------------------------------------ burn, reveal, counts


def _burn(state: State, now: Round, body: e.BurnConfirmed) -> Breach | None:
    burn = now.plan.burn
    where = f"positions {_positions(body)} of {body.place}"
    if burn is None or body.place != burn.place:
        return None if state in LOOSE else refuse(f"{where} are burned", "wrong-burn")
    if state is State.BETTING or burn.place not in now.ledger.hands:
        return refuse(f"{where} are burned before that packet was dealt") if state not in LOOSE else None
    if burn.from_left(body.positions, body.spread) != burn.positions and state is not State.VOID:
        wanted = " ".join(map(str, sorted(burn.positions)))
        why = f"{where} counted {body.spread} are burned, not {wanted} counted left-to-right"
        return Breach(why, True, now.burn is None, "wrong-burn", body.place)
    if state in LOOSE or state is State.BURNING:
        return None
    if now.burn is not None:
        return refuse(f"{where} are burned a second time")
    return Breach(f"{where} are burned while {state.value}", False, True)


def _positions(body: e.BurnConfirmed) -> str:
    return " ".join(map(str, body.positions)) or "none"


def _reveal(state: State, now: Round, body: e.HandRevealed) -> Breach | None:
    place = body.place
    if now.draw is not None and place == SHOE and state is not State.BETTING:
        return shoe_turns.named(state, now, body)
    what = f"{place} is shown"
    if state in LOOSE:
        return None
    if state is State.BETTING:
        return Breach(f"{what} with no round under way", False, False)
    if now.plan.burn is not None and now.burn is None and place in (COMMUNITY, DEALER, BURN):
        return Breach(f"{what} before the burn", True, True, "reveal-before-burn", place)
    if place.seat and place.seat not in now.active:
        return refuse(f"{what}; it was not dealt in", "unknown-seat")
    if state is State.REVEALING:
        return _reveal_order(now, place)
    if place in (COMMUNITY, DEALER):
        return Breach(f"{what} before every player has chosen", True, True)
    return None if place == BURN else Breach(f"{what} while {state.value}", False, True)


def _reveal_order(now: Round, place: Place) -> Breach | None:
    first = next_to_show(now)
    kind = "seats" if place.seat else place.text
    order = now.plan.reveal_order
    if first is None or kind not in order or order.index(kind) <= order.index(first):
        return None
    return Breach(f"{place} is shown before {first}", False, True)


def next_to_show(now: Round) -> str | None:
    """Whose hand is shown next; None when all were, or when no live hand is left to compare with."""
    if not now.live:
        return None
    return next((kind for kind in now.plan.reveal_order if kind not in now.shown), None)


def _counted(state: State, now: Round, body: e.CardsCounted) -> Breach | None:
    if body.place in now.ledger.hands or body.place in (REMAINDER, BURN) or state in LOOSE:
        return None
    if now.draw is not None and body.place == SHOE:
        return None
    return Breach(f"{body.counted} cards counted at {body.place}, where none were dealt", False, False)


_CHECKS: Final[dict[type[e.Body], Callable[[State, Round, Any], Breach | None]]] = {
    e.WagerPlaced: _wager,
    e.DecisionMade: _decision,
    e.GameStarted: _start,
    e.GameEnded: _end,
    e.MisdealCalled: _misdeal,
    e.PacketDispensed: _dispensed,
    e.PacketLifted: _lifted,
    e.RemainderDumped: _dumped,
    e.BurnConfirmed: _burn,
    e.HandRevealed: _reveal,
    e.CardsCounted: _counted,
    **shoe_turns.CHECKS,
}
