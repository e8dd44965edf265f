"""Figures of `work`, and the program that counts them: `python -m benchmarks.work_figures [NAME …]` prints them as one
JSON object, with a line of text in place of a figure that these packages cannot give.

PYTHONPATH decides which packages are counted, so nothing of them is imported before a figure needs it.
"""

import argparse
import json
import logging
import multiprocessing
import tempfile
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from io import StringIO
from pathlib import Path
from typing import Any, Final

from benchmarks.calls import Job, Meter, by_function, calls_of, whole
from benchmarks.settled_rounds import WARM_UP, lines_of

GAME: Final = "flushes-gone-wild.co"
METER_CENTS: Final = 10**9
START_NS: Final = 1_790_000_000_000_000_000
HEARTBEATS: Final = 120
LIVE_ROUNDS: Final = 2
AFTER: Final = 200
"""Frames after which devices without players are at rest."""
PROFILED: Final = 30
"""Functions that a profile lists."""


@dataclass(frozen=True, slots=True)
class Figure:
    """Figure with a `title` and a unit (`per`) for people. `prepare` makes the job, and puts what has to be closed on
    its stack."""

    title: str
    per: str
    prepare: Callable[[ExitStack], Job]


# ---------------------------------------------------------------------- from recorded bytes to settlements


@cache
def recordings() -> list[Any]:
    """Return the recordings of `replay`, in memory."""
    from benchmarks.replay import CAPTURES, NAMES, InMemory

    return [InMemory(CAPTURES / f"{name}.pcapng") for name in NAMES]


def deliver() -> int:
    """Play every recording without a receiver; return the number of frames."""
    from devices.drive.replay import play

    return sum(play(recording, lambda _: None).frames for recording in recordings())


def _dealing(*, settle: bool) -> Callable[[Meter], None]:
    from benchmarks.replay import deal
    from dealer_flow.procedure.load import load_procedure
    from dealwire.table.table import Table, TableTerms
    from rules.game.load import load_game

    table = Table(load_procedure(GAME), TableTerms(load_game(GAME)) if settle else None)
    return whole(partial(deal, recordings(), table))


def link(_: ExitStack) -> Job:
    """Return the job of framing, decoding, link and driver: bytes to reports."""
    return Job(deliver(), whole(deliver))


def flow(_: ExitStack) -> Job:
    """Return the job from reports to rounds."""
    return Job(deliver(), _dealing(settle=False), whole(deliver))


def settlement(_: ExitStack) -> Job:
    """Return the job from rounds to settlements, for each frame."""
    return Job(deliver(), _dealing(settle=True), _dealing(settle=False))


def together(_: ExitStack) -> Job:
    """Return the job from bytes to settlements."""
    return Job(deliver(), _dealing(settle=True))


# ---------------------------------------------------------------------- a sealed line


def sealed(_: ExitStack) -> Job:
    """Return the job of both ends of a sealed line: a frame of the device's link is sealed, then opened for the
    host's."""
    from benchmarks.codec import a_table_at_work
    from benchmarks.sealed import sealed_ends

    frames, (device, host) = a_table_at_work(1000), sealed_ends()

    def pass_on() -> None:
        for frame in frames:
            host.receive(device.send(frame, START_NS), START_NS)

    return Job(len(frames), whole(pass_on))


# ---------------------------------------------------------------------- settled rounds


def settled(game: str, _: ExitStack) -> Job:
    """Return the job of a game's kept rounds: some to warm up, and others whose cards are new to every cache."""
    from dealer_flow.record.result import RoundResult
    from dealwire.table.table import TableTerms
    from rules.game.load import load_game

    rounds = [RoundResult.from_json(line) for line in lines_of(game)]
    loaded = load_game(game)
    meters = dict.fromkeys(loaded.meters(), METER_CENTS) if game == GAME else {}
    terms = TableTerms(loaded, meters=meters)

    def settle(these: list[RoundResult]) -> None:
        for each in these:
            terms.settle(each)

    first, others = rounds[:WARM_UP], rounds[WARM_UP:]
    return Job(len(others), whole(partial(settle, others)), warm=whole(partial(settle, first)))


# ---------------------------------------------------------------------- lines that a table service publishes


