"""The tree of a journal: its leaves and roots by an independent program, its rows in the file, its checkpoints, and
its way through a file that is upgraded, pruned, copied, salvaged or signed with another key."""

from __future__ import annotations

import base64
import gzip
import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from dealwire.journal import Journal, JournalReader
from dealwire.journal.check import verify
from dealwire.journal.contents import Segment
from dealwire.journal.errors import JournalDamaged
from dealwire.journal.log_tables import LogTables
from dealwire.journal.records import CHECKPOINT, LOG, OPENED, SALVAGED
from dealwire.journal.salvage import salvage
from dealwire.journal.segments import export_segment
from dealwire.journal.signing import NoteVerifier, SigningPair, opened_checkpoint
from devices.clock import ManualClock
from tests.dealwire.test_journal_reader import as_version_2
from tests.support.evenings.journal_evening import copy_as_killed
from tests.support.oracles.journal_verifier import check
from tests.support.oracles.tree_verifier import checked_roots, tree_root
from tests.support.rigs.serving import opened, simulators_here, write_configuration

SIGNER = SigningPair.of_seed(bytes(range(32)))
OLDER = Path(__file__).parent / "older"


def journal_of(path: Path, signer: SigningPair | None = SIGNER) -> Journal:
    return Journal(path, key=None, clock=ManualClock(), signer=signer)


def play(journal: Journal, rounds: int, first: int = 1) -> None:
    """Publish rounds with their settlements and some events, and sign after every third."""
    for number in range(first, first + rounds):
        journal.publish("t", "event", number, "{}")
        journal.publish("t", "round", number, json.dumps({"table": "t", "round": number}))
        journal.publish("t", "settlement", number, json.dumps({"table": "t", "round": number, "net": 5}))
        journal.commit()
        if number % 3 == 0:
            assert journal.checkpoints.sign(number) is not None
    journal.commit()


def tamper(path: Path, sql: str) -> None:
    with closing(sqlite3.connect(path)) as db, db:
        db.execute(sql)


def test_the_checkpoints_are_an_independent_program_s(tmp_path: Path) -> None:
    path = tmp_path / "j"
    with journal_of(path) as journal:
        play(journal, 200)
    with journal_of(path) as journal:
        play(journal, 10, 201)
    with JournalReader(path) as reader:
        notes = [json.loads(each.payload) for each in reader.all_of(CHECKPOINT)]
        verify(reader)
        [log] = [json.loads(each.payload) for each in reader.all_of(LOG)]
        kept = reader.rows("SELECT level, count(*) FROM node GROUP BY level")
    assert len(notes) == 70
    assert checked_roots(str(path)) == [(each["size"], each["root"]) for each in notes]
    key = NoteVerifier.parse(log["key"])
    assert key.public == SIGNER.public
    for each in notes:
        head = opened_checkpoint(each["note"], [key])
        assert (head.origin, head.size, head.root.hex()) == (log["origin"], each["size"], each["root"])
    assert kept == [(8, 1)], "of more than 256 leaves and fewer than 768"


def test_a_settlement_names_only_the_round_that_is_its_own(tmp_path: Path) -> None:
    """Neither the round of a settlement before it, nor one from before a balance, a day or an opening; nor that of
    another table. By the independent program, whose checkpoints are the journal's."""
    path = tmp_path / "j"
    with journal_of(path) as journal:
        for kind, table in (("round", "t"), ("round", "u"), ("settlement", "t"), ("settlement", "t")):
            journal.publish(table, kind, 1, "{}")
        journal.checkpoints.sign(1)
        journal.balance(1)
        journal.publish("u", "settlement", 1, "{}")
        journal.checkpoints.sign(1)
        journal.publish("t", "round", 2, "{}")
        journal.begin_day("2026-01-02", 2)
        journal.publish("t", "settlement", 2, "{}")
        journal.checkpoints.sign(2)
        journal.publish("t", "round", 3, "{}")
    with journal_of(path) as journal:
        journal.publish("t", "settlement", 3, "{}")
        journal.checkpoints.sign(3)
    with JournalReader(path) as reader:
        verify(reader)
        notes = [json.loads(each.payload) for each in reader.all_of(CHECKPOINT)]
    assert len(notes) >= 4
    assert checked_roots(str(path)) == [(each["size"], each["root"]) for each in notes]


