"""Anything other than a file, or a hostile file, given to a command: a line that names it and the right exit code,
soon."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from dealer_flow.procedure.load import ProcedureError, check_procedure, load_procedure
from dealer_flow.tomlfile import DEEPEST, FAULTS_MAX, TOML_MAX_BYTES
from dealwire.cli import main
from dealwire.cli.rounds import LINE_MAX_BYTES
from dealwire.config.load import load_configuration
from dealwire.journal import Journal
from devices.clock import ManualClock
from devices.files import create_file, open_file, read_file
from devices.record import pcapng
from devices.record.capture import (
    DESCRIPTION_MAX,
    LINES_MAX,
    Capture,
    CaptureCorrupt,
    CaptureInaccessible,
    CaptureWriter,
)
from protocol.tomlfile import TomlFileError
from rules.meters.setup import load_setup
from rules.paytables.amounts import MOST_CENTS
from tests.support.broken.hostile_files import KINDS, make_hostile, must_end

ROOT = Path(__file__).parents[2]
CLEAN = ROOT / "captures" / "clean-1.pcapng"
EXAMPLE = ROOT / "docs" / "examples" / "table.toml"

RELEASED = ("--session", "a", "--round", "1", "--who", "A. Smith", "--badge", "7", "--why", "paid")
READERS = {
    "check": ["check", "FILE.toml"],
    "games": ["games", "FILE.toml"],
    "run": ["run", "FILE.toml"],
    "run --check": ["run", "--check", "FILE.toml"],
    "sim": ["sim", "--scenario", "FILE.toml"],
    "sim --procedure": ["sim", "--procedure", "FILE.toml"],
    "bench": ["bench", "--simulated", "FILE.toml"],
    "odds": ["odds", "FILE.toml"],
    "audit-paytables": ["audit-paytables", "FILE.toml"],
    "settle --game": ["settle", "--game", "FILE.toml"],
    "settle --progressive": ["settle", "--progressive", "FILE.toml"],
    "replay": ["replay", "FILE.pcapng"],
    "replay --procedure": ["replay", "--procedure", "FILE.toml", str(CLEAN)],
    "replay --game": ["replay", "--game", "FILE.toml", str(CLEAN)],
    "replay --progressive": ["replay", "--progressive", "FILE.toml", str(CLEAN)],
    "monitor of a recording": ["monitor", "--shuffler", "replay:FILE.pcapng#shuffler"],
    "device verify --image": ["device", "verify", "sim:shoe", "--image", "FILE.bin"],
    "device verify --digest-of": ["device", "verify", "sim:shoe", "--nonce", "00" * 16, "--digest-of", "FILE.bin"],
    "bench --image": ["bench", "link", "--shuffler", "tcp://127.0.0.1:1", "--image", "FILE.bin"],
    "journal verify": ["journal", "verify", "FILE.sqlite"],
    "journal show": ["journal", "show", "FILE.sqlite"],
    "journal export": ["journal", "export", "FILE.sqlite"],
    "journal rebuild": ["journal", "rebuild", "FILE.sqlite"],
    "journal obligations": ["journal", "obligations", "FILE.sqlite"],
    "journal release": ["journal", "release", "FILE.sqlite", "3", *RELEASED],
}


def run(*arguments: str, given: bytes = b"") -> Result:
    with must_end():
        return CliRunner().invoke(main, list(arguments), input=given)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("reader", READERS)
def test_what_is_no_file_is_refused(reader: str, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    name = next(each for each in READERS[reader] if "FILE" in each)
    made = make_hostile(KINDS[kind], Path(name.removeprefix("replay:").partition("#")[0]))
    result = run(*READERS[reader])
    assert result.exit_code == 2, result.output
    assert result.stderr.count("\n") == 1, result.stderr
    assert str(made) in result.stderr
    assert f"{kind}, not a file" in result.stderr


def test_a_folder_is_refused_too(tmp_path: Path) -> None:
    made = make_hostile("folder", tmp_path / "folder.toml")
    for arguments in (["check"], ["games"], ["sim", "--scenario"], ["bench", "--simulated"], ["odds"]):
        result = run(*arguments, str(made))
        assert result.exit_code == 2
        assert "folder.toml: cannot be read: Is a directory" in result.stderr


NAMED = {
    "bench --report": ["bench", "shuffler", "--simulated", "--report", "NAME"],
    "bench --junit": ["bench", "shuffler", "--simulated", "--junit", "NAME"],
    "bench --verify": ["bench", "--verify", "NAME"],
    "bench --new-key": ["bench", "--new-key", "NAME", "other"],
    "journal salvage": ["journal", "salvage", "NAME", "NAME"],
    "journal archive": ["journal", "archive", "NAME", "--to", "NAME"],
    "journal key new": ["journal", "key", "new", "NAME"],
    "journal auditor new": ["journal", "auditor", "new", "a", "NAME"],
    "replay": ["replay", "NAME"],
    "convert": ["convert", "NAME"],
}


@pytest.mark.parametrize("name", ["", "n" * 300, "a\0b"], ids=["empty", "long", "nul"])
@pytest.mark.parametrize("command", NAMED)
def test_what_no_system_takes_as_a_name_is_a_usage_error(command: str, name: str) -> None:
    """Some were a traceback."""
    result = run(*(name if each == "NAME" else each for each in NAMED[command]))
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1), result.output
    assert ("a file name is required, not an empty string" if not name else "is not a file name: ") in result.stderr


def test_a_file_that_is_exchanged_for_a_pipe_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between the look at it and its opening."""
    pipe, other = make_hostile("pipe", tmp_path / "pipe"), tmp_path / "other"
    other.write_text("x")
    looked_at = os.stat(other)
    monkeypatch.setattr("devices.files.os.stat", lambda path: looked_at)
    with must_end(), pytest.raises(OSError, match="a pipe, not a file"):
        open_file(pipe)


