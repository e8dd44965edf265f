"""`dealwire journal` as a person meets it: what it prints, and its exit codes."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from dealwire.cli import main
from dealwire.journal import Journal, JournalReader, SealingKey
from devices.clock import ManualClock
from tests.support.evenings.journal_evening import deal_journalled
from tests.support.oracles.journal_verifier import check

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A journal `j` of one round, sealed with `key`."""
    folder = tmp_path_factory.mktemp("journal")
    deal_journalled(folder / "j", SealingKey.new(folder / "key"))
    return folder


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["journal", *map(str, arguments)], catch_exceptions=False)


def complaint(result: Result) -> str:
    """The one line on standard error."""
    (line,) = result.stderr.splitlines()
    return str(line)


def test_verify_needs_no_key_and_ends_with_the_head(folder: Path) -> None:
    result = run("verify", folder / "j")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert "in one unbroken chain" in lines[0]
    assert "not opened without a key, 0 in clear text" in lines[1]
    assert lines[2] == f"head {check(str(folder / 'j'))}"


def test_verify_with_the_key_opens_every_seal(folder: Path) -> None:
    found = json.loads(run("verify", folder / "j", "--key", folder / "key", "--json").stdout)
    assert found["type"] == "verified"
    assert found["sealed"] == found["opened"] == found["kinds"]["passed"] > 30
    assert (found["clear"], found["head"]) == (0, check(str(folder / "j")))


def test_verify_against_a_head_noted_elsewhere(folder: Path) -> None:
    head = check(str(folder / "j"))
    assert run("verify", folder / "j", "--expect", head, "--head", head.split(":")[1]).exit_code == 0
    for anchor in (f"5:{'0' * 64}", f"99999:{'0' * 64}"):
        result = run("verify", folder / "j", "--expect", anchor)
        assert result.exit_code == 6
        assert str(folder / "j") in complaint(result)
    result = run("verify", folder / "j", "--head", "0" * 64)
    assert (result.exit_code, complaint(result).count(head)) == (6, 1)
    for nonsense in ("5", "x:y", f"0:{'0' * 64}", "5:abcd"):
        assert run("verify", folder / "j", "--expect", nonsense).exit_code == 2
    assert run("verify", folder / "j", "--head", head.split(":")[1].upper()).exit_code == 0
    for nonsense in ("abc", "", "0" * 63, "g" * 64):
        result = run("verify", folder / "j", "--head", nonsense)
        assert (result.exit_code, complaint(result).count("is not a hash of 64 hex digits")) == (2, 1)


def test_a_damaged_journal_is_6_and_names_the_record(folder: Path, tmp_path: Path) -> None:
    shutil.copyfile(folder / "j", tmp_path / "j")
    content = (tmp_path / "j").read_bytes()
    (tmp_path / "j").write_bytes(content.replace(b'"outcome":"complete"', b'"outcome":"COMPLETE"', 1))
    with JournalReader(folder / "j") as reader:
        number = next(item.sequence for item in reader.publications() if item.topic == "round")
    result = run("verify", tmp_path / "j")
    assert result.exit_code == 6
    assert f"record {number}: " in complaint(result)


