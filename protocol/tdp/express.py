"""The short road through a reception: in the ordinary course of a session a frame is checked, counted and handed on as
it is, without an object for it.

It is no second reception. It shares the state of the one it extends, and takes a frame only where that state leaves a
single thing to do: the session runs, its events come in order, nothing is held, no timer is due. Whatever else comes
goes the ordinary road from exactly there, and the next chunk may come back. A test holds the two equal on every
recording: what is delivered, the counters, and the state.

    first word                  second              third
    version flags kind sequence request  message id  number of the event, or session of a status
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any, Final
from zlib import crc32

from cobs import cobs

from protocol.tdp.derive import HEADER_SIZE, Shape, fields_of
from protocol.tdp.framing import CHECK_BYTES, MAX_ENCODED, RESIDUE
from protocol.tdp.messages import Event, Kind, Message
from protocol.tdp.outputs import MESSAGE_IDS, Output, UnknownEvent
from protocol.tdp.packets import MAX_FRAME, PACKETS, VERSION
from protocol.tdp.reception import Reception
from protocol.tdp.vetting import read_frame

Taker = Callable[[bytes], object]
"""Takes one event: its frame as decoded, check included. The append of a list will do."""

_WORDS: Final = struct.Struct("<III")
_EVENT_HEAD: Final = struct.Struct("<II")
_EVENT: Final = VERSION | Kind.EVENT << 16
_LINK: Final = VERSION | Kind.LINK << 16
_SEQUENCE: Final = 1 << 24
_LAST_EVENT: Final = slice(12, 16)
"""Where a status says the number of its newest event."""
_COUNT: Final = -CHECK_BYTES - 1
"""Where a status that names no fault says so."""
_WORD: Final = 0xFFFFFFFF
_TO_LINK: Final = _LINK - _EVENT
_SHUT: Final = -1
_BROKEN: Final = (cobs.DecodeError, struct.error, IndexError, KeyError)
"""Not COBS, shorter than a header, longer than a frame, of a message nobody takes."""
_decode: Final = cobs.decode
_unpack: Final = _WORDS.unpack_from


def _nobody(frame: bytes) -> None:
    """Stands in the table for events that are only counted; never called."""


def _status(frame: bytes) -> None:
    """Stands in the table for reports of a device's whole state; never called."""


def read_event(frame: bytes) -> Event:
    """The event in a frame that a taker got, as the ordinary road delivers it."""
    envelope = read_frame(frame[:-CHECK_BYTES])
    message = envelope.message
    if isinstance(message, Event):
        return message
    number, device_ms = _EVENT_HEAD.unpack_from(frame, HEADER_SIZE)
    return UnknownEvent(number, device_ms, envelope.message_id, frame[HEADER_SIZE + _EVENT_HEAD.size : -CHECK_BYTES])


class Takers:
    """Who takes which events, by the length of the frame and the second word of its header. Anything that is not there
    goes the ordinary road.

    A taker is given events in order, each once. The length of a frame fits its message; whether a count in it says
    the same is the taker's to see (`read_event` knows what the ordinary road makes of any frame). It must not raise.
    """

    def __init__(self, on_session: Callable[[], None] = lambda: None) -> None:
        self.on_session = on_session
        """Called before `taken_session` changes: what was taken so far is of the session before."""
        self.tables: list[dict[int, Taker]] = [{} for _ in range(MAX_FRAME + 1)]
        for cls, _ in PACKETS.values():
            if "last_event" in cls.__annotations__:  # reports of a device's whole state; these name no fault
                self.tables[_sizes(cls).start][MESSAGE_IDS[cls] << 16] = _status

    def take(self, event: type[Event], taker: Taker | None) -> None:
        """Give events of this class to `taker`, or with None count them only, which takes one of a fixed length."""
        sizes = _sizes(event)
        if taker is None and len(sizes) > 1:
            raise ValueError(f"{event.__name__} has a count that somebody must check")
        for size in sizes:
            self.tables[size][MESSAGE_IDS[event] << 16] = taker or _nobody


def _sizes(message: type[Message]) -> range:
    """Every length that a frame of `message` without extensions can have, check included."""
    fields = fields_of(next(packet for cls, packet in PACKETS.values() if cls is message))
    tails = [field for field in fields if field.shape not in (Shape.INTEGER, Shape.BYTES, Shape.TEXT)]
    fixed = HEADER_SIZE + CHECK_BYTES + sum(field.size for field in fields if field not in tails)
    return range(fixed + 1, MAX_FRAME + 1, tails[0].size) if tails else range(fixed, fixed + 1)


