"""Whose meters a progressive's or a jackpot's file names: one journal's.

Every journal keeps books of its own, so two services that name one file would each pay its whole meter. So whoever uses
a file first leaves a note, and everybody else is refused for as long as it stands: also while the other is stopped.

The note lies beside the file. Where the service may not write there, as under the unit, it lies in the topmost folder
of its own above its journal, which is where every service of that user looks; in the unit's folder everybody looks.

A file that has several names, by hard links, has a note at one of them at most. So nobody begins with such a file: who
comes by another name finds no note, and two names. Whose note is there goes on.
"""

import hashlib
import json
import os
import socket
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from dealwire.config.schema import Configuration, TablePart
from dealwire.journal import JournalReader
from dealwire.journal.database import is_locked_by_writer
from dealwire.journal.errors import JournalError
from devices.files import may, read_file
from protocol.errors import LocalError
from protocol.tomlfile import Key

SCHEMA: Final = "dealwire.owner/1"
SUFFIX: Final = ".owner"
NOTE_MAX: Final = 64 * 1024
STATE: Final = Path("/var/lib/dealwire")
"""Where the unit's journals lie, and what it notes."""
UNREADABLE: Final = "should say whose its meters are, and cannot be read; remove it when nobody else serves them"


class NotTheOwner(LocalError):
    """The meters of a file belong to another journal, or nobody can say whose they are."""

    def __init__(self, setup: Path, note: Path, why: str) -> None:
        self.setup, self.note, self.why = setup, note, why
        super().__init__(f"{setup}: {why}")


class MeterOwner(NamedTuple):
    """A journal: its number, hex, its file, and the host that serves it."""

    journal: str
    path: str
    host: str

    @classmethod
    def of(cls, path: Path, journal: str) -> "MeterOwner":
        """The journal at `path`; `journal` is its number, empty while it is not there."""
        return cls(journal, str(path.resolve()), socket.gethostname())

    def takes_over(self, before: "MeterOwner") -> bool:
        """Whether this is the owner that a note names: the same journal, also where it was moved to; or the one that
        was begun anew in its place."""
        if self.journal == before.journal:
            return self.path == before.path or not os.path.exists(before.path)
        return (self.path, self.host) == (before.path, before.host)


def setups_of(part: TablePart) -> Iterator[tuple[str, Path]]:
    """The files whose meters or pools a table shares, by their keys."""
    if part.progressive is not None:
        yield "progressive", part.progressive
    if part.jackpot is not None:
        yield "jackpot", part.jackpot


def not_owned(found: Configuration) -> Iterator[tuple[Key, NotTheOwner]]:
    """Which files of a configuration belong to another journal, with their keys. Nothing is written."""
    named = [(index, key, setup) for index, part in enumerate(found.table) for key, setup in setups_of(part)]
    if named:
        us = MeterOwner.of(found.journal.path, _number_of(found.journal.path))
        for index, key, setup in named:
            try:
                _check(setup, found.journal.path, us)
            except NotTheOwner as error:
                yield ("table", index, key), error


def own(found: Configuration, journal: str) -> None:
    """The journal of this number owns the files of its configuration from now on; NotTheOwner when another does."""
    us = MeterOwner.of(found.journal.path, journal)
    for part in found.table:
        for _, setup in setups_of(part):
            _check(setup, found.journal.path, us)
            _note(setup, found.journal.path, us)
            _check(setup, found.journal.path, us)  # another may have been as quick


def notes(setup: Path, journal: Path) -> list[Path]:
    """Where the note of a file may lie, for a service with that journal: beside the file first."""
    real = setup.resolve()
    name = f"{real.name}-{hashlib.sha256(os.fsencode(real)).hexdigest()[:12]}{SUFFIX}"
    above = journal.resolve().parents
    elsewhere = [] if STATE in above else [STATE / name]
    return [real.with_name(real.name + SUFFIX), *elsewhere, *(each / name for each in above)]


def _check(setup: Path, journal: Path, us: MeterOwner) -> None:
    owned = False
    for note in notes(setup, journal):
        owner = _read(setup, note)
        owned |= owner is not None
        if owner is not None and not us.takes_over(owner):
            where = f"{owner.path} on {owner.host}" if owner.host != us.host else owner.path
            raise NotTheOwner(
                setup,
                note,
                f"its meters belong to the journal {where} ({owner.journal[:8]}), and two journals would each pay them"
                f" out; serve its tables from that one, or hand them over: docs/progressive.md, then remove {note}",
            )
    if not owned and (names := _names(setup)) > 1:
        raise NotTheOwner(
            setup,
            setup,
            f"it has {names} names, by hard links, and whoever serves it by another would pay the same meters out;"
            " leave it one, or put a copy in its place where its meters are others",
        )


def _names(setup: Path) -> int:
    """How many names a file has; 1 while it is not there, which whoever reads it says."""
    try:
        return setup.stat().st_nlink
    except OSError:
        return 1


def _read(setup: Path, note: Path) -> MeterOwner | None:
    """What a note says; None where there is none."""
    try:
        found = json.loads(read_file(note, NOTE_MAX))
        owner = MeterOwner(found["journal"], found["path"], found["host"])
        if found["schema"] != SCHEMA or not all(isinstance(each, str) for each in owner):
            raise ValueError
        return owner
    except (FileNotFoundError, NotADirectoryError):
        if note.is_symlink():  # to nothing: no note can be left in its place
            raise NotTheOwner(setup, note, f"{note} {UNREADABLE}") from None
        return None
    except PermissionError:
        if note.parent == setup.resolve().parent:
            raise NotTheOwner(setup, note, f"{note} says whose its meters are, and may not be read") from None
        return None  # a folder that is another user's
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        raise NotTheOwner(setup, note, f"{note} {UNREADABLE}") from None


def _note(setup: Path, journal: Path, us: MeterOwner) -> None:
    """Leave the note, unless it says the same already."""
    first, *others = notes(setup, journal)
    place = first
    if not may(first.parent, os.W_OK | os.X_OK):
        place = _topmost([each for each in others if each.parent in journal.resolve().parents])
    before = _read(setup, place)
    if before == us or (before is not None and not us.takes_over(before)):
        return  # it says so already, or another was quicker, and is met when the note is read again
    try:
        _write(place, json.dumps({"schema": SCHEMA, **us._asdict()}) + "\n", new=before is None)
    except OSError as error:
        why = f"that its meters are this journal's cannot be written to {place}: {error.strerror}"
        raise NotTheOwner(setup, place, why) from error


def _write(place: Path, text: str, *, new: bool) -> None:
    descriptor, made = tempfile.mkstemp(prefix=".", suffix=SUFFIX, dir=place.parent)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(made, 0o644)  # whoever is refused reads who has it
        if new:
            with suppress(FileExistsError):  # another was quicker, and is met when the note is read again
                os.link(made, place)
        else:
            os.replace(made, place)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(made)


def _topmost(above: list[Path]) -> Path:
    """Of the folders above the journal, the highest that is this user's own; the journal's, where none is."""
    mine = [note for note in above if may(note.parent, os.W_OK | os.X_OK) and _is_own(note.parent)]
    return mine[-1] if mine else above[0]


def _is_own(folder: Path) -> bool:
    return folder.stat().st_uid == os.geteuid()


def _number_of(path: Path) -> str:
    """The number of the journal at `path`, hex; empty while there is none that can be read."""
    try:
        with JournalReader(path, still=not is_locked_by_writer(path)) as reader:
            return reader.identity.hex()
    except JournalError:
        return ""
