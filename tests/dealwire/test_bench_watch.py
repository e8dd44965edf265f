"""`dealwire bench --watch`: a device that is fixed while the bench waits at its line."""

import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from dealwire.rehearsal.scenario_file import load_scenario
from dealwire.rehearsal.tables import SimulatedTable
from devices.clock import SystemClock
from devices.line.loop import Owner
from devices.simulator.host import SimulatorHost
from protocol.tdp import messages as m
from protocol.tdp.codec import Envelope
from tests.support.broken.base import Broken, changed
from tests.support.rigs.ports import free_port

pytestmark = pytest.mark.more

PROGRAM = Path(sys.executable).with_name("dealwire")
ROOT = Path(__file__).parents[2]
LIMIT_S = 120


class WrongSession(Broken):
    """HELLO-REPLY gives another session than the device's own."""

    @property
    def units(self) -> Mapping[str, object]:
        return self._table.units

    @property
    def finished(self) -> bool:
        return False

    def said(self, envelope: Envelope) -> Iterator[bytes]:
        message = envelope.message
        yield (
            changed(envelope, session=message.session ^ 1)
            if isinstance(message, m.HelloReplyMessage)
            else envelope.body
        )


def serve_at(port: int, broken: bool) -> None:
    clock, table = SystemClock(), SimulatedTable(load_scenario("clean-1"))
    host = SimulatorHost(WrongSession(table) if broken else table, {"shuffler": f"tcp:{port}"})
    owner = Owner(clock)
    for member in (host, *host.lines.values()):
        owner.add(member)
    host.start(clock.now_ns())
    print("up", flush=True)
    owner.run()


@contextmanager
def device(port: int, *, broken: bool) -> Iterator[None]:
    """A device in a process of its own; at the end it is switched off."""
    code = f"from tests.dealwire.test_bench_watch import serve_at; serve_at({port}, {broken})"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        assert process.stdout is not None
        try:
            assert process.stdout.readline() == "up\n"
            yield
        finally:
            process.kill()


def watching(port: int) -> "subprocess.Popen[str]":
    words = ["bench", "link", "--shuffler", f"tcp://127.0.0.1:{port}", "--unattended", "--watch"]
    only = ["--only", "frame.hello", "--only", "commands.id-zero"]
    return subprocess.Popen(
        [PROGRAM, *words, *only], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def until(process: "subprocess.Popen[str]", words: str) -> str:
    """Return standard error up to a line with these words."""
    assert process.stderr is not None
    seen = ""
    for line in process.stderr:
        seen += line
        if words in line:
            return seen
    raise AssertionError(seen)


def test_what_failed_is_made_again_when_the_device_is_back_and_mended() -> None:
    port = free_port()
    with ExitStack() as stack:
        with device(port, broken=True):
            bench = stack.enter_context(watching(port))
            stack.callback(bench.kill)
            until(bench, "reconnect the device to repeat")
        with device(port, broken=False):
            out, err = bench.communicate(timeout=LIMIT_S)
    if "commands.id-zero: was not run, is passed\n" not in out:  # as it is when this machine was too busy to judge
        assert "FAIL  commands.id-zero: the session was not opened: refused, NO_SESSION" in out
        assert "commands.id-zero: was failed, is passed\n" in out
    assert "frame.hello: was" not in out
    assert "back: firmware " in err
    assert bench.returncode == 0, out + err
    assert "Incomplete: 2 of " in out


def test_it_can_be_ended_while_it_waits() -> None:
    port = free_port()
    with device(port, broken=True), watching(port) as bench:
        try:
            until(bench, "reconnect the device to repeat")
            bench.send_signal(signal.SIGINT)
            bench.communicate(timeout=LIMIT_S)
        finally:
            bench.kill()
    assert bench.returncode == 130


def test_it_makes_no_report_and_is_for_an_attached_device() -> None:
    for words in (
        ["--simulated"],
        ["--shuffler", "/dev/null", "--report", "x.json"],
        ["--shuffler", "/dev/null", "--json"],
    ):
        done = subprocess.run([PROGRAM, "bench", "link", *words, "--watch"], capture_output=True, text=True, timeout=60)
        assert done.returncode == 2
        assert "--watch needs an attached device, and writes no report" in done.stderr
