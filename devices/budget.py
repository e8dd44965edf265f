"""How much of what a line gives is kept: a device gone mad must fill neither the disk nor a core.

What exceeds the budget is read, counted and hashed, and goes no further: it is neither decoded nor written down. The
record of the line says so in a note, from which all that follows can be dealt again. Nobody is thanked for what was not
kept, so a device that keeps its events tells them again.
"""

import hashlib
import re
from typing import Final

from devices.events import BytesDropped

RATE: Final = 32_768
"""Bytes a second: nearly three times what 115,200 baud can carry, and far more than any table says on USB or TCP."""
BURST: Final = 1 << 19
"""Bytes that may come at once: a device that is asked for its events anew sends all it holds, which is 256 of them, or
some more, of 264 bytes at most."""
NOISE_AN_HOUR: Final = 1 << 20
"""Bytes that may lead to no frame in an hour."""
FRAME_MOST: Final = 512
"""Bytes without a frame that may yet become one; the longest of any dialect has 260."""
BARREN_NS: Final = 10_000_000_000
"""Without a valid frame for so long, a line gives nothing but noise."""
PROBE: Final = 16_384
"""Bytes that are listened to again now and then: a second and a half at 115,200 baud, in which every device that keeps
sessions says that it is there."""
NOTE_NS: Final = 60_000_000_000
"""Between two notes of bytes that were not kept, while nothing else is."""

_NOTE: Final = "line flooded: {} bytes not kept, sha256 {}"
_NOTED: Final = re.compile(r"line flooded: ([1-9][0-9]{0,17}) bytes not kept, sha256 ([0-9a-f]{64})")
_SECOND_NS: Final = 1_000_000_000


def note_of(dropped: BytesDropped) -> str:
    """What a record of the line says of bytes that were not kept."""
    return _NOTE.format(dropped.count, dropped.sha256)


def noted(note: str) -> BytesDropped | None:
    """What `note_of` was given; None for any other note."""
    found = _NOTED.fullmatch(note)
    return BytesDropped(int(found[1]), found[2]) if found is not None else None


class _Bucket:
    """Room for `burst` bytes, that comes back at `rate` bytes in `each_ns`."""

    def __init__(self, rate: int, each_ns: int, burst: int) -> None:
        self._rate, self._each_ns = rate, each_ns
        self._burst_ns = burst * each_ns // rate
        self._full_ns = 0  # when all of it is there again

    def room(self, now_ns: int) -> int:
        """Bytes that may come now."""
        return (self._burst_ns - max(0, self._full_ns - now_ns)) * self._rate // self._each_ns

    def take(self, count: int, now_ns: int) -> None:
        """So many came, whether there was room or not."""
        full_ns = max(self._full_ns, now_ns) + count * self._each_ns // self._rate
        self._full_ns = min(full_ns, now_ns + self._burst_ns)


class Budget:
    """One device's, on whatever line it is at the moment; `rate` in bytes a second, `burst` in bytes."""

    def __init__(self, rate: int = RATE, burst: int = BURST) -> None:
        self.rate = rate
        self.dropped = 0
        """Bytes that were not kept, since it was made."""
        self.dropped_ns: int | None = None
        """When the last of them came; None before any."""
        self.noise = False
        """The last that were not kept led to nothing; else they were too many in too short a time."""
        self._all = _Bucket(rate, _SECOND_NS, max(burst, 4 * rate))
        self._barren = _Bucket(NOISE_AN_HOUR, 3600 * _SECOND_NS, NOISE_AN_HOUR)
        self._frames = self._since_frame = self._frame_ns = 0
        self._dropping = False
        self._count, self._hash = 0, hashlib.sha256()
        self._noted_ns: int | None = None  # the last note of the stretch under way

    def keeps(self, data: bytes, now_ns: int) -> bool:
        """Whether `data` may go on; else it is counted here."""
        count, dropping = len(data), self._dropping
        room = self._all.room(now_ns)
        self._all.take(count, now_ns)  # what is dropped too: a line that does not stop is not heard again
        barren = now_ns - self._frame_ns >= BARREN_NS
        noise = barren and self._barren.room(now_ns) < (PROBE if dropping else count)
        self._dropping = noise or room < count + (self.rate if dropping else 0)
        if self._dropping:
            self.noise, self.dropped_ns = noise, now_ns
            self.dropped += count
            self._count += count
            self._hash.update(data)
        return not self._dropping

    def heard(self, count: int, frames: int, now_ns: int) -> None:
        """`count` bytes that were kept were decoded; `frames` is how many the line gave by now."""
        before, self._frames = self._frames, frames  # the link of another line begins to count anew
        if frames > before:
            self._since_frame, self._frame_ns = 0, now_ns
            return
        charged = max(self._since_frame, FRAME_MOST)
        self._since_frame += count
        self._barren.take(max(0, self._since_frame - charged), now_ns)

    @property
    def due_ns(self) -> int | None:
        """When what was not kept is to be noted at the latest; None while there is nothing to note."""
        if not self._count:
            return None
        return 0 if self._noted_ns is None or not self._dropping else self._noted_ns + NOTE_NS

    def settle(self, now_ns: int, *, ended: bool = False) -> BytesDropped | None:
        """What is to be noted now: at once where a stretch begins, ends or the line does, else once a minute."""
        due_ns, found = self.due_ns, None
        if due_ns is not None and (ended or due_ns <= now_ns):
            found = BytesDropped(self._count, self._hash.hexdigest())
            self._count, self._hash, self._noted_ns = 0, hashlib.sha256(), now_ns
        if ended or not self._dropping:
            self._noted_ns = None
        return found
