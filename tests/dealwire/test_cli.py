"""The command line as a person meets it: bad input typed on purpose, in this process, and in a process where that is
another thing: its exit code, its standard input, its pipe, its folder."""

import contextlib
import json
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner

from dealwire.cli import main
from dealwire.version import __version__
from devices.record.capture import CaptureWriter

ROOT = Path(__file__).parent.parent.parent
CAPTURES = ROOT / "captures"
CLEAN = CAPTURES / "clean-3.pcapng"


@dataclass(frozen=True)
class Done:
    """Result of a command."""

    returncode: int
    stdout: bytes
    stderr: bytes


def program(*arguments: str, stdin: bytes = b"") -> Done:
    """Run a command in a process of its own."""
    command = [sys.executable, "-m", "dealwire", *arguments]
    done = subprocess.run(command, input=stdin, capture_output=True, timeout=300, cwd=ROOT)
    return Done(done.returncode, done.stdout, done.stderr)


def dealwire(*arguments: str, stdin: bytes = b"") -> Done:
    """Run a command in this process, which has imported the games already: that takes longer than most commands."""
    with contextlib.chdir(ROOT):
        done = CliRunner().invoke(main, arguments, input=stdin, prog_name="dealwire")
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return Done(done.exit_code, done.stdout_bytes, done.stderr_bytes)


def objects(output: bytes) -> list[dict[str, object]]:
    return [json.loads(line) for line in output.splitlines()]


def complaint(done: Done) -> str:
    """The one line on standard error; a traceback or a second line is a failure of its own."""
    lines = done.stderr.decode().splitlines()
    assert len(lines) == 1, done.stderr.decode()
    return lines[0]


# ------------------------------------------------------------------ replay


def test_replay_json_is_objects_alone_and_ends_with_a_summary() -> None:
    done = program("replay", str(CLEAN), "--json")
    assert (done.returncode, done.stderr) == (0, b"")
    found = objects(done.stdout)
    assert all({"schema", "type"} <= item.keys() for item in found)
    assert [item["type"] for item in found] == ["round", "settlement", "summary"]
    deal = found[0]
    assert {"outcome", "community", "burned", "seats", "dealer", "remainder", "incidents"} <= deal.keys()
    assert {"status", "cards", "counted", "expected"} <= deal["seats"][0].keys()  # type: ignore[index]


def test_replay_for_people_names_the_outcome_and_the_clause() -> None:
    done = dealwire("replay", str(CLEAN), "-v")
    text = done.stdout.decode()
    assert done.returncode == 0
    assert "complete" in text
    assert "47.1-1017.60" in text


def test_a_missing_recording_is_one_line() -> None:
    done = program("replay", "nowhere.pcapng")
    assert done.returncode == 2
    assert "nowhere.pcapng" in complaint(done)


def test_an_empty_recording_is_one_line(tmp_path: Path) -> None:
    empty = tmp_path / "empty.pcapng"
    empty.touch()
    done = dealwire("replay", str(empty))
    assert done.returncode == 6
    assert "empty" in complaint(done)


@pytest.mark.every(6)
@pytest.mark.parametrize("content", [b"\xd4\xc3\xb2\xa1" + bytes(40), b"\x1f\x8b" + bytes(40), b"hello, world\n" * 9])
def test_a_foreign_file_is_one_line(tmp_path: Path, content: bytes) -> None:
    foreign = tmp_path / "foreign.bin"
    foreign.write_bytes(content)
    done = dealwire("replay", str(foreign))
    assert done.returncode == 6
    assert "pcapng" in complaint(done)


def test_a_torn_tail_loses_nothing_before_it(tmp_path: Path) -> None:
    """The last record of the two-round recording is cut: both rounds that were whole before still come out."""
    whole = (CAPTURES / "two-rounds.pcapng").read_bytes()
    torn = tmp_path / "torn.pcapng"
    torn.write_bytes(whole[:-7])
    done = dealwire("replay", str(torn), "--json")
    assert done.returncode == 1
    assert "torn.pcapng" in complaint(done)
    rounds = [item for item in objects(done.stdout) if item["type"] == "round"]
    reference = objects(dealwire("replay", str(CAPTURES / "two-rounds.pcapng"), "--json").stdout)
    assert rounds == [item for item in reference if item["type"] == "round"]


