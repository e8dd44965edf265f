"""Counts of frames and noise in a device's bytes, in each dialect, independent of the code under test."""

import re
from binascii import crc32
from functools import reduce
from operator import xor


def count_wire(data: bytes, dialect: str = "tdp") -> tuple[int, int]:
    """Return the number of whole frames, with a good check where there is one, and of bytes that belong to none (idle
    ones left out)."""
    return {"tdp": _tdp, "angel-eye": _angel_eye, "bee-tek": _bee_tek}[dialect](data)


def angel_eye_frames(data: bytes) -> list[bytes]:
    """Return each report: sequence, letter, data bytes with the top bit set, ETX. The check is the XOR of them all."""
    found = re.finditer(rb"\x05([\x20-\x7e][A-Za-z][\x80-\xff]*\x03)([0-9A-F]{2})", data)
    return [match[1] for match in found if f"{reduce(xor, match[1]):02X}".encode() == match[2]]


def _angel_eye(data: bytes) -> tuple[int, int]:
    frames = angel_eye_frames(data)
    return len(frames), len(data) - sum(len(frame) + 3 for frame in frames)


def _bee_tek(data: bytes) -> tuple[int, int]:
    item = re.compile(rb"(\[[ -Z^-~]{1,32}\])?<[ -;=?-Z^-~]{0,80}>")
    return len(item.findall(data)), len(item.sub(b"", data).translate(None, b" \t\r\n\0"))


def _tdp(data: bytes) -> tuple[int, int]:
    frames = noise = 0
    opened = False
    *parts, rest = data.split(b"\0")
    for part in parts:
        if not part:
            opened = True
            continue
        if _is_frame(part):
            frames += 1
        else:
            noise += len(part) + 1 + opened
        opened = False
    return frames, noise + len(rest)


def _is_frame(part: bytes) -> bool:
    body, at = bytearray(), 0
    while at < len(part):
        code = part[at]
        if at + code > len(part):
            return False
        body += part[at + 1 : at + code]
        at += code
        if code < 255 and at < len(part):
            body.append(0)
    return 12 <= len(body) <= 256 and crc32(body[:-4]) == int.from_bytes(body[-4:], "little")
