"""A table restored between two rounds continues as if it had never been stopped, in any game."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

import msgspec
import pytest

import devices.events as e
from dealer_flow.play.reports.saved_state import ComingRound
from dealer_flow.play.reports.sessions import Lines, LinesState
from dealer_flow.procedure.load import known_procedures, load_procedure
from dealer_flow.table.decks import Decks, DecksState
from dealer_flow.table.round import Round
from dealer_flow.table.shoe import ShoeLedger, ShoeLedgerState, Shoes, ShoesState
from dealwire.config.build import Banks, build_table
from dealwire.config.table_parts import TablePart
from dealwire.journal.tables import JournaledPublisher, JournaledTable
from devices.drive.replay import PlayStats, reports
from devices.events import GameStarted, Seen
from devices.record.capture import Capture
from rules.game.load import game_id_of
from rules.meters.bank import MeterBank
from rules.meters.jackpot_book import JackpotBook, PoolBank
from rules.meters.jackpot_setup import load_jackpot
from tests.support.evenings.between_rounds import Make, after, check_every_rest, differences, put_back
from tests.support.evenings.long_evenings import long_evening

ROOT = Path(__file__).parents[2]
LINKED = ROOT / "docs" / "examples" / "progressive-ml03.toml"
CAPTURES = sorted(path.name for path in (ROOT / "captures").glob("*.pcapng"))
JACKPOT = ROOT / "docs" / "examples" / "jackpot-bad-beat.toml"
DEVICE = {"name": "shuffler", "kind": "shuffler", "address": "tcp:host:1"}
METERS = {"flushes-gone-wild.co": {"meter": 1_000_000}, "flushes-gone-wild.co-single": {"meter": 500_000}}
LINK = {
    "game": "flushes-gone-wild.wa-link",
    "paytables": {"progressive": "WA-ML03"},
    "progressive": str(LINKED),
    "procedure": "flushes-gone-wild.wa",
}
LONG = pytest.mark.slow
MARKED = [name if index % 6 == 0 else pytest.param(name, marks=LONG) for index, name in enumerate(CAPTURES)]
"""Every sixth each time, all of them in the long run."""
SETTINGS: dict[str, dict[str, Any]] = {
    **{name: {"procedure": name} for name in known_procedures()},
    "awards made by the cards": LINK,
    "awards made by people": LINK | {"awards": True},
    "a jackpot": {"procedure": "holdem.co", "jackpot": str(JACKPOT)},
}


def made_of(**settings: Any) -> Make:
    """Return a maker of tables with these settings."""
    settings.setdefault("settle", "game" in settings or game_id_of(settings["procedure"]) is not None)
    settings.setdefault("meters", METERS.get(settings["procedure"], {}))
    part = TablePart.model_validate({"name": "table-1", "device": (DEVICE,), **settings})

    def make(bank: MeterBank | None) -> JournaledPublisher:
        banks = Banks()
        if bank is not None and part.progressive is not None:
            banks.put(part.progressive, bank)
        if isinstance(bank, PoolBank) and part.jackpot is not None:
            banks.put_jackpot(part.jackpot, JackpotBook(load_jackpot(part.jackpot), bank))
        return JournaledPublisher(build_table(part, banks, JournaledTable), part.name, part.seats)

    return make


def evening_of(name: str, *, wrong: float, rounds: int = 12) -> list[Seen]:
    return long_evening(load_procedure(SETTINGS[name]["procedure"]), f"{name} {wrong}", rounds=rounds, wrong=wrong)


@pytest.mark.every(24)
@pytest.mark.parametrize("name", SETTINGS)
def test_an_evening_goes_on_from_every_moment_between_its_rounds(name: str) -> None:
    assert check_every_rest(made_of(**SETTINGS[name]), evening_of(name, wrong=0.1, rounds=3)) >= 2


@pytest.mark.slow
@pytest.mark.parametrize("name", SETTINGS)
def test_a_longer_evening_goes_on_from_every_moment_between_its_rounds(name: str) -> None:
    for wrong in (0.0, 0.1):
        assert check_every_rest(made_of(**SETTINGS[name]), evening_of(name, wrong=wrong, rounds=6)) >= 5


@pytest.mark.every(40)
@pytest.mark.parametrize("capture", MARKED)
def test_a_recording_goes_on_from_every_moment_between_its_rounds(capture: str) -> None:
    recorded = Capture.read(ROOT / "captures" / capture)
    seen = list(reports(recorded, PlayStats()))
    assert check_every_rest(made_of(procedure=recorded.procedure or "flushes-gone-wild.co"), seen) >= bool(seen)


@pytest.mark.more
@pytest.mark.parametrize("rounds", [12, pytest.param(30, marks=LONG)])
def test_from_one_rest_to_the_end_of_a_long_evening(rounds: int) -> None:
    """A gap in a state can show late: an old deck, a shoe that runs out, a count that falls due."""
    for name in ("flushes-gone-wild.co", "race-to-the-flush", "caribbean-stud.co", "awards made by people"):
        make = made_of(**SETTINGS[name])
        first, copies = make(None), list[JournaledPublisher]()
        for seen in evening_of(name, wrong=0.03, rounds=rounds):
            moment = after(first, seen)
            assert all(after(copy, seen) == moment for copy in copies)
            if moment.state and len(copies) < 2:
                copies.append(put_back(make, moment.state, first))
        assert not [unlike for copy in copies for unlike in differences(first, copy)]


@pytest.mark.every(24)
@pytest.mark.parametrize("name", SETTINGS)
def test_after_practically_every_round_there_is_a_rest(name: str) -> None:
    """After every one, where all goes well. A round that START GAME of the next one ends has none after it, and
    reports that are set aside may wait over an end."""
    for wrong, least, rounds in ((0.0, 1.0, 3), (0.05, 0.8, 10)):
        table, ended, rests, begun = made_of(**SETTINGS[name])(None), 0, 0, 0
        for seen in evening_of(name, wrong=wrong, rounds=rounds):
            ends = [line for line in table.publish(seen) if line.topic == "round"]
            ended += len(ends)
            rests += bool(ends) and table.state() is not None
            begun += bool(ends) and isinstance(seen.body, GameStarted)
        assert ended > rounds * 2 // 3
        assert rests >= (ended - begun) * least, (wrong, rests, ended, begun)


def test_a_round_under_way_has_no_state() -> None:
    table, states = made_of(procedure="flushes-gone-wild.co")(None), list[bool]()
    playing = False
    for seen in evening_of("flushes-gone-wild.co", wrong=0.0):
        table.publish(seen)
        if isinstance(seen.body, e.GameStarted | e.WagerPlaced):
            playing = True
        elif isinstance(seen.body, e.GameEnded):
            playing = False
        states.append((table.state() is None) == playing)
    assert all(states)


def test_a_table_that_has_dealt_nothing_rests() -> None:
    for settings in SETTINGS.values():
        assert made_of(**settings)(None).state() is not None


def test_the_same_evening_gives_the_same_bytes() -> None:
    """Nothing in a state depends on the order of a set or on the process."""
    make, seen = made_of(**SETTINGS["race-to-the-flush"]), evening_of("race-to-the-flush", wrong=0.05)
    one, other = make(None), make(None)
    assert [after(one, each).state for each in seen] == [after(other, each).state for each in seen]


KEPT: list[tuple[type, type[msgspec.Struct], set[str]]] = [
    (Decks, DecksState, {"quiet_until_ns"}),
    (Shoes, ShoesState, {"decks", "faces", "least_confidence"}),
    (ShoeLedger, ShoeLedgerState, {"decks", "faces"}),
    (Lines, LinesState, {"gaps", "patient", "pins"}),
]
"""Classes that outlive a round, their form on disk, and their attributes that are not kept: those of the procedure,
those found again, or those that are never set between rounds."""


@pytest.mark.parametrize(("lives", "kept", "without"), KEPT)
def test_every_field_of_what_outlives_a_round_is_kept(
    lives: type, kept: type[msgspec.Struct], without: set[str]
) -> None:
    named = {field.name.removeprefix("_") for field in fields(lives)}
    assert named - without == set(kept.__struct_fields__)


def test_what_is_kept_of_the_coming_round_is_a_part_of_it() -> None:
    assert set(ComingRound.__struct_fields__) < {field.name for field in fields(Round)}


def test_an_attribute_that_nobody_keeps_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The comparison sees what a state forgets: here a count of rounds that somebody adds to the flow."""
    make = made_of(procedure="flushes-gone-wild.co")
    result = JournaledTable.shown_result

    def counting(self: Any, found: Any) -> Any:
        self.flow.rounds_dealt = getattr(self.flow, "rounds_dealt", 0) + 1
        return result(self, found)

    monkeypatch.setattr(JournaledTable, "shown_result", counting)
    with pytest.raises(AssertionError, match="rounds_dealt"):
        check_every_rest(make, evening_of("flushes-gone-wild.co", wrong=0.0))
