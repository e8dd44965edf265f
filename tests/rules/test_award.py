"""The award procedure at the table controller, from START GAME to END GAME, and its records."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from msgspec.structs import replace

import devices.events as e
from dealer_flow.record.base import line_schema
from dealer_flow.record.incidents import EventRef
from devices.events import Seen
from rules import SettlementRefused, load_game, settle
from rules.meters.award import AwardBook
from rules.meters.award_record import AwardRecord, AwardRound, AwardState, differences
from rules.meters.award_steps import NEXT, STEPS, AwardStage, allowed
from rules.meters.bank import MeterBank, MeterRecord, MeterRefused, RoundKey
from rules.meters.settled_rounds import SettledInMemory
from rules.meters.setup import ProgressiveSetup
from tests.support.dealing.flushes import GAME, deal, seat

DOCS = Path(__file__).parents[2] / "docs"
ROYAL, STRAIGHT, QUADS, FLUSH, TRIPS = 1, 2, 3, 5, 7
"""Hand buttons: the rows of the pay table as printed."""
SUPERVISOR, EXECUTIVE, DEALER = (
    e.BadgeSwiped(7001, "supervisor"),
    e.BadgeSwiped(9001, "executive"),
    e.BadgeSwiped(5, "dealer"),
)


class Keypad:
    """One table's controller. Each method presses one thing; `said` collects the book's records."""

    def __init__(self, *, seed: int = 500_000, sensor: int | None = None, game: str = "flushes-gone-wild.wa") -> None:
        content = {
            "schema": "dealwire.progressive/1",
            "id": "test",
            "executive-from-cents": 50_000,
            "meters": ({"name": "meter", "seed-cents": seed, "start-cents": 1_000_000, "contribution": "20 %"},),
        }
        content |= {"sensor-cents": sensor} if sensor else {}
        self.bank = MeterBank(ProgressiveSetup.model_validate(content))
        self.book = AwardBook(self.bank, load_game(game), spot=5)
        self.said: list[AwardRecord | MeterRecord] = []
        self._number = 0

    def __call__(self, *bodies: e.Body) -> list[AwardRecord | MeterRecord]:
        found = []
        for body in bodies:
            self._number += 1
            found += self.book.handle(Seen("controller", 0xC0FFEE, self._number, self._number, body))
        self.said += found
        return found

    def bets(self, **cents: int) -> "Keypad":
        for name, amount in cents.items():
            self(e.WagerPlaced(int(name.removeprefix("seat")), 5, amount))
        self(e.GameStarted(1))
        return self

    def award(self, number: int, hand: int, card: e.BadgeSwiped = EXECUTIVE) -> list[AwardRecord | MeterRecord]:
        return self(e.SpotSelected(number), e.HandButton(hand, True), e.Confirmed(), card)

    @property
    def shows(self) -> int:
        return self.bank.meters()["meter"].cents

    @property
    def kinds(self) -> list[str]:
        return [item.kind for item in self.said]


def test_every_stage_has_a_way_in_and_a_way_on() -> None:
    assert {step.dest for step in STEPS} == set(AwardStage)
    assert all(allowed(stage) for stage in AwardStage)
    assert len(NEXT) == sum(len(step.stages) for step in STEPS)


def test_start_game_takes_the_bets_and_their_part_goes_onto_the_meter() -> None:
    """WA NC 6: the dealer presses START GAME and removes all progressive bets."""
    keypad = Keypad()
    keypad(e.WagerPlaced(2, 5, 100), e.WagerPlaced(4, 5, 300), e.WagerPlaced(4, 1, 5000), e.WagerPlaced(6, 5, 100))
    keypad(e.WagerPlaced(6, 5, 0))
    taken, meter = keypad(e.GameStarted(1))
    assert isinstance(taken, AwardRecord)
    assert isinstance(meter, MeterRecord)
    assert (taken.kind, taken.cents, taken.why) == ("bets-taken", 400, "progressive bets of 2 seats are taken")
    assert (meter.kind, meter.to_meter, meter.round) == ("contributed", 80, 1)
    assert keypad.shows == 1_000_080


def test_a_lit_sensor_is_a_bet_of_what_the_setup_says_and_taking_it_away_changes_nothing() -> None:
    keypad = Keypad(sensor=100)
    keypad(e.SensorChanged(2, True), e.SensorChanged(3, True), e.SensorChanged(3, False), e.GameStarted(1))
    keypad(e.SensorChanged(2, False))
    assert keypad.book.round is not None
    assert dict(keypad.book.round.bets) == {2: 100}
    keypad(e.GameEnded(1), e.GameStarted(2))
    assert dict(keypad.book.round.bets) == {}


def test_the_whole_procedure_records_the_win_and_reseeds() -> None:
    """WA NC 9(d)-(g): spot, hand button, supervisor confirms, card, END GAME."""
    keypad = Keypad().bets(seat2=100)
    keypad.award(2, ROYAL)
    keypad(e.GameEnded(1))
    assert keypad.kinds == [
        "bets-taken", "contributed", "spot", "hand-on", "confirmed", "awarded", "paid", "reseeded",
    ]  # fmt: skip
    award = keypad.said[5]
    assert isinstance(award, AwardRecord)
    assert (award.seat, award.hand, award.cents, award.meter, award.badge, award.level, award.clause) == (
        2, "royal flush", 1_000_020, "meter", 9001, "executive", "WA NC pay table",
    )  # fmt: skip
    assert award.record == keypad.said[6].number  # type: ignore[union-attr]
    assert keypad.shows == 500_000
    assert keypad.book.stage is AwardStage.BETS


def test_a_button_pressed_again_is_off() -> None:
    """WA NC 9(d), CO progressive (7)(D)."""
    keypad = Keypad().bets(seat2=100)
    keypad(e.SpotSelected(2), e.HandButton(ROYAL, True), e.HandButton(ROYAL, False))
    assert keypad.kinds[-1] == "hand-off"
    keypad(e.HandButton(QUADS, True), e.Confirmed(), SUPERVISOR)
    assert (keypad.kinds[-1], keypad.said[-1].cents) == ("awarded", 30_000)  # type: ignore[union-attr]
    assert keypad.shows == 1_000_020  # four of a kind is paid from the tray (9(b))


def test_a_confirmed_button_can_still_be_put_out() -> None:
    keypad = Keypad().bets(seat2=100)
    keypad(e.SpotSelected(2), e.HandButton(ROYAL, True), e.Confirmed(), e.HandButton(ROYAL, False), EXECUTIVE)
    assert keypad.kinds[-1] == "hand-off"
    assert keypad.shows == 1_000_020


@pytest.mark.parametrize(
    ("hand", "card", "done"),
    [
        (TRIPS, DEALER, False),
        (TRIPS, SUPERVISOR, True),  # 9 dollars
        (TRIPS, EXECUTIVE, True),
        (QUADS, SUPERVISOR, True),  # 300 dollars
        (STRAIGHT, SUPERVISOR, False),  # a tenth of 10,000 dollars
        (STRAIGHT, EXECUTIVE, True),
        (STRAIGHT, e.BadgeSwiped(1, "0x09"), False),
    ],
)
def test_whose_card_is_needed_depends_on_the_prize(hand: int, card: e.BadgeSwiped, done: bool) -> None:
    """WA NC 9(f): supervisor or executive, depending on the jackpot level; here executive from 500 dollars."""
    keypad = Keypad().bets(seat2=100)
    keypad.award(2, hand, card)
    assert ("awarded" in keypad.kinds) == done
    if not done:
        assert keypad.kinds[-1] == "refused"
        assert keypad.book.stage is AwardStage.CONFIRMED
        assert keypad(EXECUTIVE)[0].kind == "awarded"


def test_a_refused_card_names_who_is_needed() -> None:
    keypad = Keypad().bets(seat2=100)
    refused = keypad.award(2, STRAIGHT, SUPERVISOR)[-1]
    assert refused.why == "an award of $1,000.02 needs the card of the executive, not of the supervisor"


def test_two_meter_pays_move_the_meter_between_and_the_printed_order_is_said() -> None:
    """WA NC 9(c): the player farthest on the right first, and seat 1 is at the dealer's left."""
    right = Keypad().bets(seat1=100, seat4=100)
    right.award(4, STRAIGHT)
    right.award(1, ROYAL)
    prizes = [item.cents for item in right.said if isinstance(item, AwardRecord) and item.kind == "awarded"]
    assert prizes == [100_004, 900_036]
    left = Keypad().bets(seat1=100, seat4=100)
    left.award(1, ROYAL)
    late = left.award(4, STRAIGHT)
    assert (
        late[-2].why == "straight flush of seat 4 is awarded $500, after seat 1, which comes later in the printed order"
    )
    assert "printed order" not in " ".join(item.why for item in right.said)


