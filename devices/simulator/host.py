"""Simulated devices on real lines: the device's side of a pseudo-terminal or of a TCP port, run by the owner loop."""

import contextlib
import os
import socket
from collections.abc import Callable, Mapping
from typing import Final, Protocol

from devices.line.loop import Member
from protocol.errors import LineAbsent, LineBusy, LocalError

READ_SIZE: Final = 65536
BACKLOG_MAX: Final = 65536
"""Maximum number of bytes buffered for a host that does not read. Further bytes are lost, as on a line without flow
control."""


class BadLine(LocalError):
    """A kind of line that the simulator cannot create."""

    def __init__(self, device: str, line: str) -> None:
        self.device, self.line = device, line
        super().__init__(f"{device}: no such line: {line!r}; allowed: 'pty' or 'tcp:PORT' (port 0: any free port)")


class DeviceLine(Member):
    """The device's end of a line: the common part of both kinds. A host opens `address`."""

    address: str

    def __init__(self, on_bytes: Callable[[bytes, int], None]) -> None:
        self._on_bytes = on_bytes
        self._backlog = bytearray()

    def wants_write(self) -> bool:
        """Return True while bytes wait for room."""
        return bool(self._backlog)

    def fileno(self) -> int | None:
        """Return the descriptor to wait on; None when unplugged."""
        raise NotImplementedError

    def on_readable(self, now_ns: int) -> None:
        """Process the host's bytes."""
        raise NotImplementedError

    def send(self, data: bytes) -> None:
        """Put bytes onto the line, as many as there is room for."""
        self._backlog += data[: max(0, BACKLOG_MAX - len(self._backlog))]
        if self._backlog:
            self._write()

    def on_writable(self, now_ns: int) -> None:
        """Send the backlog."""
        self._write()

    def close(self) -> None:
        """Hang up. May be called twice."""
        raise NotImplementedError

    def _write(self) -> None:
        raise NotImplementedError


class DevicePtyLine(DeviceLine):
    """A pseudo-terminal. To the host, closing it looks like unplugging the adapter."""

    def __init__(self, on_bytes: Callable[[bytes, int], None]) -> None:
        super().__init__(on_bytes)
        import tty

        master, slave = os.openpty()
        tty.setraw(slave)
        os.set_blocking(master, False)
        self._master: int | None = master
        # kept open: a pty without any opener reads as hung up, and hosts come and go
        self._slave = slave
        self.address = os.ttyname(slave)

    def fileno(self) -> int | None:
        """Return the descriptor of the device's end."""
        return self._master

    def on_readable(self, now_ns: int) -> None:
        """Process the host's bytes."""
        if self._master is not None:
            with contextlib.suppress(BlockingIOError):
                self._on_bytes(os.read(self._master, READ_SIZE), now_ns)

    def close(self) -> None:
        """Unplug the line."""
        if self._master is None:
            return
        master, self._master = self._master, None
        self._backlog.clear()
        os.close(master)
        os.close(self._slave)

    def _write(self) -> None:
        if self._master is not None:
            with contextlib.suppress(BlockingIOError):
                del self._backlog[: os.write(self._master, self._backlog)]


class ListeningLine(DeviceLine):
    """A listening socket. It serves one host at a time; the next one waits until it leaves."""

    def __init__(self, on_bytes: Callable[[bytes, int], None], listener: socket.socket) -> None:
        super().__init__(on_bytes)
        self._listener: socket.socket | None = listener
        self._host: socket.socket | None = None
        listener.setblocking(False)

    def fileno(self) -> int | None:
        """Return the descriptor of the host's connection, or of the listener while there is none."""
        waiting = self._host or self._listener
        return waiting.fileno() if waiting else None

    def wants_write(self) -> bool:
        """Return True while bytes wait for room on a connection."""
        return self._host is not None and bool(self._backlog)

    def on_readable(self, now_ns: int) -> None:
        """Accept a host, process its bytes, or handle its departure."""
        if self._host is None:
            self._accept()
            return
        try:
            data = self._host.recv(READ_SIZE)
        except BlockingIOError:
            return
        except ConnectionError:
            data = b""
        if data:
            self._on_bytes(data, now_ns)
        else:
            self._hang_up()

    def send(self, data: bytes) -> None:
        """Put bytes onto the connection. Without one they are lost, as on an open cable."""
        if self._host is not None:
            super().send(data)

    def close(self) -> None:
        """Hang up and stop listening."""
        self._hang_up()
        if self._listener is not None:
            self._listener.close()
            self._listener = None

    def _accept(self) -> None:
        if self._listener is not None:
            with contextlib.suppress(BlockingIOError, ConnectionError):
                self._host, _ = self._listener.accept()
                self._host.setblocking(False)

    def _hang_up(self) -> None:
        self._backlog.clear()
        if self._host is not None:
            self._host.close()
            self._host = None

    def _write(self) -> None:
        if self._host is not None:
            try:
                del self._backlog[: self._host.send(self._backlog)]
            except BlockingIOError:
                return
            except ConnectionError:
                self._hang_up()


