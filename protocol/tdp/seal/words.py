"""Texts that people read and type for a sealed line: the code of pairing, and the short authentication string."""

import hashlib
import re
from typing import Final

ALPHABET: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
"""Crockford's base 32: no I, L, O or U."""
CODE_LENGTH: Final = 12
CODE_BITS: Final = 5 * CODE_LENGTH
_TYPED: Final = str.maketrans("ILO", "110")
_CHECK_MODULUS: Final = 31


class BadCode(ValueError):
    """A code of pairing that cannot be right."""


def code_of(number: int) -> str:
    """Return the code that a random number of `CODE_BITS` bits makes, in groups: `XXXX-XXXX-XXXX-C`."""
    plain = "".join(ALPHABET[number >> 5 * place & 31] for place in reversed(range(CODE_LENGTH)))
    return f"{plain[:4]}-{plain[4:8]}-{plain[8:]}-{_check(plain)}"


def secret_of(code: str) -> bytes:
    """Return the shared secret of a code as someone typed it. Raise BadCode if it has a typing mistake."""
    plain = re.sub(r"[\s-]", "", code).upper().translate(_TYPED)
    if len(plain) != CODE_LENGTH + 1 or not set(plain) <= set(ALPHABET):
        raise BadCode("the code has 12 characters and a check character, as in 0AYW-AHEP-PJW7-Q")
    if plain[-1] != _check(plain[:-1]):
        raise BadCode("the check character does not fit: a character is wrong, or two are exchanged")
    return hashlib.sha256(b"TDP 1.4 code" + plain[:-1].encode()).digest()


def _check(plain: str) -> str:
    total = sum(place * ALPHABET.index(character) for place, character in enumerate(plain, 1))
    return ALPHABET[total % _CHECK_MODULUS]


def short_string(handshake: bytes) -> str:
    """Return the short authentication string of a handshake's hash: `XXXX-XXXX`."""
    number = int.from_bytes(hashlib.sha256(b"TDP 1.4 sas" + handshake).digest()[:5], "big")
    text = "".join(ALPHABET[number >> 5 * place & 31] for place in reversed(range(8)))
    return f"{text[:4]}-{text[4:]}"


def key_id(public: bytes) -> bytes:
    """Return the id of a host's key, by which a device finds it."""
    return hashlib.sha256(public).digest()[:8]
