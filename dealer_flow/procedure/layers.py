"""Procedure files that stand on others: `base` names shared parts and sister procedures, and one content comes of all.

The layers lie in the order in which they are named, each upon its own, and the file itself comes last; the later one
decides. A table is merged key by key. A row takes the place of the one that bears its name, others are added; a row of
`wrong` takes over what it speaks of, and steps, once given, are all of them new. `without` takes away what the layers
below gave. Rows of procedures stand before those of parts, and an option that a part offers and nothing names falls
away. Of two parts that say what the device is, the later one takes the other's place.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from dealer_flow.games import files_of
from dealer_flow.tomlfile import fault_at, files_in, parsed, read
from protocol.printable import printable
from protocol.tomlfile import Key, TomlFileError

PARTS: Final = Path(__file__).parent / "parts"
PART_SCHEMA: Final = "dealwire.procedure-part/1"
DEEPEST_BASE: Final = 8
"""Files that stand upon each other; three are the most in what comes with this program."""
MOST_LAYERS: Final = 24
"""Files that one procedure may come of, each of which is read."""
_OWN: Final = ("schema", "id", "title", "base", "without")
"""What a file says of itself and no other has from it."""
_NAMED: Final[dict[str, tuple[str, ...]]] = {
    "hand": ("name",),
    "bet": ("name",),
    "decision": ("name",),
    "option": ("name",),
    "fault": ("class", "name"),
    "wrong": ("of", "how", "at", "missing"),
}
"""Tables of rows, and what tells their rows apart."""


class ProcedureError(TomlFileError):
    """A procedure file, or an option asked of it, cannot be used."""


@dataclass(frozen=True, eq=False)
class Layer:
    """One file's own content. `named`: how a `base` names it."""

    file: str
    text: str
    content: dict[str, Any]
    named: str

    @property
    def is_part(self) -> bool:
        """Whether this is a shared part, and no procedure."""
        return self.content.get("schema") == PART_SCHEMA

    def called(self, own: "Layer") -> str:
        """Which file it is, for a reader of the one that stands on it."""
        return "this file" if self is own else f"{'the part' if self.is_part else 'the procedure'} {self.named}"

    def fault(self, key: Key, why: str) -> ProcedureError:
        """What is wrong at a key of this file."""
        return fault_at(self.file, self.text, key, why, ProcedureError)


@dataclass(frozen=True, eq=False)
class Row:
    """One row, and where it is written: as the how-manieth of its kind in its layer. `rank`: its place among those of
    procedures, or of parts, where its name first stood."""

    value: dict[str, Any]
    layer: Layer
    number: int
    rank: int = 0


@dataclass
class Whole:
    """What the layers come to, and for every key which of them said so."""

    layers: tuple[Layer, ...]
    tables: dict[str, Any] = field(default_factory=dict)
    rows: dict[str, list[Row]] = field(default_factory=dict)
    origin: dict[Key, Layer] = field(default_factory=dict)
    ranks: dict[tuple[str, bool, str], int] = field(default_factory=dict)

    @property
    def own(self) -> Layer:
        """The file that stands on all the others."""
        return self.layers[-1]

    def content(self) -> dict[str, Any]:
        """As one file would say it."""
        return {**self.tables, **{kind: [row.value for row in rows] for kind, rows in self.rows.items() if rows}}

    def fault(self, key: Key, why: str) -> ProcedureError:
        """What is wrong at a key of the whole, where it is written."""
        layer, there = self.place(key)
        return layer.fault(there, why)

    def place(self, key: Key) -> tuple[Layer, Key]:
        """The layer that a key comes from, and the key in it; what nobody gave is missed in the file itself."""
        rows = self.rows.get(str(key[0]), []) if key else []
        if len(key) > 1 and isinstance(key[1], int) and key[1] < len(rows):
            row = rows[key[1]]
            return row.layer, (key[0], row.number, *key[2:])
        found = next((self.origin[key[:end]] for end in range(len(key), 0, -1) if key[:end] in self.origin), self.own)
        return found, key


# ------------------------------------------------------------------ which files


def known_parts() -> tuple[str, ...]:
    """Names of the shared parts that come with the package."""
    return tuple(part_files())


def part_files() -> dict[str, Path]:
    """Name -> file of the shared parts that come with the package."""
    return files_in(PARTS)


