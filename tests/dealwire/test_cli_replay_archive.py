"""`dealwire replay FOLDER --jobs N`: whoever deals it, what is printed is what one recording after the other gives."""

import itertools
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from dealwire.cli import main
from tests.support.rigs.patience import wait_until

ROOT = Path(__file__).parent.parent.parent
CAPTURES = ROOT / "captures"


def dealwire(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "dealwire", "replay", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=ROOT)


def here(*arguments: str | Path) -> Result:
    """Run the same in this process: what is refused before anything is dealt."""
    return CliRunner().invoke(main, ["replay", *map(str, arguments)], prog_name="dealwire")


def archive(folder: Path, *names: str) -> Path:
    """Copies of these captures, so named that they are dealt in this order."""
    folder.mkdir()
    for number, name in enumerate(names):
        shutil.copy(CAPTURES / f"{name}.pcapng", folder / f"{number:03}-{name}.pcapng")
    return folder


def objects(output: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in output.splitlines()]


MIXED = ("clean-3", "race-11.tdp", "two-rounds", "208.co", "race-11.angel-eye", "clean-8", "jam", "power-cycle")


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Games drawn and dealt, one that nothing settles, races that share their shoe's number, faults."""
    return archive(tmp_path_factory.mktemp("archive") / "mixed", *MIXED)


@pytest.mark.more
@pytest.mark.parametrize("form", [(), ("--json",)], ids=["text", "json"])
def test_any_number_of_processes_prints_the_same(mixed: Path, form: tuple[str, ...]) -> None:
    alone = dealwire(mixed, *form)
    assert alone.returncode == 0, alone.stderr
    several = dealwire(mixed, "--jobs", "3", *form)
    assert (several.returncode, several.stdout, several.stderr) == (0, alone.stdout, alone.stderr)


def test_each_recording_is_dealt_as_it_is_alone_in_order_of_the_names(mixed: Path) -> None:
    *found, total = objects(dealwire(mixed, "--jobs", "2", "--json").stdout)
    expected = []
    for path in sorted(mixed.iterdir()):
        expected += objects(CliRunner().invoke(main, ["replay", str(path), "--json"]).stdout)
    assert found == expected
    summaries = [item for item in found if item["type"] == "summary"]
    assert [item["capture"] for item in summaries] == sorted(path.name for path in mixed.iterdir())
    assert total["type"] == "total"
    assert (total["captures"], total["problems"]) == (len(MIXED), 0)
    for figure in ("rounds", "frames", "bytes", "chunks", "noise_bytes"):
        assert total[figure] == sum(item[figure] for item in summaries)  # type: ignore[misc]
    assert sum(total["outcomes"].values()) == total["rounds"] > len(MIXED)  # type: ignore[attr-defined]


@pytest.mark.more
def test_for_people_every_recording_has_its_name_above_it(mixed: Path) -> None:
    lines = dealwire(mixed, "--jobs", "2").stdout.splitlines()
    assert [line for line in lines if line.endswith(".pcapng")] == sorted(path.name for path in mixed.iterdir())


@pytest.mark.more
def test_a_damaged_a_torn_and_a_foreign_file_are_named_and_the_rest_is_dealt(tmp_path: Path) -> None:
    folder = archive(tmp_path / "archive", "two-rounds", "two-rounds", "clean-1", "clean-3", "clean-8")
    damaged, torn, foreign, *_ = sorted(folder.iterdir())
    whole = bytearray(damaged.read_bytes())
    at = len(whole) * 3 // 4 & ~3
    whole[at : at + 400] = b"\xff" * 400
    damaged.write_bytes(whole)
    torn.write_bytes(torn.read_bytes()[:-7])
    foreign.write_bytes(b"hello, world\n" * 9)
    for jobs in ("1", "2"):
        done = dealwire(folder, "--json", "--jobs", jobs)
        assert done.returncode == 6
        first, second, third = done.stderr.splitlines()
        assert first.startswith(f"dealwire: {damaged}: damaged at byte ")
        assert second.startswith(f"dealwire: {torn}: cut off at byte ")
        assert third.startswith(f"dealwire: {foreign}: not a pcapng recording")
        found = objects(done.stdout)
        summaries = [item for item in found if item["type"] == "summary"]
        assert [item["rounds"] for item in summaries] == [2, 2, 0, 1, 1]
        assert [item["problem"] is not None for item in summaries] == [True, True, True, False, False]
        assert found[-1]["problems"] == 3


