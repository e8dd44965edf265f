"""Cases that are easily left untested: a lamp that goes out, a count that a device makes, a clause that covers one
seat."""

from __future__ import annotations

import pytest

from dealer_flow.play.machine.states import State
from dealer_flow.procedure.describe import describe
from dealer_flow.procedure.load import load_procedure
from dealer_flow.table.decks import Decks
from devices import events as e
from protocol.cards import parse_card
from protocol.places import parse_place
from tests.dealer_flow.test_step_games import HOLDEM
from tests.support.dealing.flow_points import round_of
from tests.support.dealing.hand_table import CONTROLLER, DEVICE, HandTable, dealt
from tests.support.dealing.races import race_table
from tests.support.dealing.step_games import rows, small, small_table, wrong
from tests.support.reading.sentences import check_legal

MINUTE_NS = 60 * 10**9


def test_flushes_gone_wild_in_the_catalogue() -> None:
    """47.1-1017.60: 5 community cards, 5 for each of 8 seats and the dealer leave 2 of 52."""
    said = describe(load_procedure("flushes-gone-wild.co"))
    assert said["cards"] == {"loaded": 52, "dealt": 50, "by_hand": 0, "remainder": 2, "exact": None}
    assert [(packet["step"], packet["to"], packet["cards"], packet["by"]) for packet in said["packets"]] == [
        ("community", "community", 5, "packet"),
        ("hands", "seats", 5, "packet"),
        ("hands", "dealer", 5, "packet"),
    ]
    assert {"47.1-1017.60(3)", "47.1-1022", "47.1-1036"} <= set(said["clauses"])
    assert said["clauses"] == sorted(set(said["clauses"]))


def test_a_shoe_in_the_catalogue() -> None:
    said = describe(load_procedure("race-to-the-flush"))
    assert (said["packets"], said["cards"]["dealt"], said["cards"]["remainder"]) == ([], 0, None)
    by_hand = describe(load_procedure("208.co"))["cards"]  # two cards for each seat, from a deck of its own
    assert by_hand["remainder"] == by_hand["loaded"] - by_hand["dealt"]


def test_what_the_device_counts_is_a_count_of_the_deck() -> None:
    """47.1-1036: counted at least every 30 minutes."""
    table = HandTable("flushes-gone-wild.co-single")
    for counts in range(2):
        table.now_ns += 29 * MINUTE_NS
        if counts:
            continue
        table.see(DEVICE, e.DeckVerified(1, 52, 52))
    assert table.codes == []
    table.now_ns += 2 * MINUTE_NS
    table.see(CONTROLLER, e.Confirmed())
    assert table.codes == ["deck-count-due"]
    due = [
        (item.actor, item.place) for item in table.flow.legal() if item.what == "count the deck: 30 minutes have passed"
    ]
    assert due == [("dealer", "shoe")]
    table.play(["bets 1: ante 500", "start"])
    assert [item.place for item in table.flow.legal() if item.what.startswith("count the deck")] == ["shoe"]
    packets = HandTable("flushes-gone-wild.co")
    packets.now_ns += 31 * MINUTE_NS
    packets.play(["bets 1: ante 500"])
    assert packets.codes == ["deck-count-due"]
    asked = [[item.place for item in packets.flow.legal() if item.what.startswith("count the deck")]]
    packets.play(["start"])
    asked.append([item.place for item in packets.flow.legal() if item.what.startswith("count the deck")])
    packets.see(DEVICE, e.DeckVerified(1, 52, 52))
    asked.append([item.place for item in packets.flow.legal() if item.what.startswith("count the deck")])
    assert asked == [["shuffler"], [], []]  # in the middle of the deal nothing is left to be counted


def test_a_cleared_lamp_is_out() -> None:
    """Under the lamp the round may end before the deal is complete, afterwards not."""
    table = HandTable().bet(1, ante=500).start()
    table.device(e.RedLamp(True, 201))
    assert any(item.event == "GameEnded" for item in table.flow.legal())
    table.device(e.MisdealCleared(201, 7, True))
    assert not any(item.event == "GameEnded" for item in table.flow.legal())
    assert round_of(table.flow).red_lamp == 0


