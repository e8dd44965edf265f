"""Every message of a device becomes the right event; an unknown one becomes a value."""

from typing import Any

import pytest
from msgspec.structs import replace

from devices import events as e
from devices.dialects.drivers import DRIVERS, UnknownKind, kind_of
from devices.dialects.shuffler import EVENTS as SHUFFLER_EVENTS
from devices.dialects.shuffler import ShufflerDriver
from devices.dialects.table_controller import EVENTS as CONTROLLER_EVENTS
from devices.dialects.table_controller import TableControllerDriver
from protocol.cards import UNREAD, parse_card, parse_cards
from protocol.errors import NoAnswer
from protocol.places import COMMUNITY, DEALER, PLACES, seat
from protocol.tdp import (
    Answered,
    Delivered,
    Discarded,
    Down,
    Lost,
    Returned,
    Send,
    SessionRestarted,
    StatusSeen,
    Unanswered,
    UnknownEvent,
    Up,
)
from protocol.tdp import messages as m
from protocol.tdp.packets import PACKETS
from tests.support.oracles.shoe_reports import ANGEL_EYE, BEE_TEK, TDP
from tests.support.reading.each import of_each
from tests.support.rigs.lines import hello, shuffler_status

HEAD = {"number": 9, "device_ms": 1234}


def said(driver: Any, message: m.Event) -> e.Body | None:
    return driver.translate(Delivered(0xA1, 0, message))


ANY_DEVICE = [
    (m.BootedMessage(**HEAD, boot_count=8, previous_session=1, cause=1, mid_round=1), e.Booted(8, True)),
    (m.FaultRaisedMessage(**HEAD, fault=301, place=3, value=4), e.FaultRaised(301, seat(3), 4)),
    (m.FaultClearedMessage(**HEAD, fault=301), e.FaultCleared(301)),
    (m.DoorMovedMessage(**HEAD, open=1), e.DoorMoved(True)),
    (m.DoorMovedMessage(**HEAD, open=0), e.DoorMoved(False)),
    (UnknownEvent(**HEAD, message_id=0x3F01, payload=b"abc"), e.UnknownReported("event 0x3F01 of 3 bytes")),
]

SHUFFLER = [
    *ANY_DEVICE,
    (m.StateChangedMessage(**HEAD, state=8, previous=7), e.StateChanged("PACKET_WAIT", "DISPENSING")),
    (m.StateChangedMessage(**HEAD, state=0xEE, previous=6), e.StateChanged("0xEE", "READY")),
    (m.GreenButtonMessage(**HEAD), e.GreenButton()),
    (
        m.GameSelectedMessage(**HEAD, packet_size=5, cards=52, jokers=0, game="FGW-CO"),
        e.GameSelected(5, 52, 0, "FGW-CO"),
    ),
    (m.DeckLoadedMessage(**HEAD, deck=2, back=1), e.DeckLoaded(2, 1)),
    (m.ShuffleStartedMessage(**HEAD, deck=2), e.ShuffleStarted(2)),
    (m.DeckVerifiedMessage(**HEAD, deck=2, expected=52, counted=51), e.DeckVerified(2, 52, 51)),
    (
        m.PacketDispensedMessage(**HEAD, deck=1, ordinal=2, expected=5, counted=4, cards=bytes.fromhex("412a605f")),
        e.PacketDispensed(1, 2, 5, 4, (*parse_cards("AS TD ??"), parse_card("0x5F"))),
    ),
    (
        m.PacketDispensedMessage(**HEAD, deck=1, ordinal=2, expected=5, counted=5, cards=b""),
        e.PacketDispensed(1, 2, 5, 5, ()),
    ),
    (m.PacketLiftedMessage(**HEAD, ordinal=2), e.PacketLifted(2)),
    (m.RemainderDumpedMessage(**HEAD, deck=1, expected=37, counted=36), e.RemainderDumped(1, 37, 36)),
    (m.RemainderLiftedMessage(**HEAD, deck=1), e.RemainderLifted(1)),
    (m.CardRejectedMessage(**HEAD, deck=1, card=0x2D, fault=104), e.CardRejected(1, parse_card("KD"), 104)),
    (m.RedLampMessage(**HEAD, lit=1, fault=301), e.RedLamp(True, 301)),
    (m.RedLampMessage(**HEAD, lit=0, fault=0), e.RedLamp(False, 0)),
    (
        m.MisdealMessage(**HEAD, deck=1, fault=301, loaded=52, remainder=37, rejected=0, packets=((5, 5), (5, 4))),
        e.MisdealReported(1, 301, 52, 37, 0, ((5, 5), (5, 4))),
    ),
    (
        m.MisdealMessage(**HEAD, deck=1, fault=204, loaded=52, remainder=0xFFFF, rejected=1, packets=()),
        e.MisdealReported(1, 204, 52, None, 1, ()),
    ),
    (m.MisdealClearedMessage(**HEAD, fault=301, badge=77, resolution=1), e.MisdealCleared(301, 77, True)),
    (m.MisdealClearedMessage(**HEAD, fault=301, badge=0, resolution=2), e.MisdealCleared(301, 0, False)),
    (m.DeckRemovedMessage(**HEAD, deck=1), e.DeckRemoved(1)),
]