def compose(text: str, file: str) -> Whole:
    """The file with this text upon all it stands on. TomlFileError names the file, line and key that cannot be used."""
    own = Layer(file, text, parsed(file, text, ProcedureError), "")
    whole = Whole(tuple(_layers(own, (_identity(file),), {})))
    for layer in whole.layers:
        _take_away(whole, layer)
        _lay(whole, layer)
    for kind, rows in whole.rows.items():
        if kind != "step":
            rows.sort(key=lambda row: (row.layer.is_part, row.rank))
    if not own.is_part:
        _drop_unnamed(whole)
    return whole


def _layers(layer: Layer, path: tuple[str, ...], read_before: dict[str, Layer]) -> list[Layer]:
    """All that lies under a layer, lowest first, and the layer itself. A file named twice counts at its first place,
    but what a file names itself comes after all that it names before."""
    found: list[Layer] = []
    for number, name in enumerate(_names(layer, "base")):
        below = _named_layer(layer, number, name, read_before)
        if _identity(below.file) in path:
            raise layer.fault(("base", number), f"{name!r} stands on this file itself")
        if len(path) >= DEEPEST_BASE:
            raise layer.fault(("base", number), f"more than {DEEPEST_BASE} files upon each other")
        for each in _layers(below, (*path, _identity(below.file)), read_before):
            if each is below or each not in found:
                _stack(found, each)
        if len(found) > MOST_LAYERS:
            raise layer.fault(("base", number), f"more than {MOST_LAYERS} files together")
    return [*found, layer]


def _stack(found: list[Layer], layer: Layer) -> None:
    """Lay one more upon those below. A device's part takes the place of another device's, so that what a game says of
    its own stays above it; where a part was laid once more, it comes once more after that as well."""
    devices = [each for each in found if each.is_part and "device" in each.content and each is not layer]
    again = len({id(each) for each in found}) < len(found)
    if devices and layer.is_part and "device" in layer.content:
        found[found.index(devices[0])] = layer
        if not again:
            return
    found.append(layer)


def _named_layer(layer: Layer, number: int, name: str, read_before: dict[str, Layer]) -> Layer:
    """The file that a `base` names: a part, a procedure of the package, or a path beside the file that names it."""
    if name.endswith(".toml"):
        path = Path(layer.file).parent / name
    elif found_file := part_files().get(name) or files_of("deal").get(name):
        path = found_file
    else:
        known = f"parts: {', '.join(known_parts())}; or the id of a procedure, or a .toml file"
        raise layer.fault(("base", number), f"no procedure or part {printable(repr(name))}; {known}")
    identity = _identity(str(path))
    if identity not in read_before:
        try:
            text = read(path, ProcedureError)
        except ProcedureError as fault:
            raise layer.fault(("base", number), f"{printable(name)}: {fault.why}") from None
        read_before[identity] = _layer_of(str(path), text, name)
    found = read_before[identity]
    if layer.is_part and not found.is_part:
        raise layer.fault(("base", number), f"{name!r} is a procedure; a part stands on parts alone")
    return found


@lru_cache(maxsize=256)
def _layer_of(file: str, text: str, name: str) -> Layer:
    """A file that others stand on: as long as it says the same it is taken apart once, for it lies under many."""
    return Layer(file, text, parsed(file, text, ProcedureError), name)


def _names(layer: Layer, key: str) -> list[str]:
    """A list of names, each once."""
    names = layer.content.get(key, [])
    if not isinstance(names, list):
        raise layer.fault((key,), "must be a list")
    for number, name in enumerate(names):
        if not isinstance(name, str):
            raise layer.fault((key, number), "must be a text")
        if name in names[:number]:
            raise layer.fault((key, number), "each name once")
    return names


def _identity(file: str) -> str:
    """One name for one file, however it is spelled."""
    try:
        return str(Path(file).resolve())
    except (OSError, ValueError, RuntimeError):  # a name no file can have, links that go round
        return file


# ------------------------------------------------------------------ one upon the other


def _lay(whole: Whole, layer: Layer) -> None:
    for name, value in layer.content.items():
        if name in _OWN and layer is not whole.own:
            continue
        if name not in ("base", "without"):
            if _is_rows(name, value):
                _lay_rows(whole, name, [Row(row, layer, number) for number, row in enumerate(value)])
            else:
                whole.rows.pop(name, None)
                _lay_table(whole, whole.tables, (name,), value, layer)


def _is_rows(name: str, value: Any) -> bool:
    return (
        (name in _NAMED or name == "step") and isinstance(value, list) and all(isinstance(row, dict) for row in value)
    )


