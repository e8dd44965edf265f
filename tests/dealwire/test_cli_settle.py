"""`dealwire settle` between programs: what it reads, what it refuses, and that money never hangs on a silence."""

import json
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from dealwire.cli import main
from dealwire.cli.rounds import UnknownType, read_round
from rules.meters.settled_rounds import RoundRuns, SettledKey

ROOT = Path(__file__).parent.parent.parent
CAPTURES = ROOT / "captures"
SETUP = (ROOT / "docs/examples/progressive-ml03.toml").read_text().replace('"minor"', '"meter"')
"""Three meters; the pay tables of Colorado pay from `meter`."""


def run(*arguments: str, given: bytes = b"") -> Result:
    return CliRunner().invoke(main, list(arguments), input=given)


def rounds_of(name: str) -> list[dict[str, Any]]:
    found = map(json.loads, run("replay", str(CAPTURES / name), "--json", "--no-settle").stdout.splitlines())
    return [each for each in found if each["type"] == "round"]


COLORADO = rounds_of("two-rounds.pcapng")
RACE = rounds_of("race-11.tdp.pcapng")


def as_lines(objects: Iterable[object]) -> bytes:
    return b"".join(json.dumps(each).encode() + b"\n" for each in objects)


def settlements(result: Result) -> list[dict[str, Any]]:
    return [each for each in printed(result) if each["type"] == "settlement"]


def printed(result: Result) -> list[dict[str, Any]]:
    return [json.loads(line) for line in result.stdout.splitlines()]


# ------------------------------------------------------------------ what is on a line


@pytest.mark.parametrize(
    ("text", "twice"),
    [
        ('"outcome": "misdeal", "outcome": ', "outcome"),
        ('"outcome":"misdeal","outcome":', "outcome"),
        ('"outco\\u006de": "misdeal", "outcome": ', "outcome"),
    ],
)
def test_a_key_that_stands_twice_is_refused(text: str, twice: str) -> None:
    spoiled = as_lines(COLORADO[:1]).replace(b'"outcome": ', text.encode())
    result = run("settle", given=spoiled + as_lines(COLORADO[1:]))
    assert result.exit_code == 2
    assert result.stderr == f"dealwire: line 1: key '{twice}' appears twice in one object\n"
    assert len(settlements(result)) == 1


def test_a_wager_that_stands_twice_is_refused_without_spaces_too() -> None:
    line = json.dumps(COLORADO[0], separators=(",", ":")).replace('"ante":', '"ante":100,"ante":', 1)
    with pytest.raises(ValueError, match="key 'ante' appears twice"):
        read_round(line.encode())


def test_a_colon_within_a_text_is_no_key() -> None:
    line = json.dumps({**COLORADO[0], "table": '":":"\\'}, separators=(",", ":"))
    found = read_round(line.encode())
    assert found is not None
    assert found.table == '":":"\\'


def test_objects_of_unknown_types_are_counted() -> None:
    odd = [{**COLORADO[0], "type": "Round"}, {"type": "banana"}, {**COLORADO[1], "type": "Round"}]
    known = [{"type": kind} for kind in ("incident", "settlement", "meter", "award", "summary", "total", "event")]
    result = run("settle", given=as_lines([*odd, *known]))
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == ("dealwire: skipped objects of unknown types: 2 of type 'Round', 1 of type 'banana'\n")
    assert run("settle", given=as_lines(known)).exit_code == 0


@pytest.mark.parametrize("kind", [None, 5, ["round"], {}])
def test_a_type_that_is_no_text_is_named_with_its_line(kind: object) -> None:
    result = run("settle", given=as_lines([{**COLORADO[0], "type": kind}]))
    assert result.exit_code == 2
    assert result.stderr.startswith("dealwire: line 1: type: Expected `round`")


def test_an_unknown_type_is_no_fault_of_the_key() -> None:
    with pytest.raises(UnknownType, match="unknown type 'Round'"):
        read_round(b'{"type":"Round"}')


def test_a_byte_order_mark_is_passed_over() -> None:
    marked = b"".join(b"\xef\xbb\xbf" + as_lines([each]) for each in COLORADO)
    result = run("settle", given=marked)
    assert (result.exit_code, result.stderr) == (0, "")
    assert len(settlements(result)) == 2


def test_a_card_that_is_none_is_explained_in_words() -> None:
    spoiled = {**COLORADO[0], "community": ["10S", "4S"]}
    why = run("settle", given=as_lines([spoiled])).stderr
    assert "line 1: community[0]: not a card; write rank, then suit, such as AS" in why
    assert "regex" not in why


