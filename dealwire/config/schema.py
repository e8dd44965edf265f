"""A `table.toml` as data: every table and key it may hold. `load` says what fits together."""

import ipaddress
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, Field, PlainValidator, ValidationInfo, WithJsonSchema, model_validator

from dealer_flow.table.shoe import LEAST_CONFIDENCE
from dealer_flow.tomlfile import TomlTable
from devices.budget import RATE
from rules.game.schema import Signature
from rules.paytables.amounts import AmountField, WagerField

DAY_BEGINS: Final = "06:00"
"""When a gaming day begins, where nobody says otherwise."""
Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9]+([._-][A-Za-z0-9]+)*$", max_length=64)]
"""Names stand in file names, addresses and topics: letters, digits, and dots, dashes or underscores between them."""
Port = Annotated[int, Field(ge=0, le=65535)]

HostName = Annotated[str, Field(pattern=r"^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$", max_length=253)]
"""A host's name as it stands in an address, without a port."""


def _network(value: str) -> str:
    try:
        ipaddress.ip_network(value)
    except ValueError:
        raise ValueError("an address such as 10.0.0.7 or a network such as 10.0.0.0/24 is needed") from None
    return value


Network = Annotated[str, AfterValidator(_network)]


def _path(value: object, info: ValidationInfo) -> Path:
    if not isinstance(value, str | Path) or not str(value) or "\0" in str(value):
        raise ValueError("the path of a file is a text")
    return _folder(info) / value


def _id_or_file(value: str, info: ValidationInfo) -> str:
    return str(_folder(info) / value) if value.endswith(".toml") and info.context else value


def _folder(info: ValidationInfo) -> Path:
    """The folder of the file that is read; what it names is taken from there."""
    return info.context["folder"] if info.context else Path()


def _folders(value: object, info: ValidationInfo) -> tuple[Path, ...]:
    listed = value if isinstance(value, list | tuple) else (value,)
    found = tuple(_path(each, info) for each in listed)
    if not found:
        raise ValueError("a list of folders names one at least")
    if len({each.resolve() for each in found}) < len(found):
        raise ValueError("a folder stands twice: two copies in one folder are one")
    if any("\n" in str(each) for each in found):
        raise ValueError("the path of a folder is one line")
    return found


_ONE_PATH: Final = {"type": "string", "minLength": 1}
FilePath = Annotated[Path, PlainValidator(_path), WithJsonSchema(_ONE_PATH)]
Folders = Annotated[
    tuple[Path, ...],
    PlainValidator(_folders),
    WithJsonSchema({"anyOf": [_ONE_PATH, {"type": "array", "items": _ONE_PATH, "minItems": 1, "uniqueItems": True}]}),
]
IdOrFile = Annotated[str, AfterValidator(_id_or_file)]

DeviceRole = Literal["observe", "control"]
"""`observe`: the device is heard, nothing is asked of it. `control`: a person may have commands sent to it."""


Word = Annotated[str, Field(min_length=1, max_length=64)]


class PinPart(TomlTable):
    """The one device that a line must have, by its own word; what is left out may be anything."""

    maker: Word | None = None
    """As the device says it."""
    model: Word | None = None
    """As the device says it."""
    serial: Word | None = None
    """Its serial number, as it says it."""
    firmware: Word | None = None
    """The version of its firmware, as it says it."""
    firmware_digest: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")] | None = None
    """SHA-256 of the firmware's image, as the device attests it: 64 hex digits in lower case."""


class DevicePart(TomlTable):
    """One device of a table, and the line it is on."""

    name: Name
    """Stands in events and addresses."""
    kind: Literal["shuffler", "shoe", "table-controller"]
    """What it is. A table has exactly one that deals, as its procedure asks, and one table controller; of a game dealt
    by hand the latter alone."""
    address: Annotated[str, Field(min_length=1)]
    """The line that it is on. Prefer the names that stay: `serial-id:`, `usb:` or a path below `/dev/serial/by-id/`."""
    dialect: str = "tdp"
    """How it speaks: `tdp`, `angel-eye`, `bee-tek` or an added one."""
    role: DeviceRole = "observe"
    """What may be asked of it. `observe`: nothing, it is heard; `control`: people may have commands sent to it."""
    max_bytes_per_s: Annotated[int, Field(ge=1_000, le=100_000_000)] = RATE
    """Bytes a second, on average over some seconds, beyond which nothing is kept of what the line gives."""
    pin: PinPart | None = None
    """While another device is on the line, no round is settled by itself."""


