"""Faults of a bad line, applied to the bytes that a device sends: scripted, with seeded randomness, pure."""

from random import Random


class LineFaults:
    """Filter between a device and its line. An armed fault hits the next bytes."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self.cut = False
        """True if the cable is out: bytes in both directions are lost. The host's bytes do not pass through here, so
        their carrier must check this."""
        self._drop = self._noise = self._flip = 0
        self._held = bytearray()
        self._held_until_ns: int | None = None

    def drop(self, count: int) -> None:
        """Lose the next `count` bytes."""
        self._drop += count

    def insert_noise(self, count: int) -> None:
        """Put `count` random bytes before the next output."""
        self._noise += count

    def flip(self, bits: int) -> None:
        """Invert `bits` single bits of the next output, at most one a byte."""
        self._flip += bits

    def stall(self, until_ns: int) -> None:
        """Hold everything until then, and deliver it in one piece."""
        self._held_until_ns = max(until_ns, self._held_until_ns or 0)

    @property
    def next_deadline_ns(self) -> int | None:
        """End of a stall; None if there is none."""
        return self._held_until_ns

    def carry(self, data: bytes, now_ns: int) -> bytes:
        """Return the bytes that reach the host's end. Call it with no data at the end of a stall."""
        if self.cut:
            self._held.clear()
            return b""
        if data:
            self._held += self._spoil(data)
        if self._held_until_ns is not None and now_ns < self._held_until_ns:
            return b""
        self._held_until_ns = None
        out = bytes(self._held)
        self._held.clear()
        return out

    def _spoil(self, data: bytes) -> bytes:
        lost = min(self._drop, len(data))
        self._drop -= lost
        kept = bytearray(data[lost:])
        noise, self._noise = self._rng.randbytes(self._noise), 0
        hits = min(self._flip, len(kept))
        self._flip -= hits
        for index in self._rng.sample(range(len(kept)), hits):
            kept[index] ^= 1 << self._rng.randrange(8)
        return noise + bytes(kept)
