"""Topics and properties of the lines on MQTT, as `docs/exports.md` explains them."""

import json
import re
from typing import Final, NamedTuple

from paho.mqtt.client import MQTTMessage
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from dealwire.export.broker import new_properties
from dealwire.hub.lines import Publication

ROOT: Final = "dealwire/v1"
PRESENCE: Final = "status"
"""`online` or `offline`, retained; `offline` is also the broker's to say, when the table is gone without a word."""
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
_DIGITS: Final = re.compile(r"\d{1,19}")


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
        ]
        return found


def place(journal: str, sequence: int) -> str:
    """A place in a journal, as MARK and AGAIN carry it."""
    return f"{journal} {sequence}"


def place_in(message: MQTTMessage, journal: str) -> int | None:
    """The sequence in a message; None when it is of another journal, or whatever else somebody wrote there."""
    found, _, digits = message.payload[:80].decode("ascii", "replace").partition(" ")
    return int(digits) if found == journal and _DIGITS.fullmatch(digits) else None


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


def read_line(message: MQTTMessage) -> Received:
    """The line in a message; ValueError when something that every line carries is missing or not what it must be."""
    properties = dict(getattr(message.properties, "UserProperty", ()))
    missing = sorted(Received.__annotations__.keys() - properties.keys() - {"line"})
    if missing:
        raise ValueError(f"no user property {', '.join(missing)}")
    line = message.payload.decode()
    content = json.loads(line)
    if not isinstance(content, dict) or content.get("schema") != properties["schema"]:
        raise ValueError(f"the line is not of {properties['schema']}")
    at = Address.checked(properties["site"], properties["table"])
    level = LINE_TOPICS.get(str(content.get("type")), "")
    if message.topic != at.topic(level):
        raise ValueError(f"a line of {at.topic(level)}")
    sequence, previous, at_ns = (_number(properties[name], name) for name in ("sequence", "previous", "at_ns"))
    return Received(
        at.site, at.table, _journal(properties["journal"]), sequence, previous, at_ns, properties["schema"], line
    )


def read_mark(message: MQTTMessage) -> tuple[str, str, str, int]:
    """Site, table, journal and sequence that a MARK names; ValueError when it names none."""
    _, _, site, table, _ = message.topic.split("/")
    journal, _, sequence = message.payload.decode().partition(" ")
    at = Address.checked(site, table)
    return at.site, at.table, _journal(journal), _number(sequence, "sequence")


def _journal(text: str) -> str:
    if not _JOURNAL.fullmatch(text):
        raise ValueError(f"journal {text!r} is not 32 hex digits")
    return text


def _number(text: str, what: str) -> int:
    if not _DIGITS.fullmatch(text) or int(text) >= 1 << 63:
        raise ValueError(f"{what} {text!r} is no number of 63 bits")
    return int(text)
