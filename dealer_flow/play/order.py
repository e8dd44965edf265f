"""The order of play: what must hold before a report may happen, as data.

Every report has rules. The first that applies in the state and whose guard does not hold makes the report a violation,
which is never silent: the rule says whether the report is still taken into account and whether money or hidden cards
depend on it; if they do, the round cannot be settled. What the round waits for is asked of the same guards as the
table of states names; what only a report can break has its guard here. `legal.py` offers nothing that breaks a rule.
"""

# ruff: noqa: ARG001 - every guard of a report has the same signature

from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final, NamedTuple

import devices.events as e
from dealer_flow.play import guards
from dealer_flow.play.dealing import seen_before
from dealer_flow.play.states import BEFORE_REVEAL, COLUMNS, DOING, LOOSE, STEP_STATES, STEPS, TRANSITIONS, Row, State
from dealer_flow.play.steps import ends_by, may_lie_open, next_to_show, open_now
from dealer_flow.play.violation import Violation
from dealer_flow.procedure.plan import Plan
from dealer_flow.procedure.steps import DecideStep
from dealer_flow.procedure.tables import BetPart
from dealer_flow.table.round import Round
from devices.events import Level
from protocol.places import BURN, NOWHERE, REMAINDER, SHOE, SHUFFLER, Place

Check = Callable[[Round, Any], bool]

BURNS: Final = frozenset({"burn", "burn count", "first card"})
"""What a device calls a card that is taken out of play before a round."""
_LEVELS: Final = {
    "supervisor": (Level.SUPERVISOR, Level.EXECUTIVE),
    "dealer": tuple(Level),
}

CHECKS: Final[dict[str, Check]] = {}
"""Guards of a report by their name: true when it may be."""


def _check(holds: Check) -> Check:
    CHECKS[holds.__name__] = holds
    return holds


def holds(name: str, round_: Round, body: e.Body) -> bool:
    """Whether this guard lets the report pass."""
    return CHECKS[name](round_, body)


class Rule(NamedTuple):
    """In these states a report needs this guard, in games for which `only` holds. `harmful` and `taken` as of
    `Violation`; `mild`: a guard under which it is recorded only."""

    states: frozenset[State]
    guard: str
    harmful: bool = True
    taken: bool = False
    code: str = "out-of-turn"
    at: Callable[[Any], Place] | None = None
    mild: str = ""
    only: Callable[[Plan], bool] | None = None


def violation(state: State, round_: Round, body: e.Body) -> Violation | None:
    """None when `body` may happen now. Reports without rules are always in order."""
    for rule in _rules_at(round_.plan, state).get(body.__class__, ()):
        if _lets_pass(rule.guard, state, round_, body):
            continue
        harmful = rule.harmful and not (rule.mild and holds(rule.mild, round_, body))
        place = rule.at(body) if rule.at else getattr(body, "place", NOWHERE)
        reason = _unfinished(state, round_) if rule.guard == "round_over" else rule.guard
        return Violation(reason, harmful, rule.taken, rule.code, place)
    return None


@lru_cache(maxsize=1024)
def _rules_at(plan: Plan, state: State) -> dict[type[e.Body], tuple[Rule, ...]]:
    """The rules that matter in this state of this game: of a hundred, a report meets three or four."""
    return {
        kind: tuple(rule for rule in rules if state in rule.states and (rule.only is None or rule.only(plan)))
        for kind, rules in RULES.items()
    }


def _lets_pass(name: str, state: State, round_: Round, body: e.Body) -> bool:
    """END GAME alone asks the table of states itself."""
    return way_on("end_game", state, round_) is not None if name == "round_over" else holds(name, round_, body)


# ------------------------------------------------------------------ the round


def way_on(trigger: str, state: State, round_: Round) -> Row | None:
    """The row that this trigger would take now."""
    for row in TRANSITIONS:
        if row.trigger != trigger or state not in row.sources:
            continue
        if all(guards.holds(name, round_) for name in row.guards) and not any(
            guards.holds(name, round_) for name in row.unless
        ):
            return row
    return None


_WAITS: Final = {
    do: next(
        (row.guards[1] for row in TRANSITIONS if row.trigger == "end_step" and row.guards[0] == DOING[state]), None
    )
    for do, state in STEP_STATES.items()
}


def waits_for(round_: Round) -> str | None:
    """The guard that the step under way waits for; None at the reveal and in a game of columns."""
    step = round_.step
    return None if step is None else _WAITS[step.do]


