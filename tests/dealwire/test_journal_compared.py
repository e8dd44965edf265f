"""Published lines compared with the replayed record, line by line: equal, or the place and text of the difference; and
the state that a table resumes from."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dealwire.hub.lines import Publication, Topic
from dealwire.journal import Journal, JournalReader, rebuild, resume
from dealwire.journal.compare import (
    Comparison,
    LineDifference,
    SnapshotDifference,
    by_another_game_file,
    compare,
    says_the_same,
)
from dealwire.journal.contents import JournalLine, TableStart
from dealwire.journal.errors import JournalDamaged, JournalDiffers
from dealwire.journal.export import export_capture
from dealwire.journal.rebuilding import Dealing, _Lines
from dealwire.journal.records import JournalRecord
from dealwire.journal.resuming import Resumed, replay_tables
from dealwire.table.redaction import PublishedLine
from devices.clock import ManualClock
from devices.events import Seen
from devices.record.capture import Capture, Interface
from protocol.tdp.messages import Role
from tests.dealwire.test_journal_chain import tamper
from tests.support.evenings.journal_evening import deal_journalled
from tests.support.rigs.memory_folder import memory_folder

HALF = 40
"""Records of the round that most tests need."""


class Echo:
    """A table that makes every third report known, in few words: what it says follows from the raw record alone."""

    def __init__(self, start: TableStart) -> None:
        self.heard = 0
        self.name = start.table

    def publish(self, seen: Seen) -> list[PublishedLine]:
        self.heard += 1
        if self.heard % 3:
            return []
        return [PublishedLine("incident", f"{self.name} {self.heard} {type(seen.body).__name__}")]

    def finish(self) -> list[PublishedLine]:
        return [PublishedLine("round", f"{self.name} ends after {self.heard}")]


@pytest.fixture
def tmp_path(tmp_path: Path) -> Iterator[Path]:
    """In memory: what is tested here is what is read, not when it is written."""
    with memory_folder(tmp_path) as folder:
        yield folder


@pytest.fixture(scope="module")
def evening(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A journal of one round, with its raw bytes in clear."""
    path = tmp_path_factory.mktemp("evening") / "j"
    deal_journalled(path, None)
    return path


Line = tuple[Topic, str]


def raw_again(evening: Path, path: Path, lines: Iterable[Line] = (), *, tables: Sequence[str] = ("a",)) -> Path:
    """Write the first reads and writes of the evening at each of these tables, and then published lines."""
    with JournalReader(evening) as reader, Journal(path, key=None, clock=ManualClock()) as journal:
        raw = [each for record in reader.records() if record.kind == "passed" for each in reader.passed(record)][:HALF]
        for table in tables:
            journal.started(table, raw[0].at_ns, "c")
            numbers = {line.number: line.name for line in reader.lines().values()}
            added = {
                number: journal.line(
                    table, name, device=name, dialect="tdp", address="/dev/x", baud=9600, procedure="p"
                )
                for number, name in numbers.items()
            }
            for each in raw:
                journal.chunk(added[each.line], each.at_ns, each.sent, each.data)
        for topic, text in lines:
            journal.publish(tables[0], topic, raw[-1].at_ns, text)
    return path


@pytest.fixture
def told(evening: Path, tmp_path: Path) -> list[str]:
    """Return the lines that the echo publishes for the raw record."""
    found = [item.line for item in rebuild(raw_again(evening, tmp_path / "raw"), None, Echo)]
    assert len(found) > 4
    return found


def incidents(texts: Iterable[str]) -> list[Line]:
    return [("incident", text) for text in texts]


def compared(path: Path, **options: Any) -> Comparison:
    with JournalReader(path) as reader:
        return compare(reader, Echo, **options)


# ------------------------------------------------------------------ line by line


def test_both_sides_are_equal(evening: Path, tmp_path: Path, told: list[str]) -> None:
    found = compared(raw_again(evening, tmp_path / "j", [*incidents(told), ("status", "no part of it")]))
    assert (found.difference, found.equal, found.pending, found.given_up) == (None, len(told), [], [])
    assert found.snapshots == 0


def test_what_was_not_made_known_is_pending(evening: Path, tmp_path: Path, told: list[str]) -> None:
    path = raw_again(evening, tmp_path / "j", incidents(told[:2]))
    found = compared(path)
    assert (found.difference, found.equal) == (None, 2)
    assert [(item.table, item.topic, item.line) for item in found.pending] == [
        ("a", "incident", text) for text in told[2:]
    ]
    found = compared(path, topics={"round"})
    assert (found.equal, found.pending) == (0, []), "those topics alone"


