"""Handlers of reports on cards at the table: a burn, a hand shown, arranged, counted or corrected."""

from typing import Final

import devices.events as e
from dealer_flow.play.course import laying
from dealer_flow.play.course.by_hand import keyed_at_showdown, shown_early
from dealer_flow.play.course.cards_by_step import correct_stages, note_declared, reached_show
from dealer_flow.play.course.retrieved import judge_retrieved
from dealer_flow.play.course.steps import (
    declared_late,
    declares,
    declaring,
    may_lie_open,
    next_to_show,
    open_now,
)
from dealer_flow.play.course.turns import board_shown
from dealer_flow.play.reports import shoe as handle_shoe
from dealer_flow.play.reports.corrections import correction
from dealer_flow.play.reports.shoe import Handler
from dealer_flow.play.verdicts import burned, dealing
from dealer_flow.play.verdicts.unburned import judge_unburned, shown_unburned
from dealer_flow.play.verdicts.verdicts import (
    found,
    judge_count,
    judge_discards,
    judge_draws,
    judge_foul_set,
    judge_mishap,
    judge_open,
    judge_sum,
    judge_unshown,
)
from dealer_flow.play.verdicts.wagers import close_bets
from dealer_flow.record.incidents import Incident
from dealer_flow.table.round import Round
from devices.events import Mishap, Seen
from protocol.cards import NONE, UNREAD, Card
from protocol.places import BURN, COMMUNITY, PLACES, REMAINDER, SHOE, SHUFFLER, Place


def _burn(round_: Round, seen: Seen, body: e.BurnConfirmed) -> None:
    burn = round_.plan.burns.get(body.place)
    if burn is None or burn.place in round_.burns or body.place not in round_.ledger.hands:
        return
    round_.burns[burn.place] = body
    found(round_, round_.ledger.confirm_burn(burn.place, burn.from_left(body.positions, body.spread)), seen)


def _of_deck_in_hand(round_: Round, seen: Seen, body: e.HandRevealed) -> bool:
    """Take cards out of the dealer's hand that are too early, or open cards keyed at the showdown; False for others."""
    place, cards = body.place, body.cards
    if shown_early(round_, place, len(cards)):
        judge_mishap(round_, place, Mishap.EARLY, None, seen)
        return True
    if not keyed_at_showdown(round_, place, len(cards)):
        return False
    hand = round_.ledger.hands[place]
    hand.keyed, round_.open[place] = body.keyed, len(cards)
    found(round_, round_.ledger.open(place, cards), seen)
    return True


def _reveal(round_: Round, seen: Seen, body: e.HandRevealed) -> None:
    place, cards = body.place, body.cards
    if round_.draw is not None and place == SHOE:
        handle_shoe.name_card(round_, seen, body)
        return
    if round_.plan.from_hand and _of_deck_in_hand(round_, seen, body):
        return
    if round_.plan.from_shoe:
        _burns_shown(round_, seen, body)
    if round_.dealt_by_hand:
        _deal_shown(round_, place)
    kind, many = round_.plan.kinds[place], len(cards)
    if round_.given < len(round_.dues) and dealing.never_dealt(round_, place, many):
        dealing.pass_over(round_, place)
    reached_show(round_, kind)
    hand, before = round_.ledger.hands.get(place), round_.stub_due
    if hand is not None and round_.plan.from_shoe and hand.person_count is None and many > (hand.device_count or 0):
        laying.count(round_, place, many)
    if place not in round_.open or round_.open[place] < many:
        round_.open[place] = many
    if hand is not None:
        hand.keyed = body.keyed
    in_order = round_.doing not in ("", "reveal") and may_lie_open(round_, place, many)
    _lie_open(round_, seen, place, cards, in_order=in_order)
    if round_.stub_due and not before:
        return  # the extra cards went back into the deck
    if kind in round_.plan.declarable:
        _declare(round_, seen, place, cards)
    if round_.doing == "reveal" and round_.plan.forced_draws:
        judge_draws(round_, seen)
    if round_.doing == "reveal" and hand is not None and hand.laid_away:
        judge_discards(round_, place, seen, final=True)
    if place in round_.splits:
        found(round_, round_.ledger.arranged(place, (*round_.splits[place].low, *round_.splits[place].rest)), seen)
    live = round_.live
    if not in_order or kind == "seats":
        _mark_shown(round_, kind, live)
    if kind in round_.plan.houses:
        close_bets(round_)
    _note_showdown(round_, live)


