"""The service: every table of a `table.toml` in one owner's loop, with a journal below and a hub above.

The order is always the same. Bytes are journaled, then decoded; their results are journaled; the group is written and
synced; then it is published, and only then may a device get an acknowledgment. If the journal fails, nothing more is
published or acknowledged, every table shows why, and the service ends.

This module has the loop and its end. `opening` builds the tables, `view_schedule` decides when views are made,
`snapshot_schedule` when snapshots are taken, and `host_watch` looks at what the tables need of their host.
"""

import logging
import traceback
from collections.abc import Callable, Collection, Sequence
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING, Final

from dealwire.attest.trust import Trust
from dealwire.config.schema import Configuration
from dealwire.hub.health import Health
from dealwire.hub.hub import Hub
from dealwire.hub.lines import Publication
from dealwire.journal import Journal
from dealwire.journal.checkpoints import RESTORED
from dealwire.journal.errors import JournalError
from dealwire.journal.factory import TableFactory
from dealwire.journal.reader import JournalReader
from dealwire.journal.resuming import Resumed
from dealwire.journal.sealing import SealsWith
from dealwire.journal.tables import JournaledPublisher
from dealwire.journal.transport import Gate
from dealwire.people.approvals import needs_cryptography
from dealwire.people.badges import BadgeList
from dealwire.people.errors import NotApproved
from dealwire.people.users import Users, read_users
from dealwire.program_digest import program_facts
from dealwire.service.actions import POST, START_OVER
from dealwire.service.archivist import Archivist
from dealwire.service.attesting import Attesting
from dealwire.service.host_watch import HostWatch
from dealwire.service.identities import Identities
from dealwire.service.interpreter import look_for_garbage, switching_within
from dealwire.service.line_keys import line_keys_of
from dealwire.service.notify import Notifier
from dealwire.service.opening import StartClock, TablesOpening
from dealwire.service.ownership import own
from dealwire.service.pending import PendingActs, taken_up
from dealwire.service.policy_on_record import USERS
from dealwire.service.readers import readers_of, share
from dealwire.service.reloads import Reloads, refused_devices
from dealwire.service.requests import RequestHandler
from dealwire.service.seals import faces_in_clear, load_seal, load_signer
from dealwire.service.snapshot_schedule import SnapshotSchedule
from dealwire.service.table_session import Pulse, TableSession
from dealwire.service.timer import Timer
from dealwire.service.view_schedule import ViewSchedule
from dealwire.table.cautions import cautions_of
from devices.clock import SystemClock
from devices.line.loop import Member, Owner
from devices.line.supervisor import Supervisor

if TYPE_CHECKING:
    from devices.simulator.host import SimulatorHost

_log = logging.getLogger(__name__)

MS: Final = 1_000_000
BEAT_NS: Final = 1000 * MS
"""Interval between checks of the lines, and the longest wait of received bytes for the disk when nothing follows them.
"""
WEDGED_NS: Final = 30_000 * MS
"""A line without progress for so long is wedged: status arrives every second, and a lost line is retried every ten."""
FAREWELL_S: Final = 0.5
"""Pause after a safe stop, so that observers see why."""


