"""The reference device on a board in QEMU: its line is a pseudo-terminal; power, cable and keys are a socket.

    python -m firmware.qemu.board build/firmware/lm3s6965/shuffler.bin

runs the board named by the image's folder, a Cortex-M3 of 2006 or ARM's MPS2 with the FPGA image AN385. It prints one
line of JSON, `{"line": …, "control": …}`, and runs the board until it is interrupted. Each line written to the control
socket is an order, answered by one line: `power off`, `power on`, `cable out`, `cable in`; anything else goes unchanged
to the device's hands channel (UART 1).
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import pty
import secrets
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import tty
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, Final

from firmware.production import PAGE_AT

QEMU: Final = "qemu-system-arm"
MACHINES: Final = {"lm3s6965": "lm3s6965evb", "mps2-an385": "mps2-an385"}
"""QEMU's name of a board, by the folder of its images."""
FRAM_BYTES: Final = 32 * 1024
"""Size of the part on the two-wire bus of the MPS2. Its bytes are a file, which survives the emulator."""
HANDED_AT: Final = 0x20000000
"""Address at which the image expects a random word; link.ld puts it first in RAM."""
PATIENCE_S: Final = 30.0
"""Maximum wait in seconds for QEMU or the device to answer an order, far above what a busy machine takes."""


class BoardFailed(Exception):
    """QEMU is missing or did not obey. The text says what happened and what to do."""


