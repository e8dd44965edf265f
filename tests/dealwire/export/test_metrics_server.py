"""Answers of `/metrics`, its clients, and how many it serves at once: a real server on a real port."""

import errno
import os
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from urllib.parse import urlsplit

import pytest

from dealwire import listening
from dealwire.export import metrics_server
from dealwire.export.metrics import Metrics
from dealwire.export.metrics_server import CONNECTIONS_MAX, HEAD_MAX, MetricsServer
from dealwire.hub.hub import Hub

PATIENCE_S = 300.0


@pytest.fixture
def server() -> Iterator[MetricsServer]:
    with MetricsServer(Metrics(Hub()), port=0, names=["pit.example"]) as made:
        yield made


def connect(server: MetricsServer) -> socket.socket:
    place = urlsplit(server.address)
    return socket.create_connection((place.hostname, place.port), timeout=PATIENCE_S)


def heard(line: socket.socket) -> bytes:
    """Everything until the other end closes."""
    try:
        return b"".join(iter(lambda: line.recv(65536), b""))
    except ConnectionError:
        return b""


def answer(server: MetricsServer, request: str) -> tuple[int, str]:
    """The status and the body."""
    with connect(server) as line:
        line.sendall(request.encode("latin-1"))
        head, _, body = heard(line).decode().partition("\r\n\r\n")
    assert f"Content-Length: {len(body)}" in head or not body
    return int(head.split(" ")[1]), body


GET = "GET /metrics HTTP/1.1\r\nHost: {}\r\n\r\n"
HOSTS = {
    "127.0.0.1": 200,
    "127.0.0.1:9420": 200,
    "[::1]:9420": 200,
    "localhost": 200,
    "PIT.example:9420": 200,
    "evil.example": 421,
    "pit.example.evil": 421,
    "192.168.7.9": 421,
    "": 421,
}


def test_another_host_name_is_not_answered(server: MetricsServer) -> None:
    """A web page cannot read the metrics by pointing its own name here."""
    assert {host: answer(server, GET.format(host))[0] for host in HOSTS} == HOSTS
    assert answer(server, "GET /metrics HTTP/1.1\r\n\r\n")[0] == 421
    assert answer(server, "GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: evil\r\n\r\n")[0] == 421


def test_bound_elsewhere_any_address_is_answered_but_no_unknown_name() -> None:
    with MetricsServer(Metrics(Hub()), host="0.0.0.0", port=0) as server:
        assert answer(server, GET.format("192.168.7.9:9420"))[0] == 200
        assert answer(server, GET.format("evil.example"))[0] == 421


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        ("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", 404),
        ("GET /metrics?name[]=x HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n", 200),
        ("POST /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5\r\n\r\nhello", 405),
        ("hello\r\n\r\n", 400),
        ("\r\n\r\n", 400),
        ("\xff\x00 \r\n: :\r\n\r\n", 400),
        ("GET /metrics SMTP\r\nHost: 127.0.0.1\r\n\r\n", 400),
        ("GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: ;;q=x,\xff;version=\xb2\r\n\r\n", 200),
        ("GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\nX: " + "x" * HEAD_MAX, 431),
    ],
)
def test_whatever_is_asked_has_an_answer(server: MetricsServer, request_: str, status: int) -> None:
    assert answer(server, request_)[0] == status
    assert answer(server, GET.format("127.0.0.1"))[0] == 200


def test_the_formats_and_the_bare_head(server: MetricsServer) -> None:
    for accept, kind in (("application/openmetrics-text; version=1.0.0", "openmetrics"), ("*/*", "text/plain")):
        with connect(server) as line:
            line.sendall(f"GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: {accept}\r\n\r\n".encode())
            assert kind in heard(line).decode().partition("\r\n\r\n")[0]
    assert answer(server, "HEAD /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n") == (200, "")


def test_silent_connections_have_no_thread_and_keep_no_scrape_away(server: MetricsServer) -> None:
    before = threading.active_count()
    with ExitStack() as stack:
        crowd = [stack.enter_context(connect(server)) for _ in range(CONNECTIONS_MAX + 10)]
        for line in crowd:
            try:
                line.sendall(b"GET /metrics HTTP/1.1\r\nX: ")
            except ConnectionError:
                continue  # it has made room already
        assert answer(server, GET.format("127.0.0.1"))[0] == 200
        assert threading.active_count() == before
        assert heard(crowd[0]) == b""


def test_a_head_that_does_not_come_is_not_waited_for(server: MetricsServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listening, "LIMITS_S", dict.fromkeys(listening.LIMITS_S, 0.2))
    monkeypatch.setattr(metrics_server, "SWEEP_S", 0.05)
    with connect(server) as line:
        line.sendall(b"GET /met")
        assert heard(line) == b""


def test_it_ends_whoever_is_connected() -> None:
    server = MetricsServer(Metrics(Hub()), port=0)
    with connect(server) as line:
        line.sendall(b"GET ")
        time.sleep(0.1)
        server.stop()
        assert heard(line) == b""
    assert not server._thread.is_alive()


def test_a_server_that_cannot_begin_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_loop() -> None:
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    monkeypatch.setattr(metrics_server.asyncio, "SelectorEventLoop", no_loop)
    with pytest.raises(metrics_server.MetricsUnusable, match="Too many open files"):
        MetricsServer(Metrics(Hub()), port=0)
