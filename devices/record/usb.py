"""Recording of USB traffic without root and without usbmon: a pyusb backend that wraps another one.

The file is pcapng with link type 220, the packets of Linux's usbmon (Documentation/usb/usbmon.rst, its binary header of
64 bytes), so tshark reads it. Next to it is a `.umockdev` description of every device that was opened; with both,
umockdev plays the same session to a program through the real libusb. It requires two differences from usbmon: a bulk
read without data is left out, and one with data is written when it ends, both its packets together.
"""

import errno
import logging
import struct
from array import array
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import usb.core

from devices.clock import Clock, SystemClock
from devices.record import pcapng
from devices.record.pcapng import BlockFile

_log = logging.getLogger(__name__)

USBMON: Final = 220
"""Link type LINKTYPE_USB_LINUX_MMAPPED."""
_HEADER: Final = struct.Struct("<QcBBBH2sqiiII8s16x")
CONTROL, BULK = 2, 3
"""Transfer types in that header."""
IN: Final = 0x80
GET_DESCRIPTOR: Final = 6
_STATUS: Final = {errno.EPIPE: -32, errno.EOVERFLOW: -75, errno.ENODEV: -108}
"""Status that the system's USB core reports for a transfer, by libusb's error."""
_TRANSFER_FAILED, _CUT_SHORT, _IN_PROGRESS = -71, -2, -115
SYSTEM_PATH: Final = "/devices/pci0000:00/0000:00:14.0"
"""Location of the bus in a description. It is made up, because pyusb does not know the real one."""


class UsbRecorder(BlockFile):
    """Backend that records all traffic of `inner` to `path`. Transfers continue after `close`, and if the disk fails.

    Times are those of `clock`, whose turns must not be held.
    """

    def __init__(self, inner: Any, path: str | Path, *, overwrite: bool = False, clock: Clock | None = None) -> None:
        super().__init__(path, "dealwire", overwrite=overwrite)
        self._inner, self._clock = inner, clock or SystemClock()
        self._last_id = 0
        self._places: dict[int, tuple[int, int]] = {}
        self._described: dict[tuple[int, int], str] = {}
        self._put(pcapng.interface(USBMON, pcapng.option(pcapng.IF_NAME, b"pyusb")))

    @property
    def description(self) -> Path:
        """Path of the devices' description for umockdev."""
        return self.path.with_suffix(".umockdev")

    # -------------------------------------------------------------- what pyusb calls

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def open_device(self, dev: Any) -> Any:
        """Open the device, and read and record its descriptors for readers of the file."""
        handle = self._inner.open_device(dev)
        try:
            self._describe(handle, self._inner.get_device_descriptor(dev))
        except Exception:  # a silent device or a full disk; the caller finds out on its own
            _log.exception("%s: the device's descriptors are not recorded", self.path)
        return handle

    def close_device(self, dev_handle: Any) -> None:
        """Close the device."""
        self._places.pop(id(dev_handle), None)
        self._inner.close_device(dev_handle)

    def bulk_write(self, dev_handle: Any, ep: int, intf: int, data: Any, timeout: int) -> int:
        """Write, and record the transfer."""
        transfer = self._begin(dev_handle, BULK, ep)
        self._submitted(transfer, len(data), data.tobytes())
        try:
            sent: int = self._inner.bulk_write(dev_handle, ep, intf, data, timeout)
        except usb.core.USBTimeoutError:
            raise  # no completion is recorded, so a replay times out too
        except usb.core.USBError as error:
            self._completed(transfer, 0, status=_status(error))
            raise
        self._completed(transfer, sent, status=0 if sent == len(data) else _CUT_SHORT)
        return sent

    def bulk_read(self, dev_handle: Any, ep: int, intf: int, buff: Any, timeout: int) -> int:
        """Read, and record the transfer if it returned data or failed."""
        started_ns = self._clock.now_ns()
        got, status = 0, 0
        try:
            got = int(self._inner.bulk_read(dev_handle, ep, intf, buff, timeout))
        except usb.core.USBTimeoutError:
            raise
        except usb.core.USBError as error:
            status = _status(error)
            raise
        finally:
            if got or status:
                with self._lock:  # keeps both packets together
                    transfer = self._begin(dev_handle, BULK, ep)
                    self._submitted(transfer, len(buff), at_ns=started_ns)
                    self._completed(transfer, got, buff[:got].tobytes(), status=status)
        return got

    def ctrl_transfer(
        self, dev_handle: Any, request_type: int, request: int, value: int, index: int, data: Any, timeout: int
    ) -> int:
        """Transfer, and record it."""
        transfer = self._begin(dev_handle, CONTROL, request_type & IN)
        setup = struct.pack("<BBHHH", request_type, request, value, index, len(data))
        self._submitted(transfer, len(data), b"" if transfer.is_in else data.tobytes(), setup=setup)
        try:
            count: int = self._inner.ctrl_transfer(dev_handle, request_type, request, value, index, data, timeout)
        except usb.core.USBTimeoutError:
            raise
        except usb.core.USBError as error:
            self._completed(transfer, 0, status=_status(error))
            raise
        self._completed(transfer, count, data[:count].tobytes() if transfer.is_in else b"")
        return count

    # -------------------------------------------------------------- what is written

    def _begin(self, handle: Any, kind: int, endpoint: int) -> "_Transfer":
        with self._lock:
            self._last_id += 1
            return _Transfer(self._last_id, kind, endpoint, *self._places.get(id(handle), (0, 0)))

    def _submitted(
        self, transfer: "_Transfer", length: int, data: bytes = b"", *, setup: bytes = b"", at_ns: int | None = None
    ) -> None:
        at_ns = self._clock.now_ns() if at_ns is None else at_ns
        self._put(transfer.packet(b"S", _IN_PROGRESS, length, data, at_ns, setup))

    def _completed(self, transfer: "_Transfer", length: int, data: bytes = b"", *, status: int = 0) -> None:
        self._put(transfer.packet(b"C", status, length, data, self._clock.now_ns()))

    def _describe(self, handle: Any, device: Any) -> None:
        """Read and record the descriptors, and write the description of a new device."""
        place = self._places[id(handle)] = (int(device.bus or 0), int(device.address or 0))
        if place in self._described:
            return
        raw = self._descriptor(handle, 1, 18)
        head = self._descriptor(handle, 2, 9)
        raw += self._descriptor(handle, 2, int.from_bytes(head[2:4], "little"))
        with self._lock:
            self._described[place] = describe(device, raw)
            self.description.write_text("\n".join(self._described.values()))

    def _descriptor(self, handle: Any, kind: int, size: int) -> bytes:
        answer = array("B", bytes(size))
        got = self.ctrl_transfer(handle, IN, GET_DESCRIPTOR, kind << 8, 0, answer, _DESCRIPTOR_TIMEOUT_MS)
        return answer[:got].tobytes()


