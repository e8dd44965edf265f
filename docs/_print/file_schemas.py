"""JSON Schema of every kind of file that a user writes, generated from the models that read them.

The schemas are published in `docs/schema/`, with the meaning of each key.
"""

import ast
import inspect
import re
import textwrap
from collections.abc import Mapping
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, NamedTuple, get_args

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue, models_json_schema
from pydantic_core import core_schema

from dealer_flow.editions import EditionFile
from dealer_flow.editions.edition import FOLDER as EDITIONS
from dealer_flow.games import files_of, paytable_files
from dealer_flow.record.base import DIALECT
from dealer_flow.tomlfile import TomlTable
from dealwire.bench.plan.plan import FOLDER as PLANS
from dealwire.bench.plan.plan import VERBS, BenchPlan
from dealwire.bench.run.relay import RelayFile
from dealwire.bench.verbs.step import PlanStep
from dealwire.config.schema import Configuration
from dealwire.people.users import UsersFile
from docs._print import DOCS
from rules.game.house_ways import HOUSEWAYS, WayFile
from rules.game.keep_rules import KEEPS, KeepFile
from rules.game.schema import GameSpec
from rules.hands.poker import RANKINGS, RankingFile
from rules.house.schema import HouseSpec
from rules.meters.jackpot_setup import JackpotSetup
from rules.meters.setup import ProgressiveSetup
from rules.odds.strategy.file import StrategyFile
from rules.paytables.paytable import PayTable

_EXAMPLES: Final = DOCS / "examples"


class FileKind(NamedTuple):
    """Kind of file: its name here, the model that reads it, and the files of this kind in the tree."""

    name: str
    model: type[TomlTable]
    files: tuple[Path, ...]

    @property
    def schema(self) -> str:
        """Return the value of the key `schema` in such a file."""
        said: str = self.model.model_fields["schema_"].annotation.__args__[0]  # type: ignore[union-attr]
        return said

    @property
    def file(self) -> str:
        """Return the name of the JSON Schema's file in `docs/schema/`."""
        return f"{self.schema.removeprefix('dealwire.').replace('/', '-')}.json"


def _in(folder: Path, schema: str = "") -> tuple[Path, ...]:
    return tuple(path for path in sorted(folder.glob("*.toml")) if schema in path.read_text(encoding="utf-8"))


FILE_KINDS: Final = {
    kind.name: kind
    for kind in (
        FileKind("table", Configuration, _in(_EXAMPLES, '"dealwire.table/')),
        FileKind("game", GameSpec, tuple(files_of("pays").values())),
        FileKind("paytable", PayTable, tuple(paytable_files().values())),
        FileKind("edition", EditionFile, _in(EDITIONS)),
        FileKind("ranking", RankingFile, _in(RANKINGS)),
        FileKind("houseway", WayFile, _in(HOUSEWAYS)),
        FileKind("keep", KeepFile, _in(KEEPS)),
        FileKind("progressive", ProgressiveSetup, _in(_EXAMPLES, '"dealwire.progressive/')),
        FileKind("jackpot", JackpotSetup, _in(_EXAMPLES, '"dealwire.jackpot/')),
        FileKind("house", HouseSpec, _in(_EXAMPLES, '"dealwire.house/')),
        FileKind("strategy", StrategyFile, _in(_EXAMPLES, '"dealwire.strategy/')),
        FileKind("plan", BenchPlan, _in(PLANS)),
        FileKind("users", UsersFile, _in(_EXAMPLES, '"dealwire.users/')),
        FileKind("relay", RelayFile, _in(_EXAMPLES, '"dealwire.relay/')),
    )
}
"""Kinds of files by name."""

COMMON: Final = {
    "schema_": "Which kind of file this is, and of which version.",
    "clause": "The paragraph of the rule text that says it; `procedure` where no text does and the file decides.",
    "id": "Its name elsewhere; that of the file, without `.toml`.",
    "title": "What a person calls it.",
    "kind": "What kind of table this is.",
    "where": "What its fields must be.",
    "within": "The time by which it must have come.",
    "during": "For how long.",
    "fields": "Its fields, by name.",
    "measure": "The name under which the time that it took is reported.",
    "save": "Variable to field: what it holds is known by that name from then on.",
    "notes": "What is worth knowing of how the text was read, in sentences.",
}
"""Meanings of keys that are the same in every table that has them without a text of its own."""

