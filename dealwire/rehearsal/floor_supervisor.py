"""What the dealer and the supervisor do when something is wrong: who is called, what is counted, what is decided."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from dealwire.rehearsal.dealt_table import Course, Doings
from devices.simulator.deck import Bay
from protocol.faults import Fault
from protocol.places import COMMUNITY, DEALER, MUCK, Place
from protocol.tdp.messages import BadgeLevel, Resolution

if TYPE_CHECKING:
    from dealwire.rehearsal.shuffler_dealer import ShufflerDealer
    from dealwire.rehearsal.step_dealer import StepDealer

BADGE: Final = 7001
"""The supervisor's."""

EXECUTIVE_BADGE: Final = 9001
"""The executive's."""

DEAL_ON: Final = frozenset(
    {Fault.PACKET_SHORT, Fault.PACKET_LONG, Fault.PACKET_LIFTED_EARLY, Fault.EXIT_JAM, Fault.MISDEAL_CALLED_BY_HOST}
)
"""Faults after which the house lets the device go on: the hand concerned is counted instead."""

CARDS_ASTRAY: Final = frozenset({Fault.CARD_LOST, Fault.REMAINDER_COUNT_WRONG})
"""Faults after which nobody knows where a card of the deck is: another deck comes."""

OTHER_DECK: Final = frozenset({Fault.TOO_FEW_CARDS, Fault.TOO_MANY_CARDS})
"""Faults of a deck that is not being dealt yet: the round goes on."""


def attend(dealer: ShufflerDealer) -> Doings:
    """The red lamp is lit: the supervisor comes, looks, acknowledges it and decides about the deck."""
    yield from dealer.at("table-controller")
    yield from _come(dealer)
    dealer.controller.swipe(BADGE, BadgeLevel.SUPERVISOR)
    faults = tuple(dealer.shuffler.latched)
    if not faults:
        return  # whoever lit it has put it out
    resume = DEAL_ON.issuperset(faults)
    uncounted = Fault.REMAINDER_COUNT_WRONG in faults
    if uncounted:
        for place in dealer.hands():
            yield dealer.pace.bet
            dealer.controller.count(place, dealer.cards.count(place))
        resume = _hands_explain(dealer) and (DEAL_ON | {Fault.REMAINDER_COUNT_WRONG}).issuperset(faults)
    if resume:
        yield from dealer.at("shuffler")
        dealer.shuffler.turn_key(Resolution.RESUME, dealer.now_ns)
        if uncounted:
            yield from _judge_uncounted(dealer)
        return
    if dealer.controller.in_game and not OTHER_DECK.issuperset(faults):
        dealer.controller.call_misdeal(BADGE, faults[0])
        dealer.course = Course.VOID
        dealer.defective = not CARDS_ASTRAY.isdisjoint(faults)
    yield from dealer.at("shuffler")
    dealer.shuffler.turn_key(Resolution.REMOVE_DECK, dealer.now_ns)
    yield dealer.pace.step


def deck_is_out(dealer: ShufflerDealer) -> Doings:
    """Somebody else ended the deal, and the cards came out of the shuffler: no hand can be completed."""
    yield from dealer.at("table-controller")
    dealer.controller.swipe(BADGE, BadgeLevel.SUPERVISOR)
    if dealer.controller.in_game:
        dealer.controller.call_misdeal(BADGE, Fault.MISDEAL_CALLED_BY_HOST)
    dealer.course = Course.VOID


def _come(dealer: ShufflerDealer) -> Doings:
    """Who lit the lamp from afar has some time to put it out again; only then somebody at the table does."""
    give_up_ns = dealer.now_ns + dealer.pace.come
    while Fault.MISDEAL_CALLED_BY_HOST in dealer.shuffler.latched and dealer.now_ns < give_up_ns:
        yield dealer.pace.step


