"""What players do with their chips, in words."""

from collections.abc import Mapping
from typing import Final

from dealer_flow.record.details import DOLLAR
from devices.events import BettingAction, Manner
from rules.settlement import amount

ACTIONS: Final[Mapping[str, str]] = {
    BettingAction.BET: "bets {}",
    BettingAction.RAISE: "raises to {}",
    BettingAction.CALL: "calls {}",
    BettingAction.FOLD: "folds",
    BettingAction.CHECK: "checks",
    BettingAction.ALL_IN: "all-in with {}",
    BettingAction.BRING_IN: "brings in {}",
    BettingAction.FORFEIT: "forfeits {} by a supervisor's word",
    BettingAction.CHOP: "would chop the blinds",
}
"""What a player does, with all that lies before the seat then."""

MANNERS: Final[Mapping[str, str]] = {
    Manner.STRING_BET: "a string bet",
    Manner.TIME_LIMIT: "by the time limit",
    Manner.CORRECTED: "corrected",
}

WON_WITH: Final[Mapping[str, str]] = {
    "high": "the high hand",
    "low": "the low hand",
    "both": "the high and the low hand",
    "last-hand": "the last hand",
    "award": "as it was awarded",
}
"""With what a seat takes a pot, or part of it."""


def action_words(action: str, cents: int, manner: str = "", currency: str = DOLLAR) -> str:
    """`raises to $9`, `calls $9 (a string bet)`; an action that is none of them as it came."""
    done = ACTIONS.get(action, f"{action} {{}}").format(amount(cents, currency).removesuffix(".00"))
    return f"{done} ({MANNERS.get(manner, manner)})" if manner else done


def step_words(step: str) -> str:
    """The name of a betting round: `pre-flop-betting` as `pre-flop betting`."""
    return f"{step.removesuffix('-betting')} betting"


def pot_name(number: int) -> str:
    """`main pot`, `side pot 1`: the main pot is number 1."""
    return "main pot" if number == 1 else f"side pot {number - 1}"


def settled_pot_name(name: str) -> str:
    """The name of a settled pot in words."""
    return "main pot" if name == "pot" else name.replace("-", " ")