def test_the_worst_of_all_is_the_exit_code(tmp_path: Path) -> None:
    folder = archive(tmp_path / "archive", "two-rounds", "clean-1")
    torn, _ = sorted(folder.iterdir())
    torn.write_bytes(torn.read_bytes()[:-7])
    assert dealwire(folder, "--jobs", "2").returncode == 1


def test_a_folder_without_recordings_says_what_is_expected(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").touch()
    done = here(tmp_path, "--jobs", "2")
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr == f"dealwire: {tmp_path}: no recordings in this folder; expected files named *.pcapng\n"


@pytest.mark.every(3)
@pytest.mark.parametrize("jobs", ["0", "65", "two"])
def test_a_number_of_processes_that_cannot_be_is_refused(mixed: Path, jobs: str) -> None:
    done = here(mixed, "--jobs", jobs)
    assert done.exit_code == 2
    assert "--jobs" in done.stderr
    assert "1<=x<=64" in done.stderr or "not a valid integer" in done.stderr


@pytest.mark.more
def test_bad_terms_are_refused_once_and_before_anything_is_dealt(mixed: Path) -> None:
    for jobs in ("1", "2"):
        for options in (["--procedure", "solitaire"], ["--paytable", "progressive=none"]):
            done = dealwire(mixed, "--json", "--jobs", jobs, *options)
            assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1), done.stderr


# ------------------------------------------------------------------ meters


PROGRESSIVE = ROOT / "docs/examples/progressive-ml03.toml"
LINKED = ("--game", "flushes-gone-wild.wa-link", "--paytable", "progressive=WA-ML03", "--progressive", PROGRESSIVE)


@pytest.mark.more
def test_meters_go_on_from_one_recording_to_the_next(tmp_path: Path) -> None:
    folder = archive(tmp_path / "archive", *["flushes-gone-wild.wa"] * 3)
    alone = dealwire(folder, "--json", *LINKED)
    assert dealwire(folder, "--json", *LINKED, "--jobs", "3").stdout == alone.stdout
    settlements = [item for item in objects(alone.stdout) if item["type"] == "settlement"]
    assert len(settlements) == 6
    steps = [{each["name"]: each for each in item["meters"]} for item in settlements]  # type: ignore[attr-defined]
    for one, next_ in itertools.pairwise(steps):
        assert {name: each["after"] for name, each in one.items()} == {n: e["before"] for n, e in next_.items()}
    assert steps[0]["minor"]["before"] < steps[2]["minor"]["before"] < steps[4]["minor"]["before"]


@pytest.mark.more
def test_awards_need_one_process(tmp_path: Path) -> None:
    folder = archive(tmp_path / "archive", "flushes-gone-wild.wa")
    done = dealwire(folder, *LINKED, "--awards", "--jobs", "2")
    assert done.returncode == 2
    assert "--awards needs --jobs 1" in done.stderr
    assert dealwire(folder, *LINKED, "--awards").returncode == 0


# ------------------------------------------------------------------ processes that end


@pytest.fixture
def long_run(tmp_path: Path) -> Iterator["subprocess.Popen[str]"]:
    """A replay by two processes of more than it can deal in a second, a process group of its own."""
    folder = archive(tmp_path / "archive", *["clean-8", "two-rounds"] * 500)
    command = [sys.executable, "-m", "dealwire", "replay", str(folder), "--json", "--jobs", "2"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT, start_new_session=True
    ) as process:
        yield process
        process.kill()


