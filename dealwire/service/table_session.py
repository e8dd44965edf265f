"""One served table: its lines, its publications, its view."""

import dataclasses
import logging
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

from dealwire.config.table_parts import DevicePart, TablePart
from dealwire.hub.lines import ClockSet, RequestStep, StatusKind, StatusLine, Topic
from dealwire.hub.view import DeviceView, LastingKind, Link, TableView
from dealwire.journal import Journal, Journaled
from dealwire.journal.contents import TableStart
from dealwire.journal.resuming import Resumed
from dealwire.journal.snapshots import encoded, kept_of
from dealwire.journal.tables import JournaledPublisher, write_settled
from dealwire.journal.transport import Gate
from dealwire.service.identities import Identities
from dealwire.service.line_keys import LineKeys, pinned_key, sealing, short_name
from dealwire.service.releasing import Settling, still_held
from dealwire.service.seals import clear_warning
from dealwire.table.believed import BelievedBadges
from dealwire.table.redaction import PublishedLine, outcomes_of
from dealwire.table.standing import CONTROLLER
from devices.attested import note_text as attested_text
from devices.budget import Budget
from devices.clock import Clock
from devices.dialects.known import dialect_named
from devices.drive.address import baud_of, line_at
from devices.elsewhere import note_text
from devices.events import Body, DeviceElsewhere, FirmwareAttested, LinkLost, LinkUp, Seen
from devices.line.supervisor import LineState, Supervisor
from devices.listed import ANY_BADGE, NotedBadges, parts_of
from devices.listed import note_text as listed_text
from devices.transport.base import Transport
from protocol.link import Resumable
from protocol.tdp.messages import HelloReplyMessage, Lamp, Role, ShufflerStatusMessage

if TYPE_CHECKING:
    from devices.simulator.host import SimulatorHost

_log = logging.getLogger(__name__)

KEEP_EACH_NS: Final = 1800 * 1_000_000_000
"""Interval between snapshots while no round ends; an idle table replays at most that much at a restart."""
CLOSE_S: Final = 0.5
"""Longest wait of a closing table for networks that do not answer."""
MONEY: Final = ("settlement", "meter", "award")
"""Topics of lines that move or pay a meter."""
CALM_NS: Final = 120_000_000_000
"""Time after which a flooded line counts as normal again: twice the interval between two notes."""
ROLES: Final = {"observe": Role.OBSERVE, "control": Role.OPERATE}
LINKS: Final[dict[LineState, Link]] = {
    LineState.WAITING: "waiting",
    LineState.UNKNOWN: "unknown",
    LineState.KNOWN: "up",
    LineState.CLOSED: "closed",
}


