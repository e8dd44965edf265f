"""SIGTERM ends a command soon, no matter what its threads, processes and lines do; it first releases what it holds."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest

from dealwire.cli.ending import LAST_RESORT_S
from dealwire.journal import JournalError, JournalReader
from dealwire.journal.check import verify
from devices.record.capture import CLOSED, Capture
from tests.support.rigs.patience import PATIENCE_S, wait_until
from tests.support.rigs.serving import ORDERLY, PATIENT, simulators, write_configuration

ROOT = Path(__file__).parents[2]
HUNG: Final = """
import threading, time
threading.Thread(target=time.sleep, args=(3600,)).start()  # no daemon: Python waits for it at its end
from dealwire.cli import ending, main
ending.LAST_RESORT_S = {patience_s}
main({arguments!r}, prog_name="dealwire")
"""

STUCK: Final = """
import ctypes
from dealwire.cli import main
from dealwire.service.service import Service

def run(service, timeout_s=None):
    print("stuck", flush=True)
    lock = ctypes.create_string_buffer(64)
    system = ctypes.CDLL(None)
    system.pthread_mutex_lock(lock)
    system.pthread_mutex_lock(lock)  # for ever: no signal ends the wait for a lock of the system

Service.run = run
main({arguments!r}, prog_name="dealwire")
"""

SLOW_TO_MAKE: Final = """
import time
from multiprocessing.popen_fork import Popen
from dealwire.cli import main

launch = Popen._launch

def slowly(made, process):
    launch(made, process)
    time.sleep(0.5)  # the process is there, and whoever makes it does not know yet

