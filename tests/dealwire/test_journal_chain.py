"""The chain: what `docs/journal.md` says of it, checked by a program that shares no code, and by ours."""

import dataclasses
import hashlib
import json
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from dealwire.journal import Journal, JournalReader, SealingKey
from dealwire.journal.check import verify
from dealwire.journal.errors import JournalDamaged, KeyUnknown
from dealwire.journal.passing import Passed
from dealwire.journal.records import Head
from devices.clock import ManualClock
from tests.support.oracles.journal_verifier import check
from tests.support.rigs.memory_folder import memory_folder

LINE = {"device": "shoe", "dialect": "tdp", "address": "/dev/ttyUSB0", "baud": 115200, "procedure": "p"}


@pytest.fixture
def tmp_path(tmp_path: Path) -> Iterator[Path]:
    """In memory: what is tested here is what is written, not when."""
    with memory_folder(tmp_path) as folder:
        yield folder


@pytest.fixture
def key(tmp_path: Path) -> SealingKey:
    return SealingKey.new(tmp_path / "key")


def fill(path: Path, key: SealingKey | None, chunks: int = 5) -> list[bytes]:
    """A small journal, each chunk in a group of its own; the raw bytes."""
    raw = [number.to_bytes(2, "big") * 10 for number in range(chunks)]
    with Journal(path, key=key, clock=ManualClock()) as journal:
        journal.started("tisch-ä", 10, "schema = 1\n", {"meters": {"a": 1}})
        line = journal.line("tisch-ä", "shoe", **LINE)  # type: ignore[arg-type]
        for number, data in enumerate(raw):
            journal.chunk(line, 100 + number, number % 2 == 1, data)
            journal.publish("tisch-ä", "incident", 100 + number, f'{{"n":{number}}}')
            journal.commit()
        journal.note(line, 200, "line lost: pulled")
    return raw


def test_a_program_of_its_own_finds_the_same_head(tmp_path: Path, key: SealingKey) -> None:
    path = tmp_path / "j"
    fill(path, key)
    with JournalReader(path) as reader:
        assert check(str(path)) == str(reader.head) == str(verify(reader).head)
        assert reader.head.sequence == 14


def test_the_first_hash_worked_out_by_hand(tmp_path: Path) -> None:
    """No key, a fixed time: the bytes as the page writes them down."""
    with Journal(tmp_path / "j", key=None, clock=ManualClock(0x0102030405060708)) as journal:
        head = journal.head
    with sqlite3.connect(tmp_path / "j") as db:
        (payload,) = db.execute("SELECT payload FROM record").fetchone()
    db.close()
    said = bytes(32) + bytes.fromhex("0000000000000001 0102030405060708 00000000") + b"\x00\x06opened" + b"\x00\x00"
    assert head.hash == hashlib.sha256(said + len(payload).to_bytes(4, "big") + payload).digest()
    assert json.loads(payload)["schema"] == "dealwire.journal/4"


def test_what_comes_back_is_what_went_in(tmp_path: Path, key: SealingKey) -> None:
    path = tmp_path / "j"
    raw = fill(path, key)
    with JournalReader(path, key) as reader:
        records = list(reader.records())
        found = [reader.passed(record) for record in records if record.kind == "passed"]
        assert found == [[Passed(1, 100 + number, number % 2 == 1, data)] for number, data in enumerate(raw)]
        assert [item.line for item in reader.publications()] == [f'{{"n":{number}}}' for number in range(5)]
        assert [item.line for item in reader.publications(after=5, limit=2)] == ['{"n":1}', '{"n":2}']
        assert reader.publications(table="another") == []
        assert reader.starts()["tisch-ä"].configuration == "schema = 1\n"
        assert reader.lines()[1].address == "/dev/ttyUSB0"
        assert records[-1].payload == b"line lost: pulled"


@pytest.mark.parametrize("chunks", [0, 1, 520])
def test_it_goes_on_after_a_restart(tmp_path: Path, key: SealingKey, chunks: int) -> None:
    path = tmp_path / "j"
    fill(path, key, chunks)
    with JournalReader(path) as reader:
        before = reader.head
    with Journal(path, key=key, clock=ManualClock()) as journal:
        assert journal.head.sequence == before.sequence + 1, "an opening says so"
        assert journal.publish("t", "status", 1, "{}") == before.sequence + 2
        (item,) = journal.commit()
        assert (item.sequence, item.epoch, item.hash) == (before.sequence + 2, journal.epoch, journal.head.hash.hex())
    with JournalReader(path) as reader:
        assert verify(reader).records == before.sequence + 2
        assert reader.hash_at(before.sequence) == before.hash
        first, second = (epoch for _, epoch in reader.openings())
        assert first != second == journal.epoch
        assert {item.epoch for item in reader.publications()} == ({first, second} if chunks else {second})


def tamper(path: Path, sql: str, *values: object) -> None:
    with sqlite3.connect(path) as db:
        db.execute(sql, values)
    db.close()


