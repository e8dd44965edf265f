"""Topics and properties of lines on MQTT; see `docs/exports.md`."""

import json
import re
from typing import Any, Final, NamedTuple

from paho.mqtt.client import MQTTMessage
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from dealwire.export.broker import new_properties
from dealwire.export.profile import SCHEMA as NO_CARDS
from dealwire.export.witness import witness
from dealwire.hub.lines import Publication

ROOT: Final = "dealwire/v1"
PRESENCE: Final = "status"
"""Topic of `online` or `offline`, retained. The broker publishes `offline` if the table disappears."""
STANDING: Final = "standing"
"""Topic of the table's standing, retained. It is valid while the presence is `online`."""
MARK: Final = "sent"
"""Topic of the newest line that the broker has taken, retained. A broker may have lost later lines."""
AGAIN: Final = "again"
"""Topic of requests for missing lines: the place after which lines are to be repeated."""
OPENING: Final = "opening"
"""Topic of the certificate of the key that signs the table's lines, retained."""
CHECKPOINT: Final = "checkpoint"
"""Topic of the newest signed checkpoint of the journal's log, retained, at its first table."""
GROW: Final = "grow"
"""Topic of a witness: its name, and the size of the tree that it saw."""
GROWTH: Final = "growth"
"""Topic of the table's answer: the proof that its tree grew from that size."""
COSIGNED: Final = "cosigned"
"""Topic of a witness: the size of a checkpoint, and the signature line."""
FORK: Final = "fork"
"""Topic of a witness: two checkpoints that contradict one another, retained."""
LINE_TOPICS: Final = {
    "event": "event",
    "incident": "incident",
    "round": "round",
    "settlement": "settlement",
    "meter": "meter",
    "award": "award",
    "status": "state",
}
"""Topic level of each type of line. `status` is used for the presence."""

_NAME: Final = re.compile(r"[^/+#$\x00-\x1f\x7f][^/+#\x00-\x1f\x7f]{0,63}")
_JOURNAL: Final = re.compile(r"[0-9a-f]{32}")
_DIGITS: Final = re.compile(r"[0-9]{1,19}")
_SCHEMA: Final = re.compile(r"([a-z]{1,32}) dealwire\.\1/[0-9]{1,3}")
_HEX: Final = re.compile(r"[0-9a-f]{0,128}")

PLACE_MAX: Final = 64
"""Maximum bytes of a place: journal identity, a space, and the sequence."""
MARK_MAX: Final = 512
LINE_MAX: Final = 256 * 1024
"""Maximum bytes of a line. The longest line of a table with thirty-two seats is much shorter."""


class Address(NamedTuple):
    """Table of a site, as topics name it."""

    site: str
    table: str

    @classmethod
    def checked(cls, site: str, table: str) -> "Address":
        """Return the address. Raise ValueError with what is allowed if a name cannot be a level of a topic."""
        for what, name in (("site", site), ("table", table)):
            if not _NAME.fullmatch(name):
                allowed = "1 to 64 characters, none of them / + # or a control character, no $ first"
                raise ValueError(f"{what} {name!r}: allowed are {allowed}")
        return cls(site, table)

    @property
    def client(self) -> str:
        """Client id at the broker; each table has one connection."""
        return f"dealwire/{self.site}/{self.table}"

    @property
    def user(self) -> str:
        """User name at a broker that restricts each table to its own topics, unless the address names a user."""
        return f"{self.site}/{self.table}"

    def topic(self, level: str) -> str:
        """Return one of this table's topics."""
        return f"{ROOT}/{self.site}/{self.table}/{level}"

    def properties(self, item: Publication, journal: str, previous: int) -> Properties:
        """Return the properties of a line. `previous` is the sequence of the table's line before it, 0 for the
        first."""
        found = new_properties(PacketTypes.PUBLISH)
        found.PayloadFormatIndicator = 1
        found.ContentType = "application/json"
        found.UserProperty = [
            ("site", self.site),
            ("table", item.table),
            ("journal", journal),
            ("sequence", str(item.sequence)),
            ("previous", str(previous)),
            ("at_ns", str(item.at_ns)),
            ("schema", str(json.loads(item.line)["schema"])),
            *(("epoch", item.epoch) for _ in item.epoch[:1]),
            *(("hash", witness(item.hash)) for _ in item.hash[:1]),
        ]
        return found


def table_filter(tables: str) -> str:
    """Return the levels of a subscription to `SITE/TABLE`, or to `SITE/*`; `+` stands for any name, too. ValueError
    with what is allowed for anything else: it would never match."""
    site, slash, table = tables.partition("/")
    names = [name for name in (site, table) if name not in ("+", "*")]
    if not slash or not all(map(_NAME.fullmatch, names)):
        raise ValueError(f"{tables!r}: allowed are SITE/TABLE, and * for all tables of a site")
    return "/".join("+" if name == "*" else name for name in (site, table))


