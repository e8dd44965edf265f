"""Checks of what a `table.toml` needs on this machine, before any table starts: folders, keys, tokens, certificates,
ports, installed extras. Nothing is changed; files are only read."""

import errno
import importlib.util
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import time
from functools import partial
from pathlib import Path
from typing import Literal, NamedTuple, TypeVar

from dealer_flow.procedure.load import load_procedure
from dealwire.attest.trust import Trust
from dealwire.config.build import edition_of
from dealwire.config.house import house_of
from dealwire.config.schema import (
    AttestationPart,
    Configuration,
    ConsolePart,
    JournalPart,
    MetricsPart,
    MqttPart,
    OidcPart,
    PeoplePart,
    TablePart,
    TlsPart,
)
from dealwire.console.tokens import Tokens
from dealwire.export.secrecy import exposures
from dealwire.host import EXTRAS
from dealwire.hub.actions import Role
from dealwire.journal import database
from dealwire.journal.errors import JournalBusy, JournalError, JournalInaccessible
from dealwire.journal.sealing import sealer_of
from dealwire.journal.segments import gaming_day
from dealwire.journal.signing import read_vkeys, read_witness_key
from dealwire.journal.stamping import authority_of
from dealwire.listening import is_loopback, must_be_free
from dealwire.people.approvals import check_pins
from dealwire.people.issuer import check_files
from dealwire.people.passkeys import Passkeys
from dealwire.people.users import read_users
from dealwire.service.actions import POST, roles_of
from dealwire.service.line_keys import LineKeys
from dealwire.service.ownership import not_owned, setups_of
from dealwire.service.readers import readers_of
from dealwire.service.seals import faces_in_clear, load_seal, load_signer, seal_in_words
from dealwire.tls import TlsFiles
from devices.clock import SystemClock
from devices.files import check_kind, may
from protocol.errors import DealwireError, LocalError
from protocol.tomlfile import Key, spell
from rules.errors import ExtraMissing

CONSOLE_MODULES = EXTRAS["console"].modules


class StartOptions(NamedTuple):
    """Options of a start."""

    anew: bool = False
    clock_is_right: bool = False
    file_counts: bool = False
    """Start with this journal even if the broker has lines of another."""
    with_console: bool = True
    port: int | None = None
    """Port of the console in place of the file's."""


Outcome = Literal["ok", "warning", "wrong"]


class Tried(NamedTuple):
    """One check and its outcome. A `wrong` one has an error, and the file cannot be served."""

    outcome: Outcome
    what: str
    """Subject: `journal`, `console`, a table, or a table's device."""
    text: str
    key: Key = ()
    """Key in the file; empty for the whole file."""
    error: DealwireError | None = None


class Unusable(LocalError):
    """A file or address of the configuration cannot be used."""


def ok(what: str, text: str) -> Tried:
    """Return a passed check."""
    return Tried("ok", what, text)


def warning(what: str, text: str, key: Key = ()) -> Tried:
    """Return a check with a warning: the file can be served, but someone should know."""
    return Tried("warning", what, text, key)


def wrong(what: str, key: Key, error: DealwireError) -> Tried:
    """Return a failed check: the file cannot be served."""
    return Tried("wrong", what, str(error), key, error)


def readiness(found: Configuration, options: StartOptions) -> Iterator[Tried]:
    """Yield all checks for the current user, in the file's order."""
    yield from editions(found)
    yield from _journal(found.journal)
    yield from _seal(found)
    yield from _signing(found)
    if (readers := found.journal.readers) is not None:
        key: Key = ("journal", "readers")
        yield from _tried("readers", key, lambda: readers_of(found), lambda _: f"the group {readers} may read it")
    yield from _line_keys(found)
    yield from _meters(found)
    if found.attestation is not None:
        yield from _attestation(found, found.attestation)
    console = found.console if options.with_console else None
    if console is not None and options.port is not None:
        console = console.model_copy(update={"port": options.port})
    if console is not None:
        yield from _console(console, people=found.people is not None)
    if found.people is not None:
        yield from _people(tables_part(found.people, found.console))
        if found.people.oidc is not None and console is not None and console.socket is None:
            yield from _oidc(found.people.oidc)
    if found.exports.mqtt is not None:
        yield from _mqtt(found, found.exports.mqtt)
    if found.exports.metrics is not None:
        yield from _metrics(found.exports.metrics, {console.port} - {0} if console is not None else set())


