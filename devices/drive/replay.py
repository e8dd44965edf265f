"""Playback of a recording: through links that only listen, or as a line for a link that also sends."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from operator import attrgetter, itemgetter
from pathlib import Path
from typing import Final, Protocol

from devices.attested import parse_note as parse_attested
from devices.budget import parse_note
from devices.clock import Clock, SystemClock
from devices.dialects.drivers import UnknownKind
from devices.dialects.known import dialect_named
from devices.elsewhere import parse_note as parse_elsewhere
from devices.events import Seen
from devices.feed_state import LineStanding
from devices.line.session import NEVER, Feed, standing_of
from devices.listed import parse_note as parse_listed
from devices.record.capture import CLOSED, LINE_LOST, Capture, CaptureError, Chunk, Interface
from devices.transport.base import OpenLine
from protocol.errors import LineUnusable, LocalError, shorten
from protocol.link import Link, Resumable
from protocol.tdp.messages import Role

BATCH: Final = 256
"""Number of chunks read before their reports are handed on. Alternating between reading and dealing for every chunk
would evict each other from the processor's caches, which costs a sixth of the time."""


class CaptureUnplayable(CaptureError):
    """A recorded line does not name its kind of device, or uses something that this version does not support."""

    def __init__(self, path: Path, interface: str, why: str) -> None:
        self.path, self.interface, self.why = path, interface, why
        super().__init__(f"{path}: line {interface!r}: {why}")


@dataclass(slots=True)
class LineStats:
    """Counters of one recorded line."""

    name: str
    chunks: int = 0
    received: int = 0
    """Bytes from the device."""
    sent: int = 0
    """Bytes to the device: counted, not decoded."""
    frames: int = 0
    noise_bytes: int = 0


@dataclass(slots=True)
class PlayStats:
    """Counters of a whole recording, filled while it plays."""

    lines: list[LineStats] = field(default_factory=list)

    @property
    def chunks(self) -> int:
        """Reads and writes, without notes."""
        return sum(line.chunks for line in self.lines)

    @property
    def bytes(self) -> int:
        """Bytes received."""
        return sum(line.received for line in self.lines)

    @property
    def frames(self) -> int:
        """Frames received that were whole and usable."""
        return sum(line.frames for line in self.lines)

    @property
    def noise_bytes(self) -> int:
        """Bytes received that belong to no frame."""
        return sum(line.noise_bytes for line in self.lines)


def play(capture: Capture, deliver: Callable[[Seen], None], *, stats: PlayStats | None = None) -> PlayStats:
    """Call `deliver` with every report of the recording. Errors are those of `reports`.

    `stats` counts what was read, which may be some reports more than were delivered.
    """
    stats = stats if stats is not None else PlayStats()
    for heard in _batches(capture, stats):
        for seen in heard:
            deliver(seen)
    return stats


def reports(capture: Capture, stats: PlayStats) -> Iterator[Seen]:
    """Return the reports of the attached devices, in the original order and with the original times.

    Raise CaptureUnplayable at once, or when a line appears later; any CaptureError after everything before it.
    """
    return chain.from_iterable(_batches(capture, stats))


def _batches(capture: Capture, stats: PlayStats) -> Iterator[list[Seen]]:
    heard: list[Seen] = []
    player = Player(capture, lambda _: heard.append, stats)
    for interface in capture.interfaces:
        player.check(interface)
    return _played(capture, player, heard)


def _played(capture: Capture, player: "Player", heard: list[Seen]) -> Iterator[list[Seen]]:
    chunks, take = iter(capture.chunks), player.take
    try:
        for first in chunks:
            take(first)
            for chunk in islice(chunks, BATCH - 1):
                take(chunk)
            yield heard
            heard.clear()
    except CaptureError:
        player.finish()
        yield heard
        raise
    player.finish()
    yield heard


class Recording(Protocol):
    """Lines of a recording, as far as they are known. More may appear while it plays."""

    path: Path

    @property
    def interfaces(self) -> Sequence[Interface]:
        """All lines found so far."""