def test_who_clears_a_misdeal_with_a_badge_has_come() -> None:
    table = HandTable("emperors-challenge.co").play(["bets 1: primary 500", "start"])
    table.see(DEVICE, e.RedLamp(True, 201))
    called = [item for item in table.flow.legal() if item.event == "BadgeSwiped"]
    table.see(DEVICE, e.MisdealCleared(201, 0, True))
    assert [item for item in table.flow.legal() if item.event == "BadgeSwiped"] == called
    table.see(DEVICE, e.MisdealCleared(201, 7, True))
    assert not [item for item in table.flow.legal() if item.event == "BadgeSwiped"]


def test_a_rejected_card_of_the_other_deck_is_not_of_this_round() -> None:
    table = dealt(1)
    deck = table.deck
    table.device(e.CardRejected(deck + 1, parse_card("??"), 0))
    assert round_of(table.flow).ledger.rejected == 0
    early = HandTable().bet(1, ante=500).start()
    early.device(e.CardRejected(1, parse_card("??"), 0))  # before the first packet: it is no card of this round yet
    assert round_of(early.flow).ledger.rejected == 0


def test_nobody_is_left_to_deal_for_after_all_have_folded() -> None:
    table = small_table(HOLDEM, 2).deal("AH KH", "2C 3C", "9S TS")
    assert not table.may("GameEnded")
    table.choose(1, 1).choose(2, 1)
    assert table.may("PacketDispensed")
    table.dump()
    assert table.may("GameEnded")
    assert table.end().outcome == "complete"


def test_dead_hands_before_any_choice_do_not_end_the_deal() -> None:
    """No seat was to choose yet: the dealer still gets the hand that is due."""
    table = small_table(HOLDEM, 1).deal("AH KH QH")
    assert table.codes == ["seat-count-wrong"]
    assert table.end().outcome == "unreliable"


def test_a_packet_nobody_was_due_is_counted() -> None:
    """It left the device: the cards add up, and the round is unreliable for another reason."""
    table = small_table(HOLDEM, 1).deal("AH KH", "9S TS")
    table.choose(1, 2)
    for cards in ("2C", "3C 4C 5C", "6C"):
        table.deal(cards)
    table.deal("7C 8C")
    assert "cards-not-conserved" not in table.dump().codes
    assert table.end().outcome == "unreliable"


def test_one_choice_is_no_list() -> None:
    result = dealt(1).burn().bet(1, play=1000).choose(1, 2).end()
    assert (result.seats[0].decision, result.seats[0].decisions) == ("play", ())


@pytest.mark.parametrize("state", [State.DRAWING])
def test_a_person_may_count_the_shoe_during_the_race(state: State) -> None:
    table = HandTable("race-to-the-flush")
    spot = next(bet for bet in table.procedure.bet if bet.enters)
    table.see(CONTROLLER, e.WagerPlaced(1, spot.number, 500))
    assert not [item for item in table.flow.legal() if item.what == "count the cards left in the shoe"]
    table.say("start")
    assert table.flow.state is state
    assert [item.place for item in table.flow.legal() if item.what == "count the cards left in the shoe"] == ["shoe"]


def test_the_link_is_lost_by_no_clause_of_the_game() -> None:
    table = HandTable().bet(1, ante=500, blind=500).start()
    table.see(DEVICE, e.LinkLost("silent"), numbered=False)
    assert [(incident.code, incident.clause, incident.device, incident.words) for incident in table.incidents] == [
        ("link-lost", "procedure", DEVICE, "silent")
    ]


def test_a_seat_out_of_range_is_selected() -> None:
    """Seats are 1 to the most, 0 is the dealer."""
    for number, codes in ((0, []), (1, []), (6, []), (7, ["unknown-seat"]), (9, ["unknown-seat"])):
        table = HandTable("pai-gow.co")
        most = table.flow.plan.most_seats
        table.see(CONTROLLER, e.SpotSelected(number if number < 7 else most + number - 6))
        assert (most, table.codes) == (6, codes)


def test_cards_at_a_place_of_nobody_are_counted() -> None:
    table = dealt(1)
    table.controller(e.CardsCounted(parse_place("seat 5"), 5))
    assert table.codes == ["out-of-turn"]
    assert table.incidents[0].report == "CardsCounted"
    assert not table.incidents[0].unreliable


