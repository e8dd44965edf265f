"""Money on the outcomes of 208 Poker: wins under each reading, and the odds, compared with binomials worked on
paper."""

from collections.abc import Mapping
from fractions import Fraction
from math import comb

import pytest

from rules.game.load import load_game
from rules.kinds.proposition import PropositionBet
from rules.odds import NotComputed, Odds, Question
from rules.odds.propositions import proposition_odds
from rules.odds.unseen import points_odds
from tests.support.reading.paper import Paper, outcomes

THREE = comb(156, 3)
"""Number of sets of three cards from three decks."""
ON: Mapping[str, int] = dict.fromkeys(("royal-flush", "straight-flush", "ace-king-queen", "straight", "flush"), 25)


@pytest.mark.parametrize(
    ("community", "counts", "apart"),
    [
        ("AS KS QS", {"royal-flush", "straight-flush", "ace-king-queen", "straight", "flush"}, {"royal-flush"}),
        ("2S 4S 3S", {"straight-flush", "straight", "flush"}, {"straight-flush"}),
        ("AD KS QS", {"ace-king-queen", "straight"}, {"ace-king-queen"}),
        ("9D TS JS", {"straight"}, {"straight"}),
        ("9D TS KS", set(), set()),
    ],
)
def test_a_better_outcome_wins_the_lesser_ones_or_they_are_apart(
    community: str, counts: set[str], apart: set[str]
) -> None:
    seat = {"seat": 1, "cards": "5H 7C", "bets": {"ante": 500, "three-card": 125}}
    case = {"community": community, "seat": [seat | {"propositions": {"three-card": dict(ON)}}]}
    for reading, expected in (("counts", counts), ("apart", apart)):
        found = outcomes(Paper("208.co", case).settle(readings={"better-outcome": reading}), 1)
        won = {name.removeprefix("three-card ") for name, what in found.items() if what.startswith("win")}
        assert won == expected


def odds_of(bet: str, **readings: str) -> dict[str, Odds]:
    game = load_game("208.co")
    proposition = game.bets[bet]
    assert isinstance(proposition, PropositionBet)
    found = proposition_odds(
        Question(game, readings={name.replace("_", "-"): on for name, on in readings.items()}), proposition
    )
    return {each.reading["outcome"]: each for each in found if isinstance(each, Odds)}


def test_three_cards_of_three_decks() -> None:
    shares = {
        "three-identical": 52,
        "royal-flush": 4 * 27,
        "straight-flush": 4 * 12 * 27,
        "ace-king-queen": 4**3 * 27,
        "three-of-a-kind": 13 * comb(12, 3),
        "straight": 12 * 4**3 * 27,
        "flush": 4 * comb(39, 3),
        "two-identical": 52 * (comb(3, 2) * 153 + 1),
    }
    pays = {"three-identical": 2500, "royal-flush": 2000, "straight-flush": 300, "ace-king-queen": 200}
    pays |= {"three-of-a-kind": 125, "straight": 20, "flush": 15, "two-identical": 15}
    found = odds_of("three-card", better_outcome="counts")
    assert {name: each.hit_frequency for name, each in found.items()} == {
        name: Fraction(ways, THREE) for name, ways in shares.items()
    }
    assert {name: each.returned for name, each in found.items()} == {
        name: Fraction(ways * (pays[name] + 1), THREE) for name, ways in shares.items()
    }


def test_outcomes_that_are_apart_exclude_each_other() -> None:
    found = odds_of("three-card", better_outcome="apart")
    assert found["straight-flush"].hit_frequency == Fraction(4 * 11 * 27, THREE)
    assert found["straight"].hit_frequency == Fraction((4**3 - 4) * 11 * 27, THREE)
    assert sum(each.hit_frequency for each in found.values()) < 1


def test_one_card() -> None:
    found = odds_of("card-2", ace_over_under="low")
    assert {name: each.house_edge for name, each in found.items()} == {
        "card": Fraction(3, 52),
        "rank": Fraction(1, 13),
        "suit": Fraction(1, 13),
        "over-7": Fraction(1, 13),
        "under-7": Fraction(1, 13),
    }
    over = odds_of("card-2", ace_over_under="high")["over-7"]
    assert over.house_edge == -Fraction(1, 13)
    assert over.suspect


def test_what_nobody_defines_is_not_computed() -> None:
    game = load_game("208.co")
    bet = game.bets["card-1"]
    assert isinstance(bet, PropositionBet)
    (missing,) = (each for each in proposition_odds(Question(game), bet) if isinstance(each, NotComputed))
    assert missing.why == "the regulation does not say what wins split-deck-1, split-deck-2, split-deck-3"


def test_high_and_low_are_won_as_often_and_tied_for_the_dealer_apart() -> None:
    game = load_game("prospector.co")
    high, low = points_odds(Question(game), [game.bets["gold-high"], game.bets["silver-low"]])
    assert high.hit_frequency == low.hit_frequency
    ties = [sum(each.probability for each in odds.outcomes if each.what.startswith("tie")) for odds in (high, low)]
    assert ties[0] == ties[1] == 1 - 2 * high.hit_frequency
    lost = [sum(each.probability for each in odds.outcomes if each.what == "tie, lose") for odds in (high, low)]
    assert [odds.house_edge for odds in (high, low)] == lost
