"""Flushes Gone Wild by single cards, 47.1-1017.60(6)(A): from the bytes to the money, and again from what was kept."""

from __future__ import annotations

import functools
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from msgspec.structs import replace

from dealer_flow.procedure.load import load_procedure
from dealer_flow.record.result import ProcedureRef, RoundResult
from dealwire.cli import main
from dealwire.rehearsal.scenario_file import scenario_of
from dealwire.rehearsal.tables import set_up
from dealwire.table.table import Table, TableOutcome, TableTerms
from devices.drive.replay import play
from devices.record.capture import Capture
from devices.record.recording import CaptureWriter
from rules import Settlement, load_game, settle
from rules.game.load import load_game_of
from tests.support.dealing.flushes import co, money
from tests.support.dealing.hand_table import HandTable
from tests.support.evenings.table_evenings import TableEvening
from tests.support.rigs.serving import Program, compared, published, rounds_in, write_configuration

PROCEDURE = "flushes-gone-wild.co-single"
METERS = {"meter": 1_000_000}
FULL = {"ante": 500, "blind": 500, "flush-rush": 300, "progressive": 100}
PLAIN = {"ante": 1000, "blind": 1000}


def three(**decisions: str) -> list[dict[str, Any]]:
    """Players at seats 1, 4 and 9; the last one has no side bet."""
    bets = {"1": FULL, "4": FULL, "9": PLAIN}
    return [{"seat": int(at), "wagers": bets[at], "decision": decisions.get(f"s{at}", "play")} for at in bets]


ROUNDS: list[dict[str, Any]] = [
    {"players": three()},
    {"players": three(s4="fold")},
    {"players": three(), "troubles": [{"what": "misplaced", "packet": "seat 1", "to": "muck"}]},
    {"players": three(), "troubles": [{"what": "misplaced", "packet": "seat 4", "to": "dealer"}]},
    {"players": three(), "troubles": [{"what": "fouled", "packet": "dealer", "ruling": "misdeal"}]},
    {"players": three(), "troubles": [{"what": "exposed", "packet": "seat 4"}]},
]


@functools.cache
def evening() -> tuple[list[TableOutcome], bytes]:
    """Return the table's outcomes for the rounds above, and the recording."""
    procedure = load_procedure(PROCEDURE)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "evening.pcapng"
        with CaptureWriter(path, procedure=PROCEDURE) as writer:
            dealt = TableEvening(set_up(scenario_of(procedure, ROUNDS, seed=7), speed=20.0), writer=writer).run()
        table = a_table()
        said = [item for seen in dealt.seen for item in table.handle(seen)]
        return [*said, *table.finish()], path.read_bytes()


def a_table() -> Table:
    return Table(load_procedure(PROCEDURE), TableTerms(load_game_of(PROCEDURE), meters=METERS))


def settlements(said: list[TableOutcome]) -> list[Settlement]:
    return [item for item in said if isinstance(item, Settlement)]


def test_its_rounds_are_settled_by_colorados_game() -> None:
    game = load_game_of(PROCEDURE)
    assert game.id == "flushes-gone-wild.co"
    assert game.sha256 == load_game("flushes-gone-wild.co").sha256


def test_an_evening_from_the_shoe_is_settled_to_the_cent() -> None:
    said, _ = evening()
    made = settlements(said)
    assert [each.outcome for each in made] == ["complete"] * 3 + ["progressive-only", "misdeal", "complete"]
    assert {each.status for each in made} == {"settled"}
    assert [each.round for each in made] == [1, 2, 3, 4, 5, 6]
    results = [[(line.seat, line.bet, line.result) for line in each.lines] for each in made]
    assert {(4, "ante", "lose"), (4, "blind", "lose"), (4, "progressive", "lose")} <= set(results[1])
    assert (4, "play", "lose") not in results[1]
    returned = {bet for seat, bet, result in results[2] if seat == 1 and result == "returned"}
    assert returned == {"ante", "blind", "flush-rush", "progressive"}
    assert not [line for line in results[2] if line[0] != 1 and line[2] == "returned"]
    # the dealer has six cards: hands play for the progressive alone, and nobody has one that wins it
    why = {(line.seat, line.bet): line.why for line in made[3].lines}
    assert "dead hand" in why[4, "progressive"]
    assert "misdeal" in why[1, "ante"]
    assert "jackpot hand" in why[1, "progressive"]
    assert {result for _, _, result in results[4]} == {"returned"}
    assert made[4].totals.players == made[4].totals.house == 0


def test_the_money_is_that_of_the_same_cards_in_packets() -> None:
    """Cards dealt singly pay as the same cards in packets do."""
    said, _ = evening()
    rounds = [item for item in said if isinstance(item, RoundResult)]
    game = load_game("flushes-gone-wild.co")
    for dealt, settled in zip(rounds, settlements(said), strict=True):
        packets = replace(dealt, procedure=ProcedureRef(id=game.id, sha256="0" * 64))
        assert settle(packets, game, meters=METERS).lines == settled.lines


def test_the_recording_is_settled_alike(tmp_path: Path) -> None:
    said, recording = evening()
    path = tmp_path / "evening.pcapng"
    path.write_bytes(recording)
    done = CliRunner().invoke(main, ["replay", str(path), "--json", "--meter", "meter=1000000"])
    assert done.exit_code == 0, done.output
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert [line for line in lines if line["type"] == "settlement"] == [
        json.loads(each.to_json()) for each in settlements(said)
    ]


