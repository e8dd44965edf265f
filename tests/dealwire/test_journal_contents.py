"""Content of a journal's records, as bytes and as values, and the tables that follow: computed by hand, with every way
in which it can be unreadable."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import zlib
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from dealwire.hub.lines import Publication
from dealwire.journal import database, derived
from dealwire.journal.books import BOOKS, Books
from dealwire.journal.contents import (
    JournalLine,
    TableStart,
    epoch_of,
    fields_of,
    inflated,
    line_of,
    opened_in,
    publication_of,
    snapshot_head,
    start_of,
)
from dealwire.journal.errors import JournalDamaged
from dealwire.journal.passing import NotPassed, Passed, packed, unpacked
from dealwire.journal.records import Head, JournalRecord, chained, heading
from rules.meters.settled_rounds import SettledKey

PATH = Path("/pit/j")
MOST = 16 * 1024 * 1024
"""Limit in docs/journal.md for unpacked content."""


def record(kind: str, payload: object, *, sequence: int = 7, table: str = "t", line: int = 0) -> JournalRecord:
    data = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
    return JournalRecord(sequence, 99, line, kind, table, data, bytes(range(32)))


# ------------------------------------------------------------------ values


def test_a_line_that_was_made_known() -> None:
    found = publication_of(record("round", b'{"n":1}'), "00ee")
    digest = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
    assert found == Publication(7, "t", 99, "round", '{"n":1}', "00ee", digest)
    assert publication_of(record("round", b"\xff")).line == "\ufffd"
    assert publication_of(record("round", b"")).epoch == ""


def test_the_head_of_a_snapshot_worked_out_by_hand() -> None:
    line = JournalLine(3, 4, "t", "shoe", "shoe", "tdp", "/dev/x", 9600, "p")
    said = snapshot_head(TableStart("t", 2, "c", {"meters": {"m": 1}}), [line])
    clear = (
        '{"started": 2, "configuration": "c", "facts": {"meters": {"m": 1}}, "lines": [{"number": 3, "sequence": 4, '
        '"table": "t", "name": "shoe", "device": "shoe", "dialect": "tdp", "address": "/dev/x", "baud": 9600, '
        '"procedure": "p"}]}'
    )
    assert said == len(clear).to_bytes(4, "big") + clear.encode()


def test_how_a_table_began_and_a_line() -> None:
    began = {"configuration": "c", "facts": {"a": 1}}
    assert start_of(PATH, record("started", began)) == TableStart("t", 7, "c", {"a": 1})
    fields = {"name": "n", "device": "d", "dialect": "tdp", "address": "a", "baud": 1, "procedure": "p"}
    assert line_of(PATH, record("line", fields, line=5)) == JournalLine(5, 7, "t", "n", "d", "tdp", "a", 1, "p")
    assert fields_of(PATH, record("day", b"nonsense"), lambda fields: fields["a"], b'{"a": 3}') == 3
    assert fields_of(PATH, record("day", {"a": 4}), lambda fields: fields["a"]) == 4


@pytest.mark.parametrize("payload", [b"", b"nonsense", b"[]", b"{}", b"7", b"null", b"\xff"])
def test_a_record_that_cannot_be_read_names_its_kind(payload: bytes) -> None:
    for kind, read in (("started", start_of), ("line", line_of)):
        with pytest.raises(JournalDamaged) as caught:
            read(PATH, record(kind, payload))
        assert str(caught.value) == f"/pit/j: record 7: a record '{kind}' that cannot be read"
    with pytest.raises(JournalDamaged) as caught:
        fields_of(PATH, record("day", {"day": "2026-01-01"}), lambda fields: fields["day"], payload)
    assert caught.value.sequence == 7


@pytest.mark.parametrize(
    ("payload", "epoch"),
    [(b'{"epoch":"00ee"}', "00ee"), (b'{"epoch":5}', "5"), (b"{}", ""), (b"[]", ""), (b"no", ""), (b"\xff", "")],
)
def test_the_epoch_of_an_opening(payload: bytes, epoch: str) -> None:
    assert epoch_of(record("opened", payload)) == epoch


@pytest.mark.parametrize(
    ("payload", "number"),
    [(b'{"opened":5}', 5), (b'{"opened":"5"}', 0), (b'{"opened":1e999}', 0), (b"{}", 0), (b"[]", 0), (b"\xff", 0)],
)
def test_the_number_of_an_opening_in_a_day(payload: bytes, number: int) -> None:
    assert opened_in(record("day", payload)) == number


def test_the_state_in_a_snapshot_is_inflated_or_refused() -> None:
    body = zlib.compress(b"state")
    assert inflated(body) == b"state"
    for cut in (body[:-1], body[:3], b"", body + b"x", zlib.compress(bytes(MOST + 1))):
        with pytest.raises(ValueError, match=r"^its state is cut off$"):
            inflated(cut)
    with pytest.raises(ValueError, match=r"^its state cannot be read: Error -3 while decompressing data: "):
        inflated(b"nonsense")


# ------------------------------------------------------------------ the chain


def test_the_bytes_that_are_hashed() -> None:
    said = "0000000000000102" + "0000000000000304" + "00000005" + "0003" + "c3a462" + "0001" + "74"
    assert heading(0x102, 0x304, 5, "äb", "t").hex() == said
    before = bytes(range(32))
    assert chained(before, b"head", b"body") == hashlib.sha256(before + b"head" + b"\x00\x00\x00\x04body").digest()
    assert str(Head(0, bytes(32))) == f"0:{'00' * 32}"


# ------------------------------------------------------------------ what passed


ENTRIES = [Passed(2, 90, True, b"\xab\xcd"), Passed(1, 100, False, b"")]
PLAIN = "00000002 000000000000000a 01 00000002 abcd 00000001 0000000000000000 00 00000000"


def test_what_passed_worked_out_by_hand() -> None:
    body = bytes.fromhex(f"00 {PLAIN}")
    assert packed(ENTRIES, 100) == body
    assert unpacked(body, 100) == ENTRIES
    deflated = packed(ENTRIES, 100, deflate=True)
    assert (deflated[:1], zlib.decompress(deflated[1:])) == (b"\x01", bytes.fromhex(PLAIN))
    assert unpacked(b"\x01" + zlib.compress(bytes.fromhex(PLAIN)), 100) == ENTRIES
    assert (unpacked(b"\x00", 100), packed([], 100)) == ([], b"\x00")


def deflated(plain: bytes) -> bytes:
    return b"\x01" + zlib.compress(plain)


ENTRY = bytes.fromhex("00000002 000000000000000a 01 00000002 abcd")
NOT_PASSED: list[tuple[bytes, str]] = [
    (b"", "neither plain nor compressed"),
    (b"\x02" + ENTRY, "neither plain nor compressed"),
    (b"\x00" + ENTRY[:1], "an entry is cut off"),
    (b"\x00" + ENTRY[:16], "an entry is cut off"),
    (b"\x00" + ENTRY + ENTRY[:16], "an entry is cut off"),
    (b"\x00" + ENTRY[:17], "an entry cannot be read"),
    (b"\x00" + ENTRY[:18], "an entry cannot be read"),
    (b"\x00" + ENTRY[:12] + b"\x02" + ENTRY[13:], "an entry cannot be read"),
    (b"\x00" + ENTRY[:11] + b"\x65" + ENTRY[12:], "an entry cannot be read"),
    (deflated(ENTRY[:16]), "an entry is cut off"),
    (b"\x01nonsense", "what is compressed cannot be read"),
    (deflated(ENTRY)[:-1], "what is compressed is cut off, or too much"),
    (deflated(ENTRY) + b"x", "what is compressed is cut off, or too much"),
    (b"\x01", "what is compressed is cut off, or too much"),
    (deflated(bytes(MOST + 1)), "what is compressed is cut off, or too much"),
]


@pytest.mark.parametrize(("body", "why"), NOT_PASSED, ids=range(len(NOT_PASSED)))
def test_what_is_no_such_record_says_why(body: bytes, why: str) -> None:
    with pytest.raises(NotPassed) as caught:
        unpacked(body, 100)
    assert str(caught.value) == why


def test_an_entry_may_be_as_old_as_time_itself() -> None:
    assert unpacked(b"\x00" + ENTRY, 10) == [Passed(2, 0, True, b"\xab\xcd")]
    with pytest.raises(NotPassed):
        unpacked(b"\x00" + ENTRY, 9)


# ------------------------------------------------------------------ what follows from a record


def told(*records: JournalRecord, older: bool = False) -> tuple[set[tuple[Any, ...]], set[tuple[Any, ...]]]:
    """Return the content of the tables `settled` and `meter` after these records."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as db:
        for statement in database.DERIVED:
            db.execute(statement)
        rows: list[derived.Row] = []
        books = Books(rows, era=1 if older else 3)
        for each in records:
            books.take(each)
        derived.write(db, rows)
        found = {name: set(db.execute(f"SELECT * FROM {name}")) for name in BOOKS}
        assert found == books.table_rows()
        return found["settled"], found["meter"]


