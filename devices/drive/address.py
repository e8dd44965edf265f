"""Addresses of lines, as users write them."""

import importlib.util
import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final
from urllib.parse import SplitResult, parse_qs, urlsplit

from devices.files import check_kind
from devices.record.recording import LineKeeper, Recorded
from devices.transport.base import Transport
from devices.transport.opening import Opener
from protocol.errors import LineUnusable

if TYPE_CHECKING:
    from devices.clock import Clock
    from devices.transport.finding import PortFinder
    from devices.transport.serial_port import SerialSettings

FORMS = (
    "serial:///dev/ttyUSB0?baud=115200",
    "/dev/ttyUSB0",
    "serial-id:SERIAL",
    "serial-path:1-1.2",
    "tcp://host:port",
    "tls://host:port?ca=FILE",
    "rfc2217://host:port",
    "sim:shuffler?seed=1",
    "replay:FILE#LINE",
    "usb:VID:PID[:SERIAL]",
    "usb:VID:PID@BUS-PORT.PORT",
    "any other pyserial URL",
)
"""Address forms that `open_transport` accepts."""

_ANY_OF: Final = f"use one of: {', '.join(FORMS)}"

_BARE: Final = re.compile(r"/.|COM\d+$|\\\\\.\\")
"""Start of an address without a scheme: an absolute path, or a Windows port."""

PORTS: Final = ("", "serial", "serial-id", "serial-path")
"""Schemes of a port of this machine."""

AT_ONCE: Final = ("replay", "usb")
"""Schemes of other lines that open without blocking."""


def line_at(address: str, clock: "Clock | None" = None, *, baud: int = 115200) -> Opener:
    """Return an opener for the line at `address` that can be used repeatedly.

    A port that comes back under another name is found by what the first open learned about its adapter. `clock` is for
    lines whose reads depend on time.
    """
    parts = urlsplit(address)
    if address and parts.scheme in PORTS:
        return Opener(_port(address, parts, baud))
    if parts.scheme == "sim":
        from devices.simulator.line import SimulatedDevice

        return Opener(SimulatedDevice(address, clock).open)
    return Opener(
        lambda: open_transport(address, clock, baud=baud),
        may_wait=parts.scheme not in AT_ONCE,
        final=parts.scheme == "replay",
    )


def open_transport(address: str, clock: "Clock | None" = None, *, baud: int = 115200) -> Transport:
    """Open the line at `address`. A LineError explains a failure in one line. `baud` applies to an address without one.

    Settings in a port's address: baud, parity (N, E or O), stop (1 or 2), dtr and rts (0 or 1). Those of a simulated
    device are in `docs/simulator.md`.
    """
    parts = urlsplit(address)
    if address and parts.scheme in (*PORTS, "sim"):
        return line_at(address, clock, baud=baud).open()
    if parts.scheme == "replay":
        from devices.drive.replay import open_replay

        return open_replay(address, clock)
    if parts.scheme == "tcp":
        from devices.transport.tcp import open_tcp

        return open_tcp(*_host_and_port(address, parts))
    if parts.scheme == "tls":
        from devices.transport.tls import open_tls

        return open_tls(address)
    if parts.scheme == "usb":
        return _usb(address)[1](address)
    from devices.transport.serial_port import open_serial

    if not address:
        raise LineUnusable("(empty address)", _ANY_OF)
    return open_serial(address, _settings(address, "", baud))


def check_address(address: str) -> None:
    """Raise LineUnusable if `address` is not the address of a line, as far as this is known without opening it."""
    try:
        parts = urlsplit(address)
        scheme, number = parts.scheme, parts.port if parts.scheme == "rfc2217" else 0
    except ValueError as error:
        raise LineUnusable(address, f"{error}; {_ANY_OF}") from None
    if scheme in PORTS:
        if not (_BARE.match(address) if not scheme else parts.netloc + parts.path):
            raise LineUnusable(address, _ANY_OF)
        _settings(address, parts.query if scheme else "", 0)
    elif scheme == "sim":
        from devices.simulator.line import kind_at

        kind_at(address)
    elif scheme == "tcp":
        _host_and_port(address, parts)
    elif scheme == "tls":
        from devices.transport.tls import parse_tls

        parse_tls(address)
    elif scheme == "rfc2217" and not (parts.hostname and number):
        raise LineUnusable(address, "use rfc2217://host:port, with a port from 1 to 65535")
    elif scheme == "replay":
        _check_recording(address)
    elif scheme == "usb":
        _usb(address)[0](address)
    elif importlib.util.find_spec(f"serial.urlhandler.protocol_{scheme}") is None:
        raise LineUnusable(address, f"unknown kind of address: {scheme!r}; {_ANY_OF}")


