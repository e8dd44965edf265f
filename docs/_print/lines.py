"""Schemas of the lines, the page that explains them, and the table of metrics."""

import json
from collections.abc import Iterator
from typing import Any, Final

from dealer_flow.record.base import line_schema
from dealwire.bench.report.report import Report
from dealwire.export.fleet.metrics import FLEET_MEASURES
from dealwire.export.metrics import MEASURES
from dealwire.sheet.model import RoundSheet
from dealwire.table.event_line import optional
from docs._print import printed, table
from docs._print.line_schemas import LINE_TYPES, bodies, field_shapes, meaning, schema_of

SHEET: Final = "sheet-1.json"
"""Name of the schema of `dealwire.sheet/1`, which is not a line of a table."""


def pages() -> dict[str, str]:
    """Return every page and schema by its path under `docs`."""
    out = {f"schema/{line.file}": json.dumps(schema_of(line.name), indent=2) + "\n" for line in LINE_TYPES.values()}
    out["schema/bench-2.json"] = json.dumps(line_schema(Report), indent=2) + "\n"
    out[f"schema/{SHEET}"] = json.dumps(line_schema(RoundSheet), indent=2) + "\n"
    return out | {"events.md": printed("events.md", _events()), "exports.md": printed("exports.md", _metrics())}


def _events() -> Iterator[str]:
    lines = ((f"`{x.name}`", f"`{x.schema}`", f"[{x.file}](schema/{x.file})", x.what) for x in LINE_TYPES.values())
    yield from table(("`type`", "`schema`", "JSON Schema", "content"), lines)
    for name in LINE_TYPES:
        yield from ("", f"## {name}", "", *table(("key", "value"), _keys(schema_of(name))))
    yield from ("", "## Reports of devices", "", *table(("`event`", "`fields`", "meaning"), map(_report, bodies())))


def _report(kind: type[Any]) -> tuple[str, ...]:
    silent = optional(kind)
    fields = ", ".join(
        f"`{name}` {_words(shape, {})}{' (may be absent)' * (name in silent)}"
        for name, shape in field_shapes(kind).items()
    )
    return f"`{kind.__name__}`", fields or "-", meaning(kind)


def _metrics() -> list[str]:
    found = [*MEASURES.items(), *FLEET_MEASURES.items()]
    shown = {f"{name}_total" if measure.kind == "counter" else name: measure for name, measure in found}
    rows = ((f"`{name}`", ", ".join(measure.labels) or "-", measure.what) for name, measure in shown.items())
    return table(("metric", "labels", "meaning"), rows)


def _keys(schema: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield one row for each key; optional keys are marked."""
    always = set(schema.get("required", ()))
    for name, shape in schema["properties"].items():
        optional = "" if name in always or "const" in shape else " (may be absent)"
        yield f"`{name}`", f"{_words(shape, schema.get('$defs', {}))}{optional}"


def _words(shape: dict[str, Any], defs: dict[str, Any]) -> str:
    """Return a schema in words."""
    if "const" in shape:
        return f"`{shape['const']}`"
    if "enum" in shape:
        return "one of many, listed below" if len(shape["enum"]) > 16 else ", ".join(f"`{v}`" for v in shape["enum"])
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
