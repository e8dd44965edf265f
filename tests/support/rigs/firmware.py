"""The reference device in C for tests: built once, run as a program or on the board that QEMU emulates, queried in
bytes."""

from __future__ import annotations

import contextlib
import itertools
import json
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Protocol

import pytest
import serial

from firmware.qemu.board import QEMU, Board
from protocol.tdp import messages as m
from protocol.tdp.codec import decode, encode
from protocol.tdp.framing import Frame, Framer, encode_frame
from protocol.tdp.messages import Message

ROOT: Final = Path(__file__).parents[3]
BUILD: Final = ROOT / "build/firmware"
PATIENCE_S: Final = 300.0
"""Longest wait, far above the needs of a busy machine; only a device that says nothing runs into it."""
IMAGES: Final = {"shoe": "shoe", "table-controller": "controller", "shuffler": "shuffler"}

REQUESTS: Final = itertools.count(int(time.monotonic() * 1000))
"""Ids of commands: no two hosts that follow each other use the same."""


def make(target: str) -> str:
    """Build a target of firmware/Makefile and return the output. Skip the test if the machine lacks the tool."""
    needed = {"host": "cc", "analyze": "cc", "sanitized": "clang"}.get(target)
    if needed is not None and shutil.which(needed) is None:
        pytest.skip(f"{needed} is not installed (make test-firmware does)")
    if target == "cross":
        pytest.importorskip("ziglang", reason="the cross compiler is not installed: pip install 'dealwire[firmware]'")
    words = ["make", "--no-print-directory", "-C", str(ROOT / "firmware"), target, f"PYTHON={sys.executable}"]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def devices() -> list[str]:
    """Return the devices that exist in C, by the plans' names."""
    return [name for name, image in IMAGES.items() if (ROOT / f"firmware/src/device_{image}.c").exists()]


@contextmanager
def program(
    device: str,
    folder: Path,
    kind: str = "tdp-device-sanitized",
    store: Path | None = None,
    image: Path | None = None,
    identity: Path | None = None,
) -> Iterator[str]:
    """Run the program with the line `folder/line` and the control socket `folder/control`; yield the line."""
    line, control = folder / "line", folder / "control"
    words = [str(BUILD / kind), device, "--line", str(line), "--control", str(control)]
    words += ["--store", str(store)] if store else []
    words += ["--image", str(image)] if image else []
    words += ["--identity", str(identity)] if identity else []
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        assert json.loads(running.stdout.readline())["line"] == str(line)
        try:
            yield str(line)
        finally:
            running.terminate()
            said = running.stderr.read()
    assert not said, said
    assert running.returncode == 0


BOARDS: Final = ("lm3s6965", "mps2-an385")
"""Folders of the boards' images."""


@contextmanager
def board(device: str, name: str = BOARDS[0], folder: Path | None = None, keys: Path | None = None) -> Iterator[Board]:
    """Run the device on a board that QEMU emulates; its storage is in `folder`, if one is given, and its keys from
    production are the page `keys`."""
    if shutil.which(QEMU) is None:
        pytest.skip(f"{QEMU} is not installed (make test-firmware does)")
    make("cross")
    with Board(BUILD / f"{name}/{IMAGES[device]}.bin", folder, keys) as playing:
        yield playing


def order(control: Path, words: str) -> str:
    """Send one order to a control socket and return the answer."""
    with socket.socket(socket.AF_UNIX) as line:
        line.connect(str(control))
        line.sendall(words.encode() + b"\n")
        return line.makefile("r").readline().strip()


class Port(Protocol):
    """Line of a small host."""

    def read(self, count: int, /) -> bytes:
        """Return the bytes that arrive within a moment."""

    def write(self, data: bytes, /) -> object:
        """Write to the line."""

    def close(self) -> None:
        """Hang up."""


class OnTcp:
    """A TCP line with the part of a serial port's interface that a small host uses."""

    def __init__(self, line: str) -> None:
        host, _, port = line.removeprefix("tcp://").rpartition(":")
        self._socket = socket.create_connection((host, int(port)), timeout=PATIENCE_S)
        self._socket.settimeout(0.05)

    def read(self, count: int) -> bytes:
        """Return the bytes that arrive within a moment; none if the connection is closed."""
        with contextlib.suppress(TimeoutError, ConnectionResetError):
            return self._socket.recv(count)
        return b""

    def write(self, data: bytes) -> None:
        """Write to the line."""
        self._socket.sendall(data)

    def close(self) -> None:
        """Hang up."""
        self._socket.close()


class Asked:
    """A host of a few lines: it sends and awaits one message at a time."""

    def __init__(self, line: str | Port) -> None:
        if isinstance(line, str):
            line = OnTcp(line) if line.startswith("tcp://") else serial.Serial(line, 115200, timeout=0.05)
        self._port: Port = line
        self._framer, self._heard, self._session = Framer(), list[Message](), 0

    def __enter__(self) -> Asked:
        return self

    def __exit__(self, *_: object) -> None:
        self._port.close()

    def say(self, message: Message) -> None:
        """Send a message; a command gets a new request id."""
        request = next(REQUESTS) % 60_000 + 1
        self._port.write(encode_frame(encode(message, request=request), after_silence=True))

    def hear(
        self, kind: type[Message], wanted: Callable[[Message], bool] = lambda _: True, within: float = PATIENCE_S
    ) -> Message:
        """Return the next message of this kind that is `wanted`; raise AssertionError if none comes."""
        end = time.monotonic() + within
        while time.monotonic() < end:
            while self._heard:
                message = self._heard.pop(0)
                if isinstance(message, kind) and wanted(message):
                    return message
            pieces = self._framer.feed(self._port.read(256))
            fresh = [decode(piece.body).message for piece in pieces if isinstance(piece, Frame)]
            self._heard += fresh
            numbers = [message.number for message in fresh if isinstance(message, m.Event)]
            if numbers and self._session:
                self.say(m.AckMessage(self._session, max(numbers)))
        raise AssertionError(f"no {kind.__name__} within {within} s")

    def greet(self) -> m.HelloReplyMessage:
        """Return the reply to HELLO, repeating the request until the device answers."""
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end:
            self._heard.clear()
            self.say(m.HelloMessage(1, 0, 1, 4, "test"))
            with contextlib.suppress(AssertionError):
                found = self.hear(m.HelloReplyMessage, within=0.5)
                assert isinstance(found, m.HelloReplyMessage)
                return found
        raise AssertionError(f"nobody answered HELLO within {PATIENCE_S} s")

    def booted(self, session: int) -> m.BootedMessage:
        """Return the first event of the session, after opening it."""
        self.say(m.OpenSessionMessage(session, 1, 2, m.Role.SERVICE))
        self.say(m.ReadEventsMessage(session, 1))
        self._session = session
        found = self.hear(m.BootedMessage)
        assert isinstance(found, m.BootedMessage)
        return found
