"""Rounds on the command line use the console's terms; JSON lines keep the ids."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pytest
from click.testing import CliRunner

from dealer_flow.procedure.load import load_procedure, whole_text
from dealer_flow.record.catalogue import INCIDENTS
from dealer_flow.record.incidents import Incident
from dealer_flow.record.result import RoundResult
from dealwire.cli import main
from dealwire.cli.show import RoundPrinter
from dealwire.table.id_words import Speech
from tests.support.dealing.hand_table import HandTable
from tests.support.dealing.round_journals import write_rounds
from tests.support.dealing.spoken import ids_in, table_of
from tests.support.rigs.consoles import CAPTURES

RACE: Final = "race-to-the-flush"
PLAYED: Final = (
    ("ultimate-texas-holdem.co.pcapng", "ultimate-texas-holdem.co", "check, check, play 1x"),
    ("race-17.tdp.pcapng", RACE, "number 17"),
    ("let-it-ride.co.pcapng", "let-it-ride.co", "second bet"),
)


def run(*arguments: str | Path, given: str = "") -> str:
    result = CliRunner().invoke(main, [*map(str, arguments)], input=given)
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.mark.parametrize(("capture", "procedure", "said"), PLAYED)
def test_rounds_that_are_dealt_or_settled_again_are_told_without_ids(capture: str, procedure: str, said: str) -> None:
    dealt, lines = run("replay", CAPTURES / capture), run("replay", CAPTURES / capture, "--json")
    settled = run("settle", "--text", given=lines)
    assert said in dealt
    assert ids_in(dealt, procedure) == ids_in(settled, procedure) == []
    assert ids_in(lines, procedure)
    bets = {line["bet"] for text in run("settle", given=lines).splitlines() for line in json.loads(text)["lines"]}
    assert bets <= {bet.name for bet in table_of(procedure).flow.plan.bets.values()}


@pytest.mark.more
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_of_a_folder_each_recording_is_told_in_the_words_of_its_game(tmp_path: Path, jobs: str) -> None:
    for name, _, _ in PLAYED:
        shutil.copy(CAPTURES / name, tmp_path / name)
    dealt = run("replay", tmp_path, "--jobs", jobs)
    for name, procedure, said in PLAYED:
        assert said in dealt
        assert ids_in(dealt.replace(name, ""), procedure) == []


def test_an_incident_is_told_without_ids_before_its_round_is_over(capsys: pytest.CaptureFixture[str]) -> None:
    found = Incident(code="out-of-turn", clause="RTF 5", reason="not_now", allowed=("seat 2 bets number-17",))
    for live in (True, False):
        printer = RoundPrinter(table_of(RACE).flow.procedure, live=live)
        printer(found)
        printer.end()
    said = capsys.readouterr().out
    assert said.count("seat 2 bets number 17") == 2
    assert "number-17" in found.text


def test_an_outcome_is_told_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    (result,) = _rounds(run("replay", CAPTURES / "progressive-only.pcapng", "--json"))
    RoundPrinter()(result)
    assert result.outcome == "progressive-only"
    assert "Round 1 at table-1: progressive only" in capsys.readouterr().out


def _rounds(lines: str) -> Sequence[RoundResult]:
    return [RoundResult.from_json(line) for line in lines.splitlines() if json.loads(line)["type"] == "round"]


# ------------------------------------------------------------------ out of a journal


RIDES: Final = (
    *("bets 1: bet-1 500, bet-2 500, bet-dollar 500", "start", "packet seat 1: AH KD 9C"),
    *("packet community: 4S 2H 3D", "dump", "burn community: 3", "choose 1: take-back-1"),
)
"""A round of which two bets ride or not by a choice each, up to the first."""
SHOWN: Final = (
    *("show community: 4S", "choose 1: let-it-ride-2", "show community: 4S 2H", "show seat 1: AH KD 9C", "end"),
)


def ridden(folder: Path, source: str, *more: str) -> Path:
    """A journal of it, dealt by a procedure."""
    table = HandTable(load_procedure(source))
    for line in (*RIDES, *more):
        table.say(line)
    write_rounds(folder / "j", source, table.seen, ends=False, settle=False)
    return folder / "j"


@pytest.mark.parametrize("more", [(), SHOWN])
def test_a_round_of_a_house_s_own_game_is_told_without_ids(tmp_path: Path, more: tuple[str, ...]) -> None:
    own = tmp_path / "own.deal.toml"
    own.write_text(whole_text("let-it-ride.co").replace('id = "let-it-ride.co"', 'id = "our-ride"'))
    journal = ridden(tmp_path, str(own), *more)
    own.unlink()
    sheet = run("journal", "round", "1", journal)
    assert re.search("procedure +our-ride", sheet) or not more
    assert ids_in(sheet, "let-it-ride.co") == []
    assert ("take back the first bet" in sheet) is bool(more)


def test_what_was_reported_so_far_is_told_without_ids(tmp_path: Path) -> None:
    sheet = run("journal", "round", "1", ridden(tmp_path, "let-it-ride.co"))
    assert "Reported so far" in sheet
    assert "dollar bet $5.00" in sheet
    assert "take back the first bet" in sheet
    assert ids_in(sheet, "let-it-ride.co") == []


def test_rounds_that_were_looked_for_are_told_in_words(tmp_path: Path) -> None:
    table = HandTable("let-it-ride.co")
    for line in (*RIDES[:2], "packet seat 1 should be 3: AH KD", "count seat 1: 2", "misdeal", "end"):
        table.say(line)
    write_rounds(tmp_path / "j", "let-it-ride.co", table.seen, ends=False)
    found = run("journal", "rounds", tmp_path / "j", "-v")
    assert "seat count wrong, misdeal called" in found
    assert not {code for code in INCIDENTS if "-" in code and code in found}
    assert json.loads(run("journal", "rounds", tmp_path / "j", "--json"))["incidents"]


def test_why_money_is_held_is_told_without_ids(tmp_path: Path) -> None:
    table = HandTable("let-it-ride.co")
    for line in ("bets 1: bet-1 500, bet-2 500, bet-dollar 700", *RIDES[1:], *SHOWN):
        table.say(line)
    write_rounds(tmp_path / "j", "let-it-ride.co", table.seen, ends=False)
    for options in ((), ("--open",)):
        said = run("journal", "obligations", tmp_path / "j", *options)
        assert "second bet of $5, $7 is due" in said
        assert ids_in(said, "let-it-ride.co") == []
        assert "bet-2 of $5" in run("journal", "obligations", tmp_path / "j", "--json", *options)


def test_a_session_keeps_its_number_on_paper_and_has_none_at_the_table() -> None:
    speech = Speech(["number-17"])
    assert speech.write("session a77d2bd0: number-17 loses") == "session a77d2bd0: number 17 loses"
    assert speech.say("session a77d2bd0: number-17 loses") == "the session: number 17 loses"
