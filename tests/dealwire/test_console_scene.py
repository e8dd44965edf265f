"""The parts of a page drawn from a view: the main line, banners, places, money at the seats."""

from __future__ import annotations

import re

import pytest

from dealwire.console import scene
from dealwire.console.rendering import render_sections
from dealwire.console.words import numbers_words, since
from dealwire.hub.actions import Action
from dealwire.hub.view import (
    HandView,
    HeldView,
    LegalView,
    OutcomeView,
    RoomView,
    SeatMoneyView,
    SeatView,
    SettlementView,
    TableView,
    TroubleKind,
    TroubleView,
    UnknownView,
)

NOW_NS = 1_790_000_000_000_000_000


def view(**changes: object) -> TableView:
    facts: dict[str, object] = {
        "sequence": 1,
        "at_ns": NOW_NS,
        "table": "pit-1",
        "procedure": "flushes-gone-wild.co",
        "title": "Flushes Gone Wild",
        "clause": "47.1-1017.60",
        "round": 7,
        "state": "deciding",
        "reported_ns": NOW_NS,
    }
    return TableView.model_validate({**facts, **changes})


def chooses(seat: int, what: str, *, awaited: bool = True) -> LegalView:
    return LegalView(actor=f"player at seat {seat}", what=what, place=f"seat {seat}", awaited=awaited)


def test_who_has_not_decided_is_said_whoever_else_may_still_bet() -> None:
    items = (
        chooses(2, "fold"),
        chooses(2, "play"),
        chooses(4, "fold"),
        chooses(4, "play"),
        chooses(1, "bet play", awaited=False),
        LegalView(actor="supervisor", what="count the cards at seat 1", place="seat 1"),
    )
    line = scene.prompt(view(next=items))
    assert (line.lead, line.more) == ("Seats 2 and 4 to decide", "fold or play")
    assert scene.prompt(view(next=items[:2])).lead == "Seat 2 to decide"


def test_what_the_dealer_does_next_is_said() -> None:
    dealer = LegalView(actor="dealer", what="take packet 3 to seat 5", place="seat 5", awaited=True)
    assert scene.prompt(view(state="dealing", next=(dealer,))).lead == "Dealer: take packet 3 to seat 5"


STOPS: tuple[TroubleKind, ...] = ("red-lamp", "repeated")
ASKS = ("dispense packet", "take packet", "to decide", "START GAME", "expected", "to act", "fold or play")


@pytest.mark.parametrize("kind", STOPS)
@pytest.mark.parametrize("state", ["betting", "dealing", "deciding", "void", "halted"])
def test_nobody_is_asked_to_go_on_while_play_is_stopped(kind: TroubleKind, state: str) -> None:
    stopped = view(
        state=state,
        seats=(SeatView(seat=1, status="live"), SeatView(seat=2, status="live", next=True)),
        next=(
            LegalView(actor="shuffler", what="dispense packet 3 for seat 2", place="seat 2", awaited=True),
            LegalView(actor="dealer", what="take packet 2 to seat 1", place="seat 1", awaited=True),
            chooses(2, "fold"),
            LegalView(actor="supervisor", what="count the cards at seat 1", place="seat 1"),
        ),
        trouble=(trouble(kind),),
        lamp="lit" if kind == "red-lamp" else "dark",
    )
    assert scene.may_continue(stopped) is False
    shown = {name: re.sub(r"<[^>]*>", " ", html) for name, html in render_sections(stopped).items()}
    for name in ("felt", "next"):
        assert [asks for asks in ASKS if asks in shown[name]] == [], name
    assert "seat live next" not in render_sections(stopped)["felt"]
    assert "count the cards at seat 1" in shown["next"], "what a supervisor may do stays"
    line = scene.prompt(stopped)
    if kind == "red-lamp":
        assert "A supervisor clears the misdeal with a badge" in line.more
    if state not in ("void", "halted"):
        assert line.lead == {"red-lamp": "Red lamp: do not deal", "repeated": "Do not deal"}[kind]


def test_no_seat_is_named_that_is_not_drawn() -> None:
    items = (chooses(1, "bet ante", awaited=False), chooses(8, "bet ante", awaited=False))
    seats = tuple(SeatView(seat=number, status="empty") for number in range(1, 8))
    shown = render_sections(view(state="betting", seats=seats, next=items))["next"]
    assert "seat 1" in shown
    assert "seats 1, 8" not in shown


