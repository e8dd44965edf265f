"""The bench at a device that attests: with the maker's key and without, with the image and with another."""

from __future__ import annotations

import pytest

from dealwire.bench.hands.operator import SimulatedOperator
from dealwire.bench.plan.plan import load_plan
from dealwire.bench.record import BenchOutcome
from dealwire.bench.run.rig import SimulatedRig
from dealwire.bench.run.runner import BenchChoices, run_plan
from devices.attestation import Maker
from tests.support.broken.attesting import ATTESTING_DEVICES, Attests
from tests.support.broken.base import Caught
from tests.support.broken.devices import caught_by, judge
from tests.support.rigs import attested as rig

GOOD, WRONG = rig.public_half(rig.MAKER), rig.public_half(rig.OTHER_MAKER)


@pytest.mark.parametrize(
    ("makers", "image", "why", "notes"),
    [
        ((Maker("dealwire", GOOD),), b"1.0.0", "", False),
        ((), b"1.0.0", "", True),
        ((Maker("dealwire", WRONG),), b"1.0.0", "its certificate is not one of its maker for dealwire", False),
        ((Maker("Other", GOOD),), b"1.0.0", "no trusted maker has the name 'dealwire'", False),
        ((), b"1.0.1", "it signed 5 bytes with SHA-256 92521fc3cbd964bd…; the image is another", True),
    ],
)
def test_certificate_and_image_are_judged(makers: tuple[Maker, ...], image: bytes, why: str, notes: bool) -> None:
    bench = SimulatedRig("shuffler", wrap=Attests)
    hands = bench.hands
    assert isinstance(hands, SimulatedOperator)
    choices = BenchChoices(("attest.*",), image=image, makers=makers)
    run = run_plan(load_plan("link"), bench.wire, lambda _: hands, choices)
    (result,) = [each for each in run.results if each.id == "attest.answers"]
    assert result.outcome is (BenchOutcome.FAILED if why else BenchOutcome.PASSED)
    assert why in (result.why or "")
    assert any("--makers" in note for note in result.notes) is notes


@pytest.mark.parametrize("each", ATTESTING_DEVICES, ids=lambda each: each.name)
def test_who_claims_to_attest_and_does_not_is_caught(each: Caught) -> None:
    assert caught_by(judge(each.device, each.by, each.plan)) == each.by


def test_a_device_that_does_not_attest_is_not_asked() -> None:
    bench = SimulatedRig("shuffler")
    hands = bench.hands
    assert isinstance(hands, SimulatedOperator)
    run = run_plan(load_plan("link"), bench.wire, lambda _: hands, BenchChoices(("attest.*",)))
    (result,) = [each for each in run.results if each.id == "attest.answers"]
    assert result.outcome not in (BenchOutcome.PASSED, BenchOutcome.FAILED)
