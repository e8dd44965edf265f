"""The order of play: the conditions on every report, as data.

Every report has rules. The first rule that applies in the state and whose check fails makes the report a violation,
which is never silent: the rule says whether the report still counts and whether money or hidden cards depend on it; if
they do, the round cannot be settled. `legal.py` offers nothing that would break a rule.
"""

from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from typing import Final, NamedTuple

import devices.events as e
from dealer_flow.play.machine import guards
from dealer_flow.play.machine.states import COLUMNS, LOOSE, STEP_STATES, STEPS, TRANSITIONS, WAITS, Row, State
from dealer_flow.play.order.checks import CHECKS
from dealer_flow.play.order.rounds import Check
from dealer_flow.play.order.violation import Violation
from dealer_flow.procedure.plan import Plan
from dealer_flow.procedure.posted import SIZES
from dealer_flow.procedure.steps.decide import DecideStep
from dealer_flow.procedure.steps.exchange import ExchangeStep
from dealer_flow.table.round import Round
from protocol.places import NOWHERE, SHOE, Place

_ROUND_OVER: Final = "round_over"


class OrderRule(NamedTuple):
    """A rule: in these states, a report needs this check to pass.

    - `harmful`, `taken`: as in `Violation`.
    - `at`: the place that the violation is about, if the report names none.
    - `mild`: a check that, if it passes, makes the violation harmless.
    - `only`: the rule applies only to games with this feature, a key of `GAMES`.
    - `nearer`: checks that pass whenever this one does; the first that fails describes the error more precisely.
    """

    states: frozenset[State]
    guard: str
    harmful: bool = True
    taken: bool = False
    code: str = "out-of-turn"
    at: Place | None = None
    mild: str = ""
    only: str | None = None
    nearer: tuple[str, ...] = ()


Rules = tuple[tuple[Check, OrderRule], ...]
"""Rules of a report that apply, each with its check."""


def violation(state: State, round_: Round, body: e.Body) -> Violation | None:
    """Return the rule that `body` breaks now, or None. Reports without rules are always in order."""
    for holds, rule in rules_of(round_.plan)[state].get(body.__class__, ()):
        if not holds(round_, body):
            return _violation_of(rule, state, round_, body)
    return None


def broken(rules: Rules, state: State, round_: Round, body: e.Body) -> Violation | None:
    """Return the violation of the first of these rules that `body` breaks, or None."""
    for holds, rule in rules:
        if not holds(round_, body):
            return _violation_of(rule, state, round_, body)
    return None


def _violation_of(rule: OrderRule, state: State, round_: Round, body: e.Body) -> Violation:
    """Describe how the report breaks this rule."""
    if rule.guard == _ROUND_OVER:
        name = _unfinished(state, round_)
    else:
        name = next((nearer for nearer in rule.nearer if not CHECKS[nearer](round_, body)), rule.guard)
    harmful = rule.harmful and not (rule.mild and CHECKS[rule.mild](round_, body))
    place: Place = getattr(body, "place", NOWHERE) if rule.at is None else rule.at
    return Violation(name, harmful, rule.taken, rule.code, place)


class _RulesOfGame(dict[State, Mapping[type[e.Body], Rules]]):
    """Rules of every report by state, built when a state is first looked up."""

    def __init__(self, plan: Plan) -> None:
        super().__init__()
        self._plan = plan

    def __missing__(self, state: State) -> Mapping[type[e.Body], Rules]:
        found = self[state] = _rules_at(self._plan, state)
        return found


@lru_cache(maxsize=256)
def rules_of(plan: Plan) -> Mapping[State, Mapping[type[e.Body], Rules]]:
    """Return the rules of every report in every state of this game."""
    return _RulesOfGame(plan)


def _rules_at(plan: Plan, state: State) -> dict[type[e.Body], Rules]:
    """Return the rules that apply in this state of this game: of some hundred, a report meets three or four."""
    games = _games_of(plan)
    # only END GAME depends on the table of states itself
    checks: dict[str, Check] = {
        **CHECKS,
        _ROUND_OVER: lambda round_, _: next_row("end_game", state, round_) is not None,
    }
    return {
        kind: tuple((checks[rule.guard], rule) for rule in rules if rule.only is None or rule.only in games)
        for kind, rules in _rules_of_any_game(state).items()
    }


