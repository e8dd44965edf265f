"""Random scripts for a device with a sealed line: hosts that pair, are refused, seal their line, change its keys,
repeat what was on it, and are forgotten.

A handshake answers what the device sent. So a script is written while the simulated device plays it; the one in C then
gets the same bytes, and has to send the same.
"""

from __future__ import annotations

from random import Random
from typing import Final, NamedTuple

from devices.simulator.identity import Identity
from devices.transport.ciphers import Ciphers
from firmware.same.in_python import bench_of
from firmware.same.random_scripts import ScriptWriter
from firmware.same.steps import Arrive, Do, Look, PowerCut, Script, Sealing, Wait
from protocol.tdp import messages as m
from protocol.tdp.framing import Frame, Framer, encode_frame
from protocol.tdp.messages import Message
from protocol.tdp.seal.keyset import KeySet
from protocol.tdp.seal.line_end import (
    PAIR_ANSWER,
    PAIR_CALL,
    PAIR_PROLOGUE,
    PAIR_PROOF,
    SEAL_ANSWER,
    SEAL_CALL,
    SEAL_PROLOGUE,
    handshake_id,
    link_frame,
)
from protocol.tdp.seal.noise import Handshake, NoisePattern
from protocol.tdp.seal.suite import HandshakeFailed
from protocol.tdp.seal.words import key_id, secret_of

DOORS: Final = {
    "table-controller": ("table-setup 1", "table-setup 0"),
    "shoe": ("shoe-setup 1", "shoe-setup 0"),
    "shuffler": ("open-door", "close-door"),
}
"""Acts by which a person opens a device, so that hosts can be paired, and closes it."""
SMALL_ORDER: Final = (bytes(32), b"\1" + bytes(31), b"\xec" + b"\xff" * 30 + b"\x7f")
"""Some points with which every key agrees on the same."""
CODE_LIFE: Final = (Wait(60_000),) * 9 + (Wait(59_700),)
"""Nearly ten minutes."""


def sealed_script(device: str, seed: int) -> Script:
    """Return the script with this number, always the same."""
    return SealedWriter(device, Random(f"sealed {device} {seed}")).script()


class KnownHost(NamedTuple):
    """Keys of a host of the script."""

    secret: bytes
    public: bytes


