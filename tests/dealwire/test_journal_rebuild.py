"""Replaying a journal gives the same lines, after any fault of the table's lines."""

import json
import sqlite3
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from random import Random

import pytest

from dealwire.hub.lines import Publication
from dealwire.journal import Journal, JournalReader, SealingKey, rebuild, resume
from dealwire.journal.check import verify
from dealwire.journal.compare import compare
from dealwire.journal.contents import TableStart
from dealwire.journal.errors import JournalDamaged, JournalDiffers, KeyUnknown
from dealwire.journal.rebuilding import OutcomePublisher
from dealwire.table.table import Table, TableTerms
from devices.budget import parse_note
from devices.clock import ManualClock
from devices.events import LinkLost
from protocol.tdp.host_link import HostLink
from protocol.tdp.messages import Role
from rules.game.load import load_game
from tests.support.broken.noisy_line import EVERY_NS, Noise
from tests.support.evenings.faulty_rounds import CLEAN, Plan, plan_of
from tests.support.evenings.journal_evening import copy_as_killed, deal_journalled
from tests.support.rigs.memory_folder import memory_folder
from tests.support.rigs.small_service import TABLE, begin, make_publisher


@pytest.fixture(scope="module")
def key(tmp_path_factory: pytest.TempPathFactory) -> SealingKey:
    return SealingKey.new(tmp_path_factory.mktemp("key") / "table.key")


@pytest.fixture
def tmp_path(tmp_path: Path) -> Iterator[Path]:
    """In memory: what is tested here is what is written, not when."""
    with memory_folder(tmp_path) as folder:
        yield folder


def published(path: Path) -> list[Publication]:
    with JournalReader(path) as reader:
        return reader.publications()


@pytest.mark.parametrize("seed", range(10))
def test_a_round_over_failing_lines_is_rebuilt_byte_for_byte(tmp_path: Path, key: SealingKey, seed: int) -> None:
    path = tmp_path / "j"
    told = deal_journalled(path, key, plan_of(seed))
    assert told
    with JournalReader(path, key) as reader:
        assert reader.publications() == told
        found = compare(reader, make_publisher)
    assert (found.difference, found.equal, found.pending, found.given_up) == (None, len(told), [], [])
    assert [item.line for item in rebuild(path, key, make_publisher)] == [item.line for item in told]


@pytest.mark.parametrize("device", ["shuffler", "table-controller"])
@pytest.mark.parametrize("piece", [bytes(2048), b"\xff\x00a" * 700], ids=["zeros", "noise"])
def test_a_line_that_is_flooded_in_a_round_loses_nothing_and_is_rebuilt(
    tmp_path: Path, key: SealingKey, device: str, piece: bytes
) -> None:
    told = deal_journalled(tmp_path / "calm", key)
    second = 1_000_000_000
    flooded = deal_journalled(tmp_path / "j", key, noise=Noise(device, piece, 2 * second, 8 * second))
    with JournalReader(tmp_path / "j", key) as reader:
        notes = [parse_note(record.payload.decode()) for record in reader.records() if record.kind == "note"]
        found = compare(reader, make_publisher)
        passed = [each for record in reader.records() if record.kind == "passed" for each in reader.passed(record)]
        kept = sum(len(each.data) for each in passed if not each.sent)
    given = 6 * second // EVERY_NS * len(piece)
    dropped = sum(note.count for note in notes if note is not None)
    assert dropped > given / 2
    assert kept + dropped >= given
    assert (found.difference, found.pending) == (None, [])
    assert [item.line for item in rebuild(tmp_path / "j", key, make_publisher)] == [item.line for item in flooded]
    incidents = [json.loads(item.line) for item in flooded if item.topic == "incident"]
    assert [each["code"] for each in incidents].count("line-flooded") == 1
    assert {each["code"] for each in incidents} <= {"line-flooded", "link-lost"}
    assert [pays(item) for item in flooded if item.topic == "settlement"] == [
        pays(item) for item in told if item.topic == "settlement"
    ]


def pays(item: Publication) -> list[object]:
    return [json.loads(item.line)["status"], json.loads(item.line)["lines"]]


