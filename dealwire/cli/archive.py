"""Replay of recordings, one after the other or in several processes. Output and its order are the same in both cases.

Worker processes turn bytes into rounds. The main process settles the rounds in the order of the files, because meters
carry over from one recording to the next.
"""

import gc
import signal
from collections import Counter, deque
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import time
from itertools import count, islice
from multiprocessing import Pipe, Process
from multiprocessing.connection import Connection as Line
from pathlib import Path
from queue import SimpleQueue
from typing import Any, Final, cast

from dealer_flow.editions import Edition, EditionError
from dealer_flow.procedure.load import Procedure, ProcedureError, known_procedures, load_procedure
from dealer_flow.record.incidents import Incident
from dealer_flow.record.result import RoundResult
from dealwire.cli.ending import whole
from dealwire.cli.exits import Exit, explain
from dealwire.cli.table_options import TableMaker
from dealwire.config.schema import DAY_BEGINS
from dealwire.journal.segments import gaming_day
from dealwire.table.table import TableOutcome
from devices.drive.replay import PlayStats, play
from devices.events import Seen
from devices.processes import end_with_parent
from devices.record.capture import Capture, CaptureError, CaptureInaccessible
from devices.record.foreign import NamedLines
from devices.record.pcapng import RTAC_SERIAL
from protocol.errors import DealwireError
from protocol.nearest import did_you_mean
from protocol.printable import printable

BATCH_BYTES: Final = 256 * 1024
"""Batch size, in bytes of recordings. A batch of small recordings is worth the transfer to another process."""
AHEAD: Final = 4
"""Batches per process that are running or wait to be printed. This bounds memory when printing is slow."""

STEP: Final = 1024
"""Reports between two progress updates."""

Found = RoundResult | Incident


