"""The tree of a journal recomputed by an independent program, from `docs/journal.md` alone: it shares no code with
`dealwire`.

`python tests/support/oracles/tree_verifier.py FILE` prints size and root after each checkpoint that the file contains,
or the first that is wrong, of those and of the balances. The file must hold the beginning of its tree.
"""

import hashlib
import json
import sqlite3
import sys

NO_LEAF = ["passed", "received", "sent", "event", "note", "snapshot", "key", "cosigned", "salvaged"]


def sha_of(*parts: bytes) -> bytes:
    return hashlib.sha256(b"".join(parts)).digest()


def tree_root(leaves: list[bytes]) -> bytes:
    if len(leaves) < 2:
        return leaves[0] if leaves else sha_of()
    half = 1 << (len(leaves) - 1).bit_length() - 1
    return sha_of(b"\1", tree_root(leaves[:half]), tree_root(leaves[half:]))


def checked_roots(path: str) -> list[tuple[int, str]]:
    db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    before, found, rounds = bytes(32), list[tuple[int, str]](), dict[str, bytes]()
    leaves: list[bytes] | None = None
    for sequence, at_ns, line, kind, table, payload, digest in db.execute(
        "SELECT sequence, at_ns, line, kind, tbl, payload, hash FROM record ORDER BY sequence"
    ):
        head = sequence.to_bytes(8, "big") + at_ns.to_bytes(8, "big") + line.to_bytes(4, "big")
        for text in (kind, table):
            head += len(text.encode()).to_bytes(2, "big") + text.encode()
        if kind == "log":
            leaves = []
        elif kind == "salvaged":
            leaves = None
        elif kind == "checkpoint" and leaves is not None:
            noted = json.loads(payload)
            root = tree_root(leaves).hex()
            if (noted["size"], noted["root"]) != (len(leaves), root):
                raise ValueError(f"the checkpoint of record {sequence} is wrong")
            found.append((len(leaves), root))
        elif kind == "balance" and leaves is not None:
            noted = json.loads(payload)["log"]
            if (noted["size"], noted["root"]) != (len(leaves), tree_root(leaves).hex()):
                raise ValueError(f"the tree in the balance of record {sequence} is wrong")
        if kind in ("opened", "day", "balance"):
            rounds.clear()
        if leaves is not None and kind not in NO_LEAF:
            entry = sha_of(b"dealwire leaf\0", before) + sha_of(head, payload)
            if kind == "round":
                rounds[table] = sha_of(head, payload)
            elif kind == "settlement":
                entry += rounds.pop(table, b"")
            leaves.append(sha_of(b"\0", entry))
        before = digest
    db.close()
    return found


if __name__ == "__main__":
    for size, root in checked_roots(sys.argv[1]):
        print(size, root)
