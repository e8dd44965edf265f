"""Bets that are not computed, with the full reason; and invalid questions."""

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from math import comb
from pathlib import Path
from typing import Any

import pytest

from protocol.cards import parse_cards
from rules.errors import OddsRefused
from rules.game.load import Game, load_game
from rules.game.schema import OddsSpec
from rules.odds import NotComputed, Odds, Question, odds
from rules.odds.against.endings import UnsupportedBet, Wagers
from rules.odds.against.played_by import chosen
from rules.odds.cards.decks import DealtFrom, chosen_bets, deals, dealt_from, keeps_cards
from rules.odds.cards.table_rows import TableRows
from rules.odds.returns import BetOutcome
from rules.odds.solvers import SOLVERS, answers_for, solver
from rules.odds.strategy.file import load_strategy
from rules.paytables.paytable import PayTable, parse_pay
from tests.support.reading.each import of_each

CHOICE = "it depends on the player's choices, and no solver is named for them"
KEPT = "it depends on which cards are kept, and no solver is named for that"
WHY = [
    ("holdem.co", "ante", "players bet against each other"),
    ("home-run.co", "strike-out", "players bet against each other"),
    ("boston-5.co", "first-wager", "no solver is named for a bet of kind against"),
    ("208.co", "three-card", "no solver is named for a bet of kind proposition"),
    ("3-5-7.co", "pot-3", "no solver is named for a bet of kind pot"),
    ("bonus-6.co", "insurance", "no solver is named for a bet of kind fee"),
    ("pai-gow.co", "wager", "no solver is named for a bet of kind split"),
    ("western-stud.co", "ante", "no solver is named for a bet of kind shared"),
    ("3-5-7.co", "seven-card", CHOICE),  # a part of it is given up
    ("bonus-6.co", "second", CHOICE),  # made by not folding
    ("let-it-ride.co", "bet-1", CHOICE),  # taken back
    ("let-it-ride.co", "bet-dollar", CHOICE),  # and paid by the table of those
    ("vegas-double-action.co", "hand", KEPT),
    ("colorado-holdem.co", "bonus", KEPT),
    (
        "longhorn.co",
        "bonus",
        "it depends on the number of cards taken from each place, and no solver is named for that",
    ),
]


def without_solver(name: str) -> Game:
    game = load_game(name)
    return replace(game, spec=game.spec.model_copy(update={"odds": OddsSpec()}))


@of_each("name, bet, why", WHY)
def test_what_the_cards_alone_do_not_decide(name: str, bet: str, why: str) -> None:
    game = without_solver(name)
    (found,) = (each for each in odds(Question(game), bet) if each.bet == bet)
    assert found == NotComputed(game.id, bet, deals(game), why)


def changed(game: Game, bet: str, **changes: Any) -> Game:
    """Return the game with another hand for this bet."""
    hand = game.bets[bet].hand
    spec = game.spec.hands[hand].model_copy(update=changes)
    return replace(game, spec=game.spec.model_copy(update={"hands": {**game.spec.hands, hand: spec}}))


def test_a_hand_that_is_set_and_one_whose_size_is_open() -> None:
    game = without_solver("let-it-ride.co")

    def why(changes: Mapping[str, Any]) -> str:
        (found,) = odds(Question(changed(game, "three-card-bonus", **changes)), "three-card-bonus")
        assert isinstance(found, NotComputed)
        return found.why

    assert why({"part": "low"}) == "it depends on how the hand is set, and no solver is named for that"
    assert why({"of": {"own": (0, 3)}}) == KEPT
    assert why({"fill": 3}) == KEPT
    assert (
        why({"takes": {"own": 2}})
        == "it depends on the number of cards taken from each place, and no solver is named for that"
    )


def test_rows_that_pay_in_groups() -> None:
    game = without_solver("let-it-ride.co")
    name = game.bets["three-card-bonus"].paytables[0]
    table: PayTable = game.paytables[name]
    rows = tuple(row.model_copy(update={"group": str(at % 2)}) for at, row in enumerate(table.rows))
    grouped = replace(game, paytables={**game.paytables, name: table.model_copy(update={"rows": rows})})
    (found,) = odds(Question(grouped), "three-card-bonus")
    assert isinstance(found, NotComputed)
    assert found.why == "its rows pay in groups, and no solver is named for them"


