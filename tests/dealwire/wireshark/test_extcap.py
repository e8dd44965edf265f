"""The interfaces for Wireshark: what they answer, that they only listen, and that captures begin and end cleanly."""

import os
import pty
import select
import socket
import subprocess
import sys
import termios
import threading
import time
import tty
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from dealwire.wireshark import extcap
from dealwire.wireshark.folders import HERE
from devices.record.capture import Capture
from tests.support.oracles.tshark import ROOT, run

SCRIPT = [sys.executable, "-IS", str(HERE / "extcap.py")]
PATIENCE_S = 300.0
"""Failure guard, far above what anything takes."""


def answered(*words: str) -> str:
    done = subprocess.run([*SCRIPT, *words], capture_output=True, text=True, timeout=PATIENCE_S)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_the_list_is_given_and_words_of_newer_ones_are_ignored() -> None:
    said = answered("--extcap-interfaces", "--extcap-version=4.9", "--log-level", "debug", "--something-new")
    assert all(f"interface {{value=dealwire-{name}}}" in said for name in ("line", "server", "recording"))
    assert "number=250" in answered("--extcap-dlts", "--extcap-interface", "dealwire-line", "--new=1")
    config = answered("--extcap-config", "--extcap-interface", "dealwire-line:/dev/ttyUSB7")
    assert "{call=--address}" in config
    assert "default=/dev/ttyUSB7" in config
    assert config.count("{default=true}") == 1


def test_it_stands_alone_and_imports_little() -> None:
    code = "import runpy, sys; sys.argv = ['x', '--extcap-interfaces']; before = set(sys.modules)\n"
    code += f"try: runpy.run_path({str(HERE / 'extcap.py')!r}, run_name='__main__')\n"
    code += "except SystemExit: print('NEW', len(set(sys.modules) - before))\n"
    done = subprocess.run([sys.executable, "-IS", "-c", code], capture_output=True, text=True, timeout=PATIENCE_S)
    assert int(done.stdout.rpartition("NEW ")[2]) < 25, done.stdout


WATCHED = """
import os, runpy, sys
names = os.listdir
os.listdir = lambda folder: ["ttyUSB0", "ttyACM3", "null"] if folder == "/dev" else names(folder)
sys.argv = ["x", *{words!r}]
watched = {{"open", "socket"}}
sys.addaudithook(lambda event, args: print("AUDIT", event, args) if event.split(".")[0] in watched else None)
runpy.run_path({script!r}, run_name="__main__")
"""


@pytest.mark.parametrize(
    "words",
    [
        ["--extcap-interfaces"],
        ["--extcap-dlts", "--extcap-interface", "dealwire-line:/dev/ttyUSB0"],
        ["--extcap-config", "--extcap-interface", "dealwire-line:/dev/ttyUSB0"],
        ["--extcap-config", "--extcap-interface", "dealwire-server"],
    ],
    ids=lambda words: words[0],
)
def test_what_is_only_asked_opens_no_port_and_no_connection(words: list[str]) -> None:
    """Python tells its audit hooks of every file and connection before it opens it."""
    code = WATCHED.format(words=words, script=str(HERE / "extcap.py"))
    done = subprocess.run([sys.executable, "-IS", "-c", code], capture_output=True, text=True, timeout=PATIENCE_S)
    assert done.returncode == 0, done.stderr
    opened = [line for line in done.stdout.splitlines() if line.startswith("AUDIT")]
    assert [line for line in opened if "extcap.py" in line], "the hook sees nothing"
    assert not [line for line in opened if "/dev/" in line or "socket" in line], opened
    if words == ["--extcap-interfaces"]:
        assert "/dev/ttyUSB0" in done.stdout
        assert "/dev/ttyACM3" in done.stdout


@contextmanager
def capturing(interface: str, address: str, folder: Path, *words: str) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """A capture under way and the reading end of its pipe."""
    fifo = folder / "fifo"
    os.mkfifo(fifo)
    command = [*SCRIPT, "--capture", "--extcap-interface", interface, "--fifo", str(fifo), "--address", address, *words]
    process = subprocess.Popen([*command, "--new-of-wireshark", "1"], stderr=subprocess.PIPE)
    pipe = os.open(fifo, os.O_RDONLY)
    try:
        yield process, pipe
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()
        assert process.stderr is not None
        process.stderr.close()


def read_until(pipe: int, wanted: bytes) -> bytes:
    found, until = b"", time.monotonic() + PATIENCE_S
    while wanted not in found and time.monotonic() < until:
        if select.select([pipe], [], [], 1)[0]:
            found += os.read(pipe, 65536)
    assert wanted in found
    return found


STATUS = bytes.fromhex("0201030407010440010c010103078701059760cf8100")
"""The frame worked through in docs/protocol.md."""


def test_a_line_is_listened_to_and_hears_nothing(tmp_path: Path) -> None:
    device, line = pty.openpty()
    path = os.ttyname(line)
    # What waits already, on a line that would echo it: the settings of a port that nobody has used.
    assert termios.tcgetattr(line)[3] & termios.ECHO
    tty.setraw(line)
    with capturing("dealwire-line", path, tmp_path, "--dialect", "tdp", "--baud", "9600") as (process, pipe):
        heard = read_until(pipe, b"dialect=tdp")
        for _ in range(20):
            os.write(device, STATUS)
            heard += read_until(pipe, STATUS)
        assert termios.tcgetattr(line)[4] == termios.B9600
        assert not termios.tcgetattr(line)[3] & (termios.ECHO | termios.ICANON)
        assert select.select([device], [], [], 0.3)[0] == [], "a byte went to the device"
        opened = [os.readlink(each) for each in Path(f"/proc/{process.pid}/fd").iterdir()]
        assert opened.count(path) == 1
        number = next(each.name for each in Path(f"/proc/{process.pid}/fd").iterdir() if os.readlink(each) == path)
        flags = int((Path(f"/proc/{process.pid}/fdinfo") / number).read_text().split("flags:")[1].split()[0], 8)
        assert flags & os.O_ACCMODE == os.O_RDONLY
        os.close(pipe)
        assert process.wait(PATIENCE_S) == 0
    os.close(device)
    os.close(line)
    recording = tmp_path / "heard.pcapng"
    recording.write_bytes(heard)
    capture = Capture.read(recording)
    assert b"".join(chunk.data for chunk in capture.chunks) == STATUS * 20
    assert capture.interfaces[0].dialect == "tdp"
    assert run("-r", recording).count("Green button pressed") == 20


