"""The program that counts the deliberate faults found by the tests, on a project whose every fault is known."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.mutation import figures, probes
from tests.support.mutation.mutants import mutants, node_of

ROOT = Path(__file__).parent.parent
SOURCE = '''
"""A wheel."""
TURNS = []

def spun(number):
    """Docstring."""
    return number + 37

def slot(number):
    return number % 37

def stopped():
    return 3 - 2

def held():
    return 5 - 4

def heard(number):
    return number - 6

def colour(number):
    return "red" if number else "black"

def nobody():
    return 7 - 1

def _made():
    return len("eight")

MADE = _made()
'''
CONFTEST = """
import gc

def pytest_collection_finish():
    gc.freeze()
"""
CHECKS = '''
import os, subprocess, sys
import pytest
from wheel import spin

def test_spun():
    assert spin.spun(1) == 38

@pytest.mark.more
def test_slot():
    assert spin.slot(39) == 2

def test_stops_first():
    spin.TURNS.append(1)

def test_stopped_only_after_another():
    """Passes in its file's order alone: it may not count as the one that finds a fault."""
    assert spin.TURNS
    assert spin.stopped() == 1

def test_held():
    if spin.held() != 1:
        os.kill(os.getpid(), 9)

def test_heard():
    subprocess.run([sys.executable, "-c", "pass"], check=True)
    assert spin.heard(8) == 2

def test_colour():
    assert spin.colour(1)

def test_what_was_made():
    assert spin.MADE == 5

def test_fails_anyhow():
    spin.nobody()
    raise AssertionError