def _burns_shown(round_: Round, seen: Seen, body: e.HandRevealed) -> None:
    """Judge what the cards shown tell of the burns: one was forgotten, or a card was burned while none was due."""
    if shown_unburned(round_, body.place, body.cards):
        judge_unburned(round_, seen)
    elif round_.marks and body.place == COMMUNITY:
        burned.judge_shown(round_, body.cards, seen)


def _lie_open(round_: Round, seen: Seen, place: Place, cards: tuple[Card, ...], *, in_order: bool) -> None:
    """Turn cards up: a whole hand, part of it in a step that shows part, or all but those laid aside."""
    hand, many = round_.ledger.hands.get(place), len(cards)
    some = hand is not None and many < hand.expected - hand.set_aside
    if hand is not None and hand.aside and _before_turn(round_, place, many):
        found(round_, round_.ledger.recall(place, cards), seen)
    elif some and in_order and (open_now(round_, place) is not None or declares(round_, place)):
        found(round_, round_.ledger.open(place, cards), seen)
        judge_open(round_, place, cards, seen)
        if round_.plan.from_hand:
            board_shown(round_)
    elif hand is not None and hand.aside and many == hand.expected - hand.aside:
        found(round_, round_.ledger.play(place, cards), seen)
    else:
        if findings := round_.ledger.reveal(place, cards):
            found(round_, findings, seen)
        _judge_whole(round_, seen, place)


def _before_turn(round_: Round, place: Place, cards: int) -> bool:
    """Return True if cards of a hand with cards laid aside are shown before its turn.

    What was laid aside may be among them, so the hand is taken up again as a whole.
    """
    hand, step = round_.ledger.hands[place], round_.step
    if place.seat is None or step is None or round_.doing != "reveal":
        return place.seat is not None and step is not None
    return cards <= hand.expected - hand.aside and next_to_show(round_) not in (None, round_.plan.kind(place))


def _judge_whole(round_: Round, seen: Seen, place: Place) -> None:
    """Judge a hand that is visible as a whole: its number of cards, and cards laid aside that cannot be identified."""
    hand = round_.ledger.hands.get(place)
    if hand is None:
        return
    if hand.aside and not hand.played:
        choices = tuple(round_.choices.get(place.seat or 0, {}).values())
        hidden = Incident(code="laid-aside-unknown", clause=_apart(round_, choices), place=place.text, choices=choices)
        round_.report(hidden, seen)
    if place not in round_.plan.burns:
        judge_count(round_, place, seen)
        judge_sum(round_, seen)
    if round_.plan.betting is not None:
        judge_retrieved(round_, seen, place)


def _note_showdown(round_: Round, live: list[int]) -> None:
    """Note which hands were shown and compared, as long as nothing found by then voids the round."""
    if round_.doing != "reveal" or round_.house_wrong or round_.over:
        return
    if not live or round_.ledger.conserved is False:
        return
    following, hands = next_to_show(round_, live), round_.ledger.hands
    round_.all_shown = False
    if following is None or following == "seats":
        shown = {number for number in live if PLACES[number] in hands and hands[PLACES[number]].revealed is not None}
        round_.compared, round_.all_shown = shown, following is None and len(shown) == len(live)


def _declare(round_: Round, seen: Seen, place: Place, cards: tuple[Card, ...]) -> None:
    """Declare a hand that its player shows before its turn, or report that it comes too late."""
    if (late := declared_late(round_, place)) is not None:
        round_.report(Incident(code="declared-late", clause=late.clause, place=place.text), seen)
    elif (step := declaring(round_, place)) is not None:
        note_declared(round_, step, place, cards)


def _apart(round_: Round, choices: tuple[str, ...]) -> str:
    """Return the clause of the choice by which cards were laid aside."""
    made = (round_.plan.choices[name] for name in choices)
    return next((choice.clause for choice in made if choice.lays_aside), round_.plan.clause)


def _set(round_: Round, seen: Seen, body: e.HandSet) -> None:
    """Arrange a hand. The faces named are compared with those known; a hand set against the rules is judged."""
    if round_.plan.kind(body.place) not in round_.plan.sets:
        return
    round_.splits[body.place] = body
    found(round_, round_.ledger.arranged(body.place, (*body.low, *body.rest)), seen)
    if body.foul:
        judge_foul_set(round_, body.place, seen)


def _deal_shown(round_: Round, place: Place) -> None:
    """Deal the cards of this place that were due by hand, since they are counted or shown."""
    for due in [due for due in round_.by_hand if due.place == place]:
        round_.by_hand.remove(due)
        round_.ledger.by_hand(due)


