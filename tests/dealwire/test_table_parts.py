"""The parts of a table that people see, each separately: lines and lamp, trouble and money in words, and the
instructions at the controller."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any, cast

import pytest
from msgspec.structs import replace

from dealer_flow.english import dollars
from dealer_flow.play.flow import DealerFlow
from dealer_flow.play.machine.states import State
from dealer_flow.play.seen.betting import BettingNow, ChipsNow
from dealer_flow.play.seen.legal import Legal
from dealer_flow.play.seen.snapshot import Snapshot
from dealer_flow.procedure.load import load_procedure
from dealer_flow.procedure.plan import Plan
from dealer_flow.record.details import ActionRecord, TakenPot
from dealer_flow.table.pots import Pot, Uncalled
from dealwire.hub.view import (
    DeviceView,
    OutcomeView,
    PotView,
    SettlementView,
    TakenView,
    UnknownView,
)
from dealwire.table.action_words import action_words, pot_name, settled_pot_name, step_words
from dealwire.table.chips import betting_view, chips_view, without_mucked
from dealwire.table.event_line import event_line, fields, optional
from dealwire.table.held import HeldBook, HeldEntry
from dealwire.table.money import Money, summary
from dealwire.table.pool_book import PoolBook
from dealwire.table.posting_book import PostingBook
from dealwire.table.redaction import Redactor, hidden
from dealwire.table.room import room_of
from dealwire.table.standing import TableStanding
from dealwire.table.state import RedactorState, ViewerState
from dealwire.table.table import Table
from dealwire.table.trouble import Cause, Facts, held_troubles, troubles
from devices import events as e
from devices.events import Seen
from protocol.cards import NONE, UNREAD, parse_cards
from protocol.places import parse_place
from rules.game.load import load_game
from rules.meters.award_record import AwardRecord
from rules.meters.jackpot_book import JackpotBook
from rules.meters.jackpot_setup import load_jackpot
from tests.dealwire.test_jackpot_tables import EXAMPLE as JACKPOT

UP = e.LinkUp(1, "shuffler", "ACME", "One", "A1", "1.0", True, False)
SHOE_UP = e.LinkUp(1, "shoe", "ACME", "One", "A1", "1.0", True, False)
CONTROLLER_UP = e.LinkUp(1, "table-controller", "ACME", "One", "A1", "1.0", True, False)


# ------------------------------------------------------------------ lines and lamp


class Watch:
    """A table's lines, told report by report, each a nanosecond after the one before."""

    def __init__(self, *, from_shuffler: bool = True) -> None:
        self.standing = TableStanding(from_shuffler=from_shuffler)
        self.at_ns = 0

    def says(self, body: e.Body, device: str = "shuffler") -> TableStanding:
        self.at_ns += 1
        self.standing.update(Seen(device, 1, self.at_ns, self.at_ns, body))
        return self.standing


def test_a_line_is_as_whoever_runs_it_says() -> None:
    standing = TableStanding(from_shuffler=True)
    first = DeviceView(name="shuffler", kind="shuffler", address="x", link="waiting", since_ns=5)
    assert standing.line(first)
    assert standing.devices == {"shuffler": first}
    assert not standing.line(first.model_copy(update={"since_ns": 9})), "it is as it was since 5"
    assert standing.devices["shuffler"].since_ns == 5
    assert standing.line(first.model_copy(update={"link": "up", "since_ns": 9}))
    assert standing.devices["shuffler"].since_ns == 9
    standing.update(Seen("shuffler", 1, 1, 10, e.StateChanged("READY", "")))
    assert not standing.line(first.model_copy(update={"link": "up", "since_ns": 11})), "the state is the device's word"
    assert (standing.devices["shuffler"].state, standing.devices["shuffler"].since_ns) == ("READY", 9)
    assert standing.line(first.model_copy(update={"link": "up", "since_ns": 11, "problem": "x"}))


def test_a_report_says_that_its_line_is_up() -> None:
    watch = Watch()
    standing = watch.says(e.StateChanged("READY", ""), "controller")
    assert standing.devices["controller"] == DeviceView(
        name="controller", kind="", address="", link="up", state="READY", since_ns=1
    )
    assert standing.reported_ns == 1
    standing = watch.says(e.GameEnded(1), "controller")
    assert (standing.devices["controller"].since_ns, standing.reported_ns) == (1, 2)
    standing = watch.says(e.LinkLost("pulled"), "controller")
    lost = standing.devices["controller"]
    assert (lost.link, lost.problem, lost.since_ns, lost.state) == ("waiting", "pulled", 3, "READY")
    assert standing.reported_ns == 2, "the device said nothing"
    standing = watch.says(CONTROLLER_UP, "controller")
    up = standing.devices["controller"]
    assert (up.link, up.problem, up.since_ns, up.kind) == ("up", None, 4, "table-controller")
    standing.line(up.model_copy(update={"kind": "shuffler"}))
    assert watch.says(CONTROLLER_UP, "controller").devices["controller"].kind == "shuffler", "as it was set up"
    watch.says(e.BytesDropped(5, ""), "flooded")
    assert ("flooded" in standing.devices, standing.reported_ns) == (False, 5), "that says nothing of a device"