# ------------------------------------------------------------------ what a key means


@cache
def meanings(model: type[BaseModel]) -> Mapping[str, str]:
    """Return the meaning of each field: the text below it in the source, or its part of the table's docstring."""
    found: dict[str, str] = {}
    for kind in reversed(model.__mro__):
        if issubclass(kind, TomlTable) and kind is not TomlTable:
            found |= _of_docstring(inspect.getdoc(kind) or "") | _below_fields(kind)
    return {
        name: _spelled(
            model,
            found.get(name)
            or found.get(name.replace("_", "-"))
            or COMMON.get(name)
            or _of_tables(tables_in(field.annotation)),
        )
        for name, field in model.model_fields.items()
    }


def _of_tables(held: list[type[TomlTable]]) -> str:
    return purpose(held[0]) if len(held) == 1 else "A table of one of several kinds." if held else ""


def _spelled(model: type[BaseModel], text: str) -> str:
    """Return a text with keys spelled as in the file, beginning with a capital letter."""
    text = re.sub(r"`(\w+)`", lambda found: f"`{spelling(model, found[1])}`", text)
    return text[:1].upper() + text[1:]


def spelling(model: type[BaseModel], name: str) -> str:
    """Return a name of the code as a file of this kind spells it."""
    if name in model.model_fields:
        return model.model_fields[name].alias or name
    return name if model.model_config.get("alias_generator") is None else name.replace("_", "-")


def tables_in(annotation: Any) -> list[type[TomlTable]]:
    """Return the tables that a key of this type may hold."""
    if isinstance(annotation, type) and issubclass(annotation, TomlTable):
        return [annotation]
    return [found for part in get_args(annotation) for found in tables_in(part)]


def purpose(model: type[BaseModel]) -> str:
    """Return the purpose of a table: the part of its model's docstring that is not about single keys."""
    text = " ".join((inspect.getdoc(model) or "").split())
    return re.split(r"(?<=[.;]) `[\w-]+`(?:, `[\w-]+`)*:", re.sub(r"^`\w+`: ", "", text))[0].strip()


def _below_fields(kind: type[BaseModel]) -> dict[str, str]:
    (body,) = ast.parse(textwrap.dedent(inspect.getsource(kind))).body
    assert isinstance(body, ast.ClassDef)
    return {
        ast.unparse(field.target): " ".join(inspect.cleandoc(str(below.value.value)).split())
        for field, below in pairwise(body.body)
        if isinstance(field, ast.AnnAssign) and isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant)
    }


def _of_docstring(text: str) -> dict[str, str]:
    """Return, for each `key` in the text, what follows it up to the next one."""
    parts = re.split(r"(?:^|(?<=[.;:] ))`([\w-]+(?:`, `[\w-]+)*)`: ", " ".join(text.split()))
    keys = zip(parts[1::2], parts[2::2], strict=True)
    return {key: f"{body.strip().rstrip(';.')}." for names, body in keys for key in names.split("`, `")}


# ------------------------------------------------------------------ the schemas


class _Generator(GenerateJsonSchema):
    """Generator that adds the meaning of each table's keys. A step of a plan has no model until its verb is known."""

    ignored_warning_kinds = {"skipped-choice", "non-serializable-default"}  # noqa: RUF012

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False

    def model_schema(self, schema: core_schema.ModelSchema) -> JsonSchemaValue:
        found = super().model_schema(schema)
        kind: type[BaseModel] = schema["cls"]
        found.pop("title", None)
        if text := " ".join((inspect.getdoc(kind) or "").split()):
            found["description"] = _spelled(kind, text)
        texts = meanings(kind)
        for name, field in kind.model_fields.items():
            key = found.get("properties", {}).get(field.alias or name)
            if key is not None and texts[name]:
                key["description"] = texts[name]
        return found


def schema_of(name: str) -> dict[str, Any]:
    """Return the JSON Schema of a kind of file; raise KeyError for an unknown kind."""
    shape = shape_of(name)
    return shape if name == "edition" else _with_variants(shape)  # an edition is whole beside its base


def shape_of(name: str) -> dict[str, Any]:
    """Return the schema of a file of this kind that extends no other; raise KeyError for an unknown kind."""
    kind = FILE_KINDS[name]
    made = kind.model.model_json_schema(by_alias=True, schema_generator=_Generator)
    if kind.model is BenchPlan:
        made = _with_steps(made)
    return {"$schema": DIALECT, "title": kind.schema, **made}


