"""A recording dealt again, and rounds made up, in one call."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from dealwire import (
    Capture,
    CaptureWriter,
    Incident,
    RoundResult,
    Settlement,
    known_procedures,
    play,
    replay,
    simulate,
)
from dealwire.table.replay import usual_table
from devices import open_device
from devices.record.capture_errors import CaptureCorrupt, CaptureError
from protocol.errors import LineUnusable, LocalError

CAPTURES = Path(__file__).parents[2] / "captures"


@pytest.mark.parametrize("name", ["race-17.tdp", "flushes-gone-wild.wa", "let-it-ride.co"])
def test_a_recording_gives_what_its_events_give(name: str) -> None:
    path = CAPTURES / f"{name}.pcapng"
    table, pushed = usual_table(Capture.read(path).procedure), []
    play(Capture.read(path), lambda seen: pushed.extend(table.handle(seen)))
    pushed += table.finish()
    assert [item.to_json() for item in replay(path)] == [item.to_json() for item in pushed]
    assert any(isinstance(item, RoundResult) for item in pushed)


def test_a_recording_that_names_no_procedure_needs_a_table() -> None:
    with pytest.raises(CaptureError, match="names no procedure; give a table"):
        replay(CAPTURES / "clean-1.pcapng")
    found = Counter(type(item) for item in replay(CAPTURES / "clean-1.pcapng", usual_table("flushes-gone-wild.co")))
    assert found == {RoundResult: 1, Settlement: 1}
    with pytest.raises(CaptureError):
        replay(CAPTURES / "never.pcapng")


def test_what_came_before_the_damage_is_given(tmp_path: Path) -> None:
    whole = (CAPTURES / "two-rounds.pcapng").read_bytes()
    (tmp_path / "torn.pcapng").write_bytes(whole + b"\x06\x00\x00\x00\x10\x00\x00\x01" + bytes(40))
    given = replay(tmp_path / "torn.pcapng", usual_table("flushes-gone-wild.co"))
    found = []
    with pytest.raises(CaptureCorrupt):
        found.extend(item.TYPE for item in given)  # what was given stays
    assert found.count("round") == 2
    with CaptureWriter(tmp_path / "empty.pcapng"):
        pass
    assert [*replay(tmp_path / "empty.pcapng", usual_table("flushes-gone-wild.co"))] == []


def test_simulated_rounds() -> None:
    def lines(**options: int) -> list[str]:
        return [item.to_json() for item in simulate("flushes-gone-wild.co", **options)]

    items = list(simulate("flushes-gone-wild.co", rounds=2, players=4))
    assert [type(item) for item in items] == [RoundResult, Settlement] * 2
    assert [len(item.seats) for item in items if isinstance(item, RoundResult)] == [4, 4]
    assert lines(seed=4) == lines(seed=4) != lines(seed=5)
    assert list(simulate("flushes-gone-wild.co", rounds=0)) == []


def test_something_goes_wrong_in_simulated_rounds() -> None:
    found = [item for item in simulate("flushes-gone-wild.co", rounds=10, faults=1) if isinstance(item, Incident)]
    assert len({incident.code for incident in found}) > 2


@pytest.mark.every(24)
@pytest.mark.parametrize("procedure", known_procedures())
def test_something_goes_wrong_in_rounds_of_any_procedure(procedure: str) -> None:
    found = list(simulate(procedure, rounds=12, seed=3, faults=1))
    assert sum(isinstance(item, RoundResult) for item in found) == 12
    assert any(isinstance(item, Incident) for item in found)


def test_a_procedure_is_refused_at_once() -> None:
    with pytest.raises(LocalError, match="nowhere"):
        simulate("nowhere")


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"rounds": "x"}, "rounds: 'x' is no number it may be; allowed: 0 or more"),
        ({"rounds": -1}, "rounds: -1 is no number it may be; allowed: 0 or more"),
        ({"rounds": True}, "rounds: True is no number"),
        ({"seed": -1}, "seed: -1 is no number it may be; allowed: 0 to 4294967295"),
        ({"players": 0}, "players: 0 is no number it may be; allowed: 1 or more"),
        ({"faults": 2}, "faults: 2 is no number it may be; allowed: 0 to 1"),
    ],
)
def test_what_cannot_be_simulated_is_said_at_once(options: dict[str, Any], why: str) -> None:
    with pytest.raises(LocalError) as refused:
        simulate("flushes-gone-wild.co", **options)
    assert why in str(refused.value)


def test_what_is_no_address_is_said() -> None:
    with pytest.raises(LineUnusable, match=r"^7: cannot be used as a line: an address is a string; use one of"):
        open_device(7)  # type: ignore[call-overload]
