"""Files of hand histories: which there are, and the hands in them."""

import codecs
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from dealwire.histories import phh, pokerstars
from dealwire.histories.history import History, HistoryError
from devices.files import read_file
from protocol.errors import DealwireError

PHH: Final = (".phh", ".phhs")
SUFFIXES: Final = (*PHH, ".txt")
"""Endings of the files that may hold hands; a `.txt` does if PokerStars' first line of a hand is in it."""
MOST_BYTES: Final = 256 * 2**20
"""Largest file that is read: some 200,000 hands."""


class NoHistories(DealwireError):
    """Error: there is no hand history at the given paths."""

    def __init__(self, path: Path) -> None:
        super().__init__(f"{path}: no hand histories; expected *.phh, *.phhs, or *.txt with hands as PokerStars writes")


def is_history(path: Path) -> bool:
    """Return True if this file holds hand histories, by its ending, and a text that can be read by its content."""
    if path.suffix.lower() in PHH:
        return True
    try:
        return path.suffix.lower() == ".txt" and pokerstars.is_pokerstars(_text(path))
    except OSError:  # the reader of a file reports that it cannot be read; a pipe is no history
        return path.is_file()


def histories_in(paths: Sequence[Path]) -> list[Path]:
    """Return the files that may hold hands, of folders and those below them in order of their names."""
    found: list[Path] = []
    for path in paths:
        if path.is_dir():
            found += sorted(each for each in path.rglob("*") if each.suffix.lower() in SUFFIXES and each.is_file())
        else:
            found.append(path)
    return found


def hands_in(path: Path) -> Iterator[History | HistoryError]:
    """Yield the hands of a file, or the error of one that cannot be read."""
    try:
        text = _text(path)
    except OSError as error:
        yield HistoryError(str(path), error.strerror or "not readable")
        return
    if path.suffix.lower() in PHH:
        yield from phh.hands_of(text, str(path))
    else:
        yield from pokerstars.hands_of(text, str(path))


def _text(path: Path) -> str:
    """Return the text of a file: UTF-16 if it begins with its mark, UTF-8, or one byte a character."""
    data = read_file(path, MOST_BYTES)
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16", "replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")
