"""A witness at the broker: it follows logs of tables, signs what only grew, and raises an alarm for what did not.

It keeps 89 bytes a log, written and synced before its signature leaves: so it never signs a tree that contradicts one
it signed, whenever it is killed. A service may be one for the tables beside it, a regulator with `dealwire witness`.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from paho.mqtt.client import MQTTMessage

from dealwire.export.broker import Broker, BrokerUnusable, Connection, Retry, pause
from dealwire.export.topics import CHECKPOINT, COSIGNED, FORK, GROW, GROWTH, ROOT, Address
from dealwire.journal.errors import KeyProblem, NoteRefused
from dealwire.journal.signing import NOTE_MOST, NoteVerifier, SigningPair, TreeHead, cosignature, note_parts
from dealwire.journal.witnessing import (
    Growth,
    LogContradicts,
    compared,
    fork_text,
    grown,
    named_of,
    read_state,
    write_state,
)
from devices.clock import SystemClock

POLL_S: Final = 0.25
"""Seconds between two looks at the messages."""
AGAIN_S: Final = 2.0
"""Seconds after which a table is asked again for a proof of growth; messages may be lost."""
REQUESTS_MOST: Final = 10_000
"""Most tables that are asked at a time."""
REFUSALS_MOST: Final = 1000
"""Most refusals that are remembered, so that each is reported once."""


@dataclass(frozen=True, slots=True)
class WitnessIdentity:
    """Name and key of a witness, and the file of its memory."""

    name: str
    pair: SigningPair
    state: Path


class LogWitness:
    """A witness of the logs at `tables`, each `SITE/TABLE` or `SITE/*`, whose keys are `logs`.

    `alarm` gets a line for each contradiction, once; `report` what is refused and what is signed.
    """

    def __init__(
        self,
        broker: Broker,
        tables: Sequence[str],
        logs: Sequence[NoteVerifier],
        identity: WitnessIdentity,
        *,
        client: str,
        alarm: Callable[[str], None],
        report: Callable[[str], None],
    ) -> None:
        self._broker, self._client, self._logs, self._identity = broker, client, logs, identity
        self._topics = [
            f"{ROOT}/{table.replace('*', '+')}/{level}" for table in tables for level in (CHECKPOINT, GROWTH)
        ]
        self._alarm, self._report = alarm, report
        self.kept = {each.origin: each for each in read_state(identity.state)} if identity.state.exists() else {}
        self._notes: dict[str, str] = {}
        """The note of what was kept, since the start: one half of the evidence of a fork."""
        self._requests: dict[Address, tuple[str, float]] = {}
        """Open request to each table, and its time in seconds of the loop."""
        self._reported: set[str] = set()
        self._retry = Retry()

    async def run(self, stop: asyncio.Event, *, wait: bool = True) -> None:
        """Follow the logs until stopped. Without `wait`, raise BrokerUnusable if the first attempt fails."""
        while not stop.is_set():
            try:
                async with Connection(self._broker, self._client, expiry_s=0) as link:
                    await link.listen(*self._topics, own=False)
                    wait = True
                    while not stop.is_set():
                        link.check()
                        for message in link.pending():
                            await self._take(link, message)
                        await self._request_again(link)
                        self._retry.reset()
                        await pause(stop, POLL_S)
            except BrokerUnusable as error:
                if not wait:
                    raise
                self._once(f"{error}; nothing is cosigned meanwhile")
            await pause(stop, self._retry.next_s())

    async def _take(self, link: Connection, message: MQTTMessage) -> None:
        """Take one message. Whatever it is, it ends nothing."""
        _, _, site, table, level = message.topic.split("/")
        at = Address(site, table)
        if not message.payload or len(message.payload) > 2 * NOTE_MOST:
            return
        try:
            text = bytes(message.payload).decode()
            note = text if level == CHECKPOINT else Growth.parse(text).note
            await (self._checkpoint if level == CHECKPOINT else self._growth)(link, at, text)
        except LogContradicts as error:
            await self._contradicted(link, at, note, error)
        except (NoteRefused, UnicodeDecodeError) as error:
            self._once(f"{at.user}: {error}")
        except KeyProblem as error:  # it could not be kept, so nothing was signed
            self._once(f"{at.user}: {error}; nothing is cosigned")

    async def _checkpoint(self, link: Connection, at: Address, note: str) -> None:
        """Ask for the proof of a checkpoint's growth, or sign again what was signed and is not beside it."""
        seen = self.kept.get(named_of(note))
        head = compared(seen, note, self._logs)
        self._notes.setdefault(head.origin, note if seen is not None and seen.size == head.size else "")
        if seen is None or head.size > seen.size:
            size = seen.size if seen is not None else 0
            await self._request(link, at, f"{self._identity.name} {size}")
        elif not any(line.name == self._identity.name for line in note_parts(note)[1]):
            await self._sign(link, at, head)

    async def _request(self, link: Connection, at: Address, what: str) -> None:
        if at in self._requests or len(self._requests) < REQUESTS_MOST:
            self._requests[at] = what, asyncio.get_running_loop().time()
        await link.send(at.topic(GROW), what)

    async def _request_again(self, link: Connection) -> None:
        """Ask the tables again that have not answered."""
        now_s = asyncio.get_running_loop().time()
        for at, (what, since_s) in list(self._requests.items()):
            if now_s >= since_s + AGAIN_S:
                await self._request(link, at, what)

    async def _growth(self, link: Connection, at: Address, text: str) -> None:
        found = Growth.parse(text)
        origin = named_of(found.note)
        seen = self.kept.get(origin)
        if found.old != (seen.size if seen is not None else 0):
            return  # an answer to another witness
        head = grown(seen, text, self._logs)
        self._requests.pop(at, None)
        if seen is not None and head.size == seen.size:
            return
        after = {**self.kept, origin: head}
        write_state(self._identity.state, after.values())
        self.kept, self._notes[origin] = after, found.note
        await self._sign(link, at, head)

    async def _sign(self, link: Connection, at: Address, head: TreeHead) -> None:
        line = cosignature(head.body, self._identity.pair, self._identity.name, SystemClock().now_ns() // 10**9)
        await link.send(at.topic(COSIGNED), f"{head.size}\n{line}")

    async def _contradicted(self, link: Connection, at: Address, note: str, error: LogContradicts) -> None:
        """Raise the alarm, once, and ask no more. Publish both notes of a fork, which convince anyone who has the key
        of the log."""
        self._requests.pop(at, None)
        if self._is_new(str(error)):
            self._alarm(f"{at.user}: {error}")
            before = self._notes.get(named_of(note))
            if error.kind == "fork" and before:
                await link.keep(at.topic(FORK), fork_text(before, note))

    def _once(self, what: str) -> None:
        if self._is_new(what):
            self._report(what)

    def _is_new(self, what: str) -> bool:
        """True the first time."""
        if what in self._reported:
            return False
        if len(self._reported) >= REFUSALS_MOST:
            self._reported.clear()
        self._reported.add(what)
        return True
