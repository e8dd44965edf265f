"""Sealing of raw bytes at rest: AES-256-GCM, with a key that lives in a file of its own.

The raw record may hold faces of cards that nobody has shown. Every time a journal is opened a new random salt makes a
key of its own from the sealing key (HKDF-SHA256); under that key a counter is the nonce. So a nonce never comes twice
with a key, neither after a kill, nor after a record that never reached the disk, nor when a copy of the file goes on.
"""

import hashlib
import os
import secrets
import struct
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from dealwire.config.private_file import why_unsafe_facts
from dealwire.journal.errors import KeyProblem, KeyUnsafe, SealingUnavailable
from devices.files import open_file

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

CLEAR: Final = b"\x00"
"""First byte of a raw payload that is not sealed; the bytes follow."""
SEALED: Final = b"\x01"
"""First byte of a sealed one: key id (8), salt (16), counter (8), then ciphertext and tag (16)."""

_WORD: Final = "dealwire-journal-key"
_INFO: Final = b"dealwire.journal/1 raw"
_PREFIX: Final = struct.Struct(">8s16sQ")
KEY_BYTES: Final = 32


class NotGenuine(Exception):
    """A sealed payload was altered, moved to another place, or sealed with another key of the same id."""


@dataclass(frozen=True, slots=True, repr=False)
class SealingKey:
    """The keys of one key file: the newest seals, all of them open. It never shows itself."""

    path: Path
    keys: tuple[tuple[bytes, bytes], ...]
    """Id and key of each, oldest first."""

    @property
    def id(self) -> str:
        """The id of the key that seals, 16 hex digits; it says nothing about the key."""
        return self.keys[-1][0].hex()

    def __repr__(self) -> str:
        return f"SealingKey({self.path}, {self.id})"

    @classmethod
    def load(cls, path: str | Path) -> "SealingKey":
        """Read a key file. KeyUnsafe when it is not ours or others may use it, KeyProblem when it is no key file or
        cannot be read."""
        path = Path(path)
        try:
            with open_file(path) as file:
                unsafe = why_unsafe_facts(os.fstat(file.fileno()), path)
                text = file.read(1 << 20).decode("ascii", "replace")
        except OSError as error:
            raise KeyProblem(path, f"key file cannot be read: {error.strerror}") from error
        if unsafe is not None:
            raise KeyUnsafe(path, unsafe)
        keys = tuple(_parse(path, number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip())
        if not keys:
            raise KeyProblem(path, "holds no key; `dealwire journal key new FILE` makes one")
        return cls(path, keys)

    @classmethod
    def new(cls, path: str | Path) -> "SealingKey":
        """Make a key file with one new key, mode 0600. KeyProblem when the file is there already."""
        path = Path(path)
        if path.exists():
            raise KeyProblem(path, "is there already; `dealwire journal key rotate FILE` adds a newer key to it")
        return cls._write(path, (_fresh(),))

    def rotated(self) -> "SealingKey":
        """Add a newer key to the file. What is sealed already stays as it is and needs the older ones."""
        return self._write(self.path, (*self.keys, _fresh()))

    @classmethod
    def _write(cls, path: Path, keys: tuple[tuple[bytes, bytes], ...]) -> "SealingKey":
        text = "".join(f"{_WORD} {key_id.hex()} {key.hex()}\n" for key_id, key in keys)
        try:
            handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")  # mode 0600
            try:
                with os.fdopen(handle, "w") as file:
                    file.write(text)
                    file.flush()
                    os.fsync(file.fileno())
                os.replace(name, path)
            except BaseException:
                os.unlink(name)
                raise
        except OSError as error:
            raise KeyProblem(path, f"key file cannot be written: {error.strerror}") from error
        return cls(path, keys)


def _fresh() -> tuple[bytes, bytes]:
    key = secrets.token_bytes(KEY_BYTES)
    return _id_of(key), key


def _id_of(key: bytes) -> bytes:
    return hashlib.sha256(b"dealwire journal key id\x00" + key).digest()[:8]


def _parse(path: Path, number: int, line: str) -> tuple[bytes, bytes]:
    words = line.split()
    try:
        word, key_id, key = words[0], bytes.fromhex(words[1]), bytes.fromhex(words[2])
    except (IndexError, ValueError):
        word, key_id, key = "", b"", b""
    if word != _WORD or len(words) != 3 or len(key) != KEY_BYTES:
        raise KeyProblem(path, f"not a key; allowed: '{_WORD} ID KEY', 16 and 64 hex digits", number)
    if key_id != _id_of(key):
        raise KeyProblem(path, "the key does not fit its id; one of them was altered", number)
    return key_id, key


class Sealer:
    """Seals the raw bytes of one opening of one journal. Use one object an opening, in one process."""

    def __init__(self, key: SealingKey) -> None:
        self._id, secret = key.keys[-1]
        self._salt = secrets.token_bytes(16)
        self._cipher = _cipher(key.path, secret, self._salt)
        self._counter = 0

    def seal(self, data: bytes, associated: bytes) -> bytes:
        """The payload to store for `data`; it opens only together with `associated`."""
        prefix = _PREFIX.pack(self._id, self._salt, self._counter)
        sealed = self._cipher.encrypt(self._counter.to_bytes(12, "big"), data, associated)
        self._counter += 1
        return SEALED + prefix + sealed


class Unsealer:
    """Opens payloads, with every key of a key file."""

    def __init__(self, key: SealingKey | None) -> None:
        self._path = key.path if key is not None else Path()
        self._keys = dict(key.keys) if key is not None else {}
        self._ciphers: dict[tuple[bytes, bytes], AESGCM] = {}

    def missing(self, payload: bytes) -> str | None:
        """Id of the key that `payload` needs and that is not here; None when it can be tried."""
        if payload[:1] != SEALED or len(payload) < 1 + _PREFIX.size + 16:
            return None
        key_id = payload[1:9]
        return None if key_id in self._keys else key_id.hex()

    def open(self, payload: bytes, associated: bytes) -> bytes:
        """The raw bytes; NotGenuine when they are not what was sealed, SealingUnavailable without its library."""
        if payload[:1] == CLEAR:
            return payload[1:]
        if payload[:1] != SEALED or len(payload) < 1 + _PREFIX.size + 16:
            raise NotGenuine
        key_id, salt, counter = _PREFIX.unpack_from(payload, 1)
        cipher = self._ciphers.get((key_id, salt))
        if cipher is None:
            cipher = self._ciphers[key_id, salt] = _cipher(self._path, self._keys[key_id], salt)
        from cryptography.exceptions import InvalidTag

        try:
            return cipher.decrypt(counter.to_bytes(12, "big"), payload[1 + _PREFIX.size :], associated)
        except InvalidTag:
            raise NotGenuine from None


def _cipher(path: Path, key: bytes, salt: bytes) -> "AESGCM":
    try:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM
        from cryptography.hazmat.primitives.hashes import SHA256
        from cryptography.hazmat.primitives.kdf.hkdf import HKDF
    except ImportError as cause:
        raise SealingUnavailable(path) from cause
    return AESGCM(HKDF(algorithm=SHA256(), length=KEY_BYTES, salt=salt, info=_INFO).derive(key))