def _deal_counted(round_: Round, place: Place, counted: int) -> None:
    """Deal cards due by hand that complete a hand, if a person's count shows that it has them."""
    for due in [due for due in round_.by_hand if due.place == place and due.why == "complete"]:
        if round_.plan.from_hand and (round_.ledger.hand(place).counted or 0) < counted:
            round_.by_hand.remove(due)
            round_.ledger.by_hand(due)
            round_.dues.append(due)
            round_.given = len(round_.dues)


def _mark_shown(round_: Round, kind: str, live: list[int]) -> None:
    if kind != "seats":
        round_.shown.add(kind)
        return
    hands = round_.ledger.hands
    for number in live:
        if (hand := hands.get(PLACES[number])) is not None and hand.revealed is None:
            return
    round_.shown.add("seats")


def _counted(round_: Round, seen: Seen, body: e.CardsCounted) -> None:
    if body.place in (REMAINDER, SHUFFLER, SHOE):
        round_.decks.count(seen.at_ns)
    if body.place == SHOE:
        handle_shoe.counted(round_, seen, body)
        return
    if not round_.in_play and body.place in (SHUFFLER, REMAINDER):
        if body.place == round_.plan.deck_at:
            dealing.deck_counted(round_, seen, body.counted)
        return
    if body.place == BURN and round_.in_play:
        burned.judge_counted(round_, body.counted, seen)
        return
    if body.place == BURN or not (dealing.lies_there(round_, body.place) or body.place == REMAINDER):
        return
    hand = round_.ledger.hand(body.place) if body.place != REMAINDER else None
    if hand is not None and hand.anew and not hand.by_hand and hand.mucked == body.counted:
        return  # this counts the cards that went back
    if round_.plan.from_shoe and judge_unshown(round_, body.place, body.counted, seen):
        return
    if round_.dealt_by_hand:
        _deal_shown(round_, body.place)
    if round_.by_hand:
        _deal_counted(round_, body.place, body.counted)
    if round_.plan.from_shoe:
        laying.count(round_, body.place, body.counted)
    if findings := round_.ledger.count(body.place, body.counted):
        found(round_, findings, seen)
    if body.place in round_.ledger.hands:
        round_.ledger.hands[body.place].counted_at = len(round_.from_shoe)
        judge_count(round_, body.place, seen)
        if round_.plan.betting is not None:
            board_shown(round_)  # a count moves cards to their places, and a hand may be dead
    judge_sum(round_, seen)


def _corrected(round_: Round, seen: Seen, body: e.HandCorrected) -> None:
    """Correct what a person keyed; what a device read itself stays, and the difference is an incident."""
    place, cards = body.place, body.cards
    hand = round_.ledger.hands.get(place)
    if hand is None or not hand.shown:
        return
    if not hand.keyed or not hand.may_be(cards):
        found(round_, round_.ledger.contradicted(place, cards), seen)
        return
    round_.report(correction(hand, body), seen)
    correct_stages(round_, place, hand.shown, cards)
    found(round_, round_.ledger.correct(place, cards), seen)
    if place not in round_.plan.burns:
        judge_count(round_, place, seen)
        judge_sum(round_, seen)


def _discarded(round_: Round, seen: Seen, body: e.CardsDiscarded) -> None:
    if body.place in round_.ledger.hands:
        found(round_, round_.ledger.lay_away(body.place, body.cards), seen)
        judge_discards(round_, body.place, seen, final=False)


def _mishandled(round_: Round, seen: Seen, body: e.CardMishandled) -> None:
    if round_.in_play and body.how == e.Mishap.NOT_BURNED:
        judge_unburned(round_, seen)
    elif round_.in_play:
        face = None if body.card in (UNREAD, NONE) else body.card
        if body.how == e.Mishap.EARLY and burned.is_burn(round_, body.place):
            burned.judge_reported(round_, face, seen)
            return
        judge_mishap(round_, body.place, body.how, face, seen)


HANDLERS_OF_HANDS: Final[dict[type[e.Body], Handler]] = {
    e.HandSet: _set,
    e.BurnConfirmed: _burn,
    e.HandRevealed: _reveal,
    e.CardsCounted: _counted,
    e.CardMishandled: _mishandled,
    e.CardsDiscarded: _discarded,
    e.HandCorrected: _corrected,
}
"""Handlers of reports on burns and hands."""
