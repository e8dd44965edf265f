"""Layers of TOML files: a file names the files it extends in `base` and states only the differences.

The layers are applied in the order in which they are named, each on top of its own bases, and the file itself comes
last; the later layer wins. A table is merged key by key. A row replaces the row with its name, or is merged with it,
depending on the kind of file; other rows are added. `without` removes what the layers below gave. Rows of whole files
come before those of shared parts. Every error names the file, line and key of the layer that is wrong.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, ClassVar, Final

from dealer_flow.tomlfile import fault_at, parsed, read
from protocol.nearest import did_you_mean
from protocol.printable import printable
from protocol.tomlfile import Key, TomlFileError

DEEPEST_BASE: Final = 8
"""Most files that may extend one another in a chain; the longest chain in the package is three."""
MOST_LAYERS: Final = 24
"""Most files that one file may be built from; each of them is read."""
_NO_FILES: Final[Mapping[str, Path]] = {}


@dataclass(frozen=True, eq=False)
class Layer:
    """Content of one file, or of a table in one. `named` is the name by which a `base` refers to it, `at` the key of
    its table in the file."""

    file: str
    text: str
    content: Mapping[str, Any]
    kind: "Layering"
    named: str = ""
    at: Key = ()

    @property
    def is_part(self) -> bool:
        """True for a shared part, which is not a whole file."""
        return bool(self.kind.part_schema) and self.content.get("schema") == self.kind.part_schema

    def called(self, own: "Layer") -> str:
        """Return the file's name in a message for the reader of `own`, the file that extends it."""
        return "this file" if self is own else f"the {'part' if self.is_part else self.kind.what} {self.named}"

    def fault(self, key: Key, why: str) -> TomlFileError:
        """Return the error for a key of this layer."""
        return fault_at(self.file, self.text, (*self.at, *key), why, self.kind.error)


@dataclass(frozen=True, eq=False)
class Written:
    """A row as one layer writes it; `number` is its index among the rows of its kind there."""

    value: Mapping[str, Any]
    layer: Layer
    number: int


@dataclass(frozen=True, eq=False)
class Row:
    """One row of the merged content. `written` has the row as each layer writes it, topmost first. `name` keeps its
    place, even if a later row replaces a part of it."""

    value: dict[str, Any]
    written: tuple[Written, ...]
    name: str = ""

    @property
    def layer(self) -> Layer:
        """Topmost layer that states something about the row."""
        return self.written[0].layer

    def says(self, key: Key) -> Written:
        """Return the layer that gives a key of the row: the topmost layer with the longest part of the key."""
        return max(self.written, key=lambda each: _parts_held(each.value, key))


class Layering:
    """One kind of layered file: the names of its files, the keys that are not inherited, the tables whose rows have
    names."""

    what: ClassVar[str]
    """Name of the kind in messages."""
    error: ClassVar[type[TomlFileError]] = TomlFileError
    own: ClassVar[frozenset[str]]
    """Keys that describe the file itself and are not inherited, in addition to `base` and `without`."""
    rows: ClassVar[Mapping[str, tuple[str, ...]]]
    """Table of rows -> the keys that identify a row. If there are none, the rows of a later layer replace all those
    below."""
    merged: ClassVar[bool] = False
    """True if a row is merged with the one below key by key; otherwise it replaces it."""
    part_schema: ClassVar[str] = ""
    """`schema` of shared parts, if the kind has them."""
    one_of: ClassVar[str] = ""
    """Key of parts of which only one counts: the later part replaces the other."""

    def files(self) -> Mapping[str, Path]:
        """Return the files in the package, by the name that a `base` uses."""
        return _NO_FILES

    def parts(self) -> Mapping[str, Path]:
        """Return the shared parts in the package, by name."""
        return _NO_FILES

    def unknown(self, name: str) -> str:
        """Return the message for a `base` that names nothing."""
        known = f"allowed: {', '.join(self.files())}, or a .toml file"
        return f"no {self.what} {printable(repr(name))}{did_you_mean(name, self.files())}; {known}"

    def check(self, layer: Layer) -> None:
        """Refuse a file that is not of this kind, before it is merged with another."""

    def left_over(self, kind: str, row: Row, new: Sequence[Row]) -> Row | None:
        """Return the part of a lower layer's row that the rows of a later layer leave; None if nothing is left."""
        return row

    def names(self, kind: str, row: Mapping[str, Any]) -> Iterator[str]:
        """Yield the names by which `without` may refer to a row."""
        yield from (str(row[key]) for key in self.rows.get(kind) or ("name",) if key in row)

    def sub_layering(self, name: str) -> "Layering | None":
        """Return the kind of the tables in the table of this name if they are layered files of their own, else None."""
        return None


