"""Signed lines: every line and mark that leaves is signed by the key of the opening, which the table's key certifies.

The opening's key is in memory only, so a line that is sent again after a restart is signed by another key than the
first time, over the same bytes. `docs/exports.md` states what is signed.
"""

import base64
import binascii
import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from msgspec.json import decode
from paho.mqtt.client import MQTTMessage
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from dealwire.export.broker import new_properties
from dealwire.export.topics import Address, Mark, properties_of
from dealwire.journal import Journal, JournalReader
from dealwire.journal.errors import NoteRefused
from dealwire.journal.records import OPENED
from dealwire.journal.signing import (
    LOG_TYPE,
    NoteVerifier,
    SignatureLine,
    SigningPair,
    note_of,
    note_parts,
    signature_line,
    signed_by,
)

_OPENING: Final = "dealwire.opening/1"
_LINE: Final = "dealwire.line/1"
_MARK: Final = "dealwire.mark/1"
MARKED_LOG: Final = "log"
"""Property of a mark: the log of the journal when it was signed."""
_SIGNED_PROPERTIES: Final = ("site", "table", "journal", "sequence", "previous", "at_ns", "schema", "epoch", "hash")
_BODY: Final = re.compile(
    rf"{re.escape(_OPENING)}\n(?P<site>[^\n]{{1,64}})\n(?P<journal>[0-9a-f]{{32}})\n(?P<epoch>[0-9a-f]{{16}})\n"
    r"(?P<public>[A-Za-z0-9+/]{43}=)\n"
)
CERTIFICATE_MOST: Final = 4096
"""Most bytes of a certificate."""


def label_of(public: bytes) -> str:
    """Return the label by which lines name the key of an opening, 16 hex digits."""
    return hashlib.sha256(b"dealwire opening key\0" + public).hexdigest()[:16]


def line_text(properties: dict[str, str], payload: bytes) -> bytes:
    """Return what the signature of a line covers: its properties and its payload, byte for byte."""
    fields = [_LINE, *(properties.get(name) or "-" for name in _SIGNED_PROPERTIES)]
    return "\n".join(fields).encode() + b"\n" + payload


def mark_text(at: Address, payload: bytes, properties: dict[str, str]) -> bytes:
    """Return what the signature of a mark covers: the log, too, if its properties name one."""
    text = f"{_MARK}\n{at.site}\n{at.table}\n".encode() + payload
    return text + f"\n{log}".encode() if (log := properties.get(MARKED_LOG)) else text


def fits(public: bytes, text: bytes, properties: dict[str, str]) -> bool:
    """True if the signature among the properties is of this text and by this key."""
    try:
        signature = base64.b64decode(properties.get("signature", ""), validate=True)
    except (binascii.Error, ValueError):
        return False
    return signed_by(public, text, signature)


class OpeningCertificate(NamedTuple):
    """The certificate of an opening's key: for which site, journal and epoch, and the signatures below it."""

    site: str
    journal: str
    epoch: str
    public: bytes
    body: str
    lines: Sequence[SignatureLine]

    @classmethod
    def parse(cls, payload: bytes) -> "OpeningCertificate":
        """Read a certificate. NoteRefused if it is none."""
        if len(payload) > CERTIFICATE_MOST:
            raise NoteRefused(f"a certificate of more than {CERTIFICATE_MOST} bytes")
        try:
            body, lines = note_parts(payload.decode())
        except UnicodeDecodeError:
            raise NoteRefused("a certificate that is not UTF-8") from None
        found = _BODY.fullmatch(body)
        if found is None:
            raise NoteRefused("not a certificate of an opening's key")
        public = base64.b64decode(found["public"])
        return cls(found["site"], found["journal"], found["epoch"], public, body, lines)

    @property
    def label(self) -> str:
        """Label of the certified key."""
        return label_of(self.public)

    def is_by(self, publics: Iterable[bytes]) -> bool:
        """True if one of these keys signed it. The name of the signer is not compared: a journal that was salvaged
        signs under another name with the same key."""
        text = self.body.encode()
        for public in publics:
            for line in self.lines:
                key = NoteVerifier(line.name, LOG_TYPE, public)
                if key.key_id == line.key_id and key.fits(text, line.signature):
                    return True
        return False


def certificate(site: str, journal: str, epoch: str, public: bytes, pair: SigningPair, name: str) -> str:
    """Return the certificate of an opening's key, signed by the table's `pair` under the `name` of its log."""
    body = f"{_OPENING}\n{site}\n{journal}\n{epoch}\n{base64.b64encode(public).decode()}\n"
    return note_of(body, [signature_line(body, pair, name)])


@dataclass(frozen=True, slots=True)
class LineSigner:
    """The key of an opening and its certificate. `table_key` is the public half of the key that certified it, `log` the
    name of the journal's log.

    `before`: this journal signed its lines before this opening, so a mark without a signature is not its own.
    """

    pair: SigningPair
    certificate: str
    table_key: bytes
    before: bool
    log: str

    @classmethod
    def of(cls, journal: Journal, site: str) -> "LineSigner | None":
        """Return the signer of an open journal; None if it has no signing key."""
        pair, key = journal.checkpoints.pair, journal.line_key
        if pair is None or key is None:
            return None
        log = journal.log.origin
        text = certificate(site, journal.identity.hex(), journal.epoch, key.public, pair, log)
        with JournalReader(journal.path) as reader:
            before = has_signed(reader, but=key.public)
        return cls(key, text, pair.public, before, log)

    def sign_line(self, carried: Properties, line: str) -> None:
        """Add the signature of a line to its properties."""
        properties = dict(getattr(carried, "UserProperty", ()))
        self._add(carried, line_text(properties, line.encode()))

    def mark_properties(self, at: Address, text: str) -> Properties:
        """Return the properties of a mark: its log, and its signature."""
        found = new_properties(PacketTypes.PUBLISH)
        found.UserProperty = [(MARKED_LOG, self.log)]
        self._add(found, mark_text(at, text.encode(), {MARKED_LOG: self.log}))
        return found

    def _add(self, carried: Properties, text: bytes) -> None:
        signature = base64.b64encode(self.pair.sign(text)).decode()
        carried.UserProperty = [("signed", label_of(self.pair.public)), ("signature", signature)]

    def is_ours(self, at: Address, mark: Mark, message: MQTTMessage, certificates: Iterable[bytes]) -> bool:
        """True if this table may have published the mark that the broker remembers: an opening that one of the retained
        `certificates` certifies signed it, or it is of a time without signatures."""
        return mark_is_by(at, mark, message, (self.table_key,), certificates, signed=self.before)


def mark_is_by(
    at: Address,
    mark: Mark,
    message: MQTTMessage,
    keys: Sequence[bytes],
    certificates: Iterable[bytes],
    *,
    signed: bool,
) -> bool:
    """True if an opening that one of `keys` certified signed the mark. Unless the journal `signed` marks before, one
    without a signature counts, too."""
    properties = properties_of(message)
    if not properties.get("signed"):
        return not signed
    for payload in certificates:
        try:
            found = OpeningCertificate.parse(payload)
        except NoteRefused:
            continue
        of_it = (found.site, found.journal, found.label) == (at.site, mark.journal, properties["signed"])
        if of_it and found.is_by(keys):
            return fits(found.public, mark_text(at, bytes(message.payload), properties), properties)
    return False


def has_signed(reader: JournalReader, but: bytes = b"") -> bool:
    """True if an opening of the journal had a key for its lines; the opening with the key `but` does not count."""
    for record in reader.all_of(OPENED):
        key = decode(record.payload).get("line_key")
        if key is not None and key != but.hex():
            return True
    return False
