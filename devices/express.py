"""A recording played round by round: its reads are taken in bulk, and a round is handed over whole when END GAME has
closed it.

Whoever judges the rounds may refuse one. Its reports are then given one by one, as `replay.play` gives them, and so is
everything until the table is at rest again. So nothing depends on the short road: it only saves the objects that a
round without incident does not need. A line of another dialect, and a table of other devices than one shuffler and one
controller, go the ordinary road altogether.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import chain, compress, islice, pairwise, repeat
from struct import Struct
from typing import Any, Final, NamedTuple, Protocol

import numpy as np

from devices import events as e
from devices import shuffler, table_controller
from devices.capture import Capture, Chunk
from devices.events_in_bulk import LETTERS, BulkRound
from devices.replay import LineStats, Player, PlayStats, played
from devices.session import Feed
from protocol.tdp import messages as m
from protocol.tdp.express import STATUS, Codes, Express, Octets, Reads, Run, read_event
from protocol.tdp.express_reception import ExpressReception
from protocol.tdp.framing import CHECK_BYTES
from protocol.tdp.framing_in_bulk import Frames, Numbers
from protocol.tdp.host_link import HostLink
from protocol.tdp.outputs import MESSAGE_IDS, Delivered

DEVICES: Final = ("shuffler", "table-controller")
READS: Final = 8192
"""Taken at once at most; on this many, what a run costs by itself is nothing."""
FEW: Final = 32
"""Fewer are not tried at once: where much is out of the ordinary, the ordinary road is the shorter one. From here on,
what is tried grows with what succeeds and shrinks with what fails."""
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
_NONE: Final = np.array([], np.int64)
_EMPTY: Final = Run(Frames(b"", _NONE, _NONE), b"", _NONE)


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
        self.run = _EMPTY
        self.given = 0
        """Frames of `run` that wait no more."""

    @property
    def count(self) -> int:
        """How many frames wait."""
        return len(self.run.codes) - self.given

    def add(self, run: Run, feeds: tuple[Feed, ...], sessions: tuple[int, int]) -> None:
        self.feeds, self.sessions = feeds, sessions
        self.run, self.given = self.run.since(self.given).and_then(run) if self.count else run, 0


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
        self._size = FEW

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
        at = 0
        while at < len(chunks):
            part = chunks[at : at + self._size]
            if self._take_at_once(part):
                self._size = min(4 * self._size, READS)
            elif len(part) > FEW:
                self._size = max(len(part) // 4, FEW)
                continue
            else:
                for chunk in part:
                    self.take(chunk)
            at += len(part)

    def _take_at_once(self, chunks: list[Chunk]) -> bool:
        """False, and nothing done, when something in them is out of the ordinary."""
        lines = self._lines()
        if lines is None or any(line.reception.expected is None for line in lines):
            return False
        fields: list[Any] = [*chain.from_iterable(chunks)]
        interfaces, times, written, datas, notes = (fields[at :: len(Chunk._fields)] for at in range(5))
        if any(notes) or not all(datas):
            return False
        at_ns = np.maximum(np.maximum.accumulate(np.array(times, np.int64)), self._now_ns)
        of = np.frombuffer(bytes(interfaces), np.uint8) ^ np.uint8(lines[0].interface)
        sizes = np.fromiter(map(len, datas), np.int64, len(datas))
        heard = np.frombuffer(bytes(written), np.bool_) ^ True
        now_ns = int(at_ns[-1])
        reads = Reads(of, at_ns, sizes, datas)
        if any(written):
            reads = Reads(of[heard], at_ns[heard], sizes[heard], [*compress(datas, heard.tolist())])
        run = Express([line.reception for line in lines], self._codes).read(reads, now_ns)
        if run is None:
            return False
        self._now_ns = now_ns
        for number, line in enumerate(lines):
            here = of == number
            line.stats.chunks += int(here.sum())
            line.stats.received += int(sizes[here & heard].sum())
            line.stats.sent += int(sizes[here & ~heard].sum())
            line.feed.report([], now_ns)
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
        if waiting.sessions != sessions or waiting.feeds != feeds or waiting.count > WAITING_MAX:
            self._flush()
        waiting.add(run, feeds, sessions)
        rounds = _rounds(waiting.run, sessions)
        while waiting.count:
            if self._whole:
                self._give_rounds(rounds)
            if self._whole:
                break
            self._give(waiting.run.codes.find(_END, waiting.given) + 1 or len(waiting.run.codes))
            self._whole = self._desk.at_rest

    def _give_rounds(self, rounds: Iterator[tuple[int, int, BulkRound]]) -> None:
        """Give every whole round; one that is refused waits still."""
        for start, end, bulk in rounds:
            if start < self._waiting.given:
                continue  # it was given report by report
            if not self._desk.take(bulk):
                self._whole = False
                break
            self._waiting.given = end

    def _flush(self) -> None:
        """Give what waits report by report."""
        if self._waiting.count:
            self._whole = False
            self._give(len(self._waiting.run.codes))

    def _give(self, end: int) -> None:
        """Give what waits before this frame report by report."""
        waiting = self._waiting
        run, feeds, sessions, start = waiting.run, waiting.feeds, waiting.sessions, waiting.given
        waiting.given = end
        for index, code in enumerate(run.codes[start:end], start):
            if code in _DROPPED:
                continue
            line, frame = self._codes.line_of[code], run.frames.frame(index)
            feed = feeds[line]
            event = read_event(frame)
            body = feed.translate(Delivered(sessions[line], frame[4] | frame[5] << 8, event))
            if body is not None:
                self._desk.handle(e.Seen(feed.name, sessions[line], event.number, int(run.at_ns[index]), body))


# ------------------------------------------------------------------ rounds


def _rounds(run: Run, sessions: tuple[int, int]) -> Iterator[tuple[int, int, BulkRound]]:
    """The whole rounds in a run, from its first frame on, and the frames where each begins and ends."""
    last = run.codes.rfind(_END) + 1
    codes = np.frombuffer(run.codes, np.uint8)[:last]
    is_end = codes == _END[0]
    ends = np.flatnonzero(is_end) + 1
    bounds = [0, *ends.tolist()]
    by_code = np.argsort(codes, kind="stable")
    of = np.cumsum(is_end) - is_end
    until = np.bincount(of * 256 + codes, minlength=256 * len(ends)).reshape(-1, 256).cumsum(axis=0)
    begins = [0, *until[-1:].sum(axis=0).cumsum().tolist()]
    columns: list[list[list[Any]]] = []
    for letter, unpack in _COLUMNS:
        values = unpack(run.frames, by_code[begins[letter] : begins[letter + 1]])
        columns.append([values[a:b] for a, b in pairwise([0, *until[:, letter].tolist()])])
    orders = [order + _END for order in run.codes[:last].translate(_LETTER, _DROPPED).split(_END)[:-1]]
    rows = zip(orders, repeat(sessions), run.at_ns[ends - 1].tolist(), _verified_ns(run, codes, ends), *columns)
    return zip(bounds, bounds[1:], map(BulkRound._make, rows), strict=False)


def _verified_ns(run: Run, codes: Octets, ends: Numbers) -> list[int]:
    """When the last DeckVerified of each round came; 0 for a round that has none."""
    verified = np.concatenate(([-1], np.flatnonzero(codes == _VERIFIED[0])))
    last = verified[np.searchsorted(verified, ends) - 1]
    found: list[int] = np.where(last >= np.concatenate(([0], ends[:-1])), run.at_ns[last], 0).tolist()
    return found


Unpack = Callable[[Frames, Numbers], list[Any]]
"""From the frames of one kind of report, what `BulkRound` says of each."""


def _fixed(code: str) -> Unpack:
    """Reads the fields of events of a fixed length."""
    fields = Struct("<" + code)
    size = np.dtype((np.void, fields.size))
    return lambda frames, at: list(fields.iter_unpack(frames.fields(at, _FIELDS, size).tobytes()))


def _first(code: str) -> Unpack:
    """Reads a field by itself."""
    return lambda frames, at: frames.fields(at, _FIELDS, "<" + code).tolist()


def _rest(frames: Frames, at: Numbers, start: int) -> Iterator[bytes]:
    """The fields of each from this byte of the frame on."""
    starts = frames.starts[at]
    ends = starts + frames.sizes[at] - CHECK_BYTES
    return map(frames.data.__getitem__, map(slice, (starts + start).tolist(), ends.tolist()))


def _shown(frames: Frames, at: Numbers) -> list[tuple[int, bytes]]:
    return [*zip(_place(frames, at), _rest(frames, at, _FIELDS + 3), strict=True)]


def _burned(frames: Frames, at: Numbers) -> list[tuple[int, tuple[int, ...], str]]:
    return [*map(_burn, _rest(frames, at, _FIELDS))]


@lru_cache(maxsize=256)
def _burn(fields: bytes) -> tuple[int, tuple[int, ...], str]:
    body: Any = table_controller.EVENTS[m.BurnConfirmed](m.BurnConfirmed(0, 0, *_BURN.unpack(fields)))
    return body.place, body.positions, body.spread


_BURN: Final = Struct("<BHB")
_FIELDS: Final = 16
"""Where the fields of an event begin that are its own."""
_place: Final = _first("u1")
_READERS: Final[Mapping[type[e.Body], Unpack]] = {
    e.DeckLoaded: _fixed("BB"),
    e.DeckVerified: _fixed("BHH"),
    e.PacketDispensed: _fixed("BBBBB"),
    e.PacketLifted: _first("u1"),
    e.RemainderDumped: _fixed("BHH"),
    e.GameStarted: _first("u4"),
    e.GameEnded: _first("u4"),
    e.SensorChanged: _fixed("BB"),
    e.WagerPlaced: _fixed("BBI"),
    e.DecisionMade: _fixed("BB"),
    e.BurnConfirmed: _burned,
    e.HandRevealed: _shown,
    e.CardsCounted: _fixed("BB"),
}
_COLUMNS: Final = [(letter[0], _READERS[body]) for body, letter in LETTERS.items()]
"""In the order of the lists of `BulkRound`."""
