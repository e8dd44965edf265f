"""One table while it is served: its lines, what it makes known, what it shows."""

import dataclasses
import logging
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

from dealwire.config.schema import DevicePart, TablePart
from dealwire.hub.lines import ClockSet, StatusKind, StatusLine, Topic
from dealwire.hub.view import DeviceView, Link, TableView
from dealwire.journal import Journal, Journaled
from dealwire.journal.contents import TableStart
from dealwire.journal.resuming import Resumed
from dealwire.journal.snapshots import encoded, kept_of
from dealwire.journal.tables import JournaledPublisher, write_settled
from dealwire.journal.transport import Gate
from dealwire.service.identities import Identities
from dealwire.service.releasing import Settling, still_held
from dealwire.service.seals import clear_warning
from dealwire.table.redaction import PublishedLine, outcomes_of
from devices.budget import Budget
from devices.clock import Clock
from devices.dialects.known import dialect_named
from devices.drive.address import baud_of, line_at
from devices.elsewhere import note_of
from devices.events import DeviceElsewhere, LinkLost, LinkUp, Seen
from devices.line.supervisor import LineState, Supervisor
from protocol.link import Resumable
from protocol.tdp.messages import Lamp, Role, ShufflerStatusMessage

if TYPE_CHECKING:
    from devices.simulator.host import SimulatorHost

_log = logging.getLogger(__name__)

KEEP_EACH_NS: Final = 1800 * 1_000_000_000
"""Between two snapshots while no round ends: as much of an idle table is dealt again at a restart."""
CLOSE_S: Final = 0.5
"""How long a table that closes waits for networks that do not answer."""
MONEY: Final = ("settlement", "meter", "award")
"""Topics of lines by which a meter is moved or paid."""
CALM_NS: Final = 120_000_000_000
"""A line that gave too much is watched for so long before it counts as well again: twice the time between two notes."""
ROLES: Final = {"observe": Role.OBSERVE, "control": Role.OPERATE}
LINKS: Final[dict[LineState, Link]] = {
    LineState.WAITING: "waiting",
    LineState.UNKNOWN: "unknown",
    LineState.KNOWN: "up",
    LineState.CLOSED: "closed",
}