class MaximumPart(TomlTable):
    """The most that a round, a player in it or a tip is paid, where the game's text lets the house set it, and the
    least bet at the table, by which the text bounds that."""

    round_cents: WagerField | None = None
    """A round, all its players together."""
    player_cents: WagerField | None = None
    """One player in a round."""
    tip_cents: WagerField | None = None
    """A tip."""
    least_bet_cents: WagerField | None = None
    """The least bet at the table, by which the text bounds these."""


class RakePart(TomlTable):
    """What the house takes of the pots that players bet into, within what the game's text prints."""

    percent: Annotated[str, Field(pattern=r"^\d{1,3}(\.\d{1,4})?$")] = "0"
    """Of each pot, in percent."""
    cap_cents: WagerField | None = None
    """The most of a round's pots, all together."""
    step_cents: WagerField | None = None
    """What it is rounded down to; the token unless given."""
    jackpot_cents: WagerField | None = None
    """What is taken of a round's pots for a jackpot, beside the rest."""
    pool_percent: Annotated[str, Field(pattern=r"^\d{1,3}(\.\d{1,4})?$")] = "0"
    """Of a pool that runners have won, in percent."""


class TablePart(TomlTable):
    """One table: what is dealt, on which terms, from which devices."""

    name: Name
    """Stands in every result, topic and address."""
    procedure: IdOrFile
    """Id of a procedure, or a file."""
    game: IdOrFile | None = None
    """Id of a game, or a file; the procedure's own unless given."""
    edition: IdOrFile | None = None
    """The edition of the law that it deals by: an id or a file; the text that its files print unless given."""
    settle: bool = True
    """False deals without settling."""
    seats: Annotated[int, Field(ge=1, le=32)] | None = None
    """How many the console shows: 7, or as many as the procedure allows, unless given. More may be played."""
    limit_cents: WagerField | None = None
    """The most that one bet may be; what is above it is held."""
    token_cents: WagerField = 25
    """What pays are rounded down to: the least token at the table."""
    envy_base_cents: WagerField | None = None
    """The wager that envy is printed for, where the pay table names none."""
    commission: Annotated[str, Field(pattern=r"^\d{1,3}(\.\d{1,4})?$")] = "0"
    """What the house takes of a win, in percent, where the game's text lets it."""
    rake: RakePart = Field(default_factory=RakePart)
    """What the house takes of the pots that players bet into."""
    house_way: IdOrFile | None = None
    """How the house sets its hand; the game's printed way unless given."""
    maximum: MaximumPart = Field(default_factory=MaximumPart)
    accept_suspect: bool = False
    """True settles by a pay table or reading that cannot be meant as it is printed."""
    least_confidence: Annotated[int, Field(ge=0, le=100)] = LEAST_CONFIDENCE
    """Percent below which a card that a shoe's reader is not sure of counts as not read."""
    progressive: FilePath | None = None
    """A progressive setup. Tables that name the same file share its meters."""
    jackpot: FilePath | None = None
    """A jackpot file. Tables that name the same file share its pools."""
    awards: bool = False
    """Awards made at the table controller move the meters of `progressive`, and are compared with the settlements."""
    options: dict[str, str] = Field(default_factory=dict)
    """Readings of the procedure where its text is silent."""
    paytables: dict[str, str] = Field(default_factory=dict)
    """The pay table of a bet, by the bet's name; its first one unless given."""
    readings: dict[str, str] = Field(default_factory=dict)
    """Readings of the game where its text is open, by name; its defaults unless given."""
    signed: tuple[Signature, ...] = ()
    """Which of them the house has signed, beside what the game's file says of it."""
    unsigned_readings: Literal["settle", "wait"] = "settle"
    """`wait` holds what a reading decides that nobody has signed, until a supervisor has released it once."""
    meters: dict[str, AmountField] = Field(default_factory=dict)
    """Where meters stand when the journal knows nothing of them yet, by name; for a table without `progressive`."""
    device: Annotated[tuple[DevicePart, ...], Field(min_length=1)]


