"""Time stamps of checkpoints by an authority (RFC 3161): a checkpoint, with everything before it, existed then.

It needs the extra `stamp`. The request names the SHA-256 of a checkpoint's note and nothing else.
"""

import base64
import hashlib
import json
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Final, NamedTuple

from dealwire.journal.errors import JournalDamaged, KeyProblem, StampRefused
from dealwire.journal.reader import JournalReader
from dealwire.journal.records import CHECKPOINT, STAMPED, JournalRecord
from devices.files import open_file
from rules.errors import ExtraMissing

if TYPE_CHECKING:
    from cryptography.x509 import Certificate

WAITS_S: Final = 10.0
"""Time to wait for the authority."""
ANSWER_MOST: Final = 1 << 16
"""Most bytes of an answer."""
_QUERY: Final = "application/timestamp-query"


class DayStamp(NamedTuple):
    """A checked time stamp: the answer of the authority, and the time that it states."""

    token: bytes
    at: datetime


def authority_of(path: Path) -> "list[Certificate]":
    """Return the certificates of trusted authorities in a PEM file. KeyProblem if it holds none."""
    from cryptography.x509 import InvalidVersion, load_pem_x509_certificates

    try:
        with open_file(path) as file:
            return load_pem_x509_certificates(file.read(1 << 20))
    except OSError as error:
        raise KeyProblem(path, f"certificates cannot be read: {error.strerror}") from error
    except (ValueError, InvalidVersion):
        raise KeyProblem(path, "holds no certificate in PEM") from None


def fetched(url: str, note: str, roots: "list[Certificate]") -> DayStamp:
    """Let the authority at `url` stamp a note. StampRefused if it does not answer, or not as it must."""
    import urllib.request
    from http.client import HTTPException

    client = _client()
    wanted = client.TimestampRequestBuilder().data(note.encode()).hash_algorithm(client.HashAlgorithm.SHA256)
    query = wanted.nonce(nonce=True).cert_request(cert_request=True).build()
    request = urllib.request.Request(url, query.as_bytes(), {"Content-Type": _QUERY})
    try:
        with urllib.request.urlopen(request, timeout=WAITS_S) as answer:
            token = answer.read(ANSWER_MOST + 1)
    except (OSError, ValueError, HTTPException) as error:  # OSError: urllib's own errors too
        raise StampRefused(f"{url}: {getattr(error, 'reason', None) or error}") from error
    try:
        return stamp_in(token, hashlib.sha256(note.encode()).digest(), roots, query.nonce)
    except StampRefused as error:
        raise StampRefused(f"{url}: {error}") from None


def stamp_in(token: bytes, digest: bytes, roots: "list[Certificate]", nonce: int | None = None) -> DayStamp:
    """Return the time stamp in an authority's answer. StampRefused if it is not of this digest, not of this request, or
    not of a trusted authority."""
    client = _client()
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.x509 import InvalidVersion
    from rfc3161_client.errors import VerificationError

    try:
        found = client.decode_timestamp_response(token)
        builder = client.VerifierBuilder(roots=list(roots), nonce=nonce)
        builder.build().verify(found, digest)
        return DayStamp(token, found.tst_info.gen_time)
    except (ValueError, TypeError, InvalidVersion, UnsupportedAlgorithm, VerificationError) as error:
        why = " ".join(str(error).split())[:200]
        raise StampRefused(f"the time stamp is refused: {why or type(error).__name__}") from None


def stamped_fields(note: str, checkpoint: int, day: str, url: str, token: bytes) -> dict[str, object]:
    """Return the content of a record `stamped`."""
    fields = {"checkpoint": checkpoint, "day": day, "sha256": hashlib.sha256(note.encode()).hexdigest(), "tsa": url}
    return {**fields, "token": base64.b64encode(token).decode()}


def check_stamps(reader: JournalReader, roots: "list[Certificate]") -> Iterator[tuple[str, DayStamp]]:
    """Yield day and time stamp of each record `stamped`. JournalDamaged names the first that does not fit its
    checkpoint."""
    for record in reader.all_of(STAMPED):
        try:
            noted = json.loads(record.payload)
            digest, token = bytes.fromhex(noted["sha256"]), base64.b64decode(noted["token"])
            stamped = _stamped(reader, noted["checkpoint"])
            if stamped is not None and hashlib.sha256(stamped.encode()).digest() != digest:
                raise StampRefused(f"it is not of the checkpoint of record {noted['checkpoint']}")
            yield str(noted["day"]), stamp_in(token, digest, roots)
        except StampRefused as error:
            raise JournalDamaged(reader.path, record.sequence, str(error)) from None
        except (ValueError, KeyError, TypeError):
            raise JournalDamaged(reader.path, record.sequence, "a time stamp that cannot be read") from None


def _stamped(reader: JournalReader, sequence: int) -> str | None:
    """Return the note of a checkpoint's record; None if it was pruned."""
    if sequence <= reader.anchor.sequence:
        return None
    record: JournalRecord | None = next(reader.records(sequence - 1), None)
    if record is None or (record.sequence, record.kind) != (sequence, CHECKPOINT):
        raise StampRefused(f"record {sequence} is no checkpoint")
    return str(json.loads(record.payload)["note"])


def _client() -> ModuleType:
    try:
        import rfc3161_client
    except ImportError as cause:
        raise ExtraMissing("rfc3161-client", "stamp") from cause
    return rfc3161_client
