"""Sessions: opening, roles, restarts, power cuts, late listeners, gaps, and what a listener knows of them."""

from itertools import pairwise

import pytest

from protocol.errors import NotPermitted, NotUp, QueueFull, VersionMismatch, WrongDevice
from protocol.tdp import (
    Answered,
    Delivered,
    Down,
    HostBack,
    HostLink,
    HostLost,
    LinkState,
    Lost,
    Opened,
    SessionRestarted,
    StatusSeen,
    Timing,
    Unanswered,
    Up,
)
from protocol.tdp.codec import encode
from protocol.tdp.device_link import DeviceLink
from protocol.tdp.framing import encode_frame
from protocol.tdp.messages import (
    BootedMessage,
    DeviceClass,
    DispenseMessage,
    GapMessage,
    GreenButtonMessage,
    NakMessage,
    OpenSessionMessage,
    Reason,
    ReportStatusMessage,
    Role,
    SelfTestMessage,
    ShowMeterMessage,
    Status,
)
from protocol.tdp.outputs import SESSION_EXTENSION, Output
from tests.support.rigs.links import CLEAN, START_NS, Heard, Pair, listen, stream


def events(pair: Pair, count: int, spacing_ms: int = 5) -> None:
    for _ in range(count):
        pair.emit(GreenButtonMessage)
        pair.run(spacing_ms)


def up(**options: object) -> Pair:
    pair = Pair(CLEAN, **options).start()  # type: ignore[arg-type]
    assert pair.run(1_000, lambda: pair.host.state == "up")
    pair.run(10)
    return pair


def kinds(pair: Pair) -> list[type]:
    return [type(output) for output in stream(pair.host_out) if not isinstance(output, StatusSeen)]


def test_the_host_asks_until_the_device_is_there() -> None:
    pair = Pair(CLEAN)
    pair.start_host()
    pair.run(2_600)
    assert pair.host.state is LinkState.HELLO
    assert pair.host_sent == 11  # at once and every 250 ms
    pair.power_on()
    assert pair.run(300, lambda: pair.host.state == "up")
    (opened,) = pair.of(Up)
    assert opened.hello.session == pair.session
    assert not opened.resumed


def test_commands_before_the_session_are_refused_with_the_reason() -> None:
    pair = Pair(CLEAN)
    with pytest.raises(NotUp, match="the link is closed"):
        pair.request(DispenseMessage())
    pair.start_host()
    with pytest.raises(NotUp, match="waiting for a device"):
        pair.request(DispenseMessage())


def test_the_queue_is_bounded() -> None:
    pair = up()
    for n in range(17):
        pair.request(ShowMeterMessage(1, n))
    with pytest.raises(QueueFull, match="16 commands already wait"):
        pair.request(ShowMeterMessage(1, 99))


def test_a_role_that_is_not_granted_falls_back_to_observing() -> None:
    pair = up(role=Role.SERVICE, granted=Role.OPERATE)
    assert pair.host.role is Role.OBSERVE
    assert [out.role for out in pair.device_out if isinstance(out, Opened)] == [Role.OBSERVE]
    with pytest.raises(NotPermitted, match="Dispense needs the operate role; this session has observe"):
        pair.request(DispenseMessage())
    request = pair.request(ReportStatusMessage())
    pair.run(50)
    assert pair.answers()[request].reply.status == Status.DONE
    events(pair, 3)
    assert pair.numbers() == [1, 2, 3]


def test_operate_may_not_do_service_work() -> None:
    pair = up()
    with pytest.raises(NotPermitted, match="SelfTest needs the service role; this session has operate"):
        pair.request(SelfTestMessage())
    assert up(role=Role.SERVICE, granted=Role.SERVICE).host.role is Role.SERVICE


def test_another_class_of_device_is_turned_down_once_and_never_opened() -> None:
    pair = Pair(CLEAN, expects=DeviceClass.TABLE_CONTROLLER).start()
    pair.run(5_000)
    (down,) = pair.of(Down)
    assert isinstance(down.error, WrongDevice)
    assert str(down.error) == "expected a table controller on this line, found a shuffler"
    assert pair.host.state is not LinkState.UP
    assert len(pair.of(StatusSeen)) <= 1  # the first came before it said who it is
    assert not any(isinstance(out, Opened) for out in pair.device_out)


