"""The shuffler model and its unit: actions, refusals, output."""

from random import Random
from typing import Any

import pytest

from devices.simulator.deck import Bay, Cards
from devices.simulator.device_model import CommandProgress, EventDraft
from devices.simulator.shuffler import ShufflerModel
from devices.simulator.shuffler_parts import MS, MachineMishap, PacketGroup, ShufflerSetting
from devices.simulator.unit import Unit
from protocol.faults import Fault
from protocol.places import BURN, COMMUNITY, DEALER, REMAINDER, seat
from protocol.tdp import messages as m
from protocol.tdp.codec import decode, encode
from protocol.tdp.framing import Frame, Framer, encode_frame
from protocol.tdp.messages import Capability, DeviceClass, Reason, Resolution, Role, Status
from protocol.tdp.messages import ShufflerState as S


class Bench:
    """A shuffler with both decks and a hand."""

    def __init__(self, *mishaps: MachineMishap, recognition: bool = False) -> None:
        self.cards = Cards(Random(7))
        self.model = ShufflerModel(self.cards, recognition=recognition)
        self.model.mishaps = list(mishaps)
        self.now = 0
        self.model.power_on(0)
        self.until(S.EMPTY)
        for deck in (1, 2):
            self.cards.bring(deck, Bay.INPUT)
            self.model.load_deck(deck, self.now)
            self.until(S.READY)
        self.model.outbox.clear()

    def until(self, *states: S) -> None:
        while self.model.state not in states:
            due = self.model.next_deadline_ns
            assert due is not None, f"nothing moves in {self.model.state!r}"
            self.now = due
            self.model.tick(due)

    def deal(self, *places: Any) -> None:
        """Press green, then lift packets to these places; the next one is then in the tray."""
        self.model.press_green(self.now)
        for place in places:
            self.until(S.PACKET_WAIT)
            assert self.model.lift(place, self.now)
        self.until(S.PACKET_WAIT, S.MISDEAL)

    def ask(self, command: m.Message) -> m.ReplyMessage:
        return self.model.answer(9, command, self.now)

    def said(self, kind: type[m.Event]) -> list[dict[str, Any]]:
        return [word.fields for word in self.model.outbox if isinstance(word, EventDraft) and word.event is kind]


def test_lifting_brings_the_next_packet_and_an_unlifted_one_goes_with_the_remainder() -> None:
    bench = Bench()
    bench.deal(COMMUNITY, seat(1), DEALER)
    assert [packet["ordinal"] for packet in bench.said(m.PacketDispensedMessage)] == [1, 2, 3, 4]
    assert [packet["ordinal"] for packet in bench.said(m.PacketLiftedMessage)] == [1, 2, 3]
    bench.model.press_green(bench.now)
    bench.until(S.REMAINDER_WAIT)
    assert bench.said(m.RemainderDumpedMessage) == [{"deck": 1, "expected": 37, "counted": 37}]
    assert bench.cards.count(Bay.TRAY) == 37
    assert bench.cards.backs([Bay.TRAY]) == [1]


def test_the_other_deck_is_shuffled_while_the_remainder_waits() -> None:
    bench = Bench()
    bench.deal(COMMUNITY)
    bench.model.press_green(bench.now)
    bench.until(S.REMAINDER_WAIT)
    while bench.model.next_deadline_ns is not None:
        bench.now = bench.model.next_deadline_ns
        bench.model.tick(bench.now)
    assert bench.model.state is S.REMAINDER_WAIT
    assert bench.said(m.DeckVerifiedMessage) == [{"deck": 2, "expected": 52, "counted": 52}]
    bench.model.lift(REMAINDER, bench.now)
    assert bench.model.state is S.READY


