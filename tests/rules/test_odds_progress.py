"""Progress of a count: each engine reports steps that rise to the total, and the last report is the total."""

from math import comb
from typing import Any

import numpy as np
import pytest

from rules.odds.against import low_and_high, versus
from rules.odds.against.unseen_draw import count_exchanges
from rules.odds.against.versus import Contest, cases
from rules.odds.cards import dealt
from rules.odds.cards.dealt import CardDeck, count_dealt
from rules.odds.cards.more_cards import MoreCards
from rules.odds.cards.placed_sets import Pack, RowFinder, all_sets
from tests.rules.test_odds_splits import SplitContest, foul, middle, rank, two, whole
from tests.rules.test_odds_versus import best_five, plain

Steps = list[tuple[int, int]]


@pytest.fixture
def steps() -> Steps:
    return []


def test_splits_tell_every_so_many_hands(steps: Steps, monkeypatch: pytest.MonkeyPatch) -> None:
    """Twelve cards have 220 hands of three."""
    monkeypatch.setattr(low_and_high, "_AT_ONCE", 100)
    contest = low_and_high.SplitContest(rank, two, whole, foul, middle, deck=Pack((2, 9, 1)))
    assert isinstance(contest, SplitContest)
    low_and_high.splits(contest, lambda *step: steps.append(step))
    assert steps == [(0, 220), (100, 220), (200, 220), (220, 220)]


def test_further_cards_tell_how_many_came(steps: Steps) -> None:
    pack = Pack((2, 9, 1), 5)
    finder = RowFinder(pack, lambda cards: 0, 3)
    MoreCards(finder, 5, 2).counts(all_sets(pack.size, 3), 1, lambda *step: steps.append(step))
    assert steps == [(64, 105), (105, 105)]


def test_exchanges_tell_the_showdowns_that_are_counted(steps: Steps) -> None:
    pack = Pack((2, 3, 4, 5), 2)
    hands, seen = len(pack.alike(2).sets), len(pack.alike(3).sets)
    count_exchanges(pack, np.arange(hands, dtype=np.int64), 2, lambda *step: steps.append(step))
    assert {of for _, of in steps} == {3 * seen}
    assert len(steps) == hands
    assert steps == sorted(steps)
    assert steps[-1] == (3 * seen, 3 * seen)


@pytest.mark.parametrize(
    "contest",
    [
        Contest(best_five, cards=6, seen=6, deck=Pack((8, 9, 10, 11), 3), uses=5),
        Contest(plain, cards=3, seen=3, deck=Pack((2, 3, 4, 5, 6, 1), 3)),
    ],
    ids=["best of more", "all cards"],
)
def test_hands_against_the_dealer_tell_their_strengths_once_and_their_showdowns_twice(
    contest: Contest, steps: Steps, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(versus, "_AT_ONCE", 20)
    cases(contest, lambda *step: steps.append(step))
    hands = len(contest.deck.alike(contest.cards).sets)
    assert {of for _, of in steps} == {3 * hands}
    done = [each for each, _ in steps]
    assert done == sorted(done)
    assert (done[0], done[-1]) == (20, 3 * hands)
    assert hands in done
    assert all((each - hands) % 2 == 0 for each in done if each > hands)


def test_hands_of_a_deck_tell_how_many_they_speak_for(steps: Steps, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dealt, "_STEP", 5)
    found = count_dealt(lambda hand: len(hand), 2, CardDeck(), suited=None, progress=lambda *step: steps.append(step))
    assert found[2] == comb(52, 2)
    assert len(steps) > 1
    assert {of for _, of in steps} == {comb(52, 2)}
    assert [done for done, _ in steps] == sorted({done for done, _ in steps})
    assert steps[-1][0] <= comb(52, 2)


def test_a_hand_that_qualifies_below_one_that_does_not_is_refused() -> None:
    """All hands, or the best of more cards."""

    def pairs_alone(hand: Any) -> bool:
        return bool(hand.key == "pair")

    with pytest.raises(ValueError, match=r"^a hand above a qualifying one does not qualify$"):
        cases(Contest(plain, pairs_alone, cards=3, seen=3, deck=Pack((2, 3, 4, 1), 3)))
    with pytest.raises(ValueError, match=r"^a hand above a qualifying one does not qualify$"):
        cases(Contest(best_five, pairs_alone, cards=6, seen=6, deck=Pack((8, 9, 10, 11), 3), uses=5))
    with pytest.raises(
        ValueError, match=r"^the player sees some of his own cards, or all of them and perhaps one of the dealer's$"
    ):
        cases(Contest(plain, cards=3, seen=2, up=1, deck=Pack((2, 3, 4, 1), 3)))
