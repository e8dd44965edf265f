"""The simulated end of a sealed line with the keys and the randomness of the reference device in C, so that the same
bytes of a script make the same keys, codes and signatures."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Final

from devices.simulator.identity import Identity
from devices.simulator.unit_seal import UnitSeal
from devices.transport.ciphers import Ciphers
from firmware.same.steps import Sealing
from protocol.tdp.device_link import DeviceLink
from protocol.tdp.messages import Role
from protocol.tdp.seal.device_end import HOSTS_MAX
from protocol.tdp.seal.words import CODE_LENGTH, code_of

NO_SEED: Final = bytes(32)


class Pool:
    """The device's pool of randomness: each draw and the pool after it are hashes of the one before."""

    def __init__(self, noise: bytes) -> None:
        self._noise, self._stored, self._now = noise, bytes(32), bytes(32)

    def start(self, session: int) -> None:
        """Stir the stored pool with what a start brings."""
        self._now = hashlib.sha256(self._stored + self._noise + session.to_bytes(4, "little")).digest()

    def started(self) -> None:
        """Store a pool that follows no draw, and go on with another."""
        own = self.draw(32)
        self._stored, self._now = self._now, own

    def store(self) -> None:
        """Store the pool, with the keys."""
        self._stored = self._now

    def draw(self, count: int) -> bytes:
        """Return random bytes, at most 32."""
        drawn, self._now = (hashlib.sha256(self._now + part).digest() for part in (b"\1", b"\2"))
        return drawn[:count]


class PoolCiphers(Ciphers):
    """Ciphers whose new keys come from a pool."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    def generate(self) -> bytes:
        """Return a new private key."""
        return self._pool.draw(32)


class ScriptedSeal(UnitSeal):
    """End of a sealed line in a script. `opened` returns True while a person has the device open."""

    def __init__(self, sealing: Sealing, opened: Callable[[], bool]) -> None:
        self.pool = Pool(sealing.noise)
        super().__init__(PoolCiphers(self.pool))
        self._opened, self._own = opened, sealing.own

    def power_on(self, link: DeviceLink) -> None:
        """Load the keys, or make one from the pool at the first start."""
        self.pool.start(link.session)
        if self._own is None:
            self._own = Identity(self.pool.draw(32), NO_SEED)
        self.identity = self._own
        self.pool.started()
        super().power_on(link)

    def act(self, name: str, number: int, now_ns: int) -> bool:
        """Do what a person does with the sealed line. Return False for another act."""
        self.look()
        if name == "pair" and self._opened() and len(self.hosts) < HOSTS_MAX and number <= Role.SERVICE:
            symbols = [each & 31 for each in self.pool.draw(CODE_LENGTH)]
            number_of = sum(symbol << 5 * place for place, symbol in enumerate(reversed(symbols)))
            self.end.allow_pairing(code_of(number_of), now_ns, Role(number))
        elif name == "forget" and self._opened():
            self.door_open = True
            self.forget_hosts()
        return name in ("pair", "forget", "compare")

    def shown(self) -> str:
        """Return what the device shows of pairing."""
        return f"{self.end.code}|{self.end.short_string}"

    def look(self) -> None:
        """End a pairing whose door was closed."""
        if not self._opened():
            self.end.end_pairing()

    def _keep(self) -> None:
        if self.end.hosts_changed:
            self.pool.store()
        super()._keep()
