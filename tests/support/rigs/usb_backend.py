"""USB without a bus: a pyusb backend whose devices are in this process, packet by packet, with all that can go wrong.

It proves nothing about libusb; the rigs do that. It is quick enough for thousands of random runs.
"""

import errno
import struct
import threading
from array import array
from collections import Counter, deque
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import usb.backend
import usb.core

from devices.transport.base import LineClosed
from tests.support.rigs.usb_descriptors import Description

WORDS = {
    errno.ENODEV: "No such device (it may have been disconnected)",
    errno.EIO: "Input/Output Error",
    errno.EPIPE: "Pipe error",
    errno.EOVERFLOW: "Overflow",
    errno.EACCES: "Access denied (insufficient permissions)",
    errno.EBUSY: "Resource busy",
}


def failed(number: int) -> usb.core.USBError:
    """Return the error that libusb's backend raises for `number`."""
    if number == errno.ETIMEDOUT:
        return usb.core.USBTimeoutError("Operation timed out", -7, errno.ETIMEDOUT)
    return usb.core.USBError(WORDS.get(number, "Other error"), -99, number or None)


class Gadget:
    """A device and its socket. The device's program uses it as a transport: `read`, `write`, `on_ready`, `close`.

    Like a program that asks for pieces of `room` bytes, it gets nothing before a short packet or a full piece.
    """

    QUEUE = 65536

    def __init__(
        self, description: Description | None = None, *, bus: int = 1, ports: tuple[int, ...] = (1,), room: int = 4096
    ) -> None:
        self.description = description or Description()
        self.name = f"gadget {self.description.serial}"
        self.bus, self.ports, self.address = bus, ports, 2
        self.present = True
        self.configured = True
        self.denied = False
        self.kernel_driver = False
        self.forgets_empty_packets = False
        self.takes_data = True
        self.room = room
        """Bytes of a piece; while one waits for the program, the host waits too."""
        self.next_errors: dict[int, deque[int]] = {0x01: deque(), 0x81: deque()}
        """Errors of the next transfers, by endpoint."""
        self.calls: list[str] = []
        """Operations on the device other than transfers."""
        self.transfers_out: list[int] = []
        """Lengths of the transfers that ended, as the device saw them."""
        self.claimed_by: object | None = None
        self.waiting: Counter[int] = Counter()
        """Transfers that the host waits for, by endpoint."""
        self._changed = threading.Condition()
        self._to_host: deque[bytes] = deque()
        self._arriving, self._arrived = bytearray(), bytearray()
        self._halted: set[int] = set()
        self._blocked = 0
        self._wake: Callable[[], None] | None = None
        self.packets = {address: size for address, _, size in self.description.endpoints}

    # -------------------------------------------------------------- the device's program

    def fileno(self) -> int | None:
        return None

    def on_ready(self, wake: Callable[[], None]) -> None:
        self._wake = wake

    def read(self) -> bytes:
        """Return the bytes of transfers that ended."""
        with self._changed:
            if not self.present:
                raise LineClosed(self.name, "unplugged")
            data = bytes(self._arrived)
            self._arrived.clear()
            self._changed.notify_all()
        return data

    def write(self, data: bytes) -> int:
        """Send one transfer to the host."""
        size = self.packets[0x81]
        with self._changed:
            if not self.present:
                raise LineClosed(self.name, "unplugged")
            data = data[: max(0, self.QUEUE - sum(map(len, self._to_host)))]
            self._to_host.extend(data[start : start + size] for start in range(0, len(data), size))
            if data and len(data) % size == 0 and not self.forgets_empty_packets:
                self._to_host.append(b"")
            self._changed.notify_all()
        return len(data)

    def send_packet(self, packet: bytes) -> None:
        """Send one packet as it is, even if it is too long."""
        with self._changed:
            self._to_host.append(packet)
            self._changed.notify_all()

    def close(self) -> None:
        self.unplug()

    # -------------------------------------------------------------- plugging

    def unplug(self, blocked: int = errno.ENODEV) -> None:
        """Unplug the device. Waiting transfers end with `blocked`, later ones with ENODEV."""
        with self._changed:
            self.present, self._blocked, self.claimed_by = False, blocked, None
            self._to_host.clear()
            self._arriving.clear()
            self._arrived.clear()
            self._changed.notify_all()
        self._tell()

    def plug(self) -> None:
        """Plug the device in again, at a new address."""
        with self._changed:
            self.present, self.address = True, self.address + 1
            self._halted.clear()

    def halt(self, endpoint: int) -> None:
        """Stall the endpoint until the host clears it; a waiting transfer ends at once."""
        with self._changed:
            self._halted.add(endpoint)
            self._changed.notify_all()

    def let(self, *, takes_data: bool) -> None:
        """Set if the device accepts what the host sends."""
        with self._changed:
            self.takes_data = takes_data
            self._changed.notify_all()

    # -------------------------------------------------------------- the bus

    def transfer_in(self, handle: "Handle", endpoint: int, size: int, timeout_ms: int) -> bytes:
        data = bytearray()
        with self._changed:
            self._fail(endpoint)
            while len(data) < size:
                self._wait(handle, endpoint, timeout_ms, lambda: bool(self._to_host), partial=bool(data))
                if not self._to_host:
                    break
                packet = self._to_host.popleft()
                if len(packet) > size - len(data):
                    raise failed(errno.EOVERFLOW)
                data += packet
                if len(packet) < self.packets[endpoint]:
                    break
        return bytes(data)

    def transfer_out(self, handle: "Handle", endpoint: int, data: bytes, timeout_ms: int) -> int:
        size, sent = self.packets[endpoint], 0
        with self._changed:
            self._fail(endpoint)
            while True:
                self._wait(handle, endpoint, timeout_ms, self._has_room, partial=bool(sent))
                if not self._has_room():
                    break
                packet = data[sent : sent + size]
                self._arriving += packet
                sent += len(packet)
                if len(packet) < size or len(self._arriving) >= self.room:
                    self.transfers_out.append(len(self._arriving))
                    self._arrived += self._arriving
                    self._arriving.clear()
                if sent == len(data):
                    break
        self._tell()
        return sent

    def clear_halt(self, endpoint: int) -> None:
        with self._changed:
            self.calls.append(f"clear_halt {endpoint:#04x}")
            self._halted.discard(endpoint)

    def _has_room(self) -> bool:
        return self.takes_data and len(self._arrived) < self.room

    def _fail(self, endpoint: int) -> None:
        errors = self.next_errors.get(endpoint)
        if errors and self.present:
            number = errors.popleft()
            if number == errno.EPIPE:
                self._halted.add(endpoint)
            raise failed(number)

    def _wait(
        self, handle: "Handle", endpoint: int, timeout_ms: int, ready: Callable[[], bool], *, partial: bool
    ) -> None:
        """Wait until `ready`; raise what the host controller would. A time-out after some data raises nothing."""
        if self.address != handle.address or not self.present:
            raise failed(errno.ENODEV)

        def over() -> bool:
            return ready() or not self.present or endpoint in self._halted

        self.waiting[endpoint] += 1
        came = self._changed.wait_for(over, timeout_ms / 1000)
        self.waiting -= Counter([endpoint])
        if not came and not partial:
            raise failed(errno.ETIMEDOUT)
        if not self.present:
            raise failed(self._blocked)
        if endpoint in self._halted:
            raise failed(errno.EPIPE)

    def _tell(self) -> None:
        if self._wake is not None:
            self._wake()


