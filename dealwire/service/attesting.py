"""Demands proof of their firmware from the devices of a service: as they connect, on demand, and at random moments.

The verdict is written into the line's record as a note and delivered to the table, so that a replay comes to the same
result without keys. Everything happens in the owner's turn; what a device brings is judged after the turn's reports,
because a note must follow the bytes that it is about.
"""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random, SystemRandom
from secrets import token_bytes
from typing import Final

from dealwire.attest.trust import Trust
from dealwire.config.schema import AttestationPart
from dealwire.config.table_parts import DevicePart
from dealwire.service.table_session import TableSession
from devices.attestation import Evidence, NotAttested
from devices.events import FirmwareAttested
from devices.line.supervisor import Supervisor
from protocol.errors import DealwireError
from protocol.link import Answered, Unanswered
from protocol.tdp.host_link import HostLink
from protocol.tdp.instruments import NONCE_BYTES
from protocol.tdp.messages import MeasuredMessage, Region, ReplyMessage, Status, VerifyMessage
from protocol.tdp.outputs import Brought, LinkState

_log = logging.getLogger(__name__)

SECOND_NS: Final = 1_000_000_000
MINUTE_NS: Final = 60 * SECOND_NS
RETRY_NS: Final = 3 * SECOND_NS
"""Time after which a device is asked again, with another nonce."""
TRIES: Final = 4
"""Commands without an answer after which a device has not proved its firmware, however often it connects meanwhile."""
AGAIN_NS: Final = 60 * SECOND_NS
"""Time after which a device that failed is asked again."""
NEVER_NS: Final = 1 << 62
KEY_SHOWN: Final = 16
"""Digits of a device's key on record."""

Done = Callable[[FirmwareAttested], None]


@dataclass(slots=True)
class Watched:
    """One device that must prove its firmware."""

    session: TableSession
    part: DevicePart
    line: Supervisor
    due_ns: int
    """Time of the next measurement; 0: as soon as the device is there."""
    stands: tuple[int, FirmwareAttested] | None = None
    """Session of the device and verdict that the record has; None while it has none."""
    challenge: VerifyMessage | None = None
    """The command that waits for its data."""
    sent_ns: int = 0
    tries: int = 0
    """Commands since the last verdict."""
    refusal: str = ""
    """Reason for which the command has no data."""
    brought: Brought | None = None
    key: bytes = b""
    """Key with which the device signed last."""
    done: tuple[Done, ...] = ()

    @property
    def where(self) -> str:
        """Its place as text."""
        return f"table {self.session.name}, {self.part.name}"

    @property
    def link(self) -> HostLink | None:
        """The link to the device; None while no session with it is open."""
        link = self.line.session.link if self.line.session is not None else None
        return link if isinstance(link, HostLink) and link.state is LinkState.UP else None


