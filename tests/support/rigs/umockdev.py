"""The test's side of a rig: plugged devices, their bytes, and the reports of the program under test."""

import functools
import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable
from ctypes.util import find_library
from pathlib import Path
from typing import Any

import pytest

from devices.clock import SystemClock
from devices.line.loop import Owner
from devices.transport.base import LineClosed
from tests.support.rigs.lines import DeviceEnd
from tests.support.rigs.usb_descriptors import Description

ROOT = Path(__file__).parents[3]
SYSTEM_PYTHON = "/usr/bin/python3"
PATIENCE_S = 300.0
PROGRAM = (sys.executable, "-W", "error", "-m", "tests.devices.rigs.program")
"""Command of the program under test, to be started in the repository's root."""
DESCRIPTORS = (0x0100, 0x0200, 0x0300, 0x0301, 0x0302, 0x0303)


@functools.cache
def missing_for_rigs() -> str:
    """Return the first system package that the rigs lack; empty if all are present."""
    if not sys.platform.startswith("linux"):
        return "umockdev (Linux only)"
    if shutil.which("umockdev-wrapper") is None:
        return "umockdev"
    code = "import gi; gi.require_version('UMockdev', '1.0'); from gi.repository import UMockdev"
    if not Path(SYSTEM_PYTHON).exists() or subprocess.run([SYSTEM_PYTHON, "-c", code], capture_output=True).returncode:
        return "gir1.2-umockdev-1.0 and python3-gi"
    return "" if find_library("usb-1.0") else "libusb-1.0-0"


MISSING = missing_for_rigs()
needs_umockdev = pytest.mark.skipif(bool(MISSING), reason=f"{MISSING} not installed (apt install)")


class Stream:
    """A member of the owner: lines of JSON from a descriptor."""

    def __init__(self, descriptor: int, take: Callable[[dict[str, Any]], None]) -> None:
        self.next_deadline_ns = None
        self._descriptor: int | None = descriptor
        self._take, self._heard = take, b""

    def fileno(self) -> int | None:
        return self._descriptor

    def wants_write(self) -> bool:
        return False

    def set_wake(self, wake: Callable[[], None]) -> None: ...

    def on_writable(self, now_ns: int) -> None: ...

    def on_deadline(self, now_ns: int) -> None: ...

    def close(self) -> None:
        self._descriptor = None

    def on_readable(self, now_ns: int) -> None:
        assert self._descriptor is not None
        data = os.read(self._descriptor, 65536)
        if not data:
            self._descriptor = None
        *lines, self._heard = (self._heard + data).split(b"\n")
        for line in lines:
            self._take(json.loads(line))


class UsbCable:
    """Transport to a device in the rig; `kind` is `usb` or `tty`."""

    def __init__(self, rig: "Rig", kind: str, name: str) -> None:
        self.rig, self.kind, self.name = rig, kind, name
        self.arrived = bytearray()
        self.gone = False
        self._wake: Callable[[], None] | None = None

    def fileno(self) -> int | None:
        return None

    def on_ready(self, wake: Callable[[], None]) -> None:
        self._wake = wake

    def take(self, data: bytes) -> None:
        self.arrived += data
        if self._wake is not None:
            self._wake()

    def read(self) -> bytes:
        if self.gone:
            raise LineClosed(self.name, "unplugged")
        data = bytes(self.arrived)
        self.arrived.clear()
        return data

    def write(self, data: bytes) -> int:
        if self.gone:
            raise LineClosed(self.name, "unplugged")
        self.rig.order(f"{self.kind}_says", id=self.name, data=data.hex())
        return len(data)

    def close(self) -> None:
        self.gone = True


