"""Odds from a hold'em game file against the dealer: equal to terms written by hand, on small decks."""

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest

from protocol.tomlfile import TomlFileError
from rules.game.load import load_game
from rules.odds.compute import odds
from rules.odds.decide.holdem_terms import HoldemCount
from rules.odds.holdem import solver as holdem_game
from rules.odds.holdem.count import count_holdem
from rules.odds.holdem.deck import HoldemDeck
from rules.odds.question import OneDeck, Question
from rules.odds.returns import Odds
from rules.odds.solvers import answers_for
from tests.rules.test_odds_holdem import BONUS_POKER, CHAMPION_FIVE, CHAMPION_SEVEN, ULTIMATE
from tests.support.oracles.holdem_by_hand import ByHand
from tests.support.oracles.odds_summed import deals
from tests.support.reading.each import of_each

HEAD = """
schema = "dealwire.game/3"
id = "small"
name = "Small"
jurisdiction = "Colorado"
procedures = ["PROCEDURE"]
[hands.player]
of = { own = 2, community = 5 }
ranking = "poker"
clause = "1"
[hands.dealer]
of = { dealer = 2, community = 5 }
ranking = "poker"
clause = "1"
[qualifiers.dealer]
at-least = "2S 2H 3D 4C 5S"
words = "a pair or better"
clause = "1"
[[order]]
seats = "descending"
clause = "1"
[returns]
misdeal = "1"
defective-deck = "1"
[odds]
solver = "holdem"
"""
CLAUSES = 'clauses = { win = "1", lose = "1", fold = "1", tie = "1", unqualified = "1" }\n'


def bet(name: str, more: str = 'pays = "1 to 1"', fold: str = "lose", kind: str = "against") -> str:
    return f'[[bets]]\nname = "{name}"\nkind = "{kind}"\nfold = "{fold}"\n{more}\n{CLAUSES}'


ROWS = ("royal flush", "straight flush", "four of a kind", "full house", "flush", "straight")
TABLES = {
    "BLIND": dict(zip(ROWS, ("500 to 1", "50 to 1", "10 to 1", "3 to 1", "3 to 2", "1 to 1"), strict=True)),
    "ANTE": dict.fromkeys(ROWS, "1 to 1"),
    "ANTE-BONUS": dict(zip(ROWS, ("25 to 1", "10 to 1", "4 to 1", "1 to 1"), strict=False)),
}
GAMES = {
    "ultimate": (
        'bets = ["ante", "blind", "play"]\n'
        + bet("ante", 'pays = "1 to 1"\nunqualified = { then = "push" }')
        + bet("blind", 'paytables = ["BLIND"]')
        + bet("play", fold="absent"),
        ULTIMATE,
    ),
    "bonus": (
        'bets = ["ante", "flop", "turn", "river"]\n'
        + bet("ante", 'paytables = ["ANTE"]')
        + bet("flop", fold="absent")
        + bet("turn", fold="absent")
        + bet("river", fold="absent"),
        BONUS_POKER,
    ),
    "champion": (
        'bets = ["ante-blind", "play", "raise", "ante-bonus"]\n'
        + bet("ante-blind")
        + bet("ante-bonus", 'paytables = ["ANTE-BONUS"]\non = "ante-blind"', kind="table")
        + bet("play", fold="absent")
        + bet("raise", fold="absent"),
        CHAMPION_FIVE,
    ),
}
RANKS = (9, 10, 11, 12, 13)
PROCEDURES = {"flop": "texas-holdem-bonus.co", "raise": "champion.co"}
"""Procedure of a game with a bet of this name; the first one's for any other."""


def with_head(text: str) -> str:
    named = (procedure for name, procedure in PROCEDURES.items() if f'name = "{name}"' in text)
    return HEAD.replace("PROCEDURE", next(named, "ultimate-texas-holdem.co")) + text


Ask = Callable[[str], Question]


