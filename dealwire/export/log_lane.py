"""The journal's log at the broker: its newest checkpoint, retained; proofs of growth for witnesses; their signatures.

A journal has one log, whatever number of tables it has, so it is on the topics of the first. Nothing that comes in is
believed but a signature: of a witness that the configuration names, or of this log itself on both parts of a fork.
"""

import asyncio
from collections import OrderedDict, deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from paho.mqtt.client import MQTTMessage

from dealwire.export.broker import Broker, BrokerUnusable, Connection, Retry, pause
from dealwire.export.marks import MarkConflict, log_conflict, note_in
from dealwire.export.refused_messages import RefusedMessages, TimeShare, WaitingMessages
from dealwire.export.topics import CHECKPOINT, COSIGNED, FORK, GROW, GROWTH, Address
from dealwire.export.waiting_sizes import WaitingSizes
from dealwire.hub.health import LogHealth
from dealwire.journal import JournalError, JournalReader
from dealwire.journal.errors import NoteRefused, NotProvable
from dealwire.journal.log_tables import LogTables
from dealwire.journal.proving import NewestNote, growth, newest_note
from dealwire.journal.records import COSIGNED as COSIGNED_RECORD
from dealwire.journal.signing import (
    LOG_TYPE,
    NOTE_MOST,
    NoteVerifier,
    SignatureLine,
    TreeHead,
    cosigned_at,
    opened_checkpoint,
    parsed_line,
)
from dealwire.journal.witnessing import fork_parts, named_of
from devices.clock import SystemClock

POLL_S: Final = 0.25
"""Seconds between two looks at the journal and at the messages."""
SHARE_S: Final = 0.05
"""Most seconds of each look for what others sent."""
WAITING_MOST: Final = 1024
"""Most messages that wait for the next look; a witness asks again."""
WAITING_BYTES: Final = 1 << 22
"""Most bytes of them."""
GROWTH_S: Final = 1.0
"""Minimum seconds between two answers to witnesses that stand at one size."""
GROWTHS_MOST: Final = 4
"""Most answers in that time at sizes that no named witness signed: anyone may ask, so such sizes take turns."""
PUBLISHED_MOST: Final = 1024
"""Number of the newest published checkpoints for which a cosignature is taken."""
REMEMBERED: Final = 20_000
"""Most cosignatures in the journal that are read at the start, newest first: a week of two witnesses, each minute."""