def test_a_journal_without_a_signing_key_has_no_tree(tmp_path: Path) -> None:
    path = tmp_path / "j"
    with journal_of(path, None) as journal:
        play_unsigned(journal)
        assert journal.checkpoints.sign(9) is None
        assert not journal.checkpoints.due
    with JournalReader(path) as reader:
        verify(reader)
        assert reader.rows("SELECT * FROM leaf") == []
        assert reader.newest_of(LOG) is None


def play_unsigned(journal: Journal) -> None:
    journal.publish("t", "round", 1, '{"round":1}')
    journal.publish("t", "settlement", 1, '{"round":1}')
    journal.commit()


def test_the_tree_goes_on_without_the_key_and_is_signed_again_with_it(tmp_path: Path) -> None:
    path = tmp_path / "j"
    with journal_of(path) as journal:
        play(journal, 4)
    with journal_of(path, None) as journal:
        play_unsigned(journal)
    with journal_of(path) as journal:
        play(journal, 3)
    with JournalReader(path) as reader:
        verify(reader)
        assert len(list(reader.all_of(LOG))) == 1
    assert len(checked_roots(str(path))) == 2


def test_another_key_begins_another_tree(tmp_path: Path) -> None:
    path, other = tmp_path / "j", SigningPair.of_seed(bytes(32))
    with journal_of(path) as journal:
        play(journal, 4)
    with journal_of(path, other) as journal:
        play(journal, 3)
        assert journal.log.tree == journal.opened + 1
    with JournalReader(path) as reader:
        verify(reader)
        begun = [json.loads(each.payload) for each in reader.all_of(LOG)]
    assert [each["why"] for each in begun] == ["new", "key"]
    assert begun[0]["origin"] != begun[1]["origin"]
    assert len(checked_roots(str(path))) == 2


def test_a_copy_put_back_and_accepted_is_another_log(tmp_path: Path) -> None:
    SigningPair.new(tmp_path / "table.sign")
    with simulators_here() as addresses:
        file = write_configuration(tmp_path, addresses)
        file.write_text(file.read_text().replace("[journal]\n", '[journal]\nsigning-key-file = "table.sign"\n'))
        for restored in (False, True, False):
            service, _ = opened(file, restored=restored)
            with service:
                service.run(0.05)
    with JournalReader(tmp_path / "journal.sqlite") as reader:
        verify(reader)
        begun = [json.loads(each.payload) for each in reader.all_of(LOG)]
        newest = reader.newest_of(CHECKPOINT)
        assert newest is not None
        assert newest.sequence == reader.head.sequence, "the end of a service is signed"
    assert [each["why"] for each in begun] == ["new", "restored"]
    assert json.loads(newest.payload)["origin"] == begun[1]["origin"] != begun[0]["origin"]