def test_damage_in_the_middle_keeps_what_was_read_before(tmp_path: Path) -> None:
    whole = bytearray((CAPTURES / "two-rounds.pcapng").read_bytes())
    at = len(whole) * 3 // 4 & ~3
    whole[at : at + 400] = b"\xff" * 400
    damaged = tmp_path / "damaged.pcapng"
    damaged.write_bytes(whole)
    done = dealwire("replay", str(damaged), "--json")
    assert done.returncode == 6
    assert "damaged at byte" in complaint(done)
    assert any(item["type"] == "round" for item in objects(done.stdout))


# ------------------------------------------------------------------ procedure and game files


@pytest.mark.more
def test_a_procedure_with_an_unknown_key_is_one_line(tmp_path: Path) -> None:
    text = (ROOT / "dealer_flow/games/flushes-gone-wild/co.deal.toml").read_text()
    wrong = tmp_path / "wrong.toml"
    wrong.write_text(text + '\n[bogus]\nkey = "value"\n')
    done = dealwire("replay", str(CLEAN), "--procedure", str(wrong))
    line = complaint(done)
    assert done.returncode == 2
    assert "wrong.toml" in line
    assert "bogus" in line


@pytest.mark.parametrize(
    ("written", "instead", "says"),
    [
        ("positions = [1, 2, 5]", "positions = [1, 2, 6]", "step[3].positions"),
        ("cards = 52", "cards = 12", "deck"),
    ],
)
def test_an_impossible_count_is_one_line_with_its_place(tmp_path: Path, written: str, instead: str, says: str) -> None:
    text = (ROOT / "dealer_flow/games/flushes-gone-wild/co.deal.toml").read_text()
    assert written in text
    wrong = tmp_path / "wrong.toml"
    wrong.write_text(text.replace(written, instead))
    done = dealwire("replay", str(CLEAN), "--procedure", str(wrong))
    line = complaint(done)
    assert done.returncode == 2
    assert re.search(r"wrong\.toml:\d+: ", line)
    assert says in line


def test_a_recording_says_what_was_dealt_and_an_option_goes_before_it() -> None:
    race = str(CAPTURES / "race-5.tdp.pcapng")
    (deal, _, _) = objects(dealwire("replay", race, "--json").stdout)
    assert (deal["procedure"]["id"], deal["outcome"]) == ("race-to-the-flush", "complete")  # type: ignore[index]
    told = objects(dealwire("replay", race, "--json", "--no-settle", "--procedure", "flushes-gone-wild.co").stdout)
    deals = [item for item in told if item["type"] == "round"]
    assert [item["outcome"] for item in deals] == ["unreliable"]


@pytest.mark.more
def test_a_recording_of_a_procedure_of_ones_own_asks_for_its_file(tmp_path: Path) -> None:
    """The name in a recording is no path: nothing is opened because of it."""
    recording = tmp_path / "own.pcapng"
    with CaptureWriter(recording, procedure="../mine.toml") as writer:
        writer.interface("shoe", device="shoe")
    done = dealwire("replay", str(recording))
    assert done.returncode == 2
    assert (
        "own.pcapng: procedure: '../mine.toml' was dealt, which does not come with dealwire; give its file"
        in complaint(done)
    )
    assert "--procedure" in complaint(done)


def test_a_meter_pays_its_share() -> None:
    """The terms reach the settlement: with a meter given, a settlement names it."""
    done = dealwire("replay", str(CLEAN), "--json", "--meter", "meter=1234567")
    assert done.returncode == 0
    (settlement,) = (item for item in objects(done.stdout) if item["type"] == "settlement")
    assert [each["name"] for each in settlement["meters"]] == ["meter"]  # type: ignore[attr-defined]
    bad = dealwire("replay", str(CLEAN), "--meter", "meter=12.50")
    assert bad.returncode == 2


def test_an_unknown_procedure_names_the_known_ones() -> None:
    done = dealwire("replay", str(CLEAN), "--procedure", "solitaire")
    assert done.returncode == 2
    assert "208.co, 3-5-7.co" in complaint(done)
    assert " more, or a .toml file" in complaint(done)
    done = dealwire("replay", str(CLEAN), "--procedure", "flushes-gone-wlid.co")
    assert "did you mean flushes-gone-wild.co?" in complaint(done)