def test_settled_on_paper_first() -> None:
    """Community two hearts, the dealer a flush of two beside deuces that he lacks: K 9 of hearts."""
    table = HandTable(PROCEDURE)
    table.play(
        """
        bets 1: ante 500, blind 500, flush-rush 300
        bets 2: ante 1000, blind 1000
        bets 3: ante 500, blind 500, progressive 100
        start
        draw seat 1 AH QH JH 7C 4S | seat 2 AC 7D 5C TD 6D | seat 3 9S 9C 9D 4H 2D | dealer 3C 4D 5S 6S 8C
        draw community KH 9H
        choose 1: play, play 1000
        choose 2: fold
        choose 3: play, play 1000
        show dealer: 3C 4D 5S 6S 8C
        show community: KH 9H
        show seat 3: 9S 9C 9D 4H 2D
        show seat 1: AH QH JH 7C 4S
        """
    )
    settled = settle(table.end(), load_game_of(PROCEDURE), meters=METERS)
    assert money(settled) == {
        (1, "ante"): ("win", 500, co("(10)")),  # A K Q J 9 of hearts, five against two: by 3
        (1, "blind"): ("win", 2500, co("(10)")),
        (1, "play"): ("win", 1000, co("(10)")),
        (1, "flush-rush"): ("win", 1800, co("(13)")),  # five natural, 6 to 1
        (2, "ante"): ("lose", -1000, co("(7)(A)")),
        (2, "blind"): ("lose", -1000, co("(7)(A)")),
        (3, "ante"): ("win", 500, co("(10)")),  # K 9 4 of hearts and a deuce: four, by 2
        (3, "blind"): ("win", 1500, co("(10)")),
        (3, "play"): ("win", 1000, co("(10)")),
        (3, "progressive"): ("win", 800, co("progressive (9)")),  # three nines, 9 for 1
    }
    assert settled.status == "settled"


# ------------------------------------------------------------------ as programs


@contextmanager
def simulator() -> Iterator[dict[str, str]]:
    """`dealwire sim` of this procedure on pseudo-terminals: the addresses."""
    command = [sys.executable, "-m", "dealwire", "sim", "--procedure", PROCEDURE, "--speed", "100", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True) as process:
        assert process.stdout is not None
        try:
            yield json.loads(process.stdout.readline())["lines"]
        finally:
            process.terminate()


def test_sim_and_record_and_replay(tmp_path: Path) -> None:
    path = tmp_path / "two.pcapng"
    with simulator() as at:
        command = ["record", "--procedure", PROCEDURE, "--shoe", at["shoe"], "--controller", at["table-controller"]]
        done = CliRunner().invoke(main, [*command, "--rounds", "2", "-o", str(path), "--meter", "meter=1000000"])
        assert done.exit_code == 0, done.output
    assert Capture.read(path).procedure == PROCEDURE
    table, said = a_table(), list[TableOutcome]()
    play(Capture.read(path), lambda seen: said.extend(table.handle(seen)))
    assert [each.status for each in settlements(said)] == ["settled"] * 2


@pytest.mark.more
def test_run_serves_it(tmp_path: Path) -> None:
    with simulator() as at:
        file = write_configuration(tmp_path, [{"shuffler": at["shoe"], **at}], procedure=PROCEDURE, more=METER)
        file.write_text(file.read_text().replace('"shuffler"', '"shoe"'))
        with Program(file) as program:
            program.wait_for(lambda: rounds_in(tmp_path) >= 2)
            program.end()
    made = [json.loads(item.line) for item in published(tmp_path, "settlement")]
    assert len(made) >= 2
    assert {(each["status"], each["game"]["id"]) for each in made} == {("settled", "flushes-gone-wild.co")}
    assert compared(tmp_path).difference is None


METER = "meters = { meter = 1000000 }"


SISTER = """schema = "dealwire.procedure/2"
base = ["longhorn.co"]
id = "longhorn.mine"
title = "Longhorn of the house"
"""
"""A procedure that no game names."""


def sister(folder: Path) -> str:
    (file := folder / "mine.toml").write_text(SISTER, encoding="utf-8")
    return str(file)


def test_a_procedure_nobody_settles_is_dealt_and_that_is_said(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "dealwire", "replay", "captures/longhorn.co.pcapng", "--json"]
    done = subprocess.run([*command, "--procedure", sister(tmp_path)], capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert done.stderr == "dealwire: note: no game settles longhorn.mine; its rounds are dealt without settlement\n"
    kinds = {json.loads(line).get("type") for line in done.stdout.splitlines()}
    assert "round" in kinds
    assert "settlement" not in kinds


def test_terms_for_a_procedure_nobody_settles_are_refused(tmp_path: Path) -> None:
    command = ["replay", "captures/longhorn.co.pcapng", "--paytable", "ante=x", "--procedure", sister(tmp_path)]
    done = CliRunner().invoke(main, command)
    assert done.exit_code == 2
    assert "longhorn.mine: no such game, and no game that settles it; allowed: " in done.output
    assert PROCEDURE in done.output
