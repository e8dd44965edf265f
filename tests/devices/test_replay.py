"""A recording replays the live events, value for value and time for time."""

import errno
import io
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from devices.clock import Clock, ManualClock, SystemClock
from devices.dialects.drivers import DRIVERS
from devices.drive.address import open_transport
from devices.drive.replay import PlayStats, ReplayMismatch, ReplayTransport, play
from devices.events import EventsLost, LinkLost, LinkUp, Seen, SessionChanged
from devices.line.loop import Owner
from devices.line.session import Session
from devices.record.capture import Capture, CaptureCorrupt, CaptureError, CaptureInaccessible, CaptureWriter, Recorded
from devices.transport.base import LineClosed
from devices.transport.memory import Faults, MemoryLine, memory_pair
from protocol.tdp import HostLink
from protocol.tdp import messages as m
from tests.support.rigs.lines import MS, SECOND, DeviceEnd, PtyEnd, hello, run_manual

CLASSES = {"shuffler": m.DeviceClass.SHUFFLER, "table-controller": m.DeviceClass.TABLE_CONTROLLER}


class Table:
    """A recorded table: one memory line a device, on a manual clock."""

    def __init__(self, path: Path, faults: Faults | None = None) -> None:
        self.clock = ManualClock()
        self.owner = Owner(self.clock)
        self.writer = CaptureWriter(path)
        self.seen: list[Seen] = []
        self.lines: dict[str, MemoryLine] = {}
        self.devices: dict[str, DeviceEnd] = {}
        self.sessions: dict[str, Session] = {}
        for number, name in enumerate(CLASSES):
            line, far = memory_pair(self.clock, to_host=faults or Faults(), name=name)
            self.lines[name] = line
            self.join(name, line, far, 0xA0000001 + number)

    def join(self, name: str, line: MemoryLine, far: MemoryLine, session: int) -> None:
        recorded = Recorded(line, self.writer, self.writer.interface(name, device=name), self.clock)
        link = HostLink(expects=CLASSES[name], role=m.Role.OPERATE)
        driver = DRIVERS[name].make()
        self.sessions[name] = Session(name, recorded, link, driver, self.clock, self.seen.append)
        self.devices[name] = DeviceEnd(far, self.clock, hello(session, CLASSES[name]))
        for member in (self.sessions[name], self.devices[name]):
            self.owner.add(member)
            member.start()

    def run(self, until: Callable[[], bool], limit_s: float = 60) -> bool:
        return run_manual(self.owner, self.clock, until, int(limit_s * SECOND))

    def pass_time(self, seconds: float) -> None:
        end_ns = self.clock.now_ns() + int(seconds * SECOND)
        self.run(lambda: self.clock.now_ns() >= end_ns, seconds)

    def deal(self, packets: int) -> None:
        shuffler, controller = self.devices["shuffler"], self.devices["table-controller"]
        for ordinal in range(1, packets + 1):
            shuffler.emit(
                m.PacketDispensedMessage, deck=1, ordinal=ordinal, expected=5, counted=5, cards=bytes(range(5))
            )
            self.clock.advance(7 * MS)
            controller.emit(m.CardsCountedMessage, place=ordinal, counted=5)
            self.pass_time(0.05)

    def close(self) -> None:
        self.owner.close()
        self.writer.close()


def replayed(path: Path) -> tuple[list[Seen], PlayStats]:
    seen: list[Seen] = []
    stats = play(Capture.read(path), seen.append)
    return seen, stats


def test_a_clean_table_replays_equal(tmp_path):
    path = tmp_path / "a.pcapng"
    table = Table(path)
    assert table.run(lambda: len(table.seen) == 2)
    table.deal(12)
    assert table.run(lambda: len(table.seen) == 26)
    table.close()
    seen, stats = replayed(path)
    assert seen == table.seen
    assert {type(entry.body) for entry in seen[:2]} == {LinkUp}
    assert [line.name for line in stats.lines] == ["shuffler", "table-controller"]
    assert stats.frames == sum(session.link.stats.frames for session in table.sessions.values())
    assert stats.noise_bytes == 0
    assert stats.bytes == sum(len(c.data) for c in Capture.read(path).chunks if not c.sent)
    assert stats.chunks == sum(1 for c in Capture.read(path).chunks if c.data)
    assert stats.lines[0].sent > 0


