"""A table's settings as stored in a journal, and the hashes of the files that its results depend on.

Nothing here reads or writes a journal.
"""

import hashlib
import json

from dealwire.config.table_parts import RakePart, TablePart
from dealwire.journal.contents import TableStart
from dealwire.table.redaction import PublishedTable
from protocol.errors import DealwireError


class SettingsChanged(DealwireError):
    """A file that a table's record depends on has changed."""

    def __init__(self, table: str, what: str, then: str, now: str) -> None:
        self.table, self.what, self.then, self.now = table, what, then, now
        super().__init__(
            f"table {table}: the {what} is not the one it began with ({then[:12]}, now {now[:12]}); "
            "restore the file, or start the table over with --start-over"
        )


def configuration_of(part: TablePart) -> str:
    """Return a table's settings as stored in the journal: those that decide its results."""
    content = part.model_dump(mode="json", by_alias=True)
    for device in content["device"]:
        del device["max-bytes-per-s"]
        if device["pin"] is None:  # keep the form from before pins existed, so that a table without pins resumes
            del device["pin"]
        elif device["pin"]["key"] is None:  # likewise from before sealed lines
            del device["pin"]["key"]
        if device["sealed"] is None:
            del device["sealed"]
    if part.rake == RakePart():  # likewise from before rakes
        del content["rake"]
    else:
        for name in ("steps", "no-flop-no-drop", "jackpot-least-pot-cents", "jackpot-least-players"):
            if not content["rake"][name]:
                del content["rake"][name]
    for name in ("jackpot", "edition", "house", "house-game"):  # likewise from before these keys
        if content[name] is None:
            del content[name]
    return json.dumps(content, sort_keys=True)


def named_edition(start: TableStart) -> bool:
    """True if the rounds of a table name the edition of the regulation; those of a table that began before editions had
    files do not."""
    return "edition" in start.facts.get("files", {})


def edition_in(start: TableStart) -> str | None:
    """Return the edition named in a table's settings; None if there is none."""
    try:
        named = json.loads(start.configuration).get("edition")
    except (ValueError, AttributeError):  # a table of another program has other settings
        return None
    return named if isinstance(named, str) else None


def files_of(table: PublishedTable) -> dict[str, str]:
    """Return the SHA-256 of the files that a table's results depend on, by name."""
    found = {"procedure": table.flow.procedure.ref().sha256}
    if table.flow.plan.edition is not None:
        found["edition"] = table.flow.plan.edition.sha256
    if table.flow.plan.house_rules is not None:
        found["house"] = table.flow.plan.house_rules.sha256
    if table.terms is not None:
        found["game"] = table.terms.game.sha256
        if table.terms.bank is not None:
            found["progressive"] = hashlib.sha256(repr(table.terms.bank.setup).encode()).hexdigest()
        if table.terms.jackpot is not None:
            found["jackpot"] = hashlib.sha256(repr(table.terms.jackpot.setup).encode()).hexdigest()
    return found
