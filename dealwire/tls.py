"""TLS of the servers of this program: console and metrics. The next connection uses the certificate installed last."""

import os
import ssl
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, NamedTuple

from dealwire.config.private_file import why_unsafe_facts
from dealwire.tls_errors import TlsUnsafe, TlsUnusable
from devices.clock import SystemClock
from devices.files import open_file, read_file
from devices.transport.tls import parse_tls
from devices.transport.trust import REVOKED, FileRefused, present, trust
from rules.errors import ExtraMissing

NS: Final = 1_000_000_000
WARN_NS: Final = 14 * 24 * 3600 * NS
"""Warn when a certificate ends within this time."""
PEM_MAX: Final = 1 << 20
"""Maximum size of a file with certificates in bytes."""


class TlsFiles(NamedTuple):
    """PEM files of a server."""

    cert: Path
    """The certificate, and its chain behind it."""
    key: Path | None = None
    """Its key; in the file of the certificate unless given."""
    client_ca: Path | None = None
    """The authority of client certificates; without it, clients need none."""


class TlsLoaded(NamedTuple):
    """Content of the files."""

    context: ssl.SSLContext
    ends_ns: int
    """End of the certificate, or of what it depends on, if that ends earlier."""


class ServerTls:
    """Certificate of a server. `context` may be called from any thread; one thread reads and installs."""

    def __init__(self, files: TlsFiles) -> None:
        self.files = files
        self._loaded = load(files)

    def context(self) -> ssl.SSLContext:
        """Return the context for a new connection."""
        return self._loaded.context

    @property
    def ends_ns(self) -> int:
        """End of the certificate in use."""
        return self._loaded.ends_ns

    def read(self) -> TlsLoaded:
        """Read the files again. TlsUnusable, if a certificate has ended too: the one in use then stays."""
        found = load(self.files)
        if found.ends_ns <= SystemClock().now_ns():
            raise TlsUnusable(self.files.cert, f"it ended on {day(found.ends_ns)}")
        return found

    def install(self, found: TlsLoaded) -> str:
        """Use it for every connection from now on, and return until when; connections that are open continue."""
        self._loaded = found
        return f"until {day(found.ends_ns)}"


def load(files: TlsFiles) -> TlsLoaded:
    """Read the files. TlsUnusable names the one that cannot be used, TlsUnsafe a key that others could read."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.options |= ssl.OP_NO_RENEGOTIATION | ssl.OP_NO_COMPRESSION | ssl.OP_CIPHER_SERVER_PREFERENCE
    context.set_alpn_protocols(["http/1.1"])
    try:
        _must_be_private(files.key or files.cert)
        present(context, files.cert, files.key)
        ends_ns = [end_of(files.cert)]
        if files.client_ca is not None:
            trust(context, files.client_ca)
            context.verify_mode = ssl.CERT_REQUIRED
            ends_ns += [end_of(files.client_ca), *end_of_revocations(files.client_ca)]
    except FileRefused as refused:
        raise TlsUnusable(refused.path, refused.why) from refused.__cause__
    return TlsLoaded(context, min(ends_ns))


def _must_be_private(path: Path) -> None:
    try:
        with open_file(path) as file:
            why = why_unsafe_facts(os.fstat(file.fileno()), path)
    except OSError as error:
        raise TlsUnusable(path, error.strerror or str(error)) from error
    if why is not None:
        raise TlsUnsafe(path, why)


def end_of(path: Path) -> int:
    """Return the end of the first certificate in a file, in nanoseconds. TlsUnusable if it cannot be read."""
    try:
        from cryptography import x509
    except ImportError:
        raise ExtraMissing("cryptography", "people") from None
    try:
        return _in_ns(x509.load_pem_x509_certificates(read_file(path, PEM_MAX))[0].not_valid_after_utc)
    except OSError as error:
        raise TlsUnusable(path, error.strerror or str(error)) from error
    except (ValueError, x509.InvalidVersion):
        raise TlsUnusable(path, "no certificate in PEM") from None


def end_of_revocations(authority: Path) -> list[int]:
    """Return the end of the authority's list of revoked certificates, if it stands beside its file and has one."""
    from cryptography import x509

    path = authority.with_suffix(REVOKED)
    try:
        end = x509.load_pem_x509_crl(read_file(path, PEM_MAX)).next_update_utc
    except FileNotFoundError:
        return []
    except OSError as error:
        raise TlsUnusable(path, error.strerror or str(error)) from error
    except (ValueError, x509.InvalidVersion):
        raise TlsUnusable(path, "no list of revoked certificates in PEM") from None
    return [] if end is None else [_in_ns(end)]


def end_of_line(address: str) -> int:
    """Return the end of the first certificate that a `tls://` line depends on. TlsUnusable if one cannot be read."""
    at = parse_tls(address)
    files = [Path(file) for file in (at.ca, at.cert) if file is not None]
    return min(end_of(file) for file in files)


def _in_ns(moment: datetime) -> int:
    return int(moment.timestamp()) * NS


def day(at_ns: int) -> str:
    """Return the day of an instant, in UTC."""
    return datetime.fromtimestamp(at_ns // NS, UTC).date().isoformat()


def ending_soon(ends_ns: int, now_ns: int) -> str | None:
    """Return a warning if a certificate has ended or soon ends; None if not."""
    if ends_ns <= now_ns:
        return f"ended on {day(ends_ns)}: every connection is refused by the other end"
    return f"ends on {day(ends_ns)}; renew it, then send SIGHUP" if ends_ns - now_ns < WARN_NS else None
