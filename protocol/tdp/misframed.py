"""Diagnosis of a stream without a frame: which common mistake of a new device explains it.

Every mistake is tried on every piece of the stream. A matching 32-bit check is no coincidence; a 16-bit or 8-bit check
must match several pieces. This module serves error messages only: nothing here makes a wrong frame valid.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from typing import Final
from zlib import adler32, crc32

from cobs import cobs, cobsr
from msgspec import Struct

from protocol.tdp.framing import CHECK_BYTES, MIN_FRAME, RESIDUE, Framer, Noise, NoiseReason
from protocol.tdp.messages import Kind
from protocol.tdp.packets import HEADER, MAX_FRAME, VERSION

LOOKED_AT: Final = 4096
"""Number of bytes to examine. A device that is wrong is wrong from the start."""
PIECES_MAX: Final = 24
"""Maximum number of pieces to try. The usual mistake is in all of them."""
TEXT_SHARE: Final = 0.9
"""Share of printable bytes from which a stream counts as text."""
_HEADER: Final = HEADER.sizeof()
_KINDS: Final = frozenset(map(int, Kind))


class CheckKind(Struct, frozen=True):
    """Parameters of a check in the Rocksoft model, 16 or 32 bits wide. `reflected` means that the low bit goes
    first."""

    name: str
    width: int
    polynomial: int
    start: int
    final: int
    reflected: bool


CHECKS: Final = (
    CheckKind("CRC-32 of zlib", 32, 0x04C11DB7, 0xFFFFFFFF, 0xFFFFFFFF, True),
    CheckKind("CRC-32C (Castagnoli, polynomial 1EDC6F41h)", 32, 0x1EDC6F41, 0xFFFFFFFF, 0xFFFFFFFF, True),
    CheckKind("CRC-32 without the final XOR (JAMCRC)", 32, 0x04C11DB7, 0xFFFFFFFF, 0, True),
    CheckKind("CRC-32 with the start value 0", 32, 0x04C11DB7, 0, 0xFFFFFFFF, True),
    CheckKind("CRC-32 with the start value 0 and no final XOR", 32, 0x04C11DB7, 0, 0, True),
    CheckKind("CRC-32 with its bits not reflected (BZIP2)", 32, 0x04C11DB7, 0xFFFFFFFF, 0xFFFFFFFF, False),
    CheckKind("CRC-32 not reflected and without the final XOR (MPEG-2)", 32, 0x04C11DB7, 0xFFFFFFFF, 0, False),
    CheckKind("CRC-32 not reflected with the start value 0 (POSIX cksum)", 32, 0x04C11DB7, 0, 0xFFFFFFFF, False),
    CheckKind("CRC-32C without the final XOR", 32, 0x1EDC6F41, 0xFFFFFFFF, 0, True),
    CheckKind("CRC-16 (CCITT, start value FFFFh)", 16, 0x1021, 0xFFFF, 0, False),
    CheckKind("CRC-16 (XMODEM)", 16, 0x1021, 0, 0, False),
    CheckKind("CRC-16 (X-25)", 16, 0x1021, 0xFFFF, 0xFFFF, True),
    CheckKind("CRC-16 (KERMIT)", 16, 0x1021, 0, 0, True),
    CheckKind("CRC-16 (MODBUS)", 16, 0x8005, 0xFFFF, 0, True),
    CheckKind("CRC-16 (ARC)", 16, 0x8005, 0, 0, True),
)
"""Checks to try: the right one first, then those that are mistaken for it."""


class Misframed(Struct, frozen=True):
    """Diagnosis of a stream without a frame.

    `reasons` counts its bytes by the reason they were dropped. `mistake` explains `fits` of the `pieces` examined, and
    is empty if no mistake does.
    """

    length: int
    reasons: Mapping[NoiseReason, int]
    mistake: str = ""
    fits: int = 0
    pieces: int = 0

    @property
    def sentence(self) -> str:
        """The whole diagnosis for a reader, without a full stop."""
        dropped = ", ".join(f"{count:,} {reason.value}" for reason, count in self.reasons.items())
        came = f"{self.length:,} bytes, no frame ({dropped})" if dropped else f"{self.length:,} bytes, no frame"
        if not self.mistake:
            return f"{came}: wrong baud rate, or not a TDP device?"
        share = f", in {self.fits} of {self.pieces} pieces" if self.pieces else ""
        return f"{came}: {self.mistake}{share}"


def examine(data: bytes) -> Misframed:
    """Return the diagnosis of the start of a stream in which no frame was found.

    If there is a frame in it after all, the diagnosis is empty.
    """
    data = data[:LOOKED_AT]
    framer = Framer()
    found = [*framer.feed(data), *framer.flush()]
    reasons: Counter[NoiseReason] = Counter()
    for piece in found:
        if not isinstance(piece, Noise):
            return Misframed(len(data), {})
        if piece.reason is not NoiseReason.IDLE:
            reasons[NoiseReason(piece.reason)] += piece.length
    mistake, fits, pieces = max(_explanations(data), key=_weight, default=("", 0, 0))
    if not mistake:
        mistake = _describe_unknown(data, reasons)
    return Misframed(len(data), dict(reasons.most_common()), mistake, fits, pieces)


# ------------------------------------------------------------------ the check


@cache
def _table(polynomial: int, width: int, reflected: bool) -> tuple[int, ...]:
    top, mask = 1 << width - 1, (1 << width) - 1
    reverse = int(f"{polynomial:0{width}b}"[::-1], 2)
    rows = []
    for byte in range(256):
        value = byte if reflected else byte << width - 8
        for _ in range(8):
            if reflected:
                value = value >> 1 ^ (reverse if value & 1 else 0)
            else:
                value = (value << 1 ^ (polynomial if value & top else 0)) & mask
        rows.append(value)
    return tuple(rows)


def check_of(kind: CheckKind, data: bytes) -> int:
    """Return the check of `data`."""
    table, mask, value = _table(kind.polynomial, kind.width, kind.reflected), (1 << kind.width) - 1, kind.start
    if kind.reflected:
        for byte in data:
            value = value >> 8 ^ table[(value ^ byte) & 0xFF]
    else:
        shift = kind.width - 8
        for byte in data:
            value = (value << 8 & mask) ^ table[value >> shift ^ byte]
    return value ^ kind.final


Covered = Callable[[bytes], bytes]
_COVERS: Final[Mapping[str, Covered]] = {
    "": lambda body: body,
    " over the payload alone, the header left out": lambda body: body[_HEADER:],
    " over the header alone": lambda body: body[:_HEADER],
    " over the encoded bytes": cobs.encode,
    " over header, payload and the closing delimiter": lambda body: body + b"\0",
}
"""Data that a check may cover by mistake, by the phrase that follows the check's name."""


