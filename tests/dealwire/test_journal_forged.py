"""A log rewritten in its file by whoever has the disk, some with the signing key too: what stands beside the chain
(leaves, notes, versions, copies of days) convinces neither `verify`, nor a witness's line, nor a start."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner

from dealwire.cli import main
from dealwire.export.marks import log_conflict
from dealwire.journal import Journal, JournalReader
from dealwire.journal.check import verify
from dealwire.journal.database import marks
from dealwire.journal.errors import JournalDamaged, JournalError, NoteRefused, ProofRefused
from dealwire.journal.log_tables import LogTables
from dealwire.journal.logbook import LogBook
from dealwire.journal.proving import RoundProof, growth, newest_note, prove
from dealwire.journal.records import BALANCE, CHECKPOINT, COSIGNED, LOG, JournalRecord, chained, heading
from dealwire.journal.salvage import salvage
from dealwire.journal.segments import export_segment
from dealwire.journal.signing import (
    WITNESS_TYPE,
    BadVkey,
    NoteVerifier,
    SignatureLine,
    SigningPair,
    TreeHead,
    note_of,
    opened_checkpoint,
    signed_checkpoint,
)
from dealwire.journal.witnessing import grown, write_state
from devices.clock import ManualClock

SIGNER = SigningPair.of_seed(bytes(range(32)))
COLUMNS = "sequence, at_ns, line, kind, tbl, payload, hash"
Change = Callable[[JournalRecord], bytes | None]


def play(path: Path, rounds: int, first: int = 1, *, signer: SigningPair = SIGNER, balanced: bool = False) -> None:
    """Write rounds in an opening of their own, sign after every fifth, and at the end."""
    with Journal(path, key=None, clock=ManualClock(), signer=signer) as journal:
        for number in range(first, first + rounds):
            journal.publish("t", "round", number, json.dumps({"table": "t", "round": number}))
            journal.publish("t", "settlement", number, json.dumps({"table": "t", "round": number, "net": 5}))
            journal.commit()
            if number % 5 == 0:
                journal.checkpoints.sign(number)
        if balanced:
            journal.balance(journal.newest_ns)
        journal.checkpoints.sign(journal.newest_ns)
        journal.commit()


def richer(record: JournalRecord) -> bytes | None:
    """Rewrite the settlement of round 7."""
    if record.kind == "settlement" and json.loads(record.payload)["round"] == 7:
        return json.dumps({"table": "t", "round": 7, "net": 99999}).encode()
    return None


def of_kind(kind: str, payload: bytes) -> Change:
    return lambda record: payload if record.kind == kind else None


def noted_again(record: JournalRecord, book: LogBook, signer: SigningPair | None) -> bytes:
    """Return a balance or checkpoint that fits the rewritten tree; without the key, its note stays the old one."""
    fields = json.loads(record.payload)
    there = fields if record.kind == CHECKPOINT else fields["log"]
    if there and book.tree:
        there["size"], there["root"] = book.size, book.root().hex()
        if record.kind == CHECKPOINT and signer is not None:
            fields["note"] = signed_checkpoint(TreeHead(there["origin"], book.size, book.root()), signer)
    return json.dumps(fields, separators=(",", ":")).encode()


def rewrite(
    path: Path, change: Change, signer: SigningPair | None = None, book: LogBook | None = None, *, leaves: bool = True
) -> None:
    """Change records; compute chain, leaves and roots again, as whoever has the file can. `leaves`: write them too."""
    book = LogBook() if book is None else book
    with closing(sqlite3.connect(path)) as db, db:
        rows = db.execute(f"SELECT {COLUMNS} FROM record ORDER BY sequence").fetchall()
        [(before,)] = db.execute("SELECT hash FROM anchor").fetchall()
        for record in (JournalRecord(*row) for row in rows):
            changed = change(record)
            if changed is None and record.kind in (BALANCE, CHECKPOINT):
                changed = noted_again(record, book, signer)
            payload = record.payload if changed is None else changed
            head = heading(record.sequence, record.at_ns, record.line, record.kind, record.table)
            leaf = book.add(record.sequence, record.kind, record.table, head, payload, before)
            before = chained(before, head, payload)
            db.execute("UPDATE record SET payload = ?, hash = ? WHERE sequence = ?", (payload, before, record.sequence))
            if leaf is not None and leaves:
                db.execute("DELETE FROM leaf WHERE sequence = ?", (record.sequence,))
                db.execute("DELETE FROM node WHERE tree = ? AND level IN (8, 16, 24)", (leaf.tree,))
                for sql, values in leaf.statements():
                    db.execute(sql, values)


def tamper(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path)) as db, db:
        for sql in statements:
            db.execute(sql)


def key_of(path: Path) -> NoteVerifier:
    with JournalReader(path) as reader:
        return NoteVerifier.parse(SIGNER.vkey(newest_note(reader).head.origin))


def witnessed(path: Path, state: Path) -> None:
    with JournalReader(path) as reader:
        write_state(state, [grown(None, growth(reader, 0), [key_of(path)])])


def run(*arguments: object, code: int) -> str:
    result = CliRunner().invoke(main, ["journal", *map(str, arguments)])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert result.exit_code == code, result.output
    return result.output


def started(path: Path) -> None:
    with Journal(path, key=None, clock=ManualClock(), signer=SIGNER):
        pass


# ------------------------------------------------------------------ leaves beside the tree


def hide_leaves(path: Path, signer: SigningPair | None) -> None:
    """Rewrite the journal; hide its leaves as a tree of another number, which the newest checkpoint names."""
    with closing(sqlite3.connect(path)) as db:
        old = db.execute("SELECT number, hash FROM leaf ORDER BY number").fetchall()
        [(last,)] = db.execute("SELECT max(sequence) FROM record WHERE kind = 'checkpoint'").fetchall()

    def change(record: JournalRecord) -> bytes | None:
        return hidden(record) if record.sequence == last else richer(record)

    def hidden(record: JournalRecord) -> bytes:
        return json.dumps({**json.loads(noted_again(record, book, signer)), "tree": -7}).encode()

    book = LogBook()
    rewrite(path, change, signer, book)
    with closing(sqlite3.connect(path)) as db, db:
        db.executemany("INSERT INTO leaf VALUES (-7, ?, ?, ?)", [(number, -1 - number, each) for number, each in old])


@pytest.mark.parametrize("signer", [None, SIGNER], ids=["without the key", "with the key"])
def test_old_leaves_hidden_beside_the_tree_convince_no_one(tmp_path: Path, signer: SigningPair | None) -> None:
    path, state = tmp_path / "j", tmp_path / "state"
    play(path, 20)
    witnessed(path, state)
    with JournalReader(path) as reader:
        retained = newest_note(reader).note
        assert log_conflict(reader, retained, SIGNER.public) is None
    hide_leaves(path, signer)
    run("verify", path, "--witness", state, code=6)
    with JournalReader(path) as reader:
        assert log_conflict(reader, retained, SIGNER.public) is not None, "a start compares it with the broker's"
    with pytest.raises(JournalDamaged):
        started(path)


def test_a_plain_rewrite_with_the_key_is_found_by_the_witness_alone(tmp_path: Path) -> None:
    path, state = tmp_path / "j", tmp_path / "state"
    play(path, 20)
    witnessed(path, state)
    rewrite(path, richer, SIGNER)
    with JournalReader(path) as reader:
        verify(reader)
    assert "has another root than state saw: the journal was rewritten" in run(
        "verify", path, "--witness", state, code=6
    )


ROWS = {
    "a leaf of another tree": "INSERT INTO leaf VALUES (77, 0, -5, zeroblob(32))",
    "a leaf of another tree, of a record that is no leaf": "INSERT INTO leaf VALUES (77, 0, 9999, zeroblob(32))",
    "a leaf numbered -1": "INSERT INTO leaf VALUES (2, -1, -9, zeroblob(32))",
    "a leaf of record 0": "INSERT INTO leaf VALUES (2, 4000, 0, zeroblob(32))",
    "a subtree of another tree": "INSERT INTO node VALUES (77, 8, 0, zeroblob(32))",
    "a subtree numbered -1": "INSERT INTO node VALUES (2, 8, -1, zeroblob(32))",
    "a subtree of level -1": "INSERT INTO node VALUES (2, -1, 0, zeroblob(32))",
    "record 0": f"INSERT INTO record SELECT 0, {COLUMNS[10:]} FROM record WHERE sequence = 9",
    "record -1": f"INSERT INTO record SELECT -1, {COLUMNS[10:]} FROM record WHERE sequence = 9",
}


@pytest.mark.parametrize("what", ROWS)
def test_a_row_that_follows_from_no_record_is_found(tmp_path: Path, what: str) -> None:
    path = tmp_path / "j"
    play(path, 30, balanced=True)
    with JournalReader(path) as reader:
        verify(reader)
    tamper(path, ROWS[what])
    with JournalReader(path) as reader, pytest.raises(JournalDamaged):
        verify(reader)
    with pytest.raises(JournalDamaged):
        started(path)


def test_a_checkpoint_that_is_filed_under_a_table_is_found(tmp_path: Path) -> None:
    """By the index of marks the newest one of the journal would be looked for, and not be found."""
    path = tmp_path / "j"
    play(path, 20)
    tamper(path, "UPDATE record SET tbl = 't' WHERE kind = 'checkpoint'")
    rewrite(path, richer)
    assert "a checkpoint of table 't'; it is of the whole journal" in run("verify", path, code=6)


def test_a_log_under_another_name_than_its_opening_is_found(tmp_path: Path) -> None:
    path = tmp_path / "j"
    play(path, 20)
    with JournalReader(path) as reader:
        [log] = reader.all_of(LOG)
    other = log.payload.replace(log.payload[12:60], b"d" * 48)
    rewrite(path, of_kind(LOG, other))
    with JournalReader(path) as reader, pytest.raises(JournalDamaged, match="not named for its journal and opening"):
        verify(reader)


def test_a_tree_that_begins_again_under_the_name_of_the_one_before_is_not_signed(tmp_path: Path) -> None:
    """No key is needed for that, since no checkpoint follows; the next start would sign a fork."""
    path = tmp_path / "j"
    play(path, 20)
    with JournalReader(path) as reader:
        [log], head = reader.all_of(LOG), reader.head
    top = heading(head.sequence + 1, log.at_ns, 0, LOG, "")
    with closing(sqlite3.connect(path)) as db, db:
        row = (head.sequence + 1, log.at_ns, 0, LOG, "", log.payload, chained(head.hash, top, log.payload))
        db.execute("INSERT INTO record VALUES (?, ?, ?, ?, ?, ?, ?)", row)
        leaf = LogBook().add(head.sequence + 1, LOG, "", top, log.payload, head.hash)
        assert leaf is not None
        for sql, values in leaf.statements():
            db.execute(sql, values)
    with JournalReader(path) as reader, pytest.raises(JournalDamaged, match="two trees have one name"):
        verify(reader)
    with pytest.raises(JournalDamaged, match="two trees have one name"):
        started(path)


# ------------------------------------------------------------------ notes that nobody signed


def test_a_file_rewritten_under_its_old_notes_is_damaged_and_is_not_signed(tmp_path: Path) -> None:
    path = tmp_path / "j"
    play(path, 20)
    rewrite(path, richer)
    said = run("verify", path, code=6)
    assert "a checkpoint that nobody signed: its note is of another tree" in said
    with pytest.raises(JournalDamaged, match="a checkpoint that nobody signed"):
        started(path)


def test_a_rewrite_before_the_newest_balance_is_not_signed_either(tmp_path: Path) -> None:
    """The start reads the records since the newest balance; the newest checkpoint is looked at wherever it is."""
    path = tmp_path / "j"
    play(path, 20)
    with Journal(path, key=None, clock=ManualClock()) as journal:  # goes on, unsigned, for more than a start reads
        for _ in range(1100):
            journal.publish("t", "event", 1, "{}")
        journal.balance(1)
        journal.commit()
    rewrite(path, richer)
    with pytest.raises(JournalDamaged, match="a checkpoint that nobody signed: its note is of another tree"):
        started(path)


def test_who_signs_a_rewrite_with_a_key_of_his_own_begins_another_log(tmp_path: Path) -> None:
    path, thief = tmp_path / "j", SigningPair.of_seed(bytes(32))
    play(path, 20)
    key = key_of(path)

    def stolen(record: JournalRecord) -> bytes | None:
        return record.payload.replace(str(key).encode(), thief.vkey(key.name).encode())

    def change(record: JournalRecord) -> bytes | None:
        return stolen(record) if record.kind == LOG else richer(record)

    rewrite(path, change, thief)
    with JournalReader(path) as reader, pytest.raises(JournalDamaged, match="with another key, than its tree"):
        verify(reader)


def test_a_signature_of_another_size_is_found(tmp_path: Path) -> None:
    path = tmp_path / "j"
    play(path, 20)
    with JournalReader(path) as reader:
        first = json.loads(next(reader.all_of(CHECKPOINT)).payload)["note"]

    def change(record: JournalRecord) -> bytes | None:
        if record.kind != CHECKPOINT:
            return None
        fields = json.loads(record.payload)
        body = fields["note"].partition("\n\n")[0]
        return json.dumps({**fields, "note": f"{body}\n\n{first.partition(chr(10) * 2)[2]}"}).encode()

    with JournalReader(path) as reader:
        newest = reader.newest_of(CHECKPOINT)
        assert newest is not None
    rewrite(path, lambda record: change(record) if record.sequence == newest.sequence else record.payload)
    with JournalReader(path) as reader, pytest.raises(JournalDamaged, match="not signed with the key of its log"):
        verify(reader)


def test_salvage_of_a_rewritten_file_begins_another_log(tmp_path: Path) -> None:
    """It is the way out for a table whose start is refused; nothing is signed under the old name again."""
    path, new = tmp_path / "j", tmp_path / "new"
    play(path, 20)
    origin = key_of(path).name
    rewrite(path, richer)
    salvage(path, new, ManualClock())
    play(new, 3, 21)
    assert key_of(new).name != origin
    with JournalReader(new) as reader:
        verify(reader)


# ------------------------------------------------------------------ files of other versions, and copies of days


@pytest.mark.parametrize("version", [1, 2, 3])
def test_a_version_without_a_tree_hides_no_tree(tmp_path: Path, version: int) -> None:
    path, state = tmp_path / "j", tmp_path / "state"
    play(path, 10, balanced=True)
    witnessed(path, state)
    rewrite(path, richer, leaves=False)
    index = f"CREATE INDEX mark ON record (kind, tbl, sequence) WHERE {marks(version)}"
    tamper(path, "DROP INDEX mark", index, f"PRAGMA user_version = {version}")
    assert "of a later version, which no journal has" in run("verify", path, "--witness", state, code=6)
    with pytest.raises(JournalDamaged):
        started(path)


def test_the_case_of_a_name_hides_no_altered_table(tmp_path: Path) -> None:
    path = tmp_path / "j"
    play(path, 10)
    tamper(
        path,
        "CREATE TABLE kept AS SELECT * FROM leaf",
        "DROP TABLE leaf",
        "CREATE TABLE LEAF (tree, number, sequence, hash)",
        "INSERT INTO LEAF SELECT * FROM kept",
    )
    assert "table 'LEAF' of another form" in run("verify", path, code=6)


def days_of(path: Path, archive: Path, state: Path) -> list[Path]:
    """Write two days, of which a witness saw the first, copy both, and prune the first."""
    with Journal(path, key=None, clock=ManualClock(), signer=SIGNER) as journal:
        for day in range(2):
            journal.begin_day(f"2027-01-1{5 + day}", day)
            for number in range(1 + 10 * day, 11 + 10 * day):
                journal.publish("t", "round", day, json.dumps({"table": "t", "round": number}))
                journal.publish("t", "settlement", day, json.dumps({"table": "t", "round": number, "net": 5}))
            journal.commit()
            journal.checkpoints.sign(day)
            journal.commit()
            if day == 0:
                witnessed(path, state)
        journal.begin_day("2027-01-17", 2)
        journal.commit()
        with JournalReader(path) as reader:
            segments = reader.segments()
            copies = [export_segment(reader, each, archive) for each in segments]
        journal.days.exported(segments[0], str(copies[0][0]), copies[0][1], 3)
        journal.commit()
        with JournalReader(path) as reader:
            [first, _] = reader.segments()
        assert journal.days.prune(first)
        journal.commit()
        journal.checkpoints.sign(4)
        journal.commit()
    return [copy for copy, _ in copies]


def lead_on(path: Path, before: Path, *, kept: Path | None = None) -> None:
    """Lead chain, tree and signatures of a file on from a rewritten one before it. `kept`: the tree before is of the
    leaves that this file kept."""
    with JournalReader(before) as reader:
        head = reader.head
    with JournalReader(path if kept is not None else before) as reader:
        found = LogTables(reader).newest_between(0, head.sequence)
        assert found is not None
        book = LogBook(LogTables(reader).state_of(found[1].tree, found[1].size))
    with JournalReader(path) as reader:
        old = reader.anchor.hash
    tamper(path, f"UPDATE anchor SET hash = x'{head.hash.hex()}'")
    new = head.hash.hex().encode()

    def change(record: JournalRecord) -> bytes | None:
        payload = record.payload.replace(old.hex().encode(), new)
        if record.kind in (BALANCE, CHECKPOINT):
            return noted_again(record, book, SIGNER)
        return payload

    rewrite(path, change, SIGNER, book)
    if kept is not None:
        tamper(path, f"UPDATE segment SET hash = x'{head.hash.hex()}' WHERE last = {head.sequence}")


def test_a_day_that_is_rewritten_in_its_copy_is_found(tmp_path: Path) -> None:
    """Its owner has the signing key, and leads the journal's chain on from it; the leaves in the journal stay."""
    path, state = tmp_path / "j", tmp_path / "state"
    first, _ = days_of(path, tmp_path / "archive", state)
    run("verify", first, path, "--witness", state, code=0)
    run("verify", first, "--witness", state, code=0)
    rewrite(first, richer, SIGNER)
    lead_on(path, first, kept=path)
    run("verify", path, code=0)
    run("verify", first, code=0)
    assert "has another root than state saw" in run("verify", first, path, "--witness", state, code=6)
    assert "has another root than state saw" in run("verify", first, "--witness", state, code=6)
    assert "one of the two was rewritten" in run("verify", first, path, code=6)