def test_a_procedure_cannot_move_the_cursor() -> None:
    named = {**COLORADO[0], "procedure": {"id": "\x1b[31mX\x1b]0;title\x07", "sha256": ""}}
    assert run("settle", given=as_lines([named])).stderr.count("\x1b") == 0


# ------------------------------------------------------------------ a round that comes twice


def test_a_round_that_came_before_is_marked_and_moves_no_meter(tmp_path: Path) -> None:
    setup = tmp_path / "setup.toml"
    setup.write_text(SETUP)
    once = run("settle", "--progressive", str(setup), given=as_lines(COLORADO))
    twice = run("settle", "--progressive", str(setup), given=as_lines([*COLORADO, *COLORADO]))
    assert (once.exit_code, twice.exit_code) == (0, 2)
    moved = [[each for each in printed(result) if each["type"] == "meter"] for result in (once, twice)]
    assert moved[0] == moved[1] != []
    assert [each.get("again", False) for each in settlements(twice)] == [False, False, True, True]
    assert "2 rounds came more than once: their repeated settlements are marked, and moved no meter" in twice.stderr


def test_a_meter_pays_a_round_once() -> None:
    seats = [{**seat, "cards": ["AS", "KS", "QS", "JS", "TS"]} for seat in COLORADO[0]["seats"][:1]]
    royal = {**COLORADO[0], "seats": seats, "community": ["4C", "4D"]}
    assert royal["dealer"]["cards"] == ["KC", "7D", "4H", "2H", "3C"]
    first, again = settlements(run("settle", "--meter", "meter=1000000", given=as_lines([royal, royal])))
    of_first, of_again = (
        next(line for line in each["lines"] if line["bet"] == "progressive") for each in (first, again)
    )
    assert (of_first["result"], of_first["pay"]) == ("win", 1_000_000)
    assert (of_again["result"], of_again["pay"]) == ("held", 0)


@pytest.mark.parametrize("numbers", [[1, 2, 3], [3, 2, 1], [1, 3, 2], [5, 1, 3, 4, 2], [7, 7, 7]])
def test_rounds_are_remembered_in_any_order(numbers: list[int]) -> None:
    runs = RoundRuns()
    for at, number in enumerate(numbers):
        assert (SettledKey("t", "s", number) in runs) is (number in numbers[:at])
        runs.add(SettledKey("t", "s", number))
    for number in range(9):
        assert (SettledKey("t", "s", number) in runs) is (number in numbers)
        assert SettledKey("t", "other", number) not in runs


# ------------------------------------------------------------------ options


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--limit", "20000"], "limit of each bet 20000; allowed: 1 to 10000 cents"),
        (["--reading", "nowhere=x"], "--reading 'nowhere': no game has it; flushes-gone-wild.co allows: "),
        (["--reading", "natural=x"], "reading natural 'x'; allowed: own-suit, no-deuce"),
        (["--meter", "nowhere=5"], "--meter 'nowhere': no game has it; flushes-gone-wild.co allows: meter"),
        (["--paytable", "flush-rush=X"], "pay table of flush-rush 'X'; allowed: "),
        (["--paytable", "nowhere=X"], "--paytable 'nowhere': no game has it; "),
    ],
)
def test_a_wrong_option_is_one_line_at_once(options: list[str], why: str) -> None:
    many = [{**COLORADO[0], "round": number} for number in range(1000)]
    result = run("settle", *options, given=as_lines(many))
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.count("\n") == 1
    assert result.stderr.startswith("dealwire: line 1: ")
    assert why in result.stderr
    assert result.stderr.endswith("; this line and those after it are not settled\n")


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--meter", "meter=5", "--meter", "meter=6"], "'meter' is given twice"),
        (["--reading", "natural=no-deuce", "--reading", "natural=no-deuce"], "'natural' is given twice"),
        (["--meter", "meter=\u0663"], "is not a number of cents up to"),
        (["--meter", "meter=+5"], "is not a number of cents up to"),
        (["--token", "\u0663"], "is not a number of cents from 1 to"),
        (["--token", "1_0"], "is not a number of cents from 1 to"),
        (["--limit", "0"], "0 is not in the range"),
        (["--resume", "x"], "give one of them, too"),
    ],
)
def test_an_option_that_is_badly_written_is_a_usage_error(options: list[str], why: str) -> None:
    result = run("settle", *options, given=as_lines(COLORADO))
    assert (result.exit_code, result.stdout) == (2, "")
    assert why in result.stderr


def test_a_file_may_hold_rounds_of_several_games() -> None:
    result = run(
        "settle", "--meter", "meter=777", "--reading", "ace-high=not-five-high", given=as_lines(COLORADO + RACE)
    )
    assert (result.exit_code, result.stderr) == (0, "")
    first, _, race = settlements(result)
    assert [meter["before"] for meter in first["meters"]] == [777]
    assert race["meters"] == []
    assert race["readings"]["ace-high"] == "not-five-high"


