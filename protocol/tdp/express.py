"""The short road through receptions: in the ordinary course of a session whole runs of reads are cut, checked and
counted at once, and no object is made for a frame.

It is no second reception. It shares the state of those it stands for, and takes a run only where that state leaves a
single thing to do with every frame of it: the sessions run, the events come in order, nothing is held, no timer is due.
If anything else is in a run, it takes none of it, and the run goes the ordinary road. A test holds the two equal on
every recording: what is delivered, the counters, and the state.

    first word                  second              third                 fourth
    version flags kind sequence request  message id  number of the event   device's clock
                                                     session of a status   its newest event
"""

from __future__ import annotations

import struct
import sys
from array import array
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from itertools import accumulate, compress, repeat
from operator import itemgetter, mul, sub
from typing import Final, NamedTuple
from zlib import crc32

from cobs import cobs

from protocol.tdp.derive import FIXED, HEADER_SIZE, fields_of
from protocol.tdp.framing import CHECK_BYTES, MAX_ENCODED, RESIDUE
from protocol.tdp.messages import Event, Kind, Message
from protocol.tdp.outputs import MESSAGE_IDS, UnknownEvent
from protocol.tdp.packets import MAX_FRAME, PACKETS, VERSION
from protocol.tdp.reception import Reception
from protocol.tdp.vetting import read_frame

_EVENT_HEAD: Final = struct.Struct("<II")
_WORDS: Final = 4
_HEAD: Final = 4 * _WORDS
"""Bytes of a frame that are read of each; the least frame of any event has more."""
_COUNT: Final = itemgetter(-CHECK_BYTES - 1)
"""Where a status that names no fault says so."""
STATUS: Final = 0x80
"""The code of line 0's reports of its device's whole state; that of line 1 is one more."""
_SEQUENCES: Final = bytes(range(256)) * 2
_LINES: Final = (b"\0", b"\1")
_DELIMITER: Final = repeat(b"\0")
_decode: Final = cobs.decode


def read_event(frame: bytes) -> Event:
    """The event in a frame of a run, as the ordinary road delivers it."""
    envelope = read_frame(frame[:-CHECK_BYTES])
    message = envelope.message
    if isinstance(message, Event):
        return message
    number, device_ms = _EVENT_HEAD.unpack_from(frame, HEADER_SIZE)
    return UnknownEvent(number, device_ms, envelope.message_id, frame[HEADER_SIZE + _EVENT_HEAD.size : -CHECK_BYTES])


class Codes:
    """Which events of which line may be in a run, and the code, 1 to 127, that each has there; no code is of two lines,
    nor one of an event that counts something of another event.

    `lines` has a mapping for each of at most two lines. A report of a device's whole state that names no fault may be
    in any run, and has a code from `STATUS` on.
    """

    def __init__(self, lines: Sequence[Mapping[type[Event], int]]) -> None:
        self.of: dict[tuple[int, int, int], int] = {}
        """By line, second word and length of the frame as decoded."""
        self.counts: list[tuple[bytes, int, int]] = []
        """Of each event that counts something: which code is its own, where the count is, and the bytes of one."""
        kinds = bytearray([Kind.EVENT]) * 256
        for line, events in enumerate(lines):
            kinds[STATUS + line] = Kind.LINK
            for status, _ in PACKETS.values():
                if "last_event" in status.__annotations__:
                    self.of[line, MESSAGE_IDS[status] << 16, _layout(status)[0]] = STATUS + line
            for event, code in events.items():
                fixed, step = _layout(event)
                if step:
                    assert [*events.values()].count(code) == 1, f"{event.__name__} shares its code"
                    self.counts.append((_only(code), fixed - CHECK_BYTES - 1, step))
                for size in range(fixed, MAX_FRAME + 1, step) if step else (fixed,):
                    self.of[line, MESSAGE_IDS[event] << 16, size] = code
        self.line_of = {code: line for line, events in enumerate(lines) for code in events.values()}
        self.kinds = bytes(kinds)
        self.status = bytes(code >= STATUS for code in range(256))
        self.events = tuple(bytes(code in set(events.values()) for code in range(256)) for events in lines)
        self.statuses = tuple(_only(STATUS + line) for line in range(len(lines)))
        self.frames = tuple(bytes(map(max, *pair)) for pair in zip(self.events, self.statuses, strict=True))


def _only(code: int) -> bytes:
    """A table that makes this byte 1 and any other 0."""
    return bytes(code == at for at in range(256))


_ONLY: Final = [_only(line) for line in range(len(_LINES))]


