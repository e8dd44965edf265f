"""Bytes that hold no frame: which of the mistakes that a new device usually makes explains them.

Every mistake is tried on every piece of the stream. A check of 32 bits that fits is no accident; one of 16 bits or of
8 must fit several pieces. Nothing here is needed by a device that is right, and nothing is accepted by it.
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
"""Bytes of a stream that are worth looking at: a device that is wrong is wrong at once."""
PIECES_MAX: Final = 24
"""So many pieces are tried; the commonest mistake is in all of them."""
TEXT_SHARE: Final = 0.9
"""A stream of which so much can be printed is text."""
_HEADER: Final = HEADER.sizeof()
_KINDS: Final = frozenset(map(int, Kind))


class CheckKind(Struct, frozen=True):
    """A check by Rocksoft's parameters, of `width` 16 or 32 bits; `reflected`: the low bit goes first."""

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
"""The right one first, then those that are taken for it."""


class Misframed(Struct, frozen=True):
    """What became of a stream without a frame. `reasons` counts its bytes by the reason for which they were dropped;
    `mistake` explains `fits` of the `pieces` looked at, and is empty when nothing does."""

    length: int
    reasons: Mapping[NoiseReason, int]
    mistake: str = ""
    fits: int = 0
    pieces: int = 0

    @property
    def sentence(self) -> str:
        """All of it for a person, without a full stop."""
        dropped = ", ".join(f"{count:,} {reason.value}" for reason, count in self.reasons.items())
        came = f"{self.length:,} bytes, no frame ({dropped})" if dropped else f"{self.length:,} bytes, no frame"
        if not self.mistake:
            return f"{came}: wrong baud rate, or not a TDP device?"
        share = f", in {self.fits} of {self.pieces} pieces" if self.pieces else ""
        return f"{came}: {self.mistake}{share}"


def examine(data: bytes) -> Misframed:
    """What is wrong with the beginning of a stream in which no frame was found. When there is a frame in it after all,
    nothing is said to be wrong."""
    data = data[:LOOKED_AT]
    framer = Framer()
    found = [*framer.feed(data), *framer.flush()]
    reasons: Counter[NoiseReason] = Counter()
    for piece in found:
        if not isinstance(piece, Noise):
            return Misframed(len(data), {})
        if piece.reason is not NoiseReason.IDLE:
            reasons[NoiseReason(piece.reason)] += piece.length
    mistake, fits, pieces = max(_explained(data), key=_weight, default=("", 0, 0))
    if not mistake:
        mistake = _unexplained(data, reasons)
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
    """The check of `data`."""
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
"""What a check may be taken over, in words that stand behind its name."""


def _checked(content: bytes) -> Iterator[str]:
    """Each mistake that explains the check at the end of what was decoded."""
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
        yield from _sums(content)


def _sums(content: bytes) -> Iterator[str]:
    """Checks that are no CRC."""
    if adler32(content[:-4]) in (int.from_bytes(content[-4:], "little"), int.from_bytes(content[-4:], "big")):
        yield "the check is Adler-32"
    body, last = content[:-1], content[-1]
    if sum(body) & 0xFF == last or -sum(body) & 0xFF == last:
        yield "the check is a sum of one byte"


# ------------------------------------------------------------------ the frame


def _slip(part: bytes) -> bytes:
    return part.replace(b"\xdb\xdc", b"\xc0").replace(b"\xdb\xdd", b"\xdb")


def _unescaped(part: bytes) -> bytes:
    first, *rest = part.split(b"\x7d")
    return first + b"".join(bytes([each[0] ^ 0x20]) + each[1:] for each in rest if each)


def _cobs(part: bytes) -> bytes:
    try:
        found: bytes = cobs.decode(part)
    except cobs.DecodeError:
        return b""
    return found


def _cobsr(part: bytes) -> bytes:
    try:
        found: bytes = cobsr.decode(part)
    except cobsr.DecodeError:
        return b""
    return found


class _Cutting(Struct, frozen=True):
    """A way to cut a stream into frames and to take the stuffing out; `right`: the protocol's own."""

    name: str
    delimiter: bytes
    decode: Callable[[bytes], bytes]
    right: bool = False


_CUTTINGS: Final = (
    _Cutting("", b"\0", _cobs, right=True),
    _Cutting("it is stuffed as COBS/R, not COBS", b"\0", _cobsr),
    _Cutting("it is framed as SLIP (C0h), not COBS", b"\xc0", _slip),
    _Cutting("it is framed as HDLC (7Eh), not COBS", b"\x7e", _unescaped),
    _Cutting("it is stuffed as COBS with another delimiter: line ends", b"\n", _cobs),
)


_Found = tuple[str, int, int]
"""A mistake, how many pieces it explains, how many there are."""


