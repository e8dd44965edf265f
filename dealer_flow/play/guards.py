"""What must hold before play goes on: every condition that the table of states and the order of play name.

A guard is a question about the round that a regulator would understand, with the clause it enforces. The rows of
`states.py` name those of `GUARDS`, and `transitions` evaluates them; the rules of `order.py` name those of `CHECKS`,
which are about one report, and what the round waits for they ask of `GUARDS`; `legal.py` offers what both let pass. So
there is one place that knows, for instance, when a burn is confirmed.
"""

from collections.abc import Callable
from typing import Any, Final, NamedTuple

import devices.events as e
from dealer_flow.play import laying
from dealer_flow.play.dealing import lies_there, seen_before
from dealer_flow.play.states import STEP_STATES, State
from dealer_flow.play.steps import (
    blind_now,
    deals_on,
    declaring,
    ends_by,
    may_lie_open,
    next_to_show,
    open_now,
    set_out,
    shown_out,
)
from dealer_flow.procedure.bets import BetPart
from dealer_flow.procedure.plan import Plan
from dealer_flow.procedure.steps import AssignStep, DecideStep, ExchangeStep
from dealer_flow.table.round import Round
from devices.events import Level
from protocol.cards import UNREAD
from protocol.places import BURN, REMAINDER, SHOE, SHUFFLER

BURNS: Final = frozenset({"burn", "burn count", "first card"})
"""What a device calls a card that is taken out of play before a round."""


# ------------------------------------------------------------------ the clauses


def closing_clause(plan: Plan) -> str:
    """The clause that closes the bets."""
    return plan.shoe.part.bets_closed if plan.shoe else plan.clause


def _of_game(plan: Plan) -> str:
    return plan.clause


def _of_burn(plan: Plan) -> str:
    return next((step.clause for step in plan.steps if step.do == "burn"), plan.clause)


def _of_misdeal(plan: Plan) -> str:
    return plan.procedure.misdeal.clause


def _of_deck(plan: Plan) -> str:
    return plan.deck_policy.clause


def _of_unread(plan: Plan) -> str:
    return plan.shoe.part.unread.clause if plan.shoe else plan.clause


def _of_remainder(plan: Plan) -> str:
    rest = plan.procedure.remainder
    return rest.clause if rest else plan.clause


def _of_number(plan: Plan) -> str:
    number = plan.procedure.number
    return number.clause if number else plan.clause


def _of_set(plan: Plan) -> str:
    return next((step.clause for step in plan.sets.values()), plan.clause)


def progressive_clause(plan: Plan) -> str:
    """The clause of the progressive."""
    return next((bet.clause for bet in plan.bets.values() if bet.progressive), plan.clause)


# ------------------------------------------------------------------ of the round


class Guard(NamedTuple):
    """One condition. `words` say what holds, `clause` of which procedure's clause it comes."""

    name: str
    words: str
    holds: Callable[[Round], bool]
    clause: Callable[[Plan], str] = _of_game


def _doing(state: State) -> Callable[[Round], bool]:
    """Whether a step of this kind is under way."""

    def doing(round_: Round) -> bool:
        step = round_.step
        return step is not None and STEP_STATES[step.do] is state

    return doing


def _cards_out(round_: Round) -> bool:
    return round_.opened and round_.next_due is None and (not round_.by_hand or round_.dealt_by_hand)


def _burn_confirmed(round_: Round) -> bool:
    step = round_.step
    return round_.opened and step is not None and step.do == "burn" and round_.plan.place(step.of) in round_.burns


def _later_step_begun(round_: Round) -> bool:
    return round_.heard is not None and not round_.rulings and ends_by(round_, round_.heard)


def _remainder_counted(round_: Round) -> bool:
    if round_.plan.from_shoe or round_.plan.from_hand:
        return round_.plan.exact_rest is None or round_.rest is not None
    return round_.ledger.remainder is not None


def _extra_due(round_: Round) -> bool:
    draw = round_.draw
    if draw is None or not draw.extra_may_come:
        return False
    return draw.plan.extra == "always" or any(draw.plan.moved & bets.keys() for bets in round_.wagers.values())


def _extra_open(round_: Round) -> bool:
    draw = round_.draw
    if draw is None or not draw.extra_may_come:
        return False
    source = draw.plan.moves_from or ""
    return holds("extra_due", round_) or any(bets.get(source) for bets in round_.wagers.values())


