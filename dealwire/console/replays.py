"""Replay of recordings for the console: each step as the view it led to, from the bytes alone.

The bytes go through the same decoders, flow, rules and viewer as those of an attached device. Memory is bounded:
`STEPS_MAX` steps per recording, `REPLAYS_MAX` recordings. One daemon thread replays, so that pages stay live and the
program can exit.

A recording comes from elsewhere and must not select files: the procedure it names is the id of one that is part of
dealwire, never a path.
"""

import asyncio
import contextlib
import itertools
import stat
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeVar

from dealer_flow.procedure.load import known_procedures
from dealwire.console.worker import Worker, WorkerBusy
from dealwire.hub.view import TableView
from dealwire.table.action_words import action_words, pot_words
from dealwire.table.id_words import report_words
from dealwire.table.replay import usual_table
from dealwire.table.table import Table
from dealwire.table.viewer import Viewer
from devices.drive.replay import play
from devices.events import Body, PlayerActed, PotTaken, Seen
from devices.record.capture import Capture, CaptureError
from protocol.errors import DealwireError

STEPS_MAX: Final = 5_000
REPLAYS_MAX: Final = 4
FILES_MAX: Final = 500
"""Maximum number of recordings listed of a folder, the newest."""
BYTES_MAX: Final = 64 * 1024 * 1024
"""Longest recording opened here; `dealwire replay` opens longer ones."""
TOO_LONG: Final = f"longer than {BYTES_MAX // 2**20} MiB; use `dealwire replay`"
NAME_SHOWN: Final = 64
"""Characters shown of an unknown procedure name in a recording."""

DEFAULT: Final = "flushes-gone-wild.co"
"""Procedure of a recording that names none, as for `dealwire replay`."""


class ReplayUnusable(DealwireError):
    """A recording cannot be replayed here; `status` is the HTTP status."""

    def __init__(self, name: str, why: str, status: int = 422) -> None:
        self.name, self.why, self.status = name, why, status
        super().__init__(f"{name}: {why}")


Result = TypeVar("Result")
Keep = Callable[[Seen, TableView], None]
"""Takes one report and the table's view after it."""


@dataclass(frozen=True, slots=True)
class Source:
    """A recording: a file of the folder or another source, such as a table's journal.

    `deal` passes on every report with the view after it, and returns what is wrong with the recording, if anything. It
    raises a DealwireError if nothing can be replayed.
    """

    name: str
    title: str
    table: str | None
    deal: Callable[[Keep], str]
    stamp: int | None = None
    """Changes when the recording does; None for one that grows while it is displayed."""


@dataclass(frozen=True, slots=True)
class RecordingEntry:
    """One recording in the list. `problem` says why it cannot be opened."""

    name: str
    title: str
    procedure: str
    size: int | None = None
    problem: str = ""
    at_ns: int | None = None
    """Time of its first bytes."""


@dataclass(frozen=True, slots=True)
class ReplayStep:
    """One report and the table's view after it. `what` names the device and the kind of report, never its content,
    except for a player's action with chips, which everyone at the table sees."""

    at_ns: int
    what: str
    view: TableView
    acted: bool = False
    """True if a player acted with chips or took a pot."""

    @property
    def at_ms(self) -> int:
        """Time in milliseconds since 1970."""
        return self.at_ns // 1_000_000


@dataclass(frozen=True, slots=True)
class Replay:
    """A replayed recording. `note` says whether it was cut, and why."""

    name: str
    title: str
    steps: tuple[ReplayStep, ...]
    note: str = ""

    def step_at(self, at_ms: int, nth: int) -> int | None:
        """Return the number of the step at that time, the `nth` of several; None if it is not shown. Unlike its number,
        the time of a step stays valid when the range shown moves on."""
        found = [number for number, step in enumerate(self.steps) if step.at_ms == at_ms]
        return found[min(nth, len(found) - 1)] if found else None

    @property
    def index(self) -> dict[str, list[int]]:
        """Time of the first step (ms since 1970), offset of each step from there (ms), and the numbers of the steps at
        which a round starts, an incident occurs, or a player acts with chips."""
        first_ms, views = self.steps[0].at_ms, [step.view for step in self.steps]
        pairs = list(itertools.pairwise(views))
        return {
            "first_ms": [first_ms],
            "at_ms": [step.at_ms - first_ms for step in self.steps],
            "rounds": [at for at, (old, new) in enumerate(pairs, 1) if old.state == "betting" != new.state],
            "incidents": [at for at, (old, new) in enumerate(pairs, 1) if _more_incidents(old, new)],
            "actions": [at for at, step in enumerate(self.steps) if step.acted],
        }