def test_a_shoe_filled_in_the_middle_of_a_round_ends_it() -> None:
    table = race_table()
    spot = next(bet for bet in table.flow.procedure.bet if bet.enters)
    table.controller(e.WagerPlaced(1, spot.number, 500)).start()
    table.device(e.CardDrawn(1, parse_card("AC"), None)).device(e.ShoeLoaded(9, 1, 52))
    assert table.codes == ["shoe-ended"]


def test_what_goes_back_when_the_shoe_ends_in_the_middle_of_a_round() -> None:
    """The bets that the clause of a misdeal names, and no other."""
    game = small(
        rows("step", 'name = "hands"\ndo = "deal"\nto = ["seats"]\ncards = 2\nby = "single"'),
        rows("step", 'name = "showdown"\ndo = "reveal"\norder = ["seats"]'),
        wrong("seats"),
        device='"card-shoe"',
        misdeal='{ until = "first-decision", returns = ["ante"], clause = "S misdeal" }',
    )
    table = small_table(game, start=False).fresh_deck().bet(1, ante=500, side=300).start().draw("AH").fresh_deck()
    result = table.end()
    assert (result.outcome, result.seats[0].returned) == ("misdeal", {"ante": 500})


def test_a_misdeal_the_device_reports_of_this_deck_is_a_fault_of_this_round() -> None:
    table = dealt(1)
    table.device(e.MisdealReported(table.deck + 1, 201, 52, None, 0, ()))
    assert table.codes == []
    table.device(e.MisdealReported(table.deck, 201, 52, None, 0, ()))
    assert table.codes == ["jam"]


def test_a_deck_with_another_back_is_another_deck() -> None:
    """A defective deck is forgotten only when the back at its number changes."""
    decks = Decks()
    decks.loaded(1, 7)
    decks.find_defective(1, "it was found defective")
    decks.loaded(1, 7)
    assert decks.defective
    decks.loaded(1, 8)
    assert not decks.defective


def test_another_face_than_the_device_dispensed() -> None:
    table = HandTable(reads=True).bet(1, ante=500).start()
    for cards in ("2C 3C 4C 5C 6C", "2D 3D 4D 5D 6D", "2H 3H 4H 5H 6H"):
        table.deal(cards)
    table.dump().burn().bet(1, play=1000).choose(1, 2)
    table.show("dealer", "2H 3H 4H 5H KS")
    assert "faces-disagree" in table.codes
    assert table.end().outcome == "unreliable"


def test_a_table_that_plays_for_the_progressive_shows_those_seats_only() -> None:
    """The dealer has four cards; seat 1 has the progressive bet, seat 2 has none."""
    table = HandTable().bet(1, ante=500, progressive=100).bet(2, ante=500).start()
    for cards in ("2C 3C 4C 5C 6C", "2D 3D 4D 5D 6D", "2H 3H 4H 5H 6H", "2S 3S 4S 5S"):
        table.deal(cards)
    assert table.flow.state is State.PROGRESSIVE
    assert [item.place for item in table.flow.legal() if item.event == "HandRevealed"] == ["seat 1"]
    for item in table.flow.legal():
        check_legal(item)


@pytest.mark.parametrize(("badge", "known"), [(0, None), (7, 7)])
def test_who_called_the_misdeal(badge: int, known: int | None) -> None:
    (called,) = dealt(1).misdeal(badge).incidents
    assert (called.code, called.reason, called.badge) == ("misdeal-called", "called", known)


def test_the_first_cards_of_a_game_that_deals_them_face_up() -> None:
    """208 Poker deals its community cards face up, its hands by hand; Flushes Gone Wild nothing."""
    table = HandTable("208.co").play(["bets 1: ante 500", "start"])
    while table.flow.state is not State.DEALING or round_of(table.flow).next_due is None:
        table.see(CONTROLLER, e.Confirmed())
    steps = {step.name: step for step in table.flow.plan.steps}
    due = round_of(table.flow).next_due
    assert due is not None
    assert table.flow.deals_face_up == (getattr(steps[due.step], "face", "down") == "up")
    assert not HandTable().bet(1, ante=500).start().flow.deals_face_up
    assert race_table().flow.deals_face_up
