"""Identity of a simulated device: a private file of one line, as a maker gives each device in production.

`tdp-identity X25519-SECRET ED25519-SEED SIGNATURE`: hex of 32, 32 and 64 bytes. The signature is its maker's, over the
device's class, maker, model, serial number and Ed25519 key; `-` if no maker has certified it.
"""

import os
import secrets
from pathlib import Path
from typing import Final, NamedTuple, Self

from devices.attestation import SEED_BYTES, line_key_of, public_of, signer_of
from devices.files import open_file, replace_text, why_not_private
from protocol.errors import LocalError
from protocol.tdp.attestation import SIGNATURE_BYTES, Certificate
from protocol.tdp.instruments import Signer

WORD: Final = "tdp-identity"
_BYTES_MOST: Final = 4096
_ALLOWED: Final = f"one line '{WORD} X25519-SECRET ED25519-SEED SIGNATURE', 64, 64 and 128 hex digits, or - for none"


class IdentityProblem(LocalError):
    """The file of an identity, or that of the hosts beside it, cannot be used."""

    def __init__(self, path: str | Path, why: str) -> None:
        self.path, self.why = path, why
        super().__init__(f"{path}: {why}")


class Identity(NamedTuple):
    """Keys of one device. `signature` is its maker's; None if no maker has certified it."""

    secret: bytes
    """The X25519 secret, for sealed lines."""
    seed: bytes
    """The Ed25519 seed, which signs measurements."""
    signature: bytes | None = None

    def __repr__(self) -> str:
        """Return text without a secret, for logs and tracebacks."""
        return f"Identity({'certified' if self.signature else 'not certified'})"

    @classmethod
    def new(cls) -> Self:
        """Return new keys, which no maker has certified."""
        return cls(secrets.token_bytes(SEED_BYTES), secrets.token_bytes(SEED_BYTES))

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """Return the identity in a file that only its owner may read. IdentityProblem for any other file."""
        try:
            with open_file(path) as file:
                facts, text = os.fstat(file.fileno()), file.read(_BYTES_MOST).decode("ascii", "replace")
        except OSError as error:
            raise IdentityProblem(path, f"identity cannot be read: {error.strerror}") from None
        if (unsafe := why_not_private(facts.st_mode, path)) is not None:
            raise IdentityProblem(path, unsafe)
        words = text.split()
        try:
            word, secret, seed, signature = words
            half = None if signature == "-" else bytes.fromhex(signature)
            made = cls(bytes.fromhex(secret), bytes.fromhex(seed), half)
        except ValueError:
            raise IdentityProblem(path, f"not an identity; allowed: {_ALLOWED}") from None
        sizes = len(made.secret), len(made.seed), len(made.signature or bytes(SIGNATURE_BYTES))
        if word != WORD or len(text.splitlines()) != 1 or sizes != (SEED_BYTES, SEED_BYTES, SIGNATURE_BYTES):
            raise IdentityProblem(path, f"not an identity; allowed: {_ALLOWED}")
        return made

    @classmethod
    def read_or_make(cls, path: Path) -> Self:
        """Return the identity in a file, which is made if it is absent. IdentityProblem if either fails."""
        try:
            if path.exists():
                return cls.read(path)
            made = cls.new()
            replace_text(path, made.text)
        except OSError as error:
            raise IdentityProblem(path, f"identity cannot be written: {error.strerror}") from None
        return made

    @property
    def text(self) -> str:
        """Content of its file."""
        signature = "-" if self.signature is None else self.signature.hex()
        return f"{WORD} {self.secret.hex()} {self.seed.hex()} {signature}\n"

    @property
    def key(self) -> bytes:
        """The Ed25519 key, which the maker certifies."""
        return public_of(self.seed)

    @property
    def line_key(self) -> bytes:
        """The X25519 key, which the other end of a sealed line knows it by."""
        return line_key_of(self.secret)

    @property
    def signer(self) -> Signer | None:
        """Signer of measurements; None without a certificate."""
        if self.signature is None:
            return None
        certificate = Certificate(self.key, self.signature)
        return Signer(certificate, signer_of(self.seed), self.line_key)
