"""Rounds as they are dealt at the table, each with the outcome its clause asks for."""

import pytest

from dealer_flow.play.machine.states import State
from dealer_flow.procedure.load import ProcedureError, load_procedure
from dealer_flow.record.result import RoundResult
from devices import events as e
from protocol.cards import Card, parse_card
from protocol.faults import Fault
from protocol.places import DEALER, NOWHERE
from tests.support.dealing.hand_table import CONTROLLER, DEVICE, FLUSHES, HandTable, dealt, hands, ready
from tests.support.reading.refusals import check_refusal

SEVEN_I = "47.1-1017.60 progressive (7)(I)"


def statuses(result: RoundResult) -> list[str]:
    return [seat.status for seat in result.seats]


# ------------------------------------------------------------------ clean rounds


def test_one_player_reveal_only() -> None:
    table = HandTable().bet(1, ante=500, blind=500, flush_rush=100).start()
    table.deal("7H KD 2C 9S 4D").deal("AH QH 8H 3H 2S").deal("KS 9D 4C 4S 6H").dump()
    table.burn(1, 2, 5).bet(1, play=1000).choose(1, 2)
    table.show("dealer", "KS 9D 4C 4S 6H").show("community", "2C 9S").show("seat 1", "AH QH 8H 3H 2S")
    result = table.count("seat 1", 5).count("dealer", 5).end()
    assert result.outcome == "complete"
    assert result.community == ("2C", "9S")
    assert result.burned == ("??", "??", "??")
    assert [(packet.to, packet.counted) for packet in result.packets] == [
        ("community", 5),
        ("seat 1", 5),
        ("dealer", 5),
    ]
    assert result.seats[0].cards == ("AH", "QH", "8H", "3H", "2S")
    assert result.seats[0].wagers == {"ante": 500, "blind": 500, "flush-rush": 100, "play": 1000}
    assert result.dealer is not None
    assert result.dealer.cards == ("KS", "9D", "4C", "4S", "6H")
    assert result.remainder is not None
    assert (result.remainder.counted, result.remainder.expected) == (37, 37)
    assert (result.session, result.round, result.deck.deck, result.deck.loaded) == ("a1b2c3d4", 1, 1, 52)
    assert result.incidents == ()
    assert table.flow.state is State.BETTING
    assert RoundResult.from_json(result.to_json()) == result


@pytest.mark.parametrize("seats", [1, 3, 8])
def test_clean_tables(seats: int) -> None:
    table = dealt(seats).burn()
    for number in range(1, seats + 1):
        table.bet(number, play=1000).choose(number, 2)
    result = table.end()
    assert (result.outcome, table.codes) == ("complete", [])
    assert [packet.to for packet in result.packets][1:-1] == [f"seat {number}" for number in range(1, seats + 1)]
    assert result.remainder is not None
    assert result.remainder.counted == 52 - 5 * (seats + 2)


def test_only_seats_that_entered_are_dealt_in_clockwise() -> None:
    table = HandTable().bet(7, ante=500, blind=500).bet(2, ante=500, blind=500).start()
    for cards in hands(4):
        table.deal(cards)
    result = table.dump().burn().choose(7, 1).bet(2, play=1000).choose(2, 2).end()
    assert [packet.to for packet in result.packets] == ["community", "seat 2", "seat 7", "dealer"]
    assert statuses(result) == ["live", "folded"]


def test_recognised_cards_need_no_reveal() -> None:
    table = ready(1, reads=True)
    for cards in ("7H KD 2C 9S 4D", "AH QH 8H 3H 2S", "KS 9D 4C 4S 6H"):
        table.deal(cards)
    result = table.dump().burn().bet(1, play=1000).choose(1, 2).end()
    assert result.community == ("2C", "9S")
    assert result.burned == ("7H", "KD", "4D")
    assert result.seats[0].cards == ("AH", "QH", "8H", "3H", "2S")
    assert result.outcome == "complete"


def test_top_card_at_the_dealers_right_is_an_option() -> None:
    table = ready(1, reads=True, community_top_card="right")
    for cards in ("7H KD 2C 9S 4D", "AH QH 8H 3H 2S", "KS 9D 4C 4S 6H"):
        table.deal(cards)
    result = table.dump().burn().bet(1, play=1000).choose(1, 2).end()
    assert result.community == ("2C", "KD")  # positions 3 and 4 from the left are the third and second from the top
    assert result.burned == ("4D", "9S", "7H")
    assert result.options["community-top-card"] == "right"


def test_counts_only_names_no_face() -> None:
    result = dealt(2).burn().bet(1, play=1000).choose(1, 2).bet(2, play=1000).choose(2, 2).end()
    assert result.outcome == "complete"
    assert result.seats[0].cards == ("??",) * 5
    assert result.community == ("??", "??")


def test_recognition_and_reveal_must_agree() -> None:
    table = ready(1, reads=True)
    for cards in ("7H KD 2C 9S 4D", "AH QH 8H 3H 2S", "KS 9D 4C 4S 6H"):
        table.deal(cards)
    table.dump().burn().bet(1, play=1000).choose(1, 2).show("dealer", "KS 9D 4C 4S 6H").show("community", "9S 2C")
    table.show("seat 1", "AH QH 8H 3H 2D")
    result = table.end()
    assert (result.outcome, table.codes) == ("unreliable", ["faces-disagree"])


def test_unread_faces_agree_with_any() -> None:
    table = ready(1, reads=True)
    for cards in ("7H KD 2C 9S 4D", "AH QH 8H 3H 2S", "KS 9D 4C 4S 6H"):
        table.deal(cards)
    table.dump().burn().bet(1, play=1000).choose(1, 2).show("dealer", "KS ?? 4C 4S 6H")
    assert table.end().outcome == "complete"


