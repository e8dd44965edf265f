"""Recordings for the console: the views they lead to, and their bounds."""

from __future__ import annotations

import asyncio
import itertools
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from dealer_flow.games import files_of
from dealwire.console import replays, worker
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
from dealwire.hub.hub import Hub
from dealwire.table.replay import replay, usual_table
from devices.drive.replay import play
from devices.record.capture import Capture, CaptureError, CaptureWriter
from tests.support.rigs.consoles import CAPTURES, client, running

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
    assert {each.outcome for each in steps[-1].view.outcomes} <= set(table.outcomes)
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


def test_a_note_on_a_page_is_a_note_and_no_alarm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replays, "STEPS_MAX", 10)
    shutil.copy(CAPTURES / "clean-1.pcapng", tmp_path)
    with running(Hub(), recordings=tmp_path) as console, client(console) as browser:
        page = browser.get("/replay/clean-1.pcapng").text
    assert re.search(
        r'<p class="panel note" id="note">.*Only the first 10 steps are shown; .*for all of them\.</p>', page
    )
    assert 'class="panel problem"' not in page


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


def test_a_file_that_goes_while_it_is_looked_at_is_no_fault(
    shelf: Shelf, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = shelf._files

    def gone_after() -> dict[str, tuple[Path, int, int]]:
        found = files()
        (folder / "jam.pcapng").unlink()
        return found

    monkeypatch.setattr(shelf, "_files", gone_after)
    entries = {entry.name: entry for entry in asyncio.run(shelf.entries(None, None))}
    assert entries["jam.pcapng"].problem
    assert not entries["clean-1.pcapng"].problem


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
        with pytest.raises(ReplayUnusable, match="use `dealwire replay`"):
            asyncio.run(shelf.replay("clean-1.pcapng"))
    finally:
        shelf.close()


NESTED = 'schema = "dealwire.procedure/1"\nx = ' + "[" * 20_000


def named(path: Path, procedure: str) -> None:
    """A copy of a recording that names `procedure`."""
    whole = Capture.read(CAPTURES / "clean-1.pcapng")
    chunks = list(whole.chunks)
    with CaptureWriter(path, procedure=procedure) as writer:
        for line in whole.interfaces:
            writer.interface(line.name, device=line.device, dialect=line.dialect)
        for chunk in chunks:
            writer.chunk(chunk.interface, chunk.at_ns, chunk.sent, chunk.data)


@pytest.mark.parametrize("place", ["passwd", "good.toml", "nested.toml", "fifo.toml", "nowhere.toml"])
def test_a_recording_chooses_no_file(tmp_path: Path, place: str) -> None:
    """Its procedure is the id of one that comes with dealwire: nothing is opened, so nothing is learnt, or hangs."""
    recordings = tmp_path / "recordings"
    recordings.mkdir()
    shutil.copy(files_of("deal")["flushes-gone-wild.co"], tmp_path / "good.toml")
    (tmp_path / "passwd").write_text("root:x:0:0")
    (tmp_path / "nested.toml").write_text(NESTED)
    os.mkfifo(tmp_path / "fifo.toml")
    named(recordings / "evil.pcapng", str(tmp_path / place))
    shelf = Shelf(recordings)
    try:
        with pytest.raises(ReplayUnusable) as raised:
            asyncio.run(shelf.replay("evil.pcapng"))
        assert "which is not part of dealwire" in str(raised.value)
        assert "root:x" not in str(raised.value)
        assert len(str(raised.value)) < 1500
    finally:
        shelf.close()
    with pytest.raises(CaptureError, match="no procedure known here"):
        next(replay(recordings / "evil.pcapng"))


def test_what_is_no_file_is_not_listed_and_a_long_one_not_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(folder / "fifo.pcapng")
    (folder / "folder.pcapng").mkdir()
    with (folder / "long.pcapng").open("wb") as file:
        file.truncate(replays.BYTES_MAX + 1)
    opened: list[str] = []

    class Watched(Capture):
        """Notes what is opened."""

        @classmethod
        def read(cls, path: str | Path) -> Capture:
            opened.append(Path(path).name)
            return Capture.read(path)

    monkeypatch.setattr(replays, "Capture", Watched)
    shelf = Shelf(folder)
    try:
        entries = {entry.name: entry for entry in asyncio.run(shelf.entries(None, None))}
        assert {"fifo.pcapng", "folder.pcapng"}.isdisjoint(entries)
        assert entries["long.pcapng"].problem == replays.TOO_LONG
        assert "long.pcapng" not in opened
        asyncio.run(shelf.entries(None, None))
        assert len(opened) == len(entries) - 1  # each once, until it is written again
        os.utime(folder / "jam.pcapng", ns=(1, 1))
        asyncio.run(shelf.entries(None, None))
        assert opened[len(entries) - 1 :] == ["jam.pcapng"]
    finally:
        shelf.close()


HANGING = """
import signal, sys, threading, urllib.request
from pathlib import Path
from dealwire.console.replays import Source
from dealwire.console.server import Console
from dealwire.hub.hub import Hub
hanging, end = threading.Event(), threading.Event()
def deal(keep):
    hanging.set()
    threading.Event().wait()
signal.signal(signal.SIGTERM, lambda *_: end.set())
console = Console(Hub(), sources=[Source("stuck", "stuck", None, deal)])
console.start()
def ask():
    try:
        urllib.request.urlopen(console.address + "replay/stuck")
    except Exception as error:
        print(error.code, flush=True)
threading.Thread(target=ask, daemon=True).start()
hanging.wait()
print("hanging", flush=True)
while not end.wait(0.05): pass
console.stop()
"""


@pytest.mark.more
def test_a_recording_that_hangs_keeps_nobody_from_ending() -> None:
    pipes = dict.fromkeys(("stdout", "stderr"), subprocess.PIPE)
    with subprocess.Popen([sys.executable, "-c", HANGING], text=True, **pipes) as process:  # type: ignore[call-overload]
        try:
            assert process.stdout.readline() == "hanging\n"
            process.terminate()
            out, said = process.communicate(timeout=300)
        finally:
            process.kill()
    assert (process.returncode, out, said) == (0, "503\n", "")


def test_so_many_may_wait_for_a_recording(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "JOBS_MAX", 2)
    go_on = threading.Event()

    def deal(keep: Keep) -> str:
        assert go_on.wait(300)
        return "nothing in it"

    shelf = Shelf(None, [Source("slow", "slow", None, deal)])

    async def scene() -> list[str]:
        tasks = [asyncio.create_task(shelf.replay("slow")) for _ in range(3)]
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        go_on.set()
        return [str(error) for error in await asyncio.gather(*tasks, return_exceptions=True)]

    try:
        answers = asyncio.run(scene())
        assert sum("too many recordings are waiting" in answer for answer in answers) == 1
        assert sum("nothing in it" in answer for answer in answers) == 2
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
