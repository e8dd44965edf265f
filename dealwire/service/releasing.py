"""Release of held money that was settled by hand, at a served table or in a journal that is not in use."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from dealwire.hub.lines import StatusLine
from dealwire.journal import Journal, JournalReader
from dealwire.journal.database import VERSION
from dealwire.journal.errors import JournalUnwritable
from dealwire.program_digest import program_facts
from dealwire.service.actions import RELEASE, ActionRefused, of_table
from dealwire.service.timekeeping import ClockDoubtful, doubtful, written
from dealwire.table.held import HeldEntry
from devices.clock import SystemClock
from rules.settlement import amount


class Settling(NamedTuple):
    """Held money that a supervisor settled by hand: its journal entry, session and round, the badge, and how."""

    entry: int
    session: str
    round: int
    badge: int
    why: str

    @classmethod
    def of(cls, given: Mapping[str, object]) -> "Settling":
        """Return the filled-in values; FieldRefused says what is allowed."""
        [action] = of_table()
        fields = action.read({name: str(value) for name, value in given.items()})
        entry, number, badge = (int(fields[name]) for name in ("entry", "round", "badge"))
        return cls(entry, str(fields["session"]), number, badge, str(fields["why"]))

    def words(self, held: HeldEntry) -> str:
        """Return the sentence for the record."""
        what = f"the {amount(held.cents, held.currency)} held from round {held.round} was settled by hand"
        return f"{what}: {self.why} (session {held.session}, entry {held.entry})"


def still_held(journal: Journal, given: Settling, table: str | None = None) -> tuple[str, HeldEntry]:
    """Return the open entry that was named, and its table (`table`, or any). LookupError says why it cannot be
    released, such as that it already was."""
    obligations = journal.books.obligations
    names = [table] if table is not None else [*obligations.tables]
    open_ = ((each, found) for each in names if (found := obligations.held(each).get(given.entry)))
    name, held = next(open_, ("", None))
    if held is None:
        raise LookupError(_why_not_open(journal, given.entry, table))
    if (held.session, held.round) != (given.session, given.round):
        text = f"entry {held.entry} belongs to round {held.round} of session {held.session}"
        raise LookupError(f"{text}, not to round {given.round} of session {given.session}")
    return name, held


def _why_not_open(journal: Journal, entry: int, table: str | None) -> str:
    with JournalReader(journal.path) as reader:
        done = reader.released(entry, table)
    if done is None:
        return f"no money is held under entry {entry} of this {'table' if table is not None else 'journal'}"
    at_ns, noted = done
    return (
        f"the money held from round {noted.of.round} of session {noted.of.session} was already released at "
        f"{written(at_ns)}, by {noted.who}, badge {noted.badge}"
    )


def release_in(path: Path, given: Settling, who: str, *, clock_is_right: bool = False) -> str:
    """Release in the journal at `path`, whether or not its table is still served; return the note.

    ActionRefused if the entry cannot be released. ClockDoubtful if the host's clock does not fit the record, unless the
    operator confirms it. JournalBusy while a service has the journal open; other JournalErrors as for a service.
    """
    with writing(path, clock_is_right=clock_is_right) as (journal, clock):
        try:
            text = note_release(journal, clock, given, who)
        except LookupError as error:
            raise ActionRefused(RELEASE, f"{path}: {error.args[0]}") from None
        secured(journal, path)
    return text


@contextmanager
def writing(path: Path, *, clock_is_right: bool) -> Iterator[tuple[Journal, SystemClock]]:
    """Open the journal at `path` to add to it without a service. Errors as of `release_in`."""
    with JournalReader(path) as reader:
        if not reader.whole:
            raise ActionRefused(RELEASE, f"{path} is the copy of a day: release held money in the journal itself")
        if reader.version < VERSION:
            why = f"{path} was written by an older version: start its service once to upgrade it"
            raise ActionRefused(RELEASE, why)
        newest_ns = reader.newest_ns
    clock = SystemClock(newest_ns)
    if not clock_is_right and doubtful(wall_ns := clock.readings()["wall_ns"], newest_ns):
        raise ClockDoubtful(path, wall_ns, newest_ns)
    about = {"clock": clock.readings(), **program_facts()}
    with Journal(path, key=None, clock=clock, about=about) as journal:
        yield journal, clock


def note_release(journal: Journal, clock: SystemClock, given: Settling, who: str) -> str:
    """Add a release to an open journal; return the note. LookupError if the entry cannot be released."""
    table, held = still_held(journal, given)
    noted, at_ns = given.words(held), clock.now_ns()
    journal.release(table, held.entry, at_ns, who, given.badge, given.why)
    text = f"{who}, badge {given.badge}: {noted}"
    line = StatusLine(table=table, kind="action", text=text, round=held.round).to_json()
    journal.publish(table, "status", at_ns, line)
    return f"table {table}: {noted}"


def secured(journal: Journal, path: Path) -> None:
    """Write what was added. JournalUnwritable if the disk refuses."""
    if not journal.secure():
        raise JournalUnwritable(path, journal.failed or "another program has locked the file")
