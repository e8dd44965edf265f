"""`dealwire demo`: the main job in small, on simulated devices behind real pseudo-terminals."""

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
"""Far above the four seconds or so a demo takes: a demo that hangs must say so instead."""


@click.command("demo")
@declared(
    ("--keep", {"type": FILE}, "Keep the recording in this new file."),
    ("--speed", usually(SPEED, decimal(0.1, 100)), "1 is real time."),
    ("--wait/--no-wait", {"default": None}, "Afterwards keep the console up until Enter.  [default: on a terminal]"),
    ("--open opens", FLAG, "Open the console in this machine's browser."),
    (
        "--devices",
        usually("simulated", type=click.Choice(["simulated", "firmware"])),
        "Simulated ones, or the reference devices in C that 'make firmware' builds.",
    ),
    ("-v --verbose", FLAG, "Print each bet with its reason and clause."),
    ("--stay", FLAG, "Afterwards serve a simulated table with its console, until Ctrl-C."),
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
    """Deal three live rounds of Flushes Gone Wild on simulated devices, record them, replay the recording, compare.

    A clean round, a dead hand, and a misdeal. The exit code is 0 only when the recording gives exactly what was
    seen live. Where the console is installed, its address is said first; it shows the table while it is dealt, and
    on a terminal until you press Enter.
    """
    if wait is None:
        wait = not stay and sys.stdin.isatty() and sys.stdout.isatty()
    compare(ctx, keep, speed, wait=wait, opens=opens, dealer=DEALERS[devices], verbose=verbose)
    if stay:
        from dealwire.cli.run import command as run

        click.secho("\n3. A table that stays: its console is at the address below; Ctrl-C ends it", bold=True)
        ctx.invoke(run, file=None)


class Dealer(NamedTuple):
    """Whose devices a demo is dealt on, and how they are set up."""

    devices: str
    dealt: Callable[[float], AbstractContextManager[tuple[dict[str, str], Callable[[], None]]]]
    """Given a speed, the devices' addresses, and what is called when both are there."""


@contextmanager
def simulated(speed: float) -> Iterator[tuple[dict[str, str], Callable[[], None]]]:
    """Another process; its people begin by themselves."""
    with simulator(["--scenario", "demo", "--speed", str(speed)]) as addresses:
        yield addresses, lambda: None


@contextmanager
def in_firmware(speed: float) -> Iterator[tuple[dict[str, str], Callable[[], None]]]:
    """The reference devices in C. LocalError when their program is not here, or when they did not do what hands did."""
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
    """Deal live, deal again, and say whether both agree. `wait`: the console stays until Enter."""
    table = new_table()
    with tempfile.TemporaryDirectory(prefix="dealwire-") as folder, shown(table) as (address, show):
        if opens and address:
            webbrowser.open(address)
        recording = keep or Path(folder) / "demo.pcapng"
        echo(f"1. Live: {dealer.devices} on pseudo-terminals", bold=True)
        live = deal_live(recording, speed, table, show, dealer, verbose=verbose)
        click.echo()
        echo(f"2. Replay: {recording.stat().st_size:,} bytes of recording, dealt again", bold=True)
        again, stats = deal_again(recording)
        echo(f"  {stats.frames} frames, {stats.noise_bytes} bytes of noise")
        same = live == again and sum(json.loads(line)["type"] == "round" for line in live) == ROUNDS
        say_verdict(live, again, same)
        if keep:
            click.echo()
            echo(f"The recording is in {keep}; try: dealwire replay {keep}")
        if wait and address:
            click.echo()
            echo(f"The console shows the table as it was left: {address}", bold=True)
            click.echo("Enter ends the demo.")
            sys.stdin.readline()
    if not same:
        ctx.exit(Exit.CHECK_FAILED)
    click.echo("\nA table that goes on, with its console in a browser: dealwire demo --stay")


def _counted(lines: list[str]) -> str:
    """`3 rounds, 5 incidents and 3 settlements`."""
    counts = Counter(str(json.loads(line)["type"]) for line in lines)
    *first, last = [f"{count} {kind}{'s' * (count != 1)}" for kind, count in counts.items()]
    return f"{', '.join(first)} and {last}" if first else last


def say_verdict(live: list[str], again: list[str], same: bool) -> None:
    """Whether the recording gave what was seen live; if not, where they differ."""
    if same:
        echo(f"  identical: {_counted(live)}, byte for byte", fg="green")
        return
    click.secho("  DIFFERENT", fg="red", bold=True)
    for line in sorted(set(live) ^ set(again)):
        echo(f"  only {'live' if line in live else 'replayed'}: {line}", err=True)


def new_table() -> Table:
    """The demo's table: Colorado's game with every default."""
    return Table(load_procedure(DEFAULT_GAME), TableTerms(load_game(DEFAULT_GAME)), name="demo")


Show = Callable[[Seen, list[TableOutcome]], None]
"""Takes a report, and what the table made of it."""


@contextmanager
def shown(table: Table) -> Iterator[tuple[str, Show]]:
    """The address of a console on a port of this machine, and what shows the table in it; empty, and nothing does, when
    it is not installed."""
    if not has_console():
        echo(f"(with the console installed, a browser would show the table: {install_command('console')})")
        yield "", lambda *_: None
        return
    from dealwire.console.server import Console

    hub, viewer = Hub(), Viewer(table, "demo")

    def show(seen: Seen, outcomes: list[TableOutcome]) -> None:
        viewer.saw(seen, outcomes)
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
    """Deal on a dealer's devices, printing as it goes and recording every byte; what came out, as JSON lines."""
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
        echo(f"  the table stopped short of {ROUNDS} rounds", fg="red", err=True)
    shown_live.print(table.finish())
    shown_live.say.end()
    return shown_live.lines


class LiveRounds:
    """What a table makes of the reports, printed and shown as it comes; `lines` is all of it as JSON."""

    def __init__(self, table: Table, show: Show, *, verbose: bool = False) -> None:
        self.lines: list[str] = []
        self.progress, self.say = ProgressLine(), RoundPrinter(table.flow.procedure, verbose=verbose)
        self._table, self._show = table, show
        self._there: set[str] = set()

    def print(self, items: list[TableOutcome]) -> None:
        """What came out."""
        if items:
            self.progress.clear()
        for item in items:
            self.lines.append(item.to_json())
            self.say(item)

    def deliver(self, seen: Seen, begin: Callable[[], None]) -> None:
        """A report; `begin` is called when it is the one by which every device is there."""
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
    """The same from the recording alone."""
    table = new_table()
    lines: list[str] = []

    def deliver(seen: Seen) -> None:
        lines.extend(item.to_json() for item in table.handle(seen))

    stats = play(Capture.read(recording), deliver)
    lines.extend(item.to_json() for item in table.finish())
    return lines, stats