@pytest.mark.every(6)
@pytest.mark.parametrize(
    "option", [("--paytable", "flush-rush=FGW-09"), ("--reading", "natural=perhaps"), ("--game", "solitaire")]
)
def test_bad_terms_are_one_line(option: tuple[str, str]) -> None:
    done = dealwire("replay", str(CLEAN), *option)
    assert done.returncode == 2
    assert complaint(done).startswith("dealwire: ")


@pytest.mark.every(6)
@pytest.mark.parametrize(
    "option", [("--paytable", "flush-rush=FGW-09"), ("--meter", "grand=1"), ("--game", "race-to-the-flush")]
)
def test_bad_terms_are_refused_before_anything_is_dealt(option: tuple[str, str], tmp_path: Path) -> None:
    """Neither a round is lost behind them, nor a recording begun."""
    replayed = dealwire("replay", str(CLEAN), "--json", *option)
    assert (replayed.returncode, replayed.stdout) == (2, b"")
    recorded = dealwire("record", "--shuffler", "sim:shuffler", "-o", str(tmp_path / "x.pcapng"), *option)
    assert recorded.returncode == 2
    assert complaint(recorded).startswith("dealwire: ")
    assert not (tmp_path / "x.pcapng").exists()


def test_a_pair_without_equals_is_a_usage_error() -> None:
    done = dealwire("replay", str(CLEAN), "--paytable", "FGW-01")
    assert done.returncode == 2
    assert b"NAME=VALUE" in done.stderr


# ------------------------------------------------------------------ lines


@pytest.mark.parametrize("command", [("monitor",), ("record", "-o", "never.pcapng")])
def test_a_missing_port_is_one_line(command: tuple[str, ...]) -> None:
    done = dealwire(*command, "--shuffler", "/dev/ttyNOWHERE7")
    assert done.returncode == 3
    assert "/dev/ttyNOWHERE7" in complaint(done)
    assert not (ROOT / "never.pcapng").exists()


def test_a_refused_connection_is_one_line() -> None:
    done = program("monitor", "--shuffler", "tcp://127.0.0.1:1")
    assert done.returncode == 3
    assert "127.0.0.1:1" in complaint(done)


def test_no_line_at_all_is_a_usage_error() -> None:
    assert dealwire("monitor").returncode == 2


# ------------------------------------------------------------------ settle


@pytest.mark.more
def test_settle_gives_what_replay_gave() -> None:
    replayed = dealwire("replay", str(CLEAN), "--json").stdout
    settled = program("settle", stdin=replayed)
    assert settled.returncode == 0
    assert objects(settled.stdout) == [item for item in objects(replayed) if item["type"] == "settlement"]


@pytest.mark.more
def test_settle_names_the_line_that_is_no_round_and_settles_the_others() -> None:
    rounds = dealwire("replay", str(CAPTURES / "two-rounds.pcapng"), "--json", "--no-settle").stdout.splitlines()
    spoiled = b"\n".join([rounds[0], b"{not json", *rounds[1:]])
    done = dealwire("settle", stdin=spoiled)
    assert done.returncode == 2
    assert "line 2" in complaint(done)
    assert len(objects(done.stdout)) == 2


@pytest.mark.more
def test_settle_names_the_key_that_is_wrong() -> None:
    line = dealwire("replay", str(CLEAN), "--json", "--no-settle").stdout.splitlines()[0].decode()
    wrong = (
        ({"seats": [{"seat": "one"}]}, "seats[0].seat: "),
        ({"outcome": "perhaps"}, "outcome: "),
        ({"tip": 5}, "the object: "),
        ({"schema": "dealwire.round/9"}, "schema: "),
        ({"burned": ["1S"]}, "burned[0]: "),
    )
    done = dealwire("settle", stdin="\n".join(json.dumps(json.loads(line) | change) for change, _ in wrong).encode())
    assert done.returncode == 2
    said = done.stderr.decode().splitlines()
    for number, (complaint_of_it, (_, key)) in enumerate(zip(said, wrong, strict=True), 1):
        assert complaint_of_it.startswith(f"dealwire: line {number}: {key}")