SPOILT: dict[str, tuple[str, int]] = {
    "a payload": ("UPDATE record SET payload = CAST(x'00' || payload AS BLOB) WHERE sequence = 7", 7),
    "a publication": ("UPDATE record SET payload = CAST('{\"n\":9}' AS BLOB) WHERE sequence = 7", 7),
    "a time": ("UPDATE record SET at_ns = at_ns + 1 WHERE sequence = 6", 6),
    "a line": ("UPDATE record SET line = 2 WHERE sequence = 6", 6),
    "a kind": ("UPDATE record SET kind = 'sent' WHERE sequence = 6", 6),
    "a table": ("UPDATE record SET tbl = 'other' WHERE sequence = 6", 6),
    "a hash": ("UPDATE record SET hash = zeroblob(32) WHERE sequence = 6", 6),
    "one left out": ("DELETE FROM record WHERE sequence = 6", 7),
    "the first left out": ("DELETE FROM record WHERE sequence = 2", 3),
    "one put in": (
        "INSERT INTO record SELECT 99, at_ns, line, kind, tbl, payload, hash FROM record WHERE sequence=6",
        99,
    ),
}


@pytest.mark.parametrize("what", SPOILT)
@pytest.mark.parametrize("sealed", [True, False])
def test_whatever_is_altered_is_named_by_its_record(tmp_path: Path, key: SealingKey, what: str, sealed: bool) -> None:
    path = tmp_path / "j"
    fill(path, key if sealed else None)
    sql, number = SPOILT[what]
    tamper(path, sql)
    with JournalReader(path) as reader, pytest.raises(JournalDamaged, match=f"record {number}: "):
        verify(reader)
    assert check(str(path)) == f"record {number} is wrong"
    with pytest.raises(JournalDamaged, match=f"record {number}: "):  # nor does a writer go on with it
        Journal(path, key=key, clock=ManualClock())


def test_a_chain_made_anew_over_altered_records_needs_an_anchor(tmp_path: Path, key: SealingKey) -> None:
    """Someone who can write the file can compute all hashes again; a head kept elsewhere reveals it."""
    path, other = tmp_path / "j", tmp_path / "other"
    fill(path, key)
    with JournalReader(path) as reader:
        noted = reader.head
    fill(other, key)
    with JournalReader(other) as reader:
        verify(reader)
        with pytest.raises(JournalDamaged, match=f"record {noted.sequence}: .*rewritten"):
            verify(reader, expect=noted)


@pytest.mark.parametrize("left", range(1, 14))
def test_an_end_cut_off_at_a_record_is_told_by_an_anchor_alone(tmp_path: Path, left: int) -> None:
    path = tmp_path / "j"
    fill(path, None)
    with JournalReader(path) as reader:
        noted = reader.head
        assert verify(reader, expect=noted).head == noted
    tamper(path, "DELETE FROM record WHERE sequence > ?", left)
    with JournalReader(path) as reader:
        assert verify(reader).records == left
        with pytest.raises(JournalDamaged, match=f"ends at record {left}; record 14 existed before"):
            verify(reader, expect=noted)


# ------------------------------------------------------------------ seals


def rechained(path: Path, change: Callable[[sqlite3.Connection], None]) -> None:
    """Alter records and compute the chain again, like someone who can write the file but has no key."""
    with sqlite3.connect(path) as db:
        change(db)
        before = bytes(32)
        rows = db.execute("SELECT sequence, at_ns, line, kind, tbl, payload FROM record ORDER BY sequence").fetchall()
        for sequence, at_ns, line, kind, table, payload in rows:
            said = sequence.to_bytes(8, "big") + at_ns.to_bytes(8, "big") + line.to_bytes(4, "big")
            for text in (kind, table):
                said += len(text.encode()).to_bytes(2, "big") + text.encode()
            before = hashlib.sha256(before + said + len(payload).to_bytes(4, "big") + payload).digest()
            db.execute("UPDATE record SET hash = ? WHERE sequence = ?", (before, sequence))
    db.close()


def test_a_record_taken_out_leaves_a_gap_whatever_the_hashes_say(tmp_path: Path) -> None:
    path = tmp_path / "j"
    fill(path, None)
    rechained(path, lambda db: db.execute("DELETE FROM record WHERE sequence = 6") and None)
    with JournalReader(path) as reader, pytest.raises(JournalDamaged, match="record 7: follows record 5"):
        verify(reader)
    assert check(str(path)) == "record 7 is wrong"


MOVED: dict[str, str] = {
    "the time": "UPDATE record SET at_ns = at_ns + 1 WHERE sequence = 4",
    "the direction": "UPDATE record SET kind = 'sent' WHERE sequence = 4",
    "the line": "UPDATE record SET line = 2 WHERE sequence = 4",
    "the table": "UPDATE record SET tbl = 'x' WHERE sequence = 4",
    "a byte": "UPDATE record SET payload = CAST(substr(payload, 1, 40) || x'00' AS BLOB) WHERE sequence = 4",
    "the salt": "UPDATE record SET payload = CAST(substr(payload, 1, 9) || zeroblob(40) AS BLOB) WHERE sequence = 4",
    "cut short": "UPDATE record SET payload = substr(payload, 1, 30) WHERE sequence = 4",
    "swapped": "UPDATE record SET payload = (SELECT payload FROM record WHERE sequence = 6) WHERE sequence = 4",
}


