"""The pages and JSON Schemas of the files that a person writes agree with the loaders."""

import copy
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from pydantic import ValidationError
from pydantic.json_schema import SkipJsonSchema

from dealer_flow.patterns import IN_WORDS
from dealer_flow.tomlfile import TomlTable, tuples
from dealwire.bench.plan.plan import VERBS
from dealwire.bench.values import BadValue
from dealwire.config.load import load_configuration
from docs._print import DOCS
from docs._print.file_schemas import FILE_KINDS, meanings, schema_of, spelling, tables_in
from docs._print.files import pages, toml
from rules.game.as_dealt import as_dealt
from tests.support.reading.each import of_each

KINDS = [*FILE_KINDS]
FILES = [(name, path) for name, kind in FILE_KINDS.items() for path in kind.files]
Content = dict[str, Any]
BEYOND = {"value_error", "assertion_error"}
"""Errors of a loader that no schema can express: those of our own validators."""
WRONG: tuple[Any, ...] = ("no such word", -1, True, [], {"no-such-key": 1})
ROWS = 6
SPOILT_MOST = 60
"""Most places of a file that are spoiled."""


@cache
def validator(kind: str) -> jsonschema.Draft202012Validator:
    schema = schema_of(kind)
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def content(path: Path) -> Content:
    return tomllib.loads(path.read_text(encoding="utf-8"))


@cache
def printed() -> dict[str, str]:
    return pages()


# ------------------------------------------------------------------ what comes along


@of_each("path", lambda: sorted(printed()))
def test_what_is_printed_is_current(path: str) -> None:
    assert (DOCS / path).read_text(encoding="utf-8") == printed()[path], "run `make docs`"


@pytest.mark.parametrize("kind", KINDS)
def test_every_file_that_comes_along_fits_its_schema(kind: str) -> None:
    assert FILE_KINDS[kind].files
    for path in FILE_KINDS[kind].files:
        faults = [
            f"{path.name}: {fault.json_path}: {fault.message}" for fault in validator(kind).iter_errors(content(path))
        ]
        assert not faults, faults


def test_the_example_of_a_table_has_every_key_and_can_be_served() -> None:
    found = load_configuration(DOCS / "examples" / "table-every-key.toml")
    assert len(found.table) == 7
    texts = [path.read_text(encoding="utf-8") for path in FILE_KINDS["table"].files]
    for table in tables(FILE_KINDS["table"].model):
        for name in table.model_fields:
            key = re.compile(rf"(^\[*|[{{,.] ?|^){re.escape(spelling(table, name))}(\]| =|\.)", re.MULTILINE)
            assert any(key.search(text) for text in texts), f"{table.__name__}: {name}"


# ------------------------------------------------------------------ the pages


def tables(model: type[TomlTable], known: dict[type[TomlTable], None] | None = None) -> dict[type[TomlTable], None]:
    """Return every table that a file may have."""
    known = {} if known is None else known
    known.setdefault(model)
    for field in model.model_fields.values():
        for table in tables_in(field.annotation):
            if table not in known:
                tables(table, known)
    return known


def models(kind: str) -> list[type[TomlTable]]:
    found = [*tables(FILE_KINDS[kind].model)]
    return [*found, *VERBS.values()] if kind == "plan" else found


def patterns(schema: object) -> Iterator[str]:
    """Yield the patterns that the loader checks, at whatever depth."""
    if isinstance(schema, dict):
        if schema.get("type") == "str" and "pattern" in schema:
            yield schema["pattern"]
        schema = [*schema.values()]
    if isinstance(schema, list | tuple):
        for part in schema:
            yield from patterns(part)


@pytest.mark.parametrize("kind", KINDS)
def test_no_error_shows_a_pattern(kind: str) -> None:
    for table in models(kind):
        for pattern in patterns(table.__pydantic_core_schema__):
            assert pattern in IN_WORDS, f"{table.__name__}: say in words what fits {pattern}, in dealer_flow/patterns"


