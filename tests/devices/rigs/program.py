"""The program under test in a rig: the real transports and sessions, controlled line by line.

It answers on standard output, one JSON object a line. Every method `do_ORDER` is an order, with words as arguments.
"""

import contextlib
import json
import os
import select
import sys
import threading
from pathlib import Path
from typing import Any

from devices.clock import Clock, ManualClock, SystemClock
from devices.dialects.shuffler import ShufflerDriver
from devices.drive.address import open_transport
from devices.events import Seen
from devices.line.loop import Owner
from devices.line.session import Session
from devices.transport.base import LineClosed, Transport
from protocol.errors import DealwireError, LineError
from protocol.tdp import HostLink
from protocol.tdp import messages as m


class Program:
    """A member of the owner that reads orders from standard input."""

    def __init__(self, owner: Owner, clock: Clock) -> None:
        self.owner, self.clock = owner, clock
        self.next_deadline_ns = None
        self.session: Session | None = None
        self.line: Transport | None = None
        self.recorder: Any = None
        self.ended = False
        self._heard = b""

    def say(self, what: str, **facts: Any) -> None:
        print(json.dumps({"what": what, **facts}), flush=True)

    # -------------------------------------------------------------- orders

    def do_find(self) -> None:
        import usb.core

        found = [f"{d.idVendor:04x}:{d.idProduct:04x} {d.address}" for d in usb.core.find(find_all=True)]
        self.say("found", devices=sorted(found))

    def do_ports(self) -> None:
        from serial.tools import list_ports

        ports = [[p.device, p.vid, p.pid, p.serial_number, p.location] for p in list_ports.comports() if p.vid]
        self.say("ports", ports=ports)

    def do_links(self) -> None:
        folder = Path("/dev/serial/by-id")
        names = os.listdir(folder) if folder.exists() else []
        self.say("links", links={str(folder / name): os.path.basename(os.readlink(folder / name)) for name in names})

    def do_show(self, file: str) -> None:
        """Report the content of a system file."""
        self.say("shown", text=Path(file).read_text().strip())

    def do_end(self) -> None:
        self.ended = True

    def do_open(self, address: str) -> None:
        self._session(open_transport(address))

    def do_record(self, file: str, address: str) -> None:
        import usb.backend.libusb1

        from devices.record.usb import UsbRecorder
        from devices.transport.usb_bulk import open_usb

        self.recorder = UsbRecorder(usb.backend.libusb1.get_backend(), file)
        self._session(open_usb(address, backend=self.recorder))

    def do_request(self) -> None:
        assert self.session is not None
        self.session.request(m.DispenseMessage(), lambda end: self.say("ended", how=type(end).__name__))

    def do_raw(self, address: str) -> None:
        self.line = open_transport(address)
        self.say("open")

    def do_flood(self) -> None:
        """Write until the line accepts no more."""
        assert self.line is not None
        total = 0
        while taken := self.line.write(bytes(65536)):
            total += taken
        self.say("full", total=total)

    def do_drain(self) -> None:
        """Read and write until the line is gone."""
        line = self._ready()
        for action in (line.read, lambda: line.write(b"x")):
            try:
                data = action()
                self.say("got", data=data.hex() if isinstance(data, bytes) else data)
            except LineClosed as error:
                self.say("gone", why=error.why)

    def do_read(self) -> None:
        line = self._ready()
        self.say("read", data=line.read().hex(), spoiled=getattr(line, "spoiled_transfers", 0))

    def do_write(self, data: str) -> None:
        assert self.line is not None
        self.say("wrote", count=self.line.write(bytes.fromhex(data)))

    def do_close(self) -> None:
        for held in (self.session, self.line, self.recorder):
            if held is not None:
                held.close()
        if self.session is not None:
            self.owner.remove(self.session)
        self.session = self.line = self.recorder = None
        self.say("closed", threads=threading.active_count())

    def _ready(self) -> Transport:
        """Return the line once it is ready."""
        assert self.line is not None
        descriptor = self.line.fileno()
        if descriptor is None:
            ready = threading.Event()
            self.line.on_ready(ready.set)
            ready.wait(300.0)
        else:
            select.select([descriptor], [], [], 300.0)
        return self.line

    def _session(self, line: Transport) -> None:
        link = HostLink(expects=m.DeviceClass.SHUFFLER, role=m.Role.OPERATE)
        self.session = Session("shuffler", line, link, ShufflerDriver(), self.clock, self.deliver)
        self.owner.add(self.session)
        self.session.start()
        self.say("open")

    def deliver(self, seen: Seen) -> None:
        self.say("seen", body=repr(seen.body), number=seen.number)

    # -------------------------------------------------------------- a member of the owner

    def fileno(self) -> int | None:
        return None if self.ended else 0

    def wants_write(self) -> bool:
        return False

    def set_wake(self, wake: Any) -> None: ...

    def on_writable(self, now_ns: int) -> None: ...

    def on_deadline(self, now_ns: int) -> None: ...

    def close(self) -> None: ...

    def on_readable(self, now_ns: int) -> None:
        data = os.read(0, 65536)
        self.ended = not data
        *lines, self._heard = (self._heard + data).split(b"\n")
        for line in lines:
            order, *words = line.decode().split()
            try:
                getattr(self, f"do_{order}")(*words)
            except (LineError, DealwireError) as error:
                self.say("error", kind=type(error).__name__, text=str(error))


def main() -> None:
    """Run the program. With an argument, a time, the clock is fixed at it."""
    clock = ManualClock(int(sys.argv[1])) if len(sys.argv) > 1 else SystemClock()
    owner = Owner(clock)
    program = Program(owner, clock)
    owner.add(program)
    program.say("started")
    owner.run(lambda: program.ended)
    with contextlib.suppress(BrokenPipeError):
        program.do_close()
    owner.close()
    sys.stdout.flush()


if __name__ == "__main__":
    main()
