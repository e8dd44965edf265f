"""Whether a bet or a choice may be made now: a part of `order`."""

from collections.abc import Callable
from typing import Any, Final

import devices.events as e
from dealer_flow.play import order_shoe as shoe_turns
from dealer_flow.play.offered import seen_before
from dealer_flow.play.states import LOOSE, State
from dealer_flow.play.violation import Violation, refuse
from dealer_flow.procedure.schema import BetPart, DecideStep
from dealer_flow.table.round import Round


def _wager(state: State, round_: Round, body: e.WagerPlaced) -> Violation | None:
    bet = round_.plan.bets.get(body.bet)
    if state in LOOSE:
        return None
    if bet is None:
        return refuse(f"seat {body.seat} bets {body.cents} cents on spot {body.bet}", "unknown-bet")
    if not 1 <= body.seat <= round_.plan.most_seats:
        return refuse(f"seat {body.seat} bets; seats are 1 to {round_.plan.most_seats}", "unknown-seat")
    what = f"seat {body.seat} changes its {bet.name} bet to {body.cents} cents"
    if bet.placed == "before-deal":
        in_order = state is State.BETTING or (not body.cents and takes_back(round_, body.seat, bet.name))
        if gives_up(round_, body.seat, bet.name):  # what the choice left of it
            in_order |= body.cents == round_.wagers[body.seat].get(bet.name, 0)
        return None if in_order else refuse(f"{what} after bets were closed")
    if bet.placed == "before-extra":
        return shoe_turns.moved(state, round_, body, bet)
    if state is State.BETTING:
        return refuse(f"{what} before the deal")
    if body.seat not in round_.live:
        return refuse(f"{what}; it is not live in this round")
    if round_.house_shown or (body.seat, bet.name) in round_.too_late:
        return refuse(f"{what} after the house's cards were shown")
    if about := seen_before(round_, bet.name):
        return refuse(f"{what} after the {about} was shown")
    if state in (State.DECIDING, State.REVEALING) or _goes_with_choice(round_, body.seat, bet):
        return None
    return Violation(f"{what} while {state.value}", False, True)


def takes_back(round_: Round, seat: int, bet: str) -> bool:
    """True when a choice gives this bet back: one the seat made, or may make now."""
    names = [*round_.choices.get(seat, {}).values()]
    if isinstance(round_.step, DecideStep) and round_.is_undecided(seat):
        names += round_.step.choices
    return any(round_.plan.choices[name].takes_back == bet for name in names)


def gives_up(round_: Round, seat: int, bet: str) -> bool:
    """True when a share of this bet was given up by a choice the seat made."""
    parts = (round_.plan.choices[name].gives_up for name in round_.choices.get(seat, {}).values())
    return any(part is not None and part.bet == bet for part in parts)


def _goes_with_choice(round_: Round, seat: int, bet: BetPart) -> bool:
    last = round_.last_choice(seat)
    return last is not None and bet.name in round_.plan.choices[last].stakes


def _decision(state: State, round_: Round, body: e.DecisionMade) -> Violation | None:
    choice = round_.plan.decisions.get(body.decision)
    if state in LOOSE:
        return None
    if choice is None:
        return refuse(f"seat {body.seat} makes choice {body.decision}", "unknown-decision")
    what = f"seat {body.seat} chooses {choice.name}"
    if body.seat not in round_.active:
        return refuse(f"{what}; it was not dealt in", "unknown-seat")
    if missing := [bet for bet in choice.needs if bet not in round_.wagers[body.seat]]:
        return refuse(f"{what} without {', '.join(missing)}")
    if choice_step(round_, body.seat, choice.name) is None and not (
        body.seat in round_.dead and body.seat not in round_.choices
    ):
        return _again(round_, body.seat, choice.name)
    if body.seat in round_.dead:
        return Violation(f"{what} with a dead hand", False, False)
    if state is State.DECIDING and isinstance(round_.step, DecideStep) and choice.name in round_.step.choices:
        return None
    return Violation(f"{what} while {state.value}", False, True)


def _again(round_: Round, seat: int, choice: str) -> Violation:
    """The seat chose before, or no step is left in which it may choose this."""
    mine, step = round_.choices.get(seat, {}), round_.step
    made = mine.get(step.name if step else "", round_.last_choice(seat))
    if made is not None:
        return Violation(f"seat {seat} chooses {choice} after it chose {made}", harmful=made != choice, take=False)
    offered = ", ".join(step.choices) if isinstance(step, DecideStep) else "none"
    return refuse(f"seat {seat} chooses {choice}; choices of this step: {offered}", "unknown-decision")


def choice_step(round_: Round, seat: int, choice: str) -> str | None:
    """The step, from the one under way on, in which the seat makes this choice; None when it is none of them, or the
    choice that the seat made last is only reported again."""
    made, step = round_.choices.get(seat, {}), round_.step
    if not round_.plan.finishes.isdisjoint(made.values()):
        return None
    loose = round_.over or round_.house_wrong
    if isinstance(step, DecideStep) and round_.opened and not loose:
        return step.name if choice in step.choices and round_.is_undecided(seat) else None
    if choice == round_.last_choice(seat):
        return None
    steps = round_.plan.steps[0 if loose else round_.at :]
    later = (step for step in steps if isinstance(step, DecideStep) and step.name not in made)
    return next((step.name for step in later if choice in step.choices), None)


CHECKS: Final[dict[type[e.Body], Callable[[State, Round, Any], Violation | None]]] = {
    e.WagerPlaced: _wager,
    e.DecisionMade: _decision,
}