def installed(*modules: str) -> bool:
    """True if all of the modules are installed."""
    return all(importlib.util.find_spec(name) is not None for name in modules)


# ------------------------------------------------------------------ the law


def editions(found: Configuration) -> Iterator[Tried]:
    """Check that each table's edition of the regulation, and its house's posted rules, are in force on this gaming
    day."""
    day = gaming_day(SystemClock().now_ns(), time.fromisoformat(found.journal.day_begins))
    for index, part in enumerate(found.table):
        yield from _posted(part, index, day)
        try:
            edition = load_procedure(part.procedure, edition_of(part)).edition
        except DealwireError:
            continue  # reported with the file's own errors
        if edition is None or edition.holds_on(day):
            continue
        why = f"the gaming day {day} is outside its edition {edition.id}, which is in force {edition.days()}"
        if posted := _posts_edition(part):
            at_house = Unusable(f"table {part.name}: {why}; {posted} has posted it")
            yield wrong(part.name, ("table", index, "house"), at_house)
        elif part.edition is not None:
            yield wrong(part.name, ("table", index, "edition"), Unusable(f"table {part.name}: {why}"))
        else:
            yield warning(part.name, f"{why}; name one in force with `edition`", ("table", index, "procedure"))


def _posts_edition(part: TablePart) -> str | None:
    """Return the id of the house that has posted the edition of a table; None if the table names its own."""
    house = house_of(part)
    return house[0].spec.id if house is not None and house[0].spec.edition is not None else None


def _posted(part: TablePart, index: int, day: str) -> Iterator[Tried]:
    """Check that the posted rules of a table's house are in force."""
    with suppress(DealwireError):  # reported with the file's own errors
        house = house_of(part)
        if house is not None and day < house[0].spec.effective:
            why = f"the gaming day {day} is before {house[0].spec.effective}, when {house[0].spec.id} comes into force"
            yield wrong(part.name, ("table", index, "house"), Unusable(f"table {part.name}: {why}"))


# ------------------------------------------------------------------ the journal


def _journal(part: JournalPart) -> Iterator[Tried]:
    key: Key = ("journal", "path")
    folder = part.path.parent
    if not folder.is_dir():
        yield wrong("journal", key, JournalInaccessible(part.path, "its folder does not exist", errno.ENOENT))
        return
    try:
        database.refuse_no_file(part.path)
        if part.path.exists():
            database.refuse_two_names(part.path)
    except JournalError as error:
        yield wrong("journal", key, error)
        return
    files = [each for each in database.beside(part.path) if each.exists()]
    denied = next((each for each in files if not may(each, os.R_OK | os.W_OK)), None)
    if denied is None and not may(folder, os.W_OK | os.X_OK):
        denied = folder  # the log and the lock are created next to the journal
    if denied is not None:
        read_only = os.statvfs(denied).f_flag & os.ST_RDONLY
        number = errno.EROFS if read_only else errno.EACCES
        why = os.strerror(number) if denied == part.path else f"{denied}: {os.strerror(number)}"
        yield wrong("journal", key, JournalInaccessible(part.path, why, number))
    elif part.path.exists() and database.is_locked_by_writer(part.path):
        yield wrong("journal", key, JournalBusy(part.path))
    else:
        yield ok("journal", f"{part.path} {'is writable' if part.path.exists() else 'can be created'}")


def _seal(found: Configuration) -> Iterator[Tried]:
    part = found.journal
    named = "key-file" if part.auditor_key_file is None else "auditor-key-file"
    key: Key = ("journal", named)
    sealed = (part.key_file or part.auditor_key_file) is not None
    if sealed and not installed("cryptography"):
        yield wrong("seal", key, ExtraMissing("cryptography", "journal"))
        return
    yield from _tried("seal", key, lambda: sealer_of(load_seal(part), part.path), lambda _: seal_in_words(part))
    for text in faces_in_clear(found):
        yield warning("seal", text, ("journal",))