def test_a_copy_whose_tree_does_not_continue_the_copy_before_is_found(tmp_path: Path) -> None:
    path, state = tmp_path / "j", tmp_path / "state"
    first, second = days_of(path, tmp_path / "archive", state)
    run("verify", first, second, code=0)
    assert "has no line of this journal" in run("verify", second, "--witness", state, code=6)
    run("verify", first, second, "--witness", state, code=0)
    rewrite(first, richer, SIGNER)
    with JournalReader(second) as reader:
        tables = LogTables(reader)
        book = LogBook(tables.state_before(reader.anchor.sequence + 1))
        old = reader.anchor.hash
    with JournalReader(first) as reader:
        head = reader.head
    tamper(second, f"UPDATE anchor SET hash = x'{head.hash.hex()}'")

    def change(record: JournalRecord) -> bytes | None:
        if record.kind in (BALANCE, CHECKPOINT):
            return noted_again(record, book, SIGNER)
        return record.payload.replace(old.hex().encode(), head.hash.hex().encode())

    rewrite(second, change, SIGNER, book)
    run("verify", second, code=0)
    assert f"its tree does not continue the one of {first}" in run("verify", first, second, code=6)


# ------------------------------------------------------------------ records that cannot be read

ODD = {
    "empty": b"",
    "null": b"null",
    "a list": b"[]",
    "an object": b"{}",
    "deep": b"[" * 200_000,
    "no text": b"\xff",
    "a number beyond SQLite": b'{"tree":' + b"9" * 400 + b',"size":1,"root":"","origin":"o","key":"k","note":"n"}',
    "a note that is a number": b'{"tree":2,"size":1,"root":"","origin":"o","key":"k","note":5}',
    "half a character": b'{"tree":2,"size":1,"root":"' + b"00" * 32 + b'","origin":"\\ud800","key":"k","note":"n"}',
}


