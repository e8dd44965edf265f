"""A journal asked for its rounds: where each begins and ends, which are the newest, and which never ended."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from dealwire.journal import Journal
from dealwire.journal.contents import TableStart
from dealwire.journal.rounds import LATE, RoundPlace, RoundReader
from devices.clock import ManualClock
from rules.meters.settled_rounds import SettledKey
from tests.dealwire.test_journal_chain import tamper
from tests.dealwire.test_journal_reader import as_version_1
from tests.support.rigs.memory_folder import memory_folder


@pytest.fixture
def tmp_path(tmp_path: Path) -> Iterator[Path]:
    """In memory: what is tested here is what is read, not when it is written."""
    with memory_folder(tmp_path) as folder:
        yield folder


class Evening:
    """Rounds of tables as published; each method returns the number of the record that it wrote last."""

    def __init__(self, path: Path) -> None:
        self.journal = Journal(path, key=None, clock=ManualClock())

    def begins(self, table: str, number: int) -> int:
        line = {"type": "event", "event": "GameStarted", "fields": {"round": number}}
        return self.journal.publish(table, "event", 1, json.dumps(line))

    def event(self, table: str, event: str = "CardDrawn") -> int:
        return self.journal.publish(table, "event", 1, json.dumps({"event": event, "fields": {}}))

    def ends(self, table: str, number: int) -> int:
        return self.journal.publish(table, "round", 1, f'{{"type":"round","round":{number},"more":1}}')

    def settles(self, table: str, number: int, session: str = "s") -> int:
        self.journal.settled(table, 1, SettledKey("d", session, number))
        return self.journal.head.sequence

    def round(self, table: str, number: int, session: str = "s") -> int:
        """A whole round; the record of its result."""
        self.begins(table, number)
        ends = self.ends(table, number)
        self.settles(table, number, session)
        return ends

    def read(self) -> RoundReader:
        self.journal.commit()
        return RoundReader(self.journal.path)


@pytest.fixture
def evening(tmp_path: Path) -> Iterator[Evening]:
    found = Evening(tmp_path / "j")
    yield found
    found.journal.close()


def place(number: int, begins: int, ends: int) -> RoundPlace:
    return RoundPlace(number, begins, ends)


def test_the_tables_that_ever_began(evening: Evening) -> None:
    for table in ("b", "a", "b", "c"):
        evening.journal.started(table, 1, "x")
    evening.journal.stopped("a", 1)
    evening.round("never began", 1)
    evening.journal.snapshot(TableStart("d", 1, "x", {}), b"state")
    with evening.read() as reader:
        assert reader.tables() == ["a", "b", "c", "d"]
        assert [reader.begun("b", up_to) for up_to in (1, 2, 3, 4, 9)] == [0, 2, 2, 4, 4]
        assert (reader.begun("d", 99), reader.begun("e", 99)) == (0, 0)
        marks = [reader.mark("started", "b", up_to) for up_to in (1, 3, 9)]
        assert [mark and mark.sequence for mark in marks] == [None, 2, 4]
        opened = reader.mark("opened", "", 9)
        assert opened is not None
        assert opened.sequence == 1


def test_lines_are_walked_back_by_what_they_hold(evening: Evening) -> None:
    first = evening.begins("a", 1)
    other = evening.event("a")
    evening.begins("b", 1)
    result = evening.ends("a", 1)
    evening.journal.publish("a", "status", 1, '"GameStarted"')
    with evening.read() as reader:

        def walked(holding: dict[str, str], **between: int) -> list[int]:
            return [record.sequence for record in reader.lines_back("a", holding, **between)]

        assert walked({"event": "", "round": ""}) == [result, other, first]
        assert walked({"event": '"GameStarted"'}) == [first]
        assert walked({"round": '"round":1,'}) == [result]
        assert walked({"round": '"round":2,'}) == []
        assert walked({"event": "", "round": ""}, before=result) == [other, first]
        assert walked({"event": "", "round": ""}, after=first) == [result, other]
        assert walked({"event": "", "round": ""}, before=result, after=other) == []
        assert [record.kind for record in reader.lines_back("b", {"event": ""})] == ["event"]


def test_lines_beyond_a_page_are_walked_back_too(evening: Evening) -> None:
    first = evening.event("a")
    for _ in range(1100):
        evening.event("a")
    with evening.read() as reader:
        walked = [record.sequence for record in reader.lines_back("a", {"event": ""})]
    assert walked == list(range(first + 1100, first - 1, -1))


def test_the_newest_rounds_that_were_settled(evening: Evening) -> None:
    ends = [evening.round("a", number) for number in (1, 2, 3)]
    evening.round("b", 9)
    evening.begins("a", 4)
    with evening.read() as reader:
        places = [place(number, 0, ends[number - 1]) for number in (3, 2, 1)]
        assert [reader.newest_rounds("a", most) for most in (1, 2, 3, 4)] == [places[:1], places[:2], places, places]
        assert reader.newest_rounds("a", 0) == []
        assert reader.newest_rounds("c", 5) == []
        assert (reader.numbers("a"), reader.numbers("b"), reader.numbers("c")) == ((1, 3), (9, 9), None)


def test_a_result_is_looked_for_before_its_mark_and_not_far(evening: Evening) -> None:
    """Between the two are other tables' lines: a round of the same number from an earlier session is another."""
    early = evening.ends("a", 1)
    for _ in range(LATE - 2):
        evening.event("b")
    near = evening.settles("a", 1)
    assert near - early == LATE - 1
    with evening.read() as reader:
        assert reader.newest_rounds("a", 9) == [place(1, 0, early)]
        assert reader.places("a", 1) == [place(1, 0, early)]
    evening.settles("a", 1, "another session")
    evening.ends("a", 2)
    last = evening.settles("a", 2, "another session")
    assert last - 3 - early == LATE, "and a balance"
    with evening.read() as reader:
        assert [found.number for found in reader.newest_rounds("a", 9)] == [2, 1], "its result is too far back"
        assert reader.places("a", 1) == [place(1, 0, early)]


