"""Finding the USB device of an address, and its endpoints. It never guesses between two devices."""

import errno
import re
from dataclasses import dataclass
from typing import Any, Final

import usb.core
import usb.util

from protocol.errors import LineAbsent, LineAmbiguous, LineBusy, LineDenied, LineError, LineUnusable

FORM: Final = "usb:VID:PID, usb:VID:PID:SERIAL or usb:VID:PID@BUS-PORT.PORT, with VID and PID in hex"
VENDOR_CLASS: Final = 0xFF
SERIAL_PORT_CLASSES: Final = {0x02, 0x0A}
"""CDC control and CDC data: the system makes a serial port of them."""

_ADDRESS: Final = re.compile(
    r"usb:(?P<vendor>[0-9a-f]{1,4}):(?P<product>[0-9a-f]{1,4})(?:@(?P<path>\d+-\d+(?:\.\d+)*)|:(?P<serial>.+))?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class UsbAddress:
    """A parsed address. `path` is bus and ports as Linux writes them, such as `1-1.4`. Empty strings match anything."""

    text: str
    vendor: int
    product: int
    serial: str = ""
    path: str = ""

    @property
    def base(self) -> str:
        """The address without serial or path."""
        return f"usb:{self.vendor:04x}:{self.product:04x}"

    @property
    def udev_rule(self) -> str:
        """udev rule that lets the logged-in user and the group plugdev use such devices."""
        return (
            f'SUBSYSTEM=="usb", ATTR{{idVendor}}=="{self.vendor:04x}", ATTR{{idProduct}}=="{self.product:04x}", '
            'MODE="0660", GROUP="plugdev", TAG+="uaccess"'
        )


@dataclass(frozen=True, slots=True)
class Pipes:
    """A vendor interface and its two bulk endpoints, as the device describes them. Sizes are in bytes a packet."""

    interface: int
    bulk_in: int
    bulk_out: int
    in_packet: int
    out_packet: int


def parse_usb(text: str) -> UsbAddress:
    """Return the address in `text`. LineUnusable names the allowed forms."""
    found = _ADDRESS.fullmatch(text)
    if found is None:
        raise LineUnusable(text, f"use {FORM}")
    vendor, product = (int(found[part], 16) for part in ("vendor", "product"))
    return UsbAddress(text, vendor, product, found["serial"] or "", found["path"] or "")


def path_of(device: Any) -> str:
    """Return the bus and the ports that lead to the device, such as `1-1.4`. A root hub is port 0."""
    return f"{device.bus}-{'.'.join(str(port) for port in device.port_numbers or (0,))}"


def find_usb(wanted: UsbAddress, backend: Any = None) -> Any:
    """Return the one pyusb device that matches `wanted`.

    Raise LineAbsent, LineAmbiguous, LineDenied if a serial number cannot be read, or LineUnusable without libusb.
    """
    try:
        devices = list(
            usb.core.find(find_all=True, backend=backend, idVendor=wanted.vendor, idProduct=wanted.product) or ()
        )
    except usb.core.NoBackendError as cause:
        raise LineUnusable(
            wanted.text, "libusb was not found; install it (on Debian: apt install libusb-1.0-0)"
        ) from cause
    if wanted.path:
        matching = [device for device in devices if path_of(device) == wanted.path]
    elif wanted.serial:
        matching = _with_serial(wanted, devices)
    else:
        matching = devices
    if len(matching) > 1:
        raise LineAmbiguous(wanted.text, tuple(sorted(f"{wanted.base}@{path_of(device)}" for device in matching)))
    if not matching:
        others = ", ".join(sorted(path_of(device) for device in devices))
        raise LineAbsent(
            wanted.text, f"such devices exist only at {others}" if others else "no such device is plugged in"
        )
    return matching[0]


def _with_serial(wanted: UsbAddress, devices: list[Any]) -> list[Any]:
    matching, unread = [], None
    for device in devices:
        try:
            if _serial_of(device) == wanted.serial:
                matching.append(device)
        except usb.core.USBError as error:
            unread = opening_error(wanted, device, error)
        finally:
            usb.util.dispose_resources(device)
    if not matching and unread is not None and not isinstance(unread, LineAbsent):
        raise unread
    return matching


def _serial_of(device: Any) -> str | None:
    try:
        device.get_active_configuration()  # opens the device; reading a string would hide the reason for a failure
    except usb.core.USBError as error:
        if not unconfigured(error):
            raise
    try:
        serial: str | None = usb.util.get_string(device, device.iSerialNumber)
    except ValueError:  # the device has no strings
        return None
    return serial


def unconfigured(error: usb.core.USBError) -> bool:
    """Return True if the device is open and has no active configuration yet: pyusb's own error, without libusb's
    code."""
    return error.errno is None and error.backend_error_code is None


def find_pipes(wanted: UsbAddress, configuration: Any) -> Pipes:
    """Return the lowest vendor interface with one bulk endpoint in each direction. LineUnusable names what exists
    instead."""
    seen = []
    for interface in configuration:
        bulk = [end for end in interface if usb.util.endpoint_type(end.bmAttributes) == usb.util.ENDPOINT_TYPE_BULK]
        ins = [end for end in bulk if usb.util.endpoint_direction(end.bEndpointAddress) == usb.util.ENDPOINT_IN]
        outs = [end for end in bulk if end not in ins]
        right = interface.bInterfaceClass == VENDOR_CLASS and interface.bAlternateSetting == 0
        if right and len(ins) == len(outs) == 1:
            return Pipes(
                interface.bInterfaceNumber,
                ins[0].bEndpointAddress,
                outs[0].bEndpointAddress,
                _packet_size(ins[0]),
                _packet_size(outs[0]),
            )
        seen.append(
            f"interface {interface.bInterfaceNumber} of class 0x{interface.bInterfaceClass:02X} "
            f"with {len(ins)} bulk in and {len(outs)} out"
        )
    why = "it has no vendor interface (class 0xFF) with one bulk endpoint each way"
    if any(interface.bInterfaceClass in SERIAL_PORT_CLASSES for interface in configuration):
        why += "; the system provides it as a serial port: use the address of that port"
    raise LineUnusable(wanted.text, f"{why}; found {', '.join(seen) or 'nothing'}")


def _packet_size(endpoint: Any) -> int:
    # The upper bits are the number of extra transactions, which bulk endpoints do not use.
    return int(endpoint.wMaxPacketSize) & 0x7FF or 1


_DENIED: Final = {errno.EACCES, errno.EPERM}
_ABSENT: Final = {errno.ENODEV, errno.ENOENT, errno.EIO, errno.ESHUTDOWN}


def opening_error(wanted: UsbAddress, device: Any, cause: Exception) -> LineError:
    """Return the error for a device that libusb could not open or claim. Close `device` before the call."""
    number = getattr(cause, "errno", None)
    if number in _DENIED:
        return LineDenied(
            wanted.text,
            f"add this line to /etc/udev/rules.d/70-dealwire.rules and replug the device: {wanted.udev_rule}",
        )
    if number == errno.EBUSY:
        from devices.transport.serial_port import holder_of

        return LineBusy(wanted.text, holder_of(f"/dev/bus/usb/{device.bus:03}/{device.address:03}"))
    if number in _ABSENT:
        return LineAbsent(wanted.text, "it was unplugged while it was being opened")
    if isinstance(cause, NotImplementedError):
        return LineUnusable(wanted.text, "the system's driver blocks access by programs (Windows: install WinUSB)")
    return LineUnusable(wanted.text, str(cause))
