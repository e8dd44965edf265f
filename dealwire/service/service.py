"""The service: every table of a `table.toml` in one owner's loop, with a journal under it and a hub above it.

The order of things is always the same. Bytes are journalled, then decoded; what follows from them is journalled; the
group is written and synced; then it is made known, and only then may a device be told that we have it. When the
journal fails, nothing more is made known or acknowledged, every table says why, and the service ends.
"""

import gc
import logging
import sys
import threading
import traceback
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Final

from dealwire.config.schema import Configuration, TablePart
from dealwire.hub.health import Health
from dealwire.hub.hub import Hub
from dealwire.hub.lines import ClockSet, Publication
from dealwire.journal import Journal, JournalReader, resume
from dealwire.journal.compare import DERIVED
from dealwire.journal.contents import TableStart
from dealwire.journal.errors import JournalDamaged, JournalEmpty, JournalError
from dealwire.journal.factory import TableFactory
from dealwire.journal.resuming import Resumed
from dealwire.journal.sealing import SealsWith
from dealwire.journal.settings import configuration_of
from dealwire.journal.tables import JournaledPublisher, meters_differ, write_settled
from dealwire.journal.transport import Gate
from dealwire.service.archivist import Archivist
from dealwire.service.disk import DiskWatch
from dealwire.service.identities import Identities
from dealwire.service.leaving import left_behind
from dealwire.service.notify import Notifier
from dealwire.service.ownership import own
from dealwire.service.requests import RequestHandler
from dealwire.service.seals import faces_in_clear, load_seal
from dealwire.service.table_session import Pulse, TableSession
from dealwire.service.timekeeping import ClockDoubtful, behind, doubtful, follows, goes_back, sentence_of, written
from dealwire.table.cautions import cautions_of
from devices.clock import SystemClock
from devices.line.loop import Member, Owner
from devices.line.supervisor import Supervisor
from devices.simulator.host import SimulatorHost

_log = logging.getLogger(__name__)

MS: Final = 1_000_000
DERIVED_AND_EVENTS: Final = DERIVED | {"event"}
"""Topics that follow from the raw record: whoever goes on checks them, and makes known what is missing."""
BEAT_NS: Final = 1000 * MS
"""Between two looks at the lines; also the longest that received bytes wait for the disk when nothing follows."""
VIEW_NS: Final = 20 * MS
"""A table is shown this often while devices report; at once when something comes of it."""
SHOWN_TOGETHER: Final = 16
"""With more tables than these it is rarer in proportion: a view costs more than what it shows, and nobody looks at
hundreds of tables fifty times a second."""
KEEP_AFTER_NS: Final = 20 * MS
"""From the end of a round to the snapshot of its table, and `KEEP_APART_NS` between two: a snapshot takes a
millisecond, in which other tables' rounds would wait that end at about the same time."""
KEEP_APART_NS: Final = 5 * MS
UNSEEN_MAX: Final = 100_000
"""So many objects may be made between two beats before the garbage collector looks through them by itself."""
GARBAGE_BEATS: Final = 600
WEDGED_NS: Final = 30_000 * MS
"""A line on which nothing moves for so long is wedged: status comes every second, and a lost line is tried again
every ten."""
LOOK_S: Final = 0.5
"""For a turn of the tables. Whoever looks while they are busy for longer sees what was shown before."""
SWITCH_S: Final = 0.0002
"""As long as another thread of this process, a page that is made say, keeps the interpreter from the tables at most.
A commit gives it up some times, and Python's own 5 ms would be waited each time."""
FAREWELL_S: Final = 0.5
"""After a safe stop, for those who look on to see why."""
NOT_IN_FILE: Final = "it is not served any more"
"""Why the record of a table ends that is in the journal and not in the file."""


