"""Strategies from files: the conditions of their rules, errors of invalid files, and the resulting odds."""

from fractions import Fraction
from pathlib import Path

import pytest

from protocol.cards import parse_cards
from protocol.tomlfile import TomlFileError
from rules.errors import OddsRefused
from rules.game.load import load_game
from rules.odds import Odds, Question, odds
from rules.odds.strategy.file import load_strategy
from rules.odds.strategy.seen_hands import RankedHands, codes_of, holds, units_for
from rules.odds.strategy.words import RuleWhen, first_own_condition
from tests.support.reading.each import of_each

EXAMPLES = Path(__file__).parent.parent.parent / "docs" / "examples"
HEAD = 'schema = "dealwire.strategy/1"\ntitle = "a rule"\n'


def asks(when: dict[str, object], cards: str, dealer: str = "", own: int = 0, game: str = "caribbean-stud.co") -> bool:
    return bool(holds(RuleWhen.model_validate(when), hands(cards, dealer, own, game))[0])


def hands(cards: str, dealer: str = "", own: int = 0, game: str = "caribbean-stud.co") -> RankedHands:
    """Return one hand, of which the first `own` cards are the player's own."""
    held, up = parse_cards(cards), parse_cards(dealer) if dealer else []
    own = own or len(held)
    return RankedHands(load_game(game), codes_of(held[:own]), codes_of(held[own:]), codes_of(up))


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


HOLES = [
    # class, cards that are of it, cards that are not
    ("77", "7C 7D", "8C 8D | 6C 6D | 7C 8D | AC 7D"),
    ("77+", "7C 7D | 8C 8D | AC AD", "6C 6D | 7C 8D | KC 7D"),
    ("A2s+", "AC 2C | AC 3C | 9H AH | AC KC", "AC 2D | AC AD | KC QC | 2C 3C"),
    ("A2s", "AC 2C | 2D AD", "AC 3C | AC 2D | AC AD | KC 2C"),
    ("K5o+", "KC 5D | QD KC", "KC 4D | KC 5C | KC KD | AC 5D | AC KD"),
    ("K5o", "5D KC", "KC 6D | KC 5C | KC 4D"),
    ("QJ", "QC JC | QC JD", "QC TC | QC QD | KC JC | JC TC"),
    ("Q9+", "QC 9D | QC TC | QC JD", "QC 8C | QC QD | KC 9C"),
    ("T9s", "TC 9C", "TC 9D"),
    ("2A", "", "AC 2C"),
    ("A", "", "AC AD"),
    ("AKx", "", "AC KC"),
    ("AA", "", "AC"),
]


@of_each("text, of_it, others", HOLES)
def test_classes_of_two_cards(text: str, of_it: str, others: str) -> None:
    for held, expected in ((of_it, True), (others, False)):
        for cards in filter(None, held.split(" | ")):
            assert asks({"hole": (text,)}, cards) is expected, cards


FEW = [
    # cards, too few for the game's ranking, and the best row that they make of those below
    ("7C 7D 7H 7S", "four of a kind"),
    ("7C 7D 7H 9S", "three of a kind"),
    ("7C 7D 9H 9S", "two pair"),
    ("7C 7D 9H TS", "pair of 7s or better"),
    ("6C 6D 9H TS", "pair"),
    ("7C 8D 9H TS", ""),
    ("AC KC QC", ""),
    ("7C 7D", "pair of 7s or better"),
    ("7C", ""),
]
RANKED = ("four of a kind", "full house", "three of a kind", "two pair", "pair of 7s or better", "pair")


@of_each("cards, best", FEW)
def test_cards_too_few_to_be_ranked_make_what_their_ranks_make(cards: str, best: str) -> None:
    first = next((row for row in RANKED if asks({"makes": (row,)}, cards)), "")
    assert first == best


def test_more_cards_than_are_ranked_make_what_their_ranks_make() -> None:
    """Of six cards, where three are ranked, two threes are a full house like a three and a pair."""
    for cards, best in (
        ("7C 7D 7H 9S 9C 9D", "full house"),
        ("7C 7D 7H 9S 9C 2D", "full house"),
        ("7C 7D 7H 9S KC 2D", "three of a kind"),
        ("7C 7D 9H 9S KC 2D", "two pair"),
    ):
        assert next(row for row in RANKED if asks({"makes": (row,)}, cards, game="three-card.co")) == best