def test_what_is_no_journal_or_not_there(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("hello\n" * 100)
    for command in ("verify", "show", "export", "rebuild"):
        assert run(command, tmp_path / "nowhere").exit_code == 2
        result = run(command, tmp_path / "text")
        assert (result.exit_code, "not a journal" in complaint(result)) == (6, True)


def test_show_hides_raw_bytes_unless_asked_and_unsealed(folder: Path) -> None:
    shown = run("show", folder / "j").stdout
    assert "  table-1  started  " in shown
    assert '"type":"settlement"' in shown
    assert "passed" not in shown
    raw = run("show", folder / "j", "--raw").stdout
    assert "  table-1  passed  sealed, " in raw
    opened = run("show", folder / "j", "--raw", "--key", folder / "key", "--table", "table-1", "--after", "4").stdout
    assert "sealed," not in opened
    assert opened.splitlines()[0].startswith("5  ")


def test_export_gives_the_lines_as_they_were_told_and_settle_takes_them(folder: Path) -> None:
    exported = run("export", folder / "j").stdout
    with JournalReader(folder / "j") as reader:
        assert exported.splitlines() == [item.line for item in reader.publications()]
    assert run("export", folder / "j", "--table", "another").stdout == ""
    settled = CliRunner().invoke(main, ["settle"], input=exported)
    assert settled.exit_code == 0
    assert '"type":"settlement"' in settled.stdout


def test_a_capture_deals_the_same_round(folder: Path, tmp_path: Path) -> None:
    output = tmp_path / "evening.pcapng"
    arguments = ("export", folder / "j", "--capture", output)
    result = run(*arguments)
    assert (result.exit_code, "give the key file" in complaint(result)) == (2, True)
    assert not output.exists()
    assert run(*arguments, "--key", folder / "key").exit_code == 0
    assert run(*arguments, "--key", folder / "key").exit_code == 2, "a capture is not replaced unless that is asked for"
    replayed = CliRunner().invoke(main, ["replay", str(output), "--json"])
    with JournalReader(folder / "j") as reader:
        assert replayed.stdout.splitlines()[:-1] == [item.line for item in reader.publications()]
    result = run(*arguments, "--key", folder / "key", "--table", "nine")
    assert (result.exit_code, "there are table-1" in result.stderr) == (2, True)


def test_rebuild_says_equal_or_where_not(folder: Path, tmp_path: Path) -> None:
    arguments = ("rebuild", folder / "j", "--key", folder / "key")
    result = run(*arguments)
    assert (result.exit_code, "byte for byte" in result.stdout) == (0, True)
    found = json.loads(run(*arguments, "--json").stdout)
    assert (found["type"], found["difference"], found["pending"]) == ("rebuilt", None, 0)
    result = run(*arguments, "--no-settle")
    assert result.exit_code == 1
    assert "does not follow from the raw record" in complaint(result)
    result = run(*arguments, "--reading", "fold-flush-rush=nonsense")
    assert result.exit_code == 2
    result = run("rebuild", folder / "j")
    assert (result.exit_code, "is sealed with key" in complaint(result)) == (2, True)


def test_rebuild_carries_the_meters_of_the_start(tmp_path: Path) -> None:
    told = deal_journalled(tmp_path / "j", None, meters={"meter": 1_234_500})
    (settlement,) = [json.loads(item.line) for item in told if item.topic == "settlement"]
    assert [meter["before"] for meter in settlement["meters"]] == [1_234_500]
    assert run("rebuild", tmp_path / "j").exit_code == 0
    result = run("rebuild", tmp_path / "j", "--meter", "meter=500")
    assert (result.exit_code, "differs from what the raw record" in complaint(result)) == (1, True)


def test_keys_are_made_added_and_listed(tmp_path: Path) -> None:
    result = run("key", "new", tmp_path / "key")
    assert (result.exit_code, (tmp_path / "key").stat().st_mode & 0o777) == (0, 0o600)
    first = SealingKey.load(tmp_path / "key")
    assert first.id in result.stdout
    assert first.keys[0][1].hex() not in result.stdout
    result = run("key", "new", tmp_path / "key")
    assert (result.exit_code, "already exists" in complaint(result)) == (2, True)
    assert run("key", "rotate", tmp_path / "key").exit_code == 0
    second = SealingKey.load(tmp_path / "key")
    assert run("key", "list", tmp_path / "key").stdout.split() == [first.id, second.id]
    (tmp_path / "key").chmod(0o644)
    result = run("key", "list", tmp_path / "key")
    assert (result.exit_code, "chmod 600" in complaint(result)) == (5, True)


def test_a_journal_that_is_being_written_is_checked_as_far_as_it_goes(tmp_path: Path) -> None:
    """Check with a separate program, as a person would while the service runs."""
    with Journal(tmp_path / "j", key=None, clock=ManualClock()) as journal:
        journal.publish("t", "round", 1, "{}")
        journal.commit()
        journal.publish("t", "round", 2, "{}")
        done = subprocess.run(
            [sys.executable, "-m", "dealwire", "journal", "verify", str(tmp_path / "j")], capture_output=True, cwd=ROOT
        )
        assert (done.returncode, done.stderr, done.stdout.startswith(b"2 records")) == (0, b"", True)
        assert journal.commit()


def test_nothing_to_archive_is_said(folder: Path, tmp_path: Path) -> None:
    result = run("archive", folder / "j", "--to", tmp_path)
    why = "nothing to archive: the journal holds no finished day in full"
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", f"dealwire: {folder / 'j'}: {why}\n")