GUARDS: Final[dict[str, Guard]] = {
    guard.name: guard
    for guard in (
        # what was found
        Guard("round_unreliable", "the round cannot be relied on", lambda r: r.unreliable),
        Guard("misdeal_found", "a misdeal was called or found", lambda r: r.misdeal, _of_misdeal),
        Guard("deck_defective", "the deck is defective", lambda r: r.defective, _of_deck),
        Guard(
            "house_count_wrong", "a hand of the house has a wrong number of cards", lambda r: r.house_wrong, _of_misdeal
        ),
        Guard(
            "progressive_live",
            "a live seat plays for the progressive",
            lambda r: bool(r.for_progressive),
            progressive_clause,
        ),
        Guard(
            "cards_astray",
            "cards do not add up, or another number is left than the procedure says",
            lambda r: r.ledger.conserved is False or r.rest_wrong is not None,
            _of_deck,
        ),
        Guard("red_lamp_lit", "the red lamp is lit", lambda r: bool(r.red_lamp), _of_misdeal),
        # the steps
        Guard("step_deals", "the step under way deals", _doing(State.DEALING)),
        Guard("step_burns", "the step under way burns cards of a packet", _doing(State.BURNING)),
        Guard("step_decides", "the step under way lets players choose", _doing(State.DECIDING)),
        Guard("step_exchanges", "the step under way replaces discards", _doing(State.EXCHANGING)),
        Guard("step_assigns", "the step under way hands out what lies in front of the tray", _doing(State.ASSIGNING)),
        Guard("step_sets", "the step under way lets players arrange their cards", _doing(State.SETTING)),
        Guard("step_reveals", "the step under way shows and settles the hands", _doing(State.REVEALING)),
        Guard("card_owed", "a card is still due to a place", lambda r: r.next_due is not None),
        Guard("cards_out", "every card of the step is out, those dealt by hand too", _cards_out),
        Guard("burn_confirmed", "the burn is confirmed", _burn_confirmed, _of_burn),
        Guard("all_decided", "every live seat has chosen", lambda r: r.opened and r.decided),
        Guard("number_drawn", "the number is drawn", lambda r: r.opened and r.first is not None, _of_number),
        Guard("hands_set", "every live hand is set", lambda r: r.opened and set_out(r), _of_set),
        Guard("all_shown", "the cards of the step lie open", lambda r: r.opened and shown_out(r)),
        Guard("later_step_begun", "the report belongs to a later step, and this one may end so", _later_step_begun),
        Guard(
            "packets_out",
            "no further packet follows at once",
            lambda r: r.next_due is None and not deals_on(r),
            _of_misdeal,
        ),
        # the end of a round
        Guard("ruled", "a supervisor has ruled on what is wrong", lambda r: not r.rulings, _of_misdeal),
        Guard("nobody_plays", "every seat has given up or is dead", lambda r: r.idle),
        Guard("remainder_counted", "what is left of the deck was counted", _remainder_counted, _of_remainder),
        # cards drawn into columns
        Guard("drawn_into_columns", "the game is drawn into columns", lambda r: r.draw is not None, closing_clause),
        Guard(
            "card_unnamed",
            "a card that was not read waits for its name",
            lambda r: r.draw is not None and r.draw.unread is not None,
            _of_unread,
        ),
        Guard(
            "race_decided",
            "a column decided, or all the cards are out",
            lambda r: r.draw is not None and r.draw.end is not None,
            closing_clause,
        ),
        Guard("extra_due", "the extra card is due", _extra_due, closing_clause),
        Guard("extra_open", "the extra card is due, or money may be moved to a bet on it", _extra_open, closing_clause),
    )
}
"""Every guard of the round by its name. Looked up at each question, so that a test may put another in its place."""


def holds(name: str, round_: Round) -> bool:
    """Whether the guard of this name lets pass."""
    return GUARDS[name].holds(round_)


# ------------------------------------------------------------------ of a report: bets and choices

Check = Callable[[Round, Any], bool]
"""Whether a report may be: the round, and what is reported."""


def _bet(round_: Round, body: e.WagerPlaced, placed: str) -> BetPart | None:
    """The bet, when it is placed at this time."""
    bet = round_.plan.bets.get(body.bet)
    return bet if bet is not None and bet.placed == placed else None


