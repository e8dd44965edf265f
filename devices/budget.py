"""Rate limit for a line, so that a runaway device fills neither the disk nor a core.

Bytes above the budget are read, counted and hashed, but neither decoded nor recorded. A note in the line's record
replaces them, so that a replay handles the gap the same way. They are not acknowledged either, so a device that stores
its events sends them again.
"""

import hashlib
import re
from typing import Final

from devices.events import BytesDropped

RATE: Final = 32_768
"""Sustained rate in bytes a second: nearly three times the capacity of 115,200 baud, and far more than any table sends
over USB or TCP."""
BURST: Final = 1 << 19
"""Bytes that may arrive at once. A device that is asked for its events sends all it stores: about 256 events of at most
264 bytes."""
NOISE_AN_HOUR: Final = 1 << 20
"""Bytes an hour that may belong to no frame."""
FRAME_MOST: Final = 512
"""Maximum number of bytes without a frame that may still become one. The longest frame of any dialect has 260."""
BARREN_NS: Final = 10_000_000_000
"""Time without a valid frame after which a line counts as pure noise."""
PROBE: Final = 16_384
"""Bytes that are sampled again from time to time: a second and a half at 115,200 baud, enough for every device with
sessions to identify itself."""
NOTE_NS: Final = 60_000_000_000
"""Time between two notes of dropped bytes while everything is dropped."""

_NOTE: Final = "line flooded: {} bytes not kept, sha256 {}"
_NOTED: Final = re.compile(r"line flooded: ([1-9][0-9]{0,17}) bytes not kept, sha256 ([0-9a-f]{64})")
_SECOND_NS: Final = 1_000_000_000


def note_text(dropped: BytesDropped) -> str:
    """Return the note in a line's record about dropped bytes."""
    return _NOTE.format(dropped.count, dropped.sha256)


def parse_note(note: str) -> BytesDropped | None:
    """Return the argument of `note_text` for its note; None for any other note."""
    found = _NOTED.fullmatch(note)
    return BytesDropped(int(found[1]), found[2]) if found is not None else None


class _Bucket:
    """Token bucket of `burst` bytes, refilled at `rate` bytes in `each_ns`."""

    def __init__(self, rate: int, each_ns: int, burst: int) -> None:
        self._rate, self._each_ns = rate, each_ns
        self._burst_ns = burst * each_ns // rate
        self._full_ns = 0  # time at which the bucket is full again

    def room(self, now_ns: int) -> int:
        """Return the number of bytes that may arrive now."""
        return (self._burst_ns - max(0, self._full_ns - now_ns)) * self._rate // self._each_ns

    def take(self, count: int, now_ns: int) -> None:
        """Take `count` bytes, even if there is no room for them."""
        full_ns = max(self._full_ns, now_ns) + count * self._each_ns // self._rate
        self._full_ns = min(full_ns, now_ns + self._burst_ns)


class Budget:
    """Budget of one device, across all its lines. `rate` is in bytes a second, `burst` in bytes."""

    def __init__(self, rate: int = RATE, burst: int = BURST) -> None:
        self.rate = rate
        self.dropped = 0
        """Number of bytes dropped so far."""
        self.dropped_ns: int | None = None
        """Time of the last dropped bytes; None before any."""
        self.noise = False
        """True if the last dropped bytes were noise; False if they exceeded the rate."""
        self._all = _Bucket(rate, _SECOND_NS, max(burst, 4 * rate))
        self._barren = _Bucket(NOISE_AN_HOUR, 3600 * _SECOND_NS, NOISE_AN_HOUR)
        self._frames = self._since_frame = self._frame_ns = 0
        self._dropping = False
        self._count, self._hash = 0, hashlib.sha256()
        self._noted_ns: int | None = None  # time of the last note of the current flood

    def keeps(self, data: bytes, now_ns: int) -> bool:
        """Return True if `data` may be processed; otherwise count it as dropped."""
        count, dropping = len(data), self._dropping
        room = self._all.room(now_ns)
        self._all.take(count, now_ns)  # dropped bytes too, so that a line which keeps flooding stays dropped
        barren = now_ns - self._frame_ns >= BARREN_NS
        noise = barren and self._barren.room(now_ns) < (PROBE if dropping else count)
        self._dropping = noise or room < count + (self.rate if dropping else 0)
        if self._dropping:
            self.noise, self.dropped_ns = noise, now_ns
            self.dropped += count
            self._count += count
            self._hash.update(data)
        return not self._dropping

    def count_frames(self, count: int, frames: int, now_ns: int) -> None:
        """Record that the line kept and decoded `count` bytes, and charge them as bytes outside frames if they gave no
        frame.

        `frames` is the link's frame counter after decoding.
        """
        before, self._frames = self._frames, frames  # the link of another line counts from 0 again
        if frames > before:
            self._since_frame, self._frame_ns = 0, now_ns
            return
        charged = max(self._since_frame, FRAME_MOST)
        self._since_frame += count
        self._barren.take(max(0, self._since_frame - charged), now_ns)

    @property
    def due_ns(self) -> int | None:
        """Latest time to note the dropped bytes; None if there are none."""
        if not self._count:
            return None
        return 0 if self._noted_ns is None or not self._dropping else self._noted_ns + NOTE_NS

    def take_dropped(self, now_ns: int, *, ended: bool = False) -> BytesDropped | None:
        """Return the dropped bytes to note now, if any: at once at the start and end of a flood and at the end of the
        line, then once a minute."""
        due_ns, found = self.due_ns, None
        if due_ns is not None and (ended or due_ns <= now_ns):
            found = BytesDropped(self._count, self._hash.hexdigest())
            self._count, self._hash, self._noted_ns = 0, hashlib.sha256(), now_ns
        if ended or not self._dropping:
            self._noted_ns = None
        return found
