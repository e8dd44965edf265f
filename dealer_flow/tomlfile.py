"""Strict TOML: read and validate a file; an error names the file, line, key and what is allowed."""

import os
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Final, Literal, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import ErrorDetails

from dealer_flow.patterns import IN_WORDS
from devices.files import read_file
from protocol.nearest import instead
from protocol.printable import printable
from protocol.tomlfile import Key, TomlFileError, line_of, spell, syntax_fault

Model = TypeVar("Model", bound="TomlTable")
Error = TypeVar("Error", bound=TomlFileError)
Faults = Callable[[Model], Iterable[tuple[Key, str]]]
"""Check of a file whose keys are valid one by one: yields the key and the reason of each error."""

TOML_MAX_BYTES: Final = 256 * 1024
"""Largest file that is read: eight times the largest in the package; TOML takes a second per megabyte."""
DEEPEST: Final = 32
"""Deepest nesting of tables and arrays, and most parts of one key: the package uses five at most, and each level is a
recursive call."""
FAULTS_MAX: Final = 100
"""Most errors of one file that are reported: no one reads more, and each one searches the file."""
_INTEGERS: Final = range(-(2**63), 2**63)
"""Integers that TOML 1.0 requires."""
_LONG_KEY: Final = re.compile(rf"""(?<![\w"'-])(?:[\w"'-]++[ \t]*+\.[ \t]*+){{{DEEPEST + 1}}}""")
"""Key with so many parts that the TOML reader would take quadratic time."""


class TomlTable(BaseModel):
    """Base of every table in a file: strict, immutable, no unknown key; kebab-case in the file, snake_case here."""

    model_config = ConfigDict(
        strict=True,
        extra="forbid",
        frozen=True,
        alias_generator=lambda name: name.replace("_", "-").rstrip("-"),
        populate_by_name=False,
        defer_build=True,  # saves start time: most programs read few kinds of file
    )


def load(
    path: Path, model: type[Model], faults: Faults[Model] = lambda _: (), context: dict[str, Any] | None = None
) -> Model:
    """Load the file at `path` as a `model`, whose validators may read `context`.

    TomlFileError, always one line, for any error. `faults` checks keys against each other.
    """
    return first_fault(*parse(path, read(path), model, faults, TomlFileError, context))


def first_fault(found: Model | None, wrong: Iterator[TomlFileError]) -> Model:
    """Return `found`, or raise the first error in `wrong`."""
    for fault in wrong:
        raise fault
    assert found is not None
    return found


def parse(
    file: str | Path,
    text: str,
    model: type[Model],
    faults: Faults[Model],
    error: type[Error],
    context: dict[str, Any] | None = None,
) -> tuple[Model | None, Iterator[Error]]:
    """Parse `text`; return the model, or None, and an iterator over its errors.

    Errors in single keys leave no model; only without them are the keys checked against each other.
    """
    try:
        content = parsed(file, text, error)
    except error as fault:
        return None, iter([fault])
    found, wrong = validated(content, model, faults, context)
    return found, named_faults(iter(wrong), lambda key, why: fault_at(file, text, key, why, error))


def parsed(file: str | Path, text: str, error: type[Error]) -> dict[str, Any]:
    """Parse `text` into plain values; `error` if it is not TOML, or too deep or large for its readers."""
    try:
        content = _content(text)
    except tomllib.TOMLDecodeError as fault:
        line, why = syntax_fault(fault, text)
        raise error(file, line, "", why) from None
    except (ValueError, RecursionError):  # thousands of digits in a number, or thousands of brackets
        raise error(file, None, "", "not TOML: a number is too long, or a table too deep") from None
    for key, why in _beyond(content, ()):
        raise error(file, line_of(text, key), spell(key), why)
    return content


def _content(text: str) -> dict[str, Any]:
    """Parse `text` into plain values, after a check for overlong keys."""
    if long := _LONG_KEY.search(text):
        line = text.count("\n", 0, long.start()) + 1
        raise tomllib.TOMLDecodeError(f"a key has more than {DEEPEST} parts (at line {line}, column 1)")
    return tomllib.loads(text)


def _beyond(value: Any, key: Key) -> Iterator[tuple[Key, str]]:
    """Yield the parts of a value that are nested too deep or too large."""
    if len(key) > DEEPEST:
        yield key[:1], f"tables or arrays nested more than {DEEPEST} deep"
    elif isinstance(value, dict | list):
        for name, part in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _beyond(part, (*key, name))
    elif isinstance(value, int) and value not in _INTEGERS:
        yield key, "a whole number beyond 64 bits"


