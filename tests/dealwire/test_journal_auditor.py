"""Raw bytes sealed to an auditor: the table resumes the current stretch, and no one there can read an earlier one."""

from __future__ import annotations

import dataclasses
import hashlib
import os
import shutil
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from dealwire.journal import Journal, JournalReader, SealingKey, auditing
from dealwire.journal.auditing import AuditedSealer, AuditorKey, AuditorPrivateKey, Stretches
from dealwire.journal.check import verify
from dealwire.journal.contents import TableStart
from dealwire.journal.errors import JournalDamaged, KeyProblem, KeyUnknown, KeyUnsafe
from dealwire.journal.sealing import Unsealer, load_key
from dealwire.journal.segments import export_segment
from devices.clock import ManualClock
from tests.support.oracles import auditor as oracle
from tests.support.rigs.memory_folder import memory_folder
from tests.support.rigs.serving import copy_journal

LINE = {"device": "shoe", "dialect": "tdp", "address": "/dev/ttyUSB0", "baud": 115200, "procedure": "p"}
ROOT, ONCE, PRIVATE = (bytes(range(start, start + 32)) for start in (0, 32, 64))
PUBLIC = oracle.x25519(PRIVATE, oracle.BASE)
ANNOUNCEMENT = "31025448e1c66b6d8d3e40c0648a7da05635ee0bf3276dd892b97d5db1764986"
"""SHA-256 of it."""
PAYLOADS = {
    0: "022effda5b43b6d826000000000000000000000007e68db457cc430e35b0d5b9a135ff757469ebceafeb",
    1: "022effda5b43b6d82600000001000000000000000791012acded84d3eff006013c03a2f19d284fdea737",
    5: "022effda5b43b6d8260000000500000000000000076beb0885b638373516325ae37450c7953433734a02",
}
"""`AS KD` sealed in place `place` with counter 7, by step. All computed by the oracle, none by the code under test."""


@pytest.fixture
def tmp_path(tmp_path: Path) -> Iterator[Path]:
    """In memory: what is tested here is what is written, not when."""
    with memory_folder(tmp_path) as folder:
        yield folder


@pytest.fixture
def private(tmp_path: Path) -> AuditorPrivateKey:
    """Create a key pair and return the auditor's key; `auditor.pub`, in the same folder, is the table's."""
    (tmp_path / "away").mkdir()
    return AuditorPrivateKey.new(tmp_path / "away" / "auditor.key", tmp_path / "auditor.pub")


@pytest.fixture
def public(private: AuditorPrivateKey, tmp_path: Path) -> AuditorKey:
    return AuditorKey.load(tmp_path / "auditor.pub")


def read(journal: Journal, line: int, at_ns: int, data: bytes) -> int:
    """One read that something came of, so that it gets a record of its own; its number."""
    journal.chunk(line, at_ns, False, data)
    journal.prepare_output(line)
    return journal.head.sequence


def evening(path: Path, key: AuditorKey, beginnings: int = 1, tables: tuple[str, ...] = ("t1",)) -> dict[int, bytes]:
    """An opening in which each table begins so many times, with three reads after each; what was read, by record."""
    raw = {}
    with Journal(path, key=key, clock=ManualClock()) as journal:
        for number in range(beginnings):
            for table in tables:
                journal.started(table, 10, "schema = 1\n")
                line = journal.line(table, "shoe", **LINE)  # type: ignore[arg-type]
                for each in range(3):
                    data = f"{table}: the hidden cards of round {number}, read {each}".encode()
                    journal.chunk(line, 100, False, data)
                    journal.prepare_output(line)  # a record for each
                    raw[journal.head.sequence] = data
                    journal.commit()
    return raw


def readable(path: Path, key: AuditorKey | AuditorPrivateKey | Stretches | SealingKey | None) -> dict[int, bytes]:
    """Every raw record that opens with `key`."""
    found = {}
    with JournalReader(path, key) as reader:
        for record in reader.records():
            if record.kind == "passed":
                try:
                    (each,) = reader.passed(record)
                    found[record.sequence] = each.data
                except KeyUnknown:
                    continue
    return found


