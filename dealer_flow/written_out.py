"""Writer of a layered file as one file, from top to bottom, with its layers' own comments."""

import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, time
from typing import Any, Final

from dealer_flow.layers import Layer, Whole
from protocol.tomlfile import Key

_HEADER: Final = re.compile(r"^\s*(\[{1,2})\s*([A-Za-z0-9_.-]+)\s*\]{1,2}")
_SETS: Final = re.compile(r"\s*([A-Za-z0-9_-]+)\s*=")
_BARE: Final = re.compile(r"[A-Za-z0-9_-]+")
_WIDEST: Final = 120
"""Longest line in characters; a longer list takes one line per element."""


def written_out(whole: Whole, order: Sequence[str] = ()) -> str:
    """Return the merged content of layers as TOML without a base. Comments say from which file each part comes.

    `order` gives the order of the top keys in a file of this kind; the others follow.
    """
    content = whole.content()
    out = "\n".join(_Writer(whole, content, order).lines())
    if _read(out) != content:  # fallback for a layout that the writer does not understand
        out = "\n".join(plain(content, order))
    return f"{out}\n"


def plain(content: Mapping[str, Any], order: Sequence[str] = ()) -> Iterator[str]:
    """Yield a content as lines of TOML, without comments."""
    names = _sorted(content, order)
    yield from (_line(name, content[name]) for name in names if not _is_table(content[name]))
    for key, value in _parts(content, order):
        yield f"\n{_header(key)}"
        yield from (_line(name, part) for name, part in (value.items() if isinstance(value, dict) else ()))


def _read(text: str) -> Any:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return None


def _sorted(content: Iterable[str], order: Sequence[str]) -> list[str]:
    return sorted(content, key=lambda name: order.index(name) if name in order else len(order))


def _parts(content: Mapping[str, Any], order: Sequence[str]) -> Iterator[tuple[Key, Any]]:
    """Yield every table and row of the content; each table in a table of tables separately."""
    for name in _sorted(content, order):
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


class _Writer:
    """Writer of the merged content: each line is copied from its layer if it says the same there."""

    def __init__(self, whole: Whole, content: dict[str, Any], order: Sequence[str]) -> None:
        self._whole, self._content, self._order = whole, content, order
        tables = [table for inner in whole.within.values() for table in inner.values()]
        layers = [*whole.layers, *(layer for table in tables for layer in table.layers)]
        self._written = {id(layer): dict(_cut(layer.text)) for layer in layers}

    def lines(self) -> Iterator[str]:
        """Yield the lines: keys outside tables first, then each table and row under the name of the file that gives
        it."""
        whole, content = self._whole, self._content
        yield from _opening(self._block(whole.own, ()))
        heads = [name for name in _sorted(content, self._order) if self._is_head(name)]
        for name in heads:
            yield from _entry(self._block(whole.place((name,))[0], ()), (), name, content[name])
        before = whole.own
        for key, value in _parts({name: content[name] for name in content if name not in heads}, self._order):
            layer, there = whole.place(key)
            if layer is not before:
                yield f"\n# ---- {layer.called(whole.own)}"
                before = layer
            yield ""
            yield from self._table(key, value, self._block(layer, there))

    def _is_head(self, name: str) -> bool:
        """Return True for a value that is not a table, and for a table that its file writes in one line above all
        tables."""
        value = self._content[name]
        return not _is_table(value) or _says(
            _entries(self._block(self._whole.place((name,))[0], ()), ()).get(name, ()), (name,), value
        )

    def _block(self, layer: Layer, key: Key) -> list[str]:
        """Return the lines of a table or row in its file; empty for a table within a file, which is written again."""
        return self._written.get(id(layer), {}).get((*layer.at, *key), [])

    def _table(self, key: Key, value: Any, block: list[str]) -> Iterator[str]:
        """Yield one table or row as its file has it, if the content is the same; else key by key, each as its file has
        it."""
        if block and _says(block, key, value):
            yield from block
            return
        yield from _opening(block)
        yield _own_header(block, key)
        below = list[str]()
        for name, part in value.items() if isinstance(value, dict) else ():
            layer, there = self._whole.place((*key, name))
            lines = _entry(self._block(layer, there[:-1]), key, name, part)
            apart = self._block(layer, there)
            if apart and isinstance(part, dict) and _says(apart, (*key, name), part):
                lines = apart
            if any(_HEADER.match(line) for line in lines):
                below += ["", *lines]
            else:
                yield from lines
        yield from below


