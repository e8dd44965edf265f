"""Archives and prunes the journal: days become segments, segments become files, old records are removed.

All of it runs in the owner's turn in small steps. Copying runs in another process, checking copies in another thread. A
day is removed only if its copies are found intact within the same minute: an earlier check proves nothing.
"""

import logging
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, time
from pathlib import Path
from types import MappingProxyType
from typing import Final

from dealwire.config.schema import JournalPart
from dealwire.journal import Journal, JournalReader
from dealwire.journal.contents import Segment
from dealwire.journal.errors import JournalDamaged, JournalError
from dealwire.journal.records import Head
from dealwire.journal.segments import anchor_of, check_copies, file_name, gaming_day
from dealwire.own_program import own_program
from dealwire.service.copies import SILENT, Copy, CopyWatch, FileId, Look

_log = logging.getLogger(__name__)

S: Final = 1_000_000_000
LOOK_NS: Final = 60 * S
"""Interval between searches for something to copy or prune, and between checks of the copies."""
AGAIN_NS: Final = 600 * S
"""Wait after a failed copy."""
READ_NS: Final = 86_400 * S
"""Interval between complete reads of a copy while nothing depends on it."""
SILENT_NS: Final = 60 * S
"""A copy whose check shows no progress for so long counts as missing."""
ENDS_S: Final = 1.0


@dataclass(frozen=True, slots=True)
class _Copying:
    """A day on its way to a folder."""

    segment: Segment
    folder: Path
    path: str
    identity: bytes
    anchor: Head