def _layout(message: type[Message]) -> tuple[int, int]:
    """Decoded bytes of a frame of `message` that counts nothing and has no extensions; the bytes of what it counts, 0
    when it has no count."""
    fields = fields_of(next(packet for cls, packet in PACKETS.values() if cls is message))
    tails = [field for field in fields if field.shape not in FIXED]
    assert len(tails) <= 1, f"{message.__name__} counts more than one thing"
    fixed = HEADER_SIZE + CHECK_BYTES + sum(field.size for field in fields if field.shape in FIXED)
    return fixed + len(tails), tails[0].size if tails else 0


class Run(NamedTuple):
    """The frames of several reads, as they came.

    `frames` are decoded, the check included; `codes` has one byte for each. `ends` says for each read how many frames
    there were at its end, and `at_ns` when it was.
    """

    frames: list[bytes]
    codes: bytes
    ends: list[int]
    at_ns: Sequence[int]

    def when(self, index: int) -> int:
        """When the frame with this index came."""
        return self.at_ns[bisect_right(self.ends, index)]


class _Left(NamedTuple):
    """The start of a frame, when the last byte of the line came, and how long the next may take."""

    data: bytes
    at_ns: int
    partial_ns: int

    def given_up(self, now_ns: int) -> bool:
        """It was dropped by then."""
        return bool(self.data) and now_ns - self.at_ns >= self.partial_ns


class _Reads(NamedTuple):
    """Reads that hold whole frames: the line of each, its time, how many frames; then all frames, what is `left` of
    each line, the frames' heads, and these as words."""

    lines: bytes
    times: Sequence[int]
    counts: list[int]
    frames: list[bytes]
    left: list[_Left]
    heads: bytes
    words: array[int]


class _Heard(NamedTuple):
    """What one line brought in a run: the numbers of its events; what its reports of the whole state name as `sessions`
    and as the `newest` events; the times of the reads in which its frames ended."""

    sequences: bytes
    numbers: tuple[int, ...]
    sessions: set[int]
    newest: set[int]
    at_ns: list[int]
    left: _Left


class ExpressReception(Reception):
    """A reception that can also be told of what was read in bulk."""

    @property
    def ready(self) -> bool:
        """There is a single thing to do with the next event."""
        order = self.order
        return (
            self.alive
            and order.started
            and not order.held
            and self.old is None
            and self.refused_hello is None
            and (self.opened or self._valid_ns >= self._gate_ns)
            and self._sequence >= 0
            and not self._framer.overlong
        )

    @property
    def left(self) -> _Left:
        """What is pending."""
        return _Left(self._framer.held, self._byte_ns, self._timing.partial_ns)

    def fits(self, heard: _Heard, until_ns: int) -> bool:
        """All that was heard is what comes next, and by `until_ns` no timer was due."""
        first, expected = self._sequence, self.order.expected
        times = [self._valid_ns, *heard.at_ns, until_ns]
        return (
            heard.sequences == _cycle(first, len(heard.sequences))
            and heard.numbers == tuple(range(expected, expected + len(heard.numbers)))
            and heard.sessions <= {self.session}
            and max(map(sub, times[1:], times)) < self._timing.lost_ns
            and not heard.left.given_up(until_ns)
        )

    def take(self, heard: _Heard) -> None:
        """Go on from what was heard, which fits."""
        self._byte_ns = heard.left.at_ns
        self._framer.resume(heard.left.data)
        frames, events = len(heard.sequences), len(heard.numbers)
        if frames:
            self._valid_ns = heard.at_ns[-1]
            self._sequence = self._sequence + frames & 0xFF
            self.stats.frames += frames
        if events:
            self.order.expected += events
            self.stats.events += events
            self.event_ns, self.ack_due = self._valid_ns, True
        self.order.last = max(heard.newest | {self.order.last})
        self._arm()