def test_which_devices_are_away_and_since_when() -> None:
    watch = Watch()
    watch.says(UP)
    watch.says(CONTROLLER_UP, "controller")
    assert (watch.standing.away, watch.standing.unknown(None)) == ([], None)
    assert watch.standing.unknown(("why", 7)) == UnknownView(
        since_ns=7, why="the table is in safe stop: device reports are not processed"
    )
    watch.says(e.LinkLost("x"), "controller")
    assert [device.name for device in watch.standing.away] == ["controller"]
    assert watch.standing.unknown(None) == UnknownView(since_ns=3, why="controller is not responding")
    watch.says(e.LinkLost("x"))
    assert watch.standing.unknown(None) == UnknownView(since_ns=3, why="shuffler and controller are not responding")
    watch.standing.line(DeviceView(name="new", kind="", address="", link="waiting"))
    found = watch.standing.unknown(None)
    assert found == UnknownView(since_ns=0, why="shuffler and controller and new are not responding")


def test_which_device_deals() -> None:
    watch = Watch()
    watch.says(UP)
    watch.says(CONTROLLER_UP, "controller")
    watch.says(e.GameEnded(1), "unnamed")
    names = ("shuffler", "controller", "unnamed", "none")
    assert [watch.standing.deals(name) for name in names] == [True, False, False, False]


DARK, LIT = ("dark", 0), ("lit", 201)
LAMP: list[tuple[list[e.Body], tuple[str, int]]] = [
    ([], ("unknown", 0)),
    ([e.GameEnded(1)], ("unknown", 0)),
    ([UP], DARK),
    ([e.RedLamp(True, 201)], LIT),
    ([UP, e.RedLamp(True, 201)], LIT),
    ([UP, e.RedLamp(True, 201), UP], LIT),
    ([UP, e.RedLamp(True, 201), e.RedLamp(False, 7)], DARK),
    ([UP, e.RedLamp(True, 201), e.MisdealCleared(201, 7, True)], DARK),
    ([UP, e.RedLamp(True, 201), e.Booted(2, False)], DARK),
    ([UP, e.RedLamp(True, 201), e.SessionChanged(1, 2)], DARK),
    ([UP, e.RedLamp(True, 201), e.EventsLost(1, 2)], ("unknown", 0)),
    ([UP, e.RedLamp(True, 201), e.EventsLost(1, 2), UP], DARK),
    ([UP, e.RedLamp(True, 201), e.GameEnded(1)], LIT),
]


@pytest.mark.parametrize(("bodies", "lamp"), LAMP, ids=range(len(LAMP)))
def test_the_lamp_is_as_the_dealing_device_said_last(bodies: list[e.Body], lamp: tuple[str, int]) -> None:
    watch = Watch()
    for body in bodies:
        watch.says(body)
    assert (watch.standing.lamp(None)[0], watch.standing.fault) == lamp
    assert watch.standing.lamp_known == (lamp[0] != "unknown")


def test_a_lamp_of_the_controller_is_not_the_shufflers() -> None:
    watch = Watch()
    watch.says(UP)
    watch.says(e.RedLamp(True, 201))
    watch.says(CONTROLLER_UP, "controller")
    for body in (e.MisdealCleared(201, 7, True), e.Booted(2, False), e.SessionChanged(1, 2), e.EventsLost(1, 2)):
        watch.says(body, "controller")
    assert watch.standing.lamp(None) == ("lit", 2)


def test_since_when_the_lamp_is_as_it_is() -> None:
    watch = Watch()
    watch.says(UP)
    assert watch.standing.lamp(None) == ("dark", 1)
    watch.says(e.RedLamp(True, 201))
    watch.says(e.RedLamp(True, 301))
    assert (watch.standing.lamp(None), watch.standing.fault) == (("lit", 2), 301)
    assert watch.standing.lamp(9) == ("unknown", 9), "in safe stop nothing is taken"
    watch.says(e.LinkLost("x"))
    assert watch.standing.lamp(None) == ("unknown", 4)
    assert watch.standing.lamp(9) == ("unknown", 4)


def test_a_table_without_a_shuffler_has_no_lamp() -> None:
    for from_shuffler, device, lamp in ((True, None, "unknown"), (False, None, "none"), (True, SHOE_UP, "none")):
        watch = Watch(from_shuffler=from_shuffler)
        if device is not None:
            watch.says(device, "shoe")
        assert watch.standing.lamp(None) == (lamp, None)
        assert watch.standing.lamp(5) == (("unknown", 5) if lamp == "unknown" else ("none", None))
    watch = Watch(from_shuffler=False)
    watch.says(UP)
    assert watch.standing.lamp(None) == ("dark", 1)


def test_a_status_tells_a_lamp_that_was_not_known() -> None:
    standing = Watch().standing
    assert standing.lamp_in_status(True, 201, 5)
    assert (standing.lamp(None), standing.fault, standing.lamp_known) == (("lit", 5), 201, True)
    assert not standing.lamp_in_status(False, 0, 6), "its reports say it from here on"
    assert (standing.lamp(None), standing.fault) == (("lit", 5), 201)
    standing = Watch().standing
    assert standing.lamp_in_status(False, 201, 5)
    assert (standing.lamp(None), standing.fault) == (("dark", 5), 0)


