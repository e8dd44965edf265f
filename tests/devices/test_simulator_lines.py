"""Simulated devices on real pseudo-terminals and TCP ports, with real hosts at the other end."""

import contextlib
import os
import queue
import selectors
import socket
import stat
import threading
import time
from collections.abc import Iterator

import pytest

from dealwire.rehearsal.scenario_file import load_scenario
from dealwire.rehearsal.serve import serve
from dealwire.rehearsal.tables import SimulatedTable
from devices.simulator.host import BadLine, DevicePtyLine, DeviceTcpLine, SimulatorHost
from protocol.errors import LineBusy, LocalError
from protocol.tdp import Delivered, HostLink, Output, Send
from protocol.tdp import messages as m

PATIENCE_S = 300.0
DEVICES = ("shuffler", "table-controller")


class Host:
    """A host on a descriptor."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        os.set_blocking(descriptor, False)
        self.link = HostLink()
        self.events: list[m.Event] = []
        self.take(self.link.start(time.monotonic_ns()))

    def take(self, outputs: list[Output]) -> None:
        for output in outputs:
            if isinstance(output, Send):
                with contextlib.suppress(OSError):
                    os.write(self.descriptor, output.data)
            elif isinstance(output, Delivered):
                self.events.append(output.message)

    def turn(self) -> bool:
        """Read the available data. Return False if the line is hung up."""
        try:
            data = os.read(self.descriptor, 4096)
        except BlockingIOError:
            data = None
        except OSError:
            return False
        now_ns = time.monotonic_ns()
        if data:
            self.take(self.link.receive(data, now_ns))
        self.take(self.link.tick(now_ns))
        return data != b""


def connect(address: str) -> tuple[int, socket.socket | None]:
    if address.startswith("tcp://"):
        host, _, port = address.removeprefix("tcp://").partition(":")
        line = socket.create_connection((host, int(port)), timeout=30)
        return line.fileno(), line
    return os.open(address, os.O_RDWR | os.O_NOCTTY), None


def play_on(lines: dict[str, str]) -> dict[str, list[m.Event]]:
    """Serve a clean round on these lines and host it until the devices hang up."""
    announced: queue.Queue[dict[str, str]] = queue.Queue()
    scenario = load_scenario("clean-1")
    server = threading.Thread(
        target=serve, args=(scenario,), kwargs={"lines": lines, "ready": announced.put, "speed": 300.0}, daemon=True
    )
    server.start()
    with contextlib.ExitStack() as stack:
        hosts = {}
        for device, address in announced.get(timeout=PATIENCE_S).items():
            descriptor, line = connect(address)
            stack.callback(line.close if line else lambda descriptor=descriptor: os.close(descriptor))
            hosts[device] = Host(descriptor)
        selector = stack.enter_context(selectors.DefaultSelector())
        for host in hosts.values():
            selector.register(host.descriptor, selectors.EVENT_READ)
        give_up = time.monotonic() + PATIENCE_S
        while server.is_alive() and time.monotonic() < give_up:
            selector.select(0.02)
            alive = [host.turn() for host in hosts.values()]
            if not all(alive):
                break
        server.join(timeout=30)
        assert not server.is_alive()
        return {device: host.events for device, host in hosts.items()}


@pytest.mark.parametrize("kind", ["pty", "tcp:0"])
def test_a_round_is_dealt_on_a_real_line_and_ends_when_every_event_has_arrived(kind: str) -> None:
    events = play_on(dict.fromkeys(DEVICES, kind))
    assert [type(event) for event in events["table-controller"]].count(m.GameEndedMessage) == 1
    assert [e.ordinal for e in events["shuffler"] if isinstance(e, m.PacketLiftedMessage)] == [1, 2, 3]
    for device in DEVICES:
        numbers = [event.number for event in events[device]]
        assert numbers == list(range(1, len(numbers) + 1))


@pytest.fixture
def received() -> list[bytes]:
    return []


@pytest.fixture
def pty(received: list[bytes]) -> Iterator[DevicePtyLine]:
    line = DevicePtyLine(lambda data, now_ns: received.append(data))
    yield line
    line.close()


def test_a_pty_passes_every_byte_value_and_survives_a_host_that_leaves(
    pty: DevicePtyLine, received: list[bytes]
) -> None:
    everything = bytes(range(256))
    for _ in range(2):
        descriptor = os.open(pty.address, os.O_RDWR | os.O_NOCTTY)
        assert stat.S_ISCHR(os.fstat(descriptor).st_mode)
        os.write(descriptor, everything)
        pty.on_readable(0)
        pty.send(everything)
        assert os.read(descriptor, 1024) == everything
        os.close(descriptor)
    pty.on_readable(0)
    assert b"".join(received) == everything * 2


def test_unplugging_a_pty_hangs_up_and_takes_its_name_away(pty: DevicePtyLine) -> None:
    descriptor = os.open(pty.address, os.O_RDWR | os.O_NOCTTY)
    pty.close()
    pty.close()
    assert pty.fileno() is None
    assert not os.path.lexists(pty.address)
    assert os.read(descriptor, 10) == b""
    os.close(descriptor)
    pty.send(b"nobody")
    pty.on_readable(0)


def test_a_host_that_does_not_read_costs_bounded_memory(pty: DevicePtyLine) -> None:
    for _ in range(100):
        pty.send(b"x" * 4096)
    assert pty.wants_write()
    assert len(pty._backlog) <= 65536


def test_a_tcp_line_serves_one_host_after_the_other(received: list[bytes]) -> None:
    line = DeviceTcpLine(lambda data, now_ns: received.append(data), 0)
    _, _, port = line.address.rpartition(":")
    line.send(b"lost: nobody is there")
    for word in (b"one", b"two"):
        with socket.create_connection(("127.0.0.1", int(port)), timeout=30) as host:
            wait_for(line)
            line.on_readable(0)
            host.sendall(word)
            wait_for(line)
            line.on_readable(0)
            line.send(word.upper())
            assert host.recv(100) == word.upper()
        wait_for(line)
        line.on_readable(0)
    assert received == [b"one", b"two"]
    line.close()
    line.close()
    assert line.fileno() is None


def wait_for(line: DeviceTcpLine) -> None:
    descriptor = line.fileno()
    assert descriptor is not None
    with selectors.DefaultSelector() as selector:
        selector.register(descriptor, selectors.EVENT_READ)
        assert selector.select(PATIENCE_S)


def test_lines_that_cannot_be_made_say_so() -> None:
    table = SimulatedTable(load_scenario("clean-1"))
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(LineBusy):
        SimulatorHost(table, {"shuffler": "pty", "table-controller": f"tcp:{taken.getsockname()[1]}"})
    with pytest.raises(BadLine, match=r"shuffler: no such line: 'usb'; allowed: 'pty' or 'tcp:PORT'"):
        SimulatorHost(table, {"shuffler": "usb"})
    with pytest.raises(BadLine):
        SimulatorHost(table, {"shuffler": "tcp:70000"})
    with pytest.raises(LocalError, match=r"no such device: 'shoe'; there are shuffler, table-controller"):
        SimulatorHost(table, {"shoe": "pty"})