CONTROLLER = [
    *ANY_DEVICE,
    (m.StateChangedMessage(**HEAD, state=2, previous=1), e.StateChanged("GAME", "BETS_OPEN")),
    (m.StateChangedMessage(**HEAD, state=17, previous=1), e.StateChanged("0x11", "BETS_OPEN")),
    (m.GameStartedMessage(**HEAD, round=41), e.GameStarted(41)),
    (m.GameEndedMessage(**HEAD, round=41), e.GameEnded(41)),
    (m.SensorChangedMessage(**HEAD, seat=3, on=1), e.SensorChanged(3, True)),
    (m.HandButtonMessage(**HEAD, hand=2, on=0), e.HandButton(2, False)),
    (m.SpotSelectedMessage(**HEAD, seat=4), e.SpotSelected(4)),
    (m.BadgeSwipedMessage(**HEAD, badge=9001, level=1), e.BadgeSwiped(9001, "dealer")),
    (m.BadgeSwipedMessage(**HEAD, badge=9001, level=2), e.BadgeSwiped(9001, "supervisor")),
    (m.BadgeSwipedMessage(**HEAD, badge=9001, level=3), e.BadgeSwiped(9001, "executive")),
    (m.BadgeSwipedMessage(**HEAD, badge=9001, level=9), e.BadgeSwiped(9001, "0x09")),
    (m.ConfirmedMessage(**HEAD), e.Confirmed()),
    (m.WagerPlacedMessage(**HEAD, seat=1, bet=4, cents=2500), e.WagerPlaced(1, 4, 2500)),
    (m.DecisionMadeMessage(**HEAD, seat=1, decision=2), e.DecisionMade(1, 2)),
    (
        m.BurnConfirmedMessage(**HEAD, place=0x40, positions=0b10011, spread=1),
        e.BurnConfirmed(COMMUNITY, (1, 2, 5), "left-to-right"),
    ),
    (
        m.BurnConfirmedMessage(**HEAD, place=0x40, positions=0b11000, spread=2),
        e.BurnConfirmed(COMMUNITY, (4, 5), "right-to-left"),
    ),
    (m.BurnConfirmedMessage(**HEAD, place=0x40, positions=0, spread=7), e.BurnConfirmed(COMMUNITY, (), "0x07")),
    (
        m.HandRevealedMessage(**HEAD, place=0x41, source=2, cards=bytes.fromhex("1133")),
        e.HandRevealed(DEALER, parse_cards("AC 3H"), True),
    ),
    (m.HandRevealedMessage(**HEAD, place=2, source=1, cards=b""), e.HandRevealed(seat(2), (), False)),
    (m.CardsCountedMessage(**HEAD, place=0x41, counted=6), e.CardsCounted(DEALER, 6)),
    (m.MisdealCalledMessage(**HEAD, badge=5, fault=302), e.MisdealCalled(5, 302)),
    (
        m.CardMishandledMessage(**HEAD, place=0x51, how=2, card=0x2A),
        e.CardMishandled(PLACES[0x51], "off-table", parse_card("TD")),
    ),
    (
        m.HandSetMessage(**HEAD, place=3, by=1, foul=0, low=2, cards=bytes.fromhex("113360")),
        e.HandSet(seat(3), "player", False, parse_cards("AC 3H"), (UNREAD,)),
    ),
    (
        m.HandSetMessage(**HEAD, place=0x41, by=2, foul=1, low=2, cards=bytes.fromhex("1133")),
        e.HandSet(DEALER, "house-way", True, parse_cards("AC 3H"), ()),
    ),
    (m.HandSetMessage(**HEAD, place=3, by=9, foul=1, low=2, cards=b""), e.HandSet(seat(3), "0x09", True, (), ())),
    (
        m.CardsDiscardedMessage(**HEAD, place=0x41, cards=bytes.fromhex("2a60")),
        e.CardsDiscarded(DEALER, (parse_card("TD"), UNREAD)),
    ),
    (m.NumberDrawnMessage(**HEAD, drawn=18), e.NumberDrawn(18)),
    (m.WagerOnMessage(**HEAD, seat=3, bet=5, proposition=1, on=0x2A, cents=75), e.WagerOn(3, 5, 1, "TD", 75)),
    (m.WagerOnMessage(**HEAD, seat=3, bet=5, proposition=2, on=0x0A, cents=75), e.WagerOn(3, 5, 2, "T", 75)),
    (m.WagerOnMessage(**HEAD, seat=3, bet=5, proposition=3, on=0x20, cents=75), e.WagerOn(3, 5, 3, "D", 75)),
    (m.WagerOnMessage(**HEAD, seat=3, bet=5, proposition=4, on=0, cents=0), e.WagerOn(3, 5, 4, "", 0)),
    (m.WagerOnMessage(**HEAD, seat=3, bet=5, proposition=4, on=0x60, cents=1), e.WagerOn(3, 5, 4, "??", 1)),
    (
        m.HandCorrectedMessage(**HEAD, place=2, badge=9001, level=2, cards=bytes.fromhex("1133")),
        e.HandCorrected(seat(2), 9001, "supervisor", parse_cards("AC 3H")),
    ),
    (m.StakeShownMessage(**HEAD, seat=3, cents=45_000), e.StakeShown(3, 45_000)),
    (m.StakeShownMessage(**HEAD, seat=3, cents=0), e.StakeShown(3, 0)),
    (m.PlayerActedMessage(**HEAD, seat=3, action=2, manner=0, cents=900), e.PlayerActed(3, e.BettingAction.RAISE, 900)),
    (
        m.PlayerActedMessage(**HEAD, seat=3, action=3, manner=1, cents=900),
        e.PlayerActed(3, e.BettingAction.CALL, 900, e.Manner.STRING_BET),
    ),
    (m.PlayerActedMessage(**HEAD, seat=3, action=99, manner=200, cents=7), e.PlayerActed(3, "0x63", 7, "0xC8")),
    (m.PlayerActedMessage(**HEAD, seat=0, action=0, manner=0, cents=0), e.PlayerActed(0, "0x00", 0)),
    (m.PlayerActedMessage(**HEAD, seat=33, action=4, manner=2, cents=0), e.PlayerActed(33, "fold", 0, "time-limit")),
    (m.PotTakenMessage(**HEAD, pot=2, seat=3, cents=2_550), e.PotTaken(2, 3, 2_550)),
    (m.PotTakenMessage(**HEAD, pot=0, seat=33, cents=0), e.PotTaken(0, 33, 0)),
    (m.CardMishandledMessage(**HEAD, place=0x41, how=99, card=0x60), e.CardMishandled(DEALER, "0x63", UNREAD)),
]


