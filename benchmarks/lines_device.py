"""Far end of `benchmarks.lines`: pseudo-terminals that each send as much as a 115200 baud line can carry.

`python -m benchmarks.lines_device LINES SECONDS` prints the terminals' names as JSON, waits for a line on standard
input, writes paced frames with the time inside, and prints how many it wrote to each.
"""

import json
import os
import struct
import sys
import time
import tty
import zlib
from typing import Final

from cobs import cobs

from protocol.tdp.codec import encode
from protocol.tdp.framing import encode_frame
from protocol.tdp.messages import DeviceClass, HelloReplyMessage, WagerPlacedMessage

BYTES_A_SECOND: Final = 11520
"""Bytes a second at 115200 baud, ten bits a byte."""

SESSION: Final = 0x01020304
TAIL: Final = 9
"""Distance of the stamp from the end: its four bytes are the ninth to sixth from a frame's end, before check and
delimiter."""

HELLO: Final = HelloReplyMessage(
    SESSION, 1, 0, 1, 0, DeviceClass.TABLE_CONTROLLER, 0, 1, 256, 256, "bench", "line", "1", "1.0", bytes(32)
)


def stamp(now_ns: int) -> bytes:
    """Return microseconds as four bytes of seven bits, none of them zero, so that COBS leaves them in place."""
    now_us = now_ns // 1000
    return bytes(0x80 | now_us >> shift & 0x7F for shift in (0, 7, 14, 21))


def age_us(raw: bytes, now_ns: int) -> int:
    """Return the microseconds since the stamp in `raw`."""
    a, b, c, d = raw
    sent_us = a & 0x7F | (b & 0x7F) << 7 | (c & 0x7F) << 14 | (d & 0x7F) << 21
    return (now_ns // 1000 - sent_us) & 0xFFFFFFF


BODY: Final = encode(WagerPlacedMessage(1, 0, 1, 1, 0))[:-4]
"""Frame up to the stamp, which takes the place of the cents; the check follows."""

FRAME_BYTES: Final = len(encode_frame(encode(WagerPlacedMessage(1, 0, 1, 1, 0x80808080))))


def frame(number: int, now_ns: int) -> bytes:
    """Return event `number` with a stamp."""
    body = b"".join((BODY[:3], struct.pack("<B", number - 1 & 0xFF), BODY[4:8], struct.pack("<I", number), BODY[12:]))
    body += stamp(now_ns)
    return bytes(cobs.encode(body + struct.pack("<I", zlib.crc32(body)))) + b"\0"


def main(lines: int, seconds: float) -> None:
    """Open the terminals, announce them, wait, write."""
    masters = []
    names = []
    for _ in range(lines):
        master, slave = os.openpty()
        tty.setraw(slave)
        os.set_blocking(master, False)
        masters.append(master)
        names.append(os.ttyname(slave))
    print(json.dumps(names), flush=True)
    sys.stdin.readline()
    greeting = encode_frame(encode(HELLO))
    for master in masters:
        os.write(master, greeting)
    time.sleep(0.1)
    written, refused = write_paced(masters, seconds)
    print(json.dumps({"written": written, "refused": refused}), flush=True)
    sys.stdin.readline()


def write_paced(masters: list[int], seconds: float) -> tuple[int, int]:
    """Write to all lines in turn, evenly spread; return the number of frames written, and of those the kernel had no
    room for."""
    gap_ns = int(FRAME_BYTES / BYTES_A_SECOND * 1e9)
    clock, write = time.monotonic_ns, os.write
    numbers = [0] * len(masters)
    start_ns = clock()
    end_ns = start_ns + int(seconds * 1e9)
    turn = refused = 0
    step_ns = gap_ns / len(masters)
    while (now_ns := clock()) < end_ns:
        due_ns = start_ns + int(turn * step_ns)
        if due_ns > now_ns:
            if due_ns - now_ns > 100_000:
                time.sleep((due_ns - now_ns - 60_000) / 1e9)
            continue
        line = turn % len(masters)
        turn += 1
        numbers[line] += 1
        try:
            write(masters[line], frame(numbers[line], now_ns))
        except BlockingIOError:
            refused += 1
    return sum(numbers), refused


if __name__ == "__main__":
    main(int(sys.argv[1]), float(sys.argv[2]))
