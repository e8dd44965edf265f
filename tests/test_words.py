"""The words of `docs/glossary.md` and `docs/architecture.md` are the code's own, and those that went stay away."""

import ast
import importlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.reading.each import of_each

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "docs/glossary.md", ROOT / "docs/architecture.md"]
PACKAGES = "protocol|devices|dealer_flow|rules|dealwire"
NAMED = sorted(
    {found for page in PAGES for found in re.findall(rf"`((?:{PACKAGES})(?:\.\w+)*(?::[\w.]+)?)`", page.read_text())}
)
WALK_MOST = 10
"""Functions that a newcomer is led through."""


@of_each("named", NAMED)
def test_what_the_pages_name_is_there(named: str) -> None:
    module, _, path = named.partition(":")
    found = importlib.import_module(module)
    for part in path.split(".") if path else ():
        found = getattr(found, part)


def test_a_walk_is_short_and_each_step_names_one_function() -> None:
    walks = (ROOT / "docs/architecture.md").read_text().split("\n## ")[1:]
    assert len(walks) == 2
    for walk in walks:
        steps = re.findall(r"^\d+\. `([\w.]+:[\w.]+)` ", walk, re.MULTILINE)
        assert len(steps) == len(re.findall(r"^\d+\. ", walk, re.MULTILINE)) <= WALK_MOST
        assert len(set(steps)) == len(steps)


def test_every_room_is_explained() -> None:
    table = (ROOT / "docs/architecture.md").read_text().split("\n## ")[0]
    rows = re.findall(r"^\| .*", table, re.MULTILINE)[2:]
    explained = set(re.findall(r"`(?:\w+\.)?(\w+)`", " ".join(row.split("|")[2] for row in rows)))
    rooms = {path.parent.name for package in PACKAGES.split("|") for path in (ROOT / package).rglob("*/__init__.py")}
    assert explained == rooms


GONE = frozenset(
    ["told", "tell", "said", "asked", "appoint", "mouth", "persona", "veil", "teller", "desk", "served", "making"]
)
"""Words that need explaining twice; `docs/glossary.md` has those that took their place."""


def identifiers(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Every name that code in `tree` gives or uses, with its line."""
    for node in ast.walk(tree):
        line = getattr(node, "lineno", 0)
        for field in ("id", "attr", "arg", "name", "asname"):
            if isinstance(name := getattr(node, field, None), str):
                yield name, line


def words_in(name: str) -> set[str]:
    """`VeilTable` and `_veil_table` are veil and table."""
    return {word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)}


@pytest.mark.parametrize("package", PACKAGES.split("|"))
def test_no_identifier_holds_a_word_that_went(package: str) -> None:
    found = []
    for path in sorted((ROOT / package).rglob("*.py")):
        at = path.relative_to(ROOT).as_posix()
        if words_in(path.stem) & GONE:
            found.append(at)
        for name, line in identifiers(ast.parse(path.read_text())):
            if words_in(name) & GONE:
                found.append(f"{at}:{line}: {name}")
    assert not found


def test_a_word_that_went_is_found_within_a_name() -> None:
    tree = ast.parse("class AwardDesk:\n    def _tell_all(self, asked_ns): self.toldTable = x\n")
    assert [name for name, _ in identifiers(tree) if words_in(name) & GONE] == [
        "AwardDesk",
        "_tell_all",
        "asked_ns",
        "toldTable",
    ]
