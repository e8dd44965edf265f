"""Clients that send nothing, half of a request, or too much: real connections to a real console and real metrics."""

from __future__ import annotations

import contextlib
import errno
import logging
import os
import resource
import select
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from websockets.sync import client as websockets

from dealwire import listening
from dealwire.console import connection, server
from dealwire.console.connection import LiveConnection
from dealwire.console.guard import HEADERS_MAX
from dealwire.console.server import ADDRESS_MAX, CONNECTIONS_MAX, Console
from dealwire.hub.hub import Hub
from dealwire.listening import AcceptGate, connections_allowed
from tests.support.evenings.watched_table import WatchedTable
from tests.support.rigs.consoles import client, lines_given_back, origin, running

PATIENCE_S = 300.0
SHORT_S = 0.4


@pytest.fixture(autouse=True)
def nothing_is_open() -> Iterator[None]:
    with lines_given_back():
        yield


@contextlib.contextmanager
def impatient(monkeypatch: pytest.MonkeyPatch) -> Iterator[Console]:
    """A console whose limits are shorter, once it is there, so that a test can wait for them."""
    monkeypatch.setattr(connection, "SWEEP_S", 0.05)
    with running(Hub()) as shown:
        monkeypatch.setattr(listening, "LIMITS_S", dict.fromkeys(listening.LIMITS_S, SHORT_S))
        yield shown


def connect(shown: Console) -> socket.socket:
    address = urlsplit(shown.address)
    return socket.create_connection((address.hostname, address.port), timeout=PATIENCE_S)


def closed(line: socket.socket) -> bool:
    """True if the other end closes this line soon, after any answer."""
    end = time.monotonic() + PATIENCE_S
    try:
        while time.monotonic() < end:
            if not line.recv(65536):
                return True
    except ConnectionError:
        return True
    except TimeoutError:
        return False
    return False


# ------------------------------------------------------------------ the console


HALVES = {
    "nothing": b"",
    "half a line": b"GET / HT",
    "half a head": b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: ",
    "half a body": b"POST /sign-in HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: http://127.0.0.1\r\n"
    b"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\n\r\ntoken=",
    "a body nobody wants": b"POST /sign-in HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 100\r\n\r\ntoken=",
    "a second head": b"GET /sign-in HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\nGET / HTTP/1.1\r\nX: ",
    "nothing more": b"GET /sign-in HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
}


@pytest.mark.parametrize("sent", HALVES.values(), ids=HALVES)
def test_whoever_does_not_go_on_is_let_go(sent: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    with impatient(monkeypatch) as shown, connect(shown) as line:
        line.sendall(sent)
        assert closed(line)


def test_a_byte_now_and_then_is_no_going_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """A head that trickles in keeps its place no longer than one that stands still."""
    head = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: " + b"x" * 4000
    with impatient(monkeypatch) as shown, connect(shown) as line:
        with contextlib.suppress(ConnectionError):
            for byte in head:
                line.send(bytes([byte]))
                if select.select([line], [], [], SHORT_S / 20)[0]:
                    break
            else:
                pytest.fail("it was heard to the end")
        assert closed(line)


def test_silent_connections_keep_no_page_away() -> None:
    with running(Hub()) as shown, ExitStack() as stack:
        crowd = [stack.enter_context(connect(shown)) for _ in range(CONNECTIONS_MAX + 40)]
        with client(shown) as browser:
            for _ in range(5):
                assert browser.get("/sign-in", headers={"connection": "close"}).status_code == 200
        assert closed(crowd[0])  # whoever waited longest made room


def test_what_is_over_the_limit_is_closed_at_once_and_live_lines_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "CONNECTIONS_MAX", 4)
    hub = Hub()
    with WatchedTable(hub, "player-short"), running(hub) as shown, ExitStack() as stack:
        pages = [
            stack.enter_context(websockets.connect(f"ws{origin(shown)[4:]}/live/pit-1", origin=origin(shown)))
            for _ in range(4)
        ]
        for page in pages:
            assert page.recv(timeout=PATIENCE_S)
        with connect(shown) as one_more:
            assert closed(one_more)
        hub.show(hub.views()["pit-1"])
        for page in pages:
            assert page.recv(timeout=PATIENCE_S)


def gate_at(most: int, most_each: int, exempt: Any) -> tuple[AcceptGate, Any]:
    import asyncio

    class Silent(listening.Guest):
        """Says nothing, and waits for a head."""

    listener = listening.listening_socket("127.0.0.1", 0, 16)
    gate = AcceptGate(listener, Silent, most=most, most_each=most_each, exempt=exempt)
    return gate, (listener, asyncio)