def _with_steps(made: dict[str, Any]) -> dict[str, Any]:
    """Return the schema with the steps of a plan: the verb of a step determines its other keys."""
    _, verbs = models_json_schema([(verb, "validation") for verb in VERBS.values()], schema_generator=_Generator)
    parts: dict[str, Any] = verbs["$defs"]
    cases = []
    for at, (verb, model) in enumerate(VERBS.items()):
        before = [{"required": [other]} for other in [*VERBS][:at]]
        condition = {"required": [verb], **({"not": {"anyOf": before}} if before else {})}
        cases.append({"if": condition, "then": {"$ref": f"#/$defs/{model.__name__}"}})
    step = {
        "type": "object",
        "description": "One step: a verb, and the keys that go with it.",
        "anyOf": [{"required": [verb]} for verb in VERBS],
        "allOf": cases,
    }
    return {**made, "$defs": made["$defs"] | parts | {PlanStep.__name__: step}}


# ------------------------------------------------------------------ files that extend others

_IN_PART: Final = "InPart"
_NAMES_OF_ROWS: Final = ("name", "when")
"""Keys that identify the row of the base which a row is merged with."""


def _with_variants(made: dict[str, Any]) -> dict[str, Any]:
    """Return the schema with tables that may extend another one (`base`). Such a table has only the differences, and
    every table in it may lack the keys that its base has."""
    parts: dict[str, Any] = made.get("$defs", {})
    loose: dict[str, Any] = {}
    for name, part in [*parts.items()]:
        if "base" in part.get("properties", {}):
            parts[f"Whole{name}"] = part
            parts[name] = _either(f"Whole{name}", _loosened(part, parts, loose), loose)
    if "base" in made.get("properties", {}):
        head: dict[str, Any] = {key: made.pop(key) for key in ("$schema", "title", "description") if key in made}
        rest = {key: made.pop(key) for key in [*made] if key != "$defs"}
        parts["Whole"] = rest
        made = {**head, **_either("Whole", _loosened(rest, parts, loose), loose), "$defs": parts}
    parts |= loose
    return made


def _either(whole: str, variant: dict[str, Any], loose: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a table that is either complete or extends another."""
    needed = ["schema", "base", "id"] if whole == "Whole" else ["base"]
    loose[f"{whole}{_IN_PART}"] = {**variant, "required": needed}
    ref = {"$ref": f"#/$defs/{whole}{_IN_PART}"}
    return {"if": {"type": "object", "required": ["base"]}, "then": ref, "else": {"$ref": f"#/$defs/{whole}"}}


def _loosened(shape: Any, parts: Mapping[str, Any], loose: dict[str, Any]) -> Any:
    """Return a part of the schema without its required keys; a row of any kind needs only its name."""
    if isinstance(shape, list):
        return [_loosened(each, parts, loose) for each in shape]
    if not isinstance(shape, dict):
        return shape
    if "discriminator" in shape:
        kinds = [parts[each["$ref"].rpartition("/")[2]] for each in shape["oneOf"]]
        return _any_of(kinds, parts, loose)
    if "$ref" in shape:
        name = shape["$ref"].rpartition("/")[2]
        if f"{name}{_IN_PART}" not in loose and f"Whole{name}" not in parts:
            loose[f"{name}{_IN_PART}"] = {}  # it may stand within itself
            loose[f"{name}{_IN_PART}"] = _loosened(parts[name], parts, loose)
        return shape if f"Whole{name}" in parts else {**shape, "$ref": f"#/$defs/{name}{_IN_PART}"}
    found = {key: _loosened(part, parts, loose) for key, part in shape.items() if key != "required"}
    named = [key for key in _NAMES_OF_ROWS if key in shape.get("required", ())]
    return {**found, "required": named} if named else found


def _any_of(kinds: list[dict[str, Any]], parts: Mapping[str, Any], loose: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a row that may have the keys of each of these kinds."""
    keys: dict[str, list[Any]] = {}
    for kind in kinds:
        for key, part in kind["properties"].items():
            held = _loosened(part, parts, loose)
            keys.setdefault(key, []).extend([] if held in keys.get(key, []) else [held])
    held_by = {key: held[0] if len(held) == 1 else {"anyOf": held} for key, held in keys.items()}
    return {"type": "object", "additionalProperties": False, "properties": held_by, "required": ["name"]}