@pytest.mark.parametrize(
    ("fault", "known", "lamp"), [(201, True, "lit"), (0, True, "dark"), (0, False, "unknown"), (201, False, "unknown")]
)
def test_what_stood_before_is_shown_again(fault: int, known: bool, lamp: str) -> None:
    state = ViewerState(
        RedactorState(0, ()), (), (), 0, fault, 0, 0, "", (), None, lamp_known=known, lamp_ns=5, reported_ns=6
    )
    standing = TableStanding(from_shuffler=True)
    shuffler = DeviceView(name="shuffler", kind="shuffler", address="x", link="up")
    standing.restore([shuffler], state)
    assert standing.devices == {"shuffler": shuffler}
    assert (standing.lamp(None), standing.fault, standing.reported_ns) == ((lamp, 5), fault, 6)


# ------------------------------------------------------------------ what is wrong


def wrong(state: State = State.BETTING, **given: Any) -> list[dict[str, Any]]:
    """Return the troubles, without their advice."""
    usual: dict[str, Any] = {
        "cause": None,
        "stopped": None,
        "away": (),
        "devices": (),
        "lamp": "dark",
        "lamp_ns": None,
        "fault": 0,
        "legal": (),
        "last": None,
        "last_cause": None,
        "held": None,
        "count_due": None,
    }
    held = given.pop("held", [])
    given["held"] = held[-1].round if held else None
    found = troubles(Facts(state, **usual | given)) + held_troubles([each.view() for each in held])
    assert all(each.advice and each.who for each in found)
    return [each.model_dump(exclude={"advice", "who"}, exclude_none=True) for each in found]


def device(name: str, **more: Any) -> DeviceView:
    return DeviceView(**{"name": name, "kind": "", "address": "", "link": "up", **more})


def test_nothing_is_wrong() -> None:
    assert wrong() == []
    assert wrong(State.DEALING, devices=[device("shuffler")], last=outcome("complete")) == []


def test_a_safe_stop_comes_first() -> None:
    title = "Safe stop: nothing is processed or settled"
    stop = {"kind": "safe-stop", "title": title, "cause": "the disk is full", "since_ns": 7}
    gone = device("shuffler", link="waiting", problem="pulled", since_ns=5)
    line = {
        "kind": "line",
        "title": "shuffler is not responding",
        "cause": "pulled",
        "since_ns": 5,
        "place": "shuffler",
    }
    assert wrong(State.HALTED, stopped=("the disk is full", 7), away=[gone], devices=[gone]) == [stop, line]
    assert wrong(State.HALTED, stopped=("the disk is full", 7)) == [stop], "of the round nobody knows"


def test_why_a_line_is_not_heard() -> None:
    said = [
        wrong(away=[device("shuffler", link=link, problem=problem)])[0]["cause"]
        for link, problem in (("unknown", None), ("waiting", None), ("waiting", "pulled"), ("unknown", "pulled"))
    ]
    assert said == ["the line is open, but no message has arrived yet", "no connection", "pulled", "pulled"]


def test_a_device_that_needs_to_be_looked_at() -> None:
    devices = [
        device("one", problem="worn", since_ns=4),
        device("two"),
        device("three", problem="x", link="waiting"),
    ]
    title = "one needs attention"
    expected = {"kind": "device", "title": title, "cause": "worn", "since_ns": 4, "place": "one"}
    assert wrong(devices=devices) == [expected]


ROUNDS: list[tuple[State, str | None, str]] = [
    (State.HALTED, "halted", "Halted: this round is unreliable"),
    (State.VOID, "misdeal", "The round is void"),
    (State.PROGRESSIVE, "misdeal", "Misdeal: the hands play for the progressive only"),
    (State.DEALING, None, ""),
]


@pytest.mark.parametrize(("state", "kind", "title"), ROUNDS)
def test_what_keeps_a_round_from_being_played_out(state: State, kind: str | None, title: str) -> None:
    meaning = {
        State.HALTED: "the round is unreliable; a supervisor decides",
        State.VOID: "misdeal or defective deck; the cards come in and the bets go back",
        State.PROGRESSIVE: "the table has a misdeal; hands are shown for the progressive only",
    }
    found = wrong(state)
    found_caused = wrong(state, cause=Cause("a card too many", "12(3)", 8))
    if kind is None:
        assert (found, found_caused) == ([], [])
        return
    place = {} if kind == "halted" else {"place": title}
    assert found == [{"kind": kind, "title": title, "cause": meaning[state], **place}]
    said = {"kind": kind, "title": title, "cause": "a card too many", "clause": "12(3)", "since_ns": 8}
    assert found_caused == [said | place]


