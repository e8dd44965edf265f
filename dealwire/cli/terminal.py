"""The way out: lines that hold nothing but printable characters whatever a device or a file put into them, and what
only a terminal gets: tables fitted to its width, and a line that says what is going on.

With the `rich` extra tables are drawn by it; without, plain text does. Into a file or a pipe goes neither.
"""

import importlib.util
import shutil
import sys
import textwrap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from protocol.errors import DealwireError
from protocol.printable import printable, printable_json

if TYPE_CHECKING:
    import logging

MARGIN = "  "


class OutputFailed(DealwireError):
    """What was to be written could not be: a disk is full."""

    def __init__(self, error: OSError) -> None:
        super().__init__(f"the output ends here: {error.strerror}")


@contextmanager
def _written() -> Iterator[None]:
    """Within it a line is written. A reader that left is no failure, and is whoever runs the command's to find."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputFailed(error) from error


def echo(text: str, *, err: bool = False, bold: bool | None = None, fg: str | None = None) -> None:
    """Print one line for a person; the style is ours, and nothing in `text` is obeyed by a terminal."""
    with _written():
        click.secho(printable(text, None), err=err, bold=bold, fg=fg)


def echo_styled(line: str) -> None:
    """Print one line whose style is in it already; its text was made printable before."""
    with _written():
        click.echo(line)


def echo_json(line: str) -> None:
    """Print one line of JSON. It says what it said before, in characters that no terminal obeys."""
    line = printable_json(line)
    with _written():
        if line.isascii() and sys.stdout is not None:  # click would look through it for styles to take out
            sys.stdout.write(f"{line}\n")
            sys.stdout.flush()
        else:
            click.echo(line)


def log_lines(form: str) -> "logging.Formatter":
    """Writes what is logged, a line each: what a device said of itself cannot begin another. A fault's lines are
    indented."""
    import logging

    class OneLine(logging.Formatter):
        def format(self, record: logging.LogRecord) -> str:
            record.message = printable(record.getMessage(), None)
            record.asctime = self.formatTime(record)
            fault = self.formatException(record.exc_info) if record.exc_info else ""
            return "\n    ".join([self.formatMessage(record), *(printable(line, None) for line in fault.splitlines())])

    return OneLine(form)


def say_table(rows: Sequence[Sequence[str]], right: frozenset[int]) -> None:
    """Print rows of equal length; columns in `right` are set flush right, the last one takes what width is left."""
    if not rows:
        return
    rows = [[printable(cell, None) for cell in row] for row in rows]
    live = sys.stdout is not None and sys.stdout.isatty()
    if live and importlib.util.find_spec("rich") is not None:
        _say_rich(rows, right)
        return
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]) - 1)]
    used = len(MARGIN) + sum(widths) + 2 * len(widths)
    room = shutil.get_terminal_size().columns - used if live else 0
    for row in rows:
        cells = [
            text.rjust(width) if column in right else text.ljust(width)
            for column, (text, width) in enumerate(zip(row, widths, strict=False))
        ]
        last = textwrap.wrap(row[-1], room) if room >= 20 else [row[-1]]
        echo(MARGIN + "  ".join([*cells, last[0] if last else ""]))
        for more in last[1:]:
            echo(" " * used + more)


def _say_rich(rows: Sequence[Sequence[str]], right: frozenset[int]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 2, 0, 0))
    for column in range(len(rows[0])):
        last = column == len(rows[0]) - 1
        table.add_column(justify="right" if column in right else "left", no_wrap=not last, overflow="fold")
    for row in rows:
        table.add_row(*(Text(MARGIN * (column == 0) + text) for column, text in enumerate(row)))
    Console().print(table)


class ProgressLine:
    """One line on standard error that is written over, while that is a terminal; nothing otherwise."""

    def __init__(self) -> None:
        self._shown = False
        self._live = sys.stderr.isatty()

    def show(self, text: str) -> None:
        """Say what is going on, in place of what was said before."""
        if self._live:
            click.echo(f"\r\x1b[K{printable(text, None)}", nl=False, err=True)
            self._shown = True

    def clear(self) -> None:
        """Make room for something that stays."""
        if self._shown:
            click.echo("\r\x1b[K", nl=False, err=True)
            self._shown = False