def out_of_turn() -> Iterator[tuple[list[e.Body], str]]:
    yield [e.SpotSelected(2)], "spot while bets-open; allowed: START GAME"
    yield [e.GameStarted(1), e.HandButton(1, True)], "hand button 1 while game; allowed: spot, END GAME"
    yield [e.GameStarted(1), e.Confirmed()], "CONFIRM while game; allowed: spot, END GAME"
    yield [e.GameStarted(1), e.SpotSelected(5)], "seat 5 has no progressive bet in this round"
    yield [e.GameStarted(1), e.SpotSelected(2), e.HandButton(8, True)], "hand button 8; WA-NC has hands 1 to 7"
    yield [e.GameStarted(1), e.SpotSelected(2), e.HandButton(0, True)], "hand button 0; WA-NC has hands 1 to 7"
    hand_on = [e.GameStarted(1), e.SpotSelected(2), e.HandButton(1, True)]
    yield [*hand_on, e.SpotSelected(2)], "spot while hand-on; allowed: hand button off, CONFIRM, END GAME"
    yield [*hand_on, e.HandButton(2, True)], "hand button 2 while hand-on; allowed: hand button off, CONFIRM, END GAME"
    yield [*hand_on, e.HandButton(2, False)], "hand button 2 went off, and 1 is on"