def test_an_option_that_no_round_had_is_named() -> None:
    result = run("settle", "--meter", "meter=777", given=as_lines(RACE))
    assert result.exit_code == 2
    assert result.stderr == "dealwire: --meter meter: not used, no round was of a game that has it\n"
    assert len(settlements(result)) == len(RACE)


def test_a_suspect_print_is_accepted_by_the_option_of_the_command() -> None:
    washington = run("replay", str(CAPTURES / "two-rounds.pcapng"), "--json", "--no-settle")
    assert washington.exit_code == 0
    line = as_lines([{**COLORADO[0], "procedure": {**COLORADO[0]["procedure"], "id": "flushes-gone-wild.wa"}}])
    result = run("settle", "--reading", "progressive-hand=best-of-seven", given=line)
    assert result.exit_code == 2
    assert "allowed: own-five, --accept-suspect" in result.stderr


# ------------------------------------------------------------------ meters that go on


def test_what_is_printed_gives_the_bank_back(tmp_path: Path) -> None:
    """Three days in three runs, and the same days in one."""
    setup, days = tmp_path / "setup.toml", [tmp_path / str(number) for number in range(3)]
    setup.write_text(SETUP)
    rounds = [as_lines({**each, "round": number * 9 + at} for at, each in enumerate(COLORADO)) for number in range(3)]
    for number, day in enumerate(days):
        resume = ["--resume", str(days[number - 1])] if number else []
        result = run("settle", "--progressive", str(setup), *resume, given=rounds[number])
        assert (result.exit_code, result.stderr) == (0, "")
        day.write_text(result.stdout)
    whole = run("settle", "--progressive", str(setup), given=b"".join(rounds))
    ends = [
        [each for each in map(json.loads, text.splitlines()) if each["type"] == "meter"][-3:]
        for text in (days[-1].read_text(), whole.stdout)
    ]
    assert ends[0] == ends[1]
    assert [each["kind"] for each in printed(whole)[:3]] == ["opened"] * 3
    all_days = tmp_path / "all"
    all_days.write_text("".join(day.read_text() for day in days))
    result = run("settle", "--progressive", str(setup), "--resume", str(all_days))
    assert [json.loads(line) for line in result.stdout.splitlines()] == ends[1]


def test_a_round_of_the_day_before_is_marked(tmp_path: Path) -> None:
    setup, day = tmp_path / "setup.toml", tmp_path / "day"
    setup.write_text(SETUP)
    day.write_text(run("settle", "--progressive", str(setup), given=as_lines(COLORADO)).stdout)
    result = run("settle", "--progressive", str(setup), "--resume", str(day), given=as_lines(COLORADO[:1]))
    assert [each["again"] for each in settlements(result)] == [True]


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (lambda text: text.replace('"number":2,', '"number":9,'), "record 2 is missing"),
        (lambda text: text.replace('"to_meter":8,', '"to_meter":9,', 1), "creates or loses money"),
        (lambda text: text[:-40], "is not output of settle"),
        (lambda _: "", "no record has its present amount"),
    ],
)
def test_a_bank_is_not_given_back_by_what_is_spoiled(spoil: Any, why: str, tmp_path: Path) -> None:
    setup, day = tmp_path / "setup.toml", tmp_path / "day"
    setup.write_text(SETUP)
    day.write_text(spoil(run("settle", "--progressive", str(setup), given=as_lines(COLORADO)).stdout))
    result = run("settle", "--progressive", str(setup), "--resume", str(day), given=as_lines(COLORADO))
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.count("\n") == 1
    assert why in result.stderr


def test_no_file_to_resume_is_one_line(tmp_path: Path) -> None:
    setup = tmp_path / "setup.toml"
    setup.write_text(SETUP)
    result = run("settle", "--progressive", str(setup), "--resume", str(tmp_path / "nowhere"))
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)


def test_a_seed_that_is_not_recommended_is_said(tmp_path: Path) -> None:
    setup = tmp_path / "setup.toml"
    setup.write_text(SETUP.replace("seed-cents = 50000\n", "seed-cents = 0\n"))
    result = run("settle", "--progressive", str(setup), given=as_lines(COLORADO))
    assert result.exit_code == 0
    assert result.stderr.startswith("dealwire: caution: meter meter: a seed of 0 is not recommended")


# ------------------------------------------------------------------ words


