"""Start of the exports: warnings about exposure, and the check that the broker knows no newer journal."""

import asyncio
import importlib.util
import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from dealwire.cli.exits import Exit, Stop
from dealwire.cli.output import let_go
from dealwire.cli.terminal import echo
from dealwire.config.schema import Configuration, MqttPart
from dealwire.export.ndjson import NdjsonSink
from dealwire.export.secrecy import exposures
from dealwire.journal import Journal, JournalReader
from dealwire.journal.errors import JournalEmpty
from dealwire.service.seals import load_signer
from rules.errors import ExtraMissing

if TYPE_CHECKING:
    from dealwire.export.broker import Broker
    from dealwire.export.lasting import Beside
    from dealwire.export.line_signing import LineSigner
    from dealwire.export.marks import Believes, RetainedMark
    from dealwire.export.topics import Address
    from dealwire.journal.signing import SignatureLine, SigningPair
    from dealwire.service.service import Service

_log = logging.getLogger("dealwire")


def warnings_of(configuration: Configuration) -> list[str]:
    """Return a warning for each way in which the configuration exposes data to others."""
    part = configuration.exports.mqtt
    if part is None:
        return []
    found = exposures(part.url, password_file=part.password_file, key_file=part.key_file)
    return [f"exports.mqtt: {each}" for each in found]


def broker_of(part: MqttPart) -> "Broker":
    """Return the configured broker. Raise Stop if the configuration is wrong, ExtraMissing if the client library is not
    installed."""
    if importlib.util.find_spec("aiomqtt") is None:
        raise ExtraMissing("aiomqtt", "mqtt")
    from dealwire.export.broker import Broker, PasswordUnreadable

    files = {"ca_file": part.ca_file, "cert_file": part.cert_file, "key_file": part.key_file}
    try:
        return Broker.parse(part.url, part.password_file, **files)
    except ValueError as error:
        key = "exports.mqtt.password-file" if isinstance(error, PasswordUnreadable) else "exports.mqtt"
        raise Stop(Exit.USAGE, f"{key}: {error}") from None


def broker_by_options(url: str, password_file: Path | None, **files: Path | None) -> "Broker":
    """Return the broker of the options --mqtt..., and warn of secrets that others can read. BadParameter if they are
    wrong."""
    from dealwire.export.broker import Broker, PasswordUnreadable

    for text in exposures(url, password_file=password_file, key_file=files.get("key_file")):
        echo(f"dealwire: warning: {text}", err=True)
    try:
        return Broker.parse(url, password_file, **files)
    except ValueError as error:
        hint = "--mqtt-password-file" if isinstance(error, PasswordUnreadable) else "--mqtt"
        raise click.BadParameter(str(error), param_hint=hint) from None


def signer_of(part: MqttPart, journal: Journal) -> "LineSigner | None":
    """Return what signs the lines of this opening; None if they are not signed."""
    from dealwire.export.line_signing import LineSigner

    return LineSigner.of(journal, part.site) if part.signed is not False else None


def log_of(part: MqttPart, service: "Service", broker: "Broker", file_counts: bool) -> "list[Beside]":
    """Return what follows the journal's log at the broker: its checkpoints, and those that this service cosigns."""
    pair = service.journal.checkpoints.pair
    if pair is None:
        return []
    from dealwire.export.log_lane import LogLane
    from dealwire.export.topics import Address
    from dealwire.journal.signing import read_witness_key

    def cosigned(size: int, line: "SignatureLine") -> None:
        service.owner.call_soon(lambda: service.journal.checkpoints.cosigned(size, line, service.clock.now_ns()))

    at = Address.checked(part.site, next(iter(service.tables)))
    lane = LogLane(
        broker,
        at,
        service.journal.path,
        witnesses=[read_witness_key(each.key) for each in service.configuration.journal.witness],
        table_key=pair.public,
        health=service.health.log,
        cosigned=cosigned,
        alarm=partial(warn_tables, service),
        report=lambda text: _log.warning("%s", text),
        conflict=partial(stop_tables, service),
        file_counts=file_counts,
    )
    return [lane.run, *_cosigning(part, service, broker.of(at.user), at, pair)]


def _cosigning(
    part: MqttPart, service: "Service", broker: "Broker", at: "Address", pair: "SigningPair"
) -> "Iterator[Beside]":
    if part.cosign_keys is None:
        return
    from dealwire.export.cosigning import LogWitness, WitnessIdentity
    from dealwire.journal.signing import read_log_keys

    path = service.journal.path
    identity = WitnessIdentity(at.user.replace(" ", "-"), pair, path.with_name(f"{path.name}.cosigned"))
    witness = LogWitness(
        broker,
        part.cosigns,
        read_log_keys(part.cosign_keys),
        identity,
        client=f"{at.client}/witness",
        alarm=partial(warn_tables, service),
        report=lambda text: _log.warning("%s", text),
    )
    yield witness.run


class Marks(NamedTuple):
    """Comparison of a journal with the marks that a broker keeps."""

    against: list[str]
    """Reason per table that the marks cannot come from this journal; empty if they can."""
    doubts: list[str]
    """Notes for the operator. A broker that does not answer is not an error: the export checks its marks once it is
    connected."""
    logs: frozenset[str] = frozenset()
    """Logs of what is against it, as far as the table signed it under a name."""


