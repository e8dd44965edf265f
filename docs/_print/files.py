"""Pages of `docs/files/`, with every key of every kind of file that a user writes, and the JSON Schemas."""

import json
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any, Final

from docs._print import printed, table
from docs._print.file_schemas import FILE_KINDS, FileKind, schema_of, shape_of

_HEAD: Final = ("key", "holds", "unless given", "means", "for instance")
_LONGEST_EXAMPLE: Final = 44
_LONGEST_PATTERN: Final = 60
_UNITS: Final = {"cents": "cents", "ms": "milliseconds", "minutes": "minutes", "percent": "percent", "pct": "percent",
                 "days": "days", "megabytes": "megabytes", "confidence": "percent"}  # fmt: skip
_BY_KEY: Final = {"baud": "bits a second", "max-bytes-per-s": "bytes a second", "gap_ms": "milliseconds"}


def pages() -> dict[str, str]:
    """Return every page and schema by its path under `docs`."""
    out = {f"schema/{kind.file}": json.dumps(schema_of(name), indent=2) + "\n" for name, kind in FILE_KINDS.items()}
    for name, kind in FILE_KINDS.items():
        out[f"files/{name}.md"] = printed(f"files/{name}.md", KeysPage(kind).lines())
    return out


_UNTOLD: Final = "= none"
"""Marks the one table of several kinds that names no kind."""


class Section:
    """Table of a file: its position, and the part of the schema that describes it."""

    def __init__(self, name: str, shape: Mapping[str, Any], at: str, when: str = "") -> None:
        self.name, self.shape, self.places, self.when = name, shape, [at], when

    @property
    def keys(self) -> Mapping[str, Any]:
        """Return the keys of the table with the schema of each value."""
        found: Mapping[str, Any] = self.shape.get("properties", {})
        return found