def fault_at(file: str | Path, text: str, key: Key, why: str, error: type[Error]) -> Error:
    """Return the error for a key of `text`; a key that does not exist is reported at the end of the file."""
    line = line_of(text, key) or len(text.splitlines()) or None if key else None
    return error(file, line, spell(key), why)


def named_faults(wrong: Iterator[tuple[Key, str]], at: Callable[[Key, str], Error]) -> Iterator[Error]:
    """Yield each error with its place, up to `FAULTS_MAX` of them."""
    for key, why in islice(wrong, FAULTS_MAX):
        yield at(key, why)
    if next(wrong, None) is not None:
        yield at((), f"and more; only the first {FAULTS_MAX} errors are listed")


def validated(
    content: Mapping[str, Any], model: type[Model], faults: Faults[Model], context: dict[str, Any] | None = None
) -> tuple[Model | None, Iterable[tuple[Key, str]]]:
    """Validate content that was parsed before, as `parse` does."""
    try:
        found = model.model_validate(tuples(content), context=context)
    except ValidationError as fault:
        return None, _explained(model, fault.errors(include_url=False)[: FAULTS_MAX + 1])
    return found, faults(found)


def read(path: Path, error: type[TomlFileError] = TomlFileError) -> str:
    """Read the text of a file; an `error` from the system's own if it cannot be read."""
    try:
        return read_file(path, TOML_MAX_BYTES).decode("utf-8").replace("\r\n", "\n")
    except UnicodeDecodeError as fault:
        raise error(path, None, "", f"not UTF-8 text at byte {fault.start}") from None
    except OSError as fault:
        raise error(path, None, "", f"cannot be read: {fault.strerror}") from fault
    except ValueError:
        raise error(path, None, "", "cannot be read: not a valid file name") from None


def files_in(folder: Path) -> dict[str, Path]:
    """Return name -> file of every TOML file in a folder, sorted by name."""
    return {path.name.removesuffix(".toml"): path for path in sorted(folder.glob("*.toml"))}


def locate(
    source: str | Path,
    known: Mapping[str, Path],
    what: str,
    error: type[TomlFileError] = TomlFileError,
    named: str = "known",
) -> Path:
    """Return the file that is meant: a path, or the name of a `known` one. `named` is the word for these in the
    message."""
    if isinstance(source, Path) or source.endswith(".toml") or "/" in source or "\\" in source:
        return Path(source)
    if source in known:
        return known[source]
    if (why := misnamed(source)) is not None:
        raise error(source, None, "", why)
    raise error(source, None, "", f"no such {what}{instead(source, known, f'{named}: ', ', or a .toml file')}")


def misnamed(source: str | Path) -> str | None:
    """Return why an existing path is neither an id nor a .toml file; None if it may be, or does not exist."""
    if os.path.isdir(source):
        return "a folder; expected an id or a .toml file"
    if os.path.isfile(source) and not str(source).endswith(".toml"):
        return "a file whose name does not end in .toml; expected an id or a .toml file"
    return None


def fault_in(path: Path, key: Key, why: str) -> TomlFileError:
    """Return the error for a key of a file."""
    return TomlFileError(path, line_of(read(path), key), spell(key), why)


def tuples(value: Any) -> Any:
    """Return a value with its arrays as tuples, which a frozen model requires."""
    if isinstance(value, dict):
        return {key: tuples(part) for key, part in value.items()}
    return tuple(tuples(part) for part in value) if isinstance(value, list) else value


def _explained(model: type[BaseModel], faults: Iterable[ErrorDetails]) -> list[tuple[Key, str]]:
    """Explain each error in terms of the file, without those that only follow from another.

    A key is not missing if it is misspelled, nor a list too short if parts of it have errors.
    """
    found, meant, above = list[tuple[Key, str]](), set[Key](), set[Key]()
    for fault in faults:
        key, why = _explain(model, fault)
        if fault["type"] == "extra_forbidden":
            near = _near(key[-1], _allowed(model, fault["loc"][:-1]))
            if near is not None:
                meant.add((*key[:-1], near))
                why = f"{why} (did you mean {near!r}?)"
        found.append((key, why))
        above |= {key[:length] for length in range(len(key))}
    follows = {_MISSING: meant, _TOO_SHORT: above}
    return [(key, why) for key, why in found if not any(why.startswith(of) and key in at for of, at in follows.items())]


