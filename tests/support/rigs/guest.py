"""A whole computer with USB, in QEMU without any help of the host's hardware: a rig like umockdev's, with real drivers.

The guest sees the host's files read-only, so it runs this checkout with this Python. Devices of QEMU's own (a serial
adapter that ftdi_sio drives) are plugged in from outside, through QEMU's monitor; gadgets are made inside, by
`tests/hardware/guest_rig.py`.
"""

import contextlib
import json
import shutil
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from devices.transport.tcp import TcpLine
from tests.support.rigs.umockdev import ROOT, Rig

QEMU = "qemu-system-x86_64"
KERNEL = ROOT / "build/hardware"
"""Folder in which `.ci/guest-kernel` puts the kernel and the initramfs."""


def missing_for_guest() -> str:
    """Return the name of the part that the suite lacks; empty if everything is present."""
    if shutil.which(QEMU) is None:
        return QEMU
    return "" if (KERNEL / "initrd.gz").exists() else "a kernel for the guest"


class Monitor:
    """QEMU's own control socket (QMP)."""

    def __init__(self, connection: socket.socket) -> None:
        self._socket, self._lines = connection, connection.makefile("r")
        self._lines.readline()  # the greeting
        self.execute("qmp_capabilities")

    def execute(self, command: str, *, until: str = "", **arguments: Any) -> None:
        """Execute a command; wait for the event `until` as well."""
        self._socket.sendall(json.dumps({"execute": command, "arguments": arguments}).encode() + b"\n")
        wanted = {"return", until} - {""}
        while wanted:
            said = json.loads(self._lines.readline())
            assert "error" not in said, f"QEMU: {command}: {said['error']}"
            wanted -= {"return"} if "return" in said else {said.get("event", "")}

    def close(self) -> None:
        self._lines.close()
        self._socket.close()