class Timer(Member):
    """A member of the owner's loop without a line. Set `due_ns`; when it falls, it is None again, `call` is called."""

    def __init__(self, call: Callable[[int], None], due_ns: int | None = None) -> None:
        self.due_ns = due_ns
        self._call = call

    @property
    def next_deadline_ns(self) -> int | None:
        """When it falls."""
        return self.due_ns

    def on_deadline(self, now_ns: int) -> None:
        """It fell."""
        self.due_ns = None
        self._call(now_ns)

    def close(self) -> None:
        """It falls no more."""
        self.due_ns = None


class Service:
    """Serves the tables of a configuration. Use it as a context manager: it opens in `__enter__`.

    Opening raises a DealwireError that says in one line what is wrong with the journal, its key, or a table. A line
    that cannot be opened is no such error: it is tried again until it is there. `anew` lets every table begin anew.
    `clock_is_right` says that the host's clock is to be believed, however far it is from the record; `make_clock` gets
    the time before which it must not be.
    """

    def __init__(
        self,
        configuration: Configuration,
        hub: Hub,
        *,
        anew: bool = False,
        clock_is_right: bool = False,
        notifier: Notifier | None = None,
        make_clock: Callable[[int], SystemClock] = SystemClock,
    ) -> None:
        self.configuration, self.hub = configuration, hub
        self.tables: dict[str, TableSession] = {}
        self.failed: str | None = None
        """Why the service ended by itself; None while it runs, and when it was asked to end."""
        self.journal: Journal
        self.clock = make_clock(0)
        self._make_clock, self._clock_is_right = make_clock, clock_is_right
        self._doubt: ClockDoubtful | None = None
        self._behind: str | None = None
        self.owner: Owner
        self._anew, self._notifier = anew, notifier or Notifier({})
        self._stopping = self._follow_clock = False
        self._members: dict[Member, TableSession] = {}
        self._stack = ExitStack()
        self._beat, self._show, self._keep = Timer(self._on_beat), Timer(self._on_show), Timer(self._on_keep)
        self._shown_ns = 0
        self._moved: dict[TableSession, None] = {}  # in this turn
        self._unshown: dict[TableSession, None] = {}  # since each was shown
        """Tables of which there is something to see that was not shown yet, in their order."""
        self._unkept: dict[TableSession, None] = {}  # whose snapshot is to be taken, as their rounds ended
        self._unwatched: dict[TableSession, None] = {}
        """The same of those that nobody watches: they are shown when somebody looks."""
        self._lookers: deque[threading.Event] = deque()
        """Other threads that wait until those are shown."""
        self._thread = threading.get_ident()
        self._early, self._later = list[Publication](), list[Callable[[], None]]()
        self._requests: RequestHandler | None = None
        self._gate = Gate(self._later.append)
        self._pulse, self._identities = Pulse(WEDGED_NS), Identities()
        self.health = Health()

    # ------------------------------------------------------------------ opening

    def __enter__(self) -> "Service":
        part = self.configuration.journal
        key = load_seal(part)
        for warning in faces_in_clear(self.configuration):
            _log.warning("%s", warning)
        set_back = part.path.exists() and self._start_clock(part.path)
        self.journal = Journal(
            part.path, key=key, clock=self.clock, about={"clock": self.clock.readings()}, set_back=set_back
        )
        self.journal.before_sync, self.journal.after_sync = self.hub.free_way, self.hub.take_way
        self._disk = DiskWatch(self.journal.path.parent)
        self.owner = Owner(self.clock, on_error=self._on_error, after_turn=self._after_turn)
        tables = self.configuration.table if self.configuration.exports.mqtt is not None else ()
        self._archivist = Archivist(self.journal, part, {f"mqtt/{table.name}": table.name for table in tables})
        try:
            own(self.configuration, self.journal.identity.hex())
            self._open(key)
        except BaseException:
            self.owner.close()
            self._stack.close()
            self.journal.close()
            raise
        return self

    def _start_clock(self, path: Path) -> bool:
        """The clock of a journal that goes on; True when its time begins anew. ClockDoubtful."""
        newest_ns = 0
        with suppress(JournalEmpty), JournalReader(path) as reader:
            newest_ns = reader.newest_ns
        wall_ns = self.clock.now_ns()
        if doubtful(wall_ns, newest_ns):
            self._doubt = ClockDoubtful(path, wall_ns, newest_ns)
            if not self._clock_is_right:
                raise self._doubt
        self._behind = behind(wall_ns, newest_ns)
        set_back = goes_back(wall_ns, newest_ns)
        self._anew |= set_back
        self.clock = self._make_clock(0 if set_back else newest_ns)
        return set_back

    def _open(self, key: SealsWith | None) -> None:
        maker = self._stack.enter_context(TableFactory(self.journal.path))
        with JournalReader(self.journal.path) as reader:
            before = reader.starts()
        went_on: Resumed[JournaledPublisher] = Resumed()
        self.gets_on()
        if self.journal.taken_up:
            _log.warning("%s: an older version wrote it; tables begin anew, meters go on", self.journal.path)
        if not self._anew:
            now_ns = self.clock.now_ns()
            went_on = resume(self.journal, key, maker, now_ns, DERIVED_AND_EVENTS, progress=self.gets_on)
        else:
            for name in before.keys() - {part.name for part in self.configuration.table}:
                self.journal.stopped(name, self.clock.now_ns(), NOT_IN_FILE)
        self._early = went_on.unpublished
        ended = before.keys() - {part.name for part in self.configuration.table}
        for name, text in left_behind(self.configuration, ended, self.journal.books.tables, self.journal.path):
            _log.warning("table %s %s: %s", name, NOT_IN_FILE.removeprefix("it "), text)
        self._stop_what_changed(went_on, before)
        for part in self.configuration.table:
            self.tables[part.name] = self._session(part, maker, went_on, before)
        for timer in (self._beat, self._show, self._keep):
            self.owner.add(timer)
        for session in self.tables.values():
            self._connect(session, went_on)
            self.gets_on()
        requests = self._requests = RequestHandler(self.tables, self.clock, self._give_out)
        self.hub.on_look(self._look)
        self.hub.on_request(lambda: self.owner.call_soon(lambda: requests.take(self.hub.requests())))
        self._beat.due_ns = self.clock.now_ns()
        for session in self.tables.values():
            self.hub.show(session.view(self.clock.now_ns()))
            for caution in cautions_of(session.table.terms) if session.table.terms is not None else ():
                _log.warning("%s: %s", session.name, caution)

    def gets_on(self) -> None:
        """To be called at every step of a long opening: systemd waits as long as there are more."""
        self._notifier.keep_waiting(self.clock.now_ns())

    def _stop_what_changed(self, went_on: Resumed[JournaledPublisher], before: dict[str, TableStart]) -> None:
        """A table goes on only as it was."""
        for name, why in not_as_before(self.configuration.table, went_on.publishers.keys(), before).items():
            self._end(went_on.publishers.pop(name), name, why)

    def _end(self, publisher: JournaledPublisher, name: str, why: str) -> None:
        now_ns = self.clock.now_ns()
        for each in publisher.finish():
            self.journal.publish(name, each.topic, now_ns, each.line)
        write_settled(self.journal, name, publisher, now_ns)
        self.journal.stopped(name, now_ns, why)

    def _session(
        self,
        part: TablePart,
        maker: TableFactory,
        went_on: Resumed[JournaledPublisher],
        before: dict[str, TableStart],
    ) -> TableSession:
        publisher = went_on.publishers.get(part.name)
        if publisher is not None:
            start = before[part.name]
        else:
            configuration, facts = configuration_of(part), maker.facts(part)
            number = self.journal.started(part.name, self.clock.now_ns(), configuration, facts)
            self.journal.secure()
            start = TableStart(part.name, number, configuration, facts)
            publisher = maker(start)
        if (why := meters_differ(self.journal.books, publisher, part.name)) is not None:
            raise JournalDamaged(self.journal.path, None, why)
        publisher.dealt_again = False
        if publisher.rounds is not None:
            publisher.rounds.go_by(self.journal.books)
        publisher.viewer.hold(self.journal.books.held(part.name))
        return TableSession(part, start, publisher, self.journal, self.clock, self._note_moved, self._identities)

    def _connect(self, session: TableSession, went_on: Resumed[JournaledPublisher]) -> None:
        how = "goes on" if session.name in went_on.publishers else "begins anew"
        session.status("started", f"table {session.name} {how}", self.clock.now_ns())
        if (doubt := self._doubt) is not None:
            text = f"a person said that the clock is right: it says {written(doubt.wall_ns)}"
            text += f", the newest record said {written(doubt.newest_ns)}"
            session.status("clock-step", text, self.clock.now_ns())
        if self._behind is not None:
            session.status("clock-step", self._behind, self.clock.now_ns())
        for device in session.part.device:
            line = session.connect(device, went_on, self._gate)
            self._members[line] = session
            self.owner.add(line)

    # ------------------------------------------------------------------ running

    def run(self, timeout_s: float | None = None) -> None:
        """Serve until `stop` was called, the journal failed, or the time is up."""
        self._notifier.notify(READY=1, STATUS=self._summary())
        for item in self._early:  # only now does everybody listen
            self.hub.publish(item)
        self._early = []
        self._thread = threading.get_ident()
        with switching_within(SWITCH_S):
            self.owner.run(lambda: self._stopping or self.failed is not None, timeout_s)
        self._answer_lookers()  # no turn follows in which anybody could ask for it

    def simulate(self, table: str, bench: SimulatorHost) -> None:
        """Run simulated devices in the same loop; what can go wrong at them may be asked for at `table`."""
        self.tables[table].bench = bench
        members: tuple[Member, ...] = (bench, *bench.lines.values())
        for member in members:
            self.owner.add(member)
        bench.start(self.clock.now_ns())

    def note_access(self, table: str, text: str) -> None:
        """Write down who signed in or out, or was refused something, at `table`; empty: at each, since a role is one at
        all of them. May be called from any thread."""

        def note() -> None:
            for name, session in self.tables.items():
                if table in ("", name):
                    session.status("access", text, self.clock.now_ns())

        self.owner.call_soon(note)

    def stop(self) -> None:
        """End `run`. May be called from any thread, and from a signal handler."""
        self._stopping = True
        self.owner.call_soon(lambda: None)

    def __exit__(self, *_: object) -> None:
        self._notifier.notify(STOPPING=1, STATUS=self.failed or "stopping")
        for session in self._unkept:
            session.keep(self.clock.now_ns())
        for session in self.tables.values():
            session.close()
            session.status("stopped", f"table {session.name} is no longer served", self.clock.now_ns())
        self._archivist.close()
        self._give_out()
        self.owner.close()
        self._stack.close()
        self.journal.close()
        self.hub.free_way()
        self._notifier.close()

    # ------------------------------------------------------------------ in the owner's turn

    def _after_turn(self) -> None:
        """Write the open group, make it known, and show what changed. Bytes from which nothing followed wait: nobody
        was told of them."""
        for (table, device), where in self._identities.take().items():
            self.tables[table].elsewhere(device, where, self.clock.now_ns())
        if self._moved:  # with hundreds of tables most turns are of none of them
            self._give_out()
            for session in self._moved:
                (self._unshown if self.hub.is_watched(session.name) else self._unwatched)[session] = None
                if session.owes_snapshot:
                    self._unkept[session] = None
            if self._unkept and self._keep.due_ns is None:
                self._keep_in(KEEP_AFTER_NS)
        while self._later:  # what goes out to devices, once the group is on the disk
            self._later.pop(0)()
        if self._requests is not None and self._requests.noted:
            self._requests.answer_all(self.journal.failed)
        if self.journal.failed is not None:
            self._fail(f"{self.journal.path}: {self.journal.failed}")
        now_ns = self.clock.now_ns()
        self._show_what_moved(now_ns)
        if self._lookers:
            self._answer_lookers()
        self.hub.free_way()
        self.health.waited(self.clock.now_ns() - self.owner.began_ns)
        if self._follow_clock:
            self._jump()

    def _give_out(self) -> bool:
        """Write the open group and make it known; True when the disk has all of it."""
        for item in self.journal.commit():
            self.hub.publish(item)
        return self.journal.secure()

    def _show_what_moved(self, now_ns: int) -> None:
        urgent, self._moved = [session for session in self._unshown if session.urgent], {}
        due_ns = self._shown_ns + VIEW_NS * max(1, len(self.tables) // SHOWN_TOGETHER)
        if urgent:  # what can wait does not keep it
            self._show_all(urgent, now_ns)
        elif self._unshown and now_ns >= due_ns:
            self._on_show(now_ns)
        if self._unshown and self._show.due_ns is None:
            self._show.due_ns = due_ns
            self.owner.changed(self._show)

    def _on_show(self, now_ns: int) -> None:
        self._shown_ns = now_ns
        self._show_all(list(self._unshown), now_ns)

    def _show_all(self, sessions: Sequence[TableSession], now_ns: int) -> None:
        """Every view is made before the first is shown: a reader that is woken takes the interpreter."""
        for session in sessions:
            self._unshown.pop(session, None)
            self._unwatched.pop(session, None)
        for view in [session.view(now_ns) for session in sessions]:
            self.hub.show(view)

    def _look(self) -> None:
        """Somebody looks who does not watch: show what moved, from whatever thread, and wait until it is shown."""
        if not (self._unwatched or self._unshown):
            return
        if threading.get_ident() == self._thread:
            self._show_what_waits()
        else:
            done = threading.Event()
            self._lookers.append(done)
            self.owner.call_soon(lambda: None)  # at the end of the turn
            done.wait(LOOK_S)

    def _show_what_waits(self) -> None:
        """All of it but for what moved in a turn that is under way: that is not on the disk yet."""
        waiting = [session for session in {**self._unshown, **self._unwatched} if session not in self._moved]
        self._show_all(waiting, self.clock.now_ns())

    def _answer_lookers(self) -> None:
        self._show_what_waits()
        while self._lookers:
            self._lookers.popleft().set()

    def _keep_in(self, wait_ns: int) -> None:
        self._keep.due_ns = self.clock.now_ns() + wait_ns
        self.owner.changed(self._keep)

    def _on_keep(self, now_ns: int) -> None:
        """A snapshot, one at a time, of a table whose round ended: nobody waits for it, so it keeps nobody waiting. It
        is on the disk with the next group."""
        session = next(iter(self._unkept))
        del self._unkept[session]
        session.keep(now_ns)
        if self._unkept:
            self._keep_in(KEEP_APART_NS)

    def _note_moved(self, session: TableSession) -> None:
        self.hub.take_way()
        self._moved[session] = None

    def _on_beat(self, now_ns: int) -> None:
        """Once a second: look at the lines, and tell systemd that all is well while it is."""
        self._beat.due_ns = now_ns - now_ns % BEAT_NS + BEAT_NS  # when the lines' heartbeats fall: one commit for all
        self.health.beat(now_ns, self.clock.now_ns() - now_ns)
        self.journal.look(now_ns)
        self._archivist.beat(now_ns)
        self._give_out()
        self._look_at_disk(now_ns)
        self._look_at_clock(now_ns)
        self._gate.try_again()
        lines: list[Supervisor] = []
        for session in self.tables.values():
            session.look_at_lines(now_ns)
            session.archive_problem(self._archivist.problem, now_ns)
            session.keep(now_ns)
            self.health.count(session.name, session.lines, session.budgets)
            lines += session.lines
        look_for_garbage(now_ns)
        wedged = self._pulse.wedged(lines, now_ns)
        if wedged:
            self._notifier.notify(STATUS=f"nothing moves on {', '.join(wedged)}")
        elif self._notifier.watchdog_ns:
            self._notifier.notify(WATCHDOG=1, STATUS=self._summary())
        else:
            self._notifier.notify(STATUS=self._summary())

    def _look_at_disk(self, now_ns: int) -> None:
        warning = self._disk.look(now_ns)
        self.health.disk_free, self.health.disk_size = self._disk.free, self._disk.size
        self.health.archive_missing = self._archivist.missing
        if warning is not None:
            _log.warning("%s: %s", self.journal.path, warning)
            for session in self.tables.values():
                session.status("warning", warning, now_ns)

    def _look_at_clock(self, now_ns: int) -> None:
        step = self.clock.look()
        self.health.clock_offset_ns = self.clock.offset_ns
        if step is None:
            return
        _log.warning("%s", sentence_of(step))
        simulated = any(session.bench is not None for session in self.tables.values())
        self._follow_clock = follows(step) and not simulated
        facts = ClockSet(step.by_ns, step.wall_ns, step.carried_ns, self._follow_clock)
        for session in self.tables.values():
            session.status("clock-step", sentence_of(step), now_ns, clock=facts)

    def _jump(self) -> None:
        """Between two turns, follow a clock that was set forward. Lines are given back before and opened anew after:
        nobody waits, or gives up, for what never happened, nor meets every deadline of an hour that was none."""
        self._follow_clock = False
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
        """A fault of this program at one table: that table stops, the others go on."""
        session = self._members.get(member)
        if session is None:
            raise error
        if isinstance(error, JournalError):
            self._fail(str(error))
            return
        at = traceback.extract_tb(error.__traceback__)[-1]
        # The message of such an error may hold anything, a face too; the place says as much.
        why = f"a fault of this program: {type(error).__name__} at {at.filename.rsplit('/', 1)[-1]}:{at.lineno}"
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
                session.stop_safely(f"nothing more is written down: {why}", self.clock.now_ns())
                self.hub.show(session.view(self.clock.now_ns()))


def not_as_before(parts: Sequence[TablePart], running: Set[str], before: Mapping[str, TableStart]) -> dict[str, str]:
    """Which tables of a journal, `running` in it, cannot go on, and why: their settings are others now, or they share
    their meters with a table that begins anew."""
    wanted = {part.name: configuration_of(part) for part in parts}
    changed = {
        name: "its settings changed" if name in wanted else NOT_IN_FILE
        for name in sorted(running)
        if wanted.get(name) != before[name].configuration
    }
    shared = {part.name: {file.resolve() for file in (part.progressive, part.jackpot) if file} for part in parts}
    for setup in set().union(*shared.values()):
        together = {name for name, files in shared.items() if setup in files}
        if together & changed.keys() or together - running:
            for name in sorted(together & running):
                changed.setdefault(name, "it shares its meters with a table that begins anew")
    return changed


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


@contextmanager
def switching_within(seconds: float) -> Iterator[None]:
    """A thread that wants to go on gets the interpreter from another after so long."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(seconds)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


@contextmanager
def made_for_good() -> Iterator[None]:
    """What exists now is left alone by the garbage collector until the end. To look through all the classes, procedures
    and pages of a service takes it a tenth of a second, in which no table hears a thing. What comes later it looks
    through at a service's beat: by itself it would do so where most is made, which is in the middle of a result."""
    gc.collect()
    gc.freeze()
    before = gc.get_threshold()
    gc.set_threshold(UNSEEN_MAX, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()


def look_for_garbage(now_ns: int) -> None:
    """Look through what was made since the last beat, and every ten minutes through all that was made since
    `made_for_good`; where nothing was, the collector goes by itself."""
    if gc.get_threshold()[0] == UNSEEN_MAX:
        gc.collect(2 if now_ns // BEAT_NS % GARBAGE_BEATS == 0 else 1)