def _attestation(found: Configuration, part: AttestationPart) -> Iterator[Tried]:
    """Check the keys and the list of firmware, as a start does."""
    yield from _tried("attestation", ("attestation",), lambda: Trust(part, found.journal.path).opened(), Trust.in_words)


def _signing(found: Configuration) -> Iterator[Tried]:
    """Check the key that signs checkpoints."""
    part, key = found.journal, ("journal", "signing-key-file")
    if part.signing_key_file is None:
        return
    if not installed("cryptography"):
        yield wrong("signing", key, ExtraMissing("cryptography", "journal"))
    else:
        if part.timestamp_url is not None and not installed(*EXTRAS["stamp"].modules):
            yield wrong("signing", ("journal", "timestamp-url"), ExtraMissing("rfc3161-client", "stamp"))
        elif (ca := part.timestamp_ca_file) is not None:
            yield from _tried(
                "signing",
                ("journal", "timestamp-ca-file"),
                lambda: authority_of(ca),
                lambda _: f"a time stamp a day from {part.timestamp_url}",
            )
        name = part.signing_key_file.name
        yield from _tried("signing", key, lambda: load_signer(part), lambda _: f"checkpoints are signed with {name}")
        yield from _witnesses(found)


def _witnesses(found: Configuration) -> Iterator[Tried]:
    for number, each in enumerate(found.journal.witness):
        place: Key = ("journal", "witness", number)
        yield from _tried("signing", place, partial(read_witness_key, each.key), lambda it: f"cosigned by {it.name}")
    mqtt = found.exports.mqtt
    if mqtt is not None and (logs := mqtt.cosign_keys) is not None:
        place = ("exports", "mqtt", "cosign-keys")
        yield from _tried("signing", place, lambda: read_vkeys(logs), lambda them: f"{len(them)} logs are cosigned")


def _line_keys(found: Configuration) -> Iterator[Tried]:
    if found.lines is not None:
        key: Key = ("lines", "keys")
        if not installed("cryptography"):
            yield wrong("lines", key, ExtraMissing("cryptography", "seal"))
            return
        folder = found.lines.keys
        yield from _tried(
            "lines",
            key,
            lambda: LineKeys.read(folder),
            lambda keys: f"{folder} has the keys of {len(keys.devices)} devices",
        )


def _meters(found: Configuration) -> Iterator[Tried]:
    """Check that the shared meters belong to this journal."""
    refused = list(not_owned(found))
    yield from (wrong("meters", key, error) for key, error in refused)
    if not refused and any(list(setups_of(part)) for part in found.table):
        yield ok("meters", "shared meters and pools belong to this journal")


# ------------------------------------------------------------------ servers other than tables


def _console(part: ConsolePart, *, people: bool) -> Iterator[Tried]:
    if not installed(*CONSOLE_MODULES):
        yield wrong("console", ("console",), ExtraMissing("starlette", "console"))
    yield from _reachable("console", ("console",), part)
    if part.socket is not None:  # its port is open while it waits for its tables, and its files are its user's alone
        yield ok("console", f"another process connects at {part.socket}; it reads its own files and opens its port")
        return
    yield from _tls("console", ("console",), part.tls)
    yield from _port("console", ("console", "port"), part.host, part.port)
    if part.tokens_file is not None:
        file = part.tokens_file
        may = "can sign in with a token from"
        yield from _tried(
            "tokens", ("console", "tokens-file"), lambda: Tokens.read(file), lambda t: f"{t.roles} {may} {file.name}"
        )
    elif people:
        pass  # the users file is checked by itself
    elif is_loopback(part.host):
        yield ok("tokens", "no tokens-file: no one can sign in, so the console is read-only")
    else:
        yield warning("tokens", f"no tokens-file: no one can view the console at {part.host}", ("console",))
    if part.recordings is not None:
        yield from _recordings(part.recordings)


