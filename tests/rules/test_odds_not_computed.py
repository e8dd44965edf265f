"""Bets whose odds nobody counts: why, in a whole sentence; and what a question may not ask."""

from collections.abc import Mapping
from dataclasses import replace
from math import comb
from typing import Any

import pytest

from rules.errors import OddsRefused
from rules.game import Game, load_game
from rules.odds import NotComputed, Odds, Question, odds
from rules.odds.decks import DealtFrom, chosen_bets, deals, dealt_from, keeps_cards
from rules.odds.solvers import SOLVERS, answers_for, solver
from rules.paytable import PayTable
from rules.spec import OddsSpec
from tests.support.reading.each import of_each

CHOICE = "it hangs on what the player chooses, and no solver is named for that"
KEPT = "it hangs on which cards are kept, and no solver is named for that"
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
    ("longhorn.co", "bonus", "it hangs on so many cards of each place, and no solver is named for that"),
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
    """The same game with another hand for this bet."""
    hand = game.bets[bet].hand
    spec = game.spec.hands[hand].model_copy(update=changes)
    return replace(game, spec=game.spec.model_copy(update={"hands": {**game.spec.hands, hand: spec}}))


def test_a_hand_that_is_set_and_one_whose_size_is_open() -> None:
    game = without_solver("let-it-ride.co")

    def why(changes: Mapping[str, Any]) -> str:
        (found,) = odds(Question(changed(game, "three-card-bonus", **changes)), "three-card-bonus")
        assert isinstance(found, NotComputed)
        return found.why

    assert why({"part": "low"}) == "it hangs on how the hand is set, and no solver is named for that"
    assert why({"of": {"own": (0, 3)}}) == KEPT
    assert why({"fill": 3}) == KEPT
    assert why({"takes": {"own": 2}}) == "it hangs on so many cards of each place, and no solver is named for that"


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
    """In units of its own where it lies there all the time."""
    game = load_game("let-it-ride.co")
    found = {each.bet: each for each in odds(Question(game, paytable="LIR-3CB-1"), of=["three-card-bonus"])}
    assert [*found] == ["three-card-bonus", "tip-three-card-bonus"]
    bet, tip = found["three-card-bonus"], found["tip-three-card-bonus"]
    assert isinstance(bet, Odds)
    assert tip == replace(bet, bet="tip-three-card-bonus", unit="tip-three-card-bonus")
    assert [each.bet for each in odds(Question(game, paytable="LIR-3CB-1"), "tip-three-card-bonus")] == [
        "tip-three-card-bonus"
    ]
