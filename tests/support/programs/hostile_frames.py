"""Someone on a sealed line: sends frames to both ends, of which neither may accept one.

    python -m tests.support.programs.hostile_frames 1000000 --seed 30

A frame is random, repeated, reflected, changed in one bit, stripped of its seal, or in clear: commands, events, and
every message of the handshakes. Its check is always right. In between the two ends do their work, and lose nothing.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from random import Random

from msgspec.structs import replace

from protocol.tdp import Delivered
from protocol.tdp import messages as m
from protocol.tdp.codec import encode
from protocol.tdp.framing import encode_frame
from protocol.tdp.messages import Kind, Role
from tests.support.rigs.sealed_links import SealedPair, bodies

SEALED, REFUSED = 0x80, 0x40
EACH = 200
"""Number of hostile frames between two events of the device."""
KEPT = 4_000
"""Number of genuine frames that someone has recorded at most."""
HANDSHAKES = (0x0001, 0x0002, 0x0008, 0x0009, 0x000A, 0x000B, 0x000C)


@dataclass
class Attack:
    """One run: `sent` counts the frames by what they are."""

    pair: SealedPair
    chance: Random
    sent: Counter[str] = field(default_factory=Counter)

    def run(self, count: int) -> None:
        """Send `count` frames. AssertionError names the first that was accepted."""
        for number in range(count):
            if number % EACH == 0:
                self._work()
            if self.chance.random() < 0.002:
                self.pair.run(self.chance.choice((60, 300, 1_200)))
            kind = self.chance.choice(KINDS)
            self._send(kind, KINDS_OF[kind](self))
        self._work()

    def _work(self) -> None:
        """Let the two ends do what they are there for."""
        pair = self.pair
        pair.emit(m.GreenButtonMessage)
        pair.request(m.DispenseMessage())
        assert pair.run(30_000, pair.whole), "the genuine ends no longer get through"
        assert pair.run(5_000, lambda: pair.host._commands.outstanding is None), "a genuine command was not answered"
        pair.run(300)
        assert pair.numbers() == list(range(1, pair.store.last + 1))
        del pair.tapped[:-KEPT], pair.host_out[: -KEPT * 4], pair.device_out[:-KEPT], pair.passed[:-KEPT]
        self.pair.executed[:] = self.pair.executed[-1:]
        pair.host_out[:] = [each for each in pair.host_out if isinstance(each, Delivered)]

    def _send(self, kind: str, body: bytes) -> None:
        pair, end = self.pair, self.pair.device_end
        assert end is not None
        assert pair.device is not None
        to_device = self.chance.random() < 0.5
        target = end if to_device else pair.host_end
        before = (pair.host_end.stats.opened, end.stats.opened, len(pair.executed), pair.store.acknowledged)
        shakes = pair.host_end.stats.handshakes, end.stats.handshakes, tuple(end.hosts)
        pair.passed.clear()
        (pair.to_the_device if to_device else pair.to_the_host)(encode_frame(body, after_silence=True))
        after = (pair.host_end.stats.opened, end.stats.opened, len(pair.executed), pair.store.acknowledged)
        where = f"{kind} to the {'device' if to_device else 'host'}: {body.hex()}"
        assert after == before, where
        assert (pair.host_end.stats.handshakes, end.stats.handshakes, tuple(end.hosts)) == shakes, where
        for up in pair.passed:
            assert all(each[1] & REFUSED for each in bodies(up)), where
        assert target is not None
        self.sent[kind] += 1

    # -------------------------------------------------------------- kinds of frames

    def _genuine(self) -> bytes:
        sealed = [data for _, data in self.pair.tapped[-KEPT:]]
        return bodies(self.chance.choice(sealed))[0]

    def any_bytes(self) -> bytes:
        """Return a body of random bytes."""
        return self.chance.randbytes(self.chance.randint(8, 252))

    def random_seal(self) -> bytes:
        """Return a sealed frame with a random payload, and a header as a genuine one has it."""
        head = bytearray(self._genuine()[:8])
        head[1], head[3] = SEALED, self.chance.randrange(256)
        return bytes(head) + self.chance.randbytes(self.chance.randint(0, 200))

    def repeated(self) -> bytes:
        """Return a genuine frame. Sent to the end that made it, it is reflected."""
        return self._genuine()

    def flipped(self) -> bytes:
        """Return a genuine frame with one bit changed."""
        body = bytearray(self._genuine())
        at = self.chance.randrange(8 * len(body))
        body[at // 8] ^= 1 << at % 8
        return bytes(body)

    def moved(self) -> bytes:
        """Return a genuine frame with another link sequence, so that it would be new."""
        body = bytearray(self._genuine())
        body[3] = body[3] + self.chance.randint(1, 255) & 0xFF
        return bytes(body)

    def cut(self) -> bytes:
        """Return a part of a genuine frame."""
        body = self._genuine()
        return body[: self.chance.randint(8, len(body))][:-1].ljust(8, b"\0")

    def stripped(self) -> bytes:
        """Return a genuine frame without its flag, or with others."""
        body = bytearray(self._genuine())
        body[1] = self.chance.choice((0, 0, REFUSED, 0x20, 0x10, 0x0F, 0xC0))
        return bytes(body)

    def clear(self) -> bytes:
        """Return a command, an event or a status in clear."""
        session, chance = self.pair.session, self.chance
        message = chance.choice(
            (
                m.OpenSessionMessage(session, 1, chance.randint(0, 5), Role.SERVICE),
                m.DispenseMessage(),
                m.SetLockMessage(1),
                m.AckMessage(session, self.pair.store.last + 1),
                m.HeartbeatMessage(session),
                m.GreenButtonMessage(self.pair.store.last + 1, 90_000),
                m.BootedMessage(1, 0, boot_count=2, previous_session=session, cause=1, mid_round=0),
                m.ShufflerStatusMessage(session + chance.randint(0, 1), 0, 0, 6, 0, 0, 1, 52, 0, 0, 0, 0, 0, ()),
            )
        )
        return encode(message, link_sequence=chance.randrange(256), request=chance.randrange(1, 1 << 16))

    def handshake(self) -> bytes:
        """Return a message of a handshake with random keys, or a NAK."""
        chance, number = self.chance, self.chance.choice(HANDSHAKES)
        sizes = {0x0008: 48, 0x0009: 96, 0x000A: 81, 0x000B: 56, 0x000C: 48}
        head = bytes((1, 0, Kind.LINK, chance.randrange(256), 0, 0, number, 0))
        if number in sizes:
            return head + chance.randbytes(sizes[number])
        if chance.random() < 0.5 or self.pair.device is None:
            return bytes((1, 0, Kind.NAK, 0, 0, 0, number, 0)) + bytes((chance.choice((5, 9, 11, 12)), 0))
        hello = replace(
            self.pair.device.hello, capabilities=chance.choice((0, 0x1FF)), highest_minor=chance.randint(0, 4)
        )
        return encode(hello if number == 0x0002 else m.HelloMessage(1, 0, 1, 3, "someone"))


KINDS_OF: dict[str, Callable[[Attack], bytes]] = {
    "random": Attack.any_bytes,
    "sealed at random": Attack.random_seal,
    "repeated or reflected": Attack.repeated,
    "one bit changed": Attack.flipped,
    "another sequence": Attack.moved,
    "cut": Attack.cut,
    "stripped": Attack.stripped,
    "in clear": Attack.clear,
    "handshake": Attack.handshake,
}
KINDS = tuple(KINDS_OF)


def attack(count: int, seed: int) -> Counter[str]:
    """Send `count` hostile frames on a sealed line, and return how many of each kind. AssertionError names the first
    that was accepted."""
    pair = SealedPair(seed=seed)
    pair.start()
    assert pair.run(10_000, lambda: pair.up)
    run = Attack(pair, Random(seed))
    run.run(count)
    return run.sent


def _lines(sent: Counter[str]) -> Iterator[str]:
    for kind, count in sent.items():
        yield f"{count:>9,}  {kind}"
    yield f"{sent.total():>9,}  hostile frames, none accepted"


def main() -> None:
    parser = argparse.ArgumentParser(description="Send hostile frames to both ends of a sealed line.")
    parser.add_argument("count", type=int)
    parser.add_argument("--seed", type=int, default=30)
    given = parser.parse_args()
    for line in _lines(attack(given.count, given.seed)):
        sys.stdout.write(f"{line}\n")


if __name__ == "__main__":
    main()