@pytest.mark.parametrize("kind", [CHECKPOINT, LOG, pytest.param(COSIGNED, marks=pytest.mark.more)])
def test_a_record_of_the_log_that_cannot_be_read_is_one_line(tmp_path: Path, kind: str) -> None:
    for number, payload in enumerate(ODD.values()):
        path, state = tmp_path / f"j{number}", tmp_path / "state"
        play(path, 3)
        witnessed(path, state)
        if kind == COSIGNED:
            with Journal(path, key=None, clock=ManualClock(), signer=SIGNER) as journal:
                journal.checkpoints.sign(journal.newest_ns)
                journal.add(journal.newest_ns, 0, COSIGNED, "", payload)
                journal.commit()
        else:
            rewrite(path, of_kind(kind, payload))
        run("verify", path, code=6)
        run("verify", path, "--witness", state, code=6)
        run("show", path, code=0)
        if kind != LOG:
            assert f"a {kind} record that cannot be read" in run("checkpoint", path, code=6)
            assert f"a {kind} record that cannot be read" in run("grown", path, "--from", 0, code=6)
        with pytest.raises(JournalError):
            started(path)
        if payload == ODD["deep"]:
            salvage(path, tmp_path / "new", ManualClock())


# ------------------------------------------------------------------ proofs and keys


