"""The whole path from device to settlement, as separate processes on real lines."""

import contextlib
import json
import os
import re
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from tests.support.rigs.ports import free_port

ROOT = Path(__file__).parent.parent
DEALWIRE = [sys.executable, "-m", "dealwire"]


def run(*arguments: str, timeout_s: float = 300) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*DEALWIRE, *arguments], capture_output=True, text=True, timeout=timeout_s, cwd=ROOT)


@contextmanager
def simulated(*arguments: str) -> Iterator[dict[str, str]]:
    with subprocess.Popen(
        [*DEALWIRE, "sim", "--json", "--speed", "40", *arguments], stdout=subprocess.PIPE, text=True, cwd=ROOT
    ) as process:
        assert process.stdout is not None
        try:
            yield json.loads(process.stdout.readline())["lines"]
        finally:
            process.terminate()


def objects(text: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in text.splitlines()]


def results(text: str) -> list[dict[str, object]]:
    return [item for item in objects(text) if item["type"] != "summary"]


def test_the_demo_ends_well() -> None:
    done = run("demo", "--speed", "60")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "identical" in done.stdout
    for outcome in ("complete", "dead", "misdeal"):
        assert outcome in done.stdout


@pytest.mark.more
def test_the_demo_waits_on_a_terminal_until_enter() -> None:
    """The console answers as long as the demo waits; without a terminal the demo ends on its own, see above."""
    master, slave = os.openpty()
    command = [sys.executable, "-m", "dealwire", "demo", "--speed", "60"]
    with subprocess.Popen(command, stdin=slave, stdout=slave, stderr=slave, start_new_session=True) as demo:
        os.close(slave)
        said = ""
        while "Press Enter to exit" not in said:
            more = os.read(master, 4096)
            assert more, said
            said += more.decode()
        address = re.findall(r"http://[\d.:]+/", said)[-1]
        try:
            with urllib.request.urlopen(address, timeout=300) as page:
                assert page.status == 200
            assert demo.poll() is None
        finally:
            os.write(master, b"\n")
        with contextlib.suppress(OSError):  # the terminal hangs up
            while more := os.read(master, 4096):
                said += more.decode()
        assert demo.wait(300) == 0
    os.close(master)
    assert said.index("identical") < said.index("Press Enter to exit")


@pytest.mark.more
def test_the_demo_keeps_its_recording_in_a_new_file_only(tmp_path: Path) -> None:
    earlier = tmp_path / "earlier.pcapng"
    earlier.write_bytes(b"precious")
    done = run("demo", "--speed", "60", "--keep", str(earlier))
    assert done.returncode == 2
    assert "earlier.pcapng" in done.stderr.splitlines()[-1]
    assert earlier.read_bytes() == b"precious"


@pytest.mark.more
@pytest.mark.parametrize("kind", ["pty", "tcp"])
def test_a_recorded_round_replays_as_it_was_seen(kind: str, tmp_path: Path) -> None:
    output = tmp_path / "round.pcapng"
    lines = [] if kind == "pty" else ["--shuffler", f"tcp:{free_port()}", "--controller", f"tcp:{free_port()}"]
    with simulated("--scenario", "player-short", *lines) as at:
        addresses = ["--shuffler", at["shuffler"], "--controller", at["table-controller"]]
        live = run("record", *addresses, "-o", str(output), "--rounds", "1", "--timeout", "30", "--json")
    assert live.returncode == 0, live.stderr
    replayed = run("replay", str(output), "--json")
    assert replayed.returncode == 0, replayed.stderr
    assert results(replayed.stdout) == results(live.stdout)
    assert [item["type"] for item in results(live.stdout)][-2:] == ["round", "settlement"]


@pytest.mark.more
def test_a_race_is_the_same_live_through_three_dialects_and_replayed(tmp_path: Path) -> None:
    """The recording names its procedure, so its replay needs no option."""
    told = []
    for dialect, kind in (("tdp", "pty"), ("angel-eye", "tcp"), ("bee-tek", "pty")):
        output = tmp_path / f"{dialect}.pcapng"
        lines = [] if kind == "pty" else ["--shoe", f"tcp:{free_port()}", "--controller", f"tcp:{free_port()}"]
        with simulated("--scenario", "race-5", "--shoe-dialect", dialect, *lines) as at:
            assert at.keys() == {"shoe", "table-controller"}
            addresses = ["--shoe", at["shoe"], "--shoe-dialect", dialect, "--controller", at["table-controller"]]
            told_by = ["--procedure", "race-to-the-flush", "--rounds", "1", "--timeout", "30", "--json"]
            live = run("record", *addresses, *told_by, "-o", str(output))
        assert live.returncode == 0, live.stderr
        replayed = run("replay", str(output), "--json")
        assert replayed.returncode == 0, replayed.stderr
        assert results(replayed.stdout) == results(live.stdout)
        deal, settlement = results(live.stdout)
        assert (deal["outcome"], settlement["status"]) == ("complete", "settled")
        told.append([{**item, "session": ""} for item in (deal, settlement)])
    assert told[0] == told[1] == told[2]


