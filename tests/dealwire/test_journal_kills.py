"""SIGKILL at random instants, under load, over and over: `tests/support/programs/kills.py` says what must hold."""

from pathlib import Path

import pytest

from tests.support.programs import kills

pytestmark = pytest.mark.more


def test_ten_kills(tmp_path: Path) -> None:
    report = kills.run(tmp_path, 10, seed=1, rounds=26, calm=False)
    assert report.killed >= 5
    assert report.acknowledged >= 2 * report.rounds
    assert set(report.outcomes) <= {"complete", "unreliable"}
    assert report.outcomes["complete"] > report.outcomes["unreliable"]


@pytest.mark.slow
def test_two_hundred_kills() -> None:
    kills.main(200, seed=100)
