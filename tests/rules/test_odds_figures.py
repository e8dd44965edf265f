"""Figures of a bet from its outcomes, and of bets decided together from a joint count, computed by hand."""

from decimal import Decimal
from fractions import Fraction

from rules.game.load import load_game
from rules.odds.joint import Ending, joint_odds
from rules.odds.question import Question
from rules.odds.returns import BetOutcome, NotComputed, Odds, root


def test_roulettes_figures_are_those_in_print() -> None:
    """A single number on a wheel of 37: edge 2.7027 %, standard deviation 5.8378."""
    ends = BetOutcome("win", Fraction(1, 37), Fraction(36)), BetOutcome("lose", Fraction(36, 37), Fraction(0))
    found = Odds("roulette", "number", None, {}, ends).to_dict()
    assert (found["house_edge"], found["house_edge_pct"], found["unit"]) == ("1/37", 2.702703, "number")
    assert found["hit_frequency"] == "1/37"
    assert found["variance"] == str(Fraction(36**3, 37**2))  # 35^2/37 + 36/37 - (1/37)^2
    assert found["standard_deviation"].startswith("5.8378")


def test_a_root_is_exact_where_it_is_whole_and_rounded_where_it_is_not() -> None:
    assert root(Fraction(9, 4)) == "1.5"
    assert root(Fraction(2)) == "1.41421356237309504880168872421"  # A002193
    assert root(Fraction(3)) == "1.73205080756887729352744634151"  # A002194
    assert Decimal(root(Fraction(1, 10**12))) == Decimal("0.000001")


def test_a_raise_is_staked_and_the_edge_stays_per_ante() -> None:
    """Ante 1, raise 2: half the hands fold, a quarter win both, a quarter lose both. The edge is half an ante, over two
    antes staked on average."""
    counted = {((1, 0), (-1, 0)): 2, ((1, 2), (1, 2)): 1, ((1, 2), (-1, -2)): 1}
    question = Question(load_game("flushes-gone-wild.co"))
    both, ante, play = joint_odds(question, ["ante", "play"], counted)
    assert (both.bet, both.unit, play.unit) == ("ante+play", "ante", "ante")
    assert (both.house_edge, both.average_bet, both.element_of_risk) == (Fraction(1, 2), 2, Fraction(1, 4))
    assert (ante.house_edge, ante.average_bet) == (Fraction(1, 2), 1)
    assert (play.house_edge, play.average_bet, play.hit_frequency) == (0, 1, Fraction(1, 4))
    assert both.variance == Fraction(2 * 1 + 9 + 9, 4) - Fraction(1, 4)
    assert [(each.what, each.probability) for each in play.outcomes] == [
        ("not made", Fraction(1, 2)),
        ("wins 2 on 2", Fraction(1, 4)),
        ("loses 2 of 2", Fraction(1, 4)),
    ]


def test_endings_that_are_alike_for_a_bet_are_one_outcome_of_it() -> None:
    counted = {
        Ending((1, 1), (1, 0), "win", ("", "push")): 3,
        Ending((1, 1), (1, 5), "win", ("", "flush")): 1,
        Ending((1, 1), (-1, -1), "lose"): 4,
    }
    question = Question(load_game("flushes-gone-wild.co"))
    both, ante, blind = joint_odds(question, ["ante", "blind"], counted, tables={"blind": "FGW-BLIND"})
    assert [each.probability for each in both.outcomes] == [Fraction(3, 8), Fraction(1, 8), Fraction(1, 2)]
    assert [each.probability for each in ante.outcomes] == [Fraction(1, 2)] * 2
    assert [each.row for each in blind.outcomes] == ["push", "flush", ""]
    assert (both.paytable, ante.paytable, blind.paytable) == ("FGW-BLIND", None, "FGW-BLIND")


def test_what_nobody_counted_says_so() -> None:
    assert NotComputed("pai-gow.co", "ante", 10**15, "no fold is known").to_dict() == {
        "schema": "dealwire.odds/2",
        "type": "odds",
        "game": "pai-gow.co",
        "bet": "ante",
        "computed": False,
        "deals": 10**15,
        "why": "no fold is known",
    }
