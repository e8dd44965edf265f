"""208 Poker from the bytes: its shoe is shuffled after three games, and after identical cards in a hand,
47.1-1017.32(18)."""

from __future__ import annotations

from pathlib import Path

import pytest

import devices.events as e
from dealer_flow.procedure.load import load_procedure
from dealer_flow.record.incidents import Incident
from dealer_flow.record.result import RoundResult
from dealwire.rehearsal.card_dealer import CardDealer
from dealwire.rehearsal.scenario_file import clean_round, scenario_of
from dealwire.rehearsal.tables import set_up
from dealwire.table.table import Table, TableOutcome
from devices.drive.replay import play
from devices.record.capture import Capture
from devices.record.recording import CaptureWriter
from tests.support.evenings.table_evenings import TableEvening

PROCEDURE, ROUNDS, CLAUSE = "208.co", 24, "47.1-1017.32(18)"


def evening(path: Path, **options: str) -> tuple[TableEvening, list[TableOutcome]]:
    """So many rounds at a simulated table, recorded; and what the recording says."""
    procedure = load_procedure(PROCEDURE)
    scenario = scenario_of(procedure, [clean_round(procedure, [1, 2])] * ROUNDS, seed=5)
    with CaptureWriter(path, procedure=PROCEDURE) as writer:
        dealt = TableEvening(set_up(scenario, speed=50.0), writer=writer).run()
    table, said = Table(procedure, None, options=options), list[TableOutcome]()
    play(Capture.read(path), lambda seen: said.extend(table.handle(seen)))
    return dealt, [*said, *table.finish()]


def codes(said: list[TableOutcome]) -> list[tuple[str, str]]:
    return [(item.code, item.clause) for item in said if isinstance(item, Incident)]


def alike(said: list[TableOutcome]) -> list[bool]:
    """Round by round whether identical cards lay in every hand."""
    results = [item for item in said if isinstance(item, RoundResult)]
    return [len({*result.community}) < len(result.community) for result in results]


def test_the_dealer_shuffles_when_it_is_due(tmp_path: Path) -> None:
    dealt, said = evening(tmp_path / "evening.pcapng")
    assert codes(said) == []
    rounds = alike(said)
    assert len(rounds) == ROUNDS
    assert any(rounds)
    games, shuffles = 0, 1
    for same in rounds[:-1]:
        games = 0 if same or games == 2 else games + 1
        shuffles += not games
    assert len([seen for seen in dealt.seen if isinstance(seen.body, e.ShoeLoaded)]) == shuffles


def test_a_dealer_who_does_not_look_at_the_cards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each game after identical cards is one out of a shoe that was to be shuffled; a shuffling shoe need not be."""
    monkeypatch.setattr(CardDealer, "_alike", lambda _: False)
    _, said = evening(tmp_path / "evening.pcapng")
    missed = sum(same and number % 3 != 2 for number, same in enumerate(alike(said)[:-1]))
    assert missed
    assert {*codes(said)} == {("shoe-not-shuffled", CLAUSE)}
    _, said = evening(tmp_path / "again.pcapng", shoe="shuffling")
    assert codes(said) == []
