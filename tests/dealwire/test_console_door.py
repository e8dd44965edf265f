"""Attacks on the console's door over real sockets: wrong tokens from everywhere, endless digits, two lengths."""

from __future__ import annotations

import contextlib
import http.client
import logging
import socket
import threading
import time
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest

from dealwire.console.addresses import whole_number
from dealwire.console.server import Console
from dealwire.export.metrics_server import MetricsServer
from dealwire.hub.hub import Hub
from dealwire.listening import framed_doubtfully, neighbourhood
from tests.support.evenings.watched_table import WatchedTable
from tests.support.rigs.consoles import TOKENS, client, lines_given_back, origin, running
from tests.support.rigs.patience import PATIENCE_S


@pytest.fixture(scope="module")
def hub() -> Hub:
    return Hub()


@pytest.fixture(scope="module")
def console(hub: Hub) -> Iterator[Console]:
    with WatchedTable(hub, "player-short"), running(hub) as shown:
        yield shown


def place_of(address: str) -> tuple[str, int]:
    parts = urlsplit(address)
    assert parts.hostname is not None
    assert parts.port is not None
    return parts.hostname, parts.port


def said_to(place: tuple[str, int], request: bytes) -> bytes:
    """All that is answered until the other end closes; it must."""
    with socket.create_connection(place, PATIENCE_S) as line:
        line.sendall(request)
        answer = b""
        while piece := line.recv(65536):
            answer += piece
    return answer


# ------------------------------------------------------------------ signing in


def sign_in(place: tuple[str, int], token: str, source: str) -> tuple[int, float]:
    """The status of the answer, and the seconds until it was there."""
    began = time.monotonic()
    line = http.client.HTTPConnection(*place, timeout=PATIENCE_S, source_address=(source, 0))
    with contextlib.closing(line):
        body = f"token={token}"
        headers = {"content-type": "application/x-www-form-urlencoded", "origin": f"http://{place[0]}:{place[1]}"}
        line.request("POST", "/sign-in", body, headers)
        return line.getresponse().status, time.monotonic() - began


@pytest.mark.more
def test_a_right_token_comes_in_while_wrong_ones_come_from_everywhere(console: Console) -> None:
    """From ninety addresses, one at a time each, as long as it takes."""
    place, over, wrong = place_of(origin(console)), threading.Event(), list[int]()

    def hammer(number: int) -> None:
        while not over.is_set():
            with contextlib.suppress(OSError, http.client.HTTPException):
                wrong.append(sign_in(place, "a-wrong-token-0123", f"127.0.1.{number + 1}")[0])

    hammers = [threading.Thread(target=hammer, args=(number,)) for number in range(90)]
    for each in hammers:
        each.start()
    try:
        end = time.monotonic() + PATIENCE_S
        while len(wrong) < 100 and time.monotonic() < end:
            time.sleep(0.01)
        right = [sign_in(place, TOKENS["supervisor"], "127.0.2.1")[0] for _ in range(8)]
        same = sign_in(place, TOKENS["dealer"], "127.0.1.5")[0]
    finally:
        over.set()
        for each in hammers:
            each.join()
    assert right == [303] * 8
    assert same == 303, "nor does it wait behind wrong ones of its own address"
    assert set(wrong) <= {403, 429}
    assert 403 in wrong


def test_what_has_one_ipv6_network_is_one_address() -> None:
    assert neighbourhood("2001:db8:1:2:3:4:5:6") == neighbourhood("2001:db8:1:2::9") == "2001:db8:1:2::/64"
    assert neighbourhood("2001:db8:1:3::9") != neighbourhood("2001:db8:1:2::9")
    assert neighbourhood("::ffff:10.0.0.7") == neighbourhood("10.0.0.7") == "10.0.0.7"
    assert neighbourhood("fe80::1%eth0") == "fe80::/64"
    assert neighbourhood("::1") == "::1"
    assert neighbourhood("") == ""


# ------------------------------------------------------------------ digits

