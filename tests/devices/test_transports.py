"""One contract for every line: memory, recorded, journaled, serial over a pty, tcp, tls, rfc2217, USB bulk.

A replayed line only returns its recording; `test_replay.py` checks it against the same contract.
"""

import atexit
import contextlib
import functools
import os
import select
import socket
import ssl
import tempfile
import threading
import time
import tty
import warnings
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from serial import rfc2217

from dealwire.journal import Journal, Journaled
from devices.clock import SystemClock
from devices.drive.address import open_transport
from devices.record.capture import CaptureWriter, Recorded
from devices.transport.base import LineClosed, Transport
from devices.transport.memory import memory_pair
from devices.transport.threaded import ThreadedLine
from devices.transport.usb_bulk import open_usb
from tests.support.rigs.authorities import Site
from tests.support.rigs.patience import wait_until
from tests.support.rigs.usb_backend import FakeBus, Gadget

ALL_BYTES = bytes(range(256))
PATIENCE_S = 300.0


@dataclass
class Line:
    """A host's transport and the actions of its device."""

    host: Transport
    send: Callable[[bytes], None]
    receive: Callable[[], bytes]
    """Function that returns the bytes received at the device, b"" for none yet."""
    hang_up: Callable[[], None]
    clean: Callable[[], None]


def memory_line() -> Line:
    host, device = memory_pair(SystemClock())

    def send(data: bytes) -> None:
        assert device.write(data) == len(data)

    return Line(host, send, device.read, device.close, device.close)


def serial_line() -> Line:
    master, slave = os.openpty()
    tty.setraw(slave)
    host = open_transport(f"serial://{os.ttyname(slave)}?baud=115200")
    os.close(slave)
    os.set_blocking(master, False)
    open_ends = [master]

    def send(data: bytes) -> None:
        while data:
            try:
                data = data[os.write(master, data) :]
            except BlockingIOError:
                time.sleep(0.001)

    def receive() -> bytes:
        try:
            return os.read(master, 65536)
        except (BlockingIOError, OSError):
            return b""

    def hang_up() -> None:
        if open_ends:
            os.close(open_ends.pop())

    return Line(host, send, receive, hang_up, hang_up)


def tcp_line() -> Line:
    server = socket.create_server(("127.0.0.1", 0))
    host = open_transport(f"tcp://127.0.0.1:{server.getsockname()[1]}")
    peer, _ = server.accept()
    server.close()
    peer.settimeout(PATIENCE_S)

    def receive() -> bytes:
        peer.setblocking(False)
        try:
            return peer.recv(65536)
        except BlockingIOError:
            return b""
        finally:
            peer.settimeout(PATIENCE_S)

    return Line(host, peer.sendall, receive, peer.close, peer.close)


@functools.cache
def site() -> Site:
    folder = tempfile.TemporaryDirectory(prefix="dealwire-test-")
    atexit.register(folder.cleanup)
    return Site(Path(folder.name))


def tls_line() -> Line:
    server = socket.create_server(("127.0.0.1", 0))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*site().server())
    peers: list[ssl.SSLSocket] = []

    def accept() -> None:
        peers.append(context.wrap_socket(server.accept()[0], server_side=True))

    thread = threading.Thread(target=accept)
    thread.start()
    host = open_transport(f"tls://127.0.0.1:{server.getsockname()[1]}?ca={site().ca}")
    thread.join()
    server.close()
    (peer,) = peers
    peer.settimeout(PATIENCE_S)

    def receive() -> bytes:
        peer.setblocking(False)
        try:
            return peer.recv(65536)
        except ssl.SSLWantReadError:
            return b""
        finally:
            peer.settimeout(PATIENCE_S)

    return Line(host, peer.sendall, receive, peer.close, peer.close)


class FakePort:
    """Interface of the port that pyserial's PortManager serves: settings, levels and buffers."""

    def __init__(self) -> None:
        self.baudrate, self.bytesize, self.parity, self.stopbits = 9600, 8, "N", 1
        self.rtscts = self.xonxoff = self.dsrdtr = self.break_condition = False
        self.rts = self.dtr = self.cts = self.dsr = True
        self.ri = self.cd = False
        self.timeout = None
        self.port = self.name = "fake"

    def reset_input_buffer(self) -> None: ...

    def reset_output_buffer(self) -> None: ...

    def get_settings(self) -> dict[str, Any]:
        return {}

    def apply_settings(self, settings: dict[str, Any]) -> None: ...


