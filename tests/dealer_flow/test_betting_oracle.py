"""Random hands in the flow and in pokerkit at once: whose turn it is, what is to call, when a round is over."""

from random import Random

import pytest

from tests.support.oracles.pokerkit_betting import Twice, holdem, stud

HANDS = 40


@pytest.mark.every(3)
@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("block", range(3))
def test_blinds_straddles_and_all_ins(block: int) -> None:
    """Two to six players without a limit but the hundred dollars, stakes from less than a blind to many bets."""
    assert sum(_played(holdem(Random(HANDS * block + number))) for number in range(HANDS)) > 4 * HANDS


@pytest.mark.every(2)
@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("block", range(2))
def test_the_high_hand_on_board_begins(block: int) -> None:
    assert sum(_played(stud(Random(HANDS * block + number))) for number in range(HANDS)) > 4 * HANDS


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("block", range(10))
def test_thousands_more(block: int) -> None:
    for number in range(10_000 + 300 * block, 10_300 + 300 * block):
        _played(holdem(Random(number)))
        if not number % 3:
            _played(stud(Random(number)))


def _played(hand: Twice) -> int:
    hand.play()
    return hand.actions
