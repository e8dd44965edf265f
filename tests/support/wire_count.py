"""Counts frames and noise in a stream of TDP bytes, independently of the code under test."""

from binascii import crc32


def count_wire(data: bytes) -> tuple[int, int]:
    """Frames with a good check, and bytes that belong to none (idle delimiters left out)."""
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
