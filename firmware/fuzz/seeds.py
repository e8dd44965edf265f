"""Generate the fuzzer's initial corpus from the protocol's vectors: streams unchanged, and frames without check and
stuffing.

python firmware/fuzz/seeds.py FOLDER
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

VECTORS: Final = Path(__file__).parent.parent.parent / "docs/protocol-vectors.json"
FRAMED_MAX: Final = 0x3F
RAW_MAX: Final = 0x7F
DEVICES: Final = 3
SECOND: Final = b"\xda"
"""27 steps of 37 ms."""
PLAYED: Final = {
    "controller": bytes([0]) + SECOND * 2 + b"\xe6\xe8\xe9\xef\xe8\xe7\xe6\xf0" + SECOND * 2 + b"\xe7",
    "shoe": bytes([1]) + SECOND * 2 + b"\xe1\xe2\xe0\xe0\xe0\xe4\xea\xe0\xeb\xe5" + b"\xe0" * 22
    + b"\xe3\xf0" + SECOND * 2 + b"\xe0",
    "shuffler": bytes([2]) + SECOND * 4 + b"\xee" + SECOND * 36 + b"\xec" + SECOND + b"\xed" + SECOND + b"\xed\xed"
    + SECOND + b"\xee\xec" + SECOND * 2 + b"\xed" + SECOND * 36 + b"\xec" + SECOND + b"\xf0" + SECOND * 5,
}  # fmt: skip
"""Acts of the hands at each device, including a power cut."""


def seeds() -> Iterator[tuple[str, bytes]]:
    """Yield name and bytes of each seed: every stream, and the frames of a host after two opened sessions."""
    vectors = json.loads(VECTORS.read_text(encoding="utf-8"))
    for number, stream in enumerate(vectors["streams"]):
        yield f"stream-{number:03}", bytes([number % DEVICES]) + b"".join(_raw(bytes.fromhex(stream["wire"])))
    yield from ((f"played-{name}", script) for name, script in PLAYED.items())
    bodies = [bytes.fromhex(frame["decoded"])[:-4] for frame in vectors["frames"]]
    short = [body for body in bodies if len(body) <= FRAMED_MAX and body[2] in (1, 5, 7)]
    old = bytes([0x60, 0, 1, 0, 2, 0, 0x21, 0, *bytes(8)])
    for first in range(4 * DEVICES):
        played = (_framed(_opening()) + b"\xde" + _framed(old) + b"\xe0\xe6\xec" * 8 + b"\xc0") * 3
        yield f"full-{first:02}", bytes([first]) + played
    for number, body in enumerate(short):
        for device in range(DEVICES):
            yield f"frame-{number:03}-{device}", bytes([device]) + _framed(_opening()) + _framed(body) + b"\xe0\xc8"


def _raw(wire: bytes) -> Iterator[bytes]:
    for at in range(0, len(wire), RAW_MAX):
        part = wire[at : at + RAW_MAX]
        yield bytes([len(part)]) + part


def _framed(body: bytes) -> bytes:
    return bytes([0x80 | len(body)]) + body


def _opening() -> bytes:
    """Return OPEN-SESSION for any session, in the service role."""
    return bytes([0x40, 0, 1, 0, 1, 0, 0x20, 0, 0, 0, 0, 0, 1, 2, 2])


def main(folder: Path) -> None:
    """Write the seeds."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in seeds():
        (folder / name).write_bytes(data)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
