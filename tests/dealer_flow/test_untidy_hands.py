"""Untidy hands that a reader of Colorado's Rule 10 judged from the text alone, played as a dealer would key them.

The form of the files is in `untidy_hands/README.md`. A known difference stays in the data, and fails here once it is
gone, so that it is taken out.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from pathlib import Path
from typing import Any, Final

import pytest

from rules.settlement import HouseRake, Settlement
from tests.support.dealing.flow_points import round_of
from tests.support.dealing.settling_table import SettlingTable

FILES: Final = sorted((Path(__file__).parent / "untidy_hands").glob("*.toml"))
HANDS: Final = [hand for path in FILES for hand in tomllib.loads(path.read_text(encoding="utf-8"))["hand"]]
READINGS: Final = [
    pytest.param(hand, reading, id=" ".join((str(hand["number"]), reading.get("name", ""))).strip())
    for hand in HANDS
    for reading in hand["reading"]
]
DIFFERENT: Final = [each for each in READINGS if "differs" in each.values[1]]  # type: ignore[operator]
SAME: Final = [each for each in READINGS if each not in DIFFERENT]


def table_of(hand: dict[str, Any], reading: dict[str, Any]) -> SettlingTable:
    """Return a table of this game on the terms of the hand and of the reading."""
    terms = {name: hand[name] for name in ("meters", "paytables") if name in hand}
    terms |= {"token_cents": reading.get("token", 100)}
    terms |= {"readings": hand.get("readings", {}) | reading.get("readings", {})}
    if "rake" in hand:
        terms["rake"] = HouseRake(**hand["rake"])
    options = hand.get("options", {}) | reading.get("options", {})
    return SettlingTable(hand["game"], terms, **{name.replace("-", "_"): to for name, to in options.items()})


def waiting(table: SettlingTable) -> list[int]:
    """Return the seats that may act, the one whose turn it is first."""
    now = round_of(table.flow)
    return now.betting.waiting(now.live)


def do(table: SettlingTable, line: str) -> None:
    """Play one line, of `hand_table` or one that the README adds."""
    verb, _, rest = line.partition(" ")
    if verb == "turn":
        assert waiting(table)[:1] == [int(rest)], line
    elif verb == "checks":
        for _ in range(len(round_of(table.flow).live)):
            assert waiting(table), line
            table.say(f"acts {waiting(table)[0]}: check")
    elif verb == "refused":
        before = len(table.incidents)
        table.say(rest)
        assert table.incidents[before].code in ("action-refused", "out-of-turn"), line
    elif line == "next hand":
        table.end()
    else:
        table.say(line)


def played(hand: dict[str, Any], reading: dict[str, Any]) -> SettlingTable:
    """Return the table after the hand."""
    table = table_of(hand, reading)
    for line in f"{hand.get('lines', '')}\n{reading.get('lines', '')}".splitlines():
        for part in line.partition("#")[0].split(" / "):
            if part.strip():
                do(table, part.strip())
    table.end()
    return table


def check(hand: dict[str, Any], reading: dict[str, Any]) -> None:
    """Play the hand, and compare its end with what the reader has."""
    table = played(hand, reading)
    result, done = table.results[-1], table.settlements[-1]
    clauses = " ".join(each.clause for each in table.incidents)
    why = [str(each) for each in table.incidents]
    assert result.outcome == reading.get("outcome", "complete"), why
    assert done.status == "settled", (done.why, why)
    net: Counter[int] = Counter()
    for settlement in table.settlements:
        net.update({seat.seat: seat.net for seat in settlement.seats})
    assert {seat: cents for seat, cents in net.items() if cents} == {
        int(seat): cents for seat, cents in reading["net"].items()
    }, why
    if "pots" in reading:
        assert pots(done) == [
            (pot["cents"], pot.get("rake", 0), pot.get("jackpot", 0), {int(to): won for to, won in pot["won"].items()})
            for pot in reading["pots"]
        ]
    assert {meter.name: meter.after for meter in done.meters if meter.after} == reading.get("meters", {})
    for clause in reading.get("names", []):
        assert clause in clauses, why


def pots(done: Settlement) -> list[tuple[int, int, int, dict[int, int]]]:
    """Cents of each pot, its rake, its jackpot rake, and what each winner has of it."""
    return [
        (pot.cents, pot.rake, pot.jackpot_rake, {each.seat: each.cents for each in pot.winners}) for pot in done.pots
    ]


@pytest.mark.every(3)
@pytest.mark.parametrize(("hand", "reading"), SAME)
def test_it_ends_as_the_text_has_it(hand: dict[str, Any], reading: dict[str, Any]) -> None:
    check(hand, reading)


@pytest.mark.parametrize(("hand", "reading"), DIFFERENT)
def test_a_known_difference_is_still_there(hand: dict[str, Any], reading: dict[str, Any]) -> None:
    """A failure here means that the difference is gone: take its `differs` out of the file."""
    with pytest.raises(AssertionError):
        check(hand, reading)


def test_every_hand_of_the_reader_is_here() -> None:
    assert sorted(hand["number"] for hand in HANDS) == [*range(1, 43)]
    assert all(hand["what"] and hand["clause"].startswith("47.1-") for hand in HANDS)