@lru_cache(maxsize=256)
def _games_of(plan: Plan) -> frozenset[str]:
    """Return the features of this game that rules depend on, as keys of `GAMES`."""
    return frozenset(name for name, is_so in GAMES.items() if is_so(plan))


@cache
def _rules_of_any_game(state: State) -> dict[type[e.Body], tuple[OrderRule, ...]]:
    found = {kind: tuple(rule for rule in rules if state in rule.states) for kind, rules in RULES.items()}
    return {kind: rules for kind, rules in found.items() if rules}


# ------------------------------------------------------------------ the round


def next_row(trigger: str, state: State, round_: Round) -> Row | None:
    """Return the row that this trigger would take now, or None."""
    for row in _rows_at(trigger, state):
        if _lets_pass(row, round_):
            return row
    return None


def _lets_pass(row: Row, round_: Round) -> bool:
    for name in row.guards:
        if not guards.holds(name, round_):
            return False
    return not any(guards.holds(name, round_) for name in row.unless) if row.unless else True


@cache
def _rows_at(trigger: str, state: State) -> tuple[Row, ...]:
    return tuple(row for row in TRANSITIONS if row.trigger == trigger and state in row.sources)


WAITING: Final = {"": None, **{do: WAITS.get(state) for do, state in STEP_STATES.items()}}
"""Kind of a step -> the guard that it waits for; None for the reveal, and if no step is under way."""


def waits_for(round_: Round) -> str | None:
    """Return the guard that the step under way waits for; None at the reveal and in a game of columns."""
    return WAITING[round_.doing]


def _unfinished(state: State, round_: Round) -> str:
    """Return the check that fails for an END GAME that comes too early."""
    if state in COLUMNS:
        return {State.NAMING: "card_named", State.EXTRA: "extra_drawn"}.get(state, "race_decided")
    if round_.rulings:
        return "ruled"
    if not round_.idle and (waiting := waits_for(round_)) is not None:
        return waiting
    if not round_.idle and (round_.due is not None or (round_.by_hand and not round_.dealt_by_hand)):
        return "cards_out"
    return "remainder_counted"


# ------------------------------------------------------------------ the rules


_ALL: Final = frozenset(State)
_BETTING: Final = frozenset({State.BETTING})
_PLAY: Final = frozenset({*STEPS, *COLUMNS})
_STRICT: Final = _ALL - LOOSE
"""States in which the order of play is enforced."""
_DEALT: Final = _STRICT - _BETTING
"""Those of them in which a hand is under way."""
_STEPS: Final = frozenset(STEPS)
_ACTING, _DECIDING, _NAMING = (frozenset({state}) for state in (State.ACTING, State.DECIDING, State.NAMING))
_EXCHANGING, _REVEALING = (frozenset({state}) for state in (State.EXCHANGING, State.REVEALING))


GAMES: Final[dict[str, Callable[[Plan], bool]]] = {
    "device": lambda plan: not plan.from_hand,
    "columns": lambda plan: plan.shoe is not None,
    "burns": lambda plan: bool(plan.burns),
    "offers": lambda plan: any(isinstance(step, DecideStep) and step.about is not None for step in plan.steps),
    "shown-hands": lambda plan: any(isinstance(step, ExchangeStep) and step.exposes for step in plan.steps),
    "turns": lambda plan: any(isinstance(step, DecideStep) and step.order == "clockwise" for step in plan.steps),
    "closing": lambda plan: any(bet.until is not None for bet in plan.bets.values()),
    "unplayed": lambda plan: bool(plan.unplayed),
    "piles": lambda plan: plan.assign is not None,
    "number-last": lambda plan: plan.number_sets_bets,
    "set-by-number": lambda plan: plan.number_sets_bets or (plan.assign is not None and plan.assign.bets == "open"),
    "posted": lambda plan: plan.posted is not None,
    "extra": lambda plan: any(bet.placed == "before-extra" for bet in plan.bets.values()),
}
"""Feature that a rule depends on -> predicate that says whether a game has it."""


