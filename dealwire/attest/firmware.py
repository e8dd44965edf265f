"""Signed list of the firmware that devices may have.

A text file, one fact a line; words with spaces are quoted as in a shell:

    tdp-firmware-list NUMBER FROM UNTIL
    firmware CLASS REGION LENGTH SHA256 MAKER MODEL VERSION
    signed KEY SIGNATURE

The first line has the list's number, which grows with each edition, and the first and last day on which it is valid.
The last line has the Ed25519 key of the laboratory or house and its signature over ASCII `TDP firmware list` and
every byte of the file before that line.
"""

import hashlib
import shlex
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Final, NamedTuple, Self

from dealwire.attest.keys import SigningKey, name_of
from dealwire.journal.keyfiles import from_hex, write_text
from devices.attestation import SEED_BYTES, FirmwareProof, Maker, NotAttested, holds, signer_of
from devices.files import read_file
from protocol.errors import LocalError
from protocol.tdp.attestation import SIGNATURE_BYTES
from protocol.tdp.messages import DeviceClass, HelloReplyMessage

WORD: Final = "tdp-firmware-list"
_SIGNS: Final = b"TDP firmware list"
_BYTES_MOST: Final = 1 << 20
_NUMBER_MOST: Final = 2**31 - 1
CLASSES: Final = {each.name.lower().replace("_", "-"): int(each) for each in DeviceClass}
"""Classes of devices by the word in a list."""
_HEAD: Final = f"'{WORD} NUMBER FROM UNTIL', a number from 1 and two days such as 2027-01-31"
_ENTRY: Final = (
    f"'firmware CLASS REGION LENGTH SHA256 MAKER MODEL VERSION', CLASS one of {', '.join(CLASSES)}, REGION from 0 to "
    "255, LENGTH in bytes, SHA256 of 64 hex digits, texts of at most 16 characters"
)
_SIGNED: Final = "'signed KEY SIGNATURE', 64 and 128 hex digits, as the last line"


class ListRefused(LocalError):
    """A list of allowed firmware cannot be used; `line` counts from 1."""

    def __init__(self, path: Path, why: str, line: int | None = None) -> None:
        self.path, self.why, self.line = path, why, line
        super().__init__(f"{path}:{'' if line is None else f'{line}:'} {why}")


class AllowedFirmware(NamedTuple):
    """One firmware image that devices of one model may have in a region."""

    device_class: int
    region: int
    length: int
    sha256: bytes
    maker: str
    model: str
    version: str

    @property
    def line(self) -> str:
        """Its line in a list."""
        kind = next(word for word, number in CLASSES.items() if number == self.device_class)
        facts = (kind, self.region, self.length, self.sha256.hex(), self.maker, self.model, self.version)
        return shlex.join(["firmware", *map(str, facts)])