class TableSession:
    """One table and its lines. Everything it makes known goes into the journal; its owner commits and gives it out.
    `moved` is called with it whenever there is something to see that was not shown yet."""

    def __init__(
        self,
        part: TablePart,
        start: TableStart,
        publisher: JournaledPublisher,
        journal: Journal,
        clock: Clock,
        moved: "Callable[[TableSession], None]" = lambda _: None,
        identities: Identities | None = None,
    ) -> None:
        self.part, self.publisher, self.name = part, publisher, part.name
        self.table, self.viewer = publisher.table, publisher.viewer
        self.lines: list[Supervisor] = []
        self.bench: SimulatorHost | None = None
        """The devices themselves, where they are simulated."""
        self.sequence = 0
        """The newest number in the journal that its view includes."""
        self.urgent = False
        """Among what was not shown yet is more than a report of a device: it is shown at once."""
        self.stopped: str | None = None
        """Why it deals no more; None while it does."""
        self._start, self._journal, self._clock, self._moved = start, journal, clock, moved
        self._identities = identities if identities is not None else Identities()
        self._numbers: dict[int, Supervisor] = {}
        self._kept_rounds, self._kept_ns = -1, 0
        self._lines_shown: dict[str, tuple[Link, str | None]] = {}
        self.budgets: dict[str, Budget] = {}
        """How much of what each line gives is kept, by device."""
        for device in part.device:  # nothing is known of any until it was heard
            self._line_shown(device, "waiting", None)
        self._calm: dict[str, int] = {}  # by device: bytes not kept, when its line last was as it should be
        self._flooded: set[str] = set()  # devices whose lines were said to give too much

    # ------------------------------------------------------------------ its lines

    def connect(self, device: DevicePart, went_on: Resumed[JournaledPublisher], gate: Gate) -> Supervisor:
        """The device's line, which opens in the owner's next turn and as often as it has to. What it sends waits at
        the gate that all lines share."""
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

        def journaled() -> Journaled:
            inner = opener.open()
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

    def elsewhere(self, device: str, where: str, now_ns: int) -> None:
        """The device speaks on another line, too, `where`, or does no more: noted in the record, from which it is dealt
        again, then told to the table."""
        for number, line in self._numbers.items():
            if line.name == device and line.session is not None and self.stopped is None:
                found = DeviceElsewhere(where)
                self._journal.note(number, now_ns, note_of(found))
                line.session.remark(found, now_ns)

    def close(self) -> None:
        """Give every line back. The journal says that they were lost, so that whoever goes on with it goes on here."""
        for line in self.lines:
            if line.session is not None and line.keeps_sessions:
                line.session.abandon("the program was ended")
            line.close(wait_s=CLOSE_S / len(self.lines))

    def abandon_lines(self, why: str) -> list[Supervisor]:
        """Lose every line whose device tells its events again on the next; which ones those were."""
        found = [line for line in self.lines if line.keeps_sessions]
        for line in found:
            line.abandon(why)
        return found

    # ------------------------------------------------------------------ what it makes known

    def deliver(self, seen: Seen) -> None:
        """One report of a device: what follows from it joins the journal's open group."""
        if self.stopped is not None:
            return
        self._moved(self)
        lines = self.publisher.publish(seen)
        why, sequences = self._unlike(lines), []
        for each in lines:
            if why and each.topic in MONEY:
                self.stop_safely(f"nothing is paid by a meter that is not as it was written down: {why}", seen.at_ns)
                return
            sequences.append(self._publish(each.topic, seen.at_ns, each.line))
        write_settled(self._journal, self.name, self.publisher, seen.at_ns)
        self.viewer.saw(seen, outcomes_of(lines), sequences[1:])  # the first line is the report's own
        if isinstance(seen.body, LinkUp):
            self._identities.up((self.name, seen.device), seen.body)
            again = "up again, in the session it had" if seen.body.resumed else "up"
            self.status("line-up", f"{seen.device} is {again}", seen.at_ns, seen.device)
            if seen.body.recognises_cards and not self._journal.sealed:
                _log.warning("%s", clear_warning(self.name, seen.device))
        elif isinstance(seen.body, LinkLost):
            self._identities.lost((self.name, seen.device))
            self.status("line-lost", f"{seen.device}: {seen.body.why}", seen.at_ns, seen.device)

    def _unlike(self, lines: Sequence[PublishedLine]) -> str:
        """Where what these lines move or pay is not what was written of it, in memory or in the file, in words."""
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
    ) -> None:
        """Something about the table or one of its lines that is no part of a round."""
        _log.info("%s: %s", self.name, text)
        line = StatusLine(table=self.name, kind=kind, device=device, text=text, clock=clock, round=round_).to_json()
        sequence = self._publish("status", at_ns, line)
        if kind in ("safe-stop", "action", "warning", "clock-step"):
            self.viewer.log(kind, text, at_ns, sequence, place=device)

    def release(self, given: Settling, who: str) -> str:
        """What was held of a round was settled by hand, says a person: it is open no more, for good. LookupError says
        why it cannot be, such as that it was done before."""
        _, held = still_held(self._journal, given, self.name)
        now_ns, noted = self._clock.now_ns(), given.words(held)
        if let := self.publisher.release(held.readings):
            noted += f"; what {' and '.join(sorted(let))} decides is settled here from now on"
        self._journal.release(self.name, held.entry, now_ns, who, given.badge, given.why)
        self._kept_rounds = -1  # the next snapshot has the readings that were let pass
        self.status("action", f"{who}, badge {given.badge}: {noted}", now_ns, round_=held.round)
        return noted

    @property
    def owes_snapshot(self) -> bool:
        """A round has ended since the last one."""
        return self.rounds != self._kept_rounds and self.stopped is None

    def keep(self, now_ns: int) -> None:
        """Write down where the table stands, once a round and now and then while nothing happens, as soon as it is at
        rest: whoever goes on with it deals no more again than what comes after."""
        if (self.rounds == self._kept_rounds and now_ns < self._kept_ns + KEEP_EACH_NS) or self.stopped is not None:
            return
        kept = kept_of(self.publisher, {number: line.standing() for number, line in self._numbers.items()})
        if kept is not None and self._journal.snapshot(self._start, encoded(kept)) is not None:
            self._kept_rounds, self._kept_ns = self.rounds, now_ns
            self.publisher.keep()

    def stop_safely(self, why: str, at_ns: int) -> None:
        """Deal no more: nothing that comes from here on is taken, and the view says why."""
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
        """Rounds that ended since it began."""
        return self.table.outcomes.total()

    def view(self, at_ns: int) -> TableView:
        """The table now."""
        self.urgent = False
        return self.viewer.view(self.sequence, at_ns)

    def look_at_lines(self, now_ns: int) -> None:
        """Bring what is shown of the lines up to date, and say which give more than is kept of them."""
        for part, line in zip(self.part.device, self.lines, strict=False):
            flood = self._flood_of(part.name, now_ns)
            link, problem = _link_of(line), str(line.problem) if line.problem is not None else flood
            if self._lines_shown.get(part.name) == (link, problem):
                continue
            self._lines_shown[part.name] = link, problem
            if self._line_shown(part, link, problem):
                self._move(urgent=True)
        self._look_at_lamp(now_ns)

    def archive_problem(self, problem: str | None, now_ns: int) -> None:
        """Show that days which are over do not lie in the archive, or that they do again."""
        if self.viewer.archive(problem, now_ns):
            self._move(urgent=True)

    def _move(self, *, urgent: bool) -> None:
        self.urgent |= urgent
        self._moved(self)

    def _line_shown(self, part: DevicePart, link: Link, problem: str | None) -> bool:
        """Show how the line of a device stands from now on; True when that is something new."""
        since_ns = self._clock.now_ns()
        return self.viewer.device(
            DeviceView(
                name=part.name, kind=part.kind, address=part.address, link=link, problem=problem, since_ns=since_ns
            )
        )

    def _look_at_lamp(self, now_ns: int) -> None:
        """Show what a shuffler's status says of its lamp, where its reports have not said it."""
        for line in self.lines:
            if isinstance(line.status, ShufflerStatusMessage):
                lit, faults = bool(line.status.lamps & Lamp.RED), line.status.faults
                if self.viewer.lamp_in_status(lit, faults[0] if faults else 0, now_ns):
                    self._move(urgent=True)

    def _flood_of(self, device: str, now_ns: int) -> str | None:
        """What is wrong with a line that gives too much; said once when it begins and once when it is over."""
        budget = self.budgets[device]
        if budget.dropped_ns is None or now_ns - budget.dropped_ns >= CALM_NS:
            if device in self._flooded:
                self._flooded.remove(device)
                count = budget.dropped - self._calm.get(device, 0)
                text = f"{device}: its line gives no more than it may; {count:,} bytes were not kept"
                self.status("warning", text, now_ns, device)
            self._calm[device] = budget.dropped
            return None
        why = (
            "nothing but noise comes; it is listened to once a minute"
            if budget.noise
            else f"more than {budget.rate:,} bytes a second come; what exceeds that is counted, not kept"
        )
        if device not in self._flooded:
            self._flooded.add(device)
            self.status("warning", f"{device}: {why}", now_ns, device)
        return why


def _link_of(line: Supervisor) -> Link:
    session = line.session
    if session is not None and line.state is LineState.UNKNOWN and not line.keeps_sessions:
        return "up" if session.link.stats.frames else "unknown"  # it keeps no session, so it never says that it is up
    return LINKS[line.state]


class Pulse:
    """Whether the lines still move. A line moves when frames or noise come, when it is lost, or when it is tried again;
    one of a device that says nothing while nothing happens need not."""

    def __init__(self, most_ns: int) -> None:
        self._most_ns = most_ns
        self._marks: dict[Supervisor, tuple[tuple[int, ...], int]] = {}

    def wedged(self, lines: Sequence[Supervisor], now_ns: int) -> list[str]:
        """Names of lines that have not moved for too long."""
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
    """What changes while a line moves; None for one that need not."""
    session = line.session
    if session is None:
        return None if line.closed is not None else (line.losses, line.failures)
    if not line.keeps_sessions:
        return None
    stats = session.link.stats
    return (line.losses, line.failures, stats.frames, stats.noise_bytes)