# ------------------------------------------------------------------ the bytes


def test_the_oracle_computes_as_the_standards_do() -> None:
    """RFC 7748, 5.2; RFC 5869, A.1, whose first 32 bytes are one block."""
    scalar = bytes.fromhex("a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4")
    point = bytes.fromhex("e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c")
    product = "c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552"
    assert oracle.x25519(scalar, point).hex() == product
    found = oracle.hkdf(bytes([0x0B] * 22), bytes(range(13)), bytes(range(0xF0, 0xFA)))
    assert found.hex() == "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf"


def test_the_bytes_are_those_of_the_page(tmp_path: Path) -> None:
    """Fixed keys; what an independent program makes of them opens here."""
    announcement = oracle.announcement_of(ROOT, ONCE, PUBLIC)
    assert hashlib.sha256(announcement).hexdigest() == ANNOUNCEMENT
    for step, golden in PAYLOADS.items():
        payload = oracle.sealed(b"AS KD", b"place", ROOT, step, 7)
        assert payload.hex() == golden
        unsealer = Unsealer(AuditorPrivateKey(tmp_path, PRIVATE, PUBLIC), tmp_path)
        assert unsealer.missing(payload) == payload[1:9].hex()
        unsealer.learn(announcement)
        assert unsealer.missing(payload) is None
        assert unsealer.open(payload, b"place") == b"AS KD"


def test_what_is_written_opens_with_a_program_of_its_own(tmp_path: Path, private: AuditorPrivateKey) -> None:
    path, key = tmp_path / "j", AuditorKey.load(tmp_path / "auditor.pub")
    raw = evening(path, key, 3, ("t1", "tisch ä"))
    raw |= evening(path, key, 2, ("t1",))
    found = dict(oracle.everything(str(path), private.private))
    assert {number: body[18:] for number, body in found.items()} == raw, "a byte, and what is before an entry's bytes"
    assert readable(path, private) == raw
    with JournalReader(path, private) as reader:
        assert verify(reader, open_seals=True).opened == len(raw) == 24


def test_no_nonce_comes_twice_under_a_key_and_equal_bytes_are_never_sealed_alike(
    tmp_path: Path, public: AuditorKey
) -> None:
    """Roots are drawn at each opening; a step of one is another key; under it a counter that never goes back."""
    payloads, journal = [], tmp_path / "j"
    for _ in range(3):  # also as after a kill, and as a copy that goes on: the file beside is the same
        shutil.copy(tmp_path / "j-key", tmp_path / "old") if (tmp_path / "j-key").exists() else None
        sealer = AuditedSealer(public, journal)
        for table in ("t1", "t2"):
            sealer.announcement(table)
            for number in range(20):
                payloads.append(sealer.seal(b"same", b"place", table))
                if number % 5 == 4:
                    sealer.turn(table)
                    sealer.forget()
        if (tmp_path / "old").exists():
            shutil.copy(tmp_path / "old", tmp_path / "j-key")
    assert len({payload[1:21] for payload in payloads}) == len(payloads) == 120, "root, step, counter"
    assert len({payload[1:9] for payload in payloads}) == 6, "a root an opening and table"
    assert len({payload[21:] for payload in payloads}) == 120


# ------------------------------------------------------------------ what is at the table


def test_at_the_table_only_the_stretch_under_way_can_be_read(
    tmp_path: Path, private: AuditorPrivateKey, public: AuditorKey
) -> None:
    path = tmp_path / "j"
    raw = evening(path, public, 3, ("t1", "t2"))
    under_way = {number: data for number, data in raw.items() if b"round 2" in data}
    assert len(under_way) == 6
    for key in (public, load_key(tmp_path / "j-key")):
        assert not isinstance(key, AuditorPrivateKey)
        assert readable(path, key) == under_way
    assert readable(path, private) == raw
    assert readable(path, None) == {}
    with JournalReader(path, public) as reader, pytest.raises(KeyUnknown, match="sealed to an auditor") as caught:
        verify(reader, open_seals=True)
    assert caught.value.sequence == min(raw)
    assert "\n" not in str(caught.value)