@pytest.mark.parametrize(("bodies", "why"), list(out_of_turn()))
def test_what_is_out_of_turn_changes_nothing_and_says_what_is_allowed(bodies: list[e.Body], why: str) -> None:
    keypad = Keypad()
    keypad(e.WagerPlaced(2, 5, 100), *bodies[:-1])
    stage, shows = keypad.book.stage, keypad.shows
    (refused,) = keypad(bodies[-1])
    assert (refused.kind, refused.why) == ("refused", why)
    assert (keypad.book.stage, keypad.shows) == (stage, shows)


def test_a_card_swiped_for_something_else_and_a_lamp_that_goes_out_say_nothing() -> None:
    keypad = Keypad().bets(seat2=100)
    assert keypad(SUPERVISOR) == []
    keypad.award(2, QUADS)
    assert keypad(e.HandButton(QUADS, False), e.GameEnded(1), e.GameEnded(1), e.GreenButton()) == []


def test_a_seat_has_one_award_until_it_is_backed_out() -> None:
    keypad = Keypad().bets(seat2=100)
    award, _ = keypad.award(2, STRAIGHT)[-2:]
    assert isinstance(award, AwardRecord)
    assert keypad(e.SpotSelected(2), e.HandButton(ROYAL, True))[-1].why == (
        "seat 2 has its award already; back it out first"
    )
    undone, moved = keypad.book.back_out(award, 9001, "it was four of a kind")
    assert isinstance(undone, AwardRecord)
    assert isinstance(moved, MeterRecord)
    assert (undone.kind, undone.badge, undone.record, moved.to_players) == ("backed-out", 9001, moved.number, -100_002)
    assert keypad.shows == 1_000_020
    with pytest.raises(MeterRefused, match="there is no such award in this round or the last"):
        keypad.book.back_out(award, 9001, "again")
    keypad(e.HandButton(QUADS, True), e.Confirmed(), SUPERVISOR)
    assert keypad.kinds[-1] == "awarded"


