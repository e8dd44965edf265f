"""Checks on a choice of a seat: the step that offers it, the bets it needs, and the turn in which it is made."""

from itertools import takewhile
from typing import Final

import devices.events as e
from dealer_flow.play.order.rounds import Check
from dealer_flow.play.verdicts.unburned import folds_unburned
from dealer_flow.procedure.steps.decide import DecideStep
from dealer_flow.procedure.steps.due import in_turn
from dealer_flow.procedure.steps.exchange import ExchangeStep
from dealer_flow.table.round import Round


def choice_step(round_: Round, seat: int, choice: str) -> str | None:
    """Return the step, the one under way or a later one, in which the seat makes this choice.

    None if no step offers it, or if the seat's last choice is only reported again.
    """
    made, step = round_.choices.get(seat, {}), round_.step
    if seat in round_.late:
        waits = round_.late[seat]
        decides = round_.plan.steps[round_.plan.order[waits]]
        return waits if decides.do == "decide" and choice in decides.choices else None
    if round_.unburned and (unburned := folds_unburned(round_, seat, choice)) is not None:
        return unburned
    if made and not round_.plan.finishes.isdisjoint(made.values()):
        return None
    loose = round_.house_wrong or round_.over
    if round_.doing == "exchange" and isinstance(step, ExchangeStep) and step.unless == choice and not loose:
        due = round_.next_due
        return step.name if due is not None and due.place.seat == seat and step.name not in made else None
    if round_.doing == "decide" and isinstance(step, DecideStep) and round_.opened and not loose:
        if round_.is_undecided(seat):
            return step.name if choice in step.choices else None
        return _next_choice(round_, seat, choice) if step.name in made else None
    if choice == round_.last_choice(seat):
        return None
    steps = round_.plan.steps[0 if loose else round_.at :]
    later = (step for step in steps if isinstance(step, DecideStep) and step.name not in made)
    return next((step.name for step in later if choice in step.choices), None)


def _next_choice(round_: Round, seat: int, choice: str) -> str | None:
    """Return the step after the one under way in which a seat that has chosen already makes this choice ahead of time.

    It may do so while other seats have yet to choose, if no card comes in between.
    """
    ahead = takewhile(lambda step: not step.deals, round_.plan.steps[round_.at + 1 :])
    steps = (step for step in ahead if isinstance(step, DecideStep) and seat in round_.drawing)
    return next((step.name for step in steps if choice in step.choices), None)


def _chooses(round_: Round, body: e.DecisionMade) -> bool:
    """Return True if a step is left in which the seat may choose this; a dead hand that never chose has a check of its
    own."""
    never_chose = body.seat in round_.dead and body.seat not in round_.choices
    return never_chose or choice_step(round_, body.seat, round_.plan.decisions[body.decision].name) is not None


def _chosen(round_: Round, body: e.DecisionMade) -> str:
    return round_.plan.decisions[body.decision].name


def _made(round_: Round, seat: int) -> str | None:
    mine, step = round_.choices.get(seat, {}), round_.step
    return mine.get(step.name if step else "", round_.last_choice(seat))


def _has_its_bets(round_: Round, body: e.DecisionMade) -> bool:
    choice = round_.plan.decisions[body.decision]
    if not choice.needs and not choice.unless:
        return True
    bets = round_.wagers.get(body.seat, {}).keys()
    return bets >= {*choice.needs} and bets.isdisjoint(choice.unless)


def _found_when_shown(round_: Round, body: e.DecisionMade) -> bool:
    """Return True for the choice that keeps a hand from getting a card: the hand was turned up."""
    step, due = round_.step, round_.next_due
    found = isinstance(step, ExchangeStep) and step.unless == _chosen(round_, body)
    return found and due is not None and due.place.seat == body.seat and round_.turned_up(due)


def _acts_in_order(round_: Round, body: e.DecisionMade) -> bool:
    step = round_.step
    if not isinstance(step, DecideStep) or step.order != "clockwise" or not round_.is_undecided(body.seat):
        return True
    return body.seat == in_turn(round_, round_.undecided)[0]


def _step_offers_choice(round_: Round, body: e.DecisionMade) -> bool:
    step, choice = round_.step, round_.plan.decisions[body.decision].name
    offers = step is not None and step.do == "decide" and choice in step.choices
    return offers or _gives_up(round_, body)


def _gives_up(round_: Round, body: e.DecisionMade) -> bool:
    """Return True if the seat gives up by a choice that no step offers, because a burn was forgotten."""
    return folds_unburned(round_, body.seat, _chosen(round_, body)) is not None


CHECKS_OF_CHOICES: Final[dict[str, Check]] = {
    "choice_is_known": lambda r, body: body.decision in r.plan.decisions,
    "seat_dealt_in": lambda r, body: body.seat in r.active,
    "choice_has_its_bets": _has_its_bets,
    "acts_in_order": _acts_in_order,
    "found_when_shown": _found_when_shown,
    "choice_is_new": lambda r, body: _chooses(r, body) or _made(r, body.seat) != _chosen(r, body),
    "choice_stands": lambda r, body: _chooses(r, body) or _made(r, body.seat) is None,
    "choice_is_offered": _chooses,
    "hand_is_live": lambda r, body: body.seat not in r.dead,
    "step_offers_choice": _step_offers_choice,
    "players_choose": lambda r, body: body.seat in r.late or _gives_up(r, body),
}
"""Checks on choices by name."""