class RigTalk:
    """A process whose standard input and output are those of the program under test."""

    patience_s = PATIENCE_S
    """Longest wait for anything."""

    def __init__(self, *argv: str) -> None:
        self.clock = SystemClock()
        self.owner = Owner(self.clock)
        self.said: list[dict[str, Any]] = []
        """The program's reports that no test has taken yet."""
        self.process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT)
        assert self.process.stdout is not None
        self.owner.add(Stream(self.process.stdout.fileno(), self.said.append))

    def tell(self, *words: str) -> None:
        """Send an order to the program."""
        assert self.process.stdin is not None
        self.process.stdin.write(" ".join(words).encode() + b"\n")
        self.process.stdin.flush()

    def wait(self, what: str, **facts: Any) -> dict[str, Any]:
        """Return the program's next report of this kind; drop the ones before it."""
        found: list[dict[str, Any]] = []
        dropped: list[dict[str, Any]] = []

        def there() -> bool:
            while self.said and not found:
                report = self.said.pop(0)
                if report["what"] == what and all(str(value) in str(report[key]) for key, value in facts.items()):
                    found.append(report)
                elif report["what"] == "error" and what != "error":
                    pytest.fail(f"waited for {what}, the program reported: {report}")
                else:
                    dropped.append(report)
            return bool(found)

        assert self.owner.run(there, timeout_s=self.patience_s), f"no {what} {facts} in {dropped}"
        return found[0]

    def until(self, condition: Callable[[], bool]) -> None:
        assert self.owner.run(condition, timeout_s=self.patience_s), "nothing happened"

    def finish(self) -> int:
        """Wait for the process, which must have a reason to end; return its exit code."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        self.owner.close()
        try:
            return self.process.wait(self.patience_s)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise
        finally:
            self.process.stdout.close()


class Rig(RigTalk):
    """A testbed in a process of its own, the program under test as its child, and the devices' programs here."""

    def __init__(self, folder: Path) -> None:
        self.cables: dict[str, UsbCable] = {}
        self.exit: int | None = None
        self.failed = 0
        """Transfers that ended as `usb_fails` ordered."""
        self._ordered = self._done = 0
        path = folder / "rig"
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(path))
            listener.listen()
            listener.settimeout(self.patience_s)
            super().__init__(*self.command(path))
            self._socket, _ = listener.accept()
        self.owner.add(Stream(self._socket.fileno(), self._on_rig))

    def command(self, path: Path) -> tuple[str, ...]:
        """Return the command that starts the rig, which connects to the socket at `path` and takes orders from it."""
        return ("umockdev-wrapper", SYSTEM_PYTHON, str(ROOT / "tests/devices/rigs/umockdev_rig.py"), str(path))

    def order(self, do: str, **fields: Any) -> None:
        """Send an order to the rig, which carries out orders in sequence."""
        self._ordered += 1
        self._socket.sendall(json.dumps({"do": do, **fields}).encode() + b"\n")

    def obeyed(self) -> None:
        """Wait until the rig has carried out all its orders."""
        orders = self._ordered
        self.until(lambda: self._done >= orders)

    def plug_usb(self, name: str, description: Description, *, address: int, port: str = "1") -> UsbCable:
        raw = {value: found.hex() for value in DESCRIPTORS if (found := description.descriptor(value))}
        self.order(
            "plug_usb",
            id=name,
            address=address,
            port=port,
            raw=(description.device + description.configuration).hex(),
            descriptors=raw,
            packet=description.endpoints[0][2],
            vendor=f"{description.vendor:04x}",
            product=f"{description.product:04x}",
        )
        return self._cable("usb", name)

    def plug_tty(self, name: str, serial: str, *, tty: str, minor: int, address: int, port: str = "1") -> UsbCable:
        self.order("plug_tty", id=name, serial=serial, tty=tty, minor=minor, address=address, port=port)
        return self._cable("tty", name)

    def unplug(self, cable: UsbCable) -> None:
        cable.close()
        self.order(f"unplug_{cable.kind}", id=cable.name)

    def device_on(self, cable: UsbCable, **hello: Any) -> DeviceEnd:
        """Return a simulated shuffler's link at the far end of a cable, run by this side's owner."""
        from tests.support.rigs.lines import hello as greeting

        device = DeviceEnd(cable, self.clock, greeting(**hello))
        self.owner.add(device)
        device.start()
        return device

    def run_program(self, *arguments: str) -> None:
        self.order("run", argv=[*PROGRAM, *arguments])
        self.wait("started")

    def close(self) -> None:
        """End the program by its standard input, then the rig by its socket; both must end well."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        ended = self.owner.run(lambda: self.exit is not None, timeout_s=self.patience_s)
        self._socket.close()
        assert (ended, self.exit, self.finish()) == (True, 0, 0)

    def _cable(self, kind: str, name: str) -> UsbCable:
        cable = self.cables[name] = UsbCable(self, kind, name)
        self.obeyed()
        return cable

    def _on_rig(self, fact: dict[str, Any]) -> None:
        if "out" in fact:
            cable = self.cables[fact["out"]]
            if not cable.gone:
                cable.take(bytes.fromhex(fact["data"]))
        elif "exit" in fact:
            self.exit = fact["exit"]
        elif "failed" in fact:
            self.failed += 1
        elif "did" in fact:
            self._done += 1