def _more_incidents(old: TableView, new: TableView) -> bool:
    known = old.log[-1].sequence if old.log else -1
    return any(line.clause and line.sequence > known for line in new.log)


def deal_capture(capture: Capture, table: Table, title: str, keep: Keep) -> str:
    """Replay `capture` at `table`, as `Source.deal`."""
    viewer, count = Viewer(table, title), itertools.count()

    def deliver(seen: Seen) -> None:
        viewer.update(seen, table.handle(seen))
        keep(seen, viewer.view(next(count), seen.at_ns))

    try:
        play(capture, deliver)
    except CaptureError as error:
        return _problem_of(error)
    return capture.torn or ""


def _problem_of(error: Exception) -> str:
    """Return the error in a recording as text, without the path of this machine."""
    if isinstance(error, OSError):
        return error.strerror or "it cannot be read"
    return str(error).replace(f"{getattr(error, 'path', '')}: ", "")


def deal_again(source: Source) -> Replay:
    """Return every step of a recording; ReplayUnusable if there is nothing to see."""
    steps = _Steps()
    try:
        note = source.deal(steps.add)
    except _Enough:
        note = f"only the first {STEPS_MAX:,} steps are shown; use `dealwire replay` for all of them"
    except DealwireError as error:
        raise ReplayUnusable(source.name, _problem_of(error)) from error
    if not steps.kept:
        raise ReplayUnusable(source.name, note or "it contains no device report")
    return Replay(source.name, source.title, tuple(steps.kept), note)


class _Enough(Exception):
    """The limit of steps is reached."""


_NO_TIME: Final = dict.fromkeys(("sequence", "at_ns", "reported_ns"))
"""Placeholder for the times of a view when two views are compared."""


class _Steps:
    """The steps so far. A report that changes nothing visible is not a step."""

    def __init__(self) -> None:
        self.kept: list[ReplayStep] = []

    def add(self, seen: Seen, view: TableView) -> None:
        if self.kept and _look_alike(self.kept[-1].view, view):
            return
        if len(self.kept) >= STEPS_MAX:
            raise _Enough
        acted = isinstance(seen.body, PlayerActed | PotTaken)
        self.kept.append(ReplayStep(seen.at_ns, f"{seen.device}: {_words(seen.body, view.currency)}", view, acted))


def _words(body: Body, currency: str) -> str:
    """Return a report as text: `PacketDispensed` as `packet dispensed`, a player's action as spoken."""
    if isinstance(body, PlayerActed):
        return f"seat {body.seat} {action_words(body.action, body.cents, body.manner, currency)}"
    if isinstance(body, PotTaken):
        return f"seat {body.seat} takes from {pot_words(body.pot)}"
    return report_words(type(body).__name__)


def _look_alike(one: TableView, other: TableView) -> bool:
    """True if two views differ in their times only."""
    return one.__dict__ | _NO_TIME == other.__dict__ | _NO_TIME


