"""The meters of a setup file are one journal's: another that names the file is refused, whoever runs at the time."""

from __future__ import annotations

import json
import os
import shutil
import threading
from pathlib import Path

import pytest
from click.testing import CliRunner

from dealwire.cli import main
from dealwire.config.load import load_configuration
from dealwire.hub.hub import Hub
from dealwire.service import ownership
from dealwire.service.ownership import MeterOwner, NotTheOwner, notes, own
from dealwire.service.service import Service
from protocol.errors import LocalError
from tests.dealwire.test_service import LINK, LINKED
from tests.support.rigs.serving import write_configuration

LINES = [{"shuffler": "tcp://127.0.0.1:1", "table-controller": "tcp://127.0.0.1:2"}]


def configured(folder: Path, setup: Path) -> Path:
    """A table of a progressive game in a folder of its own, whose setup is that file."""
    folder.mkdir(exist_ok=True)
    more = LINKED.format(token=25).replace(LINK.name, str(setup))
    return write_configuration(folder, LINES, more=more, procedure="flushes-gone-wild.wa")


@pytest.fixture
def setup(tmp_path: Path) -> Path:
    (tmp_path / "shared").mkdir()
    return Path(shutil.copy(LINK, tmp_path / "shared"))


def served(file: Path) -> str:
    """Begin to serve a file, and end; the journal's number."""
    with Service(load_configuration(file), Hub()) as service:
        return service.journal.identity.hex()


def checked(file: Path) -> tuple[int, str]:
    done = CliRunner().invoke(main, ["run", "--check", str(file)])
    return done.exit_code, "\n".join(line for line in done.output.splitlines() if "meters" in line)


def test_a_second_journal_is_refused_while_the_first_is_stopped(tmp_path: Path, setup: Path) -> None:
    first, second = configured(tmp_path / "a", setup), configured(tmp_path / "b", setup)
    assert checked(first)[0] == 0
    number = served(first)
    assert (checked(first)[0], "belong to this journal" in checked(first)[1]) == (0, True)
    code, said = checked(second)
    note = setup.with_name(f"{setup.name}.owner")
    assert code == 2
    assert f"belong to the journal {tmp_path}/a/journal.sqlite ({number[:8]})" in said
    assert f"remove {note}" in said
    done = CliRunner().invoke(main, ["run", str(second)])
    assert (done.exit_code, len(done.stderr.splitlines())) == (2, 1), done.stderr
    assert f"{second}:" in done.stderr
    assert "table[1].progressive" in done.stderr
    assert not (tmp_path / "b" / "journal.sqlite").exists()
    with pytest.raises(NotTheOwner):
        served(second)
    assert served(first) == number, "and the first goes on"


def test_it_is_handed_over_by_removing_the_note(tmp_path: Path, setup: Path) -> None:
    first, second = configured(tmp_path / "a", setup), configured(tmp_path / "b", setup)
    served(first)
    setup.with_name(f"{setup.name}.owner").unlink()
    number = served(second)
    assert json.loads(setup.with_name(f"{setup.name}.owner").read_text())["journal"] == number
    code, said = checked(first)
    assert (code, f"{tmp_path}/b/journal.sqlite" in said) == (2, True)


def test_another_spelling_is_the_same_file(tmp_path: Path, setup: Path) -> None:
    (tmp_path / "link.toml").symlink_to(setup)
    served(configured(tmp_path / "a", setup))
    assert checked(configured(tmp_path / "b", tmp_path / "shared" / ".." / "link.toml"))[0] == 2


def test_a_journal_that_was_moved_or_begun_anew_in_its_place_goes_on(tmp_path: Path, setup: Path) -> None:
    """A copy next to it does not."""
    first = configured(tmp_path / "a", setup)
    number = served(first)
    shutil.copytree(tmp_path / "a", tmp_path / "copy")
    assert checked(tmp_path / "copy" / "table.toml")[0] == 2
    (tmp_path / "a").rename(tmp_path / "moved")
    assert served(tmp_path / "moved" / "table.toml") == number
    assert checked(tmp_path / "copy" / "table.toml")[0] == 2
    for each in (tmp_path / "moved").glob("journal.sqlite*"):
        each.unlink()
    assert served(tmp_path / "moved" / "table.toml") != number


def test_another_name_of_the_file_is_no_file_of_its_own(tmp_path: Path, setup: Path) -> None:
    """A hard link has no note next to it, so each service would pay the whole meter out."""
    first, other = configured(tmp_path / "a", setup), tmp_path / "other.toml"
    number = served(first)
    other.hardlink_to(setup)
    second = configured(tmp_path / "b", other)
    code, said = checked(second)
    assert (code, f"{other}: it has 2 names (hard links)" in said) == (2, True)
    with pytest.raises(NotTheOwner, match="hard links"):
        served(second)
    assert served(first) == number, "the owner goes on"
    other.unlink()
    shutil.copy(setup, other)
    assert checked(second)[0] == 0, "a copy is a file of its own"


def test_nobody_begins_with_a_file_of_two_names(tmp_path: Path, setup: Path) -> None:
    (tmp_path / "other.toml").hardlink_to(setup)
    for name, file in (("a", setup), ("b", tmp_path / "other.toml")):
        with pytest.raises(NotTheOwner, match=r"it has 2 names \(hard links\)"):
            served(configured(tmp_path / name, file))
    (tmp_path / "other.toml").unlink()
    served(configured(tmp_path / "a", setup))


