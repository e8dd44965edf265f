"""`dealwire run`: serve the tables of a `table.toml`, until told to stop."""

import contextlib
import importlib.util
import logging
import shutil
import signal
import sys
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from dealwire.cli.exits import Exit, Stop
from dealwire.config.load import load_configuration
from dealwire.config.schema import Configuration, ConsolePart, ExportsPart, MetricsPart, MqttPart
from dealwire.export.ndjson import NdjsonSink
from dealwire.hub.hub import Hub
from dealwire.listening import is_loopback
from dealwire.service.notify import Notifier
from dealwire.service.seals import faces_in_clear, leave_no_core, load_seal, reading_key, seal_in_words
from rules.errors import ExtraMissing

if TYPE_CHECKING:
    from dealwire.export.mqtt import MqttExporter
    from dealwire.service.service import Service
    from devices.simulator.host import SimulatorHost

_log = logging.getLogger("dealwire")

INSTALLED: Final = "/usr/local/bin/dealwire"
"""Where the unit file looks for the program, unless it is printed."""


@click.command("run")
@click.argument("file", required=False, type=click.Path(dir_okay=False, path_type=Path), metavar="[TABLE.TOML]")
@click.option("--check", is_flag=True, help="Check the file, and do nothing.")
@click.option("--anew", is_flag=True, help="Every table begins anew; what was under way is given up.")
@click.option(
    "--clock-is-right",
    "clock_right",
    is_flag=True,
    help="Go on although the clock is far from the newest record. Before it, every table begins anew.",
)
@click.option("--console/--no-console", "with_console", default=True, help="Serve the console, where there is one.")
@click.option("--port", type=click.IntRange(0, 65535), help="The console's port, instead of the file's; 0: any free.")
@click.option("--scenario", default="demo", show_default=True, help="Without a file: what is dealt, again and again.")
@click.option(
    "--faults",
    type=click.FloatRange(0, 1),
    default=0.1,
    show_default=True,
    help="Without a file: the share of rounds in which something goes wrong by chance.",
)
@click.option(
    "--speed", type=click.FloatRange(0.1, 100), default=2.0, show_default=True, help="Without a file: 1 is real time."
)
@click.option("--print-unit", is_flag=True, help="Print a systemd unit, and do nothing.")
@click.option("--print-udev", is_flag=True, help="Print udev rules for serial adapters, and do nothing.")
@click.pass_context
def command(
    ctx: click.Context,
    /,
    file: Path | None,
    check: bool,
    anew: bool,
    clock_right: bool,
    with_console: bool,
    port: int | None,
    scenario: str,
    faults: float,
    speed: float,
    print_unit: bool,
    print_udev: bool,
) -> None:
    """Serve the tables of TABLE.TOML: deal, settle, write down, show.

    Everything is in the journal before it is made known, so that after a kill each table goes on in the middle of its
    round. SIGTERM and Ctrl-C end it. Without a file it serves a simulated table in a temporary folder.
    """
    if print_unit or print_udev:
        click.echo(printed("dealwire@.service" if print_unit else "60-dealwire.rules"), nl=False)
        return
    if check:
        if file is None:
            raise click.UsageError("--check needs a file")
        say_what_is_wrong(file)
        return
    say_what_happens()
    with contextlib.ExitStack() as stack:
        bench = None
        if file is None:
            from dealwire.service.simulated import simulated_table

            configuration, tokens, bench = stack.enter_context(simulated_table(scenario, faults, speed))
            if with_console:
                for role, token in tokens.items():
                    click.echo(f"to act as {role}, sign in with: {token}", err=True)
        else:
            configuration = load_configuration(file)
        code = serve(configuration, bench, anew=anew, with_console=with_console, port=port, clock_right=clock_right)
    ctx.exit(code)


def printed(name: str) -> str:
    """A file for the system, with the path of this program in it."""
    text = resources.files("dealwire.service").joinpath("files", name).read_text(encoding="utf-8")
    return text.replace(INSTALLED, shutil.which("dealwire") or INSTALLED)


def say_what_is_wrong(file: Path) -> None:
    """That the file is right, and what seals its journal. TomlFileError for what is wrong, KeyProblem for its key."""
    found = load_configuration(file)
    load_seal(found.journal)
    click.echo(f"{file}: {len(found.table)} table{'s' * (len(found.table) > 1)}, nothing wrong")
    click.echo(f"{file}: {seal_in_words(found.journal)}")
    for warning in faces_in_clear(found):
        click.echo(f"{file}: {warning}", err=True)