def test_what_the_token_keeps_is_said() -> None:
    """$1 at 6 to 5 comes to $1.20; the token of 25 cents leaves $1."""
    seats = [{**RACE[0]["seats"][0], "wagers": {"range-11-13": 100}}]
    text = run("settle", "--text", "-v", given=as_lines([{**RACE[0], "seats": seats}])).stdout
    assert "number 11 to 13 pays 6 to 5, rounded down to $0.25: $0.20 less" in text


@pytest.mark.parametrize(("currency", "amount"), [("USD", "$5"), ("EUR", "€5"), ("CHF", "CHF 5")])
def test_amounts_are_in_the_currency_of_the_round(currency: str, amount: str) -> None:
    line = as_lines([{**COLORADO[0], "currency": currency}])
    assert settlements(run("settle", given=line))[0].get("currency", "USD") == currency
    text = run("settle", "--text", "-v", "--limit", "200", given=line).stdout
    assert f" {amount} " in text
    assert f"{amount} is over the limit of {amount.replace('5', '2')}" in text
    assert ("$" in text) is (currency == "USD")


@pytest.mark.parametrize("currency", ["usd", "EURO", "", 5])
def test_a_currency_is_three_letters(currency: object) -> None:
    result = run("settle", given=as_lines([{**COLORADO[0], "currency": currency}]))
    assert result.stderr.startswith("dealwire: line 1: currency: ")


def test_each_settlement_begins_with_its_round() -> None:
    titles = [line for line in run("settle", "--text", given=as_lines(RACE)).stdout.splitlines() if line[:5] == "Round"]
    assert titles == [f"Round {each['round']} at {each['table']}: {each['outcome']}" for each in RACE]


# ------------------------------------------------------------------ where nothing can be read or written


def dealwire(line: str, *, cwd: Path) -> subprocess.CompletedProcess[str]:
    return command(f"settle {line}", cwd=cwd)


def command(line: str, *, cwd: Path) -> subprocess.CompletedProcess[str]:
    shell = f"{sys.executable} -m dealwire {line}"
    return subprocess.run(["sh", "-c", shell], capture_output=True, text=True, timeout=60, cwd=cwd, check=False)


@pytest.mark.every(12)
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="not here: a disk that is full needs /dev/full (Linux)")
@pytest.mark.parametrize("text", ["", "--text"])
def test_a_full_disk_is_one_line(text: str, tmp_path: Path) -> None:
    file = tmp_path / "rounds"
    file.write_bytes(as_lines(COLORADO))
    done = dealwire(f"{text} < {file} > /dev/full", cwd=ROOT)
    assert (done.returncode, done.stderr) == (1, "dealwire: cannot write the output: No space left on device\n")


@pytest.mark.every(2)
@pytest.mark.parametrize(("closed", "name"), [("<&-", "input"), (">&-", "output")])
def test_what_is_closed_is_one_line(closed: str, name: str) -> None:
    done = dealwire(f"{closed} {'< /dev/null' if name == 'output' else ''}", cwd=ROOT)
    assert (done.returncode, done.stderr) == (2, f"dealwire: standard {name} is closed\n")


OTHERS = (
    "replay captures/clean-1.pcapng",
    "replay --json captures/clean-1.pcapng",
    "odds three-card.co --bet pair-plus --no-cache",
    "odds three-card.co --bet pair-plus --no-cache --json",
    "games --json",
    "check --json three-card.co",
)


@pytest.mark.every(6)
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="not here: a disk that is full needs /dev/full (Linux)")
@pytest.mark.parametrize("line", OTHERS)
def test_a_full_disk_is_one_line_from_whatever_prints(line: str) -> None:
    done = command(f"{line} > /dev/full", cwd=ROOT)
    # a slow machine prints its progress meanwhile
    said = [each for each in done.stderr.splitlines() if not each.startswith("counting pair-plus: ")]
    assert (done.returncode, said) == (1, ["dealwire: cannot write the output: No space left on device"])


@pytest.mark.every(6)
@pytest.mark.parametrize("line", OTHERS)
def test_a_closed_output_is_one_line_from_whatever_prints(line: str) -> None:
    done = command(f"{line} >&-", cwd=ROOT)
    assert (done.returncode, done.stderr) == (2, "dealwire: standard output is closed\n")


# ------------------------------------------------------------------ what is no rounds at all


def test_a_hundred_wrong_lines_in_a_row_end_it() -> None:
    result = run("settle", given=b"x\n" * 99 + as_lines(COLORADO[:1]) + b"x\n" * 1000)
    *named, last = result.stderr.splitlines()
    assert (result.exit_code, len(settlements(result)), len(named)) == (2, 1, 199)
    why = "100 wrong lines in a row: the input does not hold rounds; this line and those after it are not settled"
    assert last == f"dealwire: line 200: {why}"