def published(stack: ExitStack) -> Job:
    """Return the job of the lines of all recordings: made, journaled, committed a report at a time, and passed to one
    reader. Dealing and settling at the table are subtracted."""
    from dealwire.hub.hub import Hub
    from dealwire.journal import Journal
    from dealwire.journal.tables import JournaledTable
    from dealwire.table.redaction import PublishedLine, Publisher
    from dealwire.table.table import Table
    from devices.clock import ManualClock
    from devices.drive.replay import PlayStats, reports
    from rules.meters.settled_rounds import SettledInMemory

    clock, hub = ManualClock(START_NS), Hub()
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
    journal = stack.enter_context(Journal(folder / "journal.sqlite", key=None, clock=clock))
    subscription, stream = hub.subscribe(lambda: None), StringIO()
    evenings = [list(reports(recording, PlayStats())) for recording in recordings()]
    journaled, bare = _table(JournaledTable), _table(Table)
    published = Publisher(journaled)

    def put(lines: list[PublishedLine], at_ns: int) -> int:
        for each in lines:
            journal.publish("table-1", each.topic, at_ns, each.line)
        for item in journal.commit():
            hub.publish(item)
        for item in subscription.take()[0]:
            stream.write(item.line + "\n")
        return len(lines)

    def publish() -> int:
        count = 0
        for evening in evenings:
            count += sum(put(published.publish(seen), seen.at_ns) for seen in evening)
            count += put(published.finish(), evening[-1].at_ns)
        return count

    def play(meter: Meter) -> None:
        journaled.remember(SettledInMemory())  # or no round would be settled a second time
        with meter:
            publish()

    def deal() -> None:
        for evening in evenings:
            for seen in evening:
                bare.handle(seen)
            bare.finish()

    return Job(publish(), play, whole(deal))


def _table(kind: Any) -> Any:
    from dealer_flow.procedure.load import load_procedure
    from dealwire.table.table import TableTerms
    from rules.game.load import load_game

    return kind(load_procedure(GAME), TableTerms(load_game(GAME)))


# ---------------------------------------------------------------------- a table that is served


class Served:
    """Table of the service with simulated devices, on lines in memory and a clock that only this class moves. Its
    journal is not sealed, since that needs an extra. `idle_s` passes between the steps in which people bet."""

    def __init__(self, stack: ExitStack, idle_s: float) -> None:
        from benchmarks.restart_records import ADDRESSES, SETTINGS, Far, MovedClock, served
        from dealwire.rehearsal.tables import CONTROLLER, SHUFFLER

        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        settings = SETTINGS.format(key="", shuffler=ADDRESSES[SHUFFLER], controller=ADDRESSES[CONTROLLER])
        (folder / "table.toml").write_text(settings, encoding="utf-8")
        self._clock = MovedClock(START_NS)
        self._far = Far(self._clock, idle_s, seed=1)
        self._service = stack.enter_context(served(folder, self._clock, self._far))
        self._service._disk = RoomyDisk()  # type: ignore[assignment]
        (self._table,) = self._service.tables.values()

    @property
    def rounds(self) -> int:
        """Return the number of rounds that ended."""
        return self._table.rounds

    @property
    def frames(self) -> int:
        """Return the number of frames received on both lines."""
        sessions = [line.session for line in self._table.lines]
        return sum(session.link.stats.frames for session in sessions if session is not None)

    def turn(self, meter: Meter, until: Callable[[], bool]) -> None:
        """Take turns until `until` is true. Only turns in which a line or a timer has something count, as the owner
        would take them; the work of the devices does not."""
        from benchmarks.restart_records import STEP_NS

        owner, far, clock = self._service.owner, self._far, self._clock
        said = False
        while not until():
            said |= far.turn()
            if said or min(self._dues(owner.members)) <= clock.now_ns():
                with meter:
                    owner.turn()
            said = far.turn()
            if not said:
                clock.set(max(min(self._dues((far, *owner.members))), clock.now_ns() + STEP_NS))

    def _dues(self, members: Iterable[Any]) -> Iterator[int]:
        return (due for member in members if (due := member.next_deadline_ns) is not None)


class RoomyDisk:
    """Disk that is never full, in place of this machine's."""

    free = size = 1 << 40

    def look(self, _: int) -> None:
        """Report nothing."""


def heartbeat(_: ExitStack) -> Job:
    """Return the job of one heartbeat a second from both devices while nothing changes."""

    def play(meter: Meter) -> None:
        with ExitStack() as stack:
            served = Served(stack, idle_s=1e6)
            served.turn(Meter(), lambda: served.frames >= AFTER)
            served.turn(meter, lambda: served.frames >= AFTER + HEARTBEATS)

    return Job(HEARTBEATS, play)


