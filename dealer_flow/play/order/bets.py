"""Checks on a wager: when each bet may be placed, moved, or taken back."""

from typing import Final

import devices.events as e
from dealer_flow.play.course.steps import begun, blind_now
from dealer_flow.play.order.rounds import Check
from dealer_flow.play.verdicts.dealing import seen_before
from dealer_flow.procedure.bets import BetPart
from dealer_flow.procedure.steps.decide import DecideStep
from dealer_flow.table.round import Round


def _bet(round_: Round, body: e.WagerPlaced | e.WagerOn, placed: str) -> BetPart | None:
    """Return the bet if it is one that is placed at this time, else None."""
    bets = round_.plan.bets
    return bets[body.bet] if body.bet in bets and bets[body.bet].placed == placed else None


def takes_back(round_: Round, seat: int, bet: str) -> bool:
    """Return True if a choice takes this bet back: one that the seat made, or may make now."""
    names = [*round_.choices.get(seat, {}).values()]
    if isinstance(round_.step, DecideStep) and round_.is_undecided(seat):
        names += round_.step.choices
    own = round_.plan.tips.get(bet, bet)
    return any(round_.plan.choices[name].takes_back == own for name in names)


def _bets_open(round_: Round, body: e.WagerPlaced) -> bool:
    bet = _bet(round_, body, "before-deal")
    if bet is None or bets_stay_open(round_):
        return True
    if not body.cents and takes_back(round_, body.seat, bet.name):
        return True
    return body.cents == round_.wagers.get(body.seat, {}).get(bet.name, 0)  # an unchanged bet is only reported again


def bets_stay_open(round_: Round) -> bool:
    """Return True after START GAME while bets may still change: until the number is drawn, in a game that allows it."""
    assign = round_.plan.assign
    return assign is not None and assign.bets == "open" and round_.in_play and round_.first is None


def _number_to_come(round_: Round, body: e.WagerPlaced) -> bool:
    """Return False for a bet that changes after the number was drawn, in a game in which the number closes the bets."""
    by_dice = round_.plan.assign is not None and round_.plan.assign.bets == "open" and round_.in_play
    if not (round_.plan.number_sets_bets or by_dice) or round_.first is None:
        return True
    if _bet(round_, body, "before-deal") is None:
        return True
    return round_.wagers.get(body.seat, {}).get(round_.plan.bets[body.bet].name, 0) == body.cents


def _house_covered(round_: Round, body: e.WagerPlaced | e.WagerOn) -> bool:
    """Return False for a bet that is placed or changed after cards of the house were seen that come after its
    choice."""
    bet = _bet(round_, body, "by-decision")
    if bet is None or _lies_so(round_, body, bet.name) or (not body.cents and takes_back(round_, body.seat, bet.name)):
        return True
    return not (
        round_.house_shown or ((body.seat, bet.plays_as) in round_.too_late and not _offered(round_, body, bet))
    )


def _cards_to_come(round_: Round, body: e.WagerPlaced | e.WagerOn) -> bool:
    """Return False for a bet that is placed or changed after a card of the step that closes it."""
    bet = _bet(round_, body, "by-decision")
    if bet is None or _lies_so(round_, body, bet.name) or (not body.cents and takes_back(round_, body.seat, bet.name)):
        return True
    until = next(own.until for own in round_.plan.bets.values() if own.name == bet.plays_as)
    return until is None or not begun(round_, until)


def _lies_so(round_: Round, body: e.WagerPlaced | e.WagerOn, bet: str) -> bool:
    """Return True if the bet is already as this report has it."""
    if isinstance(body, e.WagerOn):
        on = round_.plan.proposition(body.bet, body.proposition, body.on) or ""
        return round_.propositions.get(body.seat, {}).get(bet, {}).get(on, 0) == body.cents
    return round_.wagers.get(body.seat, {}).get(bet, 0) == body.cents


def _offered(round_: Round, body: e.WagerPlaced | e.WagerOn, bet: BetPart) -> bool:
    """Return True if this bet goes with a choice that the seat has yet to make."""
    step = round_.step
    if not isinstance(step, DecideStep) or not round_.is_undecided(body.seat):
        return False
    return any(bet.plays_as in round_.plan.choices[name].stakes for name in step.choices)


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


CHECKS_OF_BETS: Final[dict[str, Check]] = {
    "bet_is_known": lambda r, body: body.bet in r.plan.on_spots,
    "spot_is_players": lambda r, body: body.seat not in r.plan.unplayed,
    "seat_at_table": lambda r, body: 1 <= body.seat <= r.plan.most_seats,
    "bets_open": _bets_open,
    "number_to_come": _number_to_come,
    "table_has_extra": _table_has_extra,
    "extra_left_alone": lambda r, body: not _extra(r, body),
    "one_bet_moved": _one_bet_moved,
    "money_is_there": _money_is_there,
    "proposition_is_offered": lambda r, body: r.plan.proposition(body.bet, body.proposition, body.on) is not None,
    "deal_begun": lambda r, body: body.bet not in r.plan.on_choices,
    "seat_is_live": lambda r, body: body.bet not in r.plan.on_choices or r.is_live(body.seat),
    "house_covered": _house_covered,
    "cards_to_come": _cards_to_come,
    "offered_hand_covered": _offered_hand_covered,
    "choice_is_due": _choice_is_due,
}
"""Checks on wagers by name."""