def test_an_award_of_the_last_round_can_be_backed_out_by_hand() -> None:
    """WA NC 9(h): backed out by the manual adjustment feature once the prize was logged."""
    keypad = Keypad().bets(seat2=100)
    award = keypad.award(2, QUADS)[-1]
    keypad(e.GameEnded(1))
    assert isinstance(award, AwardRecord)
    (undone,) = keypad.book.back_out(award, 9001, "not four of a kind")
    assert (undone.kind, undone.cents) == ("backed-out", 30_000)  # type: ignore[union-attr]
    assert keypad.book.last is not None
    assert keypad.book.last.awards == (award, undone)


def test_end_game_cuts_an_award_off_and_so_does_the_next_start() -> None:
    for cut in (e.GameEnded(1), e.GameStarted(2)):
        keypad = Keypad().bets(seat2=100)
        keypad(e.SpotSelected(2), e.HandButton(ROYAL, True), e.Confirmed())
        first = keypad(cut)[0]
        assert (first.kind, first.why) == ("unfinished", "the royal flush of seat 2 was not awarded")
        assert keypad.shows == 1_000_020


def test_an_amount_nobody_reported_pays_no_fixed_prize_but_a_share_of_the_meter() -> None:
    keypad = Keypad()
    keypad(e.SensorChanged(2, True))
    assert keypad(e.GameStarted(1))[0].why.endswith("the wagers on the sensors of seats 2 are not known")
    assert keypad.award(2, QUADS)[-1].why == "the wager on the sensor of seat 2 is not known; adjust by hand"
    keypad(e.HandButton(QUADS, False), e.HandButton(STRAIGHT, True), e.Confirmed(), EXECUTIVE)
    assert [item.kind for item in keypad.said[-2:]] == ["awarded", "paid"]


class TestDifferences:
    """Awards by the staff compared with the pays by the cards, with the meter as START GAME left it."""

    ROUND = replace(
        deal(
            "KD 9D",
            "3C 4C 5S 6S 8D",
            seat(1, "7C 7D 7H 7S JS", progressive=100),
            seat(2, "5H 6H 8H 9H TH", progressive=100),
        ),
        round=1,
    )

    @staticmethod
    def differ(*awards: tuple[int, int]) -> list[str]:
        keypad = Keypad(game="flushes-gone-wild.co").bets(seat1=100, seat2=100)
        for number, hand in awards:
            keypad.award(number, hand)
        keypad(e.GameEnded(1))
        assert keypad.book.last is not None
        settlement = settle(TestDifferences.ROUND, GAME, meters=dict(keypad.book.last.shown))
        return [item.why for item in keypad.book.differences(settlement)]

    def test_none(self) -> None:
        assert self.differ((2, FLUSH), (1, QUADS)) == []

    def test_a_winner_who_was_not_awarded(self) -> None:
        assert self.differ((1, QUADS)) == ["seat 2: the cards pay flush $40, the table awarded nothing"]

    def test_another_hand(self) -> None:
        assert self.differ((2, FLUSH), (1, ROYAL)) == [
            "seat 1: the cards pay four of a kind $300, the table awarded royal flush $10,000.40"
        ]

    def test_an_award_of_nothing(self) -> None:
        """A share of an empty meter."""
        award = AwardRecord(kind="awarded", table="t", round=1, seat=1, hand="royal flush", cents=0, why="", clause="c")
        closed = AwardRound(RoundKey("t", "s", 1), {1: 100}, {}, (), {}, (award,))
        settlement = settle(replace(self.ROUND, seats=()), GAME)
        (found,) = differences(settlement, closed, "progressive")
        assert found == AwardRecord(
            kind="differs", table="t", round=1, seat=1, cents=0, clause="c",
            why="seat 1: the cards pay nothing, the table awarded royal flush $0",
        )  # fmt: skip

    def test_a_seat_that_won_nothing(self) -> None:
        round_ = replace(self.ROUND, seats=self.ROUND.seats[:1])
        keypad = Keypad(game="flushes-gone-wild.co").bets(seat1=100, seat2=100)
        keypad.award(2, TRIPS)
        keypad.award(1, QUADS)
        keypad(e.GameEnded(1))
        found = keypad.book.differences(settle(round_, GAME, meters={"meter": 1}))
        assert [item.why for item in found] == ["seat 2: the cards pay nothing, the table awarded three of a kind $9"]
        assert found[0].clause == "47.1-1017.60 progressive (9)"


