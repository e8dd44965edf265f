"""Tests of one fault after the other: the tests of `make test` that reach it, and then those of `make test-more`.

A test finds a fault if it fails, crashes or takes more than ten times its time, alone in a fork with the fault, and
passes in a fork without. A test that does not pass there finds nothing, and is not run again.
"""

from __future__ import annotations

import ast
import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Set
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import CodeType

import pytest

from tests.support.mutation import forks, probes
from tests.support.mutation.mutants import Mutant, changed_functions, mutated
from tests.support.mutation.trace import Trace, Traced

SURVIVED, UNREACHED, UNPUT = "survived", "unreached", "cannot be put in place"
FOUND = {forks.FAILED: "killed", forks.CRASHED: "crash", forks.TOO_LONG: "time", forks.STARTS: "crash"}
"""End of a test that finds a fault -> the fault's fate."""
FILES_ANEW = 8
"""Most test files that a new process loads."""


@dataclass(frozen=True)
class Verdict:
    """Result of one fault, the test that found it, and the tier of that test ("test" or "more")."""

    mutant: Mutant
    fate: str
    by: str = ""
    tier: str = ""

    @property
    def found(self) -> bool:
        """Return True if a test noticed it."""
        return self.fate in FOUND.values()


@dataclass
class Judge:
    """Tests of each tier, the tests that reach each fault's place, and the time limit for the tests of a tier."""

    root: Path
    config: pytest.Config
    tiers: dict[str, dict[str, pytest.Item]]
    trace: Trace
    reach: dict[str, set[str]]
    of_file: dict[str, set[str]]
    loading: set[str]
    cpu_s: float
    kills: Counter[str] = field(default_factory=Counter)
    cold_s: dict[str, float] = field(default_factory=dict)
    struck: set[str] = field(default_factory=set)

    def judge(self, mutant: Mutant, place: str) -> Verdict:
        """Run each tier until one finds the fault; for code that runs while modules load, in a new process too."""
        fate = SURVIVED if self.reach[place] else UNREACHED
        for tier, items in self.tiers.items():
            tests = self._ordered(self.reach[place] & items.keys())
            fate, by = self._ask(mutant, [items[test] for test in tests]) if tests else (fate, "")
            if by:
                self.kills[by] += 1
                return Verdict(mutant, fate, by, tier)
            if fate == UNPUT:
                break
            if place in self.loading and self._found_anew(mutant, items.keys()):
                return Verdict(mutant, FOUND[forks.FAILED], "when it is loaded", tier)
        return Verdict(mutant, fate)

    def _ordered(self, tests: Set[str]) -> list[str]:
        """Return the tests, those that found faults and are quick first."""
        cost = {test: self.trace.runs[test].cost_s / (1 + self.kills[test]) for test in tests - self.struck}
        return sorted(cost, key=lambda test: (cost[test], test))

    def _ask(self, mutant: Mutant, items: list[pytest.Item]) -> tuple[str, str]:
        """Return the fault's fate, and the test that found it."""
        left = {item.nodeid: item for item in items}
        while left:
            fate, by = self._run(mutant, list(left.values()))
            if fate not in FOUND:
                return fate, ""
            if self._confirmed(mutant, left[by], fate):
                return FOUND[fate], by
            passed = list(left).index(by)
            left = dict(list(left.items())[passed + 1 :])  # those before it were asked
        return SURVIVED, ""

    def _confirmed(self, mutant: Mutant, item: pytest.Item, fate: str) -> bool:
        """Return True if the test passes without the fault, and finds it a second time on its own."""
        test = item.nodeid
        if test not in self.cold_s:
            clean, spent = self._timed(item)
            self.cold_s[test] = spent
            if clean != forks.PASSED:
                self.struck.add(test)
                print(f"{test} {clean} in a fork of its own without any fault: it finds nothing", flush=True)
        if test in self.struck:
            return False
        return self._run(mutant, [item])[0] in FOUND

    def _timed(self, item: pytest.Item) -> tuple[str, float]:
        """Return a test's outcome in a fork without any fault, and its processor time there, without cached results."""

        def work(tell: Callable[[str], None]) -> None:
            fate, cpu_s, _ = forks.run(item, None, forks.Limits(60.0, 120.0))
            tell(f"{fate} {cpu_s}")

        told = forks.in_fork(self.config, work)
        if not told.lines:
            return told.fate, 0.0
        fate, _, spent = told.lines[-1].rpartition(" ")
        return fate, float(spent)

    def _run(self, mutant: Mutant, items: list[pytest.Item]) -> tuple[str, str]:
        """Return the result and the name of the first test that does not pass with the fault."""

        def work(tell: Callable[[str], None]) -> None:
            if not self._put(mutant):
                tell(UNPUT)
                return
            begun = time.process_time()
            for item in items:
                tell(item.nodeid)
                fate, _, _ = forks.run(item, None, self._limits(self.trace.runs[item.nodeid]))
                if fate == forks.FAILED:
                    tell(fate)
                    return
                if time.process_time() - begun > self.cpu_s:
                    break
            tell(SURVIVED)

        told = forks.in_fork(self.config, work)
        *tests, last = told.lines
        if last in (forks.FAILED, SURVIVED, UNPUT):
            return last, tests[-1] if tests else ""
        return told.fate, last

    def _limits(self, ran: Traced) -> forks.Limits:
        cpu_s = max(ran.cpu_s, self.cold_s.get(ran.test, 0.0))
        return forks.Limits(10 * cpu_s + 2, 10 * max(ran.wall_s, cpu_s) + 10)

    def _put(self, mutant: Mutant) -> bool:
        """Give every live function the faulty code; return False if there is none."""
        place, count = str(self.root / mutant.file), 0
        faulty = {_mark(old): new for old, new in changed(self.root, mutant)}
        for each in forks.FUNCTIONS.get(place, ()):
            if (new := faulty.get(_mark(each.__code__))) is not None:
                try:
                    each.__code__ = new
                except ValueError:  # it closes over other variables
                    return False
                count += 1
        return count > 0

    # -------------------------------------------------------------- in a new process

    def _found_anew(self, mutant: Mutant, tier: Set[str]) -> bool:
        """Return True if tests that pass in a new process fail in one that loads the module with the fault."""
        tests = self._few(self.of_file[mutant.file] & tier, tier)
        if not tests or not self._fails_anew(mutant, tests):
            return False
        return not self._fails_anew(None, tests)

    def _few(self, reaching: Set[str], tier: Set[str]) -> list[str]:
        """Return tests of a few files, within the time: those that reach the module, and their neighbors, which may
        look at what it made when it was loaded."""
        files = dict.fromkeys(_file(test) for test in self._ordered(reaching))
        few = set(list(files)[:FILES_ANEW])
        asked = {test for test in tier if _file(test) in few and self.trace.runs[test].fate == forks.PASSED}
        chosen, spent = list[str](), 0.0
        for test in [*self._ordered(reaching & asked), *self._ordered(asked - reaching)]:
            spent += self.trace.runs[test].cost_s
            if spent <= self.cpu_s:
                chosen.append(test)
        return chosen

    def _fails_anew(self, mutant: Mutant | None, tests: list[str]) -> bool:
        fault = json.dumps(asdict(mutant)) if mutant else "null"
        command = [sys.executable, "-m", "tests.support.mutation", "--root", str(self.root), "--load", fault]
        try:
            done = subprocess.run(
                command,
                cwd=Path(__file__).parents[3],
                input="\n".join(tests),
                text=True,
                capture_output=True,
                check=False,
                timeout=120 + 20 * self.cpu_s,
            )
        except subprocess.TimeoutExpired:
            return mutant is not None
        if done.returncode in (pytest.ExitCode.USAGE_ERROR, pytest.ExitCode.NO_TESTS_COLLECTED):
            raise RuntimeError(done.stdout + done.stderr)
        return done.returncode != 0


def changed(root: Path, mutant: Mutant) -> list[tuple[CodeType, CodeType]]:
    """Return the functions that the fault changes, as they are loaded, each with its faulty version."""
    source, place = (root / mutant.file).read_text(), str(root / mutant.file)
    trees = (ast.parse(source), mutated(source, mutant))
    sound, faulty = (compile(probes.probed(tree, mutant.file), place, "exec", dont_inherit=True) for tree in trees)
    return changed_functions(sound, faulty)


def _file(test: str) -> str:
    return test.partition("::")[0]


def _mark(code: CodeType) -> tuple[str, int, bytes, bytes]:
    """Return the part of a function's code that running it does not change: `==` also compares what the interpreter has
    learned of it."""
    return code.co_qualname, code.co_firstlineno, code.co_linetable, code.co_code