class DeviceTcpLine(ListeningLine):
    """A listening port of this machine."""

    def __init__(self, on_bytes: Callable[[bytes, int], None], port: int) -> None:
        try:
            listener = socket.create_server(("127.0.0.1", port))
        except PermissionError as error:
            raise LineAbsent(f"tcp:{port}", "ports below 1024 need more privileges; use a higher one") from error
        except OSError as error:
            raise LineBusy(f"tcp:{port}") from error
        super().__init__(on_bytes, listener)
        self.address = f"tcp://127.0.0.1:{listener.getsockname()[1]}"

    def _accept(self) -> None:
        super()._accept()
        if self._host is not None:
            # send small frames at once: with Nagle's algorithm they would arrive late
            self._host.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


class TableModel(Protocol):
    """A simulated table, as seen by its lines."""

    @property
    def units(self) -> Mapping[str, object]:
        """Devices by name."""

    @property
    def next_deadline_ns(self) -> int | None:
        """Time at which to call `tick`."""

    @property
    def finished(self) -> bool:
        """True if no further output will come."""

    def power_on(self, now_ns: int) -> None:
        """Switch the devices on."""

    def receive(self, device: str, data: bytes, now_ns: int) -> None:
        """Process bytes from a device's host."""

    def tick(self, now_ns: int) -> None:
        """Run the timers that are due."""

    def take_output(self, device: str, now_ns: int) -> bytes:
        """Return the bytes that leave a device's line now."""


class SimulatorHost(Member):
    """A simulated table on its lines. As a member of the owner it is the table's timer."""

    def __init__(self, table: TableModel, lines: Mapping[str, str]) -> None:
        self.table = table
        self.lines: dict[str, DeviceLine] = {}
        try:
            for device, kind in lines.items():
                self.lines[device] = self._open(device, kind)
        except Exception:
            self.close()
            raise

    @property
    def addresses(self) -> dict[str, str]:
        """Addresses for a host to open, by device."""
        return {device: line.address for device, line in self.lines.items()}

    @property
    def next_deadline_ns(self) -> int | None:
        """Time of the table's next action."""
        return self.table.next_deadline_ns

    @property
    def finished(self) -> bool:
        """True if the scenario is over, no event is still to be delivered, and no bytes wait to be written."""
        return self.table.finished and not any(line.wants_write() for line in self.lines.values())

    def start(self, now_ns: int) -> None:
        """Switch the devices on."""
        self.table.power_on(now_ns)
        self.pump(now_ns)

    def pump(self, now_ns: int) -> None:
        """Move the devices' output onto their lines."""
        for device, line in self.lines.items():
            line.send(self.table.take_output(device, now_ns))

    def on_deadline(self, now_ns: int) -> None:
        """Let the table do what is due."""
        self.table.tick(now_ns)
        self.pump(now_ns)

    def close(self) -> None:
        """Unplug every line."""
        for line in self.lines.values():
            line.close()

    def _open(self, device: str, kind: str) -> DeviceLine:
        if device not in self.table.units:
            raise LocalError(f"no such device: {device!r}; there are {', '.join(self.table.units)}")

        def on_bytes(data: bytes, now_ns: int) -> None:
            self.table.receive(device, data, now_ns)
            self.pump(now_ns)

        scheme, _, port = kind.partition(":")
        if kind == "pty":
            return DevicePtyLine(on_bytes)
        if scheme == "tcp" and port.isdecimal() and int(port) < 65536:
            return DeviceTcpLine(on_bytes, int(port))
        raise BadLine(device, kind)