@pytest.mark.parametrize("seed", range(4))
def test_a_table_on_a_bad_line_replays_equal(tmp_path, seed):
    path = tmp_path / "a.pcapng"
    faults = Faults(
        seed=seed, lose_chunk=0.15, lose_byte=0.005, flip_bit=0.005, duplicate=0.1, reorder=0.1,
        delay_ns=(0, 90 * MS), cut=(1, 12),
    )  # fmt: skip
    table = Table(path, faults)
    table.run(lambda: sum(isinstance(entry.body, LinkUp) for entry in table.seen) >= 2)
    table.deal(10)
    table.pass_time(5)
    table.close()
    seen, stats = replayed(path)
    assert seen == table.seen
    assert sum(entry.number > 0 for entry in seen) == 20
    assert stats.noise_bytes > 0


def test_silence_a_power_cycle_and_an_unplug_replay_equal(tmp_path):
    path = tmp_path / "a.pcapng"
    table = Table(path)
    assert table.run(lambda: len(table.seen) == 2)
    table.deal(2)
    table.lines["shuffler"].stall(table.clock.now_ns() + 8 * SECOND)
    table.pass_time(12)
    assert any(isinstance(entry.body, LinkLost) for entry in table.seen)
    table.deal(1)
    table.pass_time(1)

    old = table.devices["table-controller"]
    table.owner.remove(old)
    fresh = DeviceEnd(old._transport, table.clock, hello(0xB0000002, m.DeviceClass.TABLE_CONTROLLER))
    table.devices["table-controller"] = fresh
    table.owner.add(fresh)
    fresh.start()
    table.pass_time(10)
    assert any(isinstance(entry.body, SessionChanged) for entry in table.seen)
    table.deal(1)
    table.pass_time(1)

    table.lines["shuffler"].unplug()
    table.pass_time(1)
    assert table.sessions["shuffler"].closed is not None
    assert table.seen[-1].body == LinkLost("unplugged")
    table.close()
    seen, _ = replayed(path)
    assert seen == table.seen


def trouble(table: Table, random: Random, count: int) -> None:
    """Cause one fault at a table, or none."""
    kind = random.randrange(5)
    if kind == 0:
        table.lines["shuffler"].stall(table.clock.now_ns() + int(random.random() * 8 * SECOND))
        table.pass_time(random.random() * 12)
    elif kind == 1:
        name = random.choice(list(CLASSES))
        old = table.devices[name]
        table.owner.remove(old)
        fresh = DeviceEnd(old._transport, table.clock, hello(0xB0000000 + count, CLASSES[name]))
        table.devices[name] = fresh
        table.owner.add(fresh)
        fresh.start()
        table.pass_time(random.random() * 8)
    elif kind == 2:
        table.clock.advance(int(random.random() * 5 * SECOND))  # the program stood still
    else:
        table.pass_time(random.random() * 3)


@pytest.mark.every(3)
@pytest.mark.parametrize("seed", range(12))
def test_an_evening_of_trouble_replays_equal(tmp_path, seed):
    random = Random(seed)
    faults = Faults(
        seed=seed,
        lose_chunk=random.random() * 0.4,
        lose_byte=random.random() * 0.02,
        flip_bit=random.random() * 0.02,
        duplicate=random.random() * 0.3,
        reorder=random.random() * 0.3,
        delay_ns=(0, random.choice([0, 1, 20, 90, 400]) * MS),
        cut=random.choice([None, (1, 1), (1, 12), (5, 40)]),
    )
    path = tmp_path / "a.pcapng"
    table = Table(path, faults)
    table.pass_time(random.random() * 2)
    for count in range(4):
        table.deal(random.randrange(1, 6))
        trouble(table, random, count)
    if random.random() < 0.3:
        table.lines["table-controller"].unplug()
        table.pass_time(0.2)
    table.owner.turn()
    table.close()
    seen, _ = replayed(path)
    assert seen == table.seen
    assert seen


def test_a_line_plugged_in_again_is_played_as_a_new_session(tmp_path):
    path = tmp_path / "a.pcapng"
    table = Table(path)
    assert table.run(lambda: len(table.seen) == 2)
    table.lines["shuffler"].unplug()
    table.pass_time(0.5)
    line, far = memory_pair(table.clock, name="shuffler again")
    table.join("shuffler", line, far, 0xA0000001)
    table.pass_time(0.5)
    table.deal(2)
    table.pass_time(0.5)
    table.close()
    seen, stats = replayed(path)
    assert seen == table.seen
    assert len(stats.lines) == 3


