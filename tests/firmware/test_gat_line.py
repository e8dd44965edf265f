"""The GAT line of the reference device: the same bytes as the simulated one, the checksums of FIPS, the plan."""

import hashlib
import hmac
import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner

from dealwire.cli import main
from firmware.same.gat import EndInC
from firmware.same.gat import main as compare
from protocol.gat import functions
from protocol.gat.codec import encode
from protocol.gat.functions import SpecialFunction, calculation
from protocol.gat.messages import ResultsQueryMessage
from tests.support.rigs.firmware import BUILD, make

pytestmark = pytest.mark.firmware

QUERIES = ("01 04 E3 01", "02 04 13 01", "03 07 02 00 01 74 01",
           "04 1B BA 00 47 65 74 20 53 70 65 63 69 61 6C 20 46 75 6E 63 74 69 6F 6E 73 2B 54",
           "04 12 BA 00 43 6F 6D 70 6F 6E 65 6E 74 09 63 09 31 31", "03 07 02 00 02 75 41")  # fmt: skip
IMAGE = bytes(range(256)) * 21


@contextmanager
def tdp_device(folder: Path, where: str, kind: str = "tdp-device-sanitized") -> Iterator[str]:
    """Run the program with a GAT line; yield its address."""
    make("sanitized")
    (image := folder / "image").write_bytes(IMAGE)
    words = [str(BUILD / kind), "shoe", "--tcp", "0", "--gat", where, "--image", str(image)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        try:
            yield json.loads(running.stdout.readline())["gat"]
        finally:
            running.terminate()
            errors = running.stderr.read()
    assert not errors, errors


def test_both_devices_answer_the_same_bytes(capsys: pytest.CaptureFixture[str]) -> None:
    make("host")
    assert compare(["--exchanges", "20000", "--seed", "1000000"]) == 0
    assert "0 differences" in capsys.readouterr().out


@pytest.mark.parametrize("key_bytes", [0, 1, 20, 63, 64, 65, 100])
@pytest.mark.parametrize("size", [0, 1, 55, 56, 63, 64, 65, 512, 5376])
def test_its_checksums_are_those_of_hashlib(key_bytes: int, size: int) -> None:
    make("host")
    image, key = IMAGE[:size], bytes(at % 251 + 1 for at in range(key_bytes))
    end = EndInC()
    try:
        end.start(image)
        name = SpecialFunction(functions.COMPONENT, ("firmware 1.0.0", functions.key_text(key)))
        end.wait(60, 1)
        assert end.arrive(encode(calculation(name))).hex() == "840503b872"
        end.wait(5, 40)
        result = b"".join(end.arrive(encode(ResultsQueryMessage(2, number)))[5:-2] for number in (1, 2))
    finally:
        end.close()
    digest = hmac.new(key, image, hashlib.sha1) if key else hashlib.sha1(image)
    assert f"<Checksum>{digest.hexdigest().upper()}</Checksum>".encode() in result


def test_a_fuzzer_finds_no_response_that_is_no_frame(tmp_path: Path) -> None:
    make("sanitized")
    seeds = [b"\x40\x00" + bytes((len(wire),)) + wire for wire in map(bytes.fromhex, QUERIES)]
    for at, seed in enumerate((*seeds, b"".join(seeds))):
        (tmp_path / f"seed-{at}").write_bytes(seed)
    done = subprocess.run([str(BUILD / "fuzz-gat"), "-runs=40000", "-max_len=600", "-seed=1", str(tmp_path)],
                          capture_output=True, text=True)  # fmt: skip
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("kind", ["path", "tcp"])
def test_the_program_is_verified_over_its_line(tmp_path: Path, kind: str) -> None:
    with tdp_device(tmp_path, str(tmp_path / "gat") if kind == "path" else "tcp:0") as address:
        words = ["device", "verify", "--gat", address, "--image", str(tmp_path / "image")]
        done = CliRunner().invoke(main, words, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    assert done.output.splitlines()[-1] == "every component is as expected"


def test_the_plan_passes(tmp_path: Path) -> None:
    with tdp_device(tmp_path, "tcp:0") as address:
        done = CliRunner().invoke(main, ["bench", "--gat", address], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    assert "none failed" in done.output


@pytest.mark.parametrize("where", ["tcp:x", "tcp:70000", "/no/such/folder/line"])
def test_a_line_that_cannot_be_is_one_line(where: str) -> None:
    make("host")
    done = subprocess.run(
        [str(BUILD / "tdp-device"), "shoe", "--tcp", "0", "--gat", where], capture_output=True, text=True
    )
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert where in done.stderr
