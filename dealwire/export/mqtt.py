"""Export of a table's lines to an MQTT 5 broker, each at least once, from the journal.

No line is lost. The journal is the outbox: a line waits in it until the broker's PUBACK, and only then the mark, up to
which everything was sent, moves. A broker can lose what it acknowledged if it dies before saving it. Therefore the mark
is also published, retained, after the lines it covers. If the broker remembers a mark after its restart, every line up
to it was in the same memory; the lines after it are sent again. A broker without a mark gets the last hours again. If a
broker drops lines on their way to a reader, the reader notices by `previous` and by the mark that lines are missing,
and requests them. It gets a limited number and requests more, so that repetitions do not overflow the same queue.
Readers keep one copy per (site, table, journal, sequence).
"""

import asyncio
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Final, Self

from aiomqtt import Will
from paho.mqtt.client import MQTTMessage

from dealwire.export.broker import CONNECT_S, Broker, BrokerUnusable, Connection, Retry, pause
from dealwire.export.lasting import Beside, lasting, place_of
from dealwire.export.line_signing import MARKED_LOG, LineSigner
from dealwire.export.marks import MarkConflict
from dealwire.export.outbox import Outbox
from dealwire.export.profile import Profile
from dealwire.export.topics import (
    AGAIN,
    LINE_TOPICS,
    MARK,
    OPENING,
    PRESENCE,
    STANDING,
    Address,
    Mark,
    properties_of,
    read_place,
)
from dealwire.export.witness import witness
from dealwire.hub.health import ExportProgress
from dealwire.hub.lines import Publication
from dealwire.journal import Journal, JournalError

BATCH: Final = 256
"""Lines read from the journal at once, and between two marks."""
REPEAT_MAX: Final = 500
"""Maximum number of repeated lines per request: half of what mosquitto queues for a reader by default."""
REQUESTS_MAX: Final = 100
"""Maximum number of waiting requests. Further ones are dropped, and sent again by the reader."""
EXPIRY_S: Final = 24 * 3600
"""Seconds that the broker keeps our session after we are gone."""
POLL_S: Final = 1.0
"""Seconds between two looks at the journal without a wake-up."""
FORGOTTEN_NS: Final = 2 * 3600 * 1_000_000_000
"""Nanoseconds of lines that are sent again to a broker without a mark. A broker with default settings saves every half
hour."""
MARK_AGAIN_S: Final = 10.0
"""Seconds between two publications of the same mark. A broker may have dropped it on its way to a reader."""
FAREWELL_S: Final = 1.0
"""Seconds for the last lines and `offline` when the table stops."""


Report = Callable[[str], None]
StandingOf = Callable[[str], str | None]
"""Function that returns the current standing of a table as a line; None if unknown."""


