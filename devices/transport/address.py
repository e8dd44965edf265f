"""The address of a line, as a person writes it."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final
from urllib.parse import SplitResult, parse_qs, urlsplit

from devices.transport.base import Transport
from protocol.errors import LineUnusable

if TYPE_CHECKING:
    from devices.transport.serial_port import SerialSettings

FORMS = (
    "serial:///dev/ttyUSB0?baud=115200",
    "/dev/ttyUSB0",
    "tcp://host:port",
    "rfc2217://host:port",
    "usb:VID:PID[:SERIAL]",
    "usb:VID:PID@BUS-PORT.PORT",
    "any other pyserial URL",
)
"""What `open_transport` takes."""


def open_transport(address: str, *, baud: int = 115200) -> Transport:
    """Open the line at `address`; a LineError says in one line what is wrong. `baud` is for an address without one.

    Settings of a `serial:` address: baud, parity (N, E or O), stop (1 or 2), dtr and rts (0 or 1).
    """
    parts = urlsplit(address)
    if parts.scheme == "tcp":
        from devices.transport.tcp import open_tcp

        return open_tcp(*_host_and_port(address, parts))
    if parts.scheme == "usb":
        return _open_usb(address)
    from devices.transport.serial_port import open_serial

    if parts.scheme == "serial":
        return open_serial(parts.netloc + parts.path, _settings(address, parts.query, baud), name=address)
    if not address:
        raise LineUnusable("(empty address)", f"write one of: {', '.join(FORMS)}")
    return open_serial(address, _settings(address, "", baud))


def _open_usb(address: str) -> Transport:
    try:
        from devices.transport.usb_bulk import open_usb
    except ModuleNotFoundError as cause:
        raise LineUnusable(address, "pyusb is not installed: pip install 'dealwire[usb]'") from cause
    return open_usb(address)


def _host_and_port(address: str, parts: SplitResult) -> tuple[str, int]:
    try:
        if parts.hostname and parts.port:
            return parts.hostname, parts.port
    except ValueError:
        pass
    raise LineUnusable(address, "write tcp://host:port, with a port from 1 to 65535")


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
"""Key in the address -> field of the settings, and its value for each text that is allowed."""


def baud_of(address: str, *, baud: int = 115200) -> int:
    """The baud rate written in `address`, else `baud`."""
    written = parse_qs(urlsplit(address).query).get("baud", [""])[-1]
    return int(written) if written.isdecimal() else baud


def short_name(address: str) -> str:
    """The address without scheme, folders and settings: tells lines apart in a recording that others will read."""
    parts = urlsplit(address)
    return parts.netloc or parts.path.removeprefix("/dev/")