@pytest.fixture
def proof_files(tmp_path: Path) -> tuple[Path, Path, Path]:
    """A proof of round 7 by its round's line alone, that line, and the table's key."""
    path = tmp_path / "j"
    play(path, 20)
    with JournalReader(path) as reader:
        record = [each for each in reader.records() if each.kind == "round"][6]
        with pytest.MonkeyPatch.context() as patch:  # a house that leaves the settlement out
            patch.setattr("dealwire.journal.proving._settlement_of", lambda *_: None)
            found = prove(reader, record, "round 7")
    files = tmp_path / "proof", tmp_path / "line", tmp_path / "key"
    for file, content in zip(files, (found.proof.to_bytes(), *found.lines, f"{key_of(path)}\n".encode()), strict=True):
        file.write_bytes(content)
    return files


def test_a_proof_says_what_it_shows_and_that_a_settlement_is_missing(
    proof_files: tuple[Path, Path, Path],
) -> None:
    proof, line, key = proof_files
    said = run("check-proof", proof, line, "--key", key, code=0)
    assert "round 7 of table 't'\n" in said
    assert "no settlement is shown: the round may have one" in said


def test_a_list_of_witnesses_without_a_witness_is_refused(tmp_path: Path, proof_files: tuple[Path, Path, Path]) -> None:
    proof, line, key = proof_files
    witnesses = tmp_path / "witnesses"
    for text, why in (("# the regulator\n", "holds no key"), ("", "holds no key"), (key.read_text(), "key of a log")):
        witnesses.write_text(text)
        assert why in run("check-proof", proof, line, "--key", key, "--witness", witnesses, code=2)