def test_a_class_of_device_that_is_not_known_is_told_by_its_number() -> None:
    pair = Pair(CLEAN, expects=DeviceClass.SHUFFLER)
    pair.power_on(device_class=99)
    pair.start_host()
    pair.run(1_000)
    (down,) = pair.of(Down)
    assert str(down.error) == "expected a shuffler on this line, found a device of class 99"


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [((2, 0), (3, 1), "2.0 to 3.1"), ((1, 5), (2, 0), "1.5 to 2.0"), ((0, 1), (0, 9), "0.1 to 0.9")],
)
def test_no_common_version(low: tuple[int, int], high: tuple[int, int], said: str) -> None:
    pair = Pair(CLEAN)
    pair.power_on(lowest_major=low[0], lowest_minor=low[1], highest_major=high[0], highest_minor=high[1])
    pair.start_host()
    pair.run(1_000)
    (down,) = pair.of(Down)
    assert isinstance(down.error, VersionMismatch)
    assert down.why == f"no common protocol version: this side supports 1.4, the device {said}"


def test_a_device_of_the_first_version_is_spoken_to_in_it() -> None:
    pair = Pair(CLEAN)
    pair.power_on(lowest_major=1, lowest_minor=0, highest_major=1, highest_minor=0)
    pair.start_host()
    assert pair.run(1_000, lambda: pair.host.state == "up")
    assert any(isinstance(out, Opened) for out in pair.device_out)


def test_a_device_of_several_versions_is_spoken_to_in_ours() -> None:
    pair = Pair(CLEAN)
    pair.power_on(lowest_major=0, highest_major=4, highest_minor=7)
    pair.start_host()
    assert pair.run(1_000, lambda: pair.host.state == "up")


def test_a_fitting_device_after_a_wrong_one_is_taken() -> None:
    pair = Pair(CLEAN)
    pair.power_on(device_class=DeviceClass.SHOE)
    pair.start_host()
    pair.run(500)
    assert [type(down.error) for down in pair.of(Down)] == [WrongDevice]
    pair.power_on(0x3003)
    assert pair.run(1_000, lambda: pair.host.state == "up")
    events(pair, 2)
    assert pair.numbers() == [1, 2]


def test_silence_is_down_and_the_same_session_is_resumed() -> None:
    pair = up()
    events(pair, 5)
    request = pair.request(DispenseMessage())
    pair.run(10)
    pair.to_host.open = pair.to_device.open = False
    started_ns = pair.now_ns
    pending = pair.request(ShowMeterMessage(1, 1))
    assert pair.run(3_200, lambda: bool(pair.of(Down)))
    assert pair.now_ns - started_ns <= 3_000_000_000
    assert isinstance(pair.answers()[pending], Unanswered)
    assert isinstance(pair.answers()[request], Answered)
    events(pair, 5)
    pair.to_host.open = pair.to_device.open = True
    pair.run(1_000)
    assert [out.resumed for out in pair.of(Up)] == [False, True]
    assert kinds(pair) == [Up, *[Delivered] * 5, Down, Up, *[Delivered] * 5]
    assert pair.numbers() == list(range(1, 11))


def test_an_idle_link_that_was_lost_calls_until_somebody_answers() -> None:
    pair = up()
    pair.to_host.open = False
    pair.run(3_500)
    assert pair.host.state is LinkState.LOST
    with pytest.raises(NotUp, match="the link is lost"):
        pair.request(DispenseMessage())
    pair.to_host.open = True
    assert pair.run(300, lambda: pair.host.state == "up")
    assert kinds(pair) == [Up, Down, Up]


def test_a_hole_before_a_dead_line_is_filled_when_the_line_is_back() -> None:
    pair = up()
    events(pair, 3)
    pair.to_device.open = pair.to_host.open = False
    pair.emit(GreenButtonMessage)  # number 4 goes astray
    pair.to_host.open = True
    pair.emit(GreenButtonMessage)
    pair.run(20)
    assert pair.numbers() == [1, 2, 3]
    pair.to_host.open = False
    pair.run(12_000)
    pair.to_device.open = pair.to_host.open = True
    pair.run(2_000)
    assert pair.numbers() == [1, 2, 3, 4, 5]
    assert not pair.of(Lost)