def children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def processor_time(pid: int) -> int:
    """In ticks of the clock, as proc(5) counts a process's utime and stime."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


def all_end(pids: list[int]) -> None:
    wait_until(lambda: not any(running(pid) for pid in pids))


def begun(process: "subprocess.Popen[str]") -> list[int]:
    """Its two processes, once the first recording is printed."""
    assert process.stdout is not None
    while '"type": "summary"' not in process.stdout.readline():
        pass
    workers = children(process.pid)
    assert len(workers) == 2
    return workers


@pytest.mark.more
def test_ctrl_c_ends_all_processes_without_a_word(long_run: "subprocess.Popen[str]") -> None:
    workers = begun(long_run)
    os.killpg(long_run.pid, signal.SIGINT)  # a terminal sends it to every process
    _, said = long_run.communicate(timeout=300)
    assert (long_run.returncode, said) == (130, "")
    assert not any(running(pid) for pid in workers)


@pytest.mark.more
def test_a_process_that_is_killed_is_said_and_what_was_dealt_is_whole(long_run: "subprocess.Popen[str]") -> None:
    workers = begun(long_run)
    os.kill(workers[0], signal.SIGKILL)
    assert long_run.stdout is not None
    assert long_run.stderr is not None
    *_, summary, total = objects(long_run.stdout.read())
    (line,) = long_run.stderr.read().splitlines()
    assert long_run.wait(timeout=60) == 1
    assert str(summary["capture"]) in line
    assert "a worker process was killed" in line
    assert (summary["problem"], total["type"], total["problems"]) == (line.removeprefix("dealwire: "), "total", 1)
    assert not any(running(pid) for pid in workers)


@pytest.mark.more
def test_a_process_killed_in_the_middle_of_what_it_sends_is_said(tmp_path: Path) -> None:
    """The output for 125 recordings is more than a pipe holds: a process whose output is not read stops in the middle
    of it."""
    folder = archive(tmp_path / "archive", *["clean-8", "two-rounds"] * 500)
    program = "import dealwire.cli.archive as it; it.BATCH_BYTES = 1 << 30; from dealwire.cli import main; main()"
    command = [sys.executable, "-c", program, "replay", str(folder), "--json", "--jobs", "2"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT, start_new_session=True
    ) as process:
        workers = begun(process)
        process.send_signal(signal.SIGSTOP)
        spent = -1
        while spent != (spent := sum(map(processor_time, workers))):
            time.sleep(0.3)
        for pid in workers:
            os.kill(pid, signal.SIGKILL)
        process.send_signal(signal.SIGCONT)
        try:
            _, said = process.communicate(timeout=300)
        finally:
            process.kill()
    assert "a worker process was killed" in said
    assert process.returncode == 1


def test_nobody_goes_on_when_the_command_itself_is_killed(long_run: "subprocess.Popen[str]") -> None:
    workers = begun(long_run)
    long_run.kill()
    all_end(workers)


@pytest.mark.more
def test_a_reader_that_leaves_ends_all(long_run: "subprocess.Popen[str]") -> None:
    workers = begun(long_run)
    assert long_run.stdout is not None
    long_run.stdout.close()
    assert long_run.wait(timeout=60) == 0
    assert long_run.stderr is not None
    assert long_run.stderr.read() == ""
    assert not any(running(pid) for pid in workers)


@pytest.mark.more
def test_a_summary_names_its_recording_where_the_rounds_go_elsewhere(tmp_path: Path) -> None:
    ended = dealwire(archive(tmp_path / "folder", "clean-3", "jam"))
    sums = [line.split(": ")[0] for line in ended.stderr.splitlines() if "bytes received" in line]
    assert sums == ["000-clean-3.pcapng", "001-jam.pcapng", "all"]


def test_a_name_that_no_file_can_have_is_one_line() -> None:
    name = "x" * 300
    ended = dealwire(name)
    why = f"'{name[:39]} … (262 more) is not a file name: File name too long"
    line = f"dealwire replay: invalid value for 'FILE|FOLDER': {why}; see dealwire replay --help\n"
    assert (ended.returncode, ended.stdout, ended.stderr) == (2, "", line)


@pytest.mark.skipif(os.geteuid() != 0, reason="not here: only root can become somebody else")
@pytest.mark.parametrize("path", ["closed", "closed/x.pcapng"])
def test_a_folder_that_nobody_may_look_into_is_a_matter_of_permission(
    tmp_path: Path, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    monkeypatch.chdir(tmp_path)
    main.get_command(click.Context(main), "replay")  # somebody else may not be let at the program either
    os.seteuid(65534)
    try:
        done = CliRunner().invoke(main, ["replay", path])
    finally:
        os.seteuid(0)
    assert (done.exit_code, done.output) == (5, f"dealwire: {path}: Permission denied\n")