def _unfinished(state: State, round_: Round) -> str:
    """Why END GAME comes too early."""
    if state in COLUMNS:
        return {State.NAMING: "card_named", State.EXTRA: "extra_drawn"}.get(state, "race_decided")
    if round_.rulings:
        return "ruled"
    if not round_.idle and (waiting := waits_for(round_)) is not None:
        return waiting
    if not round_.idle and (round_.due is not None or round_.by_hand):
        return "cards_out"
    return "remainder_counted"


@_check
def before_first_decision(round_: Round, body: e.MisdealCalled) -> bool:
    """A misdeal is called in time."""
    late = bool(round_.choices) and round_.plan.procedure.misdeal.until == "first-decision"
    return bool(round_.rulings) or not late


@_check
def place_is_known(round_: Round, body: e.SpotSelected) -> bool:
    """The place selected for the first cards is at this table."""
    return not round_.plan.selects_first or 0 <= body.seat <= round_.plan.most_seats


@_check
def first_cards_to_come(round_: Round, body: e.SpotSelected) -> bool:
    """Who gets the first cards is settled before they are dealt."""
    return not (round_.plan.selects_first and round_.dues and round_.first is not None)


@_check
def something_to_confirm(round_: Round, body: e.Confirmed) -> bool:
    """CONFIRM is pressed for many things; it is missed only where cards are still to be dealt by hand."""
    if round_.rulings or round_.by_hand or ends_by(round_, body):
        return True
    return not any(getattr(step, "origin", "") == "hand" for step in round_.plan.steps[round_.at + 1 :])


# ------------------------------------------------------------------ packets


@_check
def packet_in_order(round_: Round, body: e.PacketDispensed) -> bool:
    """Packets come in their order."""
    return body.ordinal == len(round_.ledger.lifted) + 1


@_check
def packet_in_tray(round_: Round, body: e.PacketLifted) -> bool:
    """The packet lies in the tray."""
    packet = round_.ledger.packets.get(body.ordinal)
    return packet is not None and not packet.lifted


@_check
def somebody_is_due(round_: Round, body: e.Body) -> bool:
    """A place is due a card."""
    return guards.holds("card_owed", round_)


@_check
def remainder_to_come(round_: Round, body: e.Body) -> bool:
    """The remainder was not counted yet."""
    return round_.ledger.remainder is None


@_check
def deal_complete(round_: Round, body: e.RemainderDumped) -> bool:
    """Every packet of the device is out."""
    return not round_.left_to_deal or guards.holds("nobody_plays", round_)


@_check
def red_lamp(round_: Round, body: e.Body) -> bool:
    """The red lamp is lit."""
    return guards.holds("red_lamp_lit", round_)


@_check
def cards_lie_there(round_: Round, body: e.CardsCounted) -> bool:
    """Cards lie at the place that was counted."""
    if body.place in round_.ledger.hands or body.place in (REMAINDER, BURN):
        return True
    if round_.shoes is not None and body.place == SHOE:
        return True
    return body.place == SHUFFLER and not round_.in_play


# ------------------------------------------------------------------ bets and choices


def _bet(round_: Round, body: e.WagerPlaced, placed: str) -> BetPart | None:
    """The bet, when it is placed at this time."""
    bet = round_.plan.bets.get(body.bet)
    return bet if bet is not None and bet.placed == placed else None


@_check
def bet_is_known(round_: Round, body: e.WagerPlaced) -> bool:
    """The spot is one of the layout."""
    return body.bet in round_.plan.bets


@_check
def seat_at_table(round_: Round, body: e.WagerPlaced) -> bool:
    """The seat is at this table."""
    return 1 <= body.seat <= round_.plan.most_seats


@_check
def bets_open(round_: Round, body: e.WagerPlaced) -> bool:
    """A bet that is placed before the deal is left as it is, but for what a choice took back or gave up."""
    bet = _bet(round_, body, "before-deal")
    if bet is None or (not body.cents and takes_back(round_, body.seat, bet.name)):
        return True
    left = gives_up(round_, body.seat, bet.name)
    return left and body.cents == round_.wagers[body.seat].get(bet.name, 0)


@_check
def deal_begun(round_: Round, body: e.WagerPlaced) -> bool:
    """A bet that goes with a choice comes after the deal began."""
    return _bet(round_, body, "by-decision") is None


@_check
def seat_is_live(round_: Round, body: e.WagerPlaced) -> bool:
    """The seat is live in this round."""
    return _bet(round_, body, "by-decision") is None or body.seat in round_.live