def _matching_checks(content: bytes) -> Iterator[str]:
    """Yield every mistake that explains the check at the end of a decoded piece."""
    for kind in CHECKS:
        size = kind.width // 8
        body, check = content[:-size], content[-size:]
        if len(body) < _HEADER:
            continue
        for over, covered in _COVERS.items():
            value = check_of(kind, covered(body))
            for order, first in (("little", ""), ("big", ", high byte first")):
                if value == int.from_bytes(check, order) and (kind is not CHECKS[0] or over or first):  # type: ignore[arg-type]
                    yield f"the check is {kind.name}{over}{first}"
    if len(content) > _HEADER + CHECK_BYTES:
        yield from _simple_sums(content)


def _simple_sums(content: bytes) -> Iterator[str]:
    """Yield the mistakes whose check is not a CRC."""
    if adler32(content[:-4]) in (int.from_bytes(content[-4:], "little"), int.from_bytes(content[-4:], "big")):
        yield "the check is Adler-32"
    body, last = content[:-1], content[-1]
    if sum(body) & 0xFF == last or -sum(body) & 0xFF == last:
        yield "the check is a sum of one byte"


# ------------------------------------------------------------------ the frame


def _decode_slip(part: bytes) -> bytes:
    return part.replace(b"\xdb\xdc", b"\xc0").replace(b"\xdb\xdd", b"\xdb")


def _decode_hdlc(part: bytes) -> bytes:
    first, *rest = part.split(b"\x7d")
    return first + b"".join(bytes([each[0] ^ 0x20]) + each[1:] for each in rest if each)


def _decode_cobs(part: bytes) -> bytes:
    try:
        found: bytes = cobs.decode(part)
    except cobs.DecodeError:
        return b""
    return found


def _decode_cobsr(part: bytes) -> bytes:
    try:
        found: bytes = cobsr.decode(part)
    except cobsr.DecodeError:
        return b""
    return found


class _Cutting(Struct, frozen=True):
    """One way to split a stream into frames and undo the byte stuffing. `right` marks the protocol's own."""

    name: str
    delimiter: bytes
    decode: Callable[[bytes], bytes]
    right: bool = False


_CUTTINGS: Final = (
    _Cutting("", b"\0", _decode_cobs, right=True),
    _Cutting("it is stuffed as COBS/R, not COBS", b"\0", _decode_cobsr),
    _Cutting("it is framed as SLIP (C0h), not COBS", b"\xc0", _decode_slip),
    _Cutting("it is framed as HDLC (7Eh), not COBS", b"\x7e", _decode_hdlc),
    _Cutting("it is stuffed as COBS with another delimiter: line ends", b"\n", _decode_cobs),
)


_Explanation = tuple[str, int, int]
"""A mistake, the number of pieces it explains, and the number of pieces."""


