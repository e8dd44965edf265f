"""Digests of the rows that the books keep in a file: `docs/journal.md` states their bytes."""

import hashlib
from typing import Final

MODULUS: Final = 1 << 256
"""The digest of a book is the sum of those of its rows, modulo this."""


def digest_of_row(name: str, *values: int | str | bytes) -> int:
    """The number that a row adds to the digest of its book."""
    parts = [name.encode()]
    for value in values:
        if isinstance(value, int):
            parts.append(b"i" + value.to_bytes(8, "big"))
        else:
            data = value.encode() if isinstance(value, str) else value
            parts.append((b"t" if isinstance(value, str) else b"b") + len(data).to_bytes(4, "big") + data)
    return int.from_bytes(hashlib.sha256(b"".join(parts)).digest())
