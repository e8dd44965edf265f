"""Players' actions with chips, as text."""

from collections.abc import Mapping
from typing import Final

from dealer_flow.record.details import DOLLAR
from dealwire.hub.view import PotsWonView, PotWinnerView
from dealwire.table.id_words import id_words
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
    BettingAction.FORFEIT: "forfeits {} by a supervisor's ruling",
    BettingAction.CHOP: "offers to chop the blinds",
    BettingAction.WITHDRAW: "takes the last action back",
    BettingAction.SIT_OUT: "sits out the next hand",
}
"""Text for each action; the placeholder is the seat's bet after the action."""

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
    "award": "as awarded",
}
"""Text for what a pot, or a share of it, was won with."""


def action_words(action: str, cents: int, manner: str = "", currency: str = DOLLAR) -> str:
    """Return an action as text: `raises to $9`, `calls $9 (a string bet)`; an unknown action is returned as is."""
    done = ACTIONS.get(action, f"{action} {{}}").format(_figure(cents, currency))
    return f"{done} ({MANNERS.get(manner, manner)})" if manner else done


def step_words(step: str) -> str:
    """Return the name of a betting round: `pre-flop-betting` becomes `pre-flop betting`."""
    return f"{street(step)} betting"


def street(step: str) -> str:
    """Return the street of a betting round: `pre-flop-betting` becomes `pre-flop`."""
    return id_words(step.removesuffix("-betting"))


def pot_name(number: int) -> str:
    """Return `main pot` or `side pot 1`; the main pot is number 1."""
    return "main pot" if number == 1 else f"side pot {number - 1}"


def pot_words(number: int) -> str:
    """Return the pot as part of a sentence: `the main pot`, `side pot 1`."""
    return f"{'the ' * (number == 1)}{pot_name(number)}"


def settled_pot_name(name: str) -> str:
    """Return the name of a settled pot as text."""
    return "main pot" if name == "pot" else id_words(name)


def won_words(winner: PotWinnerView) -> str:
    """Return the hand with which a seat won a pot, if it was shown, else the way in which it won."""
    return winner.hand or WON_WITH[winner.won_with]


def pots_words(pots: PotsWonView, currency: str, most: int | None = None) -> str:
    """Return the result of the pots: `pot $279, rake $5: seat 2 takes $274, two pair, kings and queens`.

    With more than `most` winners, name those of the first pots and count the others.
    """
    parts = [f"pot {_figure(pots.cents, currency)}"]
    parts += [f"rake {_figure(pots.rake, currency)}"] if pots.rake else []
    parts += [f"jackpot {_figure(pots.jackpot_rake, currency)}"] if pots.jackpot_rake else []
    rest = len(pots.winners) - most if most is not None else 0
    named = pots.winners[:most]
    takes = [f"seat {each.seat} takes {_figure(each.cents, currency)}, {won_words(each)}" for each in named]
    takes += [f"{rest} more seat{'s' * (rest > 1)}"] if rest > 0 else []
    return f"{', '.join(parts)}: {'; '.join(takes) or 'not awarded'}"


def _figure(cents: int, currency: str) -> str:
    return amount(cents, currency).removesuffix(".00")
