"""Every kind of line as a test can break it: a wire between one simulated device and the host's opener.

A `Wire` offers the same faults for every kind of line. `Device` is a real device link that survives its wire, and
`Bench` runs both ends and the supervisor on a clock that only the test moves. Where threads carry the bytes, the bench
waits for them in real time before it moves the clock.
"""

from __future__ import annotations

import contextlib
import os
import socket
import threading
import time
import tty
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final, Protocol

import serial.rfc2217

from devices.clock import ManualClock
from devices.dialects.shuffler import ShufflerDriver
from devices.drive.address import line_at
from devices.events import LinkLost, LinkUp, Seen
from devices.line.loop import Owner
from devices.line.supervisor import LineState, Supervisor
from devices.transport.base import LineClosed, Transport
from devices.transport.finding import PortFinder
from devices.transport.memory import memory_pair
from devices.transport.opening import Opener
from devices.transport.usb_bulk import open_usb
from protocol.errors import LineAbsent
from protocol.tdp import Commanded, DeviceLink, EventStore, HostLink, Opened, Send
from protocol.tdp import messages as m
from tests.support.rigs.lines import hello
from tests.support.rigs.ports import free_port
from tests.support.rigs.usb_backend import FakeBus, Gadget
from tests.support.rigs.usb_descriptors import Description

SECOND: Final = 1_000_000_000
SETTLE_S: Final = 0.010
"""Real time without a wake-up after which threads count as having delivered everything."""
HANDED_ON_S: Final = 0.003
"""The same for a terminal's bytes, which a thread of the kernel delivers when it gets a processor."""


class Wire(Protocol):
    """One kind of line. It starts plugged in."""

    kind: str
    opener: Opener

    def device_end(self) -> Transport | None:
        """Return the device's end of the plugged line; None while it is unplugged."""
        ...

    def unplug(self) -> None:
        """Pull the plug, so that the host notices."""
        ...

    def plug(self, *, renamed: bool = False) -> None:
        """Plug in; `renamed`: under another name than before, for lines that have names."""
        ...

    def freeze(self) -> None:
        """Cut the line silently: the host's end stays open, but nothing gets through."""
        ...

    def twin(self) -> None:
        """Let a second device answer at the address from now on."""
        ...

    def untwin(self) -> None:
        """Remove the second device."""
        ...

    def close(self) -> None:
        """Release everything."""
        ...


# ------------------------------------------------------------------ memory


class MemoryWire:
    """A line in memory, without the kernel."""

    kind = "memory"

    def __init__(self, clock: ManualClock, folder: Path) -> None:
        self._clock, self._plugged = clock, True
        self.opener = Opener(self._open)
        self._pair: tuple[Any, Any] | None = None
        self.opened = 0

    def _open(self) -> Transport:
        if not self._plugged:
            raise LineAbsent("memory", "unplugged")
        self.opened += 1
        self._pair = memory_pair(self._clock)
        return self._pair[0]

    def device_end(self) -> Transport | None:
        return self._pair[1] if self._pair and self._plugged else None

    def unplug(self) -> None:
        self._plugged = False
        if self._pair:
            self._pair[0].unplug()

    def plug(self, *, renamed: bool = False) -> None:
        self._plugged = True

    def freeze(self) -> None:
        self._pair = None

    def twin(self) -> None: ...

    def untwin(self) -> None: ...

    def close(self) -> None:
        self.unplug()


# ------------------------------------------------------------------ serial


@dataclass
class ListedPort:
    """An adapter as the system lists it."""

    device: str
    serial_number: str | None = "A5XK"
    location: str | None = "1-1.2"
    vid: int | None = 0x0403
    pid: int | None = 0x6001


class PtyMaster:
    """A device's end of a pseudo-terminal."""

    def __init__(self) -> None:
        self.master, self.slave = os.openpty()
        tty.setraw(self.slave)
        os.set_blocking(self.master, False)
        self.name = os.ttyname(self.slave)

    def fileno(self) -> int | None:
        return self.master if self.master >= 0 else None

    def on_ready(self, wake: Callable[[], None]) -> None: ...

    def read(self) -> bytes:
        if self.master < 0:
            raise LineClosed(self.name, "unplugged")
        with contextlib.suppress(BlockingIOError):
            return os.read(self.master, 65536)
        return b""

    def write(self, data: bytes) -> int:
        if self.master < 0:
            raise LineClosed(self.name, "unplugged")
        with contextlib.suppress(BlockingIOError):
            return os.write(self.master, data)
        return 0

    def close(self) -> None:
        master, self.master = self.master, -1
        if master >= 0:
            os.close(self.slave)
            os.close(master)