@dataclass
class Whole:
    """Merged content of the layers, and for every key the layer that gives it."""

    layers: tuple[Layer, ...]
    tables: dict[str, Any] = field(default_factory=dict)
    rows: dict[str, list[Row]] = field(default_factory=dict)
    within: dict[str, dict[str, "Whole"]] = field(default_factory=dict)
    """Tables of tables that are layered on their own."""
    begins: dict[tuple[str, ...], Layer] = field(default_factory=dict)
    """A table of that sort that a layer removes -> that layer; what the layers below it say of the table is ignored."""
    origin: dict[Key, Layer] = field(default_factory=dict)
    order: dict[tuple[str, bool], list[str]] = field(default_factory=dict)
    """Names of rows in order, by their kind and whether they are of a part."""

    @property
    def own(self) -> Layer:
        """The file itself, the topmost layer."""
        return self.layers[-1]

    def content(self) -> dict[str, Any]:
        """Return the content that a single file would have to state."""
        found = {**self.tables, **{kind: [row.value for row in rows] for kind, rows in self.rows.items() if rows}}
        for name, inner in self.within.items():
            found[name] = {key: whole.content() for key, whole in inner.items()}
        return found

    def fault(self, key: Key, why: str) -> TomlFileError:
        """Return the error for a key of the merged content, at the place where it is written."""
        layer, there = self.place(key)
        return layer.fault(there, why)

    def place(self, key: Key) -> tuple[Layer, Key]:
        """Return the layer that a key comes from and the key in it; a key that no layer gives belongs to the file
        itself."""
        if len(key) > 1 and (inner := self.within.get(str(key[0]), {}).get(str(key[1]))):
            return inner.place(key[2:])
        rows = self.rows.get(str(key[0]), []) if key else []
        if len(key) > 1 and isinstance(key[1], int) and key[1] < len(rows):
            written = rows[key[1]].says(key[2:])
            return written.layer, (key[0], written.number, *key[2:])
        found = next((self.origin[key[:end]] for end in range(len(key), 0, -1) if key[:end] in self.origin), self.own)
        return found, key


# ------------------------------------------------------------------ which files


def compose(text: str, file: str, kind: Layering) -> Whole:
    """Merge the file with this text onto everything that it extends.

    TomlFileError names the file, line and key that cannot be used.
    """
    own = Layer(file, text, parsed(file, text, kind.error), kind)
    return laid(_layers(own, (_identity(file),), {}))


def alone(text: str, file: str, kind: Layering) -> Whole:
    """Return the file with this text on its own, without what it extends."""
    own = Layer(file, text, parsed(file, text, kind.error), kind)
    whole = Whole((own,))
    _lay(whole, own)
    for name in own.content.keys() & {"base", "without"}:
        whole.tables[name], whole.origin[(name,)] = own.content[name], own
    return whole


def laid(layers: Sequence[Layer]) -> Whole:
    """Merge layers, lowest first."""
    whole, kind = Whole(tuple(layers)), layers[-1].kind
    for layer in layers:
        _take_away(whole, layer)
        _lay(whole, layer)
    for name, rows in whole.rows.items():
        if kind.rows.get(name):
            rows.sort(key=partial(_place, whole, name))
    for name in [name for name in whole.tables if kind.sub_layering(name)]:
        _lay_within(whole, name)
    return whole


