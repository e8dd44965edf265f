"""The view that a person sees of a table, step by step."""

from __future__ import annotations

import pytest

import devices.events as e
from dealer_flow.procedure.load import load_procedure
from dealer_flow.record.result import RoundResult
from dealwire.console.scene import ending
from dealwire.hub.view import DeviceView, HeldView, TableView
from dealwire.table.held import HeldBook, HeldEntry
from dealwire.table.money import KeptMoney, Money
from dealwire.table.table import Table
from dealwire.table.viewer import LOG_MAX, Viewer
from devices.events import Seen
from protocol.cards import parse_cards
from protocol.places import parse_place
from tests.support.evenings.reported_table import colorado, reading, reports


class Watched:
    """A table under a viewer: each word is one report."""

    def __init__(self) -> None:
        self.table = colorado()
        self.viewer = Viewer(self.table, "pit-1", seats=6)
        self.number = 0

    def see(self, body: e.Body, device: str = "controller") -> TableView:
        self.number += 1
        seen = Seen(device, 1, self.number, self.number * 1_000_000, body)
        self.viewer.update(seen, self.table.handle(seen))
        return self.viewer.view(self.number, seen.at_ns)

    def shuffler(self, body: e.Body) -> TableView:
        return self.see(body, "shuffler")

    def deal(self, *packets: str) -> TableView:
        for ordinal, cards in enumerate(packets, 1):
            faces = parse_cards(cards)
            self.shuffler(e.PacketDispensed(1, ordinal, 5, len(faces), faces))
            view = self.shuffler(e.PacketLifted(ordinal))
        return view


def started() -> Watched:
    table = Watched()
    table.shuffler(e.DeckVerified(1, 52, 52))
    for number in (1, 3):
        for bet in (1, 2):
            table.see(e.WagerPlaced(number, bet, 500))
    table.see(e.GameStarted(7))
    return table


def test_a_round_is_seen_as_it_is_dealt() -> None:
    table = started()
    view = table.viewer.view(9, 1)
    assert (view.round, view.state, view.deck, len(view.seats)) == (7, "dealing", 1, 6)
    assert [seat.status for seat in view.seats] == ["live", "empty", "live", "empty", "empty", "empty"]
    assert view.seats[0].wagers == {"ante": 500, "blind": 500}
    assert [(packet.to, packet.counted, packet.lifted) for packet in view.packets] == [
        ("community", None, False),
        ("seat 1", None, False),
        ("seat 3", None, False),
        ("dealer", None, False),
    ]
    view = table.shuffler(e.PacketDispensed(1, 1, 5, 5, parse_cards("2C 3C 4C 5C 6C")))
    assert (view.packets[0].counted, view.packets[0].lifted) == (5, False)
    view = table.shuffler(e.PacketLifted(1))
    assert view.community[0].cards == ("??",) * 5
    assert view.seats[0].next
    assert not view.seats[2].next


def test_burned_cards_lie_aside_and_hands_turn_over_when_shown() -> None:
    table = started()
    table.deal("2C 3C 4C 5C 6C", "AS KS QS JS TS", "2D 3D 4D 5D 6D", "2H 3H 4H 5H 6H")
    table.shuffler(e.RemainderDumped(1, 32, 32))
    view = table.see(e.BurnConfirmed(parse_place("community"), (1, 2, 5), "left-to-right"))
    community = view.community[0]
    assert (community.cards, community.burned, view.remainder) == (("??",) * 2, ("??",) * 3, 32)
    table.see(e.WagerPlaced(1, 3, 1000))
    table.see(e.DecisionMade(1, 2))
    view = table.see(e.DecisionMade(3, 1))
    assert [seat.status for seat in view.seats[:3]] == ["live", "empty", "folded"]
    assert view.seats[0].decision == "play"
    view = table.see(e.HandRevealed(parse_place("community"), parse_cards("4C 5C"), True))
    assert view.community[0].cards == ("4C", "5C")
    view = table.see(e.HandRevealed(parse_place("burn"), parse_cards("2C 3C 6C"), True))
    assert view.community[0].burned == ("2C", "3C", "6C")
    view = table.see(e.HandRevealed(parse_place("dealer"), parse_cards("2H 3H 4H 5H 6H"), True))
    assert view.dealer is not None
    assert view.dealer.cards == ("2H", "3H", "4H", "5H", "6H")
    view = table.see(e.HandRevealed(parse_place("seat 1"), parse_cards("AS KS QS JS TS"), True))
    assert view.seats[0].cards == ("AS", "KS", "QS", "JS", "TS")
    assert view.seats[2].cards == ("??",) * 5, "a folded hand that nobody has shown"
    view = table.see(e.GameEnded(7))
    assert (view.outcomes[-1].outcome, view.round, view.state) == ("complete", 7, "betting")
    assert [line.text for line in view.log][-2:] == ["round 7 ends: complete", "round 7: players win $5.00"]
    assert view.settlement is not None
    assert (view.settlement.players, view.settlement.house, view.outcomes[-1].players) == (500, -500, 500)


