"""What holds of the tests themselves: none judges how long something took, and CI leaves none of them out."""

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.support.reading.each import of_each

ROOT = Path(__file__).parent.parent
TESTS = sorted((ROOT / "tests").rglob("*.py"))
CLOCKS = {f"{name}{unit}" for name in ("monotonic", "perf_counter", "process_time", "time") for unit in ("", "_ns")}
MEASURED = {"lag_ns", "duration_ms", "elapsed", "elapsed_ns"}
"""Fields of ours that say how long something took."""
ALLOWED = {
    "tests/dealwire/test_bench_ended.py": "the bench's own time, which a simulated clock gives",
    "tests/dealwire/test_bench_conforming.py": "the bench's own time, which a simulated clock gives",
    "tests/dealwire/test_service.py": "a wait was counted at all",
    "tests/dealwire/test_service_clock.py": "an hour of a clock that jumped is not counted as a wait",
}
"""Files in which a time is compared, and why no machine is too slow for it."""


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
    """Names to which a function gives what a clock said, or what it worked out from that."""
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
    """Assertions that one time is longer than another."""
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
    """`make test` takes what is not marked, `make test-more` what is marked `more`; CI runs one after the other."""
    makefile = (ROOT / "Makefile").read_text()
    assert "$(BIN)/pytest $(SPREAD) -m '$(QUICK)'\n" in makefile
    assert "$(BIN)/pytest $(SPREAD) -m '$(MORE)'\n" in makefile
    elsewhere = "not slow and not hardware and not firmware and not kaitai"
    assert f"QUICK := not more and {elsewhere}\n" in makefile
    assert f"MORE := more and {elsewhere}\n" in makefile
    said = (ROOT / ".ci" / "run").read_text().splitlines()
    assert [line for line in said if line.startswith("make ")] == ["make test", "make test-more"]
