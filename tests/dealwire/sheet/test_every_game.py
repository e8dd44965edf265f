"""A dispute sheet of rounds of every game, held to the journal's lines as a program of somebody else reads them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from dealer_flow.procedure.load import known_procedures, load_procedure
from dealwire.journal.rounds import RoundReader
from dealwire.sheet.gather import MadeWith, gather
from dealwire.sheet.html import html_of
from dealwire.sheet.model import RoundSheet
from dealwire.sheet.sections import paper_of
from dealwire.sheet.text import text_of
from dealwire.table.id_words import Speech, id_words
from rules.game.load import game_id_of
from tests.support.dealing.round_journals import TABLE, exported, write_rounds
from tests.support.dealing.spoken import ids_in
from tests.support.evenings.long_evenings import long_evening

SCHEMA = json.loads((Path(__file__).parents[3] / "docs" / "schema" / "sheet-1.json").read_text())
MADE = MadeWith(1_800_000_000_000_000_000)
FREELY = {"flushes-gone-wild.co", "race-to-the-flush", "pai-gow.co", "three-card.co", "208.co", "let-it-ride.co-single"}
"""One of a family each time, all in the long run."""
GAMES = [name if name in FREELY else pytest.param(name, marks=pytest.mark.slow) for name in known_procedures()]


def words(text: str) -> str:
    """Text with every space and line's end taken for one space."""
    return " ".join(text.split())


@pytest.mark.every(9)
@pytest.mark.parametrize("procedure", GAMES)
def test_a_sheet_says_what_the_journal_says(procedure: str, tmp_path: Path) -> None:
    write_rounds(tmp_path / "j", procedure, long_evening(load_procedure(procedure), "a sheet", rounds=4, wrong=0.02))
    rounds, settlements = exported(tmp_path / "j", "round"), exported(tmp_path / "j", "settlement")
    assert rounds
    assert any(each["lines"] for each in settlements) or game_id_of(procedure) is None
    with RoundReader(tmp_path / "j") as reader:
        for line in rounds:
            found = [gather(reader, TABLE, line["round"], MADE)]
            found += [gather(reader, TABLE, line["round"], MADE, record=each.record) for each in found[0].others]
            ((sheet, version),) = [
                (each, version)
                for each in found
                for version in json.loads(each.to_json())["versions"]
                if version["result"] == bare(line)
            ]
            settled = next((each for each in settlements if same(each, line)), None) if version["settled"] else None
            check_facts(sheet, version, settled)
            check_words(sheet, line, settled)


def same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return (one["session"], one["round"]) == (other["session"], other["round"])


def bare(line: dict[str, Any]) -> dict[str, Any]:
    """A line as it stands inside a sheet."""
    return {key: value for key, value in line.items() if key not in ("schema", "type")}


def check_facts(sheet: RoundSheet, version: dict[str, Any], settled: dict[str, Any] | None) -> None:
    said = json.loads(sheet.to_json())
    jsonschema.validate(said, SCHEMA)
    assert RoundSheet.from_json(sheet.to_json()) == sheet
    assert (said["round"], said["state"]) == (version["result"]["round"], "ended")
    counts = next((each for each in said["versions"] if each["settled"]), said["versions"][-1])
    assert said["outcome"] == counts["result"]["outcome"]
    if settled is None:
        assert version["settlement"] is None
        return
    found = version["settlement"]
    assert found == bare(settled)
    for seat in found["seats"]:
        own = [each for each in found["lines"] if each["seat"] == seat["seat"]]
        assert sum(each["net"] for each in own) == seat["net"]
        assert sum(each.stake for each in sheet.held if each.seat == seat["seat"]) == seat["held"]
        assert sum(each["stake"] for each in own) == seat["staked"]
    assert sum(found["totals"].values()) == 0
    assert sum(seat["net"] for seat in found["seats"]) == found["totals"]["players"]


def check_words(sheet: RoundSheet, line: dict[str, Any], settled: dict[str, Any] | None) -> None:
    text = "\n".join(text_of(paper_of(sheet), 400))
    page = html_of(paper_of(sheet))
    procedure = line["procedure"]["id"]
    write = Speech.of(load_procedure(procedure)).write
    assert ids_in(text.replace(procedure, ""), procedure) == []
    for each in (settled or {"lines": ()})["lines"]:
        row = f"{write(each['why'])} [{each['clause']}]"
        stake = f"{each['stake'] / 100:,.2f}"
        assert re.search(
            rf"^ *{each['seat']} +{re.escape(id_words(each['bet']))}.*\${re.escape(stake)} .*{each['result']}",
            text,
            re.MULTILINE,
        )
        assert words(row) in words(text)
        assert row.split("<")[0].split("&")[0].split("'")[0] in page
    for incident in line["incidents"]:
        assert words(write(incident["text"])) in words(text)
    assert sheet.places[-1].hash in text
    assert f"--expect {sheet.places[-1].record}:{sheet.places[-1].hash}" in text
