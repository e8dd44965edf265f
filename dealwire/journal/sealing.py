"""Sealing of raw bytes at rest: AES-256-GCM, with a key in a file of its own.

The raw record may contain faces that were not shown. Each opening of a journal derives its own key from the sealing key
and a new random salt (HKDF-SHA256), with a counter as nonce. So no nonce repeats under a key: neither after a kill, nor
after a record that never reached the disk, nor when a copy of the file is continued.
"""

import hashlib
import secrets
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

from dealwire.journal.auditing import (
    AUDITED,
    PREFIX,
    PRIVATE_WORD,
    PUBLIC_WORD,
    STEPS_MOST,
    STRETCH_WORD,
    AuditedSealer,
    AuditorKey,
    AuditorPrivateKey,
    NotAnnounced,
    Ratchet,
    Stretches,
)
from dealwire.journal.errors import KeyProblem
from dealwire.journal.keyfiles import KEY_BYTES, cipher_of, derived, first_word, read_lines, write_text

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

CLEAR: Final = b"\x00"
"""First byte of an unsealed raw payload; the bytes follow."""
SEALED: Final = b"\x01"
"""First byte of one sealed with a key file: key id (8), salt (16), counter (8), then ciphertext and tag (16)."""

_WORD: Final = "dealwire-journal-key"
_INFO: Final = b"dealwire.journal/1 raw"
_PREFIX: Final = struct.Struct(">8s16sQ")
_TAG_BYTES: Final = 16


class NotGenuine(Exception):
    """A sealed payload was altered, moved to another place, or sealed with another key of the same id."""


@dataclass(frozen=True, slots=True, repr=False)
class SealingKey:
    """The keys of one key file: the newest seals, all open. Its repr hides them."""

    path: Path
    keys: tuple[tuple[bytes, bytes], ...]
    """Id and key of each, oldest first."""

    @property
    def id(self) -> str:
        """Id of the sealing key, 16 hex digits; it reveals nothing about the key."""
        return self.keys[-1][0].hex()

    def __repr__(self) -> str:
        return f"SealingKey({self.path}, {self.id})"

    @classmethod
    def load(cls, path: str | Path) -> "SealingKey":
        """Read a key file. KeyUnsafe if it is not ours or others may use it, KeyProblem if it is not a key file or
        cannot be read."""
        path = Path(path)
        keys = tuple(_parse(path, number, words) for number, words in read_lines(path))
        if not keys:
            raise KeyProblem(path, "holds no key; `dealwire journal key new FILE` makes one")
        return cls(path, keys)

    @classmethod
    def new(cls, path: str | Path) -> "SealingKey":
        """Write a key file with one new key, mode 0600. KeyProblem if the file exists."""
        path = Path(path)
        if path.exists():
            raise KeyProblem(path, "already exists; `dealwire journal key rotate FILE` adds a newer key to it")
        return cls._write(path, (_fresh(),))

    def rotated(self) -> "SealingKey":
        """Add a newer key to the file. Sealed bytes stay as they are and need the older ones."""
        return self._write(self.path, (*self.keys, _fresh()))

    @classmethod
    def _write(cls, path: Path, keys: tuple[tuple[bytes, bytes], ...]) -> "SealingKey":
        text = "".join(f"{_WORD} {key_id.hex()} {key.hex()}\n" for key_id, key in keys)
        write_text(path, text)
        return cls(path, keys)


def _fresh() -> tuple[bytes, bytes]:
    key = secrets.token_bytes(KEY_BYTES)
    return _id_of(key), key


def _id_of(key: bytes) -> bytes:
    return hashlib.sha256(b"dealwire journal key id\x00" + key).digest()[:8]


def _parse(path: Path, number: int, words: list[str]) -> tuple[bytes, bytes]:
    try:
        word, key_id, key = words[0], bytes.fromhex(words[1]), bytes.fromhex(words[2])
    except (IndexError, ValueError):
        word, key_id, key = "", b"", b""
    if word != _WORD or len(words) != 3 or len(key) != KEY_BYTES:
        raise KeyProblem(path, f"not a key; allowed: '{_WORD} ID KEY', 16 and 64 hex digits", number)
    if key_id != _id_of(key):
        raise KeyProblem(path, "the key does not fit its id; one of them was altered", number)
    return key_id, key


SealsWith = SealingKey | AuditorKey
"""Keys of a service: a key file, or the public half of an auditor's pair."""
OpensWith = SealingKey | AuditorKey | AuditorPrivateKey | Stretches
"""Keys of a reader. The public half opens what the file next to the journal can."""


def load_key(path: str | Path) -> SealingKey | AuditorPrivateKey | Stretches:
    """Return the key in a file that opens seals, by its first word. KeyUnsafe and KeyProblem as for each kind."""
    word = first_word(path := Path(path))
    if word == PUBLIC_WORD:
        raise KeyProblem(path, "an auditor's public key opens nothing; give the private one")
    if word == PRIVATE_WORD:
        return AuditorPrivateKey.load(path)
    return Stretches.load(path) if word == STRETCH_WORD else SealingKey.load(path)


