"""A table sealed to an auditor, through its life: made, checked, killed, resumed, and read by the auditor."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from dealwire.cli import doctor, main
from dealwire.cli.exits import Exit
from dealwire.config.load import load_configuration
from dealwire.journal import JournalReader, SealingKey
from dealwire.journal.auditing import AuditorKey, AuditorPrivateKey
from dealwire.journal.errors import KeyUnknown
from dealwire.service import seals
from tests.support.evenings.journal_evening import deal_journalled
from tests.support.oracles.auditor import everything
from tests.support.rigs.serving import Program, opened, rounds_in, run_until, simulators_here, write_configuration


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, [*map(str, arguments)], catch_exceptions=False)


def complaint(result: Result) -> str:
    """The one line on standard error."""
    (line,) = result.stderr.splitlines()
    return str(line)


def audited(file: Path, private: Path) -> Path:
    """The same configuration, sealed to an auditor; `private` is made."""
    AuditorPrivateKey.new(private, file.parent / "auditor.pub")
    file.write_text(file.read_text().replace('key-file = "journal.key"', 'auditor-key-file = "auditor.pub"'))
    return file


def snapshots_in(folder: Path) -> int:
    with JournalReader(folder / "journal.sqlite") as reader:
        return sum(record.kind == "snapshot" for record in reader.records())


@pytest.mark.more
def test_a_table_goes_on_after_a_kill_and_only_the_auditor_deals_it_again(tmp_path: Path) -> None:
    """Two kills in the middle of rounds; afterward the file next to the journal is all that is at the table."""
    private = tmp_path / "away.key"
    with simulators_here(scenario="recognition", speed=100) as addresses:
        file = audited(write_configuration(tmp_path, addresses), private)
        for number in (1, 2):
            with Program(file) as program:
                program.wait_for(lambda number=number: rounds_in(tmp_path) >= 2 * number)
                program.end(signal.SIGKILL)
        with Program(file) as program:
            # A fast table may begin the next round before it was at rest, and then the snapshot comes after that one.
            program.wait_for(lambda: rounds_in(tmp_path) >= 6 and snapshots_in(tmp_path) >= 6)
            assert program.end() == Exit.GOOD
        assert program.text.count("table table-1 resumes") == 2
    path = tmp_path / "journal.sqlite"
    result = run("journal", "rebuild", path, "--key", private)
    assert (result.exit_code, "byte for byte" in result.stdout) == (0, True), result.stderr
    assert "--key" not in run("journal", "verify", path).stdout
    opened_by_it = everything(str(path), AuditorPrivateKey.load(private).private)
    with JournalReader(path, AuditorPrivateKey.load(private)) as reader:
        ours = [(each.sequence, reader.raw(each)) for each in reader.records() if each.kind == "passed"]
    assert ours == opened_by_it
    assert len(ours) > 100
    kinds = json.loads(run("journal", "verify", path, "--key", private, "--json").stdout)
    assert kinds["kinds"]["snapshot"] >= 6, "the key of what is over is forgotten after a round"
    assert (kinds["clear"], kinds["opened"]) == (0, len(ours) + kinds["kinds"]["snapshot"])


@pytest.mark.more
def test_without_the_file_beside_a_round_under_way_waits_for_the_auditor_or_begins_anew(tmp_path: Path) -> None:
    with simulators_here(speed=100) as addresses:
        file = audited(write_configuration(tmp_path, addresses), tmp_path / "away.key")
        with Program(file) as program:
            program.wait_for(lambda: rounds_in(tmp_path) >= 1)
            program.end(signal.SIGKILL)
        (tmp_path / "journal.sqlite-key").unlink()
        result = run("run", file)
        assert result.exit_code == Exit.USAGE
        line = complaint(result)
        assert "journal.sqlite-key does not open it" in line
        assert "--start-over" in line
        before = rounds_in(tmp_path)
        with Program(file, "--start-over") as program:
            program.wait_for(lambda: rounds_in(tmp_path) > before)
            assert program.end() == Exit.GOOD


def test_the_auditor_reads_all_and_the_table_none_of_it(tmp_path: Path) -> None:
    result = run("journal", "auditor", "new", tmp_path / "private.key", tmp_path / "public.key")
    private, public = AuditorPrivateKey.load(tmp_path / "private.key"), AuditorKey.load(tmp_path / "public.key")
    assert result.exit_code == 0
    assert result.stdout.count(private.id) == 2
    assert private.private.hex() not in result.stdout
    again = run("journal", "auditor", "new", tmp_path / "private.key", tmp_path / "other.key")
    assert (again.exit_code, "already exists" in complaint(again)) == (2, True)
    assert not (tmp_path / "other.key").exists()

    path, capture = tmp_path / "j", tmp_path / "evening.pcapng"
    deal_journalled(path, public)
    raw = ("journal", "show", path, "--raw", "--key")
    shown = run(*raw, tmp_path / "private.key")
    assert shown.exit_code == 0
    assert "sealed," not in shown.stdout.replace(f"sealed to auditor {private.id}", "")
    assert f"  table-1  key  root {_root(path)}, sealed to auditor {private.id}\n" in shown.stdout
    assert run("journal", "rebuild", path, "--key", tmp_path / "private.key").exit_code == 0
    export = ("journal", "export", path, "--capture", capture)
    assert run(*export, "--key", tmp_path / "private.key").exit_code == 0
    replayed = run("replay", capture, "--json").stdout.splitlines()
    with JournalReader(path) as reader:
        assert replayed[:-1] == [item.line for item in reader.publications()]

    for given, words in (
        (tmp_path / "public.key", "public key opens nothing"),
        (tmp_path / "j-key", "sealed to an auditor"),
    ):
        refused = run(*raw, given)
        assert (refused.exit_code, words in complaint(refused)) == (2, True), refused.stderr
    refused = run("journal", "rebuild", path)
    assert (refused.exit_code, "sealed to an auditor" in complaint(refused)) == (2, True)
    with JournalReader(path, public) as reader, pytest.raises(KeyUnknown):
        list(map(reader.raw, [each for each in reader.records() if each.kind == "passed"]))


def _root(path: Path) -> str:
    with JournalReader(path) as reader:
        return next(each.payload[1:9].hex() for each in reader.records() if each.kind == "key")


def test_check_and_doctor_say_who_reads_the_journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "check_all", lambda: iter(()))  # what the machine lacks is not asked here
    file = write_configuration(tmp_path, [{"shuffler": "tcp://127.0.0.1:1", "table-controller": "tcp://127.0.0.1:2"}])
    (tmp_path / "clear.toml").write_text(file.read_text().replace('key-file = "journal.key"\n', ""))
    (tmp_path / "filed.toml").write_text(file.read_text())
    audited(file, tmp_path / "away.key")
    expected = {
        "clear.toml": ("warning", "raw bytes are not sealed: "),
        "filed.toml": ("good", "raw bytes are sealed with journal.key: "),
        "table.toml": ("good", "raw bytes are sealed to the auditor of auditor.pub: "),
    }
    for name, (verdict, words) in expected.items():
        result = run("run", "--check", tmp_path / name)
        assert (result.exit_code, f"seal: {words}" in result.stdout) == (0, True)
        findings = [json.loads(line) for line in run("doctor", tmp_path / name, "--json").stdout.splitlines()]
        assert [each["verdict"] for each in findings if each["check"] == "journal"] == [verdict]
        assert [each["text"].startswith(words) for each in findings if each["check"] == "journal"] == [True]
    (tmp_path / "auditor.pub").unlink()
    result = run("run", "--check", file)
    assert (result.exit_code, "auditor.pub: key file cannot be read" in result.stdout) == (2, True)
    result = run("doctor", file)
    assert result.exit_code == Exit.CHECK_FAILED
    assert "auditor.pub: key file cannot be read" in result.stdout
    result = run("run", file)
    assert (result.exit_code, "auditor.pub: key file cannot be read" in complaint(result)) == (2, True)


def test_both_kinds_of_key_at_once_are_refused(tmp_path: Path) -> None:
    file = write_configuration(tmp_path, [{"shuffler": "tcp://127.0.0.1:1", "table-controller": "tcp://127.0.0.1:2"}])
    file.write_text(file.read_text().replace("[journal]\n", '[journal]\nauditor-key-file = "auditor.pub"\n'))
    result = run("run", "--check", file)
    assert result.exit_code == Exit.USAGE
    assert f"wrong    {file}:3: journal.auditor-key-file: key-file and auditor-key-file" in result.stdout


@pytest.mark.every(2)
@pytest.mark.parametrize(("scenario", "warned"), [("recognition", True), ("demo", False)])
def test_faces_in_the_clear_are_warned_of(
    tmp_path: Path, scenario: str, warned: bool, caplog: pytest.LogCaptureFixture
) -> None:
    with simulators_here(scenario=scenario) as addresses:
        file = write_configuration(tmp_path, addresses)
        file.write_text(file.read_text().replace('key-file = "journal.key"\n', ""))
        service, listener = opened(file)
        with service:
            run_until(service, lambda: bool(listener.of("round")))
    warning = seals.clear_warning("table-1", "shuffler")
    assert (warning in caplog.text) == warned


def test_a_shoe_in_the_clear_is_warned_of_at_the_start(tmp_path: Path) -> None:
    file = write_configuration(
        tmp_path,
        [{"shuffler": "tcp://127.0.0.1:1", "table-controller": "tcp://127.0.0.1:2"}],
        procedure="race-to-the-flush",
        more="",
    )
    text = file.read_text().replace('"shuffler"', '"shoe"').replace('key-file = "journal.key"\n', "")
    file.write_text(text)
    assert list(seals.faces_in_clear(load_configuration(file))) == [seals.clear_warning("table-1", "shoe")]
    assert "warning  seal: table-1: shoe reads card faces" in run("run", "--check", file).stdout
    file.write_text(text.replace("[journal]\n", '[journal]\nkey-file = "journal.key"\n'))
    SealingKey.load(tmp_path / "journal.key")
    assert not list(seals.faces_in_clear(load_configuration(file)))


CRASH = """
import resource, sys
from pathlib import Path
from dealwire.cli import run
from dealwire.cli.exits import Stop
from dealwire.config.load import load_configuration
resource.setrlimit(resource.RLIMIT_CORE, resource.getrlimit(resource.RLIMIT_CORE)[1:] * 2)
class Opened(Exception): pass
def opened(*_, **__): raise Opened
import dealwire.service.service as service
service.Service = opened
try:
    run.serve(load_configuration(Path(sys.argv[1])), run.StartOptions(with_console=False))
