"""The benchmarks run and print figures. Their values are never asserted: they depend on the machine."""

import sys
from importlib import import_module
from pathlib import Path

import pytest
from click.testing import CliRunner

from benchmarks import __main__ as door
from benchmarks import archive, codec, journal, lines, replay, restart, restart_records, service
from benchmarks.table import Table, interleave
from dealer_flow.procedure.load import load_procedure
from dealwire.cli import main
from dealwire.table.table import Table as DealtTable
from dealwire.table.table import TableTerms
from rules.game.load import load_game

FOLDER = Path(door.__file__).parent
BRIEFLY_S = 0.01


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "COPIES", 2)
    monkeypatch.setattr(archive, "JOBS", (1, 2))
    monkeypatch.setattr(archive, "LEAST", 1)
    monkeypatch.setattr(codec, "FRAMES", 40)
    monkeypatch.setattr(restart, "BRIEFLY", (300,))
    monkeypatch.setattr(restart, "STARTS", 1)
    monkeypatch.setattr(lines, "SIZES", (1, 4))
    monkeypatch.setattr(lines, "LEAST_S", 0.1)
    monkeypatch.setattr(service, "TABLES", 1)
    monkeypatch.setattr(service, "SPEED", 200.0)
    monkeypatch.setattr(service, "LEAST_S", 1.5)
    monkeypatch.setenv("MAVLINK20", "1")  # a peer sets it; put back afterwards


def is_figure(cell: str) -> bool:
    return cell.replace(",", "").replace(".", "", 1).isdigit() and float(cell.replace(",", "")) > 0


def test_the_door_knows_every_benchmark() -> None:
    found = {path.stem for path in FOLDER.glob("*.py") if "def run(" in path.read_text(encoding="utf-8")}
    assert sorted(door.MODULES) == sorted(found)


WITH_PROGRAMS = ("archive", "held", "restart", "service")
"""Benchmarks that start programs repeatedly and take longer than all others together."""


@pytest.mark.more
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow) if name in WITH_PROGRAMS else name for name in door.MODULES]
)
def test_each_runs_and_every_row_is_figures_or_says_why_not(name: str) -> None:
    table: Table = import_module(f"benchmarks.{name}").run(BRIEFLY_S)
    assert table.rows
    for row in table.rows:
        assert len(row) == len(table.columns)
        assert "not installed" in " ".join(row) or any(is_figure(cell) for cell in row)


def test_a_peer_that_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith(("pymodbus", "pymavlink"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "pymodbus", None)
    monkeypatch.setitem(sys.modules, "pymavlink", None)
    rows = {row[0]: row for row in codec.run(BRIEFLY_S).rows}
    assert rows["pymodbus RTU"][2] == "pymodbus is not installed"
    said = {row[2] for name, row in rows.items() if name.startswith("pymavlink")}
    assert said <= {"pymavlink is not installed", "fastcrc is not installed"}
    assert "pymavlink is not installed" in said
    assert is_figure(rows["dealwire TDP, a round's mix"][2])


def test_a_journal_that_cannot_seal_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives.ciphers.aead", None)
    rows = {row[0]: row for row in journal.run(BRIEFLY_S).rows}
    assert rows["journal, sealed, 8 a group"][1] == "cryptography is not installed"
    assert is_figure(rows["journal, unsealed, 64 a group"][1])


def test_one_table_deals_the_recordings_as_tables_of_their_own_do() -> None:
    recordings = [replay.InMemory(replay.CAPTURES / f"{name}.pcapng") for name in replay.NAMES]
    procedure, terms = load_procedure("flushes-gone-wild.co"), TableTerms(load_game("flushes-gone-wild.co"))
    shared, outcomes, incidents = DealtTable(procedure, terms), {"complete": 0}, 0
    for recording in recordings:
        own = DealtTable(procedure, terms)
        assert replay.deal([recording], own) == replay.deal([recording], shared) > 0
        assert own.outcomes.total() > 0
        for outcome, count in own.outcomes.items():
            outcomes[outcome] = outcomes.get(outcome, 0) + count
        incidents += own.incidents.total()
    assert (shared.outcomes, shared.incidents.total()) == (outcomes, incidents)


@pytest.mark.more
def test_the_command_prints_the_named_tables(capsys: pytest.CaptureFixture[str]) -> None:
    door.main([str(BRIEFLY_S), "replay"])
    printed = capsys.readouterr().out
    assert "Recorded bytes to results" in printed
    assert "Bytes to typed messages" not in printed
    with pytest.raises(SystemExit, match=f"^no benchmark named 'speed'; there are: {', '.join(door.MODULES)}$"):
        door.main(["speed"])


def test_cases_are_measured_in_turn_at_least_five_times() -> None:
    called: list[str] = []
    medians = interleave([lambda: called.append("a"), lambda: called.append("b")], 0)
    assert "".join(called) == "ab" * 6  # once to warm up
    assert len(medians) == 2


def test_a_journal_of_the_restarts_can_be_gone_on_with(tmp_path: Path) -> None:
    def holds(*what: str) -> None:
        arguments = [str(tmp_path / "journal.sqlite"), "--key", str(tmp_path / "journal.key")]
        done = CliRunner().invoke(main, ["journal", *what, *arguments])
        assert done.exit_code == 0, done.output

    for records in (400, 900):
        facts = restart_records.write(tmp_path, records, idle_s=restart.ROUNDS_IDLE_S)
        assert facts["records"] >= records
        assert facts["rounds"] > 0
        holds("rebuild", "--check-snapshots")
    assert restart_records.fill(tmp_path, 2000) > 0
    assert restart_records.write(tmp_path, 2300, idle_s=restart.ROUNDS_IDLE_S)["rounds"] > 0
    holds("verify")