def test_a_supervisor_who_is_needed() -> None:
    def legal(actor: str, event: str, what: str) -> Legal:
        return Legal(actor, event, "", what)

    needed = [
        legal("supervisor", "Confirmed", "confirm it"),
        legal("supervisor", "BadgeSwiped", "swipe a card"),
        legal("supervisor", "BadgeSwiped", "swipe a card"),
        legal("supervisor", "MisdealCalled", "call a misdeal"),
        legal("dealer", "Confirmed", "confirm that"),
    ]
    found = wrong(legal=needed)
    said = {"kind": "supervisor", "title": "A supervisor is needed", "cause": "swipe a card; confirm it"}
    assert found == [said]
    assert wrong(legal=needed[3:]) == []


def test_a_deck_that_is_due_to_be_counted() -> None:
    found = wrong(count_due=Cause("60 minutes have passed since it was last counted", "9", 0))
    said = "60 minutes have passed since it was last counted"
    assert found == [{"kind": "count", "title": "The deck must be counted", "cause": said, "clause": "9"}]


def test_a_red_lamp_says_for_which_fault() -> None:
    lit = {"kind": "red-lamp", "title": "The red lamp is on", "since_ns": 3}
    assert wrong(lamp="lit", lamp_ns=3, fault=301) == [lit | {"cause": "packet short (301)"}]
    assert wrong(lamp="lit", lamp_ns=3) == [lit | {"cause": "the shuffler does not report the fault"}]
    assert wrong(lamp="unknown", lamp_ns=3, fault=301) == []


def outcome(how: str, number: int = 12, **more: Any) -> OutcomeView:
    return OutcomeView.model_validate({"round": number, "at_ns": 40, "outcome": how, **more})


def held(number: int, clause: str = "12") -> HeldEntry:
    return HeldEntry(number, "maker/model/1", "0c0ffee0", number, 50, 700, why="nobody showed it", clause=clause)


def test_the_last_round_and_what_is_held() -> None:
    repeated = {
        "kind": "repeated",
        "title": "These rounds are not paid",
        "cause": "round 12 was reported again: a round with this number and session was already settled",
        "since_ns": 40,
        "place": "12",
    }
    assert wrong(last=outcome("complete", repeated=True)) == [repeated]
    lost = {
        "kind": "unreliable",
        "title": "Round 12 was unreliable",
        "cause": "see its incidents",
        "since_ns": 40,
        "place": "12",
    }
    assert wrong(last=outcome("unreliable")) == [lost]
    caused = wrong(last=outcome("unreliable"), last_cause=Cause("a device was lost", "7", 1))
    assert caused == [lost | {"cause": "a device was lost", "clause": "7"}]
    assert wrong(State.DEALING, last=outcome("unreliable")) == [], "the next one is under way"
    money = {
        "kind": "held",
        "title": "Money from round 12 is held",
        "cause": "nobody showed it",
        "clause": "12",
        "since_ns": 50,
        "place": "12",
        "cents": 700,
    }
    assert wrong(last=outcome("unreliable"), held=[held(12)]) == [money], "that says it"
    without = {key: value for key, value in money.items() if key != "clause"}
    eleven = without | {"title": "Money from round 11 is held", "place": "11"}
    assert wrong(last=outcome("unreliable"), held=[held(11, "")]) == [lost, eleven]


# ------------------------------------------------------------------ money in words


def shown(players: int, *, money_held: int = 0, why: str | None = None, status: str = "settled") -> SettlementView:
    return SettlementView.model_validate(
        {
            "round": 12,
            "at_ns": 1,
            "status": status,
            "why": why,
            "currency": "USD",
            "game": "g",
            "players": players,
            "house": -players,
            "meters": 0,
            "held": money_held,
        }
    )


SUMMARIES: list[tuple[SettlementView, str]] = [
    (shown(3500), "round 12: players win $35.00"),
    (shown(1), "round 12: players win $0.01"),
    (shown(-3500), "round 12: players lose $35.00"),
    (shown(0), "round 12: players and house break even"),
    (shown(0, status="held", money_held=1000), "round 12: nothing is settled; $10.00 held"),
    (shown(5, status="partly-held", money_held=1, why="x"), "round 12: players win $0.05; $0.01 held: x"),
    (shown(5, why="x"), "round 12: players win $0.05: x"),
]


@pytest.mark.parametrize(("view", "words"), SUMMARIES, ids=range(len(SUMMARIES)))
def test_a_settlement_in_one_line(view: SettlementView, words: str) -> None:
    assert summary(view) == words


def test_meters_move_by_what_they_moved_last() -> None:
    money = Money({"a": 100, "b": 5})
    money.stand({"a": 130, "b": 5, "c": 7})
    assert (money.meters, money.moved) == ({"a": 130, "b": 5, "c": 7}, {"a": 30})
    money.stand({"a": 130, "b": 1})
    assert (money.meters, money.moved) == ({"a": 130, "b": 1}, {"a": 30, "b": -4})


def test_money_is_shown_again_as_it_was() -> None:
    money = Money({"a": 100})
    money.stand({"a": 130})
    money.outcomes.append(outcome("complete"))
    money.held.add(held(12))
    money.settlement, money.currency = shown(5), "EUR"
    again = Money({})
    again.restore(money.state(), {"a": 130})
    for name in ("meters", "moved", "settlement", "outcomes", "currency"):
        assert getattr(again, name) == getattr(money, name), name
    assert len(again.held) == 0, "what is held stands in the books of the journal"
    nothing = Money({"b": 1})
    nothing.restore("", {"a": 5})
    assert (nothing.meters, nothing.moved, nothing.settlement, list(nothing.outcomes)) == ({"a": 5}, {}, None, [])


