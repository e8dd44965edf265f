"""Command `dealwire demo`: three rounds on simulated devices behind real pseudo-terminals."""

import json
import sys
import tempfile
import webbrowser
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Final, NamedTuple

import click

from dealer_flow.procedure.load import load_procedure
from dealwire.cli.exits import Exit
from dealwire.cli.options import FILE, FLAG, decimal, declared, usually
from dealwire.cli.progress import ProgressLine
from dealwire.cli.run import has_console
from dealwire.cli.show import RoundPrinter
from dealwire.cli.table_options import DEFAULT_GAME
from dealwire.cli.terminal import echo
from dealwire.hub.hub import Hub
from dealwire.live import LineConfig, LiveTable
from dealwire.rehearsal.scenario import Scenario
from dealwire.rehearsal.scenario_file import find_scenario
from dealwire.service.simulated import simulator
from dealwire.table.table import Table, TableOutcome, TableTerms
from dealwire.table.viewer import Viewer
from devices.drive.replay import PlayStats, play
from devices.events import LinkUp, Seen
from devices.extras import install_command
from devices.record.capture import Capture, CaptureWriter
from protocol.errors import LocalError
from rules.game.load import load_game

ROUNDS: Final = 3
DEVICES: Final = 2
SPEED: Final = 40.0
PATIENCE_S: Final = 30.0
"""Seconds until a demo that hangs reports it. A demo takes about four seconds."""


@click.command("demo")
@declared(
    ("--keep", {"type": FILE}, "Keep the recording in this file, which must not exist."),
    ("--speed", usually(SPEED, decimal(0.1, 100)), "Speed; 1 is real time."),
    (
        "--wait/--no-wait",
        {"default": None},
        "Keep the console running until you press Enter.  [default: on a terminal]",
    ),
    ("--open opens", FLAG, "Open the console in a browser."),
    (
        "--devices",
        usually("simulated", type=click.Choice(["simulated", "firmware"])),
        "Use simulated devices, or the reference devices in C that 'make firmware' builds.",
    ),
    ("-v --verbose", FLAG, "Print each bet with its reason and clause."),
    ("--stay", FLAG, "Afterwards serve a simulated table and its console until Ctrl-C."),
)
@click.pass_context
def command(
    ctx: click.Context,
    /,
    keep: Path | None,
    speed: float,
    wait: bool | None,
    opens: bool,
    devices: str,
    verbose: bool,
    stay: bool,
) -> None:
    """Deal three rounds of Flushes Gone Wild on simulated devices, record them, replay the recording and compare.

    The rounds are a clean one, one with a dead hand, and a misdeal. The exit code is 0 only if the replay matches the
    live rounds exactly. If the console is installed, its address is printed first; on a terminal it keeps running until
    you press Enter.
    """
    if wait is None:
        wait = not stay and sys.stdin.isatty() and sys.stdout.isatty()
    compare(ctx, keep, speed, wait=wait, opens=opens, dealer=DEALERS[devices], verbose=verbose)
    if stay:
        from dealwire.cli.run import command as run

        click.secho("\n3. Service: the console is at the address below; Ctrl-C stops it", bold=True)
        ctx.invoke(run, file=None)


class Dealer(NamedTuple):
    """Devices of a demo and how to start them."""

    devices: str
    dealt: Callable[[float], AbstractContextManager[tuple[dict[str, str], Callable[[], None]]]]
    """Context manager for a speed. It yields the devices' addresses, and a function to call when both are connected."""


@contextmanager
def simulated(speed: float) -> Iterator[tuple[dict[str, str], Callable[[], None]]]:
    """Start simulated devices in another process. Their dealer begins without being called."""
    with simulator(["--scenario", "demo", "--speed", str(speed)]) as addresses:
        yield addresses, lambda: None


@contextmanager
def in_firmware(speed: float) -> Iterator[tuple[dict[str, str], Callable[[], None]]]:
    """Start the reference devices in C. Raise LocalError if their program was not built, or if they did not follow the
    dealer's actions."""
    from dealwire.rehearsal.reference import reference_table

    scenario = find_scenario("demo")
    assert isinstance(scenario, Scenario)
    with reference_table(scenario, speed) as table:
        yield table.addresses, table.begin
        if table.failed is not None:
            raise LocalError(table.failed)


DEALERS: Final = {
    "simulated": Dealer("a simulated shuffler and table controller", simulated),
    "firmware": Dealer("the reference shuffler and table controller, in C,", in_firmware),
}


def compare(
    ctx: click.Context,
    keep: Path | None,
    speed: float,
    *,
    wait: bool = False,
    opens: bool = False,
    dealer: Dealer = DEALERS["simulated"],
    verbose: bool = False,
) -> None:
    """Deal live, replay, and print whether both agree. With `wait` the console keeps running until Enter."""
    table = new_table()
    with tempfile.TemporaryDirectory(prefix="dealwire-") as folder, shown(table) as (address, show):
        if opens and address:
            webbrowser.open(address)
        recording = keep or Path(folder) / "demo.pcapng"
        echo(f"1. Live: {dealer.devices} on pseudo-terminals", bold=True)
        live = deal_live(recording, speed, table, show, dealer, verbose=verbose)
        click.echo()
        echo(f"2. Replay: {recording.stat().st_size:,} bytes of recording", bold=True)
        again, stats = deal_again(recording)
        echo(f"  {stats.frames} frames, {stats.noise_bytes} bytes of noise")
        same = live == again and sum(json.loads(line)["type"] == "round" for line in live) == ROUNDS
        say_verdict(live, again, same)
        if keep:
            click.echo()
            echo(f"The recording is in {keep}; try: dealwire replay {keep}")
        if wait and address:
            click.echo()
            echo(f"The console shows the last state of the table: {address}", bold=True)
            click.echo("Press Enter to exit.")
            sys.stdin.readline()
    if not same:
        ctx.exit(Exit.CHECK_FAILED)
    click.echo("\nTo keep a simulated table running, with its console in a browser: dealwire demo --stay")


