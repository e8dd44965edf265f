"""`dealwire fleet`: the lines of many tables in one PostgreSQL database."""

import asyncio
import contextlib
import importlib.util
import signal
from collections.abc import Coroutine, Iterator
from functools import partial
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

import click

from dealwire.cli.ending import soon
from dealwire.cli.exits import Exit, Stop
from dealwire.cli.options import FILE, FLAG, Row, declared, usually, whole
from dealwire.cli.terminal import echo
from rules.errors import ExtraMissing

if TYPE_CHECKING:
    from dealwire.export.fleet.consumer import ConsumerCounts

T = TypeVar("T")


@click.group("fleet")
def command() -> None:
    """Keep what many tables make known in one PostgreSQL database, each line once."""


def must_have(*modules: str) -> None:
    """ExtraMissing for the first of `modules` that is not installed: what only prints needs none of them."""
    for module in modules:
        if importlib.util.find_spec(module) is None:
            raise ExtraMissing(module, "fleet")


@command.command("sql")
def sql() -> None:
    """Print the SQL that makes the tables in an empty database."""
    from dealwire.export.fleet.scripts import all_sql

    click.echo(all_sql())


_PRINTED: Final = {
    "acl": ("mosquitto.acl", "Print the rights of tables and readers, for mosquitto's `acl_file`."),
    "alerts": ("alerts.yml", "Print rules of alerts, for Prometheus' `rule_files`."),
    "dashboard": (
        "dashboard.json",
        "Print a dashboard for Grafana: import it, and choose the Prometheus that reads the tables' metrics.",
    ),
}
"""Command -> the file that it prints, and its help."""


def _print_file(name: str) -> None:
    click.echo(_shipped(name), nl=False)


def _shipped(name: str) -> str:
    return resources.files("dealwire.export").joinpath("files", name).read_text(encoding="utf-8")


for _name, (_file, _help) in _PRINTED.items():
    command.add_command(click.Command(_name, callback=partial(_print_file, _file), help=_help))


_POSTGRES: Final[Row] = (
    "--postgres",
    {"required": True, "metavar": "DSN"},
    "As libpq takes it; passwords belong in ~/.pgpass or PGPASSWORD.",
)


@command.command("migrate")
@declared(_POSTGRES)
def migrate(postgres: str) -> None:
    """Make the tables, or bring them up to this program's version."""
    must_have("psycopg")
    from dealwire.export.fleet import database

    added = run(database.migrate(postgres))
    echo(f"tables: {', '.join(f'version {version} added' for version in added) or 'up to date'}", err=True)


@command.command("consume")
@declared(
    ("--mqtt", {"required": True, "metavar": "URL"}, "mqtt://[USER@]HOST[:PORT], or mqtts:// for TLS."),
    ("--mqtt-password-file", {"type": FILE}, "A file whose first line is the password."),
    ("--mqtt-ca", {"type": FILE}, "Whom to trust with mqtts://, PEM; else whom the system trusts."),
    ("--mqtt-cert", {"type": FILE}, "Our certificate, PEM."),
    ("--mqtt-key", {"type": FILE}, "Key of --mqtt-cert, PEM."),
    _POSTGRES,
    ("--name", usually("dealwire-fleet"), "Who we are to the broker; each its own."),
    ("--group", {}, "Share the lines with the consumers of this group."),
    ("--metrics metrics_port", whole(0, 65535), "Serve metrics here; 0: any free port."),
    ("--metrics-host", usually("127.0.0.1"), "Where to serve them."),
    ("--wait", FLAG, "Go on trying when broker or database are not there at the start."),
)
def consume(
    mqtt: str,
    mqtt_password_file: Path | None,
    mqtt_ca: Path | None,
    mqtt_cert: Path | None,
    mqtt_key: Path | None,
    postgres: str,
    name: str,
    group: str | None,
    metrics_port: int | None,
    metrics_host: str,
    wait: bool,
) -> None:
    """Take every line from the broker into the database, until SIGTERM or Ctrl-C.

    A line is acknowledged when it is committed. Lines that the broker has lost are seen and asked for again.
    """
    must_have("aiomqtt", "psycopg")
    from dealwire.export.broker import Broker, PasswordUnreadable
    from dealwire.export.fleet.consumer import Consumer
    from dealwire.export.secrecy import exposures

    for warning in exposures(mqtt, password_file=mqtt_password_file, key_file=mqtt_key):
        echo(f"dealwire: warning: {warning}", err=True)
    files = {"ca_file": mqtt_ca, "cert_file": mqtt_cert, "key_file": mqtt_key}
    try:
        broker = Broker.parse(mqtt, mqtt_password_file, **files)
    except ValueError as error:
        hint = "--mqtt-password-file" if isinstance(error, PasswordUnreadable) else "--mqtt"
        raise click.BadParameter(str(error), param_hint=hint) from None

    async def go() -> None:
        consumer = Consumer(
            broker, postgres, name=name, group=group, report=lambda line: echo(f"dealwire: {line}", err=True)
        )
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, soon(consumer.stop))
        with metrics_of(consumer.counts, metrics_host, metrics_port):
            await consumer.run(wait=wait)
        counts = consumer.counts
        echo(f"{counts.lines} lines, {counts.refused.total()} refused, asked {counts.requested} times", err=True)

    run(go())


@contextlib.contextmanager
def metrics_of(counts: "ConsumerCounts", host: str, port: int | None) -> Iterator[None]:
    """A consumer's metrics, from here to the end, where a port is given."""
    if port is None:
        yield
        return
    if importlib.util.find_spec("prometheus_client") is None:
        raise ExtraMissing("prometheus-client", "metrics")
    from dealwire.export.fleet.metrics import FleetMetrics
    from dealwire.export.metrics_server import MetricsServer

    with MetricsServer(FleetMetrics(counts), host=host, port=port) as server:
        echo(f"metrics: {server.address}", err=True)
        yield


def run(work: Coroutine[object, object, T]) -> T:
    """Run it; what keeps it from working is one line and an exit code."""
    from dealwire.export.broker import BrokerUnusable
    from dealwire.export.fleet.database import DatabaseUnusable

    try:
        return asyncio.run(work)
    except (BrokerUnusable, DatabaseUnusable) as error:
        code = Exit.PERMISSION if error.refused else Exit.USAGE if error.usage else Exit.ABSENT
        raise Stop(code, str(error)) from None
