"""VERIFY is held against the image that is given: a wrong digest is named, and a run without an image says so."""

import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from dealwire.bench.plan.plan import load_plan
from dealwire.bench.record import BenchOutcome
from dealwire.bench.report.conformance import sentence_of
from dealwire.bench.report.report import Report
from dealwire.bench.report.text import text_lines, to_junit
from dealwire.bench.run.reporting import report_of
from dealwire.bench.run.rig import SimulatedRig
from dealwire.bench.run.runner import BenchChoices, run_plan
from dealwire.bench.verbs.digests import mistake_of
from dealwire.cli import main
from devices.simulator.host import TableModel
from tests.dealwire.test_cli_bench import Attached
from tests.support.broken import instruments as broken

NONCE = bytes(range(0x40, 0x50))
IMAGE = b"firmware of 37 bytes, and of no more."


def judged(device: Callable[[TableModel], TableModel], *, image: bytes | None = None, given: bool = True) -> Report:
    rig = SimulatedRig("shuffler", speed=20, wrap=device)
    if not given:
        rig.wire.image = None
    only = BenchChoices(("verify.answers",), image=image)
    return report_of(run_plan(load_plan("link"), rig.wire, lambda _: rig.hands, only))


def why(report: Report) -> str:
    (check,) = [check for check in report.checks if check.id == "verify.answers"]
    return check.why


@pytest.mark.parametrize(
    ("device", "words"),
    [
        (broken.ShortNonce, "it is with the first 15 bytes of the nonce instead of 16"),
        (broken.RegionToo, "it is with the region's number before the image"),
        (broken.ShortImage, "it is of the first 4 of the image's 5 bytes"),
        (broken.ImageFirst, "it is of the image first, then the nonce"),
        (broken.OtherImage, "the firmware is not this image"),
    ],
)
def test_a_wrong_digest_is_named(device: Callable[[TableModel], TableModel], words: str) -> None:
    rig = SimulatedRig("shuffler")
    assert rig.wire.image is not None
    words = words.replace("4 of the image's 5", f"{len(rig.wire.image) - 1} of the image's {len(rig.wire.image)}")
    found = why(judged(device))
    assert found.startswith("Measured has digest ")
    assert found.endswith(words)


@pytest.mark.parametrize(
    ("made_of", "words"),
    [
        (IMAGE, "of the image alone, without the nonce"),
        (NONCE, "of the nonce alone, without the image"),
        (NONCE[::-1] + IMAGE, "with the nonce's bytes in the other order"),
        (NONCE[-8:] + IMAGE, "with the last 8 bytes of the nonce instead of 16"),
        (NONCE + IMAGE + b"\xff" * 27, "with 27 bytes of FFh behind the image, up to a multiple of 64"),
        (NONCE + IMAGE[4:], "of the image without its first 4 bytes"),
    ],
)
def test_the_usual_mistakes_are_known(made_of: bytes, words: str) -> None:
    assert mistake_of(hashlib.sha256(made_of).digest(), NONCE, IMAGE, 0) == words


def test_the_right_digest_is_no_mistake_and_a_digest_of_nothing_has_no_name() -> None:
    assert mistake_of(hashlib.sha256(NONCE + IMAGE).digest(), NONCE, IMAGE, 0) == ""
    assert mistake_of(bytes(32), NONCE, IMAGE, 0) == ""
    assert mistake_of(hashlib.sha3_256(NONCE + IMAGE).digest(), NONCE, IMAGE, 0).startswith("made by SHA3-256")


def test_without_an_image_the_report_says_that_the_digest_was_not_judged() -> None:
    report = judged(lambda table: table, given=False)
    (check,) = [check for check in report.checks if check.id == "verify.answers"]
    assert check.outcome is BenchOutcome.PASSED
    assert check.notes == ("the digest was not judged: no image was given (--image)",)
    head = "not given (--image): the digest of VERIFY was not compared"
    assert any(line.endswith(head) for line in text_lines(report))
    assert head in to_junit(report)
    assert b'"image"' not in report.to_bytes()


@pytest.mark.more
def test_the_sentence_of_conformance_says_so_too() -> None:
    rig = SimulatedRig("table-controller", speed=20)
    rig.wire.image = None
    report = report_of(run_plan(load_plan("link"), rig.wire, lambda _: rig.hands))
    assert sentence_of(report).startswith(
        "passed link 1.4, without SEALING and ATTESTATION, the digest of VERIFY not judged, plan digest "
    )


def test_the_digest_that_hello_reply_attests_is_held_against_the_image_too() -> None:
    class Measuring(broken.Digests):
        """It measures another image than the one it attests."""

        def taken(self, nonce: bytes, image: bytes) -> bytes:
            return nonce + b"other"

    attested = SimulatedRig("shuffler").wire.image or b""
    words = f"HELLO-REPLY gives the firmware's digest {hashlib.sha256(attested).hexdigest()[:16]}…"
    assert why(judged(Measuring, image=b"other")).startswith(words)


# ------------------------------------------------------------------ the command line


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["bench", *arguments])


def test_an_image_is_given_for_an_attached_device(tmp_path: Path) -> None:
    right, wrong = tmp_path / "right.bin", tmp_path / "wrong.bin"
    wrong.write_bytes(b"another firmware")
    only = ("link", "--unattended", "--only", "verify.answers")
    with Attached("tcp:0") as attached:
        right.write_bytes(attached.table.units["shuffler"].image)
        held = run(*only, "--shuffler", attached.address, "--image", str(right))
    with Attached("tcp:0") as attached:
        differs = run(*only, "--shuffler", attached.address, "--image", str(wrong))
    assert held.exit_code == 0, held.output
    assert f"Firmware image      SHA-256 {hashlib.sha256(right.read_bytes()).hexdigest()}" in held.output
    assert differs.exit_code == 1
    assert "nor is it that of a usual mistake: the firmware is not this image" in differs.output


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("link", "--simulated", "--image", __file__), "--image is for an attached device"),
        (("angel-eye", "--shoe", "tcp://127.0.0.1:1", "--image", __file__), "--image is for a device that uses TDP"),
        (("link", "--shuffler", "tcp://127.0.0.1:1", "--image", "/no/such"), "/no/such: No such file or directory"),
        (("link", "--shuffler", "tcp://127.0.0.1:1", "--image", "EMPTY"), "EMPTY: is empty"),
    ],
)
def test_an_image_that_cannot_be_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], says: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "EMPTY").touch()
    result = run(*arguments)
    assert result.exit_code == 2
    assert says in result.output
    assert result.output.count("\n") == 1
