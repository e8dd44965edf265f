"""Requests over HTTP whose whole answer has to come in time: `timeout` alone counts for each read of it."""

import io
import socket
import urllib.request
from http.client import HTTPConnection, HTTPResponse, HTTPSConnection
from typing import TYPE_CHECKING, Any

from devices.clock import SystemClock

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer


def opened(request: urllib.request.Request, within_s: float) -> HTTPResponse:
    """Return the answer to a request; TimeoutError, there or when it is read, if it takes longer than `within_s`. The
    connection may take as long again."""
    opener = urllib.request.build_opener(_Plain, _Tls)
    answer: HTTPResponse = opener.open(request, timeout=within_s)
    return answer


class _Until(io.RawIOBase):
    """Bytes that come from a connection, until its time is over."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection, self._raw = connection, connection.makefile("rb", buffering=0)
        self._clock = SystemClock()
        self._end_ns = self._clock.now_ns() + round((connection.gettimeout() or 0.0) * 1e9)

    def readable(self) -> bool:
        return True

    def readinto(self, into: "WriteableBuffer", /) -> int | None:
        left_ns = self._end_ns - self._clock.now_ns()
        if left_ns <= 0:
            raise TimeoutError("timed out")
        self._connection.settimeout(left_ns / 1e9)
        return self._raw.readinto(into)

    def close(self) -> None:
        self._raw.close()
        super().close()


class _Answer(HTTPResponse):
    def __init__(self, sock: socket.socket, *arguments: Any, **named: Any) -> None:
        super().__init__(sock, *arguments, **named)
        self.fp.close()
        self.fp = io.BufferedReader(_Until(sock))


class _PlainConnection(HTTPConnection):
    response_class = _Answer


class _TlsConnection(HTTPSConnection):
    response_class = _Answer


class _Plain(urllib.request.HTTPHandler):
    def http_open(self, request: urllib.request.Request) -> HTTPResponse:
        return self.do_open(_PlainConnection, request)


class _Tls(urllib.request.HTTPSHandler):
    def https_open(self, request: urllib.request.Request) -> HTTPResponse:
        return self.do_open(_TlsConnection, request)