def live(_: ExitStack) -> Job:
    """Return the job of all that the service does for a frame while rounds are dealt and no page is open."""
    frames = 0

    def play(meter: Meter) -> None:
        nonlocal frames
        with ExitStack() as stack:
            served = Served(stack, idle_s=0.3)
            served.turn(Meter(), lambda: served.rounds >= 1)
            before = served.frames
            served.turn(meter, lambda: served.rounds >= 1 + LIVE_ROUNDS)
            frames = served.frames - before

    play(Meter())
    return Job(frames, play)


# ---------------------------------------------------------------------- the console


def step(_: ExitStack) -> Job:
    """Return the job of every recording replayed for the console, each step with its view; no page is rendered."""
    from dealwire.console.replays import Source, deal_again, deal_capture
    from dealwire.table.replay import usual_table

    def sources() -> list[Source]:
        return [
            Source(str(at), str(at), None, partial(deal_capture, each, usual_table(GAME), str(at)))
            for at, each in enumerate(recordings())
        ]

    def play(meter: Meter) -> None:
        for source in sources():
            with meter:
                deal_again(source)

    return Job(sum(len(deal_again(source).steps) for source in sources()), play)


FIGURES: Final[Mapping[str, Figure]] = {
    "link": Figure("link and driver", "frame", link),
    "flow": Figure("flow", "frame", flow),
    "settlement": Figure("settlement", "frame", settlement),
    "together": Figure("bytes to settlements, together", "frame", together),
    "flushes-gone-wild": Figure("Flushes Gone Wild", "settled round", partial(settled, GAME)),
    "ultimate": Figure("Ultimate Texas Hold'em", "settled round", partial(settled, "ultimate-texas-holdem.co")),
    "pai-gow": Figure("Pai Gow", "settled round", partial(settled, "pai-gow.co")),
    "emperors": Figure("Emperor's Challenge", "settled round", partial(settled, "emperors-challenge.co")),
    "holdem": Figure("hold'em with side pots", "settled round", partial(settled, "holdem.co")),
    "home-run": Figure("Home Run", "settled round", partial(settled, "home-run.co")),
    "sealed": Figure("sealed line, both ends: sealed, opened", "frame", sealed),
    "line": Figure("line made known by the service", "published line", published),
    "live": Figure("table of the service, rounds under way", "frame", live),
    "heartbeat": Figure("table of the service at rest", "heartbeat", heartbeat),
    "step": Figure("replay in the console", "step", step),
}


@contextmanager
def prepared(name: str) -> Iterator[Job]:
    """Yield the job of a figure, and close it afterwards."""
    with ExitStack() as stack:
        yield FIGURES[name].prepare(stack)


def counted(name: str) -> float:
    """Return the calls for each unit of a figure."""
    with prepared(name) as job:
        return round(calls_of(job), 2)


def profiled(name: str) -> dict[str, float]:
    """Return the calls for each unit of each function that a figure calls, most called first."""
    with prepared(name) as job:
        return by_function(job)


def figure_or_error(work: Callable[[str], Any], name: str) -> Any:
    """Return the figure that `work` gives, or an error as one line of text."""
    try:
        return work(name)
    except Exception as error:
        if not isinstance(error, ImportError):
            traceback.print_exc()
        return f"{type(error).__name__}: {(str(error).splitlines() or [''])[0]}"


def alone(work: Callable[[str], Any], name: str) -> Any:
    """Return the same from a process of its own, whose caches no other figure has filled."""
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=lambda: theirs.send(figure_or_error(work, name)))
    process.start()
    theirs.close()
    try:
        return ours.recv()
    except EOFError:
        return "its process ended without a word"
    finally:
        process.join()


def load_packages() -> None:
    """Import once what every process would import again. Missing packages are noticed where they are needed."""
    for module in ("benchmarks.replay", "dealwire.rehearsal.simulate", "benchmarks.restart_records"):
        with suppress(ImportError):
            import_module(module)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.work_figures")
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--profile", action="store_true", help="each function's calls")
    asked = parser.parse_args(arguments)
    logging.disable()
    load_packages()
    work = profiled if asked.profile else counted
    print(json.dumps({name: alone(work, name) for name in asked.names or FIGURES}))


if __name__ == "__main__":
    main()
