"""Mutation testing of six packages: how many deliberate faults does `make test` find, how many with `make test-more`?

`python -m tests.support.mutation --sample 300 --seed 30` draws so many faults out of all of `mutants`, the same for the
same seed, and prints those that no test notices; `--package rules` draws from one package alone. One process loads the
packages and collects the tests of both targets. Each test runs once, which gives the places that it reaches (`trace`).
Then each fault is put into a fork, into the code of every function that is alive there (a method, a lambda in a table,
a closure that was made before), and the tests that reach its place run, the quickest first, until one fails
(`judging`). Test modules are thus loaded once, and values computed at that time (such as cases) are without the fault.
A fault that is not found this way, in code that runs while its package is loaded, is tried once more in a new process.

`--cpu` bounds the processor time of a fault that no test of a tier finds. Slower tests are then left out, and tests
that start programs, brokers or browsers always are, so each figure is a lower bound. Results are kept in build/mutation
under the hash of the tree: a run that was interrupted resumes when it is started again.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import json
import os
import sys
import time
from dataclasses import asdict, dataclass, field
from importlib.machinery import SourceFileLoader
from pathlib import Path
from random import Random
from types import CodeType

import pytest

from tests.support.mutation import figures, forks, probes
from tests.support.mutation.figures import all_mutants
from tests.support.mutation.judging import Judge, Verdict
from tests.support.mutation.mutants import Mutant, mutated, node_of
from tests.support.mutation.trace import Trace, append, rows, tree_hash

ROOT = Path(__file__).parents[3]
PACKAGES = ("protocol", "devices", "dealer_flow", "rules", "dealwire/table", "dealwire/journal")
KEPT = Path("build", "mutation")
MARKS = "not slow and not hardware and not firmware and not kaitai"
"""Marks of the tests that `make test` and `make test-more` run."""
MORE = "more"
"""Mark of the tests that only `make test-more` runs."""
OPTIONS = ["-q", "-s", "-p", "no:cacheprovider", "-p", "no:faulthandler", "-p", "no:xdist", "-m", MARKS]
OPTIONS += ["-o", "tmp_path_retention_policy=failed"]


def sample(every: dict[str, list[Mutant]], size: int, seed: int) -> list[Mutant]:
    """Return so many faults, a share from each package; 0: all of them."""
    of = sum(map(len, every.values()))
    chance, drawn = Random(seed), list[Mutant]()
    for found in every.values():
        drawn += sorted(chance.sample(found, round(size * len(found) / of)), key=str) if size else found
    chance.shuffle(drawn)
    return drawn


def places_of(root: Path, wanted: list[Mutant]) -> dict[Mutant, str]:
    """Return the place of each fault."""
    found = {}
    for file in {mutant.file for mutant in wanted}:
        tree = ast.parse((root / file).read_text())
        places = probes.places(tree, file)
        found |= {mutant: places[node_of(tree, mutant)] for mutant in wanted if mutant.file == file}
    return found


@dataclass
class Runner:
    """A pytest plugin that runs faults instead of the tests."""

    root: Path
    packages: tuple[str, ...]
    wanted: list[Mutant]
    loading: set[str]
    cpu_s: float
    jobs: int
    tree: str
    log: Path
    verdicts: list[Verdict] = field(default_factory=list)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Run each test once, then each fault."""
        forks.settle()
        places = probes.every_place(self.root, self.packages)
        trace = Trace(self.root / KEPT / f"{self.tree}-trace.ndjson", places)
        begun = time.monotonic()
        trace.complete(session.items, self.jobs)
        print(*trace.summary(session.items), f"traced in {time.monotonic() - begun:.0f} s", sep="\n", flush=True)
        self._judge(session, trace)
        print(f"judged in {time.monotonic() - begun:.0f} s with the trace", flush=True)
        return True

    def _judge(self, session: pytest.Session, trace: Trace) -> None:
        tiers: dict[str, dict[str, pytest.Item]] = {"test": {}, "more": {}}
        for item in session.items:
            tiers["more" if item.get_closest_marker(MORE) else "test"][item.nodeid] = item
        places = places_of(self.root, self.wanted)
        files = {mutant.file for mutant in self.wanted}
        in_file = {file: [place for place in trace.bits if place.startswith(f"{file}:")] for file in files}
        reach = trace.tests_at(places.values())
        of_file = {file: set().union(*trace.tests_at(all_in).values()) for file, all_in in in_file.items()}
        judge = Judge(self.root, session.config, tiers, trace, reach, of_file, self.loading, self.cpu_s)
        judged = self._known()
        left = [mutant for mutant in self.wanted if mutant not in judged]

        def one(number: int) -> None:
            begun = time.monotonic()
            verdict = judge.judge(left[number], places[left[number]])
            append(self.log, asdict(verdict) | {"took_s": round(time.monotonic() - begun, 2)})
            if not verdict.found:
                print(f"{verdict.fate}: {verdict.mutant}", flush=True)

        forks.side_by_side(self.jobs, len(left), one)
        judged = self._known()
        self.verdicts = [judged[mutant] for mutant in self.wanted]

    def _known(self) -> dict[Mutant, Verdict]:
        found = {}
        for row in rows(self.log):
            mutant = _mutant(row["mutant"])
            found[mutant] = Verdict(mutant, row["fate"], row["by"], row["tier"])
        return found


