"""Rounds found by what a complaint says: about when, which seat, what amount, how it ended."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from msgspec.structs import replace

from dealwire.journal import Journal
from dealwire.journal.errors import JournalDamaged
from dealwire.journal.finding import ANY, FoundRound, RoundQuery, SeatMoney, find_rounds
from dealwire.journal.rounds import RoundReader
from dealwire.journal.times import SECOND_NS, NoSuchTime, Span, span_of
from devices.clock import ManualClock
from devices.events import Seen, SessionChanged
from tests.support.dealing.hand_table import CONTROLLER, HandTable
from tests.support.dealing.plays import go_on
from tests.support.dealing.round_journals import TABLE, exported, write_rounds

GAME = "flushes-gone-wild.co"
BEGIN = ["bets 1: ante 500, blind 500", "bets 2: ante 2500, blind 2500", "start"]
PACKETS = [
    "packet community: 7H KD 2C 9S 4D",
    "packet seat 1: AH KH QH JH TH",
    "packet seat 2: AD 3D QD JD TD",
    "packet dealer: 2S 3S 4S 5S 7C",
    "dump",
]
PLAY = ["burn community: 1 2 5", "choose 1: play, play 1000", "choose 2: play, play 5000"]
SHOW = ["show dealer: 2S 3S 4S 5S 7C", "show community: 2C 9S", "show seat 1: AH KH QH JH TH"]
WHOLE = [*BEGIN, *PACKETS, *PLAY, *SHOW, "show seat 2: AD 3D QD JD TD", "end"]
HELD = [*BEGIN, *PACKETS, *PLAY, *SHOW, "end"]
"""A round in which no one showed seat 2."""
MISDEAL = [*BEGIN, *PACKETS[:3], "misdeal", "end"]


@pytest.fixture(scope="module")
def evening(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Record four rounds, the third a misdeal, the last interrupted because the table started over."""
    path = tmp_path_factory.mktemp("finding") / "j"
    table = HandTable(GAME)
    seen: list[Seen] = []
    for round_ in (WHOLE, HELD, MISDEAL, [*BEGIN, *PACKETS]):
        seen = go_on(table, " / ".join(round_)).fresh_deck().seen
    write_rounds(path, GAME, seen, ends=False)
    with Journal(path, key=None, clock=ManualClock(seen[-1].at_ns + SECOND_NS)) as journal:
        journal.started(TABLE, seen[-1].at_ns + SECOND_NS, "{}")
        journal.commit()
    return path


@pytest.fixture
def reader(evening: Path) -> Iterator[RoundReader]:
    with RoundReader(evening) as found:
        yield found


def numbers(reader: RoundReader, most: int = 99, **query: Any) -> list[int]:
    return [each.number for each in find_rounds(reader, RoundQuery(**query), most)]


def test_all_rounds_newest_first_with_the_money_of_their_settlements(reader: RoundReader, evening: Path) -> None:
    found = find_rounds(reader, RoundQuery(), 99)
    assert [(each.number, each.outcome, each.settled) for each in found] == [
        (4, None, False),
        (3, "misdeal", True),
        (2, "complete", True),
        (1, "complete", True),
    ]
    settled = exported(evening, "settlement")[::-1]
    for each, line in zip(found[1:], settled, strict=True):
        assert each.seats == tuple(
            SeatMoney(seat["seat"], seat["staked"], seat["pay"] + seat["returned"], seat["held"])
            for seat in line["seats"]
        )
    assert [each.held for each in found] == [0, 0, 10000, 0]
    assert find_rounds(reader, RoundQuery(), 2) == found[:2]


def test_by_seat_bet_amount_and_result(reader: RoundReader) -> None:
    assert numbers(reader, seat=2) == [3, 2, 1]
    assert numbers(reader, seat=5) == []
    assert numbers(reader, cents=5000) == [3, 2, 1], "a misdeal gives seat 2 back the sum of its two bets"
    assert numbers(reader, cents=5000, bet="play") == [2, 1]
    assert numbers(reader, cents=5000, seat=1) == []
    assert numbers(reader, cents=1000, seat=1) == [3, 2, 1]
    assert numbers(reader, bet="play", result="held") == [2]
    assert numbers(reader, seat=1, result="held") == []
    assert numbers(reader, result="returned") == [3]
    assert numbers(reader, cents=777) == []


def test_by_outcome_held_money_and_incident(reader: RoundReader) -> None:
    (misdeal,) = find_rounds(reader, RoundQuery(outcome="misdeal"), 9)
    assert numbers(reader, outcome="complete") == [2, 1]
    assert numbers(reader, held=True) == [2]
    assert numbers(reader, held=True, seat=1) == []
    assert misdeal.incidents == ("misdeal-called",)
    assert numbers(reader, incident="misdeal-called") == [3]
    assert 3 in numbers(reader, incident=ANY)
    assert 1 not in numbers(reader, incident=ANY)


def at(found: Sequence[FoundRound], number: int) -> FoundRound:
    return next(each for each in found if each.number == number)


def test_by_the_time_at_which_a_round_was_under_way(reader: RoundReader) -> None:
    second = at(find_rounds(reader, RoundQuery(), 9), 2)
    assert second.begin_ns is not None
    assert second.end_ns is not None
    middle = (second.begin_ns + second.end_ns) // 2
    assert numbers(reader, begin_ns=middle, end_ns=middle) == [2]
    assert numbers(reader, begin_ns=second.end_ns) == [4, 3, 2]
    assert numbers(reader, begin_ns=second.end_ns + 1) == [4, 3]
    assert numbers(reader, end_ns=second.begin_ns) == [2, 1]
    assert numbers(reader, end_ns=second.begin_ns - 1) == [1]
    assert numbers(reader, end_ns=1) == []
    assert numbers(reader, begin_ns=1 << 62) == [4], "a round that never ended has no end"


