"""HTTP server of `/metrics`: one thread, a limit on connections, and the same host check as the console's.

The event loop writes the answer itself, so that no connection needs a thread. A connection carries one request.
"""

import asyncio
import contextlib
import threading
from collections.abc import Callable, Sequence
from typing import Final, Self
from urllib.parse import urlsplit

from prometheus_client.exposition import choose_encoder

from dealwire.export.metrics import MetricSource
from dealwire.listening import (
    SWEEP_S,
    AcceptGate,
    Guest,
    HostNames,
    connections_allowed,
    framed_doubtfully,
    is_loopback,
    listening_error,
    listening_socket,
)
from dealwire.tls import ServerTls
from protocol.errors import LocalError

CONNECTIONS_MAX: Final = 16
"""Maximum number of connections. Further ones are closed at once."""
ADDRESS_MAX: Final = 8
"""Maximum number of connections per address, except this machine's."""
BACKLOG: Final = 128
"""Connections that the system may queue."""
HEAD_MAX: Final = 8 * 1024
"""Maximum size of a request in bytes."""

PHRASES: Final = {
    200: "OK",
    400: "Bad Request",
    404: "Not Found",
    405: "Method Not Allowed",
    421: "Misdirected Request",
    431: "Request Header Fields Too Large",
}


class MetricsUnusable(LocalError):
    """Error: the metrics cannot be served at this address."""

    def __init__(self, host: str, port: int, why: str) -> None:
        self.host, self.port, self.why = host, port, why
        super().__init__(f"metrics on {host}:{port}: {why}")


class MetricsServer:
    """Server of `/metrics` for clients that can reach `host`, by default this machine alone. `names` are host names
    that it answers to in addition to numeric addresses, and `tls` is the certificate to serve with. Raise LineBusy,
    LineDenied or LineAbsent if it cannot listen, MetricsUnusable if it cannot start.

    Use it as a context manager, or call `stop`.
    """

    def __init__(
        self,
        metrics: MetricSource,
        *,
        host: str = "127.0.0.1",
        port: int = 9420,
        names: Sequence[str] = (),
        tls: ServerTls | None = None,
    ) -> None:
        self._metrics, self._tls = metrics, tls
        try:
            self._listener = listening_socket(host, port, BACKLOG)
        except OSError as error:
            raise listening_error(f"metrics {host}:{port}", error) from None
        self._names = HostNames([*names, host], loopback_only=is_loopback(host))
        place = f"[{host}]" if ":" in host else host
        self.address = f"http{'s' if tls is not None else ''}://{place}:{self._listener.getsockname()[1]}/metrics"
        self._end: Callable[[], None] = lambda: None
        self._failed: OSError | None = None
        ready = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(ready,), name="metrics-server", daemon=True)
        self._thread.start()
        ready.wait()
        if self._failed is not None:
            raise MetricsUnusable(host, port, self._failed.strerror or str(self._failed))
        metrics.start()

    def stop(self) -> None:
        """Stop serving and counting."""
        self._end()
        self._thread.join()
        self._metrics.stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    # ------------------------------------------------------------------ in the server's thread

    def _run(self, ready: threading.Event) -> None:
        try:
            with self._listener, asyncio.Runner(loop_factory=asyncio.SelectorEventLoop) as runner:
                runner.run(self._serve(ready))
        except OSError as error:  # no descriptor is left for a loop
            self._failed = error
        finally:
            ready.set()

    async def _serve(self, ready: threading.Event) -> None:
        loop, stop = asyncio.get_running_loop(), asyncio.Event()

        def end() -> None:
            with contextlib.suppress(RuntimeError):  # it has already ended
                loop.call_soon_threadsafe(stop.set)

        self._end = end
        most = connections_allowed(CONNECTIONS_MAX)
        tls = self._tls.context if self._tls is not None else None
        gate = AcceptGate(self._listener, lambda: _Scrape(self._answer), most=most, most_each=ADDRESS_MAX, tls=tls)
        gate.open()
        ready.set()
        while not stop.is_set():
            gate.sweep()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(stop.wait(), SWEEP_S)
        gate.close()
        gate.abort()
        await asyncio.sleep(0)  # the connections' last calls

    def _answer(self, head: bytes) -> bytes:
        """Return the answer to the head of a request."""
        request, *lines = head.decode("latin-1").split("\r\n")
        method, _, target = request.rpartition(" ")[0].partition(" ")
        fields = [(name.strip().lower(), value.strip()) for name, _, value in (line.partition(":") for line in lines)]
        hosts = [value for name, value in fields if name == "host"]
        if not request.rpartition(" ")[2].startswith("HTTP/1.") or not target:
            return _message(400, "not an HTTP request\n")
        if framed_doubtfully(request.rpartition("/")[2], (name.encode("latin-1") for name, _ in fields)):
            return _message(400, "the request gives its length in two ways\n")
        if len(hosts) != 1 or not self._names.answers_to(hosts[0]):
            return _message(421, "these metrics are not served under that host name\n")
        if method not in ("GET", "HEAD"):
            return _message(405, "GET or HEAD\n", more="Allow: GET, HEAD\r\n")
        if target.partition("?")[0] != urlsplit(self.address).path:
            return _message(404, "see /metrics\n")
        encode, kind = choose_encoder(", ".join(value for name, value in fields if name == "accept"))
        return _message(200, encode(self._metrics.registry).decode(), kind=kind, bare=method == "HEAD")


def _message(
    status: int, text: str, *, kind: str = "text/plain; charset=utf-8", more: str = "", bare: bool = False
) -> bytes:
    body = text.encode()
    head = (
        f"HTTP/1.1 {status} {PHRASES[status]}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n"
        f"Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n{more}Connection: close\r\n\r\n"
    )
    return head.encode() + (b"" if bare else body)


class _Scrape(Guest):
    """Connection with one request. `answer` returns the answer to a head."""

    def __init__(self, answer: Callable[[bytes], bytes]) -> None:
        super().__init__()
        self._answer, self._head = answer, bytearray()
        self._transport: asyncio.Transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Accept the connection."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Collect the head, and answer it once it is complete."""
        if not self.waiting:
            return
        self._head += data
        head, end, _ = bytes(self._head).partition(b"\r\n\r\n")
        if not end and len(self._head) <= HEAD_MAX:
            return
        self.waits_for("", asyncio.get_running_loop().time())
        too_long = len(head) > HEAD_MAX
        self._transport.write(_message(431, "the request is too long\n") if too_long else self._answer(head))
        self._transport.close()
