"""Badges by the house's list at a table: what one that does not count authorizes, act by act, and that the record has
the list. The expected values are those of docs/people.md, written before any of it was run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

import devices.events as e
from dealer_flow.procedure.load import load_procedure
from dealwire.config.build import Banks, build_table
from dealwire.journal.tables import JournaledPublisher, JournaledTable
from dealwire.people.badges import BadgeList
from dealwire.people.users import read_users
from dealwire.table.believed import BelievedBadges
from dealwire.table.redaction import PublishedTable, Publisher
from dealwire.table.state import TableState
from dealwire.table.table import Table, TableTerms
from devices.events import BadgesListed, Seen
from devices.listed import ANY_BADGE, ListedBadge, NotedBadges, note_text, noted, parse_note, parts_of
from protocol.cards import parse_cards
from protocol.places import parse_place
from rules.game.load import load_game
from rules.meters.award import AwardBook
from rules.meters.award_record import AwardRecord
from rules.meters.bank import MeterBank, MeterRecord
from rules.meters.jackpot_book import JackpotBook, PoolBank
from rules.meters.jackpot_setup import load_jackpot
from rules.meters.setup import load_setup
from tests.dealwire.test_jackpot_tables import AN_EVENING, EXAMPLE, POSTING, part_of
from tests.dealwire.test_states_end_to_end import ML03, SETUP
from tests.support.dealing.hand_table import CONTROLLER, DEVICE
from tests.support.dealing.settling_table import SettlingTable
from tests.support.evenings.between_rounds import check_every_rest
from tests.support.evenings.reported_table import reports
from tests.support.rigs.people import user_entry, users_file

HERE = "table-1"
MINUTE_NS = 60 * 1_000_000_000
PEOPLE = (
    user_entry("ann", badge=11),
    user_entry("bea", badge=12, disabled=True),
    user_entry("cid", badge=13, tables=["table-2"]),
    user_entry("dan", badge=14, until="2020-01-31"),
    user_entry("eve", badge=15, level="executive"),
    user_entry("flo", "dealer", badge=16, level="dealer"),
    user_entry("gus"),
)
REFUSED = {
    (99, "supervisor"): "it is not in the users file",
    (0, "supervisor"): "it is not in the users file",
    (12, "supervisor"): "it is bea's, who may no longer act",
    (13, "supervisor"): "it is cid's, who may not act at this table",
    (14, "supervisor"): "it is dan's, who may no longer act",
    (11, "executive"): "it is ann's, of level supervisor; the device reports executive",
    (16, "supervisor"): "it is flo's, of level dealer; the device reports supervisor",
}
"""Swipes that do not count, each with the reason."""


@pytest.fixture
def listed(tmp_path: Path) -> NotedBadges:
    return BadgeList(read_users(users_file(tmp_path, *PEOPLE))).at(HERE)


@pytest.fixture
def by_two(tmp_path: Path) -> NotedBadges:
    return BadgeList(read_users(users_file(tmp_path, *PEOPLE)), ("post",), 15).at(HERE)


def listing(table: SettlingTable, fact: NotedBadges) -> SettlingTable:
    return table.see(CONTROLLER, fact, numbered=False)


def sentences(table: SettlingTable) -> list[tuple[str, str, bool]]:
    return [(each.code, each.text, each.unreliable) for each in table.incidents]


# ------------------------------------------------------------------ the list


def test_a_table_s_list_has_every_badge_and_how_it_stands_there(listed: NotedBadges) -> None:
    assert listed.listed == (
        ListedBadge(11, "supervisor", "ann"),
        ListedBadge(12, "supervisor", "bea", "", "over"),
        ListedBadge(13, "supervisor", "cid", "", "away"),
        ListedBadge(14, "supervisor", "dan", "2020-01-31"),
        ListedBadge(15, "executive", "eve"),
        ListedBadge(16, "dealer", "flo"),
    )
    assert (listed.compared, listed.count, listed.second, listed.minutes) == (True, 4, (), 0)


@pytest.mark.parametrize("swipe", REFUSED)
def test_why_a_badge_does_not_count(listed: NotedBadges, swipe: tuple[int, str]) -> None:
    assert BelievedBadges(listed).look_up(*swipe, 1_700_000_000_000_000_000) == ("", REFUSED[swipe])


def test_a_badge_counts_to_the_end_of_its_last_day_by_utc() -> None:
    badges = BelievedBadges(noted((ListedBadge(11, "supervisor", "ann", "2023-11-14"),)))
    midnight_ns = 1_700_006_400_000_000_000  # 2023-11-15T00:00:00Z
    assert badges.look_up(11, "supervisor", midnight_ns - 1) == ("ann", "")
    assert badges.look_up(11, "supervisor", midnight_ns) == ("", "it is ann's, who may no longer act")


def test_a_note_says_what_was_listed_and_no_other_note_does(by_two: NotedBadges) -> None:
    for fact in (by_two, ANY_BADGE):
        assert parse_note(note_text(fact)) == fact
    for other in ("closed", "badges listed: ", "badges listed: {}", 'badges listed: {"compared":1,"count":2}'):
        assert parse_note(other) is None


def test_a_person_reads_how_many_badges_count_and_not_which(by_two: NotedBadges) -> None:
    assert by_two.words == "by the house's list, 4 badges count"
    assert noted((ListedBadge(11, "supervisor", "ann"),), adds=True).words == "by the house's list, 1 more badge counts"
    assert ANY_BADGE.words == "any badge counts"


def test_a_long_list_comes_in_notes_that_a_recording_can_hold() -> None:
    many = tuple(
        ListedBadge(2**32 - 1 - number, "supervisor", "n" * 64, "2030-12-31", "away") for number in range(1500)
    )
    whole = noted(many, ("post",), 15)
    notes = [note_text(part) for part in parts_of(whole)]
    assert len(notes) > 1
    assert all(len(note.encode()) < 65_535 for note in notes)
    found: NotedBadges | None = noted((ListedBadge(1, "dealer", "former"),))
    for note in notes:
        part = parse_note(note)
        assert part is not None
        found = part.after(found)
    assert found == whole
    assert ANY_BADGE.after(whole) is None


def test_the_list_is_published_as_a_number_alone(by_two: NotedBadges) -> None:
    table = PublishedTable(load_procedure("holdem.co"), TableTerms(load_game("holdem.co")))
    plain = Publisher(table).publish(Seen(CONTROLLER, 0, 0, 1, e.BadgeSwiped(99, "supervisor")))
    assert msgspec.json.decode(plain[0].line)["fields"] == {"badge": 99, "level": "supervisor"}, "as without lists"
    (line,) = Publisher(table).publish(Seen(CONTROLLER, 0, 0, 1, by_two))
    content = msgspec.json.decode(line.line)
    assert content["event"] == "BadgesListed"
    assert content["fields"] == {"compared": True, "count": 4, "second": ["post"], "minutes": 15}
    assert type(by_two.published) is BadgesListed
    swiped = Publisher(table).publish(Seen(CONTROLLER, 0, 0, 2, e.BadgeSwiped(99, "supervisor")))
    assert msgspec.json.decode(swiped[0].line)["fields"] == {
        "badge": 99,
        "level": "supervisor",
        "refused": "it is not in the users file",
    }
    counted = Publisher(table).publish(Seen(CONTROLLER, 0, 0, 3, e.BadgeSwiped(11, "supervisor")))
    assert msgspec.json.decode(counted[0].line)["fields"] == {"badge": 11, "level": "supervisor", "person": "ann"}


# ------------------------------------------------------------------ six acts


def swiped(badge: int, level: str) -> str:
    return f"controller BadgeSwiped: badge {badge}; level {level}"


@pytest.mark.parametrize("swipe", REFUSED)
def test_no_award_is_paid_on_a_badge_that_does_not_count(listed: NotedBadges, swipe: tuple[int, str]) -> None:
    """The evening of `test_states_end_to_end` pays $1,234.81 with an executive's card. Here another is swiped first."""
    game = load_game("flushes-gone-wild.wa-link")
    bank = MeterBank(load_setup(SETUP))
    book = AwardBook(bank, game, spot=5, paytable="WA-ML03")
    terms = TableTerms(game, paytables=ML03, bank=bank)
    table = Table(load_procedure("flushes-gone-wild.wa"), terms, awards=book)
    found: list[object] = []
    for heard in reports("wa-award"):
        each = msgspec.structs.replace(heard, at_ns=heard.at_ns + 1_700_000_000_000_000_000)
        if isinstance(each.body, e.BadgeSwiped):
            found += table.handle(msgspec.structs.replace(each, body=NotedBadges(**asdict(listed))))
            found += table.handle(msgspec.structs.replace(each, body=e.BadgeSwiped(*swipe)))
            each = msgspec.structs.replace(each, body=e.BadgeSwiped(15, "executive"))
        found += table.handle(each)
    awards = [each for each in found if isinstance(each, AwardRecord)]
    assert [each.kind for each in awards][-2:] == ["refused", "awarded"]
    assert awards[-2].why == f"badge {swipe[0]} does not count: {REFUSED[swipe]}"
    assert awards[-2].badge == swipe[0]
    assert (awards[-1].badge, awards[-1].cents) == (15, 123_481)
    assert [each.kind for each in found if isinstance(each, MeterRecord) and each.meter == "minor"] == [
        "contributed",
        "paid",
        "reseeded",
    ], "paid once"