def test_green_while_a_packet_comes_dumps_once_it_lies_there() -> None:
    bench = Bench()
    bench.deal(COMMUNITY)
    bench.model.lift(seat(1), bench.now)
    assert bench.model.state is S.DISPENSING
    bench.model.press_green(bench.now)
    bench.until(S.REMAINDER_WAIT)
    assert bench.said(m.RemainderDumpedMessage)[0]["counted"] == 42


@pytest.mark.parametrize("hold", [False, True])
def test_green_takes_no_request_from_the_packet_it_was_asked_for(hold: bool) -> None:
    bench = Bench()
    assert bench.ask(m.DispenseMessage()).status == Status.ACCEPTED
    assert bench.model.hold_green(bench.now) if hold else bench.model.press_green(bench.now)
    bench.until(S.REMAINDER_WAIT)
    asked = {word.event: word.request for word in bench.model.outbox if isinstance(word, EventDraft)}
    assert (asked[m.PacketDispensedMessage], asked[m.RemainderDumpedMessage]) == (9, 0)


def test_what_is_asked_for_in_the_wrong_state_while_something_moves_is_refused_as_busy() -> None:
    bench = Bench()
    bench.deal(COMMUNITY)
    assert bench.ask(m.ClearMisdealMessage(1, Resolution.REMOVE_DECK)).reason == Reason.WRONG_STATE
    bench.model.lift(seat(1), bench.now)
    assert bench.ask(m.ClearMisdealMessage(1, Resolution.REMOVE_DECK)).reason == Reason.BUSY
    assert bench.ask(m.RaiseLampMessage(505)).status == Status.DONE
    assert bench.ask(m.RaiseLampMessage(505)).reason == Reason.BUSY
    bench.until(S.MISDEAL)
    assert bench.ask(m.RaiseLampMessage(505)).reason == Reason.WRONG_STATE


def test_a_text_is_passed_on_up_to_its_first_zero() -> None:
    bench = Bench()
    assert bench.ask(m.SelectGameMessage(5, 52, 0, "fgw\0x")).status == Status.DONE
    assert bench.said(m.GameSelectedMessage)[-1]["game"] == "fgw"


def test_no_packet_comes_when_fewer_cards_are_left_than_one_needs() -> None:
    bench = Bench()
    bench.deal(COMMUNITY, *(seat(number) for number in range(1, 9)))
    bench.model.lift(DEALER, bench.now)
    assert bench.model.state is S.PACKET_WAIT
    assert bench.model.next_deadline_ns is None
    assert bench.cards.count(Bay.CHAMBER) == 2


@pytest.mark.parametrize(("by", "fault"), [(-1, 301), (-4, 301), (1, 302), (3, 302)])
def test_a_wrong_packet_that_it_counts_lights_the_lamp(by: int, fault: int) -> None:
    bench = Bench(MachineMishap(2, by=by))
    bench.deal(COMMUNITY)
    assert bench.model.state is S.MISDEAL
    assert bench.said(m.PacketDispensedMessage)[-1]["counted"] == bench.cards.count(Bay.TRAY) == 5 + by
    assert bench.said(m.RedLampMessage) == [{"lit": 1, "fault": fault}]
    assert bench.said(m.MisdealMessage) == [
        {
            "deck": 1,
            "fault": fault,
            "loaded": 52,
            "remainder": 0xFFFF,
            "rejected": 0,
            "packets": ((5, 5), (5, 5 + by)),
        }
    ]
    assert bench.model.turn_key(Resolution.RESUME, bench.now)
    assert bench.model.state is S.PACKET_WAIT
    assert bench.model.lift(seat(1), bench.now) == 5 + by


@pytest.mark.parametrize("by", [-1, 1])
def test_a_wrong_packet_that_it_does_not_count_shows_only_at_the_remainder(by: int) -> None:
    bench = Bench(MachineMishap(2, by=by, noticed=False))
    bench.deal(COMMUNITY)
    assert bench.model.state is S.PACKET_WAIT
    assert bench.said(m.PacketDispensedMessage)[-1]["counted"] == 5
    assert bench.model.lift(seat(1), bench.now) == 5 + by
    bench.until(S.PACKET_WAIT)
    bench.model.press_green(bench.now)
    bench.until(S.MISDEAL)
    assert bench.said(m.RemainderDumpedMessage) == [{"deck": 1, "expected": 42, "counted": 42 - by}]
    assert bench.said(m.RedLampMessage) == [{"lit": 1, "fault": 305}]


