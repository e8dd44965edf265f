"""A recording played round by round: the ordinary reports of two devices are gathered as they stand in the frames, and
a round is handed over whole when END GAME closes it.

Whoever judges the rounds may refuse one. Its reports are then given one by one, as `replay.play` gives them, and so is
everything until the table is at rest again. So nothing depends on the short road: it only saves the objects that a
round without incident does not need. A line of another dialect, and a table of other devices than one shuffler and one
controller, go the ordinary road altogether.
"""

from bisect import bisect_right
from collections.abc import Callable
from itertools import chain
from operator import itemgetter
from struct import Struct
from typing import Any, Final, Protocol

from devices import events as e
from devices.capture import Capture, Chunk
from devices.drivers import kind_of
from devices.events_in_bulk import LETTERS, BulkRound
from devices.replay import Player, PlayStats, Recording, played
from devices.table_controller import EVENTS as TABLE_EVENTS
from protocol.link import Link
from protocol.tdp import messages as m
from protocol.tdp.express import Takers, read_event
from protocol.tdp.framing import CHECK_BYTES
from protocol.tdp.host_link import HostLink
from protocol.tdp.messages import Kind
from protocol.tdp.outputs import MESSAGE_IDS, Delivered
from protocol.tdp.packets import PACKETS

DEVICES: Final = ("shuffler", "table-controller")


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


_MESSAGES: Final[dict[str, Any]] = {cls.__name__: cls for (kind, _), (cls, _) in PACKETS.items() if kind == Kind.EVENT}


def _code(ident: int) -> int:
    """A message id as one byte: those of events have the kind of device in the high byte, few others in the low."""
    return (ident & 0xFF) + 16 * (ident >> 8) & 0xFF


def _letters() -> bytes:
    table = bytearray(256)
    for body, letter in LETTERS.items():
        table[_code(MESSAGE_IDS[_MESSAGES[body.__name__]])] = letter[0]
    assert sum(map(bool, table)) == len(LETTERS)
    return bytes(table)


_LETTERS: Final = _letters()


class _ExpressPlayer(Player):
    """The player of a recording, with what the takers gathered since the last round ended.

    `_marks` says for every chunk how many frames came before it, its interface and its time.
    """

    def __init__(self, capture: Capture, desk: Desk, stats: PlayStats) -> None:
        super().__init__(capture, lambda _: self._ordinary, None, stats)
        self._desk = desk
        self._bulk = desk.at_rest and _one_of_each(capture)
        self._frames: list[bytes] = []
        self._marks: list[tuple[int, int, int]] = []

    def take(self, chunk: Chunk) -> None:
        """One read, write or note."""
        now_ns = self.advance(chunk.at_ns)
        opened = self._open.get(chunk.interface)
        if chunk.sent or not chunk.data or opened is None:
            if chunk.comment:
                self._flush()
            super().take(chunk)
            return
        line, feed = opened
        if not self._frames:
            self._marks.clear()
        self._marks.append((len(self._frames), chunk.interface, now_ns))
        line.chunks += 1
        line.received += len(chunk.data)
        outputs = feed.link.receive(chunk.data, now_ns)
        if outputs:
            feed.report(outputs, now_ns)
            self._due_ns = min(self._due_ns, feed.due_ns)
        if not self._bulk:
            self._flush()
            self._bulk = self._desk.at_rest and _one_of_each(self._capture)

    def finish(self) -> None:
        """The recording is over."""
        self._flush()
        super().finish()
        self._flush()

    # -------------------------------------------------------------- for the player

    def _link(self, index: int) -> Link:
        interface = self._capture.interfaces[index]
        if interface.dialect != "tdp" or interface.device not in DEVICES:
            return super()._link(index)
        takers = Takers(self._flush)
        for name, message in _MESSAGES.items():
            body = getattr(e, name, None)  # most are called the same; one that is not goes the ordinary road
            if body in LETTERS:
                takers.take(message, self._frames.append)
            elif body is not None and self._desk.ignores(body):
                _count_only(takers, message)
        takers.take(m.GameEnded, self._on_end)
        return HostLink(expects=kind_of(interface.device, where="link").device_class, listen=True, takers=takers)

    def _ordinary(self, seen: e.Seen) -> None:
        """A report that came by the ordinary road, after everything that was gathered."""
        self._flush()
        self._bulk = False
        self._desk.handle(seen)

    # -------------------------------------------------------------- rounds

    def _on_end(self, frame: bytes) -> None:
        self._frames.append(frame)
        if not self._bulk:
            return
        if self._desk.take(self._gathered()):
            self._clear()
        else:
            self._flush()
            self._bulk = False

    def _clear(self) -> None:
        self._frames.clear()
        _, interface, now_ns = self._marks[-1]
        self._marks[:] = [(0, interface, now_ns)]

    def _flush(self) -> None:
        """Give what was gathered report by report."""
        frames, marks = self._frames.copy(), self._marks.copy()
        if not frames:
            return
        self._bulk = False
        self._clear()
        ends = chain((start for start, _, _ in marks[1:]), (len(frames),))
        for (start, interface, at_ns), end in zip(marks, ends, strict=True):
            for frame in frames[start:end]:
                _, feed = self._open[interface]
                link: Any = feed.link
                event = read_event(frame)
                body = feed.translate(Delivered(link.taken_session, frame[4] | frame[5] << 8, event))
                if body is not None:
                    self._desk.handle(e.Seen(feed.name, link.taken_session, event.number, at_ns, body))

    def _gathered(self) -> BulkRound:
        frames = self._frames
        order = bytes([frame[6] + 16 * frame[7] & 0xFF for frame in frames]).translate(_LETTERS)
        by_letter: dict[int, list[bytes]] = {letter[0]: [] for letter in LETTERS.values()}
        for letter, frame in zip(order, frames, strict=True):
            by_letter[letter].append(frame)
        feeds = {self._capture.interfaces[index].device: feed for index, (_, feed) in self._open.items()}
        dealing, controller = (feeds[kind] for kind in DEVICES)
        links: tuple[Any, Any] = dealing.link, controller.link
        bulk = BulkRound(order, (links[0].taken_session, links[1].taken_session), self._at_ns)
        for letter, name, unpack in _FIELDS:
            found = by_letter[letter]
            if found:
                setattr(bulk, name, unpack(found))
        return bulk

    def _at_ns(self, index: int) -> int:
        """When the frame with this index came."""
        return self._marks[bisect_right(self._marks, index, key=itemgetter(0)) - 1][2]


