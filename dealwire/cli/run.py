"""Command `dealwire run`: serve the tables of a `table.toml`."""

import contextlib
import importlib.util
import logging
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from dealer_flow.tomlfile import fault_in
from dealwire.cli.exits import Exit, Stop, explain, places_alone
from dealwire.cli.exporting import (
    broker_of,
    log_of,
    must_count,
    ndjson_of,
    note_decision,
    signer_of,
    stop_tables,
    warnings_of,
)
from dealwire.cli.options import FILE, FLAG, decimal, declared, usually, whole
from dealwire.cli.terminal import echo, log_lines
from dealwire.config.load import load_configuration
from dealwire.config.schema import (
    Configuration,
    ConsolePart,
    ExportsPart,
    MetricsPart,
    MqttPart,
    PeoplePart,
)
from dealwire.hub.hub import Hub
from dealwire.service.notify import Notifier
from dealwire.service.readiness import StartOptions, readiness
from dealwire.service.reloads import Reloadable, certificate, line_certificates
from dealwire.service.seals import leave_no_core, reading_key
from dealwire.service.server_checks import (
    CONSOLE_MODULES,
    files_of,
    in_clear,
    tables_part,
)
from dealwire.service.tried import installed
from rules.errors import ExtraMissing

if TYPE_CHECKING:
    from dealwire.console.roll import Roll
    from dealwire.export.mqtt import MqttExporter
    from dealwire.service.service import Service
    from dealwire.tls import ServerTls
    from devices.simulator.host import SimulatorHost

_log = logging.getLogger("dealwire")


@click.command("run")
@click.argument("file", required=False, type=FILE, metavar="[TABLE.TOML]")
@declared(
    ("--check", FLAG, "Check that the tables can be served, then exit; nothing is changed."),
    ("--json as_json", FLAG, "With --check: print one JSON object per line."),
    ("--start-over anew", FLAG, "Start a new record at every table; the round in progress is abandoned."),
    (
        "--trust-clock clock_right",
        FLAG,
        "Start although the clock is far from the newest record. If the clock is behind it, every table starts over.",
    ),
    ("--trust-journal this_file_counts", FLAG, "Continue this journal although the MQTT broker knows a newer one."),
    ("--console/--no-console with_console", {"default": True}, "Serve the console, if TABLE.TOML has one."),
    ("--port", whole(0, 65535), "Port of the console, instead of the one in TABLE.TOML; 0 for any free port."),
    ("--scenario", usually("evening"), "Without TABLE.TOML: scenario to repeat."),
    (
        "--faults",
        decimal(0, 1),
        "Without TABLE.TOML: share of rounds with one random fault, from 0 to 1, instead of the scenario's faults.",
    ),
    ("--speed", usually(2.0, decimal(0.1, 100)), "Without TABLE.TOML: speed; 1 is real time."),
    ("--print-unit", FLAG, "Print a systemd unit, then exit."),
    ("--print-udev", FLAG, "Print udev rules for serial adapters, then exit."),
)
@click.pass_context
def command(
    ctx: click.Context,
    /,
    file: Path | None,
    check: bool,
    as_json: bool,
    anew: bool,
    clock_right: bool,
    this_file_counts: bool,
    with_console: bool,
    port: int | None,
    scenario: str,
    faults: float | None,
    speed: float,
    print_unit: bool,
    print_udev: bool,
) -> None:
    """Serve the tables in TABLE.TOML: deal, settle, journal, publish.

    Every result is in the journal before it is published, so each table resumes in the middle of its round after a
    crash. --check tells whether the tables can be served, by this user on this machine, and whether each table would
    resume; it opens no line and writes nothing. Stop the service with SIGTERM or Ctrl-C.

    Without TABLE.TOML a simulated table is served from a temporary folder.
    """
    if print_unit or print_udev:
        print_file(print_unit)
        return
    if file is not None:
        _refuse_ignored(ctx)
    options = StartOptions(anew, clock_right, this_file_counts, with_console, port)
    if check or as_json:
        ctx.exit(checked(file, options, as_json, check))
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
            configuration = servable(file, options)
        code = serve(configuration, options, bench)
    ctx.exit(code)


def _refuse_ignored(ctx: click.Context) -> None:
    for name in ("scenario", "faults", "speed"):
        if ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise click.UsageError(f"--{name} is for the simulated table, without TABLE.TOML")


def checked(file: Path | None, options: StartOptions, as_json: bool, check: bool) -> Exit:
    """Check a start with these options and return the exit code."""
    from dealwire.cli.run_check import check_file

    if not check:
        raise click.UsageError("--json needs --check")
    if file is None:
        raise click.UsageError("--check needs TABLE.TOML")
    return check_file(file, options, as_json=as_json)


