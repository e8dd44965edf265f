"""The memory of a witness as files: what is refused, what is never lost, and who may change it."""

import base64
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from dealwire.cli import main
from dealwire.cli.exits import Exit
from dealwire.cli.witness import _Alarms, alone_with
from dealwire.journal.errors import KeyProblem, NoteRefused
from dealwire.journal.signing import (
    NoteVerifier,
    SigningPair,
    TreeHead,
    cosigned_at,
    note_of,
    parsed_line,
    read_vkeys,
    signature_line,
    signed_checkpoint,
)
from dealwire.journal.tree import EMPTY_ROOT
from dealwire.journal.witnessing import STATE_MOST, compared, grown, read_state, state_line, write_state
from tests.dealwire.test_journal_witness import SIGNER, growth_of, key_of, play, run
from tests.support.rigs.serving import ORDERLY

ROOT = Path(__file__).parents[2]


def kept(path: Path) -> TreeHead:
    return grown(None, growth_of(path, 0), key_of(path))


def keys_of(*paths: Path) -> Path:
    file = paths[0].with_name("keys")
    file.write_text("".join(f"{key_of(path)[0]}\n" for path in paths))
    return file


@pytest.fixture
def memory(tmp_path: Path) -> tuple[Path, Path, Path]:
    """A journal that grew since it was seen, the memory of a witness, and the proof of growth."""
    path, state, proof = tmp_path / "j", tmp_path / "memory" / "witness.state", tmp_path / "growth"
    state.parent.mkdir()
    play(path, 20)
    write_state(state, [kept(path)])
    play(path, 20)
    proof.write_text(growth_of(path, read_state(state)[0].size))
    return path, state, proof


def test_an_altered_path_is_a_refused_proof(memory: tuple[Path, Path, Path]) -> None:
    """Anyone in between can alter a hash. Nothing that the table signed says that it was rewritten."""
    path, state, proof = memory
    lines = proof.read_text().split("\n")
    lines[1] = base64.b64encode(bytes(32)).decode()
    altered = proof.with_name("altered")
    altered.write_text("\n".join(lines))
    before = state.read_bytes()
    said = run("journal", "keep", altered, state, "--key", keys_of(path), code=Exit.PROTOCOL)
    assert "the path was altered, or the journal; get another proof from it" in said
    assert state.read_bytes() == before
    run("journal", "keep", proof, state, "--key", keys_of(path))
    assert read_state(state) == [kept(path)]


