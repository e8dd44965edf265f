"""The short road through receptions: in the ordinary course of a session whole runs of reads are cut, checked and
counted at once, by columns, and no object is made for a frame.

It takes a run only where the receptions leave a single thing to do with every frame of it: the sessions run, the events
come in order, nothing is held, no timer is due. If anything else is in a run, it takes none of it, and the run goes the
ordinary road. A test holds the two equal on every recording: what is delivered, the counters, and the state.

    version flags kind sequence request  message     number                second
                                                     of the event          device's clock
                                                     session of a status   its newest event

It needs NumPy, which no attached table does.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from protocol.tdp.derive import FIXED, HEADER_SIZE, fields_of
from protocol.tdp.express_reception import Expected, ExpressReception, Heard
from protocol.tdp.framing import CHECK_BYTES
from protocol.tdp.framing_in_bulk import Frames, Numbers, cut, decode
from protocol.tdp.messages import Event, Kind, Message
from protocol.tdp.outputs import MESSAGE_IDS, UnknownEvent
from protocol.tdp.packets import MAX_FRAME, PACKETS, VERSION
from protocol.tdp.vetting import read_frame

Octets = npt.NDArray[np.uint8]

_EVENT_HEAD: Final = struct.Struct("<II")
_HEAD: Final = np.dtype(
    {
        "names": ["version, flags", "kind", "sequence", "request", "message", "number", "second"],
        "formats": ["<u2", "u1", "u1", "<u2", "<u2", "<u4", "<u4"],
    }
)
"""What is read of every frame. The least frame of any event has more; after one that has less, something follows."""
STATUS: Final = 0x80
"""The codes of reports of a device's whole state begin here, one for each line and kind of device."""
_STATUSES: Final = tuple(cls for cls, _ in PACKETS.values() if "last_event" in cls.__annotations__)
_KINDS: Final = np.array([Kind.EVENT, Kind.LINK], np.uint8)
_LINES: Final = 2
_IDS: Final = max(MESSAGE_IDS.values()) + 1


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

    `lines` has a mapping for each of at most two lines. A report of a device's whole state may be in any run, and has a
    code from `STATUS` on.
    """

    def __init__(self, lines: Sequence[Mapping[type[Event], int]]) -> None:
        assert len(lines) <= _LINES, "a code of a report of the whole state tells two lines apart"
        self.of = np.zeros((len(lines), _IDS, MAX_FRAME + 1), np.uint8)
        """By line, message id and length of the frame as decoded; 0 for what can be in no run."""
        self.counts: list[list[tuple[int, int, int]]] = [[] for _ in lines]
        """Of each line, and each of its messages that counts something: its code, where the count is, and the bytes of
        one."""
        self.line_of = {code: line for line, events in enumerate(lines) for code in events.values()}
        for line, events in enumerate(lines):
            for number, status in enumerate(_STATUSES):
                self._enter(line, status, STATUS + _LINES * number + line)
            for event, code in events.items():
                self._enter(line, event, code)
            counting = [code for code, _, _ in self.counts[line]]
            assert not any([*events.values()].count(code) > 1 for code in counting), "what counts shares its code"

    def _enter(self, line: int, message: type[Message], code: int) -> None:
        fixed, step = _layout(message)
        if step:
            self.counts[line].append((code, fixed - CHECK_BYTES - 1, step))
        self.of[line, MESSAGE_IDS[message], fixed :: step or MAX_FRAME] = code


def _layout(message: type[Message]) -> tuple[int, int]:
    """Decoded bytes of a frame of `message` that counts nothing and has no extensions; the bytes of what it counts, 0
    when it has no count."""
    fields = fields_of(next(packet for cls, packet in PACKETS.values() if cls is message))
    tails = [field for field in fields if field.shape not in FIXED]
    assert len(tails) <= 1, f"{message.__name__} counts more than one thing"
    fixed = HEADER_SIZE + CHECK_BYTES + sum(field.size for field in fields if field.shape in FIXED)
    return fixed + len(tails), tails[0].size if tails else 0


class Reads(NamedTuple):
    """Reads of all lines as they came: the line of each, its time in ns, which never runs back, how many bytes, at
    least one, and these."""

    lines: Octets
    at_ns: Numbers
    sizes: Numbers
    datas: Sequence[bytes]


class Run(NamedTuple):
    """The frames of several reads, in the order they came, the code of each, and when the read came in which it
    ended."""

    frames: Frames
    codes: bytes
    at_ns: Numbers

    def since(self, index: int) -> Run:
        """The frames from this one on, by themselves."""
        data = b"".join([self.frames.frame(at) for at in range(index, len(self.codes))])
        sizes = self.frames.sizes[index:]
        return Run(Frames(data, np.cumsum(sizes) - sizes, sizes), self.codes[index:], self.at_ns[index:])

    def and_then(self, later: Run) -> Run:
        """Both, one after the other."""
        (data, starts, sizes), (more, their_starts, their_sizes) = self.frames, later.frames
        both = np.concatenate((starts, their_starts + len(data))), np.concatenate((sizes, their_sizes))
        at_ns = np.concatenate((self.at_ns, later.at_ns))
        return Run(Frames(data + more, *both), self.codes + later.codes, at_ns)


class _Line(NamedTuple):
    """What one line brought: a run of its frames, in which of the reads each ended, and what its reception is told."""

    run: Run
    reads: Numbers
    heard: Heard


class Express:
    """Receptions that are told of their reads in bulk. `codes` has a line for each of `receptions`."""

    def __init__(self, receptions: Sequence[ExpressReception], codes: Codes) -> None:
        self._receptions, self._codes = receptions, codes

    def read(self, reads: Reads, until_ns: int) -> Run | None:
        """What these reads bring, the last of them before `until_ns`.

        None, and nothing taken, when anything is out of the ordinary.
        """
        lines: list[_Line] = []
        for line, reception in enumerate(self._receptions):
            expected = reception.expected
            found = self._hear(line, expected, reads, until_ns) if expected is not None else None
            if found is None:
                return None
            lines.append(found)
        for reception, (_, _, heard) in zip(self._receptions, lines, strict=True):
            reception.take(heard)
        return _merged(lines)

    def _hear(self, line: int, expected: Expected, reads: Reads, until_ns: int) -> _Line | None:
        """What one line brought; None when it is not what was expected."""
        here = np.flatnonzero(reads.lines == line)
        times = np.concatenate(([expected.byte_ns], reads.at_ns[here], [until_ns]))
        stream = expected.held + b"".join(map(reads.datas.__getitem__, here.tolist()))
        begins = len(expected.held) + np.cumsum(np.concatenate(([0], reads.sizes[here])))
        at = cut(stream)
        if at is None or at.is_pending(begins[np.diff(times) >= expected.timing.partial_ns]).any():
            return None
        frames = decode(stream, at)
        if frames is None:
            return None
        ended = np.searchsorted(begins[1:], at.delimiters[~at.opens][1:], "right")
        ended_ns = reads.at_ns[here][ended]
        valid_ns = np.concatenate(([expected.valid_ns], ended_ns, [until_ns]))
        if np.diff(valid_ns).max() >= expected.timing.lost_ns:
            return None
        codes = self._vetted(line, expected, frames)
        if codes is None:
            return None
        run = Run(frames, codes.tobytes(), ended_ns)
        status = codes >= STATUS
        newest = frames.fields(status, 12, "<u4").max(initial=0)
        heard = Heard(len(codes), int((~status).sum()), int(newest), int(valid_ns[-2]), at.held, int(times[-2]))
        return _Line(run, here[ended], heard)

    def _vetted(self, line: int, expected: Expected, frames: Frames) -> Octets | None:
        """The code of each frame; None when one is not what was expected."""
        heads = frames.fields(slice(None), 0, _HEAD)
        codes = self._codes_of(line, frames, heads)
        if codes is None:
            return None
        status, count = codes >= STATUS, np.arange(len(codes))
        numbers, sessions = heads["number"][~status], heads["number"][status]
        wrong = (
            (heads["version, flags"] != VERSION).any()
            or (heads["kind"] != _KINDS[status.view(np.uint8)]).any()
            or (heads["sequence"] != (expected.sequence + count).astype(np.uint8)).any()
            or (numbers != expected.number + count[: numbers.size]).any()
            or (sessions != expected.session).any()
        )
        return None if wrong else codes

    def _codes_of(self, line: int, frames: Frames, heads: npt.NDArray[np.void]) -> Octets | None:
        """The code of each frame; None when one is none that can be in a run."""
        known, sizes = self._codes, frames.sizes
        ids = heads["message"]
        if heads["request"].any() or ids.max(initial=0) >= _IDS:
            return None
        codes: Octets = known.of[line, ids, sizes]
        if not codes.all():
            return None
        for code, at, size in known.counts[line]:
            counting = codes == code
            counted = frames.octets(counting, at).astype(np.int64) * size
            if (counted != sizes[counting] - at - 1 - CHECK_BYTES).any():
                return None
        return codes


def _merged(lines: Sequence[_Line]) -> Run:
    """The frames of all lines in the order they came."""
    run, reads, _ = lines[0]
    for later, of, _ in lines[1:]:
        run, reads = run.and_then(later), np.concatenate((reads, of))
    order = np.argsort(reads, kind="stable")
    (data, starts, sizes), codes, at_ns = run
    ordered = np.frombuffer(codes, np.uint8)[order].tobytes()
    return Run(Frames(data, starts[order], sizes[order]), ordered, at_ns[order])
