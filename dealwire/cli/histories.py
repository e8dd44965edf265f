"""Command `dealwire histories`: play recorded hands of other programs, and count how they compare."""

from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Final

import click

from dealwire.cli.exits import Exit
from dealwire.cli.options import FLAG, JSON_LINES, APath, declared, given, usually, whole
from dealwire.cli.show import RoundPrinter, Say, say_json
from dealwire.cli.terminal import echo, say_object, say_table
from dealwire.histories.history import HistoryError
from dealwire.histories.reading import NoHistories, hands_in, histories_in
from dealwire.histories.verdict import EDITION, Comparison, Table

SCHEMA: Final = "dealwire.history/1"
VERDICTS: Final = {
    "same": "same",
    "same-but-the-rake": "same but the rake",
    "same-but-the-odd-chip": "same but the odd chip",
    "not-expressible": "not expressible",
    "nothing-recorded": "no outcome recorded",
    "different": "different",
    "unreadable": "unreadable",
}
"""Comparison -> its words."""
_SAME: Final = ("same", "same-but-the-rake", "same-but-the-odd-chip")
_WRONG: Final = ("different", "unreadable")


@dataclass
class Compared:
    """One hand: its place, game and verdict."""

    place: str
    game: str
    verdict: str
    why: str = ""
    reason: str = ""


@click.command("histories")
@click.argument("paths", metavar="FILE|FOLDER...", nargs=-1, required=True, type=APath())
@declared(
    JSON_LINES,
    ("--list listed", FLAG, "List every hand that is not the same, not only those that are different."),
    ("--jobs", usually(1, whole(1, 64, "N")), "Number of processes that play the files."),
)
@click.pass_context
def command(ctx: click.Context, /, paths: tuple[Path, ...], as_json: bool, listed: bool, jobs: int) -> None:
    """Play recorded hands of other programs through flow and settlement, and compare the results with the records.

    FILE is a Poker Hand History (*.phh, *.phhs) or a text with hands as PokerStars writes them. All such files in a
    FOLDER and below it are read. Nothing is fetched and nothing is kept.

    A hand is the same if every pot and every seat's chips are what the record says, or the same but the rake or the odd
    chip of a tie. A hand that needs what the rules do not have is not expressible. The exit code is 1 if a hand is
    different or cannot be read.
    """
    files = histories_in(paths)
    counts: Counter[str] = Counter()
    reasons: dict[str, Counter[str]] = {name: Counter() for name in VERDICTS}
    for each in _compared(files, jobs):
        counts[each.verdict] += 1
        reasons[each.verdict][each.reason] += 1
        if as_json:
            say_object(SCHEMA, "history", place=each.place, game=each.game, verdict=each.verdict, why=each.why)
        elif each.verdict in _WRONG or (listed and each.verdict != "same"):
            echo(f"{VERDICTS[each.verdict]}: {each.place}{f': {each.why}' if each.why else ''}", hang=4)
    if not counts:
        raise NoHistories(paths[0])
    if as_json:
        say_object(SCHEMA, "histories", hands=counts.total(), verdicts=dict(counts), edition=EDITION)
    else:
        _say_counts(counts, reasons, len(files))
    ctx.exit(Exit.CHECK_FAILED if any(counts[name] for name in _WRONG) else Exit.GOOD)


def _say_counts(counts: Counter[str], reasons: dict[str, Counter[str]], files: int) -> None:
    rows = [("hands", "verdict", "")]
    for name, words in VERDICTS.items():
        if counts[name]:
            rows.append((f"{counts[name]:,}", words, ""))
            rows += [(f"{many:,}", "", why) for why, many in reasons[name].most_common() if why]
    say_table(rows, frozenset({0}))
    same = sum(counts[name] for name in _SAME)
    played = same + counts["different"]
    share = f"; {100 * same / played:.2f} % of those played are the same" if played else ""
    echo(f"{counts.total():,} hands in {files:,} files, by edition {EDITION}{share}")


def _compared(files: list[Path], jobs: int) -> Iterator[Compared]:
    if jobs == 1:
        table = Table()
        for path in files:
            yield from _of_file(table, path)
        return
    some = max(1, min(64, len(files) // (4 * jobs)))
    with ProcessPoolExecutor(jobs, get_context("spawn"), _begin) as pool:
        for found in pool.map(_in_process, files, chunksize=some):
            yield from found


_TABLES: list[Table] = []
"""Table of this process."""


def _begin() -> None:
    _TABLES.append(Table())


def _in_process(path: Path) -> list[Compared]:
    return [*_of_file(_TABLES[0], path)]


def _of_file(table: Table, path: Path) -> Iterator[Compared]:
    for hand in hands_in(path):
        if isinstance(hand, HistoryError):
            yield Compared(hand.place, "", "unreadable", hand.why, "")
            continue
        verdict = table.plays(hand)
        why = verdict.why if verdict.kind != "same-but-the-rake" else ""
        yield Compared(hand.place, hand.form.game, verdict.kind, why, verdict.reason)


def alone_on_its_terms(ctx: click.Context, *fitting: str) -> None:
    """Raise UsageError for an option that a hand history does not take: one that is not `fitting`."""
    if others := given(ctx, *fitting):
        raise click.UsageError(f"a hand history names its own game and stakes; leave out {', '.join(others)}")


def play_history(path: Path, *, as_json: bool, verbose: bool, settled_only: bool, say: Say | None = None) -> Exit:
    """Play the hands of a file and print each: the round with its incidents, its settlement, and the verdict."""
    table, code = Table(), Exit.GOOD
    printer = RoundPrinter(verbose=verbose)
    write = say or (say_json if as_json else printer)
    for hand in hands_in(path):
        if isinstance(hand, HistoryError):
            echo(f"dealwire: {hand}", err=True)
            code = Exit.CHECK_FAILED
            continue
        verdict = table.plays(hand)
        if not as_json:
            echo(hand.place, bold=True)
        _say_hand(verdict, table, hand.form.game, printer, write, settled_only=settled_only)
        _say_verdict(hand.place, hand.form.game, verdict, as_json=as_json)
        if verdict.kind == "different":
            code = Exit.CHECK_FAILED
    return code


def _say_hand(
    verdict: Comparison, table: Table, game: str, printer: RoundPrinter, say: Say, *, settled_only: bool
) -> None:
    if verdict.result is not None and not settled_only:
        printer.deals(table.procedure(game))
        for incident in verdict.incidents:
            say(incident)
        say(verdict.result)
    if verdict.settlement is not None:
        say(verdict.settlement)


def _say_verdict(place: str, game: str, verdict: Comparison, *, as_json: bool) -> None:
    if as_json:
        options = dict(verdict.options)
        say_object(
            SCHEMA,
            "history",
            place=place,
            game=game,
            verdict=verdict.kind,
            why=verdict.why,
            edition=EDITION,
            options=options,
        )
        return
    echo(f"  {VERDICTS[verdict.kind]}{f': {verdict.why}' if verdict.why else ''}", hang=4)