def marks_of(configuration: Configuration, *, still: bool = False) -> Marks:
    """Fetch the broker's marks and compare them with the journal; this may wait for some seconds. `still` is passed to
    `JournalReader`."""
    part = configuration.exports.mqtt
    if part is None:
        return Marks([], [])
    broker, pair = broker_of(part), load_signer(configuration.journal)
    from dealwire.export.broker import BrokerUnusable
    from dealwire.export.marks import conflict, fetch, fetch_note, log_conflict
    from dealwire.export.topics import Address
    from dealwire.journal.witnessing import named_of

    try:
        addresses = [Address.checked(part.site, table.name) for table in configuration.table]
        logs: dict[Address, str] = {}
        believes = _believes(configuration, part, logs, still=still)
        marks = asyncio.run(fetch(broker, addresses, believes=believes))
        note = asyncio.run(fetch_note(broker, addresses[0])) if pair is not None else None
    except ValueError as error:
        raise Stop(Exit.USAGE, f"exports.mqtt: {error}") from None
    except BrokerUnusable as error:
        return Marks([], [f"{error}; the check for a newer journal is done once it answers"])
    path = configuration.journal.path
    if not marks and note is None:
        return Marks([], [])
    if not path.exists():
        known = ", ".join(at.table for at in marks or addresses[:1])
        return Marks([], [f"{path} is new, but the broker knows a journal of {known}"])
    try:
        with JournalReader(path, still=still) as reader:
            doubts = [
                f"{at.table}: {path} is not the journal that the broker knows, {mark.text}"
                for at, mark in marks.items()
                if mark.journal != reader.identity.hex()
            ]
            wrong = {at: why for at, mark in marks.items() if (why := conflict(reader, mark)) is not None}
            found = Marks(list(wrong.values()), doubts, frozenset(logs[at] for at in wrong if at in logs))
            if pair is not None and note is not None and (why := log_conflict(reader, note, pair.public)) is not None:
                found = Marks([*found.against, why], doubts, found.logs | {named_of(note)})
            return found
    except JournalEmpty:
        return Marks([], [])


def _believes(configuration: Configuration, part: MqttPart, logs: "dict[Address, str]", *, still: bool) -> "Believes":
    """Return which of the broker's marks count; the log of each is added to `logs`. With a signing key, those that it
    vouches for, of no log that was given up: otherwise whoever may write to the broker could stop a table."""
    from dealwire.export.line_signing import MARKED_LOG, has_signed, mark_is_by
    from dealwire.export.marks import given_up
    from dealwire.export.topics import properties_of

    pair = load_signer(configuration.journal) if part.signed is not False else None
    if pair is None:
        return lambda _, __: True
    signed, decided, path = False, set[str](), configuration.journal.path
    if path.exists():
        with suppress(JournalEmpty), JournalReader(path, still=still) as reader:
            signed, decided = has_signed(reader), given_up(reader)

    def believes(at: "Address", kept: "RetainedMark") -> bool:
        found = mark_is_by(at, kept.mark, kept.message, (pair.public,), kept.certificates, signed=signed)
        if not found:
            _log.warning("%s: the broker's mark was not signed by this journal, and is ignored", at.table)
            return False
        if (log := properties_of(kept.message).get(MARKED_LOG, "")) in decided:
            _log.warning("%s: the broker's mark is of a log that was given up, and is ignored", at.table)
            return False
        if log:
            logs[at] = log
        return True

    return believes


def must_count(configuration: Configuration, file_counts: bool) -> Marks:
    """Return the conflicts between the broker's marks and this journal. Raise Stop for the first, unless the user said
    --trust-journal.
    """
    found = marks_of(configuration)
    for doubt in found.doubts:
        _log.warning("%s", doubt)
    if found.against and not file_counts:
        raise Stop(Exit.PROTOCOL, found.against[0])
    return found


def note_decision(service: "Service", against: list[str]) -> None:
    """Journal at every table that the user decided for this journal."""
    what = "; ".join(against) if against else "no mark of the broker contradicted it"
    for session in service.tables.values():
        session.status("action", f"the operator accepted this journal: {what}", service.clock.now_ns())


def stop_tables(service: "Service", why: str) -> None:
    """Stop every table, because its journal is not the one that the broker knows. May be called from any thread."""

    def stop() -> None:
        for session in service.tables.values():
            session.stop_safely(why, service.clock.now_ns())
            service.hub.show(session.view(service.clock.now_ns()))
        service.failed = service.failed or why

    service.owner.call_soon(stop)


@contextmanager
def ndjson_of(service: "Service") -> Iterator[None]:
    """Print every published line on standard output until the block ends. If the output fails, every table reports it
    once."""
    sink = NdjsonSink(service.hub, sys.stdout, report=lambda text: warn_tables(service, text))
    service.health.ndjson = sink.progress
    try:
        with sink:
            yield
    finally:
        if sink.progress.failed is not None:
            let_go()


def warn_tables(service: "Service", text: str) -> None:
    """Write a warning to the log at once and to every table's lines. May be called from any thread."""
    _log.warning("%s", text)

    def warn() -> None:
        for session in service.tables.values():
            session.status("warning", text, service.clock.now_ns())

    service.owner.call_soon(warn)
