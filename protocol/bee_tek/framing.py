"""Splitting of a shoe's text into items and noise, with a reason for every byte that belongs to no item.

    [mode]<item>       [Game]<Card:4S>   [Manual Burn Cards]<Card:10H>   [Game]<Game>   [GameAlarm]<Alarm:E3 words>
    <warning>          <W0x01>

Blanks separate the items. There is no check and no count, so damage that leaves a well-formed item cannot be detected.

Brackets never occur inside a mode or an item; one that does begins the next item. Items, noise and pending bytes tile
the input, regardless of chunk boundaries; runs of blanks and of other bytes between items may come out in several
parts, one for each chunk.
"""

import re
from enum import StrEnum
from typing import Final

from msgspec import Struct

from protocol.cutting import Cutter
from protocol.cutting import Noise as Noise

MODE_MAX: Final = 32
"""Maximum length of a mode, in characters. The longest one known has 17."""
ITEM_MAX: Final = 80
"""Maximum length of an item, in characters. The longest one known has 22."""
MAX_WIRE: Final = MODE_MAX + ITEM_MAX + 4

_BLANK: Final = frozenset(b" \t\r\n\0")
_RUN: Final = re.compile(rb"[ \t\r\n\0]+|[^ \t\r\n\0\[<]+")
"""Pattern of blanks, or of other bytes between items."""
_OPEN: Final = frozenset(b"[<")
_BRACKETS: Final = frozenset(b"[]<>")
_ITEM: Final = re.compile(
    rb"(?:\[([^\[\]<>\x00-\x1f\x7f-\xff]{1,%d})\])?<([^\[\]<>\x00-\x1f\x7f-\xff]{0,%d})>" % (MODE_MAX, ITEM_MAX)
)


class NoiseReason(StrEnum):
    """Reasons why bytes belong to no item."""

    BLANK = "blank"
    BETWEEN = "between items"
    TORN = "cut off or malformed"
    LONG = "too long"
    SILENCE = "cut off"


class Frame(Struct, frozen=True, gc=False):
    """One item. `mode` is empty for an item without one."""

    offset: int
    length: int
    mode: str
    item: str


class Framer(Cutter[Frame]):
    """Splitter of a stream into items and noise. It never buffers more than one item, for any input."""

    def __init__(self) -> None:
        super().__init__(_cut, NoiseReason.SILENCE)


def _cut(data: bytes, at: int, offset: int) -> Frame | Noise | None:
    """Return the piece that begins at `data[at]`; None if it needs more bytes."""
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
    """Return the position at which the piece at `at` can no longer become an item (None while it still can), and the
    reason."""
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
    """Return the end of a run of printable characters without brackets, at most `most` bytes after `begin`."""
    end = min(begin, len(data))
    while end < len(data) and end < begin + most and 0x20 <= data[end] < 0x7F and data[end] not in _BRACKETS:
        end += 1
    return end


def _stop(data: bytes, end: int, limit: int) -> tuple[int, NoiseReason]:
    """Return the end of the noise before the byte at `end`, and its reason. A bracket that opens nothing is part of the
    noise."""
    reason = NoiseReason.LONG if end == limit and data[end] not in _BRACKETS else NoiseReason.TORN
    return (end + 1 if data[end] in b"]>" else end), reason


def encode_frame(mode: str, item: str) -> bytes:
    """Return the wire bytes of an item, with the blanks around it that the shoe sends."""
    return f" [{mode}]<{item}> ".encode("ascii") if mode else f"<{item}>".encode("ascii")
