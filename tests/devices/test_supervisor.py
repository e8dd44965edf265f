"""The supervisor: its messages, its tries, and nothing reported twice or guessed."""

import logging
from pathlib import Path

import pytest

from devices.clock import ManualClock
from devices.dialects.shuffler import ShufflerDriver
from devices.drive.replay import play
from devices.events import EventsLost, LinkLost, LinkUp, PacketLifted, Seen, SessionChanged
from devices.line.loop import Owner
from devices.line.supervisor import LineState, Pace, Supervisor
from devices.record.capture import Capture, CaptureWriter, Recorded
from devices.transport.opening import Opener, Opening
from protocol.errors import LineAbsent, LineClosed, NotUp, WrongDevice
from protocol.tdp import HostLink
from protocol.tdp import messages as m
from tests.support.rigs.lines_under_test import SECOND, Bench, MemoryWire

MS = 1_000_000


@pytest.fixture
def bench(tmp_path):
    made = Bench(MemoryWire, tmp_path)
    yield made
    made.close()


def test_the_state_is_unknown_until_status_and_every_event_were_read(bench):
    bench.supervisor.start()
    states = [bench.supervisor.state]
    for _ in range(400):
        bench.run(lambda: True)
        if bench.supervisor.state is not states[-1]:
            states.append(bench.supervisor.state)
            assert (bench.supervisor.status is not None) is (states[-1] is LineState.KNOWN)
        bench.run(lambda: False, 0.01)
    assert states == [LineState.WAITING, LineState.UNKNOWN, LineState.KNOWN]
    bench.wire.unplug()
    bench.settle()
    assert bench.supervisor.state is LineState.WAITING
    assert bench.supervisor.status is None


def test_silence_makes_the_state_unknown_though_the_line_is_open(bench):
    bench.up()
    bench.device.speaks = False
    assert bench.run(lambda: bool(bench.losses()))
    assert bench.supervisor.session is not None
    assert bench.supervisor.state is LineState.UNKNOWN
    assert bench.supervisor.status is None


def test_one_loss_is_reported_once_however_often_the_line_fails(bench):
    bench.up()
    for _ in range(4):
        bench.wire.unplug()
        bench.run(lambda: False, 1)
        bench.device.speaks = False  # the line is there again, the device is not
        bench.wire.plug()
        bench.run(lambda: False, 5)
    assert len(bench.losses()) == 1
    bench.device.speaks = True
    assert bench.run(lambda: bench.supervisor.state is LineState.KNOWN)
    assert [type(seen.body) for seen in bench.seen] == [LinkUp, LinkLost, LinkUp]
    assert [up.resumed for up in bench.ups()] == [False, True]


def test_events_made_while_the_line_was_gone_come_once_and_in_order(bench):
    bench.up()
    for ordinal in range(1, 4):
        bench.device.emit(m.PacketLiftedMessage, ordinal=ordinal)
    bench.settle()
    bench.wire.unplug()
    for ordinal in range(4, 60):
        bench.device.emit(m.PacketLiftedMessage, ordinal=ordinal)
    bench.run(lambda: False, 3)
    bench.wire.plug()
    assert bench.run(lambda: bench.numbers()[-1:] == [59])
    assert bench.numbers() == list(range(1, 60))
    assert not bench.bodies(EventsLost)


def test_what_the_device_no_longer_holds_is_reported_lost(bench):
    bench.up()
    bench.device.emit(m.PacketLiftedMessage, ordinal=1)
    bench.settle()
    bench.wire.unplug()
    for ordinal in range(2, 302):
        bench.device.emit(m.PacketLiftedMessage, ordinal=ordinal % 250)
    bench.wire.plug()
    assert bench.run(lambda: bench.numbers()[-1:] == [301])
    oldest = bench.device.store.oldest
    assert bench.bodies(EventsLost) == [EventsLost(2, oldest - 1)]
    assert bench.numbers() == [1, *range(oldest, 302)]


def test_a_restart_while_the_line_was_gone_is_a_session_change(bench):
    bench.up()
    bench.device.emit(m.PacketLiftedMessage, ordinal=1)
    bench.settle()
    bench.wire.unplug()
    bench.device.emit(m.PacketLiftedMessage, ordinal=2)
    before = bench.device.session
    bench.device.boot()
    bench.device.emit(m.PacketLiftedMessage, ordinal=3)
    bench.wire.plug()
    assert bench.run(lambda: len(bench.numbers()) == 3)
    assert [(type(seen.body).__name__, seen.session - before, seen.number) for seen in bench.seen][3:] == [
        ("PacketLifted", 0, 2),
        ("SessionChanged", 1, 0),
        ("LinkUp", 1, 0),
        ("PacketLifted", 1, 1),
    ]
    assert bench.bodies(SessionChanged) == [SessionChanged(before, before + 1, whole=True)]
    assert not bench.ups()[-1].resumed


