"""Check that a broker knows no lines that a journal does not have; if it does, an older copy of the file was restored.

The mark of each table is kept by the broker, outside the file. A mark that is ahead of the newest record, or names
another hash for an existing record, cannot come from this file's history, because a line is sent only after it is on
the disk.
"""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Final, NamedTuple, Protocol

from paho.mqtt.client import MQTTMessage

from dealwire.export.broker import Broker, BrokerUnusable, Connection
from dealwire.export.topics import CHECKPOINT, MARK, OPENING, Address, Mark
from dealwire.export.witness import witness
from dealwire.journal.checkpoints import RESTORED, given_up_in, why_begun
from dealwire.journal.errors import JournalDamaged, NoteRefused
from dealwire.journal.logbook import named_in
from dealwire.journal.reader import JournalReader
from dealwire.journal.records import LOG, Head
from dealwire.journal.signing import LOG_TYPE, NOTE_MOST, NoteVerifier, opened_checkpoint
from dealwire.journal.witnessing import check_against, named_of

FETCH_S: Final = 3.0
"""Seconds that a start waits for the broker's marks."""
REMEDY: Final = "restore the newer file, or accept this one with dealwire run --trust-journal"


class MarkConflict(Exception):
    """Error: a mark at the broker contradicts the journal. The text is one line with advice."""


class History(Protocol):
    """Part of a journal that the check needs; a `JournalReader` provides it."""

    @property
    def path(self) -> Path:
        """Path of the file."""

    @property
    def identity(self) -> bytes:
        """Identity of the journal."""

    @property
    def head(self) -> Head:
        """Newest record."""

    def hash_at(self, sequence: int) -> bytes | None:
        """Return the hash of a record, None if it does not exist or was pruned."""


def conflict(history: History, mark: Mark) -> str | None:
    """Return the reason that `mark` cannot come from this history, in one line with advice. Return None if it can, or
    belongs to another journal or a pruned record."""
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


class RetainedMark(NamedTuple):
    """A mark as the broker remembers it, with the certificates of keys that it remembers beside it."""

    mark: Mark
    message: MQTTMessage
    certificates: Sequence[bytes]


Believes = Callable[[Address, RetainedMark], bool]
"""Function that returns False for a mark that the table cannot have published."""


async def fetch(
    broker: Broker,
    addresses: Iterable[Address],
    timeout_s: float = FETCH_S,
    believes: Believes = lambda _, __: True,
) -> dict[Address, Mark]:
    """Fetch the marks of the tables that have one, as far as `believes` accepts them.

    Raise BrokerUnusable if the broker cannot be reached, or does not answer within `timeout_s` after connecting."""
    found: dict[Address, Mark] = {}
    try:
        async with asyncio.timeout(timeout_s):
            for at in addresses:
                kept = await _fetch_one(broker, at)
                if kept is not None and believes(at, kept):
                    found[at] = kept.mark
    except TimeoutError:
        raise BrokerUnusable(broker, f"no answer within {timeout_s:g} s") from None
    return found


async def fetch_note(broker: Broker, at: Address, timeout_s: float = FETCH_S) -> str | None:
    """Return the checkpoint that the broker remembers at the first table's address; None if there is none. Raise
    BrokerUnusable as `fetch` does."""
    topic = at.topic(CHECKPOINT)
    try:
        async with (
            asyncio.timeout(timeout_s),
            Connection(broker.of(at.user), f"{at.client}/checkpoint", expiry_s=0) as link,
        ):
            await link.listen(topic)
            await link.listen(topic)  # as in `_fetch_one`
            return note_in(link.pending())
    except TimeoutError:
        raise BrokerUnusable(broker, f"no answer within {timeout_s:g} s") from None


def note_in(messages: Iterable[MQTTMessage]) -> str | None:
    """Return the checkpoint among messages that the broker remembers."""
    for message in messages:
        if message.topic.endswith(f"/{CHECKPOINT}") and message.retain and len(message.payload) <= NOTE_MOST:
            return bytes(message.payload).decode(errors="replace")
    return None


def log_conflict(reader: JournalReader, note: str, table_key: bytes) -> str | None:
    """Return the reason that a checkpoint at the broker, signed with this table's key, cannot come from this journal's
    log. None if it can, if the key did not sign it, or if the operator gave up that log: it can be sent again for
    ever."""
    try:
        head = opened_checkpoint(note, [NoteVerifier(named_of(note), LOG_TYPE, table_key)])
        if head.origin in given_up(reader):
            return None
        check_against(reader, [head], "the checkpoint at the broker")
    except NoteRefused:
        return None
    except JournalDamaged as error:
        return f"{error}; {REMEDY}"
    return None


def given_up(reader: JournalReader) -> set[str]:
    """Return the logs that this journal's records give up: the operator accepted an older copy, and another began."""
    found: set[str] = set()
    before: list[str] = []
    for record in reader.all_of(LOG):
        if why_begun(record.payload) == RESTORED:
            found.update(before, given_up_in(record.payload))
        before.append(named_in(record.payload)[0])
    return found - set(before[-1:])


async def _fetch_one(broker: Broker, at: Address) -> RetainedMark | None:
    topic, certificate = at.topic(MARK), at.topic(OPENING)
    async with Connection(broker.of(at.user), f"{at.client}/mark", expiry_s=0) as link:
        await link.listen(topic, certificate)
        await link.listen(topic)  # answered after the mark was sent: a broker handles what one client sends in order
        messages = link.pending()
        certificates = [bytes(each.payload) for each in messages if each.topic == certificate]
        for message in messages:
            if message.topic != topic:
                continue
            try:
                return RetainedMark(Mark.parse(message.payload), message, certificates)
            except ValueError:  # whoever may write there wrote nonsense; the next mark takes its place
                continue
    return None