def _lay_table(whole: Whole, into: dict[str, Any], key: Key, value: Any, layer: Layer) -> None:
    """A table into a table, key by key; anything else takes the place of what was there."""
    name, whole.origin[key] = str(key[-1]), layer
    if isinstance(value, dict):
        before = into.get(name)
        into[name] = dict(before) if isinstance(before, dict) else {}
        for part, inner in value.items():
            _lay_table(whole, into[name], (*key, part), inner, layer)
    else:
        into[name] = value


def _lay_rows(whole: Whole, kind: str, new: list[Row]) -> None:
    whole.tables.pop(kind, None)
    whole.origin[(kind,)] = new[0].layer if new else whole.own
    if kind == "step":
        whole.rows[kind] = new
        return
    before = whole.rows.get(kind, [])
    if kind == "wrong":
        before = [row for row in (_left_over(row, new) for row in before) if row is not None]
    below = {_name(kind, row): row for row in before}
    whole.rows[kind] = [*before]
    for row in new:
        name = _name(kind, row)
        if other := below.pop(name, None):  # what stands twice in one file stays: it is a fault of that file
            whole.rows[kind].remove(other)
        rank = whole.ranks.setdefault((kind, row.layer.is_part, name), len(whole.ranks))
        whole.rows[kind].append(replace(row, rank=rank))


def _name(kind: str, row: Row) -> str:
    """What tells a row from the others of its kind."""
    parts = [row.value.get(key) for key in _NAMED[kind]]
    return json.dumps([sorted(map(str, part)) if isinstance(part, list) else part for part in parts], default=str)


def _left_over(row: Row, new: Iterable[Row]) -> Row | None:
    """A row of `wrong` without the ways of which later rows, of the same cards, speak; None when that is all but
    one of them takes its place."""
    how = row.value.get("how")
    if not isinstance(how, list):
        return row
    keys = ("of", "at", "missing")
    later = [other.value for other in new if all(other.value.get(key) == row.value.get(key) for key in keys)]
    if any(other.get("how") == how for other in later):
        return row
    spoken = [way for other in later if isinstance(other.get("how"), list) for way in other["how"]]
    left = [way for way in how if way not in spoken]
    return replace(row, value={**row.value, "how": left}) if left else None


# ------------------------------------------------------------------ what is taken away


def _take_away(whole: Whole, layer: Layer) -> None:
    for number, what in enumerate(_names(layer, "without")):
        if not (_take_rows(whole, what) or _take_key(whole.tables, what.split("."))):
            why = f"{printable(repr(what))} takes nothing away; no file below gives it"
            raise layer.fault(("without", number), why)
        gone = tuple(what.split("."))
        whole.origin = {key: origin for key, origin in whole.origin.items() if key[: len(gone)] != gone}


def _take_rows(whole: Whole, what: str) -> bool:
    """Rows by their kind, or by kind and name: `fault`, `bet.ante`, `wrong.seats`, `wrong.seats.exposed`."""
    kind, _, name = what.partition(".")
    rows = whole.rows.get(kind, [])
    whole.rows[kind] = [row for row in rows if name and name not in _called(kind, row.value)]
    return len(whole.rows[kind]) < len(rows)


def _called(kind: str, row: Mapping[str, Any]) -> Iterator[str]:
    """What `without` may call a row."""
    if kind == "wrong":
        yield str(row.get("of"))
        yield from (f"{row.get('of')}.{way}" for way in row.get("how", ()))
    else:
        yield from (str(row[key]) for key in _NAMED.get(kind, ("name",)) if key in row)


def _take_key(table: Any, parts: list[str]) -> bool:
    """A key of a table, or of a table in it."""
    if not isinstance(table, dict) or parts[0] not in table:
        return False
    if len(parts) > 1:
        return _take_key(table[parts[0]], parts[1:])
    del table[parts[0]]
    return True


def _drop_unnamed(whole: Whole) -> None:
    """Leave out the options that a file below offers and nothing names any more; one of the file itself is checked."""
    rest = {name: value for name, value in whole.content().items() if name != "option"}
    named = set(texts_in(rest))
    kept = [row for row in whole.rows.get("option", []) if row.layer is whole.own or row.value.get("name") in named]
    whole.rows["option"] = kept


def texts_in(value: Any) -> Iterator[str]:
    """Every text in what a file holds, or a procedure."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list | tuple):
        for part in value.values() if isinstance(value, dict) else value:
            yield from texts_in(part)
