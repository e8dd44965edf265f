"""Detection of a restart under the same session id, and cases that are no restart."""

from __future__ import annotations

from collections import deque

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.tdp import (
    Delivered,
    HostLink,
    Lost,
    Output,
    Returned,
    SessionRestarted,
    Up,
    encode,
    encode_frame,
)
from protocol.tdp import messages as m
from protocol.tdp.event_order import EventOrder
from protocol.tdp.freshness import KEPT, Content, Digests, Life, check_sum, goes_back
from protocol.tdp.outputs import MESSAGE_IDS, LinkStats
from protocol.tdp.session_keeper import LEFT_MAX
from tests.support.rigs.links import MS, START_NS, Pair, hello_reply, report

S = 0x1001
DAY_MS = 24 * 3600 * 1000
WRAP = 1 << 32


class Ear:
    """A listener that receives the frames of a device, one by one."""

    def __init__(self, session: int = S, **hello: object) -> None:
        self.link = HostLink(listen=True)
        self.out: list[Output] = self.link.start(START_NS)
        self.now_ns = START_NS
        self.hears(hello_reply(session, **hello))
        self.opens()

    def hears(self, *messages: m.Message, after_ms: int = 10) -> Ear:
        for message in messages:
            self.now_ns += after_ms * MS
            self.out += self.link.tick(self.now_ns)
            self.out += self.link.receive(encode_frame(encode(message), after_silence=True), self.now_ns)
        return self

    def opens(self) -> Ear:
        """Let the device grant the session."""
        reply = m.ReplyMessage(m.Status.DONE, m.Reason.NONE, 6)
        self.now_ns += 10 * MS
        body = encode(reply, request=1, message_id=MESSAGE_IDS[m.OpenSessionMessage])
        self.out += self.link.receive(encode_frame(body, after_silence=True), self.now_ns)
        return self

    def events(self, first: int, last: int, clock_ms: int = 0) -> Ear:
        return self.hears(*[button(number, clock_ms + 10 * number) for number in range(first, last + 1)])

    @property
    def numbers(self) -> list[int]:
        return [output.message.number for output in self.out if isinstance(output, Delivered)]

    @property
    def restarts(self) -> list[Output]:
        return [output for output in self.out if isinstance(output, SessionRestarted | Lost | Returned)]


def button(number: int, device_ms: int) -> m.Event:
    return m.GreenButtonMessage(number, device_ms)


def booted(number: int, device_ms: int, boot_count: int = 1) -> m.Event:
    return m.BootedMessage(number, device_ms, boot_count, 0, 1, 0)


ANEW = [Lost(S, 0, 0), SessionRestarted(S, S)]


def test_the_ear_hears() -> None:
    ear = Ear().events(1, 3)
    assert [type(output) for output in ear.out] == [Up, Delivered, Delivered, Delivered]


# ------------------------------------------------------------------ what gives it away


@pytest.mark.parametrize("boots", [1, 3])
def test_another_count_of_power_ups(boots: int) -> None:
    ear = Ear(boot_count=2).events(1, 5).hears(hello_reply(S, boot_count=boots))
    assert ear.restarts == ANEW
    ear.opens().events(1, 2, clock_ms=3)
    assert ear.numbers == [1, 2, 3, 4, 5, 1, 2]
    assert [type(output) for output in ear.out][6:] == [Lost, SessionRestarted, Up, Delivered, Delivered]
    assert not ear.out[8].resumed  # type: ignore[attr-defined]


def test_another_device_that_drew_the_same_session() -> None:
    ear = Ear().events(1, 5).hears(hello_reply(S, serial="2"))
    assert ear.restarts == ANEW


def test_a_clock_that_went_back() -> None:
    ear = Ear().hears(report(S, 0, 60_000)).hears(report(S, 0, 56_999))
    assert ear.restarts == ANEW


def test_no_event_counts_until_the_device_grants_the_session_anew() -> None:
    ear = Ear().events(1, 5).hears(report(S, 5, 60_000), report(S, 0, 10))
    assert ear.restarts == ANEW
    ear.events(1, 1, clock_ms=7)
    assert ear.numbers == [1, 2, 3, 4, 5]
    ear.opens().events(1, 2, clock_ms=7)
    assert ear.numbers == [1, 2, 3, 4, 5, 1, 2]


def test_a_later_status_that_knows_fewer_events() -> None:
    assert Ear().events(1, 5).hears(report(S, 5, 100), report(S, 4, 101)).restarts == ANEW
    named = Ear().events(1, 5).hears(report(S, 9, 100), report(S, 5, 101))
    assert named.restarts == [Lost(S, 6, 9), SessionRestarted(S, S)], "those it named are known to be missing"