class Handle:
    """An open device. It keeps the address at which it was opened."""

    def __init__(self, gadget: Gadget) -> None:
        self.gadget, self.address = gadget, gadget.address


class FakeBus(usb.backend.IBackend):  # type: ignore[misc]
    """A pyusb backend over gadgets; unplugged gadgets are not found."""

    def __init__(self, *gadgets: Gadget) -> None:
        super().__init__()
        self.gadgets = list(gadgets)
        self.open_handles = 0

    def enumerate_devices(self) -> Iterator[Gadget]:
        return iter([gadget for gadget in self.gadgets if gadget.present])

    def get_device_descriptor(self, dev: Gadget) -> Any:
        names = "bLength bDescriptorType bcdUSB bDeviceClass bDeviceSubClass bDeviceProtocol bMaxPacketSize0 idVendor"
        names += " idProduct bcdDevice iManufacturer iProduct iSerialNumber bNumConfigurations"
        place = {"bus": dev.bus, "address": dev.address, "port_number": dev.ports[-1], "port_numbers": dev.ports}
        return _fields(names, "<BBHBBBBHHHBBBB", dev.description.device, speed=3, **place)

    def get_configuration_descriptor(self, dev: Gadget, config: int) -> Any:
        if config:
            raise IndexError(config)
        names = "bLength bDescriptorType wTotalLength bNumInterfaces bConfigurationValue iConfiguration bmAttributes"
        return _fields(f"{names} bMaxPower", "<BBHBBBBB", dev.description.configuration[:9])

    def get_interface_descriptor(self, dev: Gadget, intf: int, alt: int, config: int) -> Any:
        if intf or alt or config:
            raise IndexError(intf)
        names = "bLength bDescriptorType bInterfaceNumber bAlternateSetting bNumEndpoints bInterfaceClass"
        names += " bInterfaceSubClass bInterfaceProtocol iInterface"
        return _fields(names, "<9B", dev.description.configuration[9:18])

    def get_endpoint_descriptor(self, dev: Gadget, ep: int, intf: int, alt: int, config: int) -> Any:
        names = "bLength bDescriptorType bEndpointAddress bmAttributes wMaxPacketSize bInterval"
        raw = dev.description.configuration[18 + 7 * ep : 25 + 7 * ep]
        return _fields(names, "<BBBBHB", raw, bRefresh=0, bSynchAddress=0)

    def open_device(self, dev: Gadget) -> Handle:
        if not dev.present:
            raise failed(errno.ENODEV)
        if dev.denied:
            raise failed(errno.EACCES)
        self.open_handles += 1
        return Handle(dev)

    def close_device(self, dev_handle: Handle) -> None:
        self.open_handles -= 1

    def get_configuration(self, dev_handle: Handle) -> int:
        return 1 if self._reach(dev_handle).configured else 0

    def set_configuration(self, dev_handle: Handle, config_value: int) -> None:
        gadget = self._reach(dev_handle)
        gadget.configured = True
        gadget.calls.append(f"set_configuration {config_value}")

    def set_interface_altsetting(self, dev_handle: Handle, intf: int, altsetting: int) -> None:
        self._reach(dev_handle).calls.append(f"set_interface_altsetting {intf} {altsetting}")

    def claim_interface(self, dev_handle: Handle, intf: int) -> None:
        gadget = self._reach(dev_handle)
        if gadget.claimed_by not in (None, dev_handle) or gadget.kernel_driver:
            raise failed(errno.EBUSY)
        gadget.claimed_by = dev_handle
        gadget.calls.append(f"claim {intf}")

    def release_interface(self, dev_handle: Handle, intf: int) -> None:
        gadget = self._reach(dev_handle)
        gadget.claimed_by = None
        gadget.calls.append(f"release {intf}")

    def is_kernel_driver_active(self, dev_handle: Handle, intf: int) -> bool:
        return self._reach(dev_handle).kernel_driver

    def detach_kernel_driver(self, dev_handle: Handle, intf: int) -> None:
        gadget = self._reach(dev_handle)
        gadget.kernel_driver = False
        gadget.calls.append(f"detach {intf}")

    def attach_kernel_driver(self, dev_handle: Handle, intf: int) -> None:
        gadget = self._reach(dev_handle)
        gadget.kernel_driver = True
        gadget.calls.append(f"attach {intf}")

    def bulk_write(self, dev_handle: Handle, ep: int, intf: int, data: "array[int]", timeout: int) -> int:
        gadget = self._reach(dev_handle)
        assert gadget.claimed_by is dev_handle
        return gadget.transfer_out(dev_handle, ep, data.tobytes(), timeout)

    def bulk_read(self, dev_handle: Handle, ep: int, intf: int, buff: "array[int]", timeout: int) -> int:
        gadget = self._reach(dev_handle)
        assert gadget.claimed_by is dev_handle
        data = gadget.transfer_in(dev_handle, ep, len(buff), timeout)
        buff[: len(data)] = array("B", data)
        return len(data)

    def intr_write(self, *_: Any) -> int:
        raise NotImplementedError

    def intr_read(self, *_: Any) -> int:
        raise NotImplementedError

    def ctrl_transfer(
        self, dev_handle: Handle, request_type: int, request: int, value: int, index: int, data: Any, timeout: int
    ) -> int:
        gadget = self._reach(dev_handle)
        answer = gadget.description.descriptor(value) if (request_type, request) == (0x80, 6) else None
        if answer is None:
            raise failed(errno.EPIPE)
        answer = answer[: len(data)]
        data[: len(answer)] = array("B", answer)
        return len(answer)

    def clear_halt(self, dev_handle: Handle, ep: int) -> None:
        self._reach(dev_handle).clear_halt(ep)

    def _reach(self, handle: Handle) -> Gadget:
        if not handle.gadget.present or handle.address != handle.gadget.address:
            raise failed(errno.ENODEV)
        return handle.gadget


def _fields(names: str, layout: str, raw: bytes, **more: Any) -> Any:
    values = dict(zip(names.split(), struct.unpack(layout, raw), strict=True))
    return SimpleNamespace(**values, extra_descriptors=[], **more)