def test_a_device_that_forgot_the_session_is_opened_again() -> None:
    pair = up()
    assert pair.device is not None
    pair.device.role = None  # as after a watchdog that kept the session id
    request = pair.request(DispenseMessage())
    pair.run(50)
    assert pair.answers()[request].reply.reason == Reason.NO_SESSION
    assert pair.device.role == Role.OPERATE
    pair.request(DispenseMessage())
    pair.run(50)
    assert pair.executed == [DispenseMessage()]


def test_the_device_learns_that_its_host_is_lost_and_back() -> None:
    pair = up()
    pair.to_device.open = False
    pair.run(2_900)
    assert not any(isinstance(out, HostLost) for out in pair.device_out)
    pair.run(200)
    assert [type(out) for out in pair.device_out if isinstance(out, HostLost | HostBack)] == [HostLost]
    pair.run(5_000)
    pair.to_device.open = True
    pair.run(1_100)
    assert [type(out) for out in pair.device_out if isinstance(out, HostLost | HostBack)] == [HostLost, HostBack]


def test_a_nak_which_either_end_sends_is_no_sign_of_life() -> None:
    pair = up()
    nak = encode_frame(encode(NakMessage(Reason.UNKNOWN_COMMAND), message_id=0x7777), after_silence=True)
    pair.to_device.open = pair.to_host.open = False
    pair.run(3_100)
    assert pair.device is not None
    assert pair.device.host_lost
    pair._from_device(pair.device.receive(nak, pair.now_ns))
    pair._from_host(pair.host.receive(nak, pair.now_ns))
    assert pair.device.host_lost
    assert pair.device.stats.naks == pair.host.stats.naks == 1
    assert not pair.host.alive


def test_heartbeats_keep_an_idle_device_out_of_safe() -> None:
    pair = up()
    pair.run(20_000)
    assert not any(isinstance(out, HostLost) for out in pair.device_out)
    assert not pair.of(Down)


def test_a_second_never_passes_without_a_word_and_links_that_opened_apart_say_it_together() -> None:
    moments = []
    for apart_ms in (0, 137, 700):
        pair = Pair(CLEAN)
        pair.now_ns += apart_ms * 1_000_000
        pair.start()
        assert pair.run(1_000, lambda: pair.host.state == "up")  # noqa: B023
        spoke = [pair.now_ns]
        while len(spoke) < 6:
            sent = pair.host_sent
            pair.run(1)
            spoke += [pair.now_ns] * (pair.host_sent > sent)
        assert max(after - before for before, after in pairwise(spoke)) <= Timing().heartbeat_ns
        moments.append([at_ns % Timing().heartbeat_ns for at_ns in spoke[-3:]])
    assert moments[0] == moments[1] == moments[2]


def test_a_command_without_answer_opens_the_session_again_and_says_nothing_else() -> None:
    pair = up()
    events(pair, 3)
    pair.to_device.open = False
    request = pair.request(DispenseMessage())
    pair.run(800)
    assert isinstance(pair.answers()[request], Unanswered)
    assert pair.host.state is LinkState.HELLO
    pair.to_device.open = True
    assert pair.run(300, lambda: pair.host.state == "up")
    events(pair, 3)
    assert kinds(pair) == [Up, *[Delivered] * 6]


def test_a_restart_delivers_what_the_old_session_kept_then_the_change_then_the_new_one() -> None:
    pair = up()
    events(pair, 4)
    pair.to_host.open = False
    events(pair, 6)  # made, never heard
    pair.power_off()
    pair.run(500)
    pair.to_host.open = True
    pair.power_on(0x2002, boot_count=2)
    pair.emit(BootedMessage, boot_count=2, previous_session=0x1001, cause=1, mid_round=1)
    pair.run(2_000)
    assert pair.numbers(0x1001) == list(range(1, 11))
    assert pair.numbers(0x2002) == [1]
    assert pair.of(SessionRestarted) == [SessionRestarted(0x1001, 0x2002, whole=True)]
    assert kinds(pair) == [Up, *[Delivered] * 10, SessionRestarted, Up, Delivered]
    assert [out.resumed for out in pair.of(Up)] == [False, False]
    assert not pair.of(Lost)