@pytest.mark.parametrize("seed", range(4))
def test_wherever_the_writer_is_killed_what_was_told_is_there_and_the_table_goes_on(
    tmp_path: Path, key: SealingKey, seed: int
) -> None:
    random, cuts, turns = Random(seed), [], count(1)
    path = tmp_path / "j"

    def cut(journal: Journal) -> None:
        if random.random() < 0.004 or next(turns) % 100 == 60:
            cuts.append(copy_as_killed(path, tmp_path / f"cut-{len(cuts)}"))

    told = deal_journalled(path, key, plan_of(seed), each_turn=cut)
    assert cuts
    for copy in cuts:
        clock = ManualClock()
        with Journal(copy, key=key, clock=clock) as journal:
            before = published(copy)
            assert [item.line for item in before] == [item.line for item in told[: len(before)]]
            went_on = resume(journal, key, make_publisher, clock.now_ns())
            assert went_on.publishers.keys() == {TABLE}
            assert journal.newest_ns >= clock.now_ns()
        with JournalReader(copy, key) as reader:
            verify(reader, open_seals=True)
            found = compare(reader, make_publisher)
            assert found.difference is None
            assert (found.pending, found.given_up) == ([], [])
            assert len(reader.publications()) == len(before) + len(went_on.unpublished)


def test_what_only_silence_led_to_is_rebuilt_though_no_byte_came_after(tmp_path: Path, key: SealingKey) -> None:
    """A device falls silent and its link is given up at a deadline; the writer is killed by the commit of that, before
    it calls the device again."""
    path, cuts = tmp_path / "j", []

    def cut(journal: Journal) -> None:
        journal.secure()
        if not cuts and published(path):
            cuts.append(copy_as_killed(path, tmp_path / "cut"))

    second = 1_000_000_000
    silent = ((2 * second, "stall", "shuffler", 9 * second), (2 * second, "stall", "table-controller", 9 * second))
    deal_journalled(path, key, Plan("clean-3", ("stalls",), CLEAN, silent), each_turn=cut)
    (lost,) = published(cuts[0])
    with sqlite3.connect(cuts[0]) as db:
        db.execute("DELETE FROM record WHERE sequence > ?", (lost.sequence,))
    db.close()
    with JournalReader(cuts[0], key) as reader:
        assert "link-lost" in lost.line
        last = list(reader.records())[-1]
        assert last.kind == "incident", "nothing was read after it"
        found = compare(reader, make_publisher)
    assert (found.difference, found.pending) == (None, [])
    assert found.equal == 1


def test_a_line_that_goes_on_speaks_from_where_the_killed_program_stood(tmp_path: Path, key: SealingKey) -> None:
    path, cuts = tmp_path / "j", []

    def cut(journal: Journal) -> None:
        if journal.head.sequence > 30 and not cuts:
            cuts.append(copy_as_killed(path, tmp_path / "cut"))

    deal_journalled(path, key, each_turn=cut)
    clock = ManualClock()
    with Journal(cuts[0], key=key, clock=clock) as journal:
        went_on = resume(journal, key, make_publisher, clock.now_ns())
        assert sorted(went_on.feeds) == [1, 2]
        for line, feed in went_on.feeds.items():
            assert isinstance(feed.link, HostLink)
            link = went_on.link_maker(line, lambda: pytest.fail("a new link"), Role.OPERATE)()
            assert isinstance(link, HostLink)
            assert link.session == feed.session != 0
            assert link.start(clock.now_ns()), "a link that goes on must say HELLO"
        numbers = [
            journal.line(TABLE, name, device=name, dialect="tdp", address="elsewhere", baud=115200, procedure="p")
            for name in ("shuffler", "table-controller")
        ]
        assert numbers == [1, 2], "a line that was plugged in elsewhere is still the same line"


def test_a_table_that_was_stopped_does_not_go_on(tmp_path: Path, key: SealingKey) -> None:
    deal_journalled(tmp_path / "j", key)
    with Journal(tmp_path / "j", key=key, clock=ManualClock()) as journal:
        went_on = resume(journal, key, make_publisher, 0)
        assert (went_on.publishers, went_on.feeds, went_on.unpublished) == ({}, {}, [])
        begin(journal, journal.newest_ns)
        assert journal.line(TABLE, "shuffler", device="shuffler", dialect="tdp", address="", baud=1, procedure="") == 3


def test_results_that_the_raw_record_gives_and_nobody_was_told_are_told_by_whoever_goes_on(
    tmp_path: Path, key: SealingKey
) -> None:
    """The commit before a write may come between a read and what it led to. Here: every line left out."""
    path, left_out = tmp_path / "j", tmp_path / "left-out"
    told = deal_journalled(path, key)
    with JournalReader(path, key) as reader, Journal(left_out, key=key, clock=ManualClock()) as journal:
        begin(journal, reader.newest_ns)
        for record in reader.records():
            if record.kind == "line":
                name = reader.lines()[record.line].name
                journal.line(TABLE, name, device=name, dialect="tdp", address="", baud=115200, procedure="")
            elif record.kind == "passed":
                for each in reader.passed(record):
                    journal.chunk(*each)
    with JournalReader(left_out, key) as reader:
        assert [item.line for item in compare(reader, make_publisher).pending] == [item.line for item in told]
    with Journal(left_out, key=key, clock=ManualClock()) as journal:
        went_on = resume(journal, key, make_publisher, journal.newest_ns)
        assert [item.line for item in went_on.unpublished][: len(told)] == [item.line for item in told]
        begin(journal, journal.newest_ns)
    with JournalReader(left_out, key) as reader:
        assert compare(reader, make_publisher).equal == len(went_on.unpublished)


