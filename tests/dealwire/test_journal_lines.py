"""Bytes on a line and the time at which they are recorded; the lines that are published, and those an exporter has yet
to send."""

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from dealwire.journal import Journal, Journaled, JournalReader
from dealwire.journal.book_tables import BookTables
from dealwire.journal.record_writer import GROUP_MAX
from dealwire.journal.transport import Gate
from devices.clock import ManualClock, SystemClock
from devices.dialects.known import dialect_named
from devices.events import Seen
from devices.line.session import Session
from devices.transport.base import Abandonable, LineClosed, Timed
from devices.transport.memory import CAPACITY, memory_pair
from protocol.tdp.messages import Role
from rules.meters.settled_rounds import SettledKey
from tests.support.broken.small_disk import database, fill
from tests.support.evenings.journal_evening import copy_as_killed

LINE = {"device": "shoe", "dialect": "tdp", "address": "", "baud": 115200, "procedure": "p"}


def kinds(path: Path) -> list[str]:
    with JournalReader(path) as reader:
        return [record.kind for record in reader.records()]


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


def test_nothing_goes_out_before_what_came_in_is_on_the_disk(tmp_path: Path, clock: ManualClock) -> None:
    with Journal(tmp_path / "j", key=None, clock=clock) as journal:
        line = journal.line("t", "shoe", **LINE)  # type: ignore[arg-type]
        host, device = memory_pair(clock)
        journaled = Journaled(host, journal, line, clock)
        device.write(b"a card")
        assert journaled.read() == b"a card"
        journal.publish("t", "round", 1, '{"n":1}')
        assert kinds(tmp_path / "j") == ["opened"], "the group is still open"
        seen: list[list[str]] = []
        write = host.write

        def spy(data: bytes) -> int:
            seen.append(kinds(copy_as_killed(tmp_path / "j", tmp_path / "cut")))
            return write(data)

        host.write = spy  # type: ignore[method-assign]
        assert journaled.write(b"got it") == 6
        assert seen == [["opened", "line", "passed", "round"]]
        assert device.read() == b"got it"
        assert [item.line for item in journal.commit()] == ['{"n":1}'], "secured by the write, given by the commit"
    assert kinds(tmp_path / "j") == ["opened", "line", "passed", "round", "passed"]


@pytest.mark.parametrize("how", ["closed", "abandoned", "lost by reading", "lost by writing"])
def test_how_a_line_ended_is_noted_once(tmp_path: Path, clock: ManualClock, how: str) -> None:
    with Journal(tmp_path / "j", key=None, clock=clock) as journal:
        line = journal.line("t", "shoe", **LINE)  # type: ignore[arg-type]
        host, device = memory_pair(clock)
        journaled = Journaled(host, journal, line, clock)
        assert isinstance(journaled, Timed)
        assert isinstance(journaled, Abandonable)
        if how == "abandoned":
            journaled.abandon("nothing valid heard")
        elif how != "closed":
            device.close()
            with pytest.raises(LineClosed):
                journaled.read() if how == "lost by reading" else journaled.write(b"x")
        journaled.close()
        journaled.close()
    with JournalReader(tmp_path / "j") as reader:
        notes = [record.payload.decode() for record in reader.records() if record.kind == "note"]
    assert notes == {
        "closed": ["closed by this program"],
        "abandoned": ["line lost: nothing valid heard"],
        "lost by reading": ["line lost: the other end closed"],
        "lost by writing": ["line lost: the other end closed"],
    }[how]  # fmt: skip


def test_every_commit_is_synced(tmp_path: Path, clock: ManualClock) -> None:
    with Journal(tmp_path / "j", key=None, clock=clock) as journal:
        db = database(journal)
        assert db.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert db.execute("PRAGMA synchronous").fetchone() == (2,), "FULL"