def test_a_restart_with_nothing_kept_says_what_is_known_to_be_missing() -> None:
    pair = up()
    events(pair, 4)
    pair.to_device.open = False
    pair.run(200)
    assert pair.device is not None
    pair.to_host.faults = CLEAN
    for _ in range(6):
        pair.device.emit(GreenButtonMessage, pair.now_ns)  # made, lost on the line
    pair._from_device(pair.device.status_changed(pair.now_ns))  # but the status names the last one
    pair.run(50)
    pair.power_off()
    pair.store = type(pair.store)()  # the memory went too
    pair.to_device.open = True
    pair.power_on(0x2002)
    pair.run(2_000)
    assert pair.of(Lost) == [Lost(0x1001, 5, 10)]
    assert kinds(pair) == [Up, *[Delivered] * 4, Lost, SessionRestarted, Up]


def test_a_second_gap_amid_the_old_session_names_events_that_are_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    """A device whose memory keeps filling with new events while the old ones are read."""

    def overrun(link: DeviceLink, first: int, now_ns: int, out: list[Output]) -> None:
        store = link.store
        for part, gone in (((5, 6), 5), ((9, 10), 9)):
            gap = GapMessage(store.previous_session, 5 if gone == 5 else 7, gone, store.previous_last)
            link._send(gap, now_ns, out)
            for stored in list(store.previous_from(part[0]))[:2]:
                named = ((SESSION_EXTENSION, store.previous_session.to_bytes(4, "little")),)
                link._send(stored.event, now_ns, out, stored.request, extensions=named)
        assert first == 5

    monkeypatch.setattr(DeviceLink, "_send_previous", overrun)
    pair = up()
    events(pair, 4)
    pair.to_host.open = False
    events(pair, 6)  # made, never heard
    pair.power_off()
    pair.run(500)
    pair.to_host.open = True
    pair.power_on(0x2002, boot_count=2)
    pair.emit(BootedMessage, boot_count=2, previous_session=0x1001, cause=1, mid_round=0)
    pair.run(2_000)
    assert pair.numbers(0x1001) == [1, 2, 3, 4, 5, 6, 9, 10]
    assert pair.of(Lost) == [Lost(0x1001, 7, 8)]  # which marks the round
    assert kinds(pair) == [Up, *[Delivered] * 6, Lost, *[Delivered] * 2, SessionRestarted, Up, Delivered]
    assert stream(listen(pair.heard, pair.now_ns)) == stream(pair.host_out)


def test_another_device_on_the_same_line_owes_nothing_of_the_first() -> None:
    pair = up()
    events(pair, 4)
    pair.power_off()
    pair.power_on(0x2002, serial="2")
    pair.emit(GreenButtonMessage)
    pair.run(2_000)
    assert kinds(pair) == [Up, *[Delivered] * 4, SessionRestarted, Up, Delivered]


def test_a_command_across_a_restart_is_unanswered_and_not_carried_out_by_the_new_session() -> None:
    pair = up()
    pair.answer = lambda commanded: None
    request = pair.request(DispenseMessage())
    pair.run(20)
    pair.power_off()
    pair.power_on(0x2002)
    pair.run(2_000)
    assert isinstance(pair.answers()[request], Unanswered | Answered)
    assert pair.executed == [DispenseMessage()]


def test_two_restarts_while_the_first_is_still_being_read() -> None:
    pair = up()
    events(pair, 3)
    pair.to_device.open = False  # nobody can ask for the old session's events
    pair.power_on(0x2002)
    pair.run(1_500)
    pair.power_on(0x3003)
    pair.run(1_500)
    pair.to_device.open = True
    pair.run(3_000)
    assert pair.of(SessionRestarted) == [SessionRestarted(0x1001, 0x2002), SessionRestarted(0x2002, 0x3003)]
    assert pair.host.state is LinkState.UP
    assert pair.host.session == 0x3003


def test_more_events_than_the_device_keeps_end_in_one_gap() -> None:
    pair = up()
    events(pair, 10)
    pair.to_device.open = pair.to_host.open = False
    events(pair, 300, spacing_ms=1)
    pair.to_device.open = pair.to_host.open = True
    pair.run(10_000)
    assert pair.of(Lost) == [Lost(0x1001, 11, 54)]  # 310 made, 256 kept
    assert pair.numbers() == [*range(1, 11), *range(55, 311)]
    assert pair.host.stats.lost_events == 44
    assert pair.host.stats.gaps == 1