@pytest.mark.parametrize(("message", "body"), SHUFFLER, ids=lambda value: type(value).__name__)
def test_shuffler(message, body):
    assert said(ShufflerDriver(), message) == body


@pytest.mark.parametrize(("words", "numbers"), [(e.BettingAction, m.PlayerAction), (e.Manner, m.ActionManner)])
def test_each_word_of_the_betting_is_a_number_of_the_wire(words, numbers):
    acted = m.PlayerActedMessage(**HEAD, seat=3, action=1, manner=0, cents=0)
    field = "action" if words is e.BettingAction else "manner"
    said_ = {getattr(said(TableControllerDriver(), replace(acted, **{field: number})), field) for number in numbers}
    assert said_ - {""} == set(words)


@of_each("message, body", CONTROLLER)
def test_table_controller(message, body):
    assert said(TableControllerDriver(), message) == body


def test_every_event_of_the_protocol_has_a_driver_and_a_case_here():
    """Those of a shoe are in test_shoe_drivers.py."""
    declared = {cls for (kind, number), (cls, _) in PACKETS.items() if kind == m.Kind.EVENT and number >> 8 != 2}
    assert declared == (set(SHUFFLER_EVENTS) | set(CONTROLLER_EVENTS)) - {UnknownEvent}
    assert {type(message) for message, _ in SHUFFLER} == set(SHUFFLER_EVENTS)
    assert {type(message) for message, _ in CONTROLLER} == set(CONTROLLER_EVENTS)