def test_a_lost_line_is_said_and_the_capture_goes_on(tmp_path: Path) -> None:
    device, line = pty.openpty()
    tty.setraw(line)
    path = os.ttyname(line)
    with capturing("dealwire-line", path, tmp_path) as (process, pipe):
        read_until(pipe, b"dialect=tdp")
        os.close(line)
        os.close(device)
        read_until(pipe, b"line lost: ")
        os.close(pipe)
        assert process.wait(PATIENCE_S) == 0


def test_a_line_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    with capturing("dealwire-line", str(tmp_path / "none"), tmp_path) as (process, pipe):
        assert process.wait(PATIENCE_S) == 1
        assert process.stderr is not None
        assert process.stderr.read().decode() == f"{tmp_path / 'none'}: No such file or directory\n"
        os.close(pipe)


def test_a_serial_server_hears_nothing(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        with capturing("dealwire-server", f"127.0.0.1:{port}", tmp_path) as (process, pipe):
            device, _ = server.accept()
            device.sendall(STATUS)
            read_until(pipe, STATUS)
            os.close(pipe)
            assert process.wait(PATIENCE_S) == 0
            device.settimeout(PATIENCE_S)
            assert device.recv(1) == b""
            device.close()


def test_a_recording_is_followed_as_it_grows(tmp_path: Path) -> None:
    whole = (ROOT / "captures" / "clean-1.pcapng").read_bytes()
    growing = tmp_path / "growing.pcapng"
    growing.write_bytes(whole[:1001])
    with capturing("dealwire-recording", str(growing), tmp_path) as (process, pipe):
        heard = read_until(pipe, whole[:900])
        with growing.open("ab") as file:
            file.write(whole[1001:])
        while len(heard) < len(whole):
            heard += os.read(pipe, 65536)
        assert heard == whole
        os.close(pipe)
        assert process.wait(PATIENCE_S) == 0


def test_each_pause_before_a_server_is_asked_again_is_longer(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    asked: list[float] = []

    def noted(out: int, seconds: float) -> None:
        asked.append(seconds)
        if len(asked) == 6:
            raise extcap.Gone

    monkeypatch.setattr(extcap, "closed", noted)
    with socket.create_server(("127.0.0.1", 0)) as server, (tmp_path / "out").open("wb") as out:
        given = {"address": f"127.0.0.1:{server.getsockname()[1]}"}
        threading.Thread(target=lambda: [server.accept()[0].close() for _ in range(6)], daemon=True).start()
        with pytest.raises(extcap.Gone):
            extcap.listen(extcap.SERVER, out.fileno(), given)
    assert asked == [0.25, 0.5, 1.0, 2.0, 4.0, 4.0]


def test_a_server_that_closes_at_once_is_noted_once(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"127.0.0.1:{server.getsockname()[1]}"
        with capturing("dealwire-server", address, tmp_path) as (process, pipe):
            server.settimeout(PATIENCE_S)
            for _ in range(3):
                server.accept()[0].close()
            device, _ = server.accept()
            device.sendall(STATUS)
            heard = read_until(pipe, STATUS)
            assert (heard.count(b"line lost: "), heard.count(b"line opened again")) == (1, 1)
            assert heard.index(b"line lost: ") < heard.index(b"line opened again") < heard.index(STATUS)
            os.close(pipe)
            assert process.wait(PATIENCE_S) == 0
            device.close()


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--capture", "--extcap-interface", "nonsense", "--fifo", "/tmp"), "no such interface: nonsense"),
        (("--extcap-dlts", "--extcap-interface", "nonsense"), "no such interface: nonsense"),
        (("--extcap-config",), "no such interface: (none named)"),
        (("--capture", "--extcap-interface", "dealwire-server", "--fifo", "/tmp"), "dealwire-server: no address"),
        (("--capture", "--extcap-interface", "dealwire-line:/dev/x", "--fifo", "/tmp", "--baud", "abc"), "--baud abc"),
        (("--capture", "--extcap-interface", "dealwire-line:/dev/x"), "--fifo names"),
        (
            ("--capture", "--extcap-interface", "dealwire-line:/dev/x", "--fifo", "/nowhere/x"),
            "/nowhere/x: No such file",
        ),
    ],
    ids=["interface", "dlts", "config", "address", "baud", "no fifo", "fifo"],
)
def test_what_cannot_be_is_one_line_and_an_exit_code(words: tuple[str, ...], why: str) -> None:
    done = subprocess.run([*SCRIPT, *words], capture_output=True, text=True, timeout=PATIENCE_S)
    assert done.returncode in (1, 2)
    assert done.stdout == ""
    assert done.stderr.startswith(why), done.stderr
    assert done.stderr.count("\n") == 1


def test_a_person_who_starts_it_is_told_what_it_is() -> None:
    assert "Wireshark starts it by itself" in answered("--help")
    assert answered().startswith("dealwire extcap ")