def test_a_file_is_read_up_to_its_bound(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"12345678")
    assert read_file(file, 8) == b"12345678"
    with pytest.raises(OSError, match="longer than 7 bytes"):
        read_file(file, 7)


# ------------------------------------------------------------------ TOML

HOSTILE_TOML = {
    "brackets": (f"schema = {'[' * 20_000}{']' * 20_000}", "not TOML: a number is too long, or a table too deep"),
    "depth": (f"schema = {'[' * 300}{']' * 300}", f"1: schema: tables or arrays nested more than {DEEPEST} deep"),
    "digits": (f"schema = {'1' * 5000}", "not TOML: a number is too long, or a table too deep"),
    "64 bits": ("seats = 9223372036854775808", "1: seats: a whole number beyond 64 bits"),
    "parts": (f"{'a.' * 100_000}a = 1", f"1: not TOML: a key has more than {DEEPEST} parts"),
    "parts within": (f"a = 1\nb = {{{'a.' * 100_000}a = 1}}", f"2: not TOML: a key has more than {DEEPEST} parts"),
    "length": (f"a = '{'a' * TOML_MAX_BYTES}'", f"cannot be read: longer than {TOML_MAX_BYTES:,} bytes"),
    "keys": ("".join(f"k{number} = 1\n" for number in range(100_000)), "cannot be read: longer than"),
}


@pytest.mark.parametrize("name", HOSTILE_TOML)
@pytest.mark.parametrize("command", [["check"], ["run", "--check"], ["sim", "--scenario"], ["odds"]], ids=" ".join)
def test_hostile_toml_is_one_line(command: list[str], name: str, tmp_path: Path) -> None:
    text, why = HOSTILE_TOML[name]
    file = tmp_path / "hostile.toml"
    file.write_text(text + "\n")
    result = run(*command, str(file))
    assert result.exit_code == 2, result.output
    assert result.stderr.count("\n") == 1
    assert len(result.stderr) < 500
    assert f"{file}:" in result.stderr
    assert why in result.stderr


def test_so_many_faults_are_named_and_no_more(tmp_path: Path) -> None:
    """Each fault takes a look through the file; ten thousand of them took ten thousand."""
    file = tmp_path / "many.toml"
    file.write_text("".join(f"k{number} = 1\n" for number in range(10_000)))
    with must_end():
        found = [str(fault) for fault in check_procedure(file)]
    assert len(found) == FAULTS_MAX + 1
    assert found[-1] == f"{file}: and more; only the first {FAULTS_MAX} errors are listed"
    assert f"{file}:1: k0: unknown key" in "\n".join(found)


def test_what_stands_at_a_key_is_shown_in_short(tmp_path: Path) -> None:
    file = tmp_path / "long.toml"
    file.write_text(f"schema = '{'x' * 10_000}'\n")
    with pytest.raises(ProcedureError) as caught:
        load_procedure(file)
    assert len(str(caught.value)) < 400


def test_the_ends_of_lines_do_not_count(tmp_path: Path) -> None:
    """A file of another system has the same lines."""
    text = (ROOT / "dealwire" / "rehearsal" / "scenarios" / "clean-3.toml").read_text()
    file = tmp_path / "mine.toml"
    file.write_bytes(text.replace("seed = 3", "seed = 'x'", 1).replace("\n", "\r\n").encode())
    line = next(number for number, each in enumerate(text.split("\n"), 1) if "seed" in each)
    assert f"{file}:{line}: seed: must be a whole number, not 'x'" in run("sim", "--scenario", str(file)).stderr