def test_a_jam_is_freed_without_a_lamp_or_latched_after_three_tries() -> None:
    freed = Bench(MachineMishap(2, jam_tries=3))
    freed.deal(COMMUNITY)
    assert freed.model.state is S.PACKET_WAIT
    assert [fault["fault"] for fault in freed.said(m.FaultRaisedMessage)] == [203]
    assert freed.said(m.FaultClearedMessage) == [{"fault": 203}]
    assert not freed.said(m.RedLampMessage)
    stuck = Bench(MachineMishap(2, jam_tries=4))
    stuck.deal(COMMUNITY)
    assert stuck.model.state is S.MISDEAL
    assert not stuck.cards.count(Bay.TRAY)
    stuck.model.turn_key(Resolution.RESUME, stuck.now)
    stuck.until(S.PACKET_WAIT)
    assert stuck.cards.count(Bay.TRAY) == 5


def test_a_packet_lifted_early_ends_where_the_hand_took_it() -> None:
    bench = Bench()
    bench.deal(COMMUNITY)
    bench.model.lift(seat(1), bench.now)
    bench.now += 250 * MS
    assert bench.model.lift(seat(2), bench.now) == 3
    assert bench.model.state is S.MISDEAL
    assert bench.said(m.PacketDispensedMessage)[-1]["counted"] == 3
    assert bench.said(m.RedLampMessage) == [{"lit": 1, "fault": 303}]


def test_with_recognition_the_faces_are_those_that_lie_in_the_tray_top_first() -> None:
    bench = Bench(recognition=True)
    bench.deal()
    tray = bytes(int(card.card) for card in bench.cards.at(Bay.TRAY))
    assert bench.said(m.PacketDispensedMessage)[0]["cards"] == tray
    assert len(tray) == 5


def test_the_lamp_survives_a_power_cut() -> None:
    bench = Bench(MachineMishap(1, by=1))
    bench.deal()
    bench.model.power_off()
    bench.model.power_on(bench.now)
    bench.until(S.MISDEAL)
    assert bench.model.latched == [302, 502]
    assert not bench.model.turn_key(Resolution.RESUME, bench.now)
    assert bench.model.turn_key(Resolution.REMOVE_DECK, bench.now)
    bench.until(S.READY)
    assert bench.said(m.DeckRemovedMessage) == [{"deck": 1}]


def test_without_its_host_it_finishes_the_motion_and_starts_no_other() -> None:
    bench = Bench()
    bench.deal(COMMUNITY)
    bench.model.lift(seat(1), bench.now)
    bench.model.host_gone(bench.now)
    assert bench.model.state is S.DISPENSING
    bench.until(S.SAFE)
    assert bench.model.lift(seat(2), bench.now) == 5
    assert not bench.model.press_green(bench.now)
    assert bench.model.next_deadline_ns is None
    bench.model.host_back(bench.now)
    bench.until(S.PACKET_WAIT)
    assert [packet["ordinal"] for packet in bench.said(m.PacketLiftedMessage)] == [1, 2, 3]


HOLDEM = (PacketGroup(2), PacketGroup(1, 1), PacketGroup(3, 1))


def groups_bench(*mishaps: MachineMishap) -> Bench:
    """Return a bench with two cards each, one burned, a flop of three."""
    bench = Bench(*mishaps)
    bench.model.game = ShufflerSetting(0, 52, 0, "two-and-three", HOLDEM)
    return bench


