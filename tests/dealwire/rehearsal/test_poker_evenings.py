"""A few evenings of every player-banked game through flow and settlement; `make test-poker` plays many."""

import pytest

from rules.settlement import Settlement
from tests.support.evenings.poker_evenings import BETTING, CHOOSING, PITCHED, evening, evenings


@pytest.mark.parametrize("name", [*BETTING, *CHOOSING])
@pytest.mark.parametrize("seed", [1, 2])
def test_every_chip_of_an_evening_is_somewhere(name: str, seed: int) -> None:
    found = evening(name, seed)
    assert found["hands"] == found["settled"] >= 2


def money(name: str, seed: int) -> list[tuple[object, ...]]:
    """Return what was settled in an evening, hand by hand."""
    settled = list[Settlement]()
    evening(name, seed, settled)
    lines = [tuple((line.seat, line.bet, line.result, line.net) for line in each.lines) for each in settled]
    return [(line, each.pots, each.totals, each.meters) for line, each in zip(lines, settled, strict=True)]


def test_every_game_between_players_is_dealt_out_of_the_hand() -> None:
    """47.1-1007(2), 47.1-1017.38(1): the cards of Trips Poker are virtual, and an electronic device deals them."""
    assert {*BETTING, *CHOOSING} - {name.removesuffix("-hand") for name in PITCHED} == {"trips.co"}


@pytest.mark.parametrize("name", PITCHED)
def test_an_evening_out_of_the_hand_has_the_money_of_the_shoe(name: str) -> None:
    found = money(name, 1)
    assert len(found) >= 2
    assert found == money(name.removesuffix("-hand"), 1)


@pytest.mark.more
@pytest.mark.parametrize("name", PITCHED)
def test_many_evenings_out_of_the_hand_have_the_money_of_the_shoe(name: str) -> None:
    """Play more than a thousand evenings in all."""
    for seed in range(2, 60):
        assert money(name, seed) == money(name.removesuffix("-hand"), seed), seed


@pytest.mark.more
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
