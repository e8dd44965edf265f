"""A recording played round by round: its reads are taken in bulk, and a round is handed over whole when END GAME has
closed it.

Whoever judges the rounds may refuse one. Its reports are then given one by one, as `replay.play` gives them, and so is
everything until the table is at rest again. So nothing depends on the short road: it only saves the objects that a
round without incident does not need. A line of another dialect, and a table of other devices than one shuffler and one
controller, go the ordinary road altogether.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate, compress, islice
from operator import mul
from struct import Struct
from typing import Any, Final, NamedTuple, Protocol

from devices import events as e
from devices import shuffler, table_controller
from devices.capture import Capture, Chunk
from devices.events_in_bulk import LETTERS, BulkRound
from devices.replay import LineStats, Player, PlayStats, played
from devices.session import Feed
from protocol.tdp import messages as m
from protocol.tdp.express import STATUS, Codes, Express, ExpressReception, Run, read_event
from protocol.tdp.framing import CHECK_BYTES
from protocol.tdp.host_link import HostLink
from protocol.tdp.outputs import MESSAGE_IDS, Delivered

DEVICES: Final = ("shuffler", "table-controller")
READS: Final = 512
"""Read at once; on this many, what a run costs by itself is nothing."""
FEW: Final = 8
"""Where something is out of the ordinary, the halves are tried, down to this."""
WAITING_MAX: Final = 4096
"""Frames that wait for the end of their round; more than any has."""

_EVENTS: Final = (shuffler.EVENTS, table_controller.EVENTS)
_END: Final = LETTERS[e.GameEnded]
_VERIFIED: Final = LETTERS[e.DeckVerified]
_PASSED: Final = (1, 2)
"""The code, on either line, of reports that change nothing."""
_OTHERS: Final = range(3, 65)
"""And those of reports that are given one by one."""
_LETTER: Final = bytes(ord("?") if code in _OTHERS else code for code in range(256))
_DROPPED: Final = bytes([*_PASSED, *range(STATUS, 256)])


class Desk(Protocol):
    """Who takes a round at once, or its reports one by one."""

    def ignores(self, body: type[e.Body]) -> bool:
        """Reports of this class change nothing and need not be given."""
        ...

    @property
    def at_rest(self) -> bool:
        """Nothing is known of a round: the next may be given whole."""
        ...

    def take(self, bulk: BulkRound) -> bool:
        """Judge a whole round; False when it has to be given report by report."""
        ...

    def handle(self, seen: e.Seen) -> None:
        """One report."""
        ...


def play_express(capture: Capture, desk: Desk, *, stats: PlayStats | None = None) -> PlayStats:
    """Play `capture` at `desk`. Errors as of `replay.play`."""
    return played(capture, _ExpressPlayer(capture, desk, stats if stats is not None else PlayStats()))


def _codes(desk: Desk) -> Codes:
    """What may be in a run: reports that a round in bulk holds, by their letters; of the others, those that change
    nothing and those that have to be given."""
    lines: list[dict[type[m.Event], int]] = []
    others = iter(_OTHERS)
    for line, events in enumerate(_EVENTS):
        codes = {}
        for message in events:
            body = getattr(e, message.__name__, None)  # most are called the same; one that is not is given
            if body in LETTERS:
                codes[message] = LETTERS[body][0]
            elif message in MESSAGE_IDS:
                codes[message] = _PASSED[line] if body is not None and desk.ignores(body) else next(others)
        lines.append(codes)
    return Codes(lines)


class _Waiting:
    """What was read and not yet given, in the order it came, and the feeds and sessions of its lines."""

    def __init__(self) -> None:
        self.feeds: tuple[Feed, ...] = ()
        self.sessions = (0, 0)
        self.run = Run([], b"", [], [])

    def add(self, run: Run, feeds: tuple[Feed, ...], sessions: tuple[int, int]) -> None:
        self.feeds, self.sessions = feeds, sessions
        before = self.run
        count = len(before.frames)
        if not count:
            self.run = run
            return
        ends = before.ends + [count + end for end in run.ends]
        self.run = Run(before.frames + run.frames, before.codes + run.codes, ends, (*before.at_ns, *run.at_ns))

    def drop(self, count: int) -> None:
        """The first so many frames were given."""
        frames, codes, ends, at_ns = self.run
        reads = bisect_right(ends, count)
        self.run = Run(frames[count:], codes[count:], [end - count for end in ends[reads:]], at_ns[reads:])


class _Line(NamedTuple):
    """One of the two lines that a run is of."""

    interface: int
    stats: LineStats
    feed: Feed
    reception: ExpressReception


class _ExpressPlayer(Player):
    """The player of a recording, with what waits for the end of its round. `_whole`: the table was at rest where that
    begins."""

    def __init__(self, capture: Capture, desk: Desk, stats: PlayStats) -> None:
        super().__init__(capture, lambda _: self._ordinary, None, stats)
        self._desk = desk
        self._codes = _codes(desk)
        self._waiting = _Waiting()
        self._whole = False

    def take_all(self, chunks: Iterable[Chunk]) -> None:
        """Everything in `chunks`; what it raises comes after all that was before."""
        rest = iter(chunks)
        more = True
        while more:
            reads: list[Chunk] = []
            try:
                reads.extend(islice(rest, READS))
            finally:
                self._take_many(reads)
            more = bool(reads)

    def take(self, chunk: Chunk) -> None:
        """One read, write or note."""
        if chunk.comment:
            self._flush()
        super().take(chunk)

    def finish(self) -> None:
        """The recording is over."""
        self._flush()
        super().finish()

    # -------------------------------------------------------------- reads

    def _take_many(self, chunks: list[Chunk]) -> None:
        if not chunks or self._take_at_once(chunks):
            return
        if len(chunks) > FEW:
            half = len(chunks) // 2
            self._take_many(chunks[:half])
            self._take_many(chunks[half:])
            return
        for chunk in chunks:
            self.take(chunk)

    def _take_at_once(self, chunks: list[Chunk]) -> bool:
        """False, and nothing done, when something in them is out of the ordinary."""
        lines = self._lines()
        interfaces, times, written, datas, notes = zip(*chunks, strict=True)
        if lines is None or any(notes) or not all(datas):
            return False
        number = {line.interface: at for at, line in enumerate(lines)}
        try:
            of = bytes(map(number.__getitem__, interfaces))
        except KeyError:
            return False
        if times[0] < self._now_ns or list(times) != sorted(times):
            times = tuple(accumulate(times, max, initial=self._now_ns))[1:]
        express = Express([line.reception for line in lines], self._codes)
        if any(written):
            heard = [not sent for sent in written]
            reads = bytes(compress(of, heard)), tuple(compress(times, heard)), tuple(compress(datas, heard))
        else:
            reads = of, times, datas
        run = express.read(*reads, times[-1])
        if run is None:
            return False
        self._now_ns = times[-1]
        sizes = list(map(len, datas))
        sent = list(map(mul, sizes, written)) if any(written) else ()
        for at, (line, size, gone) in enumerate(zip(lines, _by_line(of, sizes), _by_line(of, sent), strict=True)):
            line.stats.chunks += of.count(at)
            line.stats.sent += gone
            line.stats.received += size - gone
            line.feed.report([], times[-1])
        self._due_ns = min(line.feed.due_ns for line in lines)
        sessions = lines[0].reception.order.session, lines[1].reception.order.session
        self._read(run, tuple(line.feed for line in lines), sessions)
        return True

    def _lines(self) -> list[_Line] | None:
        """The one shuffler's line and the one controller's; None unless both speak to us in our own dialect."""
        interfaces = self._capture.interfaces
        at = {interface.device: index for index, interface in enumerate(interfaces) if interface.dialect == "tdp"}
        if len(interfaces) != len(DEVICES) or at.keys() != set(DEVICES):
            return None
        lines = []
        for index in [at[device] for device in DEVICES]:
            stats, feed = self._open.get(index) or (None, None)
            if stats is None or feed is None or not isinstance(feed.link, HostLink) or feed.link.express is None:
                return None
            lines.append(_Line(index, stats, feed, feed.link.express))
        return lines

    # -------------------------------------------------------------- reports

    def _ordinary(self, seen: e.Seen) -> None:
        """A report that came by the ordinary road, after everything that waits."""
        self._flush()
        self._whole = False
        self._desk.handle(seen)

    def _read(self, run: Run, feeds: tuple[Feed, ...], sessions: tuple[int, int]) -> None:
        """Give the rounds that `run` completes, and keep the rest of it."""
        waiting = self._waiting
        if waiting.sessions != sessions or waiting.feeds != feeds or len(waiting.run.frames) > WAITING_MAX:
            self._flush()
        waiting.add(run, feeds, sessions)
        while waiting.run.frames:
            if self._whole:
                self._give_rounds()
            if self._whole:
                break
            self._give(waiting.run.codes.find(_END) + 1 or len(waiting.run.codes))
            self._whole = self._desk.at_rest

    def _give_rounds(self) -> None:
        """Give every whole round; one that is refused waits still."""
        given = 0
        for end, bulk in _rounds(self._waiting.run, self._waiting.sessions):
            if not self._desk.take(bulk):
                self._whole = False
                break
            given = end
        self._waiting.drop(given)

    def _flush(self) -> None:
        """Give what waits report by report."""
        if self._waiting.run.frames:
            self._whole = False
            self._give(len(self._waiting.run.frames))

    def _give(self, count: int) -> None:
        """Give the first so many frames report by report."""
        run, feeds, sessions = self._waiting.run, self._waiting.feeds, self._waiting.sessions
        self._waiting.drop(count)
        for index, (frame, code) in enumerate(zip(run.frames[:count], run.codes, strict=False)):
            if code in _DROPPED:
                continue
            line = self._codes.line_of[code]
            feed = feeds[line]
            event = read_event(frame)
            body = feed.translate(Delivered(sessions[line], frame[4] | frame[5] << 8, event))
            if body is not None:
                self._desk.handle(e.Seen(feed.name, sessions[line], event.number, run.when(index), body))


def _by_line(of: bytes, sizes: Sequence[int]) -> tuple[int, int]:
    """The sums of what belongs to line 0 and to line 1."""
    second = sum(compress(sizes, of))
    return sum(sizes) - second, second


# ------------------------------------------------------------------ rounds


def _rounds(run: Run, sessions: tuple[int, int]) -> Iterator[tuple[int, BulkRound]]:
    """The whole rounds in a run, and where each ends."""
    frames, codes = run.frames, run.codes
    last = codes.rfind(_END) + 1
    grouped: dict[int, list[bytes]] = {code: [] for code in set(codes)}
    for code, frame in zip(codes[:last], frames, strict=False):
        grouped[code].append(frame)
    columns = [(letter, unpack(grouped.get(letter, ()))) for letter, unpack in _COLUMNS]
    taken = [0] * len(columns)
    end = 0
    while end < last:
        start, end = end, codes.index(_END, end) + 1
        order = codes[start:end].translate(_LETTER, _DROPPED)
        until = [before + order.count(letter) for before, (letter, _) in zip(taken, columns, strict=True)]
        lists = [values[a:b] for (_, values), a, b in zip(columns, taken, until, strict=True)]
        taken = until
        verified = codes.rfind(_VERIFIED, start, end)
        verified_ns = run.when(verified) if verified >= 0 else 0
        yield end, BulkRound(order, sessions, run.when(end - 1), verified_ns, *lists)


Unpack = Callable[[Sequence[bytes]], list[Any]]
"""From the frames of one kind of report, what `BulkRound` says of each."""


def _fixed(code: str) -> Unpack:
    """Reads the fields of events of a fixed length."""
    fields = Struct("<" + code)
    start, end = 16, 16 + fields.size
    return lambda frames: list(fields.iter_unpack(b"".join([frame[start:end] for frame in frames])))


def _first(code: str) -> Unpack:
    read = _fixed(code)
    return lambda frames: [only for (only,) in read(frames)]


def _dispensed(frames: Sequence[bytes]) -> list[tuple[int, int, int, int, int]]:
    return [(frame[16], frame[17], frame[18], frame[19], frame[20]) for frame in frames]


def _shown(frames: Sequence[bytes]) -> list[tuple[int, bytes]]:
    return [(frame[16], frame[19:-CHECK_BYTES]) for frame in frames]


def _burned(frames: Sequence[bytes]) -> list[tuple[int, tuple[int, ...], str]]:
    return [_burn(frame[16:-CHECK_BYTES]) for frame in frames]


@lru_cache(maxsize=256)
def _burn(fields: bytes) -> tuple[int, tuple[int, ...], str]:
    body: Any = table_controller.EVENTS[m.BurnConfirmed](m.BurnConfirmed(0, 0, *_BURN.unpack(fields)))
    return body.place, body.positions, body.spread


_BURN: Final = Struct("<BHB")
_READERS: Final[Mapping[type[e.Body], Unpack]] = {
    e.DeckLoaded: _fixed("BB"),
    e.DeckVerified: _fixed("BHH"),
    e.PacketDispensed: _dispensed,
    e.PacketLifted: _first("B"),
    e.RemainderDumped: _fixed("BHH"),
    e.GameStarted: _first("I"),
    e.GameEnded: _first("I"),
    e.SensorChanged: _fixed("BB"),
    e.WagerPlaced: _fixed("BBI"),
    e.DecisionMade: _fixed("BB"),
    e.BurnConfirmed: _burned,
    e.HandRevealed: _shown,
    e.CardsCounted: _fixed("BB"),
}
_COLUMNS: Final = [(letter[0], _READERS[body]) for body, letter in LETTERS.items()]
"""In the order of the lists of `BulkRound`."""