def test_a_clock_that_goes_on_is_never_before_the_record(tmp_path: Path, clock: ManualClock) -> None:
    ahead_ns = 9_000_000_000_000_000_000
    with Journal(tmp_path / "j", key=None, clock=clock) as journal:
        journal.publish("t", "round", ahead_ns, "{}")
        journal.publish("t", "round", 5, "{}")  # from a deadline that fell before
        journal.commit()
        assert journal.newest_ns == ahead_ns
    with JournalReader(tmp_path / "j") as reader:
        assert reader.newest_ns == ahead_ns
        assert ahead_ns <= SystemClock(reader.newest_ns).now_ns() < ahead_ns + 3_600_000_000_000
    assert SystemClock(5).now_ns() > 1_600_000_000_000_000_000, "a wall that is ahead stays ahead"


def commits(journal: Journal) -> list[str]:
    """Every commit from now on."""
    found: list[str] = []
    database(journal).set_trace_callback(lambda sql: found.append(sql) if sql == "COMMIT" else None)
    return found


def test_what_goes_out_in_one_turn_takes_one_commit(tmp_path: Path, clock: ManualClock) -> None:
    later: list[Callable[[], None]] = []
    with Journal(tmp_path / "j", key=None, clock=clock) as journal:
        gate, pairs = Gate(later.append), [memory_pair(clock) for _ in range(16)]
        lines = [
            Journaled(host, journal, journal.line("t", f"shoe-{n}", **LINE), clock, gate)  # type: ignore[arg-type]
            for n, (host, _) in enumerate(pairs)
        ]
        found = commits(journal)
        for line, (_, device) in zip(lines, pairs, strict=True):
            device.write(b"a card")
            assert line.read() == b"a card"
            assert (line.write(b"got "), line.write(b"it")) == (4, 2)
            assert device.read() == b"", "nothing goes out before the end of the turn"
        assert len(later) == 1
        later.pop()()
        assert found == ["COMMIT"]
        assert [device.read() for _, device in pairs] == [b"got it"] * 16
    with JournalReader(tmp_path / "j") as reader:
        passed = [reader.passed(record) for record in reader.records() if record.kind == "passed"]
        assert [each.sent for record in passed for each in record] == [False] * 16 + [True] * 16
        assert [len(record) for record in passed] == [16, 16], "what came is on the disk before anything goes out"


def test_a_line_that_takes_part_gets_the_rest_when_it_has_room(tmp_path: Path, clock: ManualClock) -> None:
    later: list[Callable[[], None]] = []
    with Journal(tmp_path / "j", key=None, clock=clock) as journal:
        host, device = memory_pair(clock)
        number = journal.line("t", "shoe", **LINE)  # type: ignore[arg-type]
        line = Journaled(host, journal, number, clock, Gate(later.append))
        line.write(bytes(CAPACITY + 5))
        later.pop()()
        assert line.write(b"after") == 0, "the line is still full"
        assert len(device.read()) == CAPACITY
        assert line.write(b"after") == 5
        later.pop()()
        assert device.read() == bytes(5) + b"after"


@pytest.mark.parametrize("how", ["the line goes", "the journal fails"])
def test_what_goes_wrong_at_the_gate_is_met_by_the_next_read(tmp_path: Path, clock: ManualClock, how: str) -> None:
    later: list[Callable[[], None]] = []
    woken: list[str] = []
    with Journal(tmp_path / "j", key=None, clock=clock) as journal:
        host, device = memory_pair(clock)
        number = journal.line("t", "shoe", **LINE)  # type: ignore[arg-type]
        line = Journaled(host, journal, number, clock, Gate(later.append))
        line.on_ready(lambda: woken.append("read me"))
        line.write(b"got it")
        if how == "the line goes":
            host.unplug()
        else:
            fill(journal)
            journal.chunk(number, 1, False, bytes(100_000))
        woken.clear()
        later.pop()()
        assert woken == ["read me"]
        for use in (line.read, lambda: line.write(b"more")):
            with pytest.raises(LineClosed, match="unplugged" if how == "the line goes" else "the journal stopped"):
                use()
        assert how == "the line goes" or device.read() == b""
        line.close()


