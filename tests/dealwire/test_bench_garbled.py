"""A device with a wrong check, or none of the framing: the bench, the monitor and `decode` say which mistake it is."""

import binascii
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from dealwire.bench.plan.plan import load_plan
from dealwire.bench.run.rig import SimulatedRig
from dealwire.bench.run.runner import BenchChoices, run_plan
from dealwire.rehearsal.scenario_file import load_scenario
from dealwire.rehearsal.tables import SimulatedTable
from devices.clock import SystemClock
from devices.line.loop import Owner
from devices.simulator.host import SimulatorHost, TableModel
from protocol.errors import LineGarbled, NoAnswer
from tests.support.broken.base import Broken

PROGRAM = Path(sys.executable).with_name("dealwire")


def decoded(wire: bytes) -> bytes:
    """Out of COBS, group by group."""
    out, at = b"", 0
    while at < len(wire):
        code = wire[at]
        out += wire[at + 1 : at + code]
        at += code
        out += b"\0" if code < 255 and at < len(wire) else b""
    return out


def encoded(data: bytes) -> bytes:
    return b"".join(bytes([len(group) + 1]) + group for group in data.split(b"\0"))


class BigEndianCheck(Broken):
    """The device's own check, high byte first; what the host says it cannot read either."""

    @property
    def units(self) -> Mapping[str, object]:
        return self._table.units

    @property
    def finished(self) -> bool:
        return False

    def say(self, data: bytes) -> Iterator[bytes]:
        for part in data.split(b"\0"):
            if part:
                body = decoded(part)[:-4]
                yield b"\0" + encoded(body + binascii.crc32(body).to_bytes(4, "big")) + b"\0"

    def hear(self, data: bytes) -> Iterator[bytes]:
        yield from ()


class Babbling(Broken):
    """A console where the device should be."""

    def say(self, data: bytes) -> Iterator[bytes]:
        if data:
            yield b"# login: \r\n"


def run(device: Callable[[TableModel], TableModel]) -> None:
    rig = SimulatedRig("shuffler", wrap=device)
    run_plan(load_plan("link"), rig.wire, lambda _: rig.hands, BenchChoices(("frame.hello",)))


def test_the_bench_names_a_wrong_check() -> None:
    with pytest.raises(LineGarbled, match=r"shuffler: [0-9,]+ bytes, no frame: .*zlib, high byte") as it:
        run(BigEndianCheck)
    assert it.value.noise_bytes > 100


def test_the_bench_names_text() -> None:
    with pytest.raises(LineGarbled, match="it is text, such as '# login:'"):
        run(Babbling)


def test_silence_is_still_no_answer() -> None:
    class Silent(Broken):
        def say(self, data: bytes) -> Iterator[bytes]:
            yield from ()

    with pytest.raises(NoAnswer):
        run(Silent)


@contextmanager
def wrong_device() -> Iterator[str]:
    """A shuffler with a wrong check on a real pseudo-terminal, served by a process of its own."""
    code = "from tests.dealwire.test_bench_garbled import serve_wrong; serve_wrong()"
    root = Path(__file__).parents[2]
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, cwd=root) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.kill()


def serve_wrong() -> None:
    clock = SystemClock()
    host = SimulatorHost(BigEndianCheck(SimulatedTable(load_scenario("clean-1"))), {"shuffler": "pty"})
    owner = Owner(clock)
    for member in (host, *host.lines.values()):
        owner.add(member)
    host.start(clock.now_ns())
    print(host.addresses["shuffler"], flush=True)
    owner.run()


@pytest.mark.more
def test_the_commands_name_a_wrong_check() -> None:
    says = "no frame: the check is CRC-32 of zlib, high byte first\n"
    with wrong_device() as address:
        for arguments in (["monitor", "--shuffler", address, "-T", "4"], ["bench", "link", "--shuffler", address]):
            done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=120)
            assert done.returncode == 6, done.stderr
            assert done.stderr.endswith(says), done.stderr


def test_decode_names_a_wrong_check_below_what_it_prints() -> None:
    body = bytes.fromhex("01 00 04 07 00 00 40 01 0C 00 00 00 07 87 00 00")
    right = encoded(body + binascii.crc32(body).to_bytes(4, "little")) + b"\0"
    wrong = encoded(body + binascii.crc32(body).to_bytes(4, "big")) + b"\0"
    says = "dealwire: 22 bytes, no frame: the check is CRC-32 of zlib, high byte first\n"
    for stream, code, said in ((wrong, 6, says), (right + wrong, 0, "")):
        done = subprocess.run([PROGRAM, "decode"], input=stream, capture_output=True, timeout=60)
        assert (done.returncode, done.stderr.decode()) == (code, said)
        assert done.stdout.count(b"\n") == 1 + (said == "")
