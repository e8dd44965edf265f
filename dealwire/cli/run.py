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

from dealer_flow.procedure.tomlfile import fault_in
from dealwire.cli.exits import Exit, Stop, explain
from dealwire.cli.exporting import broker_of, must_count, note_decision, stop_tables, warnings_of
from dealwire.cli.terminal import echo, log_lines
from dealwire.config.load import load_configuration
from dealwire.config.schema import Configuration, ConsolePart, ExportsPart, MetricsPart, MqttPart
from dealwire.export.ndjson import NdjsonSink
from dealwire.hub.hub import Hub
from dealwire.listening import is_loopback
from dealwire.service.notify import Notifier
from dealwire.service.seals import faces_in_clear, leave_no_core, reading_key, seal_in_words
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
@click.option("--check", is_flag=True, help="Say what keeps it from being served, and do nothing.")
@click.option("--anew", is_flag=True, help="Every table begins anew; what was under way is given up.")
@click.option(
    "--clock-is-right",
    "clock_right",
    is_flag=True,
    help="Go on although the clock is far from the newest record. Before it, every table begins anew.",
)
@click.option(
    "--this-file-counts", is_flag=True, help="Go on with this journal, though the MQTT broker knows a newer one."
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
    this_file_counts: bool,
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
    round. --check says whether it could be served, by this user on this machine; its lines are not opened.
    SIGTERM and Ctrl-C end it. Without a file it serves a simulated table in a temporary folder.
    """
    if print_unit or print_udev:
        click.echo(printed("dealwire@.service" if print_unit else "60-dealwire.rules"), nl=False)
        return
    if check:
        check_file(file, with_console)
        return
    say_what_happens()
    with contextlib.ExitStack() as stack:
        bench = None
        if file is None:
            from dealwire.service.simulated import simulated_table

            configuration, tokens, bench = stack.enter_context(simulated_table(scenario, faults, speed))
            if with_console:
                for role, token in tokens.items():
                    echo(f"to act as {role}, sign in with: {token}", err=True)
        else:
            configuration = servable(file, with_console)
        options = {"anew": anew, "file_counts": this_file_counts, "with_console": with_console}
        code = serve(configuration, bench, **options, port=port, clock_right=clock_right)
    ctx.exit(code)


def servable(file: Path, with_console: bool) -> Configuration:
    """What `file` says, once nothing is in the way of serving it; the first thing that is ends the command, at its
    line, before any table is begun."""
    from dealwire.service.hindrances import hindrances

    found = load_configuration(file)
    for key, error in hindrances(found, with_console=with_console):
        raise Stop(explain(error)[0], str(fault_in(file, key, str(error))))
    return found


def printed(name: str) -> str:
    """A file for the system, with the path of this program in it."""
    text = resources.files("dealwire.service").joinpath("files", name).read_text(encoding="utf-8")
    return text.replace(INSTALLED, shutil.which("dealwire") or INSTALLED)


def check_file(file: Path | None, with_console: bool) -> None:
    """That nothing is wrong with a file, what seals its journal and what it leaves open; else as `servable`."""
    if file is None:
        raise click.UsageError("--check needs a file")
    found = servable(file, with_console)
    echo(f"{file}: {len(found.table)} table{'s' * (len(found.table) > 1)}, nothing wrong")
    echo(f"{file}: {seal_in_words(found.journal)}")
    for warning in faces_in_clear(found):
        echo(f"{file}: {warning}", err=True)
    for warning in warnings_of(found):
        echo(f"warning: {warning}", err=True)


def say_what_happens() -> None:
    """Logging to standard error, a line each: what starts, stops, is lost, comes back, is asked, goes wrong."""
    handler = logging.StreamHandler()
    handler.setFormatter(log_lines("%(asctime)s %(levelname)s %(message)s"))
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    _log.setLevel(logging.INFO)


def serve(
    configuration: Configuration,
    bench: "SimulatorHost | None" = None,
    *,
    anew: bool,
    with_console: bool,
    port: int | None,
    clock_right: bool = False,
    file_counts: bool = False,
) -> Exit:
    """Serve until a signal, and say how it ended. `bench` holds the devices of the first table, if simulated.
    `file_counts`: a person said so of this journal, whatever the broker knows."""
    from dealwire.service.service import FAREWELL_S, Service, made_for_good

    if configuration.journal.key_file is not None or configuration.journal.auditor_key_file is not None:
        leave_no_core()
    for warning in warnings_of(configuration):
        _log.warning("%s", warning)
    against = must_count(configuration, file_counts)
    hub, notifier = Hub(), Notifier()
    with contextlib.ExitStack() as stack:
        service = stack.enter_context(
            Service(configuration, hub, anew=anew, clock_is_right=clock_right, notifier=notifier)
        )
        if file_counts:
            note_decision(service, against)
        if bench is not None:
            service.simulate(configuration.table[0].name, bench)
        ended_by = stack.enter_context(signals(service))
        if with_console and configuration.console is not None:
            stack.enter_context(console_of(configuration.console, service, port))
        stack.enter_context(exports_of(configuration.exports, service, file_counts))
        stack.enter_context(made_for_good())
        service.run()
        if service.failed is not None:
            service.owner.run(timeout_s=FAREWELL_S)
    if service.failed is not None:
        raise Stop(Exit.PROTOCOL if service.journal.lost else Exit.CHECK_FAILED, str(service.failed))
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
    from dealwire.service.hindrances import CONSOLE_MODULES, installed

    return installed(*CONSOLE_MODULES)


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
        echo(f"console: {shown.address}", err=True)
        yield shown.address
    finally:
        shown.stop()


@contextlib.contextmanager
def exports_of(part: ExportsPart, service: "Service", file_counts: bool = False) -> Iterator[None]:
    """Whatever `part` asks for, from here to the end."""
    with contextlib.ExitStack() as stack:
        if part.ndjson:
            stack.enter_context(NdjsonSink(service.hub, sys.stdout))
        mqtt = stack.enter_context(mqtt_of(part.mqtt, service, file_counts)) if part.mqtt is not None else None
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
        echo(f"metrics: {server.address}", err=True)
        yield


@contextlib.contextmanager
def mqtt_of(part: MqttPart, service: "Service", file_counts: bool = False) -> "Iterator[MqttExporter]":
    """The MQTT export, from here to the end. What the broker has not taken by then waits in the journal."""
    broker = broker_of(part)
    from dealwire.export.mqtt import MqttExporter

    try:
        exporter = MqttExporter(
            broker,
            service.journal,
            site=part.site,
            tables=list(service.tables),
            report=lambda text: _log.warning("%s", text),
            conflict=lambda _, why: stop_tables(service, why),
            file_counts=file_counts,
            profile=part.profile,
        )
    except ValueError as error:
        raise Stop(Exit.USAGE, f"exports.mqtt: {error}") from None
    reader = service.hub.subscribe(exporter.wake)
    try:
        with exporter:
            yield exporter
    finally:
        service.hub.leave(reader)
