"""Command `dealwire journal round`: everything about one round, for a dispute."""

import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from dealwire.cli.exits import BY_ERRNO, Exit, Stop
from dealwire.cli.options import A_FILE, FILE, FLAG, WholeRange, declared, whole
from dealwire.cli.terminal import echo, echo_json
from devices.clock import SystemClock
from devices.system import BINARY, CLOEXEC

if TYPE_CHECKING:
    from dealwire.sheet.paper import Paper


OUTPUT = {"type": FILE, "metavar": "OUTPUT"}


@click.command("round")
@click.argument("number", type=WholeRange(0, 2**32 - 1), metavar="N")
@click.argument("file", type=FILE)
@declared(
    ("--table", {"metavar": "NAME"}, "Name of the table, if the journal holds several."),
    (
        "--record",
        whole(1, metavar="SEQ"),
        "Record number of the round's result, if the journal holds several rounds N; by default the newest.",
    ),
    ("--html html_file", OUTPUT, "Write an HTML page to OUTPUT."),
    ("--pdf pdf_file", OUTPUT, "Write a PDF to OUTPUT; needs the extra `sheet`."),
    ("--json as_json", FLAG, "Print one JSON object of schema dealwire.sheet/1."),
    ("--overwrite", FLAG, "Replace an existing file."),
    ("--key key_file", A_FILE, "Also show card faces from sealed records, opened with the keys in FILE."),
)
def round_command(
    number: int,
    file: Path,
    table: str | None,
    record: int | None,
    html_file: Path | None,
    pdf_file: Path | None,
    as_json: bool,
    overwrite: bool,
    key_file: Path | None,
) -> None:
    """Print everything that the journal FILE holds about round N, or write it as an HTML page or a PDF.

    This includes seats, cards, bets, decisions, the settlement with every clause, meters, incidents, corrections,
    devices, and the place in the journal. The hash chain is verified for the records of the round; the exit code is 6
    if it is broken. Without --key the sheet shows no card face that was not shown at the table. A round that has not
    ended is marked.
    """
    from dealwire.journal.rounds import RoundReader
    from dealwire.journal.sealing import load_key
    from dealwire.sheet.gather import MadeWith, gather, table_of
    from dealwire.sheet.html import html_of
    from dealwire.sheet.pdf import pdf_of
    from dealwire.sheet.sections import paper_of

    outputs = [each for each in (html_file, pdf_file) if each is not None]
    _refuse(outputs, file, overwrite, draws=pdf_file is not None)
    key = load_key(key_file) if key_file is not None else None
    with RoundReader(file, key) as reader:
        made = MadeWith(SystemClock().now_ns())
        sheet = gather(reader, table_of(reader, table), number, made, record=record, faces=key is not None)
    if html_file is not None:
        _write(html_file, html_of(paper_of(sheet)).encode(), overwrite)
    if pdf_file is not None:
        _write(pdf_file, pdf_of(paper_of(sheet)), overwrite)
    if as_json:
        echo_json(sheet.to_json())
    elif not outputs:
        _say(paper_of(sheet))
    for each in outputs:
        echo(f"{each}: round {number} at {sheet.table}", err=True)
    for other in sheet.others:
        echo(
            f"dealwire: another round {number} is record {other.record}, {other.local}: --record {other.record}",
            err=True,
        )


def _refuse(outputs: list[Path], journal: Path, overwrite: bool, *, draws: bool) -> None:
    """Raise Stop before reading anything if the output files are not possible."""
    from dealwire.sheet.pdf import can_draw
    from rules.errors import ExtraMissing

    if len({each.resolve() for each in (*outputs, journal)}) <= len(outputs):
        raise Stop(Exit.USAGE, "the journal, --html and --pdf must name different files")
    for each in outputs:
        if os.path.lexists(each) and not overwrite:
            raise Stop(Exit.USAGE, f"{each}: exists; --overwrite replaces it")
    if draws and not can_draw():
        raise ExtraMissing("reportlab", "sheet")


def _say(paper: "Paper") -> None:
    from dealwire.sheet.text import text_of

    live = sys.stdout is not None and sys.stdout.isatty()
    width = max(shutil.get_terminal_size().columns, 60) if live else 120
    for at, line in enumerate(text_of(paper, width)):
        echo(line, bold=at == 0 or (line != "" and not line.startswith(" ")) or None)


def _write(path: Path, content: bytes, overwrite: bool) -> None:
    """Write a file that only its owner can read, since it names people and money."""
    flags = os.O_WRONLY | os.O_CREAT | CLOEXEC | BINARY | (os.O_TRUNC if overwrite else os.O_EXCL)
    try:
        with os.fdopen(os.open(path, flags, 0o600), "wb") as out:
            out.write(content)
    except OSError as error:
        raise Stop(BY_ERRNO.get(error.errno or 0, Exit.USAGE), f"{path}: {error.strerror}") from error
