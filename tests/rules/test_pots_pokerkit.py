"""Pots against pokerkit: random hands with side pots, split pots and odd chips, cent by cent."""

import pytest

from rules import Game, load_game, settle
from tests.support.pokerkit_hands import FAMILIES, Family, judged
from tests.support.pot_rounds import must_add_up, nets

QUICK, WHOLE = 100, 100_000


def compare(family: Family, game: Game, seed: int) -> None:
    """One hand, settled by the program and by pokerkit."""
    theirs = judged(family, seed)
    ours = settle(theirs.round, game, readings=family.readings, token_cents=1)
    must_add_up(ours, theirs.round.seats)
    assert (ours.status, dict.fromkeys(theirs.nets, 0) | nets(ours)) == ("settled", theirs.nets), seed


@pytest.mark.parametrize("name", FAMILIES)
def test_random_hands_are_settled_as_pokerkit_pays_them(name: str) -> None:
    family = FAMILIES[name]
    game = load_game(family.game)
    for seed in range(QUICK):
        compare(family, game, seed)


@pytest.mark.slow
@pytest.mark.parametrize("name", FAMILIES)
def test_a_hundred_thousand_hands_are(name: str) -> None:
    family = FAMILIES[name]
    game = load_game(family.game)
    for seed in range(QUICK, WHOLE):
        compare(family, game, seed)


def test_the_hands_are_such_as_tell_rules_apart() -> None:
    """Of two hundred hands some have side pots, some are shared, some are not shown; pokerkit's odd chip and its side
    pots without a low hand are met, too."""
    hands = [judged(FAMILIES["holdem-hi-lo-8"], seed) for seed in range(200)]
    assert sum(hand.pots > 1 for hand in hands) > 50
    assert sum(hand.split for hand in hands) > 20
    assert sum(all("??" in seat.cards for seat in hand.round.seats) for hand in hands) > 3
    assert sum(hand.differs > 0 for hand in hands) > 5
