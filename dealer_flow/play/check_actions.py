"""What must hold before a player acts in a betting round, by the chips that lie there and the house's figures."""

from collections.abc import Callable
from typing import Final

import devices.events as e
from dealer_flow.play.check_round import Check
from dealer_flow.play.turns import may_act
from dealer_flow.procedure.betting import UNLIMITED
from dealer_flow.table.betting import Betting
from dealer_flow.table.round import Round
from devices.events import Action, Manner

_KNOWN: Final = frozenset(Action)
_RAISES: Final = (Action.BET, Action.RAISE, Action.ALL_IN)


def standing(round_: Round, body: e.PlayerActed) -> Betting:
    """The betting as it stood before this action; before the last one where that is corrected."""
    return round_.betting.standing(body.seat, corrected=body.manner == Manner.CORRECTED)


def comes_to(betting: Betting, body: e.PlayerActed) -> tuple[Action, int]:
    """What an action counts as, and what lies before the seat after it: chips that a call has too many go back, those
    of a string bet too."""
    action, most = Action(body.action), betting.most(body.seat)
    if action in (Action.FOLD, Action.CHECK):
        return action, betting.lies(body.seat)
    if action is Action.CALL or body.manner == Manner.STRING_BET:
        return Action.CALL, betting.to_call(body.seat)
    if action is Action.ALL_IN and not body.cents and most is not None:
        return action, most
    return action, body.cents


def _may(*actions: Action) -> Callable[[Callable[[Round, Betting, e.PlayerActed, int], bool]], Check]:
    """A condition of these actions alone: the round, the betting, the report, and what lies there after it."""

    def of(holds: Callable[[Round, Betting, e.PlayerActed, int], bool]) -> Check:
        def check(round_: Round, body: e.PlayerActed) -> bool:
            if body.action not in _KNOWN or round_.plan.betting is None:
                return True
            betting = standing(round_, body)
            action, cents = comes_to(betting, body)
            return action not in actions or holds(round_, betting, body, cents)

        return check

    return of


@_may(Action.CHECK)
def _nothing_to_call(round_: Round, betting: Betting, body: e.PlayerActed, cents: int) -> bool:
    return cents >= betting.high


@_may(Action.CHECK)
def _may_check(round_: Round, betting: Betting, body: e.PlayerActed, cents: int) -> bool:
    part = round_.plan.betting
    forced = betting.bring_in and not betting.high
    return not forced and (part is None or round_.plan.options[part.bet_or_fold.option] == "no" or betting.high > 0)


@_may(Action.CALL)
def _something_to_call(round_: Round, betting: Betting, body: e.PlayerActed, cents: int) -> bool:
    return betting.high > betting.lies(body.seat)


@_may(Action.CALL)
def _call_is_whole(round_: Round, betting: Betting, body: e.PlayerActed, cents: int) -> bool:
    return not body.cents or body.cents >= cents


@_may(Action.BET)
def _nothing_bet_yet(round_: Round, betting: Betting, body: e.PlayerActed, cents: int) -> bool:
    return not betting.high


@_may(Action.RAISE)
def _something_to_raise(round_: Round, betting: Betting, body: e.PlayerActed, cents: int) -> bool:
    return betting.high > 0


@_may(Action.BET, Action.RAISE)
def _more_than_before(round_: Round, betting: Betting, body: e.PlayerActed, cents: int) -> bool:
    return cents > betting.high


@_may(*_RAISES)
def _within_limit(round_: Round, betting: Betting, body: e.PlayerActed, cents: int) -> bool:
    part = round_.plan.betting
    if part is None:
        return True
    return cents - betting.high <= (part.most_raise if betting.high else part.most_bet).cents


@_may(*_RAISES)
def _raises_left(round_: Round, betting: Betting, body: e.PlayerActed, cents: int) -> bool:
    part = round_.plan.betting
    if part is None or cents <= betting.high or not betting.high or betting.bring_in:
        return True
    most = round_.plan.options[part.raises.option]
    return most == UNLIMITED or betting.raises < int(most)


@_may(*_RAISES)
def _may_check_raise(round_: Round, betting: Betting, body: e.PlayerActed, cents: int) -> bool:
    part = round_.plan.betting
    raises = cents > betting.high > 0 and body.seat in betting.checked
    return not raises or part is None or round_.plan.options[part.check_and_raise.option] == "yes"


@_may(Action.BET, Action.RAISE, Action.ALL_IN, Action.BRING_IN)
def _stake_covers(round_: Round, betting: Betting, body: e.PlayerActed, cents: int) -> bool:
    most = betting.most(body.seat)
    return betting.lies(body.seat) <= cents and (most is None or cents <= most)


@_may(Action.ALL_IN)
def _all_of_it(round_: Round, betting: Betting, body: e.PlayerActed, cents: int) -> bool:
    declared = body.seat in round_.seen_last and cents == betting.lies(body.seat)
    return declared or betting.most(body.seat) in (None, cents)


@_may(Action.BET, Action.RAISE, Action.ALL_IN)
def _no_card_ahead(round_: Round, betting: Betting, body: e.PlayerActed, cents: int) -> bool:
    """Who already has the last card may not bet into one who has not."""
    ahead = {mark.place.seat for mark in round_.marks.values() if mark.why == "early"}
    return cents <= betting.high or body.seat not in ahead or ahead >= {*round_.live}


@_may(Action.BRING_IN)
def _bring_in_due(round_: Round, betting: Betting, body: e.PlayerActed, cents: int) -> bool:
    return betting.bring_in and not betting.high and cents > 0


def _time_limit_kept(round_: Round, body: e.PlayerActed) -> bool:
    """Who has not acted in time checks, and is dead where there was a bet to call."""
    if body.manner != Manner.TIME_LIMIT:
        return True
    betting = standing(round_, body)
    return body.action == (Action.FOLD if betting.high > betting.lies(body.seat) else Action.CHECK)


def _forfeits(body: e.PlayerActed) -> bool:
    """A person's word that chips stay in the pot: no act in turn, and of any hand."""
    return body.action == Action.FORFEIT


CHECKS_OF_ACTIONS: Final[dict[str, Check]] = {
    "chips_play": lambda r, _: r.plan.betting is not None,
    "stake_before_hand": lambda r, _: not r.in_play,
    "hand_in_play": lambda r, body: _forfeits(body) or body.seat in r.live or standing(r, body) is not r.betting,
    "betting_under_way": lambda _, body: _forfeits(body),
    "players_act": lambda r, body: (
        _forfeits(body) or body.action == Action.FOLD and body.seat in r.live and len(r.live) > 1
    ),
    "action_is_known": lambda _, body: body.action in _KNOWN,
    "acts_in_turn": lambda r, body: _forfeits(body) or may_act(r, body),
    "time_limit_kept": _time_limit_kept,
    "bring_in_due": _bring_in_due,
    "may_check": _may_check,
    "nothing_to_call": _nothing_to_call,
    "something_to_call": _something_to_call,
    "call_is_whole": _call_is_whole,
    "nothing_bet_yet": _nothing_bet_yet,
    "something_to_raise": _something_to_raise,
    "more_than_before": _more_than_before,
    "stake_covers": _stake_covers,
    "all_of_it": _all_of_it,
    "no_card_ahead": _no_card_ahead,
    "within_limit": _within_limit,
    "raises_left": _raises_left,
    "may_check_raise": _may_check_raise,
    "hands_compared": lambda r, _: r.won or (r.step is not None and r.step.do == "reveal"),
}
"""Checks of an action and of chips by their name."""
