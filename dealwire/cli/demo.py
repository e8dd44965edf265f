"""`dealwire demo`: the main job in small, on simulated devices behind real pseudo-terminals."""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import click

from dealer_flow.procedure import load_procedure
from dealwire.cli.exits import Exit
from dealwire.cli.options import DEFAULT_GAME
from dealwire.cli.show import say_text
from dealwire.cli.terminal import Progress
from dealwire.live import Line, LiveTable
from dealwire.table import Outcome, Table, Terms
from devices.capture import Capture, CaptureWriter
from devices.events import Seen
from devices.replay import PlayStats, play
from rules.game import load_game

ROUNDS: Final = 3
SPEED: Final = 40.0
PATIENCE_S: Final = 30.0
"""Far above the four seconds or so a demo takes: a demo that hangs must say so instead."""


@click.command("demo")
@click.option(
    "--keep",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Keep the recording in this new file.",
)
@click.option("--speed", type=click.FloatRange(0.1, 100), default=SPEED, show_default=True, help="1 is real time.")
@click.pass_context
def command(ctx: click.Context, keep: Path | None, speed: float) -> None:
    """Deal three live rounds of Flushes Gone Wild on simulated devices, record them, replay the recording, compare.

    A clean round, a dead hand, and a misdeal. The exit code is 0 only when the recording gives exactly what was
    seen live.
    """
    with tempfile.TemporaryDirectory(prefix="dealwire-") as folder:
        recording = keep or Path(folder) / "demo.pcapng"
        click.secho("1. Live: a simulated shuffler and table controller on pseudo-terminals", bold=True)
        live = deal_live(recording, speed)
        click.secho(f"\n2. Replay: {recording.stat().st_size:,} bytes of recording, dealt again", bold=True)
        again, stats = deal_again(recording)
    click.echo(f"  {stats.frames} frames, {stats.noise_bytes} bytes of noise")
    if live == again and sum(json.loads(line)["type"] == "round" for line in live) == ROUNDS:
        click.secho(f"  identical: {len(live)} rounds, incidents and settlements, byte for byte", fg="green")
        if keep:
            click.echo(f"\nThe recording is in {keep}; try: dealwire replay {keep}")
        return
    click.secho("  DIFFERENT", fg="red", bold=True)
    for line in sorted(set(live) ^ set(again)):
        click.echo(f"  only {'live' if line in live else 'replayed'}: {line}", err=True)
    ctx.exit(Exit.CHECK_FAILED)


def new_table() -> Table:
    """The demo's table: Colorado's game with every default."""
    return Table(load_procedure(DEFAULT_GAME), Terms(load_game(DEFAULT_GAME)), name="demo")


def deal_live(recording: Path, speed: float) -> list[str]:
    """Deal on simulated devices, printing as it goes and recording every byte; what came out, as JSON lines."""
    table, progress = new_table(), Progress()
    said: list[str] = []

    def out(items: list[Outcome]) -> None:
        if items:
            progress.clear()
        for item in items:
            said.append(item.to_json())
            say_text(item)

    def deliver(seen: Seen) -> None:
        progress.show(
            f"  round {sum(table.outcomes.values()) + 1} of {ROUNDS}: {table.flow.state.value} ({seen.device})"
        )
        out(table.handle(seen))

    with (
        simulated_devices(speed) as addresses,
        CaptureWriter(recording, procedure=DEFAULT_GAME) as writer,
        LiveTable(
            [
                Line("shuffler", "shuffler", addresses["shuffler"]),
                Line("controller", "table-controller", addresses["table-controller"]),
            ],
            deliver,
            record=lambda: writer,
            reconnect=False,
        ) as live,
    ):
        done = live.run(lambda: sum(table.outcomes.values()) >= ROUNDS, PATIENCE_S)
    progress.clear()
    if not done:
        click.secho(f"  the simulated table stopped short of {ROUNDS} rounds", fg="red", err=True)
    out(table.finish())
    return said


def deal_again(recording: Path) -> tuple[list[str], PlayStats]:
    """The same from the recording alone."""
    table = new_table()
    said: list[str] = []

    def deliver(seen: Seen) -> None:
        said.extend(item.to_json() for item in table.handle(seen))

    stats = play(Capture.read(recording), deliver)
    said.extend(item.to_json() for item in table.finish())
    return said, stats


@contextmanager
def simulated_devices(speed: float) -> Iterator[dict[str, str]]:
    """`dealwire sim` in a process of its own; the addresses it announced."""
    arguments = [sys.executable, "-m", "dealwire", "sim", "--scenario", "demo", "--speed", str(speed), "--json"]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            announced = process.stdout.readline()
            if not announced:
                raise click.ClickException("the simulator did not start; what it said stands above")
            yield json.loads(announced)["lines"]
        finally:
            process.terminate()
