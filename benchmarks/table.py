"""Printed table, and the one way to measure: all cases in turn, many rounds, medians."""

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Table:
    """Table with `rows` under `columns`, and `notes` that a reader needs to understand the figures."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    notes: Sequence[str] = ()

    def __str__(self) -> str:
        widths = [max(len(row[i]) for row in [self.columns, *self.rows]) for i in range(len(self.columns))]
        lines = [
            "  ".join(cell.ljust(width) if i == 0 else cell.rjust(width) for i, (cell, width) in enumerate(cells))
            for cells in (list(zip(row, widths, strict=True)) for row in [self.columns, *self.rows])
        ]
        return "\n".join([self.title, "", *lines, "", *(f"  {note}" for note in self.notes)])


def timed(
    cases: Sequence[Callable[[], object]],
    seconds: float,
    least: int = 5,
    in_turn: int = 1,
    clock: Callable[[], float] = time.perf_counter,
) -> list[list[float]]:
    """Return the seconds of every call of each case, by `clock`.

    Each round runs every case `in_turn` times, so that other load on the machine affects all alike. Rounds continue for
    `seconds`, and there are at least `least` of them.
    """
    for case in cases:
        case()
    taken: list[list[float]] = [[] for _ in cases]
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(taken[0]) < least * in_turn:
        for case, times in zip(cases, taken, strict=True):
            for _ in range(in_turn):
                start = clock()
                case()
                times.append(clock() - start)
    return taken


def interleave(cases: Sequence[Callable[[], object]], seconds: float, least: int = 5) -> list[float]:
    """Return the median seconds of one call of each case, timed in turn."""
    return [statistics.median(times) for times in timed(cases, seconds, least)]