def test_a_session_over_a_real_pty_replays_equal(tmp_path):
    path = tmp_path / "a.pcapng"
    clock: Clock = SystemClock()
    owner = Owner(clock)
    pty = PtyEnd()
    device = DeviceEnd(pty, clock)
    seen: list[Seen] = []
    with CaptureWriter(path) as writer:
        line = Recorded(open_transport(pty.path), writer, writer.interface("shuffler", device="shuffler"), clock)
        link = HostLink(expects=m.DeviceClass.SHUFFLER)
        session = Session("shuffler", line, link, DRIVERS["shuffler"].make(), clock, seen.append)
        pty.release_slave()
        for member in (session, device):
            owner.add(member)
            member.start()
        assert owner.run(lambda: len(seen) == 1, timeout_s=30)
        for ordinal in range(1, 101):
            device.emit(m.PacketLiftedMessage, ordinal=ordinal)
        assert owner.run(lambda: len(seen) == 101, timeout_s=30)
        device.close()
        assert owner.run(lambda: session.closed is not None, timeout_s=30)
        owner.close()
    assert isinstance(seen[-1].body, LinkLost)
    again, stats = replayed(path)
    assert again == seen
    assert stats.noise_bytes == 0


def test_two_damaged_ways_to_end_keep_what_came_before(tmp_path):
    path = tmp_path / "a.pcapng"
    table = Table(path)
    assert table.run(lambda: len(table.seen) == 2)
    table.deal(5)
    table.close()
    whole = path.read_bytes()
    torn = tmp_path / "torn.pcapng"
    torn.write_bytes(whole[: len(whole) * 2 // 3 | 1])
    capture = Capture.read(torn)
    seen: list[Seen] = []
    play(capture, seen.append)
    assert capture.torn is not None
    assert seen
    assert seen == table.seen[: len(seen)]

    torn.write_bytes(whole + b"\xff" * 40)
    stats, again = PlayStats(), []
    with pytest.raises(CaptureCorrupt):
        play(Capture.read(torn), again.append, stats=stats)
    assert again == table.seen
    assert stats.frames == sum(session.link.stats.frames for session in table.sessions.values())


class BadSector(io.FileIO):
    """A file that the system cannot read from byte `good` on."""

    def __init__(self, path: Path, good: int) -> None:
        super().__init__(path)
        self._good = good

    def readinto(self, buffer: memoryview) -> int:
        if self.tell() >= self._good:
            raise OSError(errno.EIO, "Input/output error")
        return super().readinto(memoryview(buffer)[: self._good - self.tell()])


def test_all_that_came_before_a_bad_sector_is_seen(tmp_path, monkeypatch):
    path = tmp_path / "a.pcapng"
    table = Table(path)
    assert table.run(lambda: len(table.seen) == 2)
    table.deal(5)
    table.close()
    good = path.stat().st_size * 2 // 3
    monkeypatch.setattr("devices.record.capture.open_file", lambda path: io.BufferedReader(BadSector(path, good)))
    seen: list[Seen] = []
    with pytest.raises(CaptureInaccessible, match=r"a\.pcapng: Input/output error$"):
        play(Capture.read(path), seen.append)
    assert 0 < len(seen) < len(table.seen)
    assert seen == table.seen[: len(seen)]


def test_a_file_that_opens_and_cannot_be_read_is_one_line():
    with pytest.raises(CaptureInaccessible, match=r"^/proc/self/mem: Input/output error$"):
        Capture.read("/proc/self/mem")


@pytest.mark.parametrize(
    ("device", "dialect", "says"),
    [
        ("", "tdp", "line 'x': the kind of device is missing; allowed: shuffler, shoe, table-controller"),
        ("toaster", "tdp", "no kind of device is called 'toaster'; allowed: shuffler, shoe, table-controller"),
        ("shuffler", "morse", "unknown dialect 'morse'; allowed: tdp, angel-eye, bee-tek"),
        ("shuffler", "", "no dialect is named; allowed: tdp, angel-eye, bee-tek"),
    ],
)
def test_a_line_that_cannot_be_played_says_why(tmp_path, device, dialect, says):
    path = tmp_path / "a.pcapng"
    with CaptureWriter(path) as writer:
        writer.chunk(writer.interface("x", device=device, dialect=dialect), 5, False, b"abc")
    with pytest.raises(CaptureError) as caught:
        play(Capture.read(path), lambda seen: None)
    assert str(caught.value).startswith(f"{path}: ")
    assert says in str(caught.value)


def test_an_empty_recording_is_silent(tmp_path):
    path = tmp_path / "a.pcapng"
    with CaptureWriter(path) as writer:
        writer.interface("shuffler", device="shuffler")
    seen, stats = replayed(path)
    assert seen == []
    assert (stats.chunks, stats.bytes, stats.frames) == (0, 0, 0)


# ------------------------------------------------------------------ the recording as a line


@pytest.fixture
def dialogue(tmp_path):
    path = tmp_path / "d.pcapng"
    with CaptureWriter(path) as writer:
        one = writer.interface("shuffler", device="shuffler")
        writer.chunk(one, 100, True, b"who")
        writer.chunk(one, 150, False, b"me")
        writer.chunk(one, 200, True, b"deal")
        writer.chunk(one, 250, False, b"do")
        writer.chunk(one, 260, False, b"ne")
        writer.note(one, 300, "line lost: unplugged")
    return Capture.read(path)


def test_strict_replay_answers_only_what_was_asked(dialogue):
    clock = ManualClock(1000)
    line = ReplayTransport(dialogue, 0, clock)
    woken: list[int] = []
    line.on_ready(lambda: woken.append(clock.now_ns()))
    clock.advance(60)
    assert line.read() == b""
    assert line.next_deadline_ns is None
    assert line.write(b"w") + line.write(b"ho") == 3
    assert line.next_deadline_ns == 1050
    assert line.read() == b"me"
    assert line.write(b"deal") == 4
    assert line.read() == b""
    assert line.next_deadline_ns == 1150
    clock.set(1170)
    assert line.read() == b"do"
    assert line.read() == b"ne"
    assert woken == [1170]
    for _ in range(2):
        with pytest.raises(LineClosed) as closed:
            line.read()
    assert closed.value.why == "unplugged"
    with pytest.raises(LineClosed):
        line.write(b"x")
    line.close()
    line.close()


@pytest.mark.parametrize(
    ("written", "says"),
    [
        (b"whom", "sent byte 3 differs from the recording: expected 64, got 6d"),
        (b"way", "sent byte 1 differs from the recording: expected 68 6f, got 61 79"),
        (b"whodealmore", "sent byte 7 differs from the recording: expected nothing more, got 6d 6f 72 65"),
    ],
)
def test_strict_replay_shows_where_it_differs(dialogue, written, says):
    line = ReplayTransport(dialogue, 0, ManualClock(1000))
    with pytest.raises(ReplayMismatch) as caught:
        line.write(written)
    assert says in str(caught.value)


def test_loose_replay_runs_by_time_alone(dialogue):
    clock = ManualClock(1000)
    line = ReplayTransport(dialogue, 0, clock, strict=False)
    assert line.write(b"anything") == 8
    clock.set(2000)
    assert [line.read() for _ in range(3)] == [b"me", b"do", b"ne"]
    with pytest.raises(LineClosed):
        line.read()


def test_a_live_session_runs_on_a_recorded_line(tmp_path):
    path = tmp_path / "a.pcapng"
    table = Table(path)
    assert table.run(lambda: len(table.seen) == 2)
    table.deal(6)
    table.pass_time(1)
    table.close()
    clock = ManualClock()
    owner = Owner(clock)
    seen: list[Seen] = []
    line = ReplayTransport(Capture.read(path), 0, clock)
    link = HostLink(expects=m.DeviceClass.SHUFFLER, role=m.Role.OPERATE)
    session = Session("shuffler", line, link, DRIVERS["shuffler"].make(), clock, seen.append)
    owner.add(session)
    session.start()
    assert run_manual(owner, clock, lambda: session.closed is not None)
    owner.close()
    live = [entry for entry in table.seen if entry.device == "shuffler"]
    assert [entry.body for entry in seen[:-1]] == [entry.body for entry in live]
    assert seen[-1].body == LinkLost("the recording ends")
    assert not any(isinstance(entry.body, EventsLost) for entry in seen)
