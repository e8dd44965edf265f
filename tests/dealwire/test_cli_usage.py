"""Usage errors, missing files, and output to a terminal: each is one line, by one rule."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import re
import tomllib
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from dealwire.cli import main
from dealwire.cli.terminal import GrowingTable, wants_colour
from devices.extras import install_command
from protocol.nearest import nearest

ROOT = Path(__file__).parents[2]
CLEAN = str(ROOT / "captures" / "clean-1.pcapng")
ESCAPE = re.compile(r"\x1b\[[0-9;]*m")
NEEDS_AN_OPEN_FOLDER = pytest.mark.skipif(
    not all(folder.stat().st_mode & 0o001 for folder in ROOT.parents),
    reason="not here: the program lies where another user may not go, and looks into its folders",
)


def run(*arguments: str, environment: dict[str, str] | None = None) -> tuple[int, str, str]:
    done = CliRunner().invoke(main, [*arguments], env=environment, prog_name="dealwire")
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, done.stdout, done.stderr


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("replaay", "dealwire: no such command 'replaay' (did you mean replay?); see dealwire --help"),
        ("zzz", "dealwire: no such command 'zzz'; see dealwire --help"),
        ("--vesion", "dealwire: no such option '--vesion' (did you mean --version?); see dealwire --help"),
        (
            "replay --jsno x",
            "dealwire replay: no such option '--jsno' (did you mean --json?); see dealwire replay --help",
        ),
        *(
            (
                f"{command} {option} nan",
                f"dealwire {command}: invalid value for '{shown}': nan is not in the range {span}; "
                f"see dealwire {command} --help",
            )
            for command, option, shown, span in (
                ("sim", "--speed", "--speed", "0.01<=x<=1000"),
                ("sim", "--faults", "--faults", "0<=x<=1"),
                ("run", "--speed", "--speed", "0.1<=x<=100"),
                ("run", "--faults", "--faults", "0<=x<=1"),
                ("demo", "--speed", "--speed", "0.1<=x<=100"),
                ("bench", "--speed", "--speed", "0.01<=x<=1000"),
                ("record", "--timeout", "--timeout", "x>0"),
                ("monitor", "-T", "-T' / '--idle", "x>0"),
            )
        ),
        *(
            (
                f"run README.md --{option} {value}",
                f"dealwire run: --{option} is for the simulated table, without TABLE.TOML; see dealwire run --help",
            )
            for option, value in (("faults", "0.1"), ("speed", "3"), ("scenario", "evening"))
        ),
        ("run --port", "dealwire run: option '--port' requires an argument; see dealwire run --help"),
        (
            "journal rounds --seat",
            "dealwire journal rounds: option '--seat' requires an argument; see dealwire journal rounds --help",
        ),
        ("odds", "dealwire odds: missing argument 'GAME'; see dealwire odds --help"),
        (
            "games race-to-flush",
            "dealwire: race-to-flush: no such procedure (did you mean race-to-the-flush?)",
        ),
        (
            "odds race-to-teh-flush",
            "dealwire: race-to-teh-flush: no such game (did you mean race-to-the-flush?)",
        ),
        ("sim --scenario clean3", "dealwire: clean3: no such scenario (did you mean clean-3?)"),
        ("bench shufler --simulated", "dealwire: shufler: no such plan (did you mean shuffler?); known: "),
        ("decode --dialect angeleye", "dealwire: unknown dialect 'angeleye' (did you mean angel-eye?); allowed"),
        ("odds pai-gow.co --bet wagr", "dealwire: no odds for bet 'wagr' (did you mean wager?); allowed"),
        (f"replay {CLEAN} --house-way pai", "not settled"),
    ],
)
def test_what_is_typed_wrong_is_one_line_with_what_was_meant(line: str, says: str) -> None:
    code, out, err = run(*line.split())
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert says in err


@pytest.mark.parametrize("name", ["Report.json", "Two  blanks.json", "No.where.json", "--odd.json", "É.json"])
def test_a_line_that_begins_with_a_name_keeps_its_letters(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("kept")
    with contextlib.chdir(tmp_path):
        code, out, err = run("bench", "shuffler", "--simulated", f"--report={name}")
    says = f"dealwire bench: {name}: exists; --overwrite replaces it; see dealwire bench --help\n"
    assert (code, out, err) == (2, "", says)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("demo x", "dealwire demo: got unexpected extra argument (x); see dealwire demo --help"),
        ("law compare", "dealwire law: no such command 'compare'; commands: diff, show; see dealwire law --help"),
        ("wireshark instal", "no such command 'instal' (did you mean install?); commands: install, status; see"),
        ("journal round x FILE", "invalid value for 'N': 'x' is not a whole number in the range 0<=x<=4294967295; see"),
        (
            "replay FILE --jobs 1.5",
            "invalid value for '--jobs': '1.5' is not a whole number in the range 1<=x<=64; see",
        ),
        ("run FILE --speed fast", "invalid value for '--speed': 'fast' is not a number in the range 0.1<=x<=100; see"),
        ("settle --rake x", "invalid value for '--rake': 'x' is not a percentage; write digits, such as 5 or 2.5; see"),
        ("settle --commission=-1", "invalid value for '--commission': '-1' is not a percentage; write digits, such as"),
        ("journal verify FOLDER", "invalid value for 'FILE...': 'FOLDER' is a folder, not a file; see"),
        ("doctor FOLDER", "invalid value for '[TABLE.TOML]': 'FOLDER' is a folder, not a file; see"),
        (
            "journal release FILE x --session s --round 1 --who A --badge 7 --why paid",
            "dealwire: release-held: entry: must be a whole number from 1 to 9999999999",
        ),
    ],
)
def test_what_cannot_be_is_one_line_with_what_is_allowed(tmp_path: Path, line: str, says: str) -> None:
    there = {"FOLDER": str(tmp_path), "FILE": str(tmp_path / "j")}
    code, out, err = run(*(there.get(word, word) for word in line.split()))
    assert (code, out, err.count("\n")) == (2, "", 1), err
    assert says.replace("FOLDER", str(tmp_path)) in err


def test_a_beginning_and_a_slip_are_near_and_nothing_else_is() -> None:
    known = ["replay", "record", "run", "settle", "FGW-04"]
    assert [nearest(each, known) for each in ("REPLAY", "rep", "recrod", "re", "", "q" * 1000, "FGW-09", 7)] == [
        "replay", "replay", "record", None, None, None, None, None,
    ]  # fmt: skip


@pytest.mark.parametrize(
    "line",
    [
        "replay FILE",
        "journal verify FILE",
        "journal export FILE",
        "journal show FILE",
        "run FILE",
        "run --check FILE",
        "check FILE",
        "games FILE",
        "odds FILE",
        "sim --scenario FILE",
        "bench FILE --simulated",
        "settle --progressive FILE",
        f"replay {CLEAN} --game FILE",
        "journal key list FILE",
    ],
)
def test_a_file_that_is_not_there_is_a_usage_error_everywhere(tmp_path: Path, line: str) -> None:
    file = str(tmp_path / "nowhere.toml")
    code, _, err = run(*(file if word == "FILE" else word for word in line.split()))
    assert (code, err.count("\n"), file in err) == (2, 1, True), err


def test_a_recording_without_a_serial_line_says_why_nothing_is_dealt() -> None:
    file = ROOT / "captures" / "usb-shuffler.pcapng"
    code, _, err = run("replay", str(file))
    assert code == 6
    assert err.splitlines()[-1] == (
        f"dealwire: {file}: nothing to replay: it holds no serial line (link type 250), only link type 220"
    )
    assert "nothing to replay" not in run("replay", CLEAN)[2]


@pytest.mark.skipif(os.geteuid() != 0, reason="not here: only root can become somebody else")
@pytest.mark.parametrize("file", ["mine", "closed/mine"])
@pytest.mark.parametrize(
    "line",
    [
        "replay FILE",
        "journal verify FILE",
        "journal key list FILE",
        "run --check FILE.toml",
        "doctor FILE.toml",
        "games FILE.toml",
        "odds FILE.toml",
        "sim --scenario FILE.toml",
        pytest.param("bench FILE.toml --simulated", marks=NEEDS_AN_OPEN_FOLDER),
        "settle --progressive FILE.toml",
    ],
)
def test_a_file_of_somebody_else_is_a_matter_of_permission(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str, line: str
) -> None:
    (tmp_path / "closed").mkdir(mode=0o700)
    for name in ("mine", "mine.toml", "closed/mine", "closed/mine.toml"):
        (tmp_path / name).write_text("x")
        (tmp_path / name).chmod(0o600)
    monkeypatch.chdir(tmp_path)
    run(*line.replace("FILE", "nowhere").split())  # somebody else may not be let at the program either
    os.seteuid(65534)
    try:
        code, _, err = run(*line.replace("FILE", file).split())
    finally:
        os.seteuid(0)
    assert (code, err.count("\n"), file in err) == (5, 1, True), err


@pytest.mark.parametrize("command", ["check", "games", "odds", "audit-paytables"])
def test_a_path_that_is_no_toml_file_is_called_what_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine").mkdir()
    Path("g.pcapng").touch()
    for name, why in (("mine", "a folder"), ("g.pcapng", "a file whose name does not end in .toml")):
        code, _, err = run(command, name)
        assert (code, err.removeprefix("dealwire: ")) == (2, f"{name}: {why}; expected an id or a .toml file\n")


def test_a_byte_of_a_name_that_is_no_text_is_shown_as_one(tmp_path: Path) -> None:
    file = Path(os.fsdecode(os.fsencode(tmp_path) + b"/bad\xff.pcapng"))
    file.touch()
    code, _, err = run("replay", str(file))
    assert (code, err) == (6, f"dealwire: {tmp_path}/bad\\xff.pcapng: empty file; expected a pcapng recording\n")


@pytest.mark.parametrize("command", [("sql",), ("acl",), ("alerts",), ("--help",), ("consume", "--help")])
def test_what_only_prints_needs_no_package(monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    assert run("fleet", *command)[0] == 0


def test_what_needs_one_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    code, _, err = run("fleet", "migrate", "--postgres", "x")
    assert (code, "psycopg" in err) == (2, True)


# ------------------------------------------------------------------ colours


@pytest.mark.parametrize(
    ("environment", "wanted"),
    [
        ({}, None),
        ({"NO_COLOR": ""}, None),
        ({"NO_COLOR": "1"}, False),
        ({"NO_COLOR": "1", "FORCE_COLOR": "1"}, False),
        ({"FORCE_COLOR": "1"}, True),
        ({"FORCE_COLOR": "0"}, None),
        ({"CLICOLOR_FORCE": "1", "TERM": "dumb"}, True),
        ({"TERM": "dumb"}, False),
        ({"TERM": "xterm-256color"}, None),
        ({"CLICOLOR": "0"}, False),
    ],
)
def test_the_customary_variables_are_heeded(environment: dict[str, str], wanted: bool | None) -> None:
    assert wants_colour(environment) is wanted


def test_results_are_coloured_where_it_is_wanted_and_the_words_stay() -> None:
    nothing = dict.fromkeys(("NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE", "CLICOLOR"), "")
    plain = run("replay", CLEAN, environment=nothing)[1]
    coloured = run("replay", CLEAN, environment={**nothing, "FORCE_COLOR": "1"})[1]
    assert "\x1b" not in plain
    assert ESCAPE.sub("", coloured) == plain
    assert click.style("win", fg="green") in coloured
    assert click.style("lose", fg="red") in coloured
    assert not [line for line in plain.splitlines() if line != line.rstrip()]


def test_a_row_in_colour_has_no_trailing_blank(capsys: pytest.CaptureFixture[str]) -> None:
    table = GrowingTable(frozenset(), lambda row: "red", frozenset({0, 1}))
    table.fit(("wide enough", "wide enough", ""))
    table.say(("a", "b", ""))
    table.say(("a", "b", "c"))
    lines = [ESCAPE.sub("", line) for line in capsys.readouterr().out.splitlines()]
    assert lines == ["  a            b", "  a            b            c"]


# ------------------------------------------------------------------ what there is


def test_dialects_and_optional_parts_are_listed() -> None:
    code, out, _ = run("list", "--json", "--kind", "dialects", "--kind", "extras")
    found = [json.loads(line) for line in out.splitlines()]
    assert code == 0
    dialects = {each["name"]: each["from"] for each in found if each["type"] == "dialect"}
    assert dialects == dict.fromkeys(("tdp", "angel-eye", "bee-tek", "gat"), "dealwire itself")
    extras = {each["name"]: each["is"] for each in found if each["type"] == "extra"}
    assert extras.keys() == optional_parts()
    assert extras["metrics"] == "installed"


def test_a_part_whose_package_is_missing_says_how_it_is_got(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *more: None if name == "numpy" else whole(name))
    extras = {each["name"]: each for each in importlib.import_module("dealwire.cli.list").found(("extras",))}
    assert (extras["odds"]["is"], extras["odds"]["get"]) == ("not installed", install_command("odds"))
    assert (extras["usb"]["is"], "get" in extras["usb"]) == ("installed", False)


def optional_parts() -> set[str]:
    """As the project's own file names them, without those that are only for its development."""
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())
    return set(project["project"]["optional-dependencies"]) - {"table"}
