"""Certificates for tests: a site's authority as the command makes one, and certificates that must be refused."""

from __future__ import annotations

import ssl
from datetime import UTC, datetime, timedelta
from ipaddress import IPv4Address
from pathlib import Path
from typing import NamedTuple

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives import serialization as pem
from cryptography.hazmat.primitives.asymmetric import ec

from dealwire.authority import Authority

NAMES = ("pit.example", "localhost", "127.0.0.1")


class CertifiedKey(NamedTuple):
    """A certificate and its key."""

    cert: Path
    key: Path


class Site:
    """An authority below `folder`, and what it has certified."""

    def __init__(self, folder: Path, name: str = "Casino North") -> None:
        self.folder = folder
        folder.mkdir(exist_ok=True)
        self.authority = Authority.new(folder / "authority", name, 3650)
        self.ca = folder / "authority" / "authority.pem"

    def server(self, *names: str) -> CertifiedKey:
        """Certify a server, in a folder of its own."""
        return self._issue("server", names or NAMES)

    def client(self, name: str = "table-1") -> CertifiedKey:
        """Certify a client."""
        return self._issue("client", (name,))

    def _issue(self, use: str, names: tuple[str, ...]) -> CertifiedKey:
        to = self.folder / f"{use}-{len([*self.folder.iterdir()])}"
        to.mkdir()
        return CertifiedKey(*self.authority.issue(use, names, to, 397))  # type: ignore[arg-type]

    def expired(self, use: str = "client", name: str = "table-1") -> CertifiedKey:
        """Certify what ended yesterday, by hand: the command makes nothing that has ended."""
        secret = pem.load_pem_private_key((self.ca.with_suffix(".key")).read_bytes(), None)
        assert isinstance(secret, ec.EllipticCurvePrivateKey)
        key, now, day = ec.generate_private_key(ec.SECP256R1()), datetime.now(UTC), timedelta(days=1)
        made = x509.CertificateBuilder().subject_name(x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)]))
        made = made.issuer_name(self.authority.certificate.subject).public_key(key.public_key()).serial_number(7)
        made = made.not_valid_before(now - 2 * day).not_valid_after(now - day)
        here = [x509.DNSName("localhost"), x509.IPAddress(IPv4Address("127.0.0.1"))]
        made = made.add_extension(x509.SubjectAlternativeName(here), critical=False)
        pair = CertifiedKey(self.folder / f"{use}-ended.pem", self.folder / f"{use}-ended.key")
        pair.cert.write_bytes(made.sign(secret, hashes.SHA256()).public_bytes(pem.Encoding.PEM))
        form = (pem.Encoding.PEM, pem.PrivateFormat.PKCS8, pem.NoEncryption())
        pair.key.touch(0o600)
        pair.key.write_bytes(key.private_bytes(*form))
        return pair

    def revoke(self, pair: CertifiedKey) -> None:
        """Revoke a certificate."""
        self.authority.revoke(f"{x509.load_pem_x509_certificate(pair.cert.read_bytes()).serial_number:x}")

    def caller(self, pair: CertifiedKey | None = None) -> ssl.SSLContext:
        """Return the context of a client that trusts this authority alone, and shows `pair`."""
        context = ssl.create_default_context(cafile=self.ca)
        if pair is not None:
            context.load_cert_chain(*pair)
        return context