@pytest.fixture
def question(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ask:
    """A question on a game file with these bets, with a deck of ten cards in two suits."""
    (tmp_path / "paytables").mkdir()
    for name, rows in TABLES.items():
        text = "".join(f'{{ when = "{row}", pays = "{pays}", clause = "1" }},\n' for row, pays in rows.items())
        head = f'schema = "dealwire.paytable/1"\nid = "{name}"\ntitle = "{name}"\nkind = "poker"\n'
        (tmp_path / "paytables" / f"{name}.toml").write_text(f"{head}rows = [\n{text}]\n")
    monkeypatch.setattr(holdem_game, "_KEPT", {})

    def ask(text: str) -> Question:
        path = tmp_path / "small.toml"
        path.write_text(with_head(text))
        return Question(load_game(path), one=OneDeck(RANKS, 2))

    return ask


@pytest.mark.parametrize("name", GAMES)
def test_a_file_is_counted_as_its_terms(name: str, question: Ask) -> None:
    text, terms = GAMES[name]
    asked = question(text)
    own = [name for name, each in asked.game.bets.items() if not each.tip_for]
    counted = [each for each in odds(asked) if isinstance(each, Odds)]
    found = {each.bet: each for each in counted if "+" in each.bet or each.bet in own}
    before, ways = ByHand(terms, "9TJQK", "CD").count()
    total = sum(ways.values())
    first, *others = found.values()
    joined = first.bet.split("+")
    assert [each.bet for each in others] == joined
    by_place = [*(bet.name for bet in terms.first), *(each for each in joined if each not in GAMES_FIRST)]
    for at, bet_name in enumerate(by_place):
        if name == "champion" and bet_name == "ante-blind":
            continue  # the terms by hand have its bonus in it
        net = stake = Fraction(0)
        for (line, ending), number in ways.items():
            stakes, nets = terms.gains(line, ending)
            net, stake = net + number * nets[at], stake + number * stakes[at]
        assert -found[bet_name].house_edge == net / total, bet_name
        assert found[bet_name].average_bet == stake / total
    gains = [(sum(terms.gains(*way)[1], Fraction(0)), number) for way, number in ways.items()]
    assert -first.house_edge == sum((net * number for net, number in gains), Fraction(0)) / total
    squares = sum((net * net * number for net, number in gains), Fraction(0)) / total
    assert first.variance == squares - first.house_edge**2
    assert first.unit == joined[0]
    assert first.also["before_the_flop"].keys() == {str(units) for units in before.values()}
    assert sum(first.also["decisions"]["lines of play"].values()) == total


GAMES_FIRST = ("ante", "blind", "ante-blind", "ante-bonus")


OF_PACKAGE = {
    "ultimate-texas-holdem.co": ULTIMATE,
    "texas-holdem-bonus.co": BONUS_POKER,
    "champion.co": CHAMPION_FIVE,
    "champion.co-seven": CHAMPION_SEVEN,
}


@pytest.mark.parametrize("game", OF_PACKAGE)
def test_the_games_of_the_package_say_what_the_text_does(game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a small deck, the figures of every table equal those of terms read from the regulation for this test."""
    small = HoldemDeck(RANKS, 2)
    monkeypatch.setattr(holdem_game, "_KEPT", {})
    by_text = count_holdem(OF_PACKAGE[game], deck=small)
    question = Question(load_game(game), one=OneDeck(RANKS, 2))
    joined = "+".join(bet.name for bet in answers_for(question.game))
    for found in odds(question, joined):
        assert isinstance(found, Odds)
        gains = [(sum(by_text.terms.gains(*way)[1], Fraction(0)), number) for way, number in by_text.ways.items()]
        assert -found.house_edge * deals(by_text) == sum((net * number for net, number in gains), Fraction(0))
        assert found.also["decisions"]["lines of play"] == played(by_text, joined)


def played(counted: HoldemCount, joined: str) -> dict[str, int]:
    lines: Counter[str] = Counter()
    names = [name for name in joined.split("+") if name not in GAMES_FIRST]
    for (line, _), number in counted.ways.items():
        units = [f"{name} {units}" for name, units in zip(names, line.units, strict=True) if units]
        lines["fold" if line.folded else " ".join(units)] += number
    return dict(lines)


def test_the_blind_bets_rows_are_named(question: Ask) -> None:
    blind = next(
        each for each in odds(question(GAMES["ultimate"][0])) if isinstance(each, Odds) and each.bet == "blind"
    )
    assert {each.row for each in blind.outcomes} >= {"", "straight flush", "straight"}
    assert blind.paytable == "BLIND"


BOARD = "is not two cards and the board by the ranking poker"
NOT_COUNTED = ": ties, always, unless and a bet that stands after a fold are not supported"
PLAY = 'name = "play"\nkind = "against"'
UNFIT = [
    (
        'at-least = "2S 2H 3D 4C 5S"',
        'at-least = "3S 3H 2D 4C 5S"',
        "the dealer does not qualify by a category of hands",
    ),
    ("dealer = 2, community = 5", "dealer = 3, community = 4", f"hand 'dealer' {BOARD}"),
    ("own = 2, community = 5", "own = 3, community = 4", f"hand 'player' {BOARD}"),
    (
        'then = "push"',
        'then = "push", unless = [{ at-least = "AS AH 2D 3C 4S", then = "win", clause = "1" }]',
        f"ante{NOT_COUNTED}",
    ),
    (PLAY, f'{PLAY}\nalways = "stake-kept"', f"play{NOT_COUNTED}"),
    (PLAY, f'{PLAY}\nties = [{{ row = "pair", then = "push", clause = "1" }}]', f"play{NOT_COUNTED}"),
    (
        'name = "blind"\nkind = "against"\nfold = "lose"',
        'name = "blind"\nkind = "against"\nfold = "stands"',
        f"blind{NOT_COUNTED}",
    ),
]


@of_each("old, new, why", UNFIT)
def test_what_the_count_cannot_do_is_refused(old: str, new: str, why: str, question: Ask) -> None:
    text = GAMES["ultimate"][0]
    head = HEAD if old in HEAD else ""
    assert old in text or head
    asked = question(text.replace(old, new))
    if head:
        asked.game.path.write_text(with_head(text).replace(old, new))
        asked = Question(load_game(asked.game.path))
    with pytest.raises(TomlFileError) as told:
        list(odds(asked))
    assert str(told.value).endswith(f": odds: {why}")


def test_bets_that_are_raised_with_must_pay_alike(question: Ask) -> None:
    text = GAMES["bonus"][0]
    at = text.index('name = "river"')
    unlike = text[:at] + text[at:].replace('pays = "1 to 1"', 'pays = "2 to 1"', 1)
    assert unlike != text
    with pytest.raises(TomlFileError) as told:
        list(odds(question(unlike)))
    assert str(told.value).endswith(": odds: the raises do not all pay the same")
