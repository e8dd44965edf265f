"""A frame from one link to the other, in clear and over a sealed line, side by side in one run; and the handshakes."""

import platform
import time
from collections.abc import Callable
from statistics import median

from benchmarks.codec import a_table_at_work
from benchmarks.table import Table, timed
from devices.transport.ciphers import Ciphers
from protocol.tdp.codec import encode
from protocol.tdp.framing import Framer, encode_frame
from protocol.tdp.messages import Capability, DeviceClass, HelloMessage, HelloReplyMessage, Role
from protocol.tdp.seal.device_end import DeviceEnd, PairedHost
from protocol.tdp.seal.host_end import HostEnd

FRAMES = 1000
START_NS = 1_790_000_000_000_000_000
GOAL_US = 25.0
HELLO_REPLY = HelloReplyMessage(
    1, 1, 0, 1, 4, DeviceClass.SHUFFLER, Capability.SEALING, 1, 256, 256, "dealwire", "bench", "1", "1.0", bytes(32)
)


def sealed_ends() -> tuple[DeviceEnd, HostEnd]:
    """Return both ends of a sealed line after their handshake."""
    suite = Ciphers()
    own, other = suite.generate(), suite.generate()
    paired = PairedHost(suite.public(other), Role.OPERATE, "bench")
    device = DeviceEnd(suite, own, encode(HELLO_REPLY)[8:], [paired])
    host = HostEnd(suite, other, lambda _: suite.public(own))
    out = host.send(encode_frame(encode(HelloMessage(1, 0, 1, 4, "bench"))), START_NS)
    while out:
        out = host.receive(device.receive(out, START_NS).out, START_NS).out
    if device.keys is None:
        raise RuntimeError("the handshake did not end")
    return device, host


def run(seconds: float) -> Table:
    mix = a_table_at_work(FRAMES)
    longest = [encode_frame(bytes((1, 0, 9, 0, 0, 0, 0x7F, 0x7F)) + bytes(range(1, 229)))] * FRAMES
    cases: dict[str, Callable[[], object]] = {
        "a round's mix, in clear": _plain(mix),
        "a round's mix, sealed": _sealed(mix),
        "longest frame, in clear": _plain(longest),
        "longest frame, sealed": _sealed(longest),
        "handshake, both ends": sealed_ends,
    }
    taken = dict(zip(cases, timed(list(cases.values()), seconds, clock=time.process_time), strict=True))
    rows = []
    for name, times in taken.items():
        each_us = median(times) * 1e6 / (1 if name.startswith("handshake") else FRAMES)
        rows.append([name, f"{each_us:,.1f}", f"{1e6 / each_us:,.0f}"])
    return Table(
        "A frame from link to link",
        ["", "us", "a second"],
        rows,
        [
            f"Python {platform.python_version()}, {platform.machine()}; {FRAMES} frames, medians of rounds in turn.",
            "In clear: framed, split, checked. Sealed: that too, and sealed, opened, and framed for the host's link.",
            f"The goal for a sealed frame is at most {GOAL_US:g} us. Times are the processor's.",
        ],
    )


def _plain(frames: list[bytes]) -> Callable[[], object]:
    bodies = [body for frame in frames for body in Framer().bodies(frame) if isinstance(body, bytes)]

    def once() -> None:
        framer = Framer()
        for body in bodies:
            framer.bodies(encode_frame(body))

    return once


def _sealed(frames: list[bytes]) -> Callable[[], object]:
    device, host = sealed_ends()

    def once() -> None:
        for frame in frames:
            host.receive(device.send(frame, START_NS), START_NS)

    return once
