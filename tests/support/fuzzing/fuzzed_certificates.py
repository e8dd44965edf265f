"""Targets of a fuzzer: an authority's files, and the answers of an authority that stamps times.

`time-stamp.tsr` is the answer of `openssl ts` to a request for the text `hello`, `time-stamp.pem` its certificate. The
authority of each unit has a key of its own, so that the bytes of a finding are in its file, not in its seed.
"""

from __future__ import annotations

import base64
import hashlib
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Final

from dealwire.authority import CERTIFICATE, ISSUED, Authority
from dealwire.journal.stamping import authority_of, stamp_in
from dealwire.tls import end_of, end_of_revocations
from protocol.errors import DealwireError
from tests.support.fuzzing.fuzz_units import FuzzTally, Unaccounted, folder_of, spoiled

HERE: Final = Path(__file__).parent
STAMP: Final = HERE / "time-stamp.tsr"
DIGEST: Final = hashlib.sha256(b"hello").digest()
_DASHES: Final = b"-----"


def bytes_of_pem(text: bytes) -> bytes:
    """Return the bytes in the first block of a PEM file."""
    return base64.b64decode(b"".join(line for line in text.splitlines() if not line.startswith(_DASHES)))


def pem_like(text: bytes, data: bytes) -> bytes:
    """Return other bytes in a PEM file of the same kind."""
    first, *_, last = text.splitlines()
    return b"\n".join((first, base64.b64encode(data), last, b""))


class CertificateFiles:
    """Certificates, keys and lists of an authority, and answers with time stamps."""

    def __init__(self, chance: Random) -> None:
        self._folder = folder = folder_of(self) / "authority"
        made = Authority.new(folder, "casino", 3650)
        made.issue("server", ["host.example", "192.0.2.1"], folder, 30)
        made.issue("client", ["pit-3"], folder, 30)
        made.revoke("pit-3")
        self._files = [folder / "authority.pem", folder / "authority.key", folder / "authority.crl"]
        self._files += sorted((folder / ISSUED).iterdir())
        self._bytes = {path: path.read_bytes() for path in self._files}
        self._roots = authority_of(HERE / "time-stamp.pem")
        self._stamp = STAMP.read_bytes()
        self._time = stamp_in(self._stamp, DIGEST, self._roots).at
        self._path: Path | None = None

    def inputs(self, chance: Random) -> Iterator[bytes]:
        """Yield spoiled files, most of them spoiled below their PEM, and spoiled stamps."""
        while True:
            for path in (*self._files, None):
                self._path = path
                valid = self._stamp if path is None else self._bytes[path]
                if path is None or chance.random() < 0.2:
                    yield spoiled(valid, chance, 1 + int(chance.random() * 2))
                else:
                    yield pem_like(valid, spoiled(bytes_of_pem(valid), chance, 1))

    def take(self, data: bytes, chance: Random, tally: FuzzTally) -> None:
        """Read an input with everything that reads such a file."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # serial numbers that a later library will refuse
            self._read(data, tally)

    def _read(self, data: bytes, tally: FuzzTally) -> None:
        if self._path is None:
            if stamp_in(data, DIGEST, self._roots).at != self._time:
                raise Unaccounted("a time stamp was accepted with another time")
            tally.frames += 1
            return
        self._path.write_bytes(data)
        certificate = self._folder / CERTIFICATE
        readers: tuple[Callable[[], object], ...] = (
            lambda: list(Authority(self._folder).issued()),
            lambda: end_of(certificate),
            lambda: end_of_revocations(certificate),
            lambda: authority_of(certificate),
        )
        for read in readers:
            try:
                read()
                tally.frames += 1
            except DealwireError as error:
                tally.errors[type(error).__name__] += 1
        self._path.write_bytes(self._bytes[self._path])