@_check
def house_covered(round_: Round, body: e.WagerPlaced) -> bool:
    """No further card of the house was seen before the bet."""
    bet = _bet(round_, body, "by-decision")
    return bet is None or not (round_.house_shown or (body.seat, bet.name) in round_.too_late)


@_check
def offered_hand_covered(round_: Round, body: e.WagerPlaced) -> bool:
    """The hand that the bet is about was not shown."""
    bet = _bet(round_, body, "by-decision")
    return bet is None or not seen_before(round_, bet.name)


@_check
def choice_is_due(round_: Round, body: e.WagerPlaced) -> bool:
    """The bet goes with a choice that was made or is due."""
    bet = _bet(round_, body, "by-decision")
    last = round_.last_choice(body.seat)
    return bet is None or (last is not None and bet.name in round_.plan.choices[last].stakes)


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


def _extra(round_: Round, body: e.WagerPlaced) -> bool:
    return _bet(round_, body, "before-extra") is not None


@_check
def table_has_extra(round_: Round, body: e.WagerPlaced) -> bool:
    """Money is moved to a bet on the extra card only where there is one."""
    draw = round_.draw
    offers = draw is not None and draw.plan.moves_from is not None and draw.plan.extra != "never"
    return offers or not _extra(round_, body)


@_check
def extra_left_alone(round_: Round, body: e.WagerPlaced) -> bool:
    """Money is moved before the extra card, and after all the others."""
    return not _extra(round_, body)


@_check
def one_bet_moved(round_: Round, body: e.WagerPlaced) -> bool:
    """Money is moved to one bet only."""
    if not _extra(round_, body) or round_.draw is None or not body.cents:
        return True
    name, bets = round_.plan.bets[body.bet].name, round_.wagers.get(body.seat, {})
    return not any(other in round_.draw.plan.moved and other != name for other in bets)


@_check
def money_is_there(round_: Round, body: e.WagerPlaced) -> bool:
    """No more is moved than was bet."""
    if not _extra(round_, body) or round_.draw is None:
        return True
    bets = round_.wagers.get(body.seat, {})
    return body.cents <= bets.get(round_.draw.plan.moves_from or "", 0) + bets.get(round_.plan.bets[body.bet].name, 0)


@_check
def choice_is_known(round_: Round, body: e.DecisionMade) -> bool:
    """The choice is one of the game's."""
    return body.decision in round_.plan.decisions


@_check
def seat_dealt_in(round_: Round, body: e.DecisionMade) -> bool:
    """The seat was dealt in."""
    return body.seat in round_.active


@_check
def choice_has_its_bets(round_: Round, body: e.DecisionMade) -> bool:
    """The seat has every bet that the choice needs."""
    return round_.wagers[body.seat].keys() >= set(round_.plan.decisions[body.decision].needs)


def _chooses(round_: Round, body: e.DecisionMade) -> bool:
    """Whether a step is left in which the seat may choose this; a dead hand that never chose is another matter."""
    name = round_.plan.decisions[body.decision].name
    never_chose = body.seat in round_.dead and body.seat not in round_.choices
    return never_chose or choice_step(round_, body.seat, name) is not None


def _made(round_: Round, seat: int) -> str | None:
    mine, step = round_.choices.get(seat, {}), round_.step
    return mine.get(step.name if step else "", round_.last_choice(seat))


@_check
def choice_is_new(round_: Round, body: e.DecisionMade) -> bool:
    """The seat has not chosen the same before."""
    return _chooses(round_, body) or _made(round_, body.seat) != round_.plan.decisions[body.decision].name


@_check
def choice_stands(round_: Round, body: e.DecisionMade) -> bool:
    """The seat has not chosen otherwise before."""
    return _chooses(round_, body) or _made(round_, body.seat) is None


@_check
def choice_is_offered(round_: Round, body: e.DecisionMade) -> bool:
    """A step offers the choice."""
    return _chooses(round_, body)


@_check
def hand_is_live(round_: Round, body: e.DecisionMade) -> bool:
    """The hand is not dead."""
    return body.seat not in round_.dead


@_check
def step_offers_choice(round_: Round, body: e.DecisionMade) -> bool:
    """The step under way offers the choice."""
    step = round_.step
    return isinstance(step, DecideStep) and round_.plan.decisions[body.decision].name in step.choices


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


# ------------------------------------------------------------------ burns


