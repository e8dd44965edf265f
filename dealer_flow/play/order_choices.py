"""Whether a bet or a choice may be made now: a part of `turns`."""

from collections.abc import Callable
from typing import Any, Final

import devices.events as e
from dealer_flow.play import order_shoe as shoe_turns
from dealer_flow.play.offered import seen_before
from dealer_flow.play.states import LOOSE, State
from dealer_flow.play.violation import Breach, refuse
from dealer_flow.procedure.schema import BetPart, DecideStep
from dealer_flow.table.round import Round


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
        in_order = state is State.BETTING or (not body.cents and takes_back(now, body.seat, bet.name))
        if gives_up(now, body.seat, bet.name):  # what the choice left of it
            in_order |= body.cents == now.wagers[body.seat].get(bet.name, 0)
        return None if in_order else refuse(f"{what} after bets were closed")
    if bet.placed == "before-extra":
        return shoe_turns.moved(state, now, body, bet)
    if state is State.BETTING:
        return refuse(f"{what} before the deal")
    if body.seat not in now.live:
        return refuse(f"{what}; it is not live in this round")
    if now.house_shown or (body.seat, bet.name) in now.too_late:
        return refuse(f"{what} after the house's cards were shown")
    if about := seen_before(now, bet.name):
        return refuse(f"{what} after the {about} was shown")
    if state in (State.DECIDING, State.REVEALING) or _goes_with_choice(now, body.seat, bet):
        return None
    return Breach(f"{what} while {state.value}", False, True)


def takes_back(now: Round, seat: int, bet: str) -> bool:
    """True when a choice gives this bet back: one the seat made, or may make now."""
    names = [*now.choices.get(seat, {}).values()]
    if isinstance(now.step, DecideStep) and now.is_undecided(seat):
        names += now.step.choices
    return any(now.plan.choices[name].takes_back == bet for name in names)


def gives_up(now: Round, seat: int, bet: str) -> bool:
    """True when a share of this bet was given up by a choice the seat made."""
    parts = (now.plan.choices[name].gives_up for name in now.choices.get(seat, {}).values())
    return any(part is not None and part.bet == bet for part in parts)


def _goes_with_choice(now: Round, seat: int, bet: BetPart) -> bool:
    last = now.last_choice(seat)
    return last is not None and bet.name in now.plan.choices[last].stakes


def _decision(state: State, now: Round, body: e.DecisionMade) -> Breach | None:
    choice = now.plan.decisions.get(body.decision)
    if state in LOOSE:
        return None
    if choice is None:
        return refuse(f"seat {body.seat} makes choice {body.decision}", "unknown-decision")
    what = f"seat {body.seat} chooses {choice.name}"
    if body.seat not in now.active:
        return refuse(f"{what}; it was not dealt in", "unknown-seat")
    if missing := [bet for bet in choice.needs if bet not in now.wagers[body.seat]]:
        return refuse(f"{what} without {', '.join(missing)}")
    if choice_step(now, body.seat, choice.name) is None and not (
        body.seat in now.dead and body.seat not in now.choices
    ):
        return _again(now, body.seat, choice.name)
    if body.seat in now.dead:
        return Breach(f"{what} with a dead hand", False, False)
    if state is State.DECIDING and isinstance(now.step, DecideStep) and choice.name in now.step.choices:
        return None
    return Breach(f"{what} while {state.value}", False, True)


def _again(now: Round, seat: int, choice: str) -> Breach:
    """The seat chose before, or no step is left in which it may choose this."""
    mine, step = now.choices.get(seat, {}), now.step
    made = mine.get(step.name if step else "", now.last_choice(seat))
    if made is not None:
        return Breach(f"seat {seat} chooses {choice} after it chose {made}", harmful=made != choice, take=False)
    offered = ", ".join(step.choices) if isinstance(step, DecideStep) else "none"
    return refuse(f"seat {seat} chooses {choice}; choices of this step: {offered}", "unknown-decision")


def choice_step(now: Round, seat: int, choice: str) -> str | None:
    """The step, from the one under way on, in which the seat makes this choice; None when it is none of them, or the
    choice that the seat made last is only reported again."""
    made, step = now.choices.get(seat, {}), now.step
    if not now.plan.finishes.isdisjoint(made.values()):
        return None
    loose = now.over or now.house_wrong
    if isinstance(step, DecideStep) and now.opened and not loose:
        return step.name if choice in step.choices and now.is_undecided(seat) else None
    if choice == now.last_choice(seat):
        return None
    steps = now.plan.steps[0 if loose else now.at :]
    later = (step for step in steps if isinstance(step, DecideStep) and step.name not in made)
    return next((step.name for step in later if choice in step.choices), None)


CHECKS: Final[dict[type[e.Body], Callable[[State, Round, Any], Breach | None]]] = {
    e.WagerPlaced: _wager,
    e.DecisionMade: _decision,
}
