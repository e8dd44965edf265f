"""The journal: every byte and every result of a table on disk before anyone acts on it; and its readers.

Public names are imported on first use, so that naming an error loads no database.
"""

from typing import TYPE_CHECKING

from protocol.lazy import lazy_exports

if TYPE_CHECKING:
    from dealwire.journal.errors import JournalError as JournalError
    from dealwire.journal.journal import Journal as Journal
    from dealwire.journal.reader import JournalReader as JournalReader
    from dealwire.journal.rebuilding import rebuild as rebuild
    from dealwire.journal.resuming import resume as resume
    from dealwire.journal.sealing import SealingKey as SealingKey
    from dealwire.journal.transport import Gate as Gate
    from dealwire.journal.transport import Journaled as Journaled

__all__, __getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "dealwire.journal.errors": "JournalError",
        "dealwire.journal.journal": "Journal",
        "dealwire.journal.reader": "JournalReader",
        "dealwire.journal.rebuilding": "rebuild",
        "dealwire.journal.resuming": "resume",
        "dealwire.journal.sealing": "SealingKey",
        "dealwire.journal.transport": "Gate Journaled",
    },
)