class Mark(NamedTuple):
    """Newest line that the broker has taken, as the topic MARK carries it: journal, sequence, the opening that wrote
    it, and the witness of its record's hash (in hexadecimal, empty if unknown)."""

    journal: str
    sequence: int
    epoch: str = ""
    hash: str = ""

    @property
    def text(self) -> str:
        """Payload of the topic."""
        return f"{self.journal} {self.sequence} {self.epoch or '-'} {self.hash or '-'}"

    @classmethod
    def parse(cls, payload: bytes | bytearray) -> "Mark":
        """Parse a payload. Raise ValueError if it is not a mark. Epoch and hash are optional."""
        if len(payload) > MARK_MAX:
            raise ValueError(f"a mark of {len(payload)} bytes; at most {MARK_MAX}")
        journal, _, more = payload.decode("ascii").partition(" ")
        sequence, *rest = more.split(" ")
        epoch, digest = ("" if each == "-" else _hex(each) for each in [*rest, "-", "-"][:2])
        if len(rest) > 2:
            raise ValueError("a mark is a journal, a sequence, an epoch and a hash")
        return cls(_journal(journal), _number(sequence, "sequence"), epoch, digest)


def place(journal: str, sequence: int) -> str:
    """Return the payload of a request for this place."""
    return f"{journal} {sequence}"


def read_place(message: MQTTMessage) -> tuple[str, int]:
    """Return journal and sequence of a request. Raise ValueError with a reason that quotes nothing of it."""
    if message.retain:
        raise ValueError("it is retained")
    try:
        if len(message.payload) > PLACE_MAX:
            raise ValueError
        journal, _, digits = message.payload.decode("ascii").partition(" ")
        return _journal(journal), _number(digits, "sequence")
    except ValueError:
        raise ValueError("it does not name a place in a journal") from None


class Received(NamedTuple):
    """Line as received from the broker."""

    site: str
    table: str
    journal: str
    sequence: int
    previous: int
    at_ns: int
    schema: str
    line: str
    epoch: str = ""
    hash: str = ""
    type: str = ""
    signed: str = ""
    """Label of the key that is named as the signer; empty without one."""


_MAY_LACK: Final = {"line", "epoch", "hash", "type", "signed"}


def read_line(message: MQTTMessage) -> tuple[Received, dict[str, Any]]:
    """Return the line in a message, and its content. Raise ValueError if something required is missing or wrong,
    RecursionError if it is nested too deeply."""
    properties = properties_of(message)
    missing = sorted(Received.__annotations__.keys() - properties.keys() - _MAY_LACK)
    if missing:
        raise ValueError(f"no user property {', '.join(missing)}")
    if len(message.payload) > LINE_MAX:
        raise ValueError(f"a line of {len(message.payload)} bytes; at most {LINE_MAX}")
    line = message.payload.decode()
    content = json.loads(line)
    if not isinstance(content, dict) or content.get("schema") != properties["schema"]:
        raise ValueError(f"the line is not of {properties['schema'][:80]}")
    kind = str(content.get("type"))
    if properties["schema"] != NO_CARDS and not _SCHEMA.fullmatch(f"{kind} {properties['schema']}"):
        raise ValueError(f"no schema of a line: {properties['schema'][:80]}")
    at = Address.checked(properties["site"], properties["table"])
    level = LINE_TOPICS.get(kind, "")
    if message.topic != at.topic(level):
        raise ValueError(f"a line of {at.topic(level)}")
    sequence, previous, at_ns = (_number(properties[name], name) for name in ("sequence", "previous", "at_ns"))
    epoch, digest = (_hex(properties.get(name, "")) for name in ("epoch", "hash"))
    journal, schema = _journal(properties["journal"]), properties["schema"]
    signed = _hex(properties.get("signed", ""))
    found = Received(at.site, at.table, journal, sequence, previous, at_ns, schema, line, epoch, digest, kind, signed)
    return found, content


def properties_of(message: MQTTMessage) -> dict[str, str]:
    """Return the user properties of a message; of a name that comes twice, the last."""
    return dict(getattr(message.properties, "UserProperty", ()))


def read_mark(message: MQTTMessage) -> tuple[str, str, str, int]:
    """Return site, table, journal and sequence of a mark. Raise ValueError if it is not one."""
    _, _, site, table, _ = message.topic.split("/")
    at, mark = Address.checked(site, table), Mark.parse(message.payload)
    return at.site, at.table, mark.journal, mark.sequence


def _journal(text: str) -> str:
    if not _JOURNAL.fullmatch(text):
        raise ValueError(f"journal {text[:40]!r} is not 32 hex digits")
    return text


def _hex(text: str) -> str:
    if not _HEX.fullmatch(text):
        raise ValueError(f"epoch or hash {text[:40]!r} is not hex")
    return text


def _number(text: str, what: str) -> int:
    if not _DIGITS.fullmatch(text) or int(text) >= 1 << 63:
        raise ValueError(f"{what} {text[:40]!r} is not a number of 63 bits")
    return int(text)
