"""Traps of pyserial, ptys and links under /dev, each reproduced for real or shown to be avoided."""

import ast
import os
import socket
import termios
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import serial

from devices.clock import ManualClock
from devices.dialects.shuffler import ShufflerDriver
from devices.drive.address import line_at, open_transport
from devices.line.loop import Owner
from devices.line.supervisor import LineState, Supervisor
from devices.transport.finding import Adapter, PortFinder
from protocol.errors import LineAbsent, LineAmbiguous, LineClosed
from protocol.tdp import HostLink, Unanswered
from protocol.tdp import messages as m
from tests.support.rigs.lines_under_test import Bench, ListedPort, PtyMaster, SerialWire

ROOT = Path(__file__).parents[2]
SOURCES = sorted(path for package in ("devices", "dealwire") for path in (ROOT / package).rglob("*.py"))

# ------------------------------------------------------------------ read off the syntax trees


def trees_with(word: str) -> Iterator[tuple[Path, ast.Module]]:
    """Yield the tree of each source that has the word; to parse all of them takes seconds."""
    for path in SOURCES:
        if word in (text := path.read_text()):
            yield path, ast.parse(text)


def test_no_write_time_out_is_ever_set() -> None:
    """A write that timed out does not tell how much was sent; with 0 on a full line pyserial never returns."""
    for path, tree in trees_with("write_timeout"):
        for node in ast.walk(tree):
            named = node.arg if isinstance(node, ast.keyword) else getattr(node, "attr", None)
            assert named != "write_timeout", f"{path.name}:{getattr(node, 'lineno', '?')}"


def test_in_waiting_only_ever_sizes_a_read() -> None:
    """A dead socket answers 1, so this must not decide whether a line is alive or has bytes."""
    uses = [
        (path.relative_to(ROOT).as_posix(), node.lineno)
        for path, tree in trees_with("in_waiting")
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and node.attr == "in_waiting"
    ]
    assert len(uses) == 1
    assert uses[0][0] == "devices/transport/threaded.py"
    source = (ROOT / uses[0][0]).read_text().splitlines()[uses[0][1] - 1]
    assert ".read(max(1, min(self._port.in_waiting, READ_SIZE)))" in source


def test_a_dead_socket_still_says_that_a_byte_waits() -> None:
    """The trap itself, so that the rule above is reconsidered if it disappears."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = serial.serial_for_url(f"socket://127.0.0.1:{server.getsockname()[1]}")
        peer, _ = server.accept()
        peer.close()
        time.sleep(0.05)
        assert port.in_waiting == 1
        with pytest.raises(serial.SerialException):
            port.read(1)
        port.close()


# ------------------------------------------------------------------ hang-up


def test_three_families_of_exception_at_hang_up_are_one_closed_line() -> None:
    """pyserial raises SerialException, OSError or termios.error for the same unplugged adapter."""
    end = PtyMaster()
    raw = serial.Serial(end.name)
    end.close()
    with pytest.raises(serial.SerialException):
        raw.read(1)
    with pytest.raises(OSError, match="Input/output error") as caught:
        _ = raw.in_waiting
    assert not isinstance(caught.value, serial.SerialException)
    with pytest.raises(termios.error):
        raw.flush()
    raw.close()

    for action in ("read", "write"):
        end = PtyMaster()
        line = open_transport(end.name)
        end.close()
        with pytest.raises(LineClosed):
            line.read() if action == "read" else line.write(b"x")
        line.close()


def test_a_command_that_a_full_line_swallowed_is_never_sent_again(tmp_path: Path) -> None:
    """The fate of bytes that a full line accepted is unknown: the command ends as unknown, and the next line does not
    repeat it."""
    bench = Bench(SerialWire, tmp_path).up()
    bench.device.reads = False
    assert bench.supervisor.session is not None
    descriptor = bench.supervisor.session.fileno()
    assert descriptor is not None
    while True:
        try:
            os.write(descriptor, b"\0" * 4096)
        except BlockingIOError:
            break
    ended: list = []
    bench.supervisor.request(m.DispenseMessage(), ended.append)
    assert bench.run(lambda: bool(ended), 5)
    assert isinstance(ended[0], Unanswered)
    bench.wire.unplug()
    bench.settle()
    bench.device.reads = True
    bench.wire.plug()
    assert bench.run(lambda: bench.supervisor.state is LineState.KNOWN)
    bench.run(lambda: False, 5)
    assert m.DispenseMessage() not in bench.device.commands
    bench.close()


# ------------------------------------------------------------------ names


def test_a_stale_by_id_link_is_tried_again_until_it_points_somewhere(tmp_path: Path) -> None:
    """After a quick replug the old link may dangle, vanish and come back."""
    first, clock = PtyMaster(), ManualClock()
    link = tmp_path / "usb-maker_adapter_A5XK-if00"
    link.symlink_to(first.name)
    opener = line_at(f"serial://{link}")
    owner, seen = Owner(clock), []
    supervisor = Supervisor("shuffler", opener, HostLink, ShufflerDriver(), clock, seen.append)
    owner.add(supervisor)
    supervisor.begin(opener.open())
    first.close()
    for _ in range(3):
        owner.turn()
    assert supervisor.state is LineState.WAITING
    assert isinstance(supervisor.error, LineAbsent), "the link dangles"
    link.unlink()
    clock.advance(400_000_000)
    owner.turn()
    assert isinstance(supervisor.error, LineAbsent), "the link is gone"
    second = PtyMaster()
    link.symlink_to(second.name)
    clock.advance(2_000_000_000)
    owner.turn()
    owner.turn()
    assert supervisor.session is not None
    assert os.path.samefile(f"/proc/self/fd/{supervisor.fileno()}", second.name)
    owner.close()
    second.close()


def test_a_name_that_went_to_another_adapter_is_not_opened() -> None:
    """Yesterday's /dev/pts/N or ttyUSB0 may be another adapter today."""
    mine, other = PtyMaster(), PtyMaster()
    ports = [ListedPort(mine.name, "MINE", "1-1")]
    finder = PortFinder(mine.name, "serial", mine.name, ports=lambda: list(ports))
    finder().close()
    ports[:] = [ListedPort(mine.name, "OTHER", "1-2")]
    with pytest.raises(LineAbsent) as caught:
        finder()
    assert "another device has this name now" in str(caught.value)
    assert "serial number OTHER" in str(caught.value)
    ports.append(ListedPort(other.name, "MINE", "1-3"))
    line = finder()
    assert os.path.samefile(f"/proc/self/fd/{line.fileno()}", other.name)
    for end in (line, mine, other):
        end.close()


