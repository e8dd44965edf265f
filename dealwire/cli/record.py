"""`dealwire record`: run a table, keep every byte."""

import sys
from pathlib import Path
from typing import Any

import click

from dealwire.cli.exits import Exit
from dealwire.cli.options import line_options, lines_from, make_table, table_options
from dealwire.cli.show import say_json, say_summary, say_text
from dealwire.live import LiveTable
from devices.capture import CaptureWriter
from devices.events import LinkUp, Seen


@click.command("record")
@line_options
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(dir_okay=False, path_type=Path),
    help="The recording: pcapng, readable by Wireshark.",
)
@click.option("--rounds", type=click.IntRange(1), help="Stop after this many rounds; otherwise on Ctrl-C.")
@click.option("--timeout", "timeout_s", type=click.FloatRange(0, min_open=True), help="Stop after so many seconds.")
@click.option("--overwrite", is_flag=True, help="Replace an existing recording.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object per line.")
@table_options
@click.pass_context
def command(
    ctx: click.Context,
    /,
    shuffler: str | None,
    controller: str | None,
    output: Path,
    rounds: int | None,
    timeout_s: float | None,
    overwrite: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Run a table on its lines, print what is dealt and record every byte in OUTPUT.

    Recording ends with the number of rounds, at the time limit, when every line has closed, or on Ctrl-C; the file
    is whole after each record. Without an answer from any device within --timeout the exit code is 4.
    """
    lines = lines_from(shuffler, controller)
    table = make_table(**options)
    say = say_json if as_json else say_text
    up = set()

    def deliver(seen: Seen) -> None:
        if isinstance(seen.body, LinkUp):
            up.add(seen.device)
        for item in table.handle(seen):
            say(item)

    writer = CaptureWriter(output, overwrite=overwrite)
    with writer, LiveTable(lines, deliver, writer=writer) as live:
        click.echo(f"recording {', '.join(line.name for line in lines)} to {output}; Ctrl-C ends it", err=True)
        try:
            live.run(lambda: rounds is not None and sum(table.outcomes.values()) >= rounds, timeout_s)
        except KeyboardInterrupt:
            click.echo("stopped", err=True)
    for item in table.finish():
        say(item)
    if as_json:
        say_summary(
            {
                "capture": output.name,
                "rounds": sum(table.outcomes.values()),
                "outcomes": dict(table.outcomes),
                "incidents": dict(table.incidents),
                "problem": writer.failed,
            }
        )
    if writer.failed:
        click.echo(f"dealwire: {output}: the recording stopped: {writer.failed}", file=sys.stderr)
        ctx.exit(Exit.CHECK_FAILED)
    silent = [line.name for line in lines if line.name not in up]
    if silent:
        click.echo(f"dealwire: no answer from {', '.join(silent)}", file=sys.stderr)
        ctx.exit(Exit.TIMEOUT)