def takes_back(round_: Round, seat: int, bet: str) -> bool:
    """True when a choice gives this bet back: one the seat made, or may make now."""
    names = [*round_.choices.get(seat, {}).values()]
    if isinstance(round_.step, DecideStep) and round_.is_undecided(seat):
        names += round_.step.choices
    own = round_.plan.tips.get(bet, bet)
    return any(round_.plan.choices[name].takes_back == own for name in names)


def _bets_open(round_: Round, body: e.WagerPlaced) -> bool:
    bet = _bet(round_, body, "before-deal")
    if bets_stay_open(round_):
        return True
    if bet is None or (not body.cents and takes_back(round_, body.seat, bet.name)):
        return True
    return body.cents == round_.wagers.get(body.seat, {}).get(bet.name, 0)  # what lies there is reported again


def bets_stay_open(round_: Round) -> bool:
    """True after START GAME where bets may change until the number is drawn, and it is not."""
    assign = round_.plan.assign
    return assign is not None and assign.bets == "open" and round_.in_play and round_.first is None


def _number_to_come(round_: Round, body: e.WagerPlaced) -> bool:
    """False for a bet that changes after the number was drawn, where that sets the bets."""
    by_dice = round_.plan.assign is not None and round_.plan.assign.bets == "open" and round_.in_play
    if not (round_.plan.number_sets_bets or by_dice) or round_.first is None:
        return True
    if _bet(round_, body, "before-deal") is None:
        return True
    return round_.wagers.get(body.seat, {}).get(round_.plan.bets[body.bet].name, 0) == body.cents


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


# ------------------------------------------------------------------ of a report: hands arranged


def _hand_to_set(round_: Round, body: e.HandSet) -> bool:
    """Whether the step that has it arranged has begun."""
    step = round_.plan.sets.get(round_.plan.kind(body.place))
    steps = round_.plan.steps[: round_.at + round_.opened]
    return step is None or step in steps


def _set_as_written(round_: Round, body: e.HandSet) -> bool:
    step, hand = round_.plan.sets.get(round_.plan.kind(body.place)), round_.ledger.hands.get(body.place)
    return step is None or hand is None or not body.low or len(body.low) == step.low


def _set_before_house(round_: Round, body: e.HandSet) -> bool:
    """Once the house's hand lies open no player's hand is arranged anew."""
    known = round_.splits.get(body.place)
    if known is None or not body.place.seat or not round_.house_shown or UNREAD in known.low:
        return True
    return sorted(known.low) == sorted(body.low)


def _house_covered(round_: Round, body: e.WagerPlaced) -> bool:
    bet = _bet(round_, body, "by-decision")
    return bet is None or not (round_.house_shown or (body.seat, bet.name) in round_.too_late)


def _offered_hand_covered(round_: Round, body: e.WagerPlaced) -> bool:
    bet = _bet(round_, body, "by-decision")
    return bet is None or not seen_before(round_, bet.name)


def _choice_is_due(round_: Round, body: e.WagerPlaced) -> bool:
    bet, last = _bet(round_, body, "by-decision"), round_.last_choice(body.seat)
    if bet is not None and not body.cents and takes_back(round_, body.seat, bet.name):
        return True
    if bet is not None and bet.name in blind_now(round_):
        return True
    return bet is None or (last is not None and bet.plays_as in round_.plan.choices[last].stakes)


def _extra(round_: Round, body: e.WagerPlaced) -> bool:
    return _bet(round_, body, "before-extra") is not None


def _table_has_extra(round_: Round, body: e.WagerPlaced) -> bool:
    draw = round_.draw
    offers = draw is not None and draw.plan.moves_from is not None and draw.plan.extra != "never"
    return offers or not _extra(round_, body)


def _one_bet_moved(round_: Round, body: e.WagerPlaced) -> bool:
    if not _extra(round_, body) or round_.draw is None or not body.cents:
        return True
    name, bets = round_.plan.bets[body.bet].name, round_.wagers.get(body.seat, {})
    return not any(other in round_.draw.plan.moved and other != name for other in bets)


def _money_is_there(round_: Round, body: e.WagerPlaced) -> bool:
    if not _extra(round_, body) or round_.draw is None:
        return True
    bets = round_.wagers.get(body.seat, {})
    return body.cents <= bets.get(round_.draw.plan.moves_from or "", 0) + bets.get(round_.plan.bets[body.bet].name, 0)