except Stop as stop:  # as `run` ends whatever it does not know
    assert "internal error: Opened at" in str(stop)
    print(resource.getrlimit(resource.RLIMIT_CORE)[0])
"""


@pytest.mark.more
@pytest.mark.parametrize("kind", ["audited", "filed", "clear"])
def test_a_crash_leaves_no_core_with_a_key_in_it(tmp_path: Path, kind: str) -> None:
    """An unsealed journal too: its faces, passwords and keys of TLS would lie where the system keeps its cores."""
    file = write_configuration(tmp_path, [{"shuffler": "tcp://127.0.0.1:1", "table-controller": "tcp://127.0.0.1:2"}])
    if kind == "audited":
        audited(file, tmp_path / "away.key")
    elif kind == "clear":
        file.write_text(file.read_text().replace('key-file = "journal.key"\n', ""))
    done = subprocess.run([sys.executable, "-c", CRASH, str(file)], capture_output=True, text=True, check=True)
    assert int(done.stdout) == 0


def test_the_console_deals_no_round_again_that_is_sealed_to_an_auditor(tmp_path: Path) -> None:
    """Not even the round under way, whose key is in a file next to the journal."""
    file = audited(
        write_configuration(tmp_path, [{"shuffler": "tcp://127.0.0.1:1", "table-controller": "tcp://127.0.0.1:2"}]),
        tmp_path / "k",
    )
    part = load_configuration(file).journal
    assert isinstance(seals.load_seal(part), AuditorKey)
    assert seals.reading_key(part) is None
