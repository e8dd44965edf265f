"""Rounds found on the command line by what a complaint says."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from dealwire.cli import main
from dealwire.journal import Journal
from dealwire.journal.rounds import RoundReader
from dealwire.journal.times import SECOND_NS
from devices.clock import ManualClock
from tests.dealwire.test_journal_finding import GAME, HELD, MISDEAL, WHOLE
from tests.support.dealing.hand_table import HandTable
from tests.support.dealing.plays import go_on
from tests.support.dealing.round_journals import write_rounds


@pytest.fixture(scope="module")
def journal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three rounds at table-1, the second with held money, the third a misdeal; table-2 dealt none."""
    path = tmp_path_factory.mktemp("found") / "j"
    table = HandTable(GAME)
    for round_ in (WHOLE, HELD, MISDEAL):
        seen = go_on(table, " / ".join(round_)).fresh_deck().seen
    write_rounds(path, GAME, seen, ends=False)
    with Journal(path, key=None, clock=ManualClock(seen[-1].at_ns + SECOND_NS)) as other:
        other.started("table-2", seen[-1].at_ns + SECOND_NS, "{}")
        other.commit()
    return path


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["journal", *map(str, arguments)])


def numbers(journal: Path, *options: object) -> list[int]:
    result = run("rounds", journal, "--json", *options)
    assert result.exit_code == 0, result.output
    return [json.loads(line)["number"] for line in result.stdout.splitlines()]


def when(journal: Path) -> str:
    with RoundReader(journal) as reader:
        return f"{datetime.fromtimestamp(reader.newest_ns // SECOND_NS, UTC):%H:%M:%S}Z"


def test_a_complaint_finds_its_round(journal: Path) -> None:
    assert numbers(journal) == [3, 2, 1]
    assert numbers(journal, "--at", when(journal), "--seat", 2, "--held") == [2]
    assert numbers(journal, "--seat", 2, "--amount", "50", "--bet", "play") == [2, 1]
    assert numbers(journal, "--amount", "$50.00", "--table", "table-1") == [3, 2, 1]
    assert numbers(journal, "--outcome", "misdeal") == [3]
    assert numbers(journal, "--incident", "any") == [3]
    assert numbers(journal, "--result", "returned") == [3]
    assert numbers(journal, "--from", "2023-11-14Z", "--to", "2023-11-15Z", "--limit", 1) == [3]


def test_times_of_one_evening_go_together_and_a_little_ahead_is_today(journal: Path) -> None:
    with RoundReader(journal) as reader:
        newest_s = reader.newest_ns // SECOND_NS

    def clock(after_s: int) -> str:
        return f"{datetime.fromtimestamp(newest_s + after_s, UTC):%H:%M}Z"

    assert numbers(journal, "--at", clock(60)) == [3, 2, 1]
    assert numbers(journal, "--from", clock(-600), "--to", clock(600)) == [3, 2, 1]
    assert numbers(journal, "--from", clock(-600), "--to", clock(-660)) == [3, 2, 1], "on the next day"
    assert run("rounds", journal, "--from", clock(-1200), "--to", clock(-600)).exit_code == 1


def test_a_line_says_when_and_how_much_and_how_to_see_all_of_it(journal: Path) -> None:
    result = run("rounds", journal, "--held", "--seat", 2)
    head, day, short = result.stdout.splitlines()
    assert head.split() == ["round", "began", "staked", "of", "seat", "2", "out", "outcome"]
    assert day.startswith("20")
    assert short.split()[-4:] == ["$0.00", "complete,", "$100.00", "held"]
    head, line = run("rounds", journal, "--held", "--seat", 2, "-v").stdout.splitlines()
    assert head.split()[:5] == ["round", "table", "began", "ended", "outcome"]
    assert "staked of seat 2" in head
    assert [line.split()[at] for at in (0, 1, 5)] == ["2", "table-1", "complete"]
    assert line.split()[-4:] == ["$100.00", "$0.00", "$100.00", "-"]
    opens = f"dealwire journal round 2 {journal} --table table-1"
    assert result.stderr.splitlines() == [f"dealwire: to see all of the first round: {opens}"]
    assert run(*opens.split()[2:]).exit_code == 0


def test_what_is_not_there_names_what_is(journal: Path) -> None:
    result = run("rounds", journal, "--seat", 7)
    assert result.exit_code == 1
    assert "no such round; table-1 has rounds 1 to 3, 20" in result.stderr
    assert result.stderr.strip().endswith("; table-2 has no rounds")
    result = run("rounds", journal, "--limit", 2)
    assert "there are more rounds; use --limit 4" in result.stderr


@pytest.mark.parametrize(
    ("options", "what"),
    [
        (["--at", "25:99"], "invalid value for --at: '25:99' is not a time; allowed: 21:05, "),
        (["--from", "21:05", "--to", "x"], "invalid value for --to: 'x' is not a time; allowed: "),
        (["--from", "2023-11-15Z", "--to", "2023-11-13Z"], "invalid value for --to: earlier than --from, 2023-11-1"),
        (["--at", "21:05", "--to", "22:00"], "--at excludes --from and --to"),
        (
            ["--amount", "2.5"],
            "invalid value for --amount: '2.5' is not an amount; write it such as 25 or 25.50",
        ),
        (["--outcome", "misdael"], "'misdael' is not a known outcome (did you mean misdeal?); see"),
        (["--result", "x"], "'x' is not a known result; allowed: win, lose, push, returned, held; see"),
        (["--incident", "seat-cont"], "'seat-cont' is not a known incident (did you mean seat-count-wrong?); see"),
        (["--incident", "x"], "'x' is not a known incident; docs/incidents.md lists them; see"),
        (["--table", "pit"], "'pit' is not a known table; allowed: table-1, table-2; see"),
    ],
)
def test_what_cannot_be_asked_is_one_line_that_says_what_can(journal: Path, options: list[str], what: str) -> None:
    result = run("rounds", journal, *options)
    assert (result.exit_code, result.stdout) == (2, "")
    assert what in result.stderr
    assert result.stderr.count("\n") == 1


def test_a_round_of_several_tables_names_the_option(journal: Path) -> None:
    result = run("round", 1, journal)
    assert result.exit_code == 2
    assert "it holds several tables; name one with --table; there are table-1, table-2" in result.stderr