def test_a_file_of_version_3_is_upgraded_and_its_tree_begins_there(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    path.write_bytes(gzip.decompress((OLDER / "journal-3.sqlite.gz").read_bytes()))
    path.chmod(0o600)
    with JournalReader(path) as reader:
        assert reader.version == 3
        before = verify(reader)
        kept = list(reader.records())
    with journal_of(path) as journal:
        assert not journal.taken_up, "its tables go on"
        assert journal.log.tree == before.records + 3, "after the opening and a balance"
        journal.commit()
        journal.checkpoints.sign(journal.newest_ns)
    with JournalReader(path) as reader:
        assert reader.version == 4
        assert list(reader.records())[: len(kept)] == kept
        verify(reader)
    assert check(str(path)).partition(":")[0] == str(before.records + 4)
    assert [size for size, _ in checked_roots(str(path))] == [1]


CHANGED = {
    "a leaf": ("UPDATE leaf SET hash = zeroblob(32) WHERE number = 40", "leaf"),
    "a leaf that is gone": ("DELETE FROM leaf WHERE number = 40", "leaf"),
    "a leaf of another number": ("UPDATE leaf SET number = 9999 WHERE number = 40", "leaf"),
    "a leaf too many": ("INSERT INTO leaf SELECT tree, number + 1, sequence + 100, hash FROM leaf "
                        "ORDER BY number DESC LIMIT 1", "leaf"),
    "no leaves": ("DELETE FROM leaf", "leaf"),
    "a short leaf": ("UPDATE leaf SET hash = zeroblob(31) WHERE number = 40", "leaf"),
    "a subtree": ("UPDATE node SET hash = zeroblob(32)", "node"),
    "no subtrees": ("DELETE FROM node", "node"),
    "a subtree too many": ("INSERT INTO node VALUES (2, 8, 7, zeroblob(32))", "node"),
}  # fmt: skip


@pytest.mark.parametrize("what", CHANGED)
def test_a_changed_row_of_the_tree_stops_the_start_and_salvage_mends_it(tmp_path: Path, what: str) -> None:
    path = tmp_path / "j"
    with journal_of(path) as journal:
        play(journal, 120)
    with JournalReader(path) as reader:
        whole = LogTables(reader).state_of(2, 270)
    sql, table = CHANGED[what]
    tamper(path, sql)
    with pytest.raises(JournalDamaged) as started:
        journal_of(path)
    with JournalReader(path) as reader, pytest.raises(JournalDamaged) as verified:
        verify(reader)
    for caught in (started, verified):
        assert f"the table '{table}'" in str(caught.value) or "row of 'leaf' or 'node'" in str(caught.value)
        assert "\n" not in str(caught.value)
    salvage(path, tmp_path / "new", ManualClock())
    with JournalReader(tmp_path / "new") as reader:
        verify(reader)
        assert LogTables(reader).state_of(2, 270) == whole, "old proofs still come out"
    with journal_of(tmp_path / "new") as journal:
        play(journal, 3)
    with JournalReader(tmp_path / "new") as reader:
        verify(reader)
        assert [json.loads(each.payload)["why"] for each in reader.all_of(LOG)] == ["new", "new"]
        origins = {json.loads(each.payload)["origin"] for each in reader.all_of(LOG)}
        assert len(origins) == 2, "the log before is never signed again"
        assert reader.newest_of(SALVAGED) is not None


def days_of(path: Path) -> None:
    """Write three days, each with some rounds."""
    with journal_of(path) as journal:
        for number in range(3):
            journal.begin_day(f"2026-11-0{number + 1}", number)
            play(journal, 60, 1 + 60 * number)


def test_copies_and_pruned_files_keep_their_tree(tmp_path: Path) -> None:
    path, archive = tmp_path / "j", tmp_path / "archive"
    days_of(path)
    with JournalReader(path) as reader:
        segments = reader.segments()
        copies = [export_segment(reader, each, archive)[0] for each in segments]
        whole = LogTables(reader).state_of(2, 410)
        again = export_segment(reader, segments[1], tmp_path / "again")[0]
    assert again.read_bytes() == copies[1].read_bytes()
    for copy in copies:
        with JournalReader(copy) as reader:
            verify(reader)
            tables, rows = LogTables(reader), reader.rows("SELECT number, hash FROM leaf ORDER BY number")
            assert all(tables.subtree(2, 0, number) == found for number, found in rows)
    tamper(copies[1], "UPDATE node SET hash = zeroblob(32)")
    with JournalReader(copies[1]) as reader, pytest.raises(JournalDamaged, match=r"checkpoint|balance|node"):
        verify(reader)
    with journal_of(path) as journal:
        journal.days.exported(segments[0], str(copies[0]), "00", 5)
        journal.commit()
        with JournalReader(path) as reader:
            first = reader.segments()[0]
        assert not journal.days.prune(first, 100)
        journal.commit()
    with JournalReader(path) as reader:
        assert reader.anchor.sequence == 100
        verify(reader)
        assert LogTables(reader).state_of(2, 410) == whole
    with journal_of(path) as journal:
        play(journal, 3)
    with JournalReader(path) as reader:
        verify(reader)
    tamper(path, "UPDATE record SET hash = zeroblob(32) WHERE sequence = 400")
    salvage(path, tmp_path / "new", ManualClock())
    with JournalReader(tmp_path / "new") as reader:
        verify(reader)
        assert LogTables(reader).subtree(2, 6, 0) == tree_root(leaves_of(path)[:64]), "of pruned records"


def leaves_of(path: Path) -> list[bytes]:
    with closing(sqlite3.connect(path)) as db:
        return [row[0] for row in db.execute("SELECT hash FROM leaf WHERE tree = 2 ORDER BY number")]


@pytest.mark.parametrize("rounds", [60, 120])
def test_a_changed_leaf_of_a_pruned_day_is_found(tmp_path: Path, rounds: int) -> None:
    path = tmp_path / "j"
    with journal_of(path) as journal:
        for number in range(2):
            journal.begin_day(f"2026-11-0{number + 1}", number)
            play(journal, rounds, 1 + rounds * number)
        [segment] = segments_of(path)
        journal.days.exported(segment, "archive/copy", "00", 5)
        journal.commit()
        assert journal.days.prune(segments_of(path)[0])
        journal.commit()
    with JournalReader(path) as reader:
        assert reader.anchor.sequence == segment.last
        verify(reader)
    tamper(path, "UPDATE leaf SET hash = zeroblob(32) WHERE number = 7")
    with JournalReader(path) as reader, pytest.raises(JournalDamaged, match=r"'leaf'|does not match its leaves"):
        verify(reader)


def segments_of(path: Path) -> list[Segment]:
    with JournalReader(path) as reader:
        return reader.segments()


@pytest.mark.parametrize("version", [1, 2])
def test_a_file_of_an_older_version_gets_its_tree(tmp_path: Path, version: int) -> None:
    path = tmp_path / "j"
    if version == 1:
        path.write_bytes(gzip.decompress((OLDER / "journal-1.sqlite.gz").read_bytes()))
        path.chmod(0o600)
    else:
        with journal_of(path, None) as journal:
            play_unsigned(journal)
        as_version_2(path)
    with journal_of(path) as journal:
        play(journal, 3)
    with JournalReader(path) as reader:
        assert reader.version == 4
        verify(reader)
    assert len(checked_roots(str(path))) == 1


def test_a_checkpoint_covers_only_what_is_on_the_disk(tmp_path: Path) -> None:
    """Signed again after a kill, it is the same note: its record was lost, the tree on the disk was not."""
    path = tmp_path / "j"
    with journal_of(path) as journal:
        play(journal, 4)
        journal.publish("t", "round", 5, "{}")
        note = journal.checkpoints.sign(5)
        on_disk = leaves_of(path)
        killed = copy_as_killed(path, tmp_path / "killed")
    assert note is not None
    assert note.splitlines()[1:3] == [str(len(on_disk)), base64.b64encode(tree_root(on_disk)).decode()]
    with JournalReader(killed) as reader:
        newest = reader.newest_of(CHECKPOINT)
        assert newest is not None
        assert json.loads(newest.payload)["size"] < len(on_disk), "the kill came before the record of the checkpoint"
        assert leaves_of(killed) == on_disk


def test_an_idle_journal_owes_no_checkpoint(tmp_path: Path) -> None:
    with journal_of(tmp_path / "j") as journal:
        assert journal.checkpoints.due, "the opening"
        journal.checkpoints.sign(1)
        assert not journal.checkpoints.due
        journal.publish("t", "round", 5, "{}")
        assert journal.checkpoints.due
    with journal_of(tmp_path / "j") as journal, JournalReader(tmp_path / "j") as reader:
        assert journal.checkpoints.due
        assert len(list(reader.all_of(OPENED))) == 2


PLAYING = """
import sys
from pathlib import Path
from dealwire.journal import Journal
from dealwire.journal.signing import SigningPair
from devices.clock import SystemClock
with Journal(sys.argv[1], key=None, clock=SystemClock(), signer=SigningPair.load(sys.argv[2])) as journal:
    for number in range(100_000):
        journal.publish("t", "round", number + 1, "{}")
        journal.publish("t", "settlement", number + 1, "{}")
        note = journal.checkpoints.sign(number + 1)
        print(note.replace("\\n", "|"), flush=True)  # as if it left before its record is on the disk
        journal.commit()
"""


@pytest.mark.more
def test_no_size_is_signed_twice_under_kills(tmp_path: Path) -> None:
    path, draw = tmp_path / "j", Random(5)
    signer = SigningPair.new(tmp_path / "key")
    signed: dict[int, set[str]] = {}
    for _ in range(8):
        with subprocess.Popen(
            [sys.executable, "-c", PLAYING, str(path), str(signer.path)], stdout=subprocess.PIPE, text=True
        ) as program:
            assert program.stdout is not None
            for _ in range(draw.randint(1, 40)):
                _, size, root, *_ = program.stdout.readline().split("|")
                signed.setdefault(int(size), set()).add(root)
            program.kill()
            for line in program.stdout:
                if line.endswith("\n"):
                    signed.setdefault(int(line.split("|")[1]), set()).add(line.split("|")[2])
    assert len(signed) > 50
    assert all(len(roots) == 1 for roots in signed.values())
    with JournalReader(path) as reader:
        verify(reader)
        tables, [log] = LogTables(reader), list(reader.all_of(LOG))
        for size, (root,) in signed.items():
            assert base64.b64encode(tables.root_of(log.sequence, size)).decode() == root, size