def _explained(data: bytes) -> Iterator[_Found]:
    """Every mistake that explains at least half of the pieces, and more of them the weaker its check is."""
    for cutting in _CUTTINGS:
        parts = _parts(data, cutting.delimiter)
        contents = [content for part in parts if _telling(content := cutting.decode(part))]
        if not contents:
            continue
        names: Counter[str] = Counter()
        for content in contents:
            names.update({*_named(cutting, content)})
        if cutting.right:
            names.update(_appended(parts))
        for name, fits in names.items():
            if fits * 2 >= len(parts) and fits >= _enough(name):
                yield name, fits, len(parts)
    yield from _bare(data)


def _telling(content: bytes) -> bool:
    """It is as long as a frame is at least, and not one byte again and again, for which many a check is 0."""
    return len(content) >= _HEADER and len(set(content)) > 2


def _weight(found: _Found) -> tuple[bool, bool, float]:
    """What is no accident first, then what has a framing, for many a frame has nothing to stuff; then what explains
    most."""
    name, fits, pieces = found
    return not name.endswith(_WEAK), name != _BARE, fits / pieces


def _parts(data: bytes, delimiter: bytes) -> list[bytes]:
    """The pieces between delimiters, each once; the first and the last may be cut off, and are left out when there are
    others."""
    whole = data.split(delimiter)
    inner = [part for part in dict.fromkeys(whole[1:-1]) if part]
    return (inner or [part for part in whole[:-1] if part])[:PIECES_MAX]


def _named(cutting: _Cutting, content: bytes) -> Iterator[str]:
    """What is wrong with this content, were it cut so."""
    if not cutting.right and _whole(content):
        yield cutting.name
    for name in _checked(content):
        yield f"{cutting.name}; {name}" if cutting.name else name
    if _plausible(content) and not any(_checked(content)):
        yield f"{cutting.name}; {_NO_CHECK}" if cutting.name else _NO_CHECK


_BARE: Final = "it is not stuffed: header, payload and check stand on the line as they are, without COBS"
_NO_CHECK: Final = "there is no check that is known here"
_WEAK: Final = ("a sum of one byte", _NO_CHECK)


def _enough(name: str) -> int:
    """How many pieces a mistake must explain, so that chance does not."""
    if name.endswith(_WEAK):
        return 4
    return 2 if "CRC-16" in name else 1


def _whole(content: bytes) -> bool:
    """It has the right check."""
    return len(content) >= MIN_FRAME and crc32(content) == RESIDUE


def _plausible(content: bytes) -> bool:
    """It begins with a header as devices send them: version, no flag, a kind that there is."""
    return content[0] == VERSION and content[1] == 0 and content[2] in _KINDS


def _appended(parts: Iterable[bytes]) -> Iterator[str]:
    """The check stands behind the encoded bytes, not encoded itself."""
    for part in parts:
        coded, check = part[:-CHECK_BYTES], part[-CHECK_BYTES:]
        if not coded:
            continue
        for over, covered in ((" over the encoded bytes", coded), ("", _cobs(coded))):
            if covered and check_of(CHECKS[0], covered) == int.from_bytes(check, "little"):
                yield f"the check{over} is appended behind the stuffing, not stuffed with the rest"


def _bare(data: bytes) -> Iterator[_Found]:
    """Frames that are not stuffed at all: header, payload and check as they are, whatever stands between them."""
    found, at, tries = 0, 0, 0
    while (at := data.find(bytes([VERSION, 0]), at)) >= 0 and tries < PIECES_MAX:
        tries += 1
        end = next(
            (end for end in range(at + MIN_FRAME, min(at + MAX_FRAME, len(data)) + 1) if _whole(data[at:end])), 0
        )
        found += bool(end)
        at = end or at + 1
    if found:
        yield _BARE, found, found


# ------------------------------------------------------------------ no frame at all


def _unexplained(data: bytes, reasons: Mapping[NoiseReason, int]) -> str:
    """What the bytes look like, when no check fits any of them."""
    printable = sum(byte in b"\t\r\n" or 0x20 <= byte < 0x7F for byte in data)
    if data and printable >= TEXT_SHARE * len(data):
        first = data.decode("ascii", "replace").split("\n")[0].strip()[:40]
        return f"it is text, such as {first!r}: a console, or another protocol"
    checked = reasons.get(NoiseReason.CHECK, 0)
    if checked * 2 > sum(reasons.values()):
        return "the stuffing is right and the check is none that is known here: wrong bytes are checked, or damaged"
    if b"\0" not in data and len(data) > MAX_FRAME:
        return f"no delimiter 00h in {len(data):,} bytes: wrong baud rate, or another framing"
    return ""