def test_the_file_may_say_why_by_itself() -> None:
    game = load_game("pai-gow.co")
    (found,) = odds(Question(game), "wager")
    assert isinstance(found, NotComputed)
    assert game.spec.odds is not None
    assert found.why == game.spec.odds.not_computed["wager"]
    assert found.to_dict() == {
        "schema": "dealwire.odds/2", "type": "odds", "game": "pai-gow.co", "bet": "wager", "computed": False,
        "deals": found.deals, "why": found.why,
    }  # fmt: skip


REFUSED: list[tuple[str, str, dict[str, Any], str]] = [
    ("let-it-ride.co", "bet", {}, "bet 'bet'"),
    ("let-it-ride.co", "bet-1+bet", {}, "bet 'bet'"),
    ("let-it-ride.co", "", {"paytable": "LIR-0"}, "pay table 'LIR-0'"),
    ("let-it-ride.co", "", {"readings": {"joker-use": "any"}}, "reading 'joker-use'"),
    (
        "let-it-ride.co",
        "",
        {"readings": {"envy-trigger": "all"}},
        "reading envy-trigger 'all'; allowed: bettors, anyone",
    ),
    ("let-it-ride.co", "", {"meters": {"mega": 1}}, "meter 'mega'; allowed: meter"),
    ("let-it-ride.co", "", {"decks": 2}, "number of decks 2; allowed: 1"),
    ("race-to-the-flush", "", {"decks": 3}, "number of decks 3; allowed: 1, 2, 4, 6, 8"),
    (
        "let-it-ride.co",
        "three-card-bonus",
        {"paytable": "LIR-1"},
        "pay table of three-card-bonus 'LIR-1'; allowed: LIR-3CB-1",
    ),
    ("race-to-the-flush", "red+black", {}, "bets 'red+black'"),
]


@of_each("game, bet, asked, why", REFUSED)
def test_what_a_question_may_not_ask(game: str, bet: str, asked: dict[str, Any], why: str) -> None:
    with pytest.raises(OddsRefused) as told:
        list(odds(Question(load_game(game), **asked), bet))
    assert str(told.value).startswith(f"no odds for {why}")


def test_which_bets_a_solver_answers_for() -> None:
    names = {
        "bonus-6.co": ["ante", "second", "third", "insurance", "bonus-card"],
        "flushes-gone-wild.co": ["ante", "blind", "play"],
        "race-to-the-flush": [],
        "pai-gow.co": [],
        "three-card.co": ["ante", "play", "ante-bonus"],
    }
    assert {name: [bet.name for bet in answers_for(load_game(name))] for name in names} == names


@of_each("name, bets", [
    ("bonus-6.co", ["insurance", "bonus-card"]),
    ("caribbean-stud.co", ["ante", "bet"]),
    ("western-stud.co", ["high", "low"]),
])  # fmt: skip
def test_without_names_those_against_a_hand_those_made_by_not_folding_and_fees(name: str, bets: list[str]) -> None:
    game = load_game(name)
    unnamed = OddsSpec(solver="streets")
    found = answers_for(replace(game, spec=game.spec.model_copy(update={"odds": unnamed})))
    assert [bet.name for bet in found] == bets


def test_a_solver_that_nobody_wrote() -> None:
    game = load_game("bonus-6.co")
    guessed = replace(game, spec=game.spec.model_copy(update={"odds": OddsSpec(solver="guess")}))
    with pytest.raises(OddsRefused) as told:
        solver(guessed)
    assert str(told.value) == f"no odds for solver 'guess'; allowed: {', '.join(SOLVERS)}"


def test_what_a_game_is_dealt_from() -> None:
    assert dealt_from(load_game("caribbean-stud.co")) == DealtFrom(1, 0, (1,))
    assert dealt_from(load_game("pai-gow.co")) == DealtFrom(1, 1, (1,))
    assert dealt_from(load_game("race-to-the-flush")) == DealtFrom(1, 0, (1, 2, 4, 6, 8))
    assert dealt_from(load_game("texas-shootout.co")).decks == 6
    nowhere = load_game("caribbean-stud.co")
    nowhere = replace(nowhere, spec=nowhere.spec.model_copy(update={"procedures": ("nobody",)}))
    assert (dealt_from(nowhere), chosen_bets(nowhere), keeps_cards(nowhere)) == (DealtFrom(), frozenset(), False)