def test_a_line_that_is_closed_lets_out_what_was_held(tmp_path: Path, clock: ManualClock) -> None:
    later: list[Callable[[], None]] = []
    with Journal(tmp_path / "j", key=None, clock=clock) as journal:
        host, device = memory_pair(clock)
        number = journal.line("t", "shoe", **LINE)  # type: ignore[arg-type]
        line = Journaled(host, journal, number, clock, Gate(later.append))
        line.write(b"goodbye")
        line.close()
        later.pop()()
        assert device.read() == b"goodbye"


def test_an_idle_commit_touches_nothing(tmp_path: Path, clock: ManualClock) -> None:
    with Journal(tmp_path / "j", key=None, clock=clock) as journal:
        before = (tmp_path / "j-wal").stat()
        for _ in range(100):
            assert journal.commit() == []
            assert journal.secure()
        after = (tmp_path / "j-wal").stat()
        assert (before.st_size, before.st_mtime_ns) == (after.st_size, after.st_mtime_ns)


@pytest.mark.parametrize("more", range(4))
def test_a_group_that_grows_is_written_without_being_told(tmp_path: Path, clock: ManualClock, more: int) -> None:
    """And only where a read begins: never between a settlement and the record of whose round it is."""
    rounds = GROUP_MAX // 4 + 20
    with Journal(tmp_path / "j", key=None, clock=clock) as journal:
        line = journal.line("t", "shoe", **LINE)  # type: ignore[arg-type]
        for number in range(rounds):
            journal.chunk(line, number, False, b"read")
            for _ in range(more if number == 0 else 0):
                journal.publish("t", "event", number, "{}")
            journal.publish("t", "round", number, "{}")
            journal.publish("t", "settlement", number, f'{{"session":"s","round":{number + 1}}}')
            journal.settled("t", number, SettledKey("d", "s", number + 1))
        with JournalReader(tmp_path / "j") as reader:
            written = [item for item in reader.publications() if item.topic == "settlement"]
            assert rounds - 22 < len(written) < rounds
            assert all(
                BookTables(reader).was_settled("t", SettledKey("d", "s", number + 1)) for number in range(len(written))
            )
        told = journal.commit()
        assert [item.line for item in told if item.topic == "settlement"] == [
            f'{{"session":"s","round":{number + 1}}}' for number in range(rounds)
        ]


def test_a_topic_that_is_none_is_refused(tmp_path: Path, clock: ManualClock) -> None:
    with Journal(tmp_path / "j", key=None, clock=clock) as journal, pytest.raises(ValueError, match="no topic 'sent'"):
        journal.publish("t", "sent", 1, "{}")  # type: ignore[arg-type]


def test_after_closing_nothing_is_written_and_nothing_is_acknowledged(tmp_path: Path, clock: ManualClock) -> None:
    journal = Journal(tmp_path / "j", key=None, clock=clock)
    line = journal.line("t", "shoe", **LINE)  # type: ignore[arg-type]
    host, device = memory_pair(clock)
    journaled = Journaled(host, journal, line, clock)
    journal.close()
    device.write(b"late")
    for use in (journaled.read, lambda: journaled.write(b"got it")):
        with pytest.raises(LineClosed, match="the journal stopped: it was closed"):
            use()
    assert device.read() == b""
    journaled.close()
    journal.publish("t", "status", 1, "{}")
    assert journal.commit() == []
    journal.close()
    assert kinds(tmp_path / "j") == ["opened", "line"]


# ------------------------------------------------------------------ outboxes


def test_an_outbox_gives_what_is_on_the_disk_and_not_yet_sent(tmp_path: Path, clock: ManualClock) -> None:
    with Journal(tmp_path / "j", key=None, clock=clock) as journal:
        for number in range(5):
            journal.publish("t", "round", number, f'{{"n":{number}}}')
        assert journal.outboxes.unsent("mqtt", 10) == [], "nothing is sent that a kill could still take away"
        told = journal.commit()
        assert journal.outboxes.unsent("mqtt", 2) == told[:2]
        journal.outboxes.mark_sent("mqtt", told[2].sequence)
        journal.outboxes.mark_sent("mqtt", told[0].sequence)  # a mark never goes back
        assert journal.outboxes.unsent("mqtt", 10) == told[3:]
        assert journal.outboxes.unsent("another", 10) == told
    with Journal(tmp_path / "j", key=None, clock=clock) as journal:
        assert journal.outboxes.unsent("mqtt", 10) == told[3:]
        assert journal.outboxes.unsent("another", 10) == told