class ArchiveEmpty(DealwireError):
    """Error: the folder holds no recordings."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        super().__init__(f"{folder}: no recordings in this folder; expected files named *.pcapng")


@dataclass(slots=True)
class Dealt:
    """Result of one recording or, added up, of many: counters, and the first problem."""

    recorded: str = ""
    """Id of the procedure that the recording names, empty if it names none."""
    stats: PlayStats = field(default_factory=PlayStats)
    outcomes: Counter[str] = field(default_factory=Counter)
    incidents: Counter[str] = field(default_factory=Counter)
    opened: bool = False
    code: Exit = Exit.GOOD
    problem: str | None = None
    remark: str | None = None
    """Note for the user that is not an error."""
    problems: int = 0

    def add(self, other: "Dealt") -> None:
        """Add the counters of `other`, and keep the worse exit code."""
        self.problems += other.problem is not None
        self.stats.lines += other.stats.lines
        self.outcomes += other.outcomes
        self.incidents += other.incidents
        self.code = max(self.code, other.code)


def recordings_in(folder: Path) -> list[Path]:
    """Return the recordings of a folder in order of their names. Raise ArchiveEmpty if there is none,
    CaptureInaccessible if the folder cannot be read."""
    try:
        found = sorted(path for path in folder.iterdir() if path.match("*.pcapng") and path.is_file())
    except OSError as cause:
        raise CaptureInaccessible(folder, cause) from None
    if not found:
        raise ArchiveEmpty(folder)
    return found


def deal(
    path: Path,
    tables: TableMaker,
    say: Callable[[TableOutcome], None],
    progress: Callable[[int, int], None] = lambda *_: None,
    lines: NamedLines | None = None,
    begin: Callable[[Procedure], None] = lambda _: None,
) -> Dealt:
    """Replay one recording at a table of its own, and return its counters. A file that cannot be opened or played deals
    no round.

    `progress` is called from time to time with the bytes replayed so far and the size of the file. `lines` names the
    lines of a file that another tool wrote. `begin` gets the procedure before the first round.
    """
    try:
        capture = Capture.read(path, lines)
        recorded = "" if tables.given else recorded_procedure(capture)
        remark = _of_another(path, tables, capture.procedure)
        must_hold(tables.edition, capture)
    except (CaptureError, ProcedureError, EditionError) as error:
        code, line = explain(error)
        return Dealt(code=code, problem=line)
    table = tables.table(recorded)
    begin(table.flow.procedure)
    dealt = Dealt(recorded, outcomes=table.outcomes, incidents=table.incidents, opened=True, remark=remark)

    def publish(items: Sequence[TableOutcome]) -> None:
        for item in items:
            say(item)

    size = path.stat().st_size
    reports = count()

    def deliver(seen: Seen) -> None:
        publish(table.handle(seen))
        if not next(reports) % STEP:
            progress(capture.position, size)

    try:
        play(capture, deliver, stats=dealt.stats)
    except CaptureError as error:
        dealt.code, dealt.problem = Exit.PROTOCOL, str(error)
    publish(table.finish())
    _judge(dealt, capture, lines)
    return dealt


def _judge(dealt: Dealt, capture: Capture, lines: NamedLines | None) -> None:
    """Set the exit code and the first problem of a capture that was played to its end."""
    path = capture.path
    missing = [name for name in lines or () if name not in capture.there]
    if dealt.problem is not None:
        return
    if capture.torn:
        dealt.code, dealt.problem = Exit.CHECK_FAILED, f"{path}: {capture.torn}"
    elif missing:
        there = ", ".join(map(repr, capture.there)) or "none"
        dealt.code, dealt.problem = Exit.USAGE, f"{path}: it has no line {missing[0]!r}; its lines are {there}"
    elif not dealt.stats.frames:
        dealt.code, dealt.problem = Exit.PROTOCOL, f"{path}: nothing to replay: {_why_empty(capture, dealt.stats)}"


def _why_empty(capture: Capture, stats: PlayStats) -> str:
    if not stats.lines and capture.foreign:
        types = " and ".join(map(str, sorted(capture.foreign)))
        return f"it holds no serial line (link type {RTAC_SERIAL}), only link type {types}"
    if not stats.lines:
        return "no line was recorded in it"
    return f"it holds {stats.bytes:,} bytes, but no frame" if stats.bytes else "no bytes were received"


def _of_another(path: Path, tables: TableMaker, named: str) -> str | None:
    """Return a note if the recording names another game than it is dealt as and the numbers of bets or choices differ,
    since recordings hold them as numbers."""
    if tables.given is None or named not in known_procedures():
        return None
    given = tables.table().flow.procedure
    if _numbered(given) == _numbered(load_procedure(named)):
        return None
    why = "bets and choices are recorded as numbers of the former, and get the names of the latter"
    return f"{path}: it was recorded at {named} and is dealt as {given.id}: {why}"


def _numbered(procedure: Procedure) -> tuple[list[str], list[str]]:
    """Return the names of bets and of choices, in the order of their numbers."""
    return [bet.name for bet in procedure.bet], [choice.name for choice in procedure.decision]


def must_hold(edition: Edition | None, capture: Capture) -> None:
    """Raise EditionError if the recording is from a day on which the edition is not in force."""
    first = next(iter(capture.chunks), None) if edition is not None else None
    if edition is None or first is None:
        return
    day = gaming_day(first.at_ns, time.fromisoformat(DAY_BEGINS))
    if not edition.holds_on(day):
        why = f"recorded on the gaming day {day}, outside the edition {edition.id}, which holds {edition.days()}"
        raise EditionError(capture.path, None, "", why)


def recorded_procedure(capture: Capture) -> str:
    """Return the procedure that a recording names, empty if it names none. Raise ProcedureError if it is not one that
    dealwire includes."""
    return known_procedure(capture.path, capture.procedure)


def known_procedure(file: Path, named: str) -> str:
    """Return the procedure id that `file` names, empty if it names none. Raise ProcedureError if dealwire does not
    include it. Recordings and journals may come from anyone, so the name is never opened as a path."""
    known = known_procedures()
    if named and named not in known:
        which = f"{printable(repr(named))} was dealt, which does not come with dealwire{did_you_mean(named, known)}"
        why = f"{which}; give its file with --procedure"
        raise ProcedureError(str(file), None, "procedure", why)
    return named


# ------------------------------------------------------------------ by several processes


def deal_in_processes(
    paths: Sequence[Path], jobs: int, options: dict[str, Any]
) -> Generator[tuple[Dealt, list[Found]], None, None]:
    """Yield each recording with its rounds and incidents, in the order of `paths`. The generator ends early with a
    problem if a process is killed; no worker outlives it.

    Each process has a pipe of its own, which reports end of file even if the process is killed in the middle of a
    message. The shared pipe of a pool in the standard library would wait for the rest of such a message forever.
    """
    batches = _batches(paths, jobs)
    processes: list[Process] = []
    free, threads, done = SimpleQueue[Line](), ThreadPoolExecutor(jobs), 0
    try:
        for _ in range(min(jobs, len(batches))):
            ours, its = Pipe()
            process = Process(target=_deal_batches, args=(its, options), daemon=True)
            with whole():  # one that is there and not in the list would outlive the command when it is stopped
                process.start()
                processes.append(process)
            its.close()
            free.put(ours)
        todo = iter(batches)
        waiting = deque(threads.submit(_ask, free, batch) for batch in islice(todo, AHEAD * jobs))
        while waiting:
            answer = waiting.popleft().result()
            if answer is None:
                why = "a worker process was killed; this recording and those after it were not replayed"
                yield Dealt(code=Exit.CHECK_FAILED, problem=f"{paths[done]}: {why}"), []
                return
            for dealt, found in answer:
                yield dealt, found
                done += 1
            waiting.extend(threads.submit(_ask, free, batch) for batch in islice(todo, 1))
    finally:
        for process in processes:
            process.kill()  # a thread that waits for it goes on
        threads.shutdown(cancel_futures=True)
        for process in processes:
            process.join()


def _ask(free: SimpleQueue[Line], batch: list[Path]) -> list[tuple[Dealt, list[Found]]] | None:
    """Send `batch` to a free process and return its results, or None if the process was killed."""
    line = free.get()
    try:
        line.send(batch)
        return cast(list[tuple[Dealt, list[Found]]], line.recv())
    except (EOFError, OSError):
        return None
    finally:
        free.put(line)


def _batches(paths: Sequence[Path], jobs: int) -> list[list[Path]]:
    """Group neighboring recordings into batches of up to BATCH_BYTES, small enough that every process gets a share."""
    sizes = [path.stat().st_size for path in paths]
    most = min(BATCH_BYTES, sum(sizes) // (AHEAD * jobs))
    batches: list[list[Path]] = []
    room = 0
    for path, size in zip(paths, sizes, strict=True):
        if room <= 0:
            batches.append([])
            room = most
        batches[-1].append(path)
        room -= size
    return batches


def _deal_batches(line: Line, options: dict[str, Any]) -> None:
    """Run a worker process. The parent handles Ctrl-C; without a parent the worker ends."""
    gc.freeze()  # a collection that looked through what the parent made would copy all of it
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_parent()
    tables = TableMaker(**options | {"no_settle": True, "awards": False})
    while True:
        done = []
        for path in line.recv():
            found: list[Found] = []
            done.append((deal(path, tables, cast(Callable[[TableOutcome], None], found.append)), found))
        line.send(done)