@of_each("game, ways", [
    ("caribbean-stud.co", comb(52, 5) * comb(47, 5)),
    ("race-to-the-flush", comb(52, 16)),
    ("let-it-ride.co", comb(52, 3) * comb(49, 2)),
    ("ultimate-texas-holdem.co", comb(52, 2) * comb(50, 5) * comb(45, 2)),
    ("three-card-split.co", comb(52, 3) * comb(49, 3) * 46),  # and a card of the bonus
    ("pai-gow.co", comb(53, 7) * comb(46, 7) * comb(39, 7)),  # and a dragon hand
    ("vegas-double-action.co", comb(52, 5) * comb(47, 5)),
])  # fmt: skip
def test_in_how_many_ways_a_hand_and_the_dealers_are_dealt(game: str, ways: int) -> None:
    """A hand that is set in two is the cards of both its parts."""
    assert deals(load_game(game)) == ways


def test_bets_that_hang_on_a_choice() -> None:
    assert chosen_bets(load_game("let-it-ride.co")) >= {"bet-1", "bet-2", "bet-dollar"}
    assert not chosen_bets(load_game("let-it-ride.co")) & {"bonus", "three-card-bonus", "progressive"}
    assert "seven-card" in chosen_bets(load_game("3-5-7.co"))
    assert not chosen_bets(load_game("race-to-the-flush"))
    assert [keeps_cards(load_game(name)) for name in ("vegas-double-action.co", "colorado-holdem.co", "holdem.co")] == [
        True, True, False,
    ]  # fmt: skip


def test_a_tip_has_the_odds_of_the_bet_it_is_for() -> None:
    """In units of its own if it is bet from the start."""
    game = load_game("let-it-ride.co")
    found = {each.bet: each for each in odds(Question(game, paytable="LIR-3CB-1"), of=["three-card-bonus"])}
    assert [*found] == ["three-card-bonus", "tip-three-card-bonus"]
    bet, tip = found["three-card-bonus"], found["tip-three-card-bonus"]
    assert isinstance(bet, Odds)
    assert tip == replace(bet, bet="tip-three-card-bonus", unit="tip-three-card-bonus")
    assert [each.bet for each in odds(Question(game, paytable="LIR-3CB-1"), "tip-three-card-bonus")] == [
        "tip-three-card-bonus"
    ]


# ------------------------------------------------------------------ parts that refuse


BEYOND = [
    ("three-card.co", "progressive", "progressive is paid a share of a meter"),
    ("bonus-6.co", "insurance", "insurance is of kind fee"),
    ("pai-gow.co", "wager", "wager is of kind split"),
    ("prospector.co", "gold-high", "gold-high depends on more than which hand is higher"),
    ("three-card-split.co", "high", "high depends on more than which hand is higher"),
    ("three-card-split.co", "three-card", "three-card depends on more than which hand is higher"),
]


@of_each("name, bet, why", BEYOND)
def test_bets_that_need_more_than_the_better_hand(name: str, bet: str, why: str) -> None:
    game = load_game(name)
    with pytest.raises(UnsupportedBet) as told:
        Wagers(Question(game), [game.bets[bet]], {}, {})
    assert str(told.value) == why


@of_each("changes, why", [
    ({"wins": "lower"}, "depends on more than which hand is higher"),
    ({"fold": "stands"}, "stands when the hand is folded"),
    ({"unqualified": None}, ""),
])  # fmt: skip
def test_a_bet_against_a_hand_that_is_changed(changes: dict[str, Any], why: str) -> None:
    game = load_game("three-card.co")
    bet = game.bets["ante"].model_copy(update=changes)
    if not why:
        assert Wagers(Question(game), [bet], {}, {}).bets == [bet]
        return
    with pytest.raises(UnsupportedBet) as told:
        Wagers(Question(game), [bet], {}, {})
    assert str(told.value) == f"ante {why}"