class Rfc2217Device:
    """A serial server in this process: pyserial's own server side without a real port."""

    def __init__(self) -> None:
        self._server = socket.create_server(("127.0.0.1", 0))
        self.port = self._server.getsockname()[1]
        self._socket: socket.socket | None = None
        self._lock = threading.Lock()
        self._arrived = bytearray()
        self._manager: Any = None
        self.reading = threading.Event()
        self.reading.set()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def write(self, data: bytes) -> None:
        """Take the PortManager's answer."""
        with self._lock:
            assert self._socket is not None
            self._socket.sendall(data)

    def send(self, data: bytes) -> None:
        self.write(b"".join(self._manager.escape(data)))

    def receive(self) -> bytes:
        with self._lock:
            data = bytes(self._arrived)
            self._arrived.clear()
        return data

    def hang_up(self) -> None:
        if self._socket is not None:
            with contextlib.suppress(OSError):
                self._socket.shutdown(socket.SHUT_RDWR)
            self._socket.close()
            self._server.close()
        self.reading.set()
        self._thread.join(PATIENCE_S)

    def _serve(self) -> None:
        self._socket, _ = self._server.accept()
        self._manager = rfc2217.PortManager(FakePort(), self, logger=None)
        try:
            while self.reading.wait() and (data := self._socket.recv(4096)):
                plain = b"".join(self._manager.filter(data))
                with self._lock:
                    self._arrived += plain
        except OSError:
            pass


def rfc2217_line() -> Line:
    device = Rfc2217Device()
    host = open_transport(f"rfc2217://127.0.0.1:{device.port}")
    return Line(host, device.send, device.receive, device.hang_up, device.hang_up)


def usb_line() -> Line:
    gadget = Gadget()
    host = open_usb("usb:1209:0005", backend=FakeBus(gadget))

    def send(data: bytes) -> None:
        assert gadget.write(data) == len(data)

    return Line(host, send, gadget.read, gadget.unplug, gadget.unplug)


def recorded_line() -> Line:
    clock = SystemClock()
    inner = memory_line()
    writer = CaptureWriter("/dev/null", overwrite=True)
    inner.host = Recorded(inner.host, writer, writer.interface("x", device="shuffler"), clock)
    hang_up = inner.hang_up

    def clean() -> None:
        hang_up()
        writer.close()

    inner.clean = clean
    return inner


def journaled_line() -> Line:
    clock = SystemClock()
    inner, folder = memory_line(), tempfile.TemporaryDirectory()
    journal = Journal(f"{folder.name}/j", key=None, clock=clock)
    number = journal.line("t", "x", device="shuffler", dialect="tdp", address="", baud=115200, procedure="")
    inner.host = Journaled(inner.host, journal, number, clock)
    hang_up = inner.hang_up

    def clean() -> None:
        hang_up()
        journal.close()
        folder.cleanup()

    inner.clean = clean
    return inner


MAKERS = {
    "memory": memory_line,
    "recorded": recorded_line,
    "journaled": journaled_line,
    "serial": serial_line,
    "tcp": tcp_line,
    "tls": tls_line,
    "rfc2217": rfc2217_line,
    "usb": usb_line,
}


def descriptors() -> set[str]:
    return {entry for entry in os.listdir("/proc/self/fd") if os.path.exists(f"/proc/self/fd/{entry}")}


@pytest.fixture(params=MAKERS)
def line(request: pytest.FixtureRequest) -> Iterator[Line]:
    before, threads = descriptors(), set(threading.enumerate())
    made = MAKERS[request.param]()
    yield made
    made.host.close()
    made.clean()
    assert set(threading.enumerate()) <= threads
    assert descriptors() <= before


def eventually(condition: Callable[[], bool]) -> None:
    wait_until(condition, "what the line was to bring", pause_s=0.001)


def read_until(host: Transport, size: int) -> bytes:
    data = bytearray()

    def full() -> bool:
        data.extend(host.read())
        return len(data) >= size

    eventually(full)
    return bytes(data)


