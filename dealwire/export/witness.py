"""What is said outside of a journal's chain: enough to find another history, too little to try cards against."""

import hashlib


def witness(digest: str) -> str:
    """What is said outside of a record's place in the chain: its SHA-256, both in hex. Who has the journal can check
    it. The place itself would let anybody try all faces of a card against two records that follow each other."""
    return hashlib.sha256(bytes.fromhex(digest)).hexdigest() if digest else ""