def choice_step(round_: Round, seat: int, choice: str) -> str | None:
    """The step, from the one under way on, in which the seat makes this choice; None when it is none of them, or the
    choice that the seat made last is only reported again."""
    made, step = round_.choices.get(seat, {}), round_.step
    if not round_.plan.finishes.isdisjoint(made.values()):
        return None
    loose = round_.over or round_.house_wrong
    if isinstance(step, ExchangeStep) and step.unless == choice and not loose:
        due = round_.next_due
        return step.name if due is not None and due.place.seat == seat and step.name not in made else None
    if isinstance(step, DecideStep) and round_.opened and not loose:
        return step.name if choice in step.choices and round_.is_undecided(seat) else None
    if choice == round_.last_choice(seat):
        return None
    steps = round_.plan.steps[0 if loose else round_.at :]
    later = (step for step in steps if isinstance(step, DecideStep) and step.name not in made)
    return next((step.name for step in later if choice in step.choices), None)


def _chooses(round_: Round, body: e.DecisionMade) -> bool:
    """Whether a step is left in which the seat may choose this; a dead hand that never chose is another matter."""
    never_chose = body.seat in round_.dead and body.seat not in round_.choices
    return never_chose or choice_step(round_, body.seat, _chosen(round_, body)) is not None


def _chosen(round_: Round, body: e.DecisionMade) -> str:
    return round_.plan.decisions[body.decision].name


def _made(round_: Round, seat: int) -> str | None:
    mine, step = round_.choices.get(seat, {}), round_.step
    return mine.get(step.name if step else "", round_.last_choice(seat))


def _has_its_bets(round_: Round, body: e.DecisionMade) -> bool:
    bets, choice = round_.wagers[body.seat].keys(), round_.plan.decisions[body.decision]
    return bets >= {*choice.needs} and bets.isdisjoint(choice.unless)


def _found_when_shown(round_: Round, body: e.DecisionMade) -> bool:
    """A hand that was turned up gets no card."""
    step, due = round_.step, round_.next_due
    found = isinstance(step, ExchangeStep) and step.unless == _chosen(round_, body)
    return found and due is not None and due.place.seat == body.seat and round_.turned_up(due)


def _shown_before_card(round_: Round, _: Any) -> bool:
    """A hand of a player is turned up before a card comes to it."""
    step, due = round_.step, round_.next_due
    if not isinstance(step, ExchangeStep) or not step.exposes or due is None or due.step != step.name:
        return True
    return due.place.seat is None or round_.turned_up(due)


def _acts_in_order(round_: Round, body: e.DecisionMade) -> bool:
    step = round_.step
    if not isinstance(step, DecideStep) or step.order != "clockwise" or not round_.is_undecided(body.seat):
        return True
    return body.seat == round_.undecided[0]


def _step_offers_choice(round_: Round, body: e.DecisionMade) -> bool:
    step = round_.step
    return isinstance(step, DecideStep) and _chosen(round_, body) in step.choices


# ------------------------------------------------------------------ of a report: cards


def _packet_in_tray(round_: Round, body: e.PacketLifted) -> bool:
    packet = round_.ledger.packets.get(body.ordinal)
    return packet is not None and not packet.lifted


def _cards_lie_there(round_: Round, body: e.CardsCounted) -> bool:
    if body.place in round_.ledger.hands or body.place in (REMAINDER, BURN) or lies_there(round_, body.place):
        return True
    if round_.shoes is not None and body.place == SHOE:
        return True
    return body.place == SHUFFLER and not round_.in_play


def _something_to_confirm(round_: Round, body: e.Confirmed) -> bool:
    """CONFIRM is pressed for many things; it is missed only where cards are still to be dealt by hand."""
    if round_.rulings or round_.by_hand or ends_by(round_, body):
        return True
    return not any(step.deals and not step.from_device for step in round_.plan.steps[round_.at + 1 :])


def _burned_as_written(round_: Round, body: e.BurnConfirmed) -> bool:
    burn = round_.plan.burns.get(body.place)
    if burn is None or body.place not in round_.ledger.hands:
        return True  # another rule speaks of it, or none does
    return burn.from_left(body.positions, body.spread) == burn.positions


