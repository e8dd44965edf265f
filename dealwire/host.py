"""Read-only checks of this machine: ports, USB devices, permissions."""

import importlib.metadata
import importlib.util
import os
import platform
import shlex
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

from dealwire.wireshark.folders import Installed, pieces
from devices.dialects.known import BUILT_IN, GROUP, dialect_named, dialect_names
from devices.extras import install_command
from devices.files import may
from devices.system import IS_POSIX
from protocol.errors import LocalError

Verdict = Literal["good", "note", "warning", "bad"]
"""`note`: neither good nor bad, such as an optional part that is not installed."""

OUR_PACKAGES: Final = ("protocol", "devices", "dealer_flow", "rules")


class Extra(NamedTuple):
    """An optional part of this program."""

    modules: tuple[str, ...]
    """Modules that it needs."""
    what: str

    @property
    def installed(self) -> bool:
        """True if all its modules are installed."""
        return all(importlib.util.find_spec(name) is not None for name in self.modules)


EXTRAS: Final[Mapping[str, Extra]] = {
    "console": Extra(("jinja2", "starlette", "h11", "uvicorn", "websockets"), "tables in a browser"),
    "journal": Extra(("cryptography",), "seals on the raw bytes of a journal"),
    "stamp": Extra(("rfc3161_client", "cryptography"), "a time stamp a day for a journal"),
    "mqtt": Extra(("aiomqtt",), "lines to an MQTT broker"),
    "metrics": Extra(("prometheus_client",), "metrics for Prometheus"),
    "odds": Extra(("numpy",), "exact odds, audits of pay tables"),
    "seal": Extra(("cryptography",), "sealed lines to devices"),
    "bench": Extra(("cryptography", "reportlab"), "signed acceptance reports, reports as PDF"),
    "rehearsal": Extra((), "simulated devices, dealers and players"),
    "people": Extra(("argon2", "webauthn", "joserfc"), "people who sign in by name, with passwords or passkeys"),
    "usb": Extra(("usb",), "devices with a vendor interface on USB"),
    "fleet": Extra(("aiomqtt", "psycopg"), "the lines of many tables in one database"),
    "sheet": Extra(("reportlab",), "dispute sheets as PDF"),
    "rich": Extra(("rich",), "tables drawn on a terminal, a bar of how far a count is"),
}
"""Optional parts by the name that `pip` knows."""


@dataclass(frozen=True, slots=True)
class HostFinding:
    """One check, its result, and the remedy."""

    check: str
    verdict: Verdict
    text: str
    remedy: str = ""


TTYS: Final = Path("/sys/class/tty")
CONSOLE: Final = "the system's own console"


def ports(folder: Path = TTYS) -> list[dict[str, str]]:
    """Return the serial ports of the system: name, description, USB identity if any. Skip names without a UART."""
    from serial.tools import list_ports

    return [
        {
            "name": port.device,
            "description": CONSOLE if _is_console(port.device, folder) else _described(port.description),
            "usb": f"{port.vid:04x}:{port.pid:04x}" if port.vid is not None else "",
            "serial": port.serial_number or "",
            "location": port.location or "",
        }
        for port in sorted(list_ports.comports())
        if _of_tty(port.device, "type", folder) != "0"
    ]


def _described(description: str | None) -> str:
    return description if description and description != "n/a" else ""


def _is_console(device: str, folder: Path) -> bool:
    return _of_tty(device, "console", folder) == "Y"


def _of_tty(device: str, what: str, folder: Path) -> str:
    """Return a sysfs attribute of a port; empty if there is none."""
    try:
        return (folder / Path(device).name / what).read_text().strip()
    except OSError:
        return ""


