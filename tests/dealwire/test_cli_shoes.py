"""The command line at a card shoe: decode in every dialect, monitor over a real pseudo-terminal."""

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from dealwire.cli import main
from devices.clock import SystemClock
from devices.line.loop import Owner
from devices.simulator.host import SimulatorHost
from devices.simulator.shoe_table import SHOE, ShoeTable
from tests.support.evenings.simulated_shoe import DIALECTS, ShoeEvening

ACTS = ["fill", "begin 0", "draw", "draw"]


def lines_of(output: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in output.splitlines()]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_decode_explains_a_raw_log(dialect: str) -> None:
    log = b"\x05junk" + b"".join(data for _, data in ShoeEvening(ACTS, dialect).run().heard)
    done = CliRunner().invoke(main, ["decode", "--dialect", dialect, "--hex"], input=log.hex())
    assert done.exit_code == 0, done.output
    pieces, at = lines_of(done.output), 0
    for piece in pieces:
        assert piece["offset"] == at
        at += piece["length"]
    assert at == len(log)
    assert sum(piece.get("message") == "CardDrawn" for piece in pieces) >= 2


def test_decode_names_the_dialects_there_are() -> None:
    done = CliRunner().invoke(main, ["decode", "--dialect", "morse"], input=b"")
    assert done.exit_code == 2
    assert "unknown dialect 'morse'; allowed: tdp, angel-eye, bee-tek" in done.output


class Rig:
    """A simulated shoe on a pseudo-terminal, run by a thread of its own."""

    def __init__(self, dialect: str) -> None:
        self.table = ShoeTable(ACTS, dialect=dialect, pace_ns=20_000_000, boot_ns=300_000_000)
        self.bench, self._clock = SimulatorHost(self.table, {SHOE: "pty"}), SystemClock()
        self._over, self._thread = threading.Event(), threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        owner = Owner(self._clock)
        for member in (self.bench, *self.bench.lines.values()):
            owner.add(member)
        self.bench.start(self._clock.now_ns())
        while not self._over.is_set():
            owner.run(self._over.is_set, 0.05)
        owner.close()

    def close(self) -> None:
        self._over.set()
        self._thread.join()
        self.bench.close()


@pytest.fixture
def rig(request: pytest.FixtureRequest) -> Iterator[Rig]:
    made = Rig(request.param)
    yield made
    made.close()


@pytest.mark.parametrize("faces", [False, True], ids=["covered", "faces"])
@pytest.mark.parametrize("rig", DIALECTS, indirect=True, ids=str)
def test_monitor_prints_what_the_shoe_says(rig: Rig, request: pytest.FixtureRequest, faces: bool) -> None:
    dialect = request.node.callspec.params["rig"]
    command = ["monitor", "--shoe", rig.bench.addresses[SHOE], "--shoe-dialect", dialect, "--idle", "1", "--json"]
    done = CliRunner().invoke(main, [*command, "--faces"] if faces else command)
    assert done.exit_code == 0, done.output
    cards = [line["fields"]["card"] for line in lines_of(done.output) if line["event"] == "CardDrawn"]
    assert cards == [card.text if faces else "??" for card in rig.table.model.drawn]
    assert len(cards) == 2


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (
            ["--scenario", "race-5", "--shuffler", "pty"],
            "'race-5' is dealt from a card shoe; --shuffler does not apply",
        ),
        (["--scenario", "clean-1", "--shoe-dialect", "tdp"], "from a packet shuffler; --shoe-dialect does not apply"),
        (["--scenario", "race-5", "--shoe-dialect", "morse"], "'morse' is not one of 'tdp', 'angel-eye', 'bee-tek'"),
        (["--scenario", "race-5", "--faults", "0.5"], "--faults and --seed need --endless or --procedure"),
        (["--scenario", "race-5", "--shoe", "usb"], "shoe: no such line: 'usb'; allowed: 'pty' or 'tcp:PORT'"),
    ],
)
def test_sim_says_what_does_not_fit(options: list[str], says: str) -> None:
    done = CliRunner().invoke(main, ["sim", *options])
    assert done.exit_code != 0
    assert says in done.output + str(done.exception)


def test_sim_lists_races_too() -> None:
    listed = CliRunner().invoke(main, ["sim", "--list"]).output.splitlines()
    assert {"clean-1", "race-11", "races"} <= set(listed)


def test_monitor_without_a_line_says_which_there_are() -> None:
    done = CliRunner().invoke(main, ["monitor"])
    assert done.exit_code == 2
    assert "use --shuffler, --shoe or --controller" in done.output


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--procedure", "race-to-the-flush", "--shuffler", "pty"], "from a card shoe; --shuffler does not apply"),
        (["--procedure", "pai-gow.co", "--seats", "7"], "--seats: pai-gow.co has at most 6"),
        (["--procedure", "pai-gow.co", "--scenario", "clean-1"], "--scenario and --procedure exclude each other"),
        (["--procedure", "pai-gow.co", "--shoe", "pty"], "dealt from a packet shuffler; --shoe does not apply"),
        (["--procedure", "bonus-6.co", "--shuffler", "pty"], "dealt from a card shoe; --shuffler does not apply"),
        (["--procedure", "patience"], "patience"),
    ],
)
def test_sim_of_a_procedure_says_what_does_not_fit(options: list[str], says: str) -> None:
    done = CliRunner().invoke(main, ["sim", *options])
    assert done.exit_code != 0
    assert says in done.output + str(done.exception)


@pytest.mark.more
@pytest.mark.parametrize(
    ("procedure", "device"),
    [("ultimate-texas-holdem.co", "shuffler"), ("bonus-6.co", "shoe"), ("race-to-the-flush", "shoe")],
)
def test_sim_deals_a_procedure_without_end_on_pseudo_terminals(procedure: str, device: str, tmp_path: Path) -> None:
    dealwire = [sys.executable, "-m", "dealwire"]
    sim = [*dealwire, "sim", "--procedure", procedure, "--seats", "2", "--speed", "40", "--json"]
    with subprocess.Popen(sim, stdout=subprocess.PIPE, text=True) as devices:
        assert devices.stdout is not None
        lines = json.loads(devices.stdout.readline())["lines"]
        record = [*dealwire, "record", "-o", str(tmp_path / "a.pcapng"), "--rounds", "2", "--no-settle", "--json"]
        record += [f"--{device}", lines[device], "--controller", lines["table-controller"], "--procedure", procedure]
        done = subprocess.run([*record, "--timeout", "120"], capture_output=True, text=True)
        devices.terminate()
    assert done.returncode == 0, done.stderr
    rounds = [line for line in lines_of(done.stdout) if line["type"] == "round"]
    assert [(line["outcome"], line["incidents"]) for line in rounds] == [("complete", [])] * 2
