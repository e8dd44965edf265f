"""Readings that decided a round: settled again under each other option, and compared with the readings that lines
name."""

import json
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from docs._print import DOCS
from docs._print.readings_money import COUNTS, counted
from rules import game_ids, load_game
from rules.facts.terms import Terms, agree
from rules.settle.deciding import AlternativeOptions
from rules.settle.rounds import settle_on
from tests.support.reading.each import of_each
from tests.support.reading.paper import Paper

CASES: Final[list[dict[str, Any]]] = tomllib.loads(Path(__file__).with_name("readings.toml").read_text())["case"]
KEPT: Final[dict[str, Any]] = json.loads((DOCS / COUNTS).read_text(encoding="utf-8"))


def terms_of(paper: Paper, readings: dict[str, str]) -> Terms:
    chosen = {
        bet: table.id for bet, label in paper.case.get("tables", {}).items() for table in [_table(paper, bet, label)]
    }
    return agree(paper.game, readings=readings, paytables=chosen, accept_suspect=True)


def _table(paper: Paper, bet: str, label: str) -> Any:
    tables = (paper.game.paytables[name] for name in paper.game.bets[bet].to_choose)
    return next(table for table in tables if label in (table.label, table.id))


def worked() -> Iterator[tuple[dict[str, Any], str]]:
    return ((case, option) for case in CASES for option in case["by"])


@of_each("case, option", worked, ids=lambda case: f"{case[0]['game']}: {case[0]['name']}, {case[1]}")
def test_what_a_line_names_is_what_settling_again_finds(case: dict[str, Any], option: str) -> None:
    paper = Paper(case["game"], case)
    terms, result = terms_of(paper, {case["reading"]: option}), paper.round()
    settlement = settle_on(result, terms)
    found = AlternativeOptions(terms).of(result, settlement)
    decided = {key.bet for key, names in found.items() if case["reading"] in names}
    lines = {line.bet for line in settlement.lines}
    assert {line.bet for line in settlement.lines if line.reading} == decided & lines
    here, others = case["by"][option], case["by"].values()
    assert {bet for bet in here for other in others if other[bet] not in ("held", here[bet])} <= decided


def test_a_reading_that_only_holds_decides_where_it_holds() -> None:
    """Three Card Split leaves open whether a straight beats a flush: held where either answer would settle it."""
    case = {
        "dealer": "2H 7H 9H",
        "dealer_low": "9H",
        "seat": [{"seat": 1, "cards": "4S 5D 6C", "low": "6C", "bets": {"low": 500, "high": 500, "three-card": 500}}],
    }
    paper = Paper("three-card-split.co", case)
    terms, result = agree(paper.game), paper.round()
    settlement = settle_on(result, terms)
    found = AlternativeOptions(terms).of(result, settlement)
    assert {key.bet: names for key, names in found.items()} == {"three-card": ("three-card-rank",)}


def test_every_reading_says_its_ground_its_clause_and_what_stands_against_it() -> None:
    for name in game_ids():
        for reading, held in load_game(name).spec.readings.items():
            assert held.because, (name, reading)
            assert held.clause, (name, reading)
            assert held.against, (name, reading)


@pytest.mark.every(2)
@pytest.mark.parametrize("game", ["three-card.co", "high-five.co"])
def test_the_ledger_counts_as_it_did_when_it_was_printed(game: str) -> None:
    kept = KEPT[game]
    assert counted(load_game(game)) == {"rounds": kept["rounds"], "decided": kept["decided"]}


def test_the_ledger_has_every_reading_of_every_game() -> None:
    open_ones = {game: set(load_game(game).spec.readings) for game in game_ids() if load_game(game).spec.readings}
    assert {game: set(counts["decided"]) for game, counts in KEPT.items()} == open_ones
