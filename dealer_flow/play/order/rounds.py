"""Checks on reports that move a round: START and END GAME, a misdeal, the number, CONFIRM."""

from collections.abc import Callable
from typing import Any, Final

import devices.events as e
from dealer_flow.play.course.steps import ends_by
from dealer_flow.procedure.steps.assign import AssignStep
from dealer_flow.table.round import Round
from devices.events import BettingAction, Level

Check = Callable[[Round, Any], bool]
"""A check on a report: takes the round and the report, and returns True if the report is allowed."""
SUPERVISORS: Final = (Level.SUPERVISOR, Level.EXECUTIVE)
"""Badge levels that may make a ruling."""


def somebody_enters(round_: Round) -> bool:
    """Return True if at least one seat would be dealt in now."""
    bets = any(round_.plan.entering & bets.keys() for bets in round_.wagers.values())
    chips = round_.betting
    return bets or (round_.plan.betting is not None and any(chips.stakes.keys() - chips.sitting_out))


def not_here(*_: object) -> bool:
    """Fail always: the rule itself names the states in which the report is not allowed."""
    return False


def _hands_lie_there(round_: Round, _: object) -> bool:
    """Return True if every hand lies in front of the tray, in a game in which the number is drawn after the deal."""
    assign = round_.plan.assign
    if assign is None or isinstance(round_.step, AssignStep):
        return True
    return assign.early and not round_.given


def _place_of_number(round_: Round, body: e.SpotSelected) -> bool:
    return round_.drawn is None or body.seat == round_.first


def _number_of_place(round_: Round, body: e.NumberDrawn) -> bool:
    return round_.first is None or round_.plan.numbered(body.drawn) == round_.first


def _something_to_confirm(round_: Round, body: e.Confirmed) -> bool:
    """Return True if there is something to confirm.

    CONFIRM is pressed for many things; it is out of order only while cards are yet to be dealt by hand.
    """
    if round_.rulings or round_.by_hand or ends_by(round_, body):
        return True
    return not any(step.deals and not step.from_device for step in round_.plan.steps[round_.at + 1 :])


def _settling(round_: Round) -> bool:
    """Return True if all of the house's cards are visible for the last time, and so is the hand of a player being
    settled."""
    plan, hands, step = round_.plan, round_.ledger.hands, round_.step
    if step is None or step.do != "reveal":
        return False
    shown = {plan.kind(place) for place, hand in hands.items() if hand.revealed is not None}
    players = [kind for kind in step.order if kind == "seats" or not plan.house(kind)]
    return shown.issuperset(set(step.order) - set(players)) and (not players or not shown.isdisjoint(players))


def _substantial_action(round_: Round) -> bool:
    """Return True if two players put money in the pot, or three did so or folded; bets before the deal do not count."""
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
"""Value of `until` in `[misdeal]` -> predicate that says whether a misdeal may no longer be called."""

CHECKS_OF_ROUND: Final[dict[str, Check]] = {
    "round_begun": lambda r, body: (
        isinstance(body, e.PlayerActed) and body.action == BettingAction.SIT_OUT and r.plan.betting is not None
    ),
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
"""Checks on reports that move the round, by name."""
