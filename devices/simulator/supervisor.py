"""What the dealer and the supervisor do when something is wrong: who is called, what is counted, what is decided."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from devices.simulator.deck import Bay
from devices.simulator.steps import Steps, Verdict
from protocol.faults import Fault
from protocol.places import COMMUNITY, DEALER, Place, seat
from protocol.tdp.messages import BadgeLevel, Resolution

if TYPE_CHECKING:
    from devices.simulator.dealer import Dealer

BADGE: Final = 7001
"""The supervisor's."""

EXECUTIVE_BADGE: Final = 9001
"""The executive's."""

DEAL_ON: Final = frozenset(
    {Fault.PACKET_SHORT, Fault.PACKET_LONG, Fault.PACKET_LIFTED_EARLY, Fault.EXIT_JAM, Fault.MISDEAL_CALLED_BY_HOST}
)
"""Faults after which the house lets the device go on: the hand concerned is counted instead."""

OTHER_DECK: Final = frozenset({Fault.TOO_FEW_CARDS, Fault.TOO_MANY_CARDS})
"""Faults of a deck that is not being dealt yet: the round goes on."""


def attend(dealer: Dealer) -> Steps:
    """The red lamp is lit: the supervisor comes, looks, acknowledges it and decides about the deck."""
    yield from dealer.at("table-controller")
    dealer.controller.swipe(BADGE, BadgeLevel.SUPERVISOR)
    fault = dealer.shuffler.latched[0]
    resume = fault in DEAL_ON
    if fault == Fault.REMAINDER_COUNT_WRONG:
        yield from _count_all(dealer)
        resume = _hands_explain(dealer)
    if resume:
        yield from dealer.at("shuffler")
        dealer.shuffler.turn_key(Resolution.RESUME, dealer.now_ns)
        if fault == Fault.REMAINDER_COUNT_WRONG:
            yield from _judge_uncounted(dealer)
        return
    if dealer.controller.in_game and fault not in OTHER_DECK:
        _void(dealer, fault)
    yield from dealer.at("shuffler")
    dealer.shuffler.turn_key(Resolution.REMOVE_DECK, dealer.now_ns)
    yield dealer.pace.step


def judge(dealer: Dealer, place: Place) -> Steps:
    """A packet is known to be wrong: it is counted, and when it is not a player's the table misdeals."""
    yield from dealer.at("table-controller")
    dealer.controller.count(place, dealer.cards.count(place))
    if not dealer.right(place) and place.seat is None:
        yield dealer.pace.step
        _misdeal(dealer, place)
    yield from dealer.at("shuffler")


def award(dealer: Dealer) -> Steps:
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


def call_misdeal(dealer: Dealer) -> Steps:
    """A supervisor calls a misdeal for a reason no device can see."""
    yield from dealer.at("table-controller")
    dealer.controller.swipe(BADGE, BadgeLevel.SUPERVISOR)
    dealer.controller.call_misdeal(BADGE, Fault.MISDEAL_CALLED_BY_HOST)


def _count_all(dealer: Dealer) -> Steps:
    for place in _dealt(dealer):
        yield dealer.pace.bet
        dealer.controller.count(place, dealer.cards.count(place))


def _dealt(dealer: Dealer) -> list[Place]:
    hands = (COMMUNITY, *(seat(player.seat) for player in dealer.plan.players), DEALER)
    return [place for place in hands if dealer.cards.count(place)]


def _hands_explain(dealer: Dealer) -> bool:
    """Whether every card of the deck is there, so that only hands are wrong."""
    found = sum(dealer.cards.count(place) for place in _dealt(dealer))
    return found + dealer.cards.count(Bay.TRAY) + dealer.cards.count(Bay.REJECT) == dealer.game.cards


def _judge_uncounted(dealer: Dealer) -> Steps:
    for place in (COMMUNITY, DEALER):
        if dealer.cards.count(place) and not dealer.right(place):
            yield from dealer.at("table-controller")
            _misdeal(dealer, place)


def _misdeal(dealer: Dealer, place: Place) -> None:
    """CO 47.1-1017.60 progressive (7)(I): the hands may be played for the progressive, if anyone has one."""
    short = dealer.cards.count(place) < dealer.game.packet_size
    dealer.controller.call_misdeal(BADGE, Fault.PACKET_SHORT if short else Fault.PACKET_LONG)
    dealer.verdict = Verdict.PROGRESSIVE if dealer.on_sensors() else Verdict.STOP


def _void(dealer: Dealer, fault: int) -> None:
    dealer.controller.call_misdeal(BADGE, fault)
    dealer.verdict = Verdict.VOID
