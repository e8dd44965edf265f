"""Real behavior of RFC 2217 serial servers: without modem lines, or silent. pyserial's own server side answers."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from serial import rfc2217

from devices import open_transport
from protocol.errors import LineAbsent, LineMute


class NoPort:
    """Settings that a PortManager sets, without a port behind them."""

    def __getattr__(self, name: str) -> Any:
        return False

    def get_settings(self) -> dict[str, Any]:
        return {}

    def apply_settings(self, settings: dict[str, Any]) -> None: ...

    def reset_input_buffer(self) -> None: ...

    def reset_output_buffer(self) -> None: ...


class WithoutModemLines(rfc2217.PortManager):  # type: ignore[misc]
    """A server like ser2net on a line without modem lines: levels are never confirmed."""

    def _telnet_process_subnegotiation(self, suboption: bytes) -> None:
        if suboption[1:2] != rfc2217.SET_CONTROL:
            super()._telnet_process_subnegotiation(suboption)


class WithoutSpeed(rfc2217.PortManager):  # type: ignore[misc]
    def _telnet_process_subnegotiation(self, suboption: bytes) -> None:
        if suboption[1:2] != rfc2217.SET_BAUDRATE:
            super()._telnet_process_subnegotiation(suboption)


@contextlib.contextmanager
def server(make: Callable[..., Any] | None) -> Iterator[str]:
    """Yield the address of a server that answers as `make` does, or, for None, accepts the connection and is silent."""
    listening = socket.create_server(("127.0.0.1", 0))
    ends: list[socket.socket] = []

    def serve(end: socket.socket) -> None:
        class Out:
            def write(self, data: bytes) -> None:
                end.sendall(data)

        with contextlib.suppress(OSError):
            manager = make(NoPort(), Out(), logger=None) if make is not None else None
            while data := end.recv(4096):
                plain = b"".join(manager.filter(data)) if manager is not None else b""
                if plain:
                    end.sendall(b"".join(manager.escape(plain)))

    def accept() -> None:
        with contextlib.suppress(OSError):
            while True:
                ends.append(listening.accept()[0])
                threading.Thread(target=serve, args=(ends[-1],), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield f"rfc2217://127.0.0.1:{listening.getsockname()[1]}"
    finally:
        for each in (listening, *ends):
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()


@pytest.mark.parametrize("more", ["?timeout=1", pytest.param("", marks=pytest.mark.more)])
def test_a_line_without_modem_lines_is_opened_all_the_same(more: str) -> None:
    with server(WithoutModemLines) as address:
        line = open_transport(address + more)
        line.write(b"there")
        found = b""
        while found != b"there":
            found += line.read()
        line.close()


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (None, "no answer: it accepts the connection but does not support RFC 2217; use tcp://HOST:PORT for raw bytes"),
        (WithoutSpeed, "no answer: it supports RFC 2217 but does not confirm the setting 'baudrate' of its port"),
    ],
)
def test_a_server_that_answers_nothing_is_there(make: Callable[..., Any] | None, why: str) -> None:
    with server(make) as address, pytest.raises(LineMute) as refused:
        open_transport(f"{address}?timeout=1")
    assert str(refused.value) == f"{address}?timeout=1: {why}"


def test_one_that_is_not_there_is_absent() -> None:
    with server(None) as address:
        pass
    with pytest.raises(LineAbsent) as refused:
        open_transport(address)
    assert not isinstance(refused.value, LineMute)