def test_two_rounds_with_deck_change() -> None:
    table = dealt(1).burn().bet(1, play=1000).choose(1, 2)
    first = table.end()
    table.bet(1, ante=500, blind=500).start()
    for cards in hands(3):
        table.deal(cards)
    second = table.dump().burn().choose(1, 1).end()
    assert [(result.round, result.deck.deck, result.outcome) for result in (first, second)] == [
        (1, 1, "complete"),
        (2, 2, "complete"),
    ]
    assert second.seats[0].wagers == {"ante": 500, "blind": 500}


def test_a_packet_never_lifted_belongs_to_the_remainder() -> None:
    table = ready(1)
    for cards in hands(3):
        table.deal(cards)
    table.dispense(hands(4)[3])
    result = table.dump().burn().bet(1, play=1000).choose(1, 2).end()
    assert len(result.packets) == 3
    assert result.remainder is not None
    assert result.remainder.counted == 37
    assert (result.outcome, table.codes) == ("complete", [])


def test_a_rejected_card_is_counted() -> None:
    table = ready(1)
    table.deal(hands(3)[0])
    table.device(e.CardRejected(1, parse_card("--"), Fault.CARD_UNREADABLE))
    table.dealt += 1
    result = table.deal(hands(3)[1]).deal(hands(3)[2]).dump().burn().bet(1, play=1000).choose(1, 2).end()
    assert (result.outcome, result.rejected) == ("complete", 1)
    assert result.remainder is not None
    assert result.remainder.counted == 36


# ------------------------------------------------------------------ wrong counts


@pytest.mark.parametrize("cards", ["AH QH 8H 3H", "AH QH 8H 3H 2S TC"])
def test_player_packet_wrong_found_by_the_device(cards: str) -> None:
    table = ready(2).deal("7H KD 2C 9S 4D").deal(cards)
    table.device(e.RedLamp(True, Fault.PACKET_SHORT)).device(e.MisdealCleared(Fault.PACKET_SHORT, 77, True))
    table.deal("KS 9D 4C 4S 6H").deal("5H 5D 5C 5S 6D").dump().burn().bet(2, play=1000).choose(2, 2)
    result = table.end()
    assert result.outcome == "complete"
    assert statuses(result) == ["dead", "live"]
    assert result.seats[0].counted == len(cards.split())
    assert table.codes == ["seat-count-wrong", "device-fault"]
    assert table.incidents[0].clause == SEVEN_I
    assert table.incidents[0].place == "seat 1"


@pytest.mark.parametrize("cards", ["AH QH 8H 3H", "AH QH 8H 3H 2S TC"])
def test_player_packet_wrong_found_by_a_person_who_explains_the_remainder(cards: str) -> None:
    table = ready(2).deal("7H KD 2C 9S 4D").deal(cards, counted=5)
    table.deal("KS 9D 4C 4S 6H").deal("5H 5D 5C 5S 6D").dump()
    assert table.codes == ["cards-not-conserved"]
    assert any(item.event == "GameEnded" for item in table.flow.legal())
    result = table.burn().count("seat 1", len(cards.split())).bet(2, play=1000).choose(2, 2).end()
    assert result.outcome == "complete"
    assert statuses(result) == ["dead", "live"]
    assert table.codes == ["cards-not-conserved", "counts-differ", "seat-count-wrong"]


def test_a_miscount_nobody_explains_is_a_defective_deck() -> None:
    table = ready(1).deal("7H KD 2C 9S 4D").deal("AH QH 8H 3H", counted=5).deal("KS 9D 4C 4S 6H").dump()
    result = table.burn().bet(1, play=1000).choose(1, 2).end()
    assert result.outcome == "defective-deck"
    assert table.incidents[0].clause == "47.1-1036"


def test_faces_shown_count_too() -> None:
    table = ready(1).deal("7H KD 2C 9S 4D").deal("AH QH 8H 3H 2S TC", counted=5).deal("KS 9D 4C 4S 6H").dump()
    table.burn().bet(1, play=1000).choose(1, 2).show("dealer", "KS 9D 4C 4S 6H").show("community", "2C 9S")
    result = table.show("seat 1", "AH QH 8H 3H 2S TC").end()
    assert result.outcome == "complete"
    assert statuses(result) == ["dead"]
    assert result.seats[0].counted == 6


def test_dealer_packet_of_six_without_progressive_is_a_misdeal() -> None:
    table = ready(2)
    for cards in hands(3):
        table.deal(cards)
    table.deal("KS 9D 4C 4S 6H 7S").dump()
    assert table.flow.state is State.VOID
    result = table.end()
    assert (result.outcome, table.codes) == ("misdeal", ["dealer-count-wrong"])
    assert result.incidents[0].clause == SEVEN_I


def test_dealer_packet_of_six_with_progressive_plays_for_it_only() -> None:
    table = HandTable().bet(1, ante=500, blind=500, progressive=100).bet(2, ante=500, blind=500).start()
    for cards in hands(3):
        table.deal(cards)
    table.deal("KS 9D 4C 4S 6H 7S").dump()
    assert table.flow.state is State.PROGRESSIVE
    assert "show seat 1" in [item.what for item in table.flow.legal()]
    result = table.show("seat 1", hands(3)[1]).end()
    assert (result.outcome, table.codes) == ("progressive-only", ["dealer-count-wrong"])
    assert result.seats[0].cards == tuple(hands(3)[1].split())