def _opening(block: Iterable[str]) -> Iterator[str]:
    """Yield the comments above the first line of a block."""
    for line in block:
        if not line.startswith("#"):
            return
        yield line


def _own_header(block: Iterable[str], key: Key) -> str:
    """Return the header with its comment as the file has it, or a new one."""
    line = next((line for line in block if _HEADER.match(line)), "")
    return line if _HEADER.sub("", line).strip()[:1] in ("", "#") and _says([line], key, {}) else _header(key)


def _header(key: Key) -> str:
    if isinstance(key[-1], int):
        return f"[[{_key(str(key[0]))}]]"
    return f"[{'.'.join(_key(str(part)) for part in key)}]"


def _says(block: Iterable[str], key: Key, value: Any) -> bool:
    found: Any = _read("\n".join(block))
    for part in key:
        if isinstance(found, list):
            found = found[0] if found else None
        elif isinstance(part, int) or not isinstance(found, dict):
            return False
        else:
            found = found.get(part)
    if isinstance(found, list) and key and isinstance(key[-1], int):
        found = found[0]
    return bool(found == value)


def _entry(block: Iterable[str], key: Key, name: str, value: Any) -> list[str]:
    """Return the lines of one key in a block with their comments, or a new line."""
    lines = _entries(block, key).get(name)
    header = [] if not key else [_header(key)]
    if lines and _says([*header, *lines], (*key, name), value):
        return lines
    return [_line(name, value)]


def _entries(block: Iterable[str], key: Key) -> dict[str, list[str]]:
    """Return each key of a table or row with its lines and the comments right above it: plain keys, then tables in
    it."""
    found, name, comments = dict[str, list[str]](), "", list[str]()
    in_table, begun = False, False
    for line in block:
        if header := _HEADER.match(line):
            inner = header[2].removeprefix(f"{key[0]}.") if key else header[2]
            name, in_table = "" if inner == header[2] else inner.partition(".")[0], inner != header[2]
            if name:
                found[name] = [*found.get(name, []), *comments, line]
            comments, begun = [], True
        elif name and (in_table or _goes_on(found[name])):
            found[name].append(line)
        elif line.lstrip().startswith("#"):
            comments += [line] if begun else []  # comments above the first line belong to the whole block
        elif sets := _SETS.match(line):
            name, found[sets[1]], comments, begun = sets[1], [*comments, line], [], True
    return found


def _goes_on(lines: Sequence[str]) -> bool:
    """Return True while the value that these lines begin is incomplete."""
    return _read("\n".join(lines)) is None


def _line(name: str, value: Any) -> str:
    line = f"{_key(name)} = {_value(value)}"
    if isinstance(value, list) and len(line) > _WIDEST:
        return "\n".join([f"{_key(name)} = [", *(f"    {_value(part)}," for part in value), "]"])
    return line


def _cut(text: str) -> Iterator[tuple[Key, list[str]]]:
    """Yield each table and row of a file with its lines and the comments right above it; the key is empty before the
    first."""
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
        elif header:  # a table within a row
            lines, comments = [*lines, "", *comments, line], []
        elif line.startswith("#") and (key or any(_SETS.match(each) for each in lines)):
            comments.append(line)
        elif line.strip():
            lines, comments = [*lines, *comments, line], []
    yield key, lines


# ------------------------------------------------------------------ TOML without comments


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