class Archivist:
    """Archives the journal. Call `beat` once a second from the owner's thread, and `close` at the end.

    `consumers` are the exporters, each with its table: what one of them has not sent is kept.
    """

    missing = 0
    """Days that must be in the archive but are intact in too few folders."""
    problem: str | None = None
    """The archive's problem as a sentence; None if there is none."""

    def __init__(
        self, journal: Journal, part: JournalPart, consumers: Mapping[str, str] = MappingProxyType({})
    ) -> None:
        self._journal, self._part, self._consumers = journal, part, consumers
        self._begins = time.fromisoformat(part.day_begins)
        self._needed = part.copies or len(part.archive)
        self._look_ns = 0
        self._process: subprocess.Popen[str] | None = None
        self._copied: _Copying | None = None
        self._watches = {folder: CopyWatch() for folder in part.archive}
        """One watch per folder, so that a hanging disk delays no other."""
        self._taking_over = False
        self._segments: Sequence[Segment] = ()
        self._due: Segment | None = None
        """The day to remove once enough of its copies are found intact."""
        self._fresh: set[str] = set()
        """Intact copies of that day found in the check under way."""
        self._pruned: Segment | None = None
        self._anchor = 0
        """Number of the newest record removed."""
        self._wrong: dict[int, dict[str, str]] = {}
        """Problems of copies by the day's first record and file, including copies that could not be made."""
        self._again_ns: dict[Path, int] = {}
        """Time to retry a folder that failed."""
        self._files: dict[str, FileId] = {}
        """File identity of each copy, as of its last check."""
        self._unlike: dict[int, str] = {}
        """Days whose row disagrees with the records, by first record, with the reason."""
        self._looked: set[Path] = set()
        """Folders whose copies were checked since the start."""
        self._read_ns: dict[str, int] = {}
        """Time at which each copy was last read completely."""

    @property
    def busy(self) -> bool:
        """True if work is under way that continues at the next beat."""
        watching = any(watch.busy for watch in self._watches.values())
        return self._process is not None or watching or self._pruned is not None

    def beat(self, now_ns: int) -> None:
        """Do what is due."""
        day = gaming_day(now_ns, self._begins)
        if self._journal.days.current is None or day > self._journal.days.current:
            self._journal.begin_day(day, now_ns)
        if not self._part.archive:
            return
        if self._process is not None:
            self._end_copy(now_ns)
        for folder, watch in self._watches.items():
            if watch.busy:
                self._take_found(folder, watch, now_ns)
        if self._pruned is not None:
            if self._journal.days.prune(self._pruned):
                self._pruned = None
            self._journal.days.give_back()
        elif now_ns >= self._look_ns:
            self._look_ns = now_ns + LOOK_NS
            self._look(now_ns)

    def close(self) -> None:
        """Abandon a copy under way; it is made again later."""
        if self._process is not None:
            self._process.terminate()
            try:
                self._process.wait(ENDS_S)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
            self._process = None

    def _look(self, now_ns: int) -> None:
        try:
            with JournalReader(self._journal.path) as reader:
                self._segments, self._anchor = reader.segments(), reader.anchor.sequence
                if self._copied is None:
                    self._copy_next(reader, now_ns)
                oldest = self._segments[0] if self._segments else None
                self._due = oldest if oldest is not None and self._may_go(oldest, reader, now_ns) else None
                self._fresh.clear()
                for folder, watch in self._watches.items():
                    if not watch.busy and not (self._copied and self._copied.folder == folder):
                        watch.look(self._copies_in(folder, now_ns))
        except JournalError as error:
            _log.warning("nothing is archived or pruned: %s", error)
        self._journal.days.give_back()

    def _may_go(self, segment: Segment, reader: JournalReader, now_ns: int) -> bool:
        """True if the oldest segment may be removed: copied, old or over the size limit, and needed neither to resume a
        table nor by an exporter. Its copies are still to be checked."""
        if len(self._held(segment)) < self._needed_of(segment):
            return False
        today = date.fromisoformat(gaming_day(now_ns, self._begins))
        old = (today - date.fromisoformat(segment.day)).days >= self._part.keep_days
        most = self._part.most_megabytes
        if not old and (most is None or reader.size() <= most * 1_000_000):
            return False
        kept = [reader.snapshot(table, state=False) for table in reader.starts()]
        needed = [each.sequence if each is not None else 0 for each in kept]
        if segment.last >= min(needed, default=segment.last + 1):
            return False
        marks = reader.consumers()
        if any(reader.made_known(table, marks.get(to, 0), segment.last) for to, table in self._consumers.items()):
            return False
        try:
            check_copies(reader, segment)
        except JournalDamaged as error:
            self._unlike[segment.first] = error.why
            self._lost(self._not_copies())
            return False
        return True

    # ------------------------------------------------------------------ copying

    def _copy_next(self, reader: JournalReader, now_ns: int) -> None:
        """Start copying the oldest day that a folder lacks, to the first such folder."""
        for segment in self._segments:
            if segment.first <= reader.anchor.sequence:  # it is partly pruned
                continue
            name = file_name(reader, segment)
            for folder in self._part.archive:
                due = str(folder / name) not in segment.copies and now_ns >= self._again_ns.get(folder, 0)
                if due and self._is_there(folder):
                    before = anchor_of(reader, segment.first)
                    self._copy(_Copying(segment, folder, str(folder / name), reader.identity, before))
                    return

    def _is_there(self, folder: Path) -> bool:
        """True if a folder may get more days: it was checked, and it is not missing all the days it should have.
        Otherwise it may be the mount point of a disk that is not mounted."""
        held = {path: each for each in self._segments for path in self._held(each) if Path(path).parent == folder}
        wrong = {path for path, each in held.items() if path in self._wrong.get(each.first, {})}
        return not held or (folder in self._looked and len(wrong) < len(held))

    def _copy(self, copying: _Copying) -> None:
        where = ["--to", str(copying.folder), "--first", str(copying.segment.first)]
        self._copied = copying
        self._process = subprocess.Popen(
            own_program("journal", "archive", str(self._journal.path), *where, "--json"),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def _end_copy(self, now_ns: int) -> None:
        """Handle the end of the copying process. Its word about the file is not trusted: this process reads the file
        itself."""
        assert self._process is not None
        assert self._copied is not None
        it, watch = self._copied, self._watches[self._copied.folder]
        if watch.busy or (code := self._process.poll()) is None:
            return
        _, problem = self._process.communicate()
        self._process = None
        if code:
            why = problem.strip().splitlines()[-1] if problem.strip() else f"copying ended with {code}"
            self._fail(it, why, now_ns)
        else:
            self._taking_over = True
            watch.take_over(it.path, it.segment, it.identity, it.anchor)

    def _fail(self, copying: _Copying, why: str, now_ns: int) -> None:
        """Record that a folder failed to take a day. Other folders may still take it."""
        self._copied = None
        self._again_ns[copying.folder] = now_ns + AGAIN_NS
        self._look_ns = now_ns + 1
        if self._note(copying.segment, copying.path, why):
            _log.warning("the day %s is not archived: %s", copying.segment.day, why)
        self._judge()

    # ------------------------------------------------------------------ looking at copies

    def _copies_in(self, folder: Path, now_ns: int) -> list[Copy]:
        """Return the copies in a folder. Read completely: those of a day to be removed, and once a day the one whose
        last complete read is oldest."""
        every = [
            Copy(path, sha256)
            for each in self._segments
            for path, sha256 in self._held(each).items()
            if Path(path).parent == folder
        ]
        whole = {each.path for each in every if self._due is not None and each.path in self._due.copies}
        longest = min(every, key=lambda each: self._read_ns.get(each.path, 0), default=None)
        if longest is not None and self._read_ns.get(longest.path, 0) <= now_ns - READ_NS:
            whole.add(longest.path)
        self._read_ns |= dict.fromkeys(whole, now_ns)
        return [each._replace(whole=each.path in whole) for each in every]

    def _take_found(self, folder: Path, watch: CopyWatch, now_ns: int) -> None:
        found = watch.found()
        if found is None:
            if (stuck := watch.stuck(now_ns, SILENT_NS)) is not None:
                self._lost({stuck: SILENT})
        elif self._taking_over and self._copied is not None and self._copied.folder == folder:
            self._taking_over = False
            self._take_copy(self._copied, found, now_ns)
        else:
            others = {path: file for path, file in self._files.items() if path not in found.wrong}
            self._files = {**others, **found.files}
            none = self._not_copies()
            self._lost({**found.wrong, **none})
            if folder not in self._looked:
                self._looked.add(folder)
                self._look_ns = now_ns  # missing days may now be copied to it
            if self._due is not None:
                self._fresh |= {path for path in self._due.copies if path in found.whole}
                self._fresh -= none.keys()
                if len(self._fresh) >= self._needed_of(self._due):
                    self._pruned, self._due = self._due, None

    def _take_copy(self, copying: _Copying, found: Look, now_ns: int) -> None:
        why = found.wrong[copying.path]
        if why is not None:
            self._fail(copying, f"{copying.path}: {why}", now_ns)
            return
        self._copied = None
        self._note(copying.segment, copying.path, None)
        self._read_ns[copying.path] = now_ns
        self._journal.days.exported(copying.segment, copying.path, found.sha256, now_ns)
        self._look_ns = now_ns + 1  # there may be more; this copy is on record after this beat

    def _lost(self, wrong: Mapping[str, str | None]) -> None:
        """Record the result of a check and log problems that are new."""
        new = [
            f"{segment.day} in {path}: {why}"
            for segment in self._segments
            for path in self._held(segment)
            if path in wrong and self._note(segment, path, why := wrong[path])
        ]
        if new:
            more = f" (and {len(new) - 1} more)" if len(new) > 1 else ""
            _log.warning("a day's copy is missing or altered: %s%s; the day stays in the journal", new[0], more)
        self._judge()

    def _not_copies(self) -> dict[str, str]:
        """Return the copies that are not independent: files that are the same file as another copy (a link or a second
        mount), for one loss takes both; and all copies of a day on which the records disagree."""
        none: dict[str, str] = {}
        for segment in self._segments:
            known: dict[FileId, str] = {}
            for path in self._held(segment):
                if path in self._files and (one := known.setdefault(self._files[path], path)) != path:
                    none[path] = f"it is the same file as {one}"
                if segment.first in self._unlike:
                    none[path] = self._unlike[segment.first]
        return none

    def _note(self, segment: Segment, path: str, why: str | None) -> bool:
        """Record the problem of a copy; True if it is new."""
        of_day = self._wrong.setdefault(segment.first, {})
        if why is None:
            of_day.pop(path, None)
            return False
        new = of_day.get(path) != why
        of_day[path] = why
        return new

    def _held(self, segment: Segment) -> dict[str, str]:
        """Return the copies of a day in the configured folders."""
        return {path: sha256 for path, sha256 in segment.copies.items() if Path(path).parent in self._watches}

    def _needed_of(self, segment: Segment) -> int:
        """Return the number of copies that a day needs. A partly removed day gets no further copies."""
        begun = segment.first <= self._anchor
        return max(1, min(self._needed, len(self._held(segment)))) if begun else self._needed

    def _why_not_whole(self, segment: Segment) -> str | None:
        """Return why a day is not intact in the archive; None if it is, or is still to be copied."""
        held, wrong = self._held(segment), self._wrong.get(segment.first, {})
        if len(held.keys() - wrong.keys()) >= self._needed_of(segment):
            return None
        if not held and segment.first <= self._anchor:
            return f"its copy is {next(iter(segment.copies), 'nowhere')}, in a folder that is no longer named"
        return next((why if path in why else f"{path}: {why}" for path, why in wrong.items()), None)

    def _judge(self) -> None:
        """Update the problem, and log when it is solved."""
        bad = [f"{each.day} ({why})" for each in self._segments if (why := self._why_not_whole(each)) is not None]
        if self.problem is not None and not bad:
            _log.warning("the archive is complete again")
        self.missing, self.problem = len(bad), None
        if bad:
            days = f"{len(bad)} days are" if len(bad) > 1 else "a day is"
            folders = f"in fewer than {self._needed} archive folders" if self._needed > 1 else "in no archive folder"
            self.problem = f"{days} intact {folders}; the oldest: {bad[0]}"
