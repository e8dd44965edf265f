"""`dealwire record`: run a table, keep every byte."""

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
    ("-o --output", {"required": True, "type": FILE}, "The recording: pcapng, readable by Wireshark."),
    ("--rounds", whole(1), "Stop after this many rounds; otherwise on Ctrl-C."),
    ("--timeout timeout_s", SECONDS, "Stop after so many seconds."),
    ("--overwrite", FLAG, "Replace an existing recording."),
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
    """Run a table on its lines, print what is dealt and record every byte in OUTPUT.

    Recording ends with the number of rounds, at the time limit, when every line has closed, or on Ctrl-C; the file
    is whole after each record. Without an answer from any device within --timeout the exit code is 4. When what is
    printed cannot be written, that is said and recording goes on; the exit code is 1 if a disk was full.
    """
    table, up = make_table(**options), set()
    say: Say = say_json if as_json else RoundPrinter(table.flow.procedure, live=True, verbose=verbose)
    out = LiveOutput("dealing and recording go on", lambda text: echo(f"dealwire: {text}", err=True))

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
    problem = f"{output}: the recording stopped: {writer.failed}" if writer.failed else None
    if as_json:
        out.say(say_summary, {"capture": output.name, **counts(table), "problem": problem})
    _complain(problem, [line.name for line in lines if line.name not in up], problems)
    ctx.exit(Exit.CHECK_FAILED if out.lost else Exit.GOOD)


def _complain(problem: str | None, silent: list[str], problems: dict[str, DealwireError]) -> None:
    """Stop where the recording is not what it was to be."""
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
    """Every line open, then the file made: a missing port leaves an earlier recording as it was."""
    writers: list[CaptureWriter] = []
    with contextlib.ExitStack() as stack:

        def record() -> CaptureWriter:
            writers.append(stack.enter_context(open_writer()))
            echo(f"recording {' and '.join(line.name for line in lines)} to {writers[0].path}", err=True)
            return writers[0]

        yield stack.enter_context(LiveTable(lines, deliver, record=record, reconnect=reconnect)), writers[0]