class FirmwareList(NamedTuple):
    """A list. `signer` is the name of the trusted key that signed it, empty while it is not checked."""

    number: int
    first: date
    last: date
    allowed: tuple[AllowedFirmware, ...]
    signer: str = ""
    sha256: str = ""
    """Digest of its file without the signature, in hex; empty for a list that is not in a file."""

    @property
    def text(self) -> str:
        """Content of its file, without the signature."""
        lines = [f"{WORD} {self.number} {self.first} {self.last}", *(each.line for each in self.allowed)]
        return "".join(f"{line}\n" for line in lines)

    @property
    def images(self) -> str:
        """Number of images as text."""
        return f"{len(self.allowed)} image{'' if len(self.allowed) == 1 else 's'}"

    @classmethod
    def read(cls, path: Path) -> tuple[Self, bytes]:
        """Return the list in a file, its signature unchecked, and the bytes of the file. ListRefused for another
        file."""
        try:
            data = read_file(path, _BYTES_MOST)
        except OSError as error:
            raise ListRefused(path, f"list cannot be read: {error.strerror}") from error
        content, last = _split(data)
        if not last.startswith(b"signed "):
            content = data
        lines = content.decode("utf-8", "replace").splitlines()
        number, first, last_day = _head(path, lines[0] if lines else "")
        allowed = tuple(_entry(path, at, line) for at, line in enumerate(lines[1:], 2))
        return cls(number, first, last_day, allowed, sha256=hashlib.sha256(content).hexdigest()), data

    @classmethod
    def load(cls, path: Path, signers: Sequence[Maker]) -> Self:
        """Return a list that one of these keys signed. ListRefused for any other."""
        found, data = cls.read(path)
        signed, words = _split(data)
        try:
            word, *halves = words.decode("ascii").split()
            if word != "signed":
                raise ValueError(word)
            key, signature = (
                from_hex(each, size) for each, size in zip(halves, (SEED_BYTES, SIGNATURE_BYTES), strict=True)
            )
        except ValueError:
            raise ListRefused(path, f"it is not signed; allowed: {_SIGNED}") from None
        signer = next((each for each in signers if each.key == key), None)
        if signer is None:
            raise ListRefused(path, f"its signer {key.hex()[:16]} is not trusted")
        if not holds(key, signature, _SIGNS + signed):
            raise ListRefused(path, f"the signature of {signer.name} does not fit its content")
        return found._replace(signer=signer.name)

    def check_day(self, path: Path, today: date) -> None:
        """Raise ListRefused on a day on which it is not valid."""
        if today < self.first:
            raise ListRefused(path, f"list {self.number} is valid only from {self.first}")
        if today > self.last:
            raise ListRefused(path, f"list {self.number} was valid until {self.last}")

    def firmware_of(self, hello: HelloReplyMessage, proof: FirmwareProof) -> AllowedFirmware:
        """Return the entry for a device's proved firmware; NotAttested if there is none."""
        of = (hello.device_class, proof.region, proof.length, proof.sha256, hello.maker, hello.model)
        found = next((each for each in self.allowed if each[:6] == of), None)
        if found is None:
            text = f"{hello.firmware}, {proof.length} bytes, SHA-256 {proof.sha256.hex()[:16]}"
            raise NotAttested(f"its firmware ({text}) is not on list {self.number}")
        return found


def sign(path: Path, key: SigningKey) -> FirmwareList:
    """Sign the list in a file, in place of an earlier signature. ListRefused if it is no list."""
    _, data = FirmwareList.read(path)
    content, last = _split(data)
    if not last.startswith(b"signed "):
        content = data if data.endswith(b"\n") else data + b"\n"
    signature = signer_of(key.seed)(_SIGNS + content)
    write_text(path, f"{content.decode()}signed {key.public.hex()} {signature.hex()}\n", mode=0o644)
    return FirmwareList.read(path)[0]


def _split(data: bytes) -> tuple[bytes, bytes]:
    """Return the bytes before the last line, and the last line."""
    at = data.rstrip(b"\n").rfind(b"\n") + 1
    return data[:at], data[at:]


def _head(path: Path, line: str) -> tuple[int, date, date]:
    try:
        word, number, first, last = line.split()
        days = date.fromisoformat(first), date.fromisoformat(last)
        if word != WORD or not number.isdecimal() or not 0 < int(number) <= _NUMBER_MOST or days[0] > days[1]:
            raise ValueError(line)
    except ValueError:
        raise ListRefused(path, f"not a list of firmware; allowed: {_HEAD}", 1) from None
    return int(number), *days


def _entry(path: Path, at: int, line: str) -> AllowedFirmware:
    try:
        word, kind, region, length, digest, *texts = shlex.split(line)
        maker, model, version = map(name_of, texts)
        if word != "firmware" or not region.isdecimal() or not length.isdecimal():
            raise ValueError(line)
        numbers = int(region), int(length)
        if numbers[0] > 255 or numbers[1] >= 2**32:
            raise ValueError(line)
        return AllowedFirmware(CLASSES[kind], *numbers, from_hex(digest, SEED_BYTES), maker, model, version)
    except (ValueError, KeyError):
        raise ListRefused(path, f"not a firmware; allowed: {_ENTRY}", at) from None