def said(kind: str, number: int, why: str, round_: int = 1, **more: Any) -> AwardRecord:
    """Return the record that the event of this number led to."""
    known = {"clause": "WA NC 9", "events": (EventRef(device="controller", number=number),)} | more
    return AwardRecord(kind=kind, table="table-1", round=round_, why=why, **known)  # type: ignore[arg-type]


def test_a_session_record_by_record() -> None:
    """Three bets, one interrupted award, one award from the tray and two from the meter, the second out of the printed
    order."""
    keypad = Keypad(sensor=200)
    assert keypad(e.SpotSelected(1)) == [said("refused", 1, "spot while bets-open; allowed: START GAME", 0)]
    keypad(e.WagerPlaced(2, 5, 100), e.WagerPlaced(4, 5, 300), e.SensorChanged(4, True), e.SensorChanged(6, True))
    taken, meter = keypad(e.GameStarted(7))
    assert taken == said("bets-taken", 6, "progressive bets of 3 seats are taken", 7, cents=600)
    assert isinstance(meter, MeterRecord)
    assert (meter.number, meter.kind, meter.to_meter, meter.session, meter.round) == (
        2,
        "contributed",
        120,
        "00c0ffee",
        7,
    )
    assert keypad(e.WagerPlaced(6, 5, 900)) == []  # no bet is taken in a game
    assert keypad(e.SpotSelected(2)) == [said("spot", 8, "seat 2 is selected", 7, seat=2)]
    assert keypad(e.SpotSelected(3)) == [said("refused", 9, "seat 3 has no progressive bet in this round", 7, seat=3)]
    quads: dict[str, Any] = {"seat": 2, "hand": "four of a kind", "round_": 7}
    assert keypad(e.HandButton(QUADS, True)) == [said("hand-on", 10, "four of a kind of seat 2", **quads)]
    off = "four of a kind of seat 2: pressed again, it is off"
    assert keypad(e.HandButton(QUADS, False)) == [said("hand-off", 11, off, **quads)]
    assert keypad(e.HandButton(QUADS, False), e.Confirmed()) == [
        said("refused", 13, "CONFIRM while spot-selected; allowed: spot, hand button on, END GAME", 7)
    ]
    keypad(e.HandButton(QUADS, True))
    assert keypad(e.Confirmed()) == [said("confirmed", 15, "the four of a kind of seat 2 is confirmed", **quads)]
    assert keypad(e.HandButton(TRIPS, False)) == [said("refused", 16, "hand button 7 went off, and 3 is on", 7)]
    card = "an award of $300 needs the card of the supervisor, not of the dealer"
    assert keypad(DEALER) == [said("refused", 17, card, 7, badge=5, level="dealer")]
    (tray,) = keypad(SUPERVISOR)
    why = "four of a kind of seat 2 is awarded $300"
    logged = {"cents": 30_000, "badge": 7001, "level": "supervisor", "clause": "WA NC pay table"}
    assert tray == said("awarded", 18, why, **quads, **logged)
    assert keypad(e.HandButton(QUADS, False), e.HandButton(TRIPS, True)) == [
        said("refused", 20, "hand button 7 while game; allowed: spot, END GAME", 7)
    ]

    awarded, paid = keypad.award(4, STRAIGHT)[-2:]
    assert isinstance(paid, MeterRecord)
    assert (paid.kind, paid.to_meter, paid.seat) == ("paid", -100_012, 4)
    meters = {
        "hand": "straight flush",
        "meter": "meter",
        "badge": 9001,
        "level": "executive",
        "clause": "WA NC pay table",
    }
    why = "straight flush of seat 4 is awarded $1,000.12"
    assert awarded == said("awarded", 24, why, 7, seat=4, cents=100_012, record=paid.number, **meters)
    awarded, paid = keypad.award(6, STRAIGHT)[-2:]
    assert isinstance(paid, MeterRecord)
    why = "straight flush of seat 6 is awarded $900.10, after seat 4, which comes later in the printed order"
    assert awarded == said("awarded", 28, why, 7, seat=6, cents=90_010, record=paid.number, **meters)
    keypad(e.SpotSelected(6))
    again = "seat 6 has its award already; back it out first"
    assert keypad(e.HandButton(TRIPS, True)) == [said("refused", 30, again, 7, seat=6)]
    assert keypad(e.GameEnded(7), e.GameEnded(7)) == []

    keypad(e.WagerPlaced(2, 5, 100), e.GameStarted(8), e.SpotSelected(2))
    assert keypad(e.HandButton(8, True)) == [said("refused", 36, "hand button 8; WA-NC has hands 1 to 7", 8)]
    keypad(e.HandButton(ROYAL, True))
    cut = said(
        "unfinished", 38, "the royal flush of seat 2 was not awarded", 8, seat=2, hand="royal flush", meter="meter"
    )
    assert keypad(e.GameStarted(9))[0] == cut
    assert dict(keypad.book.round.bets if keypad.book.round else {}) == {4: 200, 6: 200}


