"""The words of `docs/glossary.md` and `docs/architecture.md` are the code's own, and those that went stay away."""

import ast
import importlib
import re
from collections.abc import Iterable, Iterator
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


def may_hold(text: str) -> bool:
    """Return False if not even the letters of such a word are in it: then there is nothing to parse."""
    lower = text.lower()
    return any(word in lower for word in GONE)


@pytest.mark.parametrize("package", PACKAGES.split("|"))
def test_no_identifier_holds_a_word_that_went(package: str) -> None:
    found = []
    for path in sorted((ROOT / package).rglob("*.py")):
        at, text = path.relative_to(ROOT).as_posix(), path.read_text()
        if words_in(path.stem) & GONE:
            found.append(at)
        for name, line in identifiers(ast.parse(text)) if may_hold(text) else ():
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


# ------------------------------------------------------------------ the voice

RIDDLE = re.compile(r"(What|Whether|How|Where|Who|Whom|Whose|Why|When|Which|Whatever|Whoever)\b")
"""Openings of a docstring that names no thing and gives no order."""
PHRASES = {
    "again, from scratch": r"\banew\b",
    "published": r"\b(?:made|makes?|making) known\b",
    "name them": r"\bof those that\b",
    "sees, gets, is notified": r"\b(?:is|are|was|were) told\b(?! apart)",
    "appears to be a misprint": r"\bcannot be meant\b",
    "next to, in addition to": r"\bbeside each other\b",
    "available": r"\bat hand\b",
    "the result of": r"\bwhat (?:became|becomes) of\b",
    "received": r"\bheard of\b",
    "no longer": r"\bany more\b",
    "fix, correct": r"\bmend(?:s|ed|ing)?\b",
    "continues, resumes": r"\bgoes on with\b",
    "import cycle": r"\bby a detour\b",
}
"""Plain words -> the phrase that they take the place of."""
ANY_PHRASE = re.compile("|".join(PHRASES.values()), re.IGNORECASE)
FROM_DATA = re.compile(r"games/|readings-dealing|odds-audit|readers")
"""Pages that print reasons out of game files, whose hash is in every journal, or what readers of the texts reported."""
PROSE = [
    path
    for path in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("*/README.md"), *ROOT.glob("changes/*.md")]
    if not FROM_DATA.search(path.relative_to(ROOT).as_posix())
]
READ_BACK = frozenset({"devices/elsewhere.py"})
"""Notes in recordings, which a replay reads."""
WRITTEN = (*PACKAGES.split("|"), "docs", "benchmarks", "firmware", "tests")


def docstrings(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Line and text of every docstring in `tree`, those of attributes with them."""
    nodes: list[ast.AST] = [tree]
    for node in nodes:
        if isinstance(node, ast.Expr) and isinstance(text := getattr(node.value, "value", None), str):
            yield node.lineno, text
        nodes += (child for child in ast.iter_child_nodes(node) if not isinstance(child, ast.expr))


def comments(source: str) -> Iterator[tuple[int, str]]:
    """Line and text of every comment: the rest of a line after `# ` outside of quotes."""
    for number, line in enumerate(source.splitlines(), 1):
        if "# " in line and (found := re.match(r"""(?:[^#"']|"[^"]*"|'[^']*')*#( .*)""", line)):
            yield number, found[1]


def prose(path: Path) -> Iterator[tuple[int, str]]:
    """Line and text of a page, without its code."""
    fence = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
    text = fence.sub(lambda code: "\n" * code[0].count("\n"), path.read_text())
    yield from enumerate(re.sub(r"`[^`\n]*`", "``", text).splitlines(), 1)


OPENING = re.compile(rf"""["'][\s\\]*{RIDDLE.pattern}""")
JOINT = re.compile(r"""["']\s*\w{0,2}["']|\\\n""")
"""Between two strings that are one, or two lines of a string that are."""


def may_be_found_in(source: str) -> bool:
    """Return False if no string or comment opens with a riddle or has a phrase: then there is nothing to parse."""
    plain = [re.sub(r"\\n|\s+", " ", text) for text in (source, JOINT.sub("", source))]
    return OPENING.search(source) is not None or any(ANY_PHRASE.search(text) for text in plain)


def found_in(texts: Iterable[tuple[int, str]], at: str) -> Iterator[str]:
    """Each phrase in a text, with its place and plain words for it."""
    for line, text in texts:
        if ANY_PHRASE.search(plain := re.sub(r"`[^`]*`", "``", " ".join(text.split()))):
            for words, phrase in PHRASES.items():
                if found := re.search(phrase, plain, re.IGNORECASE):
                    yield f"{at}:{line}: {found[0]!r}; write: {words}"


@pytest.mark.parametrize("top", WRITTEN)
def test_docstrings_and_comments_are_in_plain_words(top: str) -> None:
    """A docstring opens with a verb or with the thing, and no phrase that is read twice is in it or in a comment."""
    found: list[str] = []
    for path in sorted((ROOT / top).rglob("*.py")):
        if path == Path(__file__):
            continue
        at, text = path.relative_to(ROOT).as_posix(), path.read_text()
        if not may_be_found_in(text):
            continue
        written = [*docstrings(ast.parse(text))]
        found += [f"{at}:{line}: {words[:60]!r}" for line, words in written if RIDDLE.match(words.lstrip())]
        found += found_in(written, at)
        found += found_in(comments(text), at)
    assert not found, "\n".join(found)


@pytest.mark.parametrize("top", PACKAGES.split("|"))
def test_messages_are_in_plain_words(top: str) -> None:
    """A text of at least three words that is not a docstring."""
    found: list[str] = []
    for path in sorted((ROOT / top).rglob("*.py")):
        at, text = path.relative_to(ROOT).as_posix(), path.read_text()
        if at not in READ_BACK and may_be_found_in(text):
            tree = ast.parse(text)
            own = {line for line, _ in docstrings(tree)}
            texts = [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
            found += found_in(
                [(each.lineno, each.value) for each in texts if each.lineno not in own and each.value.count(" ") > 1],
                at,
            )
    assert not found, "\n".join(found)


def test_pages_are_in_plain_words() -> None:
    found = [each for path in PROSE for each in found_in(prose(path), path.relative_to(ROOT).as_posix())]
    assert not found, "\n".join(found)


def test_a_riddle_and_a_phrase_are_found() -> None:
    source = 'def f():\n    """What became of it."""\n    x = 1  # made known anew\n'
    assert [RIDDLE.match(text) is not None for _, text in docstrings(ast.parse(source))] == [True]
    assert len([*found_in(docstrings(ast.parse(source)), "x")]) == 1
    assert len([*found_in(comments(source), "x")]) == 2
    assert may_be_found_in(source)


@of_each(
    "source",
    [
        '"""How it goes."""',
        '"""\n    What it is."""',
        "x = 'any ' 'more'",
        'x = "any "\n    f"more"',
        r"x = 'any\nmore'",
    ],
)
def test_what_may_be_found_is_parsed(source: str) -> None:
    assert may_be_found_in(source)
    assert not may_be_found_in(source.replace("ore", "").replace("ow", "").replace("at", ""))
