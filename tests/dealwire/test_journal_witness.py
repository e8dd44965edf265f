"""A rewrite, a fork, a cut end and an older copy put back, each found by a witness that kept at most 89 bytes: though
their owner has the disk, the programs and the signing key."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner

from dealwire.cli import main
from dealwire.journal import Journal, JournalReader
from dealwire.journal.check import verify
from dealwire.journal.errors import KeyProblem, NoteRefused
from dealwire.journal.proving import growth, newest_note
from dealwire.journal.salvage import salvage
from dealwire.journal.signing import (
    WITNESS_TYPE,
    NoteVerifier,
    SigningPair,
    TreeHead,
    cosigned_at,
    parsed_line,
    signed_checkpoint,
)
from dealwire.journal.tree import EMPTY_ROOT
from dealwire.journal.witnessing import (
    STATE_MOST,
    LogContradicts,
    compared,
    grown,
    read_state,
    state_line,
    write_state,
)
from devices.clock import ManualClock

SIGNER = SigningPair.of_seed(bytes(range(32)))


def play(path: Path, rounds: int, *, win: int = 5) -> None:
    """Write rounds in an opening of their own, and sign at its end."""
    with Journal(path, key=None, clock=ManualClock(), signer=SIGNER) as journal:
        for number in range(rounds):
            journal.publish("t", "round", number, json.dumps({"table": "t", "round": number}))
            journal.publish("t", "settlement", number, json.dumps({"table": "t", "round": number, "net": win}))
            journal.commit()
        journal.checkpoints.sign(rounds)
        journal.commit()


def key_of(path: Path) -> list[NoteVerifier]:
    with JournalReader(path) as reader:
        return [NoteVerifier.parse(SIGNER.vkey(newest_note(reader).head.origin))]


def note_of_newest(path: Path) -> str:
    with JournalReader(path) as reader:
        return newest_note(reader).note


def growth_of(path: Path, old: int) -> str:
    with JournalReader(path) as reader:
        return growth(reader, old)


def copied(path: Path, name: str) -> Path:
    target = path.parent / name
    shutil.copyfile(path, target)
    return target


@pytest.fixture
def seen(tmp_path: Path) -> tuple[Path, TreeHead]:
    """A journal, and what a witness kept of it."""
    path = tmp_path / "j"
    play(path, 20)
    head = grown(None, growth_of(path, 0), key_of(path))
    write_state(tmp_path / "witness.state", [head])
    return path, head


def verified(path: Path, code: int = 6) -> str:
    state = path.parent / "witness.state"
    result = CliRunner().invoke(main, ["journal", "verify", str(path), "--witness", str(state)])
    assert result.exit_code == code, result.output
    return result.output


def test_a_witness_keeps_at_most_89_bytes_and_follows(seen: tuple[Path, TreeHead]) -> None:
    path, head = seen
    kept = path.with_name("witness.state").read_bytes()
    assert len(kept) <= STATE_MOST == len(state_line(head._replace(size=9_999_999_999)))
    assert read_state(path.with_name("witness.state")) == [head]
    assert "head " in verified(path, code=0)
    play(path, 300)
    later = grown(head, growth_of(path, head.size), key_of(path))
    assert later.size > head.size + 600
    assert "head " in verified(path, code=0), "it grew since"
    assert compared(later, note_of_newest(path), key_of(path)) == later
    printed = CliRunner().invoke(main, ["journal", "grown", str(path), "--from", str(head.size)]).output
    assert printed == growth_of(path, head.size)


def test_a_rewrite_is_found_by_89_bytes(seen: tuple[Path, TreeHead]) -> None:
    """The owner plays the evening again into a new file of the same number and name, signed with the same key, so that
    all of it verifies."""
    path, head = seen
    epoch = head.origin.rpartition("/")[2]
    path.unlink()
    rewritten(path, head, epoch, win=6)
    with JournalReader(path) as reader:
        verify(reader)
    said = verified(path)
    assert said == (
        f"dealwire: {path}: the tree of {head.size} leaves has another root than witness.state saw: "
        "the journal was rewritten\n"
    )
    with pytest.raises(LogContradicts, match="signed two roots") as caught:
        compared(head, note_of_newest(path), key_of(path))
    assert caught.value.kind == "fork"
    play(path, 10)
    with pytest.raises(LogContradicts, match="does not show that the") as caught:
        grown(head, growth_of(path, head.size), key_of(path))
    assert caught.value.kind == "rewritten"


def rewritten(path: Path, head: TreeHead, epoch: str, *, win: int) -> None:
    """Write an evening as if it were the one that a witness saw: a program whose random numbers are chosen."""
    identity = bytes.fromhex(head.origin.split("/")[1])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("dealwire.journal.standing.secrets.token_bytes", lambda _: identity)
        patch.setattr("dealwire.journal.record_writer.secrets.token_hex", lambda _: epoch)
        play(path, 20, win=win)


def test_a_fork_is_found_and_its_two_notes_convince_a_third(seen: tuple[Path, TreeHead]) -> None:
    path, head = seen
    other = copied(path, "other")
    play(path, 5)
    play(other, 5, win=7)
    key = key_of(path)
    assert key == key_of(other), "one log, one key"
    first = grown(head, growth_of(path, head.size), key)
    second = grown(head, growth_of(other, head.size), key)
    assert (first.size, first.origin) == (second.size, second.origin)
    with pytest.raises(LogContradicts) as caught:
        compared(first, note_of_newest(other), key)
    assert caught.value.kind == "fork"
    with pytest.raises(LogContradicts):  # a third, who has only the two notes
        compared(compared(None, note_of_newest(path), key), note_of_newest(other), key)
    write_state(path.with_name("witness.state"), [first])
    assert "has another root than witness.state saw" in verified(other)
    play(other, 5)
    with pytest.raises(LogContradicts) as caught:
        grown(first, growth_of(other, first.size), key)
    assert caught.value.kind == "rewritten"


def test_a_cut_end_is_found(seen: tuple[Path, TreeHead]) -> None:
    """The owner cuts whole groups off, rows and books with them, so that the file itself is in order."""
    path, _ = seen
    kept = copied(path, "kept")
    play(path, 30)
    later = grown(None, growth_of(path, 0), key_of(path))
    write_state(path.with_name("witness.state"), [later])
    shutil.copyfile(kept, path)
    with JournalReader(path) as reader:
        verify(reader)
    assert f"witness.state saw {later.size}: the end was cut off, or it is an older copy" in verified(path)


def test_an_older_copy_put_back_is_found(seen: tuple[Path, TreeHead]) -> None:
    path, _ = seen
    old = copied(path, "old")
    play(path, 30)
    later = grown(None, growth_of(path, 0), key_of(path))
    shutil.copyfile(old, path)
    with pytest.raises(LogContradicts, match="its end was cut off, or it is an older copy") as caught:
        compared(later, note_of_newest(path), key_of(path))
    assert caught.value.kind == "older"
    play(path, 60)  # it went on, and is longer again
    with pytest.raises(LogContradicts) as caught:
        grown(later, growth_of(path, later.size), key_of(path))
    assert caught.value.kind == "rewritten"


def test_a_salvaged_journal_is_another_log_and_its_old_tree_still_stands(seen: tuple[Path, TreeHead]) -> None:
    path, head = seen
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE record SET hash = zeroblob(32) WHERE sequence = (SELECT max(sequence) FROM record)")
    new = path.with_name("new")
    salvage(path, new, ManualClock())
    play(new, 5)
    assert "head " in verified(new, code=0), "what the witness saw is in it"
    said = compared(head, note_of_newest(new), key_of(new))
    assert said.origin != head.origin, "a witness meets a log that it does not know"
    with pytest.raises(NoteRefused, match="no signature by a known key"):
        compared(head, note_of_newest(new), [NoteVerifier.parse(SIGNER.vkey(head.origin))])


def test_a_witness_of_another_journal_says_nothing_of_this_one(tmp_path: Path) -> None:
    play(tmp_path / "j", 3)
    play(tmp_path / "other", 3)
    write_state(tmp_path / "witness.state", [grown(None, growth_of(tmp_path / "other", 0), key_of(tmp_path / "other"))])
    assert f"{tmp_path}/witness.state has no line of this journal" in verified(tmp_path / "j")
    (tmp_path / "witness.state").write_text("QUJD 1 QUJD\n")
    with pytest.raises(KeyProblem, match="not a witness's line; allowed: BASE64 SIZE BASE64"):
        read_state(tmp_path / "witness.state")


@pytest.mark.parametrize(
    ("before", "after"),
    [("old ", "alt "), ("old 5", "old 4"), ("\n\n", "\n"), ("old 5\n", "old 5\nAAAA\n"), ("old 5\n", "old -5\n")],
)
def test_a_proof_of_growth_of_another_form_is_refused(seen: tuple[Path, TreeHead], before: str, after: str) -> None:
    path, _ = seen
    with JournalReader(path) as reader:
        text = growth(reader, 5)
    head = TreeHead(key_of(path)[0].name, 5, EMPTY_ROOT)
    with pytest.raises(NoteRefused):
        grown(head, text.replace(before, after, 1), key_of(path))


def test_a_forged_checkpoint_convinces_no_witness(seen: tuple[Path, TreeHead]) -> None:
    path, head = seen
    forged = signed_checkpoint(head._replace(size=head.size + 1), SigningPair.of_seed(bytes(32)))
    with pytest.raises(NoteRefused, match="no signature by a known key"):
        compared(head, forged, key_of(path))


def run(*arguments: object, code: int = 0) -> str:
    result = CliRunner().invoke(main, [str(each) for each in arguments])
    assert result.exit_code == code, result.output
    return result.stdout if code == 0 else result.output


def test_a_witness_with_two_files_follows_by_command(tmp_path: Path) -> None:
    path, state, growth_file, keys = (tmp_path / name for name in ("j", "state", "growth", "keys"))
    signer = tmp_path / "signer"
    signer.write_text(f"dealwire-signing-key {SIGNER.id} {SIGNER.seed.hex()}\n")
    signer.chmod(0o600)
    witness = SigningPair.new(tmp_path / "witness.key")
    for rounds in (3, 4, 5):
        play(path, rounds)
        keys.write_text(run("journal", "signer", "show", signer, "--journal", path))
        growth_file.write_text(run("journal", "grown", path, "--since", state))
        line = run("journal", "keep", growth_file, state, "--key", keys, "--sign", witness.path, "--name", "w/1")
        verifier = NoteVerifier("w/1", WITNESS_TYPE, witness.public)
        [kept] = read_state(state)
        assert cosigned_at(kept.body, parsed_line(line), verifier) > 1_700_000_000
        assert len(state.read_bytes()) <= STATE_MOST
        old = copied(path, "older")
    play(path, 5)
    growth_file.write_text(run("journal", "grown", path, "--since", state))
    run("journal", "keep", growth_file, state, "--key", keys)
    kept_bytes = state.read_bytes()
    growth_file.write_text(run("journal", "grown", old, "--from", 3))
    said = run("journal", "keep", growth_file, state, "--key", keys, code=6)
    assert said.startswith(f"dealwire: {growth_file}: dealwire/")
    assert "its end was cut off, or it is an older copy" in said
    assert state.read_bytes() == kept_bytes
    assert "give --from or --since" in run("journal", "grown", path, code=2)
    assert "its tree has " in run("journal", "grown", path, "--from", 99_999, code=1)
