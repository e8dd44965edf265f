"""What must hold before the round goes on by a report: START and END GAME, a misdeal, the number, CONFIRM."""

from collections.abc import Callable
from typing import Any, Final

import devices.events as e
from dealer_flow.play.course.steps import ends_by
from dealer_flow.procedure.steps.assign import AssignStep
from dealer_flow.table.round import Round
from devices.events import Level

Check = Callable[[Round, Any], bool]
"""Whether a report may be: the round, and what is reported."""
SUPERVISORS: Final = (Level.SUPERVISOR, Level.EXECUTIVE)
"""Levels of a badge that may rule."""


def somebody_enters(round_: Round) -> bool:
    """Whether a seat would be dealt in by now."""
    bets = any(round_.plan.entering & bets.keys() for bets in round_.wagers.values())
    return bets or (round_.plan.betting is not None and any(round_.betting.stakes.values()))


def not_here(*_: object) -> bool:
    """The state alone decides: the rule names the states in which it does not hold."""
    return False


def _hands_lie_there(round_: Round, _: object) -> bool:
    """Where the number is drawn after the deal: whether every hand lies in front of the tray."""
    assign = round_.plan.assign
    if assign is None or isinstance(round_.step, AssignStep):
        return True
    return assign.early and not round_.given


def _place_of_number(round_: Round, body: e.SpotSelected) -> bool:
    return round_.drawn is None or body.seat == round_.first


def _number_of_place(round_: Round, body: e.NumberDrawn) -> bool:
    return round_.first is None or round_.plan.numbered(body.drawn) == round_.first


def _something_to_confirm(round_: Round, body: e.Confirmed) -> bool:
    """CONFIRM is pressed for many things; it is missed only where cards are still to be dealt by hand."""
    if round_.rulings or round_.by_hand or ends_by(round_, body):
        return True
    return not any(step.deals and not step.from_device for step in round_.plan.steps[round_.at + 1 :])


def _settling(round_: Round) -> bool:
    """All of the house's cards lie open for the last time, and so does a player's hand, which is settled then."""
    plan, hands, step = round_.plan, round_.ledger.hands, round_.step
    if step is None or step.do != "reveal":
        return False
    shown = {plan.kind(place) for place, hand in hands.items() if hand.revealed is not None}
    players = [kind for kind in step.order if kind == "seats" or not plan.house(kind)]
    return shown.issuperset(set(step.order) - set(players)) and (not players or not shown.isdisjoint(players))


def _substantial_action(round_: Round) -> bool:
    """Two players put money in the pot, or three did that or folded; what was placed before the deal does not count."""
    if round_.betting.substantial:
        return True
    choices = round_.plan.choices
    made = [[choices[name] for name in names.values()] for names in round_.choices.values()]
    paid = sum(any(choice.stakes for choice in mine) for mine in made)
    return paid >= 2 or sum(any(choice.stakes or choice.folds for choice in mine) for mine in made) >= 3


_MISDEAL_OVER: Final[dict[str, Callable[[Round], bool]]] = {
    "end": lambda _: False,
    "settlement": _settling,
    "first-decision": lambda r: bool(r.choices),
    "substantial-action": _substantial_action,
}
"""The words of `[misdeal]`, and when each says that a call comes too late."""

CHECKS_OF_ROUND: Final[dict[str, Check]] = {
    "round_begun": not_here,
    "round_ended": not_here,
    "bets_closed": not_here,
    "misdeal_in_time": lambda r, _: bool(r.rulings) or not _MISDEAL_OVER[r.plan.misdeal_until](r),
    "place_is_known": lambda r, body: not r.plan.selects_first or 0 <= body.seat <= r.plan.most_seats,
    "wagers_placed": lambda r, _: somebody_enters(r),
    "hands_lie_there": _hands_lie_there,
    "number_counts": lambda r, body: 1 <= body.drawn <= r.plan.number_most,
    "number_is_asked_for": lambda r, _: r.plan.counted is not None,
    "place_of_number": _place_of_number,
    "number_of_place": _number_of_place,
    "first_cards_to_come": lambda r, _: not (r.plan.selects_first and (r.dues or r.by_hand) and r.first is not None),
    "something_to_confirm": _something_to_confirm,
}
"""Checks of what moves the round by their name."""
