"""Stakes that a section forbids, in rounds of another program: held in `settle` as they are at the table."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from dealer_flow.games import files_of
from dealer_flow.record.result import RoundResult
from rules import Settlement, load_game, settle
from tests.support.reading.each import of_each
from tests.support.reading.game_files import flat_paytables
from tests.support.reading.paper import Paper, paper_cases

PLAYED = {
    "let-it-ride.co": {"cards": "TD 7C 2H", "choices": ["let-it-ride-1", "let-it-ride-2"]},
    "western-stud.co": {"cards": "AS AD 8C 5H 2S"},
    "bonus-6.co": {"cards": "6S 6D 9C 2H", "choices": ["bet-2", "bet-3", "winning-hand"]},
    "texas-shootout.co": {
        "cards": "AS AD", "first": "AS AD 7C 2H", "aside": "7C 2H", "choices": ["one-hand"], "declared": True,
    },
    "colorado-holdem.co": {"cards": "TD 4H", "choices": ["bet"], "aside": "3S"},
    "emperors-challenge.co": {"cards": "KS KH AS TD 8C 6S 2D", "low": "AS TD"},
    "caribbean-stud.co": {"cards": "7S 7D KC 4H 2C", "choices": ["bet"]},
    "caribbean-draw.co": {
        "cards": "9S 9D 5C TC TH", "choices": ["call", "draw-2"], "first": "9S 9D 5C 3H 2D", "aside": "3H 2D",
    },
    "prospector.co": {"cards": "QH 7D 2C"},
    "ultimate-texas-holdem.co": {"cards": "AS 8D", "choices": ["check-1", "check-2", "play-1x"]},
    "208.co": {"cards": "TH 4C"},
    "mississippi-stud.co": {"cards": "JS JD", "choices": ["third-street", "fourth-street", "fifth-street"]},
    "three-card.co": {"cards": "KS 8D 3C", "choices": ["play"]},
    "boston-5.co": {"cards": "AS AD 8C 5H 2S", "choices": ["second-wager"]},
    "texas-holdem-bonus.co": {"cards": "AS 8D", "choices": ["flop-bet", "turn-bet", "river-check"]},
    "high-five.co": {"cards": "7S 7D QC JH 9C 4H 2D", "choices": ["play"]},
    "three-card-split.co": {"cards": "9H 9D AS", "low": "AS"},
    "champion.co": {"cards": "JH QH", "choices": ["play", "raise"]},
    "crazy-4.co": {"cards": "JS 8D 6C 3H 2D", "choices": ["play"]},
}  # fmt: skip
"""A valid play of each game, with the house's cards of the first settlement worked out on paper."""

