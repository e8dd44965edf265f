"""Opening of a line: a failure is one clear line with the place; settings are applied."""

import errno
import fcntl
import os
import stat
import subprocess
import sys
import termios
from pathlib import Path

import pytest
import serial
from serial.tools.list_ports import comports

from devices.drive.address import open_transport
from devices.transport import serial_port
from devices.transport.serial_port import SerialSettings, holder_of, open_serial
from protocol.errors import LineAbsent, LineBusy, LineDenied, LineError, LineUnusable
from tests.support.rigs.lines import PtyEnd
from tests.support.rigs.ports import free_port


@pytest.fixture
def pty():
    made = PtyEnd()
    yield made
    made.close()


def test_a_missing_port_is_absent():
    with pytest.raises(LineAbsent) as caught:
        open_transport("/dev/ttyNOSUCH7")
    there, _, attached = str(caught.value).partition("; attached: ")
    assert there == "/dev/ttyNOSUCH7: not there: No such file or directory"
    assert [name.split()[0] for name in attached.split("), ") if name] == [port.device for port in sorted(comports())]
    assert isinstance(caught.value.__cause__, serial.SerialException)


def test_a_port_in_use_names_its_holder(pty):
    line = open_transport(pty.path)
    with pytest.raises(LineBusy) as caught:
        open_transport(f"serial://{pty.path}")
    assert str(caught.value) == f"serial://{pty.path}: in use by process {os.getpid()} (this program)"
    line.close()
    open_transport(pty.path).close()


def test_a_port_held_by_another_process_names_it(pty):
    hold = "import fcntl, os, sys; f = os.open(sys.argv[1], os.O_RDWR | os.O_NOCTTY); fcntl.flock(f, fcntl.LOCK_EX); "
    code = hold + "print('held', flush=True); sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", code, pty.path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        pty.release_slave()
        with pytest.raises(LineBusy) as caught:
            open_transport(pty.path)
        assert f"in use by process {other.pid} (" in str(caught.value)
        other.communicate("")


def test_nobody_holds_a_free_device():
    assert holder_of("/dev/ttyNOSUCH7") is None


@pytest.mark.parametrize("mode", ["group", "owner"])
def test_denied_says_which_group_may_and_what_to_run(tmp_path, monkeypatch, mode):
    device = tmp_path / "ttyX"
    device.touch()
    device.chmod(0o660 if mode == "group" else 0o600)

    def refuse(self: serial.Serial) -> None:
        raise serial.SerialException(errno.EACCES, "could not open port")

    # Root may open anything, so the system's refusal itself cannot be had in every place this runs.
    monkeypatch.setattr(serial.Serial, "open", refuse)
    with pytest.raises(LineDenied) as caught:
        open_transport(str(device))
    if mode == "group":
        group = serial_port._group_name(device.stat().st_gid)
        assert f"belongs to the group {group}: run `sudo usermod -aG {group} $USER`" in str(caught.value)
    else:
        assert "only its owner has access (mode -rw-------)" in str(caught.value)
    assert stat.S_ISREG(device.stat().st_mode)


def test_a_file_that_is_no_port_is_unusable(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("hello")
    with pytest.raises(LineUnusable) as caught:
        open_transport(str(path))
    assert str(caught.value).startswith(f"{path}: cannot be used as a line: ")
    assert path.read_text() == "hello"


@pytest.mark.parametrize(
    ("address", "says"),
    [
        ("serial:///dev/x?baud=fast", "setting baud='fast'; allowed: baud=NUMBER; parity=N|E|O; stop=1|2"),
        ("serial:///dev/x?baud=0", "setting baud='0'"),
        ("serial:///dev/x?speed=9600", "setting speed='9600'; allowed: baud=NUMBER"),
        ("serial:///dev/x?parity=M", "setting parity='M'"),
        ("tcp://host", "use tcp://host:port, with a port from 1 to 65535"),
        ("tcp://host:99999", "use tcp://host:port"),
        ("", "use one of: serial:///dev/ttyUSB0?baud=115200"),
        ("morse://key", "protocol 'morse' not known"),
    ],
)
def test_a_wrong_address_says_what_is_allowed(address, says):
    with pytest.raises(LineError) as caught:
        open_transport(address)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("scheme", ["tcp", "rfc2217", "socket"])
def test_nobody_listening_is_absent(scheme):
    port = free_port()
    with pytest.raises(LineAbsent) as caught:
        open_transport(f"{scheme}://127.0.0.1:{port}")
    assert f"{scheme}://127.0.0.1:{port}: not there: " in str(caught.value)
    assert "efused" in str(caught.value)


def test_settings_reach_the_port(pty):
    line = open_transport(f"serial://{pty.path}?baud=9600&stop=2&dtr=0&rts=0")
    attributes = termios.tcgetattr(line.fileno())
    assert attributes[4] == attributes[5] == termios.B9600
    assert attributes[2] & termios.CSTOPB
    assert not attributes[2] & termios.HUPCL
    assert attributes[6][termios.VMIN] in (1, b"\x01")
    line.close()


def test_the_default_is_115200_8n1_and_locked(pty):
    line = open_serial(pty.path, SerialSettings())
    attributes = termios.tcgetattr(line.fileno())
    assert attributes[4] == termios.B115200
    assert attributes[2] & termios.CSIZE == termios.CS8
    assert not attributes[2] & (termios.CSTOPB | termios.PARENB)
    descriptor = os.open(pty.path, os.O_RDWR | os.O_NOCTTY)
    with pytest.raises(BlockingIOError):
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    os.close(descriptor)
    line.close()


def test_importing_devices_brings_no_driver_library():
    root = Path(__file__).parents[2]
    modules = sorted(f"devices.{path.stem}" for path in (root / "devices").glob("[a-z]*.py"))
    code = f"import {', '.join(modules)}, devices.drive.address, sys; print({{'serial', 'usb'}} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
