"""Every cell of docs/reliability.md, carried out for real."""

import contextlib
import threading
from pathlib import Path

import pytest

from tests.support.programs.fault_matrix import BY_HAND, DOCUMENT, FAULTS, LINES, Trial, expected_cell, render, trial_of
from tests.support.rigs.lines_under_test import SECOND, WIRES, Bench

COMMAND_MOST_NS = 3 * 250_000_000 + 50_000_000
"""Three tries of 250 ms, and 50 ms of tolerance for every request."""
TRIES = 2


@pytest.mark.every(4)
@pytest.mark.parametrize("line", LINES)
@pytest.mark.parametrize("fault", FAULTS)
def test_a_cell_is_as_the_document_says(fault: str, line: str, tmp_path: Path) -> None:
    """Real threads and terminals: a delay of a busy machine is tried once more; a real delay repeats."""
    for number in range(TRIES - 1):
        with contextlib.suppress(AssertionError):
            try_cell(fault, line, tmp_path / f"{number}")
            return
    try_cell(fault, line, tmp_path / "last")


def try_cell(fault: str, line: str, folder: Path) -> None:
    folder.mkdir()
    bench = Bench(WIRES[line], folder)
    threads = set(threading.enumerate())
    try:
        bench.up()
        trial = Trial(bench)
        assert trial_of(fault, line)(trial) == expected_cell(fault, line)
        if trial.asked_ns:
            assert len(trial.ended) == 1
            assert trial.ended_ns - trial.asked_ns <= COMMAND_MOST_NS
    finally:
        bench.close()
    assert set(threading.enumerate()) <= threads


@pytest.mark.parametrize("line", LINES)
def test_no_command_outlives_its_deadline_on_a_mute_line(line: str, tmp_path: Path) -> None:
    bench = Bench(WIRES[line], tmp_path)
    try:
        bench.up()
        trial = Trial(bench)
        bench.device.speaks = False
        trial.ask()
        assert bench.run(lambda: bool(trial.ended), 5)
        assert 0.7 * SECOND <= trial.ended_ns - trial.asked_ns <= COMMAND_MOST_NS
    finally:
        bench.close()


def test_the_document_is_what_the_tests_prove() -> None:
    written = DOCUMENT.read_text().partition(BY_HAND)[0]
    assert written == render(), "run `make docs`"
