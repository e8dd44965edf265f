"""A certificate authority of a site, in one folder: it certifies servers and clients of TLS, and revokes.

Keys and certificates are ECDSA over P-256. The folder belongs off the tables: whoever has `authority.key` can be any
server and any client. `issued` has a copy of every certificate, which is the authority's only record.
"""

import contextlib
import ipaddress
import os
import stat
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final, Literal, NamedTuple

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives import serialization as pem
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import pkcs12
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from dealwire.journal.keyfiles import write_text
from dealwire.tls import PEM_MAX
from dealwire.tls_errors import AuthorityRefusal, TlsUnsafe, TlsUnusable
from devices.files import read_file
from devices.system import user_id

CERTIFICATE: Final = "authority.pem"
KEY: Final = "authority.key"
REVOKED: Final = "authority.crl"
ISSUED: Final = "issued"
SKEW: Final = timedelta(hours=1)
"""Certificates begin this long before they are made: the clocks of two machines differ."""
SERIAL_LEAST: Final = 6
"""Number of digits of a serial number that name a certificate."""
READABLE: Final = 0o644

Use = Literal["server", "client"]
_MALFORMED: Final = (
    *(ValueError, TypeError, IndexError, UnsupportedAlgorithm),
    *(x509.InvalidVersion, x509.DuplicateExtension, x509.ExtensionNotFound),
)
"""Errors by which the library refuses a file that was altered."""
_USES: Final = {"server": ExtendedKeyUsageOID.SERVER_AUTH, "client": ExtendedKeyUsageOID.CLIENT_AUTH}


class Issued(NamedTuple):
    """One certificate that an authority made."""

    serial: str
    """Serial number, in hexadecimal digits."""
    use: Use
    names: tuple[str, ...]
    ends: datetime
    revoked: datetime | None
    """Time of its revocation."""


