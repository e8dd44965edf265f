"""Writes the vectors of GAT from tables typed by hand, without any code of the packages under test.

    python -m tests.support.oracles.gat_by_hand

The bytes of each frame are typed; the CRC is worked out here bit by bit, and compared with the typed one. No source
prints a whole frame, so every frame is *computed*: from the layout and the CRC that two independent implementations
share. The checksums of a message are from the tests of one of them, and were worked out here once more.
"""

import hashlib
import hmac
import json
from pathlib import Path
from typing import Any

VECTORS = Path(__file__).parents[3] / "docs" / "dialects" / "gat-vectors.json"

# name, grade of the layout, wire, message, fields
FRAMES: list[tuple[str, str, str, str, dict[str, Any]]] = [
    ("SQ", "two implementations", "01 04 E3 01", "StatusQuery", {}),
    ("LASQ", "two implementations", "02 04 13 01", "LastStatusQuery", {}),
    ("LARQ for XML, frame 1", "two implementations", "03 07 02 00 01 74 01", "ResultsQuery", {"form": 2, "number": 1}),
    ("LARQ for XML, frame 2", "two implementations", "03 07 02 00 02 75 41", "ResultsQuery", {"form": 2, "number": 2}),
    ("LARQ for XML, frame 256", "two implementations", "03 07 02 01 00 24 C1", "ResultsQuery",
     {"form": 2, "number": 256}),
    ("LARQ for plain text", "two implementations", "03 07 01 00 01 74 F1", "ResultsQuery", {"form": 1, "number": 1}),
    ("IACQ for the list of functions", "two implementations",
     "04 1B BA 00 47 65 74 20 53 70 65 63 69 61 6C 20 46 75 6E 63 74 69 6F 6E 73 2B 54", "CalculationQuery",
     {"level": 186, "parameter": "\\x00Get Special Functions"}),
    ("SR, idle, no results", "two implementations", "81 08 03 50 04 02 9F 7C", "StatusResponse",
     {"major": 3, "minor": 50, "running": False, "available": False, "calculation": "FINISHED", "forms": 2,
      "reserved": 0}),
    ("SR, requested", "two implementations", "81 08 03 50 01 02 CF 7F", "StatusResponse",
     {"major": 3, "minor": 50, "running": True, "available": False, "calculation": "REQUESTED", "forms": 2,
      "reserved": 0}),
    ("SR, calculating", "two implementations", "81 08 03 50 09 02 0F 78", "StatusResponse",
     {"major": 3, "minor": 50, "running": True, "available": False, "calculation": "CALCULATING", "forms": 2,
      "reserved": 0}),
    ("SR, finished, with results", "two implementations", "81 08 03 50 06 02 FF 7D", "StatusResponse",
     {"major": 3, "minor": 50, "running": False, "available": True, "calculation": "FINISHED", "forms": 2,
      "reserved": 0}),
    ("SR, failed", "two implementations", "81 08 03 50 0C 02 5F 7B", "StatusResponse",
     {"major": 3, "minor": 50, "running": False, "available": False, "calculation": "FAILED", "forms": 2,
      "reserved": 0}),
    ("LASR, nothing calculated", "two implementations", "82 09 00 00 00 00 00 91 B9", "LastStatusResponse",
     {"level": 0, "age_s": 0}),
    ("LASR, a minute ago", "two implementations", "82 09 BA 00 00 00 3C 5B 60", "LastStatusResponse",
     {"level": 186, "age_s": 60}),
    ("LARR, error", "two implementations", "83 07 03 00 01 6A 51", "ResultsResponse",
     {"error": True, "last": True, "number": 1, "data": "", "reserved": 0}),
    ("LARR, the only frame", "two implementations", "83 0A 02 00 01 61 62 63 F7 9A", "ResultsResponse",
     {"error": False, "last": True, "number": 1, "data": "abc", "reserved": 0}),
    ("IACR, refused", "one implementation", "84 05 00 B9 32", "CalculationResponse",
     {"acknowledged": False, "started": False, "bad_level": False, "reserved": 0}),
    ("IACR, acknowledged", "one implementation", "84 05 01 79 F3", "CalculationResponse",
     {"acknowledged": True, "started": False, "bad_level": False, "reserved": 0}),
    ("IACR, started", "one implementation", "84 05 02 78 B3", "CalculationResponse",
     {"acknowledged": False, "started": True, "bad_level": False, "reserved": 0}),
    ("IACR, acknowledged and started", "one implementation", "84 05 03 B8 72", "CalculationResponse",
     {"acknowledged": True, "started": True, "bad_level": False, "reserved": 0}),
    ("IACR, level not allowed", "one implementation", "84 05 04 7A 33", "CalculationResponse",
     {"acknowledged": False, "started": False, "bad_level": True, "reserved": 0}),
]  # fmt: skip

