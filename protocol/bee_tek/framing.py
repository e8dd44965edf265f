"""Items out of a shoe's text, and every other byte as noise with its reason.

    [mode]<item>       [Game]<Card:4S>   [Manual Burn Cards]<Card:10H>   [Game]<Game>   [GameAlarm]<Alarm:E3 words>
    <warning>          <W0x01>

Blanks stand between items. There is no check and no count: damage that leaves a well-formed item cannot be noticed
here. Brackets never stand inside a mode or an item, so one that does is where the next item begins. Items, noise and
pending bytes tile the input, however it is cut; runs of blanks and of other bytes between items may come out in
parts, as they were cut.
"""

import re
from enum import StrEnum
from typing import Final

from msgspec import Struct

from protocol.cutting import Cutter
from protocol.cutting import Noise as Noise

MODE_MAX: Final = 32
"""Characters of a mode; the longest one known has 17."""
ITEM_MAX: Final = 80
"""Characters of an item; the longest one known has 22."""
MAX_WIRE: Final = MODE_MAX + ITEM_MAX + 4

_BLANK: Final = frozenset(b" \t\r\n\0")
_RUN: Final = re.compile(rb"[ \t\r\n\0]+|[^ \t\r\n\0\[<]+")
"""Blanks, or what else stands between items."""
_OPEN: Final = frozenset(b"[<")
_BRACKETS: Final = frozenset(b"[]<>")
_ITEM: Final = re.compile(
    rb"(?:\[([^\[\]<>\x00-\x1f\x7f-\xff]{1,%d})\])?<([^\[\]<>\x00-\x1f\x7f-\xff]{0,%d})>" % (MODE_MAX, ITEM_MAX)
)


class NoiseReason(StrEnum):
    """Why bytes belong to no item."""

    BLANK = "blank"
    BETWEEN = "between items"
    TORN = "cut off or malformed"
    LONG = "too long"
    SILENCE = "cut off"


class Frame(Struct, frozen=True, gc=False):
    """One item. `mode` is empty for an item that stands alone."""

    offset: int
    length: int
    mode: str
    item: str


class Framer(Cutter[Frame]):
    """Cuts a stream into items and noise. Holds at most one item's bytes, whatever arrives."""

    def __init__(self) -> None:
        super().__init__(_cut, NoiseReason.SILENCE)


def _cut(data: bytes, at: int, offset: int) -> Frame | Noise | None:
    """The piece that begins at `data[at]`; None when it needs more bytes."""
    first = data[at]
    if first not in _OPEN:
        run = _RUN.match(data, at)[0]  # type: ignore[index]
        return Noise(offset, run, NoiseReason.BLANK if first in _BLANK else NoiseReason.BETWEEN)
    whole = _ITEM.match(data, at)
    if whole is not None:
        mode, item = whole[1] or b"", whole[2]
        return Frame(offset, whole.end() - at, mode.decode("ascii"), item.decode("ascii"))
    stop, reason = _damage(data, at)
    return None if stop is None else Noise(offset, data[at:stop], reason)


def _damage(data: bytes, at: int) -> tuple[int | None, NoiseReason]:
    """Where what begins at `at` can no longer become an item; None while it still can."""
    begin = at
    if data[at] == ord("["):
        end = _run(data, at + 1, MODE_MAX)
        if end < len(data) and (data[end] != ord("]") or end == at + 1):
            return _stop(data, end, at + 1 + MODE_MAX)
        begin = end + 1
        if begin < len(data) and data[begin] != ord("<"):
            return begin, NoiseReason.TORN
    end = _run(data, begin + 1, ITEM_MAX)
    return _stop(data, end, begin + 1 + ITEM_MAX) if end < len(data) else (None, NoiseReason.TORN)


def _run(data: bytes, begin: int, most: int) -> int:
    """The end of a run of printable characters without brackets, the byte after it at `begin + most` at the latest."""
    end = min(begin, len(data))
    while end < len(data) and end < begin + most and 0x20 <= data[end] < 0x7F and data[end] not in _BRACKETS:
        end += 1
    return end


def _stop(data: bytes, end: int, limit: int) -> tuple[int, NoiseReason]:
    """Noise up to the byte at `end`; a bracket that opens nothing goes with it."""
    reason = NoiseReason.LONG if end == limit and data[end] not in _BRACKETS else NoiseReason.TORN
    return (end + 1 if data[end] in b"]>" else end), reason


def encode_frame(mode: str, item: str) -> bytes:
    """The wire bytes of an item, with the blanks around it that the shoe sends."""
    return f" [{mode}]<{item}> ".encode("ascii") if mode else f"<{item}>".encode("ascii")
