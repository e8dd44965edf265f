"""Keeps a journal from growing for ever: days become segments, segments files of their own, and what is old is pruned.

All of it in the owner's turn, a little at a time; copying is another process's work, and looking at copies another
thread's. A day goes when its copies are whole in that very minute: that they were once says nothing of today.
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
"""Between two looks for something to copy or to prune, and at the copies there are."""
AGAIN_NS: Final = 600 * S
"""After a copy that failed."""
READ_NS: Final = 86_400 * S
"""Between two times that a copy is read from end to end while nothing depends on it."""
SILENT_NS: Final = 60 * S
"""After so long without a sign of life a copy counts as one that is not there."""
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
    """Call `beat` once a second, from the owner's thread, and `close` at the end. `consumers` are the exporters, each
    with its table: what one of them has not sent stays."""

    missing = 0
    """Days that were to lie in the archive and do not: in fewer folders than they must, whole."""
    problem: str | None = None
    """What is wrong with them, as a sentence; None when nothing is."""

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
        """By folder: one whose disk hangs holds up no other."""
        self._taking_over = False
        self._segments: Sequence[Segment] = ()
        self._due: Segment | None = None
        """The day that goes as soon as enough of its copies are found to be whole."""
        self._fresh: set[str] = set()
        """Those of its copies that were, in the look that is under way."""
        self._pruned: Segment | None = None
        self._anchor = 0
        """The newest record that was taken off."""
        self._wrong: dict[int, dict[str, str]] = {}
        """What is wrong with a copy, by its day's first record and its file; also with one that could not be made."""
        self._again_ns: dict[Path, int] = {}
        """When a folder that took nothing is tried again."""
        self._files: dict[str, FileId] = {}
        """Which file a copy is, as far as it was there when it was looked at last."""
        self._unlike: dict[int, str] = {}
        """Days whose row is not as the records say, by their first records, and why."""
        self._looked: set[Path] = set()
        """Folders whose copies were looked at since the start."""
        self._read_ns: dict[str, int] = {}
        """When a copy was read last."""

    @property
    def busy(self) -> bool:
        """Something is under way that will be gone on with at the next beat."""
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
        """A copy that is under way is given up; it is made anew."""
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
        """Whether the oldest segment is copied, old or too much, and nothing in it is needed any more: neither to go on
        with a table, nor by an exporter. Its copies are still to be looked at."""
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
        """Begin to copy the oldest day that a folder has not got, to the first such folder."""
        for segment in self._segments:
            if segment.first <= reader.anchor.sequence:  # a part of it is gone already
                continue
            name = file_name(reader, segment)
            for folder in self._part.archive:
                due = str(folder / name) not in segment.copies and now_ns >= self._again_ns.get(folder, 0)
                if due and self._is_there(folder):
                    before = anchor_of(reader, segment.first)
                    self._copy(_Copying(segment, folder, str(folder / name), reader.identity, before))
                    return

    def _is_there(self, folder: Path) -> bool:
        """Whether a folder gets more days: not before it was looked at, nor while it has none of those it should have.
        Then it may be the empty place of a disk that is not mounted."""
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
        """The process that copied a day has ended, or not. What it says of its file nobody believes: this process reads
        that itself."""
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
        """A folder did not take a day. The other folders may."""
        self._copied = None
        self._again_ns[copying.folder] = now_ns + AGAIN_NS
        self._look_ns = now_ns + 1
        if self._note(copying.segment, copying.path, why):
            _log.warning("the day %s is not archived: %s", copying.segment.day, why)
        self._judge()

    # ------------------------------------------------------------------ looking at copies

    def _copies_in(self, folder: Path, now_ns: int) -> list[Copy]:
        """The copies that lie in a folder. That of a day that is to go is read, and of the others the one that was not
        read for the longest, once a day."""
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
                self._look_ns = now_ns  # what it has not got may be copied to it now
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
        self._look_ns = now_ns + 1  # there may be more; this one is not on the disk before the beat is over

    def _lost(self, wrong: Mapping[str, str | None]) -> None:
        """Take what was found of copies, and say what is wrong that was not wrong before."""
        new = [
            f"{segment.day} in {path}: {why}"
            for segment in self._segments
            for path in self._held(segment)
            if path in wrong and self._note(segment, path, why := wrong[path])
        ]
        if new:
            more = f" (and {len(new) - 1} more)" if len(new) > 1 else ""
            _log.warning("a copy of a day is gone or altered: %s%s; the day stays in the journal", new[0], more)
        self._judge()

    def _not_copies(self) -> dict[str, str]:
        """Copies of a day that are the file of another copy of it, by a link or a second mount, for two of them are
        lost like one; and all of a day of which the records say otherwise."""
        none: dict[str, str] = {}
        for segment in self._segments:
            known: dict[FileId, str] = {}
            for path in self._held(segment):
                if path in self._files and (one := known.setdefault(self._files[path], path)) != path:
                    none[path] = f"it is {one} by another name"
                if segment.first in self._unlike:
                    none[path] = self._unlike[segment.first]
        return none

    def _note(self, segment: Segment, path: str, why: str | None) -> bool:
        """Remember what is wrong with a copy of a day; True when that is new."""
        of_day = self._wrong.setdefault(segment.first, {})
        if why is None:
            of_day.pop(path, None)
            return False
        new = of_day.get(path) != why
        of_day[path] = why
        return new

    def _held(self, segment: Segment) -> dict[str, str]:
        """The copies of a day in the folders that are named today."""
        return {path: sha256 for path, sha256 in segment.copies.items() if Path(path).parent in self._watches}

    def _needed_of(self, segment: Segment) -> int:
        """How many there must be. A day of which a part is gone gets no more of them."""
        begun = segment.first <= self._anchor
        return max(1, min(self._needed, len(self._held(segment)))) if begun else self._needed

    def _why_not_whole(self, segment: Segment) -> str | None:
        """Why a day does not lie in the archive as it must; None while it does, or is still to be copied."""
        held, wrong = self._held(segment), self._wrong.get(segment.first, {})
        if len(held.keys() - wrong.keys()) >= self._needed_of(segment):
            return None
        if not held and segment.first <= self._anchor:
            return f"its copy is {next(iter(segment.copies), 'nowhere')}, in a folder that is not named any more"
        return next((why if path in why else f"{path}: {why}" for path, why in wrong.items()), None)

    def _judge(self) -> None:
        """Say what is missing, and that nothing is any more."""
        bad = [f"{each.day} ({why})" for each in self._segments if (why := self._why_not_whole(each)) is not None]
        if self.problem is not None and not bad:
            _log.warning("the archive is whole again")
        self.missing, self.problem = len(bad), None
        if bad:
            days = f"{len(bad)} days lie" if len(bad) > 1 else "a day lies"
            folders = f"in fewer than {self._needed} folders" if self._needed > 1 else "in no folder"
            self.problem = f"{days} whole {folders} of the archive; the oldest: {bad[0]}"