def test_what_is_held_is_released_by_its_number() -> None:
    book = HeldBook([held(11), held(12), held(13)])
    assert book.release(14) is None
    assert book.release(12) == held(12)
    assert book.release(12) is None, "it was released"
    assert (list(book), book.cents) == ([held(11), held(13)], {"USD": 1400})


def test_of_what_is_held_the_newest_are_shown_and_all_is_counted() -> None:
    book = HeldBook(held(number) for number in range(1, 121))
    assert [each.round for each in book.shown] == list(range(71, 121))
    assert (len(book), book.cents) == (120, {"USD": 120 * 700})


def test_a_round_that_came_again_is_marked() -> None:
    money = Money({})
    money.repeated()
    assert list(money.outcomes) == []
    money.outcomes += [outcome("complete", 11), outcome("complete", 12)]
    money.repeated()
    assert list(money.outcomes) == [outcome("complete", 11), outcome("complete", 12, repeated=True)]


def test_the_last_ten_rounds_are_shown() -> None:
    money = Money({})
    money.outcomes.extend(outcome("complete", number) for number in range(12))
    assert [each.round for each in money.outcomes] == list(range(2, 12))


# ------------------------------------------------------------------ chips


def test_what_players_do_in_words() -> None:
    assert action_words("raise", 900) == "raises to $9"
    assert action_words("raise", 950) == "raises to $9.50"
    assert action_words("fold", 900, "time-limit") == "folds (by the time limit)"
    assert action_words("strange", 100, "odd") == "strange $1 (odd)"
    assert (step_words("pre-flop-betting"), step_words("betting")) == ("pre-flop betting", "betting betting")
    assert [pot_name(number) for number in (1, 2, 3)] == ["main pot", "side pot 1", "side pot 2"]
    names = ("pot", "side-pot-1", "bad-beat")
    assert [settled_pot_name(name) for name in names] == ["main pot", "side pot 1", "bad beat"]


def muck(statuses: Mapping[int, str], waits: list[Legal], items: list[Legal], *, bets: bool = True) -> list[str]:
    """Return the expected actions in words."""
    seats = [SimpleNamespace(number=number, status=status) for number, status in statuses.items()]
    now = cast(Snapshot, SimpleNamespace(betting=object() if bets else None, seats=seats))
    return [each.what for each in without_mucked(now, tuple(items), tuple(waits))]


def test_nobody_waits_for_a_hand_that_was_given_up() -> None:
    shows = [Legal("dealer", "HandRevealed", f"seat {number}", f"show {number}") for number in (1, 2, 3)]
    other = Legal("player", "DecisionMade", "seat 1", "choose")
    ends = Legal("dealer", "GameEnded", "", "end")
    seats = {1: "folded", 2: "playing", 3: "dead"}
    assert muck(seats, [*shows, other], []) == ["show 2", "choose"]
    assert muck(seats, [shows[0]], [ends, other]) == ["end"]
    assert muck(seats, [shows[0]], [other]) == []
    assert muck(seats, shows, [], bets=False) == ["show 1", "show 2", "show 3"]


def betting(**given: Any) -> BettingNow:
    usual: dict[str, Any] = {
        "button": 3,
        "step": "flop-betting",
        "high": 400,
        "turn": (2, 1),
        "passed": frozenset({4, 1}),
        "chips": {1: ChipsNow(1000, 600, 400, False)},
        "pots": (Pot({1: 300, 2: 400}, frozenset({2, 1})), Pot({1: 100}, frozenset({1}))),
        "over": None,
        "actions": (),
        "awards": (),
    }
    return BettingNow(**usual | given)


def test_betting_as_it_is_shown() -> None:
    found = betting_view(betting())
    assert (found.button, found.step, found.high, found.turn, found.passed) == (3, "flop-betting", 400, (2, 1), (1, 4))
    assert found.pots == (
        PotView(name="main pot", cents=700, seats=(1, 2)),
        PotView(name="side pot 1", cents=100, seats=(1,)),
    )
    assert (found.total, found.over_seat, found.over, found.acted, found.actions, found.taken) == (
        1200,
        None,
        0,
        0,
        (),
        (),
    )
    over = betting_view(betting(over=Uncalled(2, 50)))
    assert (over.over_seat, over.over) == (2, 50)
    chips = chips_view(ChipsNow(None, None, 5, True))
    assert (chips.stake, chips.behind, chips.lies, chips.all_in) == (None, None, 5, True)


def test_the_actions_of_the_newest_betting_round() -> None:
    def action(step: str, seat: int) -> ActionRecord:
        return ActionRecord(step=step, seat=seat, action="bet", cents=100, manner="")

    actions = (action("one", 1), action("two", 2), action("two", 3))
    under_way, over = (
        betting_view(betting(step="one", actions=actions)),
        betting_view(betting(step=None, actions=actions)),
    )
    assert ([each.seat for each in under_way.actions], under_way.acted) == ([1], 3)
    assert [(each.step, each.seat, each.action, each.cents) for each in over.actions] == [
        ("two", 2, "bet", 100),
        ("two", 3, "bet", 100),
    ]
    taken = betting_view(betting(awards=(TakenPot(pot=2, seat=5, cents=70),)))
    assert taken.taken == (TakenView(pot="side pot 1", seat=5, cents=70),)


