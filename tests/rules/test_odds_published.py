"""Engines over whole decks, compared with published figures that depend on every hand of the deck."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import comb
from pathlib import Path

import numpy as np
import pytest

from dealer_flow.games import files_of
from protocol.cards import Card
from rules.game.load import Game, load_game
from rules.hands import ranking
from rules.odds import Odds, Question, odds
from rules.odds.against.unseen_draw import showdowns
from rules.odds.cards.placed_sets import Pack, RowFinder, all_sets, places
from tests.support.reading.game_files import flat_paytables

JACKS_OR_BETTER = {"200 to 1": 799, "50 to 1": 49, "25 to 1": 24, "7 to 1": 8, "4 to 1": 5}
"""The pays of Vegas Double Action, and those of draw poker with which published figures were counted."""


def with_table(folder: Path, game: str, table: str, pays: Mapping[str, object]) -> Game:
    """Return a game of the package with other pays in one of its tables."""
    path = flat_paytables(folder / "paytables") / f"{table}.toml"
    text = path.read_text()
    for before, after in pays.items():
        assert text.count(f'"{before}"') == 1
        text = text.replace(f'"{before}"', f'"{after} to 1"')
    path.write_text(text)
    source = folder / f"{game}.toml"
    source.write_text(files_of("pays")[game].read_text())
    return load_game(source)


@pytest.mark.slow
def test_three_bets_two_of_which_may_be_taken_back(tmp_path: Path) -> None:
    """1000 for a royal flush, 200, 50, 11, 8, 5, 3, 2, and a pair of tens or better even money: an edge of 3.5057 %."""
    game = with_table(tmp_path, "let-it-ride.co", "LIR-3", {"500 to 1": 1000})
    (found,) = odds(Question(game, paytable="LIR-3"), "bet-1+bet-2+bet-dollar")
    assert isinstance(found, Odds)
    assert round(found.house_edge * 100, 4) == Fraction("3.5057")
    assert sum(found.also["decisions"]["bet 1"].values()) == comb(52, 3)
    assert sum(found.also["decisions"]["bet 2"].values()) == comb(52, 4)


@pytest.mark.slow
def test_three_streets_of_one_to_three_antes() -> None:
    bets = "ante+third-street+fourth-street+fifth-street"
    (found,) = odds(Question(load_game("mississippi-stud.co"), paytable="MS-01"), bets)
    assert isinstance(found, Odds)
    assert round(found.house_edge * 100, 4) == Fraction("4.9149")
    assert round(found.average_bet, 2) == Fraction("3.59")
    assert sum(found.also["decisions"]["street 1"].values()) == comb(52, 2)


@pytest.mark.slow
def test_draw_poker_of_jacks_or_better(tmp_path: Path) -> None:
    """Nine for a full house, six for a flush, 800 for 1 for a royal flush: a return of 99.5439 %."""
    game = with_table(tmp_path, "vegas-double-action.co", "VDA-HAND", JACKS_OR_BETTER)
    (found,) = odds(Question(game, paytable="VDA-HAND"), "hand")
    assert isinstance(found, Odds)
    assert found.returned == Fraction(1_653_526_326_983, 1_661_102_543_100)
    assert round(found.returned * 100, 4) == Fraction("99.5439")


@pytest.mark.slow
def test_the_card_laid_aside_counts_for_the_bonus_on_six() -> None:
    (found,) = odds(Question(load_game("wild-six.co"), paytable="W6-B1"), "draw-bonus")
    assert isinstance(found, Odds)
    royal = next(outcome for outcome in found.outcomes if outcome.row == "natural royal flush")
    assert royal.probability == Fraction(4 * 49, comb(54, 6))


@pytest.mark.slow
@pytest.mark.parametrize("seen", [(0, 5, 17, 30, 41, 52), (3, 7, 11, 15, 40, 44)])
def test_the_dealers_hands_beside_six_cards_one_by_one(seen: tuple[int, ...]) -> None:
    """A joker with a mixed hand; a flush draw."""
    pack = Pack(jokers=2)
    strengths: dict[tuple[int, ...], int] = {}

    def number(cards: Sequence[Card]) -> int:
        return strengths.setdefault(ranking("wild-six").rank(cards, {}).strength, len(strengths))

    met = RowFinder(pack, number, 3).rows(pack.sets(5))
    place = {strength: level for level, strength in enumerate(sorted(strengths))}
    levels = np.array([place[strength] for strength in strengths], np.int64)[met]
    cards = np.array([seen], np.uint8)
    found = showdowns(pack, 5, levels)
    at = np.searchsorted(found.numbers, pack.suit_free(cards)[0])
    left = np.setdiff1d(np.arange(pack.size, dtype=np.uint8), cards)
    mine = np.array([levels[places(np.delete(cards, aside, axis=1))][0] for aside in range(6)])
    lower, same = np.zeros(6, np.int64), np.zeros(6, np.int64)
    hands = all_sets(len(left), 6)
    for start in range(0, len(hands), 1 << 18):
        dealt = left[hands[start : start + (1 << 18)]]
        best = np.max([levels[places(np.delete(dealt, one, axis=1))] for one in range(6)], axis=0)[:, None]
        lower += (best < mine).sum(axis=0)
        same += (best == mine).sum(axis=0)
    # The cards are one set of their class: the value of the others decides which of them is laid aside.
    columns = [int(np.argmax(found.levels[at] == level)) for level in mine]
    assert (found.below[at, columns] == lower).all()
    assert (found.not_above[at, columns] == lower + same).all()
