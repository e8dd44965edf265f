"""Many frames cut, decoded and checked at once, and no object made for any.

All delimiters are found first. Then each gives its place to a block of COBS, so that all frames become one, which is
decoded in one pass; and the block is chosen so that one pass of the CRC-32 over everything checks each frame.
A stream in which anything is no frame is refused as a whole: `framing` says what it is. A test holds the two equal.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple
from zlib import crc32

import numpy as np
import numpy.typing as npt
from cobs import cobs

from protocol.tdp.framing import MAX_ENCODED, MIN_FRAME, RESIDUE
from protocol.tdp.packets import MAX_FRAME

Numbers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

_BETWEEN: Final = bytes.fromhex("052ef1a6cd")
"""With the zero of the block before it, it is decoded as 00 2E F1 A6 CD 00, which takes the CRC-32 from what it is
after a frame with its check back to what it is before the next. A frame that is wrong leaves it wrong: no byte that
follows undoes that."""


class Cut(NamedTuple):
    """A stream cut at its delimiters. `delimiters` are their places; -1 comes first, as if a frame had ended there.
    `opens` says which of them end no frame and so open the next; `held` is what is pending after the last."""

    delimiters: Numbers
    opens: Flags
    held: bytes

    def is_pending(self, at: Numbers) -> Flags:
        """At which of these places of the stream a frame was under way, or opened."""
        before = np.searchsorted(self.delimiters, at) - 1
        pending: Flags = self.opens[before] | (self.delimiters[before] != at - 1)
        return pending


class Frames(NamedTuple):
    """Decoded frames in one piece: each `sizes` bytes from `starts` in `data`, its check included."""

    data: bytes
    starts: Numbers
    sizes: Numbers

    def frame(self, index: int) -> bytes:
        """The frame with this index."""
        start = int(self.starts[index])
        return self.data[start : start + int(self.sizes[index])]

    def octets(self, indices: Any, offsets: Any) -> npt.NDArray[np.uint8]:
        """A byte of each of these frames, so far from its start."""
        octets: npt.NDArray[np.uint8] = np.frombuffer(self.data, np.uint8)[self.starts[indices] + offsets]
        return octets

    def fields(self, indices: Any, offset: int, dtype: npt.DTypeLike) -> npt.NDArray[Any]:
        """What lies so far from the start of each of these frames, which must be long enough."""
        wanted = np.dtype(dtype)
        count = max(0, len(self.data) - wanted.itemsize + 1)
        anywhere = np.ndarray(count, np.dtype((np.void, wanted.itemsize)), self.data, strides=(1,))
        fields: npt.NDArray[Any] = anywhere[self.starts[indices] + offset].view(wanted)
        return fields


def cut(stream: bytes) -> Cut | None:
    """Where a stream has its delimiters; None when one is idle, or more is pending than a frame can have."""
    delimiters = np.concatenate(([-1], np.flatnonzero(np.frombuffer(stream, np.uint8) == 0)))
    opens = np.diff(delimiters, prepend=-3) == 1
    end = int(delimiters[-1]) + 1
    if len(stream) - end > MAX_ENCODED or (opens[1:] & opens[:-1]).any():
        return None
    return Cut(delimiters, opens, stream[end - int(opens[-1]) :])


def decode(stream: bytes, at: Cut) -> Frames | None:
    """The frames of a stream that was cut; None when something in it is none, or one has a run of 254 bytes without a
    zero, which no frame of ours has."""
    closes = ~at.opens[1:]
    encoded = np.diff(at.delimiters)[closes] - 1
    if not encoded.size:
        return Frames(b"", encoded, encoded)
    needed = np.ones(int(at.delimiters[-1]) + 1, np.bool_)
    needed[at.delimiters[1:][~closes]] = False
    joined = np.frombuffer(stream, np.uint8)[: needed.size][needed].tobytes().replace(b"\0", _BETWEEN)
    try:
        data: bytes = cobs.decode(joined)
    except cobs.DecodeError:
        return None
    ends = np.cumsum(encoded + len(_BETWEEN)) - len(_BETWEEN)
    frames = Frames(data, ends - encoded, encoded - 1)
    wrong = (
        len(data) != len(joined) - 1  # such a run has no zero after it, and shifts all that follows
        or np.frombuffer(data, np.uint8)[ends - 1].any()  # a block goes on past the end of its frame
        or frames.sizes.min() < MIN_FRAME
        or frames.sizes.max() > MAX_FRAME
        or crc32(memoryview(data)[: -len(_BETWEEN)]) != RESIDUE
    )
    return None if wrong else frames
