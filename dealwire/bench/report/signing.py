"""Signatures of reports: Ed25519 over the bytes of the report's file, in a file next to it. Keys are text files like
those of the journal; `docs/bench.md` describes their format."""

import hashlib
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

from dealwire.journal.errors import KeyProblem, SealingUnavailable
from dealwire.journal.keyfiles import ID_BYTES, KEY_BYTES, UNFIT, from_hex, only_key, read_lines, write_text

PRIVATE_WORD: Final = "dealwire-report-private"
PUBLIC_WORD: Final = "dealwire-report-public"
SIGNATURE_WORD: Final = "dealwire-report-signature"
SIGNATURE_BYTES: Final = 64

_KIND: Final = "a key for reports"


@dataclass(frozen=True, slots=True)
class ReportSignature:
    """Signature, with the public key of the signer."""

    public: bytes
    signature: bytes

    @property
    def key_id(self) -> str:
        """Id of the key pair, 16 hexadecimal digits."""
        return report_key_id(self.public)

    @property
    def hex(self) -> str:
        """The signature in hexadecimal."""
        return self.signature.hex()

    def fits(self, path: Path, data: bytes) -> bool:
        """Return True if the signature matches these bytes. Raise SealingUnavailable with `path` if the library is not
        installed."""
        try:
            from cryptography.exceptions import InvalidSignature
            from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
        except ImportError as cause:
            raise SealingUnavailable(path) from cause
        try:
            Ed25519PublicKey.from_public_bytes(self.public).verify(self.signature, data)
        except (InvalidSignature, ValueError):
            return False
        return True

    def write(self, report: Path) -> Path:
        """Write the signature next to its report. Raise KeyProblem if that fails."""
        path = beside(report)
        write_text(path, f"{SIGNATURE_WORD} {self.key_id} {self.public.hex()} {self.hex}\n", 0o644)
        return path

    @classmethod
    def of(cls, report: Path) -> Self | None:
        """Read the signature next to a report, or return None without one. Raise KeyProblem if the file is not a
        signature."""
        if not (path := beside(report)).exists():
            return None
        lines = read_lines(path, secret=False)
        try:
            ((_, (word, key_id, public, signature)),) = lines
            found = cls(from_hex(public, KEY_BYTES), from_hex(signature, SIGNATURE_BYTES))
            if word != SIGNATURE_WORD or key_id != found.key_id:
                raise ValueError(word)
        except ValueError:
            why = f"not a signature; allowed: one line '{SIGNATURE_WORD} ID KEY SIGNATURE', 16, 64 and 128 hex digits"
            raise KeyProblem(path, why) from None
        return found


def beside(report: Path) -> Path:
    """Return the path of a report's signature."""
    return report.with_name(f"{report.name}.sig")


def report_key_id(public: bytes) -> str:
    """Return the id of a key pair. It reveals nothing about the private half."""
    return hashlib.sha256(b"dealwire report key id\x00" + public).digest()[:ID_BYTES].hex()


@dataclass(frozen=True, slots=True, repr=False)
class ReportSigner:
    """Private half of a key pair. Its representation never shows the key."""

    path: Path
    private: bytes
    public: bytes

    def __repr__(self) -> str:
        return f"ReportSigner({self.path}, {self.id})"

    @property
    def id(self) -> str:
        """Id of the key pair, 16 hexadecimal digits."""
        return report_key_id(self.public)

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read a private key file. Raise KeyUnsafe if others may read it, KeyProblem if it is not one."""
        number, key_id, private = only_key(path, read_lines(path), PRIVATE_WORD, _KIND)
        found = cls(path, private, _public_of(path, private))
        if key_id != found.id:
            raise KeyProblem(path, UNFIT, number)
        return found

    @classmethod
    def new(cls, path: Path, public_path: Path) -> Self:
        """Write both files of a new pair. Raise KeyProblem if one exists."""
        for each in (path, public_path):
            if each.exists() or path == public_path:
                raise KeyProblem(each, "exists; a pair needs two new files")
        private = secrets.token_bytes(KEY_BYTES)
        signer = cls(path, private, _public_of(path, private))
        write_text(path, f"{PRIVATE_WORD} {signer.id} {private.hex()}\n")
        write_text(public_path, f"{PUBLIC_WORD} {signer.id} {signer.public.hex()}\n", 0o644)
        return signer

    def sign(self, data: bytes) -> ReportSignature:
        """Return the signature of these bytes."""
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        return ReportSignature(self.public, Ed25519PrivateKey.from_private_bytes(self.private).sign(data))


def load_public(path: Path) -> bytes:
    """Read a public key file, which anyone may read. Raise KeyProblem if it is not one."""
    number, key_id, public = only_key(path, read_lines(path, secret=False), PUBLIC_WORD, _KIND)
    if key_id != report_key_id(public):
        raise KeyProblem(path, UNFIT, number)
    return public


def _public_of(path: Path, private: bytes) -> bytes:
    try:
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    except ImportError as cause:
        raise SealingUnavailable(path) from cause
    return Ed25519PrivateKey.from_private_bytes(private).public_key().public_bytes_raw()
