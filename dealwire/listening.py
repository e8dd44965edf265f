"""Limits for accepted connections: how many, from whom, and how long one may be slow.

A gate accepts for a server of its own loop. Connections over a limit are closed at once and never queued. If every
place is taken, the slowest one is closed, so that silent connections cannot keep a page away. A gate takes at most a
quarter of the process's file descriptors; the rest is for device lines and the journal.
"""

import asyncio
import contextlib
import errno
import ipaddress
import logging
import socket
import ssl
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from typing import Final, Literal

from protocol.errors import LineAbsent, LineBusy, LineDenied, LineError

_log = logging.getLogger(__name__)

HEAD_S: Final = 5.0
"""For the head of a request, from its first byte or the start of the connection."""
BODY_S: Final = 5.0
"""For the body of a request, from the end of its head."""
IDLE_S: Final = 5.0
"""Between an answer and the next request of the same connection."""
UNREAD_S: Final = 20.0
"""For output to be accepted; then the connection is cut."""
SWEEP_S: Final = 1.0
"""Interval between searches for slow connections."""
RETRY_S: Final = 1.0
"""Wait before the next attempt when the system had no descriptor for a connection."""
GOODBYE_S: Final = 2.0
"""For the other end to answer the end of a TLS connection; then it is cut."""
BURST: Final = 64
"""Connections accepted in one turn of the loop."""

Waiting = Literal["", "idle", "head", "body"]
LIMITS_S: Final[dict[Waiting, float]] = {"idle": IDLE_S, "head": HEAD_S, "body": BODY_S}


