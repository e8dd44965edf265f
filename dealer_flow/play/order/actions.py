"""Checks on a player's action in a betting round: the chips in front of the seat and the limits of the house."""

from collections.abc import Callable
from typing import Final, NamedTuple

import devices.events as e
from dealer_flow.play.course.retrieved import in_question
from dealer_flow.play.course.turns import corrects, declares, first_betting, may_act, reopens, standing, undoes
from dealer_flow.play.order.rounds import Check
from dealer_flow.procedure.betting import BettingPart, is_full
from dealer_flow.procedure.steps.bet import BetStep
from dealer_flow.procedure.tables import OptionRef
from dealer_flow.table.betting import Betting
from dealer_flow.table.round import Round
from devices.events import BettingAction, Manner

_KNOWN: Final = frozenset(BettingAction)
_A: Final = BettingAction
_RAISES: Final = (_A.BET, _A.RAISE, _A.ALL_IN)


class Attempt(NamedTuple):
    """Action that a player attempts: the betting before it, what it counts as, and the cents in front of the seat after
    it.

    `stated` is the amount that the report gives.
    """

    round: Round
    part: BettingPart
    betting: Betting
    seat: int
    action: BettingAction
    cents: int
    stated: int
    timed_out: bool
    declared: bool

    def option(self, ref: OptionRef) -> str:
        """Return the setting of an option that the house posts."""
        return self.round.plan.options[ref.option]

    @property
    def raises(self) -> bool:
        """True if it puts in more than the bet to call, and there was one."""
        return self.cents > self.betting.high > 0

    def breaks(self, guard: str) -> bool:
        """Return True if it exceeds the limit that this guard enforces."""
        now, most = self.betting, self.option(self.part.raises)
        whole = not now.full_only or is_full(self.cents, now.high, now.step_up, bring_in=now.bring_in)
        found = self.part.over_limit(
            self.cents, now.high, now.raises, most, bring_in=now.bring_in, counts=whole and self.action is not _A.CALL
        )
        return found is not None and found.guard == guard


def effect_of(round_: Round, betting: Betting, body: e.PlayerActed) -> tuple[BettingAction, int]:
    """Return the action that a reported action counts as, and the cents in front of the seat after it.

    Chips in excess of a call go back, and so do those of a string bet.
    """
    action, most, lies = BettingAction(body.action), betting.most(body.seat), betting.lies(body.seat)
    if action in (BettingAction.FOLD, BettingAction.CHECK):
        return action, lies
    if body.manner == Manner.STRING_BET and betting.high:
        action = BettingAction.CALL if betting.high > lies else BettingAction.CHECK
    if action is BettingAction.CALL and betting.short and body.cents > betting.high:  # the full blind
        return action, body.cents if most is None else min(body.cents, most)
    if action in (BettingAction.CALL, BettingAction.CHECK):
        return action, betting.to_call(body.seat) if action is BettingAction.CALL else lies
    if action is BettingAction.ALL_IN and not body.cents and most is not None and not declares(round_, body):
        return action, most
    return action, body.cents


def _of(*actions: BettingAction, needs: Callable[[Attempt], bool]) -> Check:
    """Return a check for `actions` only; it passes every other action."""

    def check(round_: Round, body: e.PlayerActed) -> bool:
        part = round_.plan.betting
        if body.action not in _KNOWN or part is None:
            return True
        if body.action not in actions and body.manner != Manner.STRING_BET:
            return True  # the action counts as reported: this check is not about it
        betting, timed_out = standing(round_, body), body.manner == Manner.TIME_LIMIT
        action, cents = effect_of(round_, betting, body)
        if action not in actions:
            return True
        declared = declares(round_, body)
        return needs(Attempt(round_, part, betting, body.seat, action, cents, body.cents, timed_out, declared))

    return check


def _may_check(would: Attempt) -> bool:
    """Return True if the player may check.

    A player whose time has run out must check (47.1-1038), even where the house requires a bet or a fold.
    """
    if would.timed_out or would.betting.high:
        return True
    return not would.betting.bring_in and would.option(would.part.bet_or_fold) == "no"


def _stake_covers(would: Attempt) -> bool:
    most = would.betting.most(would.seat)
    return would.betting.lies(would.seat) <= would.cents and (most is None or would.cents <= most)


def _no_card_ahead(would: Attempt) -> bool:
    """Return False for a bet by a player who already has the last card against one who does not."""
    ahead = {mark.place.seat for mark in would.round.marks.values() if mark.why == "early"}
    return would.cents <= would.betting.high or would.seat not in ahead or ahead >= {*would.round.live}


def _may_chop(would: Attempt) -> bool:
    """Return True if the blinds may be chopped: before the flop, all others have folded and no one has put anything
    in."""
    part, round_ = would.part, would.round
    first = first_betting(round_) is round_.step
    bets = {number: round_.wagers.get(number, {}) for number in round_.active}
    blinds = [number for number in round_.live if not bets[number].keys().isdisjoint(part.blinds)]
    beside = {*part.posts, *part.dead}.union(part.extra_blinds)  # nobody could take these back
    alone = all(beside.isdisjoint(each) for each in bets.values())
    acted = {each.action for each in would.betting.actions} - {BettingAction.FOLD, BettingAction.CHOP}
    allowed = part.chop is not None and would.option(part.chop) == "yes"
    return allowed and first and alone and not acted and blinds == round_.live and len(blinds) == 2


