"""`docs/procedures.md` explains every key that a procedure file may have, and every word of what follows."""

import re
from pathlib import Path
from typing import Any, Final, get_args

import pytest

from dealer_flow.procedure.schema import Procedure
from dealer_flow.procedure.tables import How, Then
from tests.support.reading.each import of_each

PAGE: Final = (Path(__file__).parents[2] / "docs" / "procedures.md").read_text(encoding="utf-8")
_BLOCK: Final = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
SPANS: Final = "\n".join([*_BLOCK.findall(PAGE), *re.findall(r"`[^`]+`", _BLOCK.sub("", PAGE))])
"""Code on the page: spans, and the lines of its blocks."""


def keys(node: Any) -> set[str]:
    """Every key of the tables of a JSON Schema."""
    inner = node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
    own = set(node.get("properties", {})) if isinstance(node, dict) else set()
    return own.union(*map(keys, inner))


def explained(word: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", SPANS) is not None


KEYS: Final = sorted(keys(Procedure.model_json_schema(by_alias=True)))


@of_each("key", KEYS)
def test_every_key_is_explained(key: str) -> None:
    assert explained(key)


@pytest.mark.parametrize("word", [*get_args(Then), *get_args(How)])
def test_every_consequence_and_every_way_to_be_wrong_is_explained(word: str) -> None:
    assert explained(word)


def test_a_key_that_is_not_there_is_missed() -> None:
    assert len(KEYS) > 140
    assert not explained("replaced-by")
