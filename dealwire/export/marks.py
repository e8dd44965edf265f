"""Whether a broker knows lines that a journal does not have: then an older copy of the file was put back.

The mark of each table stays at the broker, outside the file and whatever happens to the file. A mark that is ahead of
the newest record, or names another hash for a record that is there, cannot come from this file's own history, because
a line goes out only once it is on the disk.
"""

import asyncio
from collections.abc import Iterable
from pathlib import Path
from typing import Final, Protocol

from dealwire.export.broker import Broker, BrokerUnusable, Connection
from dealwire.export.topics import MARK, Address, Mark
from dealwire.export.witness import witness
from dealwire.journal.records import Head

FETCH_S: Final = 3.0
"""How long a start waits for the broker's marks."""
REMEDY: Final = "put the newer file back, or say that this file counts: dealwire run --trust-journal"


class MarkConflict(Exception):
    """A mark outside contradicts the journal; the text is one line that says what to do."""


class History(Protocol):
    """What is asked of a journal: a `JournalReader` is one."""

    @property
    def path(self) -> Path:
        """The file."""

    @property
    def identity(self) -> bytes:
        """The journal's own number."""

    @property
    def head(self) -> Head:
        """Its newest record."""

    def hash_at(self, sequence: int) -> bytes | None:
        """The place in the chain of one record; None when it is not there, or no more."""


def conflict(history: History, mark: Mark) -> str | None:
    """Why `mark` cannot come from this history, in one line that says what to do; None when it can, or is of another
    journal, or of a record that was pruned."""
    if mark.journal != history.identity.hex():
        return None
    head = history.head
    if mark.sequence <= head.sequence:
        here = history.hash_at(mark.sequence)
        # versions before named the hash itself
        if here is None or not mark.hash or mark.hash in (witness(here.hex()), here.hex()):
            return None
    outside = f"{mark.sequence}:{mark.hash or 'hash unknown'}"
    ends = f"{head.sequence}:{witness(head.hash.hex())}"
    return f"{history.path}: journal {mark.journal} ends at {ends}, but the broker has taken {outside} of it; {REMEDY}"


async def fetch(broker: Broker, addresses: Iterable[Address], timeout_s: float = FETCH_S) -> dict[Address, Mark]:
    """The marks that `broker` keeps, of those tables that have one. BrokerUnusable when it cannot be asked, or does not
    answer within `timeout_s` and the time that a connection may take."""
    found: dict[Address, Mark] = {}
    try:
        async with asyncio.timeout(timeout_s):
            for at in addresses:
                mark = await _fetch_one(broker, at)
                if mark is not None:
                    found[at] = mark
    except TimeoutError:
        raise BrokerUnusable(broker, f"no answer within {timeout_s:g} s") from None
    return found


async def _fetch_one(broker: Broker, at: Address) -> Mark | None:
    topic = at.topic(MARK)
    async with Connection(broker.of(at.user), f"{at.client}/mark", expiry_s=0) as link:
        await link.listen(topic)
        await link.listen(topic)  # answered after the mark was sent: a broker handles what one client sends in order
        for message in link.pending():
            try:
                return Mark.parse(message.payload)
            except ValueError:  # whoever may write there wrote nonsense; the next mark takes its place
                continue
    return None