_MISSING: Final = "missing"
_TOO_SHORT: Final = "needs at least "
_LONGEST_KEY: Final = 64
"""Longest key for which a similar one is looked up; for longer ones it takes too long and finds nothing."""


def _near(key: str | int, allowed: Iterable[str]) -> str | None:
    """Return the allowed key that was most likely meant."""
    from difflib import get_close_matches  # imported late: only errors need it

    written = str(key).replace("_", "-").lower()
    return next(iter(get_close_matches(written, [*allowed], 1)), None) if len(written) <= _LONGEST_KEY else None


def _allowed(model: type[BaseModel], loc: Key) -> list[str]:
    """Return the keys that the table at `loc` may have."""
    fields = (each for kind in _walk(model, loc)[1] for each in kind.model_fields.items())
    return list(dict.fromkeys(field.alias or name for name, field in fields))


def _explain(model: type[BaseModel], fault: ErrorDetails) -> tuple[Key, str]:
    """Return the key and the error in terms of the file."""
    key, kinds = _walk(model, fault["loc"])
    if fault["type"] == "extra_forbidden":
        return key, f"unknown key; allowed: {', '.join(_allowed(model, fault['loc'][:-1]))}"
    if fault["type"] == "missing":
        return key, _MISSING
    if fault["type"].startswith("union_tag"):
        name = fault["ctx"]["discriminator"].strip("'")
        allowed = ", ".join(tag for kind in kinds for tag in _tags(kind, name))
        tag = fault["ctx"].get("tag")
        why = "missing" if tag is None else f"no such kind: {printable(repr(tag))}"
        return (*key, name), f"{why}; allowed: {allowed}"
    given = printable(repr([*fault["input"]] if isinstance(fault["input"], tuple) else fault["input"]))
    if fault["type"] in _WORDS:
        return key, f"must be {_WORDS[fault['type']]}, not {given}"
    why = fault["msg"].removeprefix("Input should be ").replace("\n", " ")
    if fault["type"] == "string_pattern_mismatch" and (fits := IN_WORDS.get(fault["ctx"]["pattern"])) is not None:
        return key, f"must be {fits}, not {given}"
    if fault["type"] == "string_too_short":
        return key, "must not be empty"
    if fault["type"] == "too_short":
        return key, f"{_TOO_SHORT}{fault['ctx']['min_length']}"
    if fault["type"] == "value_error":
        return key, why.removeprefix("Value error, ")
    return key, f"must be {why}, not {given}" if why != fault["msg"] else f"{why}, not {given}"


_WORDS: Final = {
    **dict.fromkeys(("tuple_type", "list_type"), "a list"),
    **dict.fromkeys(("dict_type", "model_type", "dataclass_type", "named_tuple_type"), "a table"),
    "string_type": "a text",
    "int_type": "a whole number",
    "bool_type": "true or false",
}
"""Required type of a value in terms of the file."""


def _walk(model: type[BaseModel], loc: Key) -> tuple[Key, list[type[BaseModel]]]:
    """Return the key as it is in the file, and the models of tables that may be there.

    For a union the validator puts the tag of the kind that it chose behind the number.
    """
    key, here = list[str | int](), [model]
    for part in loc:
        if isinstance(part, str) and len(here) > 1:
            tagged = [kind for kind in here if any(part in _tags(kind, name) for name in kind.model_fields)]
            if tagged:
                here = tagged
                continue
        fields = [field for kind in here for name, field in kind.model_fields.items() if part in (name, field.alias)]
        if not fields and part in ("int", "str"):
            continue  # pydantic's name for the alternative of a union that it tried
        key.append(part)
        here = next((_models(field.annotation) for field in fields), []) or here
    return tuple(key), here


def _tags(kind: type[BaseModel], name: str) -> tuple[str, ...]:
    """Return the values of a key that distinguishes kinds of tables; empty for any other key."""
    annotation = kind.model_fields[name].annotation
    return get_args(annotation) if get_origin(annotation) is Literal else ()


def _models(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    if get_origin(annotation) in (Annotated, Union, UnionType, tuple, dict):
        return [model for part in get_args(annotation) for model in _models(part)]
    return []
