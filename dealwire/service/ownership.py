"""Ownership of shared meters: the meters of a progressive or jackpot file belong to one journal.

Every journal keeps its own books, so two services with the same file would each pay its whole meter. The first user of
a file therefore leaves a note; everyone else is refused while the note exists, even while the owner is stopped.

The note is next to the file. If the service cannot write there, as under the unit, it is in the topmost folder of its
user above the journal, where every service of that user looks; every service looks in the unit's folder.

A file with several names (hard links) has a note at one of them at most, so a service that comes by another name would
find none. No one may start with such a file; the owner named in an existing note continues.
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

from dealwire.config.schema import Configuration
from dealwire.config.table_parts import TablePart
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
"""Folder of the unit's journals and notes."""
UNREADABLE: Final = "should name the owner of its meters but cannot be read; remove it if no other service uses them"


class NotTheOwner(LocalError):
    """The meters of a file belong to another journal, or the owner cannot be determined."""

    def __init__(self, setup: Path, note: Path, why: str) -> None:
        self.setup, self.note, self.why = setup, note, why
        super().__init__(f"{setup}: {why}")


class MeterOwner(NamedTuple):
    """A journal: its number in hex, its file, and its host."""

    journal: str
    path: str
    host: str

    @classmethod
    def of(cls, path: Path, journal: str) -> "MeterOwner":
        """The journal at `path`; `journal` is its number, empty while it is not there."""
        return cls(journal, str(path.resolve()), socket.gethostname())

    def takes_over(self, before: "MeterOwner") -> bool:
        """True if this is the owner in a note: the same journal, even if moved, or the one that replaced it at the same
        path."""
        if self.journal == before.journal:
            return self.path == before.path or not os.path.exists(before.path)
        return (self.path, self.host) == (before.path, before.host)


def setups_of(part: TablePart) -> Iterator[tuple[str, Path]]:
    """Yield the files whose meters or pools a table shares, with their keys."""
    if part.progressive is not None:
        yield "progressive", part.progressive
    if part.jackpot is not None:
        yield "jackpot", part.jackpot


def not_owned(found: Configuration) -> Iterator[tuple[Key, NotTheOwner]]:
    """Yield the files of a configuration that belong to another journal, with their keys. Nothing is written."""
    named = [(index, key, setup) for index, part in enumerate(found.table) for key, setup in setups_of(part)]
    if named:
        us = MeterOwner.of(found.journal.path, _number_of(found.journal.path))
        for index, key, setup in named:
            try:
                _check(setup, found.journal.path, us)
            except NotTheOwner as error:
                yield ("table", index, key), error


def own(found: Configuration, journal: str) -> None:
    """Make the journal with this number the owner of its configuration's files; NotTheOwner if another is."""
    us = MeterOwner.of(found.journal.path, journal)
    for part in found.table:
        for _, setup in setups_of(part):
            _check(setup, found.journal.path, us)
            _note(setup, found.journal.path, us)
            _check(setup, found.journal.path, us)  # another service may have written at the same time


def notes(setup: Path, journal: Path) -> list[Path]:
    """Return the possible places of a file's note, for a service with that journal: next to the file first."""
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
                f" out; serve its tables from that one, or transfer them (docs/progressive.md) and remove {note}",
            )
    if not owned and (names := _names(setup)) > 1:
        raise NotTheOwner(
            setup,
            setup,
            f"it has {names} names (hard links), and a service that uses another name would pay the same meters out;"
            " keep one name, or replace it with a copy that has meters of its own",
        )


def _names(setup: Path) -> int:
    """Return the number of a file's hard links; 1 if it does not exist, which its reader reports."""
    try:
        return setup.stat().st_nlink
    except OSError:
        return 1


def _read(setup: Path, note: Path) -> MeterOwner | None:
    """Return the owner in a note; None if there is none."""
    try:
        found = json.loads(read_file(note, NOTE_MAX))
        owner = MeterOwner(found["journal"], found["path"], found["host"])
        if found["schema"] != SCHEMA or not all(isinstance(each, str) for each in owner):
            raise ValueError
        return owner
    except (FileNotFoundError, NotADirectoryError):
        if note.is_symlink():  # a dangling link: no note can be written in its place
            raise NotTheOwner(setup, note, f"{note} {UNREADABLE}") from None
        return None
    except PermissionError:
        if note.parent == setup.resolve().parent:
            raise NotTheOwner(setup, note, f"{note} names the owner of its meters but is not readable") from None
        return None  # another user's folder
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        raise NotTheOwner(setup, note, f"{note} {UNREADABLE}") from None


def _note(setup: Path, journal: Path, us: MeterOwner) -> None:
    """Write the note unless it exists with the same content."""
    first, *others = notes(setup, journal)
    place = first
    if not may(first.parent, os.W_OK | os.X_OK):
        place = _topmost([each for each in others if each.parent in journal.resolve().parents])
    before = _read(setup, place)
    if before == us or (before is not None and not us.takes_over(before)):
        return  # already written, or another service was quicker, which the next read detects
    try:
        _write(place, json.dumps({"schema": SCHEMA, **us._asdict()}) + "\n", new=before is None)
    except OSError as error:
        why = f"cannot record in {place} that its meters belong to this journal: {error.strerror}"
        raise NotTheOwner(setup, place, why) from error


def _write(place: Path, text: str, *, new: bool) -> None:
    descriptor, made = tempfile.mkstemp(prefix=".", suffix=SUFFIX, dir=place.parent)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(made, 0o644)  # refused services must be able to read the owner
        if new:
            with suppress(FileExistsError):  # another service was quicker, which the next read detects
                os.link(made, place)
        else:
            os.replace(made, place)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(made)


def _topmost(above: list[Path]) -> Path:
    """Return the highest of the folders above the journal that this user owns; the journal's own if there is none."""
    mine = [note for note in above if may(note.parent, os.W_OK | os.X_OK) and _is_own(note.parent)]
    return mine[-1] if mine else above[0]


def _is_own(folder: Path) -> bool:
    return folder.stat().st_uid == os.geteuid()


def _number_of(path: Path) -> str:
    """Return the number of the journal at `path` in hex; empty if it cannot be read."""
    try:
        with JournalReader(path, still=not is_locked_by_writer(path)) as reader:
            return reader.identity.hex()
    except JournalError:
        return ""