def test_settle_reads_a_round_of_version_1() -> None:
    """Its incidents are a sentence without facts, which money does not need."""
    lines = objects(dealwire("replay", str(CAPTURES / "wrong-burn.pcapng"), "--json", "--no-settle").stdout)
    content = next(line for line in lines if line["type"] == "round")
    assert content["incidents"]
    kept = ("code", "text", "clause", "events")
    old = [{"place": None, "fault": None} | {key: item[key] for key in kept} for item in content["incidents"]]
    first = content | {"schema": "dealwire.round/1", "incidents": old}
    both = "\n".join(json.dumps(each) for each in (content, first))
    settled = objects(program("settle", stdin=both.encode()).stdout)
    assert settled[0]["totals"] == settled[1]["totals"]
    money = [[(each["bet"], each["result"], each["net"]) for each in item["lines"]] for item in settled]  # type: ignore[attr-defined]
    assert money[0] == money[1]


# ------------------------------------------------------------------ the rest


def test_list_gives_objects() -> None:
    found = objects(program("list", "--json").stdout)
    procedures = {item["name"]: (item["title"], item["device"]) for item in found if item["type"] == "procedure"}
    assert procedures["flushes-gone-wild.co"][1] == "packet shuffler"
    assert procedures["race-to-the-flush"] == ("Race to the Flush", "card shoe")


def test_doctor_looks_and_says() -> None:
    done = program("doctor", "--json")
    assert done.returncode in (0, 1)
    assert {"python", "names", "cobs"} <= {item["check"] for item in objects(done.stdout)}


def test_version_and_help() -> None:
    assert __version__.encode() in program("--version").stdout
    text = dealwire("--help").stdout.decode()
    assert "replay" in text
    assert "Exit codes" in text


def test_an_unknown_command_is_a_usage_error() -> None:
    assert program("shuffle").returncode == 2


def test_a_closed_pipe_is_no_error() -> None:
    done = subprocess.run(
        f"{sys.executable} -m dealwire replay {CLEAN} --json | head -c 1 > /dev/null; exit ${{PIPESTATUS[0]}}",
        shell=True,
        executable="/bin/bash",
        capture_output=True,
        cwd=ROOT,
    )
    assert (done.returncode, done.stderr) == (0, b"")


def noise_only(folder: Path) -> Path:
    path = folder / "noise.pcapng"
    with CaptureWriter(path) as writer:
        line = writer.interface("shuffler", device="shuffler")
        writer.chunk(line, 1_700_000_000_000_000_000, False, b"no frame at all" * 9)
    return path


def no_lines(folder: Path) -> Path:
    path = folder / "empty.pcapng"
    CaptureWriter(path).close()
    return path


def of_usbmon(folder: Path) -> Path:
    """A section and an interface of link type 220."""
    path = folder / "usb.pcapng"
    head = bytes.fromhex("0a0d0d0a1c0000004d3c2b1a01000000ffffffffffffffff1c000000")
    path.write_bytes(head + bytes.fromhex("0100000014000000dc0000000000040014000000"))
    return path


@pytest.mark.every(4)
@pytest.mark.parametrize(
    ("make", "why"),
    [
        (noise_only, "it holds 135 bytes, but no frame"),
        (no_lines, "no line was recorded in it"),
        (of_usbmon, "it holds no serial line (link type 250), only link type 220"),
    ],
)
def test_a_recording_with_nothing_to_deal_is_no_success(make: Callable[[Path], Path], why: str, tmp_path: Path) -> None:
    path = make(tmp_path)
    done = dealwire("replay", str(path))
    assert done.returncode == 6
    assert done.stderr.decode().splitlines()[-1] == f"dealwire: {path}: nothing to replay: {why}"
    done = dealwire("replay", str(tmp_path))
    assert done.returncode == 6
    assert "1 recordings, 1 with a problem" in done.stderr.decode()


def test_a_recording_of_another_game_than_it_is_dealt_as_says_so() -> None:
    done = dealwire("replay", "captures/208.co.pcapng", "--procedure", "holdem.co")
    said = "captures/208.co.pcapng: it was recorded at 208.co and is dealt as holdem.co: "
    assert said in done.stderr.decode()
    assert said not in dealwire("replay", "captures/208.co.pcapng", "--procedure", "208.co").stderr.decode()
