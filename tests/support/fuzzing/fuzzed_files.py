"""Targets of a fuzzer: signed and secret files, proofs and notes, and the extensions by which a device attests.

Whatever its bytes are, an input is read or refused with a declared error. What is signed is never accepted with another
content.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from random import Random
from typing import Final

from dealwire.attest.firmware import FirmwareList
from dealwire.attest.keys import SigningKey, trusted
from dealwire.attest.trust import Trust
from dealwire.config.schema import AttestationPart
from dealwire.journal.errors import NoteRefused
from dealwire.journal.proving import RoundProof
from dealwire.journal.sealing import load_key
from dealwire.journal.signing import (
    WITNESS_TYPE,
    NoteVerifier,
    SigningPair,
    TreeHead,
    cosignature,
    cosigned_at,
    opened_checkpoint,
    parsed_line,
    read_vkeys,
    signed_checkpoint,
)
from dealwire.journal.tree import EMPTY_ROOT
from dealwire.journal.witnessing import Growth, grown, read_state, state_line
from dealwire.service.line_keys import LineKeys, PairedDevice
from devices.attestation import Evidence, Maker, NotAttested, certified_key, signed_by
from devices.attested import parse_note
from protocol.errors import DealwireError
from protocol.tdp import attestation as a
from protocol.tdp import messages as m
from protocol.tdp.codec import decode, encode
from protocol.tdp.messages import Capability, Role
from protocol.tdp.seal.words import BadCode, code_of, secret_of
from tests.support.fuzzing.fuzz_units import FuzzTally, Unaccounted, folder_of, spoiled
from tests.support.rigs import attested
from tests.support.rigs.links import hello_reply

FileReader = Callable[[bytes], object]
"""Function that reads bytes, and returns what was accepted; a DealwireError refuses them."""

# ------------------------------------------------------------------ proofs and notes

SIGNER: Final = SigningPair.of_seed(bytes(range(32)))
ORIGIN: Final = "dealwire/4be1f702000000000000000000000000/a1a1a1a1a1a1a1a1"
HEAD: Final = TreeHead(ORIGIN, 3, bytes(range(32)))
NOTE: Final = signed_checkpoint(HEAD, SIGNER)
KEY: Final = NoteVerifier.parse(SIGNER.vkey(ORIGIN))
LINE: Final = b'{"table":"t","round":1}'
PLACES: Final = [(7, 8), (9, 10)]
_FILE, _EPOCH = map(bytes.fromhex, ORIGIN.split("/")[1:])
_PATH: Final = [bytes(32)] * 2
PROOF: Final = RoundProof(_FILE, _EPOCH, 1, 3, PLACES, "settlement", bytes(32), bytes(64), _PATH,
              [cosignature(HEAD.body, SIGNER, "w", 9)]).to_bytes()  # fmt: skip
ONE: Final = RoundProof(_FILE, _EPOCH, 1, 3, PLACES[:1], "round", bytes(32), bytes(64), _PATH).to_bytes()
GROWTH: Final = f"old 0\n\n{NOTE}"


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


READERS: Final[dict[str, tuple[bytes, FileReader]]] = {
    "a proof": (PROOF, lambda data: RoundProof.parse(data).check([LINE, LINE], KEY)),
    "a proof of one line": (ONE, lambda data: RoundProof.parse(data).check([LINE], KEY)),
    "a line of a proof": (LINE, lambda data: RoundProof.parse(ONE).check([data], KEY)),
    "a note": (NOTE.encode(), lambda data: opened_checkpoint(_text(data), [KEY])),
    "growth": (GROWTH.encode(), lambda data: Growth.parse(_text(data)) and grown(None, _text(data), [KEY])),
    "growth from a tree": (
        GROWTH.replace("old 0", "old 2\n" + "A" * 43 + "=").encode(),
        lambda data: grown(TreeHead(ORIGIN, 2, EMPTY_ROOT), _text(data), [KEY]),
    ),
    "a cosignature": (
        str(cosignature(HEAD.body, SIGNER, "w", 9)).encode(),
        lambda data: cosigned_at(HEAD.body, parsed_line(_text(data)), NoteVerifier("w", WITNESS_TYPE, SIGNER.public)),
    ),
    "a vkey": (str(KEY).encode(), lambda data: NoteVerifier.parse(_text(data))),
}
"""Valid bytes, and what reads them, of everything that anyone may send about a log."""

# ------------------------------------------------------------------ attestation

_HELLO: Final = hello_reply(
    0x1001, capabilities=Capability.ATTESTATION, maker="dealwire", model="sim-shuffler", serial="SIM-0001"
)
_DEVICE: Final = attested.device_key(1)
_MAKERS: Final = [Maker("dealwire", attested.public_half(attested.MAKER))]
_CHALLENGE: Final = m.VerifyMessage(bytes(16), 0)


def _certified(data: bytes) -> object:
    """Read the body of a HELLO-REPLY with a certificate, and return the device's key."""
    envelope = decode(data)
    if not isinstance(envelope.message, m.HelloReplyMessage):
        raise NotAttested("another message")
    return certified_key(envelope.message, a.Certificate.read(envelope.extensions), _MAKERS)