@pytest.mark.parametrize("digits", [13, 4000])
def test_an_amount_has_a_bound(digits: int, tmp_path: Path) -> None:
    amount = "1" + "0" * digits
    setup = (ROOT / "docs" / "examples" / "progressive-ml03.toml").read_text()
    file = tmp_path / "setup.toml"
    file.write_text(setup.replace("seed-cents = ", f"seed-cents = {amount} #", 1))
    with pytest.raises(TomlFileError, match=r"seed-cents: (must be less than|a whole number beyond 64 bits)"):
        load_setup(file)
    table = tmp_path / "table.toml"
    table.write_text(EXAMPLE.read_text().replace("meter = 1000000", f"meter = {amount}"))
    with pytest.raises(TomlFileError, match=r"meters\.meter: (must be less than|a whole number beyond 64 bits)"):
        load_configuration(table)
    result = run("settle", "--meter", f"meter={amount}")
    assert result.exit_code == 2
    assert f"is not a number of cents up to {MOST_CENTS:,}" in result.stderr


# ------------------------------------------------------------------ rounds on standard input


def one_round() -> dict[str, object]:
    lines = run("replay", str(CLEAN), "--json", "--no-settle").stdout.splitlines()
    found: dict[str, object] = json.loads(next(line for line in lines if '"type":"round"' in line))
    return found


def hostile_lines(good: dict[str, object]) -> dict[str, tuple[bytes, str]]:
    line = json.dumps(good)
    seat = good["seats"][0]  # type: ignore[index]
    seats = [{**seat, "seat": at % 32 + 1} for at in range(100_000)]
    return {
        "not UTF-8": (b"\xff", "JSON is malformed"),
        "not UTF-8 within": (line.encode().replace(b"table-1", b"\xc3("), "utf-8"),  # msgspec's words
        "half a pair": (line.replace("table-1", "\\ud800").encode(), "JSON is malformed"),
        "brackets": (b"[" * 20_000, "nested too deeply"),
        "digits": (line.replace('"round": ', '"round": ' + "1" * 5000).encode(), "Integer value out of range"),
        "seats": (json.dumps({**good, "seats": seats}).encode(), f"longer than {LINE_MAX_BYTES:,} bytes"),
        "length": (b'{"x": "' + b"a" * 10_000_000 + b'"}', f"longer than {LINE_MAX_BYTES:,} bytes"),
        "a list for a schema": (line.replace('"dealwire.round/2"', "[]").encode(), "Expected `dealwire.round/2`"),
    }


@pytest.mark.every(4)
@pytest.mark.parametrize("name", hostile_lines({"seats": [{}]}))
def test_a_bad_round_does_not_end_the_stream(name: str) -> None:
    good = one_round()
    bad, why = hostile_lines(good)[name]
    line = json.dumps(good).encode() + b"\n"
    result = run("settle", given=line + bad + b"\n" + json.dumps({**good, "round": 2}).encode())
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
    assert "dealwire: line 2: " in result.stderr
    assert why.lower() in result.stderr.lower()
    settled = [json.loads(each) for each in result.stdout.splitlines()]
    assert [each["type"] for each in settled] == ["settlement", "settlement"]


def test_rounds_come_through_a_pipe_and_without_a_last_line_end() -> None:
    first, second = (json.dumps({**one_round(), "round": number}).encode() for number in (1, 2))
    assert run("settle", given=first + b"\n\n" + second).stdout.count('"type":"settlement"') == 2


# ------------------------------------------------------------------ captures


def interfaces(count: int, options: bytes = b"") -> bytes:
    return pcapng.section_header("t") + pcapng.interface(pcapng.RTAC_SERIAL, options) * count


def test_lines_of_a_recording_are_counted(tmp_path: Path) -> None:
    file = tmp_path / "many.pcapng"
    file.write_bytes(interfaces(LINES_MAX))
    assert len(Capture.read(file).interfaces) == LINES_MAX
    file.write_bytes(interfaces(100_000))
    with must_end(), pytest.raises(CaptureCorrupt, match=rf"damaged at byte \d+: more than {LINES_MAX} recorded lines"):
        Capture.read(file)
    result = run("replay", str(file))
    assert result.exit_code == 6
    assert result.stderr.count("\n") == 1


def test_other_interfaces_are_passed_over_in_linear_time(tmp_path: Path) -> None:
    file = tmp_path / "other.pcapng"
    file.write_bytes(pcapng.section_header("t") + pcapng.interface(1, b"") * 100_000)
    with must_end():
        assert Capture.read(file).interfaces == ()