def _cycle(first: int, count: int) -> bytes:
    """So many link sequences."""
    return (_SEQUENCES * (count // 256 + 1))[first : first + count]


class Express:
    """Receptions that are told of their reads in bulk. `codes` has a line for each of `receptions`."""

    def __init__(self, receptions: Sequence[ExpressReception], codes: Codes) -> None:
        self._receptions, self._codes = receptions, codes

    def read(self, lines: bytes, times: Sequence[int], datas: Sequence[bytes], until_ns: int) -> Run | None:
        """What these reads bring, the last before `until_ns`: the line of each, its time in ns, its bytes, of which
        there are some. Times never run backwards.

        None, and nothing taken, when anything is out of the ordinary.
        """
        if not all(reception.ready for reception in self._receptions):
            return None
        left = [reception.left for reception in self._receptions]
        reads = _whole_already(lines, times, datas, left) or _made_whole(lines, times, datas, left)
        if reads is None or set(map(crc32, reads.frames)) - {RESIDUE}:
            return None
        codes = self._codes_of(reads)
        if codes is None:
            return None
        heard = [self._heard(line, reads, codes) for line in range(len(left))]
        pairs = list(zip(self._receptions, heard, strict=True))
        if not all(reception.fits(each, until_ns) for reception, each in pairs):
            return None
        for reception, each in pairs:
            reception.take(each)
        return Run(reads.frames, codes, list(accumulate(reads.counts)), reads.times)

    def _codes_of(self, reads: _Reads) -> bytes | None:
        """The code of each frame; None when one is none that can be in a run."""
        known, frames, heads = self._codes, reads.frames, reads.heads
        lines = b"".join(map(mul, map(_LINES.__getitem__, reads.lines), reads.counts))
        try:
            codes = bytes(map(known.of.__getitem__, zip(lines, reads.words[1::_WORDS], map(len, frames), strict=True)))
        except KeyError:
            return None
        for only, at, size in known.counts:
            counting = list(compress(frames, codes.translate(only)))
            if [frame[at] * size for frame in counting] != [len(frame) - at - 1 - CHECK_BYTES for frame in counting]:
                return None
        if any(map(_COUNT, compress(frames, codes.translate(known.status)))):
            return None
        ordinary = (
            heads[0::_HEAD].count(VERSION) == len(frames)
            and heads[1::_HEAD].count(0) == len(frames)
            and heads[2::_HEAD] == codes.translate(known.kinds)
        )
        return codes if ordinary else None

    def _heard(self, line: int, reads: _Reads, codes: bytes) -> _Heard:
        """What one of the lines brought."""
        known, words = self._codes, reads.words
        statuses = codes.translate(known.statuses[line])
        return _Heard(
            bytes(compress(reads.heads[3::_HEAD], codes.translate(known.frames[line]))),
            tuple(compress(words[2::_WORDS], codes.translate(known.events[line]))),
            set(compress(words[2::_WORDS], statuses)),
            set(compress(words[3::_WORDS], statuses)),
            list(compress(reads.times, reads.lines.translate(_ONLY[line]))),
            reads.left[line],
        )


def _whole_already(lines: bytes, times: Sequence[int], datas: Sequence[bytes], left: list[_Left]) -> _Reads | None:
    """Reads that each hold whole frames, as most do; None when some may not."""
    counts = [data.count(0) - (not data[0]) for data in datas]
    if 0 in counts or not all(map(bytes.endswith, datas, _DELIMITER)) or any(each.data for each in left):
        return None
    last = [lines.rfind(line) for line in range(len(left))]
    left = [each._replace(at_ns=times[at]) if at >= 0 else each for each, at in zip(left, last, strict=True)]
    return _cut(lines, times, datas, counts, left)


def _made_whole(lines: bytes, times: Sequence[int], datas: Sequence[bytes], left: list[_Left]) -> _Reads | None:
    """The same, with the start of a frame put before the rest of it; None when the line was silent in between."""
    left = left.copy()
    whole: list[tuple[int, int, bytes]] = []
    for line, at_ns, data in zip(lines, times, datas, strict=True):
        before = left[line]
        if before.given_up(at_ns):
            return None
        data = before.data + data
        end = data.rfind(b"\0") + 1
        if _opens(data[:end]):
            end -= 1
            if _opens(data[:end]):
                return None  # an idle delimiter
        left[line] = before._replace(data=data[end:], at_ns=at_ns)
        if len(data) - end > MAX_ENCODED:
            return None
        if end:
            whole.append((line, at_ns, data[:end]))
    if not whole:
        return _Reads(b"", (), [], [], left, b"", array("I"))
    of, at, pieces = zip(*whole, strict=True)
    counts = [data.count(0) - (not data[0]) - data.count(b"\0\0", 1) for data in pieces]
    return _cut(bytes(of), at, pieces, counts, left)


def _opens(data: bytes) -> bool:
    """The last of it is a delimiter that ends no frame."""
    return data == b"\0" or data.endswith(b"\0\0")


def _cut(
    lines: bytes, times: Sequence[int], datas: Sequence[bytes], counts: list[int], left: list[_Left]
) -> _Reads | None:
    """The frames in reads that end with a delimiter each; None when something is no frame, or not as many as `counts`
    says. That is never too few: so when the sum is right, each is, and no delimiter is idle."""
    try:
        frames = list(map(_decode, filter(None, b"".join(datas).split(b"\0"))))
    except cobs.DecodeError:
        return None
    heads = b"".join([frame[:_HEAD] for frame in frames])
    if sum(counts) != len(frames) or len(heads) != _HEAD * len(frames):
        return None
    words = array("I", heads)
    if sys.byteorder == "big":
        words.byteswap()
    return _Reads(lines, times, counts, frames, left, heads, words)