def test_a_line_that_is_another_is_a_difference(evening: Path, tmp_path: Path, told: list[str]) -> None:
    path = raw_again(evening, tmp_path / "j", incidents([*told[:2], "another", *told[3:]]))
    with JournalReader(path) as reader:
        was = reader.publications()[2]
        now = list(rebuild(path, None, Echo))[2]
    found = compared(path)
    assert (found.equal, found.difference) == (2, LineDifference("a", was, now))
    assert str(found.difference) == (
        f"record {was.sequence} differs from what the raw record up to {now.sequence} gives; published: another; "
        f"rebuilt: {told[2]}"
    )
    assert was.sequence > now.sequence > 0
    of_another_topic = [*incidents(told[:1]), ("round", told[1]), *incidents(told[2:])]
    found = compared(raw_again(evening, tmp_path / "topic", of_another_topic))
    assert (found.equal, isinstance(found.difference, LineDifference)) == (1, True)


def test_a_line_too_many_is_a_difference(evening: Path, tmp_path: Path, told: list[str]) -> None:
    path = raw_again(evening, tmp_path / "j", incidents([*told, "one more", "and more"]))
    found = compared(path)
    assert (found.equal, isinstance(found.difference, LineDifference)) == (len(told), True)
    with JournalReader(path) as reader:
        number = reader.publications()[len(told)].sequence
    assert str(found.difference) == f"record {number} does not follow from the raw record: one more"


def test_differences_in_words() -> None:
    was, now = (Publication(number, "t", 1, "round", text) for number, text in ((9, "was"), (7, "now")))
    assert str(LineDifference("t", None, now)) == "the raw record up to 7 gives a line that was not published: now"
    assert str(LineDifference("t", was, None)) == "record 9 does not follow from the raw record: was"
    what = "record 5: the snapshot does not match the raw record; snapshot: ...old; rebuilt: "
    assert str(SnapshotDifference("t", 5, "old", "new")) == f"{what}...new"
    assert str(SnapshotDifference("t", 5, "old", None)) == f"{what}a table or a line that is not at rest"


def test_tables_are_compared_each_by_itself(evening: Path, tmp_path: Path, told: list[str]) -> None:
    path = raw_again(evening, tmp_path / "j", incidents(told), tables=("a", "b"))
    found = compared(path)
    assert (found.difference, found.equal) == (None, len(told))
    assert [item.line for item in found.pending] == [f"b{text[1:]}" for text in told]


def test_a_table_that_begins_anew_gives_up_what_was_pending(evening: Path, tmp_path: Path, told: list[str]) -> None:
    path = raw_again(evening, tmp_path / "j", incidents(told[:2]))
    with Journal(path, key=None, clock=ManualClock()) as journal:
        journal.started("a", journal.newest_ns, "c")
    found = compared(path)
    assert (found.difference, found.equal, found.pending) == (None, 2, [])
    assert [item.line for item in found.given_up] == told[2:]
    path = raw_again(evening, tmp_path / "more", incidents([*told, "too many"]))
    with Journal(path, key=None, clock=ManualClock()) as journal:
        journal.started("a", journal.newest_ns, "c")
        for text in told:
            journal.publish("a", "incident", journal.newest_ns, text)
    found = compared(path)
    assert str(found.difference).endswith("does not follow from the raw record: too many")


def test_what_a_table_says_at_its_end_is_compared(evening: Path, tmp_path: Path, told: list[str]) -> None:
    path = raw_again(evening, tmp_path / "j", incidents(told))
    with Journal(path, key=None, clock=ManualClock()) as journal:
        journal.stopped("a", journal.newest_ns)
        assert journal.publish("a", "round", journal.newest_ns, "of nobody")
    last = list(rebuild(path, None, Echo))[-1]
    assert (last.topic, last.line.startswith("a ends after ")) == ("round", True)
    assert str(compared(path).difference).endswith("published: of nobody; rebuilt: " + last.line)


GAME = {"game": {"id": "g", "sha256": "old"}, "lines": [{"bet": "ante", "pay": 5, "why": "x"}], "status": "settled"}


