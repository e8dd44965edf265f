"""A TCP stream under TLS 1.3 as a line, for serial servers and tunnels: `tls://HOST:PORT?ca=FILE`.

Both ends may be checked: the server by its authority and its name, this program by a client certificate. The files are
read at every attempt, so that renewed ones count from the next connection on.
"""

import contextlib
import socket
import ssl
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import SplitResult, parse_qs, urlsplit

from devices.transport.tcp import TcpLine
from devices.transport.trust import FileRefused, present, private, reason_of, trust, why_refused
from protocol.errors import LineAbsent, LineUnusable

FORM: Final = "tls://host:port?ca=FILE"
TIMEOUT_S: Final = 5.0
"""Maximum time for the connection and the handshake."""
HUNG_UP: Final = "closed by the other end; it may want a client certificate, or refuse this one"
"""Reason of the end of a line. With TLS 1.3 a server that refuses a client certificate says so only afterwards."""

_FILES: Final = ("ca", "cert", "key")
_ALLOWED: Final = "allowed: ca=FILE, cert=FILE, key=FILE, name=NAME, with absolute paths"


@dataclass(frozen=True, slots=True)
class TlsAddress:
    """A parsed address."""

    host: str
    port: int
    ca: str
    """File of the authority that made the server's certificate."""
    cert: str | None
    """File of the client certificate, with its key unless `key` has it."""
    key: str | None
    name: str
    """Name or numeric address that the server's certificate must have; the host unless given."""


def parse_tls(address: str) -> TlsAddress:
    """Return the parts of an address. LineUnusable says what is allowed."""
    parts = urlsplit(address)
    port = _port(parts)
    if not parts.hostname or not port or parts.path not in ("", "/") or parts.username or parts.fragment:
        raise LineUnusable(address, f"use {FORM}, with a port from 1 to 65535; {_ALLOWED}")
    given: dict[str, str] = {}
    for key, (value, *more) in parse_qs(parts.query, keep_blank_values=True).items():
        fits = (key in _FILES and Path(value).is_absolute()) or (key == "name" and value)
        if more or not fits:
            raise LineUnusable(address, f"setting {key}={value!r}; {_ALLOWED}")
        given[key] = value
    if "ca" not in given:
        raise LineUnusable(address, f"ca is missing: the file of the authority to check the server by; {_ALLOWED}")
    if "key" in given and "cert" not in given:
        raise LineUnusable(address, "key needs cert, the client certificate that it belongs to")
    name = given.get("name", parts.hostname)
    return TlsAddress(parts.hostname, port, given["ca"], given.get("cert"), given.get("key"), name)


def _port(parts: SplitResult) -> int:
    try:
        return parts.port or 0
    except ValueError:
        return 0


def try_files(address: str) -> ssl.SSLContext:
    """Return the context of a connection to `address`. LineUnusable names a file that cannot be used."""
    at = parse_tls(address)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # with the name checked, and a certificate required
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    try:
        trust(context, at.ca)
        if at.cert is not None:
            present(context, at.cert, at.key)
            private(at.key or at.cert)
    except FileRefused as refused:
        raise LineUnusable(_short(address), str(refused)) from refused.__cause__
    return context


def _short(address: str) -> str:
    """Return the address without its files, for messages."""
    return f"tls://{urlsplit(address).netloc}"


class TlsLine(TcpLine):
    """One connection under TLS, which the line owns."""

    def __init__(self, connection: ssl.SSLSocket, name: str) -> None:
        super().__init__(connection, name)
        self._hung_up = HUNG_UP
        self._receive, self._send = self._take, self._put
        self._tls = connection

    def close(self) -> None:
        """Say goodbye, so that the other end knows that nothing was cut off, and close the connection. Nothing waits
        for its answer."""
        with contextlib.suppress(OSError, ValueError):  # it has ended, or was closed before
            self._tls.unwrap()
        super().close()

    def _take(self, size: int) -> bytes:
        """Return what has arrived, at most `size` bytes, and nothing that OpenSSL keeps back: the descriptor would not
        become readable for it."""
        found = self._some(size)
        while self._tls.pending() and len(found) < size:
            found += self._some(size - len(found))
        return found

    def _some(self, size: int) -> bytes:
        try:
            return self._tls.recv(size)
        except (ssl.SSLWantReadError, ssl.SSLWantWriteError):  # neither is a BlockingIOError
            raise BlockingIOError from None
        except ssl.SSLEOFError:
            return b""
        except ssl.SSLError as error:
            raise OSError(None, why_ended(error)) from error

    def _put(self, data: bytes) -> int:
        try:
            return self._tls.send(data)
        except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
            raise BlockingIOError from None
        except ssl.SSLError as error:
            raise OSError(None, why_ended(error)) from error


def why_ended(error: ssl.SSLError) -> str:
    """Return the reason for the end of a line, from an alert of the other end."""
    alert = reason_of(error)
    return f"the other end refused it: {alert.partition(' alert ')[2] or alert}"


def open_tls(address: str, *, timeout_s: float = TIMEOUT_S) -> TlsLine:
    """Connect, and check the other end's certificate. LineAbsent if nothing listens there, LineUnusable if a file or a
    certificate cannot be used."""
    at, name, context = parse_tls(address), _short(address), try_files(address)
    ends_s = time.monotonic() + timeout_s
    try:
        connection = socket.create_connection((at.host, at.port), timeout=timeout_s)
    except OSError as cause:
        raise LineAbsent(name, cause.strerror or str(cause) or type(cause).__name__) from cause
    connection.settimeout(max(0.1, ends_s - time.monotonic()))
    try:
        return TlsLine(context.wrap_socket(connection, server_hostname=at.name), name)
    except ssl.SSLError as error:
        connection.close()
        raise LineUnusable(name, why_refused(error)) from error
    except OSError as cause:
        connection.close()
        raise LineAbsent(name, cause.strerror or str(cause) or "no answer in time") from cause
