"""A journal checked by an independent program, from `docs/journal.md` alone: it shares no code with `dealwire`.

`python tests/support/oracles/journal_verifier.py FILE` prints the newest record's number and hash, or the first that is
wrong.
"""

import hashlib
import sqlite3
import sys


def check(path: str) -> str:
    db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    try:
        before, number = bytes(32), 0
        if db.execute("PRAGMA user_version").fetchone()[0] > 1:
            number, before = db.execute("SELECT sequence, hash FROM anchor").fetchone()
        for sequence, at_ns, line, kind, table, payload, digest in db.execute(
            "SELECT sequence, at_ns, line, kind, tbl, payload, hash FROM record ORDER BY sequence"
        ):
            number += 1
            said = sequence.to_bytes(8, "big") + at_ns.to_bytes(8, "big") + line.to_bytes(4, "big")
            for text in (kind, table):
                said += len(text.encode()).to_bytes(2, "big") + text.encode()
            said += len(payload).to_bytes(4, "big") + payload
            before = hashlib.sha256(before + said).digest()
            if sequence != number or before != digest:
                return f"record {sequence} is wrong"
        return f"{number}:{before.hex()}"
    finally:
        db.close()


if __name__ == "__main__":
    print(check(sys.argv[1]))