@_check
def packet_is_burned(round_: Round, body: e.BurnConfirmed) -> bool:
    """Cards of that packet are burned in this game."""
    return body.place in round_.plan.burns


@_check
def packet_was_dealt(round_: Round, body: e.BurnConfirmed) -> bool:
    """The packet lies on the table."""
    return body.place in round_.ledger.hands


@_check
def burned_as_written(round_: Round, body: e.BurnConfirmed) -> bool:
    """The positions that the procedure names are burned, and no others."""
    burn = round_.plan.burns.get(body.place)
    if burn is None or body.place not in round_.ledger.hands:
        return True  # another rule speaks of it, or none does
    return burn.from_left(body.positions, body.spread) == burn.positions


@_check
def burned_once(round_: Round, body: e.BurnConfirmed) -> bool:
    """Nothing was burned there before."""
    return body.place not in round_.burns


# ------------------------------------------------------------------ hands shown


def _names_card(round_: Round, body: e.HandRevealed) -> bool:
    """A card of a shoe is shown at the table: it names the one that was not read."""
    return round_.draw is not None and body.place == SHOE


@_check
def burned_before(round_: Round, body: e.HandRevealed) -> bool:
    """No card of the house is seen before the burn is confirmed."""
    if _names_card(round_, body) or len(round_.burns) == len(round_.plan.burns):
        return True
    place, waiting = body.place, round_.plan.burns.keys() - round_.burns.keys()
    if may_lie_open(round_, place, len(body.cards)):
        return True
    house = place not in round_.burns and round_.plan.house(round_.plan.kind(place))
    return not (place in waiting or place == BURN or house)


@_check
def somebody_plays_there(round_: Round, body: e.HandRevealed) -> bool:
    """The position has a player."""
    return not body.place.seat or body.place.seat in round_.active or body.place not in round_.ledger.hands


@_check
def place_dealt_in(round_: Round, body: e.HandRevealed) -> bool:
    """The seat was dealt in."""
    return not body.place.seat or body.place.seat in round_.active or body.place in round_.ledger.hands


@_check
def shown_in_order(round_: Round, body: e.HandRevealed) -> bool:
    """Hands are shown in the order of the procedure."""
    order, kind = round_.plan.reveal_order, round_.plan.kind(body.place)
    if kind not in order[1:]:
        return True
    first = next_to_show(round_)
    return first is None or order.index(kind) <= order.index(first)


def _early(round_: Round, body: e.HandRevealed) -> bool:
    """Cards are shown before the hands are."""
    names = _names_card(round_, body) or body.place == BURN
    return not names and not may_lie_open(round_, body.place, len(body.cards))


@_check
def fewer_lie_open(round_: Round, body: e.HandRevealed) -> bool:
    """No more cards of the house lie open than may."""
    house = round_.plan.house(round_.plan.kind(body.place))
    return not (_early(round_, body) and house and open_now(round_, body.place))


@_check
def house_shown_last(round_: Round, body: e.HandRevealed) -> bool:
    """The house's cards are shown after every player has chosen."""
    return not (_early(round_, body) and round_.plan.house(round_.plan.kind(body.place)))


@_check
def hand_shown_in_time(round_: Round, body: e.HandRevealed) -> bool:
    """A player's hand is shown at the reveal."""
    return not _early(round_, body)


# ------------------------------------------------------------------ a shoe


def is_burn(round_: Round, where: str | None) -> bool:
    """True when a card is burned: the device says so, or announced it."""
    return where in BURNS or (round_.shoes is not None and round_.shoes.burns_due > 0)


def _repeats(round_: Round, body: e.CardDrawn | e.CardUnread) -> bool:
    shoes = round_.shoes
    return shoes is not None and shoes.repeats(body.ordinal, body.where, shoes.face(body))


@_check
def dealt_from_shoe(round_: Round, body: e.Body) -> bool:
    """The game is dealt from a shoe."""
    return round_.shoes is not None


@_check
def drawn_after_close(round_: Round, body: e.CardDrawn | e.CardUnread) -> bool:
    """Bets were closed before the card, unless it is burned."""
    return _repeats(round_, body) or is_burn(round_, body.where)


@_check
def burned_between_races(round_: Round, body: e.CardDrawn | e.CardUnread) -> bool:
    """No card is burned in the middle of a race."""
    return round_.draw is None or _repeats(round_, body) or not is_burn(round_, body.where)


