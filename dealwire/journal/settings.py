"""A table's settings as a journal keeps them, and the hashes of the files that its results rest on.

Nothing here reads a journal or writes one.
"""

import hashlib
import json

from dealwire.config.schema import RakePart, TablePart
from dealwire.journal.contents import TableStart
from dealwire.table.redaction import PublishedTable
from protocol.errors import DealwireError


class SettingsChanged(DealwireError):
    """A file that a table's record rests on is not what it was."""

    def __init__(self, table: str, what: str, then: str, now: str) -> None:
        self.table, self.what, self.then, self.now = table, what, then, now
        super().__init__(
            f"table {table}: the {what} is not the one it began with ({then[:12]}, now {now[:12]}); "
            "put the file back, or let the table begin anew with --start-over"
        )


def configuration_of(part: TablePart) -> str:
    """A table's settings as the journal keeps them: those that decide what comes of it."""
    content = part.model_dump(mode="json", by_alias=True)
    for device in content["device"]:
        del device["max-bytes-per-s"]
        if device["pin"] is None:  # as it stood before a line could be pinned: a table without pins goes on
            del device["pin"]
    if part.rake == RakePart():  # likewise before a house could take one
        del content["rake"]
    for name in ("jackpot", "edition"):  # likewise before they could be named
        if content[name] is None:
            del content[name]
    return json.dumps(content, sort_keys=True)


def named_edition(start: TableStart) -> bool:
    """Whether the rounds of a table name the edition of the law: those of one that began before editions had files do
    not."""
    return "edition" in start.facts.get("files", {})


def edition_in(start: TableStart) -> str | None:
    """The edition of the law that a table's settings named; None where they named none."""
    try:
        named = json.loads(start.configuration).get("edition")
    except (ValueError, AttributeError):  # another program's table has settings of its own
        return None
    return named if isinstance(named, str) else None


def files_of(table: PublishedTable) -> dict[str, str]:
    """What a table's results rest on, by name -> SHA-256."""
    found = {"procedure": table.flow.procedure.ref().sha256}
    if table.flow.plan.edition is not None:
        found["edition"] = table.flow.plan.edition.sha256
    if table.terms is not None:
        found["game"] = table.terms.game.sha256
        if table.terms.bank is not None:
            found["progressive"] = hashlib.sha256(repr(table.terms.bank.setup).encode()).hexdigest()
        if table.terms.jackpot is not None:
            found["jackpot"] = hashlib.sha256(repr(table.terms.jackpot.setup).encode()).hexdigest()
    return found