SEEN = [
    # condition, cards, of them the player's own, whether it holds
    ({"hidden-pair": True}, "KC 2D KD 9S 4H", 2, True),
    ({"hidden-pair": True}, "KC KD 2D 9S 4H", 2, True),
    ({"hidden-pair": True}, "KC 2D 9D 9S 4H", 2, False),
    ({"hidden-pair": True}, "KC 2D 9D 9S 2H", 2, True),
    ({"hidden-pair": False}, "KC 2D 9D 9S 4H", 2, True),
    ({"hidden-pair": False}, "KC 2D KD 9S 4H", 2, False),
    ({"hidden-draw": "T"}, "TC 2C 9C 4C 4H", 2, True),
    ({"hidden-draw": "T"}, "9C 2C KC TC 4H", 2, False),
    ({"hidden-draw": "9"}, "9C 2D KC TC 4C", 2, True),
    ({"hidden-draw": "2"}, "9C 2D KC TC 4H", 2, False),
    ({"hidden-draw": "T"}, "KD 2C TC 9C 4C", 2, False),
    ({"hidden-draw": "2"}, "KD 2C TC 9C 4C", 2, True),
    ({"holds": "AAK"}, "AC AD KD", 0, True),
    ({"holds": "AAK"}, "AC KC KD", 0, False),
    ({"suited": 3}, "2C 9C KD 3D", 0, False),
    ({"suited": 3, "spread": 4}, "9C TC QC", 0, True),
    ({"suited": 3, "spread": 3}, "9C TC QC", 0, False),
    ({"suited": 3, "spread": 5}, "AC TC JC", 0, True),
    ({"suited": 3, "spread": 4}, "AC TC JC", 0, False),
    ({"suited": 3, "spread": 4}, "AC 3C 4C", 0, True),
    ({"suited": 3, "spread": 3}, "AC 3C 4C", 0, False),
    ({"suited": 3, "spread": 5}, "AD 3C 4C 7C 2D", 0, True),
    ({"high": {"rank": "T"}}, "TC 2D", 0, True),
    ({"high": {"rank": "J"}}, "TC 2D", 0, False),
    ({"high": {"rank": "2", "cards": 3}}, "2C 3D 4D", 0, True),
    ({"high": {"rank": "3", "cards": 3}}, "2C 3D 4D", 0, False),
    ({"without": {"holds": "A"}}, "AC KD", 0, False),
    ({"any": ({"holds": "A"}, {"holds": "K"})}, "QC 2D", 0, False),
    ({}, "QC 2D", 0, True),
]


@of_each("when, cards, own, expected", SEEN)
def test_each_word_on_both_sides_of_its_bound(when: dict[str, object], cards: str, own: int, expected: bool) -> None:
    assert asks(when, cards, own=own) is expected


@of_each("when, dealer, expected", [
    ({"dealer": "TJ"}, "TD", True), ({"dealer": "TJ"}, "JD", True), ({"dealer": "TJ"}, "QD", False),
    ({"dealer": "2"}, "2D", True), ({"dealer": "A"}, "AD", True), ({"dealer": "K"}, "AD", False),
    ({"dealer-matches": True}, "9D", True), ({"dealer-matches": True}, "8D", False),
    ({"dealer-matches": False}, "9D", False), ({"dealer-matches": False}, "8D", True),
    ({"dealer": "9", "dealer-matches": True}, "9D", True), ({"dealer": "A", "dealer-matches": True}, "9D", False),
])  # fmt: skip
def test_each_word_of_the_dealers_card(when: dict[str, object], dealer: str, expected: bool) -> None:
    assert asks(when, "AC 9C", dealer) is expected


def test_outs_are_the_cards_that_beat_the_hand_with_the_board() -> None:
    """Ace-king high with the board A Q 9 7 4 without a flush: any of the three others of its five ranks makes a pair,
    fifteen cards; another king only ties the player and does not count."""
    board, hole, game = "AC QD 9H 7S 4C", "KS 2D", "ultimate-texas-holdem.co"
    assert not asks({"outs-below": 15}, f"{hole} {board}", own=2, game=game)
    assert asks({"outs-below": 16}, f"{hole} {board}", own=2, game=game)


def test_a_hand_that_the_game_cannot_rank_is_refused_with_what_can_be_asked() -> None:
    for cards, number in (("AC KD 5D 3H", 4), ("AC KD 5D 3H 2C 9C QC JC TC 9D", 10)):
        with pytest.raises(OddsRefused) as told:
            asks({"at-least": "AS KH 4D 3C 2S"}, cards)
        assert str(told.value) == f"no odds for at-least with cards {number}; allowed: 5 to 9 in poker, makes"


