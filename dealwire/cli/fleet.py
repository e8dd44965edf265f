"""Command `dealwire fleet`: collect the lines of many tables in a PostgreSQL database."""

import asyncio
import contextlib
import importlib.util
import signal
from collections.abc import Coroutine, Iterator
from functools import partial
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypedDict, TypeVar, Unpack

import click

from dealwire.cli.ending import soon
from dealwire.cli.exits import Exit, Stop
from dealwire.cli.options import FILE, FLAG, Row, declared, usually, whole
from dealwire.cli.terminal import echo
from dealwire.listening import is_loopback
from rules.errors import ExtraMissing

if TYPE_CHECKING:
    from dealwire.export.fleet.consumer import ConsumerCounts
    from dealwire.export.fleet.trust import TrustedKeys
    from dealwire.tls import ServerTls

T = TypeVar("T")


@click.group("fleet")
def command() -> None:
    """Collect the published lines of many tables in one PostgreSQL database, each line once."""


def must_have(*modules: str) -> None:
    """Raise ExtraMissing for the first of `modules` that is not installed. Subcommands that only print need none."""
    for module in modules:
        if importlib.util.find_spec(module) is None:
            raise ExtraMissing(module, "fleet")


@command.command("sql")
def sql() -> None:
    """Print the SQL that creates the tables in an empty database."""
    from dealwire.export.fleet.scripts import all_sql

    click.echo(all_sql())


_PRINTED: Final = {
    "acl": ("mosquitto.acl", "Print the access rights of tables and readers, for mosquitto's `acl_file`."),
    "alerts": ("alerts.yml", "Print alert rules, for `rule_files` of Prometheus."),
    "dashboard": (
        "dashboard.json",
        "Print a dashboard to import into Grafana, for the Prometheus that scrapes the tables.",
    ),
}
"""File that each subcommand prints, and its help."""


def _print_file(name: str) -> None:
    click.echo(_shipped(name), nl=False)


def _shipped(name: str) -> str:
    return resources.files("dealwire.export").joinpath("files", name).read_text(encoding="utf-8")


for _name, (_file, _help) in _PRINTED.items():
    command.add_command(click.Command(_name, callback=partial(_print_file, _file), help=_help))


_POSTGRES: Final[Row] = (
    "--postgres",
    {"required": True, "metavar": "DSN"},
    "Connection string of libpq; keep the password in ~/.pgpass or PGPASSWORD.",
)


@command.command("migrate")
@declared(_POSTGRES)
def migrate(postgres: str) -> None:
    """Create the tables, or migrate them to the version of this program."""
    must_have("psycopg")
    from dealwire.export.fleet import database

    added = run(database.migrate(postgres))
    echo(f"tables: {', '.join(f'version {version} added' for version in added) or 'up to date'}", err=True)


class MetricsTls(TypedDict):
    """Options about the certificate of the metrics."""

    metrics_cert: Path | None
    metrics_key: Path | None
    metrics_client_ca: Path | None
    metrics_plain: bool