def usb_devices(backend: Any = None) -> list[dict[str, str]]:
    """Return USB devices except hubs, each with an address that opens it.

    Empty without pyusb and libusb (`doctor` says which is missing). Model and serial number need permission to open the
    device. `backend` is pyusb's, libusb by default.
    """
    if importlib.util.find_spec("usb") is None:
        return []
    import usb.core

    from devices.transport.usb_find import path_of

    try:
        devices = list(usb.core.find(find_all=True, backend=backend) or ())
    except (usb.core.NoBackendError, usb.core.USBError):
        return []
    found = [
        {"name": f"usb:{device.idVendor:04x}:{device.idProduct:04x}@{path_of(device)}", **_texts_of(device)}
        for device in devices
        if device.bDeviceClass != _HUB
    ]
    return sorted(found, key=lambda entry: entry["name"])


_HUB: Final = 9
"""Device class of a hub."""


def _texts_of(device: Any) -> dict[str, str]:
    """Return the texts of a USB device; empty texts if it has none or may not be opened."""
    import usb.core
    import usb.util

    try:
        return {"description": device.product or "", "serial": device.serial_number or ""}
    except (usb.core.USBError, ValueError, NotImplementedError):
        return {"description": "", "serial": ""}
    finally:
        usb.util.dispose_resources(device)


def check_all() -> Iterator[HostFinding]:
    """Yield every check, in the order in which to fix problems."""
    yield HostFinding("python", "good", f"Python {platform.python_version()} on {platform.system()}")
    if not IS_POSIX:
        yield HostFinding("system", "note", "no table can be served on this system", "docs/systems.md says what works")
    yield from _packages()
    yield from _names()
    yield _cobs()
    yield from _extras()
    yield from _dialects()
    yield from _libusb()
    yield from _ports()
    yield from latency_timers()
    yield from _modem_manager()
    yield of_wireshark()


def _packages() -> Iterator[HostFinding]:
    for package in ("pyserial", "construct", "transitions", "msgspec", "pydantic", "click"):
        try:
            yield HostFinding("package", "good", f"{package} {importlib.metadata.version(package)}")
        except importlib.metadata.PackageNotFoundError:
            yield HostFinding("package", "bad", f"{package} is not installed", install_command())


def _names() -> Iterator[HostFinding]:
    """Check that no other distribution has overwritten one of our packages. pip does not warn about that."""
    owners = importlib.metadata.packages_distributions()
    for name in OUR_PACKAGES:
        others = sorted(set(owners.get(name, ())) - {"dealwire"})
        if others:
            yield HostFinding(
                "names",
                "bad",
                f"the package '{name}' is also installed by {', '.join(others)}",
                f"pip uninstall {' '.join(others)}, or give dealwire an environment of its own",
            )
            return
    yield HostFinding("names", "good", f"{', '.join(OUR_PACKAGES)} belong to dealwire alone")


def _cobs() -> HostFinding:
    if importlib.util.find_spec("cobs.cobs._cobs_ext") is None:
        return HostFinding(
            "cobs", "warning", "cobs runs in plain Python, much slower", "install a C compiler, then reinstall cobs"
        )
    return HostFinding("cobs", "good", "cobs runs in C")


def _extras() -> Iterator[HostFinding]:
    for name, extra in EXTRAS.items():
        if extra.installed:
            yield HostFinding("extra", "good", f"{name} is installed: {extra.what}")
        else:
            yield HostFinding("extra", "note", f"{name} is not installed: {extra.what}", install_command(name))


def _dialects() -> Iterator[HostFinding]:
    """Yield the dialects: built-in ones, and those that other distributions add."""
    for name in dialect_names():
        if name in BUILT_IN:
            yield HostFinding("dialect", "good", f"{name} comes with dealwire")
            continue
        dists = [each.dist for each in importlib.metadata.entry_points(group=GROUP) if each.name == name]
        whence = ", ".join(f"{dist.name} {dist.version}" for dist in dists if dist is not None) or "nobody knows where"
        try:
            dialect_named(name)
        except LocalError as error:
            yield HostFinding("dialect", "warning", f"{error}, from {whence}", "update or uninstall what it comes from")
        else:
            yield HostFinding("dialect", "good", f"{name} from {whence}")


def has_libusb() -> bool:
    """True if pyusb finds libusb."""
    import usb.backend.libusb1

    return usb.backend.libusb1.get_backend() is not None