@pytest.mark.parametrize("kind", KINDS)
def test_every_key_stands_in_the_page_with_its_meaning(kind: str) -> None:
    page = printed()[f"files/{kind}.md"]
    for table in models(kind):
        if table.__name__ == "PlanStep":
            continue
        for name, text in meanings(table).items():
            assert text, f"{table.__name__}: {name} is not explained in its model"
            if any(isinstance(mark, SkipJsonSchema) for mark in table.model_fields[name].metadata):
                continue  # another file says it
            row = f"| `{spelling(table, name)}` |"
            assert row in page, f"{table.__name__}: {row}"
            assert text.replace("|", "\\|") in page, f"{table.__name__}: {name}: {text}"


def test_a_key_says_what_it_holds_what_else_counts_and_an_example() -> None:
    page = printed()["files/table.md"]
    row = "| `limit-cents` | whole number, 1 to 1,000,000,000,000, in cents | - | "
    assert row + "The largest bet; a larger one is held. | `10000` |" in page
    assert '| `role` | `"observe"`, `"control"` | `"observe"` |' in page
    assert "| `address` | text | **needed** |" in page
    assert "## `[table.device.pin]`" in page
    assert '## `[[bets]]` with `kind = "against"`' in printed()["files/game.md"]
    assert "## `[[check.steps]]`: `send`" in printed()["files/plan.md"]


# ------------------------------------------------------------------ files that are wrong


def places(value: Any, at: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Yield every key and every place in a list."""
    for key, part in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield (*at, key)
        yield from places(part, (*at, key))


def changed(whole: Content, at: tuple[str | int, ...], value: Any) -> Content:
    new = copy.deepcopy(whole)
    held: Any = new
    for key in at[:-1]:
        held = held[key]
    if value is ...:
        del held[at[-1]]
    else:
        held[at[-1]] = value
    return new


def spoilt(whole: Content) -> Iterator[tuple[str, Content]]:
    """Yield the file with each key left out, misspelled, and with another value; only the first two of similar rows."""
    found = [at for at in places(whole) if not any(isinstance(key, int) and key > 1 for key in at)]
    for at in found[:: -(-len(found) // SPOILT_MOST)]:
        yield f"{at} left out", changed(whole, at, ...)
        for value in WRONG:
            yield f"{at} = {value!r}", changed(whole, at, value)
        if isinstance(at[-1], str):
            yield f"{at} misspelt", changed(changed(whole, at, ...), (*at[:-1], f"{at[-1]}s"), 1)


def refused(kind: str, given: Content) -> set[str]:
    """Return the kinds of errors that the loader finds in the shape of a file; `value_error` for our own validators."""
    whole = as_dealt(given, {}) if kind == "game" else given  # the procedure says which bet is of no kind
    try:
        FILE_KINDS[kind].model.model_validate(tuples(whole), context={"folder": DOCS})
    except ValidationError as fault:
        return {each["type"] for each in fault.errors(include_url=False)}
    except (BadValue, LookupError):
        return {"value_error"}
    return set()


def beginning(path: Path) -> Content:
    """Return a file with the first rows of its tables."""
    return {key: part[:ROWS] if isinstance(part, list) else part for key, part in content(path).items()}


def most_varied(kind: str) -> Path:
    """Return the file with the most keys."""
    return max(FILE_KINDS[kind].files, key=lambda path: len({key for at in places(beginning(path)) for key in at}))


@pytest.mark.every(3)
@pytest.mark.parametrize("kind", KINDS)
def test_a_schema_refuses_what_the_loader_refuses_and_nothing_else(kind: str) -> None:
    seen = {"refused": 0, "taken": 0, "beyond": 0}
    path = most_varied(kind)
    for what, given in spoilt(beginning(path)):
        faults, fits = refused(kind, given), validator(kind).is_valid(given)
        if not faults:
            assert fits, f"{path.name}: {what}: the loader takes it, the schema does not"
        elif faults - BEYOND:
            assert not fits, f"{path.name}: {what}: the loader finds {faults}, the schema nothing"
        seen["beyond" if fits and faults else "refused" if faults else "taken"] += 1
    assert seen["refused"] > 50, seen
    assert seen["beyond"] < seen["refused"] / 4, seen


def test_a_value_is_written_as_toml() -> None:
    given = {"a": [1, "x", True], "b": {"c": 2}}
    assert tomllib.loads(f"v = {toml(given)}") == {"v": given}
