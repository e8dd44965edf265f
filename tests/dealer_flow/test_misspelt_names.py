"""A name misspelt anywhere in a procedure is refused: of an option, a bet, a step, a choice, a hand or a value."""

from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from dealer_flow.games import files_of
from dealer_flow.procedure.checks.contradictions import contradictions
from dealer_flow.procedure.layers import compose
from dealer_flow.procedure.load import ProcedureError, known_procedures
from dealer_flow.procedure.schema import Procedure
from dealer_flow.tomlfile import read, validated
from tests.support.reading.each import of_each

Key = tuple[str | int, ...]
FREE = {
    *("id", "schema", "title", "jurisdiction", "reason", "base", "without"),
    *("clause", "bets-closed", "parts", "as"),
}
"""Keys with free text, as all that end in `-clause`. Those that end in `name` define a name; `allowed` lists the values
of an option."""


def texts(value: Any, key: Key = ()) -> Iterator[Key]:
    """Yield the keys whose text must be one of several."""
    if isinstance(value, str):
        words = [part for part in key if isinstance(part, str)]
        if words[-1].endswith("-clause"):
            return
        if not FREE & {*words} and words[-1] not in ("name", "allowed"):
            yield key
        return
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list | tuple) else ()
    for part, item in items:
        yield from texts(item, (*key, part))


def misspelt(value: Any, key: Key) -> Any:
    """The content with another text at this key."""
    if not key:
        return "nosuch"
    first, *rest = key
    if isinstance(value, dict):
        return {part: misspelt(item, tuple(rest)) if part == first else item for part, item in value.items()}
    return [misspelt(item, tuple(rest)) if part == first else item for part, item in enumerate(value)]


@cache
def shapes() -> dict[str, tuple[str, Key]]:
    """Each key that any procedure gives, rows without their number -> the first procedure that gives it, and where."""
    found: dict[str, tuple[str, Key]] = {}
    for name in known_procedures():
        content = content_of(name)
        for key in texts(content):
            kind = [content["step"][key[1]]["do"]] if key[0] == "step" else []
            found.setdefault(" ".join([*kind, *(part for part in key if isinstance(part, str))]), (name, key))
    return found


def content_of(name: str) -> Any:
    path = files_of("deal")[name]
    return compose(read(path, ProcedureError), str(path)).content()


@pytest.mark.every(3)
@of_each("shape", shapes, shares=3)
def test_a_misspelt_name_is_refused(shape: str) -> None:
    name, key = shapes()[shape]
    _, wrong = validated(misspelt(content_of(name), key), Procedure, contradictions)
    assert [*wrong], f"{name}: {key} may be anything"
