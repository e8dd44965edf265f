"""Command `dealwire settle`: read rounds as JSON lines, print settlements."""

import gc
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, Final

import click

from dealer_flow.record.result import RoundResult
from dealwire.cli.exits import Exit, Stop
from dealwire.cli.histories import alone_on_its_terms, play_history
from dealwire.cli.options import A_FILE, FILE, FLAG, declared
from dealwire.cli.output import OutputFailed
from dealwire.cli.rounds import RoundTerms, UnknownType, lines, one_line, read_round, resumed
from dealwire.cli.show import Say, SettlementPrinter, say_json
from dealwire.cli.table_options import one_owner, terms_options
from dealwire.cli.terminal import echo
from dealwire.config.build import Banks
from dealwire.histories.reading import is_history
from protocol.errors import DealwireError
from rules.meters.bank import MeterBank
from rules.meters.jackpot_book import JackpotBook
from rules.meters.jackpot_setup import load_jackpot
from rules.meters.settled_rounds import RoundRuns, SettledKey
from rules.meters.setup import load_setup

GC_THRESHOLD: Final = 100_000
"""Threshold of the garbage collector: objects allocated before it looks for cycles."""

WRONG_MAX: Final = 100
"""Number of consecutive wrong lines after which reading stops: the input is not rounds."""


@click.command("settle")
@click.argument("file", metavar="[FILE]", required=False, type=FILE)
@terms_options
@declared(
    (
        "--resume",
        A_FILE,
        "Continue from the output of an earlier `settle` with --progressive or --jackpot: its meters or pools, and "
        "the rounds that it settled.",
    ),
    ("--text", FLAG, "Print text instead of JSON."),
    ("-v --verbose", FLAG, "With --text: print each bet with its reason and clause."),
)
@click.pass_context
def command(
    ctx: click.Context,
    /,
    file: Path | None,
    game: str | None,
    text: bool,
    verbose: bool,
    progressive: Path | None,
    jackpot: Path | None,
    resume: Path | None,
    **options: Any,
) -> None:
    """Read rounds with their wagers as NDJSON on standard input and print one settlement for each.

    FILE, if given, is a hand history of another program: *.phh, *.phhs or a text as PokerStars writes it. Its hands are
    played, settled and compared with the record.

    Meters carry over from round to round. With --progressive or --jackpot their steps are printed as objects of type
    meter: first the current values, then the steps of each round after its settlement. Use --resume to continue from
    that output.

    A line that is not a round, or a round that cannot be settled, is reported on standard error with its line number.
    The other rounds are settled, and the exit code is 2. It is also 2 for objects of an unknown type, and for a round
    that came before: its second settlement is marked `again` and moves no meter. Other objects that dealwire writes
    (incidents, settlements, summaries) are skipped. Settling stops at an option that does not fit a round's game, and
    after 100 wrong lines in a row.
    """
    if verbose and not text:
        raise click.UsageError("--verbose needs --text; JSON always holds reasons and clauses")
    printer = SettlementPrinter(verbose=verbose)
    say: Say = printer if text else say_json
    if file is not None:
        alone_on_its_terms(ctx, "file", "text", "verbose")
        ctx.exit(_settle_history(file, say, text=text, verbose=verbose))
    if sys.stdin is None:
        raise Stop(Exit.USAGE, "standard input is closed")
    one_owner(progressive, jackpot, options["meters"], options["jackpot_rake_cents"])
    if resume is not None and progressive is None and jackpot is None:
        raise click.UsageError("--resume continues the meters of --progressive or --jackpot; give one of them, too")
    before = RoundRuns()
    bank, book = _shared(progressive, jackpot, resume, before)
    terms = RoundTerms(game, bank, options | {"jackpot": book})
    settling = Settling(terms, say, before, printer.settles if text else lambda _: None)
    shared = [book.bank if book is not None else bank, *terms.posted_pools()]
    for record in (each for pools in shared if pools is not None for each in pools.standing()):
        say(record)
    with _few_collections():
        settling.read(sys.stdin.buffer)
    ctx.exit(settling.end())


