"""Checks of what a `table.toml` needs on this machine, before any table starts: folders, keys, tokens, certificates,
ports, installed extras. Nothing is changed; files are only read."""

import errno
import os
from collections.abc import Iterator
from contextlib import suppress
from datetime import time
from functools import partial
from pathlib import Path
from typing import NamedTuple

from dealer_flow.procedure.load import load_procedure
from dealwire.attest.trust import Trust
from dealwire.config.build import edition_of
from dealwire.config.house import house_of
from dealwire.config.schema import (
    AttestationPart,
    Configuration,
    JournalPart,
    MqttPart,
)
from dealwire.config.table_parts import TablePart
from dealwire.export.secrecy import exposures
from dealwire.host import EXTRAS
from dealwire.journal import database
from dealwire.journal.errors import JournalBusy, JournalError, JournalInaccessible
from dealwire.journal.sealing import sealer_of
from dealwire.journal.segments import gaming_day
from dealwire.journal.signing import LOG_TYPE, NoteVerifier, read_log_keys, read_witness_key
from dealwire.journal.stamping import authority_of
from dealwire.service.line_keys import LineKeys
from dealwire.service.ownership import not_owned, setups_of
from dealwire.service.readers import readers_of
from dealwire.service.seals import faces_in_clear, load_seal, load_signer, seal_in_words
from dealwire.service.server_checks import console_ready, metrics_ready, oidc_ready, people_ready, tables_part
from dealwire.service.tried import Tried, Unusable, attempted, installed, ok, warning, wrong
from devices.clock import SystemClock
from devices.files import check_kind, may
from protocol.errors import DealwireError
from protocol.tomlfile import Key
from rules.errors import ExtraMissing


class StartOptions(NamedTuple):
    """Options of a start."""

    anew: bool = False
    clock_is_right: bool = False
    file_counts: bool = False
    """Start with this journal even if the broker has lines of another."""
    with_console: bool = True
    port: int | None = None
    """Port of the console in place of the file's."""


def readiness(found: Configuration, options: StartOptions) -> Iterator[Tried]:
    """Yield all checks for the current user, in the file's order."""
    yield from editions(found)
    yield from _journal(found.journal)
    yield from _seal(found)
    yield from _signing(found)
    if (readers := found.journal.readers) is not None:
        key: Key = ("journal", "readers")
        yield from attempted("readers", key, lambda: readers_of(found), lambda _: f"the group {readers} may read it")
    yield from _line_keys(found)
    yield from _meters(found)
    if found.attestation is not None:
        yield from _attestation(found, found.attestation)
    console = found.console if options.with_console else None
    if console is not None and options.port is not None:
        console = console.model_copy(update={"port": options.port})
    if console is not None:
        yield from console_ready(console, people=found.people is not None)
    if found.people is not None:
        yield from people_ready(tables_part(found.people, found.console))
        if found.people.oidc is not None and console is not None and console.socket is None:
            yield from oidc_ready(found.people.oidc)
    if found.exports.mqtt is not None:
        yield from _mqtt(found, found.exports.mqtt)
    if found.exports.metrics is not None:
        yield from metrics_ready(found.exports.metrics, {console.port} - {0} if console is not None else set())


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
    yield from attempted("seal", key, lambda: sealer_of(load_seal(part), part.path), lambda _: seal_in_words(part))
    for text in faces_in_clear(found):
        yield warning("seal", text, ("journal",))


def _attestation(found: Configuration, part: AttestationPart) -> Iterator[Tried]:
    """Check the keys and the list of firmware, as a start does."""
    yield from attempted(
        "attestation", ("attestation",), lambda: Trust(part, found.journal.path).opened(), Trust.in_words
    )


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
            yield from attempted(
                "signing",
                ("journal", "timestamp-ca-file"),
                lambda: authority_of(ca),
                lambda _: f"a time stamp a day from {part.timestamp_url}",
            )
        name = part.signing_key_file.name
        yield from attempted("signing", key, lambda: load_signer(part), lambda _: f"checkpoints are signed with {name}")
        yield from _witnesses(found)


def _witnesses(found: Configuration) -> Iterator[Tried]:
    for number, each in enumerate(found.journal.witness):
        place: Key = ("journal", "witness", number)
        yield from attempted("signing", place, partial(read_witness_key, each.key), lambda it: f"cosigned by {it.name}")
    mqtt = found.exports.mqtt
    if mqtt is not None and (logs := mqtt.cosign_keys) is not None:
        place = ("exports", "mqtt", "cosign-keys")
        yield from attempted("signing", place, lambda: read_log_keys(logs), _cosigned_in_words)


def _cosigned_in_words(keys: list[NoteVerifier]) -> str:
    logs = sum(each.kind == LOG_TYPE for each in keys)
    return f"{logs} log{' is' if logs == 1 else 's are'} cosigned"


def _line_keys(found: Configuration) -> Iterator[Tried]:
    if found.lines is not None:
        key: Key = ("lines", "keys")
        if not installed("cryptography"):
            yield wrong("lines", key, ExtraMissing("cryptography", "seal"))
            return
        folder = found.lines.keys
        yield from attempted(
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
