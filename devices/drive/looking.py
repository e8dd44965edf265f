"""Check of an address without opening the line, so that no one at the other end notices."""

import dataclasses
import os
import stat
from urllib.parse import urlsplit

from devices.drive.address import PORTS
from devices.files import may
from protocol.errors import LineAbsent, LineBusy, LineDenied, LineUnusable


def look_for(address: str) -> str:
    """Return a description of what is at `address`, for a reader.

    Raise the LineError that opening would raise now, or the CaptureError of a recording. `check_address` must accept
    the address. No network connection is made and no device is opened.
    """
    parts = urlsplit(address)
    if parts.scheme in PORTS:
        return _port(address, parts.scheme, parts.netloc + parts.path)
    if parts.scheme == "usb":
        return _usb(address)
    if parts.scheme == "replay":
        from devices.drive.replay import open_replay

        open_replay(address).close()
        return "the recording is there"
    return "simulated" if parts.scheme == "sim" else "an address; it is not called"


def _port(address: str, scheme: str, sought: str) -> str:
    from devices.transport.finding import PortFinder, attached
    from devices.transport.serial_port import holder_of, remedy_for

    device = PortFinder(address, scheme or "serial", sought).find(attached())
    try:
        facts = os.stat(device)
    except OSError as error:
        raise LineAbsent(address, error.strerror or str(error)) from None
    if not stat.S_ISCHR(facts.st_mode):
        raise LineUnusable(address, f"{device} is no port")
    if not may(device, os.R_OK | os.W_OK):
        raise LineDenied(address, remedy_for(device))
    if (holder := holder_of(device)) is not None:
        raise LineBusy(address, holder)
    return f"{device} is there" if device != address else "it is there"


def _usb(address: str) -> str:
    from devices.transport.usb_find import find_usb, parse_usb, path_of

    wanted = parse_usb(address)
    # To ask a device for its serial number is to open it.
    found = find_usb(dataclasses.replace(wanted, serial=""))
    serial = "; its serial number is not asked for" if wanted.serial else ""
    return f"such a device is at {path_of(found)}{serial}"