class Service:
    """Serves the tables of a configuration. Use it as a context manager: it opens in `__enter__`.

    Opening raises a DealwireError that names the problem of the journal, its key, or a table in one line. A line that
    cannot be opened is not such an error: it is retried. `anew` starts every table over. `clock_is_right` confirms the
    host's clock, however far it is from the record; `restored` that this journal is the right one, though it may be an
    older copy: its tree begins again, and what the broker knows of the logs `gives_up` stops nothing from then on.
    `make_clock` takes the time before which the clock must not be.
    """

    def __init__(
        self,
        configuration: Configuration,
        hub: Hub,
        *,
        anew: bool = False,
        clock_is_right: bool = False,
        restored: bool = False,
        gives_up: Collection[str] = (),
        notifier: Notifier | None = None,
        make_clock: Callable[[int], SystemClock] = SystemClock,
    ) -> None:
        self.configuration, self.hub = configuration, hub
        self.tables: dict[str, TableSession] = {}
        self.failed: str | None = None
        """Reason why the service ended on its own; None while it runs and after `stop`."""
        self.journal: Journal
        self.clock = make_clock(0)
        self._make_clock, self._clock_is_right = make_clock, clock_is_right
        self.owner: Owner
        self._anew, self._restored, self._gives_up = anew, restored, gives_up
        self._notifier = notifier or Notifier({})
        self._stopping = False
        self._members: dict[Member, TableSession] = {}
        self._stack = ExitStack()
        self._beat = Timer(self._on_beat)
        self._early, self._later = list[Publication](), list[Callable[[], None]]()
        self._requests: RequestHandler | None = None
        self._gate = Gate(self._later.append)
        self._pending = PendingActs(configuration.people)
        self._users: Users | None = None
        """The users file as it was read at the start, and is in the record of this opening."""
        self._noted_day: str | None = None  # the newest gaming day in which a policy is on record
        self._unlisted: list[TableSession] = []
        """Tables whose record does not have the badges that count yet."""
        self._pulse, self._identities = Pulse(WEDGED_NS), Identities()
        self._attesting: Attesting | None = None
        self.health = Health()
        self.reloads = Reloads()
        """Files that SIGHUP reads again."""

    # ------------------------------------------------------------------ opening

    def __enter__(self) -> "Service":
        part = self.configuration.journal
        key, group, signer = load_seal(part), readers_of(self.configuration), load_signer(part)
        for warning in faces_in_clear(self.configuration):
            _log.warning("%s", warning)
        begins = StartClock.of(part.path, self.clock, self._make_clock, is_right=self._clock_is_right)
        self.clock = begins.clock
        if (people := self.configuration.people) is not None:
            self._users = read_users(people.users_file)
        digest = self._users.digest if self._users is not None else ""
        about = {"clock": self.clock.readings(), **program_facts(), USERS: digest}
        self.journal = Journal(
            part.path, key=key, clock=self.clock, about=about, set_back=begins.set_back, signer=signer
        )
        if group is not None:
            share(self.journal.path, group)
        self.journal.before_sync, self.journal.after_sync = self.hub.release_interpreter, self.hub.claim_interpreter
        self._noted_day = self.journal.days.current
        if self._restored:
            self.journal.checkpoints.begin(self.journal.newest_ns, RESTORED, self._gives_up)
        self.owner = Owner(self.clock, on_error=self._on_error, after_turn=self._after_turn)
        self._showing = ViewSchedule(self.hub, self.owner, self.clock, len(self.configuration.table))
        self._keeping = SnapshotSchedule(self.owner, self.clock)
        tables = self.configuration.table if self.configuration.exports.mqtt is not None else ()
        self._archivist = Archivist(self.journal, part, {f"mqtt/{table.name}": table.name for table in tables})
        self._host = HostWatch(self.journal, part, self.clock, self.health, self.tables, self.hub.show_log)
        try:
            own(self.configuration, self.journal.identity.hex())
            self._open(key, begins)
        except BaseException:
            self.owner.close()
            self._stack.close()
            self.journal.close()
            raise
        return self

    def _open(self, key: SealsWith | None, begins: StartClock) -> None:
        maker = self._stack.enter_context(TableFactory(self.journal.path))
        opening = TablesOpening(self.configuration, self.journal, maker, self.clock)
        self._check_start_over()
        self.notify_starting()
        if self.journal.taken_up:
            _log.warning(
                "%s: written by an older version; tables start over, meters keep their amounts", self.journal.path
            )
        anew = self._anew or begins.set_back
        went_on = opening.start_over() if anew else opening.resume_tables(key, self.notify_starting)
        self._early = went_on.unpublished
        self._begin_attesting()
        line_keys = line_keys_of(self.configuration)
        for part in self.configuration.table:
            start, publisher = opening.table(part)
            self.tables[part.name] = TableSession(
                part,
                start,
                publisher,
                self.journal,
                self.clock,
                self._showing.note,
                self._identities,
                line_keys,
                came_up=self._came_up,
            )
        for timer in (self._beat, self._showing.timer, self._keeping.timer):
            self.owner.add(timer)
        for session in self.tables.values():
            self._connect(session, went_on, begins.remarks)
            self.notify_starting()
        self._begin_requests()
        self.hub.on_look(self._showing.look)
        self._beat.due_ns = self.clock.now_ns()
        for session in self.tables.values():
            self.hub.show(session.view(self.clock.now_ns()))
            for caution in cautions_of(session.table.terms) if session.table.terms is not None else ():
                _log.warning("%s: %s", session.name, caution)

    def _begin_attesting(self) -> None:
        """Demand proof of firmware, if the file wants it. SIGHUP reads again which devices are refused."""
        if (part := self.configuration.attestation) is None:
            return
        self._attesting = asking = Attesting(part, Trust(part, self.journal.path).begin())
        if part.refused is not None:
            self.reloads.add(refused_devices(part.refused, partial(self.owner.call_soon, asking.ask_again)))

    def _check_start_over(self) -> None:
        """NotApproved if the house wants two people for a start over, and no two of its users file are for this one."""
        part, pending, now_ns = self.configuration.people, self._pending, self.clock.now_ns()
        if not self._anew:
            return
        taken_up(pending, self.journal.path, now_ns)
        if part is None or START_OVER not in pending.policy:
            return
        if part.is_proved:
            needs_cryptography()
        pending.users = self._users
        if pending.start_over(now_ns) is not None:
            return
        with JournalReader(self.journal.path) as reader:
            if reader.starts():
                raise NotApproved(self.journal.path, pending.why_no_start_over(now_ns))

    def _begin_requests(self) -> None:
        """Read who may act, go on with the open requests of the record, and take new ones."""
        requests = RequestHandler(self.tables, self.clock, self._give_out, self._attesting, self._pending)
        self._requests = requests
        if (part := self.configuration.people) is not None:
            if part.is_proved:
                needs_cryptography()
            assert self._users is not None
            self._install(self._users)
            requests.take_up(self.journal.path, started_over=self._anew)
        self._unlisted = list(self.tables.values())
        self.hub.on_request(lambda: self.owner.call_soon(lambda: requests.take(self.hub.requests())))

    def install_users(self, users: Users) -> None:
        """Count another users file from now on. May be called from any thread."""

        def install() -> None:
            self._install(users)
            if self._requests is not None:
                self._requests.note_policy()

        self.owner.call_soon(install)

    def _install(self, users: Users) -> None:
        part, self._pending.users = self.configuration.people, users
        if part is not None and part.badges == "listed":
            badges = BadgeList(users, tuple(act for act in part.second_person if act == POST), part.request_minutes)
            for name, session in self.tables.items():
                session.want_badges(badges.at(name))
        self._unlisted = list(self.tables.values())

    def notify_starting(self) -> None:
        """Report progress of a long opening to systemd, which extends its timeout."""
        self._notifier.keep_waiting(self.clock.now_ns())

    def _connect(self, session: TableSession, went_on: Resumed[JournaledPublisher], remarks: Sequence[str]) -> None:
        how = "resumes" if session.name in went_on.publishers else "starts a new record"
        session.status("started", f"table {session.name} {how}", self.clock.now_ns())
        for remark in remarks:
            session.status("clock-step", remark, self.clock.now_ns())
        for device in session.part.device:
            line = session.connect(device, went_on, self._gate)
            self._members[line] = session
            self.owner.add(line)
            if self._attesting is not None:
                self._attesting.watch(session, device, line, self.clock.now_ns())

    def _came_up(self, table: str, device: str) -> None:
        if self._attesting is not None:
            self._attesting.up(table, device)

    # ------------------------------------------------------------------ running

    def run(self, timeout_s: float | None = None) -> None:
        """Serve until `stop` is called, the journal fails, or the time is up."""
        self._notifier.notify(READY=1, STATUS=self._summary())
        for item in self._early:  # only now are all readers subscribed
            self.hub.publish(item)
        self._early = []
        self._showing.adopt()
        with switching_within():
            self.owner.run(lambda: self._stopping or self.failed is not None, timeout_s)
        self._showing.answer()  # no further turn would answer the waiting threads

    def simulate(self, table: str, bench: "SimulatorHost") -> None:
        """Run simulated devices in the same loop; their faults can be injected at `table`."""
        self.tables[table].bench = bench
        members: tuple[Member, ...] = (bench, *bench.lines.values())
        for member in members:
            self.owner.add(member)
        bench.start(self.clock.now_ns())

    def attested(self, table: str) -> list[str]:
        """Return the devices of a table that must prove their firmware."""
        watched = self._attesting.watched if self._attesting is not None else ()
        return [device for name, device in watched if name == table]

    def note_access(self, table: str, text: str) -> None:
        """Record a sign-in, sign-out or refusal at `table`; with an empty name at each table, since a role applies to
        all. May be called from any thread."""

        def note() -> None:
            for name, session in self.tables.items():
                if table in ("", name):
                    session.status("access", text, self.clock.now_ns())

        self.owner.call_soon(note)

    def stop(self) -> None:
        """End `run`. May be called from any thread and from a signal handler."""
        self._stopping = True
        self.owner.call_soon(lambda: None)

    def __exit__(self, *_: object) -> None:
        self._notifier.notify(STOPPING=1, STATUS=self.failed or "stopping")
        self._keeping.finish()
        for session in self.tables.values():
            session.close()
            session.status("stopped", f"table {session.name} is no longer served", self.clock.now_ns())
        self._archivist.close()
        self.journal.checkpoints.beat(self.clock.now_ns(), 0)
        self._give_out()
        self.owner.close()
        self._stack.close()
        self.journal.close()
        self.hub.release_interpreter()
        self._notifier.close()

    # ------------------------------------------------------------------ in the owner's turn

    def _after_turn(self) -> None:
        """Write the open group, publish it, and show what changed. Bytes without results wait: no one has seen them."""
        for (table, device), where in self._identities.take().items():
            self.tables[table].elsewhere(device, where, self.clock.now_ns())
        if self._unlisted:
            now_ns = self.clock.now_ns()
            self._unlisted = [each for each in self._unlisted if not each.note_badges(now_ns)]
        if self._attesting is not None and self._attesting.busy:
            self._attesting.turn(self.clock.now_ns())
        if self._showing.moved:  # with hundreds of tables, most turns change none
            self._give_out()
            self._showing.sort()
            for session in self._showing.moved:
                if session.owes_snapshot and session not in self._keeping.owed:
                    self._keeping.owe(session)
        while self._later:  # output to devices, once the group is on the disk
            self._later.pop(0)()
        if self._requests is not None and self._requests.noted:
            self._requests.answer_all(self.journal.failed)
        if self.journal.failed is not None:
            self._fail(f"{self.journal.path}: {self.journal.failed}")
        self._showing.turn(self.clock.now_ns())
        self.hub.release_interpreter()
        self.health.waited(self.clock.now_ns() - self.owner.began_ns)
        if self._host.clock_jumps:
            self._jump()

    def _give_out(self) -> bool:
        """Write the open group and publish it; True if the disk has all of it."""
        for item in self.journal.commit():
            self.hub.publish(item)
        return self.journal.secure()

    def _on_beat(self, now_ns: int) -> None:
        """Once a second: check the lines, and report to systemd while all is well."""
        self._beat.due_ns = (
            now_ns - now_ns % BEAT_NS + BEAT_NS
        )  # in step with the lines' heartbeats: one commit for all
        self.health.beat(now_ns, self.clock.now_ns() - now_ns)
        self.journal.look(now_ns)
        self._archivist.beat(now_ns)
        if self._requests is not None:
            self._requests.beat(now_ns)
            if self._noted_day not in (None, self.journal.days.current):
                self._requests.note_policy(again=True)
            self._noted_day = self.journal.days.current
        if self._attesting is not None:
            self._attesting.beat(now_ns)
        self.journal.checkpoints.beat(now_ns, self.configuration.journal.checkpoint_seconds * 10**9)
        self._host.look_at_log(now_ns)
        self._give_out()
        self.health.archive_missing = self._archivist.missing
        self._host.look(now_ns)
        self._gate.try_again()
        lines: list[Supervisor] = []
        for session in self.tables.values():
            session.look_at_lines(now_ns)
            session.journal_problem("archive", self._archivist.problem, now_ns)
            session.journal_problem("witness", self._host.log_problem, now_ns)
            session.keep(now_ns)
            self.health.count(session.name, session.lines, session.budgets)
            lines += session.lines
        look_for_garbage(now_ns)
        wedged = self._pulse.wedged(lines, now_ns)
        if wedged:
            self._notifier.notify(STATUS=f"no activity on {', '.join(wedged)}")
        elif self._notifier.watchdog_ns:
            self._notifier.notify(WATCHDOG=1, STATUS=self._summary())
        else:
            self._notifier.notify(STATUS=self._summary())

    def _jump(self) -> None:
        """Follow a clock that was set forward, between two turns. Lines are closed before and reopened after, so that
        no deadline of the skipped time expires."""
        self._host.clock_jumps = False
        for session in self.tables.values():
            for line in session.abandon_lines("the host's clock was set"):
                self.owner.changed(line)
        self._give_out()
        self.clock.follow()
        self._beat.due_ns = self.clock.now_ns()
        self.owner.changed(self._beat)

    def _summary(self) -> str:
        lines = [line for session in self.tables.values() for line in session.lines]
        up = sum(line.session is not None and line.problem is None for line in lines)
        rounds = sum(session.rounds for session in self.tables.values())
        return f"{_counted(len(self.tables), 'table')}, {up} of {len(lines)} lines up, {_counted(rounds, 'round')}"

    # ------------------------------------------------------------------ when something is wrong

    def _on_error(self, member: Member, error: Exception) -> None:
        """Handle an internal error at one table: that table stops, the others continue."""
        session = self._members.get(member)
        if session is None:
            raise error
        if isinstance(error, JournalError):
            self._fail(str(error))
            return
        at = traceback.extract_tb(error.__traceback__)[-1]
        # The message of such an error may contain anything, even a face, so only its place is shown.
        why = f"internal error: {type(error).__name__} at {at.filename.rsplit('/', 1)[-1]}:{at.lineno}"
        _log.error("%s: %s", session.name, why)
        session.stop_safely(why, self.clock.now_ns())
        for line in session.lines:
            if line is not member:
                self.owner.remove(line)
                line.close(wait_s=0)
        if all(each.stopped is not None for each in self.tables.values()):
            self.failed = self.failed or f"{session.name}: {why}"

    def _fail(self, why: str) -> None:
        if self.failed is None:
            self.failed = why
            for session in self.tables.values():
                session.stop_safely(f"the journal cannot be written: {why}", self.clock.now_ns())
                self.hub.show(session.view(self.clock.now_ns()))


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