class Shelf:
    """The recordings available, and those replayed lately. `folder` None: no files."""

    def __init__(
        self, folder: Path | None, sources: Sequence[Source] = (), make_table: Callable[[str], Table] = usual_table
    ) -> None:
        self._folder, self._sources, self._make_table = folder, tuple(sources), make_table
        self._dealt: OrderedDict[tuple[str, int | None], Replay] = OrderedDict()
        self._looks: dict[tuple[str, int, int], RecordingEntry] = {}
        """List entries by name, time of change and size, so that no file is read twice."""
        self._worker = Worker("console-replay")

    def close(self) -> None:
        """Stop without waiting. Callers that wait for a recording get ReplayUnusable."""
        self._worker.close()

    async def entries(self, table: str | None, procedure: str | None) -> list[RecordingEntry]:
        """Return the recordings; for a table, its own and those of its procedure."""
        return await self._ask("the list", lambda: self._list(table, procedure))

    async def replay(self, name: str, *, anew: bool = False) -> Replay:
        """Return a replayed recording by its name in the list; ReplayUnusable. A growing source is replayed again only
        if `anew`; a changed file is always replayed again."""
        return await self._ask(name, lambda: self._deal(name, anew))

    async def _ask(self, name: str, call: Callable[[], Result]) -> Result:
        try:
            return await asyncio.wrap_future(self._worker.run(call))
        except WorkerBusy as error:
            raise ReplayUnusable(name, str(error), 503) from error

    # ------------------------------------------------------------------ in the worker's thread

    def _list(self, table: str | None, procedure: str | None) -> list[RecordingEntry]:
        found = [RecordingEntry(one.name, one.title, "") for one in self._sources if table in (None, one.table)]
        files = {(path.name, stamp, size): path for path, stamp, size in self._files().values()}
        self._looks = {key: self._looks.get(key) or _look(path, key[2]) for key, path in files.items()}
        wanted = (procedure, "")
        return found + [entry for entry in self._looks.values() if procedure is None or entry.procedure in wanted]

    def _files(self) -> dict[str, tuple[Path, int, int]]:
        """Return the recordings of the folder by name: path, time of change, size. A requested name is looked up here
        and never becomes a path."""
        if self._folder is None:
            return {}
        found: list[tuple[int, Path, int]] = []
        for path in self._folder.glob("*.pcapng"):
            with contextlib.suppress(OSError):  # deleted meanwhile
                facts = path.lstat()
                if stat.S_ISREG(facts.st_mode):  # skip links, FIFOs and devices
                    found.append((facts.st_mtime_ns, path, facts.st_size))
        newest = sorted(found, reverse=True)[:FILES_MAX]
        return {path.name: (path, stamp, size) for stamp, path, size in sorted(newest, key=lambda one: one[1].name)}

    def _deal(self, name: str, anew: bool) -> Replay:
        source = next((one for one in self._sources if one.name == name), None) or self._file(name)
        if anew and source.stamp is None:
            self._dealt.pop((name, None), None)
        key = name, source.stamp
        if key not in self._dealt:
            self._dealt[key] = deal_again(source)
            while len(self._dealt) > REPLAYS_MAX:
                self._dealt.popitem(last=False)
        self._dealt.move_to_end(key)
        return self._dealt[key]

    def _file(self, name: str) -> Source:
        if name not in (files := self._files()):
            raise ReplayUnusable(name, "there is no such recording here", 404)
        path, stamp, size = files[name]
        if size > BYTES_MAX:
            raise ReplayUnusable(name, TOO_LONG)

        def deal(keep: Keep) -> str:
            capture = Capture.read(path)
            return deal_capture(capture, self._make_table(recorded_procedure(capture)), name, keep)

        return Source(name, name, None, deal, stamp)


def recorded_procedure(capture: Capture) -> str:
    """Return the id of the procedure that a recording names, the default if it names none; ReplayUnusable for an
    unknown one."""
    named, known = capture.procedure or DEFAULT, known_procedures()
    if named not in known:
        why = f"it names the procedure {named[:NAME_SHOWN]!r}, which is not part of dealwire"
        raise ReplayUnusable(capture.path.name, f"{why}; use `dealwire replay --procedure`")
    return named


def _look(path: Path, size: int) -> RecordingEntry:
    if size > BYTES_MAX:
        return RecordingEntry(path.name, path.name, "", size, TOO_LONG)
    try:
        capture = Capture.read(path)
        first = next(iter(capture.chunks), None)
        at_ns = first.at_ns if first is not None else None
        return RecordingEntry(path.name, path.name, capture.procedure, size, at_ns=at_ns)
    except (DealwireError, OSError) as error:
        return RecordingEntry(path.name, path.name, "", problem=_problem_of(error))
