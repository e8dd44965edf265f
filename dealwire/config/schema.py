"""The content of a `table.toml`: the whole file, and what belongs to all its tables. `table_parts` has what belongs to
one. `load` checks what must fit together."""

import re
from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, Field, model_validator

from dealer_flow.tomlfile import TomlTable
from dealwire.config.fields import FilePath, Folders, HostName, Name, Network, Port
from dealwire.config.table_parts import TablePart

DAY_BEGINS: Final = "06:00"
"""Start of a gaming day unless configured otherwise."""


class LinesPart(TomlTable):
    """The keys of sealed lines."""

    keys: FilePath
    """Folder with this host's key and those of the paired devices, as `dealwire device pair` makes it."""
    key_log: FilePath | None = None
    """File to which the keys of every handshake are appended, readable by its owner only. Whoever has it can read a
    capture of the line, so give it for a diagnosis only."""


class WitnessPart(TomlTable):
    """A witness that may cosign this journal's checkpoints: a regulator's, or another service's."""

    key: Annotated[str, Field(pattern=r"^[^+\s]+\+[0-9a-f]{8}\+[A-Za-z0-9+/=]+$")]
    """Its key, `NAME+ID+KEY`, as `dealwire witness new` or `dealwire journal signer show --name` prints it."""
    needed: bool = False
    """True to be warned when its newest signature is older than 24 h."""

    @property
    def name(self) -> str:
        """Name of the witness."""
        return self.key.partition("+")[0]


class JournalPart(TomlTable):
    """The journal, and what seals raw bytes at rest: `key_file`, whose keys also open them, or `auditor_key_file`, the
    public half of a pair. Without one of them they are not sealed."""

    path: FilePath
    """The journal's file; created if it does not exist."""
    key_file: FilePath | None = None
    """Keys that seal raw bytes at rest, and open them."""
    day_begins: Annotated[str, Field(pattern=r"^([01]\d|2[0-3]):[0-5]\d$")] = DAY_BEGINS
    """Start of a gaming day, by the clock of this machine; records before it become a segment."""
    archive: Folders = ()
    """A folder for the segment of each finished day, or a list of folders that each get it, preferably on separate
    disks. Without one the journal is never pruned."""
    copies: Annotated[int, Field(ge=1)] | None = None
    """Number of these folders that must hold a day intact when it is pruned from the journal; all of them unless given.
    """
    keep_days: Annotated[int, Field(ge=1)] = 30
    """Days that stay in the journal after they were archived."""
    most_megabytes: Annotated[int, Field(ge=16)] | None = None
    """Archived days are pruned earlier while the journal is larger than this."""
    auditor_key_file: FilePath | None = None
    """Alternative to `key_file`: the public half of an auditor's pair, with which no one at the table reads a finished
    round."""
    readers: Annotated[str, Field(min_length=1)] | None = None
    """A group that may read the journal, and connect at the console's socket: that of a console with a user of its own.
    """
    signing_key_file: FilePath | None = None
    """Key that signs checkpoints of the journal's tree, which proofs of rounds need. Without one there is no tree."""
    checkpoint_seconds: Annotated[int, Field(ge=1, le=3600)] = 60
    """Seconds between two checkpoints, if anything was written since."""
    timestamp_url: Annotated[str, Field(pattern=r"^https?://\S+$")] | None = None
    """Authority that stamps the newest checkpoint once in a gaming day (RFC 3161). Needs the extra `stamp`."""
    timestamp_ca_file: FilePath | None = None
    """Certificates of trusted authorities, PEM; a stamp of another one is refused."""

    witness: tuple[WitnessPart, ...] = ()
    """Witnesses that cosign its checkpoints over MQTT."""

    @model_validator(mode="after")
    def _copies_have_folders(self) -> "JournalPart":
        if self.copies is not None and self.copies > len(self.archive):
            raise ValueError(
                f"copies = {self.copies} needs as many folders in archive, which names {len(self.archive)}"
            )
        return self

    @model_validator(mode="after")
    def _stamps_are_of_checkpoints(self) -> "JournalPart":
        if self.timestamp_url is not None and self.timestamp_ca_file is None:
            raise ValueError("timestamp-url needs timestamp-ca-file, the certificates of the authority")
        if self.timestamp_url is not None and self.signing_key_file is None:
            raise ValueError("timestamp-url needs signing-key-file: what is stamped are checkpoints")
        return self