@pytest.mark.more
def test_monitor_prints_events_until_it_has_enough() -> None:
    with simulated("--scenario", "clean-1") as at:
        done = run(
            "monitor", "--shuffler", at["shuffler"], "--controller", at["table-controller"], "-n", "25", "--json"
        )
    assert done.returncode == 0
    found = objects(done.stdout)
    assert len(found) == 25
    assert {"LinkUp", "PacketDispensed", "WagerPlaced"} <= {item["event"] for item in found}
    dispensed = [item["fields"] for item in found if item["event"] == "PacketDispensed"]
    assert all(fields["cards"] == [] for fields in dispensed)  # type: ignore[index]


@pytest.mark.more
def test_a_line_in_use_is_busy() -> None:
    with (
        simulated("--scenario", "clean-1") as at,
        subprocess.Popen(
            [*DEALWIRE, "monitor", "--shuffler", at["shuffler"], "-n", "1000"],
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
        ) as first,
    ):
        assert first.stdout is not None
        first.stdout.readline()
        done = run("monitor", "--shuffler", at["shuffler"], "-T", "3")
        first.kill()
    assert done.returncode == 7
    assert len(done.stderr.splitlines()) == 1
    assert at["shuffler"] in done.stderr


def test_nobody_at_the_other_end_is_a_timeout(tmp_path: Path) -> None:
    master, slave = os.openpty()
    try:
        done = run("record", "--shuffler", os.ttyname(slave), "-o", str(tmp_path / "x.pcapng"), "--timeout", "0.5")
    finally:
        os.close(master)
        os.close(slave)
    assert done.returncode == 4
    assert "no answer from shuffler" in done.stderr.splitlines()[-1]


@pytest.mark.more
def test_an_earlier_recording_is_not_overwritten_unasked(tmp_path: Path) -> None:
    earlier = tmp_path / "earlier.pcapng"
    earlier.write_bytes(b"precious")
    with simulated("--scenario", "clean-1") as at:
        done = run("record", "--shuffler", at["shuffler"], "-o", str(earlier), "--timeout", "1")
    assert done.returncode == 2
    assert "earlier.pcapng" in done.stderr.splitlines()[-1]
    assert earlier.read_bytes() == b"precious"


@pytest.mark.more
def test_devices_that_go_away_and_come_back_are_found_again(tmp_path: Path) -> None:
    """The simulated table ends after its round and another starts on the same ports: one program serves both."""
    ports = ["--shuffler", f"tcp:{free_port()}", "--controller", f"tcp:{free_port()}"]
    output = tmp_path / "two.pcapng"
    addresses = [
        "--shuffler",
        ports[1].replace(":", "://127.0.0.1:"),
        "--controller",
        ports[3].replace(":", "://127.0.0.1:"),
    ]
    command = [*DEALWIRE, "record", *addresses, "-o", str(output), "--rounds", "2", "--timeout", "40", "--json"]
    with ExitStack() as first_devices:
        first_devices.enter_context(simulated("--scenario", "clean-1", *ports))
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT) as recorder:
            assert recorder.stdout is not None
            first = json.loads(recorder.stdout.readline())
            assert json.loads(recorder.stdout.readline())["type"] == "settlement"
            first_devices.close()
            with simulated("--scenario", "jam", *ports):
                rest, complaints = recorder.communicate(timeout=300)
    assert recorder.returncode == 0, complaints
    assert [item["type"] for item in objects(rest) if item["type"] != "incident"] == ["round", "settlement", "summary"]
    replayed = run("replay", str(output), "--json")
    live = [first, *(item for item in objects(rest) if item["type"] == "round")]
    assert [item for item in objects(replayed.stdout) if item["type"] == "round"] == live


@pytest.mark.more
def test_the_wrong_device_on_a_line_is_named() -> None:
    with simulated("--scenario", "clean-1") as at:
        done = run("monitor", "--shuffler", at["table-controller"], "-T", "5", "--no-reconnect")
    assert done.returncode == 6, done.stderr
    assert "table controller" in done.stderr