class Player:
    """Feeds of a recording, its time, and its counters.

    `deliver_to` returns the receiver of an interface's reports. A subclass may create other links.
    """

    def __init__(
        self,
        capture: Recording,
        deliver_to: Callable[[int], Callable[[Seen], None]],
        stats: PlayStats,
    ) -> None:
        self.stats = stats
        self._capture, self._deliver_to = capture, deliver_to
        self._now_ns = 0
        self._due_ns = NEVER  # no feed has an earlier deadline; may be early, never late
        self._open: dict[int, tuple[LineStats, Feed]] = {}
        self._lost: dict[int, Feed] = {}
        self._begun: list[tuple[LineStats, Link]] = []

    def check(self, interface: Interface) -> None:
        """Raise CaptureUnplayable unless `interface` can be played."""
        try:
            dialect_named(interface.dialect).driver(interface.device, where=interface.name)
        except UnknownKind as error:
            raise CaptureUnplayable(self._capture.path, interface.name, error.why) from None
        except LocalError as error:
            raise CaptureUnplayable(self._capture.path, interface.name, str(error)) from None

    @property
    def open(self) -> tuple[int, ...]:
        """Interfaces whose lines have not ended."""
        return tuple(self._open)

    @property
    def lost(self) -> dict[int, Feed]:
        """State from which the next line at an interface resumes, if the last one was lost."""
        return dict(self._lost)

    def state(self, index: int) -> LineStanding | None:
        """Return the state of line `index`; None while it is not at rest."""
        opened = self._open.get(index)
        return standing_of(opened[1] if opened is not None else self._lost.get(index))

    def resume(self, index: int, standing: LineStanding) -> None:
        """Resume line `index` from this state and drop its current one. Call `advance` up to that moment first."""
        self.drop(index)
        if standing.feed is None:
            return
        feed = self._feed(index, self._link(index), None)
        feed.restore(standing.feed, heard=standing.open)
        if standing.open:
            self._enter(index, feed)
        else:
            self._lost[index] = feed

    def drop(self, index: int) -> None:
        """Drop interface `index` as ended without notice; nothing resumes from it."""
        self._open.pop(index, None)
        self._lost.pop(index, None)

    def advance(self, at_ns: int) -> int:
        """Advance to `at_ns`, unless it is later already, and handle everything due by then. Return the current
        time."""
        now_ns = self._now_ns
        if at_ns > now_ns:
            now_ns = self._now_ns = at_ns
        if self._due_ns <= now_ns:
            self._meet_deadlines(now_ns)
        return now_ns

    def take(self, chunk: Chunk) -> None:
        """Process one read, write or note."""
        now_ns = chunk.at_ns
        if now_ns > self._now_ns:  # `advance`, inlined to save a call per chunk
            self._now_ns = now_ns
        else:
            now_ns = self._now_ns
        if self._due_ns <= now_ns:
            self._meet_deadlines(now_ns)
        data, interface = chunk.data, chunk.interface
        if chunk.comment and not data:
            self._note(chunk, now_ns)
            return
        line, feed = self._open[interface] if interface in self._open else self._begin(interface, now_ns)
        line.chunks += 1
        if chunk.sent:
            line.sent += len(data)
        else:
            line.received += len(data)
            feed.receive(data, now_ns)
            if feed.due_ns < self._due_ns:
                self._due_ns = feed.due_ns

    def finish(self) -> None:
        """Finish the recording: deliver what the links hold back, and read their counters."""
        for _, feed in self._open.values():
            feed.end(self._now_ns)
        for interface in self._capture.interfaces[len(self.stats.lines) :]:
            self.stats.lines.append(LineStats(interface.name))
        for line, link in self._begun:
            line.frames += link.stats.frames
            line.noise_bytes += link.stats.noise_bytes

    def _begin(self, index: int, now_ns: int) -> tuple[LineStats, Feed]:
        self.check(self._capture.interfaces[index])
        before = self._lost.pop(index, None)
        link: Link
        if before is not None and isinstance(before.link, Resumable):
            link = before.link.successor()
        else:
            link = self._link(index)
        feed = self._feed(index, link, before)
        feed.start(now_ns)
        return self._enter(index, feed)

    def _feed(self, index: int, link: Link, before: Feed | None) -> Feed:
        interface = self._capture.interfaces[index]
        driver = dialect_named(interface.dialect).driver(interface.device, where=interface.name)
        return Feed(interface.name, link, driver, self._deliver_to(index), after=before)

    def _enter(self, index: int, feed: Feed) -> tuple[LineStats, Feed]:
        """Register an open line."""
        for known in self._capture.interfaces[len(self.stats.lines) : index + 1]:
            self.stats.lines.append(LineStats(known.name))
        self._due_ns = min(self._due_ns, feed.due_ns)
        line = self.stats.lines[index]
        self._begun.append((line, feed.link))
        self._open[index] = line, feed
        return line, feed

    def _link(self, index: int) -> Link:
        """Return a new link for a line."""
        interface = self._capture.interfaces[index]
        return dialect_named(interface.dialect).make_link(interface.device, Role.OBSERVE, True)

    def _note(self, note: Chunk, now_ns: int) -> None:
        dropped = parse_note(note.comment)
        fact = parse_elsewhere(note.comment) or parse_attested(note.comment) or parse_listed(note.comment)
        if dropped is None and fact is None:
            self._end(note, now_ns)
            return
        _, feed = self._open.get(note.interface) or self._begin(note.interface, now_ns)
        if dropped is not None:
            feed.drop(dropped, now_ns)
        elif fact is not None:
            feed.report_fact(fact, now_ns)
        self._due_ns = min(self._due_ns, feed.due_ns)

    def _end(self, note: Chunk, now_ns: int) -> None:
        """End a line. A lost line is resumed when it comes back, as it was live; one that was closed starts over."""
        lost = note.comment.removeprefix(LINE_LOST) if note.comment.startswith(LINE_LOST) else None
        if lost is None and note.comment != CLOSED:
            return
        index = note.interface
        if lost is not None or index in self._open:
            _, feed = self._open.get(index) or self._begin(index, now_ns)
            del self._open[index]
            self._lost[index] = feed
            feed.end(now_ns, lost)
        if lost is None:
            self._lost.pop(index, None)

    def _meet_deadlines(self, now_ns: int) -> None:
        self._due_ns = NEVER
        # On a tie the first line goes first, because the order in which the lines were opened may be unknown here.
        feeds = [feed for _, (_, feed) in sorted(self._open.items(), key=itemgetter(0))]
        while feeds:
            first = min(feeds, key=attrgetter("due_ns"))
            if first.due_ns > now_ns:
                self._due_ns = first.due_ns
                break
            first.tick(first.due_ns)