def test_a_misdeal_called_for_the_dealers_packet_leaves_the_progressive() -> None:
    table = HandTable().bet(1, ante=500, blind=500, progressive=100).start()
    table.deal(hands(2)[0]).deal(hands(2)[1]).deal("KS 9D 4C 4S 6H 7S").misdeal().dump()
    result = table.show("seat 1", hands(2)[1]).end()
    assert (result.outcome, table.codes) == ("progressive-only", ["dealer-count-wrong", "misdeal-called"])


def test_the_progressive_bet_may_be_known_from_its_sensor_alone() -> None:
    table = HandTable().bet(1, ante=500, blind=500)
    table.controller(e.SensorChanged(1, True)).start()
    for cards in (*hands(2), "KS 9D 4C 4S"):
        table.deal(cards)
    result = table.dump().end()
    assert result.outcome == "progressive-only"
    assert table.codes == ["bet-amount-unknown", "dealer-count-wrong"]
    assert "progressive" not in result.seats[0].wagers


def test_no_live_progressive_hand_is_a_misdeal() -> None:
    table = HandTable().bet(1, ante=500, blind=500, progressive=100).bet(2, ante=500, blind=500).start()
    table.deal("7H KD 2C 9S 4D").deal("AH QH 8H 3H").deal("5H 5D 5C 5S 6D").deal("KS 9D 4C 4S 6H 7S").dump()
    assert table.end().outcome == "misdeal"


def test_community_packet_of_four_counts_as_the_dealers() -> None:
    table = HandTable().bet(1, ante=500, blind=500, progressive=100).start()
    table.deal("7H KD 2C 9S")
    assert table.flow.state is State.DEALING  # the players' packets are still needed for the progressive
    result = table.deal(hands(3)[1]).deal(hands(3)[2]).dump().end()
    assert (result.outcome, table.codes) == ("progressive-only", ["community-count-wrong"])
    assert result.options["community-count"] == "progressive-only"


def test_community_packet_of_four_under_another_reading() -> None:
    table = HandTable(community_count="misdeal").bet(1, ante=500, blind=500, progressive=100).start()
    assert table.deal("7H KD 2C 9S").end().outcome == "misdeal"


def test_community_counted_by_a_person_after_the_burn() -> None:
    table = dealt(1).burn().count("community", 2)
    assert table.codes == []
    table.count("community", 3)
    assert table.codes == ["counts-differ", "community-count-wrong", "cards-not-conserved"]


def test_remainder_one_short_is_a_defective_deck() -> None:
    table = ready(1)
    for cards in hands(3):
        table.deal(cards)
    table.dump(counted=36)
    table.device(e.RedLamp(True, Fault.REMAINDER_COUNT_WRONG))
    result = table.end()
    assert result.outcome == "defective-deck"
    assert result.remainder is not None
    assert (result.remainder.counted, result.remainder.expected) == (36, 37)
    assert "cards-not-conserved" in table.codes


def test_a_recount_of_the_remainder_clears_it() -> None:
    table = ready(1)
    for cards in hands(3):
        table.deal(cards)
    result = table.dump(counted=36).count("remainder", 37).burn().bet(1, play=1000).choose(1, 2).end()
    assert result.outcome == "complete"
    assert table.codes == ["cards-not-conserved", "counts-differ"]


def test_deck_dealt_after_a_wrong_count() -> None:
    table = ready(1, loaded=51).deal(hands(1)[0])
    assert table.codes == ["deck-count-wrong"]
    assert table.end().outcome == "defective-deck"


def test_a_dead_hand_stays_dead() -> None:
    table = ready(1).deal(hands(3)[0]).deal("AH QH 8H 3H").count("seat 1", 5)
    result = table.deal(hands(3)[2]).dump(counted=37).burn().end()
    assert statuses(result) == ["dead"]


# ------------------------------------------------------------------ faces


def test_one_face_in_two_places_is_a_defective_deck() -> None:
    table = dealt(1).burn().bet(1, play=1000).choose(1, 2).show("dealer", "KS 9D 4C 4S 6H").show("community", "2C 9S")
    result = table.show("seat 1", "AH QH 8H 3H 9D").end()
    assert (result.outcome, table.codes) == ("defective-deck", ["duplicate-face"])


def test_one_face_twice_in_a_hand() -> None:
    table = dealt(1).burn().bet(1, play=1000).choose(1, 2).show("dealer", "KS KS 4C 4S 6H")
    assert table.codes == ["duplicate-face"]


@pytest.mark.parametrize("card", ["?#", "__", "||"])
def test_a_foreign_card_is_a_defective_deck(card: str) -> None:
    table = dealt(1).burn().bet(1, play=1000).choose(1, 2).show("dealer", f"KS 9D 4C 4S {card}")
    assert (table.end().outcome, table.codes) == ("defective-deck", ["foreign-card"])


def test_a_stray_joker_is_replaced_says_1037_which_a_packet_does_not_allow_so_a_person_rules() -> None:
    table = dealt(1).burn().bet(1, play=1000).choose(1, 2).show("dealer", "KS 9D 4C 4S X1")
    assert table.codes == ["stray-joker"]
    result = table.end()  # and nobody ruled
    assert (result.outcome, result.incidents[0].clause) == ("unreliable", "47.1-1037")


def test_a_foreign_card_under_another_reading_kills_the_hand() -> None:
    table = dealt(1, foreign_card="dead-hand").burn().bet(1, play=1000).choose(1, 2).show("dealer", "KS 9D 4C 4S 6H")
    result = table.show("community", "2C 9S").show("seat 1", "AH QH 8H 3H ?#").end()
    assert (result.outcome, statuses(result)) == ("complete", ["dead"])


