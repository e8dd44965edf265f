"""A procedure that stands on others, written out as one file from top to bottom, with its layers' own comments."""

import json
import re
import tomllib
from collections.abc import Iterable, Iterator
from datetime import date, time
from typing import Any, Final

from dealer_flow.procedure.layers import Whole, compose
from dealer_flow.procedure.schema import Procedure
from protocol.tomlfile import Key

_HEADER: Final = re.compile(r"^\s*(\[{1,2})\s*([A-Za-z0-9_.-]+)\s*\]{1,2}")
_BARE: Final = re.compile(r"[A-Za-z0-9_-]+")
_ORDER: Final = ("schema", "id", "title", "jurisdiction", "clause", "device")
_TABLES: Final = [field.alias or name for name, field in Procedure.model_fields.items()]


def written_out(text: str, file: str) -> str:
    """The file with this text upon all that it stands on, as TOML that says the same and stands on nothing. A comment
    says from which file each part comes. ProcedureError as of `compose`."""
    whole = compose(text, file)
    if len(whole.layers) == 1:
        return text
    out = "\n".join(_blocks(whole))
    if tomllib.loads(out) != whole.content():  # a file that is laid out as none of ours is
        out = "\n".join(_plain(whole.content()))
    return f"{out}\n"


def _blocks(whole: Whole) -> Iterator[str]:
    """Line after line: what no table holds, then each table and row under the name of the file that gives it."""
    content, written = whole.content(), {id(layer): dict(_cut(layer.text)) for layer in whole.layers}
    yield from (line for line in written[id(whole.own)].get((), []) if line.startswith("#"))
    heads = [name for name, value in content.items() if not _is_table(value)]
    for name in sorted(heads, key=lambda name: _ORDER.index(name) if name in _ORDER else len(_ORDER)):
        layer = whole.place((name,))[0]
        yield from _lines_of(written[id(layer)].get((), []), name, content[name])
    before = whole.own
    for key, value in _parts(content):
        layer, there = whole.place(key)
        if layer is not before:
            yield f"\n# ---- {layer.called(whole.own)}"
            before = layer
        yield ""
        yield from _block(whole, key, value, written, written[id(layer)].get(there))


def _parts(content: dict[str, Any]) -> Iterator[tuple[Key, Any]]:
    """Every table and row of the whole, in the order of the schema; of a table of tables each on its own."""
    for name in sorted(content, key=lambda name: _TABLES.index(name) if name in _TABLES else len(_TABLES)):
        value = content[name]
        if isinstance(value, dict) and value and all(_is_table(part) for part in value.values()):
            yield from (((name, part), inner) for part, inner in value.items())
        elif isinstance(value, dict):
            yield (name,), value
        elif _is_table(value):
            yield from (((name, number), row) for number, row in enumerate(value))


def _is_table(value: Any) -> bool:
    return isinstance(value, dict) or (
        isinstance(value, list) and bool(value) and all(isinstance(row, dict) for row in value)
    )


def _block(
    whole: Whole, key: Key, value: Any, written: dict[int, dict[Key, list[str]]], block: list[str] | None
) -> Iterator[str]:
    """One table or row as its file has it, if it says the same there; else key by key."""
    if block and _says(block, key, value):
        yield from block
        return
    row = len(key) > 1 and isinstance(key[1], int)
    yield from (line for line in block or () if line.startswith("#"))
    yield f"[[{key[0]}]]" if row else f"[{'.'.join(map(str, key))}]"
    if not isinstance(value, dict):
        return
    for name, part in value.items():
        layer, there = whole.place((*key, name))
        yield from _lines_of(written[id(layer)].get(there[: len(key)], []), name, part)


def _says(block: list[str], key: Key, value: Any) -> bool:
    found: Any = tomllib.loads("\n".join(block))
    for part in key:
        found = found[0] if isinstance(part, int) else found.get(part, {})
    return bool(found == value)


def _lines_of(block: Iterable[str], name: str, value: Any) -> list[str]:
    """One key: the line of its file with its comment, or a line of our own."""
    for line in block:
        if re.match(rf"\s*{re.escape(name)}\s*=", line):
            try:
                if tomllib.loads(line) == {name: value}:
                    return [line]
            except tomllib.TOMLDecodeError:
                break  # it goes on over several lines
    return [f"{_key(name)} = {_value(value)}"]


def _cut(text: str) -> Iterator[tuple[Key, list[str]]]:
    """Each table and row of a file with its lines and the comments right above it; under no key what comes before."""
    counts: dict[str, int] = {}
    key, lines = Key(), list[str]()
    comments = list[str]()
    for line in text.splitlines():
        header = _HEADER.match(line)
        if header and header[1] == "[[" and "." not in header[2]:
            yield key, lines
            counts[header[2]] = counts.get(header[2], -1) + 1
            key, lines, comments = (header[2], counts[header[2]]), [*comments, line], []
        elif header and not (key and isinstance(key[-1], int) and header[2].startswith(f"{key[0]}.")):
            yield key, lines
            key, lines, comments = tuple(header[2].split(".")), [*comments, line], []
        elif line.startswith("#") and key:
            comments.append(line)
        elif line.strip():
            lines, comments = [*lines, *comments, line], []
    yield key, lines


# ------------------------------------------------------------------ TOML without comments


def _plain(content: dict[str, Any]) -> Iterator[str]:
    yield from (f"{_key(name)} = {_value(value)}" for name, value in content.items() if not _is_table(value))
    for key, value in _parts(content):
        yield f"\n[[{_key(str(key[0]))}]]" if isinstance(key[-1], int) else f"\n[{'.'.join(_key(str(k)) for k in key)}]"
        rows = value.items() if isinstance(value, dict) else ()
        yield from (f"{_key(name)} = {_value(part)}" for name, part in rows)


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else _value(name)


def _value(value: Any) -> str:
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{_key(name)} = {_value(part)}' for name, part in value.items())} }}"
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, date | time):
        return value.isoformat()
    return str(value).lower()