def test_packets_of_different_sizes_come_group_by_group() -> None:
    bench = groups_bench()
    model = bench.model
    bench.deal(seat(1))
    model.press_green(bench.now)  # the packet in the tray is the last of its group
    assert model.lift(DEALER, bench.now) == 2
    assert (model.state, model.next_deadline_ns) == (S.PACKET_WAIT, None)
    for place, size in ((BURN, 1), (COMMUNITY, 3)):
        model.press_green(bench.now)
        bench.until(S.PACKET_WAIT)
        assert model.lift(place, bench.now) == size
        assert (model.state, model.next_deadline_ns) == (S.PACKET_WAIT, None)
    model.press_green(bench.now)
    bench.until(S.REMAINDER_WAIT)
    dealt = [(p["ordinal"], p["expected"], p["counted"]) for p in bench.said(m.PacketDispensedMessage)]
    assert dealt == [(1, 2, 2), (2, 2, 2), (3, 1, 1), (4, 3, 3)]
    assert bench.said(m.RemainderDumpedMessage) == [{"deck": 1, "expected": 44, "counted": 44}]


def test_green_held_down_brings_the_remainder_whatever_the_game_has_left() -> None:
    bench = groups_bench()
    bench.deal(seat(1))
    bench.model.hold_green(bench.now)
    bench.until(S.REMAINDER_WAIT)
    assert bench.said(m.RemainderDumpedMessage) == [{"deck": 1, "expected": 50, "counted": 50}]


def test_green_twice_with_a_packet_in_the_tray_brings_the_remainder() -> None:
    bench = groups_bench()
    bench.deal(seat(1))
    bench.model.press_green(bench.now)
    assert bench.model.state is S.PACKET_WAIT
    bench.model.press_green(bench.now)
    assert bench.model.state is S.DUMPING


def test_commands_bring_groups_and_the_remainder() -> None:
    bench = groups_bench()
    assert bench.ask(m.DispenseMessage()).status is Status.ACCEPTED
    bench.until(S.PACKET_WAIT)
    assert bench.ask(m.DispenseMessage()).status is Status.REFUSED  # a packet lies in the tray
    bench.model.press_green(bench.now)
    bench.model.lift(seat(1), bench.now)
    assert bench.ask(m.DispenseMessage()).status is Status.ACCEPTED
    bench.until(S.PACKET_WAIT)
    assert bench.said(m.PacketDispensedMessage)[-1]["expected"] == 1
    assert bench.ask(m.DumpMessage()).status is Status.ACCEPTED
    bench.until(S.REMAINDER_WAIT)


def test_a_game_whose_packets_differ_needs_a_program_in_the_device() -> None:
    bench = Bench()
    assert bench.ask(m.SelectGameMessage(0, 52, 0, "two-and-three")).reason is Reason.NOT_SUPPORTED
    bench.model.programs["two-and-three"] = HOLDEM
    assert bench.ask(m.SelectGameMessage(0, 52, 0, "two-and-three")).status is Status.DONE
    assert bench.model.game.groups == HOLDEM
    assert bench.said(m.GameSelectedMessage)[-1]["packet_size"] == 0


def test_a_flop_that_is_short_lights_the_lamp_with_its_own_size() -> None:
    bench = groups_bench(MachineMishap(3, by=-1))
    bench.deal(seat(1))
    bench.model.press_green(bench.now)
    bench.model.lift(DEALER, bench.now)
    bench.model.game = ShufflerSetting(0, 52, 0, "two-and-three", (PacketGroup(2), PacketGroup(3, 1)))
    bench.model.press_green(bench.now)
    bench.until(S.MISDEAL)
    assert bench.said(m.MisdealMessage)[-1]["packets"] == ((2, 2), (2, 2), (3, 2))
    assert bench.model.turn_key(Resolution.RESUME, bench.now)
    assert bench.model.lift(COMMUNITY, bench.now) == 2


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        (m.DumpMessage(), Reason.WRONG_STATE),
        (m.ClearMisdealMessage(1, Resolution.RESUME), Reason.WRONG_STATE),
        (m.SelectGameMessage(14, 52, 0, "x"), Reason.BAD_PARAMETER),
        (m.SelectGameMessage(0, 52, 0, "x"), Reason.NOT_SUPPORTED),
        (m.SelectGameMessage(5, 60, 0, "x"), Reason.BAD_PARAMETER),
        (m.ShowTextMessage("x"), Reason.UNKNOWN_COMMAND),
    ],
)
def test_refusals_when_ready(command: m.Message, reason: Reason) -> None:
    bench = Bench()
    assert bench.ask(command) == m.ReplyMessage(Status.REFUSED, reason, S.READY)
    assert not bench.model.outbox


