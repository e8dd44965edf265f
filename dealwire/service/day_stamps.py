"""A time stamp a day: the newest checkpoint is stamped by an authority once in each gaming day.

The authority is asked in a thread of its own, since it may be far and slow; the stamp is checked there, and recorded in
the owner's turn.
"""

import logging
import threading
from pathlib import Path
from typing import Final, NamedTuple

from dealwire.config.schema import JournalPart
from dealwire.journal import Journal, JournalReader
from dealwire.journal.errors import StampRefused
from dealwire.journal.log_records import read_from, text_of
from dealwire.journal.records import STAMPED
from dealwire.journal.stamping import CLOCKS_APART_S, DayStamp, authority_of, fetched, stamped_fields
from protocol.errors import DealwireError

_log = logging.getLogger(__name__)

AGAIN_NS: Final = 600 * 10**9
"""Time between two attempts."""
OVERDUE_NS: Final = 24 * 3600 * 10**9
"""Time without a stamp after which the tables are warned."""


class _Wanted(NamedTuple):
    day: str
    checkpoint: int
    note: str


class DayStamps:
    """Stamps the checkpoints of `journal`. Call `beat` once a second from the owner's thread."""

    def __init__(self, journal: Journal, part: JournalPart) -> None:
        self._journal = journal
        self._url, self._ca = part.timestamp_url, part.timestamp_ca_file
        self._wanted: _Wanted | None = None
        self._thread: threading.Thread | None = None
        self._found: DayStamp | DealwireError = StampRefused("it was not asked yet")
        self._look_ns = 0
        self._since_ns: int | None = None
        """Since when a stamp is wanted; None while none is."""
        self.overdue = False
        """True if a stamp was wanted for a day, and none was got."""
        self.wanted = self._url is not None
        """True if a stamp is wanted each gaming day."""
        self.stamped_day, self.stamped_ns = self._newest() if self.wanted else ("", 0)
        """Day and time of the newest stamp; empty and 0 if there is none."""

    @property
    def busy(self) -> bool:
        """True while the authority is asked, or its answer was not taken."""
        return self._thread is not None

    def beat(self, now_ns: int) -> str | None:
        """Do what is due; return a warning when no stamp was got for a day."""
        if self._url is None or self._ca is None:
            return None
        if self._thread is not None:
            self._take(now_ns)
        elif now_ns >= self._look_ns and (wanted := self._due()) is not None:
            self._since_ns = now_ns if self._since_ns is None else self._since_ns
            self._begin(wanted, self._url, self._ca)
        if self._since_ns is None or self.overdue or now_ns - self._since_ns < OVERDUE_NS:
            return None
        self.overdue = True
        return f"no time stamp for 24 h: {self._url} is not reached or its stamps are refused; see the log"

    def _due(self) -> _Wanted | None:
        day, newest = self._journal.days.current, self._journal.checkpoints.noted
        if day is None or day == self.stamped_day or newest is None:
            return None
        return _Wanted(day, *newest)

    def _begin(self, wanted: _Wanted, url: str, ca: Path) -> None:
        def run() -> None:
            try:
                self._found = fetched(url, wanted.note, authority_of(ca))
            except DealwireError as error:
                self._found = error

        self._wanted, self._found = wanted, StampRefused("its answer cannot be read")
        self._thread = threading.Thread(target=run, name="time stamp", daemon=True)
        self._thread.start()

    def _take(self, now_ns: int) -> None:
        assert self._thread is not None
        assert self._wanted is not None
        if self._thread.is_alive():
            return
        self._thread, found = None, self._found
        if isinstance(found, DayStamp) and abs(found.at.timestamp() - now_ns / 1e9) > CLOCKS_APART_S:
            why = "more than 24 h from this machine's time; set its clock"
            found = StampRefused(f"{self._url} states {found.at.isoformat()}, {why}")
        if isinstance(found, DayStamp):
            wanted = self._wanted
            fields = stamped_fields(wanted.note, wanted.checkpoint, wanted.day, str(self._url), found.token)
            self._journal.stamped(fields, now_ns)
            self.stamped_day, self.stamped_ns = wanted.day, now_ns
            self._since_ns, self.overdue = None, False
        else:
            self._look_ns = now_ns + AGAIN_NS
            _log.warning("no time stamp: %s", found)

    def _newest(self) -> tuple[str, int]:
        with JournalReader(self._journal.path) as reader:
            record = reader.newest_of(STAMPED)
            if record is None:
                return "", 0
            return read_from(reader.path, record, lambda fields: text_of(fields["day"])), record.at_ns