def test_no_file_at_the_table_holds_a_key_that_is_over(
    tmp_path: Path, private: AuditorPrivateKey, public: AuditorKey
) -> None:
    """Every key there ever was, by the auditor's own program, is looked for in every file but the auditor's."""
    path = tmp_path / "j"
    evening(path, public, 3)
    with JournalReader(path) as reader:
        (announcement,) = [record.payload for record in reader.records() if record.kind == "key"]
    root = oracle.root_of(announcement, private.private)
    content = b"".join(file.read_bytes() for file in tmp_path.iterdir() if file.is_file())
    for step in range(5):
        key = oracle.key_of(root, step)
        assert (key in content or key.hex().encode() in content) == (step == 2), f"step {step}"
    assert private.private.hex().encode() not in content
    assert (tmp_path / "j-key").stat().st_mode & 0o777 == 0o600
    assert not list(tmp_path.glob(".*")), "nothing is left of writing it"


def test_a_kill_while_a_key_is_written_leaves_none_behind_for_long(tmp_path: Path, public: AuditorKey) -> None:
    """A newer key in a forgotten file would open everything that follows."""
    pid = os.fork()
    if pid == 0:
        os.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)  # type: ignore[assignment]
        AuditedSealer(public, tmp_path / "j").announcement()
        os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == -signal.SIGKILL
    assert (tmp_path / ".j-key-new").read_bytes().startswith(b"dealwire-journal-stretch"), "or this shows nothing"
    AuditedSealer(public, tmp_path / "j").announcement()
    assert {file.name for file in tmp_path.iterdir() if "key" in file.name} == {"j-key"}