def test_community_cards_shown_before_the_burn_are_not_counted_twice() -> None:
    table = started()
    table.deal("2C 3C 4C 5C 6C", "AS KS QS JS TS", "2D 3D 4D 5D 6D", "2H 3H 4H 5H 6H")
    table.see(e.HandRevealed(parse_place("community"), parse_cards("2C 3C 4C 5C 6C"), True))
    view = table.see(e.BurnConfirmed(parse_place("community"), (1, 2, 5), "left-to-right"))
    assert len(view.community[0].cards) + len(view.community[0].burned) == 5


def test_the_red_lamp_stays_lit_over_the_end_of_the_round() -> None:
    table = started()
    view = table.shuffler(e.RedLamp(True, 201))
    assert (view.red_lamp, view.red_lamp_text) == (201, "feed jam (201)")
    view = table.see(e.GameEnded(7))
    assert view.red_lamp == 201, "the device has not said that it went out"
    view = table.shuffler(e.RedLamp(False, 0))
    assert (view.red_lamp, view.red_lamp_text) == (0, "")


def test_an_incident_is_logged_with_its_clause_and_its_number() -> None:
    table = started()
    seen = Seen("controller", 1, 99, 5, e.GameEnded(7))
    outcomes = table.table.handle(seen)
    table.viewer.update(seen, outcomes, range(500, 500 + len(outcomes)))
    view = table.viewer.view(600, 5)
    first = view.log[0]
    assert (first.sequence, first.code) == (500, "out-of-turn")
    assert first.clause
    assert (view.sequence, view.at_ns) == (600, 5)


def test_devices_are_what_whoever_runs_the_line_and_the_devices_say() -> None:
    table = Watched()
    table.viewer.device(DeviceView(name="shuffler", kind="shuffler", address="serial-id:A1", link="waiting"))
    up = e.LinkUp(1, "shuffler", "ACME", "One", "A1", "1.0", True, False)
    assert table.shuffler(up).devices[0].link == "up"
    view = table.shuffler(e.StateChanged("READY", "IDLE"))
    assert (view.devices[0].state, view.shuffler, view.devices[0].address) == ("READY", "READY", "serial-id:A1")
    view = table.shuffler(e.LinkLost("nothing heard for 3 s"))
    assert (view.devices[0].link, view.devices[0].problem) == ("waiting", "nothing heard for 3 s")
    assert view.log[-1].code == "link-lost"
    view = table.see(e.StateChanged("BETS_OPEN", ""))
    assert view.shuffler == "READY", "the controller's state is not the shuffler's"


def test_meters_follow_the_settlements() -> None:
    table = Watched()
    assert table.viewer.view(0, 0).meters == {"meter": 1_000_000}


def test_a_stopped_table_says_why_and_expects_nothing() -> None:
    table = started()
    table.viewer.safe_stop("the journal cannot be written: no space left on device", 5)
    view = table.viewer.view(1, 1)
    assert view.safe_stop is not None
    assert view.next == ()


