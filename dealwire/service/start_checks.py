"""Checks of a start that depend on more than the file: which tables would resume, disk space, devices.

The record is replayed as a start would; nothing is written, and no line is opened.
"""

import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Final

from dealwire.config.schema import Configuration, JournalPart
from dealwire.config.table_parts import TablePart
from dealwire.journal import JournalReader
from dealwire.journal.check import check_start
from dealwire.journal.errors import JournalEmpty, JournalUnwritable
from dealwire.journal.factory import TableFactory
from dealwire.journal.resuming import replay_tables
from dealwire.journal.tables import JournaledPublisher
from dealwire.service.disk import LEVELS, Usage, in_words, percent_used
from dealwire.service.opening import DERIVED_AND_EVENTS, NOT_IN_FILE, not_as_before
from dealwire.service.readiness import StartOptions
from dealwire.service.removed_tables import left_behind
from dealwire.service.seals import load_seal
from dealwire.service.timekeeping import ClockDoubtful, behind, doubtful, goes_back
from dealwire.service.tried import (
    Tried,
    ok,
    warning,
    wrong,
)
from devices.drive.address import check_address
from devices.drive.address_state import describe_address
from devices.files import may
from protocol.errors import DealwireError, LocalError

LEAST_BYTES: Final = 1_000_000
"""Minimum free space in bytes. With less, a table stops within its first rounds."""


# ------------------------------------------------------------------ the journal


def journal_ahead(found: Configuration, options: StartOptions, wall_ns: int) -> Iterator[Tried]:
    """Yield the results of opening the journal at `wall_ns` of the host's clock, without a change to it.

    The journal must not be in use, and must be writable.
    """
    path = found.journal.path
    try:
        if path.exists():
            yield from _of_a_record(found, options, wall_ns)
        else:
            yield from (ok(part.name, "starts: there is no journal yet") for part in found.table)
    except JournalEmpty:
        yield from (ok(part.name, "starts: the journal is empty") for part in found.table)
    except DealwireError as error:
        yield wrong("journal", ("journal",), error)


def _of_a_record(found: Configuration, options: StartOptions, wall_ns: int) -> Iterator[Tried]:
    path = found.journal.path
    with JournalReader(path, load_seal(found.journal), still=True) as reader, TableFactory(path, still=True) as maker:
        newest_ns = reader.newest_ns
        doubt = ClockDoubtful(path, wall_ns, newest_ns) if doubtful(wall_ns, newest_ns) else None
        if doubt is not None and not options.clock_is_right:
            raise doubt
        _, books, _ = check_start(reader)
        for needed in (reader.lines, reader.day, reader.segments):
            needed()
        yield ok("journal", f"{reader.head.sequence} records, the newest verified")
        if (slow := behind(wall_ns, newest_ns)) is not None:
            yield warning("clock", slow)
        running: Mapping[str, JournaledPublisher] = {}
        why = {}
        if (all_anew := _why_all_begin(reader, wall_ns, options.anew)) is None:
            before = reader.starts()
            running = replay_tables(reader, maker, DERIVED_AND_EVENTS)[0].publishers
            why = not_as_before(found.table, running.keys(), before)
        for part in found.table:
            yield _of_a_table(part, maker, running.get(part.name), all_anew or why.get(part.name))
        for name in sorted(reader.starts().keys() - {part.name for part in found.table}):
            yield warning(name, f"{NOT_IN_FILE}: it is in the journal and not in this file")
        held = books.obligations.tables if books is not None else {}
        for name, text in left_behind(found, reader.starts().keys() - {part.name for part in found.table}, held, path):
            yield warning(name, text)


def _why_all_begin(reader: JournalReader, wall_ns: int, anew: bool) -> str | None:
    if goes_back(wall_ns, reader.newest_ns):
        return "the clock was set back"
    if reader.version == 1:
        return "an older version wrote the journal"
    return "--start-over was given" if anew else None


def _of_a_table(part: TablePart, maker: TableFactory, stood: JournaledPublisher | None, why: str | None) -> Tried:
    """Return the outlook of one table of the file. `stood` is the table at the end of the record."""
    if stood is not None and why is None:
        now = stood.table.flow.snapshot()
        return ok(part.name, f"resumes in round {now.number}" if now.number else "resumes; no round is under way")
    maker.facts(part)  # raises what a start would raise
    if stood is None and why is None:
        return ok(part.name, "starts: it is not running in this journal")
    return warning(part.name, f"starts over: {why}; a round under way is abandoned")


# ------------------------------------------------------------------ the disk


def disk_ahead(part: JournalPart, usage: Callable[[Path], Usage] = shutil.disk_usage) -> Iterator[Tried]:
    """Check the use of the journal's disk, and that finished days can be copied."""
    try:
        found = usage(part.path.parent)
    except OSError:
        return  # a missing folder is reported for the journal
    how = f"{percent_used(found)} % of the journal's disk is in use, {in_words(found.free)} free"
    if found.free < LEAST_BYTES:
        yield wrong("disk", ("journal", "path"), JournalUnwritable(part.path, f"the disk is full ({how})"))
    elif percent_used(found) >= min(LEVELS):
        yield warning("disk", f"{how}; when it is full, every table stops", ("journal", "path"))
    else:
        yield ok("disk", how)
    yield from map(_archive, part.archive)
    if not part.archive and part.path.parent.is_dir():
        yield ok("archive", "none is named: the journal is never pruned")


def _archive(folder: Path) -> Tried:
    """Check that the folder can be written, or created in its first existing parent."""
    there = next(each for each in (folder, *folder.absolute().parents) if each.exists())
    if there.is_dir() and may(there, os.W_OK | os.X_OK):
        return ok("archive", f"{folder} {'is writable' if folder.exists() else 'can be created'}")
    why = "is not writable by this user" if there.is_dir() else "is not a folder"
    return warning("archive", f"{there} {why}: no day is archived or pruned", ("journal", "archive"))


# ------------------------------------------------------------------ the lines


def lines_ahead(found: Configuration) -> Iterator[Tried]:
    """Check that each device is where its address points. A missing one is a warning, because its line is retried."""
    for index, part in enumerate(found.table):
        for number, device in enumerate(part.device):
            what = f"{part.name}, {device.name}"
            try:
                check_address(device.address)
            except DealwireError:
                continue  # an invalid address is reported for the file
            try:
                yield ok(what, f"{device.address}: {describe_address(device.address)}")
            except LocalError as error:
                yield wrong(what, ("table", index, "device", number, "address"), error)
            except DealwireError as error:
                then = "" if device.address.startswith("replay:") else "; it is retried until it is found"
                yield warning(what, f"{error}{then}", ("table", index, "device", number, "address"))
