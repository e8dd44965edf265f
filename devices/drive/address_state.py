"""Check of an address without opening the line, so that no one at the other end notices."""

import dataclasses
import os
import stat
from urllib.parse import urlsplit

from devices.drive.address import PORTS
from devices.files import may
from protocol.errors import LineAbsent, LineBusy, LineDenied, LineUnusable


def describe_address(address: str) -> str:
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
        return "the recording exists"
    if parts.scheme == "tls":
        from devices.transport.tls import try_files

        try_files(address)
        return "a network address under TLS, whose files can be read; no connection was made"
    return "simulated" if parts.scheme == "sim" else "a network address; no connection was made"


def _port(address: str, scheme: str, sought: str) -> str:
    from devices.transport.finding import PortFinder, attached
    from devices.transport.serial_port import holder_of, remedy_for

    device = PortFinder(address, scheme or "serial", sought).find(attached())
    try:
        facts = os.stat(device)
    except OSError as error:
        raise LineAbsent(address, error.strerror or str(error)) from None
    if not stat.S_ISCHR(facts.st_mode):
        raise LineUnusable(address, f"{device} is not a port")
    if not may(device, os.R_OK | os.W_OK):
        raise LineDenied(address, remedy_for(device))
    if (holder := holder_of(device)) is not None:
        raise LineBusy(address, holder)
    return f"{device} exists" if device != address else "it exists"


def _usb(address: str) -> str:
    from devices.transport.usb_find import find_usb, parse_usb, path_of

    wanted = parse_usb(address)
    # Reading a device's serial number would open it.
    found = find_usb(dataclasses.replace(wanted, serial=""))
    serial = "; its serial number was not read" if wanted.serial else ""
    return f"a matching device is at {path_of(found)}{serial}"