def settled(number: int, *, session: str = "s", device: str = "d", table: str = "t") -> JournalRecord:
    return record("settled", [device, session, number], table=table)


def test_settled_rounds_are_kept_as_runs() -> None:
    assert told(*map(settled, (1, 2, 3)))[0] == {("t", "d", "s", 1, 3)}
    assert told(*map(settled, (1, 3, 4, 2)))[0] == {("t", "d", "s", 1, 4)}
    assert told(*map(settled, (5, 6, 5, 6, 4)))[0] == {("t", "d", "s", 4, 6)}
    others = settled(2, session="x"), settled(2, device="x"), settled(2, table="x")
    assert told(settled(1), *others)[0] == {
        ("t", "d", "s", 1, 1),
        ("t", "d", "x", 2, 2),
        ("t", "x", "s", 2, 2),
        ("x", "d", "s", 2, 2),
    }


def test_a_mark_of_a_round_that_cannot_be_read_says_nothing() -> None:
    spoilt = [record("settled", payload) for payload in (b"", b"no", b"{}", b'["d","s"]', b'["d","s","1"]')]
    assert told(*spoilt) == (set(), set())
    assert [derived.key_of(each) for each in spoilt] == [None] * 5
    assert derived.key_of(settled(4)) == SettledKey("d", "s", 4)


