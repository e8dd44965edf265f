"""The dispute sheet of a hand in which players bet against each other."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from dealwire.journal.rounds import RoundReader
from dealwire.sheet.gather import MadeWith, gather
from dealwire.sheet.html import html_of
from dealwire.sheet.model import RoundSheet
from dealwire.sheet.sections import paper_of
from dealwire.sheet.text import text_of
from docs._print import DOCS
from rules.house.load import load_house
from tests.support.dealing.hand_table import HandTable
from tests.support.dealing.round_journals import TABLE, write_rounds
from tests.support.dealing.side_pot_hand import BLINDS, CARDS, HAND, PRE_FLOP

SCHEMA = json.loads((Path(__file__).parents[3] / "docs" / "schema" / "sheet-1.json").read_text())
MADE = MadeWith(1_800_000_000_000_000_000)


def sheet_of(folder: Path, *parts: str, ends: bool = True, settings: dict[str, Any] | None = None) -> RoundSheet:
    table = HandTable("holdem.co")
    for part in parts:
        table.play(part)
    if ends:
        table.end()
    settings = settings or {"rake": {"percent": "5", "cap-cents": 400, "step-cents": 50}}
    write_rounds(folder / "j", "holdem.co", table.seen, ends=ends, **settings)
    with RoundReader(folder / "j") as reader:
        return gather(reader, TABLE, 1, MADE)


def lines_of(sheet: RoundSheet) -> list[str]:
    return [" ".join(line.split()) for line in text_of(paper_of(sheet), 200)]


@pytest.fixture(scope="module")
def sheet(tmp_path_factory: pytest.TempPathFactory) -> RoundSheet:
    return sheet_of(tmp_path_factory.mktemp("sheet"), *HAND)


def test_every_action_stands_there_street_by_street(sheet: RoundSheet) -> None:
    said = lines_of(sheet)
    assert "button: seat 1" in said or "button seat 1" in said
    assert "1 pre-flop betting 4 raise $6.00" in said
    assert "12 flop betting 8 raise $60.00" in said
    assert "17 river betting 1 check $0.00" in said
    assert sheet.counts is not None
    assert len([line for line in said if " betting " in line and "$" in line]) == len(sheet.counts.result.actions)


def test_stakes_pots_and_what_was_taken_in_stand_there(sheet: RoundSheet) -> None:
    said = "\n".join(lines_of(sheet))
    assert "of a stake of $45.00" in said
    assert "main pot 4 $79.00" in said
    assert "side pot 1 $75.00" in said
    assert "$4.00" in said


@pytest.mark.more
def test_the_rules_of_the_house_stand_there_with_their_hash(tmp_path: Path) -> None:
    file = DOCS / "examples" / "house.toml"
    found = sheet_of(tmp_path, *HAND, settings={"house": str(file), "house-game": "holdem-2-5"})
    said = lines_of(found)
    assert "house rules miners-card-room, game holdem-2-5" in said or (
        "house rules: miners-card-room, game holdem-2-5" in said
    )
    assert any(load_house(file).sha256 in line for line in said)


def test_the_page_and_the_object_have_it_too(sheet: RoundSheet) -> None:
    page = html_of(paper_of(sheet))
    assert "pre-flop betting" in page
    assert "raise" in page
    whole = json.loads(sheet.to_json())
    assert len(whole["versions"][0]["result"]["actions"]) == 17
    assert [pot["name"] for pot in whole["versions"][0]["settlement"]["pots"]] == ["pot", "side-pot-1", "side-pot-2"]
    assert RoundSheet.from_json(sheet.to_json()) == sheet


def test_a_hand_that_has_not_ended_says_what_was_done_so_far(tmp_path: Path) -> None:
    sheet = sheet_of(tmp_path, BLINDS, CARDS, PRE_FLOP, "takes 4: 100", ends=False)
    assert sheet.so_far is not None
    done = {hand.place: hand.choices for hand in sheet.so_far.hands}
    assert done["seat 4"] == ("stake $20", "raises to $6", "takes $1 of the main pot")
    assert done["seat 5"] == ("stake $180", "folds")
    assert "stake $20, raises to $6" in "\n".join(lines_of(sheet))
    jsonschema.validate(json.loads(sheet.to_json()), SCHEMA)
