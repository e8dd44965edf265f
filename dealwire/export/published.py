"""What is printed from the data: schemas, the guide to the lines, the table of metrics.

`python -m dealwire.export.published` writes them; a test holds every printed page to what these functions give.
"""

import json
from pathlib import Path
from typing import Any, Final

from dealwire.export.metrics import MEASURES
from dealwire.export.schemas import bodies, field_shapes, meaning, schema_of
from dealwire.hub.lines import LINE_TYPES
from dealwire.table.event_line import optional

MARK: Final = "<!-- printed by python -m dealwire.export.published -->"
END: Final = "<!-- end of what is printed -->"


def pages(docs: Path) -> dict[str, str]:
    """Every printed page: path under `docs` -> text. Of a page written by hand only the marked part is printed."""
    out = {f"schema/{line.file}": json.dumps(schema_of(line.name), indent=2) + "\n" for line in LINE_TYPES.values()}
    for path, lines in {"events.md": _events_part(), "exports.md": _metrics_part()}.items():
        before, _, rest = (docs / path).read_text(encoding="utf-8").partition(MARK)
        out[path] = "\n".join([before + MARK, "", *lines, "", END]) + rest.partition(END)[2]
    return out


def _events_part() -> list[str]:
    lines = ["| `type` | `schema` | JSON Schema | what it says |", "| --- | --- | --- | --- |"]
    lines += [
        f"| `{line.name}` | `{line.schema}` | [{line.file}](schema/{line.file}) | {line.what} |"
        for line in LINE_TYPES.values()
    ]
    for name in LINE_TYPES:
        lines += ["", f"## {name}", "", "| key | value |", "| --- | --- |", *_keys(schema_of(name))]
    lines += ["", "## Reports of devices", "", "| `event` | `fields` | meaning |", "| --- | --- | --- |"]
    for kind in bodies():
        silent = optional(kind)
        fields = ", ".join(
            f"`{name}` {_words(shape, {})}{' (may be absent)' * (name in silent)}"
            for name, shape in field_shapes(kind).items()
        )
        lines.append(f"| `{kind.__name__}` | {fields or '-'} | {meaning(kind)} |")
    return lines


def _metrics_part() -> list[str]:
    lines = ["| metric | labels | what it says |", "| --- | --- | --- |"]
    for name, measure in MEASURES.items():
        shown = f"{name}_total" if measure.kind == "counter" else name
        lines.append(f"| `{shown}` | {', '.join(measure.labels) or '-'} | {measure.what} |")
    return lines


def _keys(schema: dict[str, Any]) -> list[str]:
    """One row a key; a key that a line may lack says so."""
    always = set(schema.get("required", ()))
    rows = []
    for name, shape in schema["properties"].items():
        optional = "" if name in always or "const" in shape else " (may be absent)"
        rows.append(f"| `{name}` | {_words(shape, schema.get('$defs', {}))}{optional} |")
    return rows


def _words(shape: dict[str, Any], defs: dict[str, Any]) -> str:
    """A schema in words."""
    if "const" in shape:
        return f"`{shape['const']}`"
    if "enum" in shape:
        return "one of many, listed below" if len(shape["enum"]) > 12 else ", ".join(f"`{v}`" for v in shape["enum"])
    if "anyOf" in shape:
        return " or ".join(_words(one, defs) for one in shape["anyOf"])
    if "$ref" in shape:
        name = shape["$ref"].rsplit("/", 1)[-1]
        if name == "Incident":
            return "an [incident](#incident)"
        return "{" + ", ".join(f"`{key}`" for key in defs[name]["properties"]) + "}"
    if "prefixItems" in shape:
        return "[" + ", ".join(_words(one, defs) for one in shape["prefixItems"]) + "]"
    if shape.get("type") == "array":
        return f"list of {_words(shape['items'], defs)}"
    values = shape.get("additionalProperties")
    if isinstance(values, dict):
        return f"object, each value {_words(values, defs)}"
    return str(shape.get("title", "")) if shape.get("title", "").islower() else str(shape.get("type", "any"))


def main() -> None:
    """Write the pages into `docs/` beside the package."""
    docs = Path(__file__).parents[2] / "docs"
    for path, text in pages(docs).items():
        (docs / path).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