ONLY = '[[rule]]\nstep = "choice"\nchoose = "play"\n'
NO_CLASS = "is not a class of two cards; allowed: 'QQ+', 'A2s+', 'KTo', 'QJ'"
WRONG = [
    ('[[rule]]\nstep = "river"\nchoose = "fold"', 4, "rule[1].step: no decision 'river'; allowed: choice"),
    ('[[rule]]\nstep = "choice"\nchoose = "raise"', 5, "rule[1].choose: no choice 'raise'; allowed: fold, play"),
    (ONLY + 'when = { makes = ["pair", "a pair"] }', 6, "rule[1].when.makes[2]: no row 'a pair'; allowed: "),
    (ONLY + 'when = { at-least = "QS 6H" }', 6, "rule[1].when.at-least: "),
    *(
        (ONLY + f'when = {{ hole = ["AA", "{text}"] }}', 6, f"rule[1].when.hole[2]: {text!r} {NO_CLASS}")
        for text in ("2A", "AAs", "TTo+", "A", "AKx", "9T+", "")
    ),
    (
        ONLY + "when = { spread = 3 }",
        6,
        "rule[1].when.spread: allowed only with suited: the number of ranks within which those cards fit",
    ),
    (ONLY + 'when = { without = { hole = ["2A"] } }', 6, f"rule[1].when.without.hole[1]: '2A' {NO_CLASS}"),
    (
        ONLY + 'when = { any = [{ holds = "A" }, { without = { spread = 3 } }] }',
        6,
        (
            "rule[1].when.any[2].without.spread: allowed only with suited: "
            "the number of ranks within which those cards fit"
        ),
    ),
    (
        ONLY + 'when = { holds = "A" }',
        4,
        "rule[1].step: 'choice' has no rule for other hands; give one under [otherwise]",
    ),
    ('game = "pai-gow.co"', 3, "game: is for pai-gow.co, not for three-card.co"),
    ('[otherwise]\nriver = "fold"', 4, "otherwise.river: no decision 'river'; allowed: choice"),
    ('[otherwise]\nchoice = "raise"', 4, "otherwise.choice: no choice 'raise'; allowed: fold, play"),
]


@of_each("text, line, why", WRONG)
def test_a_wrong_file_is_told_where_and_what_is_allowed(text: str, line: int, why: str, tmp_path: Path) -> None:
    path = tmp_path / "rule.toml"
    path.write_text(HEAD + text)
    with pytest.raises(TomlFileError) as told:
        load_strategy(path, load_game("three-card.co"))
    sentence = str(told.value)
    assert sentence.startswith(f"{path}:{line}: {why}")
    assert sentence.endswith(why) or why.endswith(("allowed: ", "at-least: "))


@of_each("text", [
    ONLY, ONLY + 'when = { hole = ["AA", "AK", "T9s+", "55+"] }\n' + ONLY, 'game = "three-card.co"\n' + ONLY,
    ONLY + 'when = { suited = 2, spread = 3 }\n[otherwise]\nchoice = "fold"', ONLY + ONLY,
    '[otherwise]\nchoice = "fold"',
])  # fmt: skip
def test_files_that_say_all_that_must_be_said(text: str, tmp_path: Path) -> None:
    path = tmp_path / "rule.toml"
    path.write_text(HEAD + text)
    assert load_strategy(path, load_game("three-card.co")).spec.title == "a rule"


def test_what_a_strategy_puts_on_the_table(tmp_path: Path) -> None:
    """The first rule that matches decides, in multiples of the lowest bet; otherwise the rule for other hands. Steps
    that the file does not name, or that the procedure does not have, are not covered."""
    path = tmp_path / "rule.toml"
    path.write_text(
        HEAD
        + '[[rule]]\nstep = "third-choice"\nwhen = { holds = "AA" }\nchoose = "third-street"\ntimes = 3\n'
        + '[[rule]]\nstep = "fourth-choice"\nwhen = { hole = ["AA"] }\nchoose = "fold-2"\n'
        + '[[rule]]\nstep = "third-choice"\nwhen = { holds = "A" }\nchoose = "third-street"\n'
        + '[otherwise]\nthird-choice = "fold-1"\nfourth-choice = "fourth-street"\n'
    )
    strategy = load_strategy(path, load_game("mississippi-stud.co"))

    def units(number: int, cards: str, own: int = 0) -> Fraction:
        (rule,), of_rule = units_for(strategy, number, hands(cards, own=own, game="mississippi-stud.co"))
        return of_rule[rule]

    assert [units(0, cards) for cards in ("AC AD", "AC 9D", "KC KD")] == [3, 1, 0]
    assert [units(1, cards, own=2) for cards in ("AC AD 2C", "2C AD AC")] == [0, 1]
    assert [strategy.covers_decision(number) for number in range(4)] == [True, True, False, False]
    assert [strategy.asks_of_own(number) for number in range(3)] == ["", "hole", ""]


@of_each("when, asked", [
    ({"hole": ("AA",)}, "hole"), ({"hidden-pair": True}, "hidden-pair"), ({"hidden-pair": False}, "hidden-pair"),
    ({"hidden-draw": "T"}, "hidden-draw"), ({"outs-below": 3}, "outs-below"), ({"without": {"hole": ("AA",)}}, "hole"),
    ({"any": ({"holds": "A"}, {"hidden-draw": "2"})}, "hidden-draw"), ({"holds": "A", "makes": ("pair",)}, ""),
    ({"any": ({"holds": "A"},), "without": {"suited": 3}}, ""),
])  # fmt: skip
def test_conditions_that_ask_which_cards_are_the_players_own(when: dict[str, object], asked: str) -> None:
    assert first_own_condition(RuleWhen.model_validate(when)) == asked


def played(game: str, example: str, bets: str, table: str) -> tuple[Odds, Odds]:
    """Return the best play, and that of an example file."""
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
    """Without a fold, the dealer's hand plays against a hand of equal chances: 7.65 percent in print."""
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
    """The number among 2,598,960 hands, as in any book, and the pays of option A of Bonus 6."""
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