class KeysPage:
    """Page of one kind of file: its keys, table by table, in the order in which the tables are met."""

    def __init__(self, kind: FileKind) -> None:
        self.kind, self.schema = kind, shape_of(kind.name)
        self.sections: dict[str, Section] = {}
        self.examples: dict[tuple[str, str], str] = {}
        self._meet("", self.schema, "")
        for path in kind.files:
            self._look("", self.schema, tomllib.loads(path.read_text(encoding="utf-8")))

    def lines(self) -> Iterator[str]:
        """Yield the lines of the page below its head."""
        yield f"The JSON Schema is [{self.kind.file}](../schema/{self.kind.file})."
        common = self._common()
        for section in self.sections.values():
            yield from ("", f"## {self._title(section)}", "", str(section.shape.get("description", "")), "")
            if len(section.places) > 1:
                yield from (f"Also {', '.join(f'`{place}`' for place in section.places[1:])}.", "")
            keys = section.keys
            if common.keys() <= keys.keys() and common and section.when:
                yield from ("Besides the keys of every kind:", "")
                keys = {key: shape for key, shape in keys.items() if key not in common}
            yield from self._table(section, keys)
            if section is self._last_of_kinds():
                yield from ("", "### Keys of every kind", "", *self._table(section, common))

    # -------------------------------------------------------------- what there is

    def _resolve(self, shape: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
        """Return the name of a shared part of the schema and the part itself; the name is empty for an inline part."""
        ref = shape.get("$ref", "")
        name = ref.rpartition("/")[2]
        return (name, self.schema["$defs"][name]) if name else ("", shape)

    def _meet(self, name: str, shape: Mapping[str, Any], at: str, when: str = "") -> None:
        if name in self.sections:
            if at not in self.sections[name].places:
                self.sections[name].places.append(at)
            return
        section = self.sections[name] = Section(name, shape, at, when)
        for key, held in section.keys.items():
            for inner, place, case in self._tables_in(held, f"{at.strip('[]')}.{key}".lstrip(".")):
                self._meet(inner, self.schema["$defs"][inner], place, case)

    def _tables_in(self, shape: Mapping[str, Any], at: str) -> Iterator[tuple[str, str, str]]:
        """Yield the tables that a key may hold: the name, the spelling of their heading, and the key that tells them
        apart."""
        if "$ref" in shape:
            name, part = self._resolve(shape)
            if "allOf" in part:  # a step, by its verb
                for case in part["allOf"]:
                    verb = case["if"]["required"][0]
                    yield case["then"]["$ref"].rpartition("/")[2], f"[[{at}]]", verb
            elif "properties" in part:
                yield name, f"[{at}]", ""
        for other in (*shape.get("anyOf", ()), *shape.get("oneOf", ())):
            for name, place, _ in self._tables_in(other, at):
                yield name, place, self._told_by(name) if "oneOf" in shape else ""
        for name, _, case in self._tables_in(shape["items"], at) if isinstance(shape.get("items"), dict) else ():
            yield name, f"[[{at}]]", case
        if isinstance(values := shape.get("additionalProperties"), dict):
            for name, place, case in self._tables_in(values, f"{at}.NAME"):
                yield name, place, case

    def _told_by(self, name: str) -> str:
        keys = self.schema["$defs"][name]["properties"].items()
        return next((f'{key} = "{shape["const"]}"' for key, shape in keys if "const" in shape), _UNTOLD)

    def _common(self) -> dict[str, Any]:
        """Return the keys that most kinds of one table have, and that mean the same in all of them."""
        kinds = [section.keys for section in self.sections.values() if "=" in section.when]
        found = {key: shape for keys in kinds for key, shape in keys.items()}
        return {
            key: shape
            for key, shape in found.items()
            if sum(keys.get(key) == shape for keys in kinds) > len(kinds) // 2 + 1
        }

    def _last_of_kinds(self) -> Section | None:
        kinds = [section for section in self.sections.values() if "=" in section.when]
        return kinds[-1] if kinds else None

    # -------------------------------------------------------------- in words

    def _title(self, section: Section) -> str:
        if not section.name:
            return "The file"
        place = section.places[0]
        if section.when == _UNTOLD:
            return f"`{place}` without a `kind`"
        if "=" in section.when:
            return f"`{place}` with `{section.when}`"
        return f"`{place}`: `{section.when}`" if section.when else f"`{place}`"

    def _table(self, section: Section, keys: Mapping[str, Any]) -> list[str]:
        needed = set(section.shape.get("required", ()))
        return table(_HEAD, (self._row(section, key, shape, key in needed) for key, shape in keys.items()))

    def _row(self, section: Section, key: str, shape: Mapping[str, Any], needed: bool) -> tuple[str, ...]:
        unit = _BY_KEY.get(key) or _UNITS.get(key.replace("_", "-").rpartition("-")[2], "")
        holds = self._words(shape) + (f", in {unit}" if unit and "text" not in self._words(shape) else "")
        default = shape.get("default")
        absent = "**needed**" if needed else "-" if default in (None, "", [], {}) else f"`{toml(default)}`"
        example = (
            self.examples.get((section.name, key))
            or self._of_another_kind(key, shape)
            or next(iter(_allowed(shape)), "")
        )
        return f"`{key}`", holds, absent, str(shape.get("description", "")), f"`{example}`" if example else ""

    def _of_another_kind(self, key: str, shape: Mapping[str, Any]) -> str:
        """Return an example of the same key in another table."""
        held = (name for name, other in self.sections.items() if other.keys.get(key) == shape)
        return next((self.examples[name, key] for name in held if (name, key) in self.examples), "")

    def _words(self, shape: Mapping[str, Any]) -> str:
        """Return the possible values of a key in words."""
        name, part = self._resolve(shape)
        if name and ("properties" in part or "allOf" in part):
            return "a table"
        if name:
            return self._words(part)
        if allowed := _allowed(shape):
            return ", ".join(f"`{each}`" for each in allowed)
        if kinds := [each for each in (*shape.get("anyOf", ()), *shape.get("oneOf", ())) if each != {"type": "null"}]:
            return " or ".join(dict.fromkeys(map(self._words, kinds)))
        match shape.get("type"):
            case "integer":
                return f"whole number{_range(shape, 'minimum', 'maximum')}"
            case "boolean":
                return "`true`, `false`"
            case "array":
                return self._list(shape)
            case "object":
                values = shape.get("additionalProperties")
                return f"a table, each value {self._words(values)}" if isinstance(values, dict) else "a table"
            case "string":
                pattern = str(shape.get("pattern", ""))
                return f"text that fits `{pattern}`" if 0 < len(pattern) <= _LONGEST_PATTERN else "text"
        return "anything"

    def _list(self, shape: Mapping[str, Any]) -> str:
        if "prefixItems" in shape:
            return f"[{', '.join(map(self._words, shape['prefixItems']))}]"
        least = shape.get("minItems", 0)
        inner = self._words(shape["items"])
        return f"list of {'tables' if inner == 'a table' else inner}" + (f", at least {least}" if least else "")

    # -------------------------------------------------------------- examples

    def _look(self, name: str, shape: Mapping[str, Any], value: Any) -> None:
        """Collect examples from a file of the tree."""
        for key, held in value.items():
            part = shape.get("properties", {}).get(key)
            if part is None:
                continue
            text = _short(held)
            known = self.examples.get((name, key))
            if (
                len(text) <= _LONGEST_EXAMPLE
                and held not in ("", [], {})
                and (known is None or held != part.get("default"))
            ):
                self.examples.setdefault((name, key), text)
            for inner in _tables(held):
                for other, _, case in self._tables_in(part, ""):
                    if self._is(other, case, inner):
                        self._look(other, self.schema["$defs"][other], inner)
                        break

    def _is(self, name: str, case: str, value: Mapping[str, Any]) -> bool:
        if "=" in case and case != _UNTOLD:
            key, _, const = case.partition(" = ")
            return value.get(key) == const.strip('"')
        return (
            case in value
            if case and case != _UNTOLD
            else value.keys() <= self.schema["$defs"][name]["properties"].keys()
        )


def _allowed(shape: Mapping[str, Any]) -> list[str]:
    values = shape.get("enum", [shape["const"]] if "const" in shape else [])
    return [toml(value) for value in values]


def _range(shape: Mapping[str, Any], least: str, most: str) -> str:
    if least in shape and most in shape:
        return f", {shape[least]:,} to {shape[most]:,}"
    return f", at least {shape[least]:,}" if least in shape else ""


def _tables(value: Any) -> Iterator[Mapping[str, Any]]:
    """Yield the tables in a value: the value itself, those of a list, and those by name."""
    if isinstance(value, dict):
        yield value
        yield from (each for each in value.values() if isinstance(each, dict))
    elif isinstance(value, list):
        yield from (each for each in value if isinstance(each, dict))


def _short(value: Any) -> str:
    """Return a value as a file spells it, with long text cut."""
    text = toml(value)
    if isinstance(value, str) and len(text) > _LONGEST_EXAMPLE:
        cut = text[: _LONGEST_EXAMPLE - 2]
        return f'{cut.rpartition(" ")[0]} …"' if " " in cut else f'{cut}…"'
    return text


def toml(value: Any) -> str:
    """Return a value as a file spells it."""
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{key} = {toml(part)}' for key, part in value.items())} }}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(toml, value))}]"
    return json.dumps(value, ensure_ascii=False)
