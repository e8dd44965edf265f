"""Lines of this machine, and what is on each."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from dealwire.host import CONSOLE, ports, usb_devices
from devices.drive.identify import identify, kind_of
from devices.files import may
from protocol.errors import DealwireError
from protocol.tdp.messages import HelloReplyMessage

BY_ID: Final = Path("/dev/serial/by-id")
_CLAIMS: Final = "not asked: to ask is to claim its interface; name it if it is a device of the table"


@dataclass(frozen=True, slots=True)
class FoundLine:
    """A line that a device may be on."""

    address: str
    """Most stable address of the device: the one to write into a file."""
    about: str = ""
    """Description of the adapter or the USB device."""
    reply: HelloReplyMessage | None = None
    """The device's answer to HELLO; None when it was not asked, or did not answer."""
    why: str = ""
    """Reason why it was not asked, or why there is no answer."""

    @property
    def kind(self) -> str:
        """Kind of the device, as a table.toml has it; empty while unknown."""
        return kind_of(self.reply) if self.reply is not None else ""

    @property
    def text(self) -> str:
        """Result for a reader: kind, maker, model, serial number and firmware, or why nothing is known."""
        if self.reply is None:
            return self.why
        who = self.reply
        named = " ".join(part for part in (who.maker, who.model, who.serial) if part)
        return f"{self.kind or f'class {who.device_class}'}: {named}, firmware {who.firmware}"


def attached_lines() -> list[FoundLine]:
    """Return the serial ports and USB devices of this machine; those that may not be asked have the reason."""
    found = [_port(port) for port in ports()]
    return found + [FoundLine(each["name"], each["description"], why=_CLAIMS) for each in usb_devices()]


def probed(line: FoundLine) -> FoundLine:
    """Return the line with the answer of its device, or with the reason why there is none."""
    if line.why:
        return line
    try:
        return FoundLine(line.address, line.about, identify(line.address))
    except DealwireError as error:
        return FoundLine(line.address, line.about, why=str(error).removeprefix(f"{line.address}: "))


def best_for(kind: str, lines: Iterable[FoundLine], taken: Sequence[str]) -> str | None:
    """Return the address of the first device of a kind whose line is not taken; None without one."""
    return next((line.address for line in lines if line.kind == kind and line.address not in taken), None)


def stable_name(port: Mapping[str, str], folder: Path = BY_ID) -> str:
    """Return the name of a port that stays when it is plugged in elsewhere: `serial-id:`, else by-id, else its own."""
    serial, device = port.get("serial", ""), port["name"]
    if serial and serial.isprintable() and not set(serial) & set(" ?#&/\\\"'"):
        return f"serial-id:{serial}"
    try:
        links = sorted(each for each in folder.iterdir() if os.path.realpath(each) == os.path.realpath(device))
    except OSError:
        return device
    return str(links[0]) if links else device


def _port(port: Mapping[str, str]) -> FoundLine:
    name, about = port["name"], port["description"]
    if about == CONSOLE:
        return FoundLine(name, about, why="not asked: no device of a table is behind it")
    if not may(name, os.R_OK | os.W_OK):
        return FoundLine(stable_name(port), about, why="not asked: this user may not open it (dealwire doctor)")
    if not port["usb"]:
        return FoundLine(name, about, why="not asked: a port of the mainboard; name it if a device is behind it")
    return FoundLine(stable_name(port), about)