class SerialWire:
    """A pseudo-terminal, found by the serial number of the adapter that the system lists with it."""

    kind = "serial"

    def __init__(self, clock: ManualClock, folder: Path) -> None:
        self._end = PtyMaster()
        self._frozen: list[PtyMaster] = []
        self.ports = [ListedPort(self._end.name)]
        self.opener = Opener(PortFinder("serial-id:A5XK", "serial-id", "A5XK", ports=lambda: list(self.ports)))

    def device_end(self) -> Transport | None:
        return self._end if self._end.fileno() is not None else None

    def unplug(self) -> None:
        self.ports.clear()
        self._end.close()

    def plug(self, *, renamed: bool = False) -> None:
        before = self._end.name
        # The system reuses a free number: hold it, so that the next terminal has another name.
        held = PtyMaster() if renamed else None
        self._end = PtyMaster()
        if held is not None:
            held.close()
            assert self._end.name != before
        self.ports[:] = [ListedPort(self._end.name)]

    def freeze(self) -> None:
        self._frozen.append(self._end)
        self.plug()

    def twin(self) -> None:
        self.ports[:] = [ListedPort("/dev/ttyNONE1", location="1-1.3"), ListedPort("/dev/ttyNONE2", location="1-1.4")]

    def untwin(self) -> None:
        self.ports[:] = [ListedPort(self._end.name, location="1-1.3")]

    def close(self) -> None:
        for end in (*self._frozen, self._end):
            end.close()


# ------------------------------------------------------------------ network


class Served:
    """The device's end of one connection that a thread of the wire reads."""

    def __init__(self, connection: socket.socket, decode: Callable[[bytes], bytes]) -> None:
        self.name = "served"
        self.connection, self._decode = connection, decode
        self.encode: Callable[[bytes], bytes] = lambda data: data
        self.gone = False
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def fileno(self) -> int | None:
        return None if self.gone else self.connection.fileno()

    def on_ready(self, wake: Callable[[], None]) -> None: ...

    def read(self) -> bytes:
        if self.gone:
            raise LineClosed(self.name, "hung up")
        try:
            data = self.connection.recv(65536, socket.MSG_DONTWAIT)
        except BlockingIOError:
            return b""
        except OSError as cause:
            self.gone = True
            raise LineClosed(self.name, str(cause)) from cause
        if not data:
            self.gone = True
            raise LineClosed(self.name, "the host hung up")
        return self._decode(data)

    def write(self, data: bytes) -> int:
        if self.gone:
            raise LineClosed(self.name, "hung up")
        with contextlib.suppress(OSError):
            self.connection.sendall(self.encode(data))
        return len(data)

    def close(self) -> None:
        self.gone = True
        with contextlib.suppress(OSError):
            self.connection.shutdown(socket.SHUT_RDWR)
        self.connection.close()


class TcpWire:
    """A listening socket; a host that connects gets the device."""

    kind = "TCP"
    scheme = "tcp"

    def __init__(self, clock: ManualClock, folder: Path) -> None:
        # A port of the system's own range may be another program's once it is unplugged.
        self._port = free_port()
        self._listener: socket.socket | None = self._listen(self._port)
        self._served: Served | None = None
        self._frozen: list[Any] = []
        self._deaf = False
        self.opener = line_at(f"{self.scheme}://127.0.0.1:{self._port}")

    def _listen(self, port: int) -> socket.socket:
        listener = socket.create_server(("127.0.0.1", port))
        listener.setblocking(False)
        return listener

    def _serve(self, connection: socket.socket) -> Served:
        return Served(connection, lambda data: data)

    def device_end(self) -> Transport | None:
        if self._listener is not None:
            with contextlib.suppress(BlockingIOError):
                connection, _ = self._listener.accept()
                if self._served is not None:
                    self._served.close()
                self._served = self._serve(connection)
        return self._served if self._served is not None and not self._served.gone else None

    def unplug(self) -> None:
        listener, self._listener = self._listener, None
        if listener is not None:
            listener.close()
        if self._served is not None:
            self._served.close()

    def plug(self, *, renamed: bool = False) -> None:
        self._listener = self._listen(self._port)

    def freeze(self) -> None:
        self._frozen.append(self._served)
        self._served = None

    def twin(self) -> None: ...

    def untwin(self) -> None: ...

    def close(self) -> None:
        self.unplug()
        for served in self._frozen:
            served.close()