class TableSession:
    """One table and its lines. Its publications go into the journal; the owner commits and publishes them. `moved` is
    called whenever there is something new to show, `came_up` with table and device when one connected."""

    def __init__(
        self,
        part: TablePart,
        start: TableStart,
        publisher: JournaledPublisher,
        journal: Journal,
        clock: Clock,
        moved: "Callable[[TableSession], None]" = lambda _: None,
        identities: Identities | None = None,
        line_keys: LineKeys | None = None,
        came_up: Callable[[str, str], None] = lambda _table, _device: None,
    ) -> None:
        self.part, self.publisher, self.name = part, publisher, part.name
        self.table, self.viewer = publisher.table, publisher.viewer
        self.lines: list[Supervisor] = []
        self.bench: SimulatorHost | None = None
        """The simulated devices, if any."""
        self.sequence = 0
        """Newest journal number in its view."""
        self.urgent = False
        """True if the changes not yet shown include more than a device report: they are shown at once."""
        self.stopped: str | None = None
        """Reason why the table deals no more; None while it does."""
        self._start, self._journal, self._clock, self._moved = start, journal, clock, moved
        self._identities = identities if identities is not None else Identities()
        self._came_up = came_up
        self._line_keys = line_keys
        self._numbers: dict[int, Supervisor] = {}
        self._kept_rounds, self._kept_ns = -1, 0
        self._lines_shown: dict[str, tuple[Link, str | None, str, int | None]] = {}
        self._sealed: dict[str, Transport] = {}  # transports that seal, by device
        self.budgets: dict[str, Budget] = {}
        """Byte budget of each line, by device."""
        self._badges: NotedBadges | None = None
        """Badges that the house wants to count; None: any does."""
        for device in part.device:  # devices are unknown until they respond
            self._line_shown(device, "waiting", None)
        self._calm: dict[str, int] = {}  # by device: dropped bytes as of the last normal check
        self._flooded: set[str] = set()  # devices whose flood was reported

    # ------------------------------------------------------------------ its lines

    def connect(self, device: DevicePart, went_on: Resumed[JournaledPublisher], gate: Gate) -> Supervisor:
        """Register the device's line, which opens in the owner's next turn and is reopened as needed. Its output waits
        at the gate that all lines share."""
        dialect = dialect_named(device.dialect)
        baud = baud_of(device.address, baud=dialect.baud)
        opener = line_at(device.address, self._clock, baud=dialect.baud)
        number = self._journal.line(
            self.name,
            device.name,
            device=device.kind,
            dialect=dialect.name,
            address=device.address,
            baud=baud,
            procedure=self.table.flow.procedure.id,
        )
        role = ROLES[device.role]
        budget = self.budgets[device.name] = Budget(device.max_bytes_per_s)

        seal = sealing(device, self._line_keys, self._clock)

        def journaled() -> Journaled:
            inner = seal(opener.open())
            if device.sealed is not None:
                self._sealed[device.name] = inner
            return Journaled(inner, self._journal, number, self._clock, gate, budget=budget, patient=patient)

        patient = isinstance(dialect.make_link(device.kind, role, False), Resumable)
        supervisor = Supervisor(
            device.name,
            dataclasses.replace(opener, open=journaled),
            went_on.link_maker(number, lambda: dialect.make_link(device.kind, role, False), role),
            dialect.driver(device.kind, where=f"{self.name}, {device.name}"),
            self._clock,
            self.deliver,
            after=went_on.feeds.get(number),
            why_barren=dialect.why_barren,
            called=f"{self.name}, {device.name}",
        )
        self.lines.append(supervisor)
        self._numbers[number] = supervisor
        supervisor.start()
        return supervisor

    def line_key(self, device: DevicePart, hello: HelloReplyMessage) -> bytes | None:
        """Return the X25519 key with which a device's line is sealed; None for a line that is not sealed."""
        if device.sealed is None or self._line_keys is None:
            return None
        try:
            return self._line_keys.find(hello, pinned_key(device))
        except KeyError:  # it was forgotten since the line was sealed: no key is its own
            return b""

    def elsewhere(self, device: str, where: str, now_ns: int) -> None:
        """Record that the device appears on another line too (`where`), or no longer."""
        found = DeviceElsewhere(where)
        self._note(device, found, note_text(found), now_ns)

    def attested(self, device: str, found: FirmwareAttested, now_ns: int) -> None:
        """Record whether a device has proved its firmware."""
        self._note(device, found, attested_text(found), now_ns)

    def want_badges(self, wanted: NotedBadges | None) -> None:
        """Set the badges that count from now on; None: any does. They count once `note_badges` has them on record."""
        self._badges = wanted

    def note_badges(self, now_ns: int) -> bool:
        """Record which badges count, on the controller's line or on another open one. False while no line is open: then
        no badge can be used either."""
        known = self.table.badges.noted if self.table.badges is not None else None
        if self._badges == known or self.stopped is not None:
            return True
        there = {line.name for line in self._numbers.values() if line.session is not None}
        parts = sorted(self.part.device, key=lambda each: each.kind != CONTROLLER)
        device = next((each.name for each in parts if each.name in there), None)
        if device is None:
            return False
        for fact in parts_of(self._badges or ANY_BADGE):
            self._note(device, fact, listed_text(fact), now_ns)
        return True

    def _note(self, device: str, fact: Body, text: str, now_ns: int) -> None:
        """Record a fact about a line that did not arrive on it. The note goes into the record, which is replayed, then
        to the table."""
        for number, line in self._numbers.items():
            if line.name == device and line.session is not None and self.stopped is None:
                self._journal.note(number, now_ns, text)
                line.session.report_fact(fact, now_ns)

    def close(self) -> None:
        """Close every line. The journal records them as lost, so that a resumed table continues here."""
        for line in self.lines:
            if line.session is not None and line.keeps_sessions:
                line.session.abandon("the program was ended")
            line.close(wait_s=CLOSE_S / len(self.lines))

    def abandon_lines(self, why: str) -> list[Supervisor]:
        """Close every line whose device repeats its events on the next connection; return those lines."""
        found = [line for line in self.lines if line.keeps_sessions]
        for line in found:
            line.abandon(why)
        return found

    # ------------------------------------------------------------------ publications

    def deliver(self, seen: Seen) -> None:
        """Take one report of a device; its results join the journal's open group."""
        if self.stopped is not None:
            return
        self._moved(self)
        lines = self.publisher.publish(seen)
        why, sequences = self._unlike(lines), []
        for each in lines:
            if why and each.topic in MONEY:
                self.stop_safely(f"a meter does not match the journal, so nothing is paid: {why}", seen.at_ns)
                return
            sequences.append(self._publish(each.topic, seen.at_ns, each.line))
        write_settled(self._journal, self.name, self.publisher, seen.at_ns)
        self.viewer.update(seen, outcomes_of(lines), sequences[1:])  # the first line is the report itself
        if self.table.badges is not None:
            self._look_at_badge(self.table.badges, seen)
        if isinstance(seen.body, LinkUp):
            self._identities.up((self.name, seen.device), seen.body)
            self._came_up(self.name, seen.device)
            again = "connected again, in the same session" if seen.body.resumed else "connected"
            key, _ = short_name(self._sealed.get(seen.device))
            sealed = f", its line sealed with key {key}" if key else ""
            self.status("line-up", f"{seen.device} is {again}{sealed}", seen.at_ns, seen.device, sealed=key)
            if seen.body.recognises_cards and not self._journal.sealed:
                _log.warning("%s", clear_warning(self.name, seen.device))
        elif isinstance(seen.body, LinkLost):
            self._identities.lost((self.name, seen.device))
            self.status("line-lost", f"{seen.device}: {seen.body.why}", seen.at_ns, seen.device)

    def _look_at_badge(self, badges: BelievedBadges, seen: Seen) -> None:
        """Record who used a badge, or that it does not count."""
        name, why = badges.person(seen.body, seen.at_ns)
        if name or why:
            text = f"badge {getattr(seen.body, 'badge', 0)} at {seen.device}: {why or name}"
            self.viewer.badge((text, seen.at_ns) if why else None)
            self.status("badge", text, seen.at_ns, seen.device)

    def _unlike(self, lines: Sequence[PublishedLine]) -> str:
        """Return the differences between the journal and the meters that these lines change or pay as text.

        Both the journal's copy in memory and its file are compared.
        """
        money = [(each.topic, each.line) for each in lines if each.topic in MONEY]
        if not money:
            return ""
        moves = self._journal.books.meters.steps(self.name, money)
        why = self._journal.books.meters.unlike(moves)
        if not why and any(move.pays for _, move in moves):
            why = self._journal.altered(self.name)
        return why

    def status(
        self,
        kind: StatusKind,
        text: str,
        at_ns: int,
        device: str | None = None,
        *,
        clock: ClockSet | None = None,
        round_: int | None = None,
        request: RequestStep | None = None,
        sealed: str = "",
    ) -> int:
        """Publish a status about the table or one of its lines that is not part of a round; return its number."""
        _log.info("%s: %s", self.name, text)
        known = {"clock": clock, "round": round_, "request": request, "sealed": sealed}
        line = StatusLine(table=self.name, kind=kind, device=device, text=text, **known).to_json()  # type: ignore[arg-type]
        sequence = self._publish("status", at_ns, line)
        if kind in ("safe-stop", "action", "warning", "clock-step", "request", "badge"):
            self.viewer.log(kind, text, at_ns, sequence, place=device)
        return sequence

    def release_words(self, given: Settling) -> str:
        """Return what the release of held money would be noted as. LookupError says why it cannot be released."""
        return given.words(still_held(self._journal, given, self.name)[1])

    def release(self, given: Settling, who: str) -> str:
        """Close the held money that was settled by hand. LookupError says why it cannot be closed, such as that it
        already was."""
        _, held = still_held(self._journal, given, self.name)
        now_ns, noted = self._clock.now_ns(), given.words(held)
        if let := self.publisher.release(held.readings):
            noted += f"; from now on bets decided by {' and '.join(sorted(let))} are settled here"
        self._journal.release(self.name, held.entry, now_ns, who, given.badge, given.why)
        self._kept_rounds = -1  # force a snapshot with the allowed readings
        self.status("action", f"{who}, badge {given.badge}: {noted}", now_ns, round_=held.round)
        return noted

    @property
    def owes_snapshot(self) -> bool:
        """True if a round has ended since the last snapshot."""
        return self.rounds != self._kept_rounds and self.stopped is None

    def keep(self, now_ns: int) -> None:
        """Take a snapshot after each round, and at intervals while nothing happens, as soon as the table is at rest: a
        restart then replays only what follows."""
        if (self.rounds == self._kept_rounds and now_ns < self._kept_ns + KEEP_EACH_NS) or self.stopped is not None:
            return
        kept = kept_of(self.publisher, {number: line.standing() for number, line in self._numbers.items()})
        if kept is not None and self._journal.snapshot(self._start, encoded(kept)) is not None:
            self._kept_rounds, self._kept_ns = self.rounds, now_ns
            self.publisher.keep()

    def stop_safely(self, why: str, at_ns: int) -> None:
        """Stop dealing: nothing more is taken, and the view says why."""
        if self.stopped is None:
            self.stopped = why
            self.viewer.safe_stop(why, at_ns)
            self.status("safe-stop", why, at_ns)

    def _publish(self, topic: Topic, at_ns: int, line: str) -> int:
        self._move(urgent=topic != "event")
        self.sequence = self._journal.publish(self.name, topic, at_ns, line)
        return self.sequence

    # ------------------------------------------------------------------ what it shows

    @property
    def rounds(self) -> int:
        """Rounds that ended since the table began."""
        return self.table.outcomes.total()

    def view(self, at_ns: int) -> TableView:
        """Return the table now."""
        self.urgent = False
        return self.viewer.view(self.sequence, at_ns)

    def look_at_lines(self, now_ns: int) -> None:
        """Update the state of the lines, and report those that exceed their budget."""
        for part, line in zip(self.part.device, self.lines, strict=False):
            flood = self._flood_of(part.name, now_ns)
            link, problem = _link_of(line), str(line.problem) if line.problem is not None else flood
            sealed = short_name(self._sealed.get(part.name)) if link == "up" else ("", None)
            if self._lines_shown.get(part.name) == (link, problem, *sealed):
                continue
            self._lines_shown[part.name] = link, problem, *sealed
            if self._line_shown(part, link, problem, *sealed):
                self._move(urgent=True)
        self._look_at_lamp(now_ns)

    def journal_problem(self, kind: LastingKind, problem: str | None, now_ns: int) -> None:
        """Show or clear a problem of the journal: of its archive, or of its witnesses."""
        if self.viewer.lasting(kind, problem, now_ns):
            self._move(urgent=True)

    def _move(self, *, urgent: bool) -> None:
        self.urgent |= urgent
        self._moved(self)

    def _line_shown(
        self, part: DevicePart, link: Link, problem: str | None, key: str = "", sealed_ns: int | None = None
    ) -> bool:
        """Set the state of a device's line; True if it changed. `key` seals it since `sealed_ns`."""
        return self.viewer.device(
            DeviceView(
                name=part.name,
                kind=part.kind,
                address=part.address,
                link=link,
                problem=problem,
                since_ns=self._clock.now_ns(),
                seal="sealed" if key else "clear" if link == "up" else "",
                sealed_with=key,
                sealed_ns=sealed_ns,
            )
        )

    def _look_at_lamp(self, now_ns: int) -> None:
        """Show the lamp of a shuffler's status if its reports have not told it."""
        for line in self.lines:
            if isinstance(line.status, ShufflerStatusMessage):
                lit, faults = bool(line.status.lamps & Lamp.RED), line.status.faults
                if self.viewer.lamp_in_status(lit, faults[0] if faults else 0, now_ns):
                    self._move(urgent=True)

    def _flood_of(self, device: str, now_ns: int) -> str | None:
        """Return the problem of a line that exceeds its budget; report its start and its end once each."""
        budget = self.budgets[device]
        if budget.dropped_ns is None or now_ns - budget.dropped_ns >= CALM_NS:
            if device in self._flooded:
                self._flooded.remove(device)
                count = budget.dropped - self._calm.get(device, 0)
                text = f"{device}: the line is within its limit again; {count:,} bytes were not kept"
                self.status("warning", text, now_ns, device)
            self._calm[device] = budget.dropped
            return None
        why = (
            "only noise arrives; the line is read once a minute"
            if budget.noise
            else f"more than {budget.rate:,} bytes a second arrive; the excess is counted, not kept"
        )
        if device not in self._flooded:
            self._flooded.add(device)
            self.status("warning", f"{device}: {why}", now_ns, device)
        return why