def test_a_code_nobody_knows_is_published_as_it_is() -> None:
    table = dealt(1).burn().bet(1, play=1000).choose(1, 2)
    table.controller(e.HandRevealed(DEALER, (Card(0x7F),), True))
    result = table.end()
    assert result.dealer is not None
    assert result.dealer.cards == ("0x7F",)
    assert RoundResult.from_json(result.to_json()) == result


# ------------------------------------------------------------------ the burn


@pytest.mark.parametrize("place", ["community", "dealer", "burn"])
def test_reveal_before_the_burn(place: str) -> None:
    table = dealt(1).show(place, "2C 9S" if place == "community" else "2C 9S 3D 4D 5D")
    assert table.codes[0] == "reveal-before-burn"
    assert table.incidents[0].clause == "47.1-1017.60(6)"
    assert table.burn().bet(1, play=1000).choose(1, 2).end().outcome == "unreliable"


def test_other_positions_burned() -> None:
    table = dealt(1).burn(1, 2, 4)
    assert table.flow.state is State.HALTED
    result = table.bet(1, play=1000).choose(1, 2).end()
    assert (result.outcome, table.codes) == ("unreliable", ["wrong-burn"])
    assert result.burn is not None
    assert result.burn.positions == (1, 2, 4)


def test_the_same_cards_counted_from_the_right() -> None:
    table = dealt(1).burn(1, 4, 5, spread="right-to-left").bet(1, play=1000).choose(1, 2)
    assert (table.end().outcome, table.codes) == ("complete", [])


def test_the_right_numbers_counted_from_the_wrong_side() -> None:
    assert dealt(1).burn(1, 2, 5, spread="right-to-left").codes == ["wrong-burn"]


def test_cards_of_another_place_burned() -> None:
    assert dealt(1).burn(1, 2, 5, place="dealer").codes == ["wrong-burn"]


def test_a_recognised_burned_card_among_the_community() -> None:
    table = ready(1, reads=True)
    for cards in ("7H KD 2C 9S 4D", "AH QH 8H 3H 2S", "KS 9D 4C 4S 6H"):
        table.deal(cards)
    table.dump().burn().bet(1, play=1000).choose(1, 2).show("dealer", "KS 9D 4C 4S 6H").show("community", "KD 9S")
    assert (table.end().outcome, table.codes) == ("unreliable", ["burned-card-in-play"])


@pytest.mark.parametrize("burn_first", [True, False])
def test_a_burned_card_shown_in_a_hand(burn_first: bool) -> None:
    table = dealt(1).burn().bet(1, play=1000).choose(1, 2).show("dealer", "KS 9D 4C 4S 6H").show("community", "2C 9S")
    shown = [("burn", "7H KD 4D"), ("seat 1", "AH QH 8H 3H KD")]
    for place, cards in shown if burn_first else reversed(shown):
        table.show(place, cards)
    assert table.end().outcome in ("unreliable", "defective-deck")
    assert set(table.codes) & {"burned-card-in-play", "duplicate-face"}


def test_a_burned_card_shown_among_the_community_after_it() -> None:
    table = dealt(1).burn().bet(1, play=1000).choose(1, 2).show("dealer", "KS 9D 4C 4S 6H").show("community", "2C 9S")
    table.show("burn", "7H 2C 4D")
    assert (table.end().outcome, table.codes) == ("unreliable", ["burned-card-in-play"])


def test_three_community_cards_shown() -> None:
    table = (
        dealt(1).burn().bet(1, play=1000).choose(1, 2).show("dealer", "KS 9D 4C 4S 6H").show("community", "2C 9S TD")
    )
    assert table.codes == ["reveal-count-wrong"]
    assert table.end().outcome == "unreliable"


# ------------------------------------------------------------------ people


def test_misdeal_called_before_any_decision() -> None:
    table = dealt(2).misdeal()
    assert table.flow.state is State.VOID
    result = table.end()
    assert (result.outcome, table.codes) == ("misdeal", ["misdeal-called"])
    assert result.community == ()


def test_misdeal_called_after_the_first_decision() -> None:
    table = dealt(2).burn().bet(1, play=1000).choose(1, 2).misdeal()
    assert (table.end().outcome, table.codes) == ("misdeal", ["misdeal-called"])


def test_misdeal_called_after_the_first_decision_is_refused_where_the_house_ends_it_there() -> None:
    table = dealt(2, misdeal_until="first-decision").burn().bet(1, play=1000).choose(1, 2).misdeal()
    result = table.bet(2, play=1000).choose(2, 2).end()
    assert (result.outcome, table.codes) == ("complete", ["misdeal-refused"])
    assert result.incidents[0].clause == "procedure"


def test_a_fold_keeps_its_cards_and_bets() -> None:
    table = HandTable().bet(1, ante=500, blind=500, flush_rush=100).start()
    for cards in hands(3):
        table.deal(cards)
    result = table.dump().burn().choose(1, 1).show("community", "3C 4C").show("seat 1", hands(2)[1]).end()
    assert (result.outcome, table.codes) == ("complete", [])  # with no live hand the dealer need not be shown
    assert statuses(result) == ["folded"]
    assert result.seats[0].wagers == {"ante": 500, "blind": 500, "flush-rush": 100}


