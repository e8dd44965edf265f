"""Hostile frames on a sealed line: `make test-hostile` sends a million."""

import pytest

from tests.support.programs.hostile_frames import KINDS, attack


@pytest.mark.parametrize("seed", [1, 2])
def test_no_hostile_frame_is_accepted(seed: int) -> None:
    sent = attack(2_000, seed)
    assert sent.total() == 2_000
    assert set(sent) == set(KINDS)


@pytest.mark.more
def test_no_hostile_frame_of_many_is_accepted() -> None:
    assert attack(100_000, 30).total() == 100_000