def test_a_mark_lost_by_a_kill_sends_the_same_sequence_again(tmp_path: Path, clock: ManualClock) -> None:
    with Journal(tmp_path / "j", key=None, clock=clock) as journal:
        journal.publish("t", "round", 1, '{"n":1}')
        told = journal.commit()
        journal.outboxes.mark_sent("mqtt", told[0].sequence)
        killed = copy_as_killed(tmp_path / "j", tmp_path / "killed")
        journal.publish("t", "round", 2, '{"n":2}')
        journal.commit()
        later = copy_as_killed(tmp_path / "j", tmp_path / "later")
    with Journal(killed, key=None, clock=clock) as journal:
        assert journal.outboxes.unsent("mqtt", 10) == told
    with Journal(later, key=None, clock=clock) as journal:
        assert [item.line for item in journal.outboxes.unsent("mqtt", 10)] == ['{"n":2}'], "written with the next group"


def test_exporters_in_other_threads_get_every_line_once_in_order(tmp_path: Path, clock: ManualClock) -> None:
    total, got, stop = 400, [], threading.Event()

    with Journal(tmp_path / "j", key=None, clock=clock) as journal:

        def export() -> None:
            while not (stop.is_set() and not journal.outboxes.unsent("mqtt", 1)):
                found = journal.outboxes.unsent("mqtt", 7)
                got.extend(item.line for item in found)
                if found:
                    journal.outboxes.mark_sent("mqtt", found[-1].sequence)

        thread = threading.Thread(target=export)
        thread.start()
        for number in range(total):
            journal.publish("t", "event", number, str(number))
            if number % 8 == 0:
                journal.commit()
        journal.commit()
        stop.set()
        thread.join()
    assert got == [str(number) for number in range(total)]


def test_reading_a_backlog_walks_no_raw_records(tmp_path: Path, clock: ManualClock) -> None:
    with Journal(tmp_path / "j", key=None, clock=clock):
        pass
    with JournalReader(tmp_path / "j") as reader:
        plan = reader.rows(
            "EXPLAIN QUERY PLAN SELECT sequence FROM record INDEXED BY publication WHERE "
            "kind IN ('event', 'incident', 'round', 'settlement', 'meter', 'award', 'status') AND sequence > 5 "
            "ORDER BY sequence LIMIT 9"
        )
    assert "USING INDEX publication (sequence>?)" in plan[0][3].replace("COVERING ", "")
    assert len(plan) == 1, "no sorting"


def test_a_line_lost_while_bytes_went_out_is_lost_when_its_session_hears_of_it(
    tmp_path: Path, clock: ManualClock
) -> None:
    """Bytes are sent between two turns of the session. A note earlier than the report that follows from it would make
    the record differ from the published lines, and the table could not resume."""
    later: list[Callable[[], None]] = []
    seen: list[Seen] = []
    with Journal(tmp_path / "j", key=None, clock=clock) as journal:
        host, device = memory_pair(clock)
        line = Journaled(host, journal, journal.line("t", "x", **LINE), clock, Gate(later.append))  # type: ignore[arg-type]
        known = dialect_named("tdp")
        link, driver = known.make_link("shuffler", Role.OBSERVE, False), known.driver("shuffler", where="x")
        session = Session("x", line, link, driver, clock, seen.append)
        session.start()
        device.close()
        clock.advance(1000)
        for let_out in later:
            let_out()
        assert session.closed is None
        clock.advance(1000)
        session.on_readable(clock.now_ns())
        assert session.closed is not None
    with JournalReader(tmp_path / "j") as reader:
        notes = [record.at_ns for record in reader.records() if record.kind == "note"]
    assert notes == [seen[-1].at_ns] == [clock.now_ns()]