# ------------------------------------------------------------------ a report as a line


def test_a_report_as_one_line_of_json() -> None:
    shown_hand = e.HandRevealed(parse_place("seat 3"), parse_cards("AS KD"), True)
    assert event_line(Seen("controller", 0xAB, 7, 99, shown_hand)) == (
        '{"schema": "dealwire.event/1", "type": "event", "device": "controller", "session": "000000ab", "number": 7, '
        '"at_ns": 99, "event": "HandRevealed", "fields": {"place": "seat 3", "cards": ["AS", "KD"], "keyed": true}}'
    )


def test_what_a_device_had_nothing_to_say_of_is_left_out() -> None:
    assert optional(e.LinkUp) == {"firmware_digest": "", "meters": False, "measures": False}
    assert optional(e.GameEnded) == {}
    assert set(fields(Seen("x", 1, 1, 1, UP))) == {
        "session",
        "device_class",
        "maker",
        "model",
        "serial",
        "firmware",
        "recognises_cards",
        "resumed",
    }
    told = fields(Seen("x", 1, 1, 1, replace(UP, meters=True)))
    assert (told["meters"], "measures" in told) == (True, False)


# ------------------------------------------------------------------ a pool that is shared


class Pool:
    """The content of a pool, and the places of runners."""

    token_cents = 100

    def __init__(self, meters: dict[str, int], runners: dict[int, int]) -> None:
        self.meters, self.runners = meters, runners

    def stand(self, meters: Mapping[str, int], runners: Mapping[int, int]) -> None:
        self.meters, self.runners = dict(meters), dict(runners)


class Asked:
    """Reports at the controller, and what the book says of each."""

    def __init__(self, pool: Pool) -> None:
        spec = load_game("home-run.co").spec.pool
        assert spec is not None
        self.book, self.meter, self.clause, self.number = PoolBook(spec, pool, "t"), spec.meter, spec.clauses.closing, 0

    def says(self, body: e.Body, *, between: bool = True) -> list[tuple[str, str]]:
        self.number += 1
        found = self.book.handle(Seen("controller", 1, self.number, 1, body), between=between)
        for each in found:
            assert (each.table, each.meter) == ("t", self.meter)
            assert [(ref.device, ref.number) for ref in each.events] == [("controller", self.number)]  # type: ignore[union-attr]
        return [(each.kind, each.why.replace(self.meter, "POOL")) for each in found]  # type: ignore[union-attr]


PRESSED = ("hand-on", "the table is closing: the POOL pool is to be shared")
CONFIRMED = ("confirmed", "sharing of the POOL pool is confirmed")
SWIPE = e.BadgeSwiped(77, "supervisor")


@pytest.fixture
def asked() -> Asked:
    return Asked(Pool({}, {}))


def test_a_pool_is_shared_when_it_is_asked_for_confirmed_and_a_card_is_swiped() -> None:
    asked = Asked(pool := Pool({}, {1: 2, 3: 1}))
    pool.meters[asked.meter] = 6000
    assert asked.book.at_rest
    assert asked.says(e.HandButton(1, True)) == [PRESSED]
    assert not asked.book.at_rest
    assert asked.says(e.Confirmed()) == [CONFIRMED]
    assert asked.says(SWIPE) == [
        ("awarded", "2 of 3 runners: $40 of the POOL pool of $60"),
        ("awarded", "1 of 3 runners: $20 of the POOL pool of $60"),
        ("closed", "the POOL pool of $60 is shared, and all runners are collected: the table may close"),
    ]
    assert (pool.meters, pool.runners, asked.book.at_rest) == ({asked.meter: 0}, {}, True)


def test_each_step_waits_for_the_one_before(asked: Asked) -> None:
    assert [asked.says(body) for body in (e.Confirmed(), SWIPE)] == [[], []]
    asked.says(e.HandButton(1, True))
    assert asked.says(SWIPE) == []
    asked.says(e.Confirmed())
    assert asked.says(e.Confirmed()) == [], "once"
    assert asked.says(SWIPE) == [("refused", "the amount in it is unknown")]
    assert asked.book.at_rest


def test_whose_card_it_needs(asked: Asked) -> None:
    asked.says(e.HandButton(1, True))
    asked.says(e.Confirmed())
    for level in ("dealer", "technician"):
        said = f"it needs the card of a supervisor or an executive, not of a {level}"
        assert asked.says(e.BadgeSwiped(77, level)) == [("refused", said)]
        assert not asked.book.at_rest
    assert asked.says(e.BadgeSwiped(77, "executive")) == [("refused", "the amount in it is unknown")]