def closes(action: Callable[[], object]) -> LineClosed:
    found: list[LineClosed] = []

    def closed() -> bool:
        try:
            action()
        except LineClosed as error:
            found.append(error)
        return bool(found)

    eventually(closed)
    return found[0]


def test_an_idle_line_gives_nothing(line):
    assert line.host.read() == b""
    assert line.host.read() == b""


def test_every_byte_value_passes_both_ways(line):
    line.send(ALL_BYTES)
    assert read_until(line.host, 256) == ALL_BYTES
    assert line.host.write(ALL_BYTES) == 256
    arrived = bytearray()

    def all_there() -> bool:
        arrived.extend(line.receive())
        return len(arrived) >= 256

    eventually(all_there)
    assert bytes(arrived) == ALL_BYTES


def test_short_pieces_add_up(line):
    for value in range(50):
        line.send(bytes([value]))
    assert read_until(line.host, 50) == bytes(range(50))


def test_a_write_of_nothing_is_nothing(line):
    assert line.host.write(b"") == 0


def test_a_device_that_stops_reading_makes_writes_partial_and_loses_nothing(line, request):
    if "rfc2217" in request.node.name:
        line.receive.__self__.reading.clear()
    data = os.urandom(1 << 16)
    sent = bytearray()
    took = []
    for _ in range(400):
        took.append(line.host.write(data))
        sent += data[: took[-1]]
        if took[-1] == 0:
            break
    assert took[-1] < len(data)
    assert len(sent) > 1000
    if "rfc2217" in request.node.name:
        line.receive.__self__.reading.set()
    arrived = bytearray()

    def all_there() -> bool:
        arrived.extend(line.receive())
        return len(arrived) >= len(sent)

    eventually(all_there)
    assert arrived == sent


def test_hang_up_is_noticed_by_the_reader(line):
    line.hang_up()
    error = closes(line.host.read)
    assert error.line == line.host.name
    with pytest.raises(LineClosed):
        line.host.read()


def test_hang_up_is_noticed_by_the_writer(line):
    line.hang_up()
    closes(lambda: line.host.write(b"x" * 64))
    with pytest.raises(LineClosed):
        line.host.write(b"x")


def test_closing_twice_and_using_it_after(line):
    line.host.close()
    line.host.close()
    with pytest.raises(LineClosed):
        line.host.read()
    with pytest.raises(LineClosed):
        line.host.write(b"x")
    assert line.host.fileno() is None


def test_closing_with_bytes_unread_and_unsent(line):
    line.send(ALL_BYTES)
    line.host.write(os.urandom(1 << 18))
    line.host.close()
    with pytest.raises(LineClosed):
        line.host.read()


def test_bytes_and_hang_up_announce_themselves(line):
    woken = threading.Event()
    line.host.on_ready(woken.set)

    def announced() -> bool:
        descriptor = line.host.fileno()
        if descriptor is None:
            return woken.wait(PATIENCE_S)
        return bool(select.select([descriptor], [], [], PATIENCE_S)[0])

    line.send(b"\x01")
    assert announced()
    assert read_until(line.host, 1) == b"\x01"
    woken.clear()
    line.hang_up()
    assert announced()
    closes(line.host.read)


def test_loop_url_of_pyserial_is_a_line():
    before, threads = descriptors(), set(threading.enumerate())
    host = open_transport("loop://")
    assert host.write(ALL_BYTES) == 256
    assert read_until(host, 256) == ALL_BYTES
    host.close()
    assert set(threading.enumerate()) <= threads
    assert descriptors() <= before


def test_bytes_that_arrive_in_the_middle_of_a_read_are_not_its_end():
    arriving = [b"late"]

    class Inbox(deque[bytes | Exception]):
        def __len__(self) -> int:
            found = super().__len__()
            self.extend(arriving)
            arriving.clear()
            return found

    line = ThreadedLine("loop://")
    line._inbox = Inbox()
    assert [line.read(), line.read()] == [b"", b"late"]


def test_opening_a_url_hides_no_other_warning():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        line = rfc2217_line()
        line.host.close()
        line.clean()
        warnings.warn("ours", DeprecationWarning, stacklevel=1)
    assert [str(entry.message) for entry in caught] == ["ours"]
