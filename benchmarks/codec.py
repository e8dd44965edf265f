"""Bytes to typed messages: this project's codec and its peers, measured in one run.

Every contestant does the same work: it finds the frames, checks them, and returns each as an object with named fields.
Each is checked to have found all of its messages before it is timed.
"""

import importlib
import io
import os
import platform
import struct
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from typing import Any
from zlib import crc32

from cobs import cobs

from benchmarks.table import Table, timed
from protocol.tdp import messages as m
from protocol.tdp.codec import decode, encode
from protocol.tdp.framing import Framer, encode_frame
from protocol.tdp.packets import ANSWERS, HEADER, PACKETS

FRAMES = 1000
READ = 4096


@dataclass(frozen=True, slots=True)
class Contestant:
    """Contestant whose `read` takes the chunks of a stream and returns the number of messages found. Without frames,
    `absent` has the reason."""

    name: str
    frames: list[bytes]
    read: Callable[[list[bytes]], int] | None
    absent: str = ""
    bulk: bool = True


def a_table_at_work(count: int) -> list[bytes]:
    """Return our frames in the mix of a round: packets, lifts, wagers, decisions, hands, status, replies."""
    cards = bytes.fromhex("31112a124d")
    mix: list[tuple[m.Message, int | None]] = [
        (m.WagerPlacedMessage(7, 41_000, 3, 1, 2_500), None),
        (m.PacketDispensedMessage(8, 41_200, 1, 2, 5, 5, cards), None),
        (m.PacketLiftedMessage(9, 42_000, 2), None),
        (m.HandRevealedMessage(10, 43_000, 3, 1, cards), None),
        (m.DecisionMadeMessage(11, 44_000, 3, 2), None),
        (m.StateChangedMessage(12, 44_100, 8, 7), None),
        (m.ShufflerStatusMessage(0x1A2B3C4D, 12, 45_000, 8, 0, 0, 1, 52, 3, 15, 5, 0, 0, ()), None),
        (m.ReplyMessage(0, 0, 6), 0x0121),
    ]
    bodies = [encode(message, message_id=answered, link_sequence=i) for i, (message, answered) in enumerate(mix)]
    return [encode_frame(bodies[i % len(bodies)]) for i in range(count)]


def tdp(chunks: list[bytes]) -> int:
    framer, found = Framer(), 0
    for chunk in chunks:
        for body in framer.bodies(chunk):
            if type(body) is bytes and decode(body).message:
                found += 1
    return found


def interpreted(chunks: list[bytes]) -> int:
    """Parse the same frames with the same declarations by construct itself."""
    held, found = b"", 0
    for chunk in chunks:
        *parts, held = (held + chunk).split(b"\0")
        for part in parts:
            body = cobs.decode(part)
            if crc32(body) == 0x2144DF1C:
                stream = io.BytesIO(body[:-4])
                header = HEADER.parse_stream(stream)
                packet = PACKETS.get((header.kind, header.message)) or ANSWERS[header.kind]
                found += packet[1].parse_stream(stream) is not None
    return found


def mavlink(c_check: bool) -> Contestant:
    """Return pymavlink, which takes its check from fastcrc if that is installed, and else computes it in Python."""
    name = "pymavlink ATTITUDE, check in C (fastcrc)" if c_check else "pymavlink ATTITUDE, check in Python"
    try:
        if c_check:
            import fastcrc  # noqa: F401
        common = _mavlink_module(c_check)
    except ImportError as error:
        return Contestant(name, [], None, f"{str(error.name).partition('.')[0]} is not installed")
    sender = common.MAVLink(None)
    attitude = [common.MAVLink_attitude_message(i, 0.1, 0.2, 0.3, 0.01, 0.02, 0.03) for i in range(FRAMES)]
    frames = [bytes(message.pack(sender)) for message in attitude]

    def read(chunks: list[bytes]) -> int:
        parser, found = common.MAVLink(None), 0
        for chunk in chunks:
            found += len(parser.parse_buffer(chunk) or ())
        return found

    return Contestant(name, frames, read)


