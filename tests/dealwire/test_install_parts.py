"""Tables alone: nothing of the bench, the odds or the rehearsal is loaded at a table, or needed there."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from dealwire.cli.exits import Exit
from dealwire.cli.needs import PARTS
from dealwire.host import EXTRAS
from tests.support.rigs.patience import PATIENCE_S, wait_until
from tests.support.rigs.serving import rounds_in, simulators_here, write_configuration

ROOT = Path(__file__).parents[2]
PACKAGES = ("protocol", "devices", "dealer_flow", "rules", "dealwire")
OF_EXTRAS = sorted({name for extra in EXTRAS.values() for name in extra.modules} | {"paho", "markupsafe"})
"""Modules that only extras install: `pip install dealwire` alone brings none of them."""
NOT_AT_A_TABLE = (*PARTS, "numpy", "reportlab", "rich", "aiomqtt", "paho", "psycopg", "prometheus_client", "usb")
NOT_AT_A_TABLE += ("argon2", "webauthn", "joserfc")
WEB = ("starlette", "uvicorn", "h11", "websockets", "jinja2")
BARE = f"""
import importlib.abc, importlib.util, sys
class Absent(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition('.')[0] in {OF_EXTRAS}:
            raise ModuleNotFoundError(f'No module named {{name!r}}', name=name)
find_spec = importlib.util.find_spec
importlib.util.find_spec = lambda name, package=None: (
    None if name.partition('.')[0] in {OF_EXTRAS} else find_spec(name, package))
sys.meta_path.insert(0, Absent())
from dealwire.cli import main
main(prog_name='dealwire')
"""
"""The program where no extra is installed."""

WATCHED = """
import atexit, json, sys
atexit.register(lambda: json.dump(sorted(sys.modules), open(sys.argv[0], "w")))
from dealwire.cli import main
sys.argv = [{out!r}, "run", {file!r}]
main(prog_name="dealwire")
"""
"""A program that leaves the names of all its modules behind."""


def test_a_table_with_attached_lines_loads_nothing_else(tmp_path: Path) -> None:
    """It deals and settles a round, serves its page, and has loaded none of the parts that it does not use."""
    out = tmp_path / "modules.json"
    with simulators_here() as addresses:
        file = write_configuration(tmp_path, addresses, top="[console]\nport = 0\n")
        code = WATCHED.format(out=str(out), file=str(file))
        process = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stderr=subprocess.PIPE, text=True)
        try:
            wait_until(lambda: process.poll() is not None or rounds_in(tmp_path) >= 1, "a round")
        finally:
            process.terminate()
            _, said = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == Exit.GOOD, said
    loaded = json.loads(out.read_text())
    assert "dealwire.service.service" in loaded
    assert not [name for name in loaded if name.split(".")[0] in WEB], "the console is in a process of its own"
    assert not [name for name in loaded if name in NOT_AT_A_TABLE or name.startswith(tuple(f"{p}." for p in PARTS))]


@pytest.fixture(scope="module")
def tables_alone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program without the packages that a table does not use, as a small image may have it."""
    folder = tmp_path_factory.mktemp("alone")
    for package in PACKAGES:
        shutil.copytree(ROOT / package, folder / package, ignore=shutil.ignore_patterns("__pycache__"))
    for package in PARTS:
        shutil.rmtree(folder / package.replace(".", "/"))
    return folder


def alone(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    program = [sys.executable, "-P", "-c", BARE, *arguments]
    environment = {"PYTHONPATH": str(folder), "PATH": "", "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(program, capture_output=True, text=True, cwd=folder, env=environment, timeout=PATIENCE_S)


@pytest.mark.more
@pytest.mark.parametrize(
    ("extra", "arguments"),
    [
        ("bench", ["bench", "shuffler", "--simulated"]),
        ("rehearsal", ["sim"]),
        ("rehearsal", ["demo", "--no-wait"]),
        ("rehearsal", ["run"]),
        ("odds", ["odds", "three-card.co"]),
        ("odds", ["audit-paytables", "three-card.co"]),
        ("bench", ["operator", "scripted"]),
    ],
)
def test_a_command_names_the_extra_that_it_lacks(tables_alone: Path, extra: str, arguments: list[str]) -> None:
    done = alone(tables_alone, *arguments)
    assert (done.returncode, done.stdout) == (Exit.USAGE, ""), done.stderr
    package = next(name for name, brought_by in PARTS.items() if brought_by == extra)
    assert done.stderr.count("\n") == 1, done.stderr
    assert f"[{extra}]" in done.stderr
    assert "is not in this installation" in done.stderr, (package, done.stderr)


@pytest.mark.more
def test_tables_alone_check_serve_and_look_into_their_journal(tables_alone: Path, tmp_path: Path) -> None:
    with simulators_here() as addresses:
        file = write_configuration(tmp_path, addresses)
        file.write_text(file.read_text().replace('key-file = "journal.key"\n', ""))
        checked = alone(tables_alone, "run", "--check", str(file))
        assert (checked.returncode, "nothing wrong" in checked.stdout) == (Exit.GOOD, True), checked.stderr
        program = [sys.executable, "-P", "-c", BARE, "run", str(file)]
        environment = {"PYTHONPATH": str(tables_alone), "PATH": "", "PYTHONDONTWRITEBYTECODE": "1"}
        process = subprocess.Popen(program, cwd=tables_alone, env=environment, stderr=subprocess.PIPE, text=True)
        try:
            wait_until(lambda: process.poll() is not None or rounds_in(tmp_path) >= 1, "a round")
        finally:
            process.terminate()
            _, said = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == Exit.GOOD, said
    journal = str(tmp_path / "journal.sqlite")
    for arguments in (["journal", "verify", journal], ["journal", "rebuild", journal], ["list"]):
        done = alone(tables_alone, *arguments)
        assert done.returncode == Exit.GOOD, (arguments, done.stderr)
    for arguments in (["replay", str(ROOT / "captures/clean-1.pcapng")], ["doctor"], ["games"]):
        done = alone(tables_alone, *arguments)
        assert (done.returncode, "Traceback" in done.stderr) == (Exit.GOOD, False), (arguments, done.stderr)
