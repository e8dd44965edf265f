"""A few evenings of every player-banked game through flow and settlement; `make test-poker` plays many."""

import pytest

from tests.support.evenings.poker_evenings import BETTING, CHOOSING, evening, evenings


@pytest.mark.parametrize("name", [*BETTING, *CHOOSING])
@pytest.mark.parametrize("seed", [1, 2])
def test_every_chip_of_an_evening_is_somewhere(name: str, seed: int) -> None:
    found = evening(name, seed)
    assert found["hands"] == found["settled"] >= 2


def test_evenings_have_what_may_happen() -> None:
    """Hands shown and not, chips gone all-in, side pots, pots shared."""
    found, wrong = evenings(("holdem.co", "omaha-hi-lo.co"), 1, 30, 600)
    assert wrong == []
    assert 0 < found["showdowns"] < found["hands"]
    assert min(found[each] for each in ("all_ins", "side_pots", "split", "rake")) > 0


@pytest.mark.slow
@pytest.mark.parametrize("name", [*BETTING, *CHOOSING])
def test_many_evenings(name: str) -> None:
    found, wrong = evenings((name,), 1_000, 100, 3_600)
    assert wrong == []
    assert found["evenings"] == 100
