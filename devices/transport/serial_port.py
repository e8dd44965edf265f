"""A serial port. pyserial opens, locks and configures it; the owner's loop then reads its descriptor.

pyserial's own reads wait with `select` on five descriptors a port and cost a system call a byte, so none of them is
used. A pty whose other end closed behaves like an unplugged USB adapter: end of file or EIO on read, EIO on write.
"""

import contextlib
import errno
import os
import re
import stat
import warnings
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

import serial

from devices.transport.base import DescriptorLine, Transport
from devices.transport.threaded import ThreadedPort
from protocol.errors import LineAbsent, LineBusy, LineDenied, LineError, LineMute, LineUnusable

try:
    import termios

    # pyserial raises both; SerialException is an OSError.
    _FAILURES: tuple[type[Exception], ...] = (OSError, termios.error)
except ImportError:  # Windows
    _FAILURES = (OSError,)
_REFUSALS: tuple[type[Exception], ...] = (*_FAILURES, ValueError)


@dataclass(frozen=True, slots=True)
class SerialSettings:
    """Configuration of a port. `dtr` and `rts` are their levels once open; the system raises both by default."""

    baud: int = 115200
    parity: str = "N"
    stop_bits: int = 1
    dtr: bool = True
    rts: bool = True


class SerialPort(DescriptorLine):
    """An open port with a descriptor. The line owns the pyserial object, and with it the lock."""

    def __init__(self, port: serial.Serial, name: str) -> None:
        at = port.fileno()
        super().__init__(name, at, partial(os.read, at), partial(os.write, at), "the device hung up")
        self._port = port
        _settle(port)

    def close(self) -> None:
        """Release the port and its lock."""
        super().close()
        with contextlib.suppress(*_FAILURES):
            self._port.close()


def open_serial(device: str, settings: SerialSettings = SerialSettings(), *, name: str | None = None) -> Transport:
    """Open a device path or any pyserial URL, locked if possible.

    Raise LineAbsent, LineMute, LineBusy (with the process that has it), LineDenied (with the group that may use it) or
    LineUnusable.
    """
    name = name or device
    # pyserial's URL handlers start their threads with calls that Python 3.10 deprecated.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        try:
            port = _open_with_fallback(device, settings)
        except _REFUSALS as cause:
            raise _opening_error(device, name, cause) from cause
    if os.name == "posix" and isinstance(port, serial.Serial):
        return SerialPort(port, name)
    return ThreadedPort(port, name)


def _open_with_fallback(device: str, settings: SerialSettings) -> serial.Serial:
    """Open the port, if necessary without modem lines: a serial server without them never confirms their levels."""
    try:
        return _open(device, settings)
    except serial.SerialException as error:
        if not (_is_rfc2217(device) and _NO_MODEM_LINES in str(error)) or _WITHOUT_THEM in device:
            raise
    return _open(f"{device}{'&' if '?' in device else '?'}{_WITHOUT_THEM}", settings)


def _is_rfc2217(device: str) -> bool:
    return device.lower().startswith("rfc2217://")


def _open(device: str, settings: SerialSettings) -> serial.Serial:
    port = serial.serial_for_url(
        device,
        baudrate=settings.baud,
        parity=settings.parity,
        stopbits=settings.stop_bits,
        timeout=ThreadedPort.READ_TIMEOUT_S,
        do_not_open=True,
    )
    if isinstance(port, serial.Serial):
        port.exclusive = True
    # Before open: a level that is changed afterwards appears as a pulse, which resets some devices.
    port.dtr, port.rts = settings.dtr, settings.rts
    try:
        port.open()
    except BaseException:
        port.close()
        raise
    return port


def _settle(port: serial.Serial) -> None:
    """Distinguish "no data yet" from "hung up", keep DTR up at close, and request low latency from the adapter."""
    descriptor = port.fileno()
    attributes = termios.tcgetattr(descriptor)
    # With VMIN 0 a read of an idle port returns b"", like one of an unplugged port; with 1 it raises EAGAIN.
    attributes[6][termios.VMIN] = 1
    # Dropping DTR at close would cause an edge at the next open.
    attributes[2] &= ~termios.HUPCL
    termios.tcsetattr(descriptor, termios.TCSANOW, attributes)
    with contextlib.suppress(*_REFUSALS, NotImplementedError, AttributeError):
        port.set_low_latency_mode(True)


_NO_MODEM_LINES: Final = "timeout while waiting for option 'control'"
_NOT_TELNET: Final = "Remote does not seem to support RFC2217"
_UNCONFIRMED: Final = re.compile(r"waiting for option '(\w+)'|does not accept parameter change .*?(\w+):REQUESTED")
"""Text patterns of pyserial's errors about a serial server, which have no other form."""
_WITHOUT_THEM: Final = "ign_set_control"
"""pyserial's name for it in an address."""

_ABSENT: Final = {errno.ENOENT, errno.ENODEV, errno.ENXIO, errno.ECONNREFUSED, errno.EIO}
_BUSY: Final = {errno.EAGAIN, errno.EBUSY}
_DENIED: Final = {errno.EACCES, errno.EPERM}


def _opening_error(device: str, name: str, cause: Exception) -> LineError:
    number = getattr(cause, "errno", None)
    if number in _ABSENT:
        return LineAbsent(name, os.strerror(number))
    if number in _BUSY:
        return LineBusy(name, holder_of(device))
    if number in _DENIED:
        return LineDenied(name, remedy_for(device))
    if _is_rfc2217(device) and _NOT_TELNET in str(cause):
        return LineMute(
            name, "it accepts the connection but does not support RFC 2217; use tcp://HOST:PORT for raw bytes"
        )
    if _is_rfc2217(device) and (waited := _UNCONFIRMED.search(str(cause))) is not None:
        setting = waited[1] or waited[2]
        return LineMute(name, f"it supports RFC 2217 but does not confirm the setting {setting!r} of its port")
    # pyserial raises without errno for a URL's refused connection, a bad setting, and a file that is not a port.
    if "://" in device and isinstance(cause, serial.SerialException):
        return LineAbsent(name, str(cause))
    return LineUnusable(name, str(cause))


def holder_of(device: str) -> str | None:
    """Return the process that has the device open, such as `process 1234 (minicom)`; None if the system does not show
    it."""
    target = os.path.realpath(device)
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if any(os.path.realpath(link) == target for link in (folder / "fd").iterdir()):
                who = "this program" if int(folder.name) == os.getpid() else (folder / "comm").read_text().strip()
                return f"process {folder.name} ({who})"
        except OSError:
            continue
    return None


def remedy_for(device: str) -> str:
    """Return instructions for getting access to a device that is denied."""
    try:
        status = os.stat(device)
    except OSError:
        return "ask the administrator for access to its folder"
    if not status.st_mode & stat.S_IRGRP or not status.st_mode & stat.S_IWGRP:
        return f"only its owner has access (mode {stat.filemode(status.st_mode)}): ask the administrator"
    group = _group_name(status.st_gid)
    return f"it belongs to the group {group}: run `sudo usermod -aG {group} $USER`, then log in again"


def _group_name(number: int) -> str:
    import grp

    try:
        return grp.getgrgid(number).gr_name
    except KeyError:
        return str(number)
