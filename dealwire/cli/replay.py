"""Command `dealwire replay`: replay a recording or a folder of recordings."""

import os
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any

import click

from dealwire.cli.archive import Dealt, deal, deal_in_processes, recordings_in
from dealwire.cli.histories import alone_on_its_terms, play_history
from dealwire.cli.options import JSON_LINES, VERBOSE_BETS, APath, declared, many, pairs, usually, whole
from dealwire.cli.progress import CountProgress
from dealwire.cli.show import RoundPrinter, Say, counts, say_json, say_summary
from dealwire.cli.table_options import TableMaker, table_options
from dealwire.cli.terminal import echo
from dealwire.histories.reading import is_history
from dealwire.table.id_words import id_words
from dealwire.table.table import TableOutcome
from devices.dialects.known import dialect_named
from devices.record.foreign import LineEnd
from protocol.errors import LocalError


@click.command("replay")
@click.argument("file", metavar="FILE|FOLDER", type=APath())
@declared(
    JSON_LINES,
    VERBOSE_BETS,
    ("--jobs", usually(1, whole(1, 64, "N")), "Number of processes that replay the recordings in FOLDER."),
    (
        "--line line_names",
        many("NAME=KIND[:DIALECT]"),
        "Device on a line, if another tool wrote FILE: 'line 1=shuffler:tdp', 'usb 1-5=shoe'.",
    ),
)
@table_options
@click.pass_context
def command(
    ctx: click.Context,
    /,
    file: Path,
    as_json: bool,
    verbose: bool,
    jobs: int,
    line_names: tuple[str, ...],
    **options: Any,
) -> None:
    """Replay the recording FILE and print its rounds, incidents and settlements.

    The bytes go through the same decoders, flow and rules as those of an attached device. A recording whose last record
    is cut off is replayed up to there, with exit code 1. A damaged recording gives 6.

    Files of other tools do not name the devices: use --line for each line to replay. Then pcap files and USB transfers
    of usbmon are read as well as pcapng.

    FILE may be a hand history of another program, *.phh, *.phhs or a text as PokerStars writes it. Each hand is played
    and compared with its record; `dealwire histories` does so with many.

    In a FOLDER, every *.pcapng file is replayed in order of the names, each at a table of its own; meters carry over
    from one to the next. A problem with one file is reported and the others are replayed; the worst exit code counts.
    """
    lines = {name: _end(name, text) for name, text in pairs(line_names, "--line").items()} or None
    if not os.path.isdir(file) and os.path.exists(file) and is_history(file):
        alone_on_its_terms(ctx, "file", "as_json", "verbose", "jobs")
        ctx.exit(play_history(file, as_json=as_json, verbose=verbose, settled_only=False))
    if os.path.isdir(file) and lines is not None:
        raise click.UsageError("--line needs a FILE, not a folder")
    if os.path.isdir(file):  # where `Path.is_dir` raises, opening it says in one line why
        if jobs > 1 and options["awards"]:
            raise click.UsageError("--awards needs --jobs 1: awards move meters in the middle of a round")
        ctx.exit(deal_folder(file, jobs, as_json, options, verbose=verbose).code)
    printer, progress = RoundPrinter(verbose=verbose), CountProgress(for_programs=True, what="dealing", bar=False)
    progress.begin(file.name)
    try:
        say = above(progress, say_json if as_json else printer)
        dealt = deal(file, TableMaker(**options), say, progress.step, lines, begin=printer.deals)
    finally:
        progress.clear()
    printer.end()
    if dealt.opened:
        say_end(dealt, as_json, capture=file.name)
    complain(dealt)
    ctx.exit(dealt.code)


def _end(name: str, text: str) -> LineEnd:
    """Parse the device at the end of a line. Raise a usage error that names what is allowed."""
    kind, _, dialect = text.partition(":")
    end = LineEnd(kind, dialect or "tdp")
    try:
        dialect_named(end.dialect).driver(end.device, where=name)
    except LocalError as error:
        raise click.BadParameter(str(error), param_hint="--line") from None
    return end


def deal_folder(folder: Path, jobs: int, as_json: bool, options: dict[str, Any], *, verbose: bool = False) -> Dealt:
    """Replay every recording of `folder`, and print the results and the totals."""
    paths, tables, printer = recordings_in(folder), TableMaker(**options), RoundPrinter(verbose=verbose)
    progress = CountProgress(for_programs=True, what="dealing", bar=False)
    progress.begin(f"{len(paths):,} recordings")
    say = above(progress, say_json if as_json else printer)
    table_of, total = cache(tables.table), Dealt()
    if tables.given:
        table_of("")  # what is wrong with it is said once, and not of every recording
    with closing(deal_in_processes(paths, jobs, options) if jobs > 1 else (None for _ in paths)) as processes:
        for number, (path, ahead) in enumerate(zip(paths, processes, strict=False), start=1):
            progress.clear()
            if not as_json:
                echo(path.name, bold=True)
            if ahead is None:
                dealt = deal(path, tables, say, begin=printer.deals)
            else:
                dealt, found = ahead
                if dealt.opened:
                    table = table_of(dealt.recorded)
                    printer.deals(table.flow.procedure)
                    for item in table.settled(found):
                        say(item)
            printer.end()
            say_end(dealt, as_json, named=path.name, capture=path.name)
            complain(dealt)
            total.add(dealt)
            progress.step(number, len(paths))
    progress.clear()
    if not as_json:
        click.echo(err=True)
        echo(f"{len(paths)} recordings, {total.problems} with a problem", err=True)
    say_end(total, as_json, "total", named="all", captures=len(paths))
    return total


def above(progress: CountProgress, say: Say) -> Say:
    """Wrap `say` so that the progress is erased before each result."""

    def say_above(item: TableOutcome) -> None:
        progress.clear()
        say(item)

    return say_above


def say_end(dealt: Dealt, as_json: bool, kind: str = "summary", named: str = "", **head: Any) -> None:
    """Print the closing summary: a JSON object that begins with `head`, or a line for a person that begins with
    `named`."""
    stats = dealt.stats
    if as_json:
        figures = {
            "chunks": stats.chunks,
            "bytes": stats.bytes,
            "frames": stats.frames,
            "noise_bytes": stats.noise_bytes,
        }
        problem = {"problems": dealt.problems} if kind == "total" else {"problem": dealt.problem}
        say_summary({**head, **counts(dealt), **figures, **problem}, kind)
        return
    outcomes = ", ".join(f"{count} {id_words(name)}" for name, count in dealt.outcomes.items()) or "no round"
    received = f"{stats.frames} frames, {stats.noise_bytes} bytes of noise, {stats.bytes} bytes received"
    click.echo(err=True)
    echo(f"{f'{named}: ' if named else ''}{outcomes}; {received}", err=True, hang=2)


def complain(dealt: Dealt) -> None:
    """Print the problem and the note of a recording, if any."""
    for line in filter(None, (dealt.problem, dealt.remark)):
        echo(f"dealwire: {line}", err=True)
