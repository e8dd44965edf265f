"""Devices that lie, written without a look at the checks: each is named, or listed as invisible to any host."""

from collections import Counter

import pytest

from tests.support.lies.__main__ import LIES
from tests.support.lies.liar import DeviceLie
from tests.support.lies.playing import EVENINGS, failing_checks, honest_checks, honest_evening, lying_evening

NAMED = [lie for lie in LIES.values() if lie.bench or lie.flow or lie.held]
SOAK = 2
"""Rounds of the plan's soak: no lie here is one of a thousand rounds."""


def test_there_are_forty_of_a_shuffler_and_twenty_of_each_other_device() -> None:
    count = Counter(lie.device for lie in LIES.values())
    assert count["shuffler"] >= 40
    assert count["table-controller"] >= 20
    assert count["shoe"] >= 20


def test_of_each_lie_is_said_what_becomes_of_it() -> None:
    for lie in LIES.values():
        assert lie.does.endswith(".")
        assert lie.breaks
        assert lie.harm.endswith(".")
        said = [lie in NAMED, bool(lie.unseeable), bool(lie.gap)]
        assert said.count(True) == 1, f"{lie.id}: named, unseeable, or a gap"


@pytest.mark.more
@pytest.mark.parametrize("lie", NAMED, ids=lambda lie: lie.id)
def test_a_lie_is_named(lie: type[DeviceLie]) -> None:
    if lie.bench:
        # a rule judges the whole run, and what a check sees may hang on those before it
        only = () if lie.whole or any(each.startswith("always.") for each in lie.bench) else lie.bench
        failed = {each.id for each in failing_checks(lie(), lie.device, only, SOAK)}
        assert {*lie.bench} <= failed - {each.id for each in honest_checks(lie.device, lie.recognition, SOAK, only)}
    for evening, code in lie.flow:
        usual = honest_evening(lie.device, evening).incidents
        lied = lying_evening(lie(), lie.device, EVENINGS[evening]).incidents
        assert lied[code] > usual[code], f"{evening}: {lied - usual}"
    if lie.held:
        assert lying_evening(lie(), lie.device, EVENINGS[lie.held]).held > honest_evening(lie.device, lie.held).held