def test_a_stale_terminal_that_somebody_else_has_is_refused_by_its_lock() -> None:
    end = PtyMaster()
    line = open_transport(end.name)
    with pytest.raises(Exception, match="in use by process"):
        open_transport(end.name)
    line.close()
    end.close()


def finder(by: str, sought: str, *ports: ListedPort) -> PortFinder:
    return PortFinder("the line", by, sought, ports=lambda: list(ports))


def test_found_by_serial_number() -> None:
    ports = [ListedPort("/dev/ttyUSB0", "A1", "1-1"), ListedPort("/dev/ttyUSB1", "A2", "1-2")]
    assert finder("serial-id", "A2").find(ports) == "/dev/ttyUSB1"


def test_found_by_usb_path_whatever_the_interface() -> None:
    ports = [ListedPort("/dev/ttyACM0", None, "1-1.2:1.0"), ListedPort("/dev/ttyUSB1", None, "1-1.21")]
    assert finder("serial-path", "1-1.2").find(ports) == "/dev/ttyACM0"


def test_nobody_has_the_serial_number_names_who_is_there() -> None:
    with pytest.raises(LineAbsent) as caught:
        finder("serial-id", "A9").find([ListedPort("/dev/ttyUSB0", "A1", "1-1"), ListedPort("/dev/ttyS0", None, None)])
    assert str(caught.value) == (
        "the line: not there: no port has the serial number A9; "
        "attached: /dev/ttyUSB0 (serial number A1, USB path 1-1), /dev/ttyS0"
    )


def test_twins_are_named_and_neither_is_opened() -> None:
    with pytest.raises(LineAmbiguous) as caught:
        finder("serial-id", "A1").find(
            [ListedPort("/dev/ttyUSB0", "A1", "1-1"), ListedPort("/dev/ttyUSB1", "A1", "1-2")]
        )
    assert str(caught.value) == (
        "the line: 2 devices match; specify one of them: "
        "/dev/ttyUSB0 (serial number A1, USB path 1-1), /dev/ttyUSB1 (serial number A1, USB path 1-2)"
    )


def test_twins_that_were_told_apart_once_stay_apart_by_their_socket() -> None:
    end, twin = PtyMaster(), PtyMaster()
    ports = [ListedPort(end.name, "A1", "1-1")]
    found = PortFinder("the line", "serial-id", "A1", ports=lambda: list(ports))
    found().close()
    ports.append(ListedPort(twin.name, "A1", "1-2"))
    assert found.find(ports) == end.name
    ports[0] = ListedPort(end.name, "A1", "1-3")
    with pytest.raises(LineAmbiguous):
        found.find(ports)
    end.close()
    twin.close()


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        (Adapter(1, 2, "A", "1-1"), Adapter(1, 2, "A", "1-9"), True),
        (Adapter(1, 2, "A", "1-1"), Adapter(1, 2, "B", "1-1"), False),
        (Adapter(1, 2, None, "1-1"), Adapter(1, 2, None, "1-1"), True),
        (Adapter(1, 2, None, "1-1"), Adapter(1, 2, None, "1-2"), False),
        (Adapter(1, 2, "A", "1-1"), Adapter(1, 3, "A", "1-1"), False),
        (Adapter(1, 2, "A", "1-1"), None, False),
    ],
)
def test_a_serial_number_decides_and_without_one_the_path(one: Adapter, other: Adapter | None, alike: bool) -> None:
    assert one.is_like(other) is alike


def test_a_descriptor_number_used_again_at_once_is_watched_again(tmp_path: Path) -> None:
    """The next line often gets the number of the lost descriptor; a selector that was not updated would ignore it."""
    bench = Bench(SerialWire, tmp_path).up()
    numbers = []
    for _ in range(5):
        assert bench.supervisor.fileno() is not None
        numbers.append(bench.supervisor.fileno())
        bench.wire.unplug()
        bench.wire.plug()
        bench.device.emit(m.GreenButtonMessage)
        heard = len(bench.numbers())
        assert bench.run(lambda heard=heard: len(bench.numbers()) > heard, 30)
    assert len(set(numbers)) < len(numbers), "the kernel did not give the same number again; nothing was tried"
    bench.close()
