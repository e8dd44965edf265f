"""A session over real links: its output, its end, and no endless waits."""

import pytest

from devices.clock import ManualClock
from devices.dialects.shuffler import ShufflerDriver
from devices.events import GreenButton, LinkLost, LinkUp, PacketDispensed, Seen, UnknownReported
from devices.line.loop import Owner
from devices.line.session import Session
from devices.transport.memory import Faults, MemoryLine, memory_pair
from protocol.cards import parse_cards
from protocol.errors import LineClosed, NotPermitted, NotUp
from protocol.tdp import Answered, Discarded, HostLink, Unanswered
from protocol.tdp import messages as m
from tests.support.rigs.lines import SECOND, DeviceEnd, hello, run_manual

CLEAN = Faults()


class Rig:
    """Host and device joined in memory, on a manual clock."""

    def __init__(self, *, to_host: Faults = CLEAN, to_device: Faults = CLEAN, answers: bool = True) -> None:
        self.clock = ManualClock()
        self.line, self.far = memory_pair(self.clock, to_host=to_host, to_device=to_device)
        self.seen: list[Seen] = []
        self.traced: list[object] = []
        self.owner = Owner(self.clock)
        link = HostLink(expects=m.DeviceClass.SHUFFLER, role=m.Role.OPERATE)
        self.session = Session(
            "shuffler", self.line, link, ShufflerDriver(), self.clock, self.seen.append, self.traced.append
        )
        self.device = DeviceEnd(self.far, self.clock, answers=answers)
        self.owner.add(self.session)
        self.owner.add(self.device)
        self.device.start()
        self.session.start()

    def run(self, until, limit_s: float = 60) -> bool:
        return run_manual(self.owner, self.clock, until, int(limit_s * SECOND))

    def up(self) -> "Rig":
        assert self.run(lambda: any(isinstance(seen.body, LinkUp) for seen in self.seen))
        return self

    def bodies(self) -> list[object]:
        return [seen.body for seen in self.seen]


@pytest.fixture
def rig():
    made = Rig()
    yield made
    made.owner.close()


def test_link_up_says_who_the_device_is(rig):
    rig.up()
    assert rig.bodies() == [LinkUp(0xC0FFEE01, "shuffler", "Test Works", "Rig", "0001", "1.0", True, False)]
    assert rig.seen[0].session == 0xC0FFEE01
    assert rig.seen[0].device == "shuffler"


def test_events_arrive_numbered_once_and_in_order(rig):
    rig.up()
    rig.device.emit(m.GreenButtonMessage)
    rig.device.emit(
        m.PacketDispensedMessage, deck=1, ordinal=1, expected=5, counted=5, cards=bytes.fromhex("1124304360")
    )
    assert rig.run(lambda: len(rig.seen) == 3)
    cards = tuple(rig.seen[2].body.cards)
    assert [seen.number for seen in rig.seen] == [0, 1, 2]
    assert rig.bodies()[1:] == [GreenButton(), PacketDispensed(1, 1, 5, 5, cards)]
    assert [card.text for card in cards] == ["AC", "4D", "0x30", "3S", "??"]
    assert parse_cards("AC 4D") == cards[:2]


def test_events_survive_a_line_that_loses_and_flips():
    rig = Rig(
        to_host=Faults(seed=3, lose_chunk=0.2, flip_bit=0.002, cut=(1, 9), delay_ns=(0, 20_000_000)),
        to_device=Faults(seed=4, lose_chunk=0.2),
    )
    rig.up()
    for ordinal in range(1, 31):
        rig.device.emit(m.PacketLiftedMessage, ordinal=ordinal)
    assert rig.run(lambda: rig.seen[-1].number == 30, limit_s=120)
    numbers = [seen.number for seen in rig.seen if seen.number]
    assert numbers == list(range(1, 31))
    assert rig.session.link.stats.noise_bytes > 0
    assert any(isinstance(output, Discarded) for output in rig.traced)
    rig.owner.close()


def test_status_is_what_a_late_joiner_sees(rig):
    assert rig.session.status is None
    rig.up()
    assert rig.run(lambda: rig.session.status is not None)
    assert rig.session.status.state == m.ShufflerState.READY
    assert rig.session.status.loaded == 52


def test_a_command_comes_back_answered(rig):
    rig.up()
    answers = []
    rig.session.request(m.SelectGameMessage(5, 52, 0, "FGW-CO"), answers.append)
    assert rig.run(lambda: bool(answers))
    assert isinstance(answers[0], Answered)
    assert answers[0].reply.status == m.Status.DONE
    assert rig.device.commands == [m.SelectGameMessage(5, 52, 0, "FGW-CO")]


def test_a_command_before_the_session_is_refused(rig):
    with pytest.raises(NotUp):
        rig.session.request(m.DispenseMessage())