def test_keep_changes_no_memory_that_a_witness_uses(
    memory: tuple[Path, Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One memory would sign both sides of a fork."""
    path, state, proof = memory
    monkeypatch.setattr("dealwire.cli.prove.KEEP_PATIENCE_S", 0.0)
    before = state.read_bytes()
    with alone_with(state.parent, 0):
        said = run("journal", "keep", proof, state, "--key", keys_of(path), code=Exit.BUSY)
    assert said == f"dealwire: {state.parent}: another witness uses it; each needs a folder of its own\n"
    assert state.read_bytes() == before
    state.rename(path.with_name("j.cosigned"))
    said = run("journal", "keep", proof, path.with_name("j.cosigned"), "--key", keys_of(path), code=Exit.USAGE)
    assert f"the service of {path} keeps it" in said


@pytest.mark.more
def test_several_at_once_lose_no_log(tmp_path: Path) -> None:
    paths = [tmp_path / f"j{number}" for number in range(4)]
    state = tmp_path / "state"
    for path in paths:
        play(path, 3)
    write_state(state, map(kept, paths))
    keys, running = keys_of(*paths), []
    for path in paths:
        size = kept(path).size
        play(path, 3)
        proof = path.with_suffix(".growth")
        proof.write_text(growth_of(path, size))
        command = [*ORDERLY, "journal", "keep", str(proof), str(state), "--key", str(keys)]
        running.append(subprocess.Popen(command, cwd=ROOT, stderr=subprocess.DEVNULL))
    assert [each.wait() for each in running] == [0] * 4
    assert set(read_state(state)) == set(map(kept, paths))


def test_a_memory_that_was_emptied_does_not_begin_again_unsaid(memory: tuple[Path, Path, Path]) -> None:
    path, state, proof = memory
    state.write_text("")
    assert "is empty" in run("journal", "keep", proof, state, "--key", keys_of(path), code=Exit.USAGE)
    state.write_text(state_line(kept(path)) * 2)
    with pytest.raises(KeyProblem, match="has two lines"):
        read_state(state)


def test_a_memory_of_many_logs_is_read_again(tmp_path: Path) -> None:
    heads = [TreeHead(f"dealwire/{number:032x}/{'a' * 16}", 10**9, bytes(32)) for number in range(12_500)]
    write_state(tmp_path / "state", heads)
    assert read_state(tmp_path / "state") == heads


def test_of_a_link_the_file_is_changed_that_it_points_to(memory: tuple[Path, Path, Path]) -> None:
    path, state, proof = memory
    link = path.with_name("stick")
    link.symlink_to(state)
    run("journal", "keep", proof, link, "--key", keys_of(path))
    assert link.is_symlink()
    assert read_state(state) == [kept(path)]


@pytest.mark.parametrize(
    ("size", "root"), [(0, bytes(32)), (10**10, bytes(32)), (10**4000, bytes(32))], ids=["empty", "long", "longest"]
)
def test_a_tree_that_cannot_be_is_not_kept(memory: tuple[Path, Path, Path], size: int, root: bytes) -> None:
    path, _, _ = memory
    note = signed_checkpoint(TreeHead(key_of(path)[0].name, size, root), SIGNER)
    with pytest.raises(NoteRefused):
        grown(None, f"old 0\n\n{note}", key_of(path))
    good = TreeHead(key_of(path)[0].name, 0, EMPTY_ROOT)
    assert grown(None, f"old 0\n\n{signed_checkpoint(good, SIGNER)}", key_of(path)) == good
    assert len(state_line(good._replace(size=9_999_999_999))) == STATE_MOST


def test_what_is_cosigned_is_what_the_table_signed(memory: tuple[Path, Path, Path]) -> None:
    """A note with further lines would be cosigned without them: the signature would fit another text."""
    path, _, _ = memory
    head = kept(path)
    root = head.body.split("\n")[2]
    other = f"{root[:-2]}{chr(ord(root[-2]) + 1)}="  # the same 32 bytes: its last two bits do not count
    for body in (f"{head.body}more\n", head.body.replace(root, other)):
        note = note_of(body, [signature_line(body, SIGNER, head.origin)])
        with pytest.raises(NoteRefused):
            compared(None, note, key_of(path))


def test_names_beyond_ascii(memory: tuple[Path, Path, Path]) -> None:
    path, state, proof = memory
    signer = path.with_name("w.sign")
    made = run("witness", "new", signer, "--name", "contrôle/w1")
    path.with_name("w.vkeys").write_text(made, encoding="utf-8")
    [key] = read_vkeys(path.with_name("w.vkeys"))
    assert key == NoteVerifier("contrôle/w1", 4, SigningPair.load(signer).public)
    line = run("journal", "keep", proof, state, "--key", keys_of(path), "--sign", signer, "--name", "contrôle/w1")
    assert cosigned_at(kept(path).body, parsed_line(line), key) > 1_700_000_000


@pytest.mark.parametrize("table", ["north", "a/b/c", "nor#th/t", "", "+", "/t", "north/", "no+rth/t"])
def test_tables_that_never_match_are_refused(tmp_path: Path, table: str) -> None:
    play(tmp_path / "j", 2)
    key = tmp_path / "w.sign"
    SigningPair.new(key)
    command = ["witness", "run", "--mqtt", "mqtt://127.0.0.1:1", "--key", str(key), "--name", "w"]
    command += ["--state", str(tmp_path / "m"), "--logs", str(keys_of(tmp_path / "j")), "--table", table]
    done = CliRunner().invoke(main, command)
    assert done.exit_code == Exit.USAGE
    assert f"{table!r}: allowed are SITE/TABLE, and * for all tables of a site" in done.output


def test_a_list_without_a_log_is_refused(tmp_path: Path) -> None:
    SigningPair.new(tmp_path / "w.sign")
    (tmp_path / "logs").write_text("# none yet\n")
    command = ["witness", "run", "--mqtt", "mqtt://127.0.0.1:1", "--key", str(tmp_path / "w.sign"), "--name", "w"]
    done = CliRunner().invoke(main, [*command, "--state", str(tmp_path / "m"), "--logs", str(tmp_path / "logs")])
    assert (done.exit_code, done.output.count("\n")) == (Exit.USAGE, 1)
    assert "no key of a log" in done.output


def test_an_alarm_that_cannot_be_written_is_written_with_the_next(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "alarms").mkdir()
    alarms = _Alarms(tmp_path)
    alarms.add("one")
    assert "the alarm cannot be kept" in capsys.readouterr().err
    (tmp_path / "alarms").rmdir()
    alarms.add("two")
    assert (tmp_path / "alarms").read_text() == "one\ntwo\n"


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    play(tmp_path / "j", 2)
    (tmp_path / "file").touch()
    SigningPair.new(tmp_path / "w.sign")
    command = ["witness", "run", "--mqtt", "mqtt://127.0.0.1:1", "--key", tmp_path / "w.sign", "--name", "w"]
    said = run(*command, "--state", tmp_path / "file/m", "--logs", keys_of(tmp_path / "j"), code=Exit.USAGE)
    assert said == f"dealwire: {tmp_path / 'file/m'}: cannot be made: Not a directory\n"


def test_keep_names_a_folder_that_is_not_there(memory: tuple[Path, Path, Path]) -> None:
    path, state, proof = memory
    there = path.with_name("nowhere")
    said = run("journal", "keep", proof, there / state.name, "--key", keys_of(path), code=Exit.USAGE)
    assert said == f"dealwire: {there}: cannot be used: No such file or directory\n"


def test_show_of_a_mistyped_folder_does_not_seem_to_be_without_alarm(tmp_path: Path) -> None:
    said = run("witness", "show", "--state", tmp_path / "witnes", code=Exit.USAGE)
    assert said == f"dealwire: {tmp_path / 'witnes'}: there is no such folder\n"
    (tmp_path / "alarms").mkdir()
    said = run("witness", "show", "--state", tmp_path, code=Exit.USAGE)
    assert said == f"dealwire: {tmp_path / 'alarms'}: cannot be read: Is a directory\n"