class Sealer(Protocol):
    """Seals the raw bytes of one opening of one journal, in one process."""

    def announcement(self, table: str = "", *, anew: bool = False) -> bytes | None:
        """Return the payload of the `key` record needed before sealing for `table`; None if none is needed. `anew`:
        always return one."""
        ...

    def seal(self, data: bytes, associated: bytes, table: str = "") -> bytes:
        """Return the payload to store for `data`; it opens only together with `associated`."""
        ...

    def turn(self, table: str = "") -> None:
        """Record that what is sealed from now on for `table` needs nothing before."""
        ...

    def forget(self) -> None:
        """Record that everything before the last `turn` is on the disk."""
        ...


def sealer_of(key: SealsWith | None, journal: Path) -> Sealer | None:
    """Return the sealer of the journal with this key; None seals nothing. Errors as of the two classes."""
    if isinstance(key, AuditorKey):
        return AuditedSealer(key, journal)
    return FileSealer(key) if key is not None else None


class FileSealer:
    """Seals with the newest key of a key file. Use one object per opening."""

    def __init__(self, key: SealingKey) -> None:
        self._id, secret = key.keys[-1]
        self._salt = secrets.token_bytes(16)
        self._cipher = _cipher(key.path, secret, self._salt)
        self._counter = 0

    def announcement(self, table: str = "", *, anew: bool = False) -> None:
        """Return None: a key file's keys are in no journal."""

    def seal(self, data: bytes, associated: bytes, table: str = "") -> bytes:
        """Return the payload to store for `data`; it opens only together with `associated`."""
        prefix = _PREFIX.pack(self._id, self._salt, self._counter)
        sealed = self._cipher.encrypt(self._counter.to_bytes(12, "big"), data, associated)
        self._counter += 1
        return SEALED + prefix + sealed

    def turn(self, table: str = "") -> None:
        """Do nothing: one key seals all."""

    def forget(self) -> None:
        """Do nothing: no key is forgotten."""


class Unsealer:
    """Opens payloads with the given key. `journal` is their file."""

    def __init__(self, key: OpensWith | None, journal: Path) -> None:
        self._path = key.path if key is not None else Path()
        self._keys = dict(key.keys) if isinstance(key, SealingKey) else {}
        self._auditor = key if isinstance(key, AuditorPrivateKey) else None
        self._ciphers: dict[tuple[bytes, bytes], AESGCM] = {}
        self.beside: Path | None = None
        """The file with the current stretches, if that is the only key."""
        if isinstance(key, AuditorKey):
            self.beside = Stretches.beside(journal)
            key = Stretches.load(self.beside)
        held = key.held if isinstance(key, Stretches) else ()
        self._roots = {each.root_id: Ratchet(self._path, each.step, each.key) for each in held}

    @property
    def learns(self) -> bool:
        """True when `key` records open more."""
        return self._auditor is not None

    def learn(self, announcement: bytes) -> None:
        """Take the payload of a `key` record. NotGenuine if it was altered; another auditor's is ignored."""
        if self._auditor is None:
            return
        try:
            found = self._auditor.root_in(announcement)
        except NotAnnounced:
            raise NotGenuine from None
        if found is not None:
            root_id, root = found
            self._roots[root_id] = Ratchet(self._path, 0, root)

    def missing(self, payload: bytes) -> str | None:
        """Return the id of the key or root that `payload` needs and that is missing; None if opening can be tried."""
        form, key_id = payload[:1], payload[1:9]
        if form == SEALED and len(payload) >= 1 + _PREFIX.size + _TAG_BYTES:
            return None if key_id in self._keys else key_id.hex()
        if form == AUDITED and len(payload) >= 1 + PREFIX.size + _TAG_BYTES:
            ratchet, step = self._roots.get(key_id), PREFIX.unpack_from(payload, 1)[1]
            return None if ratchet is not None and step >= ratchet.first else key_id.hex()
        return None

    def open(self, payload: bytes, associated: bytes) -> bytes:
        """Return the raw bytes; NotGenuine if they were altered, SealingUnavailable without its library. Call `missing`
        first."""
        form = payload[:1]
        if form == CLEAR:
            return payload[1:]
        if form not in (SEALED, AUDITED):
            raise NotGenuine
        prefix = _PREFIX if form == SEALED else PREFIX
        if len(payload) < 1 + prefix.size + _TAG_BYTES:
            raise NotGenuine
        key_id, which, counter = prefix.unpack_from(payload, 1)
        cipher = self._salted(key_id, which) if form == SEALED else self._stepped(key_id, which)
        from cryptography.exceptions import InvalidTag

        try:
            return cipher.decrypt(counter.to_bytes(12, "big"), payload[1 + prefix.size :], associated)
        except InvalidTag:
            raise NotGenuine from None

    def _salted(self, key_id: bytes, salt: bytes) -> "AESGCM":
        cipher = self._ciphers.get((key_id, salt))
        if cipher is None:
            cipher = self._ciphers[key_id, salt] = _cipher(self._path, self._keys[key_id], salt)
        return cipher

    def _stepped(self, root_id: bytes, step: int) -> "AESGCM":
        if step >= STEPS_MOST:
            raise NotGenuine
        return self._roots[root_id].cipher(step)


def _cipher(path: Path, key: bytes, salt: bytes) -> "AESGCM":
    return cipher_of(path, derived(path, key, salt, _INFO))