def test_the_log_is_bounded() -> None:
    table = Watched()
    for number in range(LOG_MAX + 50):
        table.viewer.log("note", f"line {number}", number)
    log = table.viewer.view(0, 0).log
    assert (len(log), log[-1].text) == (LOG_MAX, f"line {LOG_MAX + 49}")


def test_every_moment_of_a_simulated_evening_is_a_valid_view() -> None:
    table = colorado()
    viewer = Viewer(table, "table-1")
    states = set()
    for seen in reports(reading("demo")):
        viewer.update(seen, table.handle(seen))
        view = viewer.view(seen.number, seen.at_ns)
        assert TableView.model_validate_json(view.model_dump_json()) == view
        states.add(view.state)
    assert {"betting", "dealing", "burning", "deciding", "revealing", "void"} <= states


@pytest.mark.parametrize(
    ("procedure", "seats"),
    [("ultimate-texas-holdem.co", 7), ("three-card.co", 7), ("pai-gow.co", 6), ("race-to-the-flush", 7)],
)
def test_a_table_has_as_many_seats_as_are_usual_unless_somebody_says_so(procedure: str, seats: int) -> None:
    table = Table(load_procedure(procedure), None)
    assert [seat.seat for seat in Viewer(table, "t").view(1, 1).seats] == list(range(1, seats + 1))
    assert len(Viewer(table, "t", seats=3).view(1, 1).seats) == 3


def test_a_bet_at_a_seat_beyond_the_usual_is_shown() -> None:
    table = Table(load_procedure("ultimate-texas-holdem.co"), None)
    viewer = Viewer(table, "t")
    seen = Seen("table-controller", 1, 1, 1, e.WagerPlaced(12, 1, 500))
    viewer.update(seen, table.handle(seen))
    shown = viewer.view(1, 1).seats
    assert [seat.seat for seat in shown] == [*range(1, 8), 12]
    assert shown[-1].wagers


def test_a_round_that_came_once_more_is_never_shown_as_settled() -> None:
    dealt, viewer = colorado(), Watched().viewer
    outcomes = [item for seen in reports(reading("clean-1")) for item in dealt.handle(seen)]
    result = next(item for item in outcomes if isinstance(item, RoundResult))
    viewer.add([result], 5)
    assert not viewer.view(0, 5).trouble
    viewer.add([result, result.repeated()], 9)
    view = viewer.view(0, 9)
    assert view.outcomes[-1].repeated
    [trouble] = [each for each in view.trouble if each.kind == "repeated"]
    assert (trouble.place, trouble.who) == (str(result.round), "technician")
    assert ending(view.outcomes[-1]).words == "repeated, not paid"


def test_held_money_is_never_forgotten_because_more_is_held() -> None:
    held = [HeldView(round=number, at_ns=number, cents=500, why="unread", clause="c") for number in range(1, 401)]
    kept = KeptMoney(moved={}, settlement=None, outcomes=(), held=tuple(held))
    money = Money({})
    money.restore(kept.model_dump_json(), {})
    assert not money.held, "an older version kept it so; now the journal's books do"
    book = HeldBook(HeldEntry(number, "d", "s", number, number, 500, why="unread") for number in range(1, 401))
    money.hold(book)
    assert (len(money.held), money.held.cents) == (400, {"USD": 400 * 500})
    assert [each.round for each in money.held.shown] == list(range(351, 401)), "the newest, oldest first"
    assert money.held.shown is money.held.shown
    first = book.release(1)
    assert first is not None
    assert (first.round, book.release(1), book.get(1)) == (1, None, None)
    assert (len(book), book.cents) == (399, {"USD": 399 * 500})
    assert money.state() == KeptMoney(moved={}, settlement=None, outcomes=()).model_dump_json()


def test_a_lamp_that_no_report_told_of_is_as_the_status_says() -> None:
    """The status counts once: from then on the reports do."""
    viewer = Viewer(colorado(), "pit-1", seats=6)
    assert viewer.view(1, 1).lamp == "unknown"
    assert viewer.lamp_in_status(True, 0x21, 5)
    assert viewer.view(2, 6).lamp == "lit"
    assert not viewer.lamp_in_status(False, 0, 7)
    assert viewer.view(3, 8).lamp == "lit"