def test_a_mark_that_cannot_be_read_is_passed_over(evening: Evening) -> None:
    one, two = evening.round("a", 1), evening.round("a", 2)
    tamper(evening.read().path, "UPDATE record SET payload = CAST('no' AS BLOB) WHERE sequence = ?", two + 1)
    with evening.read() as reader:
        assert reader.newest_rounds("a", 9) == [place(1, 0, one)]
    tamper(evening.journal.path, "UPDATE record SET payload = CAST('no' AS BLOB) WHERE sequence = ?", one + 1)
    with evening.read() as reader:
        assert reader.newest_rounds("a", 9) == [place(2, 0, two), place(1, 0, one)], "by the lines themselves"
        assert reader.numbers("a") == (1, 2)


def test_where_nothing_is_settled_the_lines_are_gone_through(evening: Evening) -> None:
    ends = []
    for number in (7, 8, 7):
        evening.begins("a", number)
        ends.append(evening.ends("a", number))
    evening.journal.publish("a", "round", 1, "no round at all")
    with evening.read() as reader:
        assert reader.newest_rounds("a", 1) == [place(-1, 0, ends[2] + 1)]
        places = [place(-1, 0, ends[2] + 1), *(place(number, 0, ends[at]) for at, number in ((2, 7), (1, 8), (0, 7)))]
        assert reader.newest_rounds("a", 9) == places
        assert reader.newest_rounds("a", 2) == places[:2]
        assert reader.places("a", 7) == [place(7, 0, ends[2]), place(7, 0, ends[0])]
        assert reader.places("a", 8) == [place(8, 0, ends[1])]
        assert reader.places("a", 9) == []
        assert reader.numbers("a") == (7, -1)


