"""Where in a TOML text a key was written, so that a complaint about it can name the line."""

import re
from typing import Final

Key = tuple[str | int, ...]

_HEADER: Final = re.compile(r"^\s*(\[{1,2})\s*([^\[\]]+?)\s*\]{1,2}")
_KEY: Final = re.compile(r"""^\s*([A-Za-z0-9_\-."']+)\s*=""")


def line_of(text: str, key: Key) -> int | None:
    """The line, from 1, of the longest part of `key` that stands in `text`; None when no part does."""
    lines = _lines(text)
    for length in range(len(key), 0, -1):
        if key[:length] in lines:
            return lines[key[:length]]
    return None


def spell(key: Key) -> str:
    """`packet[1].cards`: arrays count from 1, as a reader of the file does."""
    return "".join(f"[{part + 1}]" if isinstance(part, int) else f".{part}" for part in key).lstrip(".")


def _lines(text: str) -> dict[Key, int]:
    lines: dict[Key, int] = {}
    counts: dict[Key, int] = {}
    table: Key = ()
    for number, line in enumerate(text.splitlines(), 1):
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
    """The full key of a header: a part that names an array of tables means the last item of it."""
    key: Key = ()
    for index, part in enumerate(parts):
        key = (*key, part)
        if opens_item and index == len(parts) - 1:
            counts[key] = counts.get(key, -1) + 1
        if key in counts:
            key = (*key, counts[key])
    return key
