"""Signatures under reports: Ed25519 over the bytes of the report's file, in a file beside it. The keys are text files
as the journal's are; `docs/bench.md` has their form."""

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
    """Who signed, by the public key that is in the signature's file itself, and the signature."""

    public: bytes
    signature: bytes

    @property
    def key_id(self) -> str:
        """16 hex digits that name the pair."""
        return report_key_id(self.public)

    @property
    def hex(self) -> str:
        """The signature in hex."""
        return self.signature.hex()

    def fits(self, path: Path, data: bytes) -> bool:
        """Whether it was made of exactly these bytes. SealingUnavailable without its library; `path` is named in
        it."""
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
        """Put it beside its report; KeyProblem when it cannot be."""
        path = beside(report)
        write_text(path, f"{SIGNATURE_WORD} {self.key_id} {self.public.hex()} {self.hex}\n", 0o644)
        return path

    @classmethod
    def of(cls, report: Path) -> Self | None:
        """The one beside a report, None without one. KeyProblem when the file is no signature."""
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
    """Where the signature of a report is."""
    return report.with_name(f"{report.name}.sig")


def report_key_id(public: bytes) -> str:
    """What names a pair; it says nothing about its private half."""
    return hashlib.sha256(b"dealwire report key id\x00" + public).digest()[:ID_BYTES].hex()


@dataclass(frozen=True, slots=True, repr=False)
class ReportSigner:
    """The private half: it signs. It never shows itself."""

    path: Path
    private: bytes
    public: bytes

    def __repr__(self) -> str:
        return f"ReportSigner({self.path}, {self.id})"

    @property
    def id(self) -> str:
        """16 hex digits that name the pair."""
        return report_key_id(self.public)

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read a private key file. KeyUnsafe when others may read it, KeyProblem when it is none."""
        number, key_id, private = only_key(path, read_lines(path), PRIVATE_WORD, _KIND)
        found = cls(path, private, _public_of(path, private))
        if key_id != found.id:
            raise KeyProblem(path, UNFIT, number)
        return found

    @classmethod
    def new(cls, path: Path, public_path: Path) -> Self:
        """Make both files of a new pair. KeyProblem when one of them is there already."""
        for each in (path, public_path):
            if each.exists() or path == public_path:
                raise KeyProblem(each, "is there already; a pair needs two new files")
        private = secrets.token_bytes(KEY_BYTES)
        signer = cls(path, private, _public_of(path, private))
        write_text(path, f"{PRIVATE_WORD} {signer.id} {private.hex()}\n")
        write_text(public_path, f"{PUBLIC_WORD} {signer.id} {signer.public.hex()}\n", 0o644)
        return signer

    def sign(self, data: bytes) -> ReportSignature:
        """The signature over these bytes."""
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        return ReportSignature(self.public, Ed25519PrivateKey.from_private_bytes(self.private).sign(data))


def load_public(path: Path) -> bytes:
    """The key of a public key file; anybody may read it. KeyProblem when it is none."""
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