def test_a_kill_at_any_point_leaves_what_the_service_needs_and_no_more(
    tmp_path: Path, public: AuditorKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The table starts a new record, from which it would resume: kills before that is on disk, just after, and when the
    key is forgotten."""
    path = tmp_path / "j"
    with Journal(path, key=public, clock=ManualClock()) as journal:
        journal.started("t1", 1, "schema = 1\n")
        line = journal.line("t1", "shoe", **LINE)  # type: ignore[arg-type]
        journal.chunk(line, 2, False, b"first")
        journal.prepare_output(line)
        journal.commit()
        journal.started("t1", 3, "schema = 1\n")
        line = journal.line("t1", "shoe", **LINE)  # type: ignore[arg-type]
        journal.chunk(line, 4, False, b"second")
        journal.prepare_output(line)
        before = copy_journal(path, tmp_path / "before")
        with monkeypatch.context() as patch:
            patch.setattr(journal._sealer, "forget", lambda: None)
            journal.commit()
        between = copy_journal(path, tmp_path / "between")
        journal.chunk(line, 5, False, b"third")
        journal.prepare_output(line)
        journal.commit()
        after = copy_journal(path, tmp_path / "after")
    assert list(readable(before, public).values()) == [b"first"]
    assert list(readable(between, public).values()) == [b"first", b"second"]
    assert list(readable(after, public).values()) == [b"second", b"third"]


def test_after_a_kill_the_rounds_under_way_of_every_opening_are_read_until_the_table_turns(
    tmp_path: Path, public: AuditorKey
) -> None:
    """Two tables, three openings, none of which ends well; then one table turns, and only its own is forgotten."""
    path, raw = tmp_path / "j", {}
    for number in range(3):
        journal = Journal(path, key=public, clock=ManualClock())
        for table in ("t1", "t2"):
            if number == 0:
                journal.started(table, 1, "schema = 1\n")
            line = journal.line(table, "shoe", **LINE)  # type: ignore[arg-type]
            journal.chunk(line, 2, False, data := f"{table}, opening {number}".encode())
            journal.prepare_output(line)
            raw[journal.head.sequence] = data
        journal.commit()
        killed = copy_journal(path, tmp_path / f"killed-{number}")
        journal.close()
        assert readable(killed, public) == raw
        path = killed
    with Journal(path, key=public, clock=ManualClock()) as journal:
        journal.stopped("t1", 3)
    assert {data[:2] for data in readable(path, public).values()} == {b"t2"}
    assert len(readable(path, public)) == 3


def test_the_file_beside_lost_or_damaged_is_one_clear_line(tmp_path: Path, public: AuditorKey) -> None:
    path, beside = tmp_path / "j", tmp_path / "j-key"
    raw = evening(path, public)
    content = beside.read_text()
    for text in ("nonsense\n", content.replace(" 0 ", " -1 "), content[:60], content.replace(" 0 ", " 65536 ")):
        beside.write_text(text)
        with pytest.raises(KeyProblem, match=r"j-key:1: not the key of a stretch"):
            Journal(path, key=public, clock=ManualClock())
    beside.write_text(content)
    beside.chmod(0o644)
    with pytest.raises(KeyUnsafe):
        Journal(path, key=public, clock=ManualClock())
    beside.unlink()
    assert readable(path, public) == {}
    with JournalReader(path, public) as reader, pytest.raises(KeyUnknown, match=r"only the auditor's private key"):
        verify(reader, open_seals=True)
    again = evening(path, public)
    assert readable(path, public) == again
    assert again.keys().isdisjoint(raw)


def test_a_disk_that_takes_no_key_ends_the_journal_before_anything_is_sealed_under_it(
    tmp_path: Path, public: AuditorKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "j"
    with Journal(path, key=public, clock=ManualClock()) as journal:
        monkeypatch.setattr(os, "replace", _full)
        journal.line("t1", "shoe", **LINE)  # type: ignore[arg-type]
        assert journal.failed is not None
        assert "j-key: key file cannot be written" in journal.failed


def test_a_disk_that_takes_no_newer_key_keeps_the_older_until_it_does(
    tmp_path: Path, public: AuditorKey, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    sealer = AuditedSealer(public, tmp_path / "j")
    sealer.announcement()
    first = sealer.seal(b"first", b"place")
    sealer.turn()
    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", _full)
        sealer.forget()
    second = sealer.seal(b"second", b"place")
    assert "it still holds keys of finished stretches" in caplog.text
    held = Unsealer(Stretches.load(tmp_path / "j-key"), tmp_path / "j")
    assert [held.open(payload, b"place") for payload in (first, second)] == [b"first", b"second"]
    sealer.forget()
    held = Unsealer(Stretches.load(tmp_path / "j-key"), tmp_path / "j")
    assert held.missing(first) is not None
    assert held.open(second, b"place") == b"second"


def _full(*_: object) -> None:
    raise OSError(28, "No space left on device")


def test_what_was_added_after_a_turn_is_kept_though_the_turn_is_on_the_disk_later(
    tmp_path: Path, public: AuditorKey
) -> None:
    """A group may hold reads after the snapshot: they are under the next key already."""
    sealer = AuditedSealer(public, tmp_path / "j")
    sealer.announcement()
    sealer.turn()
    after = sealer.seal(b"after the snapshot", b"place")
    sealer.forget()
    assert Unsealer(Stretches.load(tmp_path / "j-key"), tmp_path / "j").open(after, b"place") == b"after the snapshot"


def test_at_the_last_step_a_new_root_is_announced(
    tmp_path: Path, public: AuditorKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(auditing, "STEPS_MOST", 3)
    sealer = AuditedSealer(public, tmp_path / "j")
    assert sealer.announcement() is not None
    for expected in (1, 2, 2):
        assert (sealer.announcement("another") is None) == (expected > 1)
        sealer.turn()
        sealer.forget()
        assert sealer.seal(b"", b"")[9:13] == expected.to_bytes(4, "big")
    assert sealer.announcement() is not None
    assert sealer.announcement() is None
    assert sealer.seal(b"", b"")[9:13] == bytes(4)


def test_a_snapshot_ends_a_stretch_and_is_read_with_what_comes_after_it(
    tmp_path: Path, private: AuditorPrivateKey, public: AuditorKey
) -> None:
    path, state = tmp_path / "j", b"a table between two rounds"
    with Journal(path, key=public, clock=ManualClock()) as journal:
        start = TableStart("t1", journal.started("t1", 1, "schema = 1\n"), "schema = 1\n", {})
        line = journal.line("t1", "shoe", **LINE)  # type: ignore[arg-type]
        read(journal, line, 2, b"over")
        for _ in range(2):
            journal.snapshot(start, state)
            journal.commit()
        read(journal, line, 3, b"under way")
        journal.snapshot(start, b"is lost with the group")
        killed = copy_journal(path, tmp_path / "killed")
    for file, newest in ((killed, state), (path, b"is lost with the group")):
        with JournalReader(file, public) as reader:
            found = reader.snapshot("t1")
            assert found is not None
            assert found.state == newest
    assert list(readable(killed, public).values()) == []
    assert list(readable(path, private).values()) == [b"over", b"under way"]
    with JournalReader(path, public) as reader, pytest.raises(KeyUnknown):
        reader.first_snapshot("t1")


def test_each_segment_opens_without_those_before_it(
    tmp_path: Path, private: AuditorPrivateKey, public: AuditorKey
) -> None:
    """Days without a restart between: each begins with a root of its own."""
    path = tmp_path / "j"
    with Journal(path, key=public, clock=ManualClock()) as journal:
        journal.started("t1", 1, "schema = 1\n")
        line = journal.line("t1", "shoe", **LINE)  # type: ignore[arg-type]
        for day in range(1, 5):
            journal.begin_day(f"2026-01-0{day}", day)
            read(journal, line, day, f"day {day}".encode())
            journal.commit()
        with JournalReader(path) as reader:
            files = [export_segment(reader, segment, tmp_path / "days")[0] for segment in reader.segments()]
    found = [list(readable(file, private).values()) for file in files]
    assert found == [[b"day 1"], [b"day 2"], [b"day 3"]]
    assert [list(readable(file, public).values()) for file in files] == [[], [], []]
    assert list(readable(path, public).values()) == [b"day 1", b"day 2", b"day 3", b"day 4"], "no round has ended"


# ------------------------------------------------------------------ what was altered


def test_no_byte_of_a_record_or_of_a_sealed_root_can_be_another(
    tmp_path: Path, private: AuditorPrivateKey, public: AuditorKey
) -> None:
    path = tmp_path / "j"
    evening(path, public)
    with JournalReader(path, private) as reader:
        records = list(reader.records())
        record = next(each for each in records if each.kind == "passed")
        for position in range(1, len(record.payload)):
            payload = bytearray(record.payload)
            payload[position] ^= 1
            with pytest.raises((JournalDamaged, KeyUnknown)):
                reader.raw(dataclasses.replace(record, payload=bytes(payload)))
    announcement = next(each.payload for each in records if each.kind == "key")
    for position in range(len(announcement)):
        altered = bytearray(announcement)
        altered[position] ^= 1
        if 9 <= position < 17:
            assert private.root_in(bytes(altered)) is None, "that is another auditor's"
        else:
            with pytest.raises(auditing.NotAnnounced):
                private.root_in(bytes(altered))
    for cut in (b"", announcement[:-1], announcement + b"\0"):
        with pytest.raises(auditing.NotAnnounced):
            private.root_in(cut)


def test_no_damaged_record_makes_a_reader_step_further_than_any_table_does(
    tmp_path: Path, private: AuditorPrivateKey, public: AuditorKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "j"
    evening(path, public)
    steps = 0

    def count(path: Path, key: bytes) -> bytes:
        nonlocal steps
        steps += 1
        return os.urandom(len(key))

    monkeypatch.setattr(auditing, "next_key", count)
    with JournalReader(path, private) as reader:
        record = next(each for each in reader.records() if each.kind == "passed")
        for step in (b"\x00\x01\x00\x00", b"\xff\xff\xff\xff", b"\x00\x00\x00\x09"):
            payload = record.payload[:9] + step + record.payload[13:]
            with pytest.raises(JournalDamaged, match="seal is broken"):
                reader.raw(dataclasses.replace(record, payload=payload))
    assert steps == 9


# ------------------------------------------------------------------ key files


def test_a_pair_is_two_text_files_and_the_private_one_is_for_its_owner_alone(
    tmp_path: Path, private: AuditorPrivateKey, public: AuditorKey
) -> None:
    assert private.path.stat().st_mode & 0o777 == 0o600
    assert public.path.stat().st_mode & 0o777 == 0o644
    assert public.public == oracle.x25519(private.private, oracle.BASE)
    assert public.id == private.id
    assert private.private.hex() not in f"{private!r} {private}" + public.path.read_text()
    for again in (private.path, public.path):
        with pytest.raises(KeyProblem, match="already exists"):
            AuditorPrivateKey.new(again, tmp_path / "new.pub")
    with pytest.raises(KeyProblem, match="already exists"):
        AuditorPrivateKey.new(tmp_path / "one", tmp_path / "one")
    assert load_key(private.path) == private
    private.path.chmod(0o640)
    with pytest.raises(KeyUnsafe):
        load_key(private.path)


ALTERED: dict[str, Callable[[str], str]] = {
    "empty": lambda text: "",
    "two keys": lambda text: text * 2,
    "cut": lambda text: text[:-5],
    "word": lambda text: text.replace("auditor", "journal"),
    "id": lambda text: " ".join([text.split()[0], "0" * 16, text.split()[2]]),
    "no hex": lambda text: " ".join([*text.split()[:2], "x" * 64]),
}


@pytest.mark.parametrize("what", ALTERED)
@pytest.mark.parametrize("half", ["public", "private"])
def test_a_key_file_that_is_none_is_one_line(tmp_path: Path, private: AuditorPrivateKey, half: str, what: str) -> None:
    path = private.path if half == "private" else tmp_path / "auditor.pub"
    path.write_text(ALTERED[what](path.read_text()))
    with pytest.raises(KeyProblem) as caught:
        (AuditorPrivateKey if half == "private" else AuditorKey).load(path)
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith(f"{path}:")


@pytest.mark.parametrize("low", ["00" * 32, "01" + "00" * 31, "ec" + "ff" * 30 + "7f"])
def test_a_public_key_that_agrees_with_everybody_is_refused(tmp_path: Path, low: str) -> None:
    key_id = hashlib.sha256(b"dealwire auditor key id\x00" + bytes.fromhex(low)).hexdigest()[:16]
    (tmp_path / "low").write_text(f"dealwire-auditor-public {key_id} {low}\n")
    with pytest.raises(KeyProblem, match="anyone could open what it seals"):
        AuditorKey.load(tmp_path / "low")


def test_the_public_half_opens_nothing_and_says_so(tmp_path: Path, public: AuditorKey) -> None:
    with pytest.raises(KeyProblem, match="public key opens nothing"):
        load_key(public.path)


def test_another_auditor_opens_nothing(tmp_path: Path, public: AuditorKey) -> None:
    evening(tmp_path / "j", public)
    other = AuditorPrivateKey.new(tmp_path / "other.key", tmp_path / "other.pub")
    assert readable(tmp_path / "j", other) == {}


def test_a_journal_may_change_its_seal(tmp_path: Path, private: AuditorPrivateKey, public: AuditorKey) -> None:
    """Clear, a key file, an auditor: each opens what it sealed."""
    path, file_key = tmp_path / "j", SealingKey.new(tmp_path / "journal.key")
    for key, data in ((None, b"clear"), (file_key, b"filed"), (public, b"audited")):
        with Journal(path, key=key, clock=ManualClock()) as journal:
            line = journal.line("t1", "shoe", **LINE)  # type: ignore[arg-type]
            journal.chunk(line, 1, False, data)
            journal.prepare_output(line)
            assert journal.sealed == (key is not None)
    assert sorted(readable(path, None).values()) == [b"clear"]
    assert sorted(readable(path, file_key).values()) == [b"clear", b"filed"]
    assert sorted(readable(path, private).values()) == [b"audited", b"clear"]