LONG = "9" * 5000
DIGITS = [
    "/table/pit-1/round/{}",
    "/table/pit-1/round/{}.pdf",
    "/table/pit-1/round/{}.json",
    "/replay/demo/step/{}",
    "/table/{}/round/1",
    "/live/{}",
    "/static/{}",
]
ASKED = [
    "/table/pit-1/round?number={}",
    "/table/pit-1/round/1?record={}",
    "/replay/demo?step={}",
    "/replay/demo?at={}",
    "/bench?table={}",
    "/wall?tables={}",
]


@pytest.mark.every(4)
@pytest.mark.parametrize("digits", [LONG, "0" * 5000, "-" + LONG, "٩" * 900, "1" * 11], ids=lambda each: each[:3])
@pytest.mark.parametrize("path", DIGITS + ASKED)
def test_endless_digits_are_no_page_and_no_fault(
    console: Console, caplog: pytest.LogCaptureFixture, path: str, digits: str
) -> None:
    with lines_given_back(), client(console) as browser, caplog.at_level(logging.WARNING):
        answer = browser.get(path.format(digits))
    wanted = {404} if path in DIGITS else {200, 303, 400, 404}
    assert answer.status_code in wanted
    assert caplog.records == []


def test_a_number_is_read_no_further_than_it_may_be() -> None:
    assert [whole_number(text, 99) for text in ("0", "07", "99", "100", "", "-1", "1.0", "٣", LONG, "0" * 5000)] == [
        0, 7, 99, None, None, None, None, None, None, 0,
    ]  # fmt: skip


# ------------------------------------------------------------------ where a request ends

SMUGGLED = b"GET /static/page.css HTTP/1.1\r\nHost: localhost\r\n\r\n"
TWO_LENGTHS = {
    "both": (b"1.1", b"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n"),
    "both, the other way round": (b"1.1", b"content-length: 5\r\nTRANSFER-ENCODING: chunked\r\n"),
    "a coding in HTTP/1.0": (b"1.0", b"Transfer-Encoding: chunked\r\nConnection: keep-alive\r\n"),
}


@pytest.mark.parametrize("server", ["console", "metrics"])
@pytest.mark.parametrize("how", TWO_LENGTHS)
@pytest.mark.parametrize("method", [b"GET", b"POST"])
def test_a_request_of_two_lengths_is_refused_and_its_connection_closed(
    console: Console, hub: Hub, server: str, how: str, method: bytes
) -> None:
    """Nothing behind it is taken for another request."""
    from dealwire.export.metrics import Metrics

    version, headers = TWO_LENGTHS[how]
    with contextlib.ExitStack() as stack:
        if server == "console":
            place = place_of(origin(console))
        else:
            place = place_of(stack.enter_context(MetricsServer(Metrics(hub), port=0)).address)
        host = f"{place[0]}:{place[1]}".encode()
        head = method + b" /metrics HTTP/" + version + b"\r\nHost: " + host + b"\r\nOrigin: http://" + host + b"\r\n"
        answer = said_to(place, head + headers + b"\r\n0\r\n\r\n" + SMUGGLED)
    assert answer.startswith(b"HTTP/1.1 400 "), answer[:200]
    assert answer.count(b"HTTP/1.1") == 1
    assert b"\r\nconnection: close\r\n" in answer.lower()


def test_one_length_is_enough(console: Console) -> None:
    place = place_of(origin(console))
    host = f"{place[0]}:{place[1]}".encode()
    form = b"token=" + TOKENS["dealer"].encode()
    for headers, body in (
        (b"Content-Length: %d\r\n" % len(form), form),
        (b"Transfer-Encoding: chunked\r\n", b"%x\r\n%s\r\n0\r\n\r\n" % (len(form), form)),
    ):
        head = b"POST /sign-in HTTP/1.1\r\nHost: " + host + b"\r\nOrigin: http://" + host + b"\r\nConnection: close\r\n"
        kind = b"Content-Type: application/x-www-form-urlencoded\r\n"
        assert said_to(place, head + kind + headers + b"\r\n" + body).startswith(b"HTTP/1.1 303 ")
    assert not framed_doubtfully("1.1", [b"content-length", b"host"])
    assert not framed_doubtfully("1.0", [b"content-length"])
