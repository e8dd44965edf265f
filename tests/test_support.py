"""Test helpers: each is in a folder and on the page, under a unique name, and the examples run."""

import ast
import os
import re
from collections import defaultdict
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.support.rigs.browser import CHROMIUM
from tests.support.rigs.serving import simulators_here, write_configuration

ROOT = Path(__file__).parent.parent
SUPPORT = ROOT / "tests" / "support"
PAGE = (SUPPORT / "README.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(
    r"^\*\*([^*]*?)[.]?\*\*[^`]*(?:`[^`]+`[^`]*)*?\n```python\n(.*?)```", PAGE, re.DOTALL | re.MULTILINE
)
FILES = sorted(path for path in SUPPORT.rglob("*") if path.is_file() and path.suffix != ".pyc")
OF_A_PROGRAM = {"main", "render"}
"""Names of a program's entry and of its writer of text, which may repeat."""
ELSEWHERE = {"compare_inputs.py", "compare_later.py"}
"""Files that run in the trees of other commits, and import modules of those."""


def rooms() -> dict[str, str]:
    """Return the page's text about each folder."""
    return dict(re.findall(r"^- \*\*(\w+)\*\*, (.*?)(?=\n- |\Z)", PAGE, re.DOTALL | re.MULTILINE))


def test_every_file_stands_in_a_room_and_on_the_page() -> None:
    listed = rooms()
    assert set(listed) == {path.name for path in SUPPORT.iterdir() if path.is_dir() and path.name != "__pycache__"}
    for path in FILES:
        if path.name == "README.md" and path.parent == SUPPORT:
            continue
        assert path.parent.parent == SUPPORT, f"{path.name} stands in no room"
        name = path.stem if path.suffix == ".py" else path.name
        assert f"`{name}`" in listed[path.parent.name], f"{name} is not on the page"
    for room, text in listed.items():
        there = {path.stem for path in SUPPORT.glob(f"{room}/*.py")}
        said = set(re.findall(r"`(\w+)`: ", " ".join(text.split())))
        assert said == there, room


def public(path: Path) -> Iterator[str]:
    """Yield the functions and classes of a module that others may import."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and not node.name.startswith("_"):
            yield node.name


def test_no_two_helpers_have_one_name() -> None:
    """Programs are exempt: their functions are not imported elsewhere."""
    found = defaultdict(list)
    for path in FILES:
        if path.suffix == ".py" and path.parent.name not in ("programs", "mutation"):
            for name in set(public(path)) - OF_A_PROGRAM:
                found[name].append(path.relative_to(SUPPORT).as_posix())
    assert {name: where for name, where in found.items() if len(where) > 1} == {}


IMPORTS = re.compile(r"^ *from (tests\.support\.[\w.]+) import (?:\(([^)]*)\)|(.*))", re.MULTILINE)


def handed_on(path: Path) -> Iterator[str]:
    """Yield the names that a module imports from another one here, except constants."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("tests.support."):
            yield from (each.name for each in node.names if not each.name.isupper())


def test_a_helper_is_imported_from_where_it_is_defined() -> None:
    """No module re-exports another's helper, so that an import says where to look. Constants may be re-exported."""
    modules = [path for path in FILES if path.suffix == ".py"]
    handed = {f"tests.support.{path.parent.name}.{path.stem}": set(handed_on(path)) for path in modules}
    wrong = []
    for path in sorted((ROOT / "tests").rglob("*.py")):
        if path.name in ELSEWHERE:
            continue
        for module, several, one in IMPORTS.findall(path.read_text(encoding="utf-8")):
            names = [each.split()[0] for each in (several or one).split(",") if each.split()]
            wrong += [f"{path.name}: {name}" for name in names if name in handed.get(module, ())]
    assert wrong == []


@pytest.mark.parametrize(
    ("what", "example"),
    [pytest.param(*each, id=each[0], marks=pytest.mark.more if "chromium" in each[1] else ()) for each in EXAMPLES],
)
def test_an_example_of_the_page_runs(what: str, example: str, tmp_path: Path) -> None:
    if "chromium" in example and CHROMIUM is None:
        pytest.skip("chromium is not installed (apt install chromium)")
    exec(compile(example, f"README.md: {what}", "exec"), {"folder": tmp_path})


def test_every_example_was_found_and_is_short() -> None:
    assert len(EXAMPLES) == PAGE.count("```python")
    for what, example in EXAMPLES:
        lines = [line for line in example.splitlines() if not line.startswith("from ")]
        assert len(lines) <= 3, what


def test_the_terminals_of_devices_that_went_are_nobody_elses_until_the_test_ends(tmp_path: Path) -> None:
    with simulators_here() as addresses:
        write_configuration(tmp_path, addresses)
    theirs = {address for at in addresses for address in at.values()}
    with ExitStack() as closing:
        for _ in range(len(theirs) + 2):
            ours, its = os.openpty()
            closing.callback(os.close, ours)
            closing.callback(os.close, its)
            assert os.ttyname(its) not in theirs
    assert not any(map(os.path.lexists, theirs)), "a service must not find them either"
