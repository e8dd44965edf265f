"""The bench can fail: each device that is broken on purpose is caught, by the checks that should and by no other."""

import pytest

from tests.support.broken_devices import ALL_DEVICES, BEGIN, PAGE, Caught, caught_by, judge, published


@pytest.mark.parametrize("each", ALL_DEVICES, ids=lambda each: each.name)
def test_a_broken_device_is_caught_in_a_short_run(each: Caught) -> None:
    only = each.quick or each.by[:1]
    found = caught_by(judge(each.device, (*only, "always.*"), each.plan))
    assert found, f"{each.name} passes {only}"
    assert set(found) <= set(each.by), f"{each.name} is caught by what has nothing to do with it"


@pytest.mark.slow
@pytest.mark.parametrize("each", ALL_DEVICES, ids=lambda each: each.name)
def test_a_broken_device_is_caught_by_exactly_the_checks_that_should(each: Caught) -> None:
    found = set(caught_by(judge(each.device, kind=each.plan)))
    assert set(each.by) - found == set()
    assert each.spreads or found - set(each.by) == set()


def test_forty_mistakes_are_tried() -> None:
    assert len({each.name for each in ALL_DEVICES}) >= 40


def test_the_page_tells_who_catches_whom() -> None:
    page = PAGE.read_text()
    assert BEGIN in page
    assert page == published(page), "stale: python -m tests.support.broken_devices"