def test_two_states_of_a_games_file_decide_the_same() -> None:
    def settlement(**more: Any) -> Publication:
        return Publication(1, "t", 1, "settlement", json.dumps(GAME | {"game": {"id": "g", "sha256": "new"}} | more))

    old = settlement(game={"id": "g", "sha256": "old"})
    assert by_another_game_file(old, settlement())
    assert by_another_game_file(old, settlement(more="what the file has come to say since"))
    assert by_another_game_file(old, settlement(lines=[{"bet": "ante", "pay": 5, "why": "y"}]))
    assert not by_another_game_file(old, settlement(lines=[{"bet": "ante", "pay": 6, "why": "x"}]))
    assert not by_another_game_file(old, settlement(lines=[]))
    assert not by_another_game_file(old, old)
    assert not by_another_game_file(old, settlement(game={"id": "h", "sha256": "new"}))
    for name in (
        "table",
        "session",
        "round",
        "procedure",
        "outcome",
        "paytables",
        "status",
        "seats",
        "totals",
        "meters",
    ):
        assert not by_another_game_file(old, settlement(**{name: "another"})), name
    for other in (replace(old, topic="round"), replace(settlement(), topic="round")):
        assert not by_another_game_file(old, other)
        assert not by_another_game_file(other, old)


FACTS: dict[str, Any] = {
    "type": "settlement",
    "why": None,
    "lines": [{"pay": 5, "held": 0, "why": "a flush", "clause": "1"}],
    "pots": [{"held": "nobody can say"}],
    "incidents": [{"code": "c", "text": "it was so", "cause": {"code": "d", "text": "because"}}],
}


@pytest.mark.parametrize(
    ("before", "after", "same"),
    [
        ("a flush", "flush", True),
        ("nobody can say", "the hands are uncertain", True),
        ("it was so", "this happened", True),
        ("because", "for this reason", True),
        ('"nobody can say"', '""', False),
        ('"why": null', '"why": "held"', False),
        ('"pay": 5', '"pay": 6', False),
        ('"held": 0', '"held": 1', False),
        ('"clause": "1"', '"clause": "2"', False),
        ('"code": "d"', '"code": "e"', False),
    ],
)
def test_lines_that_differ_in_their_sentences_alone_state_the_same_facts(before: str, after: str, same: bool) -> None:
    was = Publication(1, "t", 1, "settlement", json.dumps(FACTS))
    now = replace(was, line=was.line.replace(before, after, 1))
    assert now.line != was.line
    assert says_the_same(was, now) is same
    assert not says_the_same(was, replace(now, topic="round"))
    assert not says_the_same(was, replace(now, line="no JSON"))


def test_a_round_of_an_older_version_lacks_its_pots() -> None:
    was = Publication(1, "t", 1, "round", '{"type":"round","actions":[]}')
    now = replace(was, line='{"type":"round","actions":[],"pots":[{"number":1,"cents":300}]}')
    assert says_the_same(was, now)
    assert not says_the_same(now, replace(now, line=now.line.replace("300", "400")))
    assert not says_the_same(now, was), "a round that has its pots must have them again"
    assert not says_the_same(was, replace(now, line=now.line.replace("[]", "[1]")))


class Worded(Echo):
    """An echo whose lines carry a sentence; each version of the program words it in its own way."""

    WORDS = "heard"

    def publish(self, seen: Seen) -> list[PublishedLine]:
        return [
            PublishedLine("incident", json.dumps({"code": each.line, "text": f"{self.WORDS} {each.line}"}))
            for each in super().publish(seen)
        ]


class Reworded(Worded):
    WORDS = "received"


def test_a_table_resumes_although_an_update_rewords_its_sentences(evening: Path, tmp_path: Path) -> None:
    lines = [item.line for item in rebuild(raw_again(evening, tmp_path / "raw"), None, Worded)]
    path = raw_again(evening, tmp_path / "j", incidents(lines))
    with JournalReader(path) as reader:
        found, as_written = compare(reader, Reworded), compare(reader, Worded)
    assert (found.difference, found.equal, found.reworded) == (None, len(lines), len(lines))
    assert (as_written.equal, as_written.reworded) == (len(lines), 0)
    with Journal(path, key=None, clock=ManualClock()) as journal:
        assert sorted(resume(journal, None, Reworded, journal.newest_ns).publishers) == ["a"]


# ------------------------------------------------------------------ dealing


