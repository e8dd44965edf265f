"""Mutation testing of `protocol`, `dealer_flow` and `rules`: how many deliberate faults do the tests find?

`python -m tests.support.programs.mutate --sample 600 --seed 1` draws so many faults out of all of `mutants`, the same
ones for the same seed, and prints those that no test notices; `--package rules` draws from one package alone. One
process collects the packages' quick tests and runs each once under `coverage`, which says which tests reach which line
and how long they take. Then each fault is put into a fork of it, into the code of every function that is alive there (a
method, a lambda in a table, a closure that was made before), and the tests that reach its line run, the quickest first,
until one fails. So the tests' modules are loaded once, and what was worked out at that time (procedures that were read,
cases that were made) is without the fault; results that a test keeps for others are forgotten in the fork, but for the
evenings at the simulated table, which are reports of devices and not what the flow makes of them. A fault that is not
found so, on a line that runs while modules are loaded, is tried once more in a new process that loads it.

A fault is found when a test fails, crashes, or takes ten times its time and more on top. `--cpu` bounds the time of a
fault that no test finds; slower tests are then not asked, so the figure is a lower bound.
"""

from __future__ import annotations

import argparse
import functools
import gc
import importlib
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from importlib.machinery import SourceFileLoader
from pathlib import Path
from random import Random
from types import CodeType, FunctionType

import coverage
import pytest
from _pytest.runner import runtestprotocol

from tests.support.programs.mutants import LAMBDA, Mutant, differences, mutants, mutated

ROOT = Path(__file__).parents[3]
PACKAGES = {
    "protocol": (
        "tests/protocol",
        *(f"tests/devices/test_{name}.py" for name in ("capture", "dialect_contract", "dialect_fuzz", "drivers")),
        *(f"tests/devices/test_{name}.py" for name in ("replay", "session", "shoe_drivers", "simulator_shuffler")),
    ),
    "dealer_flow": ("tests/dealer_flow", "tests/dealwire/test_faces_hidden.py"),
    "rules": ("tests/rules", "tests/dealwire/test_cli_odds.py"),
}
"""Each package and the tests that concern it."""
EQUIVALENT = Path(__file__).with_name("mutants_equivalent.json")
"""Faults that change nothing: what they are, and why."""
KEPT = {"tests.dealer_flow.test_dealt_procedures.evening", "test_dealt_procedures.evening"}
ASIDE = ("tests/dealer_flow/test_dealt_procedures.py", "tests/dealer_flow/test_races_by_dialect.py")
"""Whole evenings over simulated lines: minutes of devices, and the same flow."""
LONGEST_S = 5.0
"""Tests that take longer are not asked."""
QUICK = "not thorough and not slow and not hardware and not firmware"
OPTIONS = ["-q", "-s", "-m", QUICK, "-p", "no:cacheprovider", "-p", "no:faulthandler"]


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


def all_mutants(package: str) -> list[Mutant]:
    """Every fault of every module of a package."""
    found: list[Mutant] = []
    for path in sorted((ROOT / package).rglob("*.py")):
        found += mutants(path.read_text(), path.relative_to(ROOT).as_posix())
    return found


def sample(packages: list[str], size: int, seed: int) -> list[Mutant]:
    """So many faults, of each package its share; 0: all of them."""
    every = {package: all_mutants(package) for package in packages}
    of = sum(map(len, every.values()))
    chance, drawn = Random(seed), list[Mutant]()
    for found in every.values():
        drawn += sorted(chance.sample(found, round(size * len(found) / of)), key=str) if size else found
    chance.shuffle(drawn)
    return drawn


