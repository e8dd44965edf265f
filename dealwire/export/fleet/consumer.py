"""Consumer that stores lines from the broker in the database. A message is acknowledged after its line is committed.

A kill at any instant leaves nothing or the whole batch: unacknowledged messages come again, and committed lines already
exist. Lines that the broker lost are detected by the next line, or by the mark that the table publishes, and requested.
"""

import asyncio
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from paho.mqtt.client import MQTTMessage

from dealwire.export.broker import Broker, BrokerUnusable, Connection, Retry, pause
from dealwire.export.fleet.database import Batch, Database, DatabaseUnusable, MissingLine
from dealwire.export.fleet.refusals import RefusalKind, RefusedMessage, check_viewed
from dealwire.export.fleet.trust import TrustedKeys
from dealwire.export.topics import AGAIN, LINE_TOPICS, MARK, OPENING, ROOT, Address, place, read_line, read_mark

EXPIRY_S: Final = 30 * 24 * 3600
"""Seconds that the broker keeps lines for an absent consumer."""
ASK_S: Final = 10.0
"""Seconds after which a table is asked again for missing lines."""
REQUESTS_IN_VAIN: Final = 2
"""Number of requests to a table that never sent a line, for what a mark announced."""
STRANGERS_MAX: Final = 10_000
"""Maximum number of remembered tables that never answered."""
GRACE_S: Final = 0.5
"""Seconds that a missing line may still be on its way."""
REPORT_S: Final = 60.0
"""Minimum seconds between two reports of refused messages."""
LOOK_S: Final = 0.1
"""Seconds between two looks at gaps while there are any."""


@dataclass
class ConsumerCounts:
    """Counters of a consumer since its start."""

    lines: int = 0
    """Committed lines, including those that already existed."""
    refused: Counter[RefusalKind] = field(default_factory=Counter)
    requested: int = 0
    gaps: int = 0
    """Number of (table, journal) with missing lines, at the last look."""
    disputed: int = 0
    """Number of sequences with several different lines, at the last look. None of them counts in money."""
    listening: bool = False
    last_ns: int = 0
    """Time of the newest line, as journaled, in nanoseconds."""


class RepeatRequests:
    """Schedule of requests for missing lines. A request waits a moment, because lines may be on their way; the next
    follows when some came and no more do, or after a while if none come."""

    def __init__(self) -> None:
        self.due: dict[tuple[Address, str], float] = {}
        """Time of the next request, in seconds of any clock, by table and journal with a gap."""
        self._seen: dict[tuple[Address, str], int] = {}
        """Start of each gap at the last look."""
        self.in_vain: Counter[tuple[Address, str]] = Counter()
        """Number of requests for a gap without any effect."""
        self._requested: dict[tuple[Address, str], int] = {}
        self._looked_s = 0.0

    def looks_at(self, now_s: float) -> bool:
        """Return True if there were gaps and it is time to look at them again."""
        return bool(self.due) and now_s >= self._looked_s + LOOK_S

    def of(self, gaps: list[MissingLine], now_s: float) -> list[tuple[Address, str, int]]:
        """Return table, journal and place of the requests that are due."""
        places = {(Address(gap.site, gap.table), gap.journal): gap.after for gap in gaps}
        self._looked_s = now_s
        self.due = {key: self.due.get(key, now_s + GRACE_S) for key in places}
        self._requested = {key: after for key, after in self._requested.items() if key in places}
        self.in_vain = Counter({key: times for key, times in self.in_vain.items() if key in places})
        ready = []
        for key, after in places.items():
            came = self._requested.get(key, after) != after  # some of what was asked for
            if self.due[key] <= now_s or (came and self._seen.get(key) == after):
                self.in_vain[key] = 0 if came else self.in_vain[key] + (key in self._requested)
                ready.append((*key, after))
                self.due[key], self._requested[key] = now_s + ASK_S, after
        self._seen = places
        return ready


def sort(messages: list[MQTTMessage], keys: TrustedKeys | None = None) -> Batch:
    """Sort messages into lines, marks and refused ones. Presence and requests are ignored. With `keys`, lines and marks
    that none of them vouches for are refused."""
    batch = Batch()
    for message in messages:
        level = message.topic.rpartition("/")[2]
        try:
            if level == MARK:
                site, table, journal, sequence = read_mark(message)
                if keys is not None and not keys.believes_mark(Address(site, table), journal, message):
                    continue
                batch.announced.append((site, table, journal, sequence))
                if not message.retain:
                    batch.live[Address(site, table), journal] = sequence
            elif level in LINE_TOPICS.values():
                line, content = read_line(message)
                if keys is not None:
                    keys.check_line(line, message)
                check_viewed(content)
                batch.lines.append(line if keys is not None else line._replace(signed=""))
            elif level == OPENING and keys is not None and message.payload:
                keys.opening(message)
        except MemoryError:  # that says nothing about the message
            raise
        except Exception as error:  # whatever it is: a message that ends the reader would end each next start, too
            batch.refused.append(RefusedMessage.of(message.topic, bytes(message.payload), error))
    return batch


