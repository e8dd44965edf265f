"""The journal: every byte and every result of a table on the disk, before anybody acts on it; and what reads it.

The public names are imported on first use: whoever only wants to name an error loads no database.
"""

import importlib
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from dealwire.journal.errors import JournalError
    from dealwire.journal.journal import Journal
    from dealwire.journal.reader import JournalReader
    from dealwire.journal.rebuilding import rebuild
    from dealwire.journal.resuming import resume
    from dealwire.journal.sealing import SealingKey
    from dealwire.journal.transport import Gate, Journaled

_HOMES: Final = {
    "Gate": "dealwire.journal.transport",
    "Journal": "dealwire.journal.journal",
    "JournalError": "dealwire.journal.errors",
    "JournalReader": "dealwire.journal.reader",
    "Journaled": "dealwire.journal.transport",
    "SealingKey": "dealwire.journal.sealing",
    "rebuild": "dealwire.journal.rebuilding",
    "resume": "dealwire.journal.resuming",
}

__all__ = ["Gate", "Journal", "JournalError", "JournalReader", "Journaled", "SealingKey", "rebuild", "resume"]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'dealwire.journal' has no attribute {name!r}")
    return getattr(importlib.import_module(home), name)
