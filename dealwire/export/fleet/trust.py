"""Keys of the tables, as the fleet's consumer was given them, and the lines that they vouch for.

With keys, nothing is believed without: a table that no key is of, a line without a signature, and a signature that does
not fit are refused. A certificate is checked whenever it is read, whoever wrote it into the database.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from paho.mqtt.client import MQTTMessage

from dealwire.export.fleet.database import Database, KeptOpening
from dealwire.export.fleet.refusals import RefusalKind
from dealwire.export.line_signing import OpeningCertificate, fits, line_text, mark_text
from dealwire.export.topics import OPENING, Address, Received, properties_of
from dealwire.journal.errors import KeyProblem, NoteRefused
from dealwire.journal.keyfiles import read_lines
from dealwire.journal.signing import LOG_TYPE, BadVkey, NoteVerifier

_ALL: Final = "*"
UNKNOWN_MOST: Final = 10_000
"""Most labels of unknown keys that are looked up in the database at a time."""


class Untrusted(ValueError):
    """Error: no key of the table vouches for a message."""

    def __init__(self, kind: RefusalKind, why: str) -> None:
        self.kind = kind
        super().__init__(why)


class OpeningKey(NamedTuple):
    """The certified key of an opening, of one journal."""

    journal: str
    public: bytes


class TrustedKeys:
    """Keys by site and table, from a file: `SITE/TABLE VKEY` a line, `SITE/*` for every table of a site."""

    def __init__(self, keys: Mapping[Address, Sequence[bytes]]) -> None:
        self._keys = keys
        self._known: dict[tuple[Address, str], OpeningKey] = {}

    @classmethod
    def read(cls, path: Path) -> "TrustedKeys":
        """Read the file. KeyProblem names the first line that is wrong, KeyUnsafe a file that others may change."""
        found: dict[Address, list[bytes]] = {}
        for number, words in read_lines(path, secret=False, trusted=True):
            if words[0].startswith("#"):
                continue
            site, _, table = " ".join(words[:-1]).partition("/")
            try:
                key = NoteVerifier.parse(words[-1])
                at = Address.checked(site, "all" if table == _ALL else table)
            except (BadVkey, ValueError) as error:
                raise KeyProblem(path, f"{error}; allowed: SITE/TABLE KEY, or SITE/* KEY", number) from None
            if key.kind != LOG_TYPE:
                raise KeyProblem(path, f"{key.name}: the key of a witness; lines are signed with a table's key", number)
            found.setdefault(at._replace(table=table), []).append(key.public)
        if not found:
            raise KeyProblem(path, "it has no key; allowed: SITE/TABLE KEY, or SITE/* KEY")
        return cls(found)

    def of(self, at: Address) -> Sequence[bytes]:
        """Return the keys of a table; none if no line of the file is of it."""
        return (*self._keys.get(at, ()), *self._keys.get(at._replace(table=_ALL), ()))

    # ------------------------------------------------------------------ openings

    async def learn(self, messages: Sequence[MQTTMessage], database: Database) -> None:
        """Learn the keys of openings: those that came, which are stored, and those in the database that lines name."""
        came = list[KeptOpening]()
        for message in messages:
            if message.topic.endswith(f"/{OPENING}") and message.payload:
                try:
                    at, found = self.opening(message)
                except (Untrusted, ValueError):  # refused when the messages are sorted
                    continue
                note = bytes(message.payload).decode()
                came.append(KeptOpening(*at, found.journal, found.epoch, found.label, found.public, note))
        if came:
            await database.keep_openings(came)
        missing = {key for message in messages if (key := _named(message)) is not None and key not in self._known}
        for kept in await database.openings(list(missing)[:UNKNOWN_MOST]) if missing else ():
            with suppress(Untrusted):  # by a key that is no longer in the list: what it signed is refused
                self._take(Address(kept.site, kept.table), kept.note.encode())

    def opening(self, message: MQTTMessage) -> tuple[Address, OpeningCertificate]:
        """Return the certificate in a message, of a key from now on known. Untrusted if no key of its table signed
        it."""
        _, _, site, table, _ = message.topic.split("/")
        at = Address.checked(site, table)
        if not self.of(at):
            raise Untrusted("unsigned", _no_key(at))
        return at, self._take(at, bytes(message.payload))

    def _take(self, at: Address, payload: bytes) -> OpeningCertificate:
        try:
            found = OpeningCertificate.parse(payload)
        except NoteRefused as error:
            raise Untrusted("forged", str(error)) from None
        if found.site != at.site or not found.is_by(self.of(at)):
            raise Untrusted("forged", f"an opening certified by a key that is not of {at.user}")
        self._known[at, found.label] = OpeningKey(found.journal, found.public)
        return found

    # ------------------------------------------------------------------ lines and marks

    def check_line(self, line: Received, message: MQTTMessage) -> None:
        """Raise Untrusted unless a key of the table vouches for the line."""
        properties = properties_of(message)
        at = Address(line.site, line.table)
        key = self._key_of(at, line.journal, properties)
        if not fits(key.public, line_text(properties, bytes(message.payload)), properties):
            raise Untrusted("forged", "the signature does not fit the line")

    def believes_mark(self, at: Address, journal: str, message: MQTTMessage) -> bool:
        """Return True if a key of the table vouches for the mark. Raise Untrusted if not; return False for one that the
        broker remembers from an opening that is not known: the table publishes the next in a moment."""
        properties = properties_of(message)
        try:
            key = self._key_of(at, journal, properties)
        except Untrusted:
            if message.retain and properties.get("signed"):
                return False
            raise
        if not fits(key.public, mark_text(at, bytes(message.payload), properties), properties):
            raise Untrusted("forged", "the signature does not fit the mark")
        return True

    def _key_of(self, at: Address, journal: str, properties: Mapping[str, str]) -> OpeningKey:
        if not self.of(at):
            raise Untrusted("unsigned", _no_key(at))
        label = properties.get("signed", "")
        if not label or not properties.get("signature"):
            raise Untrusted("unsigned", f"no signature, and this consumer has keys of {at.user}")
        key = self._known.get((at, label))
        if key is None or key.journal != journal:
            raise Untrusted("unsigned", f"signed by an opening that no trusted key certifies ({label[:16]})")
        return key


def _no_key(at: Address) -> str:
    return f"no key of {at.user} is in the list of keys"


def _named(message: MQTTMessage) -> tuple[Address, str] | None:
    """Return table and label of the key that a line or mark names; None if it names none."""
    levels = message.topic.split("/")
    label = properties_of(message).get("signed", "")
    if len(levels) != 5 or len(label) != 16 or not label.isalnum():
        return None
    return Address(levels[2], levels[3]), label
