"""Sealing to an auditor: the table holds only the public half of a key, and what opens the current stretch.

Each opening of a journal draws a random root per table and stores it in the journal, sealed to the auditor. A ratchet
derives from it one key per stretch, from snapshot to snapshot; no later key gives an earlier one. The service keeps the
key of the current stretch in a file next to the journal, so that it can resume after a kill, and forgets it when the
next snapshot is on the disk. `docs/journal.md` states the bytes.
"""

import hashlib
import logging
import os
import secrets
import struct
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import quote, unquote

from dealwire.journal.errors import KeyProblem, SealingUnavailable
from dealwire.journal.keyfiles import (
    ID_BYTES,
    KEY_BYTES,
    UNFIT,
    cipher_of,
    derived,
    from_hex,
    only_key,
    read_lines,
    write_text,
)

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

_log = logging.getLogger(__name__)

AUDITED: Final = b"\x02"
"""First byte of a payload sealed to an auditor: root id (8), step (4), counter (8), then ciphertext and tag (16)."""
ANNOUNCED: Final = b"\x01"
"""First byte of a `key` record: root id (8), auditor's id (8), one-time public key (32), sealed root and tag (48)."""
PREFIX: Final = struct.Struct(">8sIQ")
STEPS_MOST: Final = 1 << 16
"""Most stretches of one root; then another is drawn. It bounds the steps that a damaged record can demand."""

PUBLIC_WORD: Final = "dealwire-auditor-public"
PRIVATE_WORD: Final = "dealwire-auditor-private"
STRETCH_WORD: Final = "dealwire-journal-stretch"

_KIND: Final = "an auditor's key"
_ANNOUNCEMENT: Final = struct.Struct(">c8s8s32s48s")
_ROOT_INFO: Final = b"dealwire.journal/1 root"
_RATCHET_INFO: Final = b"dealwire.journal/1 ratchet"
_SEAL_INFO: Final = b"dealwire.journal/1 stretch"
_NO_SALT: Final = bytes(32)


class NotAnnounced(Exception):
    """A `key` record that no auditor's key opens: altered, or sealed to another with the same id."""


@dataclass(frozen=True, slots=True)
class AuditorKey:
    """The public half: it seals and opens nothing."""

    path: Path
    public: bytes

    @property
    def id(self) -> str:
        """Id of the pair, 16 hex digits."""
        return auditor_id(self.public).hex()

    @classmethod
    def load(cls, path: str | Path) -> "AuditorKey":
        """Read a public key file; anybody may read it too. KeyProblem when it is none, or its key is no good."""
        path = Path(path)
        number, key_id, public = only_key(path, read_lines(path, secret=False), PUBLIC_WORD, _KIND)
        if key_id != auditor_id(public).hex():
            raise KeyProblem(path, UNFIT, number)
        try:
            _agreed(path, secrets.token_bytes(KEY_BYTES), public)
        except ValueError:
            raise KeyProblem(path, "not a valid X25519 public key: anyone could open what it seals", number) from None
        return cls(path, public)


@dataclass(frozen=True, slots=True, repr=False)
class AuditorPrivateKey:
    """The private half: it opens what was sealed to it. Its repr hides the key."""

    path: Path
    private: bytes
    public: bytes

    @property
    def id(self) -> str:
        """Id of the pair, 16 hex digits."""
        return auditor_id(self.public).hex()

    def __repr__(self) -> str:
        return f"AuditorPrivateKey({self.path}, {self.id})"

    @classmethod
    def load(cls, path: str | Path) -> "AuditorPrivateKey":
        """Read a private key file. KeyUnsafe if others may read it, KeyProblem if it is not one."""
        path = Path(path)
        number, key_id, private = only_key(path, read_lines(path), PRIVATE_WORD, _KIND)
        public = _public_of(path, private)
        if key_id != auditor_id(public).hex():
            raise KeyProblem(path, UNFIT, number)
        return cls(path, private, public)

    @classmethod
    def new(cls, path: str | Path, public_path: str | Path) -> "AuditorPrivateKey":
        """Write both files of a new pair. KeyProblem if one of them exists."""
        path, public_path = Path(path), Path(public_path)
        for each in (path, public_path):
            if each.exists() or path == public_path:
                raise KeyProblem(each, "already exists; a pair needs two new files")
        private = secrets.token_bytes(KEY_BYTES)
        key = cls(path, private, _public_of(path, private))
        write_text(path, f"{PRIVATE_WORD} {key.id} {private.hex()}\n")
        write_text(public_path, f"{PUBLIC_WORD} {key.id} {key.public.hex()}\n", 0o644)
        return key

    def root_in(self, announcement: bytes) -> tuple[bytes, bytes] | None:
        """Return id and root of a `key` record; None if another auditor has its key, NotAnnounced if it was altered."""
        if len(announcement) != _ANNOUNCEMENT.size or announcement[:1] != ANNOUNCED:
            raise NotAnnounced
        _, root_id, to, once, sealed = _ANNOUNCEMENT.unpack(announcement)
        if to.hex() != self.id:
            return None
        from cryptography.exceptions import InvalidTag

        try:
            cipher = _root_cipher(self.path, _agreed(self.path, self.private, once), once, self.public)
            root = cipher.decrypt(bytes(12), sealed, announcement[: 1 + 2 * ID_BYTES])
        except (InvalidTag, ValueError):
            raise NotAnnounced from None
        if root_id != id_of_root(root):
            raise NotAnnounced
        return root_id, root


