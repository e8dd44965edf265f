"""Each test run once, without any fault: the places that it reaches and the time it takes, kept in a file.

A test is used for faults if it passes in a fork, starts no other program (which would not see a fault) and keeps within
the limits. The file's name holds a hash of all files that the tests read, so an interrupted run resumes where it was,
and a second one on the same tree has nothing to trace.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json
import os
import zlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.support.mutation import forks, probes

LIMITS = forks.Limits(cpu_s=5.0, wall_s=20.0)
"""Limits beyond which a test is not used."""
ASIDE = {"build", ".git", ".venv", "__pycache__", ".mypy_cache", ".ruff_cache", ".pytest_cache", ".hypothesis"}
"""Folders that no trace depends on."""
_ALL = "all have run"


@dataclass(frozen=True)
class Traced:
    """A test's run: its end, its processor and clock seconds, and the places it reached as bits of their list."""

    test: str
    fate: str
    cpu_s: float
    wall_s: float
    reached: str = ""

    @property
    def cost_s(self) -> float:
        """Return the cost of running the test."""
        return max(self.cpu_s, self.wall_s)


def tree_hash(root: Path) -> str:
    """Return a hash of everything that the tests read."""
    said = hashlib.sha256()
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(set(folders) - ASIDE)
        for path in (Path(folder, file) for file in sorted(files)):
            said.update(f"{path.relative_to(root)}\0".encode() + hashlib.sha256(path.read_bytes()).digest())
    return said.hexdigest()[:12]


def rows(file: Path) -> Iterator[dict[str, Any]]:
    """Yield the rows of a file, one a line; a row that was being written when a run was interrupted is left out."""
    with contextlib.suppress(FileNotFoundError):
        for line in file.read_text().splitlines():
            with contextlib.suppress(json.JSONDecodeError):
                yield json.loads(line)


def append(file: Path, row: dict[str, Any]) -> None:
    """Append a row on a line of its own, after any content."""
    with file.open("a") as opened:
        opened.write(f"\n{json.dumps(row)}\n")


class Trace:
    """Runs that are known, and those still to be made."""

    def __init__(self, file: Path, places: list[str]) -> None:
        self.file = file
        self.bits = {place: number for number, place in enumerate(places)}
        self.runs: dict[str, Traced] = {}

    def complete(self, items: list[pytest.Item], jobs: int) -> None:
        """Run the tests that are not in the file yet, the tests of each file in a fork of their own."""
        self._read()
        groups = defaultdict[str, list[pytest.Item]](list)
        for item in items:
            if item.nodeid not in self.runs:
                groups[item.nodeid.partition("::")[0]].append(item)
        waiting = list(groups.values())
        forks.side_by_side(jobs, len(waiting), lambda number: self._run(waiting[number]))
        self._read()

    def tests_at(self, wanted: Iterable[str]) -> dict[str, set[str]]:
        """Return the usable tests that reach each of these places."""
        numbers = {place: self.bits[place] for place in wanted}
        found = {place: set[str]() for place in numbers}
        for ran in self.runs.values():
            if ran.fate == forks.PASSED:
                mask = zlib.decompress(base64.b85decode(ran.reached))
                for place, number in numbers.items():
                    if mask[number >> 3] >> (number & 7) & 1:
                        found[place].add(ran.test)
        return found

    def summary(self, items: list[pytest.Item]) -> Iterable[str]:
        """Yield the number of tests that can run in a fork, and the reasons why others cannot."""
        runs = [self.runs[item.nodeid] for item in items]
        fates = Counter(ran.fate for ran in runs)
        spent = sum(ran.cpu_s for ran in runs if ran.fate == forks.PASSED)
        yield f"{len(runs)} tests: {dict(fates.most_common())}; those that passed take {spent:.0f} s of processor time"
        yield from (f"{ran.test} fails in a fork without any fault" for ran in runs if ran.fate == forks.FAILED)
        yield from (f"{ran.test} {ran.fate} in a fork without any fault" for ran in runs if ran.fate == forks.CRASHED)

    def _read(self) -> None:
        self.runs = {ran.test: ran for ran in (Traced(**row) for row in rows(self.file))}

    def _run(self, items: list[pytest.Item]) -> None:
        """Run the tests of one file. A test that ends its process is noted, and another fork continues after it."""
        while items:
            told = forks.in_fork(items[0].config, self._in_turn(items))
            if told.lines[-1:] == [_ALL]:
                return
            last = [item.nodeid for item in items].index(told.lines[-1])
            self._note(Traced(items[last].nodeid, told.fate, 0.0, 0.0))
            items = items[last + 1 :]

    def _in_turn(self, items: list[pytest.Item]) -> Callable[[Callable[[str], None]], None]:
        def work(tell: Callable[[str], None]) -> None:
            forks.end_at_a_program()
            for item, following in zip(items, [*items[1:], None], strict=True):
                tell(item.nodeid)
                probes.REACHED.clear()
                fate, cpu_s, wall_s = forks.run(item, following, LIMITS)
                self._note(Traced(item.nodeid, fate, round(cpu_s, 4), round(wall_s, 4), self._bits(probes.REACHED)))
            tell(_ALL)

        return work

    def _bits(self, reached: set[str]) -> str:
        mask = bytearray(len(self.bits) // 8 + 1)
        for place in reached:
            number = self.bits[place]
            mask[number >> 3] |= 1 << (number & 7)
        return base64.b85encode(zlib.compress(bytes(mask))).decode()

    def _note(self, ran: Traced) -> None:
        append(self.file, asdict(ran))