class JournalPart(TomlTable):
    """Where everything is written down, and what seals raw bytes at rest: `key_file`, whose keys open them too, or
    `auditor_key_file`, the public half of a pair. Without one of them they are in the clear."""

    path: FilePath
    """The journal's file; made when it is not there."""
    key_file: FilePath | None = None
    """The keys that seal raw bytes at rest, and open them."""
    day_begins: Annotated[str, Field(pattern=r"^([01]\d|2[0-3]):[0-5]\d$")] = DAY_BEGINS
    """When a gaming day begins, by the clock of this machine: all before it becomes a segment."""
    archive: Folders = ()
    """A folder that gets the segment of each day that is over, or a list of folders that each get it, best on disks of
    their own. Without one nothing is ever taken off the journal."""
    copies: Annotated[int, Field(ge=1)] | None = None
    """In how many of these folders a day must lie, unaltered, in the moment in which it is taken off the journal; in
    all of them unless given."""
    keep_days: Annotated[int, Field(ge=1)] = 30
    """Days that stay in the journal after they were archived."""
    most_megabytes: Annotated[int, Field(ge=16)] | None = None
    """What was archived is taken off earlier while the journal is larger than this."""
    auditor_key_file: FilePath | None = None
    """Instead: the public half of an auditor's pair, with which nobody at the table reads a round that is over."""

    @model_validator(mode="after")
    def _copies_have_folders(self) -> "JournalPart":
        if self.copies is not None and self.copies > len(self.archive):
            raise ValueError(
                f"copies = {self.copies} needs as many folders in archive, which names {len(self.archive)}"
            )
        return self


class ConsolePart(TomlTable):
    """Where the console listens. Without `tokens_file` nobody can sign in, so nothing can be asked of the table.

    `names` are host names it answers to besides its own, such as a proxy's; `secure` says that browsers reach it by TLS
    only, through a proxy; `proxies` are the addresses or networks of proxies that say for whom they ask.
    """

    host: Annotated[str, Field(min_length=1)] = "127.0.0.1"
    """The address of this machine it listens at; elsewhere than on this machine looking on needs a token, too."""
    port: Port = 8420
    """TCP port; 0 takes any that is free."""
    tokens_file: FilePath | None = None
    """Who may act: `ROLE = "TOKEN"` for dealer, supervisor, technician. Its owner alone may read it."""
    recordings: FilePath | None = None
    """A folder of recordings that can be looked at."""
    names: tuple[HostName, ...] = ()
    """Host names it answers to besides its own, such as a proxy's."""
    secure: bool = False
    """True where browsers reach it by TLS only, through a proxy."""
    proxies: tuple[Network, ...] = ()
    """Addresses or networks of proxies that say for whom they ask."""
    idle_minutes: Annotated[int, Field(ge=0, le=720)] = 30
    """A session ends when nothing was asked with it for so long; 0: only after its twelve hours."""

    @model_validator(mode="after")
    def _secure_has_a_name(self) -> "ConsolePart":
        if self.secure and not self.names:
            raise ValueError("secure needs names: the host name under which browsers reach the console by TLS")
        return self


class MqttPart(TomlTable):
    """An MQTT 5 broker that gets every publication. The files are PEM, but the password's, which is its first line."""

    url: Annotated[str, Field(pattern=r"^mqtts?://")]
    """`mqtt://[USER@]HOST[:PORT]`, or `mqtts://` for TLS."""
    site: Name
    """Stands before the table's name in every topic."""
    profile: Literal["full", "no-cards"] = "full"
    """`no-cards` leaves out every card and whatever cards could follow from."""
    password_file: FilePath | None = None
    """The broker's password, on its first line; the user stands in `url`."""
    ca_file: FilePath | None = None
    """The authority that the broker is trusted by."""
    cert_file: FilePath | None = None
    """The certificate with which this table shows who it is."""
    key_file: FilePath | None = None
    """The key to that certificate."""


class MetricsPart(TomlTable):
    """Where Prometheus finds the metrics. `names` are host names it may ask for; an address needs none."""

    host: Annotated[str, Field(min_length=1)] = "127.0.0.1"
    """The address of this machine it listens at."""
    port: Port = 9420
    """TCP port; 0 takes any that is free."""
    names: tuple[HostName, ...] = ()
    """Host names it may be asked for by; an address needs none."""


class ExportsPart(TomlTable):
    """What else is told, besides the console. `ndjson`: every line that is made known, on standard output."""

    ndjson: bool = False
    mqtt: MqttPart | None = None
    metrics: MetricsPart | None = None


class Configuration(TomlTable):
    """The whole file."""

    schema_: Literal["dealwire.table/1"] = Field(alias="schema")
    table: Annotated[tuple[TablePart, ...], Field(min_length=1)]
    journal: JournalPart
    console: ConsolePart | None = None
    exports: ExportsPart = ExportsPart()

    @model_validator(mode="before")
    @classmethod
    def _tables_are_many(cls, content: Any) -> Any:
        if isinstance(content, dict) and isinstance(content.get("table"), dict):
            raise ValueError("[table] must be [[table]], and its devices [[table.device]]: a file may hold several")
        return content