@dataclass
class Runner:
    """A pytest plugin that runs faults instead of the tests."""

    wanted: list[Mutant]
    cpu_s: float
    jobs: int
    log: Path
    watch: coverage.Coverage
    verdicts: list[Verdict] = field(default_factory=list)
    took: dict[str, float] = field(default_factory=dict)
    kills: Counter[str] = field(default_factory=Counter)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Each test once, then each fault."""
        items = {item.nodeid: item for item in session.items}
        reach = self._baseline(list(items.values()))
        done = self._done()
        left = [mutant for mutant in self.wanted if str(mutant) not in done]
        workers = [os.fork() or self._work(left[number :: self.jobs], items, reach) for number in range(self.jobs)]
        failed = [worker for worker in workers if os.waitpid(worker, 0)[1]]
        if failed:
            raise pytest.UsageError("faults could not be judged")
        judged = self._done(again=False)
        self.verdicts = [judged[str(mutant)] for mutant in self.wanted]
        return True

    def _work(self, wanted: list[Mutant], items: dict[str, pytest.Item], reach: dict[tuple[str, int], set[str]]) -> int:
        """One of the processes that judge faults side by side; it ends here."""
        try:
            for mutant in wanted:
                verdict = self._judge(mutant, items, reach)
                self.kills[verdict.by] += bool(verdict.by)
                with self.log.open("a") as log:
                    log.write(json.dumps({"fate": verdict.fate, "by": verdict.by, **asdict(mutant)}) + "\n")
                if not verdict.found:
                    print(f"{verdict.fate}: {mutant}", flush=True)
        except BaseException as error:
            print(f"{mutant}: {error!r}", flush=True)
            os._exit(1)
        os._exit(0)

    def _done(self, *, again: bool = True) -> dict[str, Verdict]:
        """What the log says; `again` leaves out what was not found, to be tried again when a run was broken off."""
        found: dict[str, Verdict] = {}
        for line in self.log.read_text().splitlines() if self.log.exists() else ():
            row = json.loads(line)
            fate, by = row.pop("fate"), row.pop("by")
            verdict = Verdict(Mutant(**row | {"scope": tuple(row["scope"])}), fate, by)
            if verdict.found or not again:
                found[str(verdict.mutant)] = verdict
        return found

    def _baseline(self, items: list[pytest.Item]) -> dict[tuple[str, int], set[str]]:
        """File and line -> the tests that reach it, "" for the loading of modules. A test that fails without any fault
        finds none."""
        for item, following in zip(items, [*items[1:], None], strict=True):
            self.watch.switch_context(item.nodeid)
            begun = time.process_time()
            failed = _fails(item, following)
            self.took[item.nodeid] = time.process_time() - begun
            if failed:
                print(f"{item.nodeid} fails without any fault: it is not asked", flush=True)
                self.took[item.nodeid] = float("inf")
        self.watch.stop()
        reach: dict[tuple[str, int], set[str]] = {}
        data = self.watch.get_data()
        for file in data.measured_files():
            name = Path(file).relative_to(ROOT).as_posix()
            for line, tests in data.contexts_by_lineno(file).items():
                reach[name, line] = set(tests)
        spent = sum(took for took in self.took.values() if took < float("inf"))
        print(f"{len(items)} tests, {spent:.0f} s of processor time under coverage", flush=True)
        return reach

    def _judge(self, mutant: Mutant, items: dict[str, pytest.Item], reach: dict[tuple[str, int], set[str]]) -> Verdict:
        """Run the tests that reach the line: those that found other faults and are quick come first."""
        lines = reach.get((mutant.file, mutant.line)) or _anywhere(mutant, reach)
        chosen = self._chosen(lines - {""})
        verdict = Verdict(mutant, "unreached")
        if chosen:
            verdict = Verdict(mutant, *_in_fork(mutant, [items[test] for test in chosen], self.took))
        loaded = "" in lines and (LAMBDA not in mutant.scope or not chosen)  # a lambda's line also runs as its table's
        if loaded and not verdict.found:
            in_file = {test for (file, _), tests in reach.items() if file == mutant.file for test in tests}
            chosen = list(dict.fromkeys(self._chosen(in_file - {""}) + self._chosen(set(items))))
            if chosen and _in_new_process(mutant, chosen, self.cpu_s):
                verdict = Verdict(mutant, "killed", "when it is loaded")
        return verdict

    def _chosen(self, tests: set[str]) -> list[str]:
        """The tests to ask, in order, while there is time: those that found faults and are quick come first."""
        quick = [test for test in tests if self.took[test] <= LONGEST_S]
        quick.sort(key=lambda test: (self.took[test] / (1 + self.kills[test]), test))
        chosen, spent = list[str](), 0.0
        for test in quick:
            spent += self.took[test]
            if spent > self.cpu_s and chosen:
                break
            chosen.append(test)
        return chosen


def _anywhere(mutant: Mutant, reach: dict[tuple[str, int], set[str]]) -> set[str]:
    """The tests that reach any line of the fault's function: a part of a long line has no line of its own."""
    lines = set[int]()
    for code, _ in _changed(mutant):
        lines |= {line for _, _, line in code.co_lines() if line is not None and line != code.co_firstlineno}
    return {test for line in lines for test in reach.get((mutant.file, line), ())}