# name, wire, pieces as (length, reading); pending
STREAMS: list[tuple[str, str, list[tuple[int, str]], int]] = [
    ("a query and its response", "01 04 E3 01 81 08 03 50 06 02 FF 7D", [(4, "frame"), (8, "frame")], 0),
    ("a wrong CRC", "01 04 E3 00 02 04 13 01",
     [(1, "a wrong CRC"), (1, "another frame begins inside"), (2, "not the code of a frame"), (4, "frame")], 0),
    ("a wrong length", "01 05 E3 01 01",
     [(1, "a length that the code cannot have"), (2, "not the code of a frame"),
      (1, "a length that the code cannot have")], 1),
    ("bytes before a frame", "FF 00 55 01 04 E3 01", [(3, "not the code of a frame"), (4, "frame")], 0),
    ("cut off", "83 0A 02 00 01 61", [], 6),
]  # fmt: skip

# message, key, checksum
CHECKSUMS: list[tuple[str, str, str]] = [
    ("0123456789", "", "87ACEC17CD9DCD20A716CC2CF67417B71C8A7016"),
    ("0123456789", "123456789ABCDEF123456789ABCDEF123456789A", "3D71428503FB226D15A80ABDB0F264C802248E7B"),
]


def crc_by_bits(data: bytes) -> bytes:
    """Return the CRC of `data` as it is sent: high byte first."""
    crc = 0xFFFF
    for byte in data:
        for bit in range(8):
            crc = (crc >> 1) ^ (0xA001 if (crc ^ byte >> bit) & 1 else 0)
    return crc.to_bytes(2, "big")


def written() -> str:
    """Return the text of the file. Raise AssertionError for a typed check that is wrong."""
    assert crc_by_bits(b"123456789") == bytes.fromhex("4B37"), "the check value of this CRC in public catalogs"
    frames = []
    for name, grade, wire, message, fields in FRAMES:
        data = bytes.fromhex(wire)
        assert data[1] == len(data), name
        assert crc_by_bits(data[:-2]) == data[-2:], name
        frames.append({"name": name, "layout": grade, "wire": wire, "message": message, "fields": fields})
    for text, key, checksum in CHECKSUMS:
        secret = bytes.fromhex(key)
        digest = hmac.new(secret, text.encode(), hashlib.sha1) if secret else hashlib.sha1(text.encode())
        assert digest.hexdigest().upper() == checksum
    streams = [
        {"name": name, "wire": wire, "pieces": [{"length": n, "reading": r} for n, r in pieces], "pending": pending}
        for name, wire, pieces, pending in STREAMS
    ]
    sums = [{"message": text, "key": key, "checksum": digits} for text, key, digits in CHECKSUMS]
    about = (
        "No source prints a whole frame: every frame is computed, from a layout of the grade in `layout` and a CRC "
        "that two implementations share. Streams are computed. Checksums are from the tests of one implementation. "
        "See gat.md."
    )
    whole = {"dialect": "gat", "about": about, "frames": frames, "streams": streams, "checksums": sums}
    return json.dumps(whole, indent=1) + "\n"


if __name__ == "__main__":
    VECTORS.write_text(written())
