"""The record of the firmware's deviations from MISRA C:2012: it is complete, and a further deviation is found."""

import shutil
from collections import Counter

import pytest

from firmware.deviations import differences, found, recorded

pytestmark = pytest.mark.firmware


def test_each_place_is_in_the_record_with_a_reason() -> None:
    if shutil.which("cppcheck") is None:
        pytest.skip("cppcheck is not installed (make test-firmware does)")
    places, lines = found()
    assert differences(places, recorded()) == [], lines


@pytest.mark.parametrize(
    ("rule", "file", "told"),
    [
        ("15.5", "src/link.c", "1 places, 0 recorded"),
        ("15.5", "src/frame.c", "3 places, 2 recorded"),
        ("17.2", "src/link.c", "rule 17.2 is departed from, and the record has no reason"),
    ],
)
def test_a_place_more_is_a_failure(rule: str, file: str, told: str) -> None:
    record = {"15.5": ("because", Counter({"src/frame.c": 2}))}
    places = {"15.5": Counter({"src/frame.c": 2})}
    assert differences(places, record) == []
    places.setdefault(rule, Counter())[file] += 1
    assert any(told in line for line in differences(places, record))


def test_a_place_less_is_told_and_a_rule_without_a_reason() -> None:
    record = {"15.5": ("because", Counter({"src/frame.c": 2})), "17.2": ("", Counter[str]())}
    said = differences({"15.5": Counter({"src/frame.c": 1})}, record)
    assert said == ["rule 17.2 has no reason", "rule 15.5, src/frame.c: 1 places, 2 recorded"]