class BrokerSession:
    """Lines of one table over one connection."""

    def __init__(self, lane: "BrokerLane", link: Connection, outbox: Outbox) -> None:
        self._lane, self._link, self._outbox = lane, link, outbox
        self._at, self._progress, self._signer = lane.at, lane.progress, lane.signer
        self._after = outbox.mark()
        """Sequence up to which everything was sent."""
        self._previous: int | None = None
        """Table's newest line up to there; None if it must be looked up."""
        self._requested: set[int] = set()
        """Places after which readers miss lines."""
        self._mark: Mark | None = None
        self._mark_s = 0.0
        self._standing: str | None = None
        self._limit = 1
        """Lines per batch. The first line goes alone: a broker that refuses it may hang up before it has given the
        reason for many."""

    async def begin(self) -> None:
        """Publish `online`, and go back to the end of the broker's memory. Raise MarkConflict if it remembers lines
        that this journal does not have.

        The retained mark arrives before the answer to `online`, since a broker handles the messages of one client in
        order.
        """
        await self._link.listen(*map(self._at.topic, (MARK, AGAIN, OPENING)), own=False)
        await self._link.keep(self._at.topic(PRESENCE), "online")
        marks = self._marks_in(self._link.pending())
        foreign = {mark: why for mark in marks if (why := self._outbox.conflict(mark)) is not None}
        if foreign and not self._lane.file_counts:
            await self._link.keep(self._at.topic(PRESENCE), "offline")
            raise MarkConflict(next(iter(foreign.values())))
        known = [mark.sequence for mark in marks if mark not in foreign and mark.journal == self._outbox.journal]
        behind = min([self._after, *known] if known else [self._after, self._outbox.recent(FORGOTTEN_NS)])
        self._progress.repeats += self._outbox.newest(self._after) > behind
        self._after = behind
        if self._signer is not None:
            await self._link.keep(self._at.topic(OPENING), self._signer.certificate)
        if not known or self._signer is not None:
            await self._put_mark(self._outbox.place(self._outbox.newest(self._after)))
        self._lane.file_counts = False  # what the broker knows from here on it has from us

    async def run(self) -> None:
        """Send lines until stopped and nothing is left, then publish `offline`."""
        listening = asyncio.create_task(self._listen())
        try:
            await self._send_all(listening)
            await self._link.keep(self._at.topic(PRESENCE), "offline")
        finally:
            listening.cancel()
            await asyncio.gather(listening, return_exceptions=True)

    def _marks_in(self, messages: Sequence[MQTTMessage]) -> list[Mark]:
        """Return the marks that the broker remembers, without those that this table cannot have signed, and those of a
        log that the operator gave up: they can be sent again for ever."""
        marks = {mark: message for message in messages if (mark := self._mark_in(message)) is not None}
        if self._signer is None:
            return list(marks)
        kept = [bytes(each.payload) for each in messages if each.topic == self._at.topic(OPENING) and each.retain]
        good = [mark for mark, message in marks.items() if self._signer.is_ours(self._at, mark, message, kept)]
        if len(good) < len(marks):
            self._lane.report(f"{self._at.topic(MARK)}: a mark that this journal did not sign is ignored")
        decided = self._outbox.given_up() if good else ()
        left = [mark for mark in good if properties_of(marks[mark]).get(MARKED_LOG) not in decided]
        if len(left) < len(good):
            self._lane.report(f"{self._at.topic(MARK)}: a mark of a log that was given up is ignored")
        return left

    def _mark_in(self, message: MQTTMessage) -> Mark | None:
        """Return the mark if the message is one that the broker remembers; keep a request for later."""
        if message.topic == self._at.topic(AGAIN):
            self._take_request(message)
        elif message.topic != self._at.topic(MARK):
            return None
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
        """Receive requests, and end with the connection."""
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
        """Send the next lines, and move both marks: ours to the last line examined, the broker's to the last line
        sent."""
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
        """Repeat some lines after `place` that were already sent."""
        lines, _ = self._outbox.outgoing(place, REPEAT_MAX)
        batch = [item for item in lines if item.sequence <= self._after]
        if batch:
            self._progress.repeats += 1
            await self._send(batch, self._outbox.newest(place))

    async def _send(self, batch: Sequence[Publication], previous: int) -> None:
        """Send lines and await their acknowledgments. `previous` is the table's line before them."""
        sent = []
        for item in batch:
            carried = self._at.properties(item, self._outbox.journal, previous)
            if self._signer is not None:
                self._signer.sign_line(carried, item.line)
            sent.append(await self._link.send(self._at.topic(LINE_TOPICS[item.topic]), item.line, carried))
            previous = item.sequence
        await asyncio.gather(*sent)
        self._progress.sent += len(batch)

    async def _keep_standing(self) -> None:
        """Publish the table's standing if it changed."""
        now = self._lane.standing()
        if now is not None and now != self._standing:
            self._standing = now
            await self._link.keep(self._at.topic(STANDING), now)

    async def _put_mark(self, mark: Mark) -> None:
        if mark.sequence:
            self._mark, self._mark_s = mark, asyncio.get_running_loop().time()
            carried = self._signer.mark_properties(self._at, mark.text) if self._signer is not None else None
            await self._link.keep(self._at.topic(MARK), mark.text, carried)