def servable(file: Path, options: StartOptions) -> Configuration:
    """Load the configuration. Raise Stop with the line of the first problem that prevents serving it, before any table
    starts."""
    found = load_configuration(file)
    for tried in readiness(found, options):
        if tried.error is not None:
            code, line = explain(tried.error)
            raise Stop(code, str(fault_in(file, tried.key, line)))
    return found


def print_file(unit: bool) -> None:
    """Print a systemd unit, or udev rules. Reasons that systemd could not start the program also go to standard
    error."""
    from dealwire.cli.system_files import SERVICE, advice, printed, shipped

    if not unit:
        from dealwire.cli.system_files import udev_rules_of_all

        click.echo(udev_rules_of_all(), nl=False)
        return
    click.echo(printed(SERVICE), nl=False)
    for line in advice(shipped(SERVICE)):
        echo(line, err=True)


def say_what_happens() -> None:
    """Log to standard error, one line per record."""
    handler = logging.StreamHandler()
    handler.setFormatter(log_lines("%(asctime)s %(levelname)s %(message)s"))
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    _log.setLevel(logging.INFO)


@contextlib.contextmanager
def deaf_to_hang_up() -> Iterator[None]:
    """Ignore SIGHUP for a while: before the service can read anything again, the signal would end the program."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGHUP, before)


@deaf_to_hang_up()
def serve(configuration: Configuration, options: StartOptions, bench: "SimulatorHost | None" = None) -> Exit:
    """Serve until a signal, and return the exit code. `bench` holds the simulated devices of the first table, if
    any."""
    from dealwire.service.interpreter import made_for_good
    from dealwire.service.service import FAREWELL_S, Service

    leave_no_core()
    for warning in warnings_of(configuration):
        _log.warning("%s", warning)
    marks = must_count(configuration, options.file_counts)
    hub, notifier = Hub(), Notifier()
    with contextlib.ExitStack() as stack:
        stack.enter_context(places_alone())
        service = stack.enter_context(
            Service(
                configuration,
                hub,
                anew=options.anew,
                clock_is_right=options.clock_is_right,
                restored=options.file_counts,
                gives_up=marks.logs,
                notifier=notifier,
            )
        )
        if options.file_counts:
            note_decision(service, marks.against)
        if bench is not None:
            service.simulate(configuration.table[0].name, bench)
        _register_reloads(configuration, service, with_console=options.with_console)
        ended_by = stack.enter_context(signals(service))
        if options.with_console and configuration.console is not None:
            stack.enter_context(console_of(configuration.console, service, options.port, configuration.people))
        stack.enter_context(exports_of(configuration.exports, service, options.file_counts))
        stack.enter_context(made_for_good())
        service.run()
        if service.failed is not None:
            service.owner.run(timeout_s=FAREWELL_S)
    if service.failed is not None:
        raise Stop(Exit.PROTOCOL if service.journal.lost else Exit.CHECK_FAILED, str(service.failed))
    return Exit.INTERRUPTED if signal.SIGINT in ended_by else Exit.GOOD


@contextlib.contextmanager
def signals(service: "Service") -> Iterator[list[int]]:
    """Stop the service on SIGTERM and SIGINT, and yield the list that the signal is added to. SIGHUP reads certificates
    again."""
    ended_by: list[int] = []

    def end(number: int, _: object) -> None:
        ended_by.append(number)
        service.stop()

    def hang_up(_number: int, _frame: object) -> None:
        service.reloads.start()

    handlers = {signal.SIGTERM: end, signal.SIGINT: end, signal.SIGHUP: hang_up}
    before = {number: signal.signal(number, handler) for number, handler in handlers.items()}
    try:
        yield ended_by
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


# ------------------------------------------------------------------ servers other than tables


def has_console() -> bool:
    """Return True if the `console` extra is installed."""
    return installed(*CONSOLE_MODULES)


@contextlib.contextmanager
def console_of(
    part: ConsolePart, service: "Service", port: int | None = None, people: PeoplePart | None = None
) -> Iterator[str]:
    """Serve the console, or let one connect, until the block ends; yield its address, or the path of its socket, which
    is printed too. `port` overrides the file's."""
    if not has_console():
        raise ExtraMissing("starlette", "console")
    if part.process == "same" and part.socket is None:
        serving = console_within(part, service, port, people)
    elif part.socket is not None:
        from dealwire.cli.console_apart import console_elsewhere

        if people is not None:
            _reload_people(tables_part(people, part), service)
        serving = console_elsewhere(part, service)
    else:
        from dealwire.cli.console_apart import console_apart

        serving = console_apart(part, service, port, people)
    with serving as place:
        yield place