def test_what_the_unit_noted_is_seen_by_everybody(tmp_path: Path, setup: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A service that may write next to the file, and whose journal is elsewhere, sees the note as well."""
    state, real = tmp_path / "state", ownership.may
    state.mkdir()
    monkeypatch.setattr(ownership, "STATE", state)
    with monkeypatch.context() as unit:
        unit.setattr(ownership, "may", lambda path, mode: path.is_relative_to(state) and real(path, mode))
        served(configured(state / "a", setup))
    assert [each.name for each in setup.parent.iterdir()] == [setup.name]
    code, said = checked(configured(tmp_path / "b", setup))
    assert (code, f"belong to the journal {state}/a/journal.sqlite" in said) == (2, True)


NO_NOTES = [
    "",
    "{}",
    "[1]",
    '{"schema": "dealwire.owner/9"}',
    "\0" * 10,
    "[" * 50_000,
    '{"schema": "dealwire.owner/1", "journal": 5, "path": null, "host": []}',
]


@pytest.mark.parametrize("text", NO_NOTES, ids=range(len(NO_NOTES)))
def test_a_note_that_says_nothing_is_not_passed_over(tmp_path: Path, setup: Path, text: str) -> None:
    setup.with_name(f"{setup.name}.owner").write_text(text)
    code, said = checked(configured(tmp_path / "a", setup))
    assert (code, "should name the owner of its meters but cannot be read" in said) == (2, True)


def test_a_note_that_names_no_path_that_can_be_is_one_line(tmp_path: Path, setup: Path) -> None:
    file = configured(tmp_path / "a", setup)
    number, note = served(file), setup.with_name(f"{setup.name}.owner")
    for path in ("/" + "x" * 60_000, "/\0", "/\ud800"):
        note.write_text(json.dumps({**json.loads(note.read_text()), "path": path}))
        assert served(file) == number, "its journal is not there any more, so it was moved"


def test_a_link_to_nothing_in_the_place_of_the_note_gives_the_meters_to_nobody(tmp_path: Path, setup: Path) -> None:
    """It was no note and could not become one: each of two services began."""
    setup.with_name(f"{setup.name}.owner").symlink_to(tmp_path / "nowhere")
    file = configured(tmp_path / "a", setup)
    code, said = checked(file)
    assert (code, "should name the owner of its meters but cannot be read" in said) == (2, True)
    with pytest.raises(LocalError, match="should name the owner of its meters"):
        served(file)


def test_where_the_service_may_not_write_the_note_lies_above_its_journal(
    tmp_path: Path, setup: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As under the unit, whose settings are root's: two journals below one state folder find each other."""
    real = ownership.may
    monkeypatch.setattr(
        ownership, "may", lambda path, mode: path not in (setup.parent, *tmp_path.parents) and real(path, mode)
    )
    (tmp_path / "state").mkdir()
    monkeypatch.setattr(ownership, "_is_own", lambda folder: folder.is_relative_to(tmp_path / "state"))
    served(configured(tmp_path / "state" / "a", setup))
    assert [each.name for each in setup.parent.iterdir()] == [setup.name]
    (note,) = (tmp_path / "state").glob("*.owner")
    assert note in notes(setup, tmp_path / "state" / "a" / "journal.sqlite")
    code, said = checked(configured(tmp_path / "state" / "b", setup))
    assert (code, f"remove {note}" in said) == (2, True)


def test_one_of_many_that_begin_at_once_gets_it(tmp_path: Path, setup: Path) -> None:
    got: list[str] = []
    ready = threading.Barrier(8)
    files = [load_configuration(configured(tmp_path / str(number), setup)) for number in range(8)]

    def begin(number: int) -> None:
        ready.wait()
        try:
            own(files[number], f"{number:032x}")
        except NotTheOwner:
            return
        got.append(f"{number:032x}")

    threads = [threading.Thread(target=begin, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    (owner,) = got
    assert json.loads(setup.with_name(f"{setup.name}.owner").read_text())["journal"] == owner
    assert [each.name for each in setup.parent.iterdir() if each.name.startswith(".")] == []


def test_a_file_of_two_hosts_is_not_the_same_journal_s(tmp_path: Path) -> None:
    """Both keep theirs under the usual name."""
    here, there = MeterOwner("a" * 32, "/var/lib/dealwire/j", "one"), MeterOwner("b" * 32, "/var/lib/dealwire/j", "two")
    assert not there.takes_over(here)
    assert there.takes_over(here._replace(host="two"))


def test_a_jackpot_has_one_owner_too(tmp_path: Path) -> None:
    from tests.dealwire.test_jackpot_tables import configuration

    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    first, second = configuration(tmp_path / "a", {}), configuration(tmp_path / "b", {})
    (tmp_path / "b" / "mine.toml").unlink()
    os.symlink(tmp_path / "a" / "mine.toml", tmp_path / "b" / "mine.toml")
    served(first)
    code, said = checked(second)
    assert (code, "table[1].jackpot" in said, f"{tmp_path}/a/journal.sqlite" in said) == (2, True, True)