def test_a_choice_without_its_bet() -> None:
    table = dealt(1).burn().controller(e.DecisionMade(1, 2))
    result = table.end()
    assert (result.outcome, table.codes) == ("complete", ["decision-bet-differs"])
    assert result.seats[0].held.keys() == {"ante", "blind"}  # nobody knows whether the hand is played


def test_a_fold_with_a_play_bet() -> None:
    table = dealt(1).burn().bet(1, play=1000).choose(1, 1)
    result = table.end()
    assert (result.outcome, table.codes) == ("complete", ["decision-bet-differs"])
    assert result.seats[0].held.keys() == {"play"}


# ------------------------------------------------------------------ devices


def test_a_jam_that_recovers_is_recorded_only() -> None:
    table = ready(1).deal(hands(3)[0])
    table.device(e.FaultRaised(Fault.FEED_JAM, NOWHERE, 1)).device(e.FaultCleared(Fault.FEED_JAM))
    table.deal(hands(3)[1]).deal(hands(3)[2]).dump().burn().bet(1, play=1000).choose(1, 2)
    assert (table.end().outcome, table.codes) == ("complete", ["jam"])


def test_a_jam_that_ends_with_the_deck_out_is_a_misdeal() -> None:
    table = ready(1).deal(hands(3)[0]).device(e.RedLamp(True, Fault.EXIT_JAM))
    table.device(e.MisdealCleared(Fault.EXIT_JAM, 0, False)).device(e.DeckRemoved(1))
    result = table.end()
    assert (result.outcome, table.codes) == ("misdeal", ["jam", "deck-removed"])


def test_a_deal_of_before_that_is_ended_late_is_no_misdeal_of_the_next_round() -> None:
    """The line was lost: that the lamp of before START GAME is out is heard after it. No card of this round was out."""
    table = ready(1).deal(hands(3)[0]).device(e.RedLamp(True, Fault.EXIT_JAM))
    assert table.end().outcome == "misdeal"
    table.bet(1, ante=500, blind=500).start()
    table.device(e.MisdealCleared(Fault.EXIT_JAM, 0, False)).device(e.DeckRemoved(1))
    table.deal(*hands(3)).dump().burn().bet(1, play=1000).choose(1, 2)
    result = table.end()
    assert (result.outcome, result.incidents) == ("complete", ())


@pytest.mark.parametrize("lit", ["in the round", "anew in the round", "before it, and a packet came"])
def test_a_deal_that_is_ended_in_its_round_is_a_misdeal(lit: str) -> None:
    table = HandTable().bet(1, ante=500, blind=500)
    if lit != "in the round":
        table.device(e.RedLamp(True, Fault.EXIT_JAM))
    table.start()
    table.deal(hands(3)[0]) if "packet" in lit else table.device(e.RedLamp(True, Fault.EXIT_JAM))
    table.device(e.MisdealCleared(Fault.EXIT_JAM, 0, False))
    assert (table.end().outcome, table.codes[-1]) == ("misdeal", "deck-removed")


def test_end_game_under_the_red_lamp_is_a_misdeal() -> None:
    table = ready(1).deal(hands(3)[0]).device(e.RedLamp(True, Fault.EXIT_JAM))
    assert any(item.event == "GameEnded" for item in table.flow.legal())
    assert (table.end().outcome, table.codes) == ("misdeal", ["jam", "deck-removed"])


@pytest.mark.parametrize(
    ("fault", "outcome", "code"),
    [
        (Fault.CARD_LOST, "defective-deck", "device-fault"),
        (Fault.SENSOR_FAILED, "misdeal", "device-fault"),
        (Fault.DOOR_OPENED_MID_ROUND, "misdeal", "door-opened"),
        (Fault.COUNTER_INVARIANT_BROKEN, "defective-deck", "device-fault"),
        (Fault.POWER_LOST_MID_ROUND, "unreliable", "power-lost"),
        (Fault.EVENTS_LOST, "unreliable", "device-fault"),
        (599, "unreliable", "device-fault"),
    ],
)
def test_red_lamp_while_dealing(fault: int, outcome: str, code: str) -> None:
    table = ready(1).deal(hands(1)[0])
    table.device(e.FaultRaised(fault, NOWHERE, 0)).device(e.RedLamp(True, fault))
    table.device(e.MisdealReported(1, fault, 52, None, 0, ((5, 5),)))
    result = table.end()
    assert (result.outcome, table.codes) == (outcome, [code])
    assert result.incidents[0].fault == fault


@pytest.mark.parametrize("fault", [Fault.CARD_LOST, Fault.DOOR_OPENED_MID_ROUND, Fault.TOO_FEW_CARDS])
def test_a_fault_after_the_remainder_concerns_the_next_deck(fault: int) -> None:
    table = dealt(1).device(e.RedLamp(True, fault)).burn().bet(1, play=1000).choose(1, 2)
    assert table.end().outcome == "complete"


def test_a_packet_lifted_early_is_judged_by_its_count() -> None:
    table = ready(2).deal(hands(1)[0]).deal("AH QH 8H")
    table.device(e.RedLamp(True, Fault.PACKET_LIFTED_EARLY))
    table.device(e.MisdealCleared(Fault.PACKET_LIFTED_EARLY, 7, True))
    result = table.deal(hands(3)[1]).deal(hands(3)[2]).dump().burn().bet(2, play=1000).choose(2, 2).end()
    assert (result.outcome, statuses(result)) == ("complete", ["dead", "live"])


def test_the_door_while_dealing_and_after() -> None:
    table = ready(1).deal(hands(1)[0]).device(e.DoorMoved(True))
    assert (table.end().outcome, table.codes) == ("misdeal", ["door-opened"])
    later = dealt(1).device(e.DoorMoved(True)).burn().bet(1, play=1000).choose(1, 2)
    assert (later.end().outcome, later.codes) == ("complete", [])


