"""A way to play from a file: what its rules ask of the cards, what a wrong file is told, what it makes of the odds."""

from fractions import Fraction
from pathlib import Path

import pytest

from protocol.cards import parse_cards
from protocol.tomlfile import TomlFileError
from rules.errors import OddsRefused
from rules.game import load_game
from rules.odds import Odds, Question, odds
from rules.odds.strategy import load_strategy
from rules.odds.strategy_words import InView, RuleWhen, holds

EXAMPLES = Path(__file__).parent.parent.parent / "docs" / "examples"
HEAD = 'schema = "dealwire.strategy/1"\ntitle = "a rule"\n'


def asks(when: dict[str, object], cards: str, dealer: str = "", own: int = 0, game: str = "caribbean-stud.co") -> bool:
    held, up = tuple(parse_cards(cards)), tuple(parse_cards(dealer)) if dealer else ()
    return holds(RuleWhen.model_validate(when), InView(held, up, own or len(held), load_game(game)))


@pytest.mark.parametrize(("when", "cards", "expected"), [
    ({"at-least": "AS KH 4D 3C 2S"}, "AC KD 5D 3H 2C", True),
    ({"at-least": "AS KH 4D 3C 2S"}, "AC QD JD TH 9C", False),
    ({"makes": ("pair of 10s or better",)}, "TC TD 2S", True),
    ({"makes": ("pair of 10s or better",)}, "9C 9D AS", False),
    ({"makes": ("pair of 10s or better",)}, "2C 2D 2S", True),
    ({"makes": ("flush", "straight")}, "2C 3D 4H 5S 6S", True),
    ({"makes": ("two pair",)}, "2C 2D 4H 4S", True),
    ({"holds": "AK"}, "AC KD 2S", True),
    ({"holds": "AA"}, "AC KD 2S", False),
    ({"suited": 3}, "2C 9C KC 3D", True),
    ({"suited": 3, "spread": 5}, "2C 9C KC", False),
    ({"suited": 3, "spread": 5}, "9C TC KC", True),
    ({"suited": 3, "spread": 3}, "AC 2C 3C", True),
    ({"high": {"rank": "T", "cards": 2}}, "TC 9C AD", True),
    ({"high": {"rank": "T", "cards": 2}}, "9C 9D AD", False),
    ({"hole": ("A2s+",)}, "AC 2C", True),
    ({"hole": ("A2s+",)}, "AC 2D", False),
    ({"hole": ("K5o+",)}, "5D KC", True),
    ({"hole": ("K5o+",)}, "4D KC", False),
    ({"hole": ("33+",)}, "2D 2C", False),
    ({"hole": ("33+",)}, "AD AC", True),
    ({"hole": ("QJ",)}, "QD JD", True),
    ({"hole": ("QJ",)}, "QD TD", False),
    ({"without": {"holds": "A"}}, "KC KD", True),
    ({"any": ({"holds": "A"}, {"holds": "K"})}, "KC 2D", True),
    ({"holds": "K", "suited": 2}, "KC 2D", False),
])  # fmt: skip
def test_what_a_rule_asks_of_the_cards(when: dict[str, object], cards: str, expected: bool) -> None:
    assert asks(when, cards) == expected


def test_what_a_rule_asks_of_the_dealers_card() -> None:
    assert asks({"dealer": "TJQ"}, "AC 2C", "JD")
    assert not asks({"dealer": "TJQ"}, "AC 2C", "9D")
    assert asks({"dealer-matches": True}, "AC 9C", "9D")
    assert asks({"dealer-matches": False}, "AC 8C", "9D")


def test_what_a_rule_asks_of_a_players_two_cards_and_the_board() -> None:
    def hidden(cards: str, **when: object) -> bool:
        return asks({name.replace("_", "-"): value for name, value in when.items()}, cards, own=2)

    assert hidden("KC 2D KD 9S 4H", hidden_pair=True)
    assert not hidden("KC 2D 9D 9S 4H", hidden_pair=True)
    assert hidden("KC 2C 9C 4C 4H", hidden_draw="T")
    assert not hidden("9C 2D KC TC 4C", hidden_draw="T")


