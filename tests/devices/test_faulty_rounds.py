"""A round over failing lines is the same round, or is reported as unreliable."""

import os
from collections import Counter

import pytest

from tests.support.evenings.faulty_rounds import (
    CLEAN,
    SCENARIOS,
    Plan,
    clean_round,
    deal_round,
    essence,
    plan_of,
    verdict,
)

SEEDS = int(os.environ.get("DEALWIRE_SEEDS", "80"))


@pytest.mark.more
def test_no_seed_gives_a_wrong_result() -> None:
    found = Counter(verdict(seed) for seed in range(SEEDS))
    wrong = [said for said in found if said.startswith("WRONG")]
    assert not wrong
    assert found["same"] > SEEDS / 3
    assert found["unreliable"]


def test_a_seed_is_one_run_and_no_other() -> None:
    assert plan_of(7) == plan_of(7) != plan_of(9)
    assert essence(deal_round(plan_of(7))) == essence(deal_round(plan_of(7)))


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_the_listener_at_the_device_says_what_a_clean_line_says(scenario: str) -> None:
    heard: list = []
    deal_round(Plan(scenario, (), CLEAN, ()), heard)
    assert essence(heard) == clean_round(scenario)


def test_faults_are_really_applied() -> None:
    kinds = Counter(kind for seed in range(200) for kind in plan_of(seed).kinds)
    assert set(kinds) == {"loss", "flips", "duplicates", "reorder", "delay", "stalls", "resets", "reboot"}
