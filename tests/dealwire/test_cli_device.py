"""`dealwire device`: meters and the measure of the firmware, on simulated devices."""

import hashlib
import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from dealwire.cli import main


def run(*args: str) -> Result:
    return CliRunner().invoke(main, ["device", *args])


def test_meters_as_a_table_and_as_lines() -> None:
    table = run("meters", "sim:shuffler?speed=50")
    assert table.exit_code == 0, table.output
    assert "shuffles_done     compartments              1  shuffles that ended" in table.output
    lines = [json.loads(line) for line in run("meters", "sim:shoe?speed=50", "--json").output.splitlines()]
    assert lines[0]["type"] == "device"
    assert {"meter": "decks", "component": "feed", "shown": 8}.items() <= lines[4].items()


def test_the_right_image_the_wrong_one_and_none(tmp_path: Path) -> None:
    good, bad = tmp_path / "good.bin", tmp_path / "bad.bin"
    good.write_bytes(b"1.0.0")
    bad.write_bytes(b"1.0.1")
    nonce = "00112233445566778899aabbccddeeff"
    digest = hashlib.sha256(bytes.fromhex(nonce) + b"1.0.0").hexdigest()
    right = run("verify", "sim:shoe?speed=50", "--image", str(good), "--nonce", nonce, "--json")
    assert (right.exit_code, json.loads(right.output)["digest"], json.loads(right.output)["same"]) == (0, digest, True)
    wrong = run("verify", "sim:shoe?speed=50", "--image", str(bad))
    assert (wrong.exit_code, wrong.output.splitlines()[-1]) == (1, "the firmware does NOT match the image")
    alone = run("verify", "-", "--digest-of", str(good), "--nonce", nonce, "--json")
    assert json.loads(alone.output)["digest"] == digest


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (("verify", "sim:shoe", "--nonce", "00"), 2),
        (("verify", "sim:shoe", "--image", "/no/such/file"), 2),
        (("verify", "sim:shoe", "--digest-of", __file__), 2),
        (("meters", "/dev/no-such-line"), 3),
    ],
)
def test_bad_input_is_one_line_and_its_code(args: tuple[str, ...], code: int) -> None:
    result = run(*args)
    assert result.exit_code == code
    assert len(result.output.splitlines()) == 1


def test_an_image_that_cannot_be_read_is_one_line(tmp_path: Path) -> None:
    for path, why in ((tmp_path / "none.bin", "No such file or directory"), (Path("/dev/null"), "")):
        result = CliRunner().invoke(main, ["sim", "--firmware", str(path)])
        assert result.exit_code == 2
        assert f"--firmware: {path}: {why}" in result.output.splitlines()[-1]


@pytest.mark.more
def test_simulated_devices_measure_the_image_that_they_are_given(tmp_path: Path) -> None:
    good, bad = tmp_path / "good.bin", tmp_path / "bad.bin"
    good.write_bytes(bytes(range(256)) * 100)
    bad.write_bytes(good.read_bytes()[:-1] + b"x")
    words = [
        sys.executable,
        "-m",
        "dealwire",
        "sim",
        "--firmware",
        str(good),
        "--operator-socket",
        str(tmp_path / "h"),
        "--json",
    ]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            lines = json.loads(process.stdout.readline())["lines"]
            for line in lines.values():
                assert run("verify", line, "--image", str(good)).exit_code == 0
                assert run("verify", line, "--image", str(bad)).exit_code == 1
                assert run("meters", line).exit_code == 0
        finally:
            process.terminate()
    assert {*lines} == {"shuffler", "table-controller"}
