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
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Final, Self

from aiomqtt import Will
from paho.mqtt.client import MQTTMessage

from dealwire.export.broker import CONNECT_S, Broker, BrokerUnusable, Connection, Retry, pause
from dealwire.export.marks import MarkConflict
from dealwire.export.outbox import Outbox
from dealwire.export.profile import Profile
from dealwire.export.topics import AGAIN, LINE_TOPICS, MARK, PRESENCE, STANDING, Address, Mark, read_place
from dealwire.export.witness import witness
from dealwire.hub.health import ExportProgress
from dealwire.hub.lines import Publication
from dealwire.journal import Journal, JournalError

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
MARK_AGAIN_S: Final = 10.0
"""How often the mark is said again while there is nothing new: a broker may have dropped it on its way to a reader."""
FAREWELL_S: Final = 1.0
"""How long the last lines and `offline` may take when the table stops."""


Report = Callable[[str], None]
StandingOf = Callable[[str], str | None]
"""How a table stands now, as the line that says it; None when nobody knows it."""


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
        self._mark: Mark | None = None
        self._mark_s = 0.0
        self._standing: str | None = None
        self._limit = 1
        """The first line goes alone: a broker that refuses it may hang up before it has said why to many."""

    async def begin(self) -> None:
        """Say that we are here, and go back to where the broker's memory ends. MarkConflict when it remembers what this
        journal does not have.

        The retained mark comes before the answer to `online`: a broker handles what one client sends in its order.
        """
        await self._link.listen(self._at.topic(MARK), self._at.topic(AGAIN), own=False)
        await self._link.keep(self._at.topic(PRESENCE), "online")
        marks = [mark for message in self._link.pending() if (mark := self._mark_in(message)) is not None]
        foreign = {mark: why for mark in marks if (why := self._outbox.conflict(mark)) is not None}
        if foreign and not self._lane.file_counts:
            await self._link.keep(self._at.topic(PRESENCE), "offline")
            raise MarkConflict(next(iter(foreign.values())))
        known = [mark.sequence for mark in marks if mark not in foreign and mark.journal == self._outbox.journal]
        behind = min([self._after, *known] if known else [self._after, self._outbox.recent(FORGOTTEN_NS)])
        self._progress.repeats += self._outbox.newest(self._after) > behind
        self._after = behind
        if not known:
            await self._put_mark(self._outbox.place(self._outbox.newest(self._after)))
        self._lane.file_counts = False  # what the broker knows from here on it has from us

    async def run(self) -> None:
        """Send what is unsent until stopped and nothing is left, then say `offline`."""
        listening = asyncio.create_task(self._listen())
        try:
            await self._send_all(listening)
            await self._link.keep(self._at.topic(PRESENCE), "offline")
        finally:
            listening.cancel()
            await asyncio.gather(listening, return_exceptions=True)

    def _mark_in(self, message: MQTTMessage) -> Mark | None:
        """The mark that the broker remembers, if the message is that; a request is kept for later."""
        if message.topic != self._at.topic(MARK):
            self._take_request(message)
        elif message.retain:
            with suppress(ValueError):  # nonsense is no mark: the next one takes its place
                return Mark.parse(message.payload)
        return None

    def _take_request(self, message: MQTTMessage) -> None:
        try:
            journal, sequence = read_place(message)
        except ValueError as error:
            self._lane.refuse(str(error))
            return
        if journal == self._outbox.journal and len(self._requested) < REQUESTS_MAX:
            self._requested.add(sequence)
            self._lane.wake.set()

    async def _listen(self) -> None:
        """Hear who misses lines; end with the connection."""
        try:
            while True:
                for message in await self._link.receive():
                    self._mark_in(message)
        finally:
            self._lane.wake.set()

    async def _send_all(self, listening: "asyncio.Task[None]") -> None:
        while True:
            self._link.check()
            if listening.done():
                listening.result()
            self._lane.wake.clear()
            if self._requested:  # one at a time: who asks without end must not hold new lines up
                await self._repeat(self._requested.pop())
            batch, reached = self._outbox.outgoing(self._after, self._limit)
            fresh = reached > self._after
            if fresh:
                await self._send_new(batch, reached)
            self._lane.works()
            await self._keep_standing()
            if fresh or self._requested:
                continue
            self._lane.careful = False
            if self._lane.stop.is_set():
                return
            if self._mark is not None and asyncio.get_running_loop().time() >= self._mark_s + MARK_AGAIN_S:
                await self._put_mark(self._mark)
            await pause(self._lane.wake, POLL_S)

    async def _send_new(self, batch: Sequence[Publication], reached: int) -> None:
        """Send the lines that follow, and move both marks behind them: ours to where the lines were looked at, the
        broker's to the last that left."""
        if self._previous is None:
            self._previous = self._outbox.newest(self._after)
        await self._send(batch, self._previous)
        self._limit = 1 if self._lane.careful else BATCH
        self._after = self._progress.sequence = reached
        self._outbox.move_mark(reached)
        if batch:
            last = batch[-1]
            self._previous = last.sequence
            await self._put_mark(Mark(self._outbox.journal, last.sequence, last.epoch, witness(last.hash)))

    async def _repeat(self, place: int) -> None:
        """Some lines after `place` once more, of those that were sent already."""
        lines, _ = self._outbox.outgoing(place, REPEAT_MAX)
        batch = [item for item in lines if item.sequence <= self._after]
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

    async def _keep_standing(self) -> None:
        """Say how the table stands, when it stands otherwise than was said."""
        now = self._lane.standing()
        if now is not None and now != self._standing:
            self._standing = now
            await self._link.keep(self._at.topic(STANDING), now)

    async def _put_mark(self, mark: Mark) -> None:
        if mark.sequence:
            self._mark, self._mark_s = mark, asyncio.get_running_loop().time()
            await self._link.keep(self._at.topic(MARK), mark.text)