def test_awards_are_backed_out_with_what_the_meter_gave() -> None:
    keypad = Keypad().bets(seat2=100, seat4=100)
    award = keypad.award(2, STRAIGHT)[-2]
    tray = keypad.award(4, QUADS)[-1]
    assert isinstance(award, AwardRecord)
    assert isinstance(tray, AwardRecord)
    undone, moved = keypad.book.back_out(award, 8, "a flush")
    assert isinstance(moved, MeterRecord)
    assert undone == replace(
        award, kind="backed-out", badge=8, level=None, why="a flush", events=(), record=moved.number
    )
    assert (moved.kind, moved.to_meter, keypad.shows) == ("backed-out", 100_004, 1_000_040)
    assert keypad.book.back_out(tray, 8, "a flush") == [
        replace(tray, kind="backed-out", badge=8, level=None, why="a flush", events=())
    ]
    with pytest.raises(MeterRefused) as told:
        keypad.book.back_out(tray, 8, "twice")
    assert str(told.value) == str(
        MeterRefused("(tray)", "backing out", "there is no such award in this round or the last")
    )


def test_the_left_first_is_another_order() -> None:
    """The house may pay starting at the dealer's left; a later winner then sits to the right of the other."""
    keypad = Keypad()
    keypad.book = AwardBook(
        keypad.bank, load_game("flushes-gone-wild.wa"), spot=5, readings={"meter-order": "dealers-left-first"}
    )
    keypad.bets(seat1=100, seat4=100)
    keypad.award(4, STRAIGHT)
    late = keypad.award(1, STRAIGHT)[-2]
    assert (
        late.why == "straight flush of seat 1 is awarded $900.03, after seat 4, which comes later in the printed order"
    )
    keypad = Keypad()
    keypad.book = AwardBook(
        keypad.bank, load_game("flushes-gone-wild.wa"), spot=5, readings={"meter-order": "dealers-left-first"}
    )
    keypad.bets(seat1=100, seat4=100)
    keypad.award(1, STRAIGHT)
    assert keypad.award(4, STRAIGHT)[-2].why == "straight flush of seat 4 is awarded $900.03"


def test_a_book_goes_on_where_another_stood() -> None:
    keypad = Keypad().bets(seat2=100)
    keypad.award(2, QUADS)
    assert keypad.book.state() is None  # a round is under way
    keypad(e.GameEnded(1), e.WagerPlaced(3, 5, 200), e.WagerPlaced(1, 5, 100), e.SensorChanged(6, True))
    state = keypad.book.state()
    assert state is not None
    assert (state.wagers, [*state.wagers], state.sensors) == ({1: 100, 3: 200}, [1, 3], (6,))
    last = keypad.book.last
    assert last is not None
    assert state.last is not None
    assert (state.last.at, state.last.bets, state.last.taken, state.last.awards) == (
        last.at, {2: 100}, last.taken, last.awards,
    )  # fmt: skip
    assert (state.last.before, state.last.shown) == (dict(last.before), dict(last.shown))
    other = AwardBook(keypad.bank, load_game("flushes-gone-wild.wa"), spot=5)
    assert other.state() == AwardState({}, (), None)
    other.restore(state)
    assert other.state() == state
    assert other.last == last
    other.restore(AwardState({}, (), None))
    assert (other.state(), other.last) == (AwardState({}, (), None), None)