class Guest(Rig):
    """The running guest. `boot_s` is the time from switching on until the rig answered, by the guest's own clock."""

    patience_s = 60.0

    def __init__(self, folder: Path) -> None:
        self.boot_s = 0.0
        self._console = folder / "console"
        self._adapters: dict[str, TcpLine | None] = {}
        with socket.socket(socket.AF_UNIX) as listener:
            self._monitor_path = folder / "monitor"
            listener.bind(str(self._monitor_path))
            listener.listen()
            listener.settimeout(self.patience_s)
            super().__init__(folder)
            connection, _ = listener.accept()
            connection.settimeout(self.patience_s)
            self.monitor = Monitor(connection)
        try:
            self.until(lambda: self.boot_s > 0)
        except BaseException:
            print(self.console())
            self.process.kill()
            raise

    def command(self, path: Path) -> tuple[str, ...]:
        words = f"console=ttyS0 quiet mitigations=off panic=-1 python={sys.executable} rig={ROOT}/tests/hardware/guest"
        host = "local,path=/,mount_tag=host,security_model=none,readonly=on,multidevs=remap"
        machine = "-accel tcg,thread=multi -machine q35 -cpu max -smp 2 -m 1024 -display none -no-reboot -nic none"
        ports = "-device virtio-serial-pci -device qemu-xhci,id=xhci"
        return (
            *(QEMU, *machine.split(), *ports.split()),
            *("-kernel", str(KERNEL / "vmlinuz"), "-initrd", str(KERNEL / "initrd.gz"), "-append", words),
            *("-virtfs", host, "-serial", f"file:{self._console}"),
            *("-chardev", "stdio,id=program,signal=off", "-device", "virtserialport,chardev=program,name=program"),
            *("-chardev", f"socket,id=rig,path={path}", "-device", "virtserialport,chardev=rig,name=rig"),
            *("-chardev", f"socket,id=monitor,path={self._monitor_path}", "-mon", "chardev=monitor,mode=control"),
        )

    def console(self) -> str:
        """Return the guest's last output: messages of its kernel, of the rig, and the program's errors."""
        return self._console.read_text(errors="replace")[-4000:] if self._console.exists() else ""

    def plug_ftdi(self, name: str, serial: str, *, port: str = "1") -> TcpLine:
        """Plug an FTDI adapter into a port of the guest; return the far end of its line."""
        with socket.create_server(("127.0.0.1", 0)) as listener:
            self.plug_ftdi_to(listener.getsockname(), name, serial, port=port)
            connection, _ = listener.accept()
        line = self._adapters[name] = TcpLine(connection, name)
        return line

    def plug_ftdi_to(self, device: tuple[str, int], name: str, serial: str, *, port: str = "1") -> None:
        """Plug in an FTDI adapter whose device listens at an address of the host."""
        address = {"type": "inet", "data": {"host": device[0], "port": str(device[1])}}
        backend = {"type": "socket", "data": {"addr": address, "server": False, "nodelay": True}}
        self.monitor.execute("chardev-add", id=f"line-{name}", backend=backend)
        facts = {"driver": "usb-serial", "chardev": f"line-{name}", "serial": serial, "bus": "xhci.0", "port": port}
        self.monitor.execute("device_add", id=name, **facts)
        self._adapters[name] = None

    def unplug_ftdi(self, name: str) -> None:
        """Pull the adapter out."""
        self.monitor.execute("device_del", id=name, until="DEVICE_DELETED")
        self.monitor.execute("chardev-remove", id=f"line-{name}")
        line = self._adapters.pop(name)
        if line is not None:
            line.close()

    def run_other(self, *argv: str) -> None:
        """Start another program in place of the one under test."""
        self.exit = None
        self.order("run", argv=[*argv])

    def run_program(self, *arguments: str) -> None:
        self.exit = None
        super().run_program(*arguments)

    def answer(self, *words: str) -> dict[str, Any]:
        """Send an order; return the program's next `open` or `error` report."""
        self.tell(*words)
        reports: list[dict[str, Any]] = []

        def answered() -> bool:
            reports.extend(report for report in self.said if report["what"] in ("open", "error"))
            return bool(reports)

        self.until(answered)
        self.said.remove(reports[0])
        return reports[0]

    def open_again(self, address: str, *, order: str = "open") -> None:
        """Open the address as soon as possible: names come and go while udev is at work, as they do on any computer."""
        end_ns = self.clock.now_ns() + int(self.patience_s * 1e9)
        while (report := self.answer(order, address))["what"] == "error":
            assert self.clock.now_ns() < end_ns, report
            assert report["kind"] == "LineAbsent", report
            self.owner.run(timeout_s=0.05)

    def refused_at_last(self, address: str, kind: str) -> None:
        """Check that opening is refused, once udev has noticed why."""
        end_ns = self.clock.now_ns() + int(self.patience_s * 1e9)
        while (report := self.answer("raw", address))["what"] == "open":
            assert self.clock.now_ns() < end_ns
            self.tell("close")
            self.wait("closed")
        assert report["kind"] == kind

    def reset(self) -> None:
        """Restore the state after booting: nothing plugged in, no program."""
        if self.exit is None:
            self.tell("end")
            self.owner.run(lambda: self.exit is not None, timeout_s=5.0)
        for name in list(self._adapters):
            self.unplug_ftdi(name)
        self.order("reset")
        self.obeyed()
        for member in self.owner.members[2:]:  # all but the two streams
            self.owner.remove(member)
            member.close()
        self.cables.clear()
        self.said.clear()
        self.failed = 0

    def close(self) -> None:
        """Switch the guest off; it must end without being killed."""
        self._socket.close()
        self.monitor.close()
        assert self.finish() == 0

    def _on_rig(self, fact: dict[str, Any]) -> None:
        if "ready" in fact:
            self.boot_s = float(fact["ready"])
        elif fact.get("out", "") in self.cables or "out" not in fact:
            super()._on_rig(fact)


@contextlib.contextmanager
def booted(folder: Path) -> Iterator[Guest]:
    """Boot a guest; it is switched off at the end."""
    guest = Guest(folder)
    try:
        yield guest
    finally:
        print(guest.console())
        guest.close()
