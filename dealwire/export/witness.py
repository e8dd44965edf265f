"""Witness of a journal's hash chain: enough to detect another history, too little to test cards against."""

import hashlib


def witness(digest: str) -> str:
    """Return the witness of a record's hash: its SHA-256, both in hexadecimal. Anyone who has the journal can check it.
    The hash itself would allow trying all card faces against two consecutive records."""
    return hashlib.sha256(bytes.fromhex(digest)).hexdigest() if digest else ""