def _link_of(line: Supervisor) -> Link:
    session = line.session
    if session is not None and line.state is LineState.UNKNOWN and not line.keeps_sessions:
        return "up" if session.link.stats.frames else "unknown"  # without sessions it never announces itself
    return LINKS[line.state]


class Pulse:
    """Detects wedged lines. A line moves when frames or noise arrive, when it is lost, or when it is retried; a device
    that is silent while idle need not move."""

    def __init__(self, most_ns: int) -> None:
        self._most_ns = most_ns
        self._marks: dict[Supervisor, tuple[tuple[int, ...], int]] = {}

    def wedged(self, lines: Sequence[Supervisor], now_ns: int) -> list[str]:
        """Return the names of lines that have not moved for too long."""
        found = []
        for line in lines:
            mark = _mark_of(line)
            before, since_ns = self._marks.get(line, ((), now_ns))
            if mark is None or mark != before:
                since_ns = now_ns
            self._marks[line] = (mark or (), since_ns)
            if now_ns - since_ns > self._most_ns:
                found.append(line.name)
        return found


def _mark_of(line: Supervisor) -> tuple[int, ...] | None:
    """Return a value that changes while a line moves; None for a line that need not move."""
    session = line.session
    if session is None:
        return None if line.closed is not None else (line.losses, line.failures)
    if not line.keeps_sessions:
        return None
    stats = session.link.stats
    return (line.losses, line.failures, stats.frames, stats.noise_bytes)