def asdict(fact: NotedBadges) -> dict[str, Any]:
    return {name: getattr(fact, name) for name in fact.__struct_fields__}


@pytest.mark.parametrize("swipe", REFUSED)
def test_no_jackpot_is_posted_on_a_badge_that_does_not_count(listed: NotedBadges, swipe: tuple[int, str]) -> None:
    book = JackpotBook(load_jackpot(EXAMPLE))
    hand = listing(SettlingTable("holdem.co", {"jackpot": book}), listed)
    hand.terms.settle_all(AN_EVENING[0])
    hand.play(POSTING).confirm().badge(*swipe)
    assert book.award_cents == 500_000
    assert [each.kind for each in hand.awards] == ["hand-on", "confirmed", "refused"]
    assert hand.awards[-1].why == f"badge {swipe[0]} does not count: {REFUSED[swipe]}"
    hand.badge(11, "supervisor")
    assert (hand.awards[-1].kind, hand.awards[-1].badge, book.award_cents) == ("posted", 11, 500_060), "one is enough"


DEALT = (
    "bets 1: ante 500, bonus 100 / start / packet seat 1: AH KH / packet dealer: 5D 6D / "
    "packet community: 9S TS JS 2C 3C / dump / choose 1: flop-bet, flop 1000 / show community: 9S TS JD"
)