class ReplayMismatch(LocalError):
    """Written bytes differ from the recording. `offset` counts the recorded bytes sent."""

    def __init__(self, line: str, offset: int, expected: bytes, got: bytes) -> None:
        self.line, self.offset, self.expected, self.got = line, offset, expected, got
        super().__init__(
            f"{line}: sent byte {offset} differs from the recording: "
            f"expected {shorten(expected) or 'nothing more'}, got {shorten(got)}"
        )


class ReplayTransport(OpenLine):
    """A recorded line as a transport. Time runs from the first read or write, or from `start_ns`.

    If strict, written bytes must equal the recorded ones, and received bytes come only after them. Otherwise writes are
    discarded. The line closes at the end of the recording.
    """

    def __init__(
        self, capture: Capture, interface: int, clock: Clock, *, strict: bool = True, start_ns: int | None = None
    ) -> None:
        chunks = [chunk for chunk in capture.chunks if chunk.interface == interface]
        super().__init__(f"replay of {capture.interfaces[interface].name}")
        self._clock, self._strict = clock, strict
        self._start_ns = clock.now_ns() if start_ns is None else start_ns
        self._first_ns = chunks[0].at_ns if chunks else 0
        self._why = "the recording ends"
        self._sent = b"".join(chunk.data for chunk in chunks if chunk.sent)
        self._done = 0
        self._arrivals: list[tuple[int, int, bytes]] = []
        owed = 0
        for chunk in chunks:
            if chunk.sent:
                owed += len(chunk.data)
            elif chunk.data:
                self._arrivals.append((chunk.at_ns - self._first_ns, owed, chunk.data))
            elif chunk.comment.startswith(LINE_LOST):
                self._why = chunk.comment.removeprefix(LINE_LOST)
        self._next = 0
        self._wake: Callable[[], None] | None = None

    @property
    def next_deadline_ns(self) -> int | None:
        """Time at which the next recorded bytes arrive; None while the recording waits for a write, or at its end."""
        if self._gone is not None or self._next >= len(self._arrivals):
            return None
        after_ns, owed, _ = self._arrivals[self._next]
        return None if self._strict and self._done < owed else self._start_ns + after_ns

    def fileno(self) -> int | None:
        """Return None: the time determines when to read."""
        return None

    def on_ready(self, wake: Callable[[], None]) -> None:
        """Set the function that is called when the recording has ended."""
        self._wake = wake

    def read(self) -> bytes:
        """Return the next recorded read once its time has come. Raise LineClosed after the last."""
        self._check()
        due = self.next_deadline_ns
        if due is not None and due <= self._clock.now_ns():
            self._next += 1
            self._announce_end()
            return self._arrivals[self._next - 1][2]
        if self._ended():
            raise self._lost(self._why)
        return b""

    def write(self, data: bytes) -> int:
        """Compare `data` with the recording if strict, and raise ReplayMismatch on a difference. Otherwise discard
        it."""
        self._check()
        if self._strict:
            expected = self._sent[self._done : self._done + len(data)]
            if expected != data:
                same = next((i for i, pair in enumerate(zip(expected, data, strict=False)) if pair[0] != pair[1]), None)
                at = len(expected) if same is None else same
                raise ReplayMismatch(self.name, self._done + at, expected[at:], data[at:])
            self._done += len(data)
            self._announce_end()
        return len(data)

    def _ended(self) -> bool:
        return self._next >= len(self._arrivals) and not (self._strict and self._done < len(self._sent))

    def _announce_end(self) -> None:
        if self._wake is not None and self._ended():
            self._wake()


def open_replay(address: str, clock: Clock | None = None) -> ReplayTransport:
    """Open the recorded line of `replay:FILE` or `replay:FILE#NAME`: the one called NAME, else the only one.

    LineUnusable names the lines of the recording. Raise CaptureError if it cannot be read.
    """
    path, _, name = address.removeprefix("replay:").partition("#")
    capture = Capture.read(path)
    for _ in capture.chunks:
        pass  # a line may be declared anywhere in the file
    names = [interface.name for interface in capture.interfaces]
    if name not in names and (name or len(names) != 1):
        raise LineUnusable(address, f"use replay:{path}#NAME; lines in this recording: {', '.join(names)}")
    return ReplayTransport(capture, names.index(name) if name else 0, clock or SystemClock(), strict=False)