def test_the_round_that_is_under_way(evening: Evening) -> None:
    evening.round("a", 1)
    with evening.read() as reader:
        assert reader.under_way("a") is None
        assert reader.under_way("a", 3) == place(1, 2, 0)
        assert reader.under_way("a", 2) is None
    begins = evening.begins("a", 2)
    evening.event("a")
    evening.event("a", '"GameStarted"')  # which says so in its text, and is none
    evening.round("b", 5)
    with evening.read() as reader:
        assert reader.under_way("a") == place(2, begins, 0)
        assert reader.under_way("a", begins) is None
        assert reader.places("a", 2) == [place(2, begins, 0)]
        assert reader.places("a", 1) == [place(1, 0, 3)]
        assert reader.under_way("c") is None


def test_a_start_without_its_number_is_none(evening: Evening) -> None:
    begins = evening.begins("a", 0)
    for fields in ({}, {"round": "x"}, {"round": None}):
        evening.journal.publish("a", "event", 1, json.dumps({"event": "GameStarted", "fields": fields}))
    evening.journal.publish("a", "event", 1, '{"event":"CardDrawn","fields":{"round":5,"was":"\\"GameStarted\\""}}')
    with evening.read() as reader:
        assert reader.under_way("a") == place(0, begins, 0)


def test_a_number_that_comes_again_is_found_each_time(evening: Evening) -> None:
    """A controller that restarts counts from one, with its devices in another session."""
    ends = [evening.round("a", number, session) for session, number in (("s", 1), ("s", 2), ("t", 1), ("t", 2))]
    live = evening.begins("a", 1)
    with evening.read() as reader:
        assert reader.places("a", 1) == [place(1, live, 0), place(1, 0, ends[2]), place(1, 0, ends[0])]
        assert reader.places("a", 2) == [place(2, 0, ends[3]), place(2, 0, ends[1])]
        assert reader.places("a", 3) == []
        assert reader.places("b", 1) == []


def test_a_round_that_was_settled_is_not_looked_for_further_back(evening: Evening) -> None:
    """Their number is known, so records before the oldest of them are not read."""
    evening.round("b", 1)
    evening.round("a", 1, "old")
    newest = evening.round("a", 1)
    tamper(evening.read().path, "DELETE FROM settled WHERE session = 'old'")
    with evening.read() as reader:
        assert reader.places("a", 1) == [place(1, 0, newest)]
    tamper(evening.journal.path, "DELETE FROM settled")
    with evening.read() as reader:
        assert reader.places("a", 1) == []


def test_a_result_that_was_pruned_leaves_its_mark_alone(evening: Evening) -> None:
    first = evening.round("a", 1)
    second = evening.round("a", 2)
    tamper(evening.read().path, "DELETE FROM record WHERE sequence IN (?, ?)", first, first - 1)
    with evening.read() as reader:
        assert reader.newest_rounds("a", 9) == [place(2, 0, second)]
        assert reader.places("a", 1) == []
        assert reader.numbers("a") == (1, 2)


def test_rounds_that_were_given_up_when_their_table_began_anew(evening: Evening) -> None:
    evening.journal.started("a", 1, "x")
    evening.round("a", 1)
    begins = evening.begins("a", 2)
    evening.journal.started("a", 2, "x")
    evening.round("a", 3)
    evening.journal.started("a", 2, "x")
    with evening.read() as reader:
        assert reader.places("a", 2) == [place(2, begins, 0)]
        assert reader.places("a", 1) == [place(1, 0, 4)]
        assert reader.places("a", 4) == []


def test_rounds_of_version_1_are_found_by_their_lines(evening: Evening) -> None:
    ends = [evening.round("a", number) for number in (4, 5)]
    evening.journal.close()
    as_version_1(evening.journal.path)
    with RoundReader(evening.journal.path) as reader:
        assert reader.newest_rounds("a", 9) == [place(5, 0, ends[1]), place(4, 0, ends[0])]
        assert reader.places("a", 4) == [place(4, 0, ends[0])]
        assert reader.numbers("a") == (4, 5)