def _layers(layer: Layer, path: tuple[str, ...], read_before: dict[str, Layer]) -> list[Layer]:
    """Return all layers below a layer, lowest first, and the layer itself.

    A file that is named twice counts at its first place, but what a file names itself comes after all that it names
    before.
    """
    layer.kind.check(layer)
    found: list[Layer] = []
    for key, name in _names(layer, "base"):
        below = _named_layer(layer, key, name, read_before)
        if _identity(below.file) in path:
            raise layer.fault(key, f"{name!r} extends this file itself")
        if len(path) >= DEEPEST_BASE:
            raise layer.fault(key, f"more than {DEEPEST_BASE} files in a chain")
        for each in _layers(below, (*path, _identity(below.file)), read_before):
            if each is below or each not in found:
                _stack(found, each)
        if len(found) > MOST_LAYERS:
            raise layer.fault(key, f"more than {MOST_LAYERS} files together")
    return [*found, layer]


def _stack(found: list[Layer], layer: Layer) -> None:
    """Put a layer on top of those found so far.

    Of parts of which only one counts, it replaces the other at that place, so that what a game states itself stays
    above it. If a part is named once more, it is also applied once more after that.
    """
    one_of = layer.kind.one_of
    others = [each for each in found if each.is_part and one_of in each.content and each is not layer]
    again = len({id(each) for each in found}) < len(found)
    if others and layer.is_part and one_of in layer.content:
        found[found.index(others[0])] = layer
        if not again:
            return
    found.append(layer)


def _named_layer(layer: Layer, key: Key, name: str, read_before: dict[str, Layer]) -> Layer:
    """Return the file that a `base` names: a part, a file of the package, or a path relative to the file that names
    it."""
    kind = layer.kind
    if name.endswith(".toml"):
        path = Path(layer.file).parent / name
    elif found_file := kind.parts().get(name) or kind.files().get(name):
        path = found_file
    else:
        raise layer.fault(key, kind.unknown(name))
    identity = _identity(str(path))
    if identity not in read_before:
        try:
            text = read(path, kind.error)
        except kind.error as fault:
            raise layer.fault(key, f"{printable(name)}: {fault.why}") from None
        read_before[identity] = _layer_of(str(path), text, name, kind)
    found = read_before[identity]
    if layer.is_part and not found.is_part:
        raise layer.fault(key, f"{name!r} is a {kind.what}; a part extends only parts")
    return found


@lru_cache(maxsize=256)
def _layer_of(file: str, text: str, name: str, kind: Layering) -> Layer:
    """Parse a file that others extend; cached by its text, for many files extend the same one."""
    return Layer(file, text, parsed(file, text, kind.error), kind, name)


def _names(layer: Layer, key: str) -> list[tuple[Key, str]]:
    """Return the names in `base` or `without`, one name or a list without duplicates, each with its key."""
    names = layer.content.get(key, [])
    if isinstance(names, str):
        return [((key,), names)]
    if not isinstance(names, list):
        raise layer.fault((key,), "must be a list")
    for number, name in enumerate(names):
        if not isinstance(name, str):
            raise layer.fault((key, number), "must be a text")
        if name in names[:number]:
            raise layer.fault((key, number), "a name may occur only once")
    return [((key, number), name) for number, name in enumerate(names)]


def _identity(file: str) -> str:
    """Return one name for one file, however its path is spelled."""
    try:
        return str(Path(file).resolve())
    except (OSError, ValueError, RuntimeError):  # an impossible file name, or a circle of symbolic links
        return file


# ------------------------------------------------------------------ one upon the other


def _lay(whole: Whole, layer: Layer) -> None:
    for name, value in layer.content.items():
        if name in ("base", "without") or (name in layer.kind.own and layer is not whole.own):
            continue
        if _is_rows(layer.kind, name, value):
            written = [Written(row, layer, number) for number, row in enumerate(value)]
            _lay_rows(whole, name, [Row(each.value, (each,)) for each in written], layer)  # type: ignore[arg-type]
        else:
            whole.rows.pop(name, None)
            _lay_table(whole, whole.tables, (name,), value, layer)


def _is_rows(kind: Layering, name: str, value: Any) -> bool:
    return name in kind.rows and isinstance(value, list) and all(isinstance(row, dict) for row in value)