class BrokerLane:
    """One table's way to the broker: one connection after the other, each with the table's will.

    Whatever goes wrong ends this connection and nothing else: the exporter's other tables go on.
    """

    def __init__(self, exporter: "MqttExporter", at: Address, stop: asyncio.Event) -> None:
        self.at, self.progress, self.stop = at, exporter.progress[at.table], stop
        self.wake = asyncio.Event()
        self.file_counts = exporter.file_counts
        """A person decided that this file counts, whatever mark the broker has."""
        self._broker, self._exporter = exporter.broker.of(at.user), exporter
        self._retry, self._faults = Retry(), Retry()
        self._failed_at = 0
        self._last_fault = ""
        self.careful = False
        """Line by line after a fault of this program, so that it is met at one line and all before it are out."""

    async def run(self) -> None:
        """Keep a connection and send until stopped."""
        while not self.stop.is_set():
            retry = self._retry
            try:
                await self._serve()
            except (BrokerUnusable, JournalError) as error:
                self._trouble(str(error))
            except MarkConflict as error:
                self._contradicted(str(error))
                return
            except Exception as error:
                retry = self._faults
                self._fault(error)
            finally:
                self.progress.connected = False
            await pause(self.stop, retry.next_s())

    async def _serve(self) -> None:
        will = Will(self.at.topic(PRESENCE), "offline", 1, retain=True)
        with Outbox(self._exporter.journal, self.at.table, f"mqtt/{self.at.table}", self._exporter.profile) as outbox:
            async with Connection(self._broker, self.at.client, expiry_s=EXPIRY_S, will=will) as link:
                session = BrokerSession(self, link, outbox)
                await session.begin()
                self.progress.connected = True
                await session.run()

    def works(self) -> None:
        """The broker takes what we send, or would."""
        self._retry.reset()
        if self.progress.sequence >= self._failed_at:
            self.progress.problem = None

    def standing(self) -> str | None:
        """How the table stands now."""
        return self._exporter.standing(self.at.table)

    def refuse(self, why: str) -> None:
        """A request is none."""
        self.progress.refused += 1
        if self.progress.refused == 1:
            self._exporter.report(f"{self.at.topic(AGAIN)}: a request is refused: {why}; more are counted, not told")

    def _fault(self, error: Exception) -> None:
        """Of this program. The message of such an error may hold anything, a line too; the place says as much."""
        if self.progress.sequence >= self._failed_at:  # it got on since the last one
            self._faults.reset()
        self._failed_at = self.progress.sequence + 1
        self.progress.failures += 1
        self.careful = True
        at = traceback.extract_tb(error.__traceback__)[-1]
        name = at.filename.rsplit("/", 1)[-1]
        what = f"{self.at.table}: a fault of this program: {type(error).__name__} at {name}:{at.lineno}"
        if what == self._last_fault:
            self.progress.problem = what
        self._last_fault = what
        self._trouble(what)

    def _contradicted(self, why: str) -> None:
        """The journal is not the one that the broker knows: send nothing, and have the table stopped."""
        self.progress.conflict, self.progress.problem = True, why
        self._exporter.conflict(self.at.table, why)

    def _trouble(self, what: str) -> None:
        """Say what is wrong, once for each new trouble."""
        if what != self.progress.problem:
            self._exporter.report(f"{what}; lines of {self.at.table} wait in the journal")
        self.progress.problem = what


class MqttExporter:
    """Sends the lines of `tables` from the journal to a broker, from a thread of its own.

    `report` gets one line for each new trouble; `conflict` a table, and why the broker knows lines of it that the
    journal does not have, unless a person decided that this file counts; `standing` how a table stands. All are
    called from that thread. ValueError when a name cannot be part of a topic.
    """

    def __init__(
        self,
        broker: Broker,
        journal: Journal,
        *,
        site: str,
        tables: Sequence[str],
        report: Report = lambda _: None,
        conflict: Callable[[str, str], None] = lambda _, __: None,
        file_counts: bool = False,
        profile: Profile = "full",
        standing: StandingOf = lambda _: None,
    ) -> None:
        self.progress = {table: ExportProgress() for table in tables}
        self.broker, self.journal = broker, journal
        self.report, self.conflict, self.standing = report, conflict, standing
        self.file_counts, self.profile = file_counts, profile
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
        self._lanes = [BrokerLane(self, at, self._stop) for at in self._addresses]
        self._loop = asyncio.get_running_loop()
        self._woken()  # stopped before there was a loop
        running = [asyncio.create_task(lane.run()) for lane in self._lanes]
        await self._stop.wait()  # a lane may end before; the others go on
        _, late = await asyncio.wait(running, timeout=FAREWELL_S)
        for task in late:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