def _counted(lines: list[str]) -> str:
    """Return a count by type, such as `3 rounds, 5 incidents and 3 settlements`."""
    counts = Counter(str(json.loads(line)["type"]) for line in lines)
    *first, last = [f"{count} {kind}{'s' * (count != 1)}" for kind, count in counts.items()]
    return f"{', '.join(first)} and {last}" if first else last


def say_verdict(live: list[str], again: list[str], same: bool) -> None:
    """Print whether the replay matches the live rounds, and where they differ."""
    if same:
        echo(f"  identical: {_counted(live)}, byte for byte", fg="green")
        return
    click.secho("  DIFFERENT", fg="red", bold=True)
    for line in sorted(set(live) ^ set(again)):
        echo(f"  only {'live' if line in live else 'replayed'}: {line}", err=True)


def new_table() -> Table:
    """Make the demo's table: Colorado's Flushes Gone Wild with all defaults."""
    return Table(load_procedure(DEFAULT_GAME), TableTerms(load_game(DEFAULT_GAME)), name="demo")


Show = Callable[[Seen, list[TableOutcome]], None]
"""Function that takes a report and the table's results."""


@contextmanager
def shown(table: Table) -> Iterator[tuple[str, Show]]:
    """Serve a console on a free port. Yield its address, and a function that shows the table in it; an empty address
    and a function without effect if the console is not installed."""
    if not has_console():
        echo(f"(to see the table in a browser, install the console: {install_command('console')})")
        yield "", lambda *_: None
        return
    from dealwire.console.server import Console

    hub, viewer = Hub(), Viewer(table, "demo")

    def show(seen: Seen, outcomes: list[TableOutcome]) -> None:
        viewer.update(seen, outcomes)
        hub.show(viewer.view(seen.number, seen.at_ns))

    console = Console(hub)
    console.start()
    try:
        echo(f"console: {console.address}", bold=True)
        yield console.address, show
    finally:
        console.stop()


def deal_live(
    recording: Path,
    speed: float,
    table: Table,
    show: Show = lambda *_: None,
    dealer: Dealer = DEALERS["simulated"],
    *,
    verbose: bool = False,
) -> list[str]:
    """Deal on a dealer's devices, print each result, and record every byte. Return the results as JSON lines."""
    shown_live = LiveRounds(table, show, verbose=verbose)
    with (
        dealer.dealt(speed) as (addresses, begin),
        CaptureWriter(recording, procedure=DEFAULT_GAME) as writer,
        LiveTable(
            [
                LineConfig("shuffler", "shuffler", addresses["shuffler"]),
                LineConfig("controller", "table-controller", addresses["table-controller"]),
            ],
            lambda seen: shown_live.deliver(seen, begin),
            record=lambda: writer,
            reconnect=False,
        ) as live,
    ):
        done = live.run(lambda: sum(table.outcomes.values()) >= ROUNDS, PATIENCE_S)
    shown_live.progress.clear()
    if not done:
        echo(f"  the table stopped before {ROUNDS} rounds were dealt", fg="red", err=True)
    shown_live.print(table.finish())
    shown_live.say.end()
    return shown_live.lines


class LiveRounds:
    """Results of a table, printed and shown as they come. `lines` holds all of them as JSON."""

    def __init__(self, table: Table, show: Show, *, verbose: bool = False) -> None:
        self.lines: list[str] = []
        self.progress, self.say = ProgressLine(), RoundPrinter(table.flow.procedure, verbose=verbose)
        self._table, self._show = table, show
        self._there: set[str] = set()

    def print(self, items: list[TableOutcome]) -> None:
        """Print results and keep them as JSON."""
        if items:
            self.progress.clear()
        for item in items:
            self.lines.append(item.to_json())
            self.say(item)

    def deliver(self, seen: Seen, begin: Callable[[], None]) -> None:
        """Handle a report. `begin` is called once every device is connected."""
        number, state = sum(self._table.outcomes.values()) + 1, self._table.flow.state.value
        self.progress.show(f"  round {number} of {ROUNDS}: {state} ({seen.device})")
        outcomes = self._table.handle(seen)
        self.print(outcomes)
        self._show(seen, outcomes)
        if isinstance(seen.body, LinkUp):
            self._there.add(seen.device)
            if len(self._there) == DEVICES:
                begin()


def deal_again(recording: Path) -> tuple[list[str], PlayStats]:
    """Replay a recording. Return its results as JSON lines, and the playback counters."""
    table = new_table()
    lines: list[str] = []

    def deliver(seen: Seen) -> None:
        lines.extend(item.to_json() for item in table.handle(seen))

    stats = play(Capture.read(recording), deliver)
    lines.extend(item.to_json() for item in table.finish())
    return lines, stats