TRIES: list[tuple[str, dict[str, int], str, str, dict[str, Any]]] = [
    ("208.co", {"ante": 1000, "jackpot": 500}, "jackpot", "47.1-1017.32(6)", {}),
    (
        "mississippi-stud.co",
        {"ante": 1000, "third-street": 4000, "fourth-street": 1000, "fifth-street": 1000},
        "third-street",
        "47.1-1017.46(6)",
        {},
    ),
    ("western-stud.co", {"ante": 1000, "high": 2000}, "high", "47.1-1017.18(5)(b)", {"choices": ["high"]}),
    (
        "western-stud.co",
        {"ante": 1000, "high": 1000, "river": 1500},
        "river",
        "47.1-1017.18(6)",
        {"choices": ["high", "river-bet"]},
    ),
    ("let-it-ride.co", {"bet-1": 500, "bet-2": 600, "bet-dollar": 500}, "bet-2", "47.1-1017.14(2)", {}),
    ("let-it-ride.co", {"bet-1": 500, "bet-2": 500, "bet-dollar": 500, "bonus": 200}, "bonus", "47.1-1017.14(2)", {}),
    ("bonus-6.co", {"ante": 1000, "second": 500, "third": 1000}, "second", "47.1-1017.28(7)", {}),
    ("texas-shootout.co", {"shootout": 1000, "quick-draw": 500}, "quick-draw", "47.1-1017.51(4)", {}),
    ("colorado-holdem.co", {"ante": 500, "bet": 1000}, "bet", "47.1-1017.16(6)(b), (7)(a)", {}),
    ("colorado-holdem.co", {"ante": 500, "bet": 500, "bonus": 500}, "bonus", "47.1-1017.16(8)(b)", {}),
    ("emperors-challenge.co", {"primary": 700}, "primary", "47.1-1017.49(31)", {}),
    ("caribbean-stud.co", {"ante": 1000, "bet": 2000, "tip-ante": 1500}, "tip-ante", "47.1-1017.10(4)", {}),
    ("prospector.co", {"poker": 1000, "gold-high": 500, "gold-low": 500}, "gold-high", "47.1-1017.22(4)", {}),
    ("ultimate-texas-holdem.co", {"ante": 1000, "blind": 1000, "play": 4000}, "play", "47.1-1017.47(10)", {}),
    ("ultimate-texas-holdem.co", {"ante": 1000, "blind": 1000, "play": 2500}, "play", "47.1-1017.47(8)",
     {"choices": []}),
    ("three-card.co", {"ante": 1000, "play": 2000}, "play", "47.1-1017.24(9)", {}),
    ("boston-5.co", {"first-wager": 1000, "second-wager": 500}, "second-wager", "47.1-1017.34(8)", {}),
    ("texas-holdem-bonus.co", {"ante": 1000, "flop": 1000, "turn": 1000}, "flop", "47.1-1017.39(6)", {}),
    ("high-five.co", {"ante": 1000, "play": 500}, "play", "47.1-1017.45(11)", {}),
    ("high-five.co", {"ante": 1000, "play": 1000, "play-blind": 1000}, "play", "47.1-1017.45(11)", {}),
    ("three-card-split.co", {"low": 500, "high": 500, "three-card": 1000}, "three-card", "47.1-1017.48 1", {}),
    ("champion.co", {"holdem-bonus": 1000, "ante-blind": 1000, "play": 500}, "play", "47.1-1017.40(6)",
     {"choices": ["play", "check"]}),
    ("crazy-4.co", {"ante": 1000, "super-bonus": 1000, "play": 4000}, "play", "47.1-1017.44(9)", {}),
    ("caribbean-draw.co", {"ante": 1000, "bet": 1000}, "bet", "47.1-1017.12(7)(b)", {}),
    ("caribbean-draw.co", {"ante": 6000, "bet": 9900}, "ante", "47.1-1017.12(2)", {}),
]  # fmt: skip


def round_of(game: str, bets: dict[str, int], more: dict[str, Any], **deal: Any) -> RoundResult:
    house = {key: value for key, value in paper_cases(game)[0].items() if key not in ("seat", "name", "clause", "note")}
    seat = {"seat": 1, "bets": bets, **PLAYED[game], **more}
    return Paper(game, {**house, **deal, "seat": [seat]}).round()


def settled(game: str, bets: dict[str, int], more: dict[str, Any], **deal: Any) -> Settlement:
    return settle(round_of(game, bets, more, **deal), Paper(game, {"seat": []}).game)


@of_each("game, bets, bet, clause, more", TRIES)
def test_a_forbidden_stake_is_held_whoever_reports_it(
    game: str, bets: dict[str, int], bet: str, clause: str, more: dict[str, Any]
) -> None:
    found = settled(game, bets, more)
    lines = {line.bet: line for line in found.lines}
    assert (lines[bet].result, lines[bet].clause, lines[bet].pay) == ("held", clause, 0), lines[bet]
    assert bet in lines[bet].why
    assert found.status in ("held", "partly-held")


@of_each("game", sorted(PLAYED))
def test_the_same_hand_is_settled_with_stakes_that_the_section_allows(game: str) -> None:
    seat = paper_cases(game)[0]["seat"][0]
    found = Paper(game, paper_cases(game)[0]).settle()
    held = [line for line in found.lines if line.seat == seat["seat"] and line.result == "held"]
    assert held == []