class Refusing:
    """An opener that refuses, and records the times of the attempts."""

    def __init__(self, clock: ManualClock) -> None:
        self.clock = clock
        self.asked_ns: list[int] = []

    def __call__(self):
        self.asked_ns.append(self.clock.now_ns())
        raise LineAbsent("serial-id:A5", "no port has the serial number A5")


def test_back_off_doubles_from_200_ms_to_10_s():
    clock = ManualClock()
    refusing = Refusing(clock)
    supervisor = Supervisor("shuffler", Opener(refusing), HostLink, ShufflerDriver(), clock, lambda seen: None)
    owner = Owner(clock)
    owner.add(supervisor)
    supervisor.start()
    for _ in range(12):
        owner.turn()
        assert supervisor.next_deadline_ns is not None
        clock.set(supervisor.next_deadline_ns)
    waits = [(b - a) // MS for a, b in zip(refusing.asked_ns, refusing.asked_ns[1:], strict=False)]
    assert waits == [200, 400, 800, 1600, 3200, 6400, 10_000, 10_000, 10_000, 10_000, 10_000]
    assert supervisor.state is LineState.WAITING
    assert isinstance(supervisor.problem, LineAbsent)
    with pytest.raises(NotUp) as refused:
        supervisor.request(m.DispenseMessage())
    assert isinstance(refused.value.__cause__, LineAbsent)
    owner.close()


def test_the_first_failure_is_a_warning_repeats_are_not_and_recovery_is_said_once(bench, caplog):
    caplog.set_level(logging.DEBUG, logger="devices.line.supervisor")
    bench.up()
    assert not caplog.records
    bench.wire.unplug()
    bench.run(lambda: False, 20)
    bench.wire.plug()
    bench.run(lambda: bench.supervisor.state is LineState.KNOWN)
    said = [(record.levelname, record.getMessage()) for record in caplog.records]
    assert said[0] == ("WARNING", "memory: line closed: unplugged; retrying until it is back")
    assert {level for level, _ in said[1:-1]} == {"DEBUG"}
    assert said[-1][0] == "WARNING"
    assert said[-1][1] == f"shuffler: back on its line after {len(said) - 1} tries"


def test_the_log_says_whose_line_it_is_where_names_repeat(caplog):
    clock = ManualClock()
    supervisor = Supervisor(
        "shuffler",
        Opener(Refusing(clock)),
        HostLink,
        ShufflerDriver(),
        clock,
        lambda seen: None,
        called="pit, shuffler",
    )
    owner = Owner(clock)
    owner.add(supervisor)
    supervisor.start()
    owner.turn()
    owner.close()
    assert [record.getMessage() for record in caplog.records] == [
        "pit, shuffler: serial-id:A5: not there: no port has the serial number A5; retrying until it is back"
    ]


def test_a_loss_is_followed_by_a_try_at_once(bench):
    bench.up()
    opened, lost_ns = bench.wire.opened, bench.clock.now_ns()
    bench.wire.unplug()
    bench.wire.plug()
    bench.settle()
    assert bench.wire.opened == opened + 1
    assert bench.clock.now_ns() == lost_ns


def test_a_wrong_device_is_named(tmp_path):
    bench = Bench(MemoryWire, tmp_path, m.DeviceClass.TABLE_CONTROLLER)
    bench.supervisor.start()
    assert bench.run(lambda: bench.supervisor.problem is not None, 10)
    assert isinstance(bench.supervisor.problem, WrongDevice)
    assert str(bench.supervisor.problem) == "expected a table controller on this line, found a shuffler"
    bench.run(lambda: False, 30)
    assert len(bench.losses()) == 1, "said once, not with every HELLO-REPLY"
    bench.close()


def test_without_reconnect_the_first_loss_is_the_end(tmp_path):
    bench = Bench(MemoryWire, tmp_path, reconnect=False).up()
    bench.wire.unplug()
    bench.wire.plug()
    bench.run(lambda: False, 20)
    assert bench.wire.opened == 1
    assert bench.supervisor.state is LineState.CLOSED
    assert isinstance(bench.supervisor.closed, LineClosed)
    assert bench.supervisor.next_deadline_ns is None
    bench.close()


def test_closing_while_waiting_and_twice(bench):
    bench.up()
    bench.wire.unplug()
    bench.settle()
    bench.supervisor.close()
    bench.supervisor.close()
    bench.wire.plug()
    bench.run(lambda: False, 20)
    assert bench.wire.opened == 1
    assert bench.supervisor.fileno() is None


def test_a_request_id_is_not_used_again_on_the_next_line(bench):
    """A device answers a remembered id from its cache, and would not carry out the new command."""
    bench.up()
    first = bench.supervisor.request(m.DispenseMessage())
    bench.settle()
    bench.wire.unplug()
    bench.settle()
    bench.wire.plug()
    assert bench.run(lambda: bench.supervisor.state is LineState.KNOWN)
    done = []
    second = bench.supervisor.request(m.DumpMessage(), done.append)
    assert bench.run(lambda: bool(done))
    assert second > first
    assert bench.device.commands == [m.DispenseMessage(), m.DumpMessage()]


@pytest.mark.parametrize("away_s", [0, 2, 7])
@pytest.mark.parametrize("restart", [False, True])
def test_a_recording_of_lost_lines_replays_to_the_same(tmp_path: Path, away_s: int, restart: bool) -> None:
    path = tmp_path / "lost.pcapng"
    bench = Bench(MemoryWire, tmp_path)
    writer = CaptureWriter(path)
    interface = writer.interface("shuffler", device="shuffler")
    plain = bench.wire.opener.open
    bench.supervisor._opener = Opener(lambda: Recorded(plain(), writer, interface, bench.clock))
    bench.up()
    ordinal = 0
    for turn in range(6):
        for _ in range(3):
            ordinal += 1
            bench.device.emit(m.PacketLiftedMessage, ordinal=ordinal)
        if turn % 2:
            bench.wire.freeze()
        else:
            bench.wire.unplug()
        ordinal += 1
        bench.device.emit(m.PacketLiftedMessage, ordinal=ordinal)
        bench.run(lambda: False, away_s)
        if restart and turn == 3:
            bench.device.boot()
        bench.wire.plug()
        assert bench.run(lambda made=ordinal: len(bench.bodies(PacketLifted)) == made, 30)
    bench.run(lambda: False, 1)
    live = list(bench.seen)
    bench.close()
    writer.close()
    again: list[Seen] = []
    play(Capture.read(path), again.append)
    assert again == live
    ordinals = [seen.body.ordinal for seen in live if seen.number]
    assert ordinals == list(range(1, ordinal + 1))
    assert not any(isinstance(seen.body, EventsLost) for seen in live)
    assert any(isinstance(seen.body, SessionChanged) for seen in live) is restart


def test_an_attempt_given_up_closes_the_line_it_gets():
    import threading

    go = threading.Event()
    closed = []

    class Line:
        def close(self) -> None:
            closed.append(1)

    def open_slowly() -> Line:
        go.wait(300)
        return Line()

    opening = Opening(open_slowly, lambda: None)
    assert opening.result() is None
    threading.Timer(0.05, go.set).start()
    opening.cancel()
    assert closed == [1]


def test_a_slow_network_keeps_no_other_line_waiting(tmp_path):
    import threading

    go = threading.Event()

    def open_slowly():
        go.wait(300)
        raise LineAbsent("tcp://far:1", "no route")

    bench = Bench(MemoryWire, tmp_path)
    link, deaf = HostLink, lambda seen: None
    slow = Supervisor("far", Opener(open_slowly, may_wait=True), link, ShufflerDriver(), bench.clock, deaf)
    bench.owner.add(slow)
    slow.start()
    bench.up()
    assert slow.opening
    go.set()
    assert bench.run(lambda: slow.failures == 1, 1)
    slow.close()
    bench.close()


def test_the_pace_is_bounded_for_ever():
    pace = Pace()
    assert pace.delay_ns(0) == 0
    assert pace.delay_ns(1) == 200 * MS
    assert pace.delay_ns(10**6) == 10 * SECOND


def test_a_link_goes_on_where_the_one_before_stood():
    """Only session, number, identity and request id are passed on."""
    link = HostLink(expects=m.DeviceClass.SHUFFLER)
    assert link.standing is None
    link.start(1)
    assert link.suspend(2) == []
    assert link.suspend(3) == []