'''


@pytest.fixture
def project(tmp_path: Path) -> Path:
    checks = {"checks/conftest.py": CONFTEST, "checks/test_spin.py": CHECKS}
    for name, text in ({"wheel/__init__.py": "", "wheel/spin.py": SOURCE} | checks).items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "pytest.ini").write_text("[pytest]\npythonpath = .\nmarkers =\n    more: for another day\n")
    return tmp_path


def run(project: Path) -> str:
    command = [sys.executable, "-m", "tests.support.mutation", "--root", str(project), "--package", "wheel"]
    command += ["--sample", "0", "--jobs", "2", "checks"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.more
def test_each_fault_is_found_by_the_target_whose_tests_see_it(project: Path) -> None:
    said = run(project)
    kinds = {
        (mutant.scope[-1], mutant.what): next(
            (kind for kind in ("survived", "unreached") if f"{kind}: {mutant}\n" in said),
            "more" if f"only by make test-more: {mutant} " in said else "test",
        )
        for mutant in mutants(SOURCE, "wheel/spin.py")
    }
    by_function: dict[str, set[str]] = {}
    for (function, _), kind in kinds.items():
        by_function.setdefault(function, set()).add(kind)
    assert by_function.pop("colour") == {"test", "survived"}  # nothing looks at which colour it is
    assert by_function == {
        "spun": {"test"},
        "slot": {"more"},
        "stopped": {"survived"},
        "held": {"test"},
        "heard": {"unreached"},
        "nobody": {"unreached"},
        "_made": {"test"},
    }
    assert "test_stopped_only_after_another failed in a fork of its own without any fault" in said
    found = re.search(r"^all: of (\d+) .* make test finds (\d+) of .* with make test-more (\d+),", said, re.MULTILINE)
    assert found is not None
    counted = list(kinds.values())
    assert [int(each) for each in found.groups()] == [
        len(counted),
        counted.count("test"),
        counted.count("test") + counted.count("more"),
    ]


@pytest.mark.more
def test_a_run_that_was_broken_off_goes_on(project: Path) -> None:
    first = run(project)
    (log,) = (project / "build" / "mutation").glob("*-wheel-0-1.ndjson")
    trace = next((project / "build" / "mutation").glob("*-trace.ndjson"))
    traced, judged = trace.read_text(), log.read_text().splitlines(keepends=True)
    log.write_text("".join(judged[:8]) + judged[9][:20])  # another was being written
    again = run(project)
    assert trace.read_text() == traced
    assert again.partition("\nwheel: ")[2] == first.partition("\nwheel: ")[2]


@pytest.mark.parametrize(
    ("line", "faults"),
    [
        ("return min(a, b)", ["return None"]),
        ("return max(a, b, key=abs)", ["arguments swapped", "return None"]),  # of two that are alike the first
        ("return max(*a, b)", ["return None"]),
        ("return a.get(b, b)", ["return None"]),
        ("return pair(a, b)", ["arguments swapped", "return None"]),
        ("return contextlib.suppress(a, b)", ["return None"]),
        ("return list(zip(a, b, strict=True))", ["arguments swapped", "return None"]),
        ("return False", ["False -> True"]),
        ("return 0", ["0 -> 1", "return None"]),
        ("return", []),
    ],
)
def test_a_fault_that_could_change_nothing_is_not_made(line: str, faults: list[str]) -> None:
    assert sorted(each.what for each in mutants(f"def f(a, b):\n    {line}\n", "x.py")) == sorted(faults)


def test_each_fault_has_a_name_of_its_own(project: Path) -> None:
    (project / "wheel" / "spin.py").write_text("def f(a):\n    return a > 1 > 1\n")
    names = [figures.name(project, fault) for fault in figures.all_mutants(project, "wheel")]
    line = "in: return a > 1 > 1"
    assert sorted(names) == [
        f"wheel/spin.py f: 1 -> 2 {line}",
        f"wheel/spin.py f: 1 -> 2 {line} (2)",
        f"wheel/spin.py f: gt -> gte {line}",
        f"wheel/spin.py f: gt -> gte {line} (2)",
        f"wheel/spin.py f: gt -> lte {line}",
        f"wheel/spin.py f: gt -> lte {line} (2)",
        f"wheel/spin.py f: return None {line}",
    ]


def test_notes_change_nothing_but_what_was_reached() -> None:
    """Each module behaves the same, with docstrings, default values and names; all places of its faults are noted."""
    for path in [ROOT / "protocol" / "cards.py", ROOT / "protocol" / "errors.py", ROOT / "protocol" / "tomlfile.py"]:
        file, source = path.relative_to(ROOT).as_posix(), path.read_text()
        tree, noting = ast.parse(source), probes.probed(ast.parse(source), file)
        noted = {each.args[0].value for each in _notes(noting) if isinstance(each.args[0], ast.Constant)}
        assert _without_notes(noting) == ast.dump(tree)
        places = probes.places(tree, file)
        assert {places[node_of(tree, mutant)] for mutant in mutants(source, file)} <= noted


def test_the_notes_say_which_branch_ran(monkeypatch: pytest.MonkeyPatch) -> None:
    source = (
        'def f(a):\n    """Doc."""\n    if a:\n        return 1\n    b = lambda: 2\n    return b()\n'
        "class C:\n    def m(self):\n        for each in ():\n            pass\n        return 4\n"
    )
    reached = set[str]()
    monkeypatch.setattr("builtins." + probes.NOTE, reached.add, raising=False)
    names: dict[str, object] = {}
    exec(compile(probes.probed(ast.parse(source), "x.py"), "x.py", "exec"), names)
    function, made = names["f"], names["C"]
    assert callable(function)
    assert callable(made)
    assert function.__doc__ == "Doc."
    steps = [(lambda: function(1), {3, 4}), (lambda: function(0), {3, 5}), (lambda: made().m(), {9, 11})]
    for step, lines in steps:
        reached.clear()
        assert step() in (1, 2, 4)
        assert {int(place.split(":")[1]) for place in reached if not place.endswith("e")} == lines
    assert [place.endswith("e") for place in reached] == [False, False]


def _notes(tree: ast.Module) -> list[ast.Call]:
    calls = [each for each in ast.walk(tree) if isinstance(each, ast.Call)]
    return [each for each in calls if isinstance(each.func, ast.Name) and each.func.id == probes.NOTE]


def _without_notes(tree: ast.Module) -> str:
    """Return the tree as it was before the notes were inserted."""

    class Taken(ast.NodeTransformer):
        def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
            return None if _is_note(node.value) else self.generic_visit(node)

        def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
            self.generic_visit(node)
            return node.values[1] if _is_note(node.values[0]) else node

    def _is_note(node: ast.AST) -> bool:
        return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == probes.NOTE

    return ast.dump(Taken().visit(tree))