def _changed(mutant: Mutant) -> list[tuple[CodeType, CodeType]]:
    source = (ROOT / mutant.file).read_text()
    return differences(compile(source, mutant.file, "exec", dont_inherit=True), mutated(source, mutant))


# ------------------------------------------------------------------ in a fork


def _in_fork(mutant: Mutant, items: list[pytest.Item], took: dict[str, float]) -> tuple[str, str]:
    """The fault's fate and the test that found it."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        try:
            _put(mutant)
        except Exception as error:
            print(f"{mutant} cannot be put in place: {error}", flush=True)
            os._exit(2)
        _quiet()
        for item in items:
            signal.setitimer(signal.ITIMER_PROF, 10 * took[item.nodeid] + 2)
            signal.setitimer(signal.ITIMER_REAL, 10 * took[item.nodeid] + 60)  # of a test that waits
            os.write(writing, f"{item.nodeid}\n".encode())
            if _fails(item, None):
                os._exit(1)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as told:
        last = told.read().splitlines()
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        fate = "time" if os.WTERMSIG(status) in (signal.SIGPROF, signal.SIGALRM) else "crash"
    else:
        fate = ("survived", "killed", "unput")[os.WEXITSTATUS(status)]
    return fate, last[-1] if last and fate not in ("survived", "unput") else ""


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
    """Give every function that is loaded the code with the fault."""
    importlib.import_module(mutant.file.removesuffix(".py").removesuffix("/__init__").replace("/", "."))
    place, count = str(ROOT / mutant.file), 0
    faulty = {_mark(old): new for old, new in _changed(mutant)}
    for each in gc.get_objects():
        if isinstance(each, FunctionType) and each.__code__.co_filename == place and _mark(each.__code__) in faulty:
            each.__code__ = faulty[_mark(each.__code__)]
            count += 1
    if not count:
        raise LookupError("no such function is alive")


def _mark(code: CodeType) -> tuple[str, int, bytes, bytes]:
    """What is the same of a function that has run: `==` compares what the interpreter has learned of it, too."""
    return code.co_qualname, code.co_firstlineno, code.co_linetable, code.co_code


def _in_new_process(mutant: Mutant, tests: list[str], cpu_s: float) -> bool:
    """True when a test fails in a process that loads the module with the fault, or its loading does."""
    command = [sys.executable, "-m", "tests.support.programs.mutate", "--load", json.dumps(asdict(mutant))]
    limit, asked = 60 + 20 * cpu_s, "\n".join(tests)
    try:
        done = subprocess.run(
            command, cwd=ROOT, input=asked, text=True, capture_output=True, check=False, timeout=limit
        )
    except subprocess.TimeoutExpired:
        return True
    if done.returncode in (pytest.ExitCode.USAGE_ERROR, pytest.ExitCode.NO_TESTS_COLLECTED):
        raise RuntimeError(done.stdout + done.stderr)
    return done.returncode != 0


class _Only:
    """The tests that were chosen, in their order."""

    def __init__(self, tests: list[str]) -> None:
        self.tests = {test: number for number, test in enumerate(tests)}

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """The others are not run."""
        items[:] = sorted((item for item in items if item.nodeid in self.tests), key=lambda i: self.tests[i.nodeid])


def _load(mutant: Mutant, tests: list[str]) -> int:
    """Run these tests with a module that is loaded with the fault; not 0 when one fails."""
    sound = SourceFileLoader.get_code

    def get_code(loader: SourceFileLoader, name: str) -> CodeType | None:
        if loader.path != str(ROOT / mutant.file):
            return sound(loader, name)
        return mutated((ROOT / mutant.file).read_text(), mutant)

    SourceFileLoader.get_code = get_code  # type: ignore[method-assign]
    files = sorted({test.partition("::")[0] for test in tests})
    return int(pytest.main([*OPTIONS, "-x", *files], plugins=[_Settings(), _Only(tests)]))


def _fails(item: pytest.Item, following: pytest.Item | None) -> bool:
    reports = runtestprotocol(item, log=False, nextitem=following)
    return any(report.failed for report in reports)


# ------------------------------------------------------------------ the figure


def equivalent() -> dict[str, str]:
    """Faults that change nothing, by their name -> the reason."""
    found: dict[str, str] = json.loads(EQUIVALENT.read_text()) if EQUIVALENT.exists() else {}
    return found


def name(mutant: Mutant) -> str:
    """A fault's name, which outlives changes elsewhere in its file, and not one of its line."""
    line = _lines(mutant.file)[mutant.line - 1].strip()
    return f"{mutant.file} {'.'.join(mutant.scope)}: {mutant.what} in: {line}"


