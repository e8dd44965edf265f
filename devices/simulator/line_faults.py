"""What a bad line does to the bytes a device sends: by script, with seeded chance, pure."""

from random import Random


class LineFaults:
    """Between a device and its line. Arm a fault; it hits the bytes that come next."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self.cut = False
        """The cable is out: what goes either way is lost. What the host says does not come through here, so whoever
        carries it looks at this."""
        self._drop = self._noise = self._flip = 0
        self._held = bytearray()
        self._held_until_ns: int | None = None

    def drop(self, count: int) -> None:
        """Lose the next `count` bytes."""
        self._drop += count

    def insert_noise(self, count: int) -> None:
        """Put `count` random bytes before what comes next."""
        self._noise += count

    def flip(self, bits: int) -> None:
        """Turn over `bits` single bits of what comes next, at most one a byte."""
        self._flip += bits

    def stall(self, until_ns: int) -> None:
        """Let nothing through until then; what came is delivered in one piece."""
        self._held_until_ns = max(until_ns, self._held_until_ns or 0)

    @property
    def next_deadline_ns(self) -> int | None:
        """When a stall ends."""
        return self._held_until_ns

    def carry(self, data: bytes, now_ns: int) -> bytes:
        """What comes out at the host's end when `data` goes in; call it with nothing when a stall is over."""
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