def tables_part(people: PeoplePart, console: ConsolePart | None) -> PeoplePart:
    """Return what the tables read of `[people]`: not the passkeys of a console with a user of its own, whose file is
    that user's alone."""
    apart = console is not None and console.socket is not None
    return people.model_copy(update={"passkeys_file": None}) if apart else people


def _people(part: PeoplePart) -> Iterator[Tried]:
    """Check the users file, and that for each act that needs two people there are two."""
    key: Key = ("people", "users-file")
    if not installed("argon2"):
        yield wrong("people", key, ExtraMissing("argon2-cffi", "people"))
    if part.passkeys_file is not None and not installed("webauthn"):
        yield wrong("people", ("people", "passkeys-file"), ExtraMissing("webauthn", "people"))
    try:
        users = read_users(part.users_file)
        if part.passkeys_file is not None:
            key = ("people", "passkeys-file")
            Passkeys.read(part.passkeys_file)
    except DealwireError as error:
        yield wrong("people", key, error)
        return
    now_ns = SystemClock().now_ns()
    for act in part.second_person:
        role = roles_of(act)[0]
        could = users.who_could(role, now_ns) if act != POST else users.who_could_authorize(now_ns)
        if len(could) < 2:
            there = f"there is {len(could)}" if len(could) == 1 else "there are none"
            what = f"the role {role}" if act != POST else "a badge of level supervisor or executive"
            why = f"{act} needs two people with {what} in {part.users_file.name}; {there}"
            yield wrong("people", ("people", "second-person"), Unusable(why))
            return
    two = f"; two are needed for {', '.join(part.second_person)}" if part.second_person else ""
    yield ok("people", f"{users.summary} in {part.users_file.name}{two}")
    if part.is_proved:
        roles: dict[str, Role] = {act: roles_of(act)[0] for act in part.second_person if act != POST}
        key, words = ("people", "approval"), "a passkey signs each approval"
        yield from _tried("people", key, lambda: check_pins(users, roles, now_ns), lambda _: words)


def _oidc(part: OidcPart) -> Iterator[Tried]:
    """Check the files for the issuer of OpenID Connect. The issuer itself may be down: no table waits for it."""
    key: Key = ("people", "oidc", "client-secret-file")
    if not installed("joserfc"):
        yield wrong("oidc", ("people", "oidc"), ExtraMissing("joserfc", "people"))
        return
    yield from _tried("oidc", key, lambda: check_files(part), lambda _: f"people may sign in at {part.issuer}")


def _reachable(what: Literal["console", "metrics"], key: Key, part: ConsolePart | MetricsPart) -> Iterator[Tried]:
    """Refuse to listen beyond this machine without TLS, unless the file says that it is meant so."""
    if part.tls is None and not part.plain and not is_loopback(part.host):
        why = f"{part.host} can be reached from other machines without TLS; add [{spell(key)}.tls], or plain = true"
        yield wrong(what, (*key, "host"), Unusable(why))
    elif (text := in_clear(part)) is not None:
        yield warning(what, text, (*key, "plain"))


def in_clear(part: ConsolePart | MetricsPart) -> str | None:
    """Return a warning if others in the network could read what a server sends and gets; None if not."""
    if part.tls is not None or is_loopback(part.host):
        return None
    if isinstance(part, MetricsPart):
        return "the metrics cross the network in clear text"
    what = (
        "tokens and sessions cross the network"
        if part.tokens_file is not None
        else "pages, and what people enter, cross the network"
    )
    return f"{what} in clear text{', up to the proxy' * part.secure}; see TLS in docs/console.md"


def _tls(what: Literal["console", "metrics"], key: Key, part: TlsPart | None) -> Iterator[Tried]:
    """Check the certificate of a server, and when it ends."""
    if part is None:
        return
    from dealwire.tls import day, ending_soon, load

    key, ends_ns = (*key, "tls"), list[int]()
    clients = f", for clients with a certificate of {part.client_ca_file.name}" if part.client_ca_file else ""
    for tried in _tried(
        what,
        key,
        lambda: ends_ns.append(load(files_of(part)).ends_ns),
        lambda _: f"TLS with {part.cert_file.name}, until {day(ends_ns[0])}{clients}",
    ):
        soon = ending_soon(ends_ns[0], SystemClock().now_ns()) if ends_ns else None
        yield warning(what, f"{part.cert_file}: {soon}", key) if soon is not None else tried