@_check
def drawn_after_name(round_: Round, body: e.CardDrawn | e.CardUnread) -> bool:
    """No card waits for its name."""
    return _repeats(round_, body)


@_check
def drawn_for_somebody(round_: Round, body: e.CardDrawn | e.CardUnread) -> bool:
    """A place is due the card."""
    return _repeats(round_, body) or guards.holds("card_owed", round_)


@_check
def burned_when_due(round_: Round, body: e.CardDrawn | e.CardUnread) -> bool:
    """A card is burned when a burn is due."""
    return _repeats(round_, body) or round_.due == BURN or not is_burn(round_, body.where)


@_check
def one_face_named(round_: Round, body: e.HandRevealed) -> bool:
    """One card is named, one of the deck."""
    return not _names_card(round_, body) or (len(body.cards) == 1 and body.cards[0].is_face)


@_check
def name_is_missing(round_: Round, body: e.HandRevealed) -> bool:
    """The card named is not the one that the shoe read last."""
    draw = round_.draw
    if draw is None or not _names_card(round_, body) or draw.unread is not None:
        return True
    return not (draw.cards and body.cards[0] == draw.cards[-1])


@_check
def card_waits_for_name(round_: Round, body: e.HandRevealed) -> bool:
    """A card waits for its name."""
    return not _names_card(round_, body) or guards.holds("card_unnamed", round_)


@_check
def badge_may_name(round_: Round, body: e.HandRevealed) -> bool:
    """Whoever names the card may."""
    if round_.draw is None or not _names_card(round_, body) or round_.draw.plan.unread_by == "anyone":
        return True
    level = round_.badge[2] if round_.badge else ""
    return level in _LEVELS[round_.draw.plan.unread_by]


# ------------------------------------------------------------------ the rules


def _unless_in(words: str) -> Check:
    """A guard that the state alone decides: the rule names the states in which it does not hold."""

    def elsewhere(round_: Round, body: e.Body) -> bool:
        return False

    elsewhere.__doc__ = words
    return elsewhere


CHECKS.update(
    {
        "round_begun": _unless_in("A round is under way."),
        "round_ended": _unless_in("END GAME closed the last round."),
        "bets_closed": _unless_in("START GAME closed the bets."),
        "players_choose": _unless_in("The players choose."),
        "packet_is_spread": _unless_in("Cards of the packet are burned at this step."),
    }
)

_ALL: Final = frozenset(State)
_BETTING: Final = frozenset({State.BETTING})
_PLAY: Final = frozenset({*STEPS, *COLUMNS})
_STRICT: Final = _ALL - LOOSE
"""Where the order of play matters."""
_STEPS: Final = frozenset(STEPS)
_BEFORE_REVEAL: Final = frozenset(BEFORE_REVEAL)


def _place(body: Any) -> Place:
    place: Place = body.place
    return place


def _shoe(body: Any) -> Place:
    return SHOE


def _columns(plan: Plan) -> bool:
    return plan.shoe is not None


def _with_burns(plan: Plan) -> bool:
    return bool(plan.burns)


def _with_offers(plan: Plan) -> bool:
    return any(isinstance(step, DecideStep) and step.about is not None for step in plan.steps)


def _with_extra(plan: Plan) -> bool:
    return any(bet.placed == "before-extra" for bet in plan.bets.values())


_DRAWN: Final = (
    Rule(_ALL, "dealt_from_shoe"),
    Rule(_BETTING, "drawn_after_close", taken=True, code="draw-before-close", at=_shoe),
    Rule(frozenset(COLUMNS), "burned_between_races", taken=True, code="burned-mid-race", at=_shoe, only=_columns),
    Rule(frozenset({State.NAMING}), "drawn_after_name", harmful=False, taken=True, code="draw-before-named", at=_shoe),
    Rule(_STEPS, "drawn_for_somebody", taken=True),
    Rule(_STEPS, "burned_when_due", taken=True),
)