Popen._launch = slowly
main({arguments!r}, prog_name="dealwire")
"""


@contextmanager
def started(*command: str) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def dealwire(*arguments: str) -> tuple[str, ...]:
    return (sys.executable, "-m", "dealwire", *arguments)


def records_in(journal: Path) -> int:
    try:
        with JournalReader(journal) as reader:
            return verify(reader).records
    except JournalError:
        return 0  # it is just made


def catches(process: int, number: signal.Signals) -> bool:
    """True when a process has a handler of its own for this signal, as proc(5) tells it."""
    status = Path(f"/proc/{process}/status").read_text()
    (caught,) = re.findall(r"SigCgt:\s*(\w+)", status)
    return bool(int(caught, 16) >> (number - 1) & 1)


def children(process: subprocess.Popen[str]) -> list[int]:
    found = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    return [int(each) for each in found.read_text().split()] if found.exists() else []


def runs(number: int) -> bool:
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def gone(numbers: Sequence[int]) -> None:
    wait_until(lambda: not any(runs(number) for number in numbers))


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """As many recordings as take a while."""
    folder, capture = tmp_path_factory.mktemp("archive"), ROOT / "captures" / "clean-3.pcapng"
    for number in range(3000):
        (folder / f"{number}.pcapng").symlink_to(capture)
    return folder


def test_a_patient_program_has_another_last_resort() -> None:
    """Else every test that ends a program in order fails on a busy machine."""
    asking = PATIENT.replace("main(prog_name='dealwire')", "print(ending.LastResort().patience_s)")
    answer = subprocess.run(
        [sys.executable, "-c", asking], capture_output=True, text=True, check=True, timeout=PATIENCE_S
    )
    assert float(answer.stdout) == PATIENCE_S


@pytest.mark.every(2)
@pytest.mark.parametrize("hung", [False, True], ids=["that work", "that hang"])
def test_replay_and_its_processes(archive: Path, hung: bool) -> None:
    with started(*dealwire("replay", "--jobs", "2", "--json", str(archive))) as process:
        wait_until(lambda: len(children(process)) == 2)
        workers = children(process)
        if hung:
            for number in workers:
                os.kill(number, signal.SIGSTOP)
        process.send_signal(signal.SIGTERM)
        try:
            process.communicate(timeout=PATIENCE_S)  # its output is read, until the last who holds it has gone
            assert process.returncode == -signal.SIGTERM
            gone(workers)
        finally:
            for number in filter(runs, workers):
                os.kill(number, signal.SIGKILL)


@pytest.mark.more
def test_a_process_that_hangs_while_it_is_made_is_ended(archive: Path) -> None:
    arguments = ["replay", "--jobs", "2", "--json", str(archive)]
    with started(sys.executable, "-c", SLOW_TO_MAKE.format(arguments=arguments)) as process:
        wait_until(lambda: len(children(process)) == 1)
        workers = children(process)
        os.kill(workers[0], signal.SIGSTOP)
        process.send_signal(signal.SIGTERM)
        try:
            process.communicate(timeout=PATIENCE_S)
            assert process.returncode == -signal.SIGTERM
            gone(workers)
        finally:
            for number in filter(runs, workers):
                os.kill(number, signal.SIGKILL)


def test_a_process_that_is_ended_does_not_end_the_command(archive: Path) -> None:
    """It has the handlers and the pipe of the one that made it, unless it gives them back."""
    with started(*dealwire("replay", "--jobs", "2", "--json", str(archive))) as process:
        wait_until(lambda: len(children(process)) == 2)
        (first, _) = children(process)
        wait_until(lambda: not catches(first, signal.SIGTERM), "that it gives back what is the command's")
        os.kill(first, signal.SIGTERM)
        _, said = process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 1
        assert "a worker process was killed" in said


@pytest.mark.more
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_counting_and_its_processes(number: int) -> None:
    with started(*dealwire("odds", "flushes-gone-wild.co")) as process:
        wait_until(lambda: children(process) or process.poll() is not None)
        workers = children(process)
        assert workers
        process.send_signal(number)
        assert process.wait(PATIENCE_S) == -number
        gone(workers)


@pytest.mark.more
def test_demo_and_its_simulator() -> None:
    with started(*dealwire("demo", "--speed", "1")) as process:
        wait_until(lambda: children(process))
        simulator = children(process)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=PATIENCE_S)
        assert process.returncode == -signal.SIGTERM
        gone(simulator)


def test_a_recording_is_closed(tmp_path: Path) -> None:
    capture = tmp_path / "evening.pcapng"
    with simulators() as addresses:
        lines = ["--shuffler", addresses[0]["shuffler"], "--controller", addresses[0]["table-controller"]]
        with started(*ORDERLY, "record", *lines, "-o", str(capture)) as process:
            wait_until(lambda: capture.exists() and capture.stat().st_size > 5000)
            process.send_signal(signal.SIGTERM)
            _, said = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == -signal.SIGTERM
    assert "Traceback" not in said
    assert [chunk.comment for chunk in Capture.read(capture).chunks][-2:] == [CLOSED, CLOSED]


@pytest.mark.parametrize(
    "arguments",
    [["sim"], ["monitor", "--shuffler", "sim:shuffler"], ["settle"], ["decode"], ["bench", "--simulated"]],
    ids=lambda arguments: arguments[0],
)
def test_a_thread_that_goes_on_holds_nothing_up(arguments: list[str]) -> None:
    read, write = os.pipe()
    process = subprocess.Popen(
        [sys.executable, "-c", HUNG.format(arguments=arguments, patience_s=LAST_RESORT_S)],
        stdin=read,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    os.close(read)
    try:
        wait_until(lambda: catches(process.pid, signal.SIGTERM))
        process.send_signal(signal.SIGTERM)
        _, said = process.communicate(timeout=PATIENCE_S)
        assert process.returncode == -signal.SIGTERM
        assert "Traceback" not in said
    finally:
        os.close(write)
        process.kill()
        process.wait()


@pytest.mark.more
def test_a_service_whose_thread_hangs_ends_whole(tmp_path: Path) -> None:
    """The end is as good as without the thread: the journal is closed, the exit code is that of a requested end."""
    with simulators() as addresses:
        file = write_configuration(tmp_path, addresses)
        # A busy machine may need longer than usual to close the journal, which must come before the last resort.
        program = HUNG.format(arguments=["run", str(file), "--no-console"], patience_s=4 * LAST_RESORT_S)
        with started(sys.executable, "-c", program) as process:
            journal = tmp_path / "journal.sqlite"
            wait_until(lambda: journal.exists() and records_in(journal) > 10)
            process.send_signal(signal.SIGTERM)
            assert process.wait(PATIENCE_S) == 0
    assert not Path(f"{journal}-wal").exists(), "what closes the file takes it away"
    with JournalReader(journal) as reader:
        assert verify(reader).records > 10


@pytest.mark.more
def test_a_service_whose_disk_hangs_is_cut_off(tmp_path: Path) -> None:
    """Its main thread waits in a system call and receives no signal."""
    with simulators() as addresses:
        file = write_configuration(tmp_path, addresses)
        with started(sys.executable, "-c", STUCK.format(arguments=["run", str(file), "--no-console"])) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == "stuck\n"
            process.send_signal(signal.SIGTERM)
            assert process.wait(PATIENCE_S) == 128 + signal.SIGTERM
    with JournalReader(tmp_path / "journal.sqlite") as reader:
        assert verify(reader).records > 0
