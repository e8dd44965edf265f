"""Check a proof of a round by docs/journal.md alone: FILE.proof, lines of round and settlement, public key in hex."""

import base64
import hashlib
import json
import struct
import sys
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey


def sha256(*parts: bytes) -> bytes:
    return hashlib.sha256(b"".join(parts)).digest()


def record_digest(place: tuple[int, int], kind: bytes, table: bytes, line: bytes) -> bytes:
    names = b"".join(struct.pack(">H", len(each)) + each for each in (kind, table))
    return sha256(struct.pack(">QQI", *place, 0), names, line)


def root_by_path(leaf: bytes, index: int, size: int, path: list[bytes]) -> bytes:
    last = size - 1
    for other in path:
        if index & 1 or index == last:
            leaf = sha256(b"\1", other, leaf)
            while not index & 1 and index:
                index, last = index >> 1, last >> 1
        else:
            leaf = sha256(b"\1", leaf, other)
        index, last = index >> 1, last >> 1
    if last or index:
        raise ValueError("the path does not fit index and size")
    return leaf


def check_proof(proof: bytes, round_line: bytes, settlement_line: bytes, key: bytes) -> str:
    magic, lines, journal, epoch, index, size = struct.unpack_from(">4sB16s8sQQ", proof)
    places = struct.unpack_from(">QQQQ", proof, 45)
    blind, signature, steps, rest = proof[77:109], proof[109:173], proof[173], 174 + 32 * proof[173]
    path, at = [proof[n : n + 32] for n in range(174, rest, 32)], rest + 1
    for _ in range(proof[rest]):  # signatures of witnesses: a name and 72 bytes each, checked by whoever has their keys
        at += 1 + proof[at] + 72
    if magic != b"dwp1" or lines != 2 or steps > 64 or at != len(proof) or not index < size:
        raise ValueError("not a proof of a round")
    table = json.loads(settlement_line)["table"].encode()
    of_round = record_digest(places[:2], b"round", table, round_line)
    of_money = record_digest(places[2:], b"settlement", table, settlement_line)
    there = root_by_path(sha256(b"\0", blind, of_money, of_round), index, size, path)
    origin = f"dealwire/{journal.hex()}/{epoch.hex()}"
    note = f"{origin}\n{size}\n{base64.b64encode(there).decode()}\n"
    Ed25519PublicKey.from_public_bytes(key).verify(signature, note.encode())
    return f"{origin}: record {places[2]} is leaf {index} of {size}"


if __name__ == "__main__":
    proof, *lines = (Path(name).read_bytes() for name in sys.argv[1:4])
    print(check_proof(proof, *(each.rstrip(b"\n") for each in lines), bytes.fromhex(sys.argv[4])))