def _wager(states: frozenset[State], guard: str, only: str | None = None) -> OrderRule:
    return OrderRule(states, guard, harmful=False, code="wager-held", only=only)


_CORRECTED: Final = (
    *("faces_to_correct", "badge_counts", "badge_may_correct", "round_on_record", "nothing_ruled_since"),
    *("bets_left_alone", "cards_not_mucked", "follows_as_played"),
)
"""Checks on a correction of a hand, in this order."""
_ACTED: Final = (
    *("bring_in_due", "nothing_to_call", "may_check", "something_to_call", "call_is_whole", "nothing_bet_yet"),
    *("something_to_raise", "more_than_before", "stake_covers", "all_of_it", "no_card_ahead", "bet_within_limit"),
    *("raise_within_limit", "raises_left", "betting_reopened", "may_check_raise"),
)
"""Checks on a player's action, in this order."""

_DRAWN: Final = (
    OrderRule(_ALL, "dealt_from_shoe"),
    OrderRule(_BETTING, "drawn_after_close", taken=True, code="draw-before-close", at=SHOE, mild="card_goes_back"),
    OrderRule(frozenset(COLUMNS), "burned_between_races", taken=True, code="burned-mid-race", at=SHOE, only="columns"),
    OrderRule(_NAMING, "drawn_after_name", harmful=False, taken=True, code="draw-before-named", at=SHOE),
    OrderRule(_STEPS, "drawn_for_somebody", harmful=False, taken=True),
    OrderRule(_STEPS, "burned_when_due", taken=True),
    OrderRule(_EXCHANGING, "shown_before_card", harmful=False, taken=True, only="shown-hands"),
)