@pytest.mark.parametrize(("street", "held"), [("whole-times", True), ("any-between", False), ("", False)])
def test_a_rule_of_a_reading_counts_under_that_reading_alone(street: str, held: bool) -> None:
    """If the round does not record its reading, a stake that some reading allows is not a breach."""
    bets = {"ante": 1000, "third-street": 1500, "fourth-street": 1000, "fifth-street": 1000}
    options = {"street-wagers": street} if street else {}
    found = settled("mississippi-stud.co", bets, {}, options=options)
    assert (found.lines[1].result == "held") is held, found.lines[1]


def test_a_choice_that_is_told_decides_how_much_goes_with_it() -> None:
    bets = {"ante": 1000, "blind": 1000, "play": 4000}
    assert settled("ultimate-texas-holdem.co", bets, {"choices": ["play-4x"]}).status == "settled"
    assert settled("ultimate-texas-holdem.co", bets, {"choices": []}).status == "settled", "some choice is four times"


def test_bets_taken_back_are_compared_with_none() -> None:
    bets = {"bet-2": 500, "bet-dollar": 500}
    assert settled("let-it-ride.co", bets, {"choices": ["take-back-1", "let-it-ride-2"]}).status == "settled"
    assert settled("let-it-ride.co", bets, {}).status == "held", "nobody took the first bet back"


def test_a_side_bet_that_enters_nobody_is_held_by_the_clause_of_the_deal() -> None:
    found = settled("caribbean-stud.co", {"progressive": 100}, {})
    assert [(line.result, line.clause, line.why) for line in found.lines] == [
        ("held", "47.1-1017.10(2)", "progressive of $1 without a bet on ante")
    ]


def test_the_hash_of_the_procedure_does_not_matter() -> None:
    """The current hash, or that of another version: the section is the same."""
    round_ = round_of("208.co", {"ante": 1000, "jackpot": 500}, {})
    paper = Paper("208.co", {"seat": []})
    for sha256 in (paper.procedure.ref().sha256, "0" * 64):
        done = settle(replace(round_, procedure=replace(round_.procedure, sha256=sha256)), paper.game)
        assert [line.clause for line in done.lines if line.result == "held"] == ["47.1-1017.32(6)"]


def test_a_house_that_deals_by_a_file_of_its_own_settles_by_its_rules(tmp_path: Path) -> None:
    own = tmp_path / "elsewhere" / "ours.toml"
    own.parent.mkdir()
    text = files_of("deal")["caribbean-stud.co"].read_text()
    assert 'at-most = "$50"' in text
    own.write_text(text.replace('at-most = "$50"', 'at-most = "$25"'))
    round_ = round_of("caribbean-stud.co", {"ante": 3000, "bet": 6000}, {})
    assert settle(round_, load_game("caribbean-stud.co")).status == "settled"
    done = settle(round_, load_game("caribbean-stud.co", {"caribbean-stud.co": own}))
    assert done.lines[0].why == "ante of $30 is more than $25"


def test_tips_are_those_of_the_procedure_wherever_it_is(tmp_path: Path) -> None:
    game, own = tmp_path / "game.toml", tmp_path / "elsewhere" / "mine.toml"
    own.parent.mkdir()
    game.write_text(files_of("pays")["wild-six.co"].read_text().replace('["wild-six.co"', '["mine"'))
    own.write_text(files_of("deal")["wild-six.co"].read_text().replace('id = "wild-six.co"', 'id = "mine"'))
    flat_paytables(tmp_path / "paytables")
    tips = ("tip-poker", "tip-queens-or-better", "tip-draw-bonus")
    assert tuple(load_game(game, {"mine": own}).tips) == tips
    shutil.copy(own, tmp_path / "mine.toml")
    assert tuple(load_game(game).tips) == tips, "beside the game it is found by its id"