def test_bytes_of_a_table_that_never_began_name_their_record(evening: Path, tmp_path: Path) -> None:
    path = tmp_path / "j"
    with Journal(path, key=None, clock=ManualClock()) as journal:
        number = journal.line("t", "shoe", device="shoe", dialect="tdp", address="", baud=1, procedure="")
        journal.note(number, 1, "that is none of them")
        journal.chunk(number, 1, False, b"\x00")
    with pytest.raises(JournalDamaged) as caught:
        list(rebuild(path, None, Echo))
    why = "record 4: bytes of table 't', which was not started: there is nothing to deal them by"
    assert str(caught.value) == f"{path}: {why}"


def test_lines_that_nobody_knows_hold_their_places() -> None:
    line = JournalLine(3, 7, "t", "shoe", "shoe-kind", "tdp", "serial-id:A1", 9600, "p")
    assert _Lines(Path("j"), {3: line}).interfaces == [
        Interface("", "", "", "", 0, ""),
        Interface("", "", "", "", 0, ""),
        Interface("shoe", "shoe-kind", "tdp", "A1", 9600, "p"),
    ]
    assert _Lines(Path("j"), {}).interfaces == []


def test_which_lines_are_open_and_what_they_go_on_from(evening: Path, tmp_path: Path) -> None:
    path = raw_again(evening, tmp_path / "j", tables=("a", "b"))
    with JournalReader(path) as reader:
        dealing, pending = replay_tables(reader, Echo)
        assert (dealing.open_lines, dealing.lost, dealing.begun) == ((1, 2, 3, 4), {}, {"a", "b"})
        assert (sorted(dealing.publishers), dealing.pruned) == (["a", "b"], False)
        at_ns = pending[-1].at_ns + 5
        dealing.lose(2, at_ns, "line lost: pulled")
        assert (dealing.open_lines, list(dealing.lost)) == ((1, 3, 4), [2])
        heard = dealing.publishers["a"].heard
        dealing.take(JournalRecord(999, at_ns, 1, "note", "a", b"line lost: pulled", b""))
        assert (dealing.open_lines, dealing.publishers["a"].heard) == ((3, 4), heard + 1)
        assert dealing.epoch_at(1) == reader.epoch_at(1) != ""


class Adopting:
    """A maker that notes what it is passed over for."""

    def __init__(self) -> None:
        self.passed: list[tuple[str, int]] = []

    def __call__(self, start: TableStart) -> Echo:
        return Echo(start)

    def adopt(self, *_: object) -> Echo:
        raise AssertionError

    def skipped(self, record: JournalRecord) -> None:
        self.passed.append((record.kind, record.sequence))


def test_records_of_a_table_that_is_over_are_passed_over(evening: Path, tmp_path: Path) -> None:
    path = raw_again(evening, tmp_path / "j")
    with Journal(path, key=None, clock=ManualClock()) as journal:
        journal.stopped("a", journal.newest_ns)
        late = journal.publish("a", "meter", journal.newest_ns, "{}")
        journal.publish("", "meter", journal.newest_ns, "{}")
    make = Adopting()
    with JournalReader(path) as reader:
        dealing = Dealing(reader, make)
        for record in reader.records():
            dealing.take(record)
    assert [each for each in make.passed if each[0] != "opened"] == [("meter", late)]


# ------------------------------------------------------------------ going on


def test_tables_that_go_on_lose_their_lines_and_say_what_was_pending(
    evening: Path, tmp_path: Path, told: list[str]
) -> None:
    path = raw_again(evening, tmp_path / "j", incidents(told[:2]), tables=("a", "b"))
    moved: list[int] = []
    with Journal(path, key=None, clock=ManualClock()) as journal:
        before, now_ns = journal.head.sequence, journal.newest_ns + 7
        went_on = resume(journal, None, Echo, now_ns, progress=lambda: moved.append(1))
        assert (sorted(went_on.publishers), sorted(went_on.feeds)) == (["a", "b"], [1, 2, 3, 4])
        lines = [(item.table, item.line) for item in went_on.unpublished]
        assert [text for table, text in lines if table == "a"][: len(told) - 2] == told[2:]
        assert moved == [1]
        with JournalReader(path) as reader:
            found = list(reader.records(before))
    assert [(each.kind, each.table, each.at_ns) for each in found[:2]] == [
        ("resumed", "a", now_ns),
        ("resumed", "b", now_ns),
    ]
    notes = [(each.line, each.at_ns, each.payload) for each in found[2:6]]
    assert notes == [(number, now_ns, b"line lost: the program that had it ended") for number in (1, 2, 3, 4)]
    assert [each.kind for each in found[6:]] == ["incident"] * len(went_on.unpublished)
    with Journal(path, key=None, clock=ManualClock()) as journal:
        assert resume(journal, None, Echo, 1).unpublished == [], "that was told"
        assert journal.newest_ns >= now_ns, "the record's time goes on"
        with JournalReader(path) as reader:
            again = [each for each in reader.records() if each.kind == "resumed"]
        assert [each.at_ns for each in again[2:]] == [now_ns, now_ns], "also where the clock is behind it"


