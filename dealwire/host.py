"""What this machine has: ports, USB devices, and whether a program may use them. Read-only."""

import importlib.metadata
import importlib.util
import os
import platform
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

Verdict = Literal["good", "warning", "bad"]

OUR_PACKAGES: Final = ("protocol", "devices", "dealer_flow", "rules")


@dataclass(frozen=True, slots=True)
class HostFinding:
    """One thing that was looked at, and what to do about it."""

    check: str
    verdict: Verdict
    text: str
    remedy: str = ""


def ports() -> list[dict[str, str]]:
    """Serial ports as the system lists them: name, description, USB identity where there is one."""
    from serial.tools import list_ports

    return [
        {
            "name": port.device,
            "description": port.description if port.description != "n/a" else "",
            "usb": f"{port.vid:04x}:{port.pid:04x}" if port.vid is not None else "",
            "serial": port.serial_number or "",
            "location": port.location or "",
        }
        for port in sorted(list_ports.comports())
    ]


def usb_devices(backend: Any = None) -> list[dict[str, str]]:
    """USB devices but hubs, each by an address that opens it; empty without pyusb and libusb (`doctor` says which).

    Model and serial number are there when this program may open the device. `backend` is pyusb's, libusb by default.
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
    """What a USB device calls itself; empty texts when it says nothing, or may not be asked."""
    import usb.core
    import usb.util

    try:
        return {"description": device.product or "", "serial": device.serial_number or ""}
    except (usb.core.USBError, ValueError, NotImplementedError):
        return {"description": "", "serial": ""}
    finally:
        usb.util.dispose_resources(device)


def check_all() -> Iterator[HostFinding]:
    """Every check, in the order a person would fix things."""
    yield HostFinding("python", "good", f"Python {platform.python_version()} on {platform.system()}")
    yield from _packages()
    yield from _names()
    yield _cobs()
    yield _usb()
    yield from _ports()
    yield from latency_timers()
    yield from _modem_manager()


def _packages() -> Iterator[HostFinding]:
    for package in ("pyserial", "construct", "transitions", "msgspec", "pydantic", "click"):
        try:
            yield HostFinding("package", "good", f"{package} {importlib.metadata.version(package)}")
        except importlib.metadata.PackageNotFoundError:
            yield HostFinding("package", "bad", f"{package} is not installed", "pip install dealwire")


def _names() -> Iterator[HostFinding]:
    """Another distribution may install a package of the same name over ours, and pip says nothing."""
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


def _usb() -> HostFinding:
    if importlib.util.find_spec("usb") is None:
        return HostFinding(
            "usb", "warning", "pyusb is not installed: no USB bulk devices", "pip install 'dealwire[usb]'"
        )
    import usb.backend.libusb1

    if usb.backend.libusb1.get_backend() is None:
        return HostFinding("usb", "warning", "libusb was not found: no USB bulk devices", "apt install libusb-1.0-0")
    return HostFinding("usb", "good", "pyusb with libusb")


def _ports() -> Iterator[HostFinding]:
    found = ports()
    if not found:
        yield HostFinding("ports", "warning", "no serial port found", "attach the device, or try: dealwire sim")
    for port in found:
        name = port["name"]
        if os.access(name, os.R_OK | os.W_OK):
            yield HostFinding("ports", "good", f"{name} may be opened")
            continue
        group = Path(name).group() if Path(name).exists() else "dialout"
        yield HostFinding(
            "ports",
            "bad",
            f"{name} may not be opened",
            f"sudo usermod -aG {group} $USER, then log in again; or: dealwire doctor --udev",
        )


def latency_timers(folder: Path = Path("/sys/bus/usb-serial/devices")) -> Iterator[HostFinding]:
    """An FTDI adapter holds short frames back for up to its latency timer, 16 ms unless somebody lowered it."""
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
    """ModemManager probes new serial ports with modem commands, which a shuffler answers with noise at best."""
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