class SettingsOnly:
    """Stand-in for the served port, with the attributes that pyserial's PortManager reads."""

    def __init__(self) -> None:
        self.baudrate, self.bytesize, self.parity, self.stopbits = 9600, 8, "N", 1
        self.rtscts = self.xonxoff = self.dsrdtr = self.break_condition = False
        self.rts = self.dtr = self.cts = self.dsr = True
        self.ri = self.cd = False
        self.timeout = None
        self.port = self.name = "served"

    def reset_input_buffer(self) -> None: ...

    def reset_output_buffer(self) -> None: ...

    def get_settings(self) -> dict[str, Any]:
        return {}

    def apply_settings(self, settings: dict[str, Any]) -> None: ...


class Rfc2217Wire(TcpWire):
    """pyserial's own server side of RFC 2217 on a listening socket."""

    kind = "RFC 2217"
    scheme = "rfc2217"

    def __init__(self, clock: ManualClock, folder: Path) -> None:
        super().__init__(clock, folder)
        # pyserial looks for the server's answers every 50 ms; looking sooner changes nothing else.
        serial.rfc2217.time = SimpleNamespace(time=time.time, sleep=lambda pause_s: time.sleep(pause_s / 25))

    def close(self) -> None:
        super().close()
        serial.rfc2217.time = time

    def _serve(self, connection: socket.socket) -> Served:
        class Answers:
            def write(self, data: bytes) -> None:
                with contextlib.suppress(OSError):
                    connection.sendall(data)

        manager = serial.rfc2217.PortManager(SettingsOnly(), Answers(), logger=None)
        served = Served(connection, lambda data: b"".join(manager.filter(data)))
        served.encode = lambda data: b"".join(manager.escape(data))
        return served


# ------------------------------------------------------------------ USB


class UsbWire:
    """A gadget on a bus in this process."""

    kind = "USB"

    def __init__(self, clock: ManualClock, folder: Path) -> None:
        self._gadget = Gadget(Description())
        self._bus: list[Gadget] = [self._gadget]
        self._frozen: list[Gadget] = []
        self._address = f"usb:1209:0005:{self._gadget.description.serial}"
        self.opener = Opener(lambda: open_usb(self._address, backend=FakeBus(*self._bus)))

    def device_end(self) -> Transport | None:
        return self._gadget if self._gadget.present else None

    def unplug(self) -> None:
        self._gadget.unplug()

    def plug(self, *, renamed: bool = False) -> None:
        self._gadget = Gadget(Description(), ports=(2,) if renamed else (1,))
        self._bus[:] = [self._gadget]

    def freeze(self) -> None:
        self._frozen.append(self._gadget)
        self.plug()

    def twin(self) -> None:
        self._bus[:] = [Gadget(Description(), ports=(3,)), Gadget(Description(), ports=(4,))]

    def untwin(self) -> None:
        self.plug()

    def close(self) -> None:
        for gadget in (*self._frozen, *self._bus):
            gadget.unplug()


WIRES: Final[dict[str, Callable[[ManualClock, Path], Wire]]] = {
    wire.kind: wire for wire in (SerialWire, UsbWire, TcpWire, Rfc2217Wire)
}

# ------------------------------------------------------------------ the device


class Device:
    """A device link that outlives its lines. As a member of the owner it serves any line that is plugged in."""

    def __init__(self, clock: ManualClock, wire: Wire) -> None:
        self.clock, self.wire = clock, wire
        self.state = m.ShufflerState.READY
        self.store = EventStore()
        self.commands: list[m.Message] = []
        self.answers = self.reads = self.speaks = True
        self.garbles = False
        self.serial = "0001"
        self._end: Transport | None = None
        self._wake: Callable[[], None] = lambda: None
        self.session = 0xC0FFEE00
        self.boot()

    def boot(self) -> None:
        """Turn the power off and on: a new session, with the old one's events kept."""
        self.session += 1
        self.link = DeviceLink(hello(self.session, serial=self.serial), report=self._status, store=self.store)
        self._take(self.link.start(self.clock.now_ns()))

    def emit(self, event: type[m.Event], **fields: Any) -> None:
        self._take(self.link.emit(event, self.clock.now_ns(), **fields))

    def say(self, data: bytes) -> None:
        """Send bytes that are no part of the protocol."""
        end = self.end()
        if end is not None:
            with contextlib.suppress(LineClosed):
                end.write(data)

    def end(self) -> Transport | None:
        self._end = self.wire.device_end()
        return self._end

    def _status(self, session: int, last_event: int, uptime_ms: int) -> m.Message:
        return m.ShufflerStatusMessage(session, last_event, uptime_ms, self.state, 0, 0, 1, 52, 0, 0, 0, 0, 0, ())

    def _take(self, outputs: list[Any]) -> None:
        for output in outputs:
            if isinstance(output, Send) and self.speaks:
                self.say(bytes(value & 0x7F | 0x41 for value in output.data) if self.garbles else output.data)
            elif isinstance(output, Commanded):
                self.commands.append(output.command)
                if self.answers:
                    reply = m.ReplyMessage(m.Status.DONE, m.Reason.NONE, self.state)
                    self._take(self.link.reply(output.request, reply, self.clock.now_ns()))
            elif isinstance(output, Opened):
                pass

    # ---- a member of the owner

    @property
    def next_deadline_ns(self) -> int | None:
        return self.link.next_deadline_ns

    def fileno(self) -> int | None:
        return None

    def wants_write(self) -> bool:
        return False

    def set_wake(self, wake: Callable[[], None]) -> None:
        self._wake = wake

    def on_readable(self, now_ns: int) -> None: ...

    def on_writable(self, now_ns: int) -> None: ...

    def on_deadline(self, now_ns: int) -> None:
        self._take(self.link.tick(now_ns))

    def poll(self) -> bool:
        """Read the bytes that came; return True if there were any."""
        end = self.end()
        if end is None or not self.reads:
            return False
        try:
            data = end.read()
        except LineClosed:
            return False
        if data and not self.garbles:
            self._take(self.link.receive(data, self.clock.now_ns()))
        return bool(data)

    def close(self) -> None: ...