def _mavlink_module(c_check: bool) -> Any:
    """Load the dialect's module again, since it decides at import whether fastcrc is installed."""
    os.environ["MAVLINK20"] = "1"
    before = sys.modules.get("fastcrc")
    try:
        if not c_check:
            sys.modules["fastcrc"] = None  # type: ignore[assignment]  # as if it were not installed
        sys.modules.pop("pymavlink.dialects.v20.common", None)
        return importlib.import_module("pymavlink.dialects.v20.common")
    finally:
        sys.modules.pop("fastcrc", None)
        if before:
            sys.modules["fastcrc"] = before


def modbus() -> Contestant:
    try:
        from pymodbus.framer import FramerRTU
        from pymodbus.pdu import DecodePDU
    except ImportError:
        return Contestant("pymodbus RTU", [], None, "pymodbus is not installed")
    body = struct.pack(">BBB8H", 1, 3, 16, *range(1000, 1008))
    frame = body + FramerRTU.compute_CRC(body).to_bytes(2, "big")

    def read(chunks: list[bytes]) -> int:
        framer, found = FramerRTU(DecodePDU(False)), 0
        for chunk in chunks:
            found += framer.handleFrame(chunk, 0, 0)[1] is not None
        return found

    return Contestant("pymodbus RTU, 8 registers", [frame] * FRAMES, read, bulk=False)


def in_reads(frames: list[bytes], size: int) -> list[bytes]:
    stream = b"".join(frames)
    return [stream[i : i + size] for i in range(0, len(stream), size)]


def run(seconds: float) -> Table:
    ours = a_table_at_work(FRAMES)
    contestants = [
        Contestant("dealwire TDP, a round's mix", ours, tdp),
        mavlink(c_check=True),
        mavlink(c_check=False),
        modbus(),
        Contestant("construct, interpreted, same frames", ours, interpreted),
    ]
    cases: dict[tuple[str, bool], Callable[[], int]] = {}
    for peer in contestants:
        for bulk in (True, False):
            if peer.read and (peer.bulk or not bulk):
                cases[peer.name, bulk] = _case(peer, in_reads(peer.frames, READ) if bulk else peer.frames)
    taken = dict(zip(cases, timed(list(cases.values()), seconds, clock=time.process_time), strict=True))
    rows = [_row(peer, contestants[0], taken) for peer in contestants]
    return Table(
        "Bytes to typed messages, frames a second",
        ["", "bytes a frame", f"{READ // 1024} KiB reads", "we: times", "one frame a read", "we: times"],
        rows,
        [
            f"Python {platform.python_version()}, {platform.machine()}; {FRAMES} frames, medians of rounds in turn.",
            "Times are the processor's; `we: times` is the median of each round's own ratio.",
            "Every message is a typed object; every check is computed and compared.",
            "pymodbus drops whatever follows the first frame of a read, so it has no figure for large reads.",
        ],
    )


def _case(peer: Contestant, chunks: list[bytes]) -> Callable[[], int]:
    def once() -> int:
        assert peer.read is not None
        found: Any = peer.read(chunks)
        if found != FRAMES:
            raise RuntimeError(f"{peer.name} found {found} of {FRAMES} messages")
        return FRAMES

    return once


def _row(peer: Contestant, ours: Contestant, taken: dict[tuple[str, bool], list[float]]) -> list[str]:
    if not peer.read:
        return [peer.name, "", peer.absent, "", "", ""]
    row = [peer.name, f"{sum(map(len, peer.frames)) / len(peer.frames):.1f}"]
    for bulk in (True, False):
        theirs = taken.get((peer.name, bulk))
        if theirs is None:
            row += ["-", "-"]
            continue
        ratios = [their / our for their, our in zip(theirs, taken[ours.name, bulk], strict=True)]
        row += [f"{FRAMES / median(theirs):,.0f}", "" if peer is ours else f"{median(ratios):.1f}"]
    return row