class _Settings:
    """Fixed settings: tests that draw their cases draw the same ones each time, or every fault would meet others."""

    def pytest_configure(self, config: pytest.Config) -> None:
        """Configure Hypothesis before any test is loaded. Import it here, after pytest has prepared to rewrite it."""
        from hypothesis import HealthCheck, settings

        checks = list(HealthCheck)
        settings.register_profile(
            "mutation", derandomize=True, database=None, deadline=None, suppress_health_check=checks
        )
        settings.load_profile("mutation")


class _Only:
    """The selected tests, in the order of their files."""

    def __init__(self, tests: list[str]) -> None:
        self.tests = set(tests)

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Deselect all other tests."""
        items[:] = [item for item in items if item.nodeid in self.tests]


def _mutant(row: dict[str, object]) -> Mutant:
    return Mutant(**row | {"scope": tuple(row["scope"])})  # type: ignore[arg-type]


def _load(root: Path, mutant: Mutant | None, tests: list[str]) -> int:
    """Run these tests with a module that is loaded with the fault; return a code other than 0 if one fails."""
    sound = SourceFileLoader.get_code

    def get_code(loader: SourceFileLoader, name: str) -> CodeType | None:
        if mutant is None or loader.path != str(root / mutant.file):
            return sound(loader, name)
        return compile(mutated((root / mutant.file).read_text(), mutant), loader.path, "exec", dont_inherit=True)

    SourceFileLoader.get_code = get_code  # type: ignore[method-assign]
    files = sorted({test.partition("::")[0] for test in tests})
    return int(pytest.main([*OPTIONS, "-x", *files], plugins=[_Settings(), _Only(tests)]))


def _load_packages(root: Path, packages: tuple[str, ...]) -> set[str]:
    """Load every module, noting its places; return the places that loading alone reaches."""
    probes.install(root, packages)
    for path in probes.modules(root, packages):
        module = path.relative_to(root).as_posix().removesuffix(".py").removesuffix("/__init__")
        importlib.import_module(module.replace("/", "."))
    return set(probes.REACHED)


def _arguments(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.support.mutation", description="Mutation testing.")
    parser.add_argument("--package", action="append", help="what is changed; all six")
    parser.add_argument("--sample", type=int, default=300, help="faults to draw; 0: all of them")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--cpu", type=float, default=10.0, help="processor seconds for the tests of a target that do not find a fault"
    )
    parser.add_argument("--jobs", type=int, default=2, help="processes side by side")
    parser.add_argument("--root", type=Path, default=ROOT, help="another project, with --package")
    parser.add_argument("--load", help=argparse.SUPPRESS)
    parser.add_argument("tests", nargs="*", default=["tests"], help="instead of all")
    return parser.parse_args(arguments)


def main(arguments: list[str]) -> int:
    """Run a sample and print its figures."""
    args = _arguments(arguments)
    root: Path = args.root.resolve()
    os.chdir(root)
    sys.path.insert(0, str(root))
    if args.load:
        fault = json.loads(args.load)
        return _load(root, _mutant(fault) if fault else None, sys.stdin.read().splitlines())
    every = {package: all_mutants(root, package) for package in args.package or PACKAGES}
    wanted = sample(every, args.sample, args.seed)
    (root / KEPT).mkdir(parents=True, exist_ok=True)
    tree = tree_hash(root)
    drawn = "-".join([tree, *(each.replace("/", ".") for each in args.package or ()), f"{args.sample}-{args.seed}"])
    packages = PACKAGES if root == ROOT else tuple(every)
    loading = _load_packages(root, packages)
    runner = Runner(root, packages, wanted, loading, args.cpu, args.jobs, tree, root / KEPT / f"{drawn}.ndjson")
    code = pytest.main([*OPTIONS, *args.tests], plugins=[_Settings(), runner])
    if len(runner.verdicts) < len(wanted):
        return int(code) or 1
    print(*figures.report(root, every, runner.verdicts), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
