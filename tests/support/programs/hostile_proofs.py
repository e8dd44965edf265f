"""Someone without the code at a device that shows one: attempts to pair, of which none may succeed.

    python -m tests.support.programs.hostile_proofs 100000 --seed 30

Each attempt is on a code of its own, begins with a genuine call, and ends with one hostile proof: of a wrong code, at
random, cut, changed in one bit, out of another pairing, or the device's own answer. After it the code is used up: the
genuine proof, with the right code, is refused too.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from random import Random

from protocol.tdp.framing import encode_frame
from protocol.tdp.messages import Kind, Reason, Role
from protocol.tdp.seal.device_end import DeviceEnd
from protocol.tdp.seal.line_end import PAIR_ANSWER, PAIR_CALL, PAIR_PROLOGUE, PAIR_PROOF, link_frame
from protocol.tdp.seal.noise import Handshake, NoisePattern
from protocol.tdp.seal.words import CODE_BITS, code_of, secret_of
from tests.support.fuzzing.fuzzed_seals import SeededCiphers
from tests.support.rigs.links import MS, START_NS
from tests.support.rigs.sealed_links import DEVICE_KEY, HOST_KEY, OTHER_KEY, bodies

GREETING = bytes(range(100))
"""Payload of HELLO-REPLY: both ends only need the same."""
GRANT = bytes([Role.SERVICE]) + b"someone".ljust(16, b"\0")
STEP_NS = 300 * MS


class ProofAttack:
    """One device, and someone who has all but the code."""

    def __init__(self, seed: int) -> None:
        self.chance = Random(seed)
        self.suite = SeededCiphers(self.chance)
        self.device = DeviceEnd(self.suite, DEVICE_KEY, GREETING)
        self.now_ns = START_NS
        self.sent: Counter[str] = Counter()
        self.before = bytes(81)
        """Genuine proof of the attempt before, which no one has sent in time."""

    def run(self, count: int) -> None:
        """Make `count` attempts. AssertionError names the first that went further than it may."""
        for _ in range(count):
            kind = self.chance.choice(KINDS)
            self._attempt(kind, KINDS_OF[kind])
            self.sent[kind] += 1
        self._pairs_with_the_code()

    def _attempt(self, kind: str, spoil: Callable[[ProofAttack, bytes, bytes, bytes], bytes]) -> None:
        right = code_of(self.chance.getrandbits(CODE_BITS))
        wrong = code_of(self.chance.getrandbits(CODE_BITS))
        call, ephemeral = self._call(right)
        answer = self._hear(call)
        assert answer[2:3] + answer[6:8] == bytes((Kind.LINK, PAIR_ANSWER, 0)), f"{kind}: the call was not answered"
        genuine = self._proof(HOST_KEY, right, ephemeral, answer)
        proof = spoil(self, genuine, guessed := self._proof(OTHER_KEY, wrong, ephemeral, answer), answer[8:])
        if kind == SHAPELESS:  # which is no attempt: nothing was computed, and nothing can be learned from it
            self._refused(kind, proof, Reason.BAD_PAYLOAD, code=right)
            self._refused(f"{kind}, then a wrong code", guessed)
        else:
            self._refused(kind, proof)
        self._refused(f"{kind}, then the genuine one", genuine)
        self.before = genuine

    def _call(self, code: str) -> tuple[bytes, bytes]:
        self.now_ns += STEP_NS
        self.device.allow_pairing(code, self.now_ns)
        ephemeral = self.suite.generate()
        return link_frame(PAIR_CALL, self._begun(HOST_KEY, b"", ephemeral).write()), ephemeral

    def _begun(self, own: bytes, code: bytes, ephemeral: bytes) -> Handshake:
        return Handshake(self.suite, NoisePattern.PAIR, initiator=True, own=own, prologue=PAIR_PROLOGUE + GREETING,
                         code=code, ephemeral=ephemeral)  # fmt: skip

    def _proof(self, own: bytes, code: str, ephemeral: bytes, answer: bytes) -> bytes:
        """Return the proof of whoever has this key and this code."""
        shake = self._begun(own, secret_of(code), ephemeral)
        shake.write()
        shake.read(answer[8:])
        return shake.write(GRANT)

    def _hear(self, body: bytes) -> bytes:
        out = self.device.receive(encode_frame(body, after_silence=True), self.now_ns).out
        return (bodies(out) or [b""])[0]

    def _refused(self, kind: str, proof: bytes, why: Reason = Reason.NOT_PERMITTED, code: str = "") -> None:
        device = self.device
        self.now_ns += STEP_NS
        answer = self._hear(link_frame(PAIR_PROOF, proof))
        refused = bytes((PAIR_PROOF, 0, why, 0))
        assert answer[2] == Kind.NAK, kind
        assert answer[6:] == refused, kind
        learned = device.hosts, device.closed, device.keys, device.report_due, device.code, device.stats.handshakes
        assert learned == ([], False, None, False, code, 0), f"{kind}: {proof.hex()}"

    def _pairs_with_the_code(self) -> None:
        """Pair the genuine host at the end: the refusals before were for a reason."""
        code = code_of(self.chance.getrandbits(CODE_BITS))
        call, ephemeral = self._call(code)
        proof = self._proof(HOST_KEY, code, ephemeral, self._hear(call))
        self.now_ns += STEP_NS
        self._hear(link_frame(PAIR_PROOF, proof))
        assert [host.public for host in self.device.hosts] == [self.suite.public(HOST_KEY)]

    # -------------------------------------------------------------- kinds of proofs

    def changed(self, genuine: bytes, _wrong: bytes, _answer: bytes) -> bytes:
        """Return the genuine proof with one bit changed."""
        found, at = bytearray(genuine), self.chance.randrange(8 * len(genuine))
        found[at // 8] ^= 1 << at % 8
        return bytes(found)

    def cut(self, genuine: bytes, _wrong: bytes, _answer: bytes) -> bytes:
        """Return a part of the genuine proof, or more than it: an extension that claims more bytes than there are."""
        if self.chance.random() < 0.3:
            more = self.chance.randbytes(self.chance.randint(1, 60))
            return genuine + more[:1] + b"\xff" * (len(more) > 1) + more[2:]
        return genuine[: self.chance.randrange(len(genuine))]

    def joined(self, genuine: bytes, wrong: bytes, _answer: bytes) -> bytes:
        """Return the genuine first half, which is the host's key, with a second half of a wrong code."""
        return genuine[:48] + wrong[48:]


