"""Output of commands on a real terminal of 80 and of 60 columns, from real recordings."""

from __future__ import annotations

import fcntl
import json
import os
import re
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest

from dealwire.rehearsal.simulate import simulate
from rules.settlement import Settlement
from tests.support.dealing.hand_table import HandTable
from tests.support.dealing.plays import go_on
from tests.support.dealing.round_journals import write_rounds
from tests.support.programs.record_captures import CAPTURES

STYLES = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")
RUN = """
import sys
from dealwire.cli import main
for line in sys.argv[1:]:
    print(f"$ {line}", flush=True)
    main(line.split(), standalone_mode=False)
"""
"""Program that runs several commands one after the other: importing the games takes longer than most of them."""
REPLAYED = (
    "ultimate-texas-holdem.co",
    "208.co",
    "race-overdraw.tdp",
    "seven-card-stud.co.evening",
    "omaha.co.evening",
)


def on_terminal(columns: int, *commands: str, given: bytes = b"", **environment: str) -> dict[str, list[str]]:
    """Run commands with standard output on a pseudo-terminal, and return the printed lines without styles."""
    master, slave = os.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    inherited = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
    program = subprocess.Popen(
        [sys.executable, "-c", RUN, *commands],
        stdin=subprocess.PIPE,
        stdout=slave,
        stderr=subprocess.DEVNULL,
        env=inherited | environment,
    )
    os.close(slave)
    assert program.stdin is not None
    program.stdin.write(given)
    program.stdin.close()
    text = b""
    while True:
        try:
            data = os.read(master, 65536)
        except OSError:  # Linux reports the end of a terminal as an error
            break
        if not data:
            break
        text += data
    os.close(master)
    assert program.wait(60) == 0
    found: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in STYLES.sub("", text.decode()).splitlines():
        if line.startswith("$ "):
            lines = found.setdefault(line[2:], [])
        else:
            lines.append(line.rstrip())
    assert [*found] == [*commands]
    return found


@pytest.fixture(scope="module")
def journal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("terminal") / "j"
    table = HandTable("ultimate-texas-holdem.co")
    rounds = ["bets 1: ante 500, blind 500, trips 500 / start / misdeal / end"] * 2
    for text in rounds:
        seen = go_on(table, text).fresh_deck().seen
    write_rounds(path, "ultimate-texas-holdem.co", seen, ends=False)
    return path


@pytest.mark.more
@pytest.mark.parametrize("columns", [60, 80])
def test_nothing_is_wider_than_the_terminal(columns: int, journal: Path) -> None:
    commands = [
        *(f"replay {CAPTURES / name}.pcapng" for name in REPLAYED),
        *(f"replay -v {CAPTURES / name}.pcapng" for name in REPLAYED),
        "list",
        "games",
        "games three-card.co omaha.co",
        "odds three-card.co --bet pair-plus --no-cache",
        f"journal rounds {journal}",
        f"journal round 1 {journal}",
    ]
    found = on_terminal(columns, *commands)
    for command, lines in found.items():
        assert lines, command
        # a digest and a command to copy are not broken
        wide = [line for line in lines if len(line) > columns and " " in line.strip()]
        assert [line for line in wide if not line.startswith("  dealwire journal ")] == [], command


def test_a_settlement_is_a_line_for_each_seat_and_result() -> None:
    capture = f"{CAPTURES / 'ultimate-texas-holdem.co'}.pcapng"
    found = on_terminal(80, f"replay {capture}", f"replay -v {capture}")
    short, whole = found.values()
    assert [line.split()[:3] for line in short if re.match(r"  seat \d  ", line) and "$" in line][:6] == [
        ["seat", "1", result] for result in ("push", "win", "lose")
    ] + [["seat", "3", result] for result in ("push", "win", "lose")]
    assert "47.1-1017.47(11)(a)" not in "\n".join(short)
    assert "47.1-1017.47(11)(a)" in "\n".join(whole)


def test_the_amounts_of_a_line_are_those_of_its_bets() -> None:
    outcomes = [item for item in simulate("ultimate-texas-holdem.co", rounds=5) if isinstance(item, Settlement)]
    given = "".join(f"{item.to_json()}\n" for item in simulate("ultimate-texas-holdem.co", rounds=5))
    (lines,) = on_terminal(80, "settle --text", given=given.encode()).values()
    rows = [re.fullmatch(r"  seat (\d+) +([a-z]+) +\$([0-9.]+) +(-?)\$([0-9.]+)(  .*)?", line) for line in lines]
    printed = [(int(row[1]), row[2], row[3], row[4] + row[5]) for row in rows if row is not None]
    wanted = []
    for settlement in outcomes:
        groups: dict[tuple[int, str], list[int]] = {}
        for line in settlement.lines:
            sums = groups.setdefault((line.seat, line.result), [0, 0])
            sums[0] += line.stake
            sums[1] += line.net
        wanted += [
            (seat, result, f"{stake / 100:g}", f"{net / 100:g}") for (seat, result), (stake, net) in groups.items()
        ]
    plain = [(seat, result, f"{float(stake):g}", f"{float(net):g}") for seat, result, stake, net in printed]
    assert sorted(plain) == sorted(wanted)
    assert plain


@pytest.mark.more
def test_the_width_is_that_of_columns_where_it_is_set() -> None:
    capture = f"replay {CAPTURES / 'ultimate-texas-holdem.co'}.pcapng"
    (wide,), (narrow,) = (on_terminal(100, capture, **given).values() for given in ({}, {"COLUMNS": "60"}))
    assert max(map(len, wide)) > 60 >= max(map(len, narrow))


def test_the_list_begins_with_what_is_attached_and_counts_what_is_long() -> None:
    (lines,) = on_terminal(80, "list").values()
    kinds = [line.split()[0] for line in lines if not line.startswith(" ")]
    assert kinds.index("dialect") == sum(kind in ("port", "usb") for kind in kinds)
    assert kinds[-2:] == ["procedures", "games"]
    assert len(lines) < 40
    assert json.dumps(kinds).count('"game"') == 0