class Authority:
    """An opened authority. Create one with `new`."""

    def __init__(self, folder: Path) -> None:
        """Open the authority in `folder`. TlsUnusable or TlsUnsafe names the file that cannot be used."""
        if folder.is_dir() and not os.path.lexists(folder / KEY):
            raise TlsUnusable(folder, f"no authority is there ({KEY} is missing)")
        _must_be_ours(folder)
        self.folder = folder
        self.certificate = _certificate(folder / CERTIFICATE)
        try:
            key = pem.load_pem_private_key(_content(folder / KEY), None)
        except _MALFORMED:
            raise TlsUnusable(folder / KEY, "no private key in PEM without a password") from None
        if not isinstance(key, ec.EllipticCurvePrivateKey) or key.public_key() != _public_key(self.certificate):
            raise TlsUnusable(folder / KEY, f"it is not the key of {CERTIFICATE}")
        self._key = key

    @classmethod
    def new(cls, folder: Path, name: str, days: int) -> "Authority":
        """Create an authority. AuthorityRefusal if the folder has one, TlsUnusable if it cannot be made."""
        _make(folder)
        _must_be_ours(folder)
        _must_be_new(folder / KEY, folder / CERTIFICATE)
        _make(folder / ISSUED)
        key = ec.generate_private_key(ec.SECP256R1())
        subject = _named(name)
        made = _begun(subject, subject, key.public_key(), datetime.now(UTC) + timedelta(days=days))
        made = made.add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        made = made.add_extension(_key_usage(signs_certificates=True), critical=True)
        _write_key(folder / KEY, key)
        write_text(folder / CERTIFICATE, _text(made.sign(key, hashes.SHA256())), READABLE)
        return cls(folder)

    def issue(self, use: Use, names: Sequence[str], to: Path, days: int) -> tuple[Path, Path]:
        """Make a key and its certificate in the folder `to`, and return their files, certificate first.

        A server has host names and addresses, a client one name. The certificate ends no later than the authority.
        """
        cert, key_file = to / f"{names[0]}.pem", to / f"{names[0]}.key"
        _must_be_new(cert, key_file)
        if not to.is_dir():  # before the certificate is on record
            raise TlsUnusable(to, "no such folder")
        now = datetime.now(UTC)
        if self.certificate.not_valid_after_utc <= now:
            raise AuthorityRefusal(
                f"{self.folder / CERTIFICATE}: it ended on {self.certificate.not_valid_after_utc:%F}"
            )
        key = ec.generate_private_key(ec.SECP256R1())
        ends = min(now + timedelta(days=days), self.certificate.not_valid_after_utc)
        made = _begun(_named(names[0]), self.certificate.subject, key.public_key(), ends)
        made = made.add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        made = made.add_extension(_key_usage(signs_certificates=False), critical=True)
        made = made.add_extension(x509.ExtendedKeyUsage([_USES[use]]), critical=False)
        ours = x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key())
        made = made.add_extension(ours, critical=False)
        if use == "server":
            made = made.add_extension(x509.SubjectAlternativeName([_general(name) for name in names]), critical=False)
        signed = made.sign(self._key, hashes.SHA256())
        write_text(self.folder / ISSUED / f"{signed.serial_number:x}.pem", _text(signed), READABLE)
        _write_key(key_file, key)
        write_text(cert, _text(signed), READABLE)
        return cert, key_file

    def issued(self) -> Iterator[Issued]:
        """Yield all certificates, the one that ends first at the beginning."""
        revoked = {each.serial_number: each.revocation_date_utc for each in self._revoked()}
        made = [_issued(path) for path in (self.folder / ISSUED).glob("*.pem")]
        for each in sorted(made, key=lambda found: (found.ends, int(found.serial, 16))):
            yield each._replace(revoked=revoked.get(int(each.serial, 16)))

    def revoke(self, which: str) -> Issued:
        """Revoke the certificate with this first name, or whose serial number begins so, and write the new list of
        revoked ones. The list is in force until the authority ends: one that someone forgot to renew would shut
        everybody out."""
        found = [each for each in self.issued() if _fits(each, which)]
        found = [each for each in found if each.revoked is None] or found
        if len(found) != 1:
            why = (
                f"{len(found)} certificates have this name, or a serial number that begins so; give more digits of one"
            )
            none = "no certificate has this name, or a serial number that begins so"
            raise AuthorityRefusal(f"{which}: {why if found else none}; see dealwire authority list")
        if found[0].revoked is not None:
            raise AuthorityRefusal(f"{found[0].serial}: already revoked on {found[0].revoked:%F}")
        now, before = datetime.now(UTC), self._revoked()
        one = x509.RevokedCertificateBuilder().serial_number(int(found[0].serial, 16)).revocation_date(now).build()
        made = x509.CertificateRevocationListBuilder().issuer_name(self.certificate.subject).last_update(now)
        made = made.next_update(self.certificate.not_valid_after_utc)
        ours = x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key())
        made = made.add_extension(ours, critical=False).add_extension(x509.CRLNumber(len(before) + 1), critical=False)
        for each in (*before, one):
            made = made.add_revoked_certificate(each)
        text = made.sign(self._key, hashes.SHA256()).public_bytes(pem.Encoding.PEM).decode()
        write_text(self.folder / REVOKED, text, READABLE)
        return found[0]._replace(revoked=now)

    def _revoked(self) -> list[x509.RevokedCertificate]:
        path = self.folder / REVOKED
        if not path.exists():
            return []
        try:
            found = x509.load_pem_x509_crl(_content(path))
        except _MALFORMED:
            raise TlsUnusable(path, "no list of revoked certificates in PEM") from None
        if not found.is_signature_valid(self._key.public_key()):
            raise TlsUnusable(path, "another authority signed it")
        return list(found)


def for_browser(cert: Path, key_file: Path, password: str) -> Path:
    """Write key and certificate as one PKCS#12 file, which browsers import, and return its path."""
    path = cert.with_suffix(".p12")
    _must_be_new(path)
    key = pem.load_pem_private_key(_content(key_file), None)
    assert isinstance(key, ec.EllipticCurvePrivateKey)
    made, locked = _certificate(cert), pem.BestAvailableEncryption(password.encode())
    data = pkcs12.serialize_key_and_certificates(cert.stem.encode(), key, made, None, locked)
    try:
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(data)
    except OSError as error:
        raise TlsUnusable(path, error.strerror or str(error)) from error
    return path


