"""Rules for the tests themselves: none judges a duration, and CI leaves none of them out."""

import ast
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import NOT_HERE
from tests.support.reading.each import of_each

ROOT = Path(__file__).parent.parent
TESTS = sorted((ROOT / "tests").rglob("*.py"))
CLOCKS = {f"{name}{unit}" for name in ("monotonic", "perf_counter", "process_time", "time") for unit in ("", "_ns")}
MEASURED = {"lag_ns", "duration_ms", "elapsed", "elapsed_ns"}
"""Our fields with durations."""
ALLOWED = {
    "tests/dealwire/test_bench_ended.py": "the bench's own time, which a simulated clock gives",
    "tests/dealwire/test_bench_conforming.py": "the bench's own time, which a simulated clock gives",
    "tests/dealwire/test_service.py": "a wait was counted at all",
    "tests/dealwire/export/test_cosigning_attacked.py": "rations of a second that passed, and a time not after now",
    "tests/dealwire/test_service_clock.py": "an hour of a clock that jumped is not counted as a wait",
}
"""Files in which a time is compared, each with the reason that no machine is too slow for it."""


def where(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def is_clock(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and ast.unparse(node.func.value) == "time"
        and node.func.attr in CLOCKS
    )


def from_a_clock(function: ast.AST) -> set[str]:
    """Return names to which a function assigns a time from a clock, or a value computed from it."""
    found: set[str] = set()
    before = -1
    while before != (before := len(found)):
        for node in ast.walk(function):
            if isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign | ast.NamedExpr) and node.value:
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                if says_a_time(node.value, found):
                    found |= {each.id for target in targets for each in ast.walk(target) if isinstance(each, ast.Name)}
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "append":
                found |= {ast.unparse(node.func.value) for each in node.args if says_a_time(each, found)}
    return found


def says_a_time(node: ast.AST, times: set[str]) -> bool:
    return any(
        is_clock(each)
        or (isinstance(each, ast.Attribute) and each.attr in MEASURED)
        or (isinstance(each, ast.Name) and each.id in times)
        for each in ast.walk(node)
    )


def judged_times(path: Path, text: str) -> Iterator[str]:
    """Yield assertions that one time is longer than another."""
    if "time." not in text and not any(name in text for name in MEASURED):
        return
    for function in ast.parse(text).body:
        times = from_a_clock(function)
        for node in ast.walk(function):
            if isinstance(node, ast.Assert):
                for each in ast.walk(node.test):
                    order = isinstance(each, ast.Compare) and any(
                        isinstance(operator, ast.Lt | ast.LtE | ast.Gt | ast.GtE) for operator in each.ops
                    )
                    if order and says_a_time(each, times):
                        yield f"{where(path)}:{node.lineno}: {ast.unparse(node.test)}"


def test_no_test_asserts_a_time() -> None:
    found = [fault for path in TESTS for fault in judged_times(path, path.read_text())]
    assert [fault for fault in found if fault.partition(":")[0] not in ALLOWED] == []
    assert {fault.partition(":")[0] for fault in found} == ALLOWED.keys(), "what is no longer allowed for is taken out"


@of_each(
    "text",
    [
        "def f():\n    begun = time.monotonic()\n    g()\n    assert time.monotonic() - begun < 2",
        "def f():\n    begun = time.perf_counter()\n    took = time.perf_counter() - begun\n    assert took < 2",
        "def f():\n    at = []\n    at.append(time.monotonic_ns())\n    assert at[-1] <= at[0] + 5",
        "def f():\n    assert service.health.lag_ns < 5",
        "def f():\n    end = time.monotonic() + 5\n    while not g():\n        assert time.monotonic() < end",
    ],
)
def test_one_that_does_is_found(text: str) -> None:
    assert len([*judged_times(ROOT / "tests" / "x.py", text)]) == 1


def test_what_ci_runs_is_all_there_is() -> None:
    """`make test` runs the unmarked tests, `make test-more` those marked `more`; CI runs one after the other."""
    makefile = (ROOT / "Makefile").read_text()
    assert "$(BIN)/pytest $(SPREAD) -m '$(QUICK)'\n" in makefile
    assert "$(BIN)/pytest $(SPREAD) -m '$(MORE)'\n" in makefile
    elsewhere = "not slow and not hardware and not firmware and not kaitai"
    assert f"QUICK := not more and {elsewhere}\n" in makefile
    assert f"MORE := more and {elsewhere}\n" in makefile
    said = (ROOT / ".ci" / "run").read_text().splitlines()
    assert [line for line in said if line.startswith("make ")] == ["make test", "make test-more"]


# ------------------------------------------------------------------ what is skipped


HOW_TO_GET_IT = re.compile(r"\((apt|pip) install\b|\bmake [a-z-]+|pip install ")
"""Text in a reason that says what to install, unless the machine is the reason."""


SKIPS = re.compile(r"pytest\.(?:mark\.)?(?:skip|xfail|importorskip)")


def reasons(text: str) -> Iterator[tuple[int, str]]:
    """Yield every skip of a module: its line, and its reason as it is written."""
    if not SKIPS.search(text):
        return
    module = ast.parse(text)
    names = {
        target.id: node.value
        for node in module.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in ast.walk(module):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        called = ast.unparse(node.func)
        if called in ("pytest.skip", "pytest.xfail"):
            why = node.args[0]
        elif called in ("pytest.importorskip", *(f"pytest.mark.{name}" for name in ("skip", "skipif", "xfail"))):
            why = next((word.value for word in node.keywords if word.arg == "reason"), ast.Constant(""))
        else:
            continue
        why = names[why.id] if isinstance(why, ast.Name) else why
        parts = why.values if isinstance(why, ast.JoinedStr) else [why]
        yield node.lineno, "".join(str(each.value) if isinstance(each, ast.Constant) else "…" for each in parts)


def test_each_skip_says_what_to_install_or_that_it_is_right_here() -> None:
    found = {f"{where(path)}:{line}": why for path in TESTS for line, why in reasons(path.read_text())}
    found = {at: why for at, why in found.items() if not at.startswith("tests/test_suite.py")}
    assert len(found) > 30
    assert {at: why for at, why in found.items() if not (why.startswith(NOT_HERE) or HOW_TO_GET_IT.search(why))} == {}


SKIPPING = """
import pytest


def test_one():
    pytest.skip("tshark is not installed (apt install tshark)")


@pytest.mark.skipif(True, reason="not here: only root may")
def test_two():
    pass


@pytest.mark.skipif(True, reason="chromium is not installed (apt install chromium)")
def test_three():
    pass
"""


@pytest.mark.every(2)
@pytest.mark.parametrize(
    ("value", "code", "counted"), [("yes", 1, "1 failed, 1 skipped, 1 error"), ("", 0, "3 skipped")]
)
def test_where_nothing_may_be_skipped_it_fails(tmp_path: Path, value: str, code: int, counted: str) -> None:
    (tmp_path / "test_it.py").write_text(SKIPPING)
    words = [sys.executable, "-m", "pytest", "-q", "-p", "tests.conftest", "-p", "no:cacheprovider", "-c", os.devnull]
    environment = {
        **os.environ,
        "NO_SKIPS": value,
        "PYTHONPATH": str(ROOT),
        "PYTEST_ADDOPTS": "",
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    }
    done = subprocess.run(
        [*words, str(tmp_path / "test_it.py")], capture_output=True, text=True, cwd=tmp_path, env=environment
    )
    assert (done.returncode, counted in done.stdout) == (code, True), done.stdout + done.stderr
    assert ("nothing may be: tshark is not installed" in done.stdout) is (value == "yes")