@pytest.mark.parametrize(("exempt", "kept"), [(False, 2), (True, 5)])
def test_one_address_has_so_many_unless_many_stand_behind_it(exempt: bool, kept: int) -> None:
    gate, (listener, asyncio) = gate_at(5, 2, lambda _: exempt)

    async def scene() -> int:
        gate.open()
        writers = []
        for _ in range(8):
            _, writer = await asyncio.open_connection(*listener.getsockname())
            writers.append(writer)
            await asyncio.sleep(0.02)
        count = gate.count
        for writer in writers:
            writer.close()
        gate.close()
        gate.abort()
        await asyncio.sleep(0.05)
        return int(count)

    with listener:
        assert asyncio.run(scene()) == kept


def test_whoever_does_not_read_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """Unread output stays in our memory, and the connection cannot end before it is read."""
    import asyncio

    monkeypatch.setattr(listening, "UNREAD_S", SHORT_S)

    class Talks(listening.Guest):
        """Answers at once, more than the system keeps for a connection."""

        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            assert isinstance(transport, asyncio.Transport)
            self.waits_for("", 0.0)
            transport.write(bytes(32 * 2**20))
            transport.close()

    async def scene(listener: socket.socket) -> None:
        gate = AcceptGate(listener, Talks, most=5, most_each=5)
        gate.open()
        with socket.create_connection(listener.getsockname()):
            while not gate.count:
                await asyncio.sleep(0.01)
            while gate.count:
                gate.sweep()
                await asyncio.sleep(0.01)
        gate.close()

    with listening.listening_socket("127.0.0.1", 0, 16) as listener:
        asyncio.run(asyncio.wait_for(scene(listener), PATIENCE_S))


def test_no_descriptor_for_a_connection_is_said_once_and_waited_out(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listening, "RETRY_S", 0.01)
    gate, (listener, asyncio) = gate_at(5, 5, lambda _: True)

    class NoneLeft:
        """A listener whose system has no descriptor left for the first five tries."""

        tries = 0

        def __getattr__(self, name: str) -> Any:
            return getattr(listener, name)

        def accept(self) -> Any:
            self.tries += 1
            if self.tries <= 5:
                raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
            return listener.accept()

    gate._listener = short = NoneLeft()

    async def scene() -> None:
        gate.open()
        _, writer = await asyncio.open_connection(*listener.getsockname())
        while not gate.count:
            await asyncio.sleep(0.005)
        writer.close()
        gate.close()
        gate.abort()
        await asyncio.sleep(0.02)

    with listener, caplog.at_level(logging.WARNING):
        asyncio.run(asyncio.wait_for(scene(), PATIENCE_S))
    assert [record.getMessage() for record in caplog.records] == ["no connection can be taken: Too many open files"]
    assert short.tries <= 8


def test_a_quarter_of_the_descriptors_at_most() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (256, hard))
        assert connections_allowed(160) == 64
        assert connections_allowed(10) == 10
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert ADDRESS_MAX < CONNECTIONS_MAX


# ------------------------------------------------------------------ what the log says of it


def hear_to_the_end(page: Any) -> None:
    while True:
        page.recv(timeout=PATIENCE_S)


def test_bytes_that_are_no_request_and_requests_that_break_off_fill_no_log(caplog: pytest.LogCaptureFixture) -> None:
    hub = Hub()
    form = (
        "POST /sign-in HTTP/1.1\r\nHost: {0}\r\nOrigin: http://{0}\r\nContent-Length: 100\r\n"
        "Content-Type: application/x-www-form-urlencoded\r\n\r\ntoken=x"
    )
    with caplog.at_level(logging.WARNING), WatchedTable(hub, "player-short"), running(hub) as shown:
        place = urlsplit(shown.address).netloc
        pieces = form.format(place).replace("Content-Length: 100", "Transfer-Encoding: chunked").encode()
        stranger = pieces.replace(b"Origin", b"X")  # it is refused while its body is still to come
        for sent in (
            form.format(place).encode(),
            b"\xff\x00 / HTTP\r\n\r\n",
            *(head.replace(b"token=x", piece) for head in (pieces, stranger) for piece in (b"-1\r\na\r\n", b"0x1\r\n")),
        ):
            for _ in range(5):
                with connect(shown) as line:
                    line.sendall(sent)
        upgrade = {"connection": "upgrade", "upgrade": "h2c"}
        httpx.get(f"{origin(shown)}/sign-in", headers=upgrade, timeout=PATIENCE_S)
        with websockets.connect(f"ws{origin(shown)[4:]}/live/pit-1", origin=origin(shown)) as page:
            page.recv(timeout=PATIENCE_S)
            page.socket.sendall(b"\x81\x82\x00\x00\x00\x00\xff\xfe")  # a text that is no UTF-8
            with pytest.raises(Exception, match="1007"):
                hear_to_the_end(page)
        with client(shown) as browser:
            assert browser.get("/").status_code == 200
    assert [record.getMessage() for record in caplog.records if record.name != "dealwire"] == []


