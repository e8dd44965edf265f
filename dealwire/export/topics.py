"""Topics and properties of the lines on MQTT, as `docs/exports.md` explains them."""

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
"""`online` or `offline`, retained; `offline` is also the broker's to say, when the table is gone without a word."""
STANDING: Final = "standing"
"""How the table stands, retained: what is not known, lamp, trouble; true while the presence is `online`."""
MARK: Final = "sent"
"""The place of the newest line the broker has taken, retained: whatever is behind it a broker may have lost."""
AGAIN: Final = "again"
"""Whoever misses lines asks here: the place after which they are to be sent again."""
LINE_TOPICS: Final = {
    "event": "event",
    "incident": "incident",
    "round": "round",
    "settlement": "settlement",
    "meter": "meter",
    "award": "award",
    "status": "state",
}
"""Where each type of line goes; `status` is taken by the presence."""

_NAME: Final = re.compile(r"[^/+#$\x00-\x1f\x7f][^/+#\x00-\x1f\x7f]{0,63}")
_JOURNAL: Final = re.compile(r"[0-9a-f]{32}")
_DIGITS: Final = re.compile(r"[0-9]{1,19}")
_SCHEMA: Final = re.compile(r"([a-z]{1,32}) dealwire\.\1/[0-9]{1,3}")
_HEX: Final = re.compile(r"[0-9a-f]{0,128}")

PLACE_MAX: Final = 64
"""Bytes of a place: a journal's number, a space, and the sequence."""
MARK_MAX: Final = 512
LINE_MAX: Final = 256 * 1024
"""Bytes of a line. The longest of a table with thirty-two seats is shorter by far."""


class Address(NamedTuple):
    """One table of one site, as topics name it."""

    site: str
    table: str

    @classmethod
    def checked(cls, site: str, table: str) -> "Address":
        """ValueError, saying what is allowed, when a name cannot be a level of a topic."""
        for what, name in (("site", site), ("table", table)):
            if not _NAME.fullmatch(name):
                allowed = "1 to 64 characters, none of them / + # or a control character, no $ first"
                raise ValueError(f"{what} {name!r}: allowed are {allowed}")
        return cls(site, table)

    @property
    def client(self) -> str:
        """Who we are to the broker: one connection each table."""
        return f"dealwire/{self.site}/{self.table}"

    @property
    def user(self) -> str:
        """Who we are to a broker that lets each table write its own topics alone, unless the address names a user."""
        return f"{self.site}/{self.table}"

    def topic(self, level: str) -> str:
        """One of this table's topics."""
        return f"{ROOT}/{self.site}/{self.table}/{level}"

    def properties(self, item: Publication, journal: str, previous: int) -> Properties:
        """What a line carries beside it; `previous` is the sequence of the table's line before it, 0 for the first."""
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


class Mark(NamedTuple):
    """The newest line that the broker has taken, as MARK carries it: journal, sequence, the opening that wrote it, and
    the witness of its record's place in the chain (hex, or empty where it is not known)."""

    journal: str
    sequence: int
    epoch: str = ""
    hash: str = ""

    @property
    def text(self) -> str:
        """As it stands in the topic."""
        return f"{self.journal} {self.sequence} {self.epoch or '-'} {self.hash or '-'}"

    @classmethod
    def parse(cls, payload: bytes | bytearray) -> "Mark":
        """ValueError, saying what is wrong, when it is none. Epoch and hash may be absent."""
        if len(payload) > MARK_MAX:
            raise ValueError(f"a mark of {len(payload)} bytes; at most {MARK_MAX}")
        journal, _, more = payload.decode("ascii").partition(" ")
        sequence, *rest = more.split(" ")
        epoch, digest = ("" if each == "-" else _hex(each) for each in [*rest, "-", "-"][:2])
        if len(rest) > 2:
            raise ValueError("a mark is a journal, a sequence, an epoch and a hash")
        return cls(_journal(journal), _number(sequence, "sequence"), epoch, digest)


def place(journal: str, sequence: int) -> str:
    """A place in a journal, as AGAIN carries it."""
    return f"{journal} {sequence}"


def read_place(message: MQTTMessage) -> tuple[str, int]:
    """Journal and sequence that an AGAIN names; ValueError, saying why not and nothing of what it holds."""
    if message.retain:
        raise ValueError("it is retained")
    try:
        if len(message.payload) > PLACE_MAX:
            raise ValueError
        journal, _, digits = message.payload.decode("ascii").partition(" ")
        return _journal(journal), _number(digits, "sequence")
    except ValueError:
        raise ValueError("it names no place in a journal") from None


class Received(NamedTuple):
    """A line as it came from the broker."""

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


_MAY_LACK: Final = {"line", "epoch", "hash", "type"}


def read_line(message: MQTTMessage) -> tuple[Received, dict[str, Any]]:
    """The line in a message, and its content; ValueError when something that every line carries is missing or not what
    it must be. What is nested too deeply is a RecursionError."""
    properties = dict(getattr(message.properties, "UserProperty", ()))
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
    found = Received(at.site, at.table, journal, sequence, previous, at_ns, schema, line, epoch, digest, kind)
    return found, content


def read_mark(message: MQTTMessage) -> tuple[str, str, str, int]:
    """Site, table, journal and sequence that a MARK names; ValueError when it names none."""
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
        raise ValueError(f"{what} {text[:40]!r} is no number of 63 bits")
    return int(text)
