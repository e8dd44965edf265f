"""No face that no one has shown leaves a served table: not by a line, a message, a page, a metric, the log, or the
journal's clear records. Real broker, real console, real lines; the hidden faces follow from the simulated cards."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dealwire.rehearsal.scenario import AnyScenario
from dealwire.rehearsal.scenario_file import find_scenario
from dealwire.service.table_session import TableSession
from dealwire.table import redaction
from devices import events as e
from devices.events import Seen
from protocol.cards import spell_cards
from tests.support.evenings.reported_table import reading
from tests.support.evenings.simulated_shoe import DIALECTS
from tests.support.programs.serve_procedure import made, two_rounds
from tests.support.rigs.brokers import Mosquitto, needs_mosquitto, running_broker
from tests.support.rigs.face_hunt import FaceHunt
from tests.support.rigs.hidden_faces import faces_in

pytestmark = needs_mosquitto

OUTLETS = {"hub", "view", "mqtt", "ndjson", "websocket", "page", "journal", "console socket"}
"""Outlets that name faces once they are shown."""
SILENT = {"log", "metrics", "mqtt, no line", "mqtt properties", "proof"}
"""Outlets that never name a face."""


def also(*slow: Any) -> list[Any]:
    """Return the further cases of the long run."""
    return [pytest.param(each, marks=pytest.mark.slow) for each in slow]


SHUFFLED = ["recognition", *also("power-cycle", "two-rounds", "rejected-card", "wrong-burn")]
FROM_A_SHOE = [
    "208.co",
    "holdem.co",
    *also("omaha-hi-lo.co", "longhorn.co", "western-stud.co", "flushes-gone-wild.co-single", "texas-shootout.co"),
]
RACES = """
title = "Two races from one shoe, after three burned cards, with cards that nobody should have drawn"
seed = 3
procedure = "race-to-the-flush"
decks = 1
burn = 3
[[rounds]]
ends = 6
[[rounds.players]]
seat = 1
wagers = { red = 500, number-6 = 200 }
[[rounds.troubles]]
what = "locked"
card = 3
[[rounds]]
ends = 8
[[rounds.players]]
seat = 2
wagers = { odd = 1000 }
[[rounds.troubles]]
what = "push-back"
card = 2
"""


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mosquitto]:
    with running_broker(tmp_path_factory.mktemp("broker")) as made:
        yield made


def hunted(
    folder: Path, broker: Mosquitto, scenario: AnyScenario, *, hidden: int, dialect: str = "tdp", restart_after: int = 0
) -> FaceHunt:
    hunt = FaceHunt(folder, broker, scenario, dialect=dialect)
    hunt.run(restart_after)
    assert len(hunt.truth.hidden) >= hidden, "hardly a face was hidden, so nothing was hunted"
    assert {outlet for outlet, found in hunt.named.items() if found} >= OUTLETS, "an outlet names no card at all"
    assert all(hunt.searched[outlet] for outlet in SILENT), hunt.searched
    assert not any(hunt.named[outlet] for outlet in SILENT)
    assert hunt.log.count("pit: table pit resumes") == (restart_after > 0)
    return hunt


@pytest.mark.more
@pytest.mark.parametrize("scenario", SHUFFLED)
def test_a_shuffler_that_reads_faces(tmp_path: Path, broker: Mosquitto, scenario: str) -> None:
    hunt = hunted(tmp_path, broker, reading(scenario), hidden=15)
    assert not hunt.leaks, hunt.leaks[0]


@pytest.mark.more
@pytest.mark.parametrize("changes", [6, *also(2)])
def test_a_service_that_goes_on_in_the_middle_of_a_round(tmp_path: Path, broker: Mosquitto, changes: int) -> None:
    hunt = hunted(tmp_path, broker, reading("two-rounds"), hidden=15, restart_after=changes)
    assert not hunt.leaks, hunt.leaks[0]


@pytest.mark.more
@pytest.mark.parametrize("changes", [2, *also(7, 16)])
def test_a_service_that_goes_on_with_a_shoe_remembers_what_was_burned(
    tmp_path: Path, broker: Mosquitto, changes: int
) -> None:
    """In the burn, in a race, and between two of them."""
    (tmp_path / "races.toml").write_text(RACES)
    scenario = find_scenario(tmp_path / "races.toml")
    hunt = hunted(tmp_path, broker, scenario, hidden=4, restart_after=changes)
    assert not hunt.leaks, hunt.leaks[0]


@pytest.mark.more
@pytest.mark.parametrize("procedure", FROM_A_SHOE)
def test_a_shoe_game_with_burned_and_face_down_cards(tmp_path: Path, broker: Mosquitto, procedure: str) -> None:
    cases = made(procedure)
    hunt = hunted(tmp_path, broker, cases.scenario_of(two_rounds(cases)), hidden=8)
    assert not hunt.leaks, hunt.leaks[0]


@pytest.mark.more
@pytest.mark.parametrize("dialect", [DIALECTS[0], *also(*DIALECTS[1:])])
def test_races_from_a_shoe_that_goes_on(tmp_path: Path, broker: Mosquitto, dialect: str) -> None:
    """A bee-tek shoe does not report its lock: to its host, a card drawn then is one of the race."""
    text = RACES if dialect != "bee-tek" else RACES.replace('"locked"', '"pull-back"')
    (tmp_path / "races.toml").write_text(text)
    hunt = hunted(tmp_path, broker, find_scenario(tmp_path / "races.toml"), hidden=3, dialect=dialect)
    unseen = hunt.truth.dealt - hunt.truth.shown
    assert len(unseen) == (3 if dialect == "bee-tek" else 4), "the burned ones, and one drawn from a locked shoe"
    assert not hunt.leaks, hunt.leaks[0]


def test_the_hunt_finds_what_is_published_as_it_was_read(
    tmp_path: Path, broker: Mosquitto, monkeypatch: pytest.MonkeyPatch
) -> None:
    def as_read(seen: Seen) -> Seen:
        return seen

    monkeypatch.setattr(redaction, "hidden", as_read)
    hunt = FaceHunt(tmp_path, broker, reading("recognition"))
    hunt.run()
    assert {outlet for outlet, _, _ in hunt.leaks} >= {"hub", "mqtt", "ndjson", "journal"}


@pytest.mark.more
def test_the_hunt_finds_what_a_page_or_the_log_says_too_early(
    tmp_path: Path, broker: Mosquitto, monkeypatch: pytest.MonkeyPatch
) -> None:
    deliver = TableSession.deliver

    def careless(self: TableSession, seen: Seen) -> None:
        deliver(self, seen)
        if isinstance(seen.body, e.PacketDispensed):
            text = f"dealt: {spell_cards(seen.body.cards)}"
            self.viewer.log("action", text, seen.at_ns, 1)
            logging.getLogger("dealwire.careless").debug("%s", text)

    monkeypatch.setattr(TableSession, "deliver", careless)
    hunt = FaceHunt(tmp_path, broker, reading("recognition"))
    hunt.run()
    assert {outlet for outlet, _, _ in hunt.leaks} == {"view", "page", "websocket", "console socket", "log"}


def test_a_face_is_found_however_it_is_written() -> None:
    text = '<span class="card hearts"><b>10</b>, "five cards: ace of spades, two of clubs", ["KD"], 9C.'
    assert faces_in(text) == {"TH", "AS", "2C", "KD", "9C"}
    assert faces_in("/".join(["AS"] * 20)) == {"AS"}
    assert not faces_in("2DA9Qx0f/AS+vv0dGhlIG5vdGUncyBzaWduYXR1cmUgaXMgbG9uZw")
    assert not faces_in("2DA9 pit-3Dx 8 of 9 cards, x2C, Type 2D1, 1.2C")
