"""A table's lines to an MQTT 5 broker, each at least once, from the journal.

How none is lost. The journal is the outbox: a line waits in it until the broker's PUBACK, and the mark, up to which
everything was sent, moves only then. A broker can lose what it acknowledged, when it dies before it has saved it; so
the mark is also published, retained, after the lines it stands for. Whatever the broker remembers of the mark after
its restart, every line up to there was in the same memory; the lines after it are sent again. A broker that knows of
no mark gets the last hours again. Where a broker drops lines on their way to a reader, the reader sees by `previous`
and by the mark that lines are missing and asks for them; it gets some and asks for more, so that what is repeated does
not overflow the same queue again. Readers keep one of each (site, table, journal, sequence).
"""

import asyncio
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Final, Self

from aiomqtt import Will
from paho.mqtt.client import MQTTMessage

from dealwire.export.broker import CONNECT_S, Broker, BrokerUnusable, Connection, Retry, pause
from dealwire.export.topics import AGAIN, LINE_TOPICS, MARK, PRESENCE, Address, place, place_in
from dealwire.hub.health import ExportProgress
from dealwire.hub.lines import Publication
from dealwire.journal import Journal, JournalError, JournalReader

BATCH: Final = 256
"""Lines read from the journal at once, and between two marks."""
REPEAT_MAX: Final = 500
"""Lines that are sent again for one request: half of what mosquitto keeps for a reader unless told otherwise."""
REQUESTS_MAX: Final = 100
"""Requests that may wait; further ones are dropped, and asked again."""
EXPIRY_S: Final = 24 * 3600
"""How long the broker keeps our session when we are gone."""
POLL_S: Final = 1.0
"""How often the journal is looked at when nobody says that there is something new."""
FORGOTTEN_NS: Final = 2 * 3600 * 1_000_000_000
"""How far back a broker without a mark is sent lines again: one with usual settings saves every half an hour."""
FAREWELL_S: Final = 1.0
"""How long the last lines and `offline` may take when the table stops."""


Report = Callable[[str], None]


class Outbox:
    """Lines of `table`, and the mark that `consumer` has put behind those it sent. Of one thread; a JournalError says
    why the journal cannot be read. Use it as a context manager."""

    def __init__(self, journal: Journal, table: str, consumer: str) -> None:
        self._journal, self._table, self._consumer = journal, table, consumer
        self._reader = JournalReader(journal.path)
        self.journal = self._reader.identity.hex()
        """The journal's own number: sequences count within it."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._reader.close()

    def mark(self) -> int:
        """A number up to which everything was sent, and after which nothing was, as far as it was noted."""
        head = self._reader.head.sequence  # first: a line that comes in between must not be skipped
        waiting = self._journal.unsent(self._consumer, 1)
        return waiting[0].sequence - 1 if waiting else head

    def move_mark(self, sequence: int) -> None:
        """Everything up to `sequence` was sent. A mark never goes back."""
        self._journal.mark_sent(self._consumer, sequence)

    def after(self, sequence: int, limit: int) -> list[Publication]:
        """The table's lines after `sequence`, oldest first, at most `limit`."""
        return self._reader.publications(sequence, limit, self._table)

    def newest(self, sequence: int) -> int:
        """The table's newest line up to `sequence`; 0 when there is none."""
        return self._reader.newest(self._table, up_to=sequence)[0]

    def recent(self, age_ns: int) -> int:
        """A number after which lie the lines of the last `age_ns` before the newest line made known."""
        return self._reader.newest(self._table, before_ns=self._reader.newest()[1] - age_ns)[0]


class BrokerSession:
    """One table's lines over one connection."""

    def __init__(self, lane: "BrokerLane", link: Connection, outbox: Outbox) -> None:
        self._lane, self._link, self._outbox = lane, link, outbox
        self._at, self._progress = lane.at, lane.progress
        self._after = outbox.mark()
        """Everything up to here was sent."""
        self._previous: int | None = None
        """The table's newest line up to there; None when it must be looked up."""
        self._requested: set[int] = set()
        """Places from which readers miss lines."""
        self._limit = 1
        """The first line goes alone: a broker that refuses it may hang up before it has said why to many."""

    async def begin(self) -> None:
        """Say that we are here, and go back to where the broker's memory ends.

        The retained mark comes before the answer to `online`: a broker handles what one client sends in its order.
        """
        await self._link.listen(self._at.topic(MARK), self._at.topic(AGAIN), own=False)
        await self._link.keep(self._at.topic(PRESENCE), "online")
        marks = [self._mark_in(message) for message in self._link.pending()]
        known = [mark for mark in marks if mark is not None]
        behind = min([self._after, *known] if known else [self._after, self._outbox.recent(FORGOTTEN_NS)])
        self._progress.repeats += self._outbox.newest(self._after) > behind
        self._after = behind
        if not known:
            await self._put_mark(self._outbox.newest(self._after))

    async def run(self) -> None:
        """Send what is unsent until stopped and nothing is left, then say `offline`."""
        listening = asyncio.create_task(self._listen())
        try:
            await self._send_all()
            await self._link.keep(self._at.topic(PRESENCE), "offline")
        finally:
            listening.cancel()
            await asyncio.gather(listening, return_exceptions=True)

    def _mark_in(self, message: MQTTMessage) -> int | None:
        """The mark that the broker remembers, if the message is that; a request is kept for later."""
        sequence = place_in(message, self._outbox.journal)
        if message.topic.endswith(f"/{MARK}"):
            return sequence if message.retain else None
        if sequence is not None and len(self._requested) < REQUESTS_MAX:
            self._requested.add(sequence)
            self._lane.wake.set()
        return None

    async def _listen(self) -> None:
        """Hear who misses lines; end with the connection."""
        try:
            while True:
                for message in await self._link.receive():
                    self._mark_in(message)
        finally:
            self._lane.wake.set()

    async def _send_all(self) -> None:
        while True:
            self._link.check()
            self._lane.wake.clear()
            while self._requested:
                await self._repeat(self._requested.pop())
            batch = self._outbox.after(self._after, self._limit)
            if batch:
                previous = self._outbox.newest(self._after) if self._previous is None else self._previous
                await self._send(batch, previous)
                self._limit = BATCH
                self._after = self._previous = self._progress.sequence = batch[-1].sequence
                self._outbox.move_mark(self._after)
                await self._put_mark(self._after)
            self._lane.works()
            if batch:
                continue
            if self._lane.stop.is_set():
                return
            await pause(self._lane.wake, POLL_S)

    async def _repeat(self, place: int) -> None:
        """Some lines after `place` once more, of those that were sent already."""
        batch = [item for item in self._outbox.after(place, REPEAT_MAX) if item.sequence <= self._after]
        if batch:
            self._progress.repeats += 1
            await self._send(batch, self._outbox.newest(place))

    async def _send(self, batch: Sequence[Publication], previous: int) -> None:
        """Send lines and await the broker's word for each; `previous` is the table's line before them."""
        sent = []
        for item in batch:
            carried = self._at.properties(item, self._outbox.journal, previous)
            sent.append(await self._link.send(self._at.topic(LINE_TOPICS[item.topic]), item.line, carried))
            previous = item.sequence
        await asyncio.gather(*sent)
        self._progress.sent += len(batch)

    async def _put_mark(self, sequence: int) -> None:
        if sequence:
            await self._link.keep(self._at.topic(MARK), place(self._outbox.journal, sequence))


