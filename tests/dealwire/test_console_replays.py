"""Recordings for the console: the views they lead to, and their bounds."""

from __future__ import annotations

import asyncio
import itertools
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from dealwire.console import replays
from dealwire.console.replays import (
    REPLAYS_MAX,
    Keep,
    Replay,
    ReplayUnusable,
    Shelf,
    Source,
    deal_again,
    deal_capture,
)
from dealwire.table.replay import usual_table
from devices.capture import Capture
from devices.replay import play
from tests.support.consoles import CAPTURES

pytestmark = pytest.mark.thorough

FILES = (
    "clean-3",
    "dealer-long",
    "jam",
    "noise",
    "player-short",
    "power-cycle",
    "progressive-only",
    "two-rounds",
    "race-11.tdp",
    "race-unread.angel-eye",
    "race-noise.bee-tek",
    "crazy-4.co",
    "pai-gow.co",
    "wild-six.co",
    "flushes-gone-wild.co-single",
)


def dealt(name: str) -> Replay:
    def deal(keep: Keep) -> str:
        capture = Capture.read(CAPTURES / name)
        return deal_capture(capture, usual_table(capture.procedure or replays.DEFAULT), name, keep)

    return deal_again(Source(name, name, None, deal))


@pytest.mark.parametrize("name", FILES)
def test_a_recording_leads_to_the_views_of_its_rounds(name: str) -> None:
    name = f"{name}.pcapng"
    capture = Capture.read(CAPTURES / name)
    table = usual_table(capture.procedure or replays.DEFAULT)
    play(capture, table.handle)
    steps = dealt(name).steps
    assert steps[-1].view.last_outcome in (*table.outcomes, None)
    told = [line for line in steps[-1].view.log if line.clause]
    assert len(told) == sum(table.incidents.values())
    assert all(one.at_ns <= other.at_ns for one, other in itertools.pairwise(steps))


def test_no_step_shows_a_face_before_it_was_shown() -> None:
    """The recording's shuffler reads every face of every packet as it dispenses it."""
    for step in dealt("recognition.pcapng").steps:
        view = step.view
        if view.state in ("dealing", "burning", "deciding"):
            hands = [*view.seats, *view.community, *([view.dealer] if view.dealer else [])]
            assert {card for hand in hands for card in hand.cards} <= {"??"}


def test_steps_name_rounds_and_incidents() -> None:
    replay = dealt("two-rounds.pcapng")
    index = replay.index
    assert len(index["at_ms"]) == len(replay.steps)
    assert index["at_ms"][0] == 0
    assert index["at_ms"] == sorted(index["at_ms"])
    assert [replay.steps[at].view.round for at in index["rounds"]] == [1, 2]
    jam = dealt("jam.pcapng")
    first = jam.index["incidents"][0]
    assert len(jam.steps[first].view.log) > len(jam.steps[first - 1].view.log)


def test_a_step_is_what_changes_something_and_tells_no_content() -> None:
    replay = dealt("clean-1.pcapng")
    for one, other in zip(replay.steps, replay.steps[1:], strict=False):
        assert one.view.model_copy(update={"at_ns": 0, "sequence": 0}) != other.view.model_copy(
            update={"at_ns": 0, "sequence": 0}
        )
    assert {step.what for step in replay.steps} >= {"shuffler: packet dispensed", "controller: hand revealed"}


def test_a_recording_longer_than_is_kept_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replays, "STEPS_MAX", 10)
    replay = dealt("clean-1.pcapng")
    assert len(replay.steps) == 10
    assert replay.note.startswith("only the first 10 steps")


# ------------------------------------------------------------------ the shelf


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("clean-1.pcapng", "race-5.tdp.pcapng", "jam.pcapng"):
        shutil.copy(CAPTURES / name, tmp_path)
    (tmp_path / "broken.pcapng").write_bytes(b"no capture")
    (tmp_path / "notes.txt").write_text("not listed")
    os.symlink("/etc/passwd", tmp_path / "out.pcapng")
    return tmp_path


@pytest.fixture
def shelf(folder: Path) -> Iterator[Shelf]:
    made = Shelf(folder)
    yield made
    made.close()