SHAPELESS = "cut or longer"
KINDS_OF: dict[str, Callable[[ProofAttack, bytes, bytes, bytes], bytes]] = {
    "a wrong code": lambda _attack, _genuine, wrong, _answer: wrong,
    "random": lambda attack, _genuine, _wrong, _answer: attack.chance.randbytes(81),
    "one bit changed": ProofAttack.changed,
    SHAPELESS: ProofAttack.cut,
    "two halves": ProofAttack.joined,
    "of the pairing before": lambda attack, _genuine, _wrong, _answer: attack.before,
    "the device's own answer": lambda _attack, _genuine, _wrong, answer: answer[:81],
}
KINDS = tuple(KINDS_OF)


def attack_pairing(count: int, seed: int) -> Counter[str]:
    """Make `count` attempts and return how many of each kind. AssertionError names the first that paired."""
    run = ProofAttack(seed)
    run.run(count)
    return run.sent


def _lines(sent: Counter[str]) -> Iterator[str]:
    for kind, count in sent.items():
        yield f"{count:>9,}  {kind}"
    yield f"{sent.total():>9,}  hostile proofs, none paired, one attempt a code"


def main() -> None:
    parser = argparse.ArgumentParser(description="Try to pair with a device without its code.")
    parser.add_argument("count", type=int)
    parser.add_argument("--seed", type=int, default=30)
    given = parser.parse_args()
    for line in _lines(attack_pairing(given.count, given.seed)):
        sys.stdout.write(f"{line}\n")


if __name__ == "__main__":
    main()
