"""Strict TOML: read, validate, and name the file, line, key and what is allowed when something is wrong."""

import tomllib
from collections.abc import Callable, Iterable
from pathlib import Path
from types import UnionType
from typing import Any, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel, ConfigDict, ValidationError

from protocol.tomlfile import Key, TomlFileError, line_of, spell, syntax_fault

Model = TypeVar("Model", bound="TomlTable")


class TomlTable(BaseModel):
    """Base of every table in a file: strict, frozen, no unknown key; kebab-case in the file, snake_case here."""

    model_config = ConfigDict(
        strict=True,
        extra="forbid",
        frozen=True,
        alias_generator=lambda name: name.replace("_", "-").rstrip("-"),
        populate_by_name=False,
    )


def load(
    path: Path,
    model: type[Model],
    faults: Callable[[Model], Iterable[tuple[Key, str]]] = lambda _: (),
    context: dict[str, Any] | None = None,
) -> Model:
    """The file at `path` as a `model`, whose validators may read `context`; TomlFileError, always one line, for
    anything that is wrong with it. `faults` says what one key cannot know of another."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else "not UTF-8 text"
        raise TomlFileError(path, None, "", f"cannot be read: {why}") from error
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        line, why = syntax_fault(error, text)
        raise TomlFileError(path, line, "", why) from error
    try:
        found = model.model_validate(tuples(content), context=context)
    except ValidationError as error:
        raise _explain(path, text, model, error) from error
    for key, why in faults(found):
        raise fault_in(path, key, why)
    return found


def fault_in(path: Path, key: Key, why: str) -> TomlFileError:
    """What is wrong at a key of a file."""
    return TomlFileError(path, line_of(path.read_text(encoding="utf-8"), key), spell(key), why)


def tuples(value: Any) -> Any:
    """Arrays as tuples, which is what a frozen model holds."""
    if isinstance(value, dict):
        return {key: tuples(part) for key, part in value.items()}
    return tuple(tuples(part) for part in value) if isinstance(value, list) else value


def _explain(path: Path, text: str, model: type[TomlTable], error: ValidationError) -> TomlFileError:
    """The first fault, in the words of the file."""
    fault = error.errors(include_url=False)[0]
    key: Key = fault["loc"]
    why = fault["msg"].removeprefix("Value error, ")
    if fault["type"] == "extra_forbidden":
        why = f"unknown key; allowed: {', '.join(keys_at(model, key[:-1]))}"
    elif fault["type"] == "missing":
        why = "missing"
    else:
        why = f"{why[:1].lower()}{why[1:]}; found {fault['input']!r}" if key else why
    return TomlFileError(path, line_of(text, key), spell(key), why)


def keys_at(model: type[BaseModel], key: Key) -> list[str]:
    """Keys allowed in the table at `key`, found by walking the models."""
    here: type[BaseModel] = model
    for part in key:
        if isinstance(part, int):
            continue
        for name, field in here.model_fields.items():
            if part in (name, field.alias):
                here = next(iter(_models(field.annotation)), here)
    return [field.alias or name for name, field in here.model_fields.items()]


def _models(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    if get_origin(annotation) in (Union, UnionType, tuple, dict):
        return [model for part in get_args(annotation) for model in _models(part)]
    return []