def test_by_table(reader: RoundReader) -> None:
    assert numbers(reader, tables=[TABLE]) == [4, 3, 2, 1]
    assert numbers(reader, tables=["other"]) == []


def test_a_round_that_is_heard_again_says_so(tmp_path: Path) -> None:
    seen = go_on(HandTable(GAME), " / ".join(WHOLE)).seen
    later = seen[-1].at_ns + 60 * SECOND_NS - seen[0].at_ns
    changed = Seen(CONTROLLER, 0x0C0FFEE0, 0, seen[0].at_ns + later, SessionChanged(0x0C0FFEE0, 0x0C0FFEE0))
    again = [replace(each, at_ns=each.at_ns + later) for each in seen]
    write_rounds(tmp_path / "j", GAME, [*seen, changed, *again])
    with RoundReader(tmp_path / "j") as reader:
        found = find_rounds(reader, RoundQuery(), 9)
    assert [(each.number, each.settled, each.repeated) for each in found] == [(1, False, True), (1, True, False)]


def test_a_time_is_found_in_a_long_journal_without_reading_what_is_before_and_after(tmp_path: Path) -> None:
    with Journal(tmp_path / "j", key=None, clock=ManualClock()) as journal:
        for table in "ab":
            journal.started(table, SECOND_NS, "{}")
        for number in range(1, 801):
            begins = json.dumps({"event": "GameStarted", "fields": {"round": number}})
            ends = json.dumps({"round": number, "outcome": "complete"}) if 380 < number < 420 else "no round"
            for at_s, topic, text in ((0, "event", begins), (50, "round", ends)):
                for table in "ab":
                    journal.publish(table, topic, (number * 60 + at_s) * SECOND_NS, text)
        journal.commit()
    with RoundReader(tmp_path / "j") as reader:
        found = find_rounds(reader, RoundQuery(begin_ns=24005 * SECOND_NS, end_ns=24006 * SECOND_NS), 9)
        assert [(each.table, each.number) for each in found] == [("b", 400), ("a", 400)]
        after, before = reader.record_at(24000 * SECOND_NS), reader.record_at(24050 * SECOND_NS)
        assert (before - after, reader.record_at(0), reader.record_at(1 << 62)) == (2, 1, reader.head.sequence + 1)
        assert reader.next_round("a", after) == before
        assert reader.next_round("a", reader.head.sequence) == reader.head.sequence
        assert [place.number for place in reader.rounds_within("a", after - 1, before + 5)] == [401, 400]
        with pytest.raises(JournalDamaged, match="a round that cannot be read"):
            find_rounds(reader, RoundQuery(), 9)


NEWEST = datetime(2026, 11, 28, 23, 30, tzinfo=UTC)


def ns(moment: datetime) -> int:
    return int(moment.timestamp()) * SECOND_NS


@pytest.mark.parametrize(
    ("text", "begin", "length_s"),
    [
        ("21:05", datetime(2026, 11, 28, 21, 5, tzinfo=UTC), 60),
        ("9:05", datetime(2026, 11, 28, 9, 5, tzinfo=UTC), 60),
        ("21:05:30", datetime(2026, 11, 28, 21, 5, 30, tzinfo=UTC), 1),
        ("23:31", datetime(2026, 11, 28, 23, 31, tzinfo=UTC), 60),
        ("0:30", datetime(2026, 11, 29, 0, 30, tzinfo=UTC), 60),
        ("0:31", datetime(2026, 11, 28, 0, 31, tzinfo=UTC), 60),
        ("2026-11-26", datetime(2026, 11, 26, tzinfo=UTC), 86400),
        ("2026-11-26Z", datetime(2026, 11, 26, tzinfo=UTC), 86400),
        ("2026-11-26 21:05", datetime(2026, 11, 26, 21, 5, tzinfo=UTC), 60),
        ("2026-11-26T21:05:30Z", datetime(2026, 11, 26, 21, 5, 30, tzinfo=UTC), 1),
        ("2026-11-26 21:05 +01:00", datetime(2026, 11, 26, 20, 5, tzinfo=UTC), 60),
        ("00:10+01:00", datetime(2026, 11, 28, 23, 10, tzinfo=UTC), 60),
    ],
)
def test_a_time_of_day_covers_what_it_does_not_say(text: str, begin: datetime, length_s: int) -> None:
    assert span_of(text, ns(NEWEST), UTC) == Span(ns(begin), ns(begin) + length_s * SECOND_NS - 1)


def test_a_time_to_the_millisecond_and_one_in_summer() -> None:
    begin = ns(datetime(2026, 11, 28, 21, 5, 30, tzinfo=UTC))
    assert span_of("21:05:30.250", ns(NEWEST), UTC) == Span(begin + 250_000_000, begin + 250_999_999)
    summer = datetime(2026, 7, 1, 21, 5, tzinfo=timezone(timedelta(hours=-6)))
    assert span_of("2026-07-01 21:05", ns(NEWEST), ZoneInfo("America/Denver")).begin_ns == ns(summer)


@pytest.mark.parametrize("text", ["", "5", "25:00", "21:05:61", "2026-13-01", "Z", "21:5", "21:05 tomorrow", "٢١:٠٥"])
def test_what_is_no_time_says_what_is(text: str) -> None:
    with pytest.raises(NoSuchTime, match=r"is not a time; allowed: 21:05, "):
        span_of(text, ns(NEWEST), UTC)