class Attesting:
    """Demands proof from every device that must give it. Call `up` for each device that connects, `turn` after the
    owner's turn while `busy`, and `beat` once a second."""

    def __init__(self, part: AttestationPart, trust: Trust, rng: Random | None = None) -> None:
        self._each_ns, self._without = part.each_minutes * MINUTE_NS, frozenset(part.without)
        self._trust, self._rng = trust, rng or SystemRandom()
        self._watched: dict[tuple[str, str], Watched] = {}
        self.busy = False
        """True if `turn` has work to do."""

    @property
    def watched(self) -> Mapping[tuple[str, str], Watched]:
        """Devices that must prove their firmware, by table and name."""
        return self._watched

    def watch(self, session: TableSession, part: DevicePart, line: Supervisor, now_ns: int) -> None:
        """Demand proof from a device from now on, unless it need not give any."""
        if f"{session.name}/{part.name}" in self._without:
            return
        found = self._watched[session.name, part.name] = Watched(session, part, line, now_ns + self._pause_ns())
        standing = session.table.flow.attested.get(part.name)
        if standing is not None:  # the table resumes; the device is asked again as it connects
            found.stands = standing.session, FirmwareAttested("proved" if standing.proved else "awaited")
        self.busy = True

    def up(self, table: str, device: str) -> None:
        """Note that a device connected: it is asked after this turn."""
        found = self._watched.get((table, device))
        if found is not None:
            found.challenge, found.due_ns, self.busy = None, 0, True

    def demand(self, table: str, device: str, done: Done) -> None:
        """Ask a device now; `done` gets the verdict. LookupError if it need not prove anything, or is not there."""
        found = self._watched.get((table, device))
        if found is None:
            raise LookupError(f"{device} need not prove its firmware")
        if found.link is None:
            raise LookupError(f"{device} is not connected")
        found.done = (*found.done, done)
        found.due_ns, self.busy = 0, True

    def ask_again(self) -> None:
        """Ask every device now: who is refused may have changed."""
        for found in self._watched.values():
            found.due_ns, self.busy = 0, True

    def turn(self, now_ns: int) -> None:
        """Judge what arrived in this turn, and ask who is due."""
        self.busy = False
        for found in self._watched.values():
            if found.stands is None and found.line.session is not None:
                self._record(found, FirmwareAttested("awaited"), now_ns)
            if found.brought is not None:
                self._judge(found, now_ns)
            if found.due_ns == 0 and found.challenge is None:
                self._ask(found, now_ns)
            self.busy |= found.stands is None

    def beat(self, now_ns: int) -> None:
        """Ask the devices that are due or did not answer."""
        for found in self._watched.values():
            if found.challenge is not None:
                due = now_ns - found.sent_ns >= RETRY_NS
            else:
                due = now_ns >= found.due_ns and (found.due_ns == 0 or self._may(found, now_ns))
            if due:
                self._ask(found, now_ns)

    def _may(self, found: Watched, now_ns: int) -> bool:
        """Return True between two rounds; a round that takes much longer than usual is no excuse."""
        return not found.session.table.flow.snapshot().number or now_ns >= found.due_ns + self._each_ns

    def _pause_ns(self) -> int:
        """Draw the time to the next unannounced measurement, which no one can predict."""
        if not self._each_ns:
            return NEVER_NS
        return max(SECOND_NS, round(self._rng.expovariate(1 / self._each_ns)))

    def _ask(self, found: Watched, now_ns: int) -> None:
        """Ask a device, or give up on one that never answers. Without an open session it is asked as it connects."""
        link, session = found.link, found.line.session
        found.challenge = None
        if link is None or session is None:
            found.due_ns = 0
            self._answer(found, FirmwareAttested("failed", why="it is not connected"))
            return
        if found.stands is None or found.stands[0] != link.session:
            self._record(found, FirmwareAttested("awaited"), now_ns)
        if found.tries == TRIES:
            self._settle(found, FirmwareAttested("failed", why=found.refusal or "it did not answer"), now_ns)
            return
        command = VerifyMessage(token_bytes(NONCE_BYTES), Region.FIRMWARE)
        found.challenge, found.sent_ns, found.tries = command, now_ns, found.tries + 1
        session.feed.bring = lambda brought: self._bring(found, brought)
        try:
            found.line.request(command, lambda output: self._answered(found, command, output))
        except DealwireError as error:
            found.refusal = str(error)

    def _answered(self, found: Watched, command: VerifyMessage, output: Answered | Unanswered) -> None:
        if found.challenge is command and isinstance(output, Answered) and isinstance(output.reply, ReplyMessage):
            refused = output.reply.status == Status.REFUSED
            found.refusal = "it refused to measure its firmware" if refused else ""

    def _bring(self, found: Watched, brought: Brought) -> None:
        if found.challenge is brought.command:
            found.brought, self.busy = brought, True

    def _judge(self, found: Watched, now_ns: int) -> None:
        brought, challenge, link, found.brought = found.brought, found.challenge, found.link, None
        if brought is None or challenge is None or link is None or link.hello is None:
            return
        assert isinstance(brought.message, MeasuredMessage), "a link matches data to their command"
        line_key = found.session.line_key(found.part, link.hello)
        evidence = Evidence(link.hello, link.certificate, challenge, brought.message, brought.statement, line_key)
        try:
            proof, allowed = self._trust.judge(evidence)
        except NotAttested as error:
            self._settle(found, FirmwareAttested("failed", why=error.why), now_ns)
            return
        found.key = proof.key
        if twins := self._twins(found):
            for one in (found, *twins):
                others = " and ".join(each.where for each in (found, *twins) if each is not one)
                self._settle(one, FirmwareAttested("failed", why=f"its key is in use at {others}, too"), now_ns)
            return
        number, key = self._trust.list.number, proof.key.hex()[:KEY_SHOWN]
        self._settle(found, FirmwareAttested("proved", proof.sha256.hex(), allowed.version, number, key), now_ns)

    def _twins(self, found: Watched) -> list[Watched]:
        """Return the devices on other open lines that sign with the same key: at most one of them is the device."""
        others = (each for each in self._watched.values() if each is not found and each.link is not None)
        return [each for each in others if each.key == found.key]

    def _settle(self, found: Watched, verdict: FirmwareAttested, now_ns: int) -> None:
        proved = verdict.state == "proved"
        found.challenge, found.tries = None, 0
        found.due_ns = now_ns + (self._pause_ns() if proved else AGAIN_NS)
        if not proved and (found.stands is None or found.stands[1] != verdict):
            _log.warning("%s, %s is not attested: %s", found.session.name, found.part.name, verdict.why)
        if found.link is not None and found.stands != (found.link.session, verdict):
            self._record(found, verdict, now_ns)
        self._answer(found, verdict)

    def _answer(self, found: Watched, verdict: FirmwareAttested) -> None:
        waiting, found.done = found.done, ()
        for done in waiting:
            done(verdict)

    def _record(self, found: Watched, verdict: FirmwareAttested, now_ns: int) -> None:
        """Write the verdict down, and deliver it to the table."""
        link = found.link
        found.stands = link.session or 0 if link is not None else 0, verdict
        found.session.attested(found.part.name, verdict, now_ns)
