"""A device on TCP that sends bytes as fast as they are read, until it is stopped."""

from __future__ import annotations

import contextlib
import socket
import threading
from types import TracebackType


class Flood:
    """Listens on `address`; any client gets `piece` repeatedly, until `calm` stops it."""

    def __init__(self, piece: bytes) -> None:
        self.calm = threading.Event()
        self.given = 0
        self._piece = piece
        self._server = socket.create_server(("127.0.0.1", 0))
        self._server.settimeout(0.1)
        self._over = threading.Event()
        self.address = f"tcp://127.0.0.1:{self._server.getsockname()[1]}"
        self._thread = threading.Thread(target=self._serve)

    def __enter__(self) -> Flood:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._over.set()
        self._thread.join()
        self._server.close()

    def _serve(self) -> None:
        while not self._over.is_set():
            with contextlib.suppress(OSError):  # nobody is there yet, or he left
                line, _ = self._server.accept()
                with line:
                    line.settimeout(0.1)
                    self._flood(line)

    def _flood(self, line: socket.socket) -> None:
        while not self._over.is_set():
            if self.calm.wait(0.0):
                self._over.wait(0.1)
                continue
            with contextlib.suppress(TimeoutError):
                self.given += line.send(self._piece)
