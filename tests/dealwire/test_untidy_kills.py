"""The table service killed in the middle of an untidy hand: `tests/support/programs/untidy_kills.py` says what must
hold."""

import json
from pathlib import Path

import pytest

from tests.support.programs import untidy_kills
from tests.support.rigs.serving import published

pytestmark = pytest.mark.more


@pytest.mark.parametrize("reading", ["taken-back", "stands", pytest.param("binds", marks=pytest.mark.slow)])
def test_a_kill_around_every_line_of_an_untidy_hand(tmp_path: Path, reading: str) -> None:
    found = untidy_kills.run(tmp_path, 1, seed=3, readings=(reading,))
    assert found.wrong == []
    assert (found.hands, found.kills) == (1, len(untidy_kills.untidy(reading).lines))
    assert found.kills >= 20
    assert found.alone > 0


def test_a_service_that_saw_a_burn_too_early_is_killed(tmp_path: Path) -> None:
    """Nobody was silent until then: the next one knows that the card was burned too early, and lays it back."""
    hand, found = untidy_kills.untidy("taken-back"), untidy_kills.Figures()
    for name in ("calm", "killed"):
        (tmp_path / name).mkdir()
    wanted, burn = untidy_kills.views_of(tmp_path / "calm", hand, 1), untidy_kills.burn_of(hand)
    untidy_kills.killed_at(tmp_path / "killed", hand, 1, wanted, found, first=burn, manners=("heard",))
    assert found.wrong == []
    assert (found.hands, found.kills) == (1, len(hand.lines) - burn)
    codes = [each["code"] for each in json.loads(published(tmp_path / "killed", "round")[0].line)["incidents"]]
    assert {"burned-early", "burned-card-put-back"} <= {*codes}


def test_another_state_and_other_money_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The table is held against what it shows where another action is taken back, and against the pots of that hand."""
    monkeypatch.setattr(untidy_kills, "SLOW_S", 5.0)  # a device may be unknown for one second
    hand, other = untidy_kills.untidy("taken-back"), untidy_kills.untidy("binds")
    for name in ("calm", "killed"):
        (tmp_path / name).mkdir()
    wanted = untidy_kills.views_of(tmp_path / "calm", hand, 1)
    assert untidy_kills.at_the_end(tmp_path / "calm", "taken-back") == []
    assert "on paper: " in untidy_kills.at_the_end(tmp_path / "calm", "stands")[0]
    found = untidy_kills.Figures()
    untidy_kills.killed_at(tmp_path / "killed", other, 1, wanted, found)
    assert len(found.wrong) == 1
    assert found.wrong[0].startswith("after 'acts 3: call 200': ")


@pytest.mark.slow
def test_thirty_untidy_hands(tmp_path: Path) -> None:
    found = untidy_kills.run(tmp_path, 30, seed=100)
    assert (found.wrong, found.hands) == ([], 30)