def _check_recording(address: str) -> None:
    path = address.removeprefix("replay:").partition("#")[0]
    try:
        check_kind(path)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else "not a valid file name"
        raise LineUnusable(address, f"{path}: {why}") from None


def _port(address: str, parts: SplitResult, baud: int) -> "PortFinder":
    from devices.transport.finding import PortFinder

    if not parts.scheme:
        return PortFinder(address, "serial", address, _settings(address, "", baud))
    return PortFinder(address, parts.scheme, parts.netloc + parts.path, _settings(address, parts.query, baud))


def _usb(address: str) -> tuple[Callable[[str], object], Callable[[str], Transport]]:
    """Return the parser of a USB address, and the function that opens one."""
    try:
        from devices.transport.usb_bulk import open_usb
        from devices.transport.usb_find import parse_usb
    except ModuleNotFoundError as cause:
        from devices.extras import install_command

        raise LineUnusable(address, f"pyusb is not installed: {install_command('usb')}") from cause
    return parse_usb, open_usb


def _host_and_port(address: str, parts: SplitResult) -> tuple[str, int]:
    try:
        if parts.hostname and parts.port:
            return parts.hostname, parts.port
    except ValueError:
        pass
    raise LineUnusable(address, "use tcp://host:port, with a port from 1 to 65535")


def _settings(address: str, query: str, baud: int) -> "SerialSettings":
    from devices.transport.serial_port import SerialSettings

    values: dict[str, int | str | bool] = {"baud": baud}
    for key, (value, *more) in parse_qs(query, keep_blank_values=True).items():
        known = _CHOICES.get(key)
        if key == "baud" and value.isdecimal() and int(value) > 0 and not more:
            values["baud"] = int(value)
        elif known is not None and value in known[1] and not more:
            values[known[0]] = known[1][value]
        else:
            allowed = "; ".join(f"{name}={'|'.join(of)}" for name, (_, of) in _CHOICES.items())
            raise LineUnusable(address, f"setting {key}={value!r}; allowed: baud=NUMBER; {allowed}")
    return SerialSettings(**values)  # type: ignore[arg-type]  # each value was checked against its key above


_SWITCH: Final = {"0": False, "1": True}
_CHOICES: Final[dict[str, tuple[str, Mapping[str, int | str | bool]]]] = {
    "parity": ("parity", {letter: letter for letter in "NEO"}),
    "stop": ("stop_bits", {"1": 1, "2": 2}),
    "dtr": ("dtr", _SWITCH),
    "rts": ("rts", _SWITCH),
}
"""Setting by its key in the address: the field, and its value for each allowed text."""


def baud_of(address: str, *, baud: int = 115200) -> int:
    """Return the baud rate in `address`, else `baud`."""
    written = parse_qs(urlsplit(address).query).get("baud", [""])[-1]
    return int(written) if written.isdecimal() else baud


def short_name(address: str) -> str:
    """Return the address without scheme, folders and settings. It identifies a line in a recording that others will
    read."""
    parts = urlsplit(address)
    return parts.netloc or parts.path.removeprefix("/dev/")


def recorder(
    writer: LineKeeper, name: str, *, device: str, dialect: str, baud: int, address: str, clock: "Clock"
) -> Callable[[Transport], Transport]:
    """Return a function that wraps a transport of the line at `address` in a recorder.

    All transports of the line are recorded to one interface. `baud` applies to an address without one.
    """
    line, baud = short_name(address), baud_of(address, baud=baud)
    interface = writer.interface(name, device=device, dialect=dialect, line=line, baud=baud)
    return lambda transport: Recorded(transport, writer, interface, clock)