def judge(dealer: StepDealer, place: Place, step: str, ruling: str) -> Doings:
    """A hand is known to be wrong: it is counted, and the table does what the house's rules say of it, or what the
    supervisor rules."""
    yield from dealer.at("table-controller")
    dealer.controller.count(place, dealer.cards.count(place))
    if not dealer.right(place):
        how = "short" if dealer.missing(place) else "long"
        yield from rule(dealer, place, how, step, ruling)


def rule(dealer: StepDealer, place: Place, how: str, step: str, ruling: str) -> Doings:
    """What follows when the cards at a place are wrong; `ruling` is the supervisor's, where a person decides."""
    then = dealer.procedure.then(place, how, step, dealer.missing(place) or 1)
    if then == "dead-hand" and place in (COMMUNITY, DEALER):
        then = "defective-deck"  # the house has no hand of its own to lose
    match then:
        case "nothing":
            dealer.accept(place)
        case "dead-hand":
            dealer.dead.add(place)
        case "complete" if how == "short":
            dealer.short += [place] * dealer.missing(place)
        case "complete" | "replace" if how != "long":
            dealer.cards.pick(place, MUCK, [0])  # the card is dead, and the next takes its place
            dealer.replaced += 1
            dealer.owed.append(place)
        case "reshuffle":
            yield from dealer.put_back(place, how, step)
        case "progressive-only":
            yield dealer.pace.step
            _call(dealer, how)
            dealer.course = Course.PROGRESSIVE if dealer.on_sensors() else Course.STOP
        case "misdeal" | "defective-deck":
            yield dealer.pace.step
            _call(dealer, how)
            dealer.course = Course.STOP
            dealer.defective = then == "defective-deck"
        case "person" | "complete":
            yield from dealer.at("table-controller")
            dealer.controller.swipe(BADGE, BadgeLevel.SUPERVISOR)
            yield dealer.pace.step
            if ruling == "misdeal":
                _call(dealer, how)
                dealer.course = Course.STOP
            else:
                dealer.controller.confirm()
                dealer.accept(place)


def award(dealer: StepDealer) -> Doings:
    """The dealer selects the winner's spot and presses the hand; the supervisor confirms, a card completes it."""
    for each in dealer.plan.awards:
        yield from dealer.at("table-controller")
        dealer.controller.select_spot(each.seat)
        for _ in range(3 if each.slips else 1):
            yield dealer.pace.step
            dealer.controller.press_hand(each.hand)
        yield dealer.pace.step
        dealer.controller.confirm()
        yield dealer.pace.step
        dealer.controller.swipe(BADGE if each.level is BadgeLevel.SUPERVISOR else EXECUTIVE_BADGE, each.level)
        yield dealer.pace.step
        dealer.controller.press_hand(each.hand)


def call_misdeal(dealer: StepDealer) -> Doings:
    """A supervisor calls a misdeal for a reason no device can see."""
    yield from dealer.at("table-controller")
    dealer.controller.swipe(BADGE, BadgeLevel.SUPERVISOR)
    dealer.controller.call_misdeal(BADGE, Fault.MISDEAL_CALLED_BY_HOST)


def _hands_explain(dealer: ShufflerDealer) -> bool:
    """Whether every card of the deck is there, so that only hands are wrong."""
    deck = dealer.shuffler.round.deck if dealer.shuffler.round else 0
    outside = (Bay.TRAY, Bay.REJECT)
    there = [card for spot, card in dealer.cards if isinstance(spot, Place) or spot in outside]
    return sum(card.back == deck for card in there) == dealer.procedure.plan.cards


def _judge_uncounted(dealer: StepDealer) -> Doings:
    """All hands were counted: what is wrong with which one has its consequence."""
    for place in dealer.hands():
        if not dealer.right(place) and place not in dealer.dead:
            yield from dealer.at("table-controller")
            yield from rule(dealer, place, "short" if dealer.missing(place) else "long", "", "misdeal")


def _call(dealer: StepDealer, how: str) -> None:
    faults = {"short": Fault.PACKET_SHORT, "long": Fault.PACKET_LONG}
    dealer.controller.call_misdeal(BADGE, faults.get(how, Fault.MISDEAL_CALLED_BY_HOST))