class Consumer:
    """Consumer of every line of the sites and tables it may read. Consumers with the same `group` share the lines; each
    needs its own `name`. `report` gets one line per new problem. With `keys`, only what they vouch for is stored."""

    def __init__(
        self,
        broker: Broker,
        dsn: str,
        *,
        name: str,
        group: str | None = None,
        report: Callable[[str], None],
        keys: TrustedKeys | None = None,
    ) -> None:
        self.counts = ConsumerCounts()
        self._broker, self._dsn, self._name, self._report = broker, dsn, name, report
        self._keys = keys
        self._topic = f"$share/{group}/{ROOT}/+/+/+" if group else f"{ROOT}/+/+/+"
        # what a group shares goes to one of its consumers only, and nothing retained does
        self._openings = [f"{ROOT}/+/+/{OPENING}"] if group and keys is not None else []
        self._problem: str | None = None
        self._retry = Retry()
        self._live: dict[tuple[Address, str], int] = {}
        """Newest sequence that each table announces, for the tables that were asked for lines."""
        self._strangers: dict[Address, None] = {}
        """Tables that were asked for what a mark announced but never sent a line; the newest last."""
        self._reported_s = -REPORT_S
        self._stopping = asyncio.Event()

    def stop(self) -> None:
        """Commit the current batch and end."""
        self._stopping.set()

    async def run(self, *, wait: bool) -> None:
        """Consume until stopped. Without `wait`, raise BrokerUnusable or DatabaseUnusable if the first attempt
        fails."""
        worked = wait
        while not self._stopping.is_set():
            try:
                async with (
                    await Database.connect(self._dsn) as database,
                    Connection(self._broker, self._name, expiry_s=EXPIRY_S, by_hand=True) as link,
                ):
                    await link.listen(self._topic, *self._openings)
                    self._report(f"{self._broker}: listening to {self._topic}")
                    worked = self.counts.listening = True
                    await self._serve(link, database)
            except (BrokerUnusable, DatabaseUnusable) as error:
                if not worked:
                    raise
                self.counts.listening = False
                self._trouble(str(error))
                await pause(self._stopping, self._retry.next_s())

    def _trouble(self, what: str) -> None:
        if what != self._problem:
            self._report(f"{what}; lines wait at the broker")
        self._problem = what

    async def _serve(self, link: Connection, database: Database) -> None:
        """Store batch after batch until stopped."""
        asking, now_s = RepeatRequests(), asyncio.get_running_loop().time
        while not self._stopping.is_set():
            messages = await self._next(link, LOOK_S if asking.due else ASK_S)
            found = False
            if messages:
                if self._keys is not None:
                    await self._keys.learn(messages, database)
                batch = sort(messages, self._keys)
                stored = await database.store(batch, self._strangers)
                link.acknowledge(messages)
                self._live |= batch.live
                found = stored.gaps > 0 or "contradicting" in stored.refused
                self._count(batch, stored.refused)
            self._retry.reset()
            self._problem = None
            if found or asking.looks_at(now_s()) or not messages:
                self.counts.disputed = await database.disputed()
                gaps = await database.gaps()
                self.counts.gaps = len(gaps)
                for address, journal, after in asking.of(gaps, now_s()):
                    self.counts.requested += 1
                    await link.send(address.topic(AGAIN), place(journal, after))
                await self._give_up(database, asking)

    async def _give_up(self, database: Database, asking: RepeatRequests) -> None:
        """Give up gaps that only a mark announced, since anyone can write a mark: there is no such table, or the table
        itself announces less and sends nothing."""
        for key in [key for key, times in asking.in_vain.items() if times >= REQUESTS_IN_VAIN]:
            refused, stranger = await database.give_up(*key, self._live.get(key))
            if refused and stranger:
                self._strangers[key[0]] = None
            if refused:
                self._count(Batch(), Counter({"unreadable": refused}))
        self._live = {key: newest for key, newest in self._live.items() if key in asking.due}
        while len(self._strangers) > STRANGERS_MAX:
            del self._strangers[next(iter(self._strangers))]

    def _count(self, batch: Batch, refused: Counter[RefusalKind]) -> None:
        """Count a batch, and report refused messages: at once, then once a minute."""
        self.counts.lines += len(batch.lines)
        self.counts.last_ns = max([self.counts.last_ns, *(line.at_ns for line in batch.lines)])
        self.counts.refused += refused
        now_s = asyncio.get_running_loop().time()
        if refused and now_s >= self._reported_s + REPORT_S:
            self._reported_s = now_s
            number, kind = self.counts.refused.total(), max(refused)
            what = f"{number} message{'s' * (number > 1)} refused so far, the newest {kind}"
            self._report(f"{what}; see the reasons in dealwire.refused")

    async def _next(self, link: Connection, patience_s: float) -> list[MQTTMessage]:
        """Return new messages, empty if stopped or after `patience_s`."""
        receiving = asyncio.ensure_future(link.receive())
        stopped = asyncio.ensure_future(self._stopping.wait())
        try:
            await asyncio.wait({receiving, stopped}, timeout=patience_s, return_when=asyncio.FIRST_COMPLETED)
            return receiving.result() if receiving.done() else []
        finally:
            for each in (receiving, stopped):
                each.cancel()
            await asyncio.gather(receiving, stopped, return_exceptions=True)