class TlsPart(TomlTable):
    """TLS of a server: its certificate, and whose clients it lets in. The files are PEM, and read again on SIGHUP."""

    cert_file: FilePath
    """The server's certificate, and its chain behind it."""
    key_file: FilePath | None = None
    """The key to that certificate, if it is not in the same file. Only its owner may read it."""
    client_ca_file: FilePath | None = None
    """The authority of client certificates; with it, no one connects without one."""


def _plain_or_tls(part: "ConsolePart | MetricsPart") -> None:
    if part.plain and part.tls is not None:
        raise ValueError("plain = true and tls exclude each other")


class ConsolePart(TomlTable):
    """The console's address. Without `tokens_file` no one can sign in, and the console is read-only.

    Host names other than its own, such as a proxy's, go in `names`. `secure`: browsers reach it over TLS only, through
    a proxy. `proxies` are the addresses or networks of proxies that name the client they ask for.
    """

    host: Annotated[str, Field(min_length=1)] = "127.0.0.1"
    """Address to listen on. Beyond this machine, viewing needs a token too."""
    port: Port = 8420
    """TCP port; 0 takes any free port."""
    tokens_file: FilePath | None = None
    """Tokens of those who may act: `ROLE = "TOKEN"` for dealer, supervisor, technician. Only its owner may read it."""
    recordings: FilePath | None = None
    """A folder of recordings to show."""
    names: tuple[HostName, ...] = ()
    """Host names it answers to besides its own, such as a proxy's."""
    secure: bool = False
    """True if browsers reach it over TLS only, through a proxy."""
    tls: TlsPart | None = None
    """The certificate to serve with. Without it, connections are plain."""
    plain: bool = False
    """True to listen beyond this machine without TLS."""
    proxies: tuple[Network, ...] = ()
    """Addresses or networks of proxies that name the client they ask for."""
    idle_minutes: Annotated[int, Field(ge=0, le=720)] = 30
    """Minutes without a request after which a session ends; 0: only after twelve hours."""
    process: Literal["own", "same"] = "own"
    """`own`: a process of its own, which can ask and read and has no key. `same`: a thread of the tables' process."""
    socket: FilePath | None = None
    """A path at which `dealwire console` connects, as another user; the tables then start no console themselves."""

    @model_validator(mode="after")
    def _secure_has_a_name(self) -> "ConsolePart":
        if self.secure and not self.names:
            raise ValueError("secure needs names: the host name under which browsers reach the console by TLS")
        _plain_or_tls(self)
        return self

    @model_validator(mode="after")
    def _socket_without_process(self) -> "ConsolePart":
        if self.socket is not None and "process" in self.model_fields_set:
            raise ValueError("socket and process exclude each other: with socket, `dealwire console` is the process")
        return self


_ISSUER: Final = re.compile(
    r"(https?)://([A-Za-z0-9.-]+|\[[0-9a-f:]+\])(?::([0-9]{1,5}))?(/[!-\"$->@-~]*)?(\?[!-\"$-~]*)?"
)


def why_not_an_issuer(url: str, *, query: bool = False) -> str | None:
    """Return why a console may not get ID tokens or keys from an address; None if it may."""
    found = _ISSUER.fullmatch(url)
    if found is None or int(found[3] or 1) > 65535 or (found[5] and not query):
        return "an address is needed: https://HOST[:PORT][/PATH]"
    if found[1] == "http" and found[2] not in ("localhost", "127.0.0.1", "[::1]"):
        return "https is needed; http counts on this machine only"
    return None


def _issuer(value: str) -> str:
    if (why := why_not_an_issuer(value)) is not None:
        raise ValueError(why)
    return value