@contextlib.contextmanager
def console_within(
    part: ConsolePart, service: "Service", port: int | None = None, people: PeoplePart | None = None
) -> Iterator[str]:
    """Serve the console in a thread of this process until the block ends; yield its address, which is printed too."""
    from dealwire.cli.console_parts import buttons_of
    from dealwire.console.journals import journal_sources
    from dealwire.console.roll import console_settings
    from dealwire.console.server import Console
    from dealwire.console.tokens import Tokens

    journal = service.configuration.journal
    shown = Console(
        service.hub,
        host=part.host,
        port=part.port if port is None else port,
        tokens=Tokens.read(part.tokens_file) if part.tokens_file is not None else None,
        actions=buttons_of(service),
        recordings=part.recordings,
        sources=journal_sources(journal.path, reading_key(journal), service.tables),
        journal=journal.path,
        names=part.names,
        secure=part.secure,
        tls=tls_of("console", part, service),
        proxies=part.proxies,
        idle_minutes=part.idle_minutes,
        clock=service.clock,
        note_access=service.note_access,
        **console_settings(people),
    )
    if people is not None:
        _reload_people(people, service, shown.reload)
    shown.start()
    try:
        echo(f"console: {shown.address}", err=True)
        yield shown.address
    finally:
        shown.stop()


def _register_reloads(configuration: Configuration, service: "Service", *, with_console: bool) -> None:
    """Register the files that SIGHUP reads again, except those of the servers."""
    for ends in line_certificates(configuration, service.health):
        service.reloads.add(ends)
    if configuration.people is not None and not (with_console and configuration.console is not None):
        _reload_people(tables_part(configuration.people, configuration.console), service)


def _reload_people(part: PeoplePart, service: "Service", *takers: "Callable[[Roll], None]") -> None:
    """Have SIGHUP read again who may act, for the tables and for a console."""
    from dealwire.console.roll import people_reload

    service.reloads.add(Reloadable(*people_reload(part, lambda roll: service.install_users(roll.users), *takers)))


def tls_of(server: str, part: ConsolePart | MetricsPart, service: "Service") -> "ServerTls | None":
    """Return the certificate of a server, which SIGHUP reads again; None, with a warning if that is unsafe, without
    one."""
    if part.tls is None:
        if (text := in_clear(part)) is not None:
            _log.warning("%s: %s", server, text)
        return None
    from dealwire.tls import ServerTls

    tls = ServerTls(files_of(part.tls))
    service.reloads.add(certificate(server, tls, service.health))
    return tls


@contextlib.contextmanager
def exports_of(part: ExportsPart, service: "Service", file_counts: bool = False) -> Iterator[None]:
    """Run the configured exports until the block ends."""
    with contextlib.ExitStack() as stack:
        if part.ndjson:
            stack.enter_context(ndjson_of(service))
        mqtt = stack.enter_context(mqtt_of(part.mqtt, service, file_counts)) if part.mqtt is not None else None
        if part.metrics is not None:
            stack.enter_context(metrics_of(part.metrics, service, mqtt))
        yield


@contextlib.contextmanager
def metrics_of(part: MetricsPart, service: "Service", mqtt: "MqttExporter | None") -> Iterator[None]:
    """Serve the metrics until the block ends."""
    if importlib.util.find_spec("prometheus_client") is None:
        raise ExtraMissing("prometheus-client", "metrics")
    from dealwire.export.metrics import Metrics
    from dealwire.export.metrics_server import MetricsServer

    progress = mqtt.progress if mqtt is not None else None
    metrics = Metrics(service.hub, journal=service.journal, mqtt=progress, health=service.health)
    tls = tls_of("metrics", part, service)
    with MetricsServer(metrics, host=part.host, port=part.port, names=part.names, tls=tls) as server:
        echo(f"metrics: {server.address}", err=True)
        yield


@contextlib.contextmanager
def mqtt_of(part: MqttPart, service: "Service", file_counts: bool = False) -> "Iterator[MqttExporter]":
    """Run the MQTT export until the block ends. Lines that the broker has not taken by then stay in the journal."""
    broker = broker_of(part)
    from dealwire.export.mqtt import MqttExporter
    from dealwire.export.standing import standing_of

    def standing(table: str) -> str | None:
        view = service.hub.views().get(table)
        return standing_of(view).to_json() if view is not None else None

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
            standing=standing,
            signer=signer_of(part, service.journal),
            beside=log_of(part, service, broker, file_counts),
        )
    except ValueError as error:
        raise Stop(Exit.USAGE, f"exports.mqtt: {error}") from None
    reader = service.hub.subscribe(exporter.wake)
    try:
        with exporter:
            yield exporter
    finally:
        service.hub.leave(reader)
