"""Hands of an exact number of cards from each place: the best of all choices, and files without a valid choice."""

import random
from itertools import combinations
from pathlib import Path

import pytest

from protocol.cards import DECK
from rules import TomlFileError, load_game
from rules.game.hand_input import best_allowed_hand, sizes_of
from rules.hands import ranking
from rules.hands.hand_spec import HandSpec
from tests.support.reading.game_files import flat_games

TAKES = "takes = { own = 2, community = 3 }"


def spec_of(**keys: object) -> HandSpec:
    return HandSpec.model_validate({"ranking": "poker", "clause": "c", **keys})


def test_the_best_of_all_choices() -> None:
    chance, poker = random.Random(3), ranking("poker")
    spec = spec_of(of={"own": 4, "community": 5}, takes={"own": 2})
    for _ in range(30):
        cards = tuple(chance.sample(DECK, 9))
        hands = [own + board for own in combinations(cards[:4], 2) for board in combinations(cards[4:], 3)]
        best = max(poker.rank(hand, {}).strength for hand in hands)
        assert best_allowed_hand(spec, cards, lambda hand: poker.rank(hand, {})).strength == best


def test_one_card_or_two_with_the_rest_of_the_board() -> None:
    """As in Hold'em Eighty-eight: one own card and four, or two and three."""
    spec = spec_of(of={"own": 2, "community": 5}, takes={"own": (1, 2)})
    assert sizes_of(spec) == [(1, 4), (2, 3)]
    assert sizes_of(spec_of(of={"own": 4, "community": 5}, takes={"own": 2, "community": 3})) == [(2, 3)]


@pytest.mark.parametrize(
    ("after", "why"),
    [
        ("takes = { own = 5 }", "takes.own: 5 cards, and `of` has 4; allowed: as many as `of` has"),
        ("takes = { dealer = 2 }", "takes.dealer: 2 cards, and `of` has 0; allowed: as many as `of` has"),
        ("takes = { own = 1, community = 3 }", "takes: cannot make a hand of 5 cards; poker ranks 5"),
        ("takes = { own = 2 }\nfill = 9", "takes: allowed only for places with an exact number of cards"),
    ],
)
def test_a_file_that_asks_for_what_cannot_be_is_named(tmp_path: Path, after: str, why: str) -> None:
    flat_games(tmp_path)
    path = tmp_path / "omaha.co.toml"
    text = path.read_text()
    assert TAKES in text
    path.write_text(text.replace(TAKES, after, 1))
    with pytest.raises(TomlFileError) as caught:
        load_game(path)
    assert why in str(caught.value)


POT_FAULTS = [
    (
        '[pot.high]\nhand = "player"',
        '[pot.high]\nhand = "dealer"',
        "pot.high.hand: unknown hand 'dealer'; allowed: player",
    ),
    ('}, qualifier = "jacks-or-better"', '}, qualifier = "jacks"', "pot.high.qualified: unknown qualifier 'jacks'"),
    ('high-qualifier = "jacks', 'hi-qualifier = "jacks', "pot.high.qualified: unknown reading 'hi-qualifier'"),
    (
        'name = "ante"',
        'name = "side-pot-1"',
        "'side-pot-1' is the name of the pot in a settlement; allowed: any other name",
    ),
    (
        'clause = "47.1-1010"',
        'clause = "c"\nclauses = { win = "c", lose = "c" }',
        "goes into the pot, whose clauses decide",
    ),
    ("bets = []", 'bets = ["pots"]', "order[1].bets: unknown bet 'pots'"),
]


@pytest.mark.parametrize(("before", "after", "why"), POT_FAULTS)
def test_a_pot_that_cannot_be_is_named(tmp_path: Path, before: str, after: str, why: str) -> None:
    flat_games(tmp_path)
    path = tmp_path / "holdem.co.toml"
    text = path.read_text().replace("[[order]]\n", "[[order]]\nbets = []\n")
    assert before in text
    path.write_text(text.replace(before, after, 1))
    with pytest.raises(TomlFileError) as caught:
        load_game(path)
    assert why in str(caught.value)


def test_a_wager_to_a_pot_needs_one(tmp_path: Path) -> None:
    flat_games(tmp_path)
    path = tmp_path / "pai-gow.co.toml"
    path.write_text(path.read_text() + '\n[[bets]]\nname = "more"\nkind = "to-pot"\nclause = "c"\n')
    with pytest.raises(TomlFileError, match=r"a bet of kind to-pot needs a \[pot\]"):
        load_game(path)
