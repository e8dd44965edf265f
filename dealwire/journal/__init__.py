"""The journal: every byte and every result of a table on the disk, before anybody acts on it; and what reads it."""

from dealwire.journal.errors import JournalError as JournalError
from dealwire.journal.journal import Journal as Journal
from dealwire.journal.reader import JournalReader as JournalReader
from dealwire.journal.rebuild import rebuild as rebuild
from dealwire.journal.resume import resume as resume
from dealwire.journal.sealing import SealingKey as SealingKey
from dealwire.journal.transport import Journaled as Journaled