# ------------------------------------------------------------------ inside


def _fits(each: Issued, which: str) -> bool:
    return which == each.names[0] or (len(which) >= SERIAL_LEAST and each.serial.startswith(which.lower()))


def _make(folder: Path) -> None:
    try:
        folder.mkdir(0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise TlsUnusable(folder, f"cannot be made: {error.strerror}") from error


def _must_be_ours(folder: Path) -> None:
    """Raise TlsUnsafe unless only we and root can use the folder."""
    try:
        facts = folder.stat()
    except OSError as error:
        raise TlsUnusable(folder, error.strerror or str(error)) from error
    if not stat.S_ISDIR(facts.st_mode):
        raise TlsUnusable(folder, "not a folder")
    mode = stat.S_IMODE(facts.st_mode)
    if facts.st_uid not in (user_id(), 0):
        raise TlsUnsafe(folder, f"it belongs to user {facts.st_uid}; allowed: user {user_id()} or root")
    if mode & 0o077:
        raise TlsUnsafe(folder, f"others may use it (mode {mode:04o}); allowed: 0700 (chmod 700 {folder})")


def _must_be_new(*paths: Path) -> None:
    for path in paths:
        if os.path.lexists(path):
            raise AuthorityRefusal(f"{path}: already exists; move it away, or choose another folder")


def _content(path: Path) -> bytes:
    try:
        return read_file(path, PEM_MAX)
    except OSError as error:
        raise TlsUnusable(path, error.strerror or str(error)) from error


def _certificate(path: Path) -> x509.Certificate:
    try:
        return x509.load_pem_x509_certificate(_content(path))
    except _MALFORMED:
        raise TlsUnusable(path, "no certificate in PEM") from None


def _public_key(certificate: x509.Certificate) -> object:
    """Return the key of a certificate; None if it is of no known kind."""
    try:
        return certificate.public_key()
    except _MALFORMED:
        return None


def _issued(path: Path) -> Issued:
    """Return what a certificate states that this authority made. TlsUnusable if it is another, or was altered."""
    found = _certificate(path)
    try:
        uses = found.extensions.get_extension_for_class(x509.ExtendedKeyUsage).value
        use: Use = "server" if _USES["server"] in uses else "client"
        return Issued(f"{found.serial_number:x}", use, _names_of(found), found.not_valid_after_utc, None)
    except _MALFORMED:
        raise TlsUnusable(path, "no certificate that this authority made") from None


def _write_key(path: Path, key: ec.EllipticCurvePrivateKey) -> None:
    form = (pem.Encoding.PEM, pem.PrivateFormat.PKCS8, pem.NoEncryption())
    write_text(path, key.private_bytes(*form).decode())


def _text(certificate: x509.Certificate) -> str:
    return certificate.public_bytes(pem.Encoding.PEM).decode()


def _named(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name[:64])])


def _begun(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePublicKey, ends: datetime
) -> x509.CertificateBuilder:
    made = x509.CertificateBuilder().subject_name(subject).issuer_name(issuer).public_key(key)
    made = made.serial_number(x509.random_serial_number())
    made = made.not_valid_before(datetime.now(UTC) - SKEW).not_valid_after(ends)
    return made.add_extension(x509.SubjectKeyIdentifier.from_public_key(key), critical=False)


def _key_usage(*, signs_certificates: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not signs_certificates,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=signs_certificates,
        crl_sign=signs_certificates,
        encipher_only=False,
        decipher_only=False,
    )


def _general(name: str) -> x509.GeneralName:
    with contextlib.suppress(ValueError):
        return x509.IPAddress(ipaddress.ip_address(name))
    return x509.DNSName(name)


def _names_of(certificate: x509.Certificate) -> tuple[str, ...]:
    try:
        names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        (found,) = certificate.subject.get_attributes_for_oid(NameOID.COMMON_NAME)
        return (str(found.value),)
    return tuple(str(each.value) for each in names)