class Board:
    """One board, used as a context manager. `line` is the pseudo-terminal's stable name; `control` takes orders.

    A power cut stops the processor, loses every byte in transit, and ends in a reset. RAM keeps its content; the image
    clears it at its start, except what survives a reset. The MPS2 has its events in FRAM, the file `fram`. `keys` is a
    page with the device's keys from production.
    """

    def __init__(self, image: Path, folder: Path | None = None, keys: Path | None = None) -> None:
        if shutil.which(QEMU) is None:
            raise BoardFailed(f"{QEMU} was not found (Debian: apt-get install {QEMU})")
        if not image.exists():
            raise BoardFailed(f"{image} was not found; try: make firmware")
        if image.resolve().parent.name not in MACHINES:
            boards = ", ".join(MACHINES)
            raise BoardFailed(f"{image} lies in no folder that is named after a board; there are {boards}")
        if keys is not None and not keys.exists():
            raise BoardFailed(f"{keys} was not found; python -m firmware.production writes it")
        self._image, self._page = image, keys
        self._own = folder is None
        self._folder = folder or Path(tempfile.mkdtemp(prefix="tdp-board-"))
        self.line, self.control = self._folder / "line", self._folder / "control"
        self._powered = False
        self._master = self._slave = -1
        self._lock, self._at_keys = threading.Lock(), threading.Lock()
        self._over = threading.Event()
        self._kept = b""

    def __enter__(self) -> Board:
        self._start_qemu()
        self._plug_in()
        self._listener = socket.socket(socket.AF_UNIX)
        self.control.unlink(missing_ok=True)
        self._listener.bind(str(self.control))
        self._listener.listen()
        self._threads = [threading.Thread(target=each, daemon=True) for each in (self._carry, self._serve)]
        for thread in self._threads:
            thread.start()
        self.power(True)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._over.set()
        for thread in self._threads:
            thread.join()
        with contextlib.suppress(OSError, BoardFailed):
            self._ask_qemu("quit")
        try:
            self._qemu.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            self._qemu.kill()
            self._qemu.wait()
        self._plug_out()
        for each in (self._listener, self._answers, self._monitor, self._bytes, self._keys, self._qemu.stderr):
            if each is not None:
                each.close()
        if self._own:
            shutil.rmtree(self._folder, ignore_errors=True)

    # ------------------------------------------------------------------ orders

    def order(self, words: str) -> str:
        """Carry out one line of the control socket, and return the result as one line."""
        switches = {"power off": (self.power, False), "power on": (self.power, True)}
        switches |= {"cable out": (self.cable, False), "cable in": (self.cable, True)}
        if words in switches:
            switch, on = switches[words]
            switch(on)
            return "ok"
        return self.keys(words)

    def power(self, on: bool) -> None:
        """Switch the power on or off."""
        with self._at_keys, self._lock:
            if on:
                self._drain()
                self._ask_qemu("system_reset")
                self._powered = True
                self._ask_qemu("cont")
            else:
                self._ask_qemu("stop")
                self._powered = False

    def cable(self, there: bool) -> None:
        """Pull the cable, which closes the pseudo-terminal, or plug it in again under the same name."""
        with self._lock:
            self._plug_out()
            if there:
                self._plug_in()

    def keys(self, words: str) -> str:
        """Send one line to the device's hands channel and return its answer; "no power" or "no answer" without one."""
        with self._at_keys:  # alone, so that the line goes on meanwhile
            if not self._powered:
                return "no power"
            self._keys.sendall(words.encode() + b"\n")
            end = time.monotonic() + PATIENCE_S
            while b"\n" not in self._kept:
                if not select.select([self._keys], [], [], max(0.0, end - time.monotonic()))[0]:
                    return "no answer"
                self._kept += self._keys.recv(4096)
            answer, _, self._kept = self._kept.partition(b"\n")
            return answer.decode("ascii", "replace")

    def send_keys(self, words: str) -> None:
        """Send one line to the hands channel that gets no answer."""
        self._keys.sendall(words.encode() + b"\n")

    # ------------------------------------------------------------------ QEMU

    def _start_qemu(self) -> None:
        names = {name: self._folder / name for name in ("qmp", "bytes", "keys")}
        chardevs = [
            word
            for name, path in names.items()
            for word in ("-chardev", f"socket,id={name},path={path},server=on,wait=off")
        ]
        handed = f"loader,addr={HANDED_AT:#x},data={secrets.randbits(32):#x},data-len=4"
        board = self._image.resolve().parent.name
        command = [QEMU, "-M", MACHINES[board], "-S", "-nodefaults", "-display", "none", *chardevs]
        command += ["-mon", "chardev=qmp,mode=control", "-serial", "chardev:bytes", "-serial", "chardev:keys"]
        command += ["-kernel", str(self._image), "-device", handed]
        if self._page is not None:
            command += ["-device", f"loader,addr={PAGE_AT:#x},file={self._page},force-raw=on"]
        if board == "mps2-an385":
            fram = self._folder / "fram"
            if not fram.exists():
                fram.write_bytes(bytes(FRAM_BYTES))
            command += ["-drive", f"if=none,id=fram,format=raw,file={fram}"]
            command += ["-device", f"at24c-eeprom,bus=i2c,address=0x50,rom-size={FRAM_BYTES},drive=fram"]
        self._qemu = subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self._monitor, self._bytes, self._keys = (self._reach(path) for path in names.values())
        self._answers = self._monitor.makefile("r", encoding="utf-8")
        self._answers.readline()
        self._ask_qemu("qmp_capabilities")

    def _reach(self, path: Path) -> socket.socket:
        end = time.monotonic() + PATIENCE_S
        while True:
            reached = socket.socket(socket.AF_UNIX)
            try:
                reached.connect(str(path))
            except OSError:
                reached.close()
                if self._qemu.poll() is not None or time.monotonic() > end:
                    said = self._qemu.stderr.read() if self._qemu.stderr and self._qemu.poll() is not None else ""
                    raise BoardFailed(f"{QEMU} did not start: {said.strip()}") from None
                time.sleep(0.01)
            else:
                return reached

    def _ask_qemu(self, name: str) -> Any:
        self._monitor.sendall(json.dumps({"execute": name}).encode() + b"\n")
        for line in self._answers:
            answer = json.loads(line)
            if "error" in answer:
                raise BoardFailed(f"{QEMU} refused {name}: {answer['error'].get('desc')}")
            if "return" in answer:
                return answer["return"]
        raise BoardFailed(f"{QEMU} ended at {name}")

    def _drain(self) -> None:
        """Discard the bytes in transit at a power cut."""
        self._kept = b""
        for each in (self._bytes, self._keys):
            while select.select([each], [], [], 0)[0] and each.recv(4096):
                pass

    # ------------------------------------------------------------------ the cable

    def _plug_in(self) -> None:
        self._master, self._slave = pty.openpty()
        tty.setraw(self._slave)
        os.set_blocking(self._master, False)
        fresh = self.line.with_name("line.new")
        fresh.unlink(missing_ok=True)
        fresh.symlink_to(os.ttyname(self._slave))
        fresh.replace(self.line)

    def _plug_out(self) -> None:
        self.line.unlink(missing_ok=True)
        for end in (self._slave, self._master):
            if end >= 0:
                os.close(end)
        self._master = self._slave = -1

    def _carry(self) -> None:
        """Carry bytes between the cable and the board; discard them while either is missing."""
        while not self._over.is_set():
            master = self._master
            ends = [self._bytes, *([master] if master >= 0 else [])]
            try:
                ready = select.select(ends, [], [], 0.05)[0]
            except (OSError, ValueError):
                continue  # the cable went meanwhile
            if not ready:
                continue
            with self._lock:
                if self._bytes in ready and select.select([self._bytes], [], [], 0)[0]:
                    self._to_host(self._bytes.recv(4096))
                if master in ready and master == self._master:
                    self._to_board()

    def _to_host(self, data: bytes) -> None:
        if self._powered and self._master >= 0:
            # with no reader the line fills; a cable has no memory either
            with contextlib.suppress(OSError):
                os.write(self._master, data)

    def _to_board(self) -> None:
        with contextlib.suppress(OSError):
            data = os.read(self._master, 4096)
            if self._powered:
                self._bytes.sendall(data)

    # ------------------------------------------------------------------ the control socket

    def _serve(self) -> None:
        while not self._over.is_set():
            if not select.select([self._listener], [], [], 0.1)[0]:
                continue
            caller, _ = self._listener.accept()
            with caller, caller.makefile("r", encoding="ascii", errors="replace") as orders:
                caller.settimeout(None)
                for line in self._lines(caller, orders):
                    try:
                        answer = self.order(line)
                    except BoardFailed as error:
                        answer = f"failed: {error}"
                    with contextlib.suppress(OSError):
                        caller.sendall(answer.encode() + b"\n")

    def _lines(self, caller: socket.socket, orders: Any) -> Iterator[str]:
        while not self._over.is_set():
            if select.select([caller], [], [], 0.1)[0]:
                line = orders.readline()
                if not line:
                    return
                yield line.strip()


def main(words: list[str] | None = None) -> int:
    """Run the command: one board until it is interrupted."""
    parser = argparse.ArgumentParser(prog="python -m firmware.qemu.board", description=__doc__.partition("\n")[0])
    parser.add_argument("image", type=Path, help="the program for the board, as a binary")
    parser.add_argument("--keys", type=Path, metavar="PAGE", help="page with the device's keys from production")
    given = parser.parse_args(words)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with Board(given.image, keys=given.keys) as board:
            print(json.dumps({"line": str(board.line), "control": str(board.control)}), flush=True)
            while True:
                time.sleep(3600)
    except KeyboardInterrupt:
        return 0
    except BoardFailed as error:
        print(f"board: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