def _libusb() -> Iterator[HostFinding]:
    if not EXTRAS["usb"].installed:
        return
    if has_libusb():
        yield HostFinding("usb", "good", "pyusb with libusb")
    else:
        yield HostFinding("usb", "warning", "libusb was not found: no USB bulk devices", shlex.join(GET_LIBUSB))


GET_LIBUSB: Final = ("sudo", "apt-get", "install", "libusb-1.0-0")


def _ports() -> Iterator[HostFinding]:
    found = ports()
    if not found:
        yield HostFinding("ports", "warning", "no serial port found", "attach the device, or try: dealwire sim")
    for port in found:
        name = port["name"]
        if port["description"] == CONSOLE:
            yield HostFinding("ports", "good", f"{name} is {CONSOLE}: no device of a table is behind it")
            continue
        if not IS_POSIX or may(name, os.R_OK | os.W_OK):  # no modes there: a port is opened by whoever gets it first
            yield HostFinding("ports", "good", f"{name} may be opened")
            continue
        yield HostFinding("ports", "bad", f"{name} may not be opened", _to_open(Path(name)))


def _to_open(port: Path) -> str:
    """Return the command that gives this user access to a port: by its group, unless the group has no access or is
    root's own."""
    try:
        group, mode = port.group(), port.stat().st_mode
    except (OSError, KeyError, NotImplementedError):
        group, mode = "dialout", 0o660
    if group == "root" or mode & 0o060 != 0o060:
        return "no group may open it: dealwire doctor --udev prints a rule that lets one"
    return f"sudo usermod -aG {group} $USER, then log in again; or: dealwire doctor --udev"


def latency_timers(folder: Path = Path("/sys/bus/usb-serial/devices")) -> Iterator[HostFinding]:
    """Check FTDI latency timers: an adapter holds short frames back for up to its timer, 16 ms by default."""
    for timer in sorted(folder.glob("*/latency_timer")):
        try:
            waits_ms = int(timer.read_text())
        except (OSError, ValueError):
            continue
        name = timer.parent.name
        if waits_ms > 1:
            remedy = "dealwire doctor --udev prints a rule that sets it to 1"
            yield HostFinding("latency", "warning", f"{name} holds bytes back for up to {waits_ms} ms", remedy)
        else:
            yield HostFinding("latency", "good", f"{name} passes bytes on within {waits_ms} ms")


def _modem_manager() -> Iterator[HostFinding]:
    """Check for ModemManager, which probes new serial ports with modem commands and so disturbs a shuffler."""
    for entry in Path("/proc").glob("[0-9]*/comm"):
        try:
            running = entry.read_text().strip() == "ModemManager"
        except OSError:
            continue
        if running:
            yield HostFinding(
                "modemmanager",
                "warning",
                "ModemManager is running and may grab new ports",
                'add ENV{ID_MM_DEVICE_IGNORE}="1" to the udev rule of the device',
            )
            return
    yield HostFinding("modemmanager", "good", "ModemManager is not running")


def of_wireshark() -> HostFinding:
    """Check that the user's Wireshark has the dissector and interfaces of this version."""
    install = "dealwire wireshark install"
    found = pieces()
    states = {piece.state for piece in found}
    foreign = next((piece.path for piece in found if piece.state is Installed.FOREIGN), None)
    if foreign is not None:
        return HostFinding("wireshark", "warning", f"{foreign} is not a file of dealwire", f"move it away; {install}")
    if states == {Installed.CURRENT}:
        return HostFinding("wireshark", "good", "its dissector and its interfaces are those of this dealwire")
    if states != {Installed.ABSENT}:
        lacking = ", ".join(f"{piece.what}: {piece.state}" for piece in found if piece.state is not Installed.CURRENT)
        return HostFinding("wireshark", "warning", f"it has not what this dealwire has ({lacking})", install)
    if shutil.which("wireshark") or shutil.which("tshark"):
        return HostFinding("wireshark", "note", "it is here, without the dissector and the interfaces", install)
    return HostFinding("wireshark", "note", "Wireshark was not found, and need not be here")
