"""An independent program of an auditor: it opens records sealed to its key, from `docs/journal.md` alone, and shares no
code with `dealwire`. X25519 follows the text of RFC 7748, HKDF that of RFC 5869; only AES-256-GCM comes from a library.

`python tests/support/oracles/auditor.py FILE PRIVATE.key` prints record and bytes, as hex, of everything it opens.
"""

import hashlib
import hmac
import sqlite3
import sys

from cryptography.hazmat.primitives.ciphers.aead import AESGCM

P = 2**255 - 19
BASE = (9).to_bytes(32, "little")


def x25519(scalar: bytes, point: bytes) -> bytes:
    """Return the product of RFC 7748, section 5."""
    clamped = bytearray(scalar)
    clamped[0] &= 248
    clamped[31] = clamped[31] & 127 | 64
    k, u = int.from_bytes(clamped, "little"), int.from_bytes(point, "little") & (1 << 255) - 1
    x2, z2, x3, z3, swap = 1, 0, u, 1, 0
    for t in reversed(range(255)):
        bit = k >> t & 1
        if swap ^ bit:
            x2, x3, z2, z3 = x3, x2, z3, z2
        swap = bit
        a, b, c, d = x2 + z2, x2 - z2, x3 + z3, x3 - z3
        aa, bb = a * a % P, b * b % P
        e, da, cb = aa - bb, d * a % P, c * b % P
        x3, z3 = (da + cb) ** 2 % P, u * (da - cb) ** 2 % P
        x2, z2 = aa * bb % P, e * (aa + 121665 * e) % P
    if swap:
        x2, z2 = x3, z3
    return (x2 * pow(z2, P - 2, P) % P).to_bytes(32, "little")


def hkdf(key: bytes, salt: bytes, info: bytes) -> bytes:
    """Return 32 bytes of RFC 5869 with SHA-256."""
    extracted = hmac.digest(salt, key, "sha256")
    return hmac.digest(extracted, info + b"\x01", "sha256")


def root_of(announcement: bytes, private: bytes) -> bytes:
    """Return the root in the payload of a `key` record."""
    once = announcement[17:49]
    key = hkdf(x25519(private, once), once + x25519(private, BASE), b"dealwire.journal/1 root")
    return AESGCM(key).decrypt(bytes(12), announcement[49:], announcement[:17])


def announcement_of(root: bytes, private: bytes, public: bytes) -> bytes:
    """Return the payload of a `key` record whose one-time key is `private`."""
    root_id = hashlib.sha256(b"dealwire journal root id\x00" + root).digest()[:8]
    auditor = hashlib.sha256(b"dealwire auditor key id\x00" + public).digest()[:8]
    once = x25519(private, BASE)
    key = hkdf(x25519(private, public), once + public, b"dealwire.journal/1 root")
    head = b"\x01" + root_id + auditor
    return head + once + AESGCM(key).encrypt(bytes(12), root, head)


def key_of(root: bytes, step: int) -> bytes:
    """Return the key of a stretch."""
    for _ in range(step):
        root = hkdf(root, bytes(32), b"dealwire.journal/1 ratchet")
    return root


def opened_by_auditor(payload: bytes, associated: bytes, root: bytes) -> bytes:
    """Return the bytes of a sealed payload."""
    assert payload[:1] == b"\x02"
    key = hkdf(key_of(root, int.from_bytes(payload[9:13], "big")), bytes(32), b"dealwire.journal/1 stretch")
    return AESGCM(key).decrypt(bytes(4) + payload[13:21], payload[21:], associated)


def sealed(data: bytes, associated: bytes, root: bytes, step: int, counter: int) -> bytes:
    """Seal data as a table does."""
    root_id = hashlib.sha256(b"dealwire journal root id\x00" + root).digest()[:8]
    key = hkdf(key_of(root, step), bytes(32), b"dealwire.journal/1 stretch")
    nonce = counter.to_bytes(12, "big")
    head = b"\x02" + root_id + step.to_bytes(4, "big") + nonce[4:]
    return head + AESGCM(key).encrypt(nonce, data, associated)


def everything(path: str, private: bytes) -> list[tuple[int, bytes]]:
    """Return number and bytes of every sealed record of a journal."""
    db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    try:
        rows = db.execute("SELECT sequence, at_ns, line, kind, tbl, payload FROM record ORDER BY sequence").fetchall()
    finally:
        db.close()
    start = rows[0][5].index(b'"file":"') + 8
    identity = bytes.fromhex(rows[0][5][start : start + 32].decode())
    roots, found = {}, []
    for sequence, at_ns, line, kind, table, payload in rows:
        if kind == "key":
            roots[payload[1:9]] = root_of(payload, private)
        if kind == "passed":
            head = sequence.to_bytes(8, "big") + at_ns.to_bytes(8, "big") + line.to_bytes(4, "big")
            for text in (kind, table):
                head += len(text.encode()).to_bytes(2, "big") + text.encode()
            found.append((sequence, opened_by_auditor(payload, identity + head, roots[payload[1:9]])))
    return found


if __name__ == "__main__":
    with open(sys.argv[2]) as file:
        secret = bytes.fromhex(file.read().split()[2])
    for number, data in everything(sys.argv[1], secret):
        print(number, data.hex())