def test_pressed_again_or_played_on_it_was_not_asked_for(asked: Asked) -> None:
    assert asked.says(e.HandButton(1, False)) == []
    asked.says(e.HandButton(1, True))
    assert asked.says(e.HandButton(2, False)) == [], "that is another's"
    assert asked.says(e.HandButton(1, False)) == [("hand-off", "pressed again: the pool is not shared")]
    assert asked.says(e.Confirmed()) == []
    assert asked.says(e.GameStarted(9)) == []
    assert asked.book.round == 9
    asked.says(e.HandButton(1, True))
    assert asked.says(e.GameStarted(10)) == [("unfinished", "the POOL pool was not shared: play continues")]
    assert (asked.book.round, asked.book.at_rest) == (10, True)


def test_what_is_asked_for_at_the_wrong_moment_is_refused(asked: Asked) -> None:
    when = "a pool can be shared only between rounds, and a round is under way"
    assert asked.says(e.HandButton(1, True), between=False) == [("refused", when)]
    said = "hand button 2; allowed: 1, which shares the pool"
    assert asked.says(e.HandButton(2, True)) == [("refused", said)]
    assert asked.book.at_rest


def test_who_left_has_no_share() -> None:
    asked = Asked(pool := Pool({}, {1: 2, 3: 1}))
    pool.meters[asked.meter] = 6000
    for body, between in ((e.StakeShown(1, 0), True), (e.StakeShown(3, 0), False)):
        asked.says(body, between=between)
    asked.says(e.HandButton(1, True))
    asked.says(e.Confirmed())
    assert asked.says(SWIPE)[0] == ("awarded", "1 of 1 runners: $60 of the POOL pool of $60")
    asked = Asked(pool := Pool({}, {1: 2}))
    pool.meters[asked.meter] = 6000
    asked.says(e.StakeShown(1, 0))
    asked.says(e.HandButton(1, True))
    asked.says(e.Confirmed())
    assert asked.says(SWIPE) == [("refused", "no seat has a runner: $60 stays in it")]
    for body in (e.StakeShown(1, 500), e.HandButton(1, True), e.Confirmed()):
        asked.says(body)
    assert asked.says(SWIPE)[0] == ("awarded", "2 of 2 runners: $60 of the POOL pool of $60")
    asked = Asked(pool := Pool({}, {1: 2}))
    pool.meters[asked.meter] = 6000
    for body in (e.StakeShown(1, 0), e.GameStarted(3), e.HandButton(1, True), e.Confirmed()):
        asked.says(body)
    assert asked.says(SWIPE)[0][0] == "awarded", "the round says who is there"


def test_a_jackpot_is_posted_by_its_own_button() -> None:
    book = JackpotBook(load_jackpot(JACKPOT))
    posting = PostingBook(book, "t")

    def says(body: e.Body, *, between: bool = True) -> list[tuple[str, str]]:
        found = posting.handle(Seen("controller", 1, 1, 1, body), between=between)
        return [(each.kind, each.why) for each in found if isinstance(each, AwardRecord)]

    assert says(e.HandButton(2, True)) == [("hand-on", "the pools of jackpot bad-beat are to be posted")]
    off = "posting of jackpot bad-beat is canceled"
    assert says(e.HandButton(2, False)) == [("hand-off", off)]
    says(e.HandButton(2, True))
    assert says(e.GameStarted(4)) == [("unfinished", "jackpot bad-beat was not posted: play continues")]
    when = "a jackpot can be posted only between rounds, and a round is under way"
    assert says(e.HandButton(2, True), between=False) == [("refused", when)]
    said = "hand button 1; allowed: 2, which posts jackpot bad-beat"
    assert says(e.HandButton(1, True)) == [("refused", said)]
    says(e.HandButton(2, True))
    assert says(e.Confirmed()) == [("confirmed", "posting of jackpot bad-beat is confirmed")]
    before = book.award_cents
    ((kind, why),) = says(SWIPE)
    assert (kind, why) == (
        "posted",
        f"the award is posted at {dollars(book.award_cents)}; it was {dollars(before)}",
    )


# ------------------------------------------------------------------ cards of a shoe that lie hidden


def burn(ordinal: int, card: str = "5H", where: str | None = "burn") -> e.CardDrawn:
    return e.CardDrawn(ordinal, parse_cards(card)[0], where)


def drawn(ordinal: int, card: str = "9C") -> e.CardDrawn:
    return burn(ordinal, card, "player")


def again(ordinal: int | None, card: str, where: str | None = "player") -> e.CardReportedAgain:
    return e.CardReportedAgain(ordinal, parse_cards(card)[0], where)


def faces(*bodies: e.Body, procedure: str = "race-to-the-flush") -> list[str]:
    """The face of each card of these reports as it may be published."""
    redactor = Redactor(Table(load_procedure(procedure), None))
    shown = [redactor.redact(Seen("shoe", 1, number, number, body)).body for number, body in enumerate(bodies, 1)]
    return [each.card.text for each in shown if isinstance(each, e.CardDrawn | e.CardReportedAgain)]


