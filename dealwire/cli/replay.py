"""`dealwire replay`: deal a recording again."""

import sys
from pathlib import Path
from typing import Any

import click

from dealer_flow.procedure.load import ProcedureError, known_procedures
from dealwire.cli.exits import Exit
from dealwire.cli.options import make_table, table_options
from dealwire.cli.show import counts, say_json, say_summary, say_text
from dealwire.table.table import Table, TableOutcome
from devices.capture import Capture, CaptureError
from devices.replay import PlayStats, play


@click.command("replay")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="One JSON object per line.")
@table_options
@click.pass_context
def command(ctx: click.Context, /, file: Path, as_json: bool, **options: Any) -> None:
    """Deal the recording FILE again and print its rounds, incidents and settlements.

    The bytes in FILE go through the same decoders, flow and rules as an attached device's. A recording whose last
    record is cut is dealt as far as it goes; that is reported and the exit code is 1. A damaged one gives 6.
    """
    capture = Capture.read(file)
    options["procedure"] = options["procedure"] or recorded_procedure(capture)
    table = make_table(**options)
    stats, damage = deal(capture, table, as_json)
    problem = damage or (f"{file}: {capture.torn}" if capture.torn else None)
    if as_json:
        say_summary(summary(file.name, table, stats, problem))
    else:
        say_counts(table, stats)
    if problem:
        click.echo(f"dealwire: {problem}", err=True)
        ctx.exit(Exit.PROTOCOL if damage else Exit.CHECK_FAILED)


def recorded_procedure(capture: Capture) -> str:
    """The procedure a recording names, empty when it names none; ProcedureError when it does not come with dealwire."""
    named, known = capture.procedure, known_procedures()
    if named and named not in known:
        why = f"{named!r} was dealt, which is none of {', '.join(known)}; give its file with --procedure"
        raise ProcedureError(str(capture.path), None, "procedure", why)
    return named


def deal(capture: Capture, table: Table, as_json: bool) -> tuple[PlayStats, str | None]:
    """Play `capture` into `table`, printing as it goes; the second value says where the file is damaged."""
    say = say_json if as_json else say_text
    damage = None
    stats = PlayStats()

    def publish(items: list[TableOutcome]) -> None:
        for item in items:
            say(item)

    try:
        play(capture, lambda seen: publish(table.handle(seen)), stats=stats)
    except CaptureError as error:
        damage = str(error)
    publish(table.finish())
    return stats, damage


def summary(name: str, table: Table, stats: PlayStats, problem: str | None) -> dict[str, object]:
    """The last object of `--json`."""
    return {
        "capture": name,
        **counts(table),
        "chunks": stats.chunks,
        "bytes": stats.bytes,
        "frames": stats.frames,
        "noise_bytes": stats.noise_bytes,
        "problem": problem,
    }


def say_counts(table: Table, stats: PlayStats) -> None:
    """One closing line for a person."""
    outcomes = ", ".join(f"{count} {name}" for name, count in table.outcomes.items()) or "no round"
    click.echo(
        f"\n{outcomes}; {stats.frames} frames, {stats.noise_bytes} bytes of noise, {stats.bytes} bytes received",
        file=sys.stderr,
    )