class BrokerLane:
    """Connection of one table to the broker: one session after the other, each with the table's will.

    An error ends the current session only: the exporter's other tables continue.
    """

    def __init__(self, exporter: "MqttExporter", at: Address, stop: asyncio.Event) -> None:
        self.at, self.progress, self.stop = at, exporter.progress[at.table], stop
        self.wake = asyncio.Event()
        self.file_counts = exporter.file_counts
        """True if the operator decided for this journal, whatever mark the broker has."""
        self.signer, self.report = exporter.signer, exporter.report
        self._broker, self._exporter = exporter.broker.of(at.user), exporter
        self._retry, self._faults = Retry(), Retry()
        self._failed_at = 0
        self._last_fault = ""
        self.careful = False
        """True after an internal error: lines are sent one by one, so that all before the faulty one are sent."""

    async def run(self) -> None:
        """Keep a session and send until stopped."""
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
        """Record that sending works."""
        self._retry.reset()
        if self.progress.sequence >= self._failed_at:
            self.progress.problem = None

    def standing(self) -> str | None:
        """Return the current standing of the table."""
        return self._exporter.standing(self.at.table)

    def refuse(self, why: str) -> None:
        """Count an invalid request, and report the first."""
        self.progress.refused += 1
        if self.progress.refused == 1:
            self._exporter.report(f"{self.at.topic(AGAIN)}: a request is refused: {why}; further ones are only counted")

    def _fault(self, error: Exception) -> None:
        """Handle an internal error. Its message may contain anything, including a line, so only its place is
        reported."""
        if self.progress.sequence >= self._failed_at:  # it got on since the last one
            self._faults.reset()
        self._failed_at = self.progress.sequence + 1
        self.progress.failures += 1
        self.careful = True
        what = f"{self.at.table}: {place_of(error)}"
        if what == self._last_fault:
            self.progress.problem = what
        self._last_fault = what
        self._trouble(what)

    def _contradicted(self, why: str) -> None:
        """Stop sending and stop the table: its journal is not the one that the broker knows."""
        self.progress.conflict, self.progress.problem = True, why
        self._exporter.conflict(self.at.table, why)

    def _trouble(self, what: str) -> None:
        """Report a problem once."""
        if what != self.progress.problem:
            self._exporter.report(f"{what}; lines of {self.at.table} wait in the journal")
        self.progress.problem = what


class MqttExporter:
    """Exporter of the lines of `tables` from the journal to a broker, in a thread of its own.

    `report` gets one line per new problem. `conflict` gets a table and the reason that the broker knows lines of it
    that the journal does not have, unless the operator decided for this journal. `standing` returns a table's standing.
    All are called in the exporter's thread. `signer` signs lines and marks; `beside` runs in its loop,
    too. Raise ValueError if a name cannot be part of a topic.
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
        signer: LineSigner | None = None,
        beside: Sequence[Beside] = (),
    ) -> None:
        self.progress = {table: ExportProgress() for table in tables}
        self.broker, self.journal = broker, journal
        self.report, self.conflict, self.standing = report, conflict, standing
        self.file_counts, self.profile, self.signer = file_counts, profile, signer
        self._beside = beside
        self._addresses = [Address.checked(site, table) for table in tables]
        self._thread = threading.Thread(target=lambda: asyncio.run(self._main()), name="mqtt", daemon=True)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._lanes: list[BrokerLane] = []
        self._stopped = False
        self._stop: asyncio.Event | None = None

    def start(self) -> None:
        """Start, without waiting for the broker."""
        self._thread.start()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def wake(self) -> None:
        """Announce new lines. May be called from any thread and never blocks; without it the journal is polled every
        second."""
        if self._loop is not None:
            with suppress(RuntimeError):  # the loop has ended
                self._loop.call_soon_threadsafe(self._woken)

    def stop(self) -> None:
        """Send waiting lines and `offline` for at most a second. What is left stays in the journal."""
        self._stopped = True
        self.wake()
        self._thread.join(FAREWELL_S + CONNECT_S)

    def _woken(self) -> None:
        if self._stopped and self._stop is not None:
            self._stop.set()
        for lane in self._lanes:
            lane.wake.set()

    def _ended(self) -> None:
        """Count an internal error of what runs beside at the first table, whose log it is."""
        next(iter(self.progress.values())).failures += 1

    async def _main(self) -> None:
        self._stop = asyncio.Event()
        self._lanes = [BrokerLane(self, at, self._stop) for at in self._addresses]
        self._loop = asyncio.get_running_loop()
        self._woken()  # stopped before there was a loop
        running = [asyncio.create_task(lane.run()) for lane in self._lanes]
        running += [asyncio.create_task(lasting(run, self._stop, self.report, self._ended)) for run in self._beside]
        await self._stop.wait()  # a lane may end before; the others go on
        _, late = await asyncio.wait(running, timeout=FAREWELL_S)
        for task in late:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
