"""Positions of keys in a TOML file, so that an error message can name the line."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Final

from protocol.errors import LocalError
from protocol.printable import printable

Key = tuple[str | int, ...]

_HEADER: Final = re.compile(r"^\s*(\[{1,2})\s*([^\[\]]+?)\s*\]{1,2}")
_KEY: Final = re.compile(r"""^\s*([A-Za-z0-9_\-."']+)\s*=""")
_STRING: Final = re.compile(r"""\"(?:\\.|[^\"\\])*\"|'[^']*'""")
_OPENS_ARRAY: Final = re.compile(r"=\s*\[\s*(#.*)?$")


class TomlFileError(LocalError):
    """A TOML file that cannot be used. `line` counts from 1; None if no single line is at fault."""

    def __init__(self, file: str | Path, line: int | None, key: str, why: str) -> None:
        self.file, self.line, self.key, self.why = str(file), line, key, why
        where = f"{file}:{line}" if line else str(file)
        super().__init__(f"{where}: {key}: {why}" if key else f"{where}: {why}")


_AT: Final = re.compile(r" \(at (?:line (\d+), column \d+|end of document)\)$")


def syntax_fault(error: tomllib.TOMLDecodeError, text: str) -> tuple[int, str]:
    """Return the line of a syntax error in `text` (the last line if the file ends too early) and the reason."""
    at = _AT.search(str(error))
    line = int(at[1]) if at and at[1] else len(text.splitlines())
    return line, f"not TOML: {_AT.sub('', str(error))}"


def line_of(text: str, key: Key) -> int | None:
    """Return the line, from 1, of the longest prefix of `key` that appears in `text`; None if no part does.

    An element of an array that spans several lines is found on its own line.
    """
    lines, written = _lines(text), text.split("\n")
    for at, part in enumerate(key):
        start = _longest(lines, key[:at])
        if isinstance(part, int) and start and _OPENS_ARRAY.search(written[start - 1]):
            return _element(written, start, key[at:])
    return _longest(lines, key)


def _element(written: list[str], start: int, key: Key) -> int:
    """Return the line of an element of the array that opens on line `start`, or of one in an array nested in it."""
    begins = list(_begins(written, start))
    line = begins[key[0]] if isinstance(key[0], int) and key[0] < len(begins) else start
    if len(key) > 2 and isinstance(key[2], int):
        end = next((other for other in begins if other > line), len(written))
        inner = re.compile(rf"\b{re.escape(str(key[1]))}\s*=\s*\[\s*(#.*)?$")
        for number in range(line, end + 1):
            if inner.search(written[number - 1]):
                return _element(written, number, key[2:])
    return line


def _begins(written: list[str], start: int) -> Iterator[int]:
    """Yield the lines on which the elements of the array that opens on line `start` begin."""
    depth = 0
    for number, line in enumerate(written[start:], start + 1):
        bare = _STRING.sub("''", line).partition("#")[0].strip()
        if depth == 0 and bare and bare[0] != "]":
            yield number
        depth += sum(bare.count(each) for each in "[{") - sum(bare.count(each) for each in "]}")
        if depth < 0:
            return


def _longest(lines: Mapping[Key, int], key: Key) -> int | None:
    return next((lines[key[:length]] for length in range(len(key), 0, -1) if key[:length] in lines), None)


def spell(key: Key) -> str:
    """Return `key` as text, such as `packet[1].cards`. Indexes count from 1, as a reader of the file counts."""
    return printable("".join(f"[{part + 1}]" if isinstance(part, int) else f".{part}" for part in key).lstrip("."))


@lru_cache(maxsize=2)
def _lines(text: str) -> Mapping[Key, int]:
    lines: dict[Key, int] = {}
    counts: dict[Key, int] = {}
    table: Key = ()
    for number, line in enumerate(text.split("\n"), 1):  # as TOML ends lines; splitlines knows more ends
        if header := _HEADER.match(line):
            table = _resolve(tuple(_bare(header[2])), counts, opens_item=header[1] == "[[")
            lines.setdefault(table, number)
            if header[1] == "[[":
                lines.setdefault(table[:-1], number)
        elif found := _KEY.match(line):
            lines.setdefault((*table, *_bare(found[1])), number)
    return lines


def _bare(dotted: str) -> list[str]:
    return [part.strip().strip("\"'") for part in dotted.split(".")]


def _resolve(parts: tuple[str, ...], counts: dict[Key, int], *, opens_item: bool) -> Key:
    """Return the full key of a header. A part that names an array of tables refers to its last item."""
    key: Key = ()
    for index, part in enumerate(parts):
        key = (*key, part)
        if opens_item and index == len(parts) - 1:
            counts[key] = counts.get(key, -1) + 1
        if key in counts:
            key = (*key, counts[key])
    return key
