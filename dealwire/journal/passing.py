"""Reads and writes of a table's lines, many in one record; `docs/journal.md` states the bytes.

A record costs a hash, a seal and a row, and an idle line sends a frame a second. Bytes without results are therefore
collected until one follows. Those collected for the time limit alone are compressed.
"""

import struct
import zlib
from collections.abc import Iterable
from typing import Final, NamedTuple

PLAIN: Final = b"\x00"
"""First byte of uncompressed entries."""
DEFLATED: Final = b"\x01"
"""First byte of compressed entries (zlib, RFC 1950)."""

BYTES_MAX: Final = 1 << 16
"""Most bytes that wait for their record."""
WAIT_NS: Final = 60_000_000_000
"""Longest wait of bytes without results, nanoseconds: at most that much is lost by a kill."""
INFLATED_MAX: Final = 1 << 24
"""Most bytes of a record's entries; more was never written."""

_ENTRY: Final = struct.Struct(">IQBI")


class Passed(NamedTuple):
    """One read, or one write (`sent`), of line number `line`; `at_ns` nanoseconds since 1970."""

    line: int
    at_ns: int
    sent: bool
    data: bytes


class NotPassed(ValueError):
    """The bytes are not such a record."""


def packed(entries: Iterable[Passed], at_ns: int, *, deflate: bool = False) -> bytes:
    """Return the entries as the body of a record at `at_ns`, the time of the last one."""
    plain = b"".join(
        _ENTRY.pack(each.line, at_ns - each.at_ns, each.sent, len(each.data)) + each.data for each in entries
    )
    return DEFLATED + zlib.compress(plain, 9) if deflate else PLAIN + plain


def unpacked(body: bytes, at_ns: int) -> list[Passed]:
    """Return the entries of a record, oldest first. NotPassed if the bytes are not such a record."""
    plain = _plain(body)
    found, place = [], 0
    while place < len(plain):
        if len(plain) - place < _ENTRY.size:
            raise NotPassed("an entry is cut off")
        line, before_ns, flags, length = _ENTRY.unpack_from(plain, place)
        place += _ENTRY.size
        if flags > 1 or before_ns > at_ns or length > len(plain) - place:
            raise NotPassed("an entry cannot be read")
        found.append(Passed(line, at_ns - before_ns, bool(flags), plain[place : place + length]))
        place += length
    return found


def _plain(body: bytes) -> bytes:
    if body[:1] == PLAIN:
        return body[1:]
    if body[:1] != DEFLATED:
        raise NotPassed("neither plain nor compressed")
    unpack = zlib.decompressobj()
    try:
        plain = unpack.decompress(body[1:], INFLATED_MAX)
    except zlib.error as error:
        raise NotPassed("what is compressed cannot be read") from error
    if not unpack.eof or unpack.unused_data:
        raise NotPassed("what is compressed is cut off, or too much")
    return plain