def test_power_lost_in_mid_round() -> None:
    table = ready(1).deal(hands(3)[0])
    table.sessions[DEVICE] = 0x99
    table.see(DEVICE, e.SessionChanged(0xA1B2C3D4, 0x99), numbered=False).device(e.Booted(7, True))
    assert table.flow.state is State.HALTED
    result = table.end()
    assert (result.outcome, table.codes) == ("unreliable", ["session-changed", "power-lost"])
    assert result.session == "a1b2c3d4"


def test_a_new_session_is_noticed_without_being_told() -> None:
    table = ready(1).deal(hands(3)[0])
    table.sessions[DEVICE] = 0x99
    assert table.deal(hands(3)[1]).codes == ["session-changed"]


def test_a_restart_between_rounds_harms_nothing() -> None:
    table = HandTable()
    table.sessions[DEVICE] = 0x99
    table.see(DEVICE, e.SessionChanged(0xA1B2C3D4, 0x99), numbered=False).device(e.Booted(7, False))
    table.fresh_deck()
    table.bet(1, ante=500, blind=500).start()
    for cards in hands(3):
        table.deal(cards)
    result = table.dump().burn().bet(1, play=1000).choose(1, 2).end()
    assert (result.outcome, result.session) == ("complete", "00000099")


def test_the_controller_restarts_with_bets_down() -> None:
    table = HandTable().bet(1, ante=500, blind=500)
    table.sessions[CONTROLLER] = 0x55
    table.start()
    assert table.codes == ["session-changed"]
    assert table.flow.state is State.HALTED


@pytest.mark.parametrize("betting", [True, False])
def test_events_lost(betting: bool) -> None:
    table = HandTable().bet(1, ante=500, blind=500)
    if not betting:
        table.start()
    table.see(CONTROLLER, e.EventsLost(5, 9), numbered=False)
    if betting:
        table.start()
    assert (table.end().outcome, table.codes) == ("unreliable", ["events-lost"])


def heard_on(table: HandTable, seats: int = 1) -> HandTable:
    """The next round, all of it heard."""
    for seat in range(1, seats + 1):
        table.bet(seat, ante=500, blind=500)
    table.start()
    for cards in hands(seats + 2):
        table.deal(cards)
    table.dump().burn()
    for seat in range(1, seats + 1):
        table.bet(seat, play=1000).choose(seat, 2)
    table.end()
    return table


def lost_events(table: HandTable) -> HandTable:
    """The controller had no events left from before."""
    return table.see(CONTROLLER, e.EventsLost(40, 60), numbered=False)


def told(table: HandTable) -> list[tuple[int, str, list[str]]]:
    """Each round: its number, what came of it, what was found."""
    return [(each.round, each.outcome, [found.code for found in each.incidents]) for each in table.results]


def test_a_round_whose_start_is_gone_is_made_known_when_it_ends() -> None:
    table = lost_events(heard_on(HandTable()).bet(1, ante=300, blind=300))
    for cards in hands(3):
        table.deal(cards)
    table.dump()
    table.round = 2
    heard_on(table.controller(e.GameEnded(2)).fresh_deck())
    (_, _, codes) = told(table)[1]
    assert [(number, outcome) for number, outcome, _ in told(table)] == [
        (1, "complete"),
        (2, "unreliable"),
        (3, "unreliable"),
    ]
    assert codes == ["start-lost"]
    assert [(seat.seat, seat.wagers) for seat in table.results[1].seats] == [(1, {"ante": 300, "blind": 300})]
    assert {seat.seat: seat.wagers["ante"] for seat in table.results[2].seats} == {1: 500}
    assert "events-lost" in told(table)[2][2]
    assert "rounds-lost" not in table.codes


def test_two_rounds_that_a_gap_made_one_are_made_known_each() -> None:
    table = lost_events(dealt(1).burn())
    table.round = 2
    heard_on(heard_on(table.controller(e.GameEnded(2)).fresh_deck()))
    assert [(number, outcome) for number, outcome, _ in told(table)] == [
        (1, "unreliable"),
        (2, "unreliable"),
        (3, "unreliable"),
        (4, "complete"),
    ]
    assert [codes for _, _, codes in told(table)[1:3]] == [["start-lost"], ["events-lost"]]


@pytest.mark.parametrize("start_heard", [True, False])
@pytest.mark.parametrize(("number", "missed"), [(3, (2, None)), (6, (2, 5)), (2, None)])
def test_rounds_that_came_and_went_in_a_gap_are_named(
    number: int, missed: tuple[int, int | None] | None, start_heard: bool
) -> None:
    table = lost_events(heard_on(HandTable()))
    table.round = number - 1
    if start_heard:
        heard_on(table)
    else:
        table.round = number
        heard_on(table.controller(e.GameEnded(number)).fresh_deck())
    found = [each for each in table.incidents if each.code == "rounds-lost"]
    assert [(each.first, each.last) for each in found] == ([missed] if missed is not None else [])
    assert told(table)[1][:2] == (number, "unreliable")


def test_end_game_once_more_is_no_round_even_behind_a_gap() -> None:
    table = lost_events(heard_on(HandTable()))
    table.controller(e.GameEnded(1))
    assert (len(table.results), table.codes) == (1, ["events-lost", "out-of-turn"])
    assert [number for number, _, _ in told(heard_on(table))] == [1, 2]