def _seat_to_act(round_: Round, body: e.PlayerActed) -> bool:
    """Return True if the seat has yet to act in this betting round. A hand may be folded at any time."""
    return (
        corrects(round_, body)
        or body.action == BettingAction.FOLD
        or standing(round_, body).needs(body.seat, round_.live)
        or declares(round_, body)
    )


def _time_limit_kept(round_: Round, body: e.PlayerActed) -> bool:
    """Return True if a player whose time has run out checks, or folds if there is a bet to call."""
    if body.manner != Manner.TIME_LIMIT:
        return True
    betting = standing(round_, body)
    return body.action == (BettingAction.FOLD if betting.high > betting.lies(body.seat) else BettingAction.CHECK)


def _forfeits(body: e.PlayerActed) -> bool:
    """Return True for a report that chips stay in the pot: it is not an act in turn, and may concern any hand."""
    return body.action == BettingAction.FORFEIT


def _stays_mucked(round_: Round, body: e.PlayerActed) -> bool:
    """Return True if the report rules that a hand which lies face up was not retrieved from the muck."""
    return body.action == BettingAction.FOLD and in_question(round_, body.seat)


def _no_turn(body: e.PlayerActed) -> bool:
    """Return True for an action that is reported out of turn by nature."""
    return body.action in (BettingAction.FORFEIT, BettingAction.CHOP, BettingAction.WITHDRAW)


def _may_withdraw(round_: Round, body: e.PlayerActed) -> bool:
    """Return True unless an action is to be taken back that is not the last one, and binds nobody."""
    last = corrects(round_, body) and (isinstance(round_.step, BetStep) or reopens(round_, body))
    return body.action != BettingAction.WITHDRAW or last or body.seat in round_.betting.apart


def _keeps_word(round_: Round, body: e.PlayerActed) -> bool:
    """Return True unless an action out of turn binds the player to another one."""
    if body.action not in _KNOWN or _no_turn(body) or undoes(body):
        return True
    betting = standing(round_, body)
    bound = betting.word(body.seat)
    return bound is None or effect_of(round_, betting, body) == (bound.action, bound.cents)


def may_correct_stake(round_: Round, body: e.StakeShown) -> bool:
    """Return True before the first betting round for a seat that has bet more than the stake that was keyed."""
    return body.seat in round_.betting.too_much and not round_.betting.step


CHECKS_OF_ACTIONS: Final[dict[str, Check]] = {
    "chips_play": lambda r, body: (
        r.plan.betting is not None or (isinstance(body, e.StakeShown) and r.plan.shows_stakes)
    ),
    "stake_before_hand": lambda r, body: (
        not r.in_play or (may_correct_stake(r, body) if isinstance(body, e.StakeShown) else body.action != _A.SIT_OUT)
    ),
    "hand_in_play": lambda r, body: (
        _forfeits(body) or body.seat in r.live or corrects(r, body) or _stays_mucked(r, body)
    ),
    "betting_under_way": lambda r, body: _forfeits(body) or reopens(r, body),
    "players_act": lambda r, body: (
        _forfeits(body)
        or reopens(r, body)
        or (body.action == BettingAction.FOLD and len(r.live) > 1)
        or _stays_mucked(r, body)
    ),
    "seat_to_act": lambda r, body: _no_turn(body) or _seat_to_act(r, body),
    "action_is_known": lambda _, body: body.action in _KNOWN,
    "acts_in_turn": lambda r, body: _no_turn(body) or may_act(r, body),
    "may_chop": _of(_A.CHOP, needs=_may_chop),
    "time_limit_kept": _time_limit_kept,
    "action_to_withdraw": _may_withdraw,
    "keeps_word": _keeps_word,
    "bring_in_due": _of(_A.BRING_IN, needs=lambda w: w.betting.bring_in and not w.betting.high and w.cents > 0),
    "may_check": _of(_A.CHECK, needs=_may_check),
    "nothing_to_call": _of(_A.CHECK, needs=lambda w: w.cents >= w.betting.high),
    "something_to_call": _of(_A.CALL, needs=lambda w: max(w.betting.high, w.cents) > w.betting.lies(w.seat)),
    "call_is_whole": _of(_A.CALL, needs=lambda w: not w.stated or w.stated >= w.cents),
    "nothing_bet_yet": _of(_A.BET, needs=lambda w: not w.betting.high),
    "something_to_raise": _of(_A.RAISE, needs=lambda w: w.betting.high > 0),
    "more_than_before": _of(_A.BET, _A.RAISE, needs=lambda w: w.cents > w.betting.high),
    "stake_covers": _of(*_RAISES, _A.BRING_IN, needs=_stake_covers),
    "all_of_it": _of(_A.ALL_IN, needs=lambda w: w.declared or w.betting.most(w.seat) in (None, w.cents)),
    "no_card_ahead": _of(*_RAISES, needs=_no_card_ahead),
    "bet_within_limit": _of(*_RAISES, _A.BRING_IN, needs=lambda w: not w.breaks("bet_within_limit")),
    "raise_within_limit": _of(*_RAISES, _A.CALL, needs=lambda w: not w.breaks("raise_within_limit")),
    "raises_left": _of(*_RAISES, needs=lambda w: not w.breaks("raises_left")),
    "betting_reopened": _of(
        *_RAISES, needs=lambda w: not (w.betting.full_only and w.raises and w.betting.closed_to(w.seat))
    ),
    "may_check_raise": _of(
        *_RAISES,
        needs=lambda w: not (w.raises and w.seat in w.betting.checked) or w.option(w.part.check_and_raise) == "yes",
    ),
    "hands_compared": lambda r, _: r.won or (r.step is not None and r.step.do == "reveal"),
}
"""Checks on actions and chips by name."""