@pytest.mark.parametrize(
    "command", [m.DispenseMessage(), m.SetLockMessage(1), m.SelfTestMessage(), m.SelectGameMessage(5, 52, 0, "x")]
)
def test_refusals_in_mid_round(command: m.Message) -> None:
    bench = Bench()
    bench.deal(COMMUNITY)
    assert bench.ask(command) == m.ReplyMessage(Status.REFUSED, Reason.WRONG_STATE, S.PACKET_WAIT)
    bench.model.lift(seat(1), bench.now)
    assert bench.ask(command) == m.ReplyMessage(Status.REFUSED, Reason.BUSY, S.DISPENSING)


def test_a_power_cut_cannot_be_dealt_on_by_command_either() -> None:
    bench = Bench()
    bench.deal(COMMUNITY)
    bench.model.power_off()
    bench.model.power_on(bench.now)
    bench.until(S.MISDEAL)
    assert bench.ask(m.ClearMisdealMessage(5, Resolution.RESUME)).reason == Reason.BAD_PARAMETER
    assert bench.ask(m.ClearMisdealMessage(5, Resolution.REMOVE_DECK)).status == Status.DONE
    assert bench.said(m.MisdealClearedMessage) == [{"fault": 502, "badge": 5, "resolution": 2}]


def test_the_host_may_light_the_lamp_and_a_person_clears_it() -> None:
    bench = Bench()
    bench.deal(COMMUNITY)
    assert bench.ask(m.RaiseLampMessage(Fault.MISDEAL_CALLED_BY_HOST)).status == Status.DONE
    assert bench.said(m.RedLampMessage) == [{"lit": 1, "fault": 505}]
    assert bench.ask(m.RaiseLampMessage(0)).reason == Reason.WRONG_STATE
    assert bench.ask(m.ClearMisdealMessage(7001, Resolution.RESUME)) == m.ReplyMessage(
        Status.DONE, Reason.NONE, S.PACKET_WAIT
    )


def test_another_deck_composition_is_counted_before_it_is_dealt() -> None:
    bench = Bench()
    assert bench.ask(m.SelectGameMessage(7, 53, 1, "pai-gow")).status == Status.DONE
    bench.until(S.MISDEAL)
    assert bench.said(m.DeckVerifiedMessage) == [{"deck": 1, "expected": 53, "counted": 52}]
    assert bench.said(m.RedLampMessage) == [{"lit": 1, "fault": 101}]


def test_progress_of_a_command_that_meets_a_jam() -> None:
    bench = Bench(MachineMishap(1, jam_tries=1))
    assert bench.ask(m.DispenseMessage()).status == Status.ACCEPTED
    bench.until(S.PACKET_WAIT)
    assert [word.request for word in bench.model.outbox if isinstance(word, CommandProgress)] == [9]
    packets = [
        word for word in bench.model.outbox if isinstance(word, EventDraft) and word.event is m.PacketDispensedMessage
    ]
    assert [packet.request for packet in packets] == [9]


# ------------------------------------------------------------------ with its end of the link


def wire(message: m.Message, request: int = 0) -> bytes:
    return encode_frame(encode(message, request=request))