RULES: Final[dict[type[e.Body], tuple[Rule, ...]]] = {
    e.GameStarted: (Rule(_ALL - _BETTING, "round_ended"),),
    e.GameEnded: (Rule(_BETTING, "round_begun", harmful=False), Rule(_ALL - _BETTING, "round_over", taken=True)),
    e.MisdealCalled: (
        Rule(_BETTING, "round_begun", harmful=False),
        Rule(_PLAY, "before_first_decision", harmful=False, code="misdeal-refused"),
    ),
    e.SpotSelected: (Rule(_ALL, "place_is_known", code="unknown-seat"), Rule(_ALL, "first_cards_to_come")),
    e.Confirmed: (Rule(_PLAY, "something_to_confirm", harmful=False),),
    e.CardMishandled: (Rule(_BETTING, "round_begun", harmful=False),),
    e.PacketDispensed: (
        Rule(_BETTING, "bets_closed", harmful=False, taken=True),
        Rule(_PLAY, "packet_in_order"),
        Rule(_PLAY, "remainder_to_come"),
    ),
    e.PacketLifted: (
        Rule(_STRICT, "packet_in_tray"),
        Rule(_BETTING, "bets_closed", taken=True),
        Rule(_PLAY, "somebody_is_due", taken=True),
    ),
    e.RemainderDumped: (
        Rule(_BETTING, "round_begun", harmful=False),
        Rule(_PLAY, "deal_complete", taken=True, mild="red_lamp"),
        Rule(_PLAY, "remainder_to_come"),
    ),
    e.CardsCounted: (Rule(_STRICT, "cards_lie_there", harmful=False),),
    e.WagerPlaced: (
        Rule(_STRICT, "bet_is_known", code="unknown-bet"),
        Rule(_STRICT, "seat_at_table", code="unknown-seat"),
        Rule(_PLAY, "bets_open"),
        Rule(_STRICT, "table_has_extra", only=_with_extra),
        Rule(_STRICT - {State.EXTRA}, "extra_left_alone", only=_with_extra),
        Rule(_STRICT, "one_bet_moved", only=_with_extra),
        Rule(_STRICT, "money_is_there", only=_with_extra),
        Rule(_BETTING, "deal_begun"),
        Rule(_PLAY, "seat_is_live"),
        Rule(_PLAY, "house_covered"),
        Rule(_PLAY, "offered_hand_covered", only=_with_offers),
        Rule(_PLAY - {State.DECIDING, State.REVEALING}, "choice_is_due", harmful=False, taken=True),
    ),
    e.DecisionMade: (
        Rule(_STRICT, "choice_is_known", code="unknown-decision"),
        Rule(_STRICT, "seat_dealt_in", code="unknown-seat"),
        Rule(_STRICT, "choice_has_its_bets"),
        Rule(_STRICT, "choice_is_new", harmful=False),
        Rule(_STRICT, "choice_stands"),
        Rule(_STRICT, "choice_is_offered", code="unknown-decision"),
        Rule(_STRICT, "hand_is_live", harmful=False),
        Rule(frozenset({State.DECIDING}), "step_offers_choice", harmful=False, taken=True),
        Rule(_STRICT - {State.DECIDING}, "players_choose", harmful=False, taken=True),
    ),
    e.BurnConfirmed: (
        Rule(_STRICT, "packet_is_burned", code="wrong-burn"),
        Rule(_BETTING, "round_begun"),
        Rule(_STRICT, "packet_was_dealt"),
        Rule(_ALL - {State.VOID}, "burned_as_written", taken=True, code="wrong-burn", at=_place),
        Rule(_STRICT, "burned_once"),
        Rule(_STRICT - {State.BURNING}, "packet_is_spread", harmful=False, taken=True),
    ),
    e.HandRevealed: (
        Rule(_BETTING, "round_begun", harmful=False),
        Rule(_PLAY, "one_face_named", only=_columns),
        Rule(_PLAY, "name_is_missing", harmful=False, only=_columns),
        Rule(_PLAY, "card_waits_for_name", code="faces-disagree", only=_columns),
        Rule(_PLAY, "badge_may_name", harmful=False, code="naming-refused", at=_shoe, only=_columns),
        Rule(_PLAY, "burned_before", taken=True, code="reveal-before-burn", at=_place, only=_with_burns),
        Rule(_PLAY, "somebody_plays_there", harmful=False, taken=True),
        Rule(_PLAY, "place_dealt_in", code="unknown-seat"),
        Rule(frozenset({State.REVEALING}), "shown_in_order", harmful=False, taken=True),
        Rule(_PLAY - {State.REVEALING}, "fewer_lie_open", taken=True),
        Rule(_PLAY - {State.REVEALING}, "house_shown_last", taken=True),
        Rule(_PLAY - {State.REVEALING}, "hand_shown_in_time", harmful=False, taken=True),
    ),
    e.CardDrawn: _DRAWN,
    e.CardUnread: _DRAWN,
}
"""Report -> what must hold before it, the first first. Any other report has no turn."""