class BrokerLane:
    """One table's way to the broker: one connection after the other, each with the table's will."""

    def __init__(
        self,
        broker: Broker,
        journal: Journal,
        at: Address,
        progress: ExportProgress,
        report: Report,
        stop: asyncio.Event,
    ) -> None:
        self.at, self.progress, self.stop = at, progress, stop
        self.wake = asyncio.Event()
        self._broker, self._journal, self._report, self._retry = broker, journal, report, Retry()

    async def run(self) -> None:
        """Keep a connection and send until stopped."""
        while not self.stop.is_set():
            try:
                await self._serve()
            except (BrokerUnusable, JournalError) as error:
                self._trouble(str(error))
            finally:
                self.progress.connected = False
            await pause(self.stop, self._retry.next_s())

    async def _serve(self) -> None:
        will = Will(self.at.topic(PRESENCE), "offline", 1, retain=True)
        with Outbox(self._journal, self.at.table, f"mqtt/{self.at.table}") as outbox:
            async with Connection(self._broker, self.at.client, expiry_s=EXPIRY_S, will=will) as link:
                session = BrokerSession(self, link, outbox)
                await session.begin()
                self.progress.connected = True
                await session.run()

    def works(self) -> None:
        """The broker takes what we send, or would."""
        self._retry.reset()
        self.progress.problem = None

    def _trouble(self, what: str) -> None:
        """Say what is wrong, once for each new trouble."""
        if what != self.progress.problem:
            self._report(f"{what}; lines of {self.at.table} wait in the journal")
        self.progress.problem = what


class MqttExporter:
    """Sends the lines of `tables` from the journal to a broker, from a thread of its own.

    `report` gets one line for each new trouble. ValueError when a name cannot be part of a topic.
    """

    def __init__(
        self, broker: Broker, journal: Journal, *, site: str, tables: Sequence[str], report: Report = lambda _: None
    ) -> None:
        self.progress = {table: ExportProgress() for table in tables}
        self._broker, self._journal, self._report = broker, journal, report
        self._addresses = [Address.checked(site, table) for table in tables]
        self._thread = threading.Thread(target=lambda: asyncio.run(self._main()), name="mqtt", daemon=True)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._lanes: list[BrokerLane] = []
        self._stopped = False
        self._stop: asyncio.Event | None = None

    def start(self) -> None:
        """Begin; returns at once, whether the broker is there or not."""
        self._thread.start()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def wake(self) -> None:
        """There are new lines. From any thread, never waits; without it the journal is looked at every second."""
        if self._loop is not None:
            with suppress(RuntimeError):  # the loop has ended
                self._loop.call_soon_threadsafe(self._woken)

    def stop(self) -> None:
        """Send what waits and say `offline`, for at most a second; what is left stays in the journal."""
        self._stopped = True
        self.wake()
        self._thread.join(FAREWELL_S + CONNECT_S)

    def _woken(self) -> None:
        if self._stopped and self._stop is not None:
            self._stop.set()
        for lane in self._lanes:
            lane.wake.set()

    async def _main(self) -> None:
        self._stop = asyncio.Event()
        for at in self._addresses:
            lane = BrokerLane(self._broker, self._journal, at, self.progress[at.table], self._report, self._stop)
            self._lanes.append(lane)
        self._loop = asyncio.get_running_loop()
        self._woken()  # stopped before there was a loop
        running = [asyncio.create_task(lane.run()) for lane in self._lanes]
        stopped = asyncio.create_task(self._stop.wait())
        await asyncio.wait([stopped, *running], return_when=asyncio.FIRST_COMPLETED)
        ended, late = await asyncio.wait(running, timeout=FAREWELL_S)
        for task in (stopped, *late):
            task.cancel()
        await asyncio.gather(stopped, *late, return_exceptions=True)
        for task in ended:
            task.result()  # a fault of the program must not end in silence