def _names_card(round_: Round, body: e.HandRevealed) -> bool:
    """A card of a shoe is shown at the table: it names the one that was not read."""
    return round_.draw is not None and body.place == SHOE


def _burned_before(round_: Round, body: e.HandRevealed) -> bool:
    if _names_card(round_, body) or len(round_.burns) == len(round_.plan.burns):
        return True
    place, waiting = body.place, round_.plan.burns.keys() - round_.burns.keys()
    if may_lie_open(round_, place, len(body.cards)):
        return True
    house = place not in round_.burns and round_.plan.house(round_.plan.kind(place))
    return not (place in waiting or place == BURN or house)


def _too_many_go_back(round_: Round, body: e.HandRevealed) -> bool:
    """More cards than the step deals were turned up, and the procedure has them go back."""
    policy = round_.plan.wrong(round_.plan.kind(body.place), "long", None)
    return bool(laying.spares(round_)) and policy is not None and policy.then == "reshuffle"


def _early_has_remedy(round_: Round, _: e.PacketLifted) -> bool:
    """The procedure says what is done with cards dealt too early."""
    return any("early" in row.how for row in round_.plan.procedure.wrong)


def _shown_in_order(round_: Round, body: e.HandRevealed) -> bool:
    order, kind = round_.plan.reveal_order, round_.plan.kind(body.place)
    first = next_to_show(round_) if kind in order[1:] else None
    if first is not None and declaring(round_, body.place) is not None:
        return True
    return first is None or order.index(kind) <= order.index(first)


def _early(round_: Round, body: e.HandRevealed, *, house: bool | None = None) -> bool:
    """Cards are shown before the hands are, those of the house or of the players."""
    if _names_card(round_, body) or body.place == BURN or may_lie_open(round_, body.place, len(body.cards)):
        return False
    return house is None or house is round_.plan.house(round_.plan.kind(body.place))


def is_burn(round_: Round, where: str | None) -> bool:
    """True when a card is burned: the device says so, or announced it."""
    return where in BURNS or (round_.shoes is not None and round_.shoes.burns_due > 0)


def _repeats(round_: Round, body: e.CardDrawn | e.CardUnread) -> bool:
    shoes = round_.shoes
    return shoes is not None and shoes.repeats(body.ordinal, body.where, shoes.face(body))


def _drawn(other: Check) -> Check:
    """A card of a shoe that is reported once more breaks nothing."""
    return lambda round_, body: _repeats(round_, body) or other(round_, body)


def _name_is_missing(round_: Round, body: e.HandRevealed) -> bool:
    draw = round_.draw
    if draw is None or not _names_card(round_, body) or draw.unread is not None:
        return True
    return not (draw.cards and body.cards[0] == draw.cards[-1])


def _faces_to_correct(round_: Round, body: e.HandCorrected) -> bool:
    hand = round_.ledger.hands.get(body.place)
    return hand is not None and hand.revealed is not None and bool(body.cards)


SUPERVISORS: Final = (Level.SUPERVISOR, Level.EXECUTIVE)
"""Levels of a badge that may rule."""
_LEVELS: Final = {"supervisor": SUPERVISORS, "dealer": tuple(Level)}


def _badge_may_name(round_: Round, body: e.HandRevealed) -> bool:
    if round_.draw is None or not _names_card(round_, body) or round_.draw.plan.unread_by == "anyone":
        return True
    return (round_.badge[1] if round_.badge else "") in _LEVELS[round_.draw.plan.unread_by]


def _not_here(*_: object) -> bool:
    """The state alone decides: the rule names the states in which it does not hold."""
    return False


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