def test_a_record_that_says_another_story_is_not_gone_on_with(evening: Path, tmp_path: Path, told: list[str]) -> None:
    path = raw_again(evening, tmp_path / "j", incidents(["another"]))
    with Journal(path, key=None, clock=ManualClock()) as journal:
        head = journal.head
        with pytest.raises(JournalDiffers) as caught:
            resume(journal, None, Echo, 1)
        assert journal.head == head
    assert str(caught.value).endswith(f"published: another; rebuilt: {told[0]}")


def test_nothing_runs_that_could_go_on(tmp_path: Path) -> None:
    with Journal(tmp_path / "j", key=None, clock=ManualClock()) as journal:
        found = resume(journal, None, Echo, 1)
        assert (found.publishers, found.feeds, found.unpublished, journal.head.sequence) == ({}, {}, [], 1)


def test_a_first_link_goes_on_where_its_device_keeps_sessions(evening: Path, tmp_path: Path) -> None:
    path = raw_again(evening, tmp_path / "j")
    with Journal(path, key=None, clock=ManualClock()) as journal:
        went_on = resume(journal, None, Echo, journal.newest_ns)

    def new() -> Any:
        raise AssertionError

    feed = went_on.feeds[1]
    link = went_on.link_maker(1, new, Role.OPERATE)()
    assert (link.session, type(link)) == (feed.session, type(feed.link))
    assert went_on.link_maker(9, new, Role.OPERATE) is new
    assert Resumed[Echo]().link_maker(1, new, Role.OPERATE) is new


# ------------------------------------------------------------------ as a capture


def test_a_tables_raw_record_as_a_capture(evening: Path, tmp_path: Path) -> None:
    path, output = raw_again(evening, tmp_path / "j", tables=("a", "b")), tmp_path / "out.pcapng"
    with Journal(path, key=None, clock=ManualClock()) as journal:
        journal.note(3, journal.newest_ns, "line lost: pulled")
    with JournalReader(path) as reader:
        assert export_capture(reader, "b", output) == HALF
        passed = [each for record in reader.records() if record.kind == "passed" for each in reader.passed(record)]
        mine = [each for each in passed if each.line in (3, 4)]
    capture = Capture.read(output)
    assert capture.procedure == "p"
    chunks = list(capture.chunks)
    assert [(each.name, each.device, each.dialect, each.baud) for each in capture.interfaces] == [
        (name, name, "tdp", 9600) for name in ("shuffler", "table-controller")
    ]
    assert [(each.interface, each.sent, each.data) for each in chunks[:-1]] == [
        (each.line - 3, each.sent, each.data) for each in mine
    ]
    assert (chunks[-1].interface, chunks[-1].comment) == (0, "line lost: pulled")
    with JournalReader(path) as reader:
        assert export_capture(reader, "none", tmp_path / "empty") == 0
    assert Capture.read(tmp_path / "empty").procedure == ""


def test_a_line_that_was_registered_before_the_file_begins_has_its_number(tmp_path: Path, evening: Path) -> None:
    path, output = raw_again(evening, tmp_path / "j"), tmp_path / "out.pcapng"
    with Journal(path, key=None, clock=ManualClock()) as journal:
        journal.note(2, journal.newest_ns, "x")
    tamper(path, "DELETE FROM record WHERE kind = 'line' AND line = 2")
    with JournalReader(path) as reader:
        export_capture(reader, "a", output)
    capture = Capture.read(output)
    assert len(list(capture.chunks)) == HALF + 1
    assert {(each.name, each.device) for each in capture.interfaces} == {("shuffler", "shuffler"), ("line 2", "")}


def test_a_capture_that_cannot_be_whole_is_none(tmp_path: Path, evening: Path) -> None:
    path, output = raw_again(evening, tmp_path / "j"), tmp_path / "out.pcapng"
    tamper(path, "INSERT INTO record VALUES (9999, 1, 0, 'passed', 'a', x'0000ff', zeroblob(32))")
    with JournalReader(path) as reader, pytest.raises(JournalDamaged, match="record 9999: an entry is cut off"):
        export_capture(reader, "a", output)
    assert not output.exists()
