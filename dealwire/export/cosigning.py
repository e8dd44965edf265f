"""A witness at the broker: it follows logs of tables, signs what only grew, and raises an alarm for what did not.

It keeps 89 bytes a log, written and synced before its signature leaves: so it never signs a tree that contradicts one
it signed, whenever it is killed. A service may be one for the tables beside it, a regulator with `dealwire witness`.
The signed checkpoint is kept in a folder beside, as half of the evidence of a fork.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from paho.mqtt.client import MQTTMessage

from dealwire.export.broker import ANSWER_S, Broker, BrokerUnusable, Connection, Retry, pause
from dealwire.export.followed import PROOF_S, FollowedLog
from dealwire.export.refused_messages import RefusedMessages, TimeShare, WaitingMessages
from dealwire.export.topics import CHECKPOINT, COSIGNED, FORK, GROW, GROWTH, ROOT, Address, table_filter
from dealwire.journal.errors import KeyProblem, NoteRefused
from dealwire.journal.signing import NOTE_MOST, NoteVerifier, SigningPair, TreeHead, cosignature, note_parts
from dealwire.journal.witnessing import (
    Growth,
    LogContradicts,
    compared,
    fork_text,
    grown,
    keep_note,
    kept_note,
    named_of,
    read_state,
    write_state,
)
from devices.clock import SystemClock

POLL_S: Final = 0.25
"""Seconds between two looks at the messages."""
SHARE_S: Final = 0.05
"""Most seconds of each look for what came in."""
WAITING_MOST: Final = 4096
"""Most messages that wait for the next look. Whatever is dropped, a log is asked again."""
WAITING_BYTES: Final = 1 << 24
"""Most bytes of them."""
AGAIN_S: Final = 2.0
"""Minimum seconds between two signatures on what was signed before."""
FORKS_AGAIN_S: Final = 600.0
"""Seconds after which a broker that did not take the evidence of a fork gets it again."""
TROUBLES_MOST: Final = 1000
"""Most troubles that are remembered, so that each is reported once."""


@dataclass(frozen=True, slots=True)
class WitnessIdentity:
    """Name and key of a witness, and the file of its memory."""

    name: str
    pair: SigningPair
    state: Path


class LogWitness:
    """A witness of the logs at `tables`, each `SITE/TABLE` or `SITE/*`, whose keys are `logs`.

    `alarm` gets a line for each contradiction, once; `evidence` the two notes of a fork; `report` what is in the way.
    A log that cannot show its growth for `patience_s` is an alarm too. ValueError if a table cannot be part of a topic.
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
        evidence: Callable[[str], None] = lambda _: None,
        patience_s: float = PROOF_S,
    ) -> None:
        self._broker, self._client, self._logs, self._identity = broker, client, logs, identity
        filters = [table_filter(table) for table in tables]
        self._topics = [f"{ROOT}/{each}/{level}" for each in filters for level in (CHECKPOINT, GROWTH)]
        self._alarm, self._report, self._evidence, self._patience_s = alarm, report, evidence, patience_s
        self.kept = {each.origin: each for each in read_state(identity.state)} if identity.state.exists() else {}
        self.refused = RefusedMessages(report)
        self._followed: dict[str, FollowedLog] = {}
        """Logs of which a checkpoint came that their key signed: not more than there are keys."""
        self._waiting = WaitingMessages(WAITING_MOST, WAITING_BYTES)
        self._share = TimeShare(SHARE_S)
        self._forks: dict[str, tuple[Sequence[str], str]] = {}
        """Topics and evidence of each fork that the broker has not taken yet."""
        self._forks_s = float("-inf")
        """Time from which on they may be published."""
        self._reported: set[str] = set()
        self._retry = Retry()

    async def run(self, stop: asyncio.Event, *, wait: bool = True) -> None:
        """Follow the logs until stopped. Without `wait`, raise BrokerUnusable if the first attempt fails."""
        if not self.kept:
            self._once(f"{self._identity.state}: no memory yet; each log is kept as it is first seen")
        while not stop.is_set():
            try:
                async with Connection(self._broker, self._client, expiry_s=0) as link:
                    await link.listen(*self._topics, own=False)
                    wait = True
                    while not stop.is_set():
                        link.check()
                        await self._publish_forks(link)
                        await self._take_all(link)
                        await self._ask(link)
                        self._retry.reset()
                        await pause(stop, POLL_S)
            except BrokerUnusable as error:
                if not wait:
                    raise
                self._once(f"{error}; nothing is cosigned meanwhile")
            await pause(stop, self._retry.next_s())

    async def _take_all(self, link: Connection) -> None:
        """Take what came, as far as the share of time allows; the rest waits."""
        now_s = asyncio.get_running_loop().time
        for message in link.pending():
            if not self._waiting.add(message):
                self.refused.add(f"{message.topic}: more messages than are taken", now_s())
        self._share.begin(now_s())
        while self._waiting and not self._share.is_spent(now_s()):
            await self._take(link, self._waiting.take())

    async def _take(self, link: Connection, message: MQTTMessage) -> None:
        """Take one message. Whatever it is, it ends nothing."""
        levels = message.topic.split("/")
        if len(levels) != 5 or not message.payload or len(message.payload) > 2 * NOTE_MOST:
            return
        at, level, note = Address(*levels[2:4]), levels[4], ""
        try:
            text = bytes(message.payload).decode()
            note = text if level == CHECKPOINT else Growth.parse(text).note
            await (self._checkpoint if level == CHECKPOINT else self._growth)(link, at, text)
        except LogContradicts as error:
            if error.kind == "fork":
                await self._forked(link, at, note, str(error))
            else:  # anyone can alter a path, or send an older checkpoint again
                self.refused.add(f"{at.user}: {error}", asyncio.get_running_loop().time())
        except (NoteRefused, UnicodeDecodeError) as error:
            self.refused.add(f"{at.user}: {error}", asyncio.get_running_loop().time())
        except KeyProblem as error:  # it could not be kept, so nothing was signed
            self._once(f"{error}; nothing is cosigned")

    async def _checkpoint(self, link: Connection, at: Address, note: str) -> None:
        """Take note of a checkpoint that needs a proof, or sign again what was signed and is not beside it."""
        head, log = self._met(at, note)
        seen = self.kept.get(head.origin)
        if seen is None or head.size != seen.size:
            log.wants(head, note, seen, asyncio.get_running_loop().time())
            return
        log.settle(head)
        if not log.mine:
            self._keep_note(log, head, note)
        if log.other:
            await self._forked(link, at, log.other, _forked_text(head), note)
        if not any(line.name == self._identity.name for line in note_parts(note)[1]):
            await self._sign_again(link, log, at, head)

    def _met(self, at: Address, note: str) -> tuple[TreeHead, FollowedLog]:
        """Return a signed checkpoint and its log. LogContradicts if it forks what is kept or what came before,
        NoteRefused if nobody signed it."""
        seen = self.kept.get(named_of(note))
        try:
            head = compared(seen, note, self._logs)
        except LogContradicts as error:
            if error.kind == "fork":
                raise
            head = compared(None, note, self._logs)
        log = self._followed.setdefault(head.origin, FollowedLog())
        log.met(at)
        if log.newest is not None and log.newest.size == head.size and log.newest.root != head.root:
            raise LogContradicts("fork", _forked_text(head))
        return head, log

    async def _ask(self, link: Connection) -> None:
        """Ask the logs that have something to prove; report those that never do."""
        now_s = asyncio.get_running_loop().time()
        for origin, log in self._followed.items():
            seen = self.kept.get(origin)
            if seen is not None and log.newest is not None and log.is_overdue(now_s, self._patience_s):
                self._overdue(log, seen, log.newest)
            for at in log.asks(now_s):
                await link.send(at.topic(GROW), f"{self._identity.name} {seen.size if seen is not None else 0}")

    def _overdue(self, log: FollowedLog, seen: TreeHead, newest: TreeHead) -> None:
        """Raise the alarm, once, for a log that goes on without a proof."""
        if not self._is_new(f"{seen.origin} {seen.size} {newest.size > seen.size}"):
            return
        where = log.at or next(iter(log.places))
        if newest.size > seen.size:
            why = f"does not show that its {newest.size} leaves continue the {seen.size} that were seen"
            why += f": it was rewritten, or its proofs are held back ({self.refused.count} messages refused)"
        else:
            why = f"signs {newest.size} leaves, and had {seen.size}: its end was cut off, or it is an older copy"
            why += "; or old checkpoints are sent again while the table is off"
        self._alarm(f"{where.user}: {seen.origin} {why}")

    async def _growth(self, link: Connection, at: Address, text: str) -> None:
        found = Growth.parse(text)
        seen = self.kept.get(named_of(found.note))
        if found.old != (seen.size if seen is not None else 0):
            return  # an answer to another witness
        head, log = self._met(at, found.note)
        if seen is not None and head.size == seen.size:
            log.settle(head)
            return
        log.wants(head, found.note, seen, asyncio.get_running_loop().time())
        head = grown(seen, text, self._logs)
        after = {**self.kept, head.origin: head}
        write_state(self._identity.state, after.values())
        self.kept = after
        log.settle(head, at)
        log.other = ""
        self._keep_note(log, head, found.note)
        await self._sign(link, at, head)

    def _keep_note(self, log: FollowedLog, head: TreeHead, note: str) -> None:
        log.mine = note
        try:
            keep_note(self._identity.state, head, note)
        except KeyProblem as error:
            self._once(f"{error}; without it, a fork has no evidence after a restart")

    async def _sign_again(self, link: Connection, log: FollowedLog, at: Address, head: TreeHead) -> None:
        now_s = asyncio.get_running_loop().time()
        if now_s >= log.signed_s + AGAIN_S:
            log.signed_s = now_s
            await self._sign(link, at, head)

    async def _sign(self, link: Connection, at: Address, head: TreeHead) -> None:
        line = cosignature(head.body, self._identity.pair, self._identity.name, SystemClock().now_ns() // 10**9)
        await link.send(at.topic(COSIGNED), f"{head.size}\n{line}")

    async def _forked(self, link: Connection, at: Address, note: str, why: str, kept: str = "") -> None:
        """Publish both notes of a fork, which convince anyone who has the key of the log, and raise the alarm, once.
        Without the first note, keep the second until the first comes again."""
        origin = named_of(note)
        log = self._followed.setdefault(origin, FollowedLog())
        before = kept or self._first_note(log, origin, note)
        where = log.at or at
        log.other = "" if before else note
        try:
            if before and self._is_new(f"evidence: {why}"):
                topics = [each.topic(FORK) for each in dict.fromkeys((where, at))]
                self._forks[origin] = topics, fork_text(before, note)
                self._evidence(fork_text(before, note))
                await self._publish_forks(link)
        finally:
            if self._is_new(why):
                self._alarm(f"{where.user}: {why}")

    def _first_note(self, log: FollowedLog, origin: str, note: str) -> str:
        """Return the note that this one contradicts; empty if it is unknown."""
        head, seen = compared(None, note, self._logs), self.kept.get(origin)
        if seen is not None and seen.size == head.size:
            return log.mine or kept_note(self._identity.state, seen, self._logs)
        return log.note

    async def _publish_forks(self, link: Connection) -> None:
        """Publish the evidence that the broker has not taken yet. One that does not take it is asked again later: the
        other logs are cosigned meanwhile."""
        now_s = asyncio.get_running_loop().time()
        if now_s < self._forks_s:
            return
        for origin, (topics, text) in list(self._forks.items()):
            try:
                async with asyncio.timeout(ANSWER_S):
                    for topic in topics:
                        await link.keep(topic, text)
            except TimeoutError:
                self._forks_s = now_s + FORKS_AGAIN_S
                return
            except BrokerUnusable as error:
                if error.refused:
                    self._forks_s = now_s + FORKS_AGAIN_S
                    where = ", ".join(topics)
                    self._once(f"{origin}: the broker refuses the evidence of a fork: it must let us write {where}")
                raise
            del self._forks[origin]

    def _once(self, what: str) -> None:
        if self._is_new(what):
            self._report(what)

    def _is_new(self, what: str) -> bool:
        """True the first time."""
        if what in self._reported:
            return False
        if len(self._reported) >= TROUBLES_MOST:
            self._reported.clear()
        self._reported.add(what)
        return True


def _forked_text(head: TreeHead) -> str:
    return f"{head.origin} signed two roots of {head.size} leaves: it was forked or rewritten"
