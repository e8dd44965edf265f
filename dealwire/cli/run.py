"""`dealwire run`: serve the tables of a `table.toml`, until told to stop."""

import contextlib
import logging
import shutil
import signal
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from dealwire.cli.exits import Exit
from dealwire.cli.run_parts import console_of, exports_of
from dealwire.config.load import load_configuration
from dealwire.config.schema import Configuration
from dealwire.hub.hub import Hub
from dealwire.service.notify import Notifier

if TYPE_CHECKING:
    from dealwire.service.service import Service
    from devices.simulator.host import SimulatorHost

_log = logging.getLogger("dealwire")

INSTALLED: Final = "/usr/local/bin/dealwire"
"""Where the unit file looks for the program, unless it is printed."""


@click.command("run")
@click.argument("file", required=False, type=click.Path(dir_okay=False, path_type=Path), metavar="[TABLE.TOML]")
@click.option("--check", is_flag=True, help="Check the file, and do nothing.")
@click.option("--anew", is_flag=True, help="Every table begins anew; what was under way is given up.")
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
        found = load_configuration(file)
        click.echo(f"{file}: {len(found.table)} table{'s' * (len(found.table) > 1)}, nothing wrong")
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
        code = serve(configuration, bench, anew=anew, with_console=with_console, port=port)
    ctx.exit(code)


def printed(name: str) -> str:
    """A file for the system, with the path of this program in it."""
    text = resources.files("dealwire.service").joinpath("files", name).read_text(encoding="utf-8")
    return text.replace(INSTALLED, shutil.which("dealwire") or INSTALLED)


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
) -> Exit:
    """Serve until a signal, and say how it ended. `bench` holds the devices of the first table, if simulated."""
    from dealwire.service.garbage import made_for_good
    from dealwire.service.service import FAREWELL_S, Service

    hub, notifier = Hub(), Notifier()
    with contextlib.ExitStack() as stack:
        service = stack.enter_context(Service(configuration, hub, anew=anew, notifier=notifier))
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
        click.echo(f"dealwire: {service.failed}", err=True)
        return Exit.CHECK_FAILED
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
