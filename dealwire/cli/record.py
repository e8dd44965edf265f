"""Command `dealwire record`: run a table and record every byte."""

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click

from dealwire.cli.exits import Exit, Stop, explain_silence
from dealwire.cli.options import FILE, FLAG, JSON_LINES, SECONDS, VERBOSE_BETS, declared, whole
from dealwire.cli.output import LiveOutput
from dealwire.cli.show import RoundPrinter, Say, counts, say_json, say_summary
from dealwire.cli.table_options import line_options, make_table, reconnect_option, table_options
from dealwire.cli.terminal import echo
from dealwire.live import LineConfig, LiveTable
from devices.events import LinkUp, Seen
from devices.record.capture import CaptureWriter
from protocol.errors import DealwireError


@click.command("record")
@line_options
@reconnect_option
@declared(
    ("-o --output", {"required": True, "type": FILE}, "File to record into: pcapng, which Wireshark reads."),
    ("--rounds", whole(1), "Stop after this many rounds; by default on Ctrl-C."),
    ("--timeout timeout_s", SECONDS, "Stop after this many seconds."),
    ("--overwrite", FLAG, "Replace an existing file."),
    JSON_LINES,
    VERBOSE_BETS,
)
@table_options
@click.pass_context
def command(
    ctx: click.Context,
    /,
    lines: list[LineConfig],
    reconnect: bool,
    output: Path,
    rounds: int | None,
    timeout_s: float | None,
    overwrite: bool,
    as_json: bool,
    verbose: bool,
    **options: Any,
) -> None:
    """Run a table on the given lines, print its rounds, and record every byte in OUTPUT.

    Recording stops after --rounds or --timeout, when every line has closed, or on Ctrl-C; OUTPUT is complete after each
    record. The exit code is 4 if no device answers within --timeout. If standard output fails, recording continues; the
    exit code is then 1 if a disk was full. Of a sealed line OUTPUT holds what was opened, and no key.
    """
    table, up = make_table(**options), set()
    say: Say = say_json if as_json else RoundPrinter(table.flow.procedure, live=True, verbose=verbose)
    out = LiveOutput("dealing and recording continue", lambda text: echo(f"dealwire: {text}", err=True))

    def deliver(seen: Seen) -> None:
        if isinstance(seen.body, LinkUp):
            up.add(seen.device)
        for item in table.handle(seen):
            out.say(say, item)

    def open_writer() -> CaptureWriter:
        return CaptureWriter(output, overwrite=overwrite, procedure=table.flow.procedure.id)

    with recorded(lines, deliver, open_writer, reconnect) as (live, writer):
        try:
            live.run(lambda: rounds is not None and sum(table.outcomes.values()) >= rounds, timeout_s)
        except KeyboardInterrupt:
            click.echo("stopped", err=True)
        problems = live.problems
    for item in table.finish():
        out.say(say, item)
    problem = f"{output}: recording stopped: {writer.failed}" if writer.failed else None
    if as_json:
        out.say(say_summary, {"capture": output.name, **counts(table), "problem": problem})
    _complain(problem, [line.name for line in lines if line.name not in up], problems)
    ctx.exit(Exit.CHECK_FAILED if out.lost else Exit.GOOD)


def _complain(problem: str | None, silent: list[str], problems: dict[str, DealwireError]) -> None:
    """Raise Stop if the recording failed or a device never answered."""
    if problem:
        raise Stop(Exit.CHECK_FAILED, problem)
    if silent:
        raise Stop(*explain_silence(silent, problems))


@contextlib.contextmanager
def recorded(
    lines: list[LineConfig],
    deliver: Callable[[Seen], None],
    open_writer: Callable[[], CaptureWriter],
    reconnect: bool,
) -> Iterator[tuple[LiveTable, CaptureWriter]]:
    """Open every line, then create the file, so that a missing port leaves an earlier recording untouched."""
    writers: list[CaptureWriter] = []
    with contextlib.ExitStack() as stack:

        def record() -> CaptureWriter:
            writers.append(stack.enter_context(open_writer()))
            echo(f"recording {' and '.join(line.name for line in lines)} to {writers[0].path}", err=True)
            return writers[0]

        yield stack.enter_context(LiveTable(lines, deliver, record=record, reconnect=reconnect)), writers[0]
