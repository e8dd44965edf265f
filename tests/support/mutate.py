"""Mutation testing of `dealer_flow`: how many deliberate faults do the tests find?

`python -m tests.support.mutate --sample 600 --seed 1` draws so many faults out of all of `mutants`, the same ones for
the same seed, and prints those that no test notices. One process collects the tests and runs each once under
`coverage`, which says which tests reach which line and how long they take. Then each fault is put into a fork of it,
into the code object of its function, and the tests that reach its line run there, the quickest first, until one fails.
So the tests' modules are loaded once, and what was worked out at that time (procedures that were read, cases that were
made) is without the fault; results that a test keeps for others are forgotten in the fork, but for the evenings at the
simulated table, which are reports of devices and not what the flow makes of them.

A fault is found when a test fails, crashes, or takes ten times its time and two seconds on top. `--cpu` bounds the
time of a fault that no test finds; slower tests are then not asked, so the figure is a lower bound.
"""

from __future__ import annotations

import argparse
import functools
import gc
import importlib
import inspect
import json
import os
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from random import Random
from types import FunctionType
from typing import Any

import coverage
import pytest
from _pytest.runner import runtestprotocol

from tests.support.mutants import Mutant, mutants, mutated

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "dealer_flow"
EQUIVALENT = Path(__file__).with_name("mutants_equivalent.json")
"""Faults that change nothing: what they are, and why."""
KEPT = {"tests.dealer_flow.test_dealt_procedures.evening", "test_dealt_procedures.evening"}
ASIDE = ("tests/dealer_flow/test_dealt_procedures.py", "tests/dealer_flow/test_races_by_dialect.py")
"""Whole evenings over simulated lines: minutes of devices, and the same flow."""
LONGEST_S = 5.0
"""Tests that take longer are not asked."""


@dataclass
class Verdict:
    """What became of one fault: `killed` by a test, a `crash` or the `time`, `survived`, or `unreached` by any test."""

    mutant: Mutant
    fate: str
    by: str = ""

    @property
    def found(self) -> bool:
        """True when a test noticed it."""
        return self.fate in ("killed", "crash", "time")


def all_mutants() -> list[Mutant]:
    """Every fault of every module of `dealer_flow`."""
    found: list[Mutant] = []
    for path in sorted(PACKAGE.glob("*.py")):
        found += mutants(path.read_text(), path.relative_to(ROOT).as_posix())
    return found


@dataclass
class Runner:
    """A pytest plugin that runs faults instead of the tests."""

    wanted: list[Mutant]
    cpu_s: float
    log: Path
    verdicts: list[Verdict] = field(default_factory=list)
    took: dict[str, float] = field(default_factory=dict)
    kills: Counter[str] = field(default_factory=Counter)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Each test once, then each fault."""
        items = {item.nodeid: item for item in session.items}
        reach = self._baseline(list(items.values()))
        done = self._done()
        for number, mutant in enumerate(self.wanted, 1):
            verdict = done.get(str(mutant)) or self._judge(mutant, items, reach)
            self.verdicts.append(verdict)
            self.kills[verdict.by] += bool(verdict.by)
            if str(mutant) not in done:
                with self.log.open("a") as log:
                    log.write(json.dumps({"fate": verdict.fate, "by": verdict.by, **asdict(mutant)}) + "\n")
            if not verdict.found:
                print(f"{number}/{len(self.wanted)} {verdict.fate}: {mutant}", flush=True)
        return True

    def _done(self) -> dict[str, Verdict]:
        """Faults found before the run was broken off; those that were not found are tried again."""
        found: dict[str, Verdict] = {}
        for line in self.log.read_text().splitlines() if self.log.exists() else ():
            row = json.loads(line)
            fate, by = row.pop("fate"), row.pop("by")
            verdict = Verdict(Mutant(**row | {"scope": tuple(row["scope"])}), fate, by)
            if verdict.found:
                found[str(verdict.mutant)] = verdict
        return found

    def _baseline(self, items: list[pytest.Item]) -> dict[tuple[str, int], set[str]]:
        """File and line -> the tests that reach it. A test that fails without any fault is an error of the run."""
        watch = coverage.Coverage(data_file=None, source=[str(PACKAGE)], config_file=False)
        watch.start()
        for item, following in zip(items, [*items[1:], None], strict=True):
            watch.switch_context(item.nodeid)
            begun = time.process_time()
            failed = _fails(item, following)
            self.took[item.nodeid] = time.process_time() - begun
            if failed:
                raise pytest.UsageError(f"{item.nodeid} fails without any fault")
        watch.stop()
        reach: dict[tuple[str, int], set[str]] = {}
        data = watch.get_data()
        for file in data.measured_files():
            name = Path(file).relative_to(ROOT).as_posix()
            for line, tests in data.contexts_by_lineno(file).items():
                reach[name, line] = {test for test in tests if test}
        spent = sum(self.took.values())
        print(f"{len(items)} tests, {spent:.0f} s of processor time under coverage", flush=True)
        return reach

    def _judge(self, mutant: Mutant, items: dict[str, pytest.Item], reach: dict[tuple[str, int], set[str]]) -> Verdict:
        """Run the tests that reach the line: those that found other faults and are quick come first."""
        tests = reach.get((mutant.file, mutant.line)) or _anywhere(mutant, reach)
        reaching = [test for test in tests if self.took[test] <= LONGEST_S]
        if not reaching:
            return Verdict(mutant, "unreached")
        reaching.sort(key=lambda test: (self.took[test] / (1 + self.kills[test]), test))
        chosen, spent = list[pytest.Item](), 0.0
        for test in reaching:
            spent += self.took[test]
            if spent > self.cpu_s and chosen:
                break
            chosen.append(items[test])
        fate, by = _in_fork(mutant, chosen, self.took)
        return Verdict(mutant, fate, by)


def _anywhere(mutant: Mutant, reach: dict[tuple[str, int], set[str]]) -> set[str]:
    """The tests that reach any line of the fault's function: a part of a long line has no line of its own."""
    code = mutated((ROOT / mutant.file).read_text(), mutant)
    lines = {line for _, _, line in code.co_lines() if line is not None and line != code.co_firstlineno}
    return {test for line in lines for test in reach.get((mutant.file, line), ())}