@pytest.mark.parametrize(("text", "why"), [
    ('[[rule]]\nstep = "river"\nchoose = "fold"', "rule[1].step: no decision 'river'; allowed: choice"),
    ('[[rule]]\nstep = "choice"\nchoose = "raise"', "rule[1].choose: no choice 'raise'; allowed: fold, play"),
    ('[[rule]]\nstep = "choice"\nchoose = "play"\nwhen = { makes = ["a pair"] }', "no row 'a pair'; allowed: 'royal"),
    ('[[rule]]\nstep = "choice"\nchoose = "play"\nwhen = { at-least = "QS 6H" }', "at-least"),
    ('[[rule]]\nstep = "choice"\nchoose = "play"\nwhen = { hole = ["2A"] }', "'2A' is no class of two cards"),
    ('[[rule]]\nstep = "choice"\nchoose = "play"\nwhen = { luck = 1 }', "luck"),
    ('[[rule]]\nstep = "choice"\nchoose = "play"\nwhen = { holds = "A" }', "'choice' says nothing of other hands"),
    ('game = "pai-gow.co"', "game: is for pai-gow.co, not for three-card.co"),
    ('[otherwise]\nriver = "fold"', "otherwise.river: no decision 'river'; allowed: choice"),
])  # fmt: skip
def test_a_wrong_file_is_told_where_and_what_is_allowed(tmp_path: Path, text: str, why: str) -> None:
    path = tmp_path / "rule.toml"
    path.write_text(HEAD + text)
    with pytest.raises(TomlFileError) as told:
        load_strategy(path, load_game("three-card.co"))
    assert why in str(told.value)
    assert str(path) in str(told.value)


def played(game: str, example: str, bets: str, table: str) -> tuple[Odds, Odds]:
    """The best play, and that of an example file."""
    question = Question(load_game(game), paytable=table)
    by_rule = Question(question.game, paytable=table, strategy=load_strategy(EXAMPLES / example, question.game))
    (best,), (rule,) = ([*odds(each, bets)] for each in (question, by_rule))
    assert isinstance(best, Odds)
    assert isinstance(rule, Odds)
    return best, rule


def test_queen_six_four_is_the_best_play() -> None:
    """3.3730 percent in every book, with 5, 4 and 1."""
    best, rule = played("three-card.co", "q-6-4.toml", "ante+play+ante-bonus", "TC-AB-1")
    assert round(float(rule.house_edge) * 100, 4) == 3.3730
    assert best.outcomes == rule.outcomes
    assert rule.also["strategy"] == "Q-6-4 or better"


def test_playing_every_hand_costs_what_it_does(tmp_path: Path) -> None:
    """Without a fold the dealer's hand is against a player's of equal chances: 7.65 percent in print."""
    path = tmp_path / "always.toml"
    path.write_text(HEAD + '[otherwise]\nchoice = "play"\n')
    game = load_game("three-card.co")
    question = Question(game, paytable="TC-AB-1", strategy=load_strategy(path, game))
    (found,) = odds(question, "ante+play+ante-bonus")
    assert isinstance(found, Odds)
    assert found.average_bet == 2
    assert round(float(found.house_edge) * 100, 2) == 7.65


@pytest.mark.slow
def test_a_rule_that_leaves_out_draws_is_worse_than_the_best_play() -> None:
    best, rule = played("let-it-ride.co", "let-it-ride.toml", "bet-1+bet-2+bet-dollar", "LIR-1")
    assert best.house_edge < rule.house_edge < best.house_edge + Fraction(1, 500)


def test_a_game_without_decisions_takes_no_strategy() -> None:
    strategy = load_strategy(EXAMPLES / "q-6-4.toml", load_game("three-card.co"))
    with pytest.raises(OddsRefused, match="strategy in a game counted by 'none'; allowed: against-dealer"):
        list(odds(Question(load_game("race-to-the-flush"), strategy=strategy)))


@pytest.mark.slow
def test_who_never_folds_and_buys_nothing_has_five_cards_of_a_deck(tmp_path: Path) -> None:
    """So many of the 2,598,960 hands, as any book has them, and what option A of Bonus 6 pays."""
    hands = {1000: 4, 100: 36, 50: 624, 20: 3_744, 6: 5_108, 4: 10_200, 3: 54_912, 2: 123_552, 1: 9 * 84_480}
    file = tmp_path / "never-fold.toml"
    file.write_text(
        'schema = "dealwire.strategy/1"\ntitle = "never fold"\n'
        '[otherwise]\nfirst-choice = "bet-2"\nsecond-choice = "bet-3"\n'
    )
    game = load_game("bonus-6.co")
    question = Question(game, paytable="B6-A", strategy=load_strategy(file, game))
    (found,) = (each for each in odds(question, "ante+second+third") if isinstance(each, Odds))
    back = Fraction(sum((pays + 1) * ways for pays, ways in hands.items()), 2_598_960)
    assert (found.house_edge, found.average_bet) == (3 * (1 - back), 3)


@pytest.mark.more
def test_cards_that_came_as_a_set_are_nobodys_own(tmp_path: Path) -> None:
    file = tmp_path / "own.toml"
    file.write_text(
        'schema = "dealwire.strategy/1"\ntitle = "own"\n'
        '[[rule]]\nstep = "fourth-choice"\nwhen = { any = [{ hole = ["AA"] }] }\nchoose = "fold-2"\n'
        '[otherwise]\nfourth-choice = "fourth-street"\n'
    )
    game = load_game("mississippi-stud.co")
    with pytest.raises(OddsRefused, match="'hole'; allowed: at-least"):
        list(odds(Question(game, strategy=load_strategy(file, game)), "ante"))