@functools.cache
def _lines(file: str) -> list[str]:
    return (ROOT / file).read_text().splitlines()


def summary(verdicts: list[Verdict]) -> Iterator[str]:
    """The figure in words, and each fault that was not found."""
    known = equivalent()
    left = [verdict for verdict in verdicts if not verdict.found]
    same = [verdict for verdict in left if name(verdict.mutant) in known]
    missed = [verdict for verdict in left if name(verdict.mutant) not in known]
    found, judged = len(verdicts) - len(left), len(verdicts) - len(same)
    fates = Counter(verdict.fate for verdict in verdicts)
    yield f"{len(verdicts)} faults: {dict(sorted(fates.items()))}, {len(same)} of them equivalent"
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
    parser = argparse.ArgumentParser(prog="python -m tests.support.programs.mutate", description="Mutation testing.")
    parser.add_argument("--package", action="append", choices=list(PACKAGES), help="what is changed; all three")
    parser.add_argument("--sample", type=int, default=600, help="faults to draw; 0: all of them")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cpu", type=float, default=10.0, help="processor seconds for a fault that no test finds")
    parser.add_argument("--jobs", type=int, default=2, help="faults to judge side by side")
    parser.add_argument(
        "--log", type=Path, default=ROOT / "build" / "mutation.ndjson", help="every verdict, a line each"
    )
    parser.add_argument("--resume", action="store_true", help="keep the faults that the log says are found")
    parser.add_argument("--load", help=argparse.SUPPRESS)
    parser.add_argument("tests", nargs="*", help="instead of those that concern the packages")
    args = parser.parse_args(arguments)
    os.chdir(ROOT)
    if args.load:
        fault = json.loads(args.load)
        return _load(Mutant(**fault | {"scope": tuple(fault["scope"])}), sys.stdin.read().splitlines())
    packages = args.package or list(PACKAGES)
    wanted = sample(packages, args.sample, args.seed)
    args.log.parent.mkdir(exist_ok=True)
    if not args.resume:
        args.log.unlink(missing_ok=True)
    watch = coverage.Coverage(data_file=None, source=[str(ROOT / package) for package in packages], config_file=False)
    runner = Runner(wanted, args.cpu, args.jobs, args.log, watch)
    watch.start()
    tests = args.tests or [test for package in packages for test in PACKAGES[package]]
    code = pytest.main([*OPTIONS, *(f"--deselect={test}" for test in ASIDE), *tests], plugins=[_Settings(), runner])
    if len(runner.verdicts) < len(wanted):
        return int(code) or 1
    for package in packages:
        every = all_mutants(package)
        stale = {known for known in equivalent() if known.startswith(f"{package}/")} - {name(each) for each in every}
        print(f"\n{package}, of {len(every)} faults:", *(f"no fault any more: {known}" for known in stale), sep="\n")
        print(*summary([each for each in runner.verdicts if each.mutant.file.startswith(f"{package}/")]), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
