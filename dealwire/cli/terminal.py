"""Output for people: lines with printable characters only, whatever a device or file put into them; on a terminal also
tables that fit its width, and colors."""

import shutil
import sys
import textwrap
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, TextIO

import click

from protocol.printable import printable, printable_json

if TYPE_CHECKING:
    import logging

MARGIN = "  "
LEAST_ROOM = 16
"""Minimum width, in characters, of a column of prose. Narrower text moves to lines of its own."""


def width_of(stream: TextIO | None) -> int | None:
    """Return the columns of the terminal `stream`, or None for a file or pipe. COLUMNS overrides the terminal's own
    size."""
    return shutil.get_terminal_size().columns if stream is not None and stream.isatty() else None


def folded(text: str, width: int | None, hang: int) -> list[str]:
    """Break `text` at spaces into lines of at most `width` characters. Lines after the first are indented by `hang`. A
    single word that is longer stays whole."""
    if width is None or len(text) <= width:
        return [text]
    begin = len(text) - len(text.lstrip(" "))  # textwrap drops the margin of what it has to break
    lines = textwrap.wrap(
        text.strip(" "),
        width,
        initial_indent=" " * begin,
        subsequent_indent=" " * hang,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return lines or [text]


def echo(
    text: str, *, err: bool = False, bold: bool | None = None, fg: str | None = None, hang: int | None = None
) -> None:
    """Print one line for a person. Control characters in `text` are escaped. With `hang`, a line that is too long for
    the terminal continues below, indented by that many characters."""
    line = printable(text, None)
    width = width_of(sys.stderr if err else sys.stdout) if hang is not None else None
    for each in folded(line, width, hang or 0):
        click.echo(click.style(each, bold=bold, fg=fg) if bold or fg else each, err=err)


def echo_styled(line: str) -> None:
    """Print one line that already contains styles; its text must be printable."""
    click.echo(line)


def echo_json(line: str) -> None:
    """Print one line of JSON, with control characters escaped so that the value stays the same."""
    line = printable_json(line)
    if line.isascii() and sys.stdout is not None:  # click would look through it for styles to take out
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()
    else:
        click.echo(line)


def say_object(schema: str, kind: str, /, **fields: object) -> None:
    """Print one JSON object with schema and type. Values that JSON cannot represent are written as text."""
    import json

    echo_json(json.dumps({"schema": schema, "type": kind, **fields}, default=str))


def log_lines(form: str) -> "logging.Formatter":
    """Return a log formatter that writes one line per record, so that text from a device cannot start another. Lines of
    a traceback are indented; it ends with the error's type, because its message may contain anything, even a face."""
    import logging
    import traceback

    class OneLine(logging.Formatter):
        def format(self, record: logging.LogRecord) -> str:
            record.message = printable(record.getMessage(), None)
            record.asctime = self.formatTime(record)
            kind, _, trace = record.exc_info or (None, None, None)
            fault = [*"".join(traceback.format_tb(trace)).splitlines(), kind.__name__] if kind is not None else []
            return "\n    ".join([self.formatMessage(record), *(printable(line, None) for line in fault)])

    return OneLine(form)


Tint = Callable[[Sequence[str]], str | None]
"""Function from the cells of a row to its color, or None. Color is never the only carrier of information."""


def say_table(
    rows: Sequence[Sequence[str]],
    right: frozenset[int],
    tint: Tint = lambda _: None,
    tinted: frozenset[int] = frozenset(),
) -> None:
    """Print rows of equal length. Columns in `right` are right-aligned; the last column takes the remaining width.
    Cells in `tinted` get the color that `tint` returns."""
    table = GrowingTable(right, tint, tinted)
    for row in rows:
        table.fit(row)
    for row in rows:
        table.say(row)


class GrowingTable:
    """Table whose rows are printed one by one. `fit` makes room for a row to come, `say` prints one; the arguments are
    those of `say_table`."""

    def __init__(
        self, right: frozenset[int], tint: Tint = lambda _: None, tinted: frozenset[int] = frozenset()
    ) -> None:
        self._right, self._tint, self._tinted = right, tint, tinted
        self._widths: list[int] = []

    def fit(self, row: Sequence[str]) -> None:
        """Widen the columns for this row."""
        wide = [len(printable(cell, None)) for cell in row[:-1]]
        self._widths = [max(each) for each in zip(wide, self._widths or wide, strict=True)]

    def say(self, row: Sequence[str]) -> None:
        """Print this row."""
        self.fit(row)
        row = [printable(cell, None) for cell in row]
        used = len(MARGIN) + sum(self._widths) + 2 * len(self._widths)
        columns = width_of(sys.stdout)
        first, more = _placed(row[-1], used, columns)
        colour, cells = self._tint(row), list[str]()
        for column, (text, width) in enumerate(zip(row, self._widths, strict=False)):
            pad, style = " " * (width - len(text)), column in self._tinted and colour
            text = click.style(text, fg=colour) if style else text
            cells.append(pad + text if column in self._right else text + pad)
        if columns is not None and used - 2 > columns:  # too narrow for the columns: the first stands above the others
            echo_styled((MARGIN + cells.pop(0)).rstrip(" "))
            cells.insert(0, "")
        echo_styled((MARGIN + "  ".join([*cells, first])).rstrip(" "))
        for line in more:
            echo_styled(line)


def _placed(text: str, used: int, width: int | None) -> tuple[str, list[str]]:
    """Break the last cell of a row, which begins after `used` characters. Return the text for the row, and the lines
    below it. All of the text goes below if the column is so narrow that it would take more lines there."""
    if not text or width is None or used + len(text) <= width:
        return text, []
    below = folded(" " * 2 * len(MARGIN) + text, width, 2 * len(MARGIN))
    if width - used < LEAST_ROOM:
        return "", below
    first, *more = textwrap.wrap(text, width - used, break_on_hyphens=False)
    beside = [" " * used + line for line in more]
    return (first, beside) if len(beside) <= len(below) else ("", below)


def wants_colour(environment: Mapping[str, str]) -> bool | None:
    """Return the color setting from the usual environment variables: False for never, True for always, None for
    terminals only."""
    if environment.get("NO_COLOR"):
        return False
    if any(environment.get(name, "0") not in ("", "0") for name in ("FORCE_COLOR", "CLICOLOR_FORCE")):
        return True
    return False if environment.get("TERM") == "dumb" or environment.get("CLICOLOR") == "0" else None
