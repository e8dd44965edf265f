"""A person's word that held money was settled by hand: one rule at a table that is served, and in a journal that no
service has open.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from dealwire.hub.lines import StatusLine
from dealwire.journal import Journal, JournalReader
from dealwire.journal.database import VERSION
from dealwire.journal.errors import JournalUnwritable
from dealwire.service.actions import RELEASE, ActionRefused, of_table
from dealwire.service.timekeeping import ClockDoubtful, doubtful, written
from dealwire.table.held import HeldEntry
from devices.clock import SystemClock
from rules.settlement import amount


class Settling(NamedTuple):
    """What a person says to have settled by hand, how, and who: `entry` is its number in the journal."""

    entry: int
    session: str
    round: int
    badge: int
    why: str

    @classmethod
    def of(cls, given: Mapping[str, object]) -> "Settling":
        """What was filled in; FieldRefused names what is allowed."""
        [action] = of_table()
        fields = action.read({name: str(value) for name, value in given.items()})
        entry, number, badge = (int(fields[name]) for name in ("entry", "round", "badge"))
        return cls(entry, str(fields["session"]), number, badge, str(fields["why"]))

    def words(self, held: HeldEntry) -> str:
        """What is released, for whoever reads the record."""
        what = f"the {amount(held.cents, held.currency)} held of round {held.round} was settled by hand"
        return f"{what}: {self.why} (session {held.session}, entry {held.entry})"


def still_held(journal: Journal, given: Settling, table: str | None = None) -> tuple[str, HeldEntry]:
    """What is open under the number that a person names, at `table` or at whichever, and the table; LookupError says
    why it cannot be released, such as that it was before."""
    obligations = journal.books.obligations
    names = [table] if table is not None else [*obligations.tables]
    open_ = ((each, found) for each in names if (found := obligations.held(each).get(given.entry)))
    name, held = next(open_, ("", None))
    if held is None:
        raise LookupError(_why_not_open(journal, given.entry, table))
    if (held.session, held.round) != (given.session, given.round):
        text = f"entry {held.entry} is of round {held.round} of session {held.session}"
        raise LookupError(f"{text}, not of round {given.round} of session {given.session}")
    return name, held


def _why_not_open(journal: Journal, entry: int, table: str | None) -> str:
    with JournalReader(journal.path) as reader:
        done = reader.released(entry, table)
    if done is None:
        return f"no money is held under entry {entry} of this {'table' if table is not None else 'journal'}"
    at_ns, noted = done
    return (
        f"what was held of round {noted.of.round} of session {noted.of.session} was released already at "
        f"{written(at_ns)}, by {noted.who}, badge {noted.badge}"
    )


def release_in(path: Path, given: Settling, who: str, *, clock_is_right: bool = False) -> str:
    """Release in the journal at `path`, whether a table of its name is served by anybody or not; what was noted.

    ActionRefused where it cannot be. ClockDoubtful where the host's clock does not fit the record, unless a person says
    that it is right. JournalBusy while a service has the journal open; other JournalErrors as a service that starts.
    """
    with JournalReader(path) as reader:
        if not reader.whole:
            raise ActionRefused(RELEASE, f"{path} is a copy of a day: what is held is released in the journal itself")
        if reader.version < VERSION:
            why = f"{path} was written by an older version: its service takes it up at its next start"
            raise ActionRefused(RELEASE, why)
        newest_ns = reader.newest_ns
    clock = SystemClock(newest_ns)
    if not clock_is_right and doubtful(wall_ns := clock.readings()["wall_ns"], newest_ns):
        raise ClockDoubtful(path, wall_ns, newest_ns)
    with Journal(path, key=None, clock=clock, about={"clock": clock.readings()}) as journal:
        try:
            table, held = still_held(journal, given)
        except LookupError as error:
            raise ActionRefused(RELEASE, f"{path}: {error.args[0]}") from None
        noted, at_ns = given.words(held), clock.now_ns()
        journal.release(table, held.entry, at_ns, who, given.badge, given.why)
        text = f"{who}, badge {given.badge}: {noted}"
        line = StatusLine(table=table, kind="action", text=text, round=held.round).to_json()
        journal.publish(table, "status", at_ns, line)
        if not journal.secure():
            raise JournalUnwritable(path, journal.failed or "another program has locked the file")
    return f"table {table}: {noted}"
