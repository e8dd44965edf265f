"""Windows and macOS, as far as this machine can play them: what must work there works, the rest ends in one line."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from dealwire.cli import COMMANDS
from dealwire.cli.exits import Exit
from dealwire.cli.needs import POSIX_COMMANDS
from tests.support.rigs.patience import PATIENCE_S, wait_until
from tests.support.rigs.serving import simulators, write_configuration

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "systems.md"
PLAIN = "from dealwire.cli import main; main(prog_name='dealwire')"
HELLO = "020102070101020102010b01016465616c776972650101010101010105ecb5ecc500"

ANYWHERE = {
    "list": ["list"],
    "games": ["games"],
    "law": ["law", "show", "washington-rule-sheet"],
    "house": ["house", "show", "docs/examples/house.toml"],
    "check": ["check", "dealer_flow/games/three-card/co.deal.toml"],
    "convert": ["convert", "--help"],
    "replay": ["replay", "captures/clean-1.pcapng"],
    "histories": ["histories", "--help"],
    "export": ["export", "captures/holdem.co.evening.pcapng", "--ohh"],
    "decode": ["decode", "--hex"],
    "dialect": ["dialect", "list"],
    "settle": ["settle"],
    "odds": ["odds", "three-card.co", "--bet", "pair-plus", "--paytable", "TC-PP-1"],
    "audit-paytables": ["audit-paytables", "three-card.co"],
    "wireshark": ["wireshark", "install", "--help"],
    "doctor": ["doctor"],
}
"""Commands that work on every system, each as it is tried."""


def on(system: str, *arguments: str, given: str = "") -> tuple[int, str, str]:
    program = [sys.executable, "-m", "tests.support.programs.other_system", system, *arguments]
    done = subprocess.run(program, input=given, capture_output=True, text=True, timeout=PATIENCE_S, cwd=ROOT)
    assert "Traceback" not in done.stderr, done.stderr
    return done.returncode, done.stdout, done.stderr


def test_every_command_is_on_one_side() -> None:
    assert set(ANYWHERE) | POSIX_COMMANDS == set(COMMANDS)
    assert not set(ANYWHERE) & POSIX_COMMANDS


def test_the_page_says_of_every_command_where_it_works() -> None:
    rows = re.findall(r"^\| `dealwire ([a-z-]+)` \| (\w+) \| (\w+) \| (\w+) \|", PAGE.read_text(), re.MULTILINE)
    assert [row[0] for row in rows] == [*COMMANDS]
    for name, *works in rows:
        assert works == ["yes", "yes", "no" if name in POSIX_COMMANDS else "yes"], name


@pytest.mark.parametrize("name", [pytest.param(each, marks=pytest.mark.more) for each in sorted(POSIX_COMMANDS)])
def test_what_needs_posix_is_one_line_on_windows(name: str) -> None:
    code, out, err = on("win32", name)
    assert (code, out) == (Exit.USAGE, "")
    assert err == (
        f"dealwire: dealwire {name} needs Linux or macOS; docs/systems.md says which commands work on this system\n"
    )


def test_help_and_one_refusal_on_windows() -> None:
    code, out, _ = on("win32", "--help")
    assert (code, "replay" in out) == (Exit.GOOD, True)
    code, _, err = on("win32", "run", "table.toml")
    assert (code, err.count("\n")) == (Exit.USAGE, 1)


@pytest.mark.more
@pytest.mark.parametrize("name", sorted(ANYWHERE))
def test_what_works_everywhere_says_the_same_on_windows(name: str, tmp_path: Path) -> None:
    given = {"decode": HELLO, "settle": _round()}.get(name, "")
    arguments = ANYWHERE[name]
    code, out, err = on("win32", *arguments, given=given)
    here = subprocess.run(
        [sys.executable, "-c", PLAIN, *arguments], input=given, capture_output=True, text=True, cwd=ROOT
    )
    if name == "doctor":  # it says on which system it is
        assert (code, "no table can be served on this system" in out) == (here.returncode, True)
        return
    assert (code, out) == (here.returncode, here.stdout)
    assert "Error" not in err  # how far a count is, is said now and then, by the clock


def _round() -> str:
    """A round as NDJSON, as `replay --json` gives it."""
    done = subprocess.run(
        [sys.executable, "-m", "dealwire", "replay", "--json", "captures/clean-1.pcapng"],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    return "".join(f"{line}\n" for line in done.stdout.splitlines() if json.loads(line).get("type") == "round")


def test_the_library_is_imported_on_windows() -> None:
    code = (
        "from tests.support.programs.other_system import become; become('win32'); import dealwire, io\n"
        "for name in dealwire.__all__:\n"
        "    try: getattr(dealwire, name)\n"
        "    except ModuleNotFoundError as error: print(name, error.name)\n"
        "from dealwire import Table, TableTerms, load_game, load_procedure, replay\n"
        "game = 'flushes-gone-wild.co'\n"
        "table = Table(load_procedure(game), TableTerms(load_game(game)))\n"
        "print(sum(1 for _ in replay('captures/clean-1.pcapng', table)) > 0)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert done.stderr == ""
    assert done.stdout == "True\n"


@pytest.mark.more
def test_a_table_is_served_on_macos(tmp_path: Path) -> None:
    """A table on two lines, with a journal and its key, without all that Linux alone has."""
    said = tmp_path / "said.txt"
    program = [sys.executable, "-m", "tests.support.programs.other_system", "darwin", "run"]
    with simulators() as addresses, said.open("wb") as out:
        file = write_configuration(tmp_path, addresses, top="[console]\nport = 0\n[exports]\nndjson = true\n")
        process = subprocess.Popen([*program, str(file)], stdout=out, stderr=out, cwd=ROOT)
        try:
            text = said.read_text
            wait_until(lambda: process.poll() is not None or '"type":"settlement"' in text(), "a settlement")
        finally:
            process.terminate()
            code = process.wait(PATIENCE_S)
    assert (code, "Traceback" in said.read_text()) == (Exit.GOOD, False), said.read_text()
    assert "console: http://127.0.0.1:" in said.read_text()
