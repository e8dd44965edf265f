"""The MQTT export as a command starts it: what is warned of, and whether the broker knows a newer journal."""

import asyncio
import importlib.util
import logging
from typing import TYPE_CHECKING

from dealwire.cli.exits import Exit, Stop
from dealwire.config.schema import Configuration, MqttPart
from dealwire.export.secrecy import exposures
from dealwire.journal import JournalReader
from dealwire.journal.errors import JournalEmpty
from rules.errors import ExtraMissing

if TYPE_CHECKING:
    from dealwire.export.broker import Broker
    from dealwire.service.service import Service

_log = logging.getLogger("dealwire")


def warnings_of(configuration: Configuration) -> list[str]:
    """What a configuration leaves open to others, a line each."""
    part = configuration.exports.mqtt
    if part is None:
        return []
    found = exposures(part.url, password_file=part.password_file, key_file=part.key_file)
    return [f"exports.mqtt: {each}" for each in found]


def broker_of(part: MqttPart) -> "Broker":
    """The broker that a configuration names. Stop says what is wrong with it, ExtraMissing what is not installed."""
    if importlib.util.find_spec("aiomqtt") is None:
        raise ExtraMissing("aiomqtt", "mqtt")
    from dealwire.export.broker import Broker, PasswordUnreadable

    files = {"ca_file": part.ca_file, "cert_file": part.cert_file, "key_file": part.key_file}
    try:
        return Broker.parse(part.url, part.password_file, **files)
    except ValueError as error:
        key = "exports.mqtt.password-file" if isinstance(error, PasswordUnreadable) else "exports.mqtt"
        raise Stop(Exit.USAGE, f"{key}: {error}") from None


def contradictions(configuration: Configuration) -> list[str]:
    """Why the marks that the broker keeps cannot come from this journal, a line for each table; empty when they can.

    A broker that does not answer is a warning: the export looks at its marks once it is reached.
    """
    part = configuration.exports.mqtt
    if part is None:
        return []
    broker = broker_of(part)
    from dealwire.export.broker import BrokerUnusable
    from dealwire.export.marks import conflict, fetch
    from dealwire.export.topics import Address

    try:
        addresses = [Address.checked(part.site, table.name) for table in configuration.table]
        marks = asyncio.run(fetch(broker, addresses))
    except ValueError as error:
        raise Stop(Exit.USAGE, f"exports.mqtt: {error}") from None
    except BrokerUnusable as error:
        _log.warning("%s; whether it knows a newer journal is looked at once it answers", error)
        return []
    path = configuration.journal.path
    if not marks:
        return []
    if not path.exists():
        _log.warning("%s is new, but the broker knows a journal of %s", path, ", ".join(at.table for at in marks))
        return []
    try:
        with JournalReader(path) as reader:
            for at, mark in marks.items():
                if mark.journal != reader.identity.hex():
                    _log.warning("%s: %s is another journal than the broker knows of it, %s", at.table, path, mark.text)
            return [why for mark in marks.values() if (why := conflict(reader, mark)) is not None]
    except JournalEmpty:
        return []


def must_count(configuration: Configuration, file_counts: bool) -> list[str]:
    """What the broker's marks have against this journal. Stop, unless a person says that this file counts."""
    found = contradictions(configuration)
    if found and not file_counts:
        raise Stop(Exit.PROTOCOL, found[0])
    return found


def note_decision(service: "Service", against: list[str]) -> None:
    """Journal that a person said that this file counts, at every table."""
    what = "; ".join(against) if against else "no mark of the broker was known that contradicts it"
    for session in service.tables.values():
        session.status("action", f"a person said that this journal counts: {what}", service.clock.now_ns())


def stop_tables(service: "Service", why: str) -> None:
    """Every table deals no more: its journal is not the one that the broker knows. From any thread."""

    def stop() -> None:
        for session in service.tables.values():
            session.stop_safely(why, service.clock.now_ns())
            service.hub.show(session.view(service.clock.now_ns()))
        service.failed = service.failed or why

    service.owner.call_soon(stop)