def test_a_table_that_begins_anew_leaves_what_was_pending_and_that_is_said(tmp_path: Path) -> None:
    path, cuts = tmp_path / "j", []

    def cut(journal: Journal) -> None:
        if not cuts and journal.head.sequence > 20:
            cuts.append(copy_as_killed(path, tmp_path / "cut"))

    deal_journalled(path, None, each_turn=cut)
    with Journal(cuts[0], key=None, clock=ManualClock()) as journal:
        begin(journal, journal.newest_ns, {"meter": 500_000})
    with JournalReader(cuts[0]) as reader:
        found = compare(reader, make_publisher)
        assert found.difference is None
        assert reader.starts()[TABLE].facts == {"meters": {"meter": 500_000}}


def other_terms(start: TableStart) -> OutcomePublisher:
    publisher = make_publisher(start)
    procedure = publisher.table.flow.procedure
    return OutcomePublisher(Table(procedure, TableTerms(load_game(procedure.id), token_cents=500), name="another"))


def test_other_terms_are_a_difference_with_its_record(tmp_path: Path, key: SealingKey) -> None:
    path, cuts = tmp_path / "j", []

    def cut(journal: Journal) -> None:
        if not cuts and published(path):
            cuts.append(copy_as_killed(path, tmp_path / "cut"))

    told = deal_journalled(path, key, each_turn=cut)
    with JournalReader(path, key) as reader:
        found = compare(reader, other_terms)
        assert found.difference is not None
        assert found.difference.stored == told[0]
        assert f"record {told[0].sequence} differs" in str(found.difference)
        assert '"table":"another"' in str(found.difference)
    with Journal(cuts[0], key=key, clock=ManualClock()) as journal:
        records = journal.head.sequence  # the opening's among them
        with pytest.raises(JournalDiffers, match=f"record {told[0].sequence} differs"):
            resume(journal, key, other_terms, journal.newest_ns)
        assert journal.head.sequence == records, "nothing is written by a refusal"


def test_a_line_that_nothing_led_to_is_a_difference(tmp_path: Path, key: SealingKey) -> None:
    path = tmp_path / "j"
    deal_journalled(path, key)
    with Journal(path, key=key, clock=ManualClock()) as journal:
        number = journal.publish(TABLE, "settlement", journal.newest_ns, '{"type":"settlement"}')
    with JournalReader(path, key) as reader:
        found = compare(reader, make_publisher)
    assert found.difference is not None
    assert str(found.difference).startswith(f"record {number} does not follow from the raw record")


def test_without_the_key_there_is_nothing_to_deal(tmp_path: Path, key: SealingKey) -> None:
    deal_journalled(tmp_path / "j", key)
    with pytest.raises(KeyUnknown, match=key.id):
        list(rebuild(tmp_path / "j", None, make_publisher))


def test_bytes_of_a_table_that_was_never_started_are_refused(tmp_path: Path) -> None:
    with Journal(tmp_path / "j", key=None, clock=ManualClock()) as journal:
        number = journal.line("t", "shoe", device="shoe", dialect="tdp", address="", baud=115200, procedure="")
        journal.chunk(number, 1, False, b"\x00")
    with pytest.raises(JournalDamaged, match="record 3: bytes of table 't', which was not started"):
        list(rebuild(tmp_path / "j", None, make_publisher))


def test_the_loss_of_a_killed_programs_lines_is_seen_once(tmp_path: Path, key: SealingKey) -> None:
    """Killed twice before a device answered: the line is lost once, as it is for a person who looks on."""
    path, cuts = tmp_path / "j", []

    def cut(journal: Journal) -> None:
        if not cuts and journal.head.sequence > 30:
            cuts.append(copy_as_killed(path, tmp_path / "cut"))

    deal_journalled(path, key, each_turn=cut)
    lost = []
    for _ in range(2):
        with Journal(cuts[0], key=key, clock=ManualClock()) as journal:
            went_on = resume(journal, key, make_publisher, journal.newest_ns + 1)
            lost.append([item.line for item in went_on.unpublished if "link-lost" in item.line])
            assert set(went_on.feeds) == {1, 2}
    assert len(lost[0]) in (1, 2)
    assert lost[1] == []
    assert LinkLost.__name__ not in str(lost)