class OidcPart(TomlTable):
    """An issuer of OpenID Connect at which people may sign in. `oidc` in the users file says who is who."""

    issuer: Annotated[str, Field(max_length=512), AfterValidator(_issuer)]
    """Its address, exactly as its tokens write it; https, or http on this machine."""
    client_id: Annotated[str, Field(pattern=r"^[!-~]{1,255}$")]
    """Name of this console at the issuer."""
    client_secret_file: FilePath
    """The secret of this console at the issuer, on the first line. Only its owner may read it."""
    ca_file: FilePath | None = None
    """The certificate authority of the issuer, in PEM, in place of the system's authorities."""


SecondAct = Literal[
    "release-held", "start-over", "clear-misdeal", "unlock", "select-game", "clear-error", "lock", "show-text", "post"
]
"""Acts that a house may want two people for. `post` needs two badges at the table, the others a request."""


def _origin(value: str) -> str:
    found = _ORIGIN.fullmatch(value)
    host, port = (found[2], found[3]) if found is not None else ("", None)
    if found is None or int(port or 1) > 65535 or (found[1], port) in (("https", "443"), ("http", "80")):
        raise ValueError("an origin as browsers write it is needed: https://NAME[:PORT], without a path")
    if found[1] == "http" and host != "localhost":
        raise ValueError("https is needed; http counts at localhost only")
    if host.rpartition(".")[2].isdecimal():
        raise ValueError("a passkey belongs to a host name, not to a numeric address")
    return value


_ORIGIN: Final = re.compile(r"(https?)://([a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)(?::([1-9][0-9]{0,4}))?")
Origin = Annotated[str, Field(max_length=300), AfterValidator(_origin)]


class PeoplePart(TomlTable):
    """People who may act, by name, in place of tokens by role."""

    users_file: FilePath
    """People and programs that may act. Root or the service's user owns it; see `dealwire users`."""
    passkeys_file: FilePath | None = None
    """State of the console: the public halves of passkeys. Without it no one signs in with a passkey."""
    second_person: tuple[SecondAct, ...] = ()
    """Acts that another person must approve before they are done; `post` takes the badges of two people at the table,
    and `badges = "listed"`."""
    request_minutes: Annotated[int, Field(ge=1, le=1440)] = 15
    """Minutes within which the other person must approve, or swipe a badge."""
    approval: Literal["signed-in", "proved"] = "signed-in"
    """`proved`: an approval needs the signature of a passkey over that very request, which the tables check themselves
    against `approval-keys` of the users file. `signed-in`: the console says who approved."""
    approval_origins: tuple[Origin, ...] = ()
    """Beginnings of the console's addresses, as browsers open it: `https://NAME[:PORT]`, or `http://localhost[:PORT]`.
    Passkeys approve there."""
    badges: Literal["any", "listed"] = "any"
    """`listed`: a badge at the table counts only if `users_file` has it, in force, for that table and with the level
    that the device reports. One that does not count authorizes nothing, and is trouble and on record."""
    oidc: OidcPart | None = None
    """An issuer of OpenID Connect at which people may sign in too."""

    @property
    def is_proved(self) -> bool:
        """True if a passkey must sign each approval."""
        return self.approval == "proved"

    @model_validator(mode="after")
    def _proved_has_its_place(self) -> "PeoplePart":
        if self.is_proved and not self.second_person:
            raise ValueError('approval = "proved" needs second-person: the acts that are approved')
        if self.is_proved != bool(self.approval_origins):
            raise ValueError('approval = "proved" and approval-origins are given together')
        return self


class MqttPart(TomlTable):
    """An MQTT 5 broker that gets every published line. The files are PEM, except the password file, whose first line
    counts."""

    url: Annotated[str, Field(pattern=r"^mqtts?://")]
    """`mqtt://[USER@]HOST[:PORT]`, or `mqtts://` for TLS."""
    site: Name
    """First part of every topic, before the table's name."""
    profile: Literal["full", "no-cards"] = "full"
    """`no-cards` leaves out every card and everything from which cards could be derived."""
    password_file: FilePath | None = None
    """The broker's password, on the first line; the user is part of `url`."""
    ca_file: FilePath | None = None
    """The certificate authority of the broker."""
    cert_file: FilePath | None = None
    """The client certificate of this table."""
    key_file: FilePath | None = None
    """The key to that certificate."""
    cosigns: tuple[Annotated[str, Field(pattern=r"^[A-Za-z0-9._-]{1,64}/([A-Za-z0-9._-]{1,64}|\*)$")], ...] = ()
    """Tables whose checkpoints this service cosigns: `SITE/TABLE`, or `SITE/*` for all of a site."""
    cosign_keys: FilePath | None = None
    """Keys of their logs, one a line, as `dealwire journal signer show --journal` prints them."""
    signed: bool | None = None
    """True signs every line by `signing-key-file` of `[journal]`. Without it, lines are signed if there is that key."""