def _lay_table(whole: Whole, into: dict[str, Any], key: Key, value: Any, layer: Layer) -> None:
    """Merge a table into a table, key by key; any other value replaces what was there."""
    name, whole.origin[key] = str(key[-1]), layer
    if isinstance(value, dict):
        before = into.get(name)
        into[name] = dict(before) if isinstance(before, dict) else {}
        names = [*into[name]]
        for part, inner in value.items():
            _lay_table(whole, into[name], (*key, part), inner, layer)
        _put_in_order(names, [*value], last=not layer.kind.merged)
        into[name] = {part: into[name][part] for part in names}
    else:
        into[name] = value


def _lay_rows(whole: Whole, kind: str, new: list[Row], layer: Layer) -> None:
    of = layer.kind
    whole.tables.pop(kind, None)
    whole.origin[(kind,)] = layer if new else whole.own
    if not of.rows[kind]:
        whole.rows[kind] = new
        return
    before = whole.rows.get(kind, [])
    below = [row for row in (of.left_over(kind, row, new) for row in before) if row is not None]
    named = {_name(of, kind, row): row for row in below}
    whole.rows[kind] = [*below]
    for row in new:
        name = _name(of, kind, row)
        laid_row = row
        if other := named.pop(name, None):  # a name that occurs twice in one file stays: the check reports it
            whole.rows[kind].remove(other)
            laid_row = _merged_row(other, row) if of.merged else row
        whole.rows[kind].append(replace(laid_row, name=name))
    names = whole.order.setdefault((kind, layer.is_part), [])
    _put_in_order(names, [_name(of, kind, row) for row in new], last=not of.merged)


def _put_in_order(names: list[str], new: Sequence[str], *, last: bool) -> None:
    """Insert new names into `names` in place.

    Each goes behind the name before it in its own file, or in front of the first known name after it. If neither is
    known, or with `last`, it goes to the end.
    """
    for at, name in enumerate(new):
        if name in names:
            continue
        behind = names.index(new[at - 1]) + 1 if at else None
        front = next((names.index(other) for other in new[at:] if other in names), len(names))
        names.insert(len(names) if last else front if behind is None else behind, name)


def _place(whole: Whole, kind: str, row: Row) -> tuple[bool, int]:
    """Return the sort key of a row: rows of whole files come before those of parts."""
    part = row.layer.is_part
    return part, whole.order[kind, part].index(row.name)


def _merged_row(below: Row, above: Row) -> Row:
    return Row(_merged(below.value, above.value), (*above.written, *below.written))


def _merged(below: Any, above: Any) -> Any:
    """Merge tables key by key; any other value is taken from `above`."""
    if isinstance(below, dict) and isinstance(above, dict):
        return {**below, **{key: _merged(below.get(key), part) for key, part in above.items()}}
    return above


def _name(of: Layering, kind: str, row: Row) -> str:
    """Return the values that identify a row among those of its kind."""
    parts = [row.value.get(key) for key in of.rows[kind]]
    return json.dumps([sorted(map(str, part)) if isinstance(part, list) else part for part in parts], default=str)


def _lay_within(whole: Whole, name: str) -> None:
    """Merge the tables that are layered files of their own: each layer's table on top of what that table extends."""
    of, tables = whole.own.kind.sub_layering(name), whole.tables.pop(name)
    assert of is not None
    whole.within[name] = {}
    for part in tables if isinstance(tables, dict) else ():
        found: list[Layer] = []
        first = whole.begins.get((name, part), whole.layers[0])
        for layer in whole.layers[whole.layers.index(first) :]:
            table = layer.content.get(name, {})
            if isinstance(table, dict) and part in table:
                if not isinstance(table[part], dict):
                    raise layer.fault((name, part), "must be a table")
                found += _layers(Layer(layer.file, layer.text, table[part], of, part, (name, part)), (), {})
        whole.within[name][part] = laid(found)
    if not isinstance(tables, dict):
        raise whole.fault((name,), "must be a table")


# ------------------------------------------------------------------ what is taken away