class ExpressReception(Reception):
    """A reception whose ordinary events go to `takers` the moment they are read.

    `receive` returns what came by the ordinary road; what a taker got, and reports of the whole state that say
    nothing new about the session, do not appear there. `settings` are those of `Reception`.
    """

    def __init__(self, takers: Takers, **settings: Any) -> None:
        super().__init__(**settings)
        self.taken_session = 0
        """The session of whatever the takers are given."""
        self._tables, self._on_session = takers.tables, takers.on_session
        self._until_ns = _SHUT  # the short road is open before then
        self._want = 0  # the first word of the next event
        self._counted = self._statuses = 0  # the event up to which the counters go; statuses not in them yet

    def receive(self, data: bytes, now_ns: int) -> list[Output]:
        """As `Reception.receive`."""
        held = self._framer.held
        if now_ns >= self._until_ns and not self._go_on(now_ns):
            return self._ordinary(data, now_ns)
        if held and now_ns - self._byte_ns >= self._timing.partial_ns:
            return self._ordinary(data, now_ns)
        return self._run((held + data if held else data).split(b"\0"), now_ns)

    def _run(self, parts: list[bytes], now_ns: int) -> list[Output]:
        """Take frame after frame; the last part is the start of one that is not whole."""
        tail = parts.pop()
        order, tables, session = self.order, self._tables, self.session
        expected, want = order.expected, self._want
        opened = stray = False
        status, statuses = b"", 0
        rest = iter(parts)
        for part in rest:
            stray = True
            if not part and not opened:
                opened, stray = True, False
                continue
            try:
                frame = _decode(part)
                first, second, word = _unpack(frame)
                taker = tables[len(frame)][second]
            except _BROKEN:
                break
            if crc32(frame) != RESIDUE:
                break
            if first == want and word == expected and taker is not _status:
                expected += 1
                if taker is not _nobody:
                    taker(frame)
            elif taker is _status and word == session and first == want + _TO_LINK and not frame[_COUNT]:
                status = frame
                statuses += 1
            else:
                break
            want = want + _SEQUENCE & _WORD
            opened = stray = False
        self._keep(want, expected, status, statuses, now_ns)
        if stray or opened or tail or self._framer.held:
            return self._leave(stray, b"\0".join((part, *rest, tail)) if stray else tail, opened)
        return []

    def _keep(self, want: int, expected: int, status: bytes, statuses: int, now_ns: int) -> None:
        """Note how far it went."""
        self._byte_ns = now_ns
        if want != self._want:
            self._want, self._valid_ns, self.order.expected = want, now_ns, expected
            if status:
                self._statuses += statuses
                self.order.last = max(self.order.last, int.from_bytes(status[_LAST_EVENT], "little"))

    def tick(self, now_ns: int) -> list[Output]:
        """As `Reception.tick`."""
        if not self._framer.held and self._go_on(now_ns):
            return []
        self._shut()
        out = super().tick(now_ns)
        self._open()
        return out

    def close(self, now_ns: int) -> list[Output]:
        """As `Reception.close`."""
        self._shut()
        return super().close(now_ns)

    def suspend(self, now_ns: int) -> list[Output]:
        """As `Reception.suspend`."""
        self._shut()
        return super().suspend(now_ns)

    def _go_on(self, now_ns: int) -> bool:
        """Set the timer that watches for silence anew; False when it is due, or the short road is shut."""
        if self._until_ns == _SHUT or now_ns >= self._valid_ns + self._timing.lost_ns:
            return False
        self._until_ns = self._timer_ns = self._valid_ns + self._timing.lost_ns
        return True

    def _leave(self, stray: bool, left: bytes, opened: bool) -> list[Output]:
        """Keep what is pending; a piece that is none of ours goes the ordinary road, with all that follows it."""
        if opened:
            left = b"\0" + left
        if stray or len(left) > MAX_ENCODED:
            self._framer.resume(b"")
            return self._ordinary(left, self._byte_ns)
        self._framer.resume(left)
        return []

    def _ordinary(self, data: bytes, now_ns: int) -> list[Output]:
        self._shut()
        out = super().receive(data, now_ns)
        self._open()
        return out

    def _shut(self) -> None:
        """Hand the state back to the ordinary road."""
        if self._until_ns == _SHUT:
            return
        self._until_ns = _SHUT
        if self.order.expected > self._counted:
            self.event_ns, self.ack_due = self._valid_ns, True
        self._sequence = self._want >> 24
        events = self.order.expected - self._counted
        self.stats.events += events
        self.stats.frames += events + self._statuses
        self._statuses = 0

    def _open(self) -> None:
        """Open the short road when there is a single thing to do with the next event."""
        order = self.order
        if (
            self.alive
            and order.started
            and not order.held
            and self.old is None
            and self.refused_hello is None
            and (self.opened or self._valid_ns >= self._gate_ns)
            and self._sequence >= 0
            and not self._framer.overlong
        ):
            if order.session != self.taken_session:
                self._on_session()
                self.taken_session = order.session
            self._until_ns = self._timer_ns
            self._want = _EVENT | self._sequence << 24
            self._counted = order.expected