@command.command("consume")
@declared(
    ("--mqtt", {"required": True, "metavar": "URL"}, "Broker: mqtt://[USER@]HOST[:PORT], or mqtts:// for TLS."),
    ("--mqtt-password-file", {"type": FILE}, "File with the password in its first line."),
    ("--mqtt-ca", {"type": FILE}, "CA certificates for mqtts://, PEM; by default those of the system."),
    ("--mqtt-cert", {"type": FILE}, "Client certificate, PEM."),
    ("--mqtt-key", {"type": FILE}, "Private key of --mqtt-cert, PEM."),
    _POSTGRES,
    ("--name", usually("dealwire-fleet"), "Client id at the broker; each consumer needs its own."),
    ("--group", {}, "Share the lines with other consumers of this group."),
    (
        "--keys",
        {"type": FILE},
        "Keys of the tables, SITE/TABLE KEY a line; refuse what they did not sign.",
    ),
    ("--metrics metrics_port", whole(0, 65535), "Port to serve metrics on; 0 for any free port."),
    ("--metrics-host", usually("127.0.0.1"), "Host to serve metrics on."),
    ("--metrics-cert", {"type": FILE}, "Certificate to serve metrics with over TLS, PEM; SIGHUP reads it again."),
    ("--metrics-key", {"type": FILE}, "Private key of --metrics-cert, PEM, if it is not in the same file."),
    ("--metrics-client-ca", {"type": FILE}, "Authority of the clients that may read the metrics, PEM."),
    ("--metrics-plain", FLAG, "Serve metrics beyond this machine without TLS."),
    ("--wait", FLAG, "Keep trying if the broker or the database is absent at the start."),
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
    keys: Path | None,
    metrics_port: int | None,
    metrics_host: str,
    wait: bool,
    **over_tls: Unpack[MetricsTls],
) -> None:
    """Store every line from the broker in the database, until SIGTERM or Ctrl-C.

    A line is acknowledged after it is committed. Lines that the broker lost are detected and requested again.
    """
    must_have("aiomqtt", "psycopg")
    tls = _tls_of(metrics_host, over_tls)
    from dealwire.export.fleet.consumer import Consumer

    trusted = _keys_of(keys)
    from dealwire.cli.exporting import broker_by_options

    broker = broker_by_options(mqtt, mqtt_password_file, ca_file=mqtt_ca, cert_file=mqtt_cert, key_file=mqtt_key)

    async def go() -> None:
        consumer = Consumer(broker, postgres, name=name, group=group, report=_report, keys=trusted)
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, soon(consumer.stop))
        with metrics_of(consumer.counts, metrics_host, metrics_port, tls):
            await consumer.run(wait=wait)
        counts = consumer.counts
        echo(f"{counts.lines} lines, {counts.refused.total()} refused, {counts.requested} requests", err=True)

    run(go())


def _report(line: str) -> None:
    echo(f"dealwire: {line}", err=True)


def _keys_of(path: Path | None) -> "TrustedKeys | None":
    if path is None:
        return None
    if importlib.util.find_spec("cryptography") is None:
        raise ExtraMissing("cryptography", "journal")
    from dealwire.export.fleet.trust import TrustedKeys

    return TrustedKeys.read(path)


def _tls_of(host: str, over: MetricsTls) -> "ServerTls | None":
    """Return the certificate of the metrics; None without one, which is refused beyond this machine."""
    cert, key, client_ca = over["metrics_cert"], over["metrics_key"], over["metrics_client_ca"]
    if cert is None:
        if key is not None or client_ca is not None:
            raise click.UsageError("--metrics-key and --metrics-client-ca need --metrics-cert")
        if not over["metrics_plain"] and not is_loopback(host):
            why = f"{host} can be reached from other machines without TLS; add --metrics-cert, or --metrics-plain"
            raise click.BadParameter(why, param_hint="--metrics-host")
        return None
    if over["metrics_plain"]:
        raise click.UsageError("--metrics-plain and --metrics-cert exclude each other")
    from dealwire.tls import ServerTls, TlsFiles

    return ServerTls(TlsFiles(cert, key, client_ca))


@contextlib.contextmanager
def metrics_of(counts: "ConsumerCounts", host: str, port: int | None, tls: "ServerTls | None" = None) -> Iterator[None]:
    """Serve a consumer's metrics until the block ends, if a port is given. SIGHUP reads their certificate again."""
    if port is None:
        yield
        return
    if importlib.util.find_spec("prometheus_client") is None:
        raise ExtraMissing("prometheus-client", "metrics")
    from dealwire.export.fleet.metrics import FleetMetrics
    from dealwire.export.metrics_server import MetricsServer
    from dealwire.hub.health import Health
    from dealwire.service.reloads import Reloads, certificate

    with MetricsServer(FleetMetrics(counts), host=host, port=port, tls=tls) as server:
        if tls is not None:
            reloads = Reloads()
            reloads.add(certificate("metrics", tls, Health()))
            asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, reloads.start)
        echo(f"metrics: {server.address}", err=True)
        yield


def run(work: Coroutine[object, object, T]) -> T:
    """Run a coroutine. An unusable broker or database becomes one line and an exit code."""
    from dealwire.export.broker import BrokerUnusable
    from dealwire.export.fleet.database import DatabaseUnusable

    try:
        return asyncio.run(work)
    except (BrokerUnusable, DatabaseUnusable) as error:
        code = Exit.PERMISSION if error.refused else Exit.USAGE if error.usage else Exit.ABSENT
        raise Stop(code, str(error)) from None