def drop(whole: Whole, what: str) -> bool:
    """Remove a table, a row or a key that `without` names; False if it does not exist."""
    return _take_rows(whole, whole.own.kind, what) or take_key(whole.tables, what.split("."))


def _take_away(whole: Whole, layer: Layer) -> None:
    for key, what in _names(layer, "without"):
        if not drop(whole, what):
            raise layer.fault(key, _takes_nothing(whole, layer.kind, what))
        gone = tuple(what.split("."))
        if layer.kind.sub_layering(gone[0]):
            if len(gone) > 2:
                raise layer.fault(
                    key, f"a key of a table that is layered itself; allowed: without in [{'.'.join(gone[:2])}]"
                )
            whole.begins[gone] = layer
        whole.origin = {at: origin for at, origin in whole.origin.items() if at[: len(gone)] != gone}


def _takes_nothing(whole: Whole, of: Layering, what: str) -> str:
    """Return the message for a `without` that names nothing: the names that exist, as far as the path is right."""
    content, path = whole.content(), what.split(".")
    held: Any = content
    for number, part in enumerate(path):
        if isinstance(held, list):
            rows = [row for row in held if isinstance(row, dict)]
            allowed = [name for row in rows for name in of.names(path[0], row)]
            held = next((row for row in rows if part in of.names(path[0], row)), None)
        else:
            allowed = [*held] if isinstance(held, dict) else []
            held = held.get(part) if isinstance(held, dict) else None
        if held is None:
            before = ".".join(path[:number])
            near = did_you_mean(part, allowed)
            given = ", ".join(f"{before}.{name}".lstrip(".") for name in allowed) or "nothing"
            return f"{printable(repr(what))} removes nothing{near}; the files below give {given}"
    return f"{printable(repr(what))} removes nothing; no file below gives it"


def _take_rows(whole: Whole, of: Layering, what: str) -> bool:
    """Remove rows by kind, or by kind and name: `fault`, `bet.ante`. If rows are merged, also a key of one row:
    `bets.ante.pairs-with`."""
    kind, _, name = what.partition(".")
    rows = whole.rows.get(kind, [])
    whole.rows[kind] = [row for row in rows if name and name not in of.names(kind, row.value)]
    taken = len(whole.rows[kind]) < len(rows)
    for number, row in enumerate(whole.rows[kind]) if of.merged and not taken else ():
        called = next((each for each in of.names(kind, row.value) if name.startswith(f"{each}.")), None)
        if called is not None and (less := _without(row.value, name.removeprefix(f"{called}.").split("."))):
            written = (
                replace(each, value=_without(each.value, name.removeprefix(f"{called}.").split(".")) or each.value)
                for each in row.written
            )
            whole.rows[kind][number] = replace(row, value=less, written=tuple(written))
            return True
    return taken


def _without(value: Mapping[str, Any], parts: list[str]) -> dict[str, Any] | None:
    """Return a copy of a table without one key; None if it has no such key."""
    copy = json_copy(value)
    return copy if take_key(copy, parts) else None


def json_copy(value: Any) -> Any:
    """Return a deep copy of a table's mappings and lists."""
    if isinstance(value, Mapping):
        return {key: json_copy(part) for key, part in value.items()}
    return [json_copy(part) for part in value] if isinstance(value, list | tuple) else value


def take_key(table: Any, parts: Sequence[str]) -> bool:
    """Remove a key of a table, or of a table within it; False if it does not exist."""
    if not isinstance(table, dict) or parts[0] not in table:
        return False
    if len(parts) > 1:
        return take_key(table[parts[0]], parts[1:])
    del table[parts[0]]
    return True


def _parts_held(value: Any, key: Key) -> int:
    """Return the number of parts of a key, from the first, that a value has."""
    for number, part in enumerate(key):
        try:
            value = value[part]
        except (KeyError, IndexError, TypeError):
            return number
    return len(key)


def texts_in(value: Any) -> Iterator[str]:
    """Yield every text in the content of a file, or in a model of one."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list | tuple):
        for part in value.values() if isinstance(value, dict) else value:
            yield from texts_in(part)
