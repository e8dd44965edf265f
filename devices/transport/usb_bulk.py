"""A device with a USB vendor interface: bulk transfers in each direction, carried by libusb through pyusb.

A bulk pipe is a stream of packets. A read is exactly one packet long, so that it ends with that packet: a device that
forgets the empty packet after a full one delays nothing, and nothing it sends can overflow the buffer. A write that
fills its last packet is ended by an empty one, because the device may read larger pieces and would wait for more.

Four errors that libusb reports alike are distinguished:

- a timeout means that the other side has no data, or no room: the line continues
- a stall (EPIPE) or an overrun (EOVERFLOW) destroys one transfer: the stall is cleared and the line continues, unless
  no transfer succeeds in between
- ENODEV and EIO end the line: a pulled plug yields either
"""

import contextlib
import errno
import logging
from typing import Any, Final

import usb.core
import usb.util

from devices.transport.threaded import ThreadedLine
from devices.transport.usb_find import Pipes, find_pipes, find_usb, opening_error, parse_usb, unconfigured
from protocol.errors import LineError

_log = logging.getLogger(__name__)


class UsbBulk(ThreadedLine):
    """An open device with its interface claimed. The line owns the pyusb device and two threads."""

    TIMEOUT_MS: Final = 100
    """Timeout of one transfer: the most that closing waits for each thread."""
    WRITE_SIZE: Final = 16384
    """Maximum size of one outgoing transfer: as much as libusb hands to the system in one piece."""
    FAULTS_MAX: Final = 3
    """Number of failed transfers in a row, on one endpoint, that end the line."""

    def __init__(self, device: Any, pipes: Pipes, name: str, *, detached: bool = False) -> None:
        super().__init__(name)
        self.spoiled_transfers = 0
        """Number of transfers that the device stalled or overran. Their bytes are lost, like bytes hit by noise on
        other lines."""
        self._device, self._pipes, self._detached = device, pipes, detached
        self._in_a_row = {pipes.bulk_in: 0, pipes.bulk_out: 0}
        self._begin()

    def _receive(self) -> bytes:
        endpoint = self._pipes.bulk_in
        try:
            data = bytes(self._device.read(endpoint, self._pipes.in_packet, self.TIMEOUT_MS))
        except usb.core.USBTimeoutError:
            return b""
        except usb.core.USBError as error:
            self._recover(endpoint, error)
            return b""
        self._in_a_row[endpoint] = 0
        return data

    def _send(self, data: bytes) -> None:
        for start in range(0, len(data), self.WRITE_SIZE):
            self._transfer(data[start : start + self.WRITE_SIZE])
        if len(data) % self._pipes.out_packet == 0:
            self._transfer(b"")

    def _transfer(self, piece: bytes) -> None:
        endpoint = self._pipes.bulk_out
        while not self._closing:
            try:
                taken = self._device.write(endpoint, piece, self.TIMEOUT_MS)
            except usb.core.USBTimeoutError:
                continue  # no byte was sent: unlike a serial port's, this timeout is exact
            except usb.core.USBError as error:
                self._recover(endpoint, error)
                return
            self._in_a_row[endpoint] = 0
            piece = piece[taken:]
            if not piece:
                return

    def _recover(self, endpoint: int, error: usb.core.USBError) -> None:
        """Return if the line can be used after `error`; otherwise raise it."""
        if error.errno not in (errno.EPIPE, errno.EOVERFLOW):
            raise error
        self.spoiled_transfers += 1
        self._in_a_row[endpoint] += 1
        if self._in_a_row[endpoint] >= self.FAULTS_MAX:
            raise error
        if error.errno == errno.EPIPE:
            self._device.clear_halt(endpoint)

    def _release(self) -> None:
        for thread in (self._reader, self._writer):
            thread.join(self.JOIN_S)
        if self._reader.is_alive() or self._writer.is_alive():
            # libusb crashes if a handle is closed during a transfer, so the handle is leaked instead.
            _log.error("%s: a transfer is stuck; the device stays open until the program ends", self.name)
            return
        with contextlib.suppress(usb.core.USBError):
            usb.util.release_interface(self._device, self._pipes.interface)
        _reattach(self._device, self._pipes.interface, self._detached)

    def _explain(self, cause: Exception) -> str:
        number = getattr(cause, "errno", None)
        if number in (errno.ENODEV, errno.ESHUTDOWN):
            return "unplugged"
        if number == errno.EIO:
            return "unplugged, or a bad cable: transfers fail"
        if number == errno.EPIPE:
            return f"the device stalled {self.FAULTS_MAX} transfers in a row"
        if number == errno.EOVERFLOW:
            return f"the device sent packets longer than it declares, {self.FAULTS_MAX} in a row"
        return str(getattr(cause, "strerror", None) or cause)


def open_usb(address: str, *, backend: Any = None) -> UsbBulk:
    """Open `usb:VID:PID`, `usb:VID:PID:SERIAL` or `usb:VID:PID@BUS-PORT.PORT`. `backend` is pyusb's, libusb by default.

    Raise LineAbsent, LineAmbiguous, LineBusy (with the process that has it), LineDenied (with the udev rule) or
    LineUnusable.
    """
    wanted = parse_usb(address)
    device = find_usb(wanted, backend)
    detached, pipes = False, None
    try:
        pipes = find_pipes(wanted, _configuration(device))
        detached = _detach(device, pipes.interface)
        usb.util.claim_interface(device, pipes.interface)
    except (usb.core.USBError, NotImplementedError, LineError) as cause:
        _reattach(device, pipes.interface if pipes else 0, detached)
        if isinstance(cause, LineError):
            raise
        raise opening_error(wanted, device, cause) from cause
    return UsbBulk(device, pipes, address, detached=detached)


def _configuration(device: Any) -> Any:
    """Return the active configuration. One that is already set is left alone, because setting it again resets the
    device."""
    try:
        return device.get_active_configuration()
    except usb.core.USBError as error:
        if not unconfigured(error):
            raise
        device.set_configuration()
        return device.get_active_configuration()


def _detach(device: Any, interface: int) -> bool:
    """Detach the interface from a system driver. Return True if there was one, to be attached again later."""
    try:
        active = device.is_kernel_driver_active(interface)
    except (usb.core.USBError, NotImplementedError):  # not available on this system
        return False
    if active:
        device.detach_kernel_driver(interface)
    return bool(active)


def _reattach(device: Any, interface: int, detached: bool) -> None:
    if detached:
        with contextlib.suppress(usb.core.USBError, NotImplementedError):
            device.attach_kernel_driver(interface)
    usb.util.dispose_resources(device)