def _measured(data: bytes) -> object:
    """Read the body of a *Measured* with its signature, and return what it proves."""
    envelope = decode(data)
    if not isinstance(envelope.message, m.MeasuredMessage):
        raise NotAttested("another message")
    statement = a.Statement.read(envelope.extensions)
    found = Evidence(_HELLO, None, _CHALLENGE, envelope.message, statement)
    return signed_by(attested.public_half(_DEVICE), found)


def _attesting() -> dict[str, tuple[bytes, FileReader]]:
    signature = attested.certificate(_DEVICE, "shuffler")
    hello = encode(_HELLO, extensions=(a.Certificate(attested.public_half(_DEVICE), signature).extension(),))
    payload = attested.measured(bytes(16), session=0x1001)
    own, signed = attested.statement(_DEVICE, payload)
    message = m.MeasuredMessage(0x1001, bytes(16), 0, 1, payload[-32:])
    measured = encode(message, extensions=((a.MEASURED_EXTENSION, own + signed),))
    return {"a certificate": (hello, _certified), "a measurement": (measured, _measured)}


# ------------------------------------------------------------------ files


class FuzzedFolder:
    """A folder in memory, if there is one, with the files that are read."""

    def __init__(self) -> None:
        self.path = folder_of(self)
        (self.path / "signers.pub").write_text(f"tdp-list-public {attested.public_half(attested.SIGNER).hex()} lab\n")
        self.signers = trusted(self.path / "signers.pub", "list")

    def reader(self, name: str, read: Callable[[Path], object]) -> FileReader:
        """Return a reader that writes the file and reads it again."""
        path = self.path / name
        path.touch(mode=0o600)

        def through(data: bytes) -> object:
            path.write_bytes(data)
            return read(path)

        return through

    def line_keys(self) -> dict[str, tuple[bytes, FileReader]]:
        """Return the two files of a host's keys of sealed lines."""
        folder = self.path / "lines"
        keys = LineKeys.read_or_make(folder)
        keys.own = bytes(range(32))
        keys._write_own()
        for number in range(3):
            keys.add(PairedDevice(f"maker/model/{number}", bytes([number]) * 32, "-", Role.OPERATE, "2026-01-01"))
        own, devices = (folder / name for name in ("host.key", "devices.keys"))
        kept = devices.read_bytes()

        def host(data: bytes) -> object:
            own.write_bytes(data)
            devices.write_bytes(b"")
            return LineKeys.read(folder).own

        def paired(data: bytes) -> object:
            own.write_bytes(whole)
            devices.write_bytes(data)
            return len(LineKeys.read(folder).devices)

        whole = own.read_bytes()
        return {"a host's key": (whole, host), "paired devices": (kept, paired)}

    def firmware(self) -> dict[str, tuple[bytes, FileReader]]:
        """Return the signed list of firmware, and the files around it."""
        text = attested.list_text(first=date(2026, 1, 1), last=date(2027, 1, 1)).encode()
        many = attested.list_text(lines=[attested.image_line("shoe", bytes([n])) for n in range(60)],
                                  first=date(2026, 1, 1), last=date(2027, 1, 1)).encode()  # fmt: skip
        part = AttestationPart(makers=self.path, signers=self.path, allowed=self.path)
        newest = Trust(part, self.path / "journal")
        load = self.reader("allowed.list", lambda path: FirmwareList.load(path, self.signers).text)
        return {
            "a list of firmware": (text, load),
            "a long list of firmware": (many, load),
            "an unsigned list": (
                text,
                self.reader("unsigned.list", lambda path: len(FirmwareList.read(path)[0].allowed)),
            ),
            "the newest list": (
                f"tdp-newest-list 7 {'ab' * 32}\n".encode(),
                self.reader("journal-firmware-list", lambda _: newest._newest()),
            ),
        }

    def keys(self) -> dict[str, tuple[bytes, FileReader]]:
        """Return the other key files."""
        public = f"tdp-maker-public {'ab' * 32} dealwire\n# a comment\n".encode()
        seed, key = bytes(range(32)), bytes(range(32))
        pair = SigningPair.of_seed(seed)
        witness = "".join(state_line(HEAD) for _ in range(3)).encode()
        return {
            "makers' keys": (public, self.reader("makers.pub", lambda path: trusted(path, "maker"))),
            "a maker's key": (
                f"tdp-maker-key {seed.hex()} dealwire\n".encode(),
                self.reader("maker.key", lambda path: SigningKey.load(path, "maker").seed),
            ),
            "a signing key": (
                f"dealwire-signing-key {pair.id} {seed.hex()}\n".encode(),
                self.reader("signing.key", lambda path: SigningPair.load(path).id),
            ),
            "a sealing key": (
                f"dealwire-journal-key {key[:8].hex()} {key.hex()}\n".encode(),
                self.reader("sealing.key", load_key),
            ),
            "vkeys": (f"{KEY}\n".encode() * 4, self.reader("vkeys", read_vkeys)),
            "a witness's memory": (witness, self.reader("state", lambda path: list(map(state_line, read_state(path))))),
        }