# ------------------------------------------------------------------ in a fork


def _in_fork(mutant: Mutant, items: list[pytest.Item], took: dict[str, float]) -> tuple[str, str]:
    """The fault's fate and the test that found it."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        _quiet()
        _put(mutant)
        for item in items:
            signal.setitimer(signal.ITIMER_PROF, 10 * took[item.nodeid] + 2)
            os.write(writing, f"{item.nodeid}\n".encode())
            if _fails(item, None):
                os._exit(1)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as told:
        last = told.read().splitlines()
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        fate = "time" if os.WTERMSIG(status) == signal.SIGPROF else "crash"
    else:
        fate = "killed" if os.WEXITSTATUS(status) else "survived"
    return fate, last[-1] if last and fate != "survived" else ""


def _quiet() -> None:
    """Nothing that the tests print is seen, and what they keep for one another is forgotten."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nowhere, descriptor)
    for each in gc.get_objects():
        if isinstance(each, functools._lru_cache_wrapper):
            name = f"{getattr(each, '__module__', '')}.{getattr(each, '__name__', '')}"
            if name not in KEPT:
                each.cache_clear()


def _put(mutant: Mutant) -> None:
    """Give the function that is loaded the code with the fault."""
    code = mutated((ROOT / mutant.file).read_text(), mutant)
    module = importlib.import_module(mutant.file.removesuffix(".py").replace("/", "."))
    _function(module, mutant.scope).__code__ = code


def _function(module: Any, scope: tuple[str, ...]) -> FunctionType:
    found: Any = module
    for name in scope:
        found = inspect.getattr_static(found, name)
    for key in ("fget", "__func__", "__wrapped__", "func"):
        found = getattr(found, key, found) if not isinstance(found, FunctionType) else found
    assert isinstance(found, FunctionType), scope
    return found


def _fails(item: pytest.Item, following: pytest.Item | None) -> bool:
    reports = runtestprotocol(item, log=False, nextitem=following)
    return any(report.failed for report in reports)


# ------------------------------------------------------------------ the figure


def equivalent() -> dict[str, str]:
    """Faults that change nothing, by their text without the line -> the reason."""
    found: dict[str, str] = json.loads(EQUIVALENT.read_text()) if EQUIVALENT.exists() else {}
    return found


def name(mutant: Mutant) -> str:
    """A fault's name, which outlives changes elsewhere in its file."""
    return f"{mutant.file} {'.'.join(mutant.scope)}: {mutant.what}"


def summary(verdicts: list[Verdict], of: int) -> Iterator[str]:
    """The figure in words, and each fault that was not found."""
    known = equivalent()
    left = [verdict for verdict in verdicts if not verdict.found]
    same = [verdict for verdict in left if name(verdict.mutant) in known]
    missed = [verdict for verdict in left if name(verdict.mutant) not in known]
    found, judged = len(verdicts) - len(left), len(verdicts) - len(same)
    fates = Counter(verdict.fate for verdict in verdicts)
    yield f"{len(verdicts)} faults of {of}: {dict(sorted(fates.items()))}, {len(same)} of them equivalent"
    yield f"{found} of {judged} found, {1000 * found // max(judged, 1) / 10} %"
    yield from (f"{verdict.fate}: {verdict.mutant}" for verdict in missed)


class _Settings:
    """Tests that draw their cases draw the same ones each time, or every fault would meet others."""

    def pytest_configure(self, config: pytest.Config) -> None:
        """Before any test is loaded. Hypothesis is imported here, after pytest has made ready to rewrite it."""
        from hypothesis import HealthCheck, settings

        checks = list(HealthCheck)
        settings.register_profile(
            "mutation", derandomize=True, database=None, deadline=None, suppress_health_check=checks
        )
        settings.load_profile("mutation")


def main(arguments: list[str]) -> int:
    """Run a sample and print its figure."""
    parser = argparse.ArgumentParser(prog="python -m tests.support.mutate", description="Mutation testing of the flow.")
    parser.add_argument("--sample", type=int, default=600, help="faults to draw; 0: all of them")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cpu", type=float, default=10.0, help="processor seconds for a fault that no test finds")
    parser.add_argument(
        "--log", type=Path, default=ROOT / "build" / "mutation.ndjson", help="every verdict, a line each"
    )
    parser.add_argument("--resume", action="store_true", help="keep the faults that the log says are found")
    parser.add_argument("tests", nargs="*", default=["tests/dealer_flow"])
    args = parser.parse_args(arguments)
    every = all_mutants()
    wanted = sorted(Random(args.seed).sample(every, args.sample), key=str) if args.sample else every
    Random(args.seed).shuffle(wanted)
    args.log.parent.mkdir(exist_ok=True)
    if not args.resume:
        args.log.unlink(missing_ok=True)
    runner = Runner(wanted, args.cpu, args.log)
    options = [f"--deselect={test}" for test in ASIDE]
    os.chdir(ROOT)
    code = pytest.main(
        ["-q", "-s", "-p", "no:cacheprovider", "-p", "no:faulthandler", *options, *args.tests],
        plugins=[_Settings(), runner],
    )
    if len(runner.verdicts) < len(wanted):
        return int(code) or 1
    for line in summary(runner.verdicts, len(every)):
        print(line)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