def announced(key: AuditorKey, root: bytes) -> bytes:
    """Return the payload of a `key` record: `root` sealed to the auditor with a one-time key."""
    private = secrets.token_bytes(KEY_BYTES)
    once = _public_of(key.path, private)
    head = ANNOUNCED + id_of_root(root) + auditor_id(key.public)
    cipher = _root_cipher(key.path, _agreed(key.path, private, key.public), once, key.public)
    return head + once + cipher.encrypt(bytes(12), root, head)


def named(announcement: bytes) -> tuple[str, str]:
    """Return the ids of root and auditor in a `key` record, which need not be valid."""
    return announcement[1 : 1 + ID_BYTES].hex(), announcement[1 + ID_BYTES : 1 + 2 * ID_BYTES].hex()


def id_of_root(root: bytes) -> bytes:
    """Return the public id of a root; it reveals nothing about it."""
    return hashlib.sha256(b"dealwire journal root id\x00" + root).digest()[:ID_BYTES]


def auditor_id(public: bytes) -> bytes:
    """Return the id of an auditor's pair."""
    return hashlib.sha256(b"dealwire auditor key id\x00" + public).digest()[:ID_BYTES]


def _agreed(path: Path, private: bytes, public: bytes) -> bytes:
    """Return the X25519 shared secret; ValueError for a public key that gives the same with every private one."""
    try:
        from cryptography.hazmat.primitives.asymmetric import x25519
    except ImportError as cause:
        raise SealingUnavailable(path) from cause
    own = x25519.X25519PrivateKey.from_private_bytes(private)
    return own.exchange(x25519.X25519PublicKey.from_public_bytes(public))


def _public_of(path: Path, private: bytes) -> bytes:
    try:
        from cryptography.hazmat.primitives.asymmetric import x25519
    except ImportError as cause:
        raise SealingUnavailable(path) from cause
    return x25519.X25519PrivateKey.from_private_bytes(private).public_key().public_bytes_raw()


def _root_cipher(path: Path, shared: bytes, once: bytes, public: bytes) -> "AESGCM":
    return cipher_of(path, derived(path, shared, once + public, _ROOT_INFO))


# ------------------------------------------------------------------ the ratchet


class Stretch(NamedTuple):
    """The key of one stretch of a table. It gives the keys of all later stretches of its root, and of none before."""

    root_id: bytes
    step: int
    """From 0, the root itself."""
    key: bytes
    table: str


def next_key(path: Path, key: bytes) -> bytes:
    """Return the key of the next stretch."""
    return derived(path, key, _NO_SALT, _RATCHET_INFO)


class Ratchet:
    """The ciphers of one root, from the first stretch that can be opened here."""

    def __init__(self, path: Path, step: int, key: bytes) -> None:
        self.first = step
        self._path, self._first_key = path, key
        self._step, self._key = step, key
        self._cipher: AESGCM | None = None

    def cipher(self, step: int) -> "AESGCM":
        """Return the cipher of a stretch, from `first` to STEPS_MOST."""
        if step < self._step:
            self._step, self._key, self._cipher = self.first, self._first_key, None
        while self._step < step:
            self._step, self._key, self._cipher = self._step + 1, next_key(self._path, self._key), None
        if self._cipher is None:
            self._cipher = cipher_of(self._path, derived(self._path, self._key, _NO_SALT, _SEAL_INFO))
        return self._cipher