# ------------------------------------------------------------------ both ends


def others_run() -> bool:
    """Return True if another thread of this process runs, or would if a processor were free, according to proc(5)."""
    mine, states = str(threading.get_native_id()), set[str]()
    for task in Path("/proc/self/task").glob("[0-9]*"):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # it ended meanwhile
            if task.name != mine:
                states.add((task / "stat").read_text().rpartition(")")[2].split()[0])
    return "R" in states


class Bench:
    """A wire, its device, and a supervisor on one clock. `seen` holds all that reached the table."""

    def __init__(
        self,
        make: Callable[[ManualClock, Path], Wire],
        folder: Path,
        expects: m.DeviceClass = m.DeviceClass.SHUFFLER,
        **options: Any,
    ) -> None:
        self.clock = ManualClock()
        self.wire = make(self.clock, folder)
        self.device = Device(self.clock, self.wire)
        self.owner = Owner(self.clock)
        self.seen: list[Seen] = []
        self.supervisor = Supervisor(
            "shuffler",
            self.wire.opener,
            lambda: HostLink(expects=expects, role=m.Role.OPERATE),
            ShufflerDriver(),
            self.clock,
            self.seen.append,
            **options,
        )
        self.threads = threading.active_count()
        self.owner.add(self.supervisor)
        self.owner.add(self.device)

    def up(self) -> Bench:
        self.supervisor.start()
        assert self.run(lambda: self.supervisor.state is LineState.KNOWN), (self.supervisor.state, self.seen)
        return self

    def run(self, until: Callable[[], bool], limit_s: float = 60.0) -> bool:
        """Serve both ends until it holds, moving the clock from deadline to deadline; False after `limit_s` of it."""
        end_ns = self.clock.now_ns() + int(limit_s * SECOND)
        while True:
            self.settle(until)
            if until():
                return True
            dues = [due for member in self.owner.members if (due := member.next_deadline_ns) is not None]
            now_ns = self.clock.now_ns()
            if now_ns >= end_ns:
                return False
            self.clock.set(min(end_ns, max(min(dues, default=end_ns), now_ns + 1)))

    def settle(self, until: Callable[[], bool] = lambda: False) -> None:
        """Let everything that travels arrive, without moving the clock."""
        quiet = 0
        while quiet < 2 and not until():
            busy = self.device.poll()
            threads = threading.active_count() > self.threads
            self.owner.turn(SETTLE_S if threads else HANDED_ON_S if self.wire.kind == "serial" else 0.0)
            woken = threads and (self.owner._busy or others_run())
            busy = self.device.poll() or busy or woken or self.supervisor.opening
            quiet = 0 if busy else quiet + 1

    def bodies(self, kind: type[Any]) -> list[Any]:
        return [seen.body for seen in self.seen if isinstance(seen.body, kind)]

    def numbers(self) -> list[int]:
        return [seen.number for seen in self.seen if seen.number]

    def ups(self) -> list[LinkUp]:
        return self.bodies(LinkUp)

    def losses(self) -> list[LinkLost]:
        return self.bodies(LinkLost)

    def close(self) -> None:
        self.supervisor.close()
        self.owner.close()
        self.wire.close()
