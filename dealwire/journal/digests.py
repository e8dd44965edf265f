"""Digests of the rows of the books; `docs/journal.md` states their bytes."""

import hashlib
from typing import Final

MODULUS: Final = 1 << 256
"""The digest of a book is the sum of its rows' digests modulo this."""


def digest_of_row(name: str, *values: int | str | bytes) -> int:
    """Return the digest of a row."""
    parts = [name.encode()]
    for value in values:
        if isinstance(value, int):
            parts.append(b"i" + value.to_bytes(8, "big"))
        else:
            data = value.encode() if isinstance(value, str) else value
            parts.append((b"t" if isinstance(value, str) else b"b") + len(data).to_bytes(4, "big") + data)
    return int.from_bytes(hashlib.sha256(b"".join(parts)).digest())