@pytest.mark.parametrize("swipe", [each for each in REFUSED if each[0]])
def test_no_entry_is_corrected_with_a_badge_that_does_not_count(listed: NotedBadges, swipe: tuple[int, str]) -> None:
    table = listing(SettlingTable("texas-holdem-bonus.co"), listed).play(DEALT.split(" / "))
    right = parse_place("community"), parse_cards("9S TS JS")
    table.controller(e.HandCorrected(right[0], *swipe, right[1]))
    why = f"badge {swipe[0]}, which does not count: {REFUSED[swipe]}"
    assert sentences(table) == [("correction-refused", f"community is corrected to 3 cards with {why}", False)]
    assert table.incidents[0].reason == "badge_counts"
    table.controller(e.HandCorrected(right[0], 11, "supervisor", right[1]))
    assert table.codes == ["correction-refused", "hand-corrected"]


@pytest.mark.parametrize(
    ("badge", "why"),
    [
        (99, "it is not in the users file"),
        (14, "it is dan's, who may no longer act"),
        (16, "it is flo's, of level dealer; a supervisor clears a misdeal"),
    ],
)
def test_a_misdeal_cleared_with_a_badge_that_does_not_count_is_cleared_by_nobody(
    listed: NotedBadges, badge: int, why: str
) -> None:
    """The lamp is out, since the device put it out. But no one came who may rule, and the round is not settled."""
    table = listing(SettlingTable("emperors-challenge.co"), listed).play(["bets 1: primary 500", "start"])
    table.see(DEVICE, e.RedLamp(True, 201))
    called = [item for item in table.flow.legal() if item.event == "BadgeSwiped"]
    assert called, "a supervisor is called"
    table.see(DEVICE, e.MisdealCleared(201, badge, True))
    assert [item for item in table.flow.legal() if item.event == "BadgeSwiped"] == called
    assert sentences(table)[-1] == ("badge-refused", f"badge {badge} at device-1 does not count: {why}", True)
    table.see(DEVICE, e.MisdealCleared(201, 11, True))
    assert not [item for item in table.flow.legal() if item.event == "BadgeSwiped"]
    assert [code for code, _, _ in sentences(table)].count("badge-refused") == 1