def files_of(part: TlsPart) -> TlsFiles:
    """Return the files of a server's certificate."""
    return TlsFiles(part.cert_file, part.key_file, part.client_ca_file)


def _recordings(folder: Path) -> Iterator[Tried]:
    key: Key = ("console", "recordings")
    if not folder.is_dir():
        yield wrong("recordings", key, Unusable(f"{folder}: no such folder"))
    elif not may(folder, os.R_OK | os.X_OK):
        yield warning("recordings", f"{folder}: {os.strerror(errno.EACCES)}: no recording can be read", key)
    else:
        yield ok("recordings", f"{folder} is readable")


def _metrics(part: MetricsPart, others: set[int]) -> Iterator[Tried]:
    key: Key = ("exports", "metrics", "port")
    if not installed("prometheus_client"):
        yield wrong("metrics", key[:-1], ExtraMissing("prometheus-client", "metrics"))
    yield from _reachable("metrics", key[:-1], part)
    yield from _tls("metrics", key[:-1], part.tls)
    if part.port in others:
        yield wrong("metrics", key, Unusable(f"port {part.port} is already used by the console"))
    else:
        yield from _port("metrics", key, part.host, part.port)


def _port(what: str, key: Key, host: str, port: int) -> Iterator[Tried]:
    words = f"{host}:{port} is free" if port else f"{host}: any free port"
    yield from _tried(what, key, lambda: must_be_free(what, host, port), lambda _: words)


# ------------------------------------------------------------------ the broker


def _mqtt(found: Configuration, part: MqttPart) -> Iterator[Tried]:
    key: Key = ("exports", "mqtt")
    if not installed("aiomqtt"):
        yield wrong("mqtt", key, ExtraMissing("aiomqtt", "mqtt"))
        return
    files = {"ca_file": part.ca_file, "cert_file": part.cert_file, "key_file": part.key_file}
    unread = False
    for name, file in {"password_file": part.password_file, **files}.items():
        for each in _read("mqtt", (*key, name.replace("_", "-")), file) if file is not None else ():
            unread = True
            yield each
    if not unread:
        yield from _broker(found, part, files)
    for text in exposures(part.url, password_file=part.password_file, key_file=part.key_file):
        yield warning("mqtt", text, key)


def _broker(found: Configuration, part: MqttPart, files: dict[str, Path | None]) -> Iterator[Tried]:
    from dealwire.export.broker import Broker, BrokerUnusable, PasswordUnreadable
    from dealwire.export.topics import Address

    key: Key = ("exports", "mqtt")
    try:
        Broker.parse(part.url, part.password_file, **files).context()
        key = (*key, "site")
        for table in found.table:
            Address.checked(part.site, table.name)
    except PasswordUnreadable as error:
        yield wrong("mqtt", (*key, "password-file"), Unusable(str(error)))
    except ValueError as error:
        yield wrong("mqtt", key if len(key) > 2 else (*key, "url"), Unusable(str(error)))
    except BrokerUnusable as error:
        yield wrong("mqtt", key, error)
    else:
        named = [file.name for file in (part.password_file, *files.values()) if file is not None]
        yield ok("mqtt", f"{part.url}{', with ' if named else ''}{', '.join(named)}")


# ------------------------------------------------------------------ inside


def _read(what: str, key: Key, file: Path) -> Iterator[Tried]:
    """Yield an error if the file cannot be read; it is not opened."""
    try:
        check_kind(file)
        if not may(file, os.R_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    except OSError as error:
        yield wrong(what, key, Unusable(f"{file}: {error.strerror}"))


T = TypeVar("T")


def _tried(what: str, key: Key, attempt: Callable[[], T], words: Callable[[T], str]) -> Iterator[Tried]:
    try:
        found = attempt()
    except DealwireError as error:
        yield wrong(what, key, error)
    else:
        yield ok(what, words(found))