def test_a_description_is_looked_at_up_to_a_bound(tmp_path: Path) -> None:
    file = tmp_path / "words.pcapng"
    words = pcapng.option(pcapng.IF_DESCRIPTION, b"device=shuffler baud=" + b"9" * 9000)
    file.write_bytes(interfaces(1, words))
    (line,) = Capture.read(file).interfaces
    assert (line.device, line.baud) == ("shuffler", 0)
    file.write_bytes(interfaces(1, pcapng.option(pcapng.IF_DESCRIPTION, b"a=b " + b"'" * DESCRIPTION_MAX)))
    assert Capture.read(file).interfaces[0].device == ""


@pytest.mark.parametrize("length", [0, 4, 11, 13, 0xFFFFFFFC, pcapng.BLOCK_MAX + 4])
def test_absurd_lengths_of_blocks_are_refused(length: int, tmp_path: Path) -> None:
    file = tmp_path / "length.pcapng"
    file.write_bytes(interfaces(1) + (6).to_bytes(4, "little") + length.to_bytes(4, "little") + bytes(range(64)))
    result = run("replay", str(file))
    assert result.exit_code == 6
    assert result.stderr.count("\n") == 1
    assert f"a block of {length} bytes" in result.stderr


def test_a_recording_is_read_from_a_file_not_from_a_pipe() -> None:
    """It is read twice: for its lines, and to be dealt."""
    read, write = os.pipe()
    os.close(write)
    with must_end(), pytest.raises(CaptureInaccessible, match="a pipe, not a file"):
        Capture.read(f"/dev/fd/{read}")
    os.close(read)


# ------------------------------------------------------------------ what is written


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_recording_is_for_its_owner_alone(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        CaptureWriter(tmp_path / "new.pcapng").close()
        (tmp_path / "old.pcapng").touch(mode=0o666)
        CaptureWriter(tmp_path / "old.pcapng", overwrite=True).close()
    finally:
        os.umask(before)
    assert [mode(path) for path in sorted(tmp_path.iterdir())] == [0o600, 0o600]


def test_a_recording_into_a_pipe_that_nobody_reads_is_refused(tmp_path: Path) -> None:
    pipe = make_hostile("pipe", tmp_path / "pipe")
    with must_end(), pytest.raises(CaptureInaccessible, match="No such device"):
        CaptureWriter(pipe, overwrite=True)


def test_a_file_that_is_there_is_kept(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("before")
    with pytest.raises(FileExistsError):
        create_file(file)
    assert file.read_text() == "before"
    with create_file(file, overwrite=True) as made:
        made.write(b"after")
    assert file.read_text() == "after"


# ------------------------------------------------------------------ files that choose files


def names_a_pipe(folder: Path) -> tuple[Path, Path]:
    """A recording whose procedure is the path of a pipe, which whoever opens waits for."""
    pipe = make_hostile("pipe", folder / "chosen.toml")
    recording = folder / "recordings" / "evening.pcapng"
    recording.parent.mkdir()
    with CaptureWriter(recording, procedure=str(pipe)) as writer:
        writer.chunk(writer.interface("shuffler", device="shuffler"), 1, False, b"\0")
    return recording, pipe


@pytest.mark.parametrize("more", [[], ["--json"], ["--jobs", "2"]], ids=" ".join)
@pytest.mark.parametrize("folder", [False, True], ids=["file", "folder"])
def test_a_recording_chooses_no_file(folder: bool, more: list[str], tmp_path: Path) -> None:
    recording, pipe = names_a_pipe(tmp_path)
    result = run("replay", str(recording.parent if folder else recording), *more)
    assert result.exit_code == 2
    assert (
        f"{recording}: procedure: '{pipe}' was dealt, which does not come with dealwire; give its file with --procedure"
        in result.stderr
    )


def test_a_recording_that_is_a_line_chooses_no_file(tmp_path: Path) -> None:
    recording, _ = names_a_pipe(tmp_path)
    result = run("monitor", "--shuffler", f"replay:{recording}#shuffler", "--no-reconnect", "--idle", "0.1")
    assert "chosen.toml" not in result.output


def test_a_journal_chooses_no_file(tmp_path: Path) -> None:
    pipe, path = make_hostile("pipe", tmp_path / "chosen.toml"), tmp_path / "journal.sqlite"
    with Journal(path, key=None, clock=ManualClock()) as journal:
        journal.started("t", 1, "of somebody's own program", {})
        journal.line("t", "s", device="shuffler", dialect="tdp", address="", baud=1, procedure=str(pipe))
        journal.secure()
    result = run("journal", "rebuild", str(path))
    assert result.exit_code == 2
    assert (
        f"{path}: procedure: '{pipe}' was dealt, which does not come with dealwire; give its file with --procedure"
        in result.stderr
    )
    exported = tmp_path / "out.pcapng"
    assert run("journal", "export", str(path), "--capture", str(exported)).exit_code == 0
    assert mode(exported) == 0o600
    assert run("replay", str(exported)).exit_code == 2