def test_a_command_beyond_the_role_is_refused(rig):
    rig.up()
    with pytest.raises(NotPermitted):
        rig.session.request(m.SelfTestMessage())


def test_unplugged_every_waiter_fails_with_the_first_cause():
    rig = Rig(answers=False)
    rig.up()
    ended = []
    for _ in range(3):
        rig.session.request(m.DispenseMessage(), ended.append)
    rig.line.unplug()
    assert rig.run(lambda: rig.session.closed is not None)
    assert [type(output) for output in ended] == [Unanswered] * 3
    assert all(output.error.__cause__ is rig.session.closed for output in ended)
    assert isinstance(rig.session.closed, LineClosed)
    assert rig.bodies()[-1] == LinkLost("unplugged")
    with pytest.raises(NotUp) as refused:
        rig.session.request(m.DispenseMessage())
    assert refused.value.__cause__ is rig.session.closed
    rig.owner.close()


def test_close_ends_waiting_commands_and_tells_nobody_of_a_lost_line():
    rig = Rig(answers=False)
    rig.up()
    ended = []
    rig.session.request(m.DispenseMessage(), ended.append)
    rig.session.close()
    rig.session.close()
    assert len(ended) == 1
    assert isinstance(ended[0], Unanswered)
    assert not any(isinstance(body, LinkLost) for body in rig.bodies())
    assert rig.session.fileno() is None
    assert rig.session.next_deadline_ns is None
    rig.owner.close()


def test_silence_is_lost_at_its_deadline_however_late_the_turn(rig):
    rig.up()
    heard_ns = rig.clock.now_ns()
    rig.line.stall(heard_ns + 3600 * SECOND)
    rig.owner.turn()
    rig.clock.advance(10 * SECOND)
    rig.owner.turn()
    lost = [seen for seen in rig.seen if isinstance(seen.body, LinkLost)]
    assert len(lost) == 1
    assert lost[0].at_ns < heard_ns + 4 * SECOND
    assert rig.session.closed is None


def test_a_failing_deliver_is_not_swallowed():
    clock = ManualClock()
    line, far = memory_pair(clock)

    def fail(seen: Seen) -> None:
        raise RuntimeError("the flow broke")

    owner = Owner(clock)
    session = Session("shuffler", line, HostLink(expects=None), ShufflerDriver(), clock, fail)
    device = DeviceEnd(far, clock)
    owner.add(session)
    owner.add(device)
    device.start()
    session.start()
    with pytest.raises(RuntimeError, match="the flow broke"):
        run_manual(owner, clock, lambda: False)
    assert session not in owner.members
    assert isinstance(session.closed, LineClosed)
    owner.close()


def test_an_unknown_event_is_a_value():
    rig = Rig()
    rig.up()
    rig.device.emit(m.GameStartedMessage, round=3)  # a controller's event: no table of the shuffler's knows it
    assert rig.run(lambda: len(rig.seen) == 2)
    assert rig.bodies()[1] == UnknownReported("event GameStarted")
    rig.owner.close()


def test_a_wrong_device_is_reported_with_its_name():
    clock = ManualClock()
    line, far = memory_pair(clock)
    seen: list[Seen] = []
    owner = Owner(clock)
    session = Session("shuffler", line, HostLink(expects=m.DeviceClass.SHUFFLER), ShufflerDriver(), clock, seen.append)
    device = DeviceEnd(far, clock, hello(device_class=m.DeviceClass.TABLE_CONTROLLER))
    for member in (session, device):
        owner.add(member)
        member.start()
    assert run_manual(owner, clock, lambda: bool(seen))
    assert isinstance(seen[0].body, LinkLost)
    assert "table controller" in seen[0].body.why
    owner.close()


class Choked(MemoryLine):
    """A line that accepts three bytes a write, then none until it is released."""

    room = 3

    def write(self, data: bytes) -> int:
        return super().write(data[: self.room]) if self.room else 0


def test_what_the_line_does_not_take_waits_in_a_bounded_outbox():
    clock = ManualClock()
    line, far = memory_pair(clock)
    choked = Choked(line.name, clock, line._in, line._out)
    choked.room = 0
    link = HostLink(expects=m.DeviceClass.SHUFFLER)
    session = Session("shuffler", choked, link, ShufflerDriver(), clock, lambda seen: None)
    session.start()
    assert session.wants_write()
    for _ in range(20_000):
        clock.advance(SECOND // 4)
        session.on_deadline(clock.now_ns())
    assert session.dropped_frames > 0
    choked.room = 3
    session.on_writable(clock.now_ns())
    assert not session.wants_write()
    sent = b""
    while piece := far.read():
        sent += piece
    assert 60_000 < len(sent) <= 65_536
    session.close()
