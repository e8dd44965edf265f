"""A dealt hand for each reading that bets depend on, under every option: its money, and the lines that name it."""

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from rules.game.readings import READINGS
from rules.settlement import Settlement
from tests.support.reading.each import of_each
from tests.support.reading.paper import Paper, outcomes

CASES: Final[list[dict[str, Any]]] = tomllib.loads(Path(__file__).with_name("readings.toml").read_text())["case"]


def settled(case: dict[str, Any], option: str) -> Settlement:
    """Settle the hand of a case under one option of its reading."""
    return Paper(case["game"], {**case, "readings": {case["reading"]: option}}).settle()


def worked() -> Iterator[tuple[dict[str, Any], str]]:
    return ((case, option) for case in CASES for option in case["by"])


@of_each("case, option", worked, ids=lambda case: f"{case[0]['game']}: {case[0]['name']}, {case[1]}")
def test_a_hand_ends_as_the_option_has_it(case: dict[str, Any], option: str) -> None:
    settlement = settled(case, option)
    found = outcomes(settlement, 1)
    assert {bet: found.get(bet, "") for bet in case["by"][option]} == case["by"][option]
    named = {line.bet: line.reading for line in settlement.lines if line.reading}
    assert named == dict.fromkeys(case.get("named", {}).get(option, ()), case["reading"])
    assert settlement.readings[case["reading"]] == option


@pytest.mark.parametrize("reading", sorted({case["reading"] for case in CASES}))
def test_every_option_has_a_hand(reading: str) -> None:
    for case in (case for case in CASES if case["reading"] == reading):
        assert set(case["by"]) == set(READINGS[reading])