def test_the_list_holds_the_folders_recordings_and_says_what_is_wrong_with_one(shelf: Shelf) -> None:
    entries = {entry.name: entry for entry in asyncio.run(shelf.entries(None, None))}
    assert entries.keys() == {"broken.pcapng", "clean-1.pcapng", "jam.pcapng", "race-5.tdp.pcapng"}
    assert entries["race-5.tdp.pcapng"].procedure == "race-to-the-flush"
    assert entries["broken.pcapng"].problem
    named = [entry.name for entry in asyncio.run(shelf.entries("pit-1", "race-to-the-flush")) if not entry.problem]
    assert named == ["clean-1.pcapng", "jam.pcapng", "race-5.tdp.pcapng"]  # the first two name no procedure
    named = [entry.name for entry in asyncio.run(shelf.entries("pit-1", "flushes-gone-wild.co")) if not entry.problem]
    assert named == ["clean-1.pcapng", "jam.pcapng"]


@pytest.mark.parametrize("name", ["../clean-1.pcapng", "/etc/passwd", "out.pcapng", "notes.txt", "", ".", "a\0b"])
def test_only_what_is_listed_is_opened(shelf: Shelf, name: str) -> None:
    with pytest.raises(ReplayUnusable, match="no such recording"):
        asyncio.run(shelf.replay(name))


def test_a_damaged_recording_is_said_to_be(shelf: Shelf, folder: Path) -> None:
    with pytest.raises(ReplayUnusable, match=r"broken.pcapng"):
        asyncio.run(shelf.replay("broken.pcapng"))
    whole = (folder / "clean-1.pcapng").read_bytes()
    (folder / "torn.pcapng").write_bytes(whole[: len(whole) * 2 // 3])
    assert asyncio.run(shelf.replay("torn.pcapng")).note


def test_a_recording_is_dealt_once_and_anew_when_the_file_is(shelf: Shelf, folder: Path) -> None:
    first = asyncio.run(shelf.replay("clean-1.pcapng"))
    assert asyncio.run(shelf.replay("clean-1.pcapng", anew=True)) is first
    os.utime(folder / "clean-1.pcapng", ns=(1, 1))
    assert asyncio.run(shelf.replay("clean-1.pcapng")) is not first


def test_so_many_recordings_are_kept(tmp_path: Path) -> None:
    for number in range(REPLAYS_MAX + 1):
        shutil.copy(CAPTURES / "clean-1.pcapng", tmp_path / f"{number}.pcapng")
    shelf = Shelf(tmp_path)
    try:
        first = asyncio.run(shelf.replay("0.pcapng"))
        for number in range(1, REPLAYS_MAX + 1):
            asyncio.run(shelf.replay(f"{number}.pcapng"))
        assert asyncio.run(shelf.replay("0.pcapng")) is not first
    finally:
        shelf.close()


def test_a_recording_too_long_is_left_to_the_command(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replays, "BYTES_MAX", 100)
    shelf = Shelf(folder)
    try:
        with pytest.raises(ReplayUnusable, match="`dealwire replay` deals it"):
            asyncio.run(shelf.replay("clean-1.pcapng"))
    finally:
        shelf.close()


def test_a_source_that_grows_is_dealt_anew_when_its_page_is_opened() -> None:
    opened: list[str] = []

    def deal(keep: Keep) -> str:
        opened.append("clean-1")
        return deal_capture(Capture.read(CAPTURES / "clean-1.pcapng"), usual_table(replays.DEFAULT), "pit-1", keep)

    shelf = Shelf(None, [Source("journal-pit-1", "Journal of pit-1", "pit-1", deal)])
    try:
        assert [entry.name for entry in asyncio.run(shelf.entries("pit-1", "x"))] == ["journal-pit-1"]
        assert not asyncio.run(shelf.entries("pit-2", "x"))
        first = asyncio.run(shelf.replay("journal-pit-1", anew=True))
        assert asyncio.run(shelf.replay("journal-pit-1")) is first
        asyncio.run(shelf.replay("journal-pit-1", anew=True))
        assert len(opened) == 2
    finally:
        shelf.close()