RULES: Final[dict[type[e.Body], tuple[OrderRule, ...]]] = {
    e.GameStarted: (OrderRule(_ALL - _BETTING, "round_ended"),),
    e.GameEnded: (
        OrderRule(_BETTING, "round_begun", harmful=False),
        OrderRule(_ALL - _BETTING, _ROUND_OVER, taken=True),
    ),
    e.MisdealCalled: (
        OrderRule(_BETTING, "round_begun", harmful=False),
        OrderRule(_PLAY, "misdeal_in_time", harmful=False, code="misdeal-refused"),
    ),
    e.SpotSelected: (
        OrderRule(_ALL, "place_is_known", code="unknown-seat"),
        OrderRule(_ALL, "place_of_number"),
        OrderRule(_BETTING, "wagers_placed", harmful=False, only="number-last"),
        OrderRule(_STRICT, "hands_lie_there", harmful=False, taken=True, only="piles"),
        OrderRule(_ALL, "first_cards_to_come"),
    ),
    e.NumberDrawn: (
        OrderRule(_ALL, "number_is_asked_for", harmful=False),
        OrderRule(_ALL, "number_counts", harmful=False),
        OrderRule(_ALL, "number_of_place"),
        OrderRule(_BETTING, "wagers_placed", harmful=False, only="number-last"),
        OrderRule(_STRICT, "hands_lie_there", harmful=False, taken=True, only="piles"),
        OrderRule(_ALL, "first_cards_to_come"),
    ),
    e.HandSet: (
        OrderRule(_BETTING, "round_begun", harmful=False),
        OrderRule(_STRICT, "hand_is_set", harmful=False),
        OrderRule(_STRICT, "somebody_plays_there", harmful=False),
        OrderRule(_STRICT, "packet_was_dealt", harmful=False),
        OrderRule(_STRICT, "set_as_written", harmful=False),
        OrderRule(_STRICT, "hand_to_set", harmful=False, taken=True),
        OrderRule(_STRICT, "set_before_house", harmful=False),
    ),
    e.Confirmed: (OrderRule(_PLAY, "something_to_confirm", harmful=False),),
    e.CardMishandled: (OrderRule(_BETTING, "round_begun", harmful=False),),
    e.HandCorrected: (
        OrderRule(_BETTING, "round_begun", harmful=False, code="correction-refused"),
        *(OrderRule(_ALL, name, harmful=False, code="correction-refused") for name in _CORRECTED),
    ),
    e.CardsDiscarded: (
        OrderRule(_BETTING, "round_begun", harmful=False),
        OrderRule(_PLAY, "hand_lies_there", harmful=False),
    ),
    e.PacketDispensed: (
        OrderRule(_BETTING, "bets_closed", harmful=False, taken=True, only="device"),
        OrderRule(_PLAY, "packet_in_order", only="device"),
        OrderRule(_PLAY, "remainder_to_come", only="device"),
    ),
    e.PacketLifted: (
        OrderRule(_STRICT, "packet_in_tray", only="device"),
        OrderRule(_BETTING, "bets_closed", taken=True, only="device"),
        OrderRule(_PLAY, "somebody_is_due", taken=True, mild="early_has_remedy", only="device"),
        OrderRule(_EXCHANGING, "shown_before_card", harmful=False, taken=True, only="shown-hands"),
    ),
    e.RemainderDumped: (
        OrderRule(_BETTING, "round_begun", harmful=False, only="device"),
        OrderRule(_PLAY, "deal_complete", taken=True, mild="red_lamp", only="device"),
        OrderRule(_PLAY, "remainder_to_come", only="device"),
    ),
    e.CardsCounted: (OrderRule(_STRICT, "cards_lie_there", harmful=False),),
    # A wager out of order is held, and nothing else: no card and no other bet depends on it.
    e.WagerPlaced: (
        OrderRule(_STRICT, "bet_is_known", harmful=False, code="unknown-bet"),
        OrderRule(_STRICT, "seat_at_table", harmful=False, code="unknown-seat"),
        _wager(_STRICT, "spot_is_players", only="unplayed"),
        _wager(_STRICT, "number_to_come", only="set-by-number"),
        _wager(_PLAY, "bets_open"),
        _wager(_STRICT, "table_has_extra", only="extra"),
        _wager(_STRICT - {State.EXTRA}, "extra_left_alone", only="extra"),
        _wager(_STRICT, "one_bet_moved", only="extra"),
        _wager(_STRICT, "money_is_there", only="extra"),
        OrderRule(_BETTING, "deal_begun", harmful=False),
        _wager(_PLAY, "seat_is_live"),
        _wager(_PLAY, "cards_to_come", only="closing"),
        _wager(_PLAY, "house_covered"),
        _wager(_PLAY, "offered_hand_covered", only="offers"),
        OrderRule(_PLAY - {State.DECIDING, State.REVEALING}, "choice_is_due", harmful=False, taken=True),
    ),
    # A choice out of order has no effect either: the earlier choice stays. A key pressed before START GAME concerns
    # no hand, and neither does one for a burn.
    e.DecisionMade: (
        OrderRule(_BETTING, "round_begun", harmful=False),
        OrderRule(_STRICT, "choice_is_known", harmful=False, code="unknown-decision"),
        OrderRule(_STRICT, "seat_dealt_in", harmful=False, code="unknown-seat"),
        OrderRule(_STRICT, "choice_has_its_bets", harmful=False),
        OrderRule(_STRICT, "choice_is_offered", harmful=False, nearer=("choice_is_new", "choice_stands")),
        OrderRule(_STRICT, "hand_is_live", harmful=False),
        OrderRule(_DECIDING, "step_offers_choice", harmful=False, taken=True),
        OrderRule(_STRICT - {State.DECIDING, State.EXCHANGING}, "players_choose", harmful=False, taken=True),
        OrderRule(_EXCHANGING, "found_when_shown", harmful=False, taken=True),
        OrderRule(_DECIDING, "acts_in_order", harmful=False, taken=True, only="turns"),
    ),
    e.StakeShown: (
        OrderRule(_ALL, "chips_play", harmful=False),
        OrderRule(_ALL, "seat_at_table", harmful=False, code="unknown-seat"),
        OrderRule(_ALL, "stake_before_hand", harmful=False),
    ),
    # The dealer corrects an action out of order (47.1-1027) and reports the corrected one; this one is not taken.
    e.PlayerActed: (
        OrderRule(_BETTING, "round_begun", harmful=False),
        OrderRule(_STRICT, "chips_play", harmful=False),
        OrderRule(_BETTING, "seat_at_table", harmful=False, code="unknown-seat"),
        OrderRule(_DEALT, "seat_dealt_in", harmful=False, code="unknown-seat"),
        OrderRule(_DEALT, "action_is_known", harmful=False, code="action-refused"),
        OrderRule(_DEALT, "stake_before_hand", harmful=False, code="action-refused"),
        OrderRule(_DEALT, "action_to_withdraw", harmful=False, code="action-refused"),
        OrderRule(_DEALT, "hand_in_play", harmful=False, code="action-refused"),
        OrderRule(_DEALT - {State.ACTING, State.REVEALING}, "betting_under_way", harmful=False),
        OrderRule(_REVEALING, "players_act", harmful=False),
        *(
            OrderRule(_ACTING, name, harmful=False, code="action-refused")
            for name in ("may_chop", "seat_to_act", "time_limit_kept", "keeps_word")
        ),
        # in all strict states, for a correction of an action that seemed to end the betting
        *(OrderRule(_DEALT, name, harmful=False, code="action-refused") for name in _ACTED),
        *(OrderRule(_DEALT, name, harmful=False, code="action-refused", only="posted") for name in SIZES),
        OrderRule(_ACTING, "acts_in_turn", harmful=False, taken=True, code="acted-out-of-turn"),
    ),
    e.PotTaken: (
        OrderRule(_BETTING, "round_begun", harmful=False),
        OrderRule(_STRICT, "chips_play", harmful=False),
        OrderRule(_STRICT, "seat_dealt_in", harmful=False, code="unknown-seat"),
        OrderRule(_PLAY, "hands_compared", harmful=False),
    ),
    e.BurnConfirmed: (
        OrderRule(_BETTING, "round_begun", harmful=False),
        OrderRule(_STRICT, "packet_is_burned", code="wrong-burn"),
        OrderRule(_STRICT, "packet_was_dealt"),
        OrderRule(_ALL - {State.VOID}, "burned_as_written", taken=True, code="wrong-burn"),
        OrderRule(_STRICT, "burned_once"),
        OrderRule(_STRICT - {State.BURNING}, "packet_is_spread", harmful=False, taken=True),
    ),
    e.HandRevealed: (
        OrderRule(_BETTING, "round_begun", harmful=False),
        OrderRule(_PLAY, "one_face_named", only="columns"),
        OrderRule(_PLAY, "name_is_missing", harmful=False, only="columns"),
        OrderRule(_PLAY, "card_waits_for_name", code="faces-disagree", only="columns"),
        OrderRule(_PLAY, "badge_may_name", harmful=False, code="naming-refused", at=SHOE, only="columns"),
        OrderRule(_PLAY, "burned_before", taken=True, code="reveal-before-burn", only="burns"),
        OrderRule(_PLAY, "somebody_plays_there", harmful=False, taken=True),
        OrderRule(_PLAY, "place_dealt_in", harmful=False, code="unknown-seat"),
        OrderRule(_REVEALING, "shown_in_order", harmful=False, taken=True),
        OrderRule(_PLAY - {State.REVEALING}, "fewer_lie_open", taken=True, mild="too_many_go_back"),
        OrderRule(_PLAY - {State.REVEALING}, "house_shown_last", taken=True),
        OrderRule(_PLAY - {State.REVEALING}, "hand_shown_in_time", harmful=False, taken=True),
    ),
    e.CardDrawn: _DRAWN,
    e.CardUnread: _DRAWN,
}
"""Report -> its rules, in the order in which they are checked. Any other report may come at any time."""
RULES[e.WagerOn] = (
    *RULES[e.WagerPlaced],
    OrderRule(_STRICT, "proposition_is_offered", harmful=False, code="unknown-proposition"),
)