class SealedWriter(ScriptWriter):
    """Writes one script for a device with a sealed line, which it plays meanwhile."""

    def __init__(self, device: str, rng: Random) -> None:
        super().__init__(device, rng)
        own = Identity(rng.randbytes(32), rng.randbytes(32), rng.choice((None, rng.randbytes(64))))
        self._sealing = Sealing(rng.randbytes(32), rng.choice((None, own)))
        self._bench = bench_of(Script(device, self._first, (), self._sealing))
        self._bench.power_on(self._first)
        self._ciphers = Ciphers()
        secrets = [rng.randbytes(32) for _ in range(3)]
        self._hosts = [KnownHost(each, self._ciphers.public(each)) for each in secrets]
        self._host = self._hosts[0]
        self._paired = list[KnownHost]()
        self._keys: KeySet | None = None
        self._total = self._played = 0
        self._framer = Framer()
        self._put_before: list[bytes] = []

    def script(self) -> Script:
        """Return the finished script. Mostly a host pairs before anything else."""
        rng = self._rng
        self._steps.append(Wait(self._waits_for_start()))
        if rng.random() < 0.85:
            self._pair()
        if rng.random() < 0.9:
            self._greet()
        for _ in range(rng.randrange(3, 28)):
            if rng.random() < 0.3:
                rng.choices(self._SEALED_KINDS, self._SEALED_WEIGHTS)[0](self)
            else:
                rng.choices(self._KINDS, self._WEIGHTS)[0](self)
        return Script(self._device, self._first, tuple(self._steps), self._sealing)

    def _waits_for_start(self) -> int:
        return {"table-controller": 1130, "shoe": 1630, "shuffler": 4200}[self._device] + self._rng.randrange(30)

    # ------------------------------------------------------------------ the device meanwhile

    def _answers(self) -> list[bytes]:
        """Return the frames of the device since the last call."""
        said = list[bytes]()
        for step in self._steps[self._played :]:
            if isinstance(step, PowerCut):
                self._framer = Framer()
            self._bench.play(step)
            if isinstance(step, Look):
                self._bench.said()
                continue
            said += [piece.body for piece in self._framer.feed(self._bench.said()) if isinstance(piece, Frame)]
        self._played = len(self._steps)
        return said

    def _answer(self, message_id: int) -> bytes | None:
        """Return the payload of the device's newest answer with this id, in clear."""
        found = [body[8:] for body in self._answers() if handshake_id(body) == message_id]
        return found[-1] if found else None

    def _introduced(self) -> bytes:
        """Return the payload of HELLO-REPLY, for the prologue."""
        self._answers()
        assert self._bench.unit._link is not None
        return self._bench.unit._link.greeting()

    # ------------------------------------------------------------------ to the line

    def _on_line(self, body: bytes) -> bytes:
        self._total += 1
        if self._keys is None or self._rng.random() < 0.04:
            return body[:3] + bytes([self._total - 1 & 0xFF]) + body[4:]
        return self._keys.seal(body, self._total - 1)

    def _put(self, body: bytes, what: str) -> None:
        self._put_before.append(body)
        super()._put(body, what)

    def _shake_hands(self, body: bytes, what: str) -> None:
        """Send a handshake frame, perhaps twice, or spoilt first."""
        rng = self._rng
        if rng.random() < 0.1:
            spoilt = bytearray(body)
            spoilt[8 + rng.randrange(len(body) - 8)] ^= 1 << rng.randrange(8)
            self._put(bytes(spoilt), f"spoilt {what}")
            self._steps.append(Wait(rng.choice((1, 249, 250, 260))))
        self._put(body, what)
        if rng.random() < 0.15:
            self._steps.append(Wait(rng.choice((1, 99, 100, 101, 249, 250, 251))))
            self._put(body + rng.choice((b"", b"\x70\1?")), f"{what} again")

    # ------------------------------------------------------------------ steps

    def _open(self) -> None:
        self._steps.append(Do(DOORS[self._device][0]))

    def _close(self) -> None:
        self._steps.append(Do(DOORS[self._device][1]))

    def _pair(self) -> None:
        rng = self._rng
        self._open()
        self._steps.append(Do(f"pair {rng.choice((0, 1, 1, 2, 2, 2, 3))}"))
        self._answers()
        code = self._bench.unit.seal.end.code if self._bench.unit.seal is not None else ""
        if rng.random() < 0.1 or not code:
            code = "0AYW-AHEP-PJW7-Q"
        if rng.random() < 0.03:
            self._steps += CODE_LIFE
        host = rng.choice(self._hosts)
        shake = Handshake(
            self._ciphers, NoisePattern.PAIR, initiator=True, own=host.secret, ephemeral=rng.randbytes(32),
            prologue=PAIR_PROLOGUE + self._introduced(), code=secret_of(code),
        )  # fmt: skip
        self._shake_hands(link_frame(PAIR_CALL, shake.write()), "PairCall")
        answer = self._answer(PAIR_ANSWER)
        if rng.random() < 0.08:
            rng.choice((self._close, self._open, lambda: self._steps.append(Wait(280))))()
        if answer is not None:
            try:
                shake.read(answer)
            except HandshakeFailed:
                return
            self._shake_hands(link_frame(PAIR_PROOF, shake.write(bytes([rng.randrange(4)]) + bytes(16))), "PairProof")
            self._use(shake, host, known=False)
            self._steps.append(Look())
        if rng.random() < 0.8:
            self._close()

    def _call(self) -> None:
        rng = self._rng
        host = rng.choice(self._paired or self._hosts) if rng.random() < 0.85 else rng.choice(self._hosts)
        seal = self._bench.unit.seal
        assert seal is not None
        if rng.random() < 0.7:
            self._steps.append(Wait(260))
        shake = Handshake(
            self._ciphers, NoisePattern.SEAL, initiator=True, own=host.secret, remote=seal.public,
            ephemeral=rng.randbytes(32), prologue=SEAL_PROLOGUE + self._introduced(),
        )  # fmt: skip
        call = key_id(host.public) + shake.write()
        self._shake_hands(link_frame(SEAL_CALL, call), "SealCall")
        answer = self._answer(SEAL_ANSWER)
        if answer is None:
            return
        try:
            shake.read(answer)
        except HandshakeFailed:
            return
        if rng.random() < 0.9:
            self._use(shake, host, known=True)

    def _use(self, shake: Handshake, host: KnownHost, *, known: bool) -> None:
        self._keys, self._host = KeySet(self._ciphers, *shake.split()), host
        if not known and host not in self._paired:
            self._paired.append(host)

    def _of_small_order(self) -> None:
        point = self._rng.choice(SMALL_ORDER)
        if self._rng.random() < 0.5:
            self._put(link_frame(PAIR_CALL, point + self._rng.randbytes(16)), "PairCall that agrees on nothing")
        else:
            host = self._rng.choice(self._hosts)
            call = key_id(host.public) + point + self._rng.randbytes(16)
            self._put(link_frame(SEAL_CALL, call), "SealCall that agrees on nothing")

    def _repeat(self) -> None:
        if self._put_before:
            body = self._rng.choice(self._put_before[-6:])
            self._steps.append(Arrive(encode_frame(body), "an earlier frame"))

    def _reflect(self) -> None:
        said = self._answers()
        if said:
            self._steps.append(Arrive(encode_frame(said[-1]), "a frame of the device"))

    def _in_clear(self) -> None:
        keys, self._keys = self._keys, None
        said: Message = self._rng.choice((m.HelloMessage(1, 0, 1, 4, "clear"), self._some_command()))
        for _ in range(self._rng.choice((1, 1, 3))):
            self._say(said)
            self._steps.append(Wait(self._rng.choice((1, 49, 51, 99, 100, 101))))
        self._keys = keys

    def _forget(self) -> None:
        if self._rng.random() < 0.7:
            self._open()
        self._steps.append(Do("forget"))
        if self._rng.random() < 0.7:
            self._keys, self._paired = None, []

    def _come_back(self) -> None:
        self._keys = None
        if self._paired and self._rng.random() < 0.9:
            self._call()
        self._greet()

    def _look(self) -> None:
        self._steps.append(Look())

    _SEALED_KINDS: Final = (_pair, _call, _of_small_order, _repeat, _reflect, _in_clear, _forget, _close, _look)
    _SEALED_WEIGHTS: Final = (4, 8, 2, 6, 2, 4, 1, 2, 1)
