"""Time stamps of checkpoints by an authority (RFC 3161): a checkpoint, with everything before it, existed then.

It needs the extra `stamp`. The request names the SHA-256 of a checkpoint's note and nothing else.
"""

import base64
import hashlib
from collections.abc import Iterator, Mapping
from datetime import date, datetime
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from dealwire.journal.errors import JournalDamaged, KeyProblem, NoteRefused, StampRefused
from dealwire.journal.log_records import noted_tree, read_from, text_of, whole_number
from dealwire.journal.log_tables import LogTables
from dealwire.journal.reader import JournalReader
from dealwire.journal.records import CHECKPOINT, STAMPED, JournalRecord
from dealwire.journal.signing import TreeHead, note_parts
from devices.files import open_file
from rules.errors import ExtraMissing

if TYPE_CHECKING:
    from cryptography.x509 import Certificate

WAITS_S: Final = 10.0
"""Time to wait for the authority's whole answer."""
ANSWER_MOST: Final = 1 << 16
"""Most bytes of an answer."""
CLOCKS_APART_S: Final = 24 * 3600
"""Most seconds between a time stamp and the time at which the table recorded it, by its own clock."""
DAYS_APART: Final = 2
"""Most days between a time stamp and the gaming day for which it was recorded: a day may begin late and end after
midnight, in any time zone."""
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

    from dealwire.journal.whole_answers import opened

    client = _client()
    wanted = client.TimestampRequestBuilder().data(note.encode()).hash_algorithm(client.HashAlgorithm.SHA256)
    query = wanted.nonce(nonce=True).cert_request(cert_request=True).build()
    request = urllib.request.Request(url, query.as_bytes(), {"Content-Type": _QUERY})
    try:
        with opened(request, WAITS_S) as answer:
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
    return {**fields, "note": note, "token": base64.b64encode(token).decode()}


class KeptStamp(NamedTuple):
    """A checked record `stamped`: its day, the time stamp, the time of its checkpoint in seconds since 1970 (None if it
    was pruned), and True if the file still has the tree of that checkpoint."""

    day: str
    stamp: DayStamp
    signed_s: float | None
    compared: bool

    @property
    def late_s(self) -> float:
        """Seconds from the checkpoint to the stamp; 0 if the checkpoint was pruned."""
        return self.stamp.at.timestamp() - self.signed_s if self.signed_s is not None else 0.0


def check_stamps(
    reader: JournalReader, roots: "list[Certificate]", earlier: Mapping[int, bytes] = MappingProxyType({})
) -> Iterator[KeptStamp]:
    """Yield each record `stamped` of a verified journal. JournalDamaged names the first that does not fit its
    checkpoint, or its time. `earlier`: the digests of the checkpoints in the files before it."""
    for record in reader.all_of(STAMPED):
        found = read_from(reader.path, record, _Noted.of)
        try:
            yield _checked(reader, record, found, roots, earlier.get(found.checkpoint))
        except StampRefused as error:
            raise JournalDamaged(reader.path, record.sequence, str(error)) from None


def noted_digests(reader: JournalReader) -> dict[int, bytes]:
    """Return the digests of the notes of a verified file's checkpoints, by the numbers of their records."""
    found = {}
    for record in reader.all_of(CHECKPOINT):
        noted = noted_tree(reader.path, record)
        assert noted is not None  # only a balance may name no tree
        found[record.sequence] = hashlib.sha256(noted.note.encode()).digest()
    return found


class _Noted(NamedTuple):
    """A time stamp by its record; `note` is None in those of versions that did not repeat it."""

    checkpoint: int
    day: date
    digest: bytes
    token: bytes
    note: str | None

    @classmethod
    def of(cls, fields: dict[str, Any]) -> "_Noted":
        note = text_of(fields["note"]) if "note" in fields else None
        token = base64.b64decode(text_of(fields["token"]), validate=True)
        digest, day = bytes.fromhex(text_of(fields["sha256"])), date.fromisoformat(text_of(fields["day"]))
        return cls(whole_number(fields["checkpoint"]), day, digest, token, note)


def _checked(
    reader: JournalReader, record: JournalRecord, found: _Noted, roots: "list[Certificate]", known: bytes | None
) -> KeptStamp:
    sequence = found.checkpoint
    if not 0 < sequence < record.sequence:
        raise StampRefused(f"record {sequence} is no checkpoint before it")
    signed_s, note = None, found.note
    if sequence > reader.anchor.sequence:
        signed_s, note = _note_of(reader, sequence)
    digests = {known, hashlib.sha256(note.encode()).digest() if note is not None else None, found.digest} - {None}
    if len(digests) > 1:
        raise StampRefused(f"it is not of the checkpoint of record {sequence}")
    compared = (note is not None and _is_there(reader, sequence, note)) or known is not None
    stamp = stamp_in(found.token, found.digest, roots)
    if abs(stamp.at.timestamp() - record.at_ns / 1e9) > CLOCKS_APART_S:
        raise StampRefused(f"it states {stamp.at.isoformat()}, more than 24 h from the time of its record")
    if abs((stamp.at.date() - found.day).days) > DAYS_APART:
        raise StampRefused(f"it states {stamp.at.isoformat()}, and was recorded for the day {found.day}")
    return KeptStamp(found.day.isoformat(), stamp, signed_s, compared)


def _note_of(reader: JournalReader, sequence: int) -> tuple[float, str]:
    """Return time and note of a checkpoint's record."""
    record: JournalRecord | None = next(reader.records(sequence - 1), None)
    if record is None or (record.sequence, record.kind) != (sequence, CHECKPOINT):
        raise StampRefused(f"record {sequence} is no checkpoint")
    noted = noted_tree(reader.path, record)
    assert noted is not None  # only a balance may name no tree
    return record.at_ns / 1e9, noted.note


def _is_there(reader: JournalReader, sequence: int, note: str) -> bool:
    """True if the journal has the tree that a note is of, as it was at that checkpoint's record: its number of leaves
    is the number of the record's own. StampRefused if it has another one; False if it has none."""
    tables = LogTables(reader)
    leaf = tables.leaf_of(sequence)
    if leaf is None:
        return False
    try:
        head = TreeHead.parse(note_parts(note)[0])
    except NoteRefused as error:
        raise StampRefused(f"it is of no checkpoint: {error}") from None
    tree, size = leaf
    if head.size != size or head.root != tables.root_of(tree, size):
        raise StampRefused(f"it is of another tree than the one of record {sequence}: the journal was rewritten")
    return True


def _client() -> ModuleType:
    try:
        import rfc3161_client
    except ImportError as cause:
        raise ExtraMissing("rfc3161-client", "stamp") from cause
    return rfc3161_client