SIGNED: Final = {"a list of firmware", "a long list of firmware", "a certificate", "a measurement", "a note",
                 "a proof", "a proof of one line", "a cosignature"}  # fmt: skip
"""Inputs that, if they are accepted, must say what the valid ones say."""


class SignedFiles:
    """Every reader in turn, each with its own valid bytes to spoil."""

    def __init__(self, _: Random) -> None:
        self._folder = folder = FuzzedFolder()
        words = (code_of(0x123456789ABCDEF).encode(), lambda data: secret_of(_text(data)))
        note = (b'attestation: {"state":"proved","why":""}', lambda data: parse_note(_text(data)))
        self.readers: dict[str, tuple[bytes, FileReader]] = {
            **READERS, **_attesting(), **folder.firmware(), **folder.line_keys(), **folder.keys(),
            "a code": words, "a note of a recording": note,
        }  # fmt: skip
        self._right = {name: _accepted(read, data) for name, (data, read) in self.readers.items()}
        self._name = ""

    def inputs(self, chance: Random) -> Iterator[bytes]:
        """Yield spoiled files, and one in a hundred of random or endless content."""
        while True:
            for name, (valid, _) in self.readers.items():
                self._name = name
                kind = chance.random()
                if kind > 0.01:
                    yield spoiled(valid, chance, 1 + int(chance.random() * 4))
                elif kind > 0.001:
                    yield chance.randbytes(int(chance.random() * 4000))
                else:
                    yield spoiled(valid * (60_000 // len(valid)), chance, 20)

    def take(self, data: bytes, chance: Random, tally: FuzzTally) -> None:
        """Read an input. Unaccounted if something signed is accepted with another content."""
        valid, read = self.readers[self._name]
        try:
            found = read(data)
        except BadCode:
            tally.errors["BadCode"] += 1
            return
        tally.frames += 1
        if self._name in SIGNED and data != valid and found != self._right[self._name]:
            raise Unaccounted(f"{self._name} was accepted with another content")


def _accepted(read: FileReader, data: bytes) -> object:
    """Return what a reader makes of valid bytes; None if they are refused, as an unsigned example is."""
    try:
        return read(data)
    except (DealwireError, NoteRefused):
        return None