def test_a_round_that_is_heard_once_more_takes_nothing() -> None:
    keypad = Keypad()
    keypad.book.settled = SettledInMemory()
    keypad.bets(seat2=100)
    keypad(e.GameEnded(1), e.WagerPlaced(2, 5, 100))
    shows = keypad.shows
    again = "round 1 of session 00c0ffee was repeated; its bets were taken before"
    assert keypad(e.GameStarted(1)) == [said("refused", 5, again)]
    assert (keypad.shows, keypad.book.stage) == (shows, AwardStage.GAME)
    assert keypad.book.round is not None
    assert dict(keypad.book.round.bets) == {}
    assert keypad.book.round.taken == ()
    assert keypad(e.SpotSelected(2))[0].why == "seat 2 has no progressive bet in this round"
    keypad(e.GameEnded(1), e.WagerPlaced(2, 5, 100))
    assert keypad(e.GameStarted(2))[0].why == "progressive bets of 1 seats are taken"


@pytest.mark.parametrize(("start", "kinds"), [(30_000, ["awarded", "paid"]), (29_000, ["refused"])])
def test_so_many_times_the_bet_off_the_meter(start: int, kinds: list[str]) -> None:
    """Texas Hold'em Bonus pays a flush 50 for 1 and a full house 100 for 1 from the meter, if the meter is high
    enough."""
    keypad = Keypad()
    keypad.bank = MeterBank(
        ProgressiveSetup.model_validate(
            {
                "schema": "dealwire.progressive/1", "id": "test", "executive-from-cents": 50_000,
                "meters": ({"name": "meter", "seed-cents": 0, "start-cents": start, "contribution": "0 %"},),
            }
        )
    )  # fmt: skip
    keypad.book = AwardBook(keypad.bank, load_game("texas-holdem-bonus.co"), spot=5)
    keypad.bets(seat2=300)
    rows = [row.when for row in keypad.book.paytable.rows]
    found = keypad.award(2, rows.index("full house") + 1)
    assert [each.kind for each in found[3:]] == kinds
    assert keypad.shows == (0 if kinds == ["awarded", "paid"] else start)
    if kinds == ["refused"]:
        assert found[3].why == "the meter shows $290 and not $300; adjust by hand"


def test_an_amount_of_dollars_whatever_was_bet() -> None:
    keypad = Keypad()
    keypad.book = AwardBook(keypad.bank, load_game("caribbean-stud.co"), spot=5)
    keypad.bets(seat2=300)
    rows = [row.when for row in keypad.book.paytable.rows]
    award = keypad.award(2, rows.index("flush") + 1)[-1]
    assert isinstance(award, AwardRecord)
    assert (award.cents, award.meter) == (5_000, None)


def test_a_desk_needs_a_progressive_its_table_and_its_meters() -> None:
    bank = Keypad().bank
    with pytest.raises(SettlementRefused, match=r"progressive of game .flushes-gone-wild\.sd."):
        AwardBook(bank, load_game("flushes-gone-wild.sd"), spot=5)
    link = load_game("flushes-gone-wild.wa-link")
    with pytest.raises(SettlementRefused, match="pay table of progressive 'WA-NC'; allowed: WA-MGL-01"):
        AwardBook(bank, link, spot=5, paytable="WA-NC")
    with pytest.raises(SettlementRefused, match="meter that WA-ML01 pays from 'mega'; allowed: meter"):
        AwardBook(bank, link, spot=5, paytable="WA-ML01")


def test_the_published_schema_is_current_and_holds_every_record() -> None:
    schema = json.loads((DOCS / "schema" / "award-1.json").read_text(encoding="utf-8"))
    assert schema == line_schema(AwardRecord)
    keypad = Keypad().bets(seat2=100)
    keypad.award(2, ROYAL, SUPERVISOR)
    keypad(EXECUTIVE, e.Confirmed(), e.GameEnded(1))
    for item in keypad.said:
        if isinstance(item, AwardRecord):
            jsonschema.Draft202012Validator(schema).validate(json.loads(item.to_json()))
