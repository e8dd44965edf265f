"""Finding a port: by name, by the adapter's serial number, or by the USB socket it is plugged into.

A name such as `/dev/ttyUSB0` belongs to the adapter that was plugged in first. So a port that was opened once is
remembered by its adapter, and found by serial number, then by USB path, before its old name is trusted. If two match,
they are twins, and the program must not guess.
"""

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from devices.transport.base import Transport
from devices.transport.serial_port import SerialSettings, open_serial
from protocol.errors import LineAbsent, LineAmbiguous


class Port(Protocol):
    """A port as pyserial's `list_ports` describes it."""

    device: str
    vid: int | None
    pid: int | None
    serial_number: str | None
    location: str | None


@dataclass(frozen=True, slots=True)
class Adapter:
    """A USB adapter: its kind, its serial number if it has one, and its USB path such as `1-1.2`."""

    vid: int
    pid: int
    serial: str | None
    path: str | None

    @classmethod
    def of(cls, port: Port) -> "Adapter | None":
        """Return the adapter behind `port`; None if it is not on USB."""
        if port.vid is None or port.pid is None:
            return None
        return cls(port.vid, port.pid, port.serial_number or None, port.location or None)

    def is_like(self, other: "Adapter | None") -> bool:
        """Return True if both are the same adapter, as far as this can be known: by serial number, or by path without
        one."""
        if other is None or (self.vid, self.pid, self.serial) != (other.vid, other.pid, other.serial):
            return False
        return self.serial is not None or self.path == other.path


def attached() -> Sequence[Port]:
    """Return the machine's current ports."""
    from serial.tools import list_ports

    found: Iterable[Port] = list_ports.comports()
    return sorted(found, key=lambda port: port.device)


BY_SERIAL: Final = "serial-id"


class PortFinder:
    """Opener of one port, repeatedly, at its current location.

    `by` defines `sought`: `serial` is a name, `serial-id` a serial number, `serial-path` a USB path. Calling it returns
    an open line, or raises LineAbsent with the attached ports, LineAmbiguous with the twins, or an error of
    `open_serial`.
    """

    def __init__(
        self,
        line: str,
        by: str,
        sought: str,
        settings: SerialSettings | None = None,
        *,
        ports: Callable[[], Sequence[Port]] = attached,
    ) -> None:
        self._line, self._by, self._sought, self._ports = line, by, sought, ports
        self._settings = settings or SerialSettings()
        self._adapter: Adapter | None = None

    def __call__(self) -> Transport:
        """Find and open the port."""
        ports = self._ports()
        device = self.find(ports)
        try:
            line = open_serial(device, self._settings, name=self._line)
        except LineAbsent as error:
            raise LineAbsent(self._line, error.why + _there(ports)) from error.__cause__
        here = _port_at(device, ports)
        self._adapter = (Adapter.of(here) if here is not None else None) or self._adapter
        return line

    def find(self, ports: Sequence[Port]) -> str:
        """Return the name to open among `ports`."""
        if self._by == "serial":
            return self._by_name(ports)
        if self._by == BY_SERIAL:
            found = [port for port in ports if port.serial_number == self._sought]
        else:
            found = [port for port in ports if port.location and port.location.split(":")[0] == self._sought]
        if not found:
            what = "serial number" if self._by == BY_SERIAL else "USB path"
            raise LineAbsent(self._line, f"no port has the {what} {self._sought}{_there(ports)}")
        return self._only(found)

    def _by_name(self, ports: Sequence[Port]) -> str:
        known = self._adapter
        here = _port_at(self._sought, ports)
        if known is None or (here is not None and known.is_like(Adapter.of(here))):
            return self._sought
        found = [port for port in ports if known.is_like(Adapter.of(port))]
        if found:
            return self._only(found)
        if here is not None:
            raise LineAbsent(self._line, f"another device has this name now{_there(ports)}")
        return self._sought  # absent now: opening reports that, or succeeds if it just came back

    def _only(self, found: list[Port]) -> str:
        if len(found) > 1 and self._adapter is not None:
            found = [port for port in found if port.location == self._adapter.path] or found
        if len(found) > 1:
            raise LineAmbiguous(self._line, tuple(_describe(port) for port in found))
        return found[0].device


def _port_at(name: str, ports: Sequence[Port]) -> Port | None:
    real = os.path.realpath(name)
    return next((port for port in ports if port.device in (name, real)), None)


def _there(ports: Sequence[Port]) -> str:
    return f"; attached: {', '.join(_describe(port) for port in ports)}" if ports else ""


def _describe(port: Port) -> str:
    facts = [f"serial number {port.serial_number}"] if port.serial_number else []
    facts += [f"USB path {port.location}"] if port.location else []
    return f"{port.device} ({', '.join(facts)})" if facts else port.device
