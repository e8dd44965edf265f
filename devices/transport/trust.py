"""Certificates of a TLS connection: what is presented, what the other end is checked against, and refusals in words."""

import os
import ssl
from collections.abc import Callable
from pathlib import Path
from typing import Final

from devices.files import open_file, why_not_private

REVOKED: Final = ".crl"
"""Ending of the list of revoked certificates, beside the authority's file of the same name."""

_REFUSALS: Final = {
    "KEY_VALUES_MISMATCH": "the key does not belong to the certificate",
    "EE_KEY_TOO_SMALL": "its key is too short",
    "CA_KEY_TOO_SMALL": "its key is too short",
}
"""OpenSSL's reasons for refusing a file, in words."""


class FileRefused(ValueError):
    """A file for TLS cannot be used."""

    def __init__(self, path: str | Path, why: str) -> None:
        self.path, self.why = Path(path), why
        super().__init__(f"{path}: {why}")


def trust(context: ssl.SSLContext, authority: str | Path) -> None:
    """Accept certificates of this authority only. If a list of revoked certificates stands beside its file, refuse
    those. FileRefused names a file that cannot be used."""
    _load(lambda: context.load_verify_locations(authority), authority, "no certificate in PEM")
    revoked = Path(authority).with_suffix(REVOKED)
    if os.path.lexists(revoked):  # a link that leads nowhere is no reason to trust
        _load(lambda: context.load_verify_locations(revoked), revoked, "no list of revoked certificates in PEM")
        context.verify_flags |= ssl.VerifyFlags.VERIFY_CRL_CHECK_LEAF


def present(context: ssl.SSLContext, certificate: str | Path, key: str | Path | None) -> None:
    """Present this certificate, its chain behind it; without `key` the same file holds the key. FileRefused as
    `trust`."""
    if key is not None:
        _load(lambda: None, certificate, "")
    # Without a password, OpenSSL would ask for one on the terminal.
    lacks = (
        "no certificate with its key in PEM, without a password" if key is None else "no key in PEM without password"
    )
    _load(lambda: context.load_cert_chain(certificate, key, password=lambda: ""), key or certificate, lacks)


def private(key: str | Path) -> None:
    """Check that no one else may read a key. FileRefused if others may, or if it cannot be examined."""
    try:
        unsafe = why_not_private(os.stat(key).st_mode, key)
    except OSError as error:
        raise FileRefused(key, error.strerror or str(error)) from error
    if unsafe is not None:
        raise FileRefused(key, unsafe)


def why_refused(error: ssl.SSLError) -> str:
    """Return why a connection could not be made, as text after the address."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate is refused: {error.verify_message.removesuffix('.')}"
    return f"no TLS: {reason_of(error)}"


def reason_of(error: ssl.SSLError) -> str:
    """Return OpenSSL's reason as text."""
    return (error.reason or str(error)).replace("_", " ").lower()


def _load(load: Callable[[], None], path: str | Path, lacks: str) -> None:
    """Call `load`, which reads `path`; opening that cannot hang. FileRefused says what the system or OpenSSL
    refused."""
    try:
        open_file(path).close()
        load()
    except ssl.SSLError as error:
        raise FileRefused(path, _REFUSALS.get(error.reason or "", lacks)) from error
    except OSError as error:
        raise FileRefused(path, error.strerror or str(error)) from error
