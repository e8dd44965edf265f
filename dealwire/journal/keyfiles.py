"""Private text files with keys, one per line, and the two ciphers that use them."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from dealwire.config.private_file import why_alterable_facts, why_unsafe_facts
from dealwire.journal.errors import KeyProblem, KeyUnsafe, SealingUnavailable
from devices.files import open_file, replace_text

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

KEY_BYTES: Final = 32
ID_BYTES: Final = 8
UNFIT: Final = "the key does not fit its id; one of them was altered"

Words = tuple[int, list[str]]
"""Line number, from 1, and the words of the line."""


KEYS_MOST: Final = 1 << 20
"""Most bytes of a file with keys."""


def read_lines(path: Path, *, secret: bool = True, trusted: bool = False, most: int = KEYS_MOST) -> list[Words]:
    """Return the lines of a key file that are not empty. KeyUnsafe if a `secret` file is not ours or others may use it,
    or if a `trusted` one is not ours or others may change it: who may, decides whom to believe. KeyProblem if it cannot
    be read or has more than `most` bytes."""
    try:
        with open_file(path) as file:
            facts = os.fstat(file.fileno())
            unsafe = why_unsafe_facts(facts, path) if secret else None
            if trusted and unsafe is None:
                unsafe = why_alterable_facts(facts, path)
            data = file.read(most + 1)
    except OSError as error:
        raise KeyProblem(path, f"key file cannot be read: {error.strerror}") from error
    if unsafe is not None:
        raise KeyUnsafe(path, unsafe)
    if len(data) > most:
        raise KeyProblem(path, f"longer than {most} bytes")
    lines = data.decode("utf-8", "replace").splitlines()  # the names of keys are not only ASCII
    return [(number, line.split()) for number, line in enumerate(lines, 1) if line.strip()]


def first_word(path: Path) -> str:
    """Return the word that tells the kind of a key file; empty if there is none. KeyProblem if it cannot be read."""
    lines = read_lines(path, secret=False)
    return lines[0][1][0] if lines else ""


def write_text(path: Path, text: str, mode: int = 0o600) -> None:
    """Replace the file's content as `replace_text` does. KeyProblem if that fails."""
    try:
        replace_text(path, text, mode)
    except OSError as error:
        raise KeyProblem(path, f"key file cannot be written: {error.strerror}") from error


def from_hex(text: str, size: int) -> bytes:
    """Return `size` bytes from hex; ValueError for anything else."""
    data = bytes.fromhex(text)
    if len(data) != size:
        raise ValueError(text)
    return data


def only_key(path: Path, lines: Sequence[Words], word: str, kind: str) -> tuple[int, str, bytes]:
    """Return line number, id in hex and key of a file with one key, `WORD ID KEY`, without comparing id and key.
    KeyProblem if it is another file; `kind` names the expected one."""
    number, words = lines[0] if lines else (None, [""])
    try:
        if len(lines) != 1 or len(words) != 3 or words[0] != word:
            raise ValueError(words)
        from_hex(words[1], ID_BYTES)
        return number or 1, words[1], from_hex(words[2], KEY_BYTES)
    except ValueError:
        why = f"not {kind}; allowed: one line '{word} ID KEY', 16 and 64 hex digits"
        raise KeyProblem(path, why, number) from None


def derived(path: Path, key: bytes, salt: bytes, info: bytes) -> bytes:
    """Return HKDF-SHA256 of `key`, 32 bytes. SealingUnavailable without its library, naming `path`."""
    try:
        from cryptography.hazmat.primitives.hashes import SHA256
        from cryptography.hazmat.primitives.kdf.hkdf import HKDF
    except ImportError as cause:
        raise SealingUnavailable(path) from cause
    return HKDF(algorithm=SHA256(), length=KEY_BYTES, salt=salt, info=info).derive(key)


def cipher_of(path: Path, key: bytes) -> "AESGCM":
    """Return AES-256-GCM with `key`. SealingUnavailable as `derived`."""
    try:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM
    except ImportError as cause:
        raise SealingUnavailable(path) from cause
    return AESGCM(key)