def test_a_host_that_joins_late_reads_from_the_first_event() -> None:
    pair = Pair(CLEAN)
    pair.power_on()
    events(pair, 100)
    pair.start_host()
    pair.run(1_000)
    assert pair.numbers() == list(range(1, 101))


def test_a_host_started_again_reads_what_the_one_before_it_had_acknowledged() -> None:
    pair = up()
    events(pair, 40)
    pair.host_out.clear()
    pair.start_host()
    pair.run(1_000)
    assert pair.numbers() == list(range(1, 41))
    pair.host_out.clear()
    events(pair, 300)
    pair.host_out.clear()
    pair.start_host()
    pair.run(2_000)
    assert pair.of(Lost) == [Lost(0x1001, 1, 84)]
    assert pair.numbers() == list(range(85, 341))


def test_a_hole_that_nobody_fills_is_lost_after_five_seconds() -> None:
    pair = up()
    events(pair, 3)
    assert pair.device is not None
    pair.device.emit(GreenButtonMessage, pair.now_ns)  # number 4 never leaves
    pair.to_device.open = False
    recorded = list(pair.heard)
    pair.emit(GreenButtonMessage)
    pair.run(20)
    recorded = pair.heard[:]  # a recording that lacks one chunk
    end_ns = pair.now_ns
    keep_alive = [Heard(end_ns + n * 1_000_000_000, recorded[0].data) for n in range(1, 8)]
    out = listen([*recorded, *keep_alive], end_ns + 7_500_000_000)
    lost = [item for item in out if isinstance(item, Lost)]
    assert lost == [Lost(0x1001, 4, 4)]
    assert [item.message.number for item in out if isinstance(item, Delivered)] == [1, 2, 3, 5]


def test_a_listener_that_comes_late_starts_at_the_first_event_it_hears() -> None:
    pair = up()
    events(pair, 20)
    pair.heard.clear()
    events(pair, 20)
    pair.run(6_000)
    out = listen(pair.heard, pair.now_ns)
    assert [item for item in out if isinstance(item, Lost)] == [Lost(0x1001, 1, 20)]
    heard = [item for item in out if isinstance(item, Delivered)]
    assert [item.message.number for item in heard] == list(range(21, 41))
    assert {item.session for item in heard} == {0x1001}
    assert not [item for item in out if isinstance(item, Up)]  # nobody said who it is


def test_a_recording_without_a_status_gives_its_events_when_it_ends() -> None:
    pair = up()
    events(pair, 4)
    pair.heard.clear()
    events(pair, 3)
    out = listen(pair.heard, pair.now_ns)
    assert [item.message.number for item in out if isinstance(item, Delivered)] == [5, 6, 7]
    assert {item.session for item in out if isinstance(item, Delivered)} == {0}


def test_a_listener_knows_who_is_there_and_refuses_to_send() -> None:
    pair = up()
    events(pair, 2)
    link = HostLink(listen=True)
    assert link.start(START_NS) == []
    for chunk in pair.heard:
        link.receive(chunk.data, chunk.at_ns)
    assert link.state is LinkState.UP
    assert link.session == 0x1001
    with pytest.raises(NotUp, match="listening only"):
        link.request(ReportStatusMessage(), pair.now_ns)


def test_opening_another_session_is_refused() -> None:
    pair = up()
    request = pair.request(OpenSessionMessage(0xDEAD, 1, 0, Role.OPERATE))
    pair.run(20)
    reply = pair.answers()[request].reply
    assert (reply.status, reply.reason) == (Status.REFUSED, Reason.NO_SESSION)


def test_a_closed_link_ends_every_command_and_says_nothing_more() -> None:
    pair = up()
    pair.answer = lambda commanded: None
    requests = [pair.request(ShowMeterMessage(1, n)) for n in range(4)]
    pair.run(10)
    pair.close()
    assert list(pair.answers()) == requests
    assert all(isinstance(end, Unanswered) for end in pair.answers().values())
    said = len(pair.host_out)
    pair.run(5_000)
    pair.close()
    assert len(pair.host_out) == said
    assert pair.host.next_deadline_ns is None