def is_loopback(host: str) -> bool:
    """True if `host` can only be reached from this machine."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def is_address(text: str) -> bool:
    """True for a numeric address, IPv4 or IPv6."""
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


def neighbourhood(address: str) -> str:
    """Return the group of addresses that one client controls: a /64 network for IPv6, the address itself for IPv4. A
    text that is not an address is returned as is."""
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(found, ipaddress.IPv4Address) or found.is_loopback:
        return str(found)
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return str(ipaddress.IPv6Network((found, 64), strict=False))


def host_name(header: str) -> str:
    """Return the name or address in a Host header, without the port; empty if there is none."""
    if header.startswith("["):
        return header[1:].partition("]")[0]
    return header.rpartition(":")[0] if header.count(":") == 1 else header


class HostNames:
    """Host names a server answers to.

    A foreign page must not reach it by pointing its own name here (DNS rebinding). A numeric address cannot be pointed
    anywhere, so only names are checked against the list.
    """

    def __init__(self, names: Collection[str], *, loopback_only: bool) -> None:
        self._names = frozenset(name.lower() for name in names) | {"localhost"}
        self._loopback_only = loopback_only

    def answers_to(self, header: str) -> bool:
        """True if a Host header names this server. With `loopback_only`, addresses of other machines do not count."""
        name = host_name(header).lower()
        if name in self._names:
            return True
        try:
            address = ipaddress.ip_address(name)
        except ValueError:
            return False
        return address.is_loopback or not self._loopback_only


def framed_doubtfully(version: str, names: Iterable[bytes]) -> bool:
    """True if two programs could disagree on the end of a request (RFC 9112, 6.1 and 6.3).

    That is so if a transfer coding comes with a content length, or in an HTTP version without codings. `version` is
    such as `1.1`, `names` are header names in lower case. Such a connection carries no further request.
    """
    found = set(names)
    return b"transfer-encoding" in found and (b"content-length" in found or version < "1.1")


def connections_allowed(most: int) -> int:
    """Return `most`, or a quarter of this process's file descriptors if that is less."""
    try:
        import resource
    except ImportError:  # a system without such limits
        return most
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return most if soft == resource.RLIM_INFINITY else max(1, min(most, soft // 4))


class Guest(asyncio.Protocol):
    """A connection as its gate sees it: what it waits for from the other end, and since when (loop time)."""

    def __init__(self) -> None:
        self.waiting: Waiting = "head"
        self.since_s = 0.0

    def waits_for(self, what: Waiting, now_s: float) -> None:
        """Set what the other end must send next; empty when it is our turn."""
        if what != self.waiting:
            self.waiting, self.since_s = what, now_s


class _Place:
    """An occupied place and its connection."""

    def __init__(self, host: str, line: socket.socket, guest: Guest, now_s: float, *, is_tls: bool) -> None:
        self.host, self.guest = neighbourhood(host), guest
        self._line, self.is_tls = line, is_tls
        self.transport: asyncio.Transport | None = None
        self.task: asyncio.Task[None] | None = None
        self.began_s = now_s
        self._stuck_s: float | None = None

    @property
    def over(self) -> bool:
        """True if the connection is gone."""
        if self.transport is None:
            return self.task is not None and self.task.done()
        return self._line.fileno() == -1

    def kept_waiting_s(self, now_s: float) -> tuple[float, float]:
        """Return the time that the other end has kept us waiting, and its limit, in seconds; zeros if nothing is
        waiting.

        Unread output and an unanswered close count from when they are first seen here.
        """
        if self.transport is None:
            return now_s - self.began_s, HEAD_S
        try:
            protocol, unread = self.transport.get_protocol(), self.transport.get_write_buffer_size()
        except AttributeError:  # TLS that was closed twice has neither; it ends within `GOODBYE_S`
            return 0.0, 0.0
        closing = protocol is not self.guest and getattr(protocol, "close_sent", False)
        if not closing and not unread:
            self._stuck_s = None
        elif self._stuck_s is None:
            self._stuck_s = now_s
        if self._stuck_s is not None:
            return now_s - self._stuck_s, UNREAD_S
        if protocol is not self.guest:  # a live connection: the board supervises it until it closes
            return 0.0, 0.0
        if not self.guest.waiting:
            return 0.0, 0.0
        return now_s - self.guest.since_s, LIMITS_S[self.guest.waiting]

    def close(self) -> None:
        """Cut the connection; unread output is dropped."""
        if self.transport is None:
            if self.task is not None:
                self.task.cancel()
        elif self.is_tls or self.transport.get_write_buffer_size():
            self.transport.abort()  # a farewell under TLS waits for its answer, and keeps the descriptor meanwhile
        else:
            self.transport.close()


class AcceptGate:
    """Accepts on the non-blocking `listener` and creates connections with `make`.

    At most `most` connections at once, and `most_each` of one address (or one IPv6 /64 network), unless it is `exempt`,
    such as a proxy with many clients. `tls` returns the context of the next connection; None: connections are plain.
    Call every method in the thread of its loop, an `asyncio.SelectorEventLoop`.
    """

    def __init__(
        self,
        listener: socket.socket,
        make: Callable[[], Guest],
        *,
        most: int,
        most_each: int,
        exempt: Callable[[str], bool] = is_loopback,
        tls: Callable[[], ssl.SSLContext] | None = None,
    ) -> None:
        self._listener, self._make, self._tls = listener, make, tls
        self._most, self._most_each, self._exempt = most, most_each, exempt
        self._places: list[_Place] = []
        self._loop: asyncio.AbstractEventLoop
        self._later: asyncio.TimerHandle | None = None
        self._short = False

    def open(self) -> None:
        """Start accepting."""
        self._loop = asyncio.get_running_loop()
        self._listener.setblocking(False)
        self._loop.add_reader(self._listener, self._accept)

    def close(self) -> None:
        """Stop accepting, and close connections that wait for the other end. Answers under way continue."""
        if self._later is not None:
            self._later.cancel()
        self._loop.remove_reader(self._listener)
        for place in self._places:
            if place.kept_waiting_s(self._loop.time())[1]:
                place.close()

    def abort(self) -> None:
        """Cut all remaining connections."""
        for place in self._places:
            if place.transport is not None:
                place.transport.abort()
            else:
                place.close()

    @property
    def count(self) -> int:
        """Number of connections."""
        self._places = [place for place in self._places if not place.over]
        return len(self._places)

    def sweep(self) -> None:
        """Cut connections that are too slow; call it every `SWEEP_S`."""
        now_s = self._loop.time()
        self._places = [place for place in self._places if not place.over]
        for place in self._places:
            waited_s, limit_s = place.kept_waiting_s(now_s)
            if waited_s > limit_s:
                place.close()

    # ------------------------------------------------------------------ accepting

    def _accept(self) -> None:
        for _ in range(BURST):
            try:
                line, address = self._listener.accept()
            except (BlockingIOError, InterruptedError, ConnectionError):
                return
            except OSError as error:  # out of descriptors or memory: retrying at once would spin
                self._pause(error)
                return
            self._short = False
            self._admit(line, address[0])

    def _pause(self, error: OSError) -> None:
        if not self._short:  # log once per shortage
            _log.warning("no connection can be taken: %s", error.strerror or error)
        self._short = True
        self._loop.remove_reader(self._listener)
        self._later = self._loop.call_later(RETRY_S, self._loop.add_reader, self._listener, self._accept)

    def _admit(self, line: socket.socket, host: str) -> None:
        if not self._has_room(host):
            line.close()
            return
        line.setblocking(False)
        place = _Place(host, line, self._make(), self._loop.time(), is_tls=self._tls is not None)
        place.guest.since_s = place.began_s
        self._places.append(place)
        place.task = self._loop.create_task(self._connect(place, line))
        place.task.add_done_callback(lambda _: line.close() if place.transport is None else None)

    async def _connect(self, place: _Place, line: socket.socket) -> None:
        # With TLS the handshake happens here, within the time for a head: until it is over, nothing reaches the guest.
        limits = {"ssl_handshake_timeout": HEAD_S, "ssl_shutdown_timeout": GOODBYE_S} if self._tls is not None else {}
        context = self._tls() if self._tls is not None else None
        with contextlib.suppress(OSError):  # the client has left, or does not speak TLS, or lacks a certificate
            place.transport, _ = await self._loop.connect_accepted_socket(
                lambda: place.guest, line, ssl=context, **limits
            )

    def _has_room(self, host: str) -> bool:
        """True if one more connection of `host` may enter, if necessary in place of the slowest: of its own address if
        that has too many, else of the address that has most."""
        room, key = self.count < self._most, neighbourhood(host)
        counts = Counter(place.host for place in self._places)
        crowd = not self._exempt(host) and counts[key] >= self._most_each
        if room and not crowd:
            return True
        now_s = self._loop.time()
        among = [place for place in self._places if not crowd or place.host == key]
        waited = [(counts[place.host], *place.kept_waiting_s(now_s), place) for place in among]
        able = [(many, waited_s, place) for many, waited_s, limit_s, place in waited if limit_s]
        if not able:
            return False
        _, _, slowest = max(able, key=lambda found: found[:2])
        slowest.close()
        self._places.remove(slowest)
        return True


def listening_socket(host: str, port: int, backlog: int) -> socket.socket:
    """Return a listening socket; OSError if that fails."""
    family = _family(host, port)
    return socket.create_server((host, port), family=family, backlog=backlog)


def must_be_free(where: str, host: str, port: int) -> None:
    """Raise the error of `listening_error` unless a socket may listen there now. It accepts no connection meanwhile."""
    try:
        with socket.socket(_family(host, port), socket.SOCK_STREAM) as tried:
            tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            tried.bind((host, port))
    except OSError as error:
        raise listening_error(f"{where} {host}:{port}", error) from error


def listening_error(where: str, error: OSError) -> LineError:
    """Return why nothing can listen at `where`: LineBusy, LineDenied or LineAbsent."""
    if error.errno == errno.EADDRINUSE:
        return LineBusy(where)
    if error.errno == errno.EACCES:
        return LineDenied(where, "ports below 1024 need more rights; use a higher one")
    return LineAbsent(where, (error.strerror or str(error)).partition(" (while")[0])


def _family(host: str, port: int) -> socket.AddressFamily:
    try:
        return socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
    except ValueError as error:  # a name with an empty part, or one that is too long
        raise OSError(errno.EINVAL, f"{host!r} is no host's name") from error