def heard(unit: Unit) -> list[Any]:
    return [decode(piece.body) for piece in Framer().feed(b"".join(unit.take_output())) if isinstance(piece, Frame)]


def plugged_in(bench: Bench) -> Unit:
    bench.model.power_off()
    unit = Unit(
        "shuffler",
        bench.model,
        device_class=DeviceClass.SHUFFLER,
        capabilities=Capability.TWO_DECKS,
        rng=Random(5),
    )
    unit.power_on(bench.now)
    return unit


def run(bench: Bench, unit: Unit, *states: S) -> None:
    while bench.model.state not in states:
        assert unit.next_deadline_ns is not None
        bench.now = unit.next_deadline_ns
        unit.tick(bench.now)


def open_session(bench: Bench, unit: Unit) -> int:
    unit.take_output()
    unit.receive(wire(m.HelloMessage(1, 0, 1, 0, "test")), bench.now)
    session = next(e.message.session for e in heard(unit) if isinstance(e.message, m.HelloReplyMessage))
    unit.receive(wire(m.OpenSessionMessage(session, 1, 0, Role.OPERATE), 1), bench.now)
    return int(session)


def test_a_retried_dispense_ejects_one_packet() -> None:
    bench = Bench()
    unit = plugged_in(bench)
    run(bench, unit, S.READY)
    open_session(bench, unit)
    unit.take_output()
    for _ in range(3):
        unit.receive(wire(m.DispenseMessage(), 2), bench.now)
        run(bench, unit, S.PACKET_WAIT)
    frames = heard(unit)
    assert [frame.message.status for frame in frames if isinstance(frame.message, m.ReplyMessage)] == [
        Status.ACCEPTED
    ] * 3
    assert {f.message.number for f in frames if isinstance(f.message, m.PacketDispensedMessage)} == {
        frame.message.number
        for frame in frames
        if isinstance(frame.message, m.PacketDispensedMessage) and frame.request == 2
    }
    assert len({f.message.number for f in frames if isinstance(f.message, m.PacketDispensedMessage)}) == 1
    assert bench.cards.count(Bay.TRAY) == 5
    assert bench.cards.count(Bay.CHAMBER) == 47


def test_the_reply_goes_before_what_follows_of_the_command() -> None:
    bench = Bench()
    unit = plugged_in(bench)
    run(bench, unit, S.READY)
    open_session(bench, unit)
    unit.receive(wire(m.SetLockMessage(1), 2), bench.now)
    kinds = [type(frame.message) for frame in heard(unit) if frame.request == 2]
    assert kinds == [m.ReplyMessage, m.StateChangedMessage]


def test_power_makes_a_new_session_that_says_what_was_cut() -> None:
    bench = Bench()
    unit = plugged_in(bench)
    run(bench, unit, S.READY)
    first = open_session(bench, unit)
    bench.model.press_green(bench.now)
    unit.settle(bench.now)
    unit.power_off()
    assert unit.next_deadline_ns is None
    unit.receive(wire(m.HelloMessage(1, 0, 1, 0, "test")), bench.now)
    unit.take_output()
    unit.power_on(bench.now)
    second = open_session(bench, unit)
    unit.receive(wire(m.ReadEventsMessage(second, 1), 2), bench.now)
    booted = next(f.message for f in heard(unit) if isinstance(f.message, m.BootedMessage))
    assert second != first
    assert (booted.number, booted.boot_count, booted.previous_session, booted.mid_round) == (1, 2, first, 1)


def test_a_host_that_falls_silent_puts_it_in_safe_and_is_welcomed_back() -> None:
    bench = Bench()
    unit = plugged_in(bench)
    run(bench, unit, S.READY)
    session = open_session(bench, unit)
    run(bench, unit, S.SAFE)
    unit.receive(wire(m.HeartbeatMessage(session)), bench.now)
    assert bench.model.state is S.READY