def test_rows_as_engines_take_them() -> None:
    """A bare number is `to` or `for` as its table says; a hand that no row pays is last and loses."""
    game = load_game("let-it-ride.co")
    table = game.paytables["LIR-3CB-1"]
    bet = game.bets["three-card-bonus"]
    pays = [row.model_copy(update={"pays": parse_pay(at)}) for at, row in enumerate(table.rows, 2)]
    for bare, less in (("to", 0), ("for", 1)):
        found = TableRows(Question(game), bet, table.model_copy(update={"bare": bare, "rows": tuple(pays)}))
        assert found.pays.nets == (*(at - less for at in range(2, 2 + len(pays))), -1)
        assert found.pays.names == (*(row.when for row in table.rows), "")
        assert found.none == len(pays)
    rows = TableRows(Question(game), bet, table)
    names = [*(row.when for row in table.rows), ""]
    hands = ("7C 8C 9C", "7C 7D 7H", "7C 8D 9C", "2C 8C 9C", "7C 7D 9C", "2C 8D 9C")
    made = ("straight flush", "three of a kind", "straight", "flush", "pair", "")
    assert [names[rows.row_of(parse_cards(hand))] for hand in hands] == [*made]
    progressive = game.bets["progressive"]
    with pytest.raises(ValueError, match=r"^'royal flush' of LIR-PROG-1 pays a share of a meter$"):
        TableRows(Question(game), progressive, game.paytables["LIR-PROG-1"])


HEAD = 'schema = "dealwire.strategy/1"\ntitle = "t"\n'
RULES = '[[rule]]\nstep = "third-choice"\nwhen = { holds = "A" }\nchoose = "third-street"\ntimes = 2\n'
OWN = '[[rule]]\nstep = "fourth-choice"\nwhen = { hole = ["AA"] }\nchoose = "fold-2"\n'
OTHERS = '[otherwise]\nthird-choice = "fold-1"\nfourth-choice = "fourth-street"\n'


def test_what_is_taken_at_each_decision(tmp_path: Path) -> None:
    """0 for a fold, n for the n-th raise; None if the file does not mention the decision."""
    path, game = tmp_path / "s.toml", load_game("mississippi-stud.co")
    path.write_text(HEAD + RULES + OWN + OTHERS)
    question = Question(game, strategy=load_strategy(path, game))
    taken = chosen(question, [1, 2, 3])
    assert taken is not None
    assert [taken(0, parse_cards(cards)) for cards in ("AC 2D", "KC 2D")] == [2, 0]
    assert taken(2, parse_cards("AC 2D 3C 4C")) is None
    assert chosen(Question(game), [1, 2, 3]) is None
    unlike = chosen(question, [2, 3], [1, 2])
    assert unlike is not None
    assert unlike(0, parse_cards("AC 2D")) == 1
    with pytest.raises(OddsRefused) as told:
        taken(1, parse_cards("AC AD 3C"))
    assert str(told.value) == (
        "no odds for condition, where cards are known as a set, 'hole'; allowed: at-least, makes, holds, suited, high, "
        "without, any"
    )
    fewer = chosen(question, [1, 3])
    assert fewer is not None
    with pytest.raises(OddsRefused) as told:
        fewer(0, parse_cards("AC 2D"))
    assert str(told.value) == "no odds for units bet at third-choice '2'; allowed: 1, 3"


def test_an_outcome_that_hangs_on_a_meter_is_left_out_and_said_so() -> None:
    outcomes = (
        BetOutcome("royal flush", Fraction(1, 4), None, "royal flush"),
        BetOutcome("lose", Fraction(3, 4), Fraction(0)),
    )
    found = Odds("g", "b", "T", {}, outcomes, suspect="why not", printed={"house_edge_pct": "75"})
    assert (found.incomplete, found.variance, found.house_edge, found.hit_frequency) == (True, None, 1, Fraction(1, 4))
    plain = found.to_dict()
    assert plain["incomplete"] == "pays from the meter are left out; give the meter to include them"
    assert (plain["suspect"], plain["printed"], plain["unit"]) == ("why not", {"house_edge_pct": "75"}, "b")
    assert plain["outcomes"] == [
        {"what": "royal flush", "probability": "1/4", "staked": "1", "back": None},
        {"what": "lose", "probability": "3/4", "staked": "1", "back": "0"},
    ]
    assert "variance" not in plain
    assert "standard_deviation" not in plain