def test_a_new_event_whose_clock_is_before_that_of_the_one_before() -> None:
    ear = Ear().events(1, 5, clock_ms=1000).hears(button(6, 1049))
    assert ear.restarts == ANEW
    assert ear.numbers == [1, 2, 3, 4, 5], "it is number 6 of its new life, and those before it are awaited"
    ear.events(1, 5, clock_ms=3)
    assert ear.numbers == [1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize("number", [7, 8])
def test_the_same_behind_a_hole(number: int) -> None:
    """The life of the held event is unknown: it belongs to the old one and is lost, or the new one sends it again."""
    ear = Ear().events(1, 5).hears(button(8, 90), button(7, 91) if number == 7 else button(9, 89))
    assert ear.restarts == ANEW
    assert ear.numbers == [1, 2, 3, 4, 5]
    ear.events(1, 6 if number == 7 else 8, clock_ms=3)
    assert ear.numbers == [1, 2, 3, 4, 5, *range(1, number + 1 + (number == 8))]


def test_an_event_of_the_new_life_that_is_heard_first_is_not_taken_for_one_of_the_old() -> None:
    """A swapped controller draws the same session. Its bet overtakes its *Booted*, whose count differs from
    HELLO-REPLY's: the bet was once delivered before the restart and dropped after it."""
    ear = Ear().events(1, 5).hears(hello_reply(S, serial="2")).opens()
    ear.hears(button(4, 43), booted(1, 1, boot_count=2)).events(2, 5, clock_ms=3)
    assert ear.numbers == [1, 2, 3, 4, 5, 1, 2, 3, 4, 5]


def test_booted_in_the_middle_of_a_session_goes_on_from_its_number() -> None:
    ear = Ear().events(1, 5).hears(booted(6, 60), button(7, 70))
    assert ear.restarts == ANEW
    assert ear.numbers == [1, 2, 3, 4, 5, 6, 7]


def test_a_number_that_stood_for_something_else() -> None:
    ear = Ear().events(1, 5).hears(button(1, 11))
    assert ear.restarts == ANEW
    assert ear.events(2, 6, clock_ms=1).numbers == [1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 6]


def test_a_number_older_than_any_that_is_sent_again() -> None:
    ear = Ear().events(1, KEPT + 2).hears(button(2, 20))
    assert ear.restarts == ANEW


def test_a_booted_that_counts_another_power_up_than_hello_reply_said() -> None:
    ear = Ear(boot_count=1).hears(booted(1, 1, boot_count=2))
    assert ear.restarts == ANEW
    assert ear.numbers == [1]
    assert ear.hears(hello_reply(S, boot_count=2)).restarts == ANEW, "once"


# ------------------------------------------------------------------ what does not


def test_everything_heard_twice_is_nothing_new() -> None:
    ear = Ear()
    frames = [hello_reply(S), booted(1, 5), button(2, 8), report(S, 2, 9), button(3, 12), report(S, 3, 13)]
    for frame in frames:
        ear.hears(frame, frame)
    ear.hears(*frames)
    assert ear.restarts == []
    assert ear.numbers == [1, 2, 3]


def test_a_status_that_was_overtaken() -> None:
    ear = Ear().hears(report(S, 0, 5000)).events(1, 3, clock_ms=5100)
    ear.hears(report(S, 3, 6000), report(S, 0, 3000), report(S, 2, 5999), report(S, 2, 5125))
    assert ear.restarts == []


def test_a_clock_that_wraps_around() -> None:
    ear = Ear().hears(report(S, 0, WRAP - 500)).hears(report(S, 0, 500), after_ms=1000)
    ear.hears(button(1, WRAP - 20), button(2, 3))
    assert ear.restarts == []
    assert ear.numbers == [1, 2]


def test_a_start_after_a_month_is_no_wrap() -> None:
    ear = Ear().hears(report(S, 0, 30 * DAY_MS)).hears(report(S, 0, 500), after_ms=1000)
    assert ear.restarts == ANEW


def test_events_read_late_are_older_than_the_status() -> None:
    """They were made before anyone listened."""
    ear = Ear().hears(report(S, 5, 3_600_000)).events(1, 5, clock_ms=100)
    assert ear.restarts == []
    assert ear.numbers == [1, 2, 3, 4, 5]


def test_bytes_of_a_life_before_are_not_taken_for_this_one() -> None:
    """A *Booted* that counts fewer power-ups than HELLO-REPLY, and everything after it until the session is open
    again."""
    ear = Ear(boot_count=5).hears(booted(1, 1, boot_count=4), button(2, 20), button(3, 30))
    assert (ear.numbers, ear.restarts) == ([], [])


def test_what_is_held_of_a_life_before_goes_when_the_device_says_who_it_is() -> None:
    order, out = EventOrder(S, LinkStats()), list[Output]()
    for number, event in ((1, m.BootedMessage(1, 1, 4, 0, 1, 0)), (2, m.GreenButtonMessage(2, 20))):
        order.accept(0, event, number, 0, out)
    order.forget_before(4)
    assert order.held.keys() == {1, 2}
    order.forget_before(5)
    order.start(1, 0, out)
    assert (out, order.held) == ([], {})


@pytest.mark.parametrize(("known", "counted"), [(1, 2), (5, 2)])
def test_a_device_whose_counts_never_agree_is_reported_and_no_storm(known: int, counted: int) -> None:
    pair = Pair()
    pair.power_on(boot_count=known)
    pair.start_host()
    pair.emit(m.BootedMessage, boot_count=counted, previous_session=0, cause=1, mid_round=0)
    pair.run(10_000)
    assert pair.of(SessionRestarted) == [SessionRestarted(S, S)]
    assert pair.numbers() == [1]
    assert pair.host.state == "up"
    assert pair.host_sent < 40


# ------------------------------------------------------------------ what is sent again of the life before


@pytest.mark.parametrize("made", [3, KEPT + 50])
def test_a_device_that_keeps_session_and_numbers_repeats_nothing(made: int) -> None:
    """It counts its power-ups; all it stored is read again, and none of it is new."""
    pair = Pair().start()
    pair.run(500, lambda: pair.host.state == "up")
    for _ in range(made):
        pair.run(20)
        pair.emit(m.GreenButtonMessage)
    pair.run(1000)
    assert pair.numbers() == list(range(1, made + 1))
    pair.power_off()
    pair.power_on(boot_count=2)
    pair.run(5000, lambda: len(pair.of(Up)) == 2)
    pair.run(300)
    pair.emit(m.GreenButtonMessage)
    pair.run(8000)
    assert pair.numbers() == list(range(1, made + 2))
    assert pair.of(SessionRestarted) == [SessionRestarted(S, S)]


def test_a_start_on_the_next_line_is_seen_by_what_the_last_one_heard() -> None:
    ear = Ear(boot_count=1).events(1, 5)
    ear.out += ear.link.suspend(ear.now_ns)
    ear.link = ear.link.successor()
    ear.out += ear.link.start(ear.now_ns)
    ear.hears(hello_reply(S, boot_count=2)).opens().events(1, 5, clock_ms=4)
    assert ear.restarts == ANEW
    assert ear.numbers == [1, 2, 3, 4, 5] * 2


# ------------------------------------------------------------------ a session that was left


def test_a_session_that_comes_back_is_reported() -> None:
    ear = Ear().events(1, 2)
    for session in (0x2002, S):
        ear.hears(hello_reply(session), after_ms=8000).opens()
        ear.hears(report(session, 0, 1), after_ms=6000)
    assert ear.restarts == [SessionRestarted(S, 0x2002), SessionRestarted(0x2002, S), Returned(S)]


def test_what_the_session_before_still_echoes_is_no_return() -> None:
    ear = Ear().events(1, 2).hears(hello_reply(0x2002)).opens().hears(hello_reply(S), report(S, 2, 50))
    assert not [output for output in ear.out if isinstance(output, Returned)]


@pytest.mark.parametrize(("others", "returned"), [(1, True), (LEFT_MAX, True), (LEFT_MAX + 1, False)])
def test_so_many_sessions_are_remembered_on_whatever_line(others: int, returned: bool) -> None:
    ear = Ear()
    for session in range(0x2000, 0x2000 + others):
        ear.out += ear.link.suspend(ear.now_ns)
        ear.link = ear.link.successor()
        ear.out += ear.link.start(ear.now_ns)
        ear.hears(hello_reply(session), after_ms=8000).opens().hears(report(session, 0, 1), after_ms=6000)
    ear.hears(hello_reply(S), after_ms=8000).opens().hears(report(S, 0, 1), after_ms=6000)
    assert (Returned(S) in ear.out) is returned


# ------------------------------------------------------------------ the parts


@given(st.integers(0, WRAP - 1), st.integers(0, WRAP - 1))
def test_of_two_times_one_is_before_the_other(one: int, other: int) -> None:
    assert not (goes_back(one, other) and goes_back(other, one))
    assert not goes_back(one, one)


@given(st.lists(st.binary(min_size=9, max_size=12) | st.just(0), max_size=KEPT + 9), st.integers(1, 9))
def test_digests_are_what_they_are_packed_to(contents: list[Content], first: int) -> None:
    end = first + len(contents)
    digests = Digests(end, deque(contents, maxlen=KEPT))
    again = Digests.unpacked(end, digests.packed())
    assert again.packed() == digests.packed()
    for number in range(first - 2, end + 3):
        known = first <= number < end and number >= end - KEPT
        assert digests.of(number) == again.of(number) == (check_sum(contents[number - first]) if known else 0)


def test_a_check_sum_is_that_of_the_payload() -> None:
    frames = [encode(button(1, 5), link_sequence=sequence, request=sequence) for sequence in (1, 2)]
    assert check_sum(frames[0]) == check_sum(frames[1]) != check_sum(encode(button(1, 6)))


def test_a_clock_is_learned_forwards_only() -> None:
    life = Life()
    life.learn_uptime(9000, 5)
    life.learn_uptime(8000, 6)
    assert (life.uptime_ms, life.uptime_ns) == (9000, 5)