def _settle_history(file: Path, say: Say, *, text: bool, verbose: bool) -> Exit:
    """Settle the hands of a hand history."""
    if file.exists() and not is_history(file):
        raise Stop(Exit.USAGE, f"{file}: not a hand history; rounds are read from standard input")
    return play_history(file, as_json=not text, verbose=verbose, settled_only=True, say=say)


def _shared(
    progressive: Path | None, jackpot: Path | None, resume: Path | None, settled: RoundRuns
) -> tuple[MeterBank | None, JackpotBook | None]:
    """Return the meters and the jackpot that rounds share, new or resumed from earlier output."""
    if resume is None:
        return Banks().of(progressive), Banks().jackpot_of(jackpot)
    if progressive is not None:
        return resumed(partial(MeterBank.go_on, load_setup(progressive)), resume, settled), None
    assert jackpot is not None, "one of them was given"
    return None, resumed(partial(JackpotBook.go_on, load_jackpot(jackpot)), resume, settled)


@contextmanager
def _few_collections() -> Iterator[None]:
    """Reduce garbage collections: objects of a round form no cycles, and looking for them would take a tenth of the
    time."""
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(GC_THRESHOLD)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()


class Settling:
    """Reader that settles each round and passes the results to `say`. `before` holds rounds that were already settled;
    `begin` is called with each round before its results."""

    def __init__(
        self, terms: RoundTerms, say: Say, before: RoundRuns, begin: Callable[[RoundResult], None] = lambda _: None
    ) -> None:
        self._terms, self._say, self._heard, self._begin = terms, say, before, begin
        self._failed = self._again = 0
        self._unknown: Counter[str] = Counter()

    def read(self, stream: BinaryIO) -> None:
        """Settle every line of `stream`. A wrong line is reported and skipped; raise Stop after too many in a row."""
        wrong = 0
        for number, line in enumerate(lines(stream), start=1):
            if not line.strip():
                continue
            try:
                self._read(line)
                wrong = 0
            except UnknownType as error:
                self._unknown[error.kind] += 1
            except OutputFailed:
                raise
            except Stop as error:
                raise Stop(
                    error.code, f"line {number}: {error.why}; this line and those after it are not settled"
                ) from None
            except (DealwireError, ValueError, RecursionError) as error:
                self._failed += 1
                echo(f"dealwire: line {number}: {one_line(error)}", err=True)
                wrong += 1
            if wrong == WRONG_MAX:
                why = f"{WRONG_MAX} wrong lines in a row: the input does not hold rounds"
                raise Stop(Exit.USAGE, f"line {number}: {why}; this line and those after it are not settled")

    def _read(self, line: bytes) -> None:
        result = read_round(line)
        if result is None:
            return
        terms, key = self._terms.of_round(result), _key(result)
        if again := key in self._heard:
            self._again += 1
        settled = [terms.settle_again(result)] if again else terms.settle_all(result)
        self._heard.add(key)
        self._begin(result)
        for item in settled:
            self._say(item)

    def end(self) -> Exit:
        """Print warnings about unused options and skipped objects, and return the exit code."""
        remarks = list(self._terms.unused())
        if self._unknown:
            kinds = ", ".join(f"{count} of type {kind!r}" for kind, count in self._unknown.items())
            remarks.append(f"skipped objects of unknown types: {kinds}")
        if self._again:
            remarks.append(
                f"{self._again} rounds came more than once: their repeated settlements are marked, and moved no meter"
            )
        for line in remarks:
            echo(f"dealwire: {line}", err=True)
        return Exit.USAGE if remarks or self._failed else Exit.GOOD


def _key(result: RoundResult) -> SettledKey:
    return SettledKey(result.table, result.session, result.round)
