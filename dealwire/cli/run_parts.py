"""What `dealwire run` serves beside the tables. Each reads the hub or the journal, in a thread of its own."""

import contextlib
import importlib.util
import logging
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from dealwire.config.schema import ConsolePart, ExportsPart, MetricsPart, MqttPart
from dealwire.export.ndjson import NdjsonSink
from protocol.errors import LocalError
from rules.errors import ExtraMissing

if TYPE_CHECKING:
    from dealwire.export.mqtt import MqttExporter
    from dealwire.service.service import Service

_log = logging.getLogger("dealwire")


class ExportRefused(LocalError):
    """An export of `table.toml` that cannot be made as it is written."""

    def __init__(self, key: str, why: str) -> None:
        self.key, self.why = key, why
        super().__init__(f"exports.{key}: {why}")


def has_console() -> bool:
    """True when the `console` extra is installed."""
    return all(importlib.util.find_spec(name) is not None for name in ("jinja2", "starlette", "uvicorn", "websockets"))


@contextlib.contextmanager
def console_of(part: ConsolePart, service: "Service", port: int | None = None) -> Iterator[str]:
    """The console, from here to the end; its address, which it also says. `port` instead of the file's."""
    if not has_console():
        raise ExtraMissing("starlette", "console")
    from dealwire.console.journals import journal_sources
    from dealwire.console.server import Console
    from dealwire.console.tokens import Tokens
    from dealwire.journal import SealingKey
    from dealwire.service.actions import faults, offered

    journal = service.configuration.journal
    key = SealingKey.load(journal.key_file) if journal.key_file is not None else None
    shown = Console(
        service.hub,
        host=part.host,
        port=part.port if port is None else port,
        tokens=Tokens.read(part.tokens_file) if part.tokens_file is not None else None,
        actions={
            name: [
                *offered(served.part.device, served.table.flow.procedure),
                *(faults() if served.bench is not None else ()),
            ]
            for name, served in service.tables.items()
        },
        recordings=part.recordings,
        sources=journal_sources(journal.path, key, service.tables),
        clock=service.clock,
    )
    shown.start()
    try:
        click.echo(f"console: {shown.address}", err=True)
        yield shown.address
    finally:
        shown.stop()


@contextlib.contextmanager
def exports_of(part: ExportsPart, service: "Service") -> Iterator[None]:
    """Whatever `part` asks for, from here to the end."""
    with contextlib.ExitStack() as stack:
        if part.ndjson:
            stack.enter_context(NdjsonSink(service.hub, sys.stdout))
        mqtt = stack.enter_context(mqtt_of(part.mqtt, service)) if part.mqtt is not None else None
        if part.metrics is not None:
            stack.enter_context(metrics_of(part.metrics, service, mqtt))
        yield


@contextlib.contextmanager
def metrics_of(part: MetricsPart, service: "Service", mqtt: "MqttExporter | None") -> Iterator[None]:
    """The metrics, from here to the end."""
    if importlib.util.find_spec("prometheus_client") is None:
        raise ExtraMissing("prometheus-client", "metrics")
    from dealwire.export.metrics import Metrics, MetricsServer

    progress = mqtt.progress if mqtt is not None else None
    metrics = Metrics(service.hub, journal=service.journal, mqtt=progress, health=service.health)
    with MetricsServer(metrics, host=part.host, port=part.port) as server:
        click.echo(f"metrics: {server.address}", err=True)
        yield


@contextlib.contextmanager
def mqtt_of(part: MqttPart, service: "Service") -> "Iterator[MqttExporter]":
    """The MQTT export, from here to the end. What the broker has not taken by then waits in the journal."""
    if importlib.util.find_spec("aiomqtt") is None:
        raise ExtraMissing("aiomqtt", "mqtt")
    from dealwire.export.broker import Broker
    from dealwire.export.mqtt import MqttExporter

    files = {"ca_file": part.ca_file, "cert_file": part.cert_file, "key_file": part.key_file}
    try:
        broker = Broker.parse(part.url, password=_password(part.password_file), **files)
        exporter = MqttExporter(
            broker, service.journal, site=part.site, tables=list(service.tables), tell=lambda text: _log.warning(text)
        )
    except ValueError as error:
        raise ExportRefused("mqtt", str(error)) from None
    reader = service.hub.subscribe(exporter.wake)
    try:
        with exporter:
            yield exporter
    finally:
        service.hub.leave(reader)


def _password(file: Path | None) -> str | None:
    if file is None:
        return None
    try:
        return file.read_text(encoding="utf-8").splitlines()[0]
    except (OSError, UnicodeDecodeError, IndexError) as error:
        why = error.strerror if isinstance(error, OSError) else "the first line must be the password"
        raise ExportRefused("mqtt.password-file", f"{file}: {why}") from None
