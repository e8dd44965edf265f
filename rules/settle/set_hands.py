"""Hands that are set in two parts: a player's foul setting, or a dealer's setting that is not the house way."""

from collections.abc import Iterable
from typing import Final

from dealer_flow.record.details import Split
from dealer_flow.record.result import Seat
from protocol.cards import Card
from rules.bets.bet import Staked
from rules.bets.hold import Hold
from rules.bets.outcome import Outcome
from rules.facts.seen import View
from rules.game.house_ways import HouseWay, TwoPartHand
from rules.game.readings import READINGS
from rules.hands import Ranked
from rules.hands.hand_spec import OWN, SetHand
from rules.settlement import SettlementLine

_BY_HOUSE: Final = frozenset({"dealer", "house-way"})
_HELD: Final = "held"


def by_the_set(staked: Staked, seat: Seat, view: View) -> SettlementLine | None:
    """Return the line of a bet that is decided by how a hand was set; None if the hands decide."""
    for each in view.terms.game.sets_of[staked.of.name]:
        if (ruled := _setting_effect(each, seat, view)) is not None:
            return staked.held(ruled) if isinstance(ruled, Hold) else staked.ended(Outcome("lose", each.clause), ruled)
    return None


def _setting_effect(each: SetHand, seat: Seat, view: View) -> Hold | str | None:
    """Return the reason that a bet is held (a Hold) or lost (a phrase) by this hand's setting; None if the hands
    decide. Cached by hand."""
    key = each.low, seat.seat if view.terms.hands[each.low].of_seat else 0
    if key not in view.rulings:
        view.rulings[key] = _ruled(each, seat, view)
    return view.rulings[key]


def _ruled(each: SetHand, seat: Seat, view: View) -> Hold | str | None:
    split = view.split(each.low, seat)
    if split is None:
        return None
    own = OWN in view.terms.game.spec.hands[each.low].of
    foul = _foul_reason(each, split, seat, view)
    # The record contradicts the cards; do not guess which is wrong.
    if split.foul and not foul and own:
        return Hold("the hand was recorded as foul, and by its cards it is not", each.clause)
    if foul and (own or split.by not in _BY_HOUSE):
        return Hold(foul, each.clause) if view.terms.readings.get("foul-hand") == _HELD else foul
    if foul:
        return Hold(f"the dealer set {foul}", each.clause)
    way = view.terms.house_way
    if own or way is None or not each.way or split.by not in _BY_HOUSE:
        return None
    return _house_way_hold(each, seat, view, way)


def _foul_reason(each: SetHand, split: Split, seat: Seat, view: View) -> str:
    """Describe a foul setting; empty if the setting is not foul. Known cards take precedence over the record."""
    low, rest = view.hand(each.low, seat), view.hand(each.rest, seat)
    if isinstance(low, str) or isinstance(rest, str):
        return "a hand recorded as foul" if split.foul else ""
    if low.strength > rest.strength:
        return f"{_spelled(low)} in the low hand above {_spelled(rest)}, a foul hand"
    return ""


def _spelled(hand: Ranked) -> str:
    return f"{hand.text} ({' '.join(map(str, hand.cards))})"


def _house_way_hold(each: SetHand, seat: Seat, view: View, way: HouseWay) -> Hold | None:
    """Return the hold for a dealer's setting that is not the house way; None if it is, or if its cards are unknown."""
    low, rest = view.cards(each.low, seat), view.cards(each.rest, seat)
    if isinstance(low, str) or isinstance(rest, str):
        return None
    if len(low) + len(rest) != way.spec.cards:
        return Hold(f"house way {way.id} sets {way.spec.cards} cards, not {len(low) + len(rest)}", each.way)
    ranks = view.terms.ranks(each.low), view.terms.ranks(each.rest)
    found = way.settings((*low, *rest), *ranks, view.terms.readings)
    if found is None:
        return Hold(f"house way {way.id} has no rule for {_text((*low, *rest))}", each.way)
    rule, allowed = found
    if _allows(allowed, low):
        return None
    wanted, reading = _text(allowed[0].low), ""
    for name in way.readings_of((*low, *rest)):
        for option in READINGS[name]:
            other = way.settings((*low, *rest), *ranks, {**view.terms.readings, name: option})
            reading = name if other is not None and _allows(other[1], low) else reading
    why = f"the dealer set {_text(low)} low, and the house way sets {wanted} ({rule.does})"
    return Hold(why, rule.clause, reading=reading)


def _allows(allowed: Iterable[TwoPartHand], low: Iterable[Card]) -> bool:
    """Return True if these cards are allowed as the low hand."""
    return any(sorted(low) == sorted(setting.low) for setting in allowed)


def _text(cards: tuple[Card, ...]) -> str:
    """Return the cards as text, the highest first and jokers before all."""
    ranks = {card: 15 if card.is_joker else 14 if card.rank == 1 else card.rank or 0 for card in cards}
    return " ".join(card.text for card in sorted(cards, key=lambda card: ranks[card], reverse=True))