class MetricsPart(TomlTable):
    """The address of the Prometheus metrics. `names` are host names that Prometheus may use; an address needs none."""

    host: Annotated[str, Field(min_length=1)] = "127.0.0.1"
    """Address to listen on."""
    port: Port = 9420
    """TCP port; 0 takes any free port."""
    names: tuple[HostName, ...] = ()
    """Host names that requests may use; an address needs none."""
    tls: TlsPart | None = None
    """The certificate to serve with. Without it, connections are plain."""
    plain: bool = False
    """True to listen beyond this machine without TLS."""

    @model_validator(mode="after")
    def _plain_without_tls(self) -> "MetricsPart":
        _plain_or_tls(self)
        return self


class ExportsPart(TomlTable):
    """Outputs in addition to the console. `ndjson`: every published line on standard output."""

    ndjson: bool = False
    mqtt: MqttPart | None = None
    metrics: MetricsPart | None = None


class AttestationPart(TomlTable):
    """Proof of firmware that devices must give: each signs a measurement with a key that its maker certified. What a
    device deals without it is held."""

    makers: FilePath
    """Public keys of the makers who certify devices, one a line."""
    signers: FilePath
    """Public keys of those who sign the list of allowed firmware, one a line."""
    allowed: FilePath
    """The signed list of allowed firmware."""
    refused: FilePath | None = None
    """Devices that prove nothing any longer, whatever their certificate: one serial number a line, alone or after
    model, or maker and model. Read again when it changes, and by SIGHUP."""
    each_minutes: Annotated[int, Field(ge=0, le=10080)] = 60
    """Average minutes between two unannounced measurements of a device; 0: only as it connects, and on demand."""
    without: tuple[Annotated[str, Field(pattern=r"^[^/]+/[^/]+$")], ...] = ()
    """Devices that need not prove anything, as `TABLE/DEVICE`. All others must."""


class Configuration(TomlTable):
    """The whole file."""

    schema_: Literal["dealwire.table/1"] = Field(alias="schema")
    table: Annotated[tuple[TablePart, ...], Field(min_length=1)]
    journal: JournalPart
    console: ConsolePart | None = None
    people: PeoplePart | None = None
    exports: ExportsPart = ExportsPart()
    attestation: AttestationPart | None = None
    lines: LinesPart | None = None

    @model_validator(mode="after")
    def _signed_has_a_key(self) -> "Configuration":
        mqtt = self.exports.mqtt
        if mqtt is not None and mqtt.signed and self.journal.signing_key_file is None:
            raise ValueError("exports.mqtt.signed needs a signing-key-file in [journal]")
        if mqtt is not None and bool(mqtt.cosigns) != (mqtt.cosign_keys is not None):
            raise ValueError("exports.mqtt.cosigns and cosign-keys go together")
        if mqtt is not None and mqtt.cosigns and self.journal.signing_key_file is None:
            raise ValueError("exports.mqtt.cosigns needs a signing-key-file in [journal]")
        if self.journal.witness and (mqtt is None or self.journal.signing_key_file is None):
            raise ValueError("journal.witness needs a signing-key-file in [journal], and [exports.mqtt]")
        return self

    @model_validator(mode="before")
    @classmethod
    def _tables_are_many(cls, content: Any) -> Any:
        if isinstance(content, dict) and isinstance(content.get("table"), dict):
            raise ValueError("[table] must be [[table]], and its devices [[table.device]]: a file may hold several")
        return content