def test_end_game_that_no_gap_explains_is_no_round() -> None:
    table = heard_on(HandTable()).controller(e.GameEnded(2))
    assert (len(table.results), table.codes) == (1, ["out-of-turn"])


# ------------------------------------------------------------------ a silent line


def test_link_lost_and_resumed_without_a_gap() -> None:
    table = ready(1).deal(hands(3)[0])
    table.see(DEVICE, e.LinkLost("nothing heard for 3.0 s"), numbered=False)
    result = table.deal(hands(3)[1]).deal(hands(3)[2]).dump().burn().bet(1, play=1000).choose(1, 2).end()
    assert (result.outcome, table.codes) == ("complete", ["link-lost"])


def test_what_the_other_line_said_meanwhile_waits_for_its_turn() -> None:
    table = ready(1).deal(hands(3)[0])
    table.see(DEVICE, e.LinkLost("nothing heard for 3.0 s"), numbered=False)
    table.burn().bet(1, play=1000).choose(1, 2).show("dealer", hands(3)[2]).controller(e.GameEnded(1))
    assert table.results == []
    assert table.flow.state is State.DEALING
    table.deal(hands(3)[1]).deal(hands(3)[2]).dump()
    assert [result.outcome for result in table.results] == ["complete"]
    assert table.codes == ["link-lost"]
    assert table.results[0].seats[0].wagers["play"] == 1000


def test_what_waits_in_vain_is_judged_when_the_next_round_starts() -> None:
    table = ready(1).deal(hands(3)[0])
    table.see(DEVICE, e.LinkLost("nothing heard for 3.0 s"), numbered=False)
    table.burn().bet(1, play=1000).choose(1, 2).controller(e.GameEnded(1))
    table.bet(1, ante=500, blind=500).start()
    assert [result.outcome for result in table.results] == ["unreliable"]
    assert table.flow.state is State.DEALING


# ------------------------------------------------------------------ out of turn


def test_packet_before_start_game() -> None:
    table = HandTable().bet(1, ante=500, blind=500).deal(hands(1)[0])
    assert table.codes == ["out-of-turn", "out-of-turn"]
    assert "GameStarted" in table.incidents[0].allowed
    assert table.start().end().outcome == "unreliable"


@pytest.mark.parametrize(
    "act",
    [
        lambda table: table.show("dealer", hands(3)[2]),
        lambda table: table.show("community", "3C 4C"),
        lambda table: table.burn(),
        lambda table: table.dump(),
        lambda table: table.deal(hands(4)[3]),
    ],
)
def test_harmful_out_of_turn_while_deciding(act) -> None:  # type: ignore[no-untyped-def]
    table = dealt(1).burn()
    act(table)
    assert len(table.codes) == 1
    if not table.results:
        table.bet(1, play=1000).choose(1, 2).end()
    assert table.results[0].outcome == "unreliable"


@pytest.mark.parametrize(
    "act",
    [
        lambda table: table.choose(1, 1).choose(1, 1),
        lambda table: table.bet(1, play=1000).choose(1, 2).show("community", "3C 4C").show("dealer", hands(3)[2]),
        lambda table: table.show("seat 1", hands(3)[1]).bet(1, play=1000).choose(1, 2),
        lambda table: table.bet(1, play=1000).choose(1, 2).count("seat 5", 5),
    ],
)
def test_harmless_out_of_turn_is_recorded_only(act) -> None:  # type: ignore[no-untyped-def]
    table = act(dealt(1).burn())
    assert (table.end().outcome, table.codes) == ("complete", ["out-of-turn"])
    assert not table.incidents[0].unreliable


@pytest.mark.parametrize(
    ("act", "code"),
    [
        (lambda table: table.controller(e.DecisionMade(2, 1)), "unknown-seat"),
        (lambda table: table.controller(e.DecisionMade(1, 9)), "unknown-decision"),
        (lambda table: table.show("seat 2", hands(2)[1]), "unknown-seat"),
    ],
)
def test_a_key_of_nobodys_and_a_hand_of_nobodys_are_recorded_only(act, code) -> None:  # type: ignore[no-untyped-def]
    table = act(dealt(1).burn()).bet(1, play=1000).choose(1, 2)
    assert (table.end().outcome, table.codes) == ("complete", [code])


def test_who_never_chose_has_all_bets_held() -> None:
    table = dealt(1).burn()
    result = table.end()
    assert (result.outcome, table.codes) == ("complete", ["choice-missing"])
    assert result.seats[0].held == {"ante": "47.1-1024", "blind": "47.1-1024"}


def test_the_first_choice_stands() -> None:
    table = dealt(2).burn().bet(1, play=1000).choose(1, 2).choose(1, 1).bet(2, play=1000).choose(2, 2)
    result = table.end()
    assert (result.outcome, table.codes) == ("complete", ["out-of-turn"])
    assert [seat.decision for seat in result.seats] == ["play", "play"]


def test_a_late_play_bet_is_held() -> None:
    """The dealer's cards were seen: it is unknown whether the hand is played, so all bets of the seat are held."""
    table = dealt(1).burn().controller(e.DecisionMade(1, 2)).show("dealer", hands(3)[2]).bet(1, play=1000)
    result = table.end()
    assert (result.outcome, table.codes) == ("complete", ["wager-held", "decision-bet-differs"])
    assert result.seats[0].wagers == {"ante": 500, "blind": 500}
    assert result.seats[0].held.keys() == {"ante", "blind", "play"}