def test_what_takes_many_words_is_said_in_two_lines() -> None:
    piles = ", ".join(f"pile {number} (1)" for number in range(1, 8))
    by_hand = LegalView(actor="dealer", what=f"deal by hand to {piles}, then confirm", place="", awaited=True)
    line = scene.prompt(view(state="dealing", next=(by_hand,)))
    assert (line.lead, line.more) == ("Dealer: deal by hand", f"to {piles}, then confirm")
    several = [f"select the place that gets the first cards: seat {number}" for number in (1, 2)]
    items = [LegalView(actor="dealer", what=what, place="", awaited=True) for what in several]
    line = scene.prompt(view(state="assigning", next=tuple(items)))
    assert line.lead == f"Dealer: {several[0]}"
    assert line.more == f"or {several[1]}"
    sets = tuple(
        LegalView(
            actor=f"player at seat {number}",
            what=f"set the hand at seat {number}",
            place=f"seat {number}",
            awaited=True,
        )
        for number in (1, 2, 4)
    )
    assert scene.prompt(view(state="setting", next=sets)).lead == "Seats 1, 2 and 4 to set"


def test_several_seats_are_named_briefly() -> None:
    shows = tuple(
        LegalView(actor="dealer", what=f"show seat {seat}", place=f"seat {seat}", awaited=True) for seat in (8, 6, 1)
    )
    assert scene.prompt(view(state="revealing", next=shows)).lead == "Dealer: show seats 8, 6, 1"


@pytest.mark.parametrize(
    ("state", "lead"), [("halted", "Halted: a supervisor decides"), ("void", "Void: collect cards, return bets")]
)
def test_a_dealer_is_not_told_to_end_the_game_before_what_has_to_be_done_first(state: str, lead: str) -> None:
    end = LegalView(actor="dealer", what="END GAME", place="", awaited=True)
    line = scene.prompt(view(state=state, next=(end,)))
    assert (line.lead, line.more) == (lead, "Dealer: END GAME")


def test_what_nobody_knows_comes_before_what_was_known() -> None:
    unknown = UnknownView(since_ns=NOW_NS, why="shuffler is not responding")
    line = scene.prompt(view(unknown=unknown, next=(chooses(2, "fold"),)))
    assert line.kind == "unknown"
    assert line.lead.startswith("Unknown since ")
    assert line.more == "shuffler is not responding: the table below is as last reported"
    never = scene.prompt(view(unknown=UnknownView(since_ns=0, why="shuffler is not responding"), reported_ns=None))
    assert (never.lead, never.more) == ("Unknown", "shuffler is not responding: no report has arrived yet")
    assert scene.prompt(view(unknown=unknown, safe_stop="the disk is full")).kind == "stopped"


def test_the_suit_that_won_a_race_is_said_then_and_until_the_next() -> None:
    end = LegalView(actor="dealer", what="END GAME", place="", awaited=True)
    line = scene.prompt(view(state="settling", won="hearts", next=(end,)))
    assert (line.lead, line.more) == ("Hearts won", "Dealer: END GAME")
    outcome = OutcomeView(round=7, at_ns=1, outcome="complete", won="hearts")
    assert scene.prompt(view(state="betting", outcomes=(outcome,))).more.endswith("Round 7: hearts won")


def trouble(kind: TroubleKind, place: str = "", cents: int | None = None) -> TroubleView:
    return TroubleView(kind=kind, title=f"{kind} {place}", cause="so it is", place=place or None, cents=cents)


def test_money_held_of_many_rounds_is_one_banner_with_all_of_it() -> None:
    found = scene.banners(view(trouble=(trouble("red-lamp"), trouble("held", "3", 500), trouble("held", "4", 700))))
    assert [(banner.tone, banner.title) for banner in found] == [
        ("alarm", "red-lamp "),
        ("warn", "Money from rounds 3 and 4 is held"),
    ]
    assert found[1].trouble.cents == 1200
    assert found[1].trouble.cause == "so it is"


def test_money_held_of_more_rounds_than_are_shown_is_counted_whole() -> None:
    held = tuple(
        HeldView(round=number, at_ns=NOW_NS, cents=100, why="so it is", clause="") for number in range(71, 121)
    )
    many = view(
        held=held,
        held_count=120,
        held_cents={"USD": 12_000},
        trouble=tuple(trouble("held", str(each.round), each.cents) for each in held),
    )
    (banner,) = scene.banners(many)
    assert (banner.title, banner.trouble.cents) == ("Money from 120 rounds is held", 12_000)
    assert scene.held_words(many) == "$120.00 held from 120 rounds"
    assert scene.held_words(view(held=held[:1])) == "$1.00 held from round 71"