def test_the_key_of_a_witness_signs_no_log(tmp_path: Path, proof_files: tuple[Path, Path, Path]) -> None:
    proof, line, key = proof_files
    log = NoteVerifier.parse(key.read_text())
    witness = NoteVerifier(log.name, WITNESS_TYPE, log.public)
    (tmp_path / "other").write_text(f"{witness}\n")
    assert "has no key" in run("check-proof", proof, line, "--key", tmp_path / "other", code=6)
    with pytest.raises(ProofRefused, match="the key of a witness; allowed: the key of a log"):
        RoundProof.parse(proof.read_bytes()).check([line.read_bytes()], witness)


FIELD = 2**255 - 19
CURVE = -121665 * pow(121666, -1, FIELD) % FIELD
"""d of RFC 8032, section 5.1."""


def added(one: tuple[int, int], other: tuple[int, int]) -> tuple[int, int]:
    """Return the sum of two points, by the addition law of twisted Edwards curves with a = -1."""
    (ax, ay), (bx, by) = one, other
    both = CURVE * ax * bx * ay * by % FIELD
    x = (ax * by + bx * ay) * pow(1 + both, -1, FIELD) % FIELD
    return x, (ay * by + ax * bx) * pow(1 - both, -1, FIELD) % FIELD


def points_of_small_order() -> set[tuple[int, int]]:
    """Return the eight points that 8 takes to the identity: multiples of what the group's order leaves of a point."""
    order, y, found = 2**252 + 27742317777372353535851937790883648493, 2, {(0, 1)}
    while len(found) < 8:
        square = (y * y - 1) * pow(CURVE * y * y + 1, -1, FIELD) % FIELD
        x = pow(square, (FIELD + 3) // 8, FIELD)
        x = x if x * x % FIELD == square else x * pow(2, (FIELD - 1) // 4, FIELD) % FIELD
        if x * x % FIELD == square:
            left, doubled, rest = (0, 1), (x, y), order
            while rest:
                left = added(left, doubled) if rest & 1 else left
                doubled, rest = added(doubled, doubled), rest >> 1
            each, found = left, {(0, 1)}
            while each not in found:
                found.add(each)
                each = added(each, left)
        y += 1
    return found


def test_a_key_of_small_order_is_none() -> None:
    points = points_of_small_order()
    assert len(points) == 8
    for x, y in points:
        for number in (y, y + FIELD):
            for sign in (x & 1, 1 - (x & 1)):
                if number >= 1 << 255:
                    continue
                public = (number | sign << 255).to_bytes(32, "little")
                weak = NoteVerifier("dealwire/x/y", 1, public)
                with pytest.raises(BadVkey, match="under which everyone can sign"):
                    NoteVerifier.parse(str(weak))
                body = f"dealwire/x/y\n5\n{'A' * 43}=\n"
                forged = note_of(body, [SignatureLine(weak.name, weak.key_id, public + bytes(32))])
                with pytest.raises(NoteRefused):
                    opened_checkpoint(forged, [weak])


@pytest.mark.parametrize(
    "body",
    [
        "o\n05\n" + "A" * 43 + "=\n",
        "o\n5\n" + "A" * 42 + "B=\n",
        "o\n0\n" + "A" * 43 + "=\n",
        "o\n" + "9" * 4000 + "\n" + "A" * 43 + "=\n",
    ],
    ids=["another form of a number", "another form of a root", "an empty tree with a root", "beyond any tree"],
)
def test_a_checkpoint_in_another_form_is_refused_though_it_is_signed(body: str) -> None:
    key = NoteVerifier("o", 1, SIGNER.public)
    note = note_of(body, [SignatureLine("o", key.key_id, SIGNER.sign(body.encode()))])
    with pytest.raises(NoteRefused, match="not a checkpoint"):
        opened_checkpoint(note, [key])


def test_half_a_character_in_a_note_is_refused(tmp_path: Path) -> None:
    play(tmp_path / "j", 3)
    with JournalReader(tmp_path / "j") as reader:
        note = newest_note(reader).note
    with pytest.raises(NoteRefused, match="what is no text"):
        opened_checkpoint(f"\ud800{note}", [key_of(tmp_path / "j")])


def test_a_copy_of_the_file_verifies(tmp_path: Path) -> None:
    play(tmp_path / "j", 20)
    shutil.copyfile(tmp_path / "j", tmp_path / "copy")
    run("verify", tmp_path / "copy", code=0)
