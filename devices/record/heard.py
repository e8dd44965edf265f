"""Bytes that a device sent, from a file: a recording, or hexadecimal text with one chunk a line."""

from collections import Counter
from pathlib import Path
from typing import Final

from devices.files import open_file, read_file
from devices.record.capture import Capture, CaptureInaccessible
from devices.record.pcapng import SECTION
from protocol.errors import LocalError

HEX_MAX_BYTES: Final = 1024 * 1024
HEARD_MAX_BYTES: Final = 256 * 1024
"""Maximum number of bytes to take from a recording: more than a shoe sends in a shift, and seconds of work for a check.
"""


class HeardUnusable(LocalError):
    """A file without bytes from a device."""

    def __init__(self, path: Path, why: str) -> None:
        self.path, self.why = path, why
        super().__init__(f"{path}: {why}")


def heard_in(source: str | Path, dialect: str, kind: str = "") -> tuple[tuple[bytes, ...], str]:
    """Return the chunks that a device of a `dialect` sent, as in the file, and the kind of device (empty if unknown).

    In a recording, take the line of that dialect (and of that kind, if one is given) with the most bytes, up to 256
    KiB. Raise HeardUnusable or CaptureError.
    """
    path = Path(source)
    try:
        with open_file(path) as file:
            recorded = file.read(4) == SECTION.to_bytes(4)
    except OSError as error:
        raise CaptureInaccessible(path, error) from error
    return _recorded(path, dialect, kind) if recorded else (_typed(path), "")


def _typed(path: Path) -> tuple[bytes, ...]:
    try:
        text = read_file(path, HEX_MAX_BYTES).decode("ascii")
    except OSError as error:
        raise CaptureInaccessible(path, error) from error
    except UnicodeDecodeError:
        raise HeardUnusable(path, "neither a pcapng recording nor hexadecimal text") from None
    chunks = list[bytes]()
    for number, line in enumerate(text.splitlines(), 1):
        try:
            chunks.append(bytes.fromhex(line.partition("#")[0]))
        except ValueError:
            why = f"line {number} is not hexadecimal; allowed: pairs of digits, blanks between them, a comment after #"
            raise HeardUnusable(path, why) from None
    found = tuple(chunk for chunk in chunks if chunk)
    if not found:
        raise HeardUnusable(path, "the file contains no bytes")
    return found


def _recorded(path: Path, dialect: str, kind: str) -> tuple[tuple[bytes, ...], str]:
    capture, lines, length = Capture.read(path), dict[int, list[bytes]](), Counter[int]()
    for chunk in capture.chunks:
        line, of = chunk.interface, capture.interfaces[chunk.interface]
        meant = of.dialect == dialect and (not kind or of.device == kind)
        if meant and not chunk.sent and length[line] < HEARD_MAX_BYTES:
            length[line] += len(chunk.data)
            lines.setdefault(line, []).append(chunk.data)
    heard = {line: tuple(data for data in chunks if data) for line, chunks in lines.items() if length[line]}
    if not heard:
        there = ", ".join(f"a {line.device} with {line.dialect}" for line in capture.interfaces) or "none"
        raise HeardUnusable(
            path, f"no {kind or 'device'} of the dialect {dialect!r} is in the recording; its lines: {there}"
        )
    best = max(heard, key=lambda line: length[line])
    return heard[best], capture.interfaces[best].device