_DESCRIPTOR_TIMEOUT_MS: Final = 1000
_SPEEDS: Final = {1: "1.5", 2: "12", 3: "480", 4: "5000", 5: "10000"}
"""Megabits a second as Linux writes them, by libusb's number of a speed."""


@dataclass(frozen=True, slots=True)
class _Transfer:
    """Common part of both packets of a transfer."""

    number: int
    kind: int
    endpoint: int
    bus: int
    address: int

    @property
    def is_in(self) -> bool:
        return bool(self.endpoint & IN)

    def packet(self, event: bytes, status: int, length: int, data: bytes, at_ns: int, setup: bytes = b"") -> bytes:
        """Return the block of its submission (`S`) or completion (`C`). `length` is the number of bytes requested or
        transferred."""
        # usbmon marks a packet without data because the data goes the other way.
        missing = {(b"S", True): b"<", (b"C", False): b">"}.get((event, self.is_in), b"\0")
        seconds, rest_ns = divmod(at_ns, 1_000_000_000)
        packet = _HEADER.pack(
            self.number,
            event,
            self.kind,
            self.endpoint,
            self.address,
            self.bus,
            (b"\0" if setup else b"-") + missing,
            seconds,
            rest_ns // 1000,
            status,
            length,
            len(data),
            setup,
        )
        return pcapng.packet(0, at_ns, packet + data)


def _status(error: usb.core.USBError) -> int:
    return _STATUS.get(error.errno or 0, _TRANSFER_FAILED)


def describe(device: Any, raw: bytes) -> str:
    """Return the description that umockdev plugs in. `device` is the backend's view of it, `raw` its descriptors."""
    ports = ".".join(str(port) for port in device.port_numbers or (0,))
    node = f"bus/usb/{device.bus:03}/{device.address:03}"
    facts = {
        "busnum": device.bus,
        "devnum": device.address,
        "bConfigurationValue": raw[18 + 5] if len(raw) > 23 else 1,
        "speed": _SPEEDS.get(device.speed, "12"),
        "idVendor": f"{device.idVendor:04x}",
        "idProduct": f"{device.idProduct:04x}",
    }
    names = {
        "BUSNUM": f"{device.bus:03}",
        "DEVNUM": f"{device.address:03}",
        "DEVNAME": f"/dev/{node}",
        "DEVTYPE": "usb_device",
        "MAJOR": 189,
        "MINOR": (device.bus - 1) * 128 + device.address - 1,
        "SUBSYSTEM": "usb",
    }
    lines = [f"P: {SYSTEM_PATH}/usb{device.bus}/{device.bus}-{ports}", f"N: {node}={raw.hex().upper()}"]
    lines += [f"E: {name}={value}" for name, value in names.items()]
    lines += [f"A: {name}={value}\\n" for name, value in facts.items()]
    lines.append(f"H: descriptors={raw.hex().upper()}")
    return "\n".join(lines) + "\n"