@pytest.mark.parametrize(
    ("act", "held"),
    [
        (lambda table: table.bet(1, ante=900), {1: {"ante"}}),
        (lambda table: table.bet(1, ante=0), {1: {"ante"}}),
        (lambda table: table.bet(1, flush_rush=100), {1: {"flush-rush"}}),
        (lambda table: table.bet(2, ante=500), {2: {"ante"}}),
        (lambda table: table.bet(2, play=500), {2: {"play"}}),
        (lambda table: table.bet(1, ante=500), {}),  # what lies there is reported again
        (lambda table: table.bet(1, flush_rush=0), {}),
        (lambda table: table.controller(e.WagerPlaced(1, 9, 100)), {}),  # no spot of the layout
        (lambda table: table.controller(e.WagerPlaced(9, 1, 100)), {}),  # no seat of the table
    ],
)
def test_a_late_or_stray_chip_holds_that_bet_alone(act, held) -> None:  # type: ignore[no-untyped-def]
    """The bet at START GAME stays; every other bet is settled."""
    table = act(dealt(1).burn())
    result = table.bet(1, play=1000).choose(1, 2).end()
    assert result.outcome == "complete"
    assert {seat.seat: set(seat.held) for seat in result.seats if seat.held} == held
    assert result.seats[0].wagers == {"ante": 500, "blind": 500, "play": 1000}
    clauses = {bet.name: bet.clause for bet in load_procedure(FLUSHES).bet}
    assert all(clause == clauses[bet] for seat in result.seats for bet, clause in seat.held.items())


def test_end_game_needs_the_remainder() -> None:
    table = ready(1)
    for cards in hands(3):
        table.deal(cards)
    result = table.burn().bet(1, play=1000).choose(1, 2).end()
    assert (result.outcome, result.remainder) == ("unreliable", None)


def test_start_game_twice_closes_the_first_round() -> None:
    table = dealt(1).start()
    assert [result.outcome for result in table.results] == ["unreliable"]


def test_start_game_without_a_bet() -> None:
    table = HandTable().start()
    assert (table.end().outcome, table.codes) == ("unreliable", ["no-entering-bet"])


def test_a_side_bet_alone() -> None:
    table = HandTable().bet(1, ante=500, blind=500).bet(2, flush_rush=100).start()
    assert table.codes == ["side-bet-alone"]
    table.deal(*hands(3)).dump().burn().bet(1, play=1000).choose(1, 2)
    result = table.end()
    assert result.outcome == "complete"
    assert [(seat.seat, seat.status, set(seat.held)) for seat in result.seats] == [
        (1, "live", set()),
        (2, "out", {"flush-rush"}),
    ]
    assert (result.seats[1].cards, result.seats[1].counted, result.seats[1].expected) == ((), None, 0)


def test_a_side_bet_alone_comes_back_with_all_others() -> None:
    table = HandTable().bet(1, ante=500, blind=500).bet(2, flush_rush=100).start().misdeal()
    out = table.end().seats[1]
    assert (out.status, out.returned, out.held) == ("out", {"flush-rush": 100}, {})


def test_a_bet_taken_back_does_not_enter() -> None:
    table = HandTable().bet(1, ante=500, blind=500).bet(2, ante=500, blind=500).bet(2, ante=0, blind=0).start()
    assert table.flow.legal()[0].place == "community"
    for cards in hands(3):
        table.deal(cards)
    assert [seat.seat for seat in table.dump().burn().bet(1, play=1000).choose(1, 2).end().seats] == [1]


def test_end_game_of_another_round() -> None:
    table = dealt(1).burn().bet(1, play=1000).choose(1, 2).controller(e.GameEnded(5))
    assert (table.results[0].outcome, table.codes) == ("unreliable", ["round-number-differs"])


def test_an_unfinished_recording() -> None:
    table = dealt(1).burn()
    results = table.flow.finish()
    assert [(result.outcome, result.incidents[-1].code) for result in results] == [("unreliable", "recording-ended")]
    assert table.flow.finish() == []
    assert HandTable().flow.finish() == []


@pytest.mark.parametrize("started", [False, True])
def test_nothing_of_an_ended_input_is_left_for_the_next(started: bool) -> None:
    table = HandTable(loaded=51).bet(2, ante=500, blind=500)
    if started:
        table.start().see(DEVICE, e.LinkLost("unplugged"), numbered=False)
    table.flow.finish()
    table.sessions = {DEVICE: 5, CONTROLLER: 6}  # of other devices, whose round begins before their first deck
    table.loaded, table.dealt, table.ordinal = 52, 0, 0
    table.bet(1, ante=500, blind=500).start()
    for cards in hands(3):
        table.deal(cards)
    result = table.dump().burn().choose(1, 1).end()
    assert (result.outcome, result.incidents, len(result.seats)) == ("complete", (), 1)


def test_nothing_of_an_ended_inputs_shoe_is_left_for_the_next() -> None:
    table = HandTable("race-to-the-flush").bet(1, red=500).start().draw("AH 5H 9H")
    assert table.flow.shoe is not None
    table.flow.finish()
    assert table.flow.shoe is None


def test_an_incident_names_the_event_it_rests_on() -> None:
    table = ready(1).deal(hands(1)[0]).deal("AH QH 8H 3H")
    events = table.incidents[0].events
    assert [(event.device, event.number) for event in events] == [(DEVICE, 5)]


@pytest.mark.parametrize("options", [{"no-such": "x"}, {"foreign-card": "ignore"}])
def test_unknown_options_are_refused(options: dict[str, str]) -> None:
    with pytest.raises(ProcedureError) as caught:
        HandTable(**options)
    check_refusal(caught.value)
    assert "\n" not in str(caught.value)