class LogLane:
    """Connection of a journal's log to the broker, at the address of its first table.

    `cosigned` gets the size and the line of each new cosignature, `alarm` a line when a fork is proven, `conflict` the
    reason that the broker remembers a checkpoint of which this journal is an older copy, unless the operator decided
    for this file. All are called in the exporter's thread.
    """

    def __init__(
        self,
        broker: Broker,
        at: Address,
        path: Path,
        *,
        witnesses: Sequence[NoteVerifier],
        table_key: bytes,
        health: LogHealth,
        cosigned: Callable[[int, SignatureLine], None],
        alarm: Callable[[str], None],
        report: Callable[[str], None],
        conflict: Callable[[str], None],
        file_counts: bool = False,
    ) -> None:
        self._broker, self._at, self._path = broker.of(at.user), at, path
        self._witnesses, self._table_key, self._health = list(witnesses), table_key, health
        self._cosigned, self._alarm, self._report = cosigned, alarm, report
        self._conflict, self._file_counts = conflict, file_counts
        self._retry, self._problem = Retry(), ""
        self._answered: dict[int, float] = {}
        """Time of the newest answer, by the size of a named witness."""
        self._others: deque[float] = deque(maxlen=GROWTHS_MOST)
        """Times of the newest answers to anyone else."""
        self._sizes = WaitingSizes()
        """Sizes at which anyone else waits."""
        self._tree = self._size = 0
        """Tree of the newest checkpoint, by the record that began it, and its size; 0 before the first."""
        self._published: OrderedDict[int, str] = OrderedDict()
        """Texts of published checkpoints by size."""
        self._waiting = WaitingMessages(WAITING_MOST, WAITING_BYTES)
        self._share = TimeShare(SHARE_S)
        self._refused = RefusedMessages(report)
        self._taken: dict[str, int] = {}
        """Largest size that each witness signed."""
        self._forks: set[tuple[str, int]] = set()

    async def run(self, stop: asyncio.Event) -> None:
        """Keep a connection until stopped."""
        while not stop.is_set():
            try:
                with JournalReader(self._path) as reader:
                    self._remember(reader)
                    async with Connection(self._broker, f"{self._at.client}/log", expiry_s=0) as link:
                        await link.listen(*map(self._at.topic, (CHECKPOINT, GROW, COSIGNED, FORK)), own=False)
                        await link.listen(self._at.topic(GROW), own=False)  # answered after what is remembered came
                        self._compare(reader, messages := link.pending())
                        await self._take_all(link, reader, messages)
                        await self._serve(link, reader, stop)
            except MarkConflict as error:
                self._conflict(str(error))
                return
            except (BrokerUnusable, JournalError) as error:
                if str(error) != self._problem:
                    self._report(f"{error}; checkpoints of the journal stay here")
                self._problem = str(error)
            await pause(stop, self._retry.next_s())

    async def _serve(self, link: Connection, reader: JournalReader, stop: asyncio.Event) -> None:
        published = ""
        while not stop.is_set():
            link.check()
            found = self._newest(reader)
            if found is not None and found.note != published:
                self._remember_published(found)
                await link.keep(self._at.topic(CHECKPOINT), found.note)
                published, self._health.size = found.note, found.head.size
                self._retry.reset()
                self._problem = ""
            await self._take_all(link, reader, link.pending())
            await pause(stop, POLL_S)

    def _newest(self, reader: JournalReader) -> NewestNote | None:
        try:
            return newest_note(reader)
        except NotProvable:
            return None

    def _compare(self, reader: JournalReader, messages: Sequence[MQTTMessage]) -> None:
        """Raise MarkConflict if the broker remembers a checkpoint that this journal's log cannot have signed."""
        note = note_in(messages)
        if note is not None and not self._file_counts:
            why = log_conflict(reader, note, self._table_key)
            if why is not None:
                raise MarkConflict(why)

    async def _take_all(self, link: Connection, reader: JournalReader, messages: Sequence[MQTTMessage]) -> None:
        """Take what came, as far as the share of time allows; the rest waits."""
        now_s = asyncio.get_running_loop().time
        for message in messages:
            if not self._waiting.add(message):
                self._refused.add(f"{message.topic}: more messages than are taken", now_s())
        self._share.begin(now_s())
        while self._waiting and not self._share.is_spent(now_s()):
            message = self._waiting.take()
            try:
                await self._take(link, reader, message)
            except (NoteRefused, NotProvable, ValueError) as error:  # nobody's, or of no use: nothing is believed
                self._refused.add(f"{message.topic}: {error}", now_s())
        await self._answer_others(link, reader)
        self._health.refusals = self._refused.count

    async def _take(self, link: Connection, reader: JournalReader, message: MQTTMessage) -> None:
        if not message.payload or len(message.payload) > 2 * NOTE_MOST:
            return
        text, level = bytes(message.payload).decode(), message.topic.rpartition("/")[2]
        if level == GROW:
            await self._grow(link, reader, int(text.rpartition(" ")[2]))
        elif level == COSIGNED:
            self._take_cosignature(text)
        elif level == FORK:
            self._take_fork(text)

    async def _grow(self, link: Connection, reader: JournalReader, size: int) -> None:
        """Publish the proof that the tree grew from `size`, once a second for each size that a named witness signed.
        Any other size waits for its turn."""
        if size not in self._taken.values():
            if not 0 <= size <= self._size:
                raise ValueError("no tree of that size was signed")
            if size not in self._sizes:
                self._sizes.add(size, signed=not size or LogTables(reader).is_checkpoint(self._tree, size))
            return
        now_s = asyncio.get_running_loop().time()
        if now_s >= self._answered.get(size, -GROWTH_S) + GROWTH_S:
            self._answered = {each: at_s for each, at_s in self._answered.items() if each in self._taken.values()}
            self._answered[size] = now_s
            await self._publish_growth(link, reader, size)

    async def _answer_others(self, link: Connection, reader: JournalReader) -> None:
        """Answer those whose turn it is, as far as the answers of this second and the share of time allow."""
        now_s = asyncio.get_running_loop().time
        while len(self._others) < GROWTHS_MOST or now_s() >= self._others[0] + GROWTH_S:
            if (size := self._sizes.take()) is None:
                return
            self._others.append(now_s())
            await self._publish_growth(link, reader, size)
            if self._share.is_spent(now_s()):
                return

    async def _publish_growth(self, link: Connection, reader: JournalReader, size: int) -> None:
        found = newest_note(reader)
        self._remember_published(found)
        await link.send(self._at.topic(GROWTH), growth(reader, size))

    def _remember_published(self, found: NewestNote) -> None:
        self._tree, self._size = found.tree, found.head.size
        self._published[found.head.size] = found.head.body
        while len(self._published) > PUBLISHED_MOST:
            self._published.popitem(last=False)

    def _take_cosignature(self, text: str) -> None:
        first, _, rest = text.partition("\n")
        size, line = int(first), parsed_line(rest)
        witness = next((each for each in self._witnesses if each.name == line.name), None)
        body = self._published.get(size)
        if witness is None or body is None or size <= self._taken.get(line.name, -1):
            return
        try:
            seconds = cosigned_at(body, line, witness)
        except NoteRefused as error:
            self._health.refused[line.name] = str(error)
            raise
        self._taken[line.name] = size
        self._note(line.name, size, min(seconds, SystemClock().now_ns() // 10**9))
        self._health.refused.pop(line.name, None)
        self._cosigned(size, line)

    def _note(self, name: str, size: int, seconds: int) -> None:
        """Note a signature, unless it is an older one that somebody sent again."""
        if seconds >= self._health.cosigned.get(name, 0):
            self._health.cosigned[name], self._health.sizes[name] = seconds, size

    def _take_fork(self, text: str) -> None:
        """Raise the alarm if the two notes were both signed with the table's key, and contradict one another."""
        one, other = map(self._signed_here, fork_parts(text))
        known = (one.origin, one.size) in self._forks
        if not known and one.origin == other.origin and one.size == other.size and one.root != other.root:
            self._forks.add((one.origin, one.size))
            self._health.forks = len(self._forks)
            why = f"{one.origin} signed two roots of {one.size} leaves: the journal was forked, or its key copied"
            self._alarm(f"a witness proves that {why}")

    def _signed_here(self, note: str) -> TreeHead:
        return opened_checkpoint(note, [NoteVerifier(named_of(note), LOG_TYPE, self._table_key)])

    def _remember(self, reader: JournalReader) -> None:
        """Take from the journal which witness signed last, what, and when."""
        up_to, log, wanted = reader.head.sequence, self._newest(reader), {each.name for each in self._witnesses}
        if log is not None:
            self._tree, self._size = log.tree, log.head.size
        for name in wanted:
            self._health.cosigned.setdefault(name, 0)
        for _ in range(REMEMBERED):
            record = reader.newest_of(COSIGNED_RECORD, up_to) if wanted else None
            if record is None:
                return
            found = cosigned_in(record.payload)
            if found.by in wanted:
                wanted.remove(found.by)
                self._note(found.by, found.size, min(found.seconds, record.at_ns // 10**9))
                if log is not None and found.origin == log.head.origin:
                    self._taken[found.by] = max(self._taken.get(found.by, -1), found.size)
            up_to = record.sequence - 1


class Cosigned(NamedTuple):
    """A record of a cosignature: of which log and size, by whom, and when in seconds since 1970."""

    origin: str
    size: int
    by: str
    seconds: int


def cosigned_in(payload: bytes) -> Cosigned:
    """Return what a record of the journal says of a cosignature."""
    from msgspec.json import decode

    fields = decode(payload)
    line = parsed_line(fields["line"])
    return Cosigned(fields["origin"], fields["size"], line.name, int.from_bytes(line.signature[:8]))