def _one_of_each(capture: Recording) -> bool:
    """The recording is of one shuffler and one table controller, in our own dialect."""
    devices = sorted(interface.device for interface in capture.interfaces)
    return devices == sorted(DEVICES) and all(interface.dialect == "tdp" for interface in capture.interfaces)


def _count_only(takers: Takers, event: type[m.Event]) -> None:
    try:
        takers.take(event, None)
    except ValueError:
        return  # one with a count: it goes the ordinary road, which checks it


Unpack = Callable[[list[bytes]], list[Any]]


def _fixed(code: str) -> Unpack:
    """Reads the fields of events of a fixed length."""
    fields = Struct("<" + code)
    start, end = 16, 16 + fields.size
    return lambda frames: list(fields.iter_unpack(b"".join([frame[start:end] for frame in frames])))


def _first(code: str) -> Unpack:
    fields = Struct("<" + code)
    return lambda frames: [fields.unpack_from(frame, 16)[0] for frame in frames]


def _shown(frames: list[bytes]) -> list[tuple[int, bytes]]:
    """Place and faces; a count that does not fit makes them no faces of a deck, so that the round is refused."""
    return [
        (frame[16], frame[19:-CHECK_BYTES] if frame[18] == len(frame) - 19 - CHECK_BYTES else b"\xff")
        for frame in frames
    ]


def _burned(frames: list[bytes]) -> list[tuple[int, tuple[int, ...], str]]:
    bodies: list[Any] = [TABLE_EVENTS[m.BurnConfirmed](read_event(frame)) for frame in frames]
    return [(body.place, body.positions, body.spread) for body in bodies]


def _dispensed(frames: list[bytes]) -> list[tuple[int, int, int, int, int]]:
    return [
        (frame[16], frame[17], frame[18], frame[19], frame[20] or len(frame) - 21 - CHECK_BYTES) for frame in frames
    ]


_FIELDS: Final[tuple[tuple[int, str, Unpack], ...]] = (
    (ord("k"), "loaded", _fixed("BB")),
    (ord("v"), "verified", _fixed("BHH")),
    (ord("d"), "dispensed", _dispensed),
    (ord("l"), "lifted", _first("B")),
    (ord("r"), "dumped", _fixed("BHH")),
    (ord("S"), "started", _first("I")),
    (ord("E"), "ended", _first("I")),
    (ord("s"), "sensors", _fixed("BB")),
    (ord("w"), "wagers", _fixed("BBI")),
    (ord("c"), "decisions", _fixed("BB")),
    (ord("b"), "burns", _burned),
    (ord("h"), "shown", _shown),
    (ord("n"), "counted", _fixed("BB")),
)
