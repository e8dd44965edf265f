"""Record the USB session in `captures/`: the real pyusb and libusb, with a device that a umockdev rig emulates.

The program's clock stands still, because a link's output depends on the time, and a replay must send the same. An event
comes only after the one before it was acknowledged: a replay is in the recorded order, byte for byte.
"""

import hashlib
import json
import struct
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from protocol.tdp import messages as m
from tests.support.oracles.wire_count import count_wire
from tests.support.rigs.umockdev import PROGRAM, Rig, RigTalk
from tests.support.rigs.usb_descriptors import BULK, Description

SHUFFLER: Final = Description(endpoints=((0x01, BULK, 64), (0x81, BULK, 64)))
ADDRESS: Final = f"usb:{SHUFFLER.vendor:04x}:{SHUFFLER.product:04x}:{SHUFFLER.serial}"
AT_NS: Final = 1_700_000_000_000_000_000
"""Start time of the program's clock, for recording and replaying."""
NAME: Final = "usb-shuffler.pcapng"
SHOWS: Final = "a shuffler on USB bulk deals to one player, dumps the remainder, and is unplugged"

Event = tuple[type[m.Event], dict[str, Any]]


def packet(ordinal: int, cards: str) -> tuple[Event, Event]:
    """Return the events of a packet that comes and is taken away."""
    codes = bytes.fromhex(cards)
    facts = {"deck": 1, "ordinal": ordinal, "expected": 5, "counted": len(codes), "cards": codes}
    return (m.PacketDispensedMessage, facts), (m.PacketLiftedMessage, {"ordinal": ordinal})


DEAL: Final[tuple[Event, ...]] = (
    (m.DeckVerifiedMessage, {"deck": 1, "expected": 52, "counted": 52}),
    (m.GreenButtonMessage, {}),
    *packet(1, "1121314112"),
    *packet(2, "2232421323"),
    *packet(3, "3343142434"),
    (m.GreenButtonMessage, {}),
    (m.RemainderDumpedMessage, {"deck": 1, "expected": 37, "counted": 37}),
    (m.RemainderLiftedMessage, {"deck": 1}),
)


def record(rig: Rig, file: Path, events: tuple[Event, ...] = DEAL) -> list[str]:
    """Record the program's session, until the plug is pulled; return the program's reports."""
    cable = rig.plug_usb("shuffler", SHUFFLER, address=2)
    device = rig.device_on(cable)
    rig.run_program(str(AT_NS))
    rig.tell("record", str(file), ADDRESS)
    seen = [rig.wait("seen", body="LinkUp")["body"]]
    for number, (kind, fields) in enumerate(events, 1):
        device.emit(kind, **fields)
        seen.append(rig.wait("seen")["body"])
        rig.until(lambda number=number: device.store.acknowledged >= number)  # type: ignore[misc]
    rig.unplug(cable)
    seen.append(rig.wait("seen")["body"])
    rig.tell("close")
    rig.wait("closed")
    return seen


def replay(file: Path, seen: int) -> list[str]:
    """Return the `seen` reports that a program receives when it opens the recorded device.

    On a busy machine umockdev itself may get stuck ("Replay may be stuck: Reaping discard URB"): a read that runs out
    of time is not in its file. The replay then starts over, once.
    """
    description = file.with_suffix(".umockdev")
    place = "/sys" + description.read_text().splitlines()[0].removeprefix("P: ")
    argv = ("umockdev-run", "-d", str(description), "-p", f"{place}={file}", "--", *PROGRAM, str(AT_NS))
    for last in (False, True):
        play = RigTalk(*argv)
        play.wait("started")
        play.tell("open", ADDRESS)
        try:
            again: list[str] = [play.wait("seen")["body"] for _ in range(seen)]
        except AssertionError:
            play.process.kill()
            play.finish()
            if last:
                raise
        else:
            assert play.finish() == 0
            return again
    raise AssertionError  # not reached


def received(file: Path) -> bytes:
    """Return the bytes that the device sent on its bulk pipe, read from the file by the published layouts of pcapng and
    usbmon."""
    data, at, found = file.read_bytes(), 0, b""
    while at < len(data):
        kind, size = struct.unpack_from("<II", data, at)
        if kind == 6:  # an enhanced packet: interface, time, length, original length, the packet
            packet = data[at + 28 : at + 28 + struct.unpack_from("<I", data, at + 20)[0]]
            if packet[8:9] == b"C" and packet[9] == 3 and packet[10] == 0x81:
                found += packet[64:]
        at += size
    return found


def describe(file: Path, seen: list[str]) -> Iterator[str]:
    """Yield the recording's entry of `index.toml`."""
    frames, noise = count_wire(received(file))
    yield "[[capture]]"
    yield f'file = "{file.name}"'
    yield 'link = "usb"'
    yield f'shows = "{SHOWS}"'
    yield f"frames = {frames}"
    yield f"noise_bytes = {noise}"
    yield f"seen = {json.dumps([body.partition('(')[0] for body in seen])}"
    yield f'sha256 = "{hashlib.sha256(file.read_bytes()).hexdigest()}"'
    yield f'description_sha256 = "{hashlib.sha256(file.with_suffix(".umockdev").read_bytes()).hexdigest()}"'
    yield ""


def record_into(folder: Path) -> list[str]:
    """Record the session into `folder`, in place of the one there; return the program's reports."""
    for old in (folder / NAME, (folder / NAME).with_suffix(".umockdev")):
        old.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory() as made:
        rig = Rig(Path(made))
        seen = record(rig, folder / NAME)
        rig.close()
    return seen