CHECKS: Final[dict[str, Check]] = {
    # the round
    "round_begun": _not_here,
    "round_ended": _not_here,
    "bets_closed": _not_here,
    "misdeal_in_time": lambda r, _: bool(r.rulings) or not _MISDEAL_OVER[r.plan.misdeal_until](r),
    "place_is_known": lambda r, body: not r.plan.selects_first or 0 <= body.seat <= r.plan.most_seats,
    "wagers_placed": lambda r, _: any(r.plan.entering & bets.keys() for bets in r.wagers.values()),
    "hands_lie_there": _hands_lie_there,
    "number_counts": lambda r, body: 1 <= body.drawn <= r.plan.number_most,
    "number_is_asked_for": lambda r, _: r.plan.counted is not None,
    "place_of_number": _place_of_number,
    "number_of_place": _number_of_place,
    "number_to_come": _number_to_come,
    "first_cards_to_come": lambda r, _: not (r.plan.selects_first and (r.dues or r.by_hand) and r.first is not None),
    "something_to_confirm": _something_to_confirm,
    # packets
    "packet_in_order": lambda r, body: body.ordinal == len(r.ledger.lifted) + 1,
    "packet_in_tray": _packet_in_tray,
    "somebody_is_due": lambda r, _: holds("card_owed", r),
    "remainder_to_come": lambda r, _: r.ledger.remainder is None,
    "deal_complete": lambda r, _: not r.left_to_deal or holds("nobody_plays", r),
    "red_lamp": lambda r, _: holds("red_lamp_lit", r),
    "shown_before_card": _shown_before_card,
    "cards_lie_there": _cards_lie_there,
    # bets and choices
    "bet_is_known": lambda r, body: body.bet in r.plan.bets,
    "spot_is_players": lambda r, body: body.seat not in r.plan.unplayed,
    "seat_at_table": lambda r, body: 1 <= body.seat <= r.plan.most_seats,
    "bets_open": _bets_open,
    "table_has_extra": _table_has_extra,
    "extra_left_alone": lambda r, body: not _extra(r, body),
    "one_bet_moved": _one_bet_moved,
    "money_is_there": _money_is_there,
    "proposition_is_offered": lambda r, body: r.plan.proposition(body.bet, body.proposition, body.on) is not None,
    "deal_begun": lambda r, body: _bet(r, body, "by-decision") is None,
    "seat_is_live": lambda r, body: _bet(r, body, "by-decision") is None or body.seat in r.live,
    "house_covered": _house_covered,
    "offered_hand_covered": _offered_hand_covered,
    "choice_is_due": _choice_is_due,
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
    "players_choose": _not_here,
    # burns and hands
    "faces_to_correct": _faces_to_correct,
    "badge_may_correct": lambda _, body: body.badge != 0 and body.level in SUPERVISORS,
    "hand_lies_there": lambda r, body: body.place in r.ledger.hands and body.place != BURN,
    "packet_is_burned": lambda r, body: body.place in r.plan.burns,
    "packet_was_dealt": lambda r, body: body.place in r.ledger.hands,
    "burned_as_written": _burned_as_written,
    "burned_once": lambda r, body: body.place not in r.burns,
    "packet_is_spread": _not_here,
    "burned_before": _burned_before,
    "somebody_plays_there": lambda r, body: (
        not body.place.seat or body.place.seat in r.active or body.place not in r.ledger.hands
    ),
    "place_dealt_in": lambda r, body: (
        not body.place.seat or body.place.seat in r.active or body.place in r.ledger.hands
    ),
    "shown_in_order": _shown_in_order,
    "too_many_go_back": _too_many_go_back,
    "early_has_remedy": _early_has_remedy,
    "fewer_lie_open": lambda r, body: not (_early(r, body, house=True) and open_now(r, body.place)),
    "house_shown_last": lambda r, body: not _early(r, body, house=True),
    "hand_shown_in_time": lambda r, body: not _early(r, body),
    "hand_is_set": lambda r, body: r.plan.kind(body.place) in r.plan.sets,
    "set_as_written": _set_as_written,
    "set_before_house": _set_before_house,
    "hand_to_set": _hand_to_set,
    # a shoe
    "dealt_from_shoe": lambda r, _: r.shoes is not None,
    "drawn_after_close": _drawn(lambda r, body: is_burn(r, body.where)),
    "burned_between_races": _drawn(lambda r, body: r.draw is None or not is_burn(r, body.where)),
    "drawn_after_name": _repeats,
    "drawn_for_somebody": _drawn(lambda r, _: holds("card_owed", r)),
    "burned_when_due": _drawn(lambda r, body: r.due == BURN or not is_burn(r, body.where)),
    "one_face_named": lambda r, body: not _names_card(r, body) or (len(body.cards) == 1 and body.cards[0].is_face),
    "name_is_missing": _name_is_missing,
    "card_waits_for_name": lambda r, body: not _names_card(r, body) or holds("card_unnamed", r),
    "badge_may_name": _badge_may_name,
}
"""Guards of a report by their name: true when it may be. `incidents.toml` has the words of each that does not hold."""