def test_every_body_can_come_from_some_device():
    bodies = {
        cls for cls in vars(e).values() if isinstance(cls, type) and issubclass(cls, e.Body) and cls is not e.Body
    }
    from_link = {e.LinkUp, e.LinkLost, e.SessionChanged, e.SessionReturned, e.EventsLost, e.BytesDropped}
    from_link |= {e.DeviceElsewhere, e.FirmwareAttested, e.BadgesListed}  # from whoever has lines, keys, lists
    from_link |= {e.RoundCounted, e.StatusDiffers}  # of a status, by the feed
    shoes = [*TDP, *ANGEL_EYE, *BEE_TEK]
    assert {type(body) for _, body in [*SHUFFLER, *CONTROLLER, *shoes]} | from_link == bodies


@pytest.mark.parametrize("driver", [ShufflerDriver(), TableControllerDriver()])
def test_what_the_link_itself_reports(driver):
    assert driver.translate(Down("nothing heard")) == e.LinkLost("nothing heard")
    assert driver.translate(SessionRestarted(1, 2)) == e.SessionChanged(1, 2)
    assert driver.translate(Returned(1)) == e.SessionReturned(1)
    assert driver.translate(Lost(1, 5, 9)) == e.EventsLost(5, 9)
    assert driver.translate(Up(hello(5, 3, capabilities=0), False)) == e.LinkUp(
        5, "table-controller", "Test Works", "Rig", "0001", "1.0", False, False
    )
    assert driver.translate(Up(hello(5, 9), True)).device_class == "0x09"
    for silent in (
        Send(b"x"),
        StatusSeen(shuffler_status(1, 2, 3)),
        Discarded(b"x", "noise"),
        Answered(1, m.DispenseMessage(), m.ReplyMessage(1, 0, 6)),
        Unanswered(1, m.DispenseMessage(), NoAnswer("Dispense", 3, 0.75)),
    ):
        assert driver.translate(silent) is None


def test_an_event_of_another_kind_of_device_is_reported_not_lost():
    assert said(ShufflerDriver(), m.GameStartedMessage(**HEAD, round=1)) == e.UnknownReported("event GameStarted")
    assert said(TableControllerDriver(), m.GreenButtonMessage(**HEAD)) == e.UnknownReported("event GreenButton")


def test_kinds_by_name():
    assert kind_of("shuffler", where="x").device_class == m.DeviceClass.SHUFFLER
    assert isinstance(DRIVERS["table-controller"].make(), TableControllerDriver)
    with pytest.raises(UnknownKind, match=r"^--device: no kind of device is called 'toaster'; allowed: shuffler, shoe"):
        kind_of("toaster", where="--device")


def test_bodies_are_hashable_values():
    for _, body in SHUFFLER + CONTROLLER:
        assert hash(body) == hash(replace(body))