def test_a_misdeal_called_with_a_badge_that_does_not_count_is_called_without_one(listed: NotedBadges) -> None:
    table = listing(SettlingTable("emperors-challenge.co"), listed).play(["bets 1: primary 500", "start"])
    table.misdeal(99)
    assert sentences(table) == [
        ("badge-refused", "badge 99 at controller-1 does not count: it is not in the users file", False),
        ("misdeal-called", "a person without a badge calls a misdeal", False),
    ]
    other = listing(SettlingTable("emperors-challenge.co"), listed).play(["bets 1: primary 500", "start"])
    other.misdeal(11)
    assert sentences(other) == [("misdeal-called", "badge 11 calls a misdeal", False)]


def test_a_card_is_not_named_with_a_badge_that_does_not_count(listed: NotedBadges) -> None:
    table = listing(SettlingTable("race-to-the-flush"), listed).play(["bets 1: number-17 200", "start", "draw AH"])
    table.play(["device CardUnread: ordinal 2; where none"])
    table.badge(11).badge(99).name("5H")
    assert [code for code, _, _ in sentences(table)] == ["card-unread", "badge-refused", "naming-refused"]
    table.badge(11).name("5H")
    assert (table.codes[-1], table.incidents[-1].badge) == ("card-named", 11)


def test_nobody_came_and_no_deck_changed_on_a_badge_that_does_not_count(listed: NotedBadges) -> None:
    table = listing(SettlingTable("emperors-challenge.co"), listed).play(["bets 1: primary 500", "start"])
    table.see(DEVICE, e.RedLamp(True, 201))
    called = [item for item in table.flow.legal() if item.event == "BadgeSwiped"]
    table.badge(13)
    assert [item for item in table.flow.legal() if item.event == "BadgeSwiped"] == called
    assert sentences(table)[-1][1:] == (
        "badge 13 at controller-1 does not count: it is cid's, who may not act at this table",
        False,
    )
    table.badge(15, "executive")
    assert not [item for item in table.flow.legal() if item.event == "BadgeSwiped"]


def test_without_a_list_and_once_there_is_none_any_more_every_badge_counts(listed: NotedBadges) -> None:
    book = JackpotBook(load_jackpot(EXAMPLE))
    hand = SettlingTable("holdem.co", {"jackpot": book})
    hand.play(POSTING).confirm().badge(99)
    listing(listing(hand, listed), ANY_BADGE)
    hand.play(POSTING).confirm().badge(99)
    assert [each.kind for each in hand.awards].count("posted") == 2
    assert hand.table.badges is None
    assert hand.incidents == []


# ------------------------------------------------------------------ posting by two people


def posting(fact: NotedBadges) -> tuple[JackpotBook, SettlingTable]:
    """Return a jackpot with $5,000.60 to be posted, and a table at which that is requested and confirmed."""
    book = JackpotBook(load_jackpot(EXAMPLE))
    hand = listing(SettlingTable("holdem.co", {"jackpot": book}), fact)
    hand.terms.settle_all(AN_EVENING[0])
    return book, hand.play(POSTING).confirm()


def said(hand: SettlingTable) -> tuple[str, str]:
    return hand.awards[-1].kind, hand.awards[-1].why


WAITS = ("waits", "ann swiped badge 11; another person must swipe one within 15 minutes")


def test_two_people_post_a_jackpot(by_two: NotedBadges) -> None:
    book, hand = posting(by_two)
    hand.badge(11)
    assert said(hand) == WAITS
    assert book.award_cents == 500_000
    assert hand.table.state() is None, "no restart begins between the two"
    hand.badge(15, "executive")
    assert said(hand) == ("posted", "the award is posted at $5,000.60; it was $5,000, by ann and eve")
    assert (hand.awards[-1].badge, book.award_cents) == (15, 500_060)
    assert [each.badge for each in book.bank.records if each.kind == "posted"] == [15, 15, 15]
    assert hand.table.state() is not None


def test_one_person_swiping_twice_is_not_two(by_two: NotedBadges) -> None:
    book, hand = posting(by_two)
    hand.badge(11).badge(11)
    assert said(hand) == ("refused", "badge 11 is ann's, who swiped first; another person must swipe one")
    hand.badge(99)
    assert said(hand) == ("refused", "badge 99 does not count: it is not in the users file")
    hand.badge(16, "dealer")
    assert said(hand) == ("refused", "it needs the card of a supervisor or an executive, not of a dealer")
    assert book.award_cents == 500_000
    hand.badge(15, "executive")
    assert (said(hand)[0], book.award_cents) == ("posted", 500_060)