FACES: list[tuple[list[e.Body], list[str]]] = [
    ([drawn(1)], ["9C"]),
    ([burn(1)], ["??"]),
    ([burn(1, where="burn count"), burn(2, where="first card")], ["??", "??"]),
    ([e.BurnStarted(2), drawn(1), drawn(2), drawn(3)], ["??", "??", "9C"]),
    ([e.BurnStarted(2), e.CardUnread(1, "player"), drawn(2), drawn(3)], ["??", "9C"]),
    ([e.BurnStarted(1), e.ShoeLoaded(2, 8, 416), drawn(1)], ["9C"]),
    ([e.BurnStarted(1), burn(1), drawn(2)], ["??", "9C"]),
    ([burn(1, "5H"), again(1, "5H")], ["??", "??"]),
    ([burn(1, "5H"), again(2, "5H")], ["??", "??"]),
    ([burn(1, "5H"), again(2, "6H")], ["??", "6H"]),
    ([burn(1, "5H"), burn(1, "5H", "player")], ["??", "??"]),
    ([burn(1, "5H"), burn(2, "5H", "player")], ["??", "5H"]),
    ([burn(1, "5H"), e.ShoeLoaded(2, 8, 416), again(1, "5H")], ["??", "5H"]),
    ([again(1, "5H", "burn")], ["??"]),
    ([drawn(1), again(1, "9C")], ["9C", "9C"]),
]


@pytest.mark.parametrize(("bodies", "shown"), FACES, ids=range(len(FACES)))
def test_what_was_burned_from_a_shoe_stays_hidden(bodies: list[e.Body], shown: list[str]) -> None:
    assert faces(*bodies) == shown


def test_what_lies_hidden_outlives_a_restart() -> None:
    redactor = Redactor(Table(load_procedure("race-to-the-flush"), None))
    for number, body in enumerate((burn(7, "5H"), e.BurnStarted(2), burn(None, "AS"), burn(2, "KD")), 1):  # type: ignore[arg-type]
        redactor.redact(Seen("shoe", 1, number, 1, body))
    state = redactor.state()
    assert state == RedactorState(0, ((None, "AS"), (2, "KD"), (7, "5H")))
    other = Redactor(Table(load_procedure("race-to-the-flush"), None))
    other.restore(RedactorState(1, state.aside))
    assert other.state() == RedactorState(1, state.aside)
    assert other.redact(Seen("shoe", 1, 1, 1, again(9, "KD"))).body.card == UNREAD  # type: ignore[attr-defined]
    assert other.redact(Seen("shoe", 1, 2, 1, drawn(10))).body.card == UNREAD, "one more is burned"  # type: ignore[attr-defined]
    assert other.redact(Seen("shoe", 1, 3, 1, drawn(11))).body.card.text == "9C"  # type: ignore[attr-defined]


def test_reports_without_their_faces() -> None:
    """Each kind in which there may be one; what has none is as it was, the same object."""
    ace = parse_cards("AS")[0]
    covered: list[tuple[e.Body, e.Body]] = [
        (e.PacketDispensed(1, 1, 2, 2, parse_cards("AS KD")), e.PacketDispensed(1, 1, 2, 2, (UNREAD, UNREAD))),
        (e.CardRejected(1, ace, 5), e.CardRejected(1, UNREAD, 5)),
        (e.DrawWhileLocked(ace), e.DrawWhileLocked(UNREAD)),
        (e.CardDrawnOutside(ace, "x"), e.CardDrawnOutside(UNREAD, "x")),
        (e.CardDrawn(1, ace, "burn"), e.CardDrawn(1, UNREAD, "burn")),
        (e.CardReportedAgain(1, ace, "burn"), e.CardReportedAgain(1, UNREAD, "burn")),
        (e.UnknownReported("a <AS> b 'KD' c \"QH\""), e.UnknownReported("a ... b ... c ...")),
        (
            e.HandSet(parse_place("seat 1"), "player", False, parse_cards("AS"), parse_cards("KD QH")),
            e.HandSet(parse_place("seat 1"), "player", False, (UNREAD,), (UNREAD, UNREAD)),
        ),
    ]
    for body, shown in covered:
        assert hidden(Seen("x", 1, 1, 1, body)).body == shown
    as_they_are: list[e.Body] = [
        e.PacketDispensed(1, 1, 2, 2, ()),
        e.CardRejected(1, NONE, 5),
        e.CardDrawn(1, ace, "player"),
        e.HandSet(parse_place("seat 1"), "player", False, (), ()),
        e.HandRevealed(parse_place("seat 1"), parse_cards("AS"), True),
        e.GameEnded(1),
    ]
    for body in as_they_are:
        assert hidden(seen := Seen("x", 1, 1, 1, body)) is seen


# ------------------------------------------------------------------ the room it takes


def plan(procedure: str) -> Plan:
    return DealerFlow(load_procedure(procedure), table="t").plan


def test_the_room_that_a_table_takes() -> None:
    """Counted by hand in the procedures; a tip is no bet of a seat."""
    found = room_of(plan("flushes-gone-wild.co"))
    assert (found.seat, found.places, found.column, found.burned) == (5, {"dealer": 5, "community": 5}, 0, 0)
    found = room_of(plan("holdem.co"))
    assert (found.seat, found.places, found.burned) == (2, {"community": 5}, 3)
    found = room_of(plan("race-to-the-flush"))
    assert (found.seat, found.column, found.burned, found.places) == (0, 5, 0, {})
