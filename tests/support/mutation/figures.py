"""Summary of a sample of faults: the number that `make test` finds, the number with `make test-more`, and those that
neither finds."""

from __future__ import annotations

import functools
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tests.support.mutation.judging import Verdict
from tests.support.mutation.mutants import Mutant, mutants
from tests.support.mutation.probes import modules

EQUIVALENT = Path(__file__).with_name("equivalent.json")
"""Faults that change nothing, each with its reason."""


def all_mutants(root: Path, package: str) -> list[Mutant]:
    """Return every fault of every module of a package."""
    return [
        mutant
        for path in modules(root, (package,))
        for mutant in mutants(path.read_text(), path.relative_to(root).as_posix())
    ]


def equivalent() -> dict[str, str]:
    """Return the reasons of faults that change nothing, by name."""
    found: dict[str, str] = json.loads(EQUIVALENT.read_text())
    return found


def name(root: Path, mutant: Mutant) -> str:
    """Return a fault's name, which is independent of changes elsewhere in its file, but not in its line; the second one
    like it in a line is numbered."""
    return _names(root / mutant.file, mutant.file)[mutant]


def report(root: Path, every: dict[str, list[Mutant]], verdicts: list[Verdict]) -> Iterator[str]:
    """Yield a line for each package and one for all, then the missed faults."""
    known = equivalent()
    for package, faults in every.items():
        listed = {each for each in known if each.startswith(f"{package}/")}
        stale = listed - {name(root, fault) for fault in faults} if listed else listed
        yield from (f"no fault any more: {each}" for each in sorted(stale))
    same = {each.mutant for each in verdicts if not each.found and name(root, each.mutant) in known}
    for package in every:
        yield _figure(package, [each for each in verdicts if each.mutant.file.startswith(f"{package}/")], same)
    yield _figure("all", verdicts, same)
    yield f"fates: {dict(Counter(each.fate for each in verdicts).most_common())}"
    yield from (f"only by make test-more: {each.mutant} ({each.by})" for each in verdicts if each.tier == "more")
    missed = [each for each in verdicts if not each.found and each.mutant not in same]
    yield from (f"{each.fate}: {name(root, each.mutant)} (line {each.mutant.line})" for each in missed)


def _figure(what: str, verdicts: list[Verdict], same: set[Mutant]) -> str:
    """Return a figure without the faults that are known to change nothing; a fault that is found after all counts
    like any other."""
    judged = [each for each in verdicts if each.mutant not in same]
    short = sum(each.tier == "test" for each in judged)
    whole = sum(each.found for each in judged)
    of = max(len(judged), 1)
    return (
        f"{what}: of {len(verdicts)} faults {len(verdicts) - len(judged)} change nothing; make test finds {short} of "
        f"{len(judged)}, {100 * short / of:.1f} %; with make test-more {whole}, {100 * whole / of:.1f} %; "
        f"{100 * (whole - short) / of:.1f} points between them"
    )


@functools.cache
def _names(path: Path, file: str) -> dict[Mutant, str]:
    source = path.read_text()
    lines, alike = source.splitlines(), Counter[str]()
    found = {}
    for mutant in mutants(source, file):
        plain = f"{file} {'.'.join(mutant.scope)}: {mutant.what} in: {lines[mutant.line - 1].strip()}"
        alike[plain] += 1
        found[mutant] = plain if alike[plain] == 1 else f"{plain} ({alike[plain]})"
    return found