@dataclass(frozen=True, slots=True, repr=False)
class Stretches:
    """The file that opens what was sealed in a journal since each table's last snapshot. Its repr hides the keys."""

    path: Path
    held: tuple[Stretch, ...] = ()

    def __repr__(self) -> str:
        return f"Stretches({self.path}, {len(self.held)})"

    @staticmethod
    def beside(journal: Path) -> Path:
        """Return the file of a journal: next to the journal itself, not to a link to it."""
        return Path(f"{os.path.realpath(journal)}-key")

    @classmethod
    def load(cls, path: str | Path) -> "Stretches":
        """Read it; none held when there is no such file. KeyUnsafe when others may read it, KeyProblem when it is
        damaged."""
        path = Path(path)
        if not path.exists():
            return cls(path)
        return cls(path, tuple(_stretch(path, *line) for line in read_lines(path)))

    def with_held(self, held: Sequence[Stretch]) -> "Stretches":
        """Rewrite the file with these keys. KeyProblem if the disk fails; the old file is then kept."""
        lines = [f"{STRETCH_WORD} {s.root_id.hex()} {s.step} {s.key.hex()} {quote(s.table, safe='')}\n" for s in held]
        write_text(self.path, "".join(lines))
        return replace(self, held=tuple(held))


def _stretch(path: Path, number: int, words: list[str]) -> Stretch:
    try:
        word, root_id, step, key, table = (*words, "") if len(words) == 4 else words
        found = Stretch(from_hex(root_id, ID_BYTES), int(step), from_hex(key, KEY_BYTES), unquote(table))
        if word != STRETCH_WORD or not 0 <= found.step < STEPS_MOST:
            raise ValueError(word)
    except ValueError:
        why = f"not the key of a stretch; allowed: '{STRETCH_WORD} ID STEP KEY TABLE'. Without it the rounds under way "
        raise KeyProblem(path, why + "cannot be replayed here", number) from None
    return found


class _Present:
    """The current stretch of a table."""

    def __init__(self, path: Path, root: bytes, table: str) -> None:
        self.stretch = Stretch(id_of_root(root), 0, root, table)
        self.ratchet = Ratchet(path, 0, root)
        self.counter = 0


class AuditedSealer:
    """Seals the raw bytes of one opening of one journal to an auditor. Use one object per opening, in one process.

    A `key` record with `announcement` must precede what is sealed for a table. After a table's snapshot was added,
    `turn` switches to the next key; once it is on the disk, `forget` removes the previous key from the file next to the
    journal.
    """

    def __init__(self, key: AuditorKey, journal: Path) -> None:
        """KeyProblem or KeyUnsafe if the file next to the journal cannot be used."""
        self._key = key
        self._file = Stretches.load(Stretches.beside(journal))
        self._present: dict[str, _Present] = {}
        self._turned: set[str] = set()

    def announcement(self, table: str = "", *, anew: bool = False) -> bytes | None:
        """Return the payload of the `key` record due now; None if none is due, unless `anew`. KeyProblem if the disk
        does not take the key of the first stretch."""
        present = None if anew else self._present.get(table)
        if present is not None and present.stretch.step < STEPS_MOST - 1:
            return None
        present = _Present(self._key.path, secrets.token_bytes(KEY_BYTES), table)
        self._file = self._file.with_held((*self._file.held, present.stretch))
        payload = announced(self._key, present.stretch.key)
        self._present[table] = present
        return payload

    def seal(self, data: bytes, associated: bytes, table: str = "") -> bytes:
        """Return the payload to store for `data`; it opens only together with `associated`. KeyError for a table
        without an announcement."""
        present = self._present[table]
        cipher = present.ratchet.cipher(present.stretch.step)
        counter, present.counter = present.counter, present.counter + 1
        prefix = PREFIX.pack(present.stretch.root_id, present.stretch.step, counter)
        return AUDITED + prefix + cipher.encrypt(counter.to_bytes(12, "big"), data, associated)

    def turn(self, table: str = "") -> None:
        """Switch to the next key of `table`: its snapshot, start or end was just added, so nothing before is needed to
        resume."""
        self._turned.add(table)
        present = self._present.get(table)
        if present is not None and present.stretch.step < STEPS_MOST - 1:
            _, step, key, _ = present.stretch
            present.stretch = present.stretch._replace(step=step + 1, key=next_key(self._key.path, key))
            present.ratchet = Ratchet(self._key.path, step + 1, present.stretch.key)

    def forget(self) -> None:
        """Remove old keys: everything before the last `turn` of each table is on the disk. If the file cannot be
        written, the old keys stay until the next time, and the log says so."""
        if not self._turned:
            return
        held = [stretch for stretch in self._file.held if stretch.table not in self._turned]
        held += [self._present[table].stretch for table in sorted(self._turned) if table in self._present]
        if held != list(self._file.held):
            try:
                self._file = self._file.with_held(held)
            except KeyProblem as problem:
                _log.warning("%s; it still holds keys of finished stretches", problem)
                return
        self._turned.clear()
