"""`dealwire settle`: rounds in, settlements out, for any program that can write a line of JSON."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, Final

import click
import msgspec

from dealer_flow.record.result import RoundResult
from dealwire.cli.exits import Exit
from dealwire.cli.options import cents, make_terms, open_bank, terms_options
from dealwire.cli.show import say_json, say_text
from dealwire.cli.terminal import echo
from dealwire.table.table import TableTerms
from protocol.errors import DealwireError
from rules.game import load_game, load_game_of
from rules.pairing import must_fit

LINE_MAX_BYTES: Final = 256 * 1024
"""Longest line that is read: a round of 32 seats takes six thousand bytes, one of a whole shoe less."""


@click.command("settle")
@terms_options
@click.option("--text", is_flag=True, help="Sentences instead of JSON.")
@click.pass_context
def command(ctx: click.Context, /, game: str | None, text: bool, progressive: Path | None, **options: Any) -> None:
    """Read rounds with their wagers as NDJSON on standard input; print one settlement for each.

    Meters go on from round to round. With --progressive, what moved them is printed after each settlement, one
    object of type meter a step.

    A line that is no round, or a round that cannot be settled by its game's file, is named on standard error
    with its line number; the others are settled all the same, and the exit code is 2. Objects of another `type`
    (incidents, settlements, the summary that `replay --json` ends with) are passed over.
    """
    terms: dict[str | None, TableTerms] = {}
    bank = open_bank(progressive)
    cents(options["meters"])  # what is wrong with one is known before the first round
    if game is not None:
        loaded = load_game(game)
        must_fit(loaded)
        terms[None] = make_terms(loaded, bank, **options)
    failed = 0
    for number, line in enumerate(lines(sys.stdin.buffer), start=1):
        if not line.strip():
            continue
        try:
            result = read_round(line)
            if result is None:
                continue
            key = None if game is not None else result.procedure.id
            if key not in terms:
                terms[key] = make_terms(load_game_of(result.procedure.id), bank, **options)
            settled = terms[key].settle_all(result)
        except (DealwireError, ValueError, RecursionError) as error:
            failed += 1
            echo(f"dealwire: line {number}: {one_line(error)}", err=True)
            continue
        for item in settled:
            (say_text if text else say_json)(item)
    if failed:
        ctx.exit(Exit.USAGE)


def lines(stream: BinaryIO) -> Iterator[bytes]:
    """The lines of `stream`; of one that is too long its beginning, which `read_round` refuses."""
    while line := stream.readline(LINE_MAX_BYTES + 1):
        yield line
        rest = line
        while len(rest) > LINE_MAX_BYTES and not rest.endswith(b"\n"):
            rest = stream.readline(LINE_MAX_BYTES + 1)


def read_round(line: bytes) -> RoundResult | None:
    """The round on this line; None for an object of another type."""
    if len(line) > LINE_MAX_BYTES:
        raise ValueError(f"longer than {LINE_MAX_BYTES:,} bytes, the most that is read")
    found = msgspec.json.decode(line)
    if isinstance(found, dict) and found.get("type", "round") != "round":
        return None
    return RoundResult.from_json(line)


def one_line(error: Exception) -> str:
    """The first thing wrong, with its key."""
    if isinstance(error, RecursionError):
        return "tables or lists too deep within each other"
    what, _, key = str(error).splitlines()[0].partition(" - at `$")
    return f"{key.strip('.`') or 'the object'}: {what}" if isinstance(error, msgspec.ValidationError) else what
