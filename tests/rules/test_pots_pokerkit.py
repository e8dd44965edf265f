"""Pots compared with pokerkit: random hands with side pots, split pots and odd chips, cent by cent; 100,000 per family
with `make test-pots`."""

import pytest

from tests.support.oracles.pokerkit_hands import FORMS, judged
from tests.support.programs.compare_pots import compare_hand


@pytest.mark.every(8)
@pytest.mark.parametrize("name", FORMS)
def test_random_hands_are_settled_as_pokerkit_pays_them(name: str) -> None:
    for seed in range(100):
        compare_hand(name, seed)


def test_the_hands_are_such_as_tell_rules_apart() -> None:
    """Of two hundred hands, some have side pots, some are shared, some are not shown; pokerkit's odd chip and its side
    pots without a low hand also occur."""
    hands = [judged(FORMS["holdem-hi-lo-8"], seed) for seed in range(200)]
    assert sum(hand.pots > 1 for hand in hands) > 50
    assert sum(hand.split for hand in hands) > 20
    assert sum(all("??" in seat.cards for seat in hand.round.seats) for hand in hands) > 3
    assert sum(hand.differs > 0 for hand in hands) > 5