def test_heads_beyond_the_bound_are_refused() -> None:
    with running(Hub()) as shown, connect(shown) as line:
        line.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: " + b"x" * (2 * HEADERS_MAX))
        assert closed(line)


# ------------------------------------------------------------------ the descriptors of the device lines

SILENT = """
import socket, sys, time
lines = []
host, port, many = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
while len(lines) < many:
    line = socket.create_connection((host, port), timeout=30)
    lines.append(line)
print("here", flush=True)
sys.stdin.read()
"""


@contextlib.contextmanager
def silent(address: str, many: int) -> Iterator[None]:
    """Another process that opens `many` connections and says nothing."""
    place = urlsplit(address)
    arguments = [sys.executable, "-c", SILENT, str(place.hostname), str(place.port), str(many)]
    with subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "here\n"
            yield
        finally:
            process.kill()


SERVICE = """
import logging, resource, sys, threading, time
from pathlib import Path
logging.basicConfig(level=logging.WARNING)
resource.setrlimit(resource.RLIMIT_NOFILE, (1024, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
from dealwire import listening
from dealwire.console.server import Console
from dealwire.export.metrics import Metrics
from dealwire.export.metrics_server import MetricsServer
from dealwire.hub.hub import Hub
from devices.clock import SystemClock
from devices.drive.address import line_at
listening.LIMITS_S = dict.fromkeys(listening.LIMITS_S, 3600.0)  # as if those that are let go came again at once
hub = Hub()
console = Console(hub, recordings=Path("."))
console.start()
with MetricsServer(Metrics(hub), port=0) as metrics:
    print(console.address, metrics.address, flush=True)
    opener = line_at(sys.argv[1], SystemClock())
    line = opener.open()
    for word in sys.stdin:
        if word == "drop\\n":
            line.close()
            others = [open("/dev/null") for _ in range(300)]
            print("dropped", flush=True)
        elif word == "open\\n":
            line = opener.open()
            print("open", flush=True)
        else:
            break
    print(threading.active_count(), flush=True)
console.stop()
"""


@pytest.mark.more
def test_a_device_line_can_be_opened_again_while_a_thousand_connections_say_nothing() -> None:
    end, line = os.openpty()
    service = [sys.executable, "-c", SERVICE, os.ttyname(line)]
    pipes: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    with subprocess.Popen(service, text=True, **pipes) as process:
        try:
            assert process.stdin is not None
            assert process.stdout is not None
            assert process.stderr is not None
            console, metrics = process.stdout.readline().split()

            def ask(word: str) -> str:
                print(word, file=process.stdin, flush=True)
                return str(process.stdout.readline().strip())  # type: ignore[union-attr]

            with silent(console, 1010), silent(metrics, 300):
                assert ask("drop") == "dropped"
                assert ask("open") == "open"
                assert httpx.get(console, timeout=PATIENCE_S).status_code == 200
                assert httpx.get(metrics, timeout=PATIENCE_S).status_code == 200
                assert int(ask("end")) < 10  # no thread a connection
            said = process.stderr.read()
        finally:
            process.kill()
            os.close(end)
            os.close(line)
    assert said == ""


@pytest.mark.parametrize("hindered", [False, True])
def test_a_page_that_goes_as_the_console_ends_is_no_failure_of_it(
    monkeypatch: pytest.MonkeyPatch, hindered: bool
) -> None:
    """Both say so at once: the server's turn comes in the midst of the page's goodbye."""
    met = threading.Event()
    goodbye = LiveConnection.handle_close

    def both(self: LiveConnection, event: Any) -> None:
        self.shutdown()
        met.set()
        goodbye(self, event)

    monkeypatch.setattr(LiveConnection, "handle_close", both if hindered else goodbye)
    hub = Hub()
    with WatchedTable(hub, "clean-1"), running(hub) as console:
        here = console.address.rstrip("/")
        with websockets.connect(f"ws{here[4:]}/live/pit-1", origin=here) as line:
            line.recv(timeout=PATIENCE_S)
        assert not hindered or met.wait(PATIENCE_S)
    assert console.failed is None