SETTLEMENT = {"session": "s", "round": 4, "meters": [{"name": "a", "after": 50}, {"name": "b"}], "more": 1}


def test_a_settlement_says_where_the_tables_own_meters_stand() -> None:
    assert told(record("settlement", SETTLEMENT)) == (set(), {("t", "a", 7, "50"), ("t", "b", 7, "")})
    rolled = {"name": "a", "after": 50, "rolled": {"round": 3}}
    again = record("settlement", SETTLEMENT | {"meters": [rolled]}, sequence=9)
    assert told(record("settlement", SETTLEMENT), again)[1] == {("t", "a", 9, '50 {"round":3}'), ("t", "b", 7, "")}
    unknown = record("settlement", SETTLEMENT | {"meters": [{"name": "a", "rolled": {"round": 3}}]})
    assert told(unknown)[1] == {("t", "a", 7, ' {"round":3}')}
    assert told(record("settlement", {"session": "s", "round": 4}))[1] == set()


def test_a_settlement_says_which_runners_lie_where() -> None:
    pool = {"runners": [{"seat": 3, "after": 2}, {"seat": 4}, {"seat": 5, "after": 0}, {"seat": 6, "after": 1}]}
    found = told(record("settlement", SETTLEMENT | {"meters": [], "pool": pool}))[1]
    assert found == {("t", "#runners", 7, '{"3":2,"6":1}')}
    assert derived.runners_of('{"3":2,"6":1}') == {3: 2, 6: 1}
    assert told(record("settlement", SETTLEMENT | {"meters": [], "pool": {}}))[1] == {("t", "#runners", 7, "{}")}


def test_an_award_that_closes_a_pot_empties_it() -> None:
    closed = record("award", {"kind": "closed", "meter": "pot"})
    assert told(closed)[1] == {("t", "pot", 7, "0"), ("t", "#runners", 7, "{}")}
    for other in ({"kind": "closed"}, {"kind": "posted", "meter": "pot"}, {"meter": "pot"}):
        assert told(record("award", other))[1] == set()


def test_a_step_of_a_shared_meter_is_kept_whole() -> None:
    step = '{"meter":"mega","number":3}'
    assert told(record("meter", step.encode()))[1] == {("", "mega", 7, step)}
    assert (derived.meter_of(step), derived.meter_of("{}"), derived.meter_of("no")) == ("mega", None, None)


def test_a_line_that_cannot_be_read_says_nothing_of_meters() -> None:
    for kind in ("settlement", "meter", "award"):
        for payload in (b"", b"no", b"{}", b"\xff"):
            assert told(record(kind, payload)) == (set(), set()), kind
    for kind in ("round", "event", "incident", "status", "started"):
        assert told(record(kind, SETTLEMENT | {"meter": "mega", "kind": "closed"})) == (set(), set()), kind


def test_a_settlement_of_version_1_is_its_own_mark() -> None:
    assert told(record("settlement", SETTLEMENT), older=True)[0] == {("t", "?", "s", 4, 4)}
    assert told(record("settlement", SETTLEMENT))[0] == set()
    assert told(record("meter", SETTLEMENT | {"meter": "m"}), record("award", SETTLEMENT), older=True)[0] == set()
    assert told(record("settlement", b"no"), older=True) == (set(), set())
    assert derived.older_key_of(json.dumps(SETTLEMENT)) == SettledKey("?", "s", 4)
    assert derived.older_key_of("no") is None


@pytest.mark.parametrize(
    ("line", "cents", "rolled"),
    [("", None, None), ("0", 0, None), ("50", 50, None), ('50 {"a":1}', 50, {"a": 1}), (' {"a":1}', None, {"a": 1})],
)
def test_a_row_of_a_meter_is_its_cents_and_how_it_rolled(line: str, cents: int | None, rolled: object) -> None:
    assert (derived.cents_of(line), derived.rolled_of(line)) == (cents, rolled)