@pytest.mark.parametrize("what", MOVED)
def test_a_seal_holds_its_record_in_its_place(tmp_path: Path, key: SealingKey, what: str) -> None:
    path = tmp_path / "j"
    fill(path, key)
    rechained(path, lambda db: db.execute(MOVED[what]) and None)
    with JournalReader(path, key) as reader:
        verify(reader)  # the chain is whole again, and says nothing
        with pytest.raises(JournalDamaged, match="record 4: the seal is broken"):
            verify(reader, open_seals=True)


def test_no_byte_of_a_sealed_record_can_be_another(tmp_path: Path, key: SealingKey) -> None:
    path = tmp_path / "j"
    fill(path, key)
    with JournalReader(path, key) as reader:
        record = next(record for record in reader.records() if record.kind == "passed")
        for position in range(len(record.payload)):
            payload = bytearray(record.payload)
            payload[position] ^= 1
            if position == 0:
                continue  # the byte that says whether it is sealed: the chain holds that
            with pytest.raises((JournalDamaged, KeyUnknown)):
                reader.raw(dataclasses.replace(record, payload=bytes(payload)))


def test_a_sealed_record_of_another_journal_does_not_open(tmp_path: Path, key: SealingKey) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    fill(one, key)
    fill(other, key)
    with sqlite3.connect(other) as db:
        (payload,) = db.execute("SELECT payload FROM record WHERE sequence = 4").fetchone()
    db.close()
    rechained(one, lambda db: db.execute("UPDATE record SET payload = ? WHERE sequence = 4", (payload,)) and None)
    with JournalReader(one, key) as reader, pytest.raises(JournalDamaged, match="record 4"):
        verify(reader, open_seals=True)


def test_nothing_raw_is_readable_in_the_files(tmp_path: Path, key: SealingKey) -> None:
    secret = b"the five cards of seat 3, not yet shown"
    path = tmp_path / "j"
    with Journal(path, key=key, clock=ManualClock()) as journal:
        line = journal.line("t", "shoe", **LINE)  # type: ignore[arg-type]
        for number in range(50):
            journal.chunk(line, number, False, secret + bytes([number]))
            journal.note(line, number, "a remark")
            journal.commit()
        for file in tmp_path.iterdir():
            content = file.read_bytes() if file != key.path else b""
            assert secret not in content, file
            assert secret[:12] not in content, file
    with Journal(tmp_path / "clear", key=None, clock=ManualClock()) as journal:
        line = journal.line("t", "shoe", **LINE)  # type: ignore[arg-type]
        journal.chunk(line, 1, False, secret)
        journal.note(line, 1, "a remark")
    assert secret in (tmp_path / "clear").read_bytes(), "or this test could not fail"


def test_equal_bytes_are_never_sealed_alike_and_no_nonce_comes_twice(tmp_path: Path, key: SealingKey) -> None:
    path = tmp_path / "j"
    for _ in range(3):
        with Journal(path, key=key, clock=ManualClock()) as journal:
            line = journal.line("t", "shoe", **LINE)  # type: ignore[arg-type]
            for _ in range(20):
                journal.chunk(line, 1, False, b"same")
                journal.note(line, 1, "a remark")
    with JournalReader(path, key) as reader:
        sealed = [record.payload for record in reader.records() if record.kind == "passed"]
    assert len({payload[9:33] for payload in sealed}) == len(sealed) == 60, "salt and counter"
    assert len({payload[33:] for payload in sealed}) == 60
    assert len({payload[9:25] for payload in sealed}) == 3, "a salt an opening"


def test_after_a_rotation_the_newest_key_seals_and_the_older_one_still_opens(tmp_path: Path, key: SealingKey) -> None:
    path = tmp_path / "j"
    fill(path, key)
    newer = key.rotated()
    assert newer == SealingKey.load(key.path)
    assert (newer.id != key.id, len(newer.keys)) == (True, 2)
    with Journal(path, key=newer, clock=ManualClock()) as journal:
        line = journal.line("tisch-ä", "shoe", **LINE)  # type: ignore[arg-type]
        journal.chunk(line, 300, False, b"newer")
    with JournalReader(path, newer) as reader:
        assert verify(reader, open_seals=True).sealed == 6
        newest = list(reader.records())[-1]
        assert newest.payload[1:9].hex() == newer.id
    with JournalReader(path, key) as reader, pytest.raises(KeyUnknown, match=f"sealed with key {newer.id}"):
        verify(reader, open_seals=True)


def test_a_key_never_shows_itself(key: SealingKey) -> None:
    secret = key.keys[0][1].hex()
    assert secret not in f"{key!r} {key}"
    assert key.id in repr(key)


def test_a_head_prints_as_it_is_given_to_the_check() -> None:
    assert str(Head(3, b"\x01" * 32)) == "3:" + "01" * 32