def test_money_held_for_several_reasons_states_none_of_them_and_names_few_rounds() -> None:
    held = [
        trouble("held", str(3 * at), 100).model_copy(update={"cause": f"why {at % 2}", "clause": str(at)})
        for at in range(1, 20)
    ]
    (found,) = scene.banners(view(trouble=tuple(held)))
    assert found.title == "Money from rounds 3, 6, 9, 12 and 15 more is held"
    assert (found.trouble.cause, found.trouble.clause) == ("2 different reasons, see Money", None)
    (run,) = scene.banners(view(trouble=tuple(trouble("held", str(at), 100) for at in range(1, 20))))
    assert run.title == "Money from rounds 1 to 19 is held"


def test_tables_that_cannot_go_on_stand_first_and_no_other_leaves_its_place() -> None:
    tables = [
        view(table="a"),
        view(table="b", trouble=(trouble("held", "3", 500),)),
        view(table="c", trouble=(trouble("line", "shuffler"), trouble("held", "3", 500))),
        view(table="d", trouble=(trouble("safe-stop"),)),
    ]
    assert [each.table for each in scene.by_trouble(tables)] == ["d", "c", "a", "b"]


def test_every_place_of_the_game_is_there_before_a_card_is() -> None:
    room = RoomView(places={"community": 5, "dealer": 5}, burned=1)
    empty = scene.places(view(room=room))
    assert [(place.title, place.most, place.hand) for place in empty] == [
        ("Community", 5, None),
        ("Burned", 1, None),
        ("Dealer", 5, None),
    ]
    full = scene.places(view(room=room, community=(HandView(name="community", cards=("??",) * 6),)))
    assert [(place.name, place.most) for place in full] == [("community", 6), ("burned", 1), ("dealer", 5)]


@pytest.mark.parametrize(("seats", "columns"), [(1, 1), (7, 7), (8, 8), (9, 5), (16, 8), (22, 8), (25, 7)])
def test_rows_of_seats_are_about_equally_long(seats: int, columns: int) -> None:
    assert scene.columns_of(seats) == columns


def settled(round_: int, *seats: SeatMoneyView) -> SettlementView:
    return SettlementView(
        round=round_,
        at_ns=NOW_NS,
        status="settled",
        currency="USD",
        game="flushes-gone-wild.co",
        seats=seats,
        players=0,
        house=0,
        meters=0,
        held=0,
    )


def money(seat: int, net: int, held: int = 0) -> SeatMoneyView:
    return SeatMoneyView(seat=seat, staked=500, pay=max(net, 0), returned=0, net=net, held=held)


def test_a_seat_won_lost_drew_or_waits() -> None:
    shown = settled(7, money(1, 2500), money(2, -500), money(3, 0), money(4, 0, 700), money(5, 100, 700))
    nets = scene.nets(view(state="betting", settlement=shown))
    assert {seat: (net.style, net.word, net.cents, net.held) for seat, net in nets.items()} == {
        1: ("win", "wins", 2500, 0),
        2: ("lose", "loses", -500, 0),
        3: ("push", "even", 0, 0),
        4: ("held", "held", 700, 0),
        5: ("win", "wins", 100, 700),
    }
    assert scene.nets(view(state="dealing", round=8, settlement=shown)) == {}


def test_actions_are_parted_by_what_they_are_for() -> None:
    calls = Action("shuffler.call-misdeal", "Light the red lamp", ("supervisor",), "call-misdeal")
    held = Action("release-held", "Settled by hand", ("supervisor",), "release-held")
    status = Action("shuffler.refresh", "Ask", ("dealer",), "refresh", hindered=lambda _: "It is not there.")
    jam = Action("inject.jam", "Jam", ("technician",), "inject", bench=True)
    for part, wanted in (("calls", calls), ("held", held), ("acts", status), ("faults", jam)):
        [found] = scene.offers((calls, held, status, jam), view(), part)
        assert found == (wanted, "It is not there." if wanted is status else "")


def test_seats_are_counted_in_words() -> None:
    assert numbers_words([3]) == "3"
    assert numbers_words([4, 2]) == "2 and 4"
    assert numbers_words([1, 2, 3, 5, 7, 8]) == "1 to 3, 5, 7 and 8"


def test_a_time_of_another_day_has_its_day() -> None:
    assert since(NOW_NS, NOW_NS).count(" ") == 1
    assert " 2026" in since(NOW_NS - 3 * 86_400 * 10**9, NOW_NS)
    assert since(None, NOW_NS) == since(0, NOW_NS) == ""