def say_what_happens() -> None:
    """Logging to standard error, a line each: what starts, stops, is lost, comes back, is asked, goes wrong."""
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(message)s", force=True)
    _log.setLevel(logging.INFO)


def serve(
    configuration: Configuration,
    bench: "SimulatorHost | None" = None,
    *,
    anew: bool,
    with_console: bool,
    port: int | None,
    clock_right: bool = False,
) -> Exit:
    """Serve until a signal, and say how it ended. `bench` holds the devices of the first table, if simulated."""
    from dealwire.service.service import FAREWELL_S, Service, made_for_good

    if configuration.journal.key_file is not None or configuration.journal.auditor_key_file is not None:
        leave_no_core()
    hub, notifier = Hub(), Notifier()
    with contextlib.ExitStack() as stack:
        service = stack.enter_context(
            Service(configuration, hub, anew=anew, clock_is_right=clock_right, notifier=notifier)
        )
        if bench is not None:
            service.simulate(configuration.table[0].name, bench)
        ended_by = stack.enter_context(signals(service))
        if with_console and configuration.console is not None:
            stack.enter_context(console_of(configuration.console, service, port))
        stack.enter_context(exports_of(configuration.exports, service))
        stack.enter_context(made_for_good())
        service.run()
        if service.failed is not None:
            service.owner.run(timeout_s=FAREWELL_S)
    if service.failed is not None:
        raise Stop(Exit.CHECK_FAILED, str(service.failed))
    return Exit.INTERRUPTED if signal.SIGINT in ended_by else Exit.GOOD


@contextlib.contextmanager
def signals(service: "Service") -> Iterator[list[int]]:
    """SIGTERM and SIGINT end the service; which did is in the list. SIGHUP changes nothing, and says so."""
    ended_by: list[int] = []

    def end(number: int, _: object) -> None:
        ended_by.append(number)
        service.stop()

    def hang_up(_number: int, _frame: object) -> None:
        _log.warning("SIGHUP: nothing is read again; a restart reads table.toml, and every round goes on")

    handlers = {signal.SIGTERM: end, signal.SIGINT: end, signal.SIGHUP: hang_up}
    before = {number: signal.signal(number, handler) for number, handler in handlers.items()}
    try:
        yield ended_by
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


# ------------------------------------------------------------------ what is served beside the tables


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
    from dealwire.service.actions import faults, offered

    journal = service.configuration.journal
    shown = Console(
        service.hub,
        host=part.host,
        port=part.port if port is None else port,
        tokens=Tokens.read(part.tokens_file) if part.tokens_file is not None else None,
        actions={
            name: [
                *offered(session.part.device, session.table.flow.procedure),
                *(faults() if session.bench is not None else ()),
            ]
            for name, session in service.tables.items()
        },
        recordings=part.recordings,
        sources=journal_sources(journal.path, reading_key(journal), service.tables),
        names=part.names,
        secure=part.secure,
        proxies=part.proxies,
        clock=service.clock,
        note_access=service.note_access,
    )
    if part.tokens_file is not None and not part.secure and not is_loopback(part.host):
        _log.warning("console: tokens and sessions go over the network in the clear; see TLS in docs/console.md")
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
    from dealwire.export.metrics import Metrics
    from dealwire.export.metrics_server import MetricsServer

    progress = mqtt.progress if mqtt is not None else None
    metrics = Metrics(service.hub, journal=service.journal, mqtt=progress, health=service.health)
    with MetricsServer(metrics, host=part.host, port=part.port, names=part.names) as server:
        click.echo(f"metrics: {server.address}", err=True)
        yield


@contextlib.contextmanager
def mqtt_of(part: MqttPart, service: "Service") -> "Iterator[MqttExporter]":
    """The MQTT export, from here to the end. What the broker has not taken by then waits in the journal."""
    if importlib.util.find_spec("aiomqtt") is None:
        raise ExtraMissing("aiomqtt", "mqtt")
    from dealwire.export.broker import Broker, PasswordUnreadable
    from dealwire.export.mqtt import MqttExporter

    files = {"ca_file": part.ca_file, "cert_file": part.cert_file, "key_file": part.key_file}
    try:
        broker = Broker.parse(part.url, part.password_file, **files)
        exporter = MqttExporter(
            broker, service.journal, site=part.site, tables=list(service.tables), report=lambda text: _log.warning(text)
        )
    except ValueError as error:
        key = "exports.mqtt.password-file" if isinstance(error, PasswordUnreadable) else "exports.mqtt"
        raise Stop(Exit.USAGE, f"{key}: {error}") from None
    reader = service.hub.subscribe(exporter.wake)
    try:
        with exporter:
            yield exporter
    finally:
        service.hub.leave(reader)