@pytest.mark.parametrize(("late_ns", "kind", "cents"), [(0, "posted", 500_060), (1, "unfinished", 500_000)])
def test_the_second_person_has_so_many_minutes(by_two: NotedBadges, late_ns: int, kind: str, cents: int) -> None:
    book, hand = posting(by_two)
    hand.badge(11)
    hand.now_ns += 15 * MINUTE_NS - hand.step_ns + late_ns
    hand.badge(15, "executive")
    assert (hand.awards[-1].kind, book.award_cents) == (kind, cents)
    if late_ns:
        assert hand.awards[-1].why == "no second person swiped a badge within 15 minutes"
        hand.badge(11).badge(15, "executive")
        assert len([each for each in hand.awards if each.kind == "waits"]) == 1, "the button begins another"


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("controller HandButton: hand 2; on false", ("hand-off", "posting of jackpot bad-beat is canceled")),
        ("start", ("unfinished", "jackpot bad-beat was not posted: play continues")),
        (POSTING, ("hand-on", "the pools of jackpot bad-beat are to be posted")),
    ],
)
def test_what_ends_a_posting_that_waits(by_two: NotedBadges, line: str, found: tuple[str, str]) -> None:
    book, hand = posting(by_two)
    hand.badge(11).play([line])
    assert said(hand) == found
    hand.badge(15, "executive")
    assert book.award_cents == 500_000


def test_a_changed_list_ends_a_posting_that_waits(by_two: NotedBadges) -> None:
    book, hand = posting(by_two)
    listing(hand.badge(11), noted((*by_two.listed, ListedBadge(20, "dealer", "zoe")), ("post",), 15))
    assert said(hand) == ("hand-off", "posting of jackpot bad-beat is canceled: the list of badges changed")
    hand.badge(15, "executive")
    assert book.award_cents == 500_000


def test_two_people_are_wanted_for_a_posting_alone(by_two: NotedBadges, tmp_path: Path) -> None:
    """A pool is shared at one card, also where a jackpot takes two."""
    (file := tmp_path / "mine.toml").write_text(EXAMPLE.read_text().replace('"holdem.co"', '"home-run.co"'))
    book = JackpotBook(load_jackpot(file))
    hand = SettlingTable("home-run.co", {"jackpot": book, "meters": {"home-run": 9000}, "runners": {1: 1}})
    listing(hand, by_two).play("controller HandButton: hand 1; on true").confirm().badge(11)
    assert [each.kind for each in hand.awards] == ["hand-on", "confirmed", "awarded", "closed"]


# ------------------------------------------------------------------ on disk


def test_a_table_goes_on_from_every_moment_with_its_list(by_two: NotedBadges) -> None:
    hand = listing(SettlingTable("holdem.co", {"jackpot": JackpotBook(load_jackpot(EXAMPLE))}), by_two)
    for _ in range(2):
        hand.play(POSTING).confirm().badge(11).badge(15, "executive")
    listing(hand, ANY_BADGE).play(POSTING).confirm().badge(99)
    listing(hand, by_two).play(POSTING).confirm().badge(99).badge(11).badge(15, "executive")
    assert [each.kind for each in hand.awards].count("posted") == 4

    def make(bank: MeterBank | None) -> JournaledPublisher:
        banks = Banks()
        if isinstance(bank, PoolBank):
            banks.put_jackpot(EXAMPLE, JackpotBook(load_jackpot(EXAMPLE), bank))
        table = build_table(part_of(HERE, procedure="holdem.co", jackpot=EXAMPLE), banks, JournaledTable)
        return JournaledPublisher(table, HERE, 3)

    assert check_every_rest(make, hand.seen) >= 4


def test_a_table_without_a_list_is_saved_as_before(listed: NotedBadges) -> None:
    hand = SettlingTable("holdem.co")
    state = hand.table.state()
    assert state is not None
    assert b"badges" not in msgspec.json.encode(state)
    restored = msgspec.json.decode(msgspec.json.encode(state), type=TableState)
    assert restored == state
    hand.table.restore(restored)
    assert hand.table.badges is None
    kept = listing(hand, listed).table.state()
    assert kept is not None
    assert msgspec.json.decode(msgspec.json.encode(kept), type=TableState).badges == listed