def _explanations(data: bytes) -> Iterator[_Explanation]:
    """Yield every mistake that explains at least half of the pieces, with a higher threshold for a weaker check."""
    for cutting in _CUTTINGS:
        parts = _parts(data, cutting.delimiter)
        contents = [content for part in parts if _is_significant(content := cutting.decode(part))]
        if not contents:
            continue
        names: Counter[str] = Counter()
        for content in contents:
            names.update({*_mistakes_in(cutting, content)})
        if cutting.right:
            names.update(_appended_checks(parts))
        for name, fits in names.items():
            if fits * 2 >= len(parts) and fits >= _pieces_needed(name):
                yield name, fits, len(parts)
    yield from _unstuffed_frames(data)


def _is_significant(content: bytes) -> bool:
    """Return True if `content` is at least as long as a frame and not one repeated byte, for which many checks are
    0."""
    return len(content) >= _HEADER and len(set(content)) > 2


def _weight(found: _Explanation) -> tuple[bool, bool, float]:
    """Return the sort key of an explanation: strong checks first, then those with a framing (many frames need no
    stuffing anyway), then those that explain the most pieces."""
    name, fits, pieces = found
    return not name.endswith(_WEAK), name != _UNSTUFFED, fits / pieces


def _parts(data: bytes, delimiter: bytes) -> list[bytes]:
    """Return the distinct pieces between delimiters. The first and the last may be truncated and are dropped if there
    are others."""
    whole = data.split(delimiter)
    inner = [part for part in dict.fromkeys(whole[1:-1]) if part]
    return (inner or [part for part in whole[:-1] if part])[:PIECES_MAX]


def _mistakes_in(cutting: _Cutting, content: bytes) -> Iterator[str]:
    """Yield the mistakes in `content`, assuming this way of cutting."""
    if not cutting.right and _check_is_right(content):
        yield cutting.name
    for name in _matching_checks(content):
        yield f"{cutting.name}; {name}" if cutting.name else name
    if _header_is_plausible(content) and not any(_matching_checks(content)):
        yield f"{cutting.name}; {_NO_CHECK}" if cutting.name else _NO_CHECK


_UNSTUFFED: Final = "it is not stuffed: header, payload and check are sent as they are, without COBS"
_NO_CHECK: Final = "it has no known check"
_WEAK: Final = ("a sum of one byte", _NO_CHECK)


def _pieces_needed(name: str) -> int:
    """Return the number of pieces that a mistake must explain to rule out chance."""
    if name.endswith(_WEAK):
        return 4
    return 2 if "CRC-16" in name else 1


def _check_is_right(content: bytes) -> bool:
    """Return True if the check is right."""
    return len(content) >= MIN_FRAME and crc32(content) == RESIDUE


def _header_is_plausible(content: bytes) -> bool:
    """Return True if the content begins with a plausible header: this version, no flags, a known kind."""
    return content[0] == VERSION and content[1] == 0 and content[2] in _KINDS


def _appended_checks(parts: Iterable[bytes]) -> Iterator[str]:
    """Yield the mistake of a check that is appended after the encoded bytes instead of being encoded with them."""
    for part in parts:
        coded, check = part[:-CHECK_BYTES], part[-CHECK_BYTES:]
        if not coded:
            continue
        for over, covered in ((" over the encoded bytes", coded), ("", _decode_cobs(coded))):
            if covered and check_of(CHECKS[0], covered) == int.from_bytes(check, "little"):
                yield f"the check{over} is appended after the stuffed bytes instead of being stuffed with them"


def _unstuffed_frames(data: bytes) -> Iterator[_Explanation]:
    """Find frames without any stuffing: header, payload and check as they are, with any bytes between them."""
    found, at, tries = 0, 0, 0
    while (at := data.find(bytes([VERSION, 0]), at)) >= 0 and tries < PIECES_MAX:
        tries += 1
        end = next(
            (end for end in range(at + MIN_FRAME, min(at + MAX_FRAME, len(data)) + 1) if _check_is_right(data[at:end])),
            0,
        )
        found += bool(end)
        at = end or at + 1
    if found:
        yield _UNSTUFFED, found, found


# ------------------------------------------------------------------ no frame at all


def _describe_unknown(data: bytes, reasons: Mapping[NoiseReason, int]) -> str:
    """Return a description of the bytes if no check matches any of them."""
    printable = sum(byte in b"\t\r\n" or 0x20 <= byte < 0x7F for byte in data)
    if data and printable >= TEXT_SHARE * len(data):
        first = data.decode("ascii", "replace").split("\n")[0].strip()[:40]
        return f"it is text, such as {first!r}: a console, or another protocol"
    checked = reasons.get(NoiseReason.CHECK, 0)
    if checked * 2 > sum(reasons.values()):
        return "the stuffing is right but no known check matches: it covers the wrong bytes, or the data is damaged"
    if b"\0" not in data and len(data) > MAX_FRAME:
        return f"no delimiter 00h in {len(data):,} bytes: wrong baud rate, or another framing"
    return ""
