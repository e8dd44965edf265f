"""Keeps a journal from growing for ever: days become segments, segments files of their own, and what is old is pruned.

All of it in the owner's turn, a little at a time; the copying is another process's work.
"""

import json
import logging
import subprocess
import sys
from collections.abc import Mapping
from datetime import date, time
from types import MappingProxyType
from typing import Final

from dealwire.config.schema import JournalPart
from dealwire.journal import Journal, JournalReader
from dealwire.journal.contents import Segment
from dealwire.journal.errors import JournalError
from dealwire.journal.segments import gaming_day

_log = logging.getLogger(__name__)

S: Final = 1_000_000_000
LOOK_NS: Final = 60 * S
"""Between two looks for something to copy or to prune."""
AGAIN_NS: Final = 600 * S
"""After a copy that failed."""
ENDS_S: Final = 1.0


class Archivist:
    """Call `beat` once a second, from the owner's thread, and `close` at the end. `consumers` are the exporters, each
    with its table: what one of them has not sent stays."""

    def __init__(
        self, journal: Journal, part: JournalPart, consumers: Mapping[str, str] = MappingProxyType({})
    ) -> None:
        self._journal, self._part, self._consumers = journal, part, consumers
        self._begins = time.fromisoformat(part.day_begins)
        self._look_ns = 0
        self._process: subprocess.Popen[str] | None = None
        self._copied: Segment | None = None
        self._pruned: Segment | None = None

    def beat(self, now_ns: int) -> None:
        """Do what is due."""
        day = gaming_day(now_ns, self._begins)
        if self._journal.day is None or day > self._journal.day:
            self._journal.begin_day(day, now_ns)
        if self._part.archive is None:
            return
        if self._process is not None:
            self._take_copy(now_ns)
        if self._pruned is not None:
            if self._journal.prune(self._pruned):
                self._pruned = None
            self._journal.give_back()
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
                segments = reader.segments()
                missing = next((each for each in segments if each.exported is None), None)
                if missing is not None and self._process is None:
                    self._copy(missing)
                if segments and self._may_go(segments[0], reader, now_ns):
                    self._pruned = segments[0]
        except JournalError as error:
            _log.warning("nothing is archived or pruned: %s", error)
        self._journal.give_back()

    def _may_go(self, segment: Segment, reader: JournalReader, now_ns: int) -> bool:
        """Whether the oldest segment is copied, old or too much, and nothing in it is needed any more: neither to go on
        with a table, nor by an exporter."""
        if segment.exported is None:
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
        return not any(
            reader.made_known(table, marks.get(consumer, 0), segment.last)
            for consumer, table in self._consumers.items()
        )

    def _copy(self, segment: Segment) -> None:
        command = [sys.executable, "-m", "dealwire", "journal", "archive", str(self._journal.path)]
        command += ["--to", str(self._part.archive), "--first", str(segment.first), "--json"]
        self._copied = segment
        self._process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )

    def _take_copy(self, now_ns: int) -> None:
        assert self._process is not None
        assert self._copied is not None
        code = self._process.poll()
        if code is None:
            return
        out, problem = self._process.communicate()
        self._process = None
        try:
            found = json.loads(out.splitlines()[-1]) if code == 0 else {}
            file, sha256 = str(found["file"]), str(found["sha256"])
        except (IndexError, KeyError, ValueError):
            why = problem.strip().splitlines()[-1] if problem.strip() else f"copying ended with {code}"
            self._look_ns = now_ns + AGAIN_NS
            _log.warning("the day %s is not archived: %s", self._copied.day, why)
            return
        self._journal.exported(self._copied, file, sha256, now_ns)
        self._look_ns = now_ns + 1  # there may be more; this one is not on the disk before the beat is over
