"""Command `dealwire export`: write hands of poker from a journal or a recording as hand histories."""

import contextlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import click

from dealer_flow.record.result import RoundResult
from dealer_flow.table.shoe import LEAST_CONFIDENCE
from dealwire.cli.archive import recorded_procedure
from dealwire.cli.exits import Exit, Stop
from dealwire.cli.options import A_FILE, FILE, FLAG, declared, given
from dealwire.cli.output import OutputFailed
from dealwire.cli.table_options import TableMaker, terms_options
from dealwire.cli.terminal import echo, echo_json
from dealwire.histories.from_round import NotExportable, PlayedHand
from dealwire.histories.ohh_out import ohh_of
from dealwire.histories.phh_out import phh_of
from dealwire.hub.lines import Publication
from dealwire.journal import JournalReader
from devices.drive.replay import PlayStats, reports
from devices.events import GameStarted
from devices.record.capture import Capture
from rules.settlement import Settlement

_SQLITE: Final = b"SQLite format 3\0"
_STARTED: Final = '"GameStarted"'


@click.command("export")
@click.argument("file", type=FILE)
@declared(
    ("--phh", FLAG, "Write Poker Hand History (TOML): a .phhs file with one table for each hand."),
    ("--ohh", FLAG, "Write Open Hand History (JSON), version 1.4.7."),
    ("--output -o", A_FILE, "Write to this file instead of standard output."),
    ("--overwrite", FLAG, "Replace an existing file."),
    ("--table", {"metavar": "NAME"}, "Only hands of this table of a journal."),
    ("--site", {"metavar": "NAME", "default": ""}, "Name of the house where the hands were played."),
    (
        "--all every",
        FLAG,
        "With --phh: also write hands whose bets no variant of the standard allows, with the reason in `_outside`.",
    ),
)
@terms_options
@click.pass_context
def command(
    ctx: click.Context,
    /,
    file: Path,
    phh: bool,
    ohh: bool,
    output: Path | None,
    overwrite: bool,
    table: str | None,
    site: str,
    every: bool,
    **terms: Any,
) -> None:
    """Write hands in which players bet against each other, from a journal or a recording, as hand histories.

    Only what was published is written: a card that nobody showed is `????`, and no player has a name. A round that
    cannot be written is left out; the reasons are counted on standard error.

    A recording is replayed and settled by the procedure that it names, with the terms given here; a journal has its
    settlements.
    """
    if phh == ohh:
        raise click.UsageError("give one of --phh and --ohh")
    if every and ohh:
        raise click.UsageError("--all needs --phh")
    if output is not None and output.exists() and file.exists() and output.samefile(file):
        raise click.UsageError(f"-o: {output} is the file that is read")
    left_out: Counter[str] = Counter()
    written = 0
    hands = _hands(ctx, file, table, terms)
    with _sink(output, overwrite=overwrite) as say:
        for hand in hands:
            try:
                text = _text(hand, site, phh=phh, every=every)
            except NotExportable as why:
                left_out[str(why)] += 1
                continue
            written += 1
            say(f"[{written}]\n{text}" if phh else text)
    for reason, many in left_out.most_common():
        echo(f"dealwire: {many} left out: {reason}", err=True)
    echo(f"{written} hands written, {left_out.total()} left out", err=True)
    ctx.exit(Exit.GOOD)


def _text(hand: PlayedHand, site: str, *, phh: bool, every: bool) -> str:
    if not phh:
        return ohh_of(hand, house=site)
    return phh_of(hand, house=site, token=hand.settlement.rounding.unit_cents, every=every)


@contextlib.contextmanager
def _sink(output: Path | None, *, overwrite: bool) -> Iterator[Any]:
    """Open the output, and yield a function that writes one hand and an empty line."""
    if output is None:
        yield _print
        return
    try:
        with output.open("w" if overwrite else "x", encoding="utf-8") as stream:
            yield lambda text: stream.write(f"{text}\n\n" if "\n" not in text else f"{text}\n")
    except FileExistsError:
        raise Stop(Exit.USAGE, f"{output} exists; --overwrite replaces it") from None
    except OSError as error:
        raise OutputFailed(error) from None


def _print(text: str) -> None:
    """Print a hand and an empty line."""
    for line in text.splitlines() if "\n" in text else ():
        echo(line)
    if "\n" not in text:
        echo_json(text)
    echo("")


def _hands(ctx: click.Context, file: Path, table: str | None, terms: dict[str, Any]) -> Iterator[PlayedHand]:
    """Return the hands of a file. UsageError for an option that files of its kind do not take."""
    head = b""
    with contextlib.suppress(OSError), file.open("rb") as stream:
        head = stream.read(len(_SQLITE))
    if head != _SQLITE:
        if table is not None:
            raise click.UsageError("--table chooses from a journal; a recording is of one table")
        return _of_recording(file, terms)
    if others := given(ctx, *(name for name in ctx.params if name not in terms)):
        raise click.UsageError(f"a journal has its settlements; leave out {', '.join(others)}")
    return _of_journal(file, table)


def _of_journal(file: Path, table: str | None) -> Iterator[PlayedHand]:
    """Yield the settled rounds of a journal, each with the time of its START GAME."""
    began: dict[str, int] = {}
    rounds: dict[str, RoundResult] = {}
    after = 0
    with JournalReader(file) as reader:
        while found := reader.publications(after, 1000, table):
            for line in found:
                yield from _of_line(line, began, rounds)
            after = found[-1].sequence


def _of_line(line: Publication, began: dict[str, int], rounds: dict[str, RoundResult]) -> Iterator[PlayedHand]:
    if line.topic == "event" and _STARTED in line.line:
        began[line.table] = line.at_ns
    elif line.topic == "round":
        rounds[line.table] = RoundResult.from_json(line.line)
    elif line.topic == "settlement" and line.table in rounds:
        settlement = Settlement.from_json(line.line)
        result = rounds[line.table]
        if (result.session, result.round) == (settlement.session, settlement.round):
            yield PlayedHand(result, settlement, began.get(line.table))


def _of_recording(file: Path, terms: dict[str, Any]) -> Iterator[PlayedHand]:
    """Replay a recording at a table that publishes, and yield its settled rounds."""
    capture = Capture.read(file)
    settled: dict[str, Any] = {
        "no_settle": False,
        "table_name": "table-1",
        "awards": False,
        "least_confidence": LEAST_CONFIDENCE,
    }
    maker = TableMaker(procedure=None, **settled, **terms)
    dealt = maker.table(recorded_procedure(capture))
    began, result = None, None
    for seen in reports(capture, PlayStats()):
        if isinstance(seen.body, GameStarted):
            began = seen.at_ns
        for item in dealt.handle(seen):
            if isinstance(item, RoundResult):
                result = item
            elif isinstance(item, Settlement) and result is not None:
                yield PlayedHand(result, item, began)
    dealt.finish()
